/** A canvas that shows a part of a plane: panned and zoomed by pointer, wheel, two fingers and keys. */
import { element, framed } from './dom.js';

/** A rectangle in the coordinates of the plane. */
export interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export interface PlaneOptions {
  label: string;
  bounds: Box;
  /** Whether y grows upwards. */
  isUpward: boolean;
  /** Whether a unit has the same length in both directions. */
  isSquare: boolean;
  /** Maximum number of pixels per unit. */
  maxScale: number;
  draw: (context: CanvasRenderingContext2D, plane: Plane) => void;
  moved: () => void;
  /** The pointer is over a point of the plane, or gone. */
  hover: (point: { x: number; y: number } | undefined) => void;
  pick: (point: { x: number; y: number }) => void;
}

/** Pixels that an arrow key moves. */
const KEY_STEP = 60;
/** Pixels that a pointer may move in a click. */
const CLICK_DISTANCE = 5;

export class Plane {
  readonly canvas: HTMLCanvasElement;
  readonly #options: PlaneOptions;
  readonly #observer: ResizeObserver;
  /** The centre in the plane, and pixels per unit. */
  x = 0;
  y = 0;
  scaleX = 1;
  scaleY = 1;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #moved = 0;
  #isPlaced = false;

  readonly redraw = framed(() => {
    const context = this.canvas.getContext('2d');
    if (context === null || this.width === 0) return;
    const ratio = this.ratio;
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.imageSmoothingEnabled = false;
    this.#options.draw(context, this);
  });

  constructor(options: PlaneOptions) {
    this.#options = options;
    this.canvas = element('canvas', {
      className: 'plane',
      tabIndex: 0,
      role: 'application',
      'aria-label': `${options.label}. Arrow keys pan, plus and minus zoom, 0 shows everything, Enter picks the centre.`,
      onkeydown: (event) => this.#key(event),
      onpointerdown: (event) => this.#down(event),
      onpointermove: (event) => this.#move(event),
      onpointerup: (event) => this.#up(event),
      onpointercancel: (event) => void this.#pointers.delete(event.pointerId),
      onpointerleave: () => options.hover(undefined),
    });
    this.canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    this.#observer = new ResizeObserver(() => {
      if (!this.#isPlaced && this.width > 0) this.fit();
      this.#changed();
    });
    this.#observer.observe(this.canvas);
  }

  dispose(): void {
    this.#observer.disconnect();
  }

  /** Size in CSS pixels. */
  get width(): number {
    return this.canvas.clientWidth;
  }

  get height(): number {
    return this.canvas.clientHeight;
  }

  get ratio(): number {
    return Math.min(window.devicePixelRatio || 1, 2);
  }

  /** Moves to a place that a link names. */
  place(x: number, y: number, scaleX: number, scaleY: number): void {
    if (![x, y].every(Number.isFinite) || !(scaleX > 0) || !(scaleY > 0)) return;
    Object.assign(this, { x, y, scaleX, scaleY });
    this.#isPlaced = true;
    this.#changed();
  }

  /** Shows everything. */
  fit(): void {
    const { x0, x1, y0, y1 } = this.#options.bounds;
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    const spanX = x1 - x0 || 1;
    const spanY = y1 - y0 || 1;
    this.scaleX = this.width / spanX;
    this.scaleY = this.height / spanY;
    if (this.#options.isSquare) this.scaleX = this.scaleY = Math.min(this.scaleX, this.scaleY);
    this.#isPlaced = true;
    this.#changed();
  }

  zoom(factor: number, at = { x: this.width / 2, y: this.height / 2 }): void {
    const { bounds, maxScale, isSquare } = this.#options;
    const before = this.toPlane(at.x, at.y);
    const minX = (this.width / (bounds.x1 - bounds.x0 || 1)) * 0.5;
    const minY = (this.height / (bounds.y1 - bounds.y0 || 1)) * 0.5;
    const limited = (scale: number, min: number) => Math.min(Math.max(scale * factor, Math.min(min, maxScale)), Math.max(maxScale, min * 2));
    if (isSquare) {
      this.scaleX = this.scaleY = limited(this.scaleX, Math.min(minX, minY));
    } else {
      this.scaleX = limited(this.scaleX, minX);
      this.scaleY = limited(this.scaleY, minY);
    }
    const after = this.toPlane(at.x, at.y);
    this.x += before.x - after.x;
    this.y += before.y - after.y;
    this.#changed();
  }

  pan(pixelsX: number, pixelsY: number): void {
    this.x -= pixelsX / this.scaleX;
    this.y -= (this.#options.isUpward ? -pixelsY : pixelsY) / this.scaleY;
    this.#changed();
  }

  /** The part of the plane that is visible. */
  get box(): Box {
    const halfX = this.width / 2 / this.scaleX;
    const halfY = this.height / 2 / this.scaleY;
    return { x0: this.x - halfX, x1: this.x + halfX, y0: this.y - halfY, y1: this.y + halfY };
  }

  toPlane(pixelX: number, pixelY: number): { x: number; y: number } {
    const down = (pixelY - this.height / 2) / this.scaleY;
    return { x: this.x + (pixelX - this.width / 2) / this.scaleX, y: this.#options.isUpward ? this.y - down : this.y + down };
  }

  toPixels(x: number, y: number): { x: number; y: number } {
    const down = (this.#options.isUpward ? this.y - y : y - this.y) * this.scaleY;
    return { x: (x - this.x) * this.scaleX + this.width / 2, y: down + this.height / 2 };
  }

  #changed(): void {
    const { x0, x1, y0, y1 } = this.#options.bounds;
    this.x = Math.min(Math.max(this.x, x0), x1);
    this.y = Math.min(Math.max(this.y, y0), y1);
    this.redraw();
    this.#options.moved();
  }

  #position(event: MouseEvent): { x: number; y: number } {
    const { left, top } = this.canvas.getBoundingClientRect();
    // The border is no part of the picture.
    return { x: event.clientX - left - this.canvas.clientLeft, y: event.clientY - top - this.canvas.clientTop };
  }

  #down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#position(event));
    if (this.#pointers.size === 1) this.#moved = 0;
  }

  #move(event: PointerEvent): void {
    const now = this.#position(event);
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return this.#options.hover(this.toPlane(now.x, now.y));
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    this.#moved += Math.hypot(dx, dy);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, now);
    if (other === undefined) {
      if (this.#moved > CLICK_DISTANCE) this.pan(dx, dy);
      return;
    }
    // Two fingers: what is between them stays there.
    const distance = (point: { x: number; y: number }) => Math.max(Math.hypot(point.x - other.x, point.y - other.y), 10);
    this.pan(dx / 2, dy / 2);
    this.zoom(distance(now) / distance(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    const { x, y } = this.#position(event);
    if (this.#moved <= CLICK_DISTANCE) this.#options.pick(this.toPlane(x, y));
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 30;
    this.zoom(Math.exp(-Math.max(-300, Math.min(300, pixels)) / 300), this.#position(event));
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? KEY_STEP * 4 : KEY_STEP;
    switch (event.key) {
      case 'ArrowLeft':
        this.pan(step, 0);
        break;
      case 'ArrowRight':
        this.pan(-step, 0);
        break;
      case 'ArrowUp':
        this.pan(0, step);
        break;
      case 'ArrowDown':
        this.pan(0, -step);
        break;
      case '+':
      case '=':
        this.zoom(1.5);
        break;
      case '-':
      case '_':
        this.zoom(1 / 1.5);
        break;
      case '0':
      case 'Home':
        this.fit();
        break;
      case 'Enter':
      case ' ':
        this.#options.pick({ x: this.x, y: this.y });
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}

/** Buttons for those who have neither wheel nor keyboard. */
export function zoomButtons(plane: Plane): HTMLElement {
  const one = (text: string, label: string, click: () => void) =>
    element('button', { type: 'button', 'aria-label': label, title: label, onclick: click }, text);
  return element(
    'div',
    { className: 'zoom', role: 'group', 'aria-label': 'Zoom' },
    one('+', 'Zoom in', () => plane.zoom(1.5)),
    one('−', 'Zoom out', () => plane.zoom(1 / 1.5)),
    one('⤢', 'Show everything', () => plane.fit()),
  );
}
