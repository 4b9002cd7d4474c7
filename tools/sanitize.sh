#!/bin/sh
# Runs the programs of capi-tests plainly, with AddressSanitizer and UBSan, with ThreadSanitizer, or under valgrind, and prints figures.
# usage: sanitize.sh plain|asan|tsan|valgrind [PROGRAM...]      programs by name (`array`, `cpp/array`), all by default
#
# The library is the one that tests use, with asan and tsan one that is built with the sanitizer (tools/sanitizer.sh), or the file
# that TILEDB_LIB names. What a program said lies in build/TOOL/NAME.log. capi-tests/TOOL.supp lists what a tool need not report, with
# reasons.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
tool=$1
shift
[ $# -gt 0 ] || set -- $(cd capi-tests && ls *.c *.cpp cpp/*.cpp 2>/dev/null | sed 's/\.[a-z]*$//')
target=${CARGO_TARGET_DIR:-target}
out=$root/build/$tool
flags="-g -Wall -Wextra -Wpedantic -Werror"
run= runtime= sanitizer=
case $tool in
plain) ;;
asan)
    . tools/sanitizer.sh && use_sanitizer address
    flags="$flags -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all"
    export ASAN_OPTIONS="${ASAN_OPTIONS-detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1}" UBSAN_OPTIONS=print_stacktrace=1
    export LSAN_OPTIONS="suppressions=$root/capi-tests/asan.supp:print_suppressions=0"
    ;;
tsan)
    . tools/sanitizer.sh && use_sanitizer thread
    flags="$flags -O1 -fno-omit-frame-pointer -fsanitize=thread"
    export TSAN_OPTIONS="suppressions=$root/capi-tests/tsan.supp:second_deadlock_stack=1:history_size=4:allocator_may_return_null=1"
    ;;
valgrind)
    run="valgrind --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect"
    ;;
*) echo "usage: $0 plain|asan|tsan|valgrind [PROGRAM...]" >&2; exit 2 ;;
esac
if [ -n "${TILEDB_LIB:-}" ]; then
    library=$TILEDB_LIB
elif [ -n "$sanitizer" ]; then
    instrumented build
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

# Links a program, with the runtime of the sanitizer, which it exports to the library.
link() {
    with_runtime=${runtime:+-rdynamic -Wl,--whole-archive $runtime -Wl,--no-whole-archive -lrt -lresolv}
    $compiler "$program.o" -o "$program" $with_runtime -Wl,--as-needed "$out/libtiledb_rs.so.2.30" -Wl,-rpath,"$out" -lm -lpthread -ldl
}

passed=0 failed=0 errors=0 lost=0
for name in "$@"; do
    source=capi-tests/$name.c compiler=cc standard=c11
    [ -f "$source" ] || source=capi-tests/$name.cpp compiler=c++ standard=c++17
    program=$out/$name log=$out/$name.log
    # What one program may lose, with the reason.
    supp=$root/capi-tests/$name.supp own=
    [ "$tool" = valgrind ] && [ -f "$supp" ] && own="--num-callers=100 --suppressions=$supp"
    rm -rf "$program.run" && mkdir "$program.run"
    if $compiler -std=$standard $flags -Iinclude -c "$source" -o "$program.o" >"$log" 2>&1 && link >"$log" 2>&1 &&
        (cd "$program.run" && timeout 600 $run $own "$program" >"$log" 2>&1); then
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
        errors=$((errors + $(grep -c 'ERROR: .*Sanitizer\|WARNING: ThreadSanitizer\|runtime error:' "$log" || true)))
    fi
done
echo "$tool: $passed programs passed, $failed failed; $errors errors$([ "$tool" != valgrind ] || echo ", $lost bytes lost")"
[ "$failed" -eq 0 ]
