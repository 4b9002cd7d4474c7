/** SOMA experiments: an embedding of the observations as a scatter plot, coloured by a column of theirs. */
import { categoryPixel, colorTable, cssColor } from './color_maps.js';
import type { Client, OpenArray, OpenGroup } from './client.js';
import { isCancelled } from './client.js';
import { element, fill, labelled, select } from './dom.js';
import { TileDBError } from './engine/index.js';
import type { Member, Metadata } from './engine/index.js';
import { MAX_POINTS, MAX_POINT_BYTES } from './limits.js';
import { memberName, openArrayMember, openGroupMember } from './members.js';
import { Plane, zoomButtons } from './plane.js';
import { canBeCoordinate, coordinatesOf, placeText } from './points.js';
import type { Coordinates } from './points.js';
import { countText } from './texts.js';
import type { Host, View } from './view.js';

const JOIN_ID = 'soma_joinid';
const LIMITS = { maxCells: MAX_POINTS, maxBytes: MAX_POINT_BYTES };
/** Categories that the legend names. */
const MAX_LEGEND = 30;

interface Embedding {
  label: string;
  group: OpenGroup;
  members: Member[];
  name: string;
}

/** Points by their position in the list. */
interface Points {
  ids: Float64Array;
  x: Float64Array;
  y: Float64Array;
}

export function isExperiment(metadata: Metadata): boolean {
  return metadata['soma_object_type'] === 'SOMAExperiment';
}

export class SomaView implements View {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #client: Client;
  readonly #controls = element('div', { className: 'controls' });
  readonly #legend = element('div', { className: 'legend' });
  readonly #stage = element('div', { className: 'stage' });
  readonly #readout = element('output', { className: 'readout', id: 'scatter-readout' });
  readonly #reading = new AbortController();
  readonly #scale = colorTable('viridis');
  #embeddings: Embedding[] = [];
  #embedding: Embedding | undefined;
  #obs: OpenArray | undefined;
  #points: Points | undefined;
  #color: Coordinates | undefined;
  /** The row of the colour column by the identifier of the observation. */
  #rows = new Map<number, number>();
  #plane: Plane | undefined;

  constructor(host: Host, client: Client, group: OpenGroup, members: Member[]) {
    this.#host = host;
    this.#client = client;
    const side = element('div', { className: 'side' }, this.#controls, this.#legend);
    this.element = element('section', { className: 'soma', 'aria-label': 'Embedding of the experiment' }, this.#stage, side);
    this.#guard(this.#start(group, members));
  }

  dispose(): void {
    this.#reading.abort();
    this.#plane?.dispose();
  }

  #guard(work: Promise<void>): void {
    this.#stage.setAttribute('aria-busy', 'true');
    work
      .catch((error: unknown) => {
        if (!this.#reading.signal.aborted && !isCancelled(error)) this.#host.report(error);
      })
      .finally(() => this.#stage.setAttribute('aria-busy', 'false'));
  }

  async #start(group: OpenGroup, members: Member[]): Promise<void> {
    const { signal } = this.#reading;
    this.#obs = await openArrayMember(this.#client, group, members, 'obs', signal);
    const collection = await openGroupMember(this.#client, group, members, 'ms', signal);
    const measurements = await collection.members();
    for (const measurement of measurements.slice(0, 20)) {
      const opened = await openGroupMember(this.#client, collection, measurements, memberName(measurement), signal);
      const parts = await opened.members();
      if (!parts.some((part) => memberName(part) === 'obsm')) continue;
      const embeddings = await openGroupMember(this.#client, opened, parts, 'obsm', signal);
      const arrays = await embeddings.members();
      for (const array of arrays.slice(0, 50)) {
        const name = memberName(array);
        this.#embeddings.push({ label: `${memberName(measurement)}: ${name}`, group: embeddings, members: arrays, name });
      }
    }
    // Of many, the one that people look at.
    const { state } = this.#host;
    const find = (test: (embedding: Embedding) => boolean) => this.#embeddings.find(test);
    this.#embedding = find(({ label }) => label === state.get('embedding')) ?? find(({ name }) => /umap|tsne/i.test(name)) ?? this.#embeddings[0];
    if (this.#embedding === undefined) {
      throw new TileDBError('NotFound', 'The experiment has no embeddings (`obsm`); its arrays are in the tree');
    }
    const columns = this.#obs.schema.fields.filter((field) => field.kind === 'attribute' && canBeCoordinate(field)).map(({ name }) => name);
    const linked = columns.find((name) => name === state.get('color'));
    const choices = [['', 'nothing'] as const, ...columns.map((name) => [name, name] as const)];
    const initial = linked ?? columns.find((name) => /cell_?type|cluster|louvain|leiden/i.test(name)) ?? columns[0] ?? '';
    fill(
      this.#controls,
      labelled('Embedding', select(this.#embeddings.map(({ label }, at) => [String(at), label] as const), String(this.#embeddings.indexOf(this.#embedding)), (at) => {
        this.#embedding = this.#embeddings[Number(at)];
        state.set('embedding', this.#embedding?.label);
        this.#guard(this.#load());
      })),
      labelled('Colour by', select(choices, initial, (name) => {
        state.set('color', name);
        this.#guard(this.#loadColor(name));
      })),
    );
    await this.#load();
    await this.#loadColor(initial);
  }

  /** Reads the first two components of the embedding. */
  async #load(): Promise<void> {
    const { group, members, name } = this.#embedding!;
    const { signal } = this.#reading;
    const array = await openArrayMember(this.#client, group, members, name, signal);
    const ranges = { soma_dim_1: [0, 1] as [number, number] };
    const cells = await array.read({ fields: ['soma_dim_0', 'soma_dim_1', 'soma_data'], ranges }, LIMITS, signal);
    await array.close();
    const [ids, components, values] = ['soma_dim_0', 'soma_dim_1', 'soma_data'].map((field) => coordinatesOf(cells.column(field)).values);
    const places = new Map<number, [number, number]>();
    for (let at = 0; at < cells.length; at += 1) {
      const id = ids![at]!;
      const place = places.get(id) ?? [NaN, NaN];
      place[components![at]! === 0 ? 0 : 1] = values![at]!;
      places.set(id, place);
    }
    const points = [...places].filter(([, place]) => place.every(Number.isFinite));
    this.#points = {
      ids: Float64Array.from(points, ([id]) => id),
      x: Float64Array.from(points, ([, [x]]) => x),
      y: Float64Array.from(points, ([, [, y]]) => y),
    };
    const [x0, x1] = extent(this.#points.x);
    const [y0, y1] = extent(this.#points.y);
    this.#plane?.dispose();
    const plane = new Plane({
      label: `Embedding ${name}`,
      bounds: { x0, x1, y0, y1 },
      isUpward: true,
      isSquare: true,
      maxScale: Infinity,
      draw: (context) => this.#draw(context),
      moved: () => {},
      hover: (point) => this.#show(point),
      pick: (point) => {
        this.#show(point);
        this.#host.status(this.#readout.textContent ?? '');
      },
    });
    this.#plane = plane;
    const truncated = cells.isTruncated ? element('p', { className: 'notice' }, `The first ${countText(cells.length)} values of the embedding.`) : undefined;
    fill(this.#stage, plane.canvas, zoomButtons(plane), element('div', { className: 'below' }, this.#readout, truncated));
    this.#stage.dataset['points'] = String(points.length);
    this.#host.status(`${countText(points.length)} observations`);
  }

  async #loadColor(name: string): Promise<void> {
    const { signal } = this.#reading;
    this.#color = undefined;
    this.#rows.clear();
    if (name !== '') {
      const obs = this.#obs!;
      const cells = await obs.read({ fields: [JOIN_ID, name] }, LIMITS, signal);
      const enumeration = obs.field(name)?.enumeration;
      const names = enumeration === null || enumeration === undefined ? undefined : (await obs.enumeration(enumeration)).map(String);
      const ids = coordinatesOf(cells.column(JOIN_ID)).values;
      ids.forEach((id, row) => this.#rows.set(id, row));
      this.#color = coordinatesOf(cells.column(name), names);
    }
    this.#drawLegend();
    this.#plane?.redraw();
  }

  #pixel(id: number): number {
    const color = this.#color;
    const value = color?.values[this.#rows.get(id) ?? -1];
    if (color === undefined || value === undefined || Number.isNaN(value)) return 0xff888888;
    if (color.categories !== undefined) return categoryPixel(value);
    return this.#scale[Math.round(((value - color.low) / (color.high - color.low || 1)) * 255)]!;
  }

  #draw(context: CanvasRenderingContext2D): void {
    const [points, plane] = [this.#points, this.#plane];
    if (points === undefined || plane === undefined) return;
    const size = Math.max(1.5, Math.min(6, 120 / Math.sqrt(points.ids.length)));
    let last = -1;
    points.ids.forEach((id, at) => {
      const { x, y } = plane.toPixels(points.x[at]!, points.y[at]!);
      if (x < -size || y < -size || x > plane.width + size || y > plane.height + size) return;
      const pixel = this.#pixel(id);
      if (pixel !== last) context.fillStyle = cssColor(pixel);
      last = pixel;
      context.fillRect(x - size / 2, y - size / 2, size, size);
    });
  }

  #drawLegend(): void {
    const color = this.#color;
    if (color === undefined) return fill(this.#legend);
    if (color.categories === undefined) {
      fill(this.#legend, element('p', {}, `${color.field.name}: ${placeText(color, color.low)} (blue) to ${placeText(color, color.high)} (yellow)`));
      return;
    }
    const items = color.categories.slice(0, MAX_LEGEND).map((text, at) => {
      const swatch = element('span', { className: 'swatch', 'aria-hidden': 'true' });
      swatch.style.backgroundColor = cssColor(categoryPixel(at));
      return element('li', {}, swatch, text);
    });
    const more = color.categories.length - items.length;
    fill(this.#legend, element('h3', {}, color.field.name), element('ul', {}, ...items), more > 0 ? element('p', {}, `and ${more} more`) : undefined);
  }

  /** Shows the observation that is nearest to the pointer. */
  #show(point: { x: number; y: number } | undefined): void {
    const [points, plane] = [this.#points, this.#plane];
    if (points === undefined || plane === undefined || point === undefined) return;
    let [nearest, distance] = [-1, 12 / plane.scaleX];
    for (let at = 0; at < points.ids.length; at += 1) {
      const own = Math.hypot(points.x[at]! - point.x, points.y[at]! - point.y);
      if (own < distance) [nearest, distance] = [at, own];
    }
    if (nearest < 0) {
      this.#readout.textContent = '';
      return;
    }
    const id = points.ids[nearest]!;
    const color = this.#color;
    const value = color?.values[this.#rows.get(id) ?? -1];
    const text = color === undefined || value === undefined ? '' : `, ${color.field.name} ${placeText(color, value)}`;
    fill(this.#readout, `observation ${id}${text}`);
  }
}

function extent(values: Float64Array): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  const margin = (high - low || 1) * 0.03;
  return [low - margin, high + margin];
}
