// Size of a WebAssembly module by crates and C libraries, from the names of its functions; optionally writes the module without names.
// usage: node wasm_sizes.mjs MODULE [STRIPPED] [--functions CRATE]
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [path, stripped] = process.argv.slice(2).filter((part, at, parts) => part !== '--functions' && parts[at - 1] !== '--functions');
const shownCrate = process.argv.includes('--functions') ? process.argv.at(-1) : undefined;
const bytes = readFileSync(path);
const CUSTOM = 0;
const IMPORTS = 2;
const CODE = 10;
const DATA = 11;

let at = 8;
function number() {
  let [value, shift, byte] = [0, 0, 0];
  do {
    byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    shift += 7;
  } while (byte & 128);
  return value;
}
function text() {
  const length = number();
  at += length;
  return bytes.subarray(at - length, at).toString();
}

/** The sections of the module, and where their content begins. */
function sections() {
  const found = [];
  while (at < bytes.length) {
    const start = at;
    const id = bytes[at++];
    const length = number();
    const content = at;
    const name = id === CUSTOM ? text() : undefined;
    at = content + length;
    found.push({ id, name, start, content, end: at });
  }
  return found;
}

const all = sections();
const section = (id) => all.find((one) => one.id === id);

function importedFunctions() {
  const imports = section(IMPORTS);
  if (imports === undefined) return 0;
  at = imports.content;
  let functions = 0;
  for (let left = number(); left > 0; left -= 1) {
    text();
    text();
    const kind = bytes[at++];
    if (kind !== 0) throw new Error('an import is no function');
    number();
    functions += 1;
  }
  return functions;
}

function functionNames() {
  const names = all.find(({ name }) => name === 'name');
  if (names === undefined) throw new Error(`${path} has no names of functions`);
  at = names.content;
  text();
  const found = new Map();
  while (at < names.end) {
    const kind = bytes[at++];
    const length = number();
    const end = at + length;
    if (kind === 1) for (let left = number(); left > 0; left -= 1) found.set(number(), text());
    at = end;
  }
  return found;
}

const LIBRARIES = [
  [/^(ZSTD|HUF|FSE|HIST|ZSTDMT|ERR_|XXH|POOL_|divsufsort|ZDICT|COVER)|zstd/i, 'zstd'],
  [/^(VP8|WebP|Sharp)|webp/i, 'libwebp'],
  [/^(LZ4|lz4)/, 'lz4'],
  [/^(libdeflate|deflate_|inflate_|adler32|crc32)/, 'zlib and libdeflate'],
  [/^(compress|uncompress|inflate|deflate|_tr_|zlib|longest_match|slide_hash|fill_window|z_errmsg|zc)/, 'zlib and libdeflate'],
  [/^BZ2/, 'libbz2_rs_sys'],
];
const STANDARD = new Set(['core', 'alloc', 'std', 'hashbrown', 'dlmalloc', 'compiler_builtins', 'addr2line', 'gimli', 'rustc_demangle', 'miniz_oxide', 'memchr']);

/** The parts of a mangled name of Rust (`_ZN`, lengths and parts), as a path. */
function demangled(name) {
  if (!name.startsWith('_ZN')) return name;
  const parts = [];
  let rest = name.slice(3);
  for (let length = /^\d+/.exec(rest); length !== null; length = /^\d+/.exec(rest)) {
    const start = length[0].length;
    parts.push(rest.slice(start, start + Number(length[0])));
    rest = rest.slice(start + Number(length[0]));
  }
  const path = parts.slice(0, -1).join('::').replaceAll('..', '::');
  return path.replaceAll('$LT$', '<').replaceAll('$GT$', '>').replaceAll('$u20$', ' ').replaceAll('$RF$', '&').replaceAll('$C$', ',').replaceAll('$u7b$', '{').replaceAll('$u7d$', '}');
}

/** The crate or library that a function is of: of those in its name, the first one that is not the standard library. */
function crateOf(name) {
  const path = demangled(name);
  if (path === name && !name.includes('::')) return LIBRARIES.find(([pattern]) => pattern.test(name))?.[1] ?? 'C library and others';
  const crates = [...path.matchAll(/(?<![\w:])_?([a-z][a-z0-9_]*)::/g)].map(([, crate]) => crate);
  return crates.find((crate) => !STANDARD.has(crate)) ?? 'standard library';
}

const kib = (length) => (length / 1024).toFixed(0).padStart(7);
if (stripped !== undefined) {
  const kept = all.filter(({ id, name }) => id !== CUSTOM || name === 'target_features' || name === 'producers');
  const parts = kept.filter(({ name }) => name !== 'producers').map(({ start, end }) => bytes.subarray(start, end));
  const module = Buffer.concat([bytes.subarray(0, 8), ...parts]);
  writeFileSync(stripped, module);
  const brotli = brotliCompressSync(module, { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: module.length } });
  console.log(`${stripped}: ${kib(module.length).trim()} KiB, gzip ${kib(gzipSync(module, { level: 9 }).length).trim()} KiB, brotli ${kib(brotli.length).trim()} KiB`);
}

const names = functionNames();
const imported = importedFunctions();
const sizes = new Map();
const code = section(CODE);
at = code.content;
const functions = [];
for (let [left, index] = [number(), imported]; left > 0; left -= 1, index += 1) {
  const length = number();
  const name = names.get(index) ?? '';
  const crate = crateOf(name);
  functions.push({ crate, name, length, body: bytes.subarray(at, at + length) });
  const entry = sizes.get(crate) ?? { length: 0, functions: 0, parts: [] };
  entry.length += length;
  entry.functions += 1;
  entry.parts.push(bytes.subarray(at, at + length));
  sizes.set(crate, entry);
  at += length;
}
if (shownCrate !== undefined) {
  functions.filter(({ crate }) => crate === shownCrate).sort((a, b) => b.length - a.length).slice(0, 40).forEach(({ name, length }) => console.log(`${kib(length)} ${demangled(name).slice(0, 160)}`));
} else {
  console.log('    KiB  brotli  functions  crate');
  const data = section(DATA);
  const row = (length, parts, count, name) => console.log(`${kib(length)} ${kib(brotliCompressSync(Buffer.concat(parts)).length)} ${String(count).padStart(10)}  ${name}`);
  for (const [crate, { length, functions, parts }] of [...sizes].sort(([, a], [, b]) => b.length - a.length)) row(length, parts, functions, crate);
  row(data.end - data.content, [bytes.subarray(data.content, data.end)], '', 'data: texts and tables');
}
