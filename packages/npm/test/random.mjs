// Random arrays, which `random_arrays.py` has written with queries, give the results of the Python package.
// usage: node random.mjs FOLDER
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TileDB, TileDBError } from '../dist/index.js';
import { serve } from './server.mjs';

const [folder] = process.argv.slice(2);
const server = await serve(folder);
const counts = { arrays: 0, queries: 0, conditions: 0, ranges: 0, times: 0, aggregates: 0, errors: 0, failed: 0 };
const KINDS = { min: 'min', max: 'max', mean: 'mean', sum: 'sum', null_count: 'nullCount' };
const BATCHES = [1, 200, 5000, undefined];

const hex = (bytes) => `x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
const NEVER = -(2n ** 63n);
const FLOATS = ['FLOAT32', 'FLOAT64'];
const BYTES = ['BLOB', 'CHAR', 'ANY', 'GEOM_WKB', 'GEOM_WKT', 'STRING_ASCII', 'STRING_UTF8'];

/** A cell as a text that does not depend on the language. */
function canonical(type, value) {
  // Dates that were never written: NumPy's "not a time".
  if (value === null || (value === NEVER && /^(DATETIME|TIME)_/.test(type))) return null;
  if (typeof value === 'string') return `x${Buffer.from(value, 'utf8').toString('hex')}`;
  if (BYTES.includes(type) && typeof value === 'number') return hex(Uint8Array.of(value));
  if (BYTES.includes(type)) return hex(value);
  if (typeof value === 'object') return `[${Array.from(value, (one) => canonical(type, one)).join(',')}]`;
  if (!FLOATS.includes(type)) return String(typeof value === 'boolean' ? Number(value) : value);
  if (Number.isNaN(value)) return 'nan';
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return `f${bytes.toString('hex')}`;
}

async function columnsOf(array, table) {
  const found = {};
  for (const name of table.fields) {
    const column = table.column(name);
    const { enumeration, type } = column.field;
    if (enumeration === null) {
      found[name] = column.toArray().map((value) => canonical(type, value));
      continue;
    }
    const values = await array.enumeration(enumeration);
    const own = array.schema.enumerations.find(({ name }) => name === enumeration).type;
    found[name] = column.toArray().map((index) => canonical(own, index === null ? null : (values[Number(index)] ?? null)));
  }
  return found;
}

const rowsOf = (columns) => {
  const names = Object.keys(columns).sort();
  return Array.from({ length: columns[names[0]].length }, (_, row) => JSON.stringify(names.map((name) => columns[name][row])));
};

/** The difference between results; sums of floating-point numbers depend on the order. */
const isNear = (actual, expected) => {
  if (actual === expected) return true;
  const number = (text) => (text?.startsWith('f') ? Buffer.from(text.slice(1), 'hex').readDoubleLE() : NaN);
  return Math.abs(number(actual) - number(expected)) <= 1e-9 * Math.abs(number(expected));
};

async function check(query, tiledb, number) {
  const array = await tiledb.open(`${server.address}/${query.array}`, { at: query.at });
  const options = { fields: query.fields, where: query.where, ranges: query.ranges, order: query.order, batchBytes: BATCHES[number % BATCHES.length] };
  if (query.error !== undefined) {
    counts.errors += 1;
    try {
      await array.read(options);
    } catch (error) {
      return error instanceof TileDBError && error.kind !== 'Internal' ? undefined : String(error);
    }
    return `there is no error: ${query.error}`;
  }
  const actual = rowsOf(await columnsOf(array, await array.read(options)));
  const expected = rowsOf(query.expected);
  if (!query.is_ordered) [actual, expected].forEach((rows) => rows.sort());
  const at = expected.findIndex((row, at) => row !== actual[at]);
  if (at >= 0 || actual.length !== expected.length) return `row ${at} of ${expected.length} is ${actual[at]} instead of ${expected[at]}`;
  for (const [field, results] of Object.entries(query.aggregates ?? {})) {
    const kinds = Object.keys(results);
    const list = kinds.map((kind) => ({ kind: KINDS[kind], field, name: kind }));
    const values = await array.aggregate(list, { where: query.where, ranges: query.ranges });
    for (const kind of kinds) {
      counts.aggregates += 1;
      const type = results[kind]?.startsWith('f') || results[kind] === 'nan' ? 'FLOAT64' : 'INT64';
      const value = canonical(type, values[kind]);
      if (!isNear(value, results[kind])) return `${kind} of ${field} is ${value} instead of ${results[kind]}`;
    }
  }
  if (query.where === undefined && query.ranges === undefined && query.at === undefined && query.order === undefined) {
    counts.arrays += 1;
    mkdirSync(join(folder, 'streams'), { recursive: true });
    writeFileSync(join(folder, 'streams', query.array.replace(/.*\//, '')), await array.arrow({ ...options, order: 'row-major' }));
  }
  await array.close();
  return undefined;
}

const tiledb = new TileDB();
for await (const line of createInterface({ input: createReadStream(join(folder, 'queries.jsonl')) })) {
  const query = JSON.parse(line.replaceAll(/\bInfinity\b/g, '1e999'));
  counts.queries += 1;
  counts.conditions += query.where === undefined ? 0 : 1;
  counts.ranges += query.ranges === undefined ? 0 : 1;
  counts.times += query.at === undefined ? 0 : 1;
  const problem = await check(query, tiledb, counts.queries).catch((error) => error.stack);
  if (problem === undefined) continue;
  counts.failed += 1;
  if (counts.failed <= 20) console.log(`${query.array} ${JSON.stringify({ ...query, expected: undefined, aggregates: undefined })}: ${problem}`);
}
server.close();
console.log(Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', '));
process.exit(counts.failed === 0 && Math.min(counts.arrays, counts.conditions, counts.ranges, counts.times, counts.aggregates) > 0 ? 0 : 1);
