/** Values, coordinates and sizes as texts. */
import type { CellValue, Scalar } from './engine/index.js';

/** Milliseconds of a unit of dates; shorter units are fractions. */
const UNIT_MS: Record<string, number> = {
  WEEK: 604_800_000,
  DAY: 86_400_000,
  HR: 3_600_000,
  MIN: 60_000,
  SEC: 1_000,
  MS: 1,
  US: 1e-3,
  NS: 1e-6,
  PS: 1e-9,
  FS: 1e-12,
  AS: 1e-15,
};
/** Dates that JavaScript has. */
const MAX_DATE_MS = 8.64e15;

/** A date in ISO 8601, as short as its unit; its number where it is out of the range of calendars. */
export function dateText(value: bigint, unit: string): string {
  if (unit === 'YEAR') return String(1970n + value);
  if (unit === 'MONTH') {
    const months = 1970n * 12n + value;
    return `${months / 12n}-${String((months % 12n) + 1n).padStart(2, '0')}`;
  }
  const milliseconds = Number(value) * (UNIT_MS[unit] ?? NaN);
  if (!(Math.abs(milliseconds) <= MAX_DATE_MS)) return String(value);
  const text = new Date(milliseconds).toISOString();
  switch (unit) {
    case 'WEEK':
    case 'DAY':
      return text.slice(0, 10);
    case 'HR':
    case 'MIN':
      return text.slice(0, 16).replace('T', ' ');
    case 'SEC':
      return text.slice(0, 19).replace('T', ' ');
    case 'MS':
      return text.slice(0, 23).replace('T', ' ');
  }
  // More digits than a date has.
  const perSecond = BigInt(Math.round(1_000 / UNIT_MS[unit]!));
  const fraction = ((value % perSecond) + perSecond) % perSecond;
  const digits = String(fraction).padStart(String(perSecond).length - 1, '0').replace(/0+$/, '');
  const seconds = new Date(Math.floor(milliseconds / 1_000) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  return digits === '' ? seconds : `${seconds}.${digits}`;
}

/** The unit of a type of dates. */
export function dateUnit(type: string): string | undefined {
  return type.startsWith('DATETIME_') ? type.slice('DATETIME_'.length) : undefined;
}

function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return String(Number(value.toPrecision(9)));
}

/** A cell or a coordinate. */
export function valueText(value: CellValue | Scalar | undefined, type = ''): string {
  if (value === null || value === undefined) return 'null';
  const unit = dateUnit(type);
  if (typeof value === 'bigint') return unit === undefined ? String(value) : value === -(2n ** 63n) ? 'NaT' : dateText(value, unit);
  if (typeof value === 'number') return unit === undefined ? numberText(value) : dateText(BigInt(Math.round(value)), unit);
  if (typeof value === 'object') {
    const shown = Array.from(value as ArrayLike<number | bigint>).slice(0, 64).map((part) => valueText(part, type)).join(', ');
    return value.length > 64 ? `[${shown}, … ${value.length} values]` : `[${shown}]`;
  }
  return String(value);
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** A number of things. */
export function counted(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? '' : 's'}`;
}
