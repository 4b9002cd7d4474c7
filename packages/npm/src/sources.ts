import type { Supply } from './engine.js';
import { TileDBError } from './errors.js';

/** What the engine needs: ranges of a file of a known size, or an index. */
export interface FileRequest {
  uri: string;
  size?: number;
  ranges?: [number, number][];
}

/** How files are requested from web servers. */
export interface FetchOptions {
  /** Used in place of the global function, for instance to sign requests. */
  fetch?: typeof fetch;
  /** Headers of every request to the origins of the addresses that the program opens, for instance `Authorization`. */
  headers?: Record<string, string>;
  /** Whether cookies are sent, as in `fetch`. */
  credentials?: RequestCredentials;
  /** Maximum number of requests at a time: 16 by default. */
  maxRequests?: number;
  /** Milliseconds after which a request without an answer fails: 60,000 by default. */
  timeout?: number;
  /** How often a request that failed is repeated: 3 times by default. */
  retries?: number;
  /** Maximum size of a file that a server sends as a whole though a range was requested: 64 MiB by default. */
  maxUnrangedBytes?: number;
}

/** Files that are not on a web server: their names, and how their bytes are read. */
export interface FileTree {
  /** The sizes of all files by their path below the directory. */
  list(directory: string): Promise<Map<string, number>>;
  read(path: string, start: number, end: number): Promise<Uint8Array>;
}

type Take = (supply: Supply) => void;

const INDEX_NAME = '__tiledb_index.json';
const MAX_INDEX_BYTES = 16 << 20;
const NOT_LISTED = [400, 403, 404, 410];

/** Requests of the engine, answered by web servers and by local files. */
export class Sources {
  readonly #options: FetchOptions;
  /** Local files by the origin of their addresses, which nobody can guess. */
  readonly #trees = new Map<string, FileTree>();
  /** Origins that the program has named, to which headers are sent. */
  readonly #origins = new Set<string>();
  /** The version of each file, of which all answers must be. */
  readonly #versions = new Map<string, string>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: FetchOptions = {}) {
    this.#options = options;
  }

  /** Sends the headers of the options to the origin of an address. */
  trust(url: string): void {
    this.#origins.add(new URL(url).origin);
  }

  /** Adds local files, and returns the address of the directory that contains them. */
  addTree(tree: FileTree): string {
    const origin = `https://${crypto.randomUUID()}.invalid`;
    this.#trees.set(origin, tree);
    return origin;
  }

  /** Fetches everything, several requests at a time. */
  async fetch(requests: FileRequest[], signal: AbortSignal | undefined, take: Take): Promise<void> {
    const failed = new AbortController();
    const either = anySignal([failed.signal, signal]);
    const tasks = requests.flatMap(({ uri, size, ranges }) => {
      if (size === undefined || ranges === undefined) return [() => this.#index(uri, either, take)];
      return ranges.map(([start, end]) => () => this.#range(uri, size, start, end, either, take));
    });
    const results = await Promise.allSettled(tasks.map((task) => this.#limited(task, either).catch((error) => {
      failed.abort(error);
      throw error;
    })));
    signal?.throwIfAborted();
    if (failed.signal.aborted) throw failed.signal.reason;
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #limited(task: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (this.#running >= (this.#options.maxRequests ?? 16)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      signal.throwIfAborted();
      await task();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #index(uri: string, signal: AbortSignal, take: Take): Promise<void> {
    const url = new URL(uri);
    const tree = this.#trees.get(url.origin);
    if (tree !== undefined) {
      const directory = pathOf(url).slice(0, -INDEX_NAME.length - 1);
      const files = await tree.list(directory);
      if (files.size === 0) throw new TileDBError('NotFound', 'The files contain no such array or group');
      return take({ uri, bytes: new TextEncoder().encode(indexOf(files)) });
    }
    const { response, bytes } = await this.#request(url, { cache: 'no-cache' }, signal, MAX_INDEX_BYTES, NOT_LISTED);
    if (response.status !== 200) return take({ uri, absent: `status ${response.status}` });
    // Servers of web applications answer with a page whatever is requested.
    if (response.headers.get('content-type')?.trimStart().startsWith('text/html')) {
      return take({ uri, absent: 'a page of HTML in its place' });
    }
    return take({ uri, bytes });
  }

  async #range(
    uri: string,
    size: number,
    start: number,
    end: number,
    signal: AbortSignal,
    take: Take,
  ): Promise<void> {
    const url = new URL(uri);
    const tree = this.#trees.get(url.origin);
    if (tree !== undefined) {
      const bytes = await tree.read(pathOf(url), start, end);
      if (bytes.length !== end - start) throw changed(url);
      return take({ uri, size, start, bytes });
    }
    const known = this.#versions.get(uri);
    const headers: Record<string, string> = { range: `bytes=${start}-${end - 1}` };
    // In a browser another origin would have to allow this header, and be asked before each request.
    const isOwn = typeof location === 'undefined' || location.origin === url.origin;
    if (isOwn && known?.startsWith('"')) headers['if-match'] = known;
    const whole = this.#options.maxUnrangedBytes ?? 64 << 20;
    const limit = (response: Response) => (response.status === 206 ? end - start : whole);
    const { response, bytes } = await this.#request(url, { headers }, signal, limit, [412, 416]);
    if (response.status === 412 || response.status === 416) throw changed(url);
    const encoding = response.headers.get('content-encoding');
    if (encoding !== null && encoding !== '' && encoding !== 'identity') {
      throw new TileDBError('Store', `Cannot read '${shown(url)}': the server compresses it ('${encoding}'); turn compression off`);
    }
    this.#confirm(url, uri, response);
    if (response.status === 206) {
      const told = response.headers.get('content-range');
      if (told !== null && !isRange(told, start, end, size)) throw changed(url);
      if (bytes.length !== end - start) throw changed(url);
      return take({ uri, size, start, bytes });
    }
    if (bytes.length !== size) throw changed(url);
    return take({ uri, size, start: 0, bytes });
  }

  /** Compares the version of an answer with that of earlier ones: bytes of two versions are never mixed. */
  #confirm(url: URL, uri: string, response: Response): void {
    const version = response.headers.get('etag') ?? response.headers.get('last-modified');
    if (version === null) return;
    const known = this.#versions.get(uri);
    if (known !== undefined && known !== version) throw changed(url);
    this.#versions.set(uri, version);
  }

  /** Forgets the versions of files, which are checked within one snapshot of an array. */
  forgetVersions(prefix: string): void {
    for (const uri of this.#versions.keys()) if (uri.startsWith(prefix)) this.#versions.delete(uri);
  }

  async #request(
    url: URL,
    init: RequestInit,
    signal: AbortSignal,
    limit: number | ((response: Response) => number),
    accepted: number[],
  ): Promise<{ response: Response; bytes: Uint8Array }> {
    const { retries = 3, timeout = 60_000, credentials, headers } = this.#options;
    const own = this.#origins.has(url.origin) ? headers : undefined;
    for (let attempt = 0; ; attempt += 1) {
      let problem: TileDBError;
      try {
        const either = anySignal([signal, AbortSignal.timeout(timeout)]);
        const send = this.#options.fetch ?? fetch;
        const response = await send(url, {
          redirect: 'follow',
          ...init,
          ...(credentials === undefined ? {} : { credentials }),
          headers: { ...own, ...(init.headers as Record<string, string>) },
          signal: either,
        });
        if (url.protocol === 'https:' && response.url.startsWith('http:')) {
          throw new TileDBError('Store', `Cannot read '${shown(url)}': it redirects to an address that is not encrypted`);
        }
        const { status } = response;
        if (status === 200 || status === 206) {
          const most = typeof limit === 'number' ? limit : limit(response);
          return { response, bytes: await body(url, response, most) };
        }
        await response.body?.cancel();
        if (accepted.includes(status)) return { response, bytes: new Uint8Array() };
        problem = refusal(url, status);
        if (![408, 425, 429, 500, 502, 503, 504].includes(status)) throw problem;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof TileDBError) throw error;
        problem = new TileDBError('Store', `Cannot read '${shown(url)}': ${String(error)}`, { cause: error });
      }
      if (attempt >= retries) throw problem;
      await pause(100 * 2 ** attempt * (0.5 + Math.random()), anySignal([signal]));
    }
  }
}

/** The body of a response, at most this many bytes. */
async function body(url: URL, response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new TileDBError('Store', `Cannot read '${shown(url)}': the server sends more than the ${most} bytes that are expected`);
    }
    parts.push(value);
  }
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function refusal(url: URL, status: number): TileDBError {
  if (status === 404 || status === 410) return new TileDBError('NotFound', `Cannot read '${shown(url)}': there is no such file (${status})`);
  return new TileDBError('Store', `Cannot read '${shown(url)}': the server answers with status ${status}`);
}

function changed(url: URL): TileDBError {
  return new TileDBError(
    'Store',
    `Cannot read '${shown(url)}': the file has changed since it was opened or listed; open the array again, and if that does not ` +
      'help, renew its index with `tiledb-rs publish --index-only`',
  );
}

function isRange(told: string, start: number, end: number, size: number): boolean {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(told.trim());
  return match !== null && Number(match[1]) === start && Number(match[2]) === end - 1 && (match[3] === '*' || Number(match[3]) === size);
}

/** An address without its query, which may sign it. */
function shown(url: URL): string {
  return url.origin + url.pathname;
}

function pathOf(url: URL): string {
  return url.pathname.slice(1).split('/').map(decodeURIComponent).join('/');
}

/** The index of local files. */
function indexOf(files: Map<string, number>): string {
  const top: Record<string, unknown> = Object.create(null);
  for (const [path, size] of files) {
    const names = path.split('/');
    const last = names.pop()!;
    let folder = top;
    for (const name of names) folder = (folder[name] ??= Object.create(null)) as Record<string, unknown>;
    folder[last] = size;
  }
  return JSON.stringify({ tiledb_index: 1, files: top });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}

function anySignal(signals: (AbortSignal | undefined)[]): AbortSignal {
  const given = signals.filter((signal) => signal !== undefined);
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(given);
  const controller = new AbortController();
  for (const signal of given) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}

/** The files of a folder that the user has chosen in a page, by their paths. */
export function treeOfFiles(files: Iterable<readonly [string, Blob]>): FileTree {
  const byPath = new Map([...files].map(([path, file]) => [path.replace(/^\/+/, ''), file]));
  return {
    async list(directory) {
      const prefix = directory === '' ? '' : `${directory}/`;
      const below = [...byPath].filter(([path]) => path.startsWith(prefix));
      return new Map(below.map(([path, file]) => [path.slice(prefix.length), file.size]));
    },
    async read(path, start, end) {
      const file = byPath.get(path);
      if (file === undefined) throw new TileDBError('NotFound', `There is no file '${path}'`);
      return new Uint8Array(await file.slice(start, end).arrayBuffer());
    },
  };
}

/** The files below a folder of this machine, in Node.js. */
export async function treeOfFolder(folder: URL): Promise<FileTree> {
  const [fs, path, { fileURLToPath }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('node:url'),
  ]);
  const root = path.resolve(fileURLToPath(folder));
  const within = (relative: string) => {
    const whole = path.resolve(root, ...relative.split('/'));
    if (whole !== root && !whole.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) {
      throw new TileDBError('InvalidArgument', `'${relative}' leads out of the folder`);
    }
    return whole;
  };
  return {
    async list(directory) {
      const top = within(directory);
      const sizes = new Map<string, number>();
      const visit = async (folder: string, prefix: string): Promise<void> => {
        for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
          const whole = path.join(folder, entry.name);
          if (entry.isDirectory()) await visit(whole, `${prefix}${entry.name}/`);
          else sizes.set(prefix + entry.name, (await fs.stat(whole)).size);
        }
      };
      try {
        await visit(top, '');
      } catch (error) {
        throw new TileDBError('NotFound', `Cannot list '${top}': ${String(error)}`, { cause: error });
      }
      return sizes;
    },
    async read(file, start, end) {
      const handle = await fs.open(within(file), 'r');
      try {
        const bytes = new Uint8Array(end - start);
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
        return bytes.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
  };
}
