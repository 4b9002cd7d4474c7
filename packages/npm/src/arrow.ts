// Apache Arrow's format of streams (https://arrow.apache.org/docs/format/Columnar.html), written from columns.
import { Column } from './columns.js';
import type { Table, TypedArray } from './columns.js';
import { TileDBError } from './errors.js';
import { FlatbufferBuilder } from './flatbuffer.js';
import type { Position, Slot } from './flatbuffer.js';
import type { FieldInfo } from './schema.js';

/** The values of an enumeration. */
export interface EnumerationValues {
  column: Column;
  ordered: boolean;
}

const METADATA_VERSION = 4;
const SCHEMA = 1;
const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;

const bool = (value: boolean): Slot => ({ bytes: 1, value: Number(value) });
const byte = (value: number): Slot => ({ bytes: 1, value });
const short = (value: number): Slot => ({ bytes: 2, value });
const int = (value: number): Slot => ({ bytes: 4, value });
const long = (value: number): Slot => ({ bytes: 8, value });

/** A type of Arrow: its number in the union of types, and the fields of its table. */
type ArrowType = [number, Slot[]];

const BINARY: ArrowType = [4, []];
const UTF8: ArrowType = [5, []];
const LIST: ArrowType = [12, []];
const integer = (bits: number, signed: boolean): ArrowType => [2, [int(bits), bool(signed)]];
const fixedSizeBinary = (width: number): ArrowType => [15, [int(width)]];
const fixedSizeList = (length: number): ArrowType => [16, [int(length)]];

/** The type of a single value. Times of units that Arrow does not have in 64 bits are numbers. */
function typeOfValue(type: string): ArrowType {
  switch (type) {
    case 'INT8':
      return integer(8, true);
    case 'INT16':
      return integer(16, true);
    case 'UINT16':
    case 'STRING_UTF16':
    case 'STRING_UCS2':
      return integer(16, false);
    case 'INT32':
      return integer(32, true);
    case 'UINT32':
    case 'STRING_UTF32':
    case 'STRING_UCS4':
      return integer(32, false);
    case 'UINT64':
      return integer(64, false);
    case 'FLOAT32':
      return [3, [short(1)]];
    case 'FLOAT64':
      return [3, [short(2)]];
    case 'BOOL':
      return [6, []];
    case 'TIME_US':
      return [9, [short(2), int(64)]];
    case 'TIME_NS':
      return [9, [short(3), int(64)]];
    case 'DATETIME_SEC':
    case 'DATETIME_MS':
    case 'DATETIME_US':
    case 'DATETIME_NS':
      return [10, [short(['SEC', 'MS', 'US', 'NS'].indexOf(type.slice('DATETIME_'.length)))]];
  }
  return type === 'INT64' || /^(DATETIME|TIME)_/.test(type) ? integer(64, true) : integer(8, false);
}

const isText = (type: string) => ['STRING_ASCII', 'STRING_UTF8', 'GEOM_WKT'].includes(type);
const isBytes = (type: string) => isText(type) || ['CHAR', 'BLOB', 'GEOM_WKB', 'ANY'].includes(type);

/** The type of cells, and that of their values if they are lists. */
function typeOfCells({ type, valuesPerCell }: FieldInfo): { own: ArrowType; item?: ArrowType } {
  if (valuesPerCell === null) {
    if (isBytes(type)) return { own: isText(type) ? UTF8 : BINARY };
    return { own: LIST, item: typeOfValue(type) };
  }
  if (isBytes(type)) return { own: fixedSizeBinary(valuesPerCell) };
  if (valuesPerCell === 1) return { own: typeOfValue(type) };
  return { own: fixedSizeList(valuesPerCell), item: typeOfValue(type) };
}

/** The buffers of a batch and the nodes of its columns, in the order of the format. */
class Body {
  readonly nodes: [number, number][] = [];
  readonly buffers: [number, number][] = [];
  readonly parts: Uint8Array[] = [];
  length = 0;

  add(values: ArrayBufferView | undefined): void {
    const bytes = values === undefined ? new Uint8Array() : new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.buffers.push([this.length, bytes.length]);
    const padding = -bytes.length & 7;
    this.parts.push(bytes, new Uint8Array(padding));
    this.length += bytes.length + padding;
  }

  /** A column; `validity` as bytes. */
  column(column: Column, validity: Uint8Array | undefined): void {
    const { field, values, offsets, length } = column;
    const nulls = validity === undefined ? 0 : validity.reduce((sum, valid) => sum + (valid === 0 ? 1 : 0), 0);
    this.nodes.push([length, nulls]);
    this.add(nulls === 0 ? undefined : bitsOf(validity!));
    if (offsets !== undefined) {
      if (isText(field.type)) checkText(column);
      this.add(offsets);
    }
    if (isBytes(field.type) || (offsets === undefined && field.valuesPerCell === 1)) {
      return this.add(field.type === 'BOOL' ? bitsOf(values as Uint8Array) : values);
    }
    this.nodes.push([values.length, 0]);
    this.add(undefined);
    this.add(field.type === 'BOOL' ? bitsOf(values as Uint8Array) : values);
  }
}

function bitsOf(bytes: Uint8Array): Uint8Array {
  const bits = new Uint8Array((bytes.length + 7) >> 3);
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== 0) bits[at >> 3]! |= 1 << (at & 7);
  return bits;
}

/** Texts of Arrow are valid UTF-8. */
function checkText({ field, values, offsets }: Column): void {
  const bytes = values as Uint8Array;
  if (!bytes.some((value) => value > 127)) return;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new TileDBError('InvalidArgument', `Field '${field.name}' has text that is not UTF-8; read it by columns`, { cause: error });
  }
  for (const start of offsets!) {
    if ((bytes[start]! & 0xc0) === 0x80) {
      throw new TileDBError('InvalidArgument', `A cell of field '${field.name}' begins within a character of UTF-8; read it by columns`);
    }
  }
}

/** Writes the messages of a stream: its schema and dictionaries, then batches, then the end. */
export class ArrowWriter {
  readonly #fields: FieldInfo[];
  readonly #enumerations: Map<string, EnumerationValues>;

  /** `enumerations` by the names of fields. */
  constructor(fields: FieldInfo[], enumerations: Map<string, EnumerationValues>) {
    this.#fields = fields;
    this.#enumerations = enumerations;
  }

  /** The first messages of the stream. */
  begin(): Uint8Array {
    const builder = new FlatbufferBuilder();
    const fields = this.#fields.map((field, id) => this.#field(builder, field, id));
    const schema = builder.table([short(0), builder.references(fields)]);
    const parts = message(builder, SCHEMA, schema, []);
    this.#fields.forEach((field, id) => {
      const values = this.#enumerations.get(field.name);
      if (values === undefined) return;
      const body = new Body();
      body.column(values.column, undefined);
      const builder = new FlatbufferBuilder();
      const batch = recordBatch(builder, values.column.length, body);
      parts.push(...message(builder, DICTIONARY_BATCH, builder.table([long(id), batch]), body.parts));
    });
    return joined(parts);
  }

  batch(table: Table): Uint8Array {
    const body = new Body();
    for (const { name } of this.#fields) {
      const column = table.column(name);
      const values = this.#enumerations.get(name);
      if (values === undefined) body.column(column, column.validity);
      else indexes(body, column, values.column.length);
    }
    const builder = new FlatbufferBuilder();
    return joined(message(builder, RECORD_BATCH, recordBatch(builder, table.length, body), body.parts));
  }

  end(): Uint8Array {
    return new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]);
  }

  #field(builder: FlatbufferBuilder, field: FieldInfo, id: number): Position {
    const values = this.#enumerations.get(field.name);
    const { own, item } = typeOfCells(values?.column.field ?? field);
    const key = builder.table([builder.string('tiledb.datatype'), builder.string(field.type)]);
    const metadata = builder.references([key]);
    const children = item === undefined ? [] : [fieldTable(builder, 'item', false, item, undefined, [], undefined)];
    let dictionary: Position | undefined;
    if (values !== undefined) {
      const index = builder.table(indexType(field.type)[1]);
      dictionary = builder.table([long(id), index, bool(values.ordered)]);
    }
    return fieldTable(builder, field.name, field.nullable || values !== undefined, own, dictionary, children, metadata);
  }
}

/** The type of indexes: 64 bits are more than any enumeration needs. */
function indexType(type: string): ArrowType {
  return type.endsWith('64') ? integer(32, true) : typeOfValue(type);
}

/** Indexes of an enumeration. Those without a value, as of cells that were never written, are null. */
function indexes(body: Body, column: Column, count: number): void {
  const validity = column.validity?.slice() ?? new Uint8Array(column.length).fill(1);
  const { values } = column;
  for (let row = 0; row < values.length; row += 1) if (!(values[row]! >= 0 && values[row]! < count)) validity[row] = 0;
  const narrow: TypedArray = column.field.type.endsWith('64')
    ? Int32Array.from(values as BigInt64Array, (value, row) => (validity[row] === 0 ? 0 : Number(value)))
    : values;
  body.column(new Column(column.field, narrow, undefined, undefined), validity);
}

function fieldTable(
  builder: FlatbufferBuilder,
  name: string,
  nullable: boolean,
  [type, slots]: ArrowType,
  dictionary: Position | undefined,
  children: Position[],
  metadata: Position | undefined,
): Position {
  const [text, table, below] = [builder.string(name), builder.table(slots), builder.references(children)];
  return builder.table([text, bool(nullable), byte(type), table, dictionary, below, metadata]);
}

function recordBatch(builder: FlatbufferBuilder, length: number, body: Body): Position {
  const [nodes, buffers] = [builder.structures(body.nodes), builder.structures(body.buffers)];
  return builder.table([long(length), nodes, buffers]);
}

/** The parts of a message: its prefix, its metadata, its body. */
function message(builder: FlatbufferBuilder, type: number, header: Position, body: Uint8Array[]): Uint8Array[] {
  const bodyLength = body.reduce((sum, part) => sum + part.length, 0);
  const metadata = builder.finish(builder.table([short(METADATA_VERSION), byte(type), header, long(bodyLength)]));
  const prefix = new Uint8Array(8).fill(255, 0, 4);
  new DataView(prefix.buffer).setInt32(4, metadata.length, true);
  return [prefix, metadata, ...body];
}

/** Parts one after another. @internal */
export function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
