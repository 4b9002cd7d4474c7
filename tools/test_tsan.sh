#!/bin/sh
# ThreadSanitizer over the library, its C libraries and the standard library:
#   programs     the C and C++ programs of capi-tests with threads of their own or of the library (tools/sanitize.sh tsan)
#   units        the unit tests of the crates that run tasks in parallel
#   simulation   random histories of concurrent processes, which are threads there (tests/simulation): SEEDS=FROM..TO
# usage: test_tsan.sh [STEP...]     all steps without arguments; PROGRAMS="threads" selects programs
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh
PROGRAMS=${PROGRAMS:-threads query query_dense query_sparse query_condition query_aggregate query_estimate consolidation \
    consolidation_progress read_progress vacuum_progress maintain chunk_cache context array vfs exclusive callbacks arrow verify}

programs() {
    # shellcheck disable=SC2086 # one word per program
    tools/sanitize.sh tsan $PROGRAMS
}

units() {
    (
        . tools/sanitizer.sh
        use_sanitizer thread
        export TSAN_OPTIONS="suppressions=$PWD/capi-tests/tsan.supp:second_deadlock_stack=1:allocator_may_return_null=1"
        instrumented test --lib -p tiledb-core -p tiledb-storage -p tiledb-cells -p tiledb-query -p tiledb-maintain
    )
}

simulation() {
    (
        . tools/sanitizer.sh
        use_sanitizer thread
        export TSAN_OPTIONS="suppressions=$PWD/capi-tests/tsan.supp:second_deadlock_stack=1:allocator_may_return_null=1"
        export SEEDS="${SEEDS:-0..300}" TILEDB_REFERENCE= REFERENCE=
        instrumented test --test simulation
    )
}

run_steps ThreadSanitizer "programs units simulation" "$@"
