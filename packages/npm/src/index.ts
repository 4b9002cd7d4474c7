/**
 * TileDB arrays in browsers and Node.js.
 *
 * ```js
 * import { open } from 'tiledb-rs';
 *
 * const flights = await open('https://example.org/data/flights');
 * const late = await flights.read({ fields: ['id', 'delay'], where: 'delay > 60', limit: 100 });
 * console.log(late.values('delay'));
 * ```
 *
 * @packageDocumentation
 */
import { ArrowWriter, joined } from './arrow.js';
import type { EnumerationValues } from './arrow.js';
import { Column, Table } from './columns.js';
import type { CellValue, ColumnPlace } from './columns.js';
import { Engine } from './engine.js';
import { TileDBError } from './errors.js';
import { Pyramid } from './pyramid.js';
import { scalarOf } from './schema.js';
import type { ArraySchema, FieldInfo, Metadata, Scalar } from './schema.js';
import { selectionOf } from './selection.js';
import type { Selection } from './selection.js';
import { blockOf, planOf } from './slices.js';
import type { Block, SliceSelection } from './slices.js';
import { Sources, treeOfFiles, treeOfFolder } from './sources.js';
import type { FetchOptions } from './sources.js';

export { Column, Table } from './columns.js';
export type { CellValue, TypedArray } from './columns.js';
export { setModule } from './engine.js';
export type { ModuleSource } from './engine.js';
export { TileDBError } from './errors.js';
export type { ErrorKind } from './errors.js';
export { Pyramid } from './pyramid.js';
export type { Level } from './pyramid.js';
export type { ArraySchema, FieldInfo, FilterInfo, Metadata, Scalar, SchemaPart } from './schema.js';
export type { Range, Selection, SteppedRange } from './selection.js';
export { slice } from './slices.js';
export type { Block, Slice, SliceSelection } from './slices.js';
export type { FetchOptions } from './sources.js';

/** How an array is opened. */
export interface OpenOptions {
  /** Reads the array as of this time. */
  at?: Date | number;
  /** Reads only what was written from this time on. */
  since?: Date | number;
  /** The key of an encrypted array: 32 bytes as text. */
  key?: string;
  signal?: AbortSignal;
}

export interface ReadOptions extends Selection {
  /** Fields that are read: without it all attributes, and of sparse arrays all dimensions. */
  fields?: readonly string[];
  /** The order of the cells: row-major for dense arrays, and any order for sparse ones unless it is set. */
  order?: 'row-major' | 'col-major' | 'global' | 'unordered';
  /** Maximum number of cells. */
  limit?: number;
  /** Approximate size of a batch in bytes: 4 MiB by default. */
  batchBytes?: number;
}

/** An aggregate of the cells of a read. */
export interface Aggregate {
  kind: 'count' | 'sum' | 'min' | 'max' | 'mean' | 'nullCount';
  /** Not for `count`. */
  field?: string;
  /** The name of the result, by default such as `count`, `max(delay)`, `null_count(delay)`. */
  name?: string;
}

const BATCH_BYTES = 4 << 20;
const SLICE_BATCH_BYTES = 32 << 20;
const COUNTS = new Set(['count', 'nullCount']);
const PROBES = ['__probe', '__probe_mean'] as const;

function nameOf({ kind, field, name }: Aggregate): string {
  if (name !== undefined) return name;
  if (kind === 'count') return kind;
  return `${kind === 'nullCount' ? 'null_count' : kind}(${field})`;
}

/** An open array or group in the engine, which is opened again if its instance was replaced. */
class Handle {
  readonly uri: string;
  readonly engine: Engine;
  readonly #request: Record<string, unknown>;
  #id: number;
  #generation: number;

  constructor(engine: Engine, request: Record<string, unknown>, id: number) {
    this.engine = engine;
    this.uri = request['uri'] as string;
    this.#request = request;
    this.#id = id;
    this.#generation = engine.generation;
  }

  async id(signal?: AbortSignal): Promise<number> {
    if (this.#id === 0) throw new TileDBError('InvalidArgument', `'${this.uri}' is closed`);
    if (this.#generation !== this.engine.generation) {
      this.#id = (await this.engine.call({ op: 'open', ...this.#request }, (response) => response, signal)).id;
      this.#generation = this.engine.generation;
    }
    return this.#id;
  }

  /** Runs an operation; `take` converts the response while the memory that it names is valid. */
  async call(
    op: string,
    request: Record<string, unknown> = {},
    signal?: AbortSignal,
    take: (response: any, memory: WebAssembly.Memory) => any = (response) => response,
  ): Promise<any> {
    return this.engine.call({ op, id: await this.id(signal), ...request }, take, signal);
  }

  async close(): Promise<void> {
    if (this.#id !== 0 && this.#generation === this.engine.generation) await this.call('close');
    this.#id = 0;
  }
}

function metadataOf(json: Record<string, { value: any }>): Metadata {
  const value = (value: any) => (Array.isArray(value) ? value.map(scalarOf) : scalarOf(value));
  return Object.fromEntries(Object.entries(json).map(([key, entry]) => [key, value(entry.value)])) as Metadata;
}

function time(value: Date | number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** An array that is open for reading: a snapshot, to which later writes are not visible. */
export class TileDBArray {
  readonly kind = 'array';
  readonly schema: ArraySchema;
  /** The window of time in which the array is open, in milliseconds since 1970. */
  readonly timestamps: readonly [number, number];
  readonly #handle: Handle;

  /** @internal */
  constructor(handle: Handle, response: any) {
    this.#handle = handle;
    this.schema = { ...response.schema, fields: response.fields };
    this.timestamps = response.timestamps;
  }

  get uri(): string {
    return this.#handle.uri;
  }

  get isDense(): boolean {
    return this.schema.array_type === 'dense';
  }

  /** Reads cells. */
  async read(options: ReadOptions = {}): Promise<Table> {
    const tables: Table[] = [];
    let fields: FieldInfo[] = [];
    for await (const table of this.#tables(options, (begun) => (fields = begun))) tables.push(table);
    if (tables.length === 0) return emptyTable(fields);
    const columns = tables[0]!.fields.map((name) => Column.concatenate(tables.map((table) => table.column(name))));
    return new Table(columns, tables.reduce((sum, table) => sum + table.length, 0));
  }

  /** Reads cells batch by batch. Each batch is fetched when it is asked for. */
  batches(options: ReadOptions = {}): AsyncIterableIterator<Table> {
    return this.#tables(options, () => {});
  }

  async *#tables(options: ReadOptions, begin: (fields: FieldInfo[]) => void): AsyncIterableIterator<Table> {
    const { fields, order, signal } = options;
    const engine = this.#handle.engine;
    const request = {
      ...selectionOf(options),
      fields,
      order: order ?? (this.isDense ? 'row-major' : 'unordered'),
      batchBytes: options.batchBytes ?? BATCH_BYTES,
    };
    const read = await this.#handle.call('read', request, signal);
    const generation = engine.generation;
    begin(read.fields);
    let left = options.limit ?? Infinity;
    try {
      while (left > 0) {
        if (generation !== engine.generation) throw new TileDBError('Internal', 'The engine has failed; begin the read again');
        const table = await engine.call({ op: 'next', id: read.id }, (batch, memory) => {
          if (batch === null) return null;
          // A part of a read that was divided has ended.
          if (batch.columns === undefined) return undefined;
          const columns = (batch.columns as ColumnPlace[]).map((place, at) => Column.copy(read.fields[at], place, memory));
          return new Table(columns, batch.rows);
        }, signal);
        if (table === null) return;
        if (table === undefined) continue;
        const rows = Math.min(left, table.length);
        left -= rows;
        yield rows === table.length ? table : new Table(table.fields.map((name) => table.column(name).head(rows)), rows);
      }
    } finally {
      if (generation === engine.generation) await engine.call({ op: 'close', id: read.id }, () => {});
    }
  }

  /** Computes aggregates of cells; those of no values are null, except counts. */
  async aggregate(aggregates: readonly Aggregate[], selection: Selection = {}): Promise<Record<string, Scalar | null>> {
    const order = this.isDense ? 'row-major' : 'unordered';
    const probes = this.#probes(aggregates, selection);
    const request = { ...selectionOf(selection), order, aggregates: [...aggregates, ...probes] };
    const results = await this.#handle.call('aggregate', request, selection.signal);
    const result = (name: string) => (results[name] === null ? null : scalarOf(results[name]));
    const [first, second] = probes.map(({ name }) => result(name!));
    const isEmpty = probes.length > 0 && Number(first) === 0 && (second === undefined || Number.isNaN(second));
    return Object.fromEntries(aggregates.map((aggregate) => {
      const name = nameOf(aggregate);
      return [name, isEmpty && !COUNTS.has(aggregate.kind) ? null : result(name)];
    }));
  }

  /**
   * Aggregates that tell whether there are cells, as the engine has 0 or NaN in place of null for fields that have no nulls: their count,
   * or, where it cannot be computed, a sum of 0 without a mean.
   */
  #probes(aggregates: readonly Aggregate[], { where }: Selection): Aggregate[] {
    const isUnsure = ({ kind, field }: Aggregate) => !COUNTS.has(kind) && this.schema.fields.some(({ name, nullable }) => name === field && !nullable);
    if (!aggregates.some(isUnsure)) return [];
    if (!this.isDense || where === undefined) return [{ kind: 'count', name: PROBES[0] }];
    const numbers = this.schema.fields.filter(({ kind, type, valuesPerCell, nullable, enumeration }) =>
      kind === 'attribute' && /^(U?INT|FLOAT)/.test(type) && valuesPerCell === 1 && !nullable && enumeration === null);
    const [number] = numbers;
    return number === undefined ? [] : [
      { kind: 'sum', field: number.name, name: PROBES[0] },
      { kind: 'mean', field: number.name, name: PROBES[1] },
    ];
  }

  async metadata(options: { signal?: AbortSignal } = {}): Promise<Metadata> {
    return metadataOf(await this.#handle.call('metadata', {}, options.signal));
  }

  /**
   * Reads cells as a stream of Apache Arrow's format, which `tableFromIPC` of the package `apache-arrow` reads. Attributes with an
   * enumeration are dictionaries.
   */
  async arrow(options: ReadOptions = {}): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.arrowBatches(options)) parts.push(part);
    return joined(parts);
  }

  /** As {@link arrow}, in parts: the schema with the dictionaries, a part for each batch, the end of the stream. */
  async *arrowBatches(options: ReadOptions = {}): AsyncIterableIterator<Uint8Array> {
    let fields: FieldInfo[] = [];
    let writer: ArrowWriter | undefined;
    const begin = async () => {
      const enumerations = new Map<string, EnumerationValues>();
      for (const { name, enumeration, valuesPerCell } of fields) {
        if (enumeration !== null && valuesPerCell === 1) enumerations.set(name, await this.#enumeration(enumeration, options.signal));
      }
      writer = new ArrowWriter(fields, enumerations);
      return writer.begin();
    };
    for await (const table of this.#tables(options, (begun) => (fields = begun))) {
      if (writer === undefined) yield await begin();
      yield writer!.batch(table);
    }
    if (writer === undefined) yield await begin();
    yield writer!.end();
  }

  /**
   * Reads a block of a dense array, by a slice for each dimension: `array.slice('a', [slice(0, 100, 2), 5, null])`. Dimensions that are
   * left out are read as a whole.
   */
  async slice(field: string, selection: readonly SliceSelection[] = [], options: { signal?: AbortSignal } = {}): Promise<Block> {
    const plan = planOf(this.schema, selection);
    const { ranges } = plan;
    if (ranges !== undefined) {
      const table = await this.read({ fields: [field], ranges, order: 'row-major', batchBytes: SLICE_BATCH_BYTES, ...options });
      return blockOf(plan, table, field);
    }
    const info = this.schema.fields.find(({ name }) => name === field);
    if (info === undefined) throw new TileDBError('NotFound', `There is no field '${field}'`);
    return blockOf({ ...plan, pick: 1 }, emptyTable([info]), field);
  }

  /** The values of an enumeration, to which the cells of its attributes refer by their position. */
  async enumeration(name: string, options: { signal?: AbortSignal } = {}): Promise<CellValue[]> {
    return (await this.#enumeration(name, options.signal)).column.toArray();
  }

  async #enumeration(name: string, signal: AbortSignal | undefined): Promise<EnumerationValues> {
    return this.#handle.call('enumeration', { name }, signal, ({ column, ordered, type, size, valuesPerCell }, memory) => {
      const field: FieldInfo = { name, kind: 'attribute', type, size, valuesPerCell, nullable: false, enumeration: null };
      return { column: Column.copy(field, column, memory), ordered };
    });
  }

  /** The bounds of the cells that were written, by dimension; null if there are none. */
  async nonEmptyDomain(options: { signal?: AbortSignal } = {}): Promise<Record<string, [Scalar, Scalar]> | null> {
    const domain = await this.#handle.call('domain', {}, options.signal);
    return domain && Object.fromEntries(domain.map(({ name, range }: any) => [name, range.map(scalarOf)]));
  }

  /** Releases the memory of the array. */
  close(): Promise<void> {
    return this.#handle.close();
  }
}

function emptyTable(fields: FieldInfo[]): Table {
  const memory = { buffer: new ArrayBuffer(8) } as WebAssembly.Memory;
  const columns = fields.map((field) => Column.copy(field, {
    data: [0, 0],
    offsets: field.valuesPerCell === null ? [0, 8] : null,
    validity: field.nullable ? [0, 0] : null,
  }, memory));
  return new Table(columns, 0);
}

/** A member of a group. */
export interface Member {
  name: string | null;
  uri: string;
  kind: 'array' | 'group' | null;
}

/** A group of arrays and groups. */
export class Group {
  readonly kind = 'group';
  readonly #handle: Handle;
  readonly #tiledb: TileDB;

  /** @internal */
  constructor(handle: Handle, tiledb: TileDB) {
    this.#handle = handle;
    this.#tiledb = tiledb;
  }

  get uri(): string {
    return this.#handle.uri;
  }

  async members(options: { signal?: AbortSignal } = {}): Promise<Member[]> {
    return this.#handle.call('members', {}, options.signal);
  }

  /** Opens a member by its name. */
  async open(name: string, options: OpenOptions = {}): Promise<TileDBArray | Group> {
    const members = await this.members(options);
    const member = members.find((member) => member.name === name);
    if (member === undefined) {
      throw new TileDBError('NotFound', `There is no member '${name}'; there are: ${members.map((member) => member.name).join(', ')}`);
    }
    return this.#tiledb.openUri(member.uri, options);
  }

  /**
   * The levels of an image that the group contains at several resolutions: by the metadata `multiscales`, as OME-Zarr has it, or by arrays
   * whose names end in the number of their level.
   */
  pyramid(options: { signal?: AbortSignal } = {}): Promise<Pyramid> {
    return Pyramid.of(this, options);
  }

  async metadata(options: { signal?: AbortSignal } = {}): Promise<Metadata> {
    return metadataOf(await this.#handle.call('metadata', {}, options.signal));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** What can be opened: an address (`https://`, in Node.js also `file://`), or the files of a folder by their paths. */
export type Location = string | URL | FileList | Iterable<readonly [string, Blob]>;

/** An instance of the engine with settings and a cache of its own. Most programs need only {@link open}. */
export class TileDB {
  readonly #sources: Sources;
  readonly #engine: Engine;

  constructor(options: FetchOptions = {}) {
    this.#sources = new Sources(options);
    this.#engine = new Engine(this.#sources);
  }

  /** Bytes of memory that the engine has. */
  get memoryBytes(): number {
    return this.#engine.memoryBytes;
  }

  /** Opens an array or a group. */
  async open(location: Location, options: OpenOptions = {}): Promise<TileDBArray | Group> {
    if (typeof location !== 'string' && !(location instanceof URL)) return this.#openFiles(location, options);
    const url = new URL(location, globalThis.document?.baseURI);
    if (url.protocol === 'file:') {
      const whole = url.href.replace(/\/+$/, '');
      const at = whole.lastIndexOf('/');
      const address = this.#sources.addTree(await treeOfFolder(new URL(whole.slice(0, at + 1))));
      return this.openUri(address + whole.slice(at), options);
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new TileDBError('Unsupported', `Cannot open '${url.protocol}' addresses; there are https:, http: and, in Node.js, file:`);
    }
    this.#sources.trust(url.href);
    url.hash = '';
    return this.openUri(url.href, options);
  }

  /** Forgets all that is cached of an array or group, whose files were replaced. */
  async forget(location: string | URL): Promise<void> {
    const { href } = new URL(location, globalThis.document?.baseURI);
    this.#sources.forgetVersions(href);
    await this.#engine.call({ op: 'forget', uri: href }, () => {});
  }

  #openFiles(files: FileList | Iterable<readonly [string, Blob]>, options: OpenOptions): Promise<TileDBArray | Group> {
    const isList = typeof FileList !== 'undefined' && files instanceof FileList;
    const entries: (readonly [string, Blob])[] = isList
      ? Array.from(files, (file) => [file.webkitRelativePath || file.name, file] as const)
      : [...(files as Iterable<readonly [string, Blob]>)];
    const [first] = entries;
    if (first === undefined) throw new TileDBError('NotFound', 'There are no files');
    const root = first[0].replace(/^\/+/, '').split('/')[0]!;
    return this.openUri(`${this.#sources.addTree(treeOfFiles(entries))}/${encodeURIComponent(root)}`, options);
  }

  /** Opens an address of the engine. @internal */
  async openUri(uri: string, { at, since, key, signal }: OpenOptions): Promise<TileDBArray | Group> {
    const request = { uri, at: time(at), since: time(since), key };
    this.#sources.forgetVersions(uri);
    const response = await this.#engine.call({ op: 'open', ...request }, (response) => response, signal);
    const handle = new Handle(this.#engine, request, response.id);
    return response.kind === 'array' ? new TileDBArray(handle, response) : new Group(handle, this);
  }
}

let shared: TileDB | undefined;

/** Opens an array or a group with default settings. */
export function open(location: Location, options: OpenOptions = {}): Promise<TileDBArray | Group> {
  shared ??= new TileDB();
  return shared.open(location, options);
}

/** As {@link open}, and fails unless it is an array. */
export async function openArray(location: Location, options: OpenOptions = {}): Promise<TileDBArray> {
  const opened = await open(location, options);
  if (opened.kind === 'array') return opened;
  throw new TileDBError('InvalidArgument', `'${opened.uri}' is a group`);
}

/** As {@link open}, and fails unless it is a group. */
export async function openGroup(location: Location, options: OpenOptions = {}): Promise<Group> {
  const opened = await open(location, options);
  if (opened.kind === 'group') return opened;
  throw new TileDBError('InvalidArgument', `'${opened.uri}' is an array`);
}
