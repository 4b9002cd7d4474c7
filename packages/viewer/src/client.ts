/** The page's side of the worker: calls with time limits, arrays and groups that are open in it. */
import { Column, TileDBError } from './engine/index.js';
import type { ArraySchema, CellValue, ErrorKind, FieldInfo, Member, Metadata, Scalar } from './engine/index.js';
import type { CellsMessage, FromWorker, Opened, Operation, Operations, ReadLimits, Selection, Source, ToWorker } from './protocol.js';

/** Milliseconds after which a call is cancelled. */
const MAX_CALL_MS = 120_000;
/** Milliseconds after which a worker that does not respond is replaced: it decodes for so long without a pause. */
const MAX_SILENCE_MS = 60_000;
const PING_MS = 5_000;

interface Pending {
  resolve: (value: any) => void;
  reject: (error: Error) => void;
}

/** Trusted Types, where the browser has them: the page's policy allows no other way to load a script. */
function workerUrl(): string | URL {
  const url = new URL('./worker.js', import.meta.url);
  const types = (globalThis as any).trustedTypes;
  if (types === undefined) return url;
  return types.createPolicy('viewer', { createScriptURL: () => url.href }).createScriptURL('');
}

/** Cells of a read by field. */
export class Cells {
  readonly length: number;
  readonly isTruncated: boolean;
  readonly columns: Map<string, Column>;

  constructor({ length, columns, isTruncated }: CellsMessage) {
    this.length = length;
    this.isTruncated = isTruncated;
    const typed = columns.map(({ field, values, offsets, validity }) => new Column(field, values, offsets, validity));
    this.columns = new Map(typed.map((column) => [column.field.name, column]));
  }

  column(name: string): Column {
    const column = this.columns.get(name);
    if (column === undefined) throw new RangeError(`There is no field '${name}'`);
    return column;
  }
}

/** The engine in its worker. */
export class Client {
  readonly #url = workerUrl();
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #last = 0;
  #heard = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  /** Bytes of memory of the engine after the last call. */
  memoryBytes = 0;

  async call<Name extends Operation>(operation: Name, request: Operations[Name][0], signal?: AbortSignal): Promise<Operations[Name][1]> {
    signal?.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    const id = (this.#last += 1);
    const send = (message: ToWorker) => worker.postMessage(message);
    const abort = () => send({ kind: 'abort', id });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      abort();
    }, MAX_CALL_MS);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        if (this.#pending.size === 1) this.#heard = performance.now();
        send({ kind: 'call', id, operation, request });
      });
    } catch (error) {
      if (isLate) throw new TileDBError('Cancelled', `The read took more than ${MAX_CALL_MS / 1000} seconds and was cancelled`);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#pending.delete(id);
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#url, { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      this.#heard = performance.now();
      if (data.kind === 'pong') return;
      const pending = this.#pending.get(data.id);
      if (data.kind === 'result') {
        this.memoryBytes = data.memoryBytes;
        pending?.resolve(data.value);
      } else {
        pending?.reject(new TileDBError(data.error.kind as ErrorKind, data.error.message));
      }
    };
    worker.onerror = () => this.stop('The engine could not be started: its files are missing beside this page, or the browser is too old');
    this.#watch = setInterval(() => {
      if (this.#pending.size === 0) return;
      if (performance.now() - this.#heard > MAX_SILENCE_MS) {
        this.stop(`The engine did not respond for ${MAX_SILENCE_MS / 1000} seconds and was stopped; open the array again`);
      } else {
        worker.postMessage({ kind: 'ping' } satisfies ToWorker);
      }
    }, PING_MS);
    return worker;
  }

  /** Ends the worker with everything that is open in it. */
  stop(reason: string): void {
    clearInterval(this.#watch);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.memoryBytes = 0;
    for (const { reject } of this.#pending.values()) reject(new TileDBError('Internal', reason));
    this.#pending.clear();
  }

  async open(source: Source, signal?: AbortSignal): Promise<OpenArray | OpenGroup> {
    const opened = await this.call('open', { source }, signal);
    return opened.kind === 'array' ? new OpenArray(this, opened) : new OpenGroup(this, opened);
  }
}

abstract class OpenObject {
  readonly client: Client;
  readonly uri: string;
  protected readonly handle: number;

  constructor(client: Client, { handle, uri }: Opened) {
    this.client = client;
    this.uri = uri;
    this.handle = handle;
  }

  metadata(): Promise<Metadata> {
    return this.client.call('metadata', { handle: this.handle });
  }

  async close(): Promise<void> {
    await this.client.call('close', { handle: this.handle });
  }
}

/** An open array. */
export class OpenArray extends OpenObject {
  readonly kind = 'array';
  readonly schema: ArraySchema;

  constructor(client: Client, opened: Opened) {
    super(client, opened);
    this.schema = opened.schema!;
  }

  get isDense(): boolean {
    return this.schema.array_type === 'dense';
  }

  field(name: string): FieldInfo | undefined {
    return this.schema.fields.find((field) => field.name === name);
  }

  nonEmptyDomain(): Promise<Record<string, [Scalar, Scalar]> | null> {
    return this.client.call('domain', { handle: this.handle });
  }

  enumeration(name: string): Promise<CellValue[]> {
    return this.client.call('enumeration', { handle: this.handle, name });
  }

  async read(selection: Selection, limits: ReadLimits, signal?: AbortSignal): Promise<Cells> {
    return new Cells(await this.client.call('read', { handle: this.handle, selection, limits }, signal));
  }

  /** Reads batch by batch; the caller ends it. */
  async cursor(selection: Selection): Promise<Cursor> {
    return new Cursor(this.client, await this.client.call('begin', { handle: this.handle, selection }));
  }
}

/** A read that goes on where it has stopped. */
export class Cursor {
  readonly #client: Client;
  readonly #cursor: number;

  constructor(client: Client, cursor: number) {
    this.#client = client;
    this.#cursor = cursor;
  }

  async next(maxBytes: number): Promise<Cells | null> {
    const cells = await this.#client.call('next', { cursor: this.#cursor, maxBytes });
    return cells && new Cells(cells);
  }

  async end(): Promise<void> {
    await this.#client.call('end', { cursor: this.#cursor });
  }
}

/** An open group. */
export class OpenGroup extends OpenObject {
  readonly kind = 'group';

  members(): Promise<Member[]> {
    return this.client.call('members', { handle: this.handle });
  }
}

/** Whether an error only says that its work is no longer needed. */
export function isCancelled(error: unknown): boolean {
  return error instanceof TileDBError && error.kind === 'Cancelled' && /was cancelled$/.test(error.message) && !/took more/.test(error.message);
}
