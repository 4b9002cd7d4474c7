// Streams of Apache Arrow's format, read by the package `apache-arrow`, have the cells of the columns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataType, RecordBatchReader, tableFromIPC } from 'apache-arrow';
import { TileDB } from '../dist/index.js';
import { golden, urlOf } from './cases.mjs';

const all = golden('v22', 'singles');
const arrays = all.filter(({ document }) => document.kind === 'array' && document.unpack_at == null);
const MAX_ROWS = 500;
const tiledb = new TileDB();
const open = ({ unpacked, document }) => tiledb.open(urlOf({ unpacked, document }), { key: document.encryption?.key });
const find = (name) => arrays.find(({ document }) => document.case === name);

/** Compares a vector of one chunk with a column. */
async function compare(array, vector, column) {
  const { field, values, offsets, length } = column;
  const [data] = vector.data;
  assert.equal(vector.length, length);
  assert.equal(vector.type.toString().length > 0, true);
  if (DataType.isDictionary(vector.type)) {
    const known = await array.enumeration(field.enumeration);
    for (let row = 0; row < length; row += 1) {
      const index = column.get(row);
      const expected = index === null ? null : (known[Number(index)] ?? null);
      assert.deepEqual(plain(vector.get(row)), plain(expected), `row ${row} of ${field.name}`);
    }
    return;
  }
  const nulls = Array.from({ length }, (_, row) => column.isNull(row));
  assert.equal(String(Array.from({ length }, (_, row) => !vector.isValid(row))), String(nulls));
  if (DataType.isUtf8(vector.type)) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (let row = 0; row < length; row += 1) {
      if (!column.isNull(row)) assert.equal(vector.get(row), decoder.decode(values.subarray(offsets[row], offsets[row + 1])));
    }
    return;
  }
  if (DataType.isBool(vector.type)) {
    for (let row = 0; row < length; row += 1) if (!column.isNull(row)) assert.equal(vector.get(row), column.get(row));
    return;
  }
  const isNested = DataType.isList(vector.type) || DataType.isFixedSizeList(vector.type);
  const own = isNested ? data.children[0].values : data.values;
  if (isNested && field.type === 'BOOL') return;
  const bytes = (view, size) => Buffer.from(view.buffer, view.byteOffset, size);
  // Not by `deepEqual`, whose message of a large difference takes gigabytes.
  assert.ok(bytes(own, values.byteLength).equals(bytes(values, values.byteLength)), field.name);
  if (offsets !== undefined && length > 0) assert.equal(String(data.valueOffsets), String(offsets));
}

const plain = (value) => (value !== null && typeof value === 'object' ? Array.from(value, plain) : value);

test('golden arrays', async () => {
  const types = new Set();
  let compared = 0;
  for (const item of arrays) {
    const array = await open(item);
    // Some domains have 2^64 cells.
    const options = { order: array.isDense ? 'row-major' : 'global', limit: MAX_ROWS, batchBytes: 1 << 20 };
    let table;
    let stream;
    try {
      table = await array.read(options);
      stream = await array.arrow(options);
    } catch (error) {
      const isDamaged = item.document.queries.some(({ expect }) => expect.status === 'ERROR');
      assert.ok(isDamaged || /UTF-8/.test(error.message), `${item.document.case}: ${error.stack}`);
      continue;
    }
    const read = tableFromIPC(stream);
    assert.equal(read.numRows, table.length, item.document.case);
    if (read.batches.length > 1) continue;
    assert.deepEqual(read.schema.fields.map(({ name }) => name), table.fields, item.document.case);
    for (const name of table.fields) {
      const field = read.schema.fields.find((field) => field.name === name);
      assert.equal(field.metadata.get('tiledb.datatype'), table.column(name).field.type);
      types.add(`${table.column(name).field.type}: ${field.type}`);
      if (table.length > 0) await compare(array, read.getChild(name), table.column(name));
      compared += 1;
    }
    await array.close();
  }
  assert.ok(compared > 500 && types.size > 30, `${compared} columns of ${types.size} types`);
});

test('batches are those of a stream', async () => {
  const array = await open(find('aggregates_sparse'));
  const reader = await RecordBatchReader.from(array.arrowBatches({ order: 'row-major', batchBytes: 2000 }));
  let rows = 0;
  let batches = 0;
  for await (const batch of reader) {
    rows += batch.numRows;
    batches += 1;
  }
  assert.equal(rows, (await array.read()).length);
  assert.ok(batches > 3, `${batches} batches`);
});

test('enumerations are dictionaries, ordered or not', async () => {
  const array = await open(find('enumerations_sparse'));
  const table = tableFromIPC(await array.arrow());
  const ordered = Object.fromEntries(table.schema.fields.filter(({ type }) => DataType.isDictionary(type)).map(({ name, type }) => [name, type.isOrdered]));
  assert.deepEqual(ordered, { c: false, sz: true, nm: true, pr: false, fl: false, dy: true });
});

test('no cells are a table without rows', async () => {
  const array = await open(find('aggregates_sparse'));
  const table = tableFromIPC(await array.arrow({ where: 'x > 9 and x < 9', fields: ['x', 's'] }));
  assert.deepEqual([table.numRows, table.schema.fields.map(({ name }) => name)], [0, ['x', 's']]);
});
