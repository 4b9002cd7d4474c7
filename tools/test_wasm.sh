#!/bin/sh
# Tests the npm package in Node.js: golden arrays over HTTP, arrays that are damaged, servers that misbehave, its interface, Arrow streams.
# usage: test_wasm.sh FOLDER      FOLDER is for what tests unpack; GOLDEN=all reads the golden arrays of all versions
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
golden=$PWD/tests/golden
if [ "${GOLDEN:-}" = all ]; then set -- "$golden"/*.tar.gz; else set -- "$golden/singles.tar.gz" "$golden/v1.tar.gz" "$golden/v22.tar.gz"; fi
CARGO_TARGET_DIR=target/wasm cargo test --locked --quiet -p tiledb-storage --features host --lib host::
node packages/npm/test/golden.mjs "$folder/golden" "$@"
node packages/npm/test/damaged.mjs "$folder/golden" "$golden/v22.tar.gz"
WASM_TESTS="$folder/golden" node --test packages/npm/test/*.test.mjs
