// Steps, blocks of dense arrays, pyramids, and reads that are divided.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pyramid, openArray, slice } from '../dist/index.js';
import { golden, pathOf, urlOf } from './cases.mjs';

const all = golden('v22');
const caseOf = (name) => all.find(({ document }) => document.case === name);
const find = (name) => pathOf(caseOf(name));
const url = (name) => urlOf(caseOf(name));

/** The cells of a block by a loop over all cells. */
function expectedOf(whole, shape, origin, selection) {
  const axes = shape.map((size, at) => {
    const chosen = selection[at] ?? null;
    if (typeof chosen === 'number') return [chosen - origin[at]];
    const [start, stop, step] = [chosen?.start ?? origin[at], chosen?.stop ?? origin[at] + size, chosen?.step ?? 1];
    const coordinates = [];
    for (let coordinate = start; coordinate < stop; coordinate += step) coordinates.push(coordinate - origin[at]);
    return coordinates;
  });
  let places = [0];
  axes.forEach((axis, at) => (places = places.flatMap((place) => axis.map((coordinate) => place * shape[at] + coordinate))));
  return places.map((place) => whole[place]);
}

const isIntact = ({ queries }) => queries.every(({ expect }) => expect.status !== 'ERROR');
const dense = all.filter(({ document }) => document.kind === 'array' && document.encryption == null && isIntact(document) && document.schemas[0].schema.array_type === 'dense');

test('blocks of dense arrays are those of all their cells', async () => {
  let compared = 0;
  for (const { unpacked, document } of dense) {
    const array = await openArray(urlOf({ unpacked, document }));
    const { dimensions, fields } = array.schema;
    const shape = dimensions.map(({ domain: [low, high] }) => high - low + 1);
    const field = fields.find(({ kind, valuesPerCell }) => kind === 'attribute' && valuesPerCell === 1);
    const isSmall = shape.reduce((product, size) => product * size, 1) <= 20_000;
    if (!dimensions.every(({ type, domain }) => /^U?INT/.test(type) && domain.every(Number.isSafeInteger)) || field === undefined || !isSmall) continue;
    const whole = (await array.slice(field.name)).data;
    const origin = dimensions.map(({ domain }) => domain[0]);
    const selections = [
      dimensions.map((_, at) => slice(origin[at], origin[at] + shape[at], 2)),
      dimensions.map((_, at) => (at % 2 === 0 ? slice(null, null, 3) : null)),
      dimensions.map((_, at) => (at === 0 ? origin[at] : slice(origin[at] + 1, null))),
      dimensions.map((_, at) => slice(origin[at] + 1, origin[at] + Math.max(2, shape[at] - 1), at === 0 ? 1 : 20)),
    ];
    for (const selection of selections) {
      const block = await array.slice(field.name, selection);
      const expected = expectedOf(whole, shape, origin, selection);
      assert.ok(String(block.data) === String(expected), `${document.case} ${JSON.stringify(selection)}`);
      assert.equal(block.shape.reduce((product, size) => product * size, 1), expected.length);
      compared += 1;
    }
    await array.close();
  }
  assert.ok(compared > 40, `${compared} blocks`);
});

test('shapes and strides of blocks', async () => {
  const array = await openArray(url('dense_attr_float64'));
  const { dimensions } = array.schema;
  const block = await array.slice('one', dimensions.map(() => slice(null, null, 2)));
  assert.equal(block.stride.at(-1), 1);
  assert.equal(block.shape.length, dimensions.length);
  const empty = await array.slice('one', [slice(5, 5)]);
  assert.deepEqual([empty.shape[0], empty.data.length], [0, 0]);
  await assert.rejects(array.slice('missing'), (error) => error.kind === 'NotFound');
  await assert.rejects(array.slice('one', [slice(null, null, -1)]), (error) => error.kind === 'InvalidArgument');
  await assert.rejects(array.slice('one', [slice(null, null, 0.5)]), (error) => error.kind === 'InvalidArgument');
  await assert.rejects(array.slice('one', [1e9]), (error) => error.kind === 'InvalidArgument');
});

test('steps of ranges', async () => {
  const array = await openArray(url('aggregates_sparse'));
  const xs = Array.from((await array.read({ fields: ['x'], order: 'row-major' })).values('x'));
  const stepped = await array.read({ fields: ['x'], ranges: { x: { low: 20, high: 60, step: 4 } }, order: 'row-major' });
  assert.deepEqual(Array.from(stepped.values('x')), xs.filter((x) => x >= 20 && x <= 60 && (x - 20) % 4 === 0));
  const open = await array.read({ fields: ['x'], ranges: { x: { low: 20 } }, order: 'row-major' });
  assert.deepEqual(Array.from(open.values('x')), xs.filter((x) => x >= 20));
  const several = await array.read({ fields: ['x'], ranges: { x: [{ low: 0, high: 9 }, { low: 50, high: 80, step: 10 }] }, order: 'row-major' });
  assert.deepEqual(Array.from(several.values('x')), xs.filter((x) => x <= 9 || (x >= 50 && x <= 80 && x % 10 === 0)));
  for (const step of [0, -1, 1.5, NaN]) {
    await assert.rejects(array.read({ ranges: { x: { low: 0, high: 9, step } } }), (error) => error.kind === 'InvalidArgument', String(step));
  }
});

/** A group in memory, as pyramids see it. */
function group(metadata, arrays) {
  return {
    uri: 'group',
    metadata: async () => metadata,
    members: async () => Object.keys(arrays).map((name) => ({ name, uri: name, kind: 'array' })),
    open: async (name) => ({ kind: 'array', name, schema: { dimensions: arrays[name].map((size, at) => ({ name: `d${at}`, domain: [0, size - 1] })) }, close: async () => {} }),
  };
}

test('levels of a pyramid by the names of arrays', async () => {
  const image = await Pyramid.of(group({}, { 'l_10.tdb': [3, 1, 1], 'l_0.tdb': [3, 1024, 2048], 'l_1.tdb': [3, 512, 1024], other: [1], 'l_2.tdb': [3, 256, 512] }), {});
  assert.deepEqual(image.levels.map(({ name }) => name), ['l_0.tdb', 'l_1.tdb', 'l_2.tdb', 'l_10.tdb']);
  assert.deepEqual(image.levels[1].scale, [1, 2, 2]);
  assert.deepEqual([0.5, 1, 2, 3, 4, 5000].map((cells) => image.levelFor(cells).name), ['l_0.tdb', 'l_0.tdb', 'l_1.tdb', 'l_1.tdb', 'l_2.tdb', 'l_10.tdb']);
  assert.equal((await image.open(1)).name, 'l_1.tdb');
  await assert.rejects(image.open(7), (error) => error.kind === 'NotFound');
  await assert.rejects(Pyramid.of(group({}, { image: [1, 1] }), {}), (error) => error.kind === 'NotFound');
});

test('levels of a pyramid by the metadata of OME-Zarr open no array', async () => {
  const datasets = [['full', 0.5], ['half', 1], ['quarter', 2]].map(([path, size]) => ({ path, coordinateTransformations: [{ type: 'scale', scale: [1, size, size] }] }));
  const described = group({ multiscales: JSON.stringify([{ version: '0.4', axes: [], datasets }]) }, { full: [1, 8, 8], half: [1, 4, 4], quarter: [1, 2, 2] });
  const image = await Pyramid.of({ ...described, members: () => assert.fail(), open: () => assert.fail() }, {});
  assert.deepEqual(image.levels, [{ name: 'full', scale: [1, 1, 1] }, { name: 'half', scale: [1, 2, 2] }, { name: 'quarter', scale: [1, 4, 4] }]);
  assert.equal(image.levelFor(2).name, 'half');
  await assert.rejects(Pyramid.of(group({ multiscales: '[{}]' }, {}), {}), (error) => error.kind === 'Corrupt');
  await assert.rejects(Pyramid.of(group({ multiscales: 'x' }, {}), {}), (error) => error.kind === 'Corrupt');
});
