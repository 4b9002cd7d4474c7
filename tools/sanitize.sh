#!/bin/sh
# Runs the programs of capi-tests plainly, with AddressSanitizer and UBSan, or under valgrind, and prints figures.
# usage: sanitize.sh plain|asan|valgrind [PROGRAM...]      programs by name (`array`, `cpp/array`), all by default
#
# The library is the one that tests use, or the file that TILEDB_LIB names. With asan and INSTRUMENT=1 it is built with
# AddressSanitizer too. What a program said lies in build/TOOL/NAME.log.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
tool=$1
shift
[ $# -gt 0 ] || set -- $(cd capi-tests && ls *.c *.cpp cpp/*.cpp 2>/dev/null | sed 's/\.[a-z]*$//')
target=${CARGO_TARGET_DIR:-target}
out=$root/build/$tool
flags="-g -Wall -Wextra -Wpedantic -Werror"
c=cc cpp=c++ run=
case $tool in
plain) ;;
asan)
    flags="$flags -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
    c=clang cpp=clang++
    export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
    ;;
valgrind)
    run="valgrind --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect"
    ;;
*) echo "usage: $0 plain|asan|valgrind [PROGRAM...]" >&2; exit 2 ;;
esac
if [ -n "${TILEDB_LIB:-}" ]; then
    library=$TILEDB_LIB
elif [ "$tool${INSTRUMENT:-}" = asan1 ]; then
    triple=$(rustc -vV | sed -n 's/^host: //p')
    # The sanitizers of the compiler are switched on for this build only.
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$target/sanitize \
        cargo build --quiet --locked --target "$triple"
    library=$target/sanitize/$triple/debug/libtiledb_rs.so
else
    cargo build --quiet --locked
    library=$target/debug/libtiledb_rs.so
fi
mkdir -p "$out/cpp"
ln -sf "$(realpath "$library")" "$out/libtiledb_rs.so.2.30"

# The sum of the numbers that a sed script finds in a file.
sum() {
    sed -n "$1" "$2" | tr -d , | awk '{ sum += $1 } END { print sum + 0 }'
}

passed=0 failed=0 errors=0 lost=0
for name in "$@"; do
    source=capi-tests/$name.c compiler="$c -std=c11"
    [ -f "$source" ] || source=capi-tests/$name.cpp compiler="$cpp -std=c++17"
    program=$out/$name log=$out/$name.log
    # What one program may lose, with the reason; AddressSanitizer does not look for leaks there.
    supp=$root/capi-tests/$name.supp own=
    if [ -f "$supp" ]; then
        [ "$tool" = valgrind ] && own="--num-callers=100 --suppressions=$supp" || own="env ASAN_OPTIONS=detect_leaks=0"
    fi
    rm -rf "$program.run" && mkdir "$program.run"
    if $compiler $flags -Iinclude "$source" -o "$program" -Wl,--as-needed "$out/libtiledb_rs.so.2.30" -Wl,-rpath,"$out" -lm -lpthread -ldl \
        >"$log" 2>&1 && (cd "$program.run" && timeout 600 $run $own "$program" >"$log" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $name:" && tail -n 30 "$log"
    fi
    if [ "$tool" = valgrind ]; then
        # A program that forks has a summary for each process.
        errors=$((errors + $(sum 's/.*ERROR SUMMARY: \([0-9,]*\) errors.*/\1/p' "$log")))
        lost=$((lost + $(sum 's/.*\(definitely\|indirectly\) lost: \([0-9,]*\) bytes.*/\2/p' "$log")))
    else
        errors=$((errors + $(grep -c 'ERROR: .*Sanitizer\|runtime error:' "$log" || true)))
    fi
done
echo "$tool: $passed programs passed, $failed failed; $errors errors$([ "$tool" != valgrind ] || echo ", $lost bytes lost")"
[ "$failed" -eq 0 ]
