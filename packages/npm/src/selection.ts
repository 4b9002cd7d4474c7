import { TileDBError } from './errors.js';
import type { Scalar } from './schema.js';

/** Every `step`-th coordinate from `low` to `high`, both included; without an end, the domain's. */
export interface SteppedRange {
  low?: Scalar | null;
  high?: Scalar | null;
  /** Distance of the coordinates, an integer from 1 on; dates have that of their unit. */
  step?: number;
}

/** Both ends of a range are included; null is the end of the domain. A single value is a range of one coordinate. */
export type Range = readonly [Scalar | null, Scalar | null] | SteppedRange | number | bigint | string;

/** Which cells are read. */
export interface Selection {
  /** Ranges by dimension or dimension label; a dimension may have several. Dates are texts in ISO 8601. */
  ranges?: Record<string, Range | readonly Range[]>;
  /** A condition, such as `delay > 60 and origin in ('JFK', 'EWR')`. */
  where?: string;
  signal?: AbortSignal;
}

function bound(value: Scalar | null | undefined): unknown {
  if (value instanceof Uint8Array) throw new TileDBError('InvalidArgument', 'Ranges of bytes are given as texts');
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return value ?? null;
}

function boundsOf(range: Range): unknown[] {
  if (Array.isArray(range)) return [bound(range[0]), bound(range[1])];
  if (typeof range !== 'object' || range instanceof Uint8Array) return [bound(range as Scalar), bound(range as Scalar)];
  const { low, high, step = 1 } = range as SteppedRange;
  if (!Number.isSafeInteger(step) || step < 1) throw new TileDBError('InvalidArgument', `Ranges have no step ${step}; steps are integers from 1 on`);
  return [bound(low), bound(high), step];
}

/** A selection as the engine takes it. @internal */
export function selectionOf({ ranges, where }: Selection): Record<string, unknown> {
  const list = (given: Range | readonly Range[]) => {
    const isList = Array.isArray(given) && (given.length !== 2 || given.some((part) => part !== null && typeof part === 'object'));
    return isList ? (given as readonly Range[]).map(boundsOf) : [boundsOf(given as Range)];
  };
  const entries = Object.entries(ranges ?? {}).map(([name, given]) => [name, list(given)]);
  return { ranges: Object.fromEntries(entries), where };
}
