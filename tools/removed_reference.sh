#!/bin/sh
# Records what the functions that libtiledb 2.30 removed return in an older release: compiles capi-tests/removed.c and
# removed_queries.c, runs them with the library, and writes capi-tests/removed/PROGRAM-MINOR.txt, with which tests/capi compares
# this library. The wheels of TileDB-Py contain such libraries: 0.31 has 2.25, 0.35 has 2.29.
# usage: removed_reference.sh LIBRARY [FOLDER]    (FOLDER: where the texts go; CC may be set)
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
library=$(readlink -f "$1")
out=${2:-$here/capi-tests/removed}
minor=$(readelf -dW "$library" | sed -n 's/.*SONAME.*\.so\.\(2\.[0-9]*\).*/\1/p')
[ -n "$minor" ] || { echo "$1 has no SONAME with a version" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Programs are linked with the names of the interface, and find the library by the SONAME of 2.30.
awk -F '\t' 'FNR > 1 { print ($2 == "function" ? "void " $1 "(void) {}" : "const void* " $1 ";") }' \
    "$here/capi-tests/abi/functions.tsv" "$here/capi-tests/abi/removed.tsv" >"$work/names.c"
mkdir "$work/import" "$work/found"
${CC:-cc} -shared -fPIC -w -Wl,-soname,libtiledb.so.2.30 -o "$work/import/libtiledb.so.2.30" "$work/names.c"
ln -s "$library" "$work/found/libtiledb.so.2.30"
mkdir -p "$out"
for program in removed removed_queries; do
    # Lazily bound: older releases lack some of the functions, which are not called then.
    ${CC:-cc} -std=c11 -Wall -Wextra -I"$here/include" "$here/capi-tests/$program.c" -o "$work/$program" \
        -Wl,-z,lazy "$work/import/libtiledb.so.2.30" -lpthread -ldl
    mkdir "$work/run-$program"
    (cd "$work/run-$program" && LD_LIBRARY_PATH="$work/found:$(dirname "$library")" "$work/$program") >"$work/text" 2>/dev/null
    [ ! -s "$work/text" ] || cp "$work/text" "$out/$program-$minor.txt"
done
