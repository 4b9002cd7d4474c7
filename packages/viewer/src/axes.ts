/** The dimensions of a dense array as axes with positions from 0 on. */
import { TileDBError } from './engine/index.js';
import type { FieldInfo, Scalar } from './engine/index.js';
import type { OpenArray } from './client.js';
import { valueText } from './texts.js';

export interface Axis {
  name: string;
  type: string;
  /** The coordinate of position 0. */
  low: bigint;
  length: number;
  /** Cells of a tile in this dimension. */
  tile: number;
}

/** The axes of the cells that were written. */
export async function axesOf(array: OpenArray): Promise<Axis[]> {
  const domain = await array.nonEmptyDomain();
  if (domain === null) throw new TileDBError('NotFound', 'The array has no cells yet');
  return array.schema.dimensions.map(({ name, type, tile }) => {
    const range = domain[name];
    if (range === undefined) throw new TileDBError('Schema', `The dimension '${name}' has no range`);
    const [low, high] = [integer(range[0]), integer(range[1])];
    const length = Number(high - low) + 1;
    return { name, type, low, length, tile: Math.max(1, Math.min(Number(tile) || length, length)) };
  });
}

function integer(value: Scalar): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new TileDBError('Unsupported', `${String(value)} is no coordinate of a dense array`);
}

export function coordinate({ low }: Axis, position: number): bigint {
  return low + BigInt(Math.floor(position));
}

export function coordinateText(axis: Axis, position: number): string {
  return valueText(coordinate(axis, position), axis.type);
}

/** The range of one position. */
export function single(axis: Axis, position: number): [bigint, bigint] {
  const value = coordinate(axis, position);
  return [value, value];
}

/** Every `step`th of the positions from `start` on. */
export function stepped(axis: Axis, start: number, count: number, step: number): [bigint, bigint][] {
  if (step === 1) return [[coordinate(axis, start), coordinate(axis, start + count - 1)]];
  return Array.from({ length: count }, (_, at) => single(axis, start + at * step));
}

/** Whether the cells of a field are single numbers. */
export function isNumeric({ type, valuesPerCell }: FieldInfo): boolean {
  return valuesPerCell === 1 && /^(U?INT(8|16|32|64)|FLOAT(32|64)|BOOL|DATETIME_.*|TIME_.*)$/.test(type);
}

export function isText({ type, valuesPerCell }: FieldInfo): boolean {
  return /^(STRING_.*|CHAR)$/.test(type) && (valuesPerCell === null || valuesPerCell >= 1);
}

/** Values that stand for cells that were never written, where they are not values of pictures, too. */
export function fillOf(type: string): number | undefined {
  switch (type) {
    case 'INT8':
      return -128;
    case 'INT16':
      return -32_768;
    case 'INT32':
      return -2_147_483_648;
    case 'INT64':
      return -9_223_372_036_854_775_808;
    case 'UINT32':
      return 4_294_967_295;
    case 'UINT64':
      return 18_446_744_073_709_551_615;
  }
  return type.startsWith('DATETIME_') || type.startsWith('TIME_') ? -9_223_372_036_854_775_808 : undefined;
}
