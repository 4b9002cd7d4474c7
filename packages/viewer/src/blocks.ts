/**
 * Blocks of a picture of a dense array.
 *
 * A block has up to 256 by 256 samples, each a cell out of `strideX` by `strideY`. Which levels and strides are read follows from the zoom and from the
 * bytes of the tiles that hold the samples.
 */
import type { CellValue, Column } from './engine/index.js';
import { fillOf, single, stepped } from './axes.js';
import type { Axis } from './axes.js';
import { isCancelled } from './client.js';
import type { OpenArray } from './client.js';
import { MAX_BLOCK_READS, MAX_CACHED_BYTES, MAX_VIEW_TILES } from './limits.js';
import type { Box } from './plane.js';

export const BLOCK_SAMPLES = 256;

/** An array, or one level of a pyramid, with the cells of the first level that one of its cells covers. */
export interface Level {
  array: OpenArray;
  axes: Axis[];
}

/** Which picture is shown. Positions are those of the first level. */
export interface Slice {
  attribute: string;
  x: number;
  /** -1 for arrays of one dimension. */
  y: number;
  /** Positions by axis. */
  fixed: number[];
  /** The axis of the channels red, green and blue; -1 for one value per cell. */
  channels: number;
}

/** The resolution at which a picture is read. */
export interface Resolution {
  level: number;
  strideX: number;
  strideY: number;
  /** Decoded bytes of the tiles that the visible samples are in. */
  bytes: number;
  /** Whether a finer one was desired, but exceeds the limits. */
  isLimited: boolean;
}

export interface Block {
  /** Cells of the first level from the left and top edge. */
  box: Box;
  countX: number;
  countY: number;
  /** Cells of the first level per sample. */
  sizeX: number;
  sizeY: number;
  column: Column;
  /** Distance of samples in the column, by direction and channel. */
  stepX: number;
  stepY: number;
  stepChannel: number;
  bytes: number;
  canvas: HTMLCanvasElement | undefined;
  /** Version of the colours of the canvas. */
  version: number;
}

const NO_AXIS: Axis = { name: '', type: 'INT64', low: 0n, length: 1, tile: 1 };

export class Blocks {
  readonly levels: readonly Level[];
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #blocks = new Map<string, Block>();
  readonly #running = new Map<string, AbortController>();
  #due: { key: string; read: (signal: AbortSignal) => Promise<Block> }[] = [];
  #slice: Slice | undefined;
  #cachedBytes = 0;

  constructor(levels: readonly Level[], changed: () => void, failed: (error: unknown) => void) {
    this.levels = levels;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Number of blocks that are being read, or wait. */
  get pending(): number {
    return this.#running.size + this.#due.length;
  }

  show(slice: Slice): void {
    this.clear();
    this.#slice = slice;
  }

  clear(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
    this.#due = [];
    this.#blocks.clear();
    this.#cachedBytes = 0;
  }

  #axis(level: number, axis: number): Axis {
    return axis < 0 ? NO_AXIS : this.levels[level]!.axes[axis]!;
  }

  /** Cells of the first level that a cell of a level covers. */
  #factor(level: number, axis: number): number {
    return Math.max(1, this.#axis(0, axis).length / this.#axis(level, axis).length);
  }

  /** The finest resolution at which a part of the picture can be read for the pixels that show it. */
  resolution(box: Box, pixelsX: number, pixelsY: number, maxBytes: number): Resolution {
    const { x, y } = this.#slice!;
    const [spanX, spanY] = [box.x1 - box.x0, box.y1 - box.y0];
    const [desiredX, desiredY] = [Math.max(1, spanX / pixelsX), Math.max(1, spanY / pixelsY)];
    let level = 0;
    const isFine = (level: number) => this.#factor(level, x) <= desiredX * 1.5 && this.#factor(level, y) <= desiredY * 1.5;
    while (level + 1 < this.levels.length && isFine(level + 1)) level += 1;
    const stride = (desired: number, axis: number) => 2 ** Math.max(0, Math.round(Math.log2(desired / this.#factor(level, axis))));
    let [strideX, strideY] = [stride(desiredX, x), stride(desiredY, y)];
    for (let isLimited = false; ; isLimited = true) {
      const { bytes, tiles } = this.#cost(level, spanX, spanY, strideX, strideY);
      const isLast = strideX >= spanX && strideY >= spanY && level === this.levels.length - 1;
      if ((bytes <= maxBytes && tiles <= MAX_VIEW_TILES) || isLast) return { level, strideX, strideY, bytes, isLimited };
      if (level + 1 < this.levels.length) {
        level += 1;
        [strideX, strideY] = [stride(desiredX, x), stride(desiredY, y)];
      } else {
        if (strideX < spanX) strideX *= 2;
        if (strideY < spanY) strideY *= 2;
      }
    }
  }

  /** Decoded bytes and number of the tiles that hold the samples of a part of the picture. */
  #cost(level: number, spanX: number, spanY: number, strideX: number, strideY: number): { bytes: number; tiles: number } {
    const { x, y, channels, attribute } = this.#slice!;
    const touched = (axis: number, span: number, stride: number) => {
      const { length, tile } = this.#axis(level, axis);
      const cells = Math.min(span / this.#factor(level, axis), length);
      return Math.max(1, Math.min(Math.ceil(cells / tile) + 1, Math.ceil(cells / stride), Math.ceil(length / tile)));
    };
    const ofChannels = channels < 0 ? 1 : Math.ceil(3 / this.#axis(level, channels).tile);
    const tiles = touched(x, spanX, strideX) * touched(y, spanY, strideY) * ofChannels;
    const { array, axes } = this.levels[level]!;
    const cells = axes.reduce((product, { tile }) => product * tile, 1);
    return { tiles, bytes: tiles * cells * (array.field(attribute)?.size ?? 1) };
  }

  /** Reads the blocks of a part of the picture that are not cached, the nearest to its centre first. */
  request(box: Box, { level, strideX, strideY }: Resolution): void {
    const slice = this.#slice!;
    const [axisX, axisY] = [this.#axis(level, slice.x), this.#axis(level, slice.y)];
    const [sizeX, sizeY] = [strideX * this.#factor(level, slice.x), strideY * this.#factor(level, slice.y)];
    const [samplesX, samplesY] = [Math.ceil(axisX.length / strideX), Math.ceil(axisY.length / strideY)];
    const numbers = (low: number, high: number, size: number, samples: number) => {
      const first = Math.max(0, Math.floor(low / size / BLOCK_SAMPLES));
      const last = Math.min(Math.ceil(samples / BLOCK_SAMPLES) - 1, Math.floor(high / size / BLOCK_SAMPLES));
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    };
    const requests: { key: string; distance: number; read: (signal: AbortSignal) => Promise<Block> }[] = [];
    for (const blockY of numbers(box.y0, box.y1, sizeY, samplesY)) {
      for (const blockX of numbers(box.x0, box.x1, sizeX, samplesX)) {
        const key = [level, strideX, strideY, blockX, blockY].join('/');
        const [startX, startY] = [blockX * BLOCK_SAMPLES, blockY * BLOCK_SAMPLES];
        const countX = Math.min(BLOCK_SAMPLES, samplesX - startX);
        const countY = Math.min(BLOCK_SAMPLES, samplesY - startY);
        const place: Box = { x0: startX * sizeX, x1: (startX + countX) * sizeX, y0: startY * sizeY, y1: (startY + countY) * sizeY };
        const distance = Math.hypot((place.x0 + place.x1 - box.x0 - box.x1) / sizeX, (place.y0 + place.y1 - box.y0 - box.y1) / sizeY);
        const read = async (signal: AbortSignal): Promise<Block> => {
          const across = stepped(axisX, startX * strideX, countX, strideX);
          const down = stepped(axisY, startY * strideY, countY, strideY);
          const part = await this.#read(level, across, down, countX, countY, signal);
          return { ...part, box: place, countX, countY, sizeX, sizeY, canvas: undefined, version: -1 };
        };
        requests.push({ key, distance, read });
      }
    }
    const keys = new Set(requests.map(({ key }) => key));
    for (const [key, controller] of this.#running) {
      if (!keys.has(key)) {
        controller.abort();
        this.#running.delete(key);
      }
    }
    for (const key of keys) {
      const block = this.#blocks.get(key);
      if (block === undefined) continue;
      // The blocks that were used last are at the end.
      this.#blocks.delete(key);
      this.#blocks.set(key, block);
    }
    requests.sort((a, b) => a.distance - b.distance);
    this.#due = requests.filter(({ key }) => !this.#blocks.has(key) && !this.#running.has(key));
    this.#next();
  }

  async #read(
    level: number,
    across: [bigint, bigint][],
    down: [bigint, bigint][],
    countX: number,
    countY: number,
    signal: AbortSignal,
  ): Promise<Pick<Block, 'column' | 'stepX' | 'stepY' | 'stepChannel' | 'bytes'>> {
    const { attribute, x, y, fixed, channels } = this.#slice!;
    const { array, axes } = this.levels[level]!;
    const ranges: Record<string, [bigint, bigint][]> = {};
    // Cells are in row-major order: the last dimension is the fastest.
    let step = 1;
    const steps = new Map<number, number>();
    for (let at = axes.length - 1; at >= 0; at -= 1) {
      const axis = axes[at]!;
      steps.set(at, step);
      if (at === x) [ranges[axis.name], step] = [across, step * countX];
      else if (at === y) [ranges[axis.name], step] = [down, step * countY];
      else if (at === channels) [ranges[axis.name], step] = [stepped(axis, 0, 3, 1), step * 3];
      else ranges[axis.name] = [single(axis, Math.min(Math.floor(fixed[at]! / this.#factor(level, at)), axis.length - 1))];
    }
    const cells = step;
    const limits = { maxCells: cells, maxBytes: MAX_CACHED_BYTES };
    const selection = { fields: [attribute], ranges, order: 'row-major' as const, batchBytes: 16 << 20 };
    const column = (await array.read(selection, limits, signal)).column(attribute);
    if (column.length !== cells) throw new RangeError(`The array has ${column.length} of ${cells} cells`);
    const bytes = column.values.byteLength + (column.validity?.byteLength ?? 0) + countX * countY * 4;
    return { column, bytes, stepX: steps.get(x)!, stepY: y < 0 ? 0 : steps.get(y)!, stepChannel: channels < 0 ? 0 : steps.get(channels)! };
  }

  #next(): void {
    while (this.#running.size < MAX_BLOCK_READS && this.#due.length > 0) {
      const { key, read } = this.#due.shift()!;
      const controller = new AbortController();
      this.#running.set(key, controller);
      const isCurrent = () => this.#running.get(key) === controller;
      read(controller.signal)
        .then((block) => {
          if (isCurrent()) this.#add(key, block);
        })
        .catch((error: unknown) => {
          if (!isCurrent() || isCancelled(error)) return;
          this.#due = [];
          this.#failed(error);
        })
        .finally(() => {
          if (isCurrent()) this.#running.delete(key);
          this.#next();
          this.#changed();
        });
    }
  }

  #add(key: string, block: Block): void {
    this.#blocks.set(key, block);
    this.#cachedBytes += block.bytes;
    for (const [oldest, { bytes }] of this.#blocks) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES) break;
      this.#blocks.delete(oldest);
      this.#cachedBytes -= bytes;
    }
  }

  /** The cached blocks of a part of the picture, coarse ones first. */
  visible(box: Box): Block[] {
    const isVisible = ({ box: own }: Block) => own.x0 < box.x1 && own.x1 > box.x0 && own.y0 < box.y1 && own.y1 > box.y0;
    return [...this.#blocks.values()].filter(isVisible).sort((a, b) => b.sizeX * b.sizeY - a.sizeX * a.sizeY);
  }

  /** The sample that is shown at a position, and where it is from; `undefined` if it is not read yet. */
  at(x: number, y: number): { x: number; y: number; values: CellValue[] } | undefined {
    const block = this.visible({ x0: x, x1: x + 1e-9, y0: y, y1: y + 1e-9 }).at(-1);
    if (block === undefined) return undefined;
    const [column, row] = [Math.floor((x - block.box.x0) / block.sizeX), Math.floor((y - block.box.y0) / block.sizeY)];
    if (column >= block.countX || row >= block.countY) return undefined;
    const channels = this.#slice!.channels < 0 ? [0] : [0, 1, 2];
    const values = channels.map((channel) => block.column.get(row * block.stepY + column * block.stepX + channel * block.stepChannel));
    return { x: Math.floor(block.box.x0 + column * block.sizeX), y: Math.floor(block.box.y0 + row * block.sizeY), values };
  }
}

/** A function from a position in a column to its number; NaN for null and for cells that were never written. */
export function numbersOf(column: Column): (at: number) => number {
  const { values, validity } = column;
  const fill = fillOf(column.field.type);
  return (at) => {
    const value = Number(values[at]);
    return value === fill || (validity !== undefined && validity[at] === 0) ? NaN : value;
  };
}
