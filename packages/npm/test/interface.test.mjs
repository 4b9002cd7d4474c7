// The interface of the package.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TileDB, TileDBError, open, openArray } from '../dist/index.js';
import { golden, pathOf, schemaOf, scratch, urlOf } from './cases.mjs';

const all = golden('v22');
const caseOf = (name) => all.find(({ document }) => document.case === name);
const find = (name) => pathOf(caseOf(name));
const url = (name) => urlOf(caseOf(name));

test('a schema describes fields', async () => {
  const array = await openArray(url('aggregates_sparse'));
  assert.equal(array.isDense, false);
  assert.equal(array.schema.dimensions[0].name, 'x');
  const field = array.schema.fields.find(({ name }) => name === 'n_int32');
  assert.deepEqual([field.kind, field.type, field.nullable], ['attribute', 'INT32', true]);
  await array.close();
  await assert.rejects(array.read(), /closed/);
});

test('ranges, conditions and limits select cells', async () => {
  const array = await openArray(url('aggregates_sparse'));
  const whole = await array.read({ fields: ['x'], order: 'row-major' });
  const xs = Array.from(whole.values('x'));
  const [low, high] = [xs[3], xs[10]];
  const some = await array.read({ fields: ['x'], ranges: { x: [low, high] }, order: 'row-major' });
  assert.deepEqual(Array.from(some.values('x')), xs.filter((x) => x >= low && x <= high));
  const two = await array.read({ fields: ['x'], ranges: { x: [[low, low], [high, high]] }, order: 'row-major' });
  assert.deepEqual(Array.from(two.values('x')), xs.filter((x) => x === low || x === high));
  const met = await array.read({ fields: ['x'], where: `x > ${low}`, order: 'row-major' });
  assert.deepEqual(Array.from(met.values('x')), xs.filter((x) => x > low));
  assert.equal((await array.read({ limit: 5 })).length, 5);
  const none = await array.read({ where: 'x > 900 and x < 100' });
  assert.equal(none.length, 0);
  assert.equal(none.column('x').length, 0);
});

test('batches are read one by one until the signal aborts', async () => {
  const array = await openArray(url('aggregates_sparse'));
  const whole = await array.read({ order: 'row-major' });
  let rows = 0;
  let batches = 0;
  for await (const batch of array.batches({ order: 'row-major', batchBytes: 1000 })) {
    assert.deepEqual(batch.row(0), whole.row(rows));
    rows += batch.length;
    batches += 1;
  }
  assert.equal(rows, whole.length);
  assert.ok(batches > 3, `${batches} batches`);
  const controller = new AbortController();
  await assert.rejects(async () => {
    for await (const _ of array.batches({ batchBytes: 1000, signal: controller.signal })) controller.abort();
  }, { name: 'AbortError' });
});

test('reads at the same time do not disturb each other', async () => {
  const array = await openArray(url('aggregates_sparse'));
  const expected = await array.read({ order: 'row-major' });
  const tables = await Promise.all(Array.from({ length: 8 }, () => array.read({ order: 'row-major', batchBytes: 2000 })));
  for (const table of tables) assert.deepEqual(table.row(table.length - 1), expected.row(expected.length - 1));
});

test('aggregates are those of the cells', async () => {
  const array = await openArray(url('aggregates_sparse'));
  const values = Array.from((await array.read({ fields: ['v_int32'] })).values('v_int32'));
  const results = await array.aggregate([{ kind: 'count' }, { kind: 'sum', field: 'v_int32', name: 'sum' }, { kind: 'max', field: 'v_int32', name: 'max' }]);
  assert.equal(Number(Object.values(results)[0]), values.length);
  assert.equal(BigInt(results.sum), values.reduce((sum, value) => sum + BigInt(value), 0n));
  assert.equal(results.max, Math.max(...values));
  const none = await array.aggregate([{ kind: 'count' }, { kind: 'min', field: 'v_int32' }, { kind: 'sum', field: 'v_int32' }], { where: 'x > 9 and x < 9' });
  assert.deepEqual(none, { count: 0, 'min(v_int32)': null, 'sum(v_int32)': null });
});

test('metadata of all types', async () => {
  const array = await openArray(url('metadata_all_types'));
  const metadata = await array.metadata();
  assert.ok(Object.keys(metadata).length > 10);
  assert.equal(typeof metadata[Object.keys(metadata).find((key) => key.includes('utf8'))], 'string');
});

test('an array as of an earlier time', async () => {
  const { document } = all.find((own) => own.document.case === 'sparse_multi_fragment_time_travel');
  const early = document.queries.find((query) => query.open?.end !== undefined && query.expect.status === 'COMPLETED' && query.layout === 'row');
  const array = await openArray(url('sparse_multi_fragment_time_travel'), { at: early.open.end, since: early.open.start });
  const now = await openArray(url('sparse_multi_fragment_time_travel'));
  assert.ok(schemaOf(document, early));
  assert.notEqual((await array.read()).length, (await now.read()).length);
});

test('groups and their members', async () => {
  const group = await open(url('group_members'));
  assert.equal(group.kind, 'group');
  const members = await group.members();
  assert.deepEqual(members.map(({ name }) => name).sort(), ['first', 'sub group', null].sort());
  const first = await group.open('first');
  assert.equal(first.kind, 'array');
  const sub = await group.open('sub group');
  assert.equal(sub.kind, 'group');
  await assert.rejects(group.open('missing'), (error) => error.kind === 'NotFound');
});

test('files that the user has chosen', async () => {
  const root = find('dense_attr_float64');
  const entries = [];
  const visit = (path, name) => {
    for (const entry of readdirSync(path)) {
      const whole = join(path, entry);
      if (statSync(whole).isDirectory()) visit(whole, `${name}/${entry}`);
      else entries.push([`${name}/${entry}`, new Blob([readFileSync(whole)])]);
    }
  };
  visit(root, 'my array');
  const array = await new TileDB().open(entries);
  const expected = await (await open(pathToFileURL(root))).read();
  assert.deepEqual((await array.read()).columns, expected.columns);
});

test('encrypted arrays need their key', async () => {
  const { document } = all.find((own) => own.document.case === 'encrypted_sparse');
  await assert.rejects(open(url('encrypted_sparse')), (error) => error.kind === 'EncryptionKey');
  const array = await open(url('encrypted_sparse'), { key: document.encryption.key });
  assert.ok((await array.read()).length > 0);
});

test('mistakes are errors with their kind', async () => {
  const array = await openArray(url('aggregates_sparse'));
  for (const [options, kind] of [
    [{ fields: ['missing'] }, 'NotFound'],
    [{ ranges: { missing: [0, 1] } }, 'NotFound'],
    [{ ranges: { x: ['a', 'b'] } }, 'InvalidArgument'],
    [{ where: 'x >' }, 'InvalidArgument'],
    [{ order: 'random' }, 'InvalidArgument'],
  ]) {
    await assert.rejects(array.read(options), (error) => {
      assert.ok(error instanceof TileDBError, String(error));
      assert.equal(error.kind, kind, error.message);
      return true;
    });
  }
  await assert.rejects(open(pathToFileURL(join(scratch, 'nothing'))), (error) => error.kind === 'NotFound');
  await assert.rejects(open('ftp://host/array'), (error) => error.kind === 'Unsupported');
});
