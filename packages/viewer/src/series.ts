/** The values along a dimension through the cell that was picked. */
import { coordinateText, single, stepped } from './axes.js';
import type { Axis } from './axes.js';
import { numbersOf } from './blocks.js';
import type { Level, Slice } from './blocks.js';
import { isCancelled } from './client.js';
import { lineChart } from './colors.js';
import { element, fill, labelled, select } from './dom.js';
import { MAX_BATCH_BYTES, MAX_SERIES_CELLS, MAX_VIEW_BYTES } from './limits.js';
import type { Host } from './view.js';

export class Series {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #level: Level;
  readonly #chart = element('div', { className: 'chart' });
  #axis: number;
  #reading: AbortController | undefined;
  #last: [Slice, number, number] | undefined;

  constructor(host: Host, level: Level) {
    this.#host = host;
    this.#level = level;
    const { axes } = level;
    const named = axes.findIndex(({ name }) => name === host.state.get('series'));
    // The first dimension is time more often than not.
    this.#axis = named >= 0 ? named : 0;
    const names = axes.map(({ name }, at) => [String(at), name] as const);
    const choice = select(names, String(this.#axis), (value) => {
      this.#axis = Number(value);
      host.state.set('series', axes[this.#axis]!.name);
      if (this.#last !== undefined) this.show(...this.#last);
    });
    fill(this.#chart, element('p', { className: 'summary' }, 'Pick a cell of the picture to see the values along a dimension.'));
    this.element = element('fieldset', { className: 'series' }, element('legend', {}, 'Series'), labelled('Along', choice), this.#chart);
  }

  /** Reads the series through a cell. */
  show(slice: Slice, x: number, y: number): void {
    this.#last = [slice, x, y];
    this.#reading?.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.#read(slice, x, y, signal).catch((error: unknown) => {
      if (!signal.aborted && !isCancelled(error)) this.#host.report(error);
    });
  }

  async #read(slice: Slice, x: number, y: number, signal: AbortSignal): Promise<void> {
    const { array, axes } = this.#level;
    const along = axes[this.#axis]!;
    const step = this.#step(along, array.field(slice.attribute)?.size ?? 1);
    const count = Math.ceil(along.length / step);
    const ranges = Object.fromEntries(axes.map((axis, at) => {
      if (at === this.#axis) return [axis.name, stepped(axis, 0, count, step)];
      return [axis.name, [single(axis, at === slice.x ? x : at === slice.y ? y : slice.fixed[at]!)]];
    }));
    const limits = { maxCells: count, maxBytes: MAX_BATCH_BYTES };
    const cells = await array.read({ fields: [slice.attribute], ranges, order: 'row-major' }, limits, signal);
    signal.throwIfAborted();
    const number = numbersOf(cells.column(slice.attribute));
    const values = Float64Array.from({ length: cells.length }, (_, at) => number(at));
    const canvas = element('canvas', { role: 'img', 'aria-label': `Values along ${along.name}` });
    fill(this.#chart, canvas);
    this.#chart.append(lineChart(canvas, values, (at) => `${along.name} ${coordinateText(along, at * step)}`));
    if (step > 1) this.#chart.append(element('p', { className: 'summary' }, `One cell of ${step} is read.`));
  }

  /** The distance of the cells: there are not too many, nor too many bytes in the tiles that hold them. */
  #step(along: Axis, size: number): number {
    const tileBytes = this.#level.axes.reduce((product, { tile }) => product * tile, size);
    let step = Math.ceil(along.length / MAX_SERIES_CELLS);
    const bytes = () => Math.min(Math.ceil(along.length / along.tile), Math.ceil(along.length / step)) * tileBytes;
    while (bytes() > MAX_VIEW_BYTES && step < along.length) step *= 2;
    return step;
  }
}
