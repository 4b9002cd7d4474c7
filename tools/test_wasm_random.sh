#!/bin/sh
# Random arrays that the Python package writes and reads, read by the npm package in Node.js: cells, conditions, ranges, aggregates, time
# travel; and their Arrow streams by pyarrow.
# usage: test_wasm_random.sh LIBRARY FOLDER      ARRAYS: how many (500); SEED: the first seed
set -eu
cd "$(dirname "$0")/.."
library=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
rm -rf "$2"
mkdir -p "$2/arrays"
folder=$(cd "$2" && pwd)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary pyarrow
export TILEDB_RS_LIBRARY="$library" PYTHONPATH="$PWD/packages/python/src" PYTHONDONTWRITEBYTECODE=1
"$folder/venv/bin/python" packages/npm/test/random_arrays.py write "$folder"
node packages/npm/test/random.mjs "$folder"
"$folder/venv/bin/python" packages/npm/test/random_arrays.py arrow "$folder"
