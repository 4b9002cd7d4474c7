import { TileDBError } from './errors.js';
import type { FileRequest, Sources } from './sources.js';
import { wasiImports } from './wasi.js';

interface Exports {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  tiledb_alloc(length: number): number;
  tiledb_call(request: number, length: number): number;
  tiledb_supply(request: number, length: number, header: number): number;
  tiledb_response(): number;
  tiledb_response_length(): number;
}

const FAILED = 1;
const PENDING = 2;

/** Bytes of a file or of an index that are supplied to the module. */
export interface Supply {
  uri: string;
  /** Size of the file; not set for an index. */
  size?: number;
  start?: number;
  /** Why there is no index. */
  absent?: string;
  bytes?: Uint8Array;
}

/** Where the module comes from: a URL, its bytes, or the compiled module. */
export type ModuleSource = string | URL | BufferSource | WebAssembly.Module | Promise<WebAssembly.Module>;

let moduleSource: ModuleSource | undefined;
let compiled: Promise<WebAssembly.Module> | undefined;

/** Sets where the WebAssembly module comes from, before anything is opened; else it is `tiledb.wasm` beside this file. */
export function setModule(source: ModuleSource): void {
  moduleSource = source;
  compiled = undefined;
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  const given = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (typeof given !== 'string' && !(given instanceof URL)) return WebAssembly.compile(given as BufferSource);
  const url = new URL(given, import.meta.url);
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new TileDBError('Store', `Cannot load the module from ${url}: status ${response.status}`);
  // Servers may not know the media type.
  if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

function loadModule(): Promise<WebAssembly.Module> {
  if (compiled === undefined) {
    const loading = compile(moduleSource ?? new URL('./tiledb.wasm', import.meta.url));
    // A failure is not permanent.
    loading.catch(() => {
      if (compiled === loading) compiled = undefined;
    });
    compiled = loading;
  }
  return compiled;
}

/**
 * An instance of the module.
 *
 * Its calls are synchronous. A call that lacks bytes of files names them; they are fetched, and the call is repeated. An instance that
 * trapped is replaced: what was open in it is opened again when it is used next.
 */
export class Engine {
  readonly #sources: Sources;
  #exports: Exports | undefined;
  #starting: Promise<Exports> | undefined;
  #messages: string[] = [];
  #generation = 0;
  #operations = 0;
  readonly #active = new Set<number>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Number of the instance; what was opened in another one is no longer open. */
  get generation(): number {
    return this.#generation;
  }

  /** Bytes of memory of the instance. */
  get memoryBytes(): number {
    return this.#exports?.memory.buffer.byteLength ?? 0;
  }

  /** Runs a request. `take` converts the response while the memory that it names is valid. */
  async call<T>(
    request: Record<string, unknown>,
    take: (response: any, memory: WebAssembly.Memory) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    const operation = (this.#operations += 1);
    this.#active.add(operation);
    try {
      let repeats = false;
      let generation: number | undefined;
      for (;;) {
        signal?.throwIfAborted();
        const exports = await this.#instance();
        if (generation !== undefined && generation !== this.#generation) throw lost();
        generation = this.#generation;
        const oldest = Math.min(...this.#active);
        const [status, response] = this.#run(exports, { ...request, repeats, operation, oldest });
        if (status === FAILED) throw new TileDBError(response.kind, response.message);
        if (status !== PENDING) return take(response, exports.memory);
        await this.#fetch(response, signal);
        repeats = true;
      }
    } finally {
      this.#active.delete(operation);
    }
  }

  async #fetch(requests: FileRequest[], signal?: AbortSignal): Promise<void> {
    const generation = this.#generation;
    await this.#sources.fetch(requests, signal, (supply) => {
      if (this.#exports === undefined || generation !== this.#generation) throw lost();
      this.#supply(this.#exports, supply);
    });
  }

  async #instance(): Promise<Exports> {
    if (this.#exports !== undefined) return this.#exports;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<Exports> {
    const module = await loadModule();
    let exports: Exports;
    const report = (text: string) => {
      this.#messages.push(text);
      if (this.#messages.length > 20) this.#messages.shift();
    };
    const imports: WebAssembly.Imports = {};
    for (const { module: name } of WebAssembly.Module.imports(module)) {
      imports[name] ??= wasiImports(() => exports.memory, report);
    }
    const instance = await WebAssembly.instantiate(module, imports);
    exports = instance.exports as unknown as Exports;
    exports._initialize?.();
    this.#exports = exports;
    this.#generation += 1;
    return exports;
  }

  #run(exports: Exports, request: unknown): [number, any] {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    return this.#guarded(exports, () => {
      const start = allocate(exports, bytes.length);
      new Uint8Array(exports.memory.buffer, start, bytes.length).set(bytes);
      return exports.tiledb_call(start, bytes.length);
    });
  }

  #supply(exports: Exports, { bytes, ...request }: Supply): void {
    const header = new TextEncoder().encode(JSON.stringify(request));
    const body = bytes ?? new Uint8Array();
    const [status, response] = this.#guarded(exports, () => {
      const start = allocate(exports, header.length + body.length);
      const memory = new Uint8Array(exports.memory.buffer, start, header.length + body.length);
      memory.set(header);
      memory.set(body, header.length);
      return exports.tiledb_supply(start, header.length + body.length, header.length);
    });
    if (status === FAILED) throw new TileDBError(response.kind, response.message);
  }

  /** Runs a function of the module and returns its response. After a trap the memory may be in any state: the instance is dropped. */
  #guarded(exports: Exports, work: () => number): [number, any] {
    try {
      const status = work();
      const text = new Uint8Array(exports.memory.buffer, exports.tiledb_response() >>> 0, exports.tiledb_response_length());
      return [status, JSON.parse(new TextDecoder().decode(text))];
    } catch (error) {
      if (error instanceof TileDBError) throw error;
      this.#exports = undefined;
      const message = this.#messages.join('').trim();
      this.#messages = [];
      throw new TileDBError('Internal', `The engine has failed: ${message || String(error)}`, { cause: error });
    }
  }
}

function allocate(exports: Exports, length: number): number {
  // Addresses above 2 GiB are negative otherwise.
  const start = exports.tiledb_alloc(length) >>> 0;
  if (start === 0) throw new TileDBError('OutOfMemory', `The module has no memory for ${length} bytes`);
  return start;
}

function lost(): TileDBError {
  return new TileDBError('Internal', 'The engine has failed in another operation; repeat this one');
}
