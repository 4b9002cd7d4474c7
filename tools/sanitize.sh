#!/bin/sh
# Runs the C programs under valgrind or AddressSanitizer.
# usage: sanitize.sh valgrind|asan [PROGRAM...]      programs by name, all of capi-tests by default
set -eu
cd "$(dirname "$0")/.."
tool=$1
shift
[ $# -gt 0 ] || set -- $(ls capi-tests/*.c | xargs -n1 basename -s .c)
target=${CARGO_TARGET_DIR:-target}/sanitize
out=$(pwd)/build/$tool
mkdir -p "$out"
case $tool in
valgrind)
    CARGO_TARGET_DIR=$target cargo build --quiet --locked
    lib=$(cd "$target/debug" && pwd)
    compiler="cc -g"
    run="valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --suppressions=$(pwd)/capi-tests/valgrind.supp"
    ;;
asan)
    triple=$(rustc -vV | sed -n 's/^host: //p')
    # The sanitizers of the compiler are switched on for this build only.
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$target \
        cargo build --quiet --locked --target "$triple"
    lib=$(cd "$target/$triple/debug" && pwd)
    compiler="clang -g -fsanitize=address"
    run="env ASAN_OPTIONS=detect_leaks=1"
    ;;
*) echo "usage: $0 valgrind|asan [PROGRAM...]" >&2; exit 2 ;;
esac
ln -sf "$lib/libtiledb_rs.so" "$out/libtiledb_rs.so.2.30"
failed=0 passed=0
for name in "$@"; do
    $compiler -std=c11 -Iinclude "capi-tests/$name.c" -o "$out/$name" "$lib/libtiledb_rs.so" -Wl,-rpath,"$out" -lm -lpthread
    rm -rf "$out/$name.run" && mkdir "$out/$name.run"
    if (cd "$out/$name.run" && $run "../$name" >../"$name.log" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $name:" && tail -n 30 "$out/$name.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
