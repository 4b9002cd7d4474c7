/**
 * The engine, in a worker: decoding does not block the page, and a read that never ends is ended with its worker.
 */
import { TileDB, TileDBError } from './engine/index.js';
import type { Column, Group, Table, TileDBArray } from './engine/index.js';
import type { CellsMessage, FromWorker, Operation, Operations, ReadLimits, Selection, ToWorker } from './protocol.js';

type Handler<Name extends Operation> = (request: Operations[Name][0], signal: AbortSignal) => Promise<Operations[Name][1]>;

interface Scope {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const scope = globalThis as unknown as Scope;
const tiledb = new TileDB({ timeout: 30_000, retries: 2 });
const objects = new Map<number, TileDBArray | Group>();
const cursors = new Map<number, AsyncIterableIterator<Table>>();
const running = new Map<number, AbortController>();
let last = 0;

function add<Value>(map: Map<number, Value>, value: Value): number {
  last += 1;
  map.set(last, value);
  return last;
}

function find<Value>(map: Map<number, Value>, id: number): Value {
  const value = map.get(id);
  if (value === undefined) throw new TileDBError('InvalidArgument', 'The array is closed; open it again');
  return value;
}

function array(handle: number): TileDBArray {
  const object = find(objects, handle);
  if (object.kind === 'array') return object;
  throw new TileDBError('InvalidArgument', 'A group has no cells');
}

function group(handle: number): Group {
  const object = find(objects, handle);
  if (object.kind === 'group') return object;
  throw new TileDBError('InvalidArgument', 'An array has no members');
}

function bytesOf(column: Column): number {
  return column.values.byteLength + (column.offsets?.byteLength ?? 0) + (column.validity?.byteLength ?? 0);
}

function columnsOf(table: Table): Column[] {
  return table.fields.map((name) => table.column(name));
}

function message(columns: Column[], length: number, isTruncated: boolean): CellsMessage {
  const parts = columns.map(({ field, values, offsets, validity }) => ({ field, values, offsets, validity }));
  return { length, columns: parts, isTruncated };
}

/** Reads cells until there are no more, or a limit is reached. */
async function read(array: TileDBArray, selection: Selection, { maxCells, maxBytes }: ReadLimits, signal: AbortSignal): Promise<CellsMessage> {
  const tables: Table[] = [];
  let [cells, bytes] = [0, 0];
  const batchBytes = selection.batchBytes ?? Math.min(4 << 20, maxBytes);
  for await (const table of array.batches({ ...selection, batchBytes, signal })) {
    tables.push(table);
    cells += table.length;
    bytes += columnsOf(table).reduce((sum, column) => sum + bytesOf(column), 0);
    if (cells >= maxCells || bytes >= maxBytes) break;
  }
  const isTruncated = cells >= maxCells || bytes >= maxBytes;
  if (tables.length === 0) {
    const table = await array.read({ ...selection, limit: 0, signal });
    return message(columnsOf(table), 0, false);
  }
  const length = Math.min(cells, maxCells);
  const columns = tables[0]!.fields.map((name) => concatenated(tables.map((table) => table.column(name))).head(length));
  return message(columns, length, isTruncated);
}

function concatenated(columns: Column[]): Column {
  return (columns[0]!.constructor as typeof Column).concatenate(columns);
}

const handlers: { [Name in Operation]: Handler<Name> } = {
  async open({ source, at }, signal) {
    const object = await tiledb.open(source, { signal, ...(at === undefined ? {} : { at }) });
    const handle = add(objects, object);
    if (object.kind === 'group') return { handle, kind: object.kind, uri: object.uri };
    return { handle, kind: object.kind, uri: object.uri, schema: object.schema };
  },
  metadata: ({ handle }, signal) => find(objects, handle).metadata({ signal }),
  domain: ({ handle }, signal) => array(handle).nonEmptyDomain({ signal }),
  members: ({ handle }, signal) => group(handle).members({ signal }),
  enumeration: ({ handle, name }, signal) => array(handle).enumeration(name, { signal }),
  read: ({ handle, selection, limits }, signal) => read(array(handle), selection, limits, signal),
  // The signal of this call is not that of the batches: `end` ends them.
  begin: async ({ handle, selection }) => add(cursors, array(handle).batches(selection)),
  async next({ cursor, maxBytes }) {
    const { done, value } = await find(cursors, cursor).next();
    if (done === true) return null;
    const columns = columnsOf(value);
    const bytes = columns.reduce((sum, column) => sum + bytesOf(column), 0);
    if (bytes > maxBytes) throw new TileDBError('MemoryBudget', `A batch of cells has ${bytes} bytes, more than the limit of ${maxBytes}`);
    return message(columns, value.length, false);
  },
  async end({ cursor }) {
    const batches = cursors.get(cursor);
    cursors.delete(cursor);
    await batches?.return?.();
    return null;
  },
  async close({ handle }) {
    const object = objects.get(handle);
    objects.delete(handle);
    await object?.close();
    return null;
  },
};

function transfers(value: unknown): Transferable[] {
  const columns = (value as CellsMessage | null)?.columns;
  if (!Array.isArray(columns)) return [];
  const arrays = columns.flatMap(({ values, offsets, validity }) => [values, offsets, validity]);
  return [...new Set(arrays.flatMap((part) => (part === undefined ? [] : [part.buffer as ArrayBuffer])))];
}

async function run(id: number, operation: Operation, request: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const value = await (handlers[operation] as (request: unknown, signal: AbortSignal) => Promise<unknown>)(request, controller.signal);
    scope.postMessage({ kind: 'result', id, value, memoryBytes: tiledb.memoryBytes }, transfers(value));
  } catch (error) {
    const kind = error instanceof TileDBError ? error.kind : controller.signal.aborted ? 'Cancelled' : 'Internal';
    scope.postMessage({ kind: 'error', id, error: { kind, message: error instanceof Error ? error.message : String(error) } });
  } finally {
    running.delete(id);
  }
}

scope.onmessage = ({ data }) => {
  if (data.kind === 'call') void run(data.id, data.operation, data.request);
  else if (data.kind === 'abort') running.get(data.id)?.abort(new TileDBError('Cancelled', 'The read was cancelled'));
  else scope.postMessage({ kind: 'pong' });
};
