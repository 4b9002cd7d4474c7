#!/bin/sh
# AddressSanitizer, with leaks, over the library, its C libraries and the standard library:
#   programs     the C and C++ programs of capi-tests, which are compiled with UBSan, too (tools/sanitize.sh asan)
#   targets      the integration targets that need no other library in their process
#   units        the unit tests of the crates with `unsafe`
# usage: test_asan.sh [STEP...]     all steps without arguments; TARGETS="verify corruption" selects targets
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh
TARGETS=${TARGETS:-policy_maintenance fault_injection golden_arrays corruption newer_format verify}

programs() {
    tools/sanitize.sh asan
}

prepare() {
    . tools/sanitizer.sh
    use_sanitizer address
    export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1}"
    export LSAN_OPTIONS="suppressions=$PWD/capi-tests/asan.supp:print_suppressions=0"
    # Not instrumented, libtiledb would be reported for what it does with memory that our code and it share.
    export TILEDB_REFERENCE= REFERENCE=
}

targets() {
    (
        prepare
        instrumented build
        # Nightly puts it elsewhere than beside the tests.
        export TILEDB_LIB="$library"
        for name in $TARGETS; do
            instrumented test --test "$name"
        done
    )
}

units() {
    (
        prepare
        instrumented test --lib -p tiledb-core -p tiledb-filters -p tiledb-cells -p tiledb-query -p tiledb-arrow
    )
}

run_steps AddressSanitizer "programs targets units" "$@"
