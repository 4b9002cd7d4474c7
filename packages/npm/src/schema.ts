/** A dimension, an attribute or a label, as reads return it. */
export interface FieldInfo {
  name: string;
  kind: 'dimension' | 'attribute' | 'label' | 'aggregate' | 'timestamps';
  /** The datatype, such as `FLOAT64` or `STRING_UTF8`. */
  type: string;
  /** Bytes of a value. */
  size: number;
  /** Values per cell; null for any number, such as texts. */
  valuesPerCell: number | null;
  nullable: boolean;
  /** The enumeration whose values the cells refer to. */
  enumeration: string | null;
}

export interface FilterInfo {
  type: string;
  [option: string]: unknown;
}

/** What JSON says about a dimension or an attribute, as `tiledb-rs schema --format json` prints it. */
export interface SchemaPart {
  name: string;
  type: string;
  domain?: [unknown, unknown];
  tile?: unknown;
  filters?: FilterInfo[];
  [property: string]: unknown;
}

/** The schema of an array. */
export interface ArraySchema {
  array_type: 'dense' | 'sparse';
  dimensions: SchemaPart[];
  attributes: SchemaPart[];
  /** All fields that reads return. */
  fields: FieldInfo[];
  [property: string]: unknown;
}

/** A value of metadata, of a range or of an aggregate. */
export type Scalar = number | bigint | boolean | string | Uint8Array;

/** Metadata by keys: texts, and lists of values. */
export type Metadata = Record<string, string | Uint8Array | Scalar[]>;

/** Converts a value of the engine. @internal */
export function scalarOf(json: any): Scalar {
  if (json === null || typeof json !== 'object') return json;
  if (json.bigint !== undefined) return BigInt(json.bigint);
  if (json.number !== undefined) return Number(json.number);
  return Uint8Array.from(json.bytes);
}
