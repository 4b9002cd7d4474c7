#!/bin/sh
# AddressSanitizer over the library, its C libraries and the standard library:
#   programs     the C and C++ programs of capi-tests, which are compiled with UBSan, too (tools/sanitize.sh asan)
#   targets      integration targets without libtiledb, with leaks
#   reference    integration targets with libtiledb, some of them in the same process, on a few seeds: SEEDS=FROM..TO
#   units        the unit tests of the crates with `unsafe`, with leaks
# usage: test_asan.sh [STEP...]     all steps without arguments; TARGETS="verify corruption" selects targets of both kinds;
#                                   TILEDB_LIB names a library that was built with the sanitizer before
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh
ALONE="fault_injection golden_arrays corruption verify misuse"
BESIDE="copies policy_maintenance concurrent_maintenance crash_consistency differential_queries differential_conditions \
    differential_aggregates differential_roundtrip differential_lifecycle arrow_roundtrip"

programs() {
    tools/sanitize.sh asan
}

# prepare LEAKS
prepare() {
    . tools/sanitizer.sh
    use_sanitizer address
    options="detect_leaks=$1:detect_stack_use_after_return=1:allocator_may_return_null=1"
    export ASAN_OPTIONS="${ASAN_OPTIONS:-$options}"
    export LSAN_OPTIONS="suppressions=$PWD/capi-tests/asan.supp:print_suppressions=0"
}

# True if one of the reports is of our code or of a test: the first frame of its stack with a known place is not in libtiledb, whose
# crashes are expected in some seeds.
is_ours() {
    ours=1
    for report; do
        [ -f "$report" ] || continue
        # Children may have less memory than the sanitizer needs for itself.
        if grep -q 'AddressSanitizer: out of memory.* of InternalMmapVector' "$report"; then continue; fi
        place=$(grep -m 1 -oE 'libtiledb[-.][^/ ]*so|(crates|capi|tests)/[^ ]*\.rs:[0-9]*' "$report" || echo unknown)
        case $place in
        libtiledb*) echo "$report: in libtiledb" ;;
        *) echo "$report: $place" && ours=0 ;;
        esac
    done
    return $ours
}

# Runs those of the given targets that TARGETS selects. Reports, also of their child processes, are files in build/asan.
run_targets() {
    if [ -z "${TILEDB_LIB:-}" ]; then
        instrumented build
        export TILEDB_LIB="$library"
    fi
    selected=
    for name; do
        case " ${TARGETS:-$name} " in *" $name "*) selected="$selected $name" ;; esac
    done
    [ -n "$selected" ] || return 0
    mkdir -p build/asan
    # shellcheck disable=SC2086 # one word per target
    programs=$(instrumented_tests $selected)
    for program in $programs; do
        name=$(basename "$program" | sed 's/-[0-9a-f]*$//')
        rm -f "build/asan/$name.report".*
        echo "== $name"
        # libtiledb throws exceptions, and the sanitizer looks for the function that throws them before libtiledb is loaded.
        LD_PRELOAD=libstdc++.so.6 ASAN_OPTIONS="$ASAN_OPTIONS:log_path=$PWD/build/asan/$name.report" "$program"
        if is_ours "build/asan/$name.report".*; then exit 1; fi
    done
}

targets() {
    (
        prepare 1
        export TILEDB_REFERENCE= REFERENCE=
        # shellcheck disable=SC2086 # one word per target
        run_targets $ALONE
    )
}

# libtiledb takes its memory from the sanitizer as well, which checks what it frees and copies, but not each of its accesses. What it
# keeps to the end is not reported.
reference() {
    (
        prepare 0
        export SEEDS="${SEEDS:-0..40}" REFERENCE=required
        # shellcheck disable=SC2086 # one word per target
        run_targets $BESIDE
    )
}

units() {
    (
        prepare 1
        instrumented test --lib -p tiledb-core -p tiledb-filters -p tiledb-cells -p tiledb-query -p tiledb-arrow
    )
}

run_steps AddressSanitizer "programs targets reference units" "$@"
