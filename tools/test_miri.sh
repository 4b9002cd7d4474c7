#!/bin/sh
# Runs unit tests in Miri, which finds undefined behaviour: invalid pointers, references that contradict each other, uninitialized
# memory, unaligned accesses, data races. docs/testing.md says which tests run.
# usage: test_miri.sh [CRATE [FILTER...]]     the list below without arguments
# PROPTEST_CASES (2) is the number of random inputs of a test, MIRIFLAGS has more options, such as -Zmiri-many-seeds=0..16.
set -eu
cd "$(dirname "$0")/.."
. tools/nightly.sh
export PROPTEST_CASES="${PROPTEST_CASES:-2}" CARGO_TARGET_DIR="$PWD/build/miri"
# C libraries are linked, but not called.
export CFLAGS="-O0"
# Tests read variables and temporary files. Pools of threads live until the process ends.
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks ${MIRIFLAGS:-}"

miri() {
    crate=$1
    shift
    echo "== $crate: $*"
    nightly miri test --locked --quiet -p "$crate" --lib -- --test-threads=1 "$@"
}

if [ $# -gt 0 ]; then
    miri "$@"
    exit
fi
# The modules with `unsafe`, and those whose tests use them most.
miri tiledb-core fork:: memory:: pool::scratch
# Those that are quick, most of what threads share among them.
miri tiledb-core budget:: env:: log:: sort:: stats:: wire:: pool::cancel pool::operations pool::progress \
    types::arrow types::datatype types::fill types::format_version
miri tiledb-filters codec::bzip2::tests::memory codec::delta codec::planes codec::rle crypto::digest
miri tiledb-cells columns::
# crossbeam-epoch, which rayon uses, breaks the rules of Stacked Borrows, but not those of Tree Borrows.
MIRIFLAGS="$MIRIFLAGS -Zmiri-tree-borrows" miri tiledb-core pool::ordered pool::parallel
echo "Miri found nothing"
