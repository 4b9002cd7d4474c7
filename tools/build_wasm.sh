#!/bin/sh
# Builds the npm package in packages/npm/dist: the WebAssembly module, with C codecs compiled by Zig, and what the TypeScript compiler
# makes of its sources. Prints the sizes of the module, by crates, too.
# usage: build_wasm.sh      ZIG: the command, else that of the Python package ziglang, which is installed
set -eu
cd "$(dirname "$0")/.."
export CARGO_BUILD_TARGET=wasm32-wasip1 CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/wasm}"
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$CARGO_BUILD_TARGET/lib" ]; then rustup --quiet target add "$CARGO_BUILD_TARGET"; fi
if [ -z "${ZIG:-}" ] && [ ! -x build/zig/bin/python ]; then
    tools/setup.sh python3-venv
    python3 -m venv build/zig
    build/zig/bin/pip --quiet --disable-pip-version-check install ziglang==0.17.1
fi
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then tools/setup.sh nodejs npm; fi
package=packages/npm
[ $package/node_modules/.package-lock.json -nt $package/package-lock.json ] || npm --prefix $package ci --silent --no-audit --no-fund

# Vector instructions are in all browsers since 2023. Memory grows up to 2 GiB.
export CC_wasm32_wasip1="$PWD/tools/zig/cc" AR_wasm32_wasip1="$PWD/tools/zig/ar" CFLAGS_wasm32_wasip1=-msimd128 \
    CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS='-C target-feature=+simd128 -C link-arg=--max-memory=2147483648'
cargo build --release --locked --manifest-path crates/tiledb-wasm/Cargo.toml

rm -rf $package/dist
mkdir -p $package/dist
npm --prefix $package run --silent build
# Binaryen's optimizer would save 10% of the module, but make what is sent 1% larger.
node tools/wasm_sizes.mjs "$CARGO_TARGET_DIR/$CARGO_BUILD_TARGET/release/tiledb_wasm.wasm" $package/dist/tiledb.wasm
