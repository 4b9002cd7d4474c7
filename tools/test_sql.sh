#!/bin/sh
# Tests SQL over arrays: the tests of the crate tiledb-datafusion, then tiledb-rs-sql beside DuckDB.
# usage: test_sql.sh FOLDER      SEEDS sets those of the random filters, SCALE that of TPC-H, QUERIES the number of random queries
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
target="$PWD/target/sql"
manifest=crates/tiledb-datafusion/Cargo.toml
SEEDS="${SEEDS:-0..100}" CARGO_TARGET_DIR="$target" cargo test --locked --manifest-path $manifest
CARGO_TARGET_DIR="$target" cargo build --locked --manifest-path $manifest
cargo build --locked -p tiledb-rs-cli
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary duckdb==1.5.5 duckdb-extension-tpch==1.5.5 pyarrow==26.0.1
"$folder/venv/bin/python" tools/test_sql.py target/debug/tiledb-rs "$target/debug/tiledb-rs-sql" "$folder/tpch" \
    --scale "${SCALE:-0.1}" --queries "${QUERIES:-2000}"
