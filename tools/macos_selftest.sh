#!/bin/sh
# The tests on a Mac, from a checkout of the sources: C programs and examples with the compiler of Xcode's command-line tools, and,
# where Rust is installed, unit tests and golden arrays. Nothing outside of build/macos is written.
# usage: macos_selftest.sh [LIBRARY]      LIBRARY is a libtiledb_rs.dylib that was built elsewhere; without it cargo builds one, which
#                                         needs OpenSSL (brew install openssl@3)
set -eu
# The argument is relative to the folder of the caller, and may be in the folder that is made anew.
given=
if [ $# -gt 0 ]; then
    given=$(mktemp)
    trap 'rm -f "$given"' EXIT
    cp "$1" "$given"
fi
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Darwin ] || { echo "This system is $(uname -s): the tests of macos_selftest.sh are for macOS" >&2; exit 1; }
root=$PWD out=$PWD/build/macos
rm -rf "$out"
mkdir -p "$out/lib" "$out/programs"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=libtiledb_rs.${version%.*}.dylib
if [ -z "${OPENSSL_DIR:-}" ] && command -v brew >/dev/null; then
    OPENSSL_DIR=$(brew --prefix openssl@3)
    export OPENSSL_DIR
fi

if [ -n "$given" ]; then
    cp "$given" "$out/lib/$name"
else
    cargo build --locked --release
    cp target/release/libtiledb_rs.dylib "$out/lib/$name"
fi
ln -sf "$name" "$out/lib/libtiledb_rs.dylib"
echo "library: $(file -b "$out/lib/$name" | head -n 1)"
otool -D -L "$out/lib/$name"
passed=0 failed=

# check NAME COMMAND...: notes whether a command succeeds; its output is shown only otherwise.
check() {
    test=$1
    shift
    if "$@" >"$out/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed="$failed $test"
        echo "FAILED: $test"
        tail -n 20 "$out/log"
    fi
}

# exports: those of the table, with and without the functions that libtiledb does not have.
exported() {
    nm -gU "$out/lib/$name" | awk '{ print substr($3, 2) }' | LC_ALL=C sort -u >"$out/exported.txt"
    tools/exports.sh >"$out/expected.txt"
    diff "$out/expected.txt" "$out/exported.txt"
}
check exports exported

# program SOURCE: compiles it, and runs it in a folder of its own; what an example prints is compared.
program() {
    stem=$(basename "$1" .c)
    place=$out/programs/$(echo "${1%.c}" | tr / -)
    mkdir -p "$place"
    cc -std=c11 -Iinclude "$1" -o "$place/program" -L"$out/lib" -ltiledb_rs -Wl,-rpath,"$out/lib" || return 1
    arguments=$(sed -n '1s|^/\* arguments: \(.*\) \*/$|\1|p' "$1" | sed "s|DATA|$root/examples-c/data|g")
    # shellcheck disable=SC2086 # one word per argument
    (cd "$place" && ./program $arguments >output.txt) || return 1
    [ ! -e "$(dirname "$1")/expected/$stem.txt" ] || diff "$(dirname "$1")/expected/$stem.txt" "$place/output.txt"
}
for source in capi-tests/*.c examples-c/*.c; do
    check "$source" program "$source"
done

if command -v cargo >/dev/null; then
    check "unit tests" cargo test --locked --no-fail-fast --workspace --exclude tiledb-rs-cli --lib
    for test in golden_arrays golden_rewrite format_versions copies corruption verify stat_cache; do
        check "$test" cargo test --locked --no-fail-fast --test $test
    done
else
    echo "cargo is missing: unit tests and golden arrays are not run"
fi
if [ -n "$failed" ]; then
    echo "$passed passed, failed:$failed"
    exit 1
fi
echo "$passed passed, 0 failed"
