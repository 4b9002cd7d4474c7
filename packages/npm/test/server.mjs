// A server of folders with ranges, tags and an index, as `tiledb-rs publish` prepares them.
import { createServer } from 'node:http';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';

function indexOf(folder) {
  const entries = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    entries[entry.name] = entry.isDirectory() ? indexOf(path) : statSync(path).size;
  }
  return entries;
}

/** Serves `folder`; `answer(request, path, bytes)` may return another response, as [status, headers, body]. */
export async function serve(folder, answer = () => undefined) {
  const requests = [];
  const root = resolve(folder);
  // Files are kept, so that measurements are not of this server.
  const files = new Map();
  const fileOf = (path) => {
    const { mtimeMs, size } = statSync(path);
    const known = files.get(path);
    if (known?.mtimeMs === mtimeMs && known.bytes.length === size) return known.bytes;
    const bytes = readFileSync(path);
    if (size < 64 << 20) files.set(path, { mtimeMs, bytes });
    return bytes;
  };
  const server = createServer((request, response) => {
    const target = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const path = resolve(root, `.${target}`);
    requests.push({ method: request.method, target, range: request.headers.range });
    const send = (status, headers, body) => {
      response.writeHead(status, { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag, content-range', ...headers });
      response.end(body);
    };
    if (path !== root && !path.startsWith(root + sep)) return send(404, {}, '');
    let bytes;
    try {
      bytes = target.endsWith('/__tiledb_index.json')
        ? Buffer.from(JSON.stringify({ tiledb_index: 1, files: indexOf(resolve(path, '..')) }))
        : fileOf(path);
    } catch {
      return send(404, {}, '');
    }
    const other = answer(request, target, bytes);
    if (other !== undefined) return send(...other);
    const etag = `"${bytes.length.toString(16)}"`;
    const match = request.headers['if-match'];
    if (match !== undefined && match !== etag) return send(412, {}, '');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (range === null) return send(200, { etag, 'content-length': bytes.length }, bytes);
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, bytes.length)];
    if (start >= end) return send(416, { 'content-range': `bytes */${bytes.length}` }, '');
    const headers = { etag, 'content-range': `bytes ${start}-${end - 1}/${bytes.length}`, 'content-length': end - start };
    return send(206, headers, bytes.subarray(start, end));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${server.address().port}`;
  return { address, requests, close: () => server.close() };
}
