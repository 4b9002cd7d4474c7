/** A dense array as a picture of two of its dimensions. */
import { coordinateText, isNumeric } from './axes.js';
import type { Axis } from './axes.js';
import { Blocks, numbersOf } from './blocks.js';
import type { Block, Level, Resolution, Slice } from './blocks.js';
import { Colors } from './colors.js';
import { button, debounced, element, fill, labelled, select } from './dom.js';
import { TileDBError } from './engine/index.js';
import { MAX_RAISED_VIEW_BYTES, MAX_VIEW_BYTES } from './limits.js';
import { Plane, zoomButtons } from './plane.js';
import type { Box } from './plane.js';
import { Series } from './series.js';
import { bytesText, valueText } from './texts.js';
import type { Host, View } from './view.js';

/** Samples of which a histogram is made. */
const HISTOGRAM_SAMPLES = 50_000;
/** Up to this ratio of lengths cells are squares. */
const MAX_SQUARE_RATIO = 8;

export class DenseView implements View {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #levels: readonly Level[];
  readonly #axes: Axis[];
  readonly #attributes: string[];
  readonly #blocks: Blocks;
  readonly #colors: Colors;
  readonly #series: Series;
  readonly #controls = element('div', { className: 'controls' });
  readonly #stage = element('div', { className: 'stage' });
  readonly #readout = element('output', { className: 'readout', id: 'readout' });
  readonly #notice = element('p', { className: 'notice' });
  readonly #extent = element('p', { className: 'notice' });
  readonly #slice: Slice;
  #plane: Plane;
  #maxBytes = MAX_VIEW_BYTES;
  #resolution: Resolution | undefined;
  #picked: { x: number; y: number } | undefined;
  #isDisposed = false;
  readonly #request = debounced(60, () => this.#load());

  constructor(host: Host, levels: readonly Level[]) {
    this.#host = host;
    this.#levels = levels;
    const { array, axes } = levels[0]!;
    this.#axes = axes;
    const inAll = (name: string) => levels.every((level) => level.array.field(name) !== undefined);
    this.#attributes = array.schema.fields
      .filter((field) => field.kind === 'attribute' && isNumeric(field) && inAll(field.name))
      .map(({ name }) => name);
    if (this.#attributes.length === 0) throw new TileDBError('Unsupported', 'The array has no attribute with one number per cell; the table shows its cells');
    this.#slice = this.#initial();
    this.#blocks = new Blocks(levels, () => this.#loaded(), (error) => host.report(error));
    this.#blocks.show(this.#slice);
    this.#colors = new Colors(host.state, () => this.#plane?.redraw());
    this.#series = new Series(host, levels[0]!);
    this.#plane = this.#newPlane();
    this.#fillControls();
    const side = element('div', { className: 'side' }, this.#controls, this.#colors.element, this.#series.element);
    this.element = element('section', { className: 'dense', 'aria-label': 'Picture' }, this.#stage, side);
    this.#restore();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#blocks.clear();
    this.#plane.dispose();
  }

  #initial(): Slice {
    const { state } = this.#host;
    const axes = this.#axes;
    const find = (name: string | undefined) => axes.findIndex((axis) => axis.name === name);
    const channels = state.get('channels') === 'one' ? -1 : this.#channelAxis();
    // The last two dimensions that are not channels: the fastest one is horizontal.
    const free = axes.map((_, at) => at).filter((at) => at !== channels);
    let [x, y] = [free.at(-1)!, free.at(-2) ?? -1];
    const [linkedX, linkedY] = [find(state.get('x')), find(state.get('y'))];
    if (linkedX >= 0 && linkedY >= 0 && linkedX !== linkedY) [x, y] = [linkedX, linkedY];
    const fixed = axes.map((axis) => Math.min(Math.max(0, Math.floor(state.number(`at.${axis.name}`) ?? 0)), axis.length - 1));
    const attribute = this.#attributes.find((name) => name === state.get('attribute')) ?? this.#attributes[0]!;
    return { attribute, x, y, fixed, channels: channels === x || channels === y ? -1 : channels };
  }

  /** The axis of red, green and blue. */
  #channelAxis(): number {
    const isBytes = this.#levels[0]!.array.field(this.#attributes[0]!)?.type === 'UINT8';
    if (!isBytes || this.#axes.length < 3) return -1;
    return this.#axes.findIndex(({ name, length }) => (length === 3 || length === 4) && /^(c|rgba?|channels?|bands?)$/i.test(name));
  }

  #axis(axis: number): Axis | undefined {
    return axis < 0 ? undefined : this.#axes[axis];
  }

  #newPlane(): Plane {
    const [width, height] = [this.#axis(this.#slice.x)!.length, this.#axis(this.#slice.y)?.length ?? 1];
    const ratio = Math.max(width, height) / Math.min(width, height);
    const plane = new Plane({
      label: `Picture of ${this.#slice.attribute}`,
      bounds: { x0: 0, x1: width, y0: 0, y1: height },
      isUpward: false,
      isSquare: ratio <= MAX_SQUARE_RATIO,
      maxScale: 64,
      draw: (context) => this.#draw(context),
      moved: () => this.#moved(),
      hover: (point) => this.#show(point ?? this.#picked),
      pick: (point) => this.#pick(point),
    });
    fill(this.#stage, plane.canvas, zoomButtons(plane), element('div', { className: 'below' }, this.#readout, this.#extent, this.#notice));
    return plane;
  }

  #fillControls(): void {
    const { state } = this.#host;
    const slice = this.#slice;
    const attributes = select(this.#attributes.map((name) => [name, name] as const), slice.attribute, (name) => {
      slice.attribute = name;
      state.set('attribute', name);
      this.#changeSlice();
    });
    const parts: HTMLElement[] = [labelled('Attribute', attributes)];
    const names = this.#axes.map(({ name }, at) => [String(at), name] as const);
    if (this.#axes.length > 1) {
      const direction = (text: string, key: 'x' | 'y', other: 'x' | 'y') =>
        labelled(text, select(names, String(slice[key]), (value) => {
          if (Number(value) === slice[other]) slice[other] = slice[key];
          slice[key] = Number(value);
          if (slice.channels === slice.x || slice.channels === slice.y) slice.channels = -1;
          state.set('x', this.#axis(slice.x)!.name);
          state.set('y', this.#axis(slice.y)!.name);
          this.#changeAxes();
        }));
      parts.push(direction('Horizontal', 'x', 'y'), direction('Vertical', 'y', 'x'));
    }
    const channels = this.#channelAxis();
    if (channels >= 0 && channels !== slice.x && channels !== slice.y) {
      const modes = [['rgb', 'red, green, blue'], ['one', 'one at a time']] as const;
      parts.push(labelled('Channels', select(modes, slice.channels < 0 ? 'one' : 'rgb', (mode) => {
        slice.channels = mode === 'rgb' ? channels : -1;
        state.set('channels', mode === 'rgb' ? undefined : mode);
        this.#fillControls();
        this.#changeSlice();
      })));
    }
    this.#axes.forEach((axis, at) => {
      if (at !== slice.x && at !== slice.y && at !== slice.channels) parts.push(this.#slider(axis, at));
    });
    fill(this.#controls, ...parts);
  }

  #slider(axis: Axis, at: number): HTMLElement {
    const { fixed } = this.#slice;
    const shown = element('output', {}, coordinateText(axis, fixed[at]!));
    const changed = debounced(80, () => this.#changeSlice());
    const input = element('input', {
      type: 'range',
      min: '0',
      max: String(axis.length - 1),
      value: String(fixed[at]),
      oninput: () => {
        fixed[at] = input.valueAsNumber;
        this.#host.state.set(`at.${axis.name}`, fixed[at] === 0 ? undefined : fixed[at]);
        shown.textContent = coordinateText(axis, fixed[at]!);
        input.setAttribute('aria-valuetext', shown.textContent);
        changed();
      },
    });
    // Properties are set in order: the value would be cut to the former maximum.
    input.value = String(fixed[at]);
    return element('label', { className: 'control slider' }, element('span', {}, axis.name), input, shown);
  }

  #changeSlice(): void {
    if (this.#isDisposed) return;
    this.#host.clearError();
    this.#blocks.show(this.#slice);
    this.#plane.redraw();
    this.#load();
    if (this.#picked !== undefined) this.#pick(this.#picked);
  }

  #changeAxes(): void {
    this.#plane.dispose();
    this.#blocks.show(this.#slice);
    this.#picked = undefined;
    this.#plane = this.#newPlane();
    this.#fillControls();
  }

  /** Moves to the place that the link names. */
  #restore(): void {
    const numbers = (name: string) => (this.#host.state.get(name) ?? '').split(',').map(Number);
    const [x, y, scaleX, scaleY] = numbers('view');
    if (scaleY !== undefined) this.#plane.place(x!, y!, scaleX!, scaleY);
    const [cellX, cellY] = numbers('cell');
    if (cellY !== undefined && Number.isFinite(cellX) && Number.isFinite(cellY)) this.#pick({ x: cellX! + 0.5, y: cellY + 0.5 });
  }

  #moved(): void {
    const plane = this.#plane as Plane | undefined;
    if (plane === undefined || plane.width === 0) return;
    const text = [plane.x, plane.y, plane.scaleX, plane.scaleY].map((value) => Number(value.toPrecision(7))).join(',');
    this.#host.state.set('view', text);
    this.#request();
  }

  #load(): void {
    const plane = this.#plane;
    if (this.#isDisposed || plane.width === 0) return;
    const box = this.#clipped();
    this.#resolution = this.#blocks.resolution(box, plane.width, plane.height, this.#maxBytes);
    const { bytes, isLimited } = this.#resolution;
    if (bytes > MAX_RAISED_VIEW_BYTES) {
      this.#blocks.clear();
      this.#host.report(
        new TileDBError('MemoryBudget', `One tile of the array has ${bytesText(bytes)}; the viewer reads at most ${bytesText(MAX_RAISED_VIEW_BYTES)}`),
      );
      return;
    }
    this.#blocks.request(box, this.#resolution);
    this.#loaded();
    const { strideX, strideY, level } = this.#resolution;
    const texts: string[] = [];
    if (level > 0) texts.push(`level ${level} of the pyramid`);
    if (Math.max(strideX, strideY) > 1) {
      texts.push(strideX === strideY ? `one cell of ${strideX} by ${strideY}` : `one cell of ${strideY} (vertical) by ${strideX} (horizontal)`);
    }
    const finer = isLimited && this.#maxBytes < MAX_RAISED_VIEW_BYTES ? button('Load more detail', () => this.#raise()) : undefined;
    const limited = isLimited ? `Coarser than the screen: more would decode over ${bytesText(this.#maxBytes)}. Zoom in for detail. ` : '';
    fill(this.#extent, this.#extentText(box));
    fill(this.#notice, `${limited}${texts.length === 0 ? 'Every cell is shown.' : `Shown: ${texts.join(', ')}.`}`, finer);
  }

  #raise(): void {
    this.#maxBytes = Math.min(this.#maxBytes * 4, MAX_RAISED_VIEW_BYTES);
    this.#load();
  }

  /** The coordinates that are visible, in place of axes. */
  #extentText({ x0, x1, y0, y1 }: Box): string {
    const part = (axis: Axis, from: number, to: number) =>
      `${axis.name} ${coordinateText(axis, from)} to ${coordinateText(axis, Math.max(from, Math.ceil(to) - 1))}`;
    const axisY = this.#axis(this.#slice.y);
    const vertical = axisY === undefined ? '' : ` Vertical: ${part(axisY, y0, y1)}.`;
    return `Horizontal: ${part(this.#axis(this.#slice.x)!, x0, x1)}.${vertical}`;
  }

  /** The visible part of the picture. */
  #clipped(): Box {
    const { x0, x1, y0, y1 } = this.#plane.box;
    const [width, height] = [this.#axis(this.#slice.x)!.length, this.#axis(this.#slice.y)?.length ?? 1];
    return { x0: Math.max(0, x0), x1: Math.min(width, x1), y0: Math.max(0, y0), y1: Math.min(height, y1) };
  }

  /** A block has come, or has failed. */
  #loaded(): void {
    if (this.#isDisposed) return;
    const { pending } = this.#blocks;
    this.#stage.setAttribute('aria-busy', String(pending > 0));
    this.#stage.dataset['pending'] = String(pending);
    if (pending === 0) this.#suggest();
    this.#plane.redraw();
    this.#show(this.#picked);
  }

  #suggest(): void {
    if (this.#slice.channels >= 0) return;
    const blocks = this.#blocks.visible(this.#clipped());
    const finest = blocks.filter(({ sizeX }) => sizeX === blocks.at(-1)!.sizeX);
    const cells = finest.reduce((sum, { countX, countY }) => sum + countX * countY, 0);
    const every = Math.max(1, Math.floor(cells / HISTOGRAM_SAMPLES));
    const sample: number[] = [];
    for (const { column } of finest) {
      const number = numbersOf(column);
      for (let at = 0; at < column.length; at += every) {
        const value = number(at);
        if (Number.isFinite(value)) sample.push(value);
      }
    }
    if (sample.length > 0) this.#colors.suggest(Float64Array.from(sample));
  }

  #draw(context: CanvasRenderingContext2D): void {
    const plane = this.#plane;
    const round = (value: number) => Math.round(value * plane.ratio) / plane.ratio;
    for (const block of this.#blocks.visible(plane.box)) {
      if (block.canvas === undefined || block.version !== this.#colors.version) this.#paint(block);
      const start = plane.toPixels(block.box.x0, block.box.y0);
      const end = plane.toPixels(block.box.x1, block.box.y1);
      const [x, y] = [round(start.x), round(start.y)];
      context.drawImage(block.canvas!, x, y, round(end.x) - x, round(end.y) - y);
    }
    if (this.#picked === undefined) return;
    const { x, y } = plane.toPixels(Math.floor(this.#picked.x), Math.floor(this.#picked.y));
    context.lineWidth = 2;
    context.strokeStyle = '#fff';
    context.strokeRect(x - 3, y - 3, Math.max(plane.scaleX, 1) + 6, Math.max(plane.scaleY, 1) + 6);
    context.strokeStyle = '#000';
    context.strokeRect(x - 5, y - 5, Math.max(plane.scaleX, 1) + 10, Math.max(plane.scaleY, 1) + 10);
  }

  #paint(block: Block): void {
    const { countX, countY, column, stepX, stepY, stepChannel } = block;
    block.canvas ??= element('canvas', { width: countX, height: countY });
    block.version = this.#colors.version;
    const context = block.canvas.getContext('2d');
    if (context === null) return;
    const image = context.createImageData(countX, countY);
    const pixels = new Uint32Array(image.data.buffer);
    const number = numbersOf(column);
    const { table } = this.#colors;
    for (let row = 0, pixel = 0; row < countY; row += 1) {
      for (let at = row * stepY, end = at + countX * stepX; at < end; at += stepX, pixel += 1) {
        const value = number(at);
        if (Number.isNaN(value)) continue;
        if (stepChannel === 0) pixels[pixel] = table[this.#colors.place(value)]!;
        else pixels[pixel] = (0xff000000 | (number(at + 2 * stepChannel) << 16) | (number(at + stepChannel) << 8) | value) >>> 0;
      }
    }
    context.putImageData(image, 0, 0);
  }

  /** Shows the value under the pointer, or that of the cell that was picked. */
  #show(point: { x: number; y: number } | undefined): void {
    this.#readout.textContent = point === undefined ? '' : this.#text(point);
  }

  #text({ x, y }: { x: number; y: number }): string {
    const sample = this.#blocks.at(x, y);
    const axisX = this.#axis(this.#slice.x)!;
    const axisY = this.#axis(this.#slice.y);
    const isOutside = x < 0 || x >= axisX.length || y < 0 || y >= (axisY?.length ?? 1);
    if (isOutside) return '';
    const down = axisY === undefined ? '' : `${axisY.name} ${coordinateText(axisY, sample?.y ?? y)}, `;
    const place = `${down}${axisX.name} ${coordinateText(axisX, sample?.x ?? x)}`;
    if (sample === undefined) return place;
    const type = this.#levels[0]!.array.field(this.#slice.attribute)?.type;
    return `${place}: ${sample.values.map((value) => valueText(value, type)).join(', ')}`;
  }

  #pick(point: { x: number; y: number }): void {
    const [axisX, axisY] = [this.#axis(this.#slice.x)!, this.#axis(this.#slice.y)];
    if (point.x < 0 || point.x >= axisX.length || point.y < 0 || point.y >= (axisY?.length ?? 1)) return;
    this.#picked = { x: Math.floor(point.x) + 0.5, y: Math.floor(point.y) + 0.5 };
    this.#host.state.set('cell', `${Math.floor(point.x)},${Math.floor(point.y)}`);
    this.#plane?.redraw();
    this.#show(this.#picked);
    this.#host.status(this.#text(this.#picked));
    this.#series.show(this.#slice, Math.floor(point.x), Math.floor(point.y));
  }
}
