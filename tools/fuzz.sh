#!/bin/sh
# Builds the fuzzer with AddressSanitizer, C libraries included, and runs targets one after the other:
#   tools/fuzz.sh SECONDS [TARGET...]      all targets unless some are named
# Findings lie in build/fuzz/TARGET; a finding is replayed by
#   FUZZ_TARGET=TARGET build/fuzz/cargo/x86_64-unknown-linux-gnu/release/tiledb-fuzz FILE
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-300}
[ $# -eq 0 ] || shift
host=$(rustc -vV | sed -n 's/^host: //p')
underscored=$(echo "$host" | tr - _)

sancov='-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4'
sancov="$sancov -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
sancov="$sancov -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$PWD/build/fuzz/cargo"
export RUSTFLAGS="-Zsanitizer=address $sancov -Ccodegen-units=1"
export "CC_$underscored=clang" "CFLAGS_$underscored=-fsanitize=address,fuzzer-no-link -g1"
cargo build --manifest-path fuzz/Cargo.toml --release --target "$host"

program=$CARGO_TARGET_DIR/$host/release/tiledb-fuzz
[ $# -gt 0 ] || set -- $(ls fuzz/seeds)
for target; do
    echo "== $target"
    corpus=build/fuzz/$target/corpus
    mkdir -p "$corpus"
    FUZZ_TARGET=$target "$program" "$corpus" "fuzz/seeds/$target" -artifact_prefix="build/fuzz/$target/" \
        -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=700 -rss_limit_mb=3000 -use_value_profile=1 \
        -print_final_stats=1 -verbosity=0
done
