#!/bin/sh
# Which regions of the engine tests reach, as a table by crate, and those that none reaches in build/coverage/unreached.txt:
#   units         the unit tests of the crates
#   simulation    sequential and concurrent histories for SECONDS (120), and the regressions
#   targets       integration targets, which load the library: TARGETS="verify corruption" selects some
#   report        the table, of all that was run since the last `clean`
#   clean         counts from zero
# usage: coverage.sh [STEP...]     all steps without arguments, `clean` first
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh
CRATES="core filters storage cells array query maintain rest"
# Those with quick tests that call much of the engine.
EVERYTHING="arrow_roundtrip capi cloud_fault_injection concurrent_maintenance copies corruption crash_consistency differential_aggregates
    differential_conditions differential_lifecycle differential_outputs differential_queries differential_roundtrip
    differential_scenarios downgrade error_codes fault_injection format_versions golden_arrays golden_rewrite memory_limits misuse
    newer_format policy_maintenance stale_reads stat_cache verify write_versions"
folder=$PWD/build/coverage
# Dependencies are neither counted nor compiled again.
export CARGO_TARGET_DIR="$folder" RUSTC_WORKSPACE_WRAPPER="$PWD/tools/coverage_rustc.sh"
# All processes of a program count in one file, also while they run.
export LLVM_PROFILE_FILE="$folder/profiles/%c%m.profraw"

# The options that select all programs: features of the crates are then the same in every step.
# shellcheck disable=SC2086 # one word per crate and target
select_all() {
    set -- -p tiledb-rs
    for crate in $CRATES; do set -- "$@" -p "tiledb-$crate"; done
    set -- "$@" --lib --test simulation
    for target in $EVERYTHING; do set -- "$@" --test "$target"; done
    echo "$@"
}

# Compiles the programs, and writes the package, name and path of each to a list.
build() {
    # shellcheck disable=SC2046 # one word per option
    cargo test --locked --no-run --message-format=json-render-diagnostics $(select_all) |
        sed -n 's/.*"manifest_path":"\([^"]*\)".*"name":"\([^"]*\)".*"test":true.*"executable":"\([^"]*\)".*/\1 \2 \3/p' \
            >"$folder/programs.txt"
}

# run NAME [ARGUMENT...]: runs the program of a crate or target where cargo would. What fails there is not what is measured.
run() {
    name=$1
    shift
    while read -r manifest program path; do
        [ "$program" = "$name" ] || continue
        echo "== $name"
        (cd "$(dirname "$manifest")" && CARGO_MANIFEST_DIR=$PWD "$path" "$@" >"$folder/$name.log" 2>&1 </dev/null) ||
            echo "$name fails: $folder/$name.log"
    done <"$folder/programs.txt"
}

clean() {
    rm -rf "$folder/profiles"
}

units() {
    for crate in $CRATES; do run "tiledb_$crate"; done
}

simulation() {
    seed=${SEED:-$(date +%s)000}
    run simulation regressions
    SEEDS="$seed..$((seed + 1))" SECONDS="${SECONDS:-120}" run simulation --test-threads=2 histories
}

targets() {
    for target in ${TARGETS:-$EVERYTHING}; do run "$target"; done
}

report() {
    tools=$(rustc --print target-libdir)/../bin
    [ -x "$tools/llvm-cov" ] || rustup component add llvm-tools
    "$tools/llvm-profdata" merge -sparse "$folder"/profiles/*.profraw -o "$folder/merged.profdata"
    set -- "$folder/debug/deps/libtiledb_rs.so"
    while read -r _ _ path; do set -- "$@" --object "$path"; done <"$folder/programs.txt"
    "$tools/llvm-cov" export --skip-functions --skip-expansions --instr-profile "$folder/merged.profdata" "$@" >"$folder/export.json"
    python3 tools/coverage_report.py "$folder/export.json" "$folder/unreached.txt"
}

mkdir -p "$folder"
build
[ $# -gt 0 ] || set -- clean units simulation targets report
run_steps coverage "clean units simulation targets report" "$@"
