// Runs in a browser: reads what `browser.mjs` asks for, and answers with the cells.
import { TileDB } from './dist/index.js';

const opened = new Map();
const operations = {
  async open({ instance, url, options }) {
    const tiledb = opened.get(instance) ?? new TileDB();
    opened.set(instance, tiledb);
    const array = await tiledb.open(url, options);
    const id = crypto.randomUUID();
    opened.set(id, array);
    return { id, kind: array.kind, isDense: array.isDense, memoryBytes: tiledb.memoryBytes };
  },
  read: ({ id, options }) => opened.get(id).read(options),
  aggregate: ({ id, aggregates, selection }) => opened.get(id).aggregate(aggregates, selection),
  async close({ id }) {
    await opened.get(id).close();
    opened.delete(id);
  },
  async release({ instance }) {
    opened.delete(instance);
  },
};

/** JSON of a result, and the bytes of its typed arrays, to which it refers. */
function encode(result) {
  const buffers = [];
  let length = 0;
  const bytesOf = (value) => {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    buffers.push(bytes);
    length += bytes.length;
    return { typed: value.constructor.name, at: length - bytes.length, length: bytes.length };
  };
  const json = JSON.stringify(result, (_, value) => {
    if (ArrayBuffer.isView(value)) return bytesOf(value);
    if (typeof value === 'bigint') return { bigint: String(value) };
    if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) return { number: Object.is(value, -0) ? '-0' : String(value) };
    return value;
  });
  const head = new TextEncoder().encode(json);
  return new Blob([new Uint32Array([head.length]), head, ...buffers]);
}

for (;;) {
  const commands = await (await fetch('/commands')).json();
  for (const { number, operation, ...request } of commands) {
    let result;
    try {
      const value = await operations[operation](request);
      result = { value: value?.columns === undefined ? value : { length: value.length, columns: value.columns } };
    } catch (error) {
      result = { error: { name: error.name, kind: error.kind, message: error.message, stack: error.stack } };
    }
    await fetch(`/results/${number}`, { method: 'POST', body: encode(result) });
  }
}
