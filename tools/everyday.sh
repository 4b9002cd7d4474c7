#!/bin/sh
# Writes tools/everyday.ld anew: compiles the library, benches/everyday.c, benches/compare.c and the programs of examples-c/, and
# runs these in valgrind.
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
compile() { cc -O1 -std=gnu11 -Iinclude "$1" -o "$folder/programs/$2" -L"$folder" -ltiledb_rs -lpthread -lm; }
compile benches/everyday.c everyday
rm -rf "$folder/arrays"
mkdir "$folder/arrays"
LD_LIBRARY_PATH=$folder "$folder/programs/everyday" "$folder/arrays" prepare
set --
# What changed a moment ago is not cached: everyday's arrays are older.
for operation in $(LD_LIBRARY_PATH=$folder "$folder/programs/everyday" .); do
    set -- "$@" --operation "cp -r $folder/arrays/. . && find . -exec touch -d '2 hours ago' {} + && \$VALGRIND $folder/programs/everyday . $operation"
done
for source in examples-c/*.c benches/compare.c; do
    name=$(basename "$source" .c)
    grep -q '^/\* arguments:' "$source" && continue
    compile "$source" "$name"
    case $name in compare) arguments='. 1' ;; *) arguments= ;; esac
    set -- "$@" --program "\$VALGRIND $folder/programs/$name $arguments"
done
python3 tools/everyday.py order "$archive" "$library" "$@"
