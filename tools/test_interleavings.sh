#!/bin/sh
# Runs the tests of what threads share (modules `interleavings`) under schedules that shuttle selects.
# usage: test_interleavings.sh [MODULE...]     such as chunk_cache; all without arguments
# INTERLEAVINGS (1000) is the number of random schedules of a test, and of those of PCT.
set -eu
cd "$(dirname "$0")/.."
# Orderings of atomics are those of the code: shuttle does not model weak ones, and need not say so.
export CARGO_TARGET_DIR="$PWD/build/interleavings" RUSTFLAGS="--cfg shuttle" SHUTTLE_SILENCE_WARNINGS=1
[ $# -gt 0 ] || set -- ""
# Only these tests: primitives of shuttle work in its schedules only.
for module; do
    shift
    set -- "$@" "$module::interleavings"
done
# One test at a time: some share statics, and the primitives are not those of threads that run at once.
cargo test --locked --no-fail-fast -p tiledb-core -p tiledb-storage --features tiledb-storage/s3 --lib -- --test-threads=1 "$@"
