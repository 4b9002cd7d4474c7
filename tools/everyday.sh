#!/bin/sh
# Writes tools/everyday.ld anew: compiles the library, the programs of examples-c/ and benches/compare.c, and runs these in valgrind.
# usage: everyday.sh FOLDER [ARCHIVE]      ARCHIVE is cargo's libtiledb_rs.a, if it is made already
set -eu
mkdir -p "$1/programs"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
archive=${2:-${CARGO_TARGET_DIR:-target}/release/libtiledb_rs.a}
[ -n "${2:-}" ] || tools/build_library.sh "$folder/lib"
# The order of what runs is that of a library with the names of its functions.
library=$folder/libtiledb_rs.so
python3 tools/everyday.py link "$archive" "$library"
set --
for source in examples-c/*.c benches/compare.c; do
    name=$(basename "$source" .c)
    grep -q '^/\* arguments:' "$source" && continue
    cc -O1 -std=gnu11 -Iinclude "$source" -o "$folder/programs/$name" -L"$folder" -ltiledb_rs -lpthread -lm
    case $name in compare) set -- "$@" "$folder/programs/compare . 1" ;; *) set -- "$@" "$folder/programs/$name" ;; esac
done
python3 tools/everyday.py order "$archive" "$library" "$@"
