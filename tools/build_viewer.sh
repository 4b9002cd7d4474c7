#!/bin/sh
# Builds the viewer of arrays in packages/viewer/dist, a folder of static files, and prints their sizes. The npm package is its engine:
# `make npm` builds that first.
set -eu
cd "$(dirname "$0")/.."
engine=packages/npm/dist
package=packages/viewer
if [ ! -s $engine/tiledb.wasm ]; then
    echo "$engine has no WebAssembly module; make npm builds it" >&2
    exit 1
fi
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then tools/setup.sh nodejs npm; fi
[ $package/node_modules/.package-lock.json -nt $package/package-lock.json ] || npm --prefix $package ci --silent --no-audit --no-fund

# The folder itself stays: the tool and tests may be serving it.
mkdir -p $package/dist
rm -rf $package/dist/*
mkdir $package/dist/engine
cp $engine/*.js $engine/*.d.ts $engine/tiledb.wasm $package/dist/engine/
npm --prefix $package run --silent build
rm $package/dist/engine/*.d.ts
cp $package/index.html $package/style.css LICENSE $package/dist/
node -e '
const { readdirSync, readFileSync, statSync } = require("node:fs"), { join } = require("node:path");
const { brotliCompressSync, gzipSync } = require("node:zlib");
const files = (folder) => readdirSync(folder).flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? files(path) : [path];
});
const all = files(process.argv[1]).map((path) => {
  const bytes = readFileSync(path);
  const packed = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)];
  return { path, lengths: packed.map(({ length }) => length) };
});
const sizes = (files) => {
  const [whole, gzip, brotli] = [0, 1, 2].map((at) => Math.round(files.reduce((sum, { lengths }) => sum + lengths[at], 0) / 1024));
  return `${whole} KiB, gzip ${gzip} KiB, brotli ${brotli} KiB`;
};
console.log(`viewer: ${all.length} files, ${sizes(all)}`);
console.log(`without the module: ${sizes(all.filter(({ path }) => !path.endsWith(".wasm")))}`);
' $package/dist
