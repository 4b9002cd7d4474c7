#!/bin/sh
# Compiles examples in C and C++ against the headers of another release of libtiledb, and runs the same binaries on the library of
# that release and on this library: they print the same, or what they print with libtiledb 2.30 (REFERENCE), or what
# examples-c/expected contains.
# usage: headers.sh LIBRARY HEADERS ORIGINAL FOLDER
#   LIBRARY   this library, the drop-in
#   HEADERS   headers of the release: the `include` folder of an installation, or a source tree of libtiledb
#   ORIGINAL  library of that release, as in the wheels of TileDB-Py; `-` if there is none, as for 2.31, which is not released:
#             programs are linked with the names in capi-tests/abi, and REFERENCE is required
#   FOLDER    for binaries and output
# Environment: REFERENCE, the library of libtiledb 2.30; CC, CXX
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
library=$(readlink -f "$1")
headers=$(cd "$2" && pwd)
if [ "$3" = - ]; then
    [ -n "${REFERENCE:-}" ] || { echo "without the library of the release, REFERENCE names that of 2.30" >&2 && exit 1; }
    original=$(readlink -f "$REFERENCE") release=2.31 compared=2.30
else
    original=$(readlink -f "$3")
    release=$(readelf -dW "$original" | sed -n 's/.*SONAME.*\.so\.\(2\.[0-9]*\).*/\1/p')
    [ -n "$release" ] || { echo "$3 has no SONAME with a version" >&2 && exit 1; }
    compared=$release
fi
mkdir -p "$4"
folder=$(cd "$4" && pwd)
rm -rf "$folder/include" "$folder/bin" "$folder/own" "$folder/ours" "$folder/reference" "$folder/run"
mkdir -p "$folder/include" "$folder/bin" "$folder/own" "$folder/ours"
ln -s "$original" "$folder/own/libtiledb.so.$release"
cp "$library" "$folder/ours/libtiledb.so.$release"
# Programs are linked with the names that the older library exports, under the SONAME of that release: wheels change it.
if [ "$3" = - ]; then
    awk -F '\t' 'FNR > 1 { print $2 == "function" ? "void " $1 "(void) {}" : "const void *" $1 ";" }' \
        "$here/capi-tests/abi/functions.tsv" "$here/capi-tests/abi/next.tsv" >"$folder/names.c"
else
    nm -D --defined-only "$original" | sed -n 's/.* [TVW] \(tiledb_[a-z0-9_]*\)$/void \1(void) {}/p' >"$folder/names.c"
fi
${CC:-cc} -shared -fPIC -w -Wl,-soname,"libtiledb.so.$release" -o "$folder/bin/libtiledb.so" "$folder/names.c"

if [ -f "$headers/tiledb/tiledb.h" ]; then
    cp -R "$headers/tiledb" "$folder/include/"
else
    # A source tree has the headers where an installation gets them from; the export macros are made by its build.
    mkdir "$folder/include/tiledb"
    cp -R "$headers"/tiledb/sm/c_api/*.h "$headers"/tiledb/sm/cpp_api/* "$headers/tiledb/api" "$folder/include/tiledb/"
    cp "$here/include/tiledb/tiledb_export.h" "$folder/include/tiledb/api/c_api/"
fi
version=$(sed -n 's/.*define TILEDB_VERSION_\(MAJOR\|MINOR\) \([0-9]*\).*/\2/p' \
    "$folder/include/tiledb/tiledb_version.h" | paste -sd .)
[ "$version" = "$release" ] || { echo "headers of libtiledb $version and a library of $release" >&2 && exit 1; }

if [ -n "${REFERENCE:-}" ]; then
    mkdir -p "$folder/reference"
    ln -sf "$(readlink -f "$REFERENCE")" "$folder/reference/libtiledb.so.$release"
fi

# same A B: B has the lines of A; texts of errors in B may continue where those of A end.
same() {
    awk 'NR == FNR { line[FNR] = $0; lines = FNR; next }
        { rest = substr($0, length(line[FNR]) + 1) }
        index($0, line[FNR]) != 1 || (rest != "" && substr(rest, 1, 2) != ": ") { differs = 1; exit }
        { seen = FNR }
        END { exit differs || seen != lines }' "$1" "$2"
}

passed=0 failed=0 left=
for source in "$here"/examples-c/*.c "$here"/examples-c/cpp/*.cpp "$here/tools/clients/older.cpp" "$here/tools/clients/next.cpp"; do
    name=$(basename "$source")
    case $name in
    *.cpp) compiler="${CXX:-c++} -std=c++17" expected=$here/examples-c/cpp/expected/${name%.cpp}.txt ;;
    *) compiler="${CC:-cc} -std=c11 -D_GNU_SOURCE" expected=$here/examples-c/expected/${name%.c}.txt ;;
    esac
    # run OF: on one of the libraries; fails as the program fails.
    run() {
        rm -rf "$folder/run"
        mkdir "$folder/run"
        (cd "$folder/run" && LD_LIBRARY_PATH="$folder/$1:$(dirname "$original")" "$folder/bin/$name.bin") \
            >"$folder/$1/$name.txt" 2>"$folder/$1/$name.err" </dev/null || echo "fails" >>"$folder/$1/$name.txt"
    }
    # An example for which the headers or the library of the release do not suffice is named, and not counted.
    if ! $compiler -w "$source" -o "$folder/bin/$name.bin" -isystem "$folder/include" "$folder/bin/libtiledb.so" \
        -lm -lpthread 2>"$folder/bin/$name.log"; then
        left="$left $name"
        continue
    fi
    if [ "$name" = next.cpp ]; then
        # The library of 2.30 lacks the functions; the program checks its results itself.
        run ours 2>/dev/null
        if [ "$(tail -n 1 "$folder/ours/$name.txt")" = "as in 2.31" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            cat "$folder/ours/$name.err" >&2
        fi
        continue
    fi
    run own 2>/dev/null
    run ours 2>/dev/null
    # What fails on the library of 2.30 with newer headers may print here what it prints with those of 2.30.
    if [ "$(tail -n 1 "$folder/own/$name.txt")" = fails ] &&
        { [ "$3" != - ] || ! cmp -s "$expected" "$folder/ours/$name.txt"; }; then
        left="$left $name"
        continue
    fi
    [ -z "${REFERENCE:-}" ] || run reference 2>/dev/null
    if same "$folder/own/$name.txt" "$folder/ours/$name.txt"; then
        passed=$((passed + 1))
    elif [ -n "${REFERENCE:-}" ] && same "$folder/reference/$name.txt" "$folder/ours/$name.txt"; then
        passed=$((passed + 1))
        echo "$name: other output than with $compared, the same as with 2.30"
    elif cmp -s "$expected" "$folder/ours/$name.txt"; then
        passed=$((passed + 1))
        echo "$name: other output than with $compared, as in examples-c/expected"
    else
        failed=$((failed + 1))
        echo "$name: other output than with $compared:" >&2
        diff "$folder/own/$name.txt" "$folder/ours/$name.txt" >&2 || true
    fi
done
echo "headers of $release: $passed programs run on this library, $failed do not; not for this release:$left"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
