// The package in a headless browser: a page runs it, and this program tells the page what to read. Page and arrays have different origins.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TileDBError } from '../dist/index.js';

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src http://127.0.0.1:*";
const TYPES = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm' };

/** Starts a browser (the command, for instance `chromium`) with the page, and returns the package in it. */
export async function startBrowser(command) {
  const waiting = new Map();
  const commands = [];
  let poll;
  let numbers = 0;
  const send = () => {
    if (poll === undefined || commands.length === 0) return;
    poll.end(JSON.stringify(commands.splice(0)));
    poll = undefined;
  };
  const server = createServer(async (request, response) => {
    const path = request.url.slice(1);
    if (path === 'commands') {
      poll = response;
      return send();
    }
    if (path.startsWith('results/')) {
      const parts = [];
      for await (const part of request) parts.push(part);
      response.end();
      const number = Number(path.slice('results/'.length));
      waiting.get(number).resolve(decode(Buffer.concat(parts)));
      return waiting.delete(number);
    }
    const file = { '': 'page.html', 'page.mjs': 'page.mjs' }[path] ?? (/^dist\/\w+\.(js|wasm)$/.test(path) ? `../${path}` : undefined);
    if (file === undefined) return response.writeHead(404).end();
    const headers = { 'content-type': TYPES[file.replace(/.*\./, '')], 'content-security-policy': POLICY };
    return response.writeHead(200, headers).end(readFileSync(new URL(file, import.meta.url)));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const profile = mkdtempSync(join(tmpdir(), 'tiledb-browser-'));
  const page = `http://127.0.0.1:${server.address().port}/`;
  const options = command.includes('firefox')
    ? ['--headless', '--no-remote', '--profile', profile]
    : ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${profile}`];
  const browser = spawn(command, [...options, page], { stdio: ['ignore', 'ignore', 'pipe'] });
  let messages = '';
  browser.stderr.on('data', (text) => (messages = (messages + text).slice(-4000)));
  let ended;
  const end = (error) => {
    ended = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  browser.on('error', (error) => end(new Error(`Cannot start '${command}': ${error.message}`)));
  browser.on('exit', (code) => end(new Error(`The browser has ended (${code}): ${messages}`)));

  const run = (operation, request) => {
    if (ended !== undefined) return Promise.reject(ended);
    numbers += 1;
    commands.push({ number: numbers, operation, ...request });
    const { promise, resolve, reject } = Promise.withResolvers?.() ?? resolvers();
    waiting.set(numbers, { resolve, reject });
    const timer = setTimeout(() => reject(new Error(`The page does not answer: ${messages}`)), 120_000);
    send();
    return promise.finally(() => clearTimeout(timer)).then(({ value, error }) => {
      if (error === undefined) return value;
      throw error.name === 'TileDBError' ? new TileDBError(error.kind, error.message) : new Error(`${error.stack}`);
    });
  };

  class RemoteTileDB {
    #instance = crypto.randomUUID();
    memoryBytes = 0;

    async open(url, options) {
      const { id, kind, isDense, memoryBytes } = await run('open', { instance: this.#instance, url, options });
      this.memoryBytes = memoryBytes;
      return {
        kind,
        isDense,
        async read(options) {
          const { length, columns } = await run('read', { id, options });
          return { length, columns, column: (name) => columns[name] };
        },
        aggregate: (aggregates, selection) => run('aggregate', { id, aggregates, selection }),
        close: () => run('close', { id }),
      };
    }

    release() {
      return run('release', { instance: this.#instance });
    }
  }

  const stop = async () => {
    browser.removeAllListeners('exit');
    const exited = new Promise((done) => browser.once('exit', done));
    browser.kill();
    await exited;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { TileDB: RemoteTileDB, stop };
}

function resolvers() {
  let [resolve, reject] = [];
  const promise = new Promise((...functions) => ([resolve, reject] = functions));
  return { promise, resolve, reject };
}

function decode(bytes) {
  const length = bytes.readUInt32LE();
  const body = bytes.subarray(4 + length);
  return JSON.parse(bytes.subarray(4, 4 + length).toString('utf8'), (_, value) => {
    if (value?.typed !== undefined) {
      // A copy, whose address fits the type.
      return new globalThis[value.typed](new Uint8Array(body.subarray(value.at, value.at + value.length)).buffer);
    }
    if (value?.bigint !== undefined) return BigInt(value.bigint);
    return value?.number === undefined ? value : Number(value.number);
  });
}
