/** Cells as points: two fields as coordinates, of numbers or of texts. */
import type { Column, FieldInfo } from './engine/index.js';
import { isNumeric, isText } from './axes.js';
import { numbersOf } from './blocks.js';
import { MAX_CATEGORIES } from './limits.js';
import { dateUnit, valueText } from './texts.js';

/** Values of a field as numbers: those of texts are positions in their sorted list, each of the length 1. */
export interface Coordinates {
  field: FieldInfo;
  values: Float64Array;
  categories: string[] | undefined;
  low: number;
  high: number;
  /** From the value of a cell to the middle of its unit, which integers, dates and texts have. */
  center: number;
}

export function canBeCoordinate(field: FieldInfo): boolean {
  return field.kind !== 'label' && (isNumeric(field) || isText(field));
}

export function textAt(column: Column, row: number): string {
  try {
    return valueText(column.get(row), column.field.type);
  } catch {
    // Code points that there are not, and texts longer than a call takes.
    return '\ufffd';
  }
}

export function coordinatesOf(column: Column, names?: string[]): Coordinates {
  const { field, length } = column;
  if (isNumeric(field) && names === undefined) {
    const number = numbersOf(column);
    const values = Float64Array.from({ length }, (_, row) => number(row));
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low > high) [low, high] = [0, 1];
    // Integers and dates have the length of their unit.
    const isWhole = !field.type.startsWith('FLOAT');
    if (isWhole) high += 1;
    else if (low === high) high = low + 1;
    return { field, values, categories: undefined, low, high, center: isWhole ? 0.5 : 0 };
  }
  const texts = Array.from({ length }, (_, row) => {
    if (names === undefined || column.isNull(row)) return textAt(column, row);
    return names[Number(column.values[row])] ?? textAt(column, row);
  });
  const categories = [...new Set(texts)].sort();
  categories.length = Math.min(categories.length, MAX_CATEGORIES);
  const position = new Map(categories.map((text, at) => [text, at]));
  const values = Float64Array.from(texts, (text) => position.get(text) ?? NaN);
  return { field, values, categories, low: 0, high: Math.max(1, categories.length), center: 0.5 };
}

/** A coordinate as text. */
export function placeText({ field, categories }: Coordinates, value: number): string {
  if (categories !== undefined) return categories[Math.floor(value)] ?? '';
  const isWhole = !field.type.startsWith('FLOAT');
  if (dateUnit(field.type) !== undefined) return valueText(BigInt(Math.floor(value)), field.type);
  return valueText(isWhole ? Math.floor(value) : value);
}

/** The range of a dimension that covers a part of the plane. */
export function rangeOf({ field, categories }: Coordinates, from: number, to: number): [number | bigint | string, number | bigint | string] | undefined {
  if (field.kind !== 'dimension') return undefined;
  if (categories !== undefined) {
    const [low, high] = [Math.max(0, Math.floor(from)), Math.min(categories.length, Math.ceil(to)) - 1];
    return low > high ? undefined : [categories[low]!, categories[high]!];
  }
  return field.type.startsWith('FLOAT') ? [from, to] : [BigInt(Math.floor(from)), BigInt(Math.ceil(to) - 1)];
}
