import type { FieldInfo } from './schema.js';

/** Values of a field in memory. Dates, times and integers of 64 bits are `BigInt`s. */
export type TypedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** A cell: a number, a text, or the values of a cell that has several; null where the cell is null. */
export type CellValue = number | bigint | boolean | string | TypedArray | null;

/** Where a column is in the memory of the module: address and length in bytes. */
export interface ColumnPlace {
  data: [number, number];
  offsets: [number, number] | null;
  validity: [number, number] | null;
}

type ArrayConstructor = { new (buffer: ArrayBuffer): TypedArray; BYTES_PER_ELEMENT: number };

function constructorOf(type: string): ArrayConstructor {
  switch (type) {
    case 'INT8':
      return Int8Array;
    case 'INT16':
      return Int16Array;
    case 'UINT16':
    case 'STRING_UTF16':
    case 'STRING_UCS2':
      return Uint16Array;
    case 'INT32':
      return Int32Array;
    case 'UINT32':
    case 'STRING_UTF32':
    case 'STRING_UCS4':
      return Uint32Array;
    case 'INT64':
      return BigInt64Array;
    case 'UINT64':
      return BigUint64Array;
    case 'FLOAT32':
      return Float32Array;
    case 'FLOAT64':
      return Float64Array;
  }
  return type.startsWith('DATETIME_') || type.startsWith('TIME_') ? BigInt64Array : Uint8Array;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const VALID_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const TEXTS: Record<string, TextDecoder> = {
  STRING_ASCII: UTF8,
  STRING_UTF8: UTF8,
  GEOM_WKT: UTF8,
  STRING_UTF16: UTF16,
  STRING_UCS2: UTF16,
};

/** Bytes of the datatype CHAR, which mostly are text, but need not be. */
function textOfBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return VALID_UTF8.decode(bytes);
  } catch {
    return bytes;
  }
}

/** The values of a field in the cells of a batch. */
export class Column {
  readonly field: FieldInfo;
  /** Number of cells. */
  readonly length: number;
  /** All values, cell after cell. Null cells have the fill value. */
  readonly values: TypedArray;
  /** For a variable number of values per cell: where the values of each cell begin, and where those of the last end. */
  readonly offsets: Uint32Array | undefined;
  /** For nullable fields: 0 where the cell is null. */
  readonly validity: Uint8Array | undefined;

  /** @internal */
  constructor(field: FieldInfo, values: TypedArray, offsets: Uint32Array | undefined, validity: Uint8Array | undefined) {
    this.field = field;
    this.values = values;
    this.offsets = offsets;
    this.validity = validity;
    this.length = offsets === undefined ? values.length / (field.valuesPerCell ?? 1) : offsets.length - 1;
  }

  /** Copies a column from the memory of the module. @internal */
  static copy(field: FieldInfo, place: ColumnPlace, memory: WebAssembly.Memory): Column {
    const bytes = ([start, length]: [number, number]) => memory.buffer.slice(start, start + length) as ArrayBuffer;
    const values = new (constructorOf(field.type))(bytes(place.data));
    const { offsets, validity } = place;
    let starts: Uint32Array | undefined;
    if (offsets !== null) {
      // Offsets have 64 bits, of which the memory of the module needs 32.
      const words = new Uint32Array(bytes(offsets));
      const size = values.BYTES_PER_ELEMENT;
      starts = new Uint32Array(words.length / 2);
      for (let cell = 0; cell < starts.length; cell += 1) starts[cell] = words[2 * cell]! / size;
    }
    return new Column(field, values, starts, validity === null ? undefined : new Uint8Array(bytes(validity)));
  }

  /** The column of several batches. @internal */
  static concatenate(parts: Column[]): Column {
    const [first] = parts;
    if (first === undefined || parts.length === 1) return first!;
    const values = joined(parts.map((part) => part.values));
    const validity = first.validity && (joined(parts.map((part) => part.validity!)) as Uint8Array);
    let offsets: Uint32Array | undefined;
    if (first.offsets !== undefined) {
      offsets = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 1));
      let cell = 0;
      let start = 0;
      for (const part of parts) {
        for (let row = 0; row < part.length; row += 1) offsets[cell + row] = start + part.offsets![row]!;
        cell += part.length;
        start += part.values.length;
      }
      offsets[cell] = start;
    }
    return new Column(first.field, values, offsets, validity);
  }

  /** The first cells. @internal */
  head(rows: number): Column {
    if (rows >= this.length) return this;
    const end = this.offsets === undefined ? rows * (this.field.valuesPerCell ?? 1) : this.offsets[rows]!;
    return new Column(this.field, this.values.slice(0, end) as TypedArray, this.offsets?.slice(0, rows + 1), this.validity?.slice(0, rows));
  }

  /** Whether a cell is null. */
  isNull(row: number): boolean {
    return this.validity !== undefined && this.validity[row] === 0;
  }

  /** A cell: texts as strings, single values as numbers, several values as a typed array. */
  get(row: number): CellValue {
    if (row < 0 || row >= this.length) throw new RangeError(`There is no row ${row}; there are ${this.length}`);
    if (this.isNull(row)) return null;
    const { type, valuesPerCell } = this.field;
    if (this.offsets === undefined && valuesPerCell === 1 && type !== 'CHAR') {
      const value = this.values[row]!;
      return type === 'BOOL' ? value !== 0 : value;
    }
    const start = this.offsets === undefined ? row * valuesPerCell! : this.offsets[row]!;
    const end = this.offsets === undefined ? start + valuesPerCell! : this.offsets[row + 1]!;
    const values = this.values.subarray(start, end);
    const decoder = TEXTS[type];
    if (type === 'CHAR') return textOfBytes(values as Uint8Array);
    if (decoder !== undefined) return decoder.decode(values as Uint8Array);
    if (type === 'STRING_UTF32' || type === 'STRING_UCS4') return String.fromCodePoint(...(values as Uint32Array));
    return values as TypedArray;
  }

  /** All cells. */
  toArray(): CellValue[] {
    return Array.from({ length: this.length }, (_, row) => this.get(row));
  }

  *[Symbol.iterator](): IterableIterator<CellValue> {
    for (let row = 0; row < this.length; row += 1) yield this.get(row);
  }
}

function joined(parts: TypedArray[]): TypedArray {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = new (parts[0]!.constructor as { new (length: number): TypedArray })(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part as any, at);
    at += part.length;
  }
  return whole;
}

/** Cells, as one column per field. */
export class Table {
  readonly columns: Readonly<Record<string, Column>>;
  /** Number of cells. */
  readonly length: number;

  /** @internal */
  constructor(columns: Column[], length: number) {
    this.columns = Object.fromEntries(columns.map((column) => [column.field.name, column]));
    this.length = length;
  }

  /** The names of the fields. */
  get fields(): string[] {
    return Object.keys(this.columns);
  }

  /** The column of a field. */
  column(name: string): Column {
    const column = this.columns[name];
    if (column === undefined) throw new RangeError(`There is no field '${name}'; there are: ${this.fields.join(', ')}`);
    return column;
  }

  /** The values of a field. */
  values(name: string): TypedArray {
    return this.column(name).values;
  }

  /** A row as an object. */
  row(row: number): Record<string, CellValue> {
    return Object.fromEntries(this.fields.map((name) => [name, this.columns[name]!.get(row)]));
  }
}
