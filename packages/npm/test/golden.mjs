// Golden arrays give the recorded results when they are read by WebAssembly over HTTP.
// usage: node golden.mjs FOLDER ARCHIVE...      FOLDER: where archives are unpacked; BROWSER: the command of a browser that reads them
import { basename, join } from 'node:path';
import * as local from '../dist/index.js';
import { startBrowser } from './browser.mjs';
import { accepted, cases, cellsOf, difference, expectedOf, optionsOf, schemaOf, shown, sizeOf } from './cases.mjs';
import { serve } from './server.mjs';

const [folder, ...archives] = process.argv.slice(2);
const { TileDBError } = local;
const server = await serve(folder);
const browser = process.env.BROWSER ? await startBrowser(process.env.BROWSER) : undefined;
const { TileDB } = browser ?? local;
const wrong = accepted(new URL('../../../tests/golden/reference_wrong.txt', import.meta.url));
const counts = { arrays: 0, queries: 0, refusals: 0, skipped: 0, failed: 0 };
const OPERATIONS = { COUNT: 'count', SUM: 'sum', MIN: 'min', MAX: 'max', MEAN: 'mean', NULL_COUNT: 'nullCount' };

/** A scalar as the bytes of its type. A NaN has those of the reference, whatever its sign. */
function scalarBytes(value, type, expected) {
  const bytes = Buffer.alloc(8);
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value);
  if (type === 'FLOAT64') {
    if (Number.isNaN(value) && Number.isNaN(expected.readDoubleLE())) return expected;
    bytes.writeDoubleLE(value);
  } else if (type === 'FLOAT32') bytes.writeFloatLE(value);
  else bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)));
  return bytes.subarray(0, sizeOf(type));
}

async function check(array, schema, query, data) {
  const options = optionsOf(schema, query);
  const expect = query.expect;
  // Without ranges the package reads the current domain of a dense array, where the reference wants ranges.
  const isWhole = array.isDense && Object.keys(options.ranges ?? {}).length === 0 && expect.status === 'ERROR';
  if (typeof options === 'string' || isWhole) return 'skipped';
  if (query.aggregates?.length > 0) {
    // Aggregates of cells that are read, too, are those of the cells that fit into the buffers.
    if (options.fields.length > 0) return 'skipped';
    const aggregates = query.aggregates.map(({ op, field, name }) => ({ kind: OPERATIONS[op], field: field ?? undefined, name }));
    const results = await array.aggregate(aggregates, options);
    if (expect.status === 'ERROR') return 'the query should fail';
    const differing = query.aggregates.map(({ name }) => name).sort().flatMap((name) => {
      const field = expect.fields[name];
      const cells = expectedOf(field, data);
      const isNull = cells.validity !== undefined && cells.validity[0] === 0;
      // Of no cells the reference has 0 or NaN.
      const isZero = cells.data.every((byte) => byte === 0) || (field.type === 'FLOAT64' && Number.isNaN(cells.data.readDoubleLE()));
      if (results[name] === null) return isNull || isZero ? [] : [`${name}=null`];
      const bytes = scalarBytes(results[name], field.type, cells.data);
      return !isNull && bytes.equals(cells.data) ? [] : [`${name}=${shown({ ...cells, data: bytes }, field.type)}`];
    });
    if (differing.length > 0) return differing.join(' ');
    return undefined;
  }
  const table = await array.read(options);
  if (expect.status === 'ERROR') return 'the query should fail';
  const [expected, actual, sizes, types] = [{}, {}, {}, {}];
  for (const [name, field] of Object.entries(expect.fields)) {
    expected[name] = expectedOf(field, data);
    actual[name] = cellsOf(table.column(name));
    types[name] = field.type;
    sizes[name] = sizeOf(field.type) * Number(field.cell_val_num === 'var' ? 1 : (field.cell_val_num ?? 1));
  }
  return difference(query, schema, expected, actual, sizes, types);
}

for (const { folder: path, unpacked, document, data } of cases(archives, folder)) {
  const name = `${basename(join(path, '..'))}/${basename(path)}`;
  if (document.unpack_at != null) continue;
  const url = `${server.address}/${unpacked.slice(folder.length).split('/').filter(Boolean).map(encodeURIComponent).join('/')}/${document.root.split('/').map(encodeURIComponent).join('/')}`;
  const report = (id, problem) => {
    counts.failed += 1;
    console.log(`${name} ${id}: ${problem}`);
  };
  const tiledb = new TileDB();
  const options = { key: document.encryption?.key };
  if (document.kind === 'open_error') {
    counts.refusals += 1;
    try {
      const opened = await tiledb.open(url, options);
      report('open', 'it should be refused');
      await opened.close();
    } catch (error) {
      if (!(error instanceof TileDBError) || error.kind === 'Internal') report('open', error.stack);
    }
    continue;
  }
  if (document.kind !== 'array') continue;
  counts.arrays += 1;
  for (const query of document.queries) {
    try {
      const array = await tiledb.open(url, { ...options, since: query.open?.start, at: query.open?.end });
      const problem = await check(array, schemaOf(document, query), query, data);
      await array.close();
      if (problem === 'skipped') counts.skipped += 1;
      else counts.queries += 1;
      const id = `${name}/${String(query.id).replaceAll(' ', '_')}`;
      if (problem !== undefined && problem !== 'skipped' && problem !== wrong.get(id)) report(query.id, problem);
    } catch (error) {
      counts.queries += 1;
      if (query.expect.status !== 'ERROR' || !(error instanceof TileDBError)) report(query.id, `${error.kind ?? ''} ${error.message ?? error}`);
    }
  }
  await tiledb.release?.();
}
server.close();
await browser?.stop();
console.log(`${counts.arrays} arrays, ${counts.queries} queries, ${counts.refusals} refusals, ${counts.skipped} queries that the package does not have, ${counts.failed} failed`);
process.exit(counts.failed === 0 && counts.queries > 0 ? 0 : 1);
