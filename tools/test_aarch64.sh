#!/bin/sh
# The tests on Linux aarch64: compiled here, run by qemu-user. docs/testing.md says what each step is.
# usage: test_aarch64.sh [STEP...]     lint, kernels, unit, integration, bytes; all of them without arguments
# Variables, each with what it is otherwise:
#   QEMU             the emulator, linked statically (qemu-aarch64-static, installed)
#   SYSROOT          the C and C++ libraries of aarch64 (/usr/aarch64-linux-gnu, installed with the compiler)
#   TILEDB_REFERENCE libtiledb 2.30 for aarch64 (out of the wheel of TileDB-Py, downloaded)
#   SEEDS            seeds of differential tests (0..200)
#   TIME_FACTOR      by which tests multiply limits of processor time (12)
#   KERNEL_VALUES    random values for each kernel and type (1000000)
#   TESTS            targets of the step `integration` (all but those below)
# and those of target.sh.
set -eu
cd "$(dirname "$0")/.."
triple=aarch64-unknown-linux-gnu
folder=$PWD/build/$triple
mkdir -p "$folder/bin"

# ptrace and limits of memory are not what qemu-user emulates; the others test sources, or servers and clients of them
# that have nothing of the processor.
NOT_RUN="fault_injection crash_consistency memory_limits lints parameters headers cloud cloud_fault_injection hostile_servers"

QEMU=${QEMU:-qemu-aarch64-static} SYSROOT=${SYSROOT:-/usr/aarch64-linux-gnu}
packages=
command -v "$QEMU" >/dev/null || packages=qemu-user-static
# shellcheck disable=SC2086 # one word per package
tools/setup_target.sh $triple $packages
QEMU=$(command -v "$QEMU")
export CARGO_BUILD_TARGET=$triple QEMU SYSROOT
. tools/target.sh
. tools/steps.sh

# What tests compile and link is for aarch64, too.
for name in cc c++; do
    case $name in cc) compiler=$CC ;; c++) compiler=$(echo "$CC" | sed 's/gcc/g++/') ;; esac
    printf '#!/bin/sh\nexec %s "$@"\n' "$compiler" >"$folder/bin/$name"
    chmod +x "$folder/bin/$name"
done

if [ -z "${TILEDB_REFERENCE:-}" ]; then
    if ! ls "$folder"/reference/tiledb.libs/libtiledb-* >/dev/null 2>&1; then
        tools/setup.sh python3-venv unzip
        [ -x .venv/bin/pip ] || make --no-print-directory venv
        .venv/bin/pip --quiet --disable-pip-version-check download --no-deps --dest "$folder/reference" --only-binary=:all: \
            --platform manylinux_2_28_aarch64 --python-version 3.11 "$(sed -n 's/^REFERENCE := //p' Makefile)"
        unzip -qo "$folder"/reference/tiledb-*.whl 'tiledb.libs/*' -d "$folder/reference"
    fi
    TILEDB_REFERENCE=$(echo "$folder"/reference/tiledb.libs/libtiledb-*)
fi
export TILEDB_REFERENCE REFERENCE=required SEEDS="${SEEDS:-0..200}" TIME_FACTOR="${TIME_FACTOR:-12}"

# emulated COMMAND: programs that it starts, and they start, may be of aarch64.
emulated() {
    export QEMU_LD_PREFIX="$SYSROOT"
    unset CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER
    tools/emulated.sh aarch64 "$@"
}

# run CARGO-TEST-ARGUMENTS: compiles natively, then runs.
run() {
    cargo test --locked --no-run "$@" && (
        emulated env PATH="$folder/bin:$PATH" cargo test --locked --no-fail-fast "$@"
    )
}

# Clippy takes SYSROOT for the folder of Rust's libraries.
lint() {
    env -u SYSROOT cargo clippy --locked --workspace --exclude tiledb-rs-cli --all-targets --quiet -- -D warnings
}

# kernel RANDOM-CASES PACKAGE TEST...: unit tests whose names begin so, as they are released: without optimization nothing is
# vectorized. A name that no test has any more is an error.
kernel() (
    export PROPTEST_CASES="$1"
    package=$2
    shift 2
    run --release -p "$package" --lib -- "$@" >"$folder/kernels.txt" || { cat "$folder/kernels.txt"; exit 1; }
    cat "$folder/kernels.txt"
    for test; do
        grep -q "^test $test.* ok$" "$folder/kernels.txt" || { echo "$package has no test $test" >&2; exit 1; }
    done
)

# PROPTEST_CASES are lists: of some 1500 values, and of 10 to 20 points or texts.
kernels() (
    export KERNEL_VALUES="${KERNEL_VALUES:-1000000}"
    kernel $((KERNEL_VALUES / 500)) tiledb-filters filter::scalar_tests tile::
    kernel $((KERNEL_VALUES / 500)) tiledb-cells aggregate::kernel
    kernel $((KERNEL_VALUES / 10)) tiledb-cells keys::hilbert predicate::kernel aggregate::text_extremes
)

# For programs that qemu-user runs it is no error to start one that does not exist: the child ends with 127.
unit() {
    run --workspace --exclude tiledb-rs-cli --lib -- --skip ambient::process::tests::programs_are_heard
}

integration() {
    set --
    for test in ${TESTS:-$(ls tests)}; do
        [ -e "tests/$test/main.rs" ] || continue
        case " $NOT_RUN " in *" $test "*) [ -n "${TESTS:-}" ] || continue ;; esac
        set -- "$@" --test "$test"
    done
    run "$@"
}

bytes() (
    rm -rf "$folder/arrays"
    mkdir -p "$folder/arrays/aarch64" "$folder/arrays/native"
    export KEEP=1
    (export TMPDIR="$folder/arrays/aarch64"; run --test differential_roundtrip)
    (
        unset CARGO_BUILD_TARGET TILEDB_REFERENCE
        TMPDIR=$folder/arrays/native cargo test --locked --test differential_roundtrip
    )
    python3 tools/same_arrays.py "$folder/arrays/native" "$folder/arrays/aarch64"
    rm -rf "$folder/arrays"
)

run_steps aarch64 "lint kernels unit integration bytes" "$@"
