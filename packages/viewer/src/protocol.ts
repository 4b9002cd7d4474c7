/** Messages between the page and the worker in which the engine runs. */
import type { ArraySchema, CellValue, FieldInfo, Member, Metadata, ReadOptions, Scalar, TypedArray } from './engine/index.js';

/** An array or group that the worker has opened. */
export interface Opened {
  handle: number;
  kind: 'array' | 'group';
  uri: string;
  schema?: ArraySchema;
}

/** Cells of a read. Columns are transferred, not copied. */
export interface CellsMessage {
  length: number;
  columns: ColumnMessage[];
  /** Whether the read was ended by a limit. */
  isTruncated: boolean;
}

export interface ColumnMessage {
  field: FieldInfo;
  values: TypedArray;
  offsets: Uint32Array | undefined;
  validity: Uint8Array | undefined;
}

/** The limits of a read, whatever the array says. */
export interface ReadLimits {
  maxCells: number;
  maxBytes: number;
}

export type Selection = Pick<ReadOptions, 'fields' | 'ranges' | 'where' | 'order' | 'batchBytes'>;

/** What can be opened: an address, or the files of a folder with their paths. */
export type Source = string | [string, File][];

/** Requests by name: what they take, and what they return. */
export interface Operations {
  open: [{ source: Source; at?: number }, Opened];
  metadata: [{ handle: number }, Metadata];
  domain: [{ handle: number }, Record<string, [Scalar, Scalar]> | null];
  members: [{ handle: number }, Member[]];
  enumeration: [{ handle: number; name: string }, CellValue[]];
  read: [{ handle: number; selection: Selection; limits: ReadLimits }, CellsMessage];
  /** Begins a read that goes on batch by batch. */
  begin: [{ handle: number; selection: Selection }, number];
  next: [{ cursor: number; maxBytes: number }, CellsMessage | null];
  end: [{ cursor: number }, null];
  close: [{ handle: number }, null];
}

export type Operation = keyof Operations;

export type ToWorker =
  | { kind: 'call'; id: number; operation: Operation; request: unknown }
  | { kind: 'abort'; id: number }
  | { kind: 'ping' };

export type FromWorker =
  | { kind: 'result'; id: number; value: unknown; memoryBytes: number }
  | { kind: 'error'; id: number; error: { kind: string; message: string } }
  | { kind: 'pong' };
