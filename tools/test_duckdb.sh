#!/bin/sh
# Tests the extension of DuckDB beside DuckDB on Parquet files, and its rows beside those that the tool prints.
# usage: test_duckdb.sh FOLDER      SCALE sets that of TPC-H, QUERIES the number of random queries
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
target="$PWD/target/sql"
CARGO_TARGET_DIR="$target" cargo build --locked --manifest-path crates/tiledb-duckdb/Cargo.toml
tools/duckdb_extension.py "$target/debug/libtiledb_duckdb.so" "$folder/tiledb_rs.duckdb_extension"
cargo build --locked -p tiledb-rs-cli
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary duckdb==1.5.5 duckdb-extension-tpch==1.5.5 pyarrow==26.0.1
"$folder/venv/bin/python" tools/test_duckdb.py target/debug/tiledb-rs "$folder/tiledb_rs.duckdb_extension" "$folder/tpch" \
    --golden tests/golden --scale "${SCALE:-0.1}" --queries "${QUERIES:-2000}"
