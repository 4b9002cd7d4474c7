// Servers that misbehave: each read is an error, or what was stored.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TileDB, TileDBError } from '../dist/index.js';
import { golden } from './cases.mjs';
import { serve } from './server.mjs';

const all = golden('v22');
const find = (name) => all.find(({ document }) => document.case === name).unpacked;
const unpacked = find('fragment_many');
const tiled = find('dense_1d_dim_int32');
const servers = [];
after(() => servers.forEach((server) => server.close()));

async function read(answer, options = {}) {
  const server = await serve(unpacked, answer);
  servers.push(server);
  const array = await new TileDB({ retries: 0, ...options }).open(`${server.address}/array`);
  return { table: await array.read(), server };
}

const { table: stored, server: plain } = await read(() => undefined);
const isData = (target) => target.includes('/__fragments/') || target.includes('/__schema/');
const fails = (answer, pattern, options) => assert.rejects(read(answer, options), (error) => {
  assert.ok(error instanceof TileDBError, String(error));
  assert.match(error.message, pattern);
  return true;
});

test('requests are few, and only for ranges', () => {
  const files = new Set(plain.requests.map(({ target }) => target));
  assert.ok(plain.requests.every(({ method }) => method === 'GET'));
  assert.ok(plain.requests.length <= files.size + 8, `${plain.requests.length} requests for ${files.size} files`);
});

test('whole files in place of ranges are read', async () => {
  const { table } = await read((_, target, bytes) => (isData(target) ? [200, {}, bytes] : undefined));
  assert.deepEqual(table.row(0), stored.row(0));
  assert.equal(table.length, stored.length);
});

test('transient failures are retried', async () => {
  const seen = new Set();
  const answer = (_, target) => {
    if (seen.has(target)) return undefined;
    seen.add(target);
    return [503, {}, ''];
  };
  const { table } = await read(answer, { retries: 2 });
  assert.equal(table.length, stored.length);
  await fails(() => [503, {}, ''], /status 503/);
});

test('a missing index names the command that writes one', () =>
  fails((_, target) => (target.endsWith('.json') ? [404, {}, ''] : undefined), /tiledb-rs publish/));

test('a page in place of an index is none', () =>
  fails((_, target) => (target.endsWith('.json') ? [200, { 'content-type': 'text/html' }, '<html>'] : undefined), /HTML/));

test('an index that leads out of the folder is an error', () =>
  fails((_, target) => (target.endsWith('.json') ? [200, {}, '{"tiledb_index":1,"files":{"..":{"x":1}}}'] : undefined), /index is invalid/));

test('a file that is missing is an error', () =>
  fails((_, target) => (isData(target) ? [404, {}, ''] : undefined), /no such file/));

test('other ranges than those requested are an error', () =>
  fails((_, target, bytes) => (isData(target) ? [206, { 'content-range': `bytes 0-3/${bytes.length}` }, bytes.subarray(0, 4)] : undefined), /changed/));

test('a file of another size is an error', () =>
  fails((_, target, bytes) => (isData(target) ? [200, {}, bytes.subarray(1)] : undefined), /changed/));

test('a longer answer than requested is an error', () =>
  fails((_, target, bytes) => (isData(target) ? [206, {}, Buffer.concat([bytes, bytes, bytes])] : undefined), /more than/));

test('compressed files are an error', () =>
  fails((request, target, bytes) => {
    if (!isData(target)) return undefined;
    return [206, { 'content-encoding': 'x-other' }, bytes];
  }, /compress|changed|more than/));

test('a version that changes between two answers is an error', async () => {
  let version = 0;
  const server = await serve(tiled, (request, target, bytes) => {
    const range = /(\d+)-(\d+)/.exec(request.headers.range ?? '');
    if (range === null) return undefined;
    const [start, end] = range.slice(1).map(Number);
    version += 1;
    return [206, { etag: `"${version}"`, 'content-range': `bytes ${start}-${end}/${bytes.length}` }, bytes.subarray(start, end + 1)];
  });
  servers.push(server);
  const array = await new TileDB({ retries: 0 }).open(`${server.address}/array`);
  await array.read({ fields: ['a'], ranges: { d: [-20, -15] } });
  const changed = (error) => error instanceof TileDBError && /changed/.test(error.message);
  await assert.rejects(array.read({ fields: ['a'], ranges: { d: [20, 25] } }), changed);
});

test('a server that does not answer is given up', () =>
  fails((_, target) => (isData(target) ? [200, { 'content-length': 1 << 20 }, 'x'] : undefined), /./, { timeout: 500 }));
