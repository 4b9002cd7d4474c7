// Slices of dense arrays as blocks, in the terms of other array libraries.
import type { Table, TypedArray } from './columns.js';
import { TileDBError } from './errors.js';
import type { ArraySchema } from './schema.js';
import type { SteppedRange } from './selection.js';

/** Coordinates from `start` on and below `stop`, in steps; null is an end of the domain. */
export interface Slice {
  start: number | null;
  stop: number | null;
  step: number | null;
}

/** What is selected of a dimension: a slice, one coordinate, which removes the dimension from the result, or null for all. */
export type SliceSelection = Slice | number | null;

/** Cells of a dense array as a block in row-major order. */
export interface Block {
  data: TypedArray;
  /** Number of cells in each dimension; the last one is that of values per cell, where cells have several. */
  shape: number[];
  /** Distance of neighbours in `data` by dimension. */
  stride: number[];
  /** For nullable fields: 0 where the cell is null. */
  validity: Uint8Array | undefined;
}

/** The coordinates from `start` on and below `stop`; with one argument those below it. */
export function slice(stop: number | null): Slice;
export function slice(start: number | null, stop: number | null, step?: number | null): Slice;
export function slice(start: number | null, ...more: (number | null | undefined)[]): Slice {
  if (more.length === 0) return { start: null, stop: start, step: null };
  return { start, stop: more[0] ?? null, step: more[1] ?? null };
}

/** Steps up to this one are cheaper to pick from whole rows than to read cell by cell. */
const MAX_PICKED_STEP = 8;

/** How a block is read. @internal */
export interface SlicePlan {
  /** Undefined if no cells are selected. */
  ranges: Record<string, SteppedRange> | undefined;
  shape: number[];
  /** Cells of a row that is read, and every which one is picked. */
  row: number;
  pick: number;
}

/** @internal */
export function planOf(schema: ArraySchema, selection: readonly SliceSelection[]): SlicePlan {
  const { dimensions } = schema;
  if (schema.array_type !== 'dense') throw new TileDBError('InvalidArgument', 'Slices are of dense arrays; this one is sparse');
  if (selection.length > dimensions.length) {
    throw new TileDBError('InvalidArgument', `There are ${dimensions.length} dimensions, but slices of ${selection.length}`);
  }
  const ranges: Record<string, SteppedRange> = {};
  const shape: number[] = [];
  const counts: number[] = [];
  let stepped = 0;
  let lastStep = 1;
  for (const [at, { name, type, domain }] of dimensions.entries()) {
    const [low, high] = (domain ?? []) as number[];
    if (!/^U?INT/.test(type) || !Number.isSafeInteger(low) || !Number.isSafeInteger(high)) {
      throw new TileDBError('InvalidArgument', `Dimension '${name}' of type ${type} has no slices; use ranges`);
    }
    const selected = selection[at] ?? null;
    if (typeof selected === 'number') {
      ranges[name] = { low: selected, high: selected };
      counts.push(1);
      lastStep = 1;
      continue;
    }
    const step = selected?.step ?? 1;
    if (!Number.isSafeInteger(step) || step < 1) throw new TileDBError('InvalidArgument', `Slices have no step ${step}; steps are integers from 1 on`);
    const first = selected?.start ?? low!;
    const end = selected?.stop ?? high! + 1;
    const count = Math.max(0, Math.ceil((end - first) / step));
    ranges[name] = { low: first, high: first + (count - 1) * step, step };
    counts.push(count);
    shape.push(count);
    lastStep = step;
    if (step > 1) stepped += 1;
  }
  const last = dimensions.at(-1)!.name;
  const isPicked = stepped > 1 && lastStep > 1 && lastStep <= MAX_PICKED_STEP;
  const count = counts.at(-1)!;
  if (isPicked) ranges[last] = { ...ranges[last], step: 1 };
  return {
    ranges: counts.includes(0) ? undefined : ranges,
    shape,
    row: isPicked ? (count - 1) * lastStep + 1 : count,
    pick: isPicked ? lastStep : 1,
  };
}

/** The block of what was read for a plan. @internal */
export function blockOf({ shape, row, pick }: SlicePlan, table: Table, field: string): Block {
  const column = table.column(field);
  const { valuesPerCell } = column.field;
  if (valuesPerCell === null) throw new TileDBError('InvalidArgument', `Cells of field '${field}' have any number of values; read it by columns`);
  const data = picked(column.values, row, pick, valuesPerCell);
  const validity = column.validity && (picked(column.validity, row, pick, 1) as Uint8Array);
  const whole = valuesPerCell === 1 ? [...shape] : [...shape, valuesPerCell];
  const stride = whole.map((_, at) => whole.slice(at + 1).reduce((product, size) => product * size, 1));
  return { data, shape: whole, stride, validity };
}

function picked(values: TypedArray, row: number, pick: number, size: number): TypedArray {
  if (pick === 1) return values;
  const rows = values.length / (row * size);
  const kept = Math.ceil(row / pick);
  const result = new (values.constructor as { new (length: number): TypedArray })(rows * kept * size);
  let to = 0;
  for (let start = 0; start < values.length; start += row * size) {
    for (let cell = 0; cell < row; cell += pick) {
      for (let part = 0; part < size; part += 1) result[to++] = values[start + cell * size + part]!;
    }
  }
  return result;
}
