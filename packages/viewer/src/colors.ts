/** The controls of colours: colour map, range of values, and the histogram that suggests it. */
import { COLOR_MAPS, colorTable, isColorMap } from './color_maps.js';
import type { ColorMapName } from './color_maps.js';
import { button, element, fill, labelled, select } from './dom.js';
import type { ViewState } from './state.js';
import { valueText } from './texts.js';

const BINS = 64;
/** Part of the values that is below and above the suggested range. */
const TAIL = 0.005;

/** Values of the cells that are shown, of which the histogram is made. */
export type Sample = Float64Array;

export class Colors {
  readonly element: HTMLElement;
  readonly #state: ViewState;
  readonly #changed: () => void;
  readonly #low = element('input', { type: 'number', step: 'any', 'aria-label': 'Lowest value' });
  readonly #high = element('input', { type: 'number', step: 'any', 'aria-label': 'Highest value' });
  readonly #histogram = element('canvas', { className: 'histogram', role: 'img', 'aria-label': 'Histogram of the values that are shown' });
  readonly #scale = element('canvas', { className: 'scale', width: 256, height: 1, role: 'img', 'aria-label': 'Colours from the lowest to the highest value' });
  #name: ColorMapName;
  #sample: Sample = new Float64Array();
  /** Whether the range is that of the histogram. */
  #isAutomatic: boolean;
  low = 0;
  high = 1;
  table: Uint32Array;
  /** Changes with everything that changes pixels. */
  version = 0;

  constructor(state: ViewState, changed: () => void) {
    this.#state = state;
    this.#changed = changed;
    const name = state.get('colors');
    this.#name = isColorMap(name) ? name : 'viridis';
    this.table = colorTable(this.#name);
    const [low, high] = [state.number('low'), state.number('high')];
    this.#isAutomatic = low === undefined || high === undefined;
    if (low !== undefined && high !== undefined) [this.low, this.high] = [low, high];
    const names = select(COLOR_MAPS, this.#name, (value) => {
      if (isColorMap(value)) this.#name = value;
      this.table = colorTable(this.#name);
      state.set('colors', this.#name);
      if (this.#isAutomatic) this.#fromSample();
      this.#update();
    });
    for (const input of [this.#low, this.#high]) input.addEventListener('change', () => this.#typed());
    this.element = element(
      'fieldset',
      { className: 'colors' },
      element('legend', {}, 'Colours'),
      labelled('Colour map', names),
      this.#histogram,
      this.#scale,
      element('div', { className: 'range' }, this.#low, element('span', {}, 'to'), this.#high, button('Automatic', () => this.#automatic())),
    );
    this.#update();
  }

  /** The index of a colour in the table. */
  place(value: number): number {
    const place = ((value - this.low) / (this.high - this.low)) * 255;
    return place <= 0 ? 0 : place >= 255 ? 255 : Math.round(place);
  }

  /** Takes the values that are shown. */
  suggest(sample: Sample): void {
    this.#sample = sample.sort();
    if (this.#isAutomatic) this.#fromSample();
    this.#draw();
  }

  #fromSample(): void {
    const { length } = this.#sample;
    if (length === 0) return;
    let low = this.#sample[Math.floor(length * TAIL)]!;
    let high = this.#sample[Math.min(length - 1, Math.floor(length * (1 - TAIL)))]!;
    if (this.#name === 'diverging' && low < 0 && high > 0) {
      high = Math.max(-low, high);
      low = -high;
    }
    if (low === high) high = low + 1;
    if (low === this.low && high === this.high) return;
    [this.low, this.high] = [low, high];
    this.#update();
  }

  #typed(): void {
    const [low, high] = [this.#low.valueAsNumber, this.#high.valueAsNumber];
    if (!Number.isFinite(low) || !Number.isFinite(high) || low >= high) {
      this.#high.setCustomValidity(low >= high ? 'The highest value must exceed the lowest' : '');
      this.#high.reportValidity();
      return;
    }
    this.#high.setCustomValidity('');
    this.#isAutomatic = false;
    [this.low, this.high] = [low, high];
    this.#state.set('low', low);
    this.#state.set('high', high);
    this.#update();
  }

  #automatic(): void {
    this.#isAutomatic = true;
    this.#state.set('low', undefined);
    this.#state.set('high', undefined);
    this.#fromSample();
  }

  #update(): void {
    this.version += 1;
    this.#low.value = String(Number(this.low.toPrecision(6)));
    this.#high.value = String(Number(this.high.toPrecision(6)));
    this.#draw();
    this.#changed();
  }

  #draw(): void {
    const scale = this.#scale.getContext('2d');
    if (scale !== null) {
      const image = scale.createImageData(256, 1);
      new Uint32Array(image.data.buffer).set(this.table);
      scale.putImageData(image, 0, 0);
    }
    const context = this.#histogram.getContext('2d');
    if (context === null) return;
    this.#histogram.width = BINS * 4;
    this.#histogram.height = 48;
    const span = this.high - this.low;
    const [start, end] = [this.low - span * 0.1, this.high + span * 0.1];
    const bins = new Uint32Array(BINS);
    for (const value of this.#sample) {
      const bin = Math.floor(((value - start) / (end - start)) * BINS);
      if (bin >= 0 && bin < BINS) bins[bin]! += 1;
    }
    const maxCount = bins.reduce((largest, count) => Math.max(largest, count), 1);
    context.fillStyle = getComputedStyle(document.body).color;
    bins.forEach((count, bin) => {
      const height = count === 0 ? 0 : Math.max(1, (count / maxCount) * 48);
      context.fillRect(bin * 4, 48 - height, 3, height);
    });
  }
}

/** A line of numbers over the cells of a dimension. */
export function lineChart(canvas: HTMLCanvasElement, values: ArrayLike<number>, labels: (at: number) => string): HTMLElement {
  const [width, height] = [Math.max(canvas.clientWidth, 280), 120];
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  let [low, high, count] = [Infinity, -Infinity, 0];
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]!;
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
    count += 1;
  }
  const summary = element('p', { className: 'summary' });
  if (context === null || count === 0) {
    fill(summary, 'There are no values.');
    return summary;
  }
  context.strokeStyle = getComputedStyle(document.body).color;
  context.lineWidth = 1.5;
  context.beginPath();
  let isDrawn = false;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]!;
    if (!Number.isFinite(value)) {
      isDrawn = false;
      continue;
    }
    const x = 2 + (at / Math.max(values.length - 1, 1)) * (width - 4);
    const y = height - 4 - ((value - low) / (high - low || 1)) * (height - 8);
    if (isDrawn) context.lineTo(x, y);
    else context.moveTo(x, y);
    if (!isDrawn && values.length === 1) context.arc(x, y, 2, 0, 7);
    isDrawn = true;
  }
  context.stroke();
  fill(
    summary,
    `${count} values from ${labels(0)} to ${labels(values.length - 1)}: lowest ${valueText(low)}, highest ${valueText(high)}`,
  );
  return summary;
}
