// Golden arrays with their recorded queries, in the terms of the package.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';

// Integers that no number represents become texts.
const parse = (text) => JSON.parse(text.replace(/(?<=[[,:]\s*)-?\d{16,}(?=\s*[,\]}])/g, '"$&"'));

const SIZES = { INT8: 1, INT16: 2, INT32: 4, INT64: 8, UINT16: 2, UINT32: 4, UINT64: 8, FLOAT32: 4, FLOAT64: 8, STRING_UTF16: 2, STRING_UCS2: 2, STRING_UTF32: 4, STRING_UCS4: 4 };
export const sizeOf = (type) => SIZES[type] ?? (/^(DATETIME|TIME)_/.test(type) ? 8 : 1);

/** The cases of archives, unpacked below a folder. */
export function cases(archives, folder) {
  return archives.flatMap((archive) => {
    const into = join(folder, archive.replace(/.*\//, '').replace('.tar.gz', ''));
    if (!existsSync(into)) {
      mkdirSync(into, { recursive: true });
      execFileSync('tar', ['xzf', archive, '-C', into]);
    }
    return readdirSync(into).sort().map((name) => load(join(into, name)));
  });
}

/** Where the tests unpack archives. */
export const scratch = process.env.WASM_TESTS ?? mkdtempSync(join(tmpdir(), 'tiledb-wasm-'));

/** The golden arrays of archives by name. */
export function golden(...names) {
  const archives = names.map((name) => new URL(`../../../tests/golden/${name}.tar.gz`, import.meta.url).pathname);
  return cases(archives, scratch);
}

/** The path of the array or group of a case. */
export const pathOf = ({ unpacked, document }) => join(unpacked, document.root);

/** The same as an address. */
export const urlOf = (own) => pathToFileURL(pathOf(own));

function load(folder) {
  const document = parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
  const unpacked = join(folder, 'unpacked');
  if (document.unpack_at == null && !existsSync(unpacked)) {
    mkdirSync(unpacked);
    execFileSync('tar', ['xf', join(folder, document.archive.replace(/\.gz$/, '')), '-C', unpacked]);
  }
  const data = existsSync(join(folder, 'data.bin')) ? readFileSync(join(folder, 'data.bin')) : Buffer.alloc(0);
  return { folder, unpacked, document, data };
}

export function schemaOf(document, query) {
  const same = (window) => window?.start === query.open?.start && window?.end === query.open?.end;
  return (document.schemas.find(({ open }) => same(open)) ?? document.schemas[0]).schema;
}

/** A query as options of `read`, or why the package has no such query. */
export function optionsOf(schema, query) {
  const orders = { row: 'row-major', col: 'col-major', global: 'global', unordered: 'unordered' };
  const options = { order: orders[query.layout], fields: query.fields ?? [], ranges: {} };
  for (const [name, ranges] of [...Object.entries(query.ranges ?? {}), ...Object.entries(query.label_ranges ?? {})]) {
    const part = [...schema.dims, ...(schema.dimension_labels ?? [])].find((part) => part.name === name);
    const bound = (value) => (part.type.startsWith('FLOAT') ? Number(value) : value);
    options.ranges[name] = ranges.map((range) => range.map(bound));
  }
  if (query.condition != null) {
    const text = conditionOf(schema, query.condition);
    if (text === undefined) return 'condition';
    options.where = text;
  }
  return options;
}

const SIGNS = { LT: '<', LE: '<=', GT: '>', GE: '>=', EQ: '==', NE: '!=', IN: 'in', NOT_IN: 'not in' };

function conditionOf(schema, node) {
  if (node.args !== undefined) {
    const parts = node.args.map((part) => conditionOf(schema, part));
    if (parts.includes(undefined)) return undefined;
    return node.op === 'NOT' ? `not (${parts[0]})` : parts.map((part) => `(${part})`).join(` ${node.op.toLowerCase()} `);
  }
  if (node.use_enumeration === false) return undefined;
  const part = [...schema.dims, ...schema.attrs].find((part) => part.name === node.field);
  if (part === undefined) return undefined;
  let type = part.type;
  if (part.enumeration != null) type = (schema.enumerations ?? []).find((own) => own.name === part.enumeration)?.type ?? type;
  const field = `"${node.field}"`;
  if (node.values_hex !== undefined) {
    const values = node.values_hex.map((hex) => valueOf(type, hex));
    return values.includes(undefined) || values.length === 0 ? undefined : `${field} ${SIGNS[node.op]} (${values.join(', ')})`;
  }
  if (node.value_hex == null) return `${field} is ${node.op === 'EQ' ? '' : 'not '}null`;
  const value = valueOf(type, node.value_hex);
  return value === undefined ? undefined : `${field} ${SIGNS[node.op]} ${value}`;
}

function valueOf(type, hex) {
  const bytes = Buffer.from(hex, 'hex');
  if (/^(STRING_ASCII|STRING_UTF8|CHAR)$/.test(type)) {
    const text = bytes.toString('utf8');
    return text.includes("'") || !Buffer.from(text, 'utf8').equals(bytes) ? undefined : `'${text}'`;
  }
  if (bytes.length !== sizeOf(type)) return undefined;
  switch (type) {
    case 'INT8': return String(bytes.readInt8());
    case 'UINT8': return String(bytes.readUInt8());
    case 'INT16': return String(bytes.readInt16LE());
    case 'UINT16': return String(bytes.readUInt16LE());
    case 'INT32': return String(bytes.readInt32LE());
    case 'UINT32': return String(bytes.readUInt32LE());
    case 'INT64': return String(bytes.readBigInt64LE());
    case 'UINT64': return String(bytes.readBigUInt64LE());
    case 'FLOAT32': return String(bytes.readFloatLE());
    case 'FLOAT64': return String(bytes.readDoubleLE());
  }
  return undefined;
}

/** The recorded cells of a field: values, starts in bytes, validity. */
export function expectedOf(field, data) {
  const block = ([at, length]) => data.subarray(Number(at), Number(at) + Number(length));
  const { offsets, validity } = field;
  return {
    data: block(field.data),
    offsets: offsets == null ? undefined : Array.from({ length: Number(offsets[1]) / 8 }, (_, row) => Number(block(offsets).readBigUInt64LE(8 * row))),
    validity: validity == null ? undefined : block(validity),
  };
}

/** A column of a table in the same terms. */
export function cellsOf(column) {
  const { values, offsets, validity } = column;
  return {
    data: Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    offsets: offsets && Array.from(offsets.subarray(0, -1), (start) => start * values.BYTES_PER_ELEMENT),
    validity: validity && Buffer.from(validity),
  };
}

/** Each cell with its validity. */
function split({ data, offsets, validity }, cellSize) {
  const count = offsets === undefined ? data.length / cellSize : offsets.length;
  return Array.from({ length: count }, (_, row) => {
    const start = offsets === undefined ? row * cellSize : offsets[row];
    const end = offsets === undefined ? start + cellSize : (offsets[row + 1] ?? data.length);
    return [data.subarray(start, end), validity?.[row]];
  });
}

/** Every cell with all its fields, sorted. */
function sortedCells(fields, sizes) {
  const names = Object.keys(fields).sort();
  const columns = names.map((name) => split(fields[name], sizes[name]));
  const count = Math.max(0, ...columns.map((column) => column.length));
  const rows = Array.from({ length: count }, (_, row) => columns.map((column) => column[row] ?? [Buffer.alloc(0), undefined]));
  const compare = (a, b) => {
    for (let at = 0; at < a.length; at += 1) {
      const order = Buffer.compare(a[at][0], b[at][0]) || (a[at][1] ?? -1) - (b[at][1] ?? -1);
      if (order !== 0) return order;
    }
    return 0;
  };
  return rows.sort(compare).map((row) => Buffer.concat(row.map(([value, valid]) => (valid === undefined ? value : Buffer.concat([value, Buffer.of(valid)])))));
}

const hex = (sum) => sum.toString(16).padStart(8, '0');

/** A single number as such, other cells by their checksum, as in `reference_wrong.txt`. */
export function shown({ data, offsets, validity }, type) {
  if (offsets === undefined && data.length === 8) return String(type === 'FLOAT64' ? data.readDoubleLE() : data.readBigInt64LE());
  const starts = Buffer.concat((offsets ?? []).map((offset) => {
    const word = Buffer.alloc(8);
    word.writeBigUInt64LE(BigInt(offset));
    return word;
  }));
  return hex(crc32(Buffer.concat([data, starts, validity ?? Buffer.alloc(0)])));
}

const equal = (a, b) =>
  a.data.equals(b.data) && String(a.offsets) === String(b.offsets) && (a.validity === undefined) === (b.validity === undefined) && (a.validity === undefined || a.validity.equals(b.validity));

/** What differs between recorded and read fields, as `reference_wrong.txt` tells it; nothing if they are equal. */
export function difference(query, schema, expected, actual, sizes, types) {
  const dimensions = new Set(schema.dims.map((dimension) => dimension.name));
  const names = Object.keys(expected).sort();
  const exact = names.filter((name) => query.order === 'exact' || (query.order === 'ties' && dimensions.has(name)));
  const differing = exact.filter((name) => !equal(expected[name], actual[name]));
  if (differing.length > 0) return differing.map((name) => `${name}=${shown(actual[name], types[name])}`).join(' ');
  if (query.order === 'exact') return undefined;
  const cells = Buffer.concat(sortedCells(actual, sizes));
  return Buffer.concat(sortedCells(expected, sizes)).equals(cells) ? undefined : `cells=${hex(crc32(cells))}`;
}

/** The results that the project accepts in place of those of the reference, by case and query. */
export function accepted(file) {
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}
