/** The cells of a sparse array as a map of their density over two fields. */
import { isText } from './axes.js';
import { colorTable, cssColor } from './color_maps.js';
import { isCancelled } from './client.js';
import type { OpenArray } from './client.js';
import { debounced, element, fill, labelled, select } from './dom.js';
import { TileDBError } from './engine/index.js';
import type { Range } from './engine/index.js';
import { MAX_POINTS, MAX_POINT_BYTES } from './limits.js';
import { Plane, zoomButtons } from './plane.js';
import type { Box } from './plane.js';
import { canBeCoordinate, coordinatesOf, placeText, rangeOf } from './points.js';
import type { Coordinates } from './points.js';
import { countText, counted, dateUnit } from './texts.js';
import type { Host, View } from './view.js';

/** CSS pixels of a square of the map. */
const SQUARE = 4;

/** The counts of the visible squares. */
interface Grid {
  counts: Uint32Array;
  columns: number;
  rows: number;
  /** What the squares cover: rows from the top. */
  box: Box;
  maxCount: number;
  /** Number of visible cells. */
  cells: number;
}

export class DensityView implements View {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #array: OpenArray;
  readonly #where: () => string | undefined;
  readonly #moved: () => void;
  readonly #controls = element('div', { className: 'controls' });
  readonly #stage = element('div', { className: 'stage' });
  readonly #readout = element('output', { className: 'readout', id: 'density-readout' });
  readonly #notice = element('p', { className: 'notice' });
  readonly #legend = element('p', { className: 'legend' });
  readonly #extent = element('p', { className: 'notice' });
  readonly #colors = colorTable('viridis');
  #names: [string, string];
  #x: Coordinates | undefined;
  #y: Coordinates | undefined;
  /** The part whose cells are loaded; `undefined` for everything. */
  #loadedBox: Box | undefined;
  /** The ranges of the last read, so that it is not repeated. */
  #loadedRanges = '';
  #isTruncated = false;
  #plane: Plane | undefined;
  #grid: Grid | undefined;
  #reading: AbortController | undefined;
  readonly #after = debounced(300, () => {
    this.#moved();
    this.#extend();
  });

  constructor(host: Host, array: OpenArray, where: () => string | undefined, moved: () => void) {
    this.#host = host;
    this.#array = array;
    this.#where = where;
    this.#moved = moved;
    const names = array.schema.fields.filter(canBeCoordinate).map(({ name }) => name);
    if (names.length < 2) throw new TileDBError('Unsupported', 'A map needs two fields of numbers or texts; the table shows the cells');
    const find = (key: string) => names.find((name) => name === host.state.get(key));
    // Time is horizontal, texts are vertical.
    const [first, second] = [names[0]!, names[1]!];
    const rank = (name: string) => (dateUnit(array.field(name)!.type) !== undefined ? 0 : isText(array.field(name)!) ? 2 : 1);
    const [across, down] = rank(second) < rank(first) ? [second, first] : [first, second];
    this.#names = [find('x') ?? across, find('y') ?? down];
    const direction = (text: string, at: 0 | 1, key: string) =>
      labelled(text, select(names.map((name) => [name, name] as const), this.#names[at], (name) => {
        this.#names[at] = name;
        host.state.set(key, name);
        host.state.set('view', undefined);
        void this.load();
      }));
    fill(this.#controls, direction('Horizontal', 0, 'x'), direction('Vertical', 1, 'y'));
    const side = element('div', { className: 'side' }, this.#controls, this.#legend);
    this.element = element('section', { className: 'density', 'aria-label': 'Density map' }, this.#stage, side);
    void this.load();
  }

  dispose(): void {
    this.#reading?.abort();
    this.#plane?.dispose();
  }

  /** The ranges of the dimensions that are visible. */
  get ranges(): Record<string, Range> {
    if (this.#plane === undefined || this.#x === undefined || this.#y === undefined || this.#plane.width === 0) return {};
    return this.#rangesOf(this.#plane.box);
  }

  #rangesOf(box: Box): Record<string, Range> {
    const [x, y] = [this.#x!, this.#y!];
    const part = (coordinates: Coordinates, from: number, to: number) => {
      const [low, high] = [Math.max(from, coordinates.low), Math.min(to, coordinates.high)];
      // A field that is wholly visible needs no range.
      if (low >= high || (low === coordinates.low && high === coordinates.high)) return [];
      const range = rangeOf(coordinates, low, high);
      return range === undefined ? [] : [[coordinates.field.name, range] as const];
    };
    return Object.fromEntries([...part(x, box.x0, box.x1), ...part(y, box.y0, box.y1)]);
  }

  /** Reads the cells anew, and shows all of them. */
  async load(): Promise<void> {
    this.#loadedBox = undefined;
    this.#loadedRanges = '';
    const before = this.#plane;
    if (!(await this.#read({}))) return;
    before?.dispose();
    const [x, y] = [this.#x!, this.#y!];
    const plane = new Plane({
      label: `Density of cells over ${x.field.name} and ${y.field.name}`,
      bounds: { x0: x.low, x1: x.high, y0: y.low, y1: y.high },
      isUpward: true,
      isSquare: false,
      maxScale: Infinity,
      draw: (context) => this.#draw(context),
      moved: () => this.#place(),
      hover: (point) => this.#show(point),
      pick: (point) => this.#pick(point),
    });
    this.#plane = plane;
    fill(this.#stage, plane.canvas, zoomButtons(plane), element('div', { className: 'below' }, this.#readout, this.#extent, this.#notice));
    const [centerX, centerY, scaleX, scaleY] = (this.#host.state.get('view') ?? '').split(',').map(Number);
    if (scaleY !== undefined) plane.place(centerX!, centerY!, scaleX!, scaleY);
    this.#moved();
  }

  async #read(ranges: Record<string, Range>): Promise<boolean> {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#stage.setAttribute('aria-busy', 'true');
    const where = this.#where();
    const fields = [...new Set(this.#names)];
    try {
      const limits = { maxCells: MAX_POINTS, maxBytes: MAX_POINT_BYTES };
      const selection = { fields, ranges, ...(where === undefined ? {} : { where }) };
      const cells = await this.#array.read(selection, limits, reading.signal);
      const names = await Promise.all(this.#names.map((name) => this.#enumeration(name)));
      if (reading.signal.aborted) return false;
      const isWhole = Object.keys(ranges).length === 0;
      const [x, y] = this.#names.map((name, at) => coordinatesOf(cells.column(name), names[at])) as [Coordinates, Coordinates];
      if (isWhole && cells.isTruncated) {
        // The bounds of the rest are not those of the first cells.
        await this.#widen([x, y]);
      } else if (!isWhole) {
        this.#keepBounds(x, this.#x);
        this.#keepBounds(y, this.#y);
      }
      [this.#x, this.#y] = [x, y];
      this.#isTruncated = cells.isTruncated;
      this.#host.clearError();
      this.#host.status(counted(cells.length, 'cell'));
      fill(this.#notice, cells.isTruncated
        ? `The first ${countText(cells.length)} cells of the part that is shown. Zoom in to see all of its cells.`
        : `${counted(cells.length, 'cell')}.`);
      this.#stage.dataset['cells'] = String(cells.length);
      this.#stage.setAttribute('aria-busy', 'false');
      return true;
    } catch (error) {
      if (reading.signal.aborted || isCancelled(error)) return false;
      this.#stage.setAttribute('aria-busy', 'false');
      this.#host.report(error);
      return false;
    }
  }

  async #enumeration(name: string): Promise<string[] | undefined> {
    const enumeration = this.#array.field(name)?.enumeration;
    if (enumeration === null || enumeration === undefined) return undefined;
    return (await this.#array.enumeration(enumeration)).map(String);
  }

  async #widen(both: Coordinates[]): Promise<void> {
    const domain = await this.#array.nonEmptyDomain();
    for (const coordinates of both) {
      const range = domain?.[coordinates.field.name];
      if (range === undefined || coordinates.categories !== undefined) continue;
      coordinates.low = Math.min(coordinates.low, Number(range[0]));
      coordinates.high = Math.max(coordinates.high, Number(range[1]) + (coordinates.field.type.startsWith('FLOAT') ? 0 : 1));
    }
  }

  #keepBounds(coordinates: Coordinates, before: Coordinates | undefined): void {
    if (before === undefined) return;
    if (coordinates.categories !== undefined && before.categories !== undefined) {
      const { categories } = coordinates;
      const position = new Map(before.categories.map((text, at) => [text, at]));
      coordinates.values = coordinates.values.map((value) => position.get(categories[value] ?? '') ?? NaN);
      coordinates.categories = before.categories;
    }
    [coordinates.low, coordinates.high] = [before.low, before.high];
  }

  /** Reads the cells of the visible part, if not all cells are loaded. */
  #extend(): void {
    const plane = this.#plane;
    if (plane === undefined || plane.width === 0) return;
    const { box } = plane;
    const loaded = this.#loadedBox;
    const isInside = loaded === undefined || (box.x0 >= loaded.x0 && box.x1 <= loaded.x1 && box.y0 >= loaded.y0 && box.y1 <= loaded.y1);
    if (isInside && !this.#isTruncated) return;
    const ranges = this.#rangesOf(box);
    const key = Object.entries(ranges).flat(2).map(String).join('\n');
    if (key === this.#loadedRanges) return;
    this.#loadedRanges = key;
    this.#loadedBox = Object.keys(ranges).length === 0 ? undefined : box;
    void this.#read(ranges).then((isRead) => {
      if (isRead) this.#place();
    });
  }

  #place(): void {
    const plane = this.#plane;
    if (plane === undefined || plane.width === 0) return;
    this.#host.state.set('view', [plane.x, plane.y, plane.scaleX, plane.scaleY].map((value) => Number(value.toPrecision(9))).join(','));
    this.#grid = this.#count(plane);
    this.#drawLegend(this.#grid);
    this.#drawExtent(plane.box);
    plane.redraw();
    this.#after();
  }

  /** Counts the cells in each square; categories are rows or columns of their own. */
  #count(plane: Plane): Grid {
    const [x, y] = [this.#x!, this.#y!];
    const { box } = plane;
    const edges = (coordinates: Coordinates, from: number, to: number, pixels: number) => {
      if (coordinates.categories === undefined) return { from, to, bins: Math.max(1, Math.round(pixels / SQUARE)) };
      const [low, high] = [Math.max(0, Math.floor(from)), Math.min(coordinates.categories.length, Math.ceil(to))];
      return { from: low, to: Math.max(high, low + 1), bins: Math.max(1, high - low) };
    };
    const [across, down] = [edges(x, box.x0, box.x1, plane.width), edges(y, box.y0, box.y1, plane.height)];
    const counts = new Uint32Array(across.bins * down.bins);
    const [factorX, factorY] = [across.bins / (across.to - across.from), down.bins / (down.to - down.from)];
    let [maxCount, cells] = [0, 0];
    for (let at = 0; at < x.values.length; at += 1) {
      const [placeX, placeY] = [x.values[at]! + x.center, y.values[at]! + y.center];
      if (!(placeX >= across.from && placeX <= across.to && placeY >= down.from && placeY <= down.to)) continue;
      const column = Math.min(across.bins - 1, Math.floor((placeX - across.from) * factorX));
      const row = Math.min(down.bins - 1, Math.floor((down.to - placeY) * factorY));
      const count = (counts[row * across.bins + column]! += 1);
      cells += 1;
      if (count > maxCount) maxCount = count;
    }
    return { counts, columns: across.bins, rows: down.bins, box: { x0: across.from, x1: across.to, y0: down.from, y1: down.to }, maxCount, cells };
  }

  #draw(context: CanvasRenderingContext2D): void {
    const [grid, plane] = [this.#grid, this.#plane];
    if (grid === undefined || plane === undefined) return;
    const map = element('canvas', { width: grid.columns, height: grid.rows });
    const own = map.getContext('2d');
    if (own === null) return;
    const image = own.createImageData(grid.columns, grid.rows);
    const pixels = new Uint32Array(image.data.buffer);
    const scale = 255 / Math.log1p(grid.maxCount || 1);
    grid.counts.forEach((count, at) => {
      if (count > 0) pixels[at] = this.#colors[Math.round(Math.log1p(count) * scale)]!;
    });
    own.putImageData(image, 0, 0);
    const { x0, x1, y0, y1 } = grid.box;
    const [start, end] = [plane.toPixels(x0, y1), plane.toPixels(x1, y0)];
    context.drawImage(map, start.x, start.y, end.x - start.x, end.y - start.y);
    this.#drawCategories(context, plane);
  }

  #drawCategories(context: CanvasRenderingContext2D, plane: Plane): void {
    const { categories } = this.#y!;
    if (categories === undefined || plane.scaleY < 14) return;
    context.font = '12px system-ui, sans-serif';
    context.lineWidth = 3;
    context.strokeStyle = getComputedStyle(document.body).backgroundColor;
    context.fillStyle = getComputedStyle(document.body).color;
    categories.forEach((text, at) => {
      const { y } = plane.toPixels(0, at + 0.5);
      if (y < 0 || y > plane.height) return;
      context.strokeText(text.slice(0, 40), 4, y + 4);
      context.fillText(text.slice(0, 40), 4, y + 4);
    });
  }

  #drawLegend({ maxCount, cells }: Grid): void {
    const colors = [0, 0.25, 0.5, 0.75, 1].map((part) => this.#colors[Math.round(part * 255)]!);
    const swatches = element('span', { className: 'swatches', 'aria-hidden': 'true' }, ...colors.map((color) => {
      const swatch = element('span');
      swatch.style.backgroundColor = cssColor(color);
      return swatch;
    }));
    this.#stage.dataset['visible'] = String(cells);
    fill(this.#legend, `Visible: ${counted(cells, 'cell')}; 1 `, swatches, ` ${countText(maxCount)} per square`);
  }

  /** The visible part of both fields, in place of axes. */
  #drawExtent({ x0, x1, y0, y1 }: Box): void {
    const part = (coordinates: Coordinates, from: number, to: number) => {
      const [low, high] = [Math.max(from, coordinates.low), Math.min(to, coordinates.high)];
      // The last unit begins before its end.
      const last = coordinates.center === 0 ? high : Math.ceil(high) - 1;
      return `${coordinates.field.name} ${placeText(coordinates, low)} to ${placeText(coordinates, last)}`;
    };
    fill(this.#extent, `Horizontal: ${part(this.#x!, x0, x1)}. Vertical: ${part(this.#y!, y0, y1)}.`);
  }

  #show(point: { x: number; y: number } | undefined): void {
    this.#readout.textContent = point === undefined ? '' : this.#text(point);
  }

  #text({ x, y }: { x: number; y: number }): string {
    const grid = this.#grid;
    if (grid === undefined || this.#x === undefined || this.#y === undefined) return '';
    const { x0, x1, y0, y1 } = grid.box;
    const column = Math.floor(((x - x0) / (x1 - x0)) * grid.columns);
    const row = Math.floor(((y1 - y) / (y1 - y0)) * grid.rows);
    if (column < 0 || column >= grid.columns || row < 0 || row >= grid.rows) return '';
    const count = grid.counts[row * grid.columns + column]!;
    return `${this.#y.field.name} ${placeText(this.#y, y)}, ${this.#x.field.name} ${placeText(this.#x, x)}: ${counted(count, 'cell')}`;
  }

  #pick(point: { x: number; y: number }): void {
    this.#show(point);
    this.#host.status(this.#text(point));
  }
}
