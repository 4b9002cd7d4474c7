#!/bin/sh
# The tests on Windows x86-64: compiled here, run by wine. docs/testing.md says what each step is.
# usage: test_windows.sh [STEP...]     exports, programs, reference, golden, lives; all of them without arguments
# Variables, each with what it is otherwise:
#   WINE             wine for x86-64 (wine64, installed)
#   WINE_DLLS        DLLs beside those of the programs, for a wine that lacks some
#   REFERENCE_DLL    the folder of libtiledb 2.30 for Windows (out of the wheel of TileDB-Py, downloaded)
#   SEEDS            seeds of random arrays (0..200)
#   PROGRAMS         programs of the step `programs`, such as capi-tests/vfs (all but those below)
# and those of target.sh.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
triple=x86_64-pc-windows-gnullvm
folder=$root/build/$triple
include=$root/include

# Programs of what Windows does not have, each with the reason.
not_run() {
    case $1 in
    capi-tests/fork | capi-tests/exclusive | capi-tests/removed | capi-tests/removed_queries) echo "fork" ;;
    capi-tests/dlclose) echo "dlopen" ;;
    capi-tests/arrow) echo "mmap" ;;
    capi-tests/open_files) echo "limits of open files" ;;
    capi-tests/older_forms) echo "calls in older forms are recognized on Unix" ;;
    capi-tests/object | capi-tests/vfs) echo "compares texts of errors of Unix" ;;
    esac
}

WINE=${WINE:-wine}
packages=
command -v "$WINE" >/dev/null || packages=wine64\ wine
# shellcheck disable=SC2086 # one word per package
tools/setup_target.sh $triple $packages
export CARGO_BUILD_TARGET=$triple
. tools/target.sh
. tools/steps.sh
CC=$CC_x86_64_pc_windows_gnullvm
COMPAT=1 tools/build_library.sh "$folder/lib"

# A prefix of its own; what this wine lacks.
export WINEPREFIX="${WINEPREFIX:-$folder/wine}" WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml="
mkdir -p "$folder/dlls" "$folder/programs"
[ -e "$folder/dlls/bcryptprimitives.dll" ] ||
    "$CC" -shared -O1 tools/windows/bcryptprimitives.c -o "$folder/dlls/bcryptprimitives.dll" -ladvapi32

# windows PATH: as programs of Windows name it.
windows_path() { echo "Z:$1" | tr / '\\'; }

# run FOLDER-OF-DLLS PROGRAM ARGUMENT...: by wine, in the working directory, for two minutes at most.
run() {
    path=$(windows_path "$1")\;$(windows_path "$folder/dlls")${WINE_DLLS:+;$(windows_path "$WINE_DLLS")}
    shift
    WINEPATH=$path timeout 120 "$WINE" "$@" </dev/null
}

# compile SOURCE NAME-OF-LIBRARY PROGRAM
compile() {
    [ ! "$3" -nt "$1" ] || return 0
    mkdir -p "$(dirname "$3")"
    case $1 in *.cpp) compiler=$CXX_x86_64_pc_windows_gnullvm standard=c++17 ;; *) compiler=$CC standard=c11 ;; esac
    "$compiler" -O1 -std=$standard -w -D_GNU_SOURCE -D__USE_MINGW_ANSI_STDIO=1 -include tools/windows/posix.h -I"$include" "$1" \
        "$folder/lib/$2.lib" -o "$3" >"$3.log" 2>&1
}

exports() {
    python3 tools/dll_exports.py "$folder/lib/tiledb_rs.dll" >"$folder/exports.txt"
    awk -F '\t' 'NR > 1 { print ($2 == "data") ? $1 " DATA" : $1 }' capi-tests/abi/functions.tsv | LC_ALL=C sort >"$folder/table.txt"
    missing=$(LC_ALL=C sort "$folder/exports.txt" | LC_ALL=C comm -13 - "$folder/table.txt")
    foreign=$(grep -v '^tiledb_' "$folder/exports.txt" || true)
    [ -z "$missing$foreign" ] || { echo "missing: $missing; foreign: $foreign" >&2; exit 1; }
    python3 tools/dll_exports.py "$(echo "$REFERENCE_DLL"/tiledb-*.dll)" | LC_ALL=C sort | cmp - "$folder/table.txt"
    echo "exports: $(grep -vc DATA "$folder/table.txt") functions and $(grep -c DATA "$folder/table.txt") variables as libtiledb's DLL"
}

# each NAME DLLS SOURCE...: compiles and runs programs; examples must print what is expected.
each() {
    name=$1 dlls=$2 passed=0 failed=0
    shift 2
    : >"$folder/$name.txt"
    for source; do
        program=${source%.c*} why=
        [ -z "$(not_run "$program")" ] || { echo "not run: $program ($(not_run "$program"))"; continue; }
        case $program in examples-c*) library=tiledb ;; *) library=tiledb_rs ;; esac
        executable=$folder/programs/$program.exe work=$folder/work/$name/$program
        rm -rf "$work"
        mkdir -p "$work"
        argument=$(sed -n '1s|^/\* arguments: DATA \*/$|examples-c/data|p' "$source")
        if ! compile "$source" $library "$executable"; then
            why="not compiled: $(grep -m 1 error "$executable.log" || true)"
        elif ! (cd "$work" && run "$dlls" "$executable" ${argument:+"$(windows_path "$root/$argument")"}) \
            >"$work.out" 2>"$work.err"; then
            why="ended: $(tr -d '\r' <"$work.err" | grep . | tail -n 1)"
        elif [ $library = tiledb ]; then
            expected=${program%/*}/expected/${program##*/}.txt
            tr -d '\r' <"$work.out" | diff - "$expected" >"$work.diff" || why="printed: $(sed -n 2p "$work.diff")"
        fi
        if [ -z "$why" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED $program: $why" | tee -a "$folder/$name.txt"
        fi
    done
    echo "$name: $passed passed, $failed failed"
}

programs() {
    # shellcheck disable=SC2046 # one word per program
    each programs "$folder/lib" $(if [ -n "${PROGRAMS:-}" ]; then printf '%s.c ' $PROGRAMS; else ls capi-tests/*.c examples-c/*.c; fi)
    [ "$failed" = 0 ]
}

# The same examples with libtiledb's DLL, by which failures that are wine's are told from ours.
reference() {
    mkdir -p "$folder/reference_dlls"
    cp "$REFERENCE_DLL"/*.dll "$folder/reference_dlls/"
    mv "$folder"/reference_dlls/tiledb-*.dll "$folder/reference_dlls/tiledb.dll"
    each reference "$folder/reference_dlls" examples-c/*.c
}

# The program and the library of this machine.
native() {
    (
        unset CARGO_BUILD_TARGET
        [ -e build/lib/libtiledb.so.2.30.0 ] || COMPAT=1 tools/build_library.sh build/lib
        cc -O1 -std=c11 -Iinclude tools/windows/arrays.c -o "$folder/programs/arrays" build/lib/libtiledb.so.2.30.0
        ln -sf libtiledb.so.2.30.0 build/lib/libtiledb.so.2.30
    )
}

# compare LIST [FOLDER-OF-LIBRARY]: the digests of arrays here and on Windows.
compare() {
    cp "$1" "$folder/arrays.txt"
    LD_LIBRARY_PATH=${2:-$root/build/lib} "$folder/programs/arrays" digest "$folder/arrays.txt" >"$folder/native.txt"
    run "$folder/lib" "$folder/programs/arrays.exe" digest "$(windows_path "$folder/arrays.txt")" | tr -d '\r' >"$folder/windows.txt"
    diff "$folder/native.txt" "$folder/windows.txt"
}

golden() {
    native
    compile tools/windows/arrays.c tiledb "$folder/programs/arrays.exe"
    rm -rf "$folder/golden"
    for archive in tests/golden/*.tar.gz; do
        name=$(basename "$archive" .tar.gz)
        mkdir -p "$folder/golden/$name"
        tar -xzf "$archive" -C "$folder/golden/$name"
    done
    find "$folder/golden" -name '*.tar' | while read -r archive; do
        mkdir -p "${archive%/*}/unpacked"
        tar -xf "$archive" -C "${archive%/*}/unpacked"
    done
    (cd "$folder" && find golden -name __schema -o -name __array_schema.tdb) | sed 's|/[^/]*$||' | LC_ALL=C sort -u >"$folder/list"
    (cd "$folder" && compare list)
    echo "golden: $(wc -l <"$folder/list") arrays are read as on Linux, $(grep -c 'cannot be opened' "$folder/native.txt") of them refused"
}

lives() {
    native
    compile tools/windows/arrays.c tiledb "$folder/programs/arrays.exe"
    from=${SEEDS%..*} to=${SEEDS#*..}
    cd "$folder"
    rm -rf lives
    mkdir -p lives/linux lives/windows
    LD_LIBRARY_PATH=$root/build/lib programs/arrays write lives/linux "$from" "$to"
    run "$folder/lib" programs/arrays.exe write 'lives\windows' "$from" "$to"
    for where in linux windows; do
        seq "$from" $((to - 1)) | sed "s|^|lives/$where/a|" >list
        compare list
        sed 's|^lives/[a-z]*/||' native.txt >"lives/$where.txt"
    done
    cmp lives/linux.txt lives/windows.txt
    if [ -n "${TILEDB_REFERENCE:-}" ]; then
        ln -sf "$TILEDB_REFERENCE" lives/libtiledb.so.2.30
        LD_LIBRARY_PATH=$folder/lives programs/arrays digest list | sed 's|^lives/[a-z]*/||' | cmp - lives/windows.txt
    fi
    cd "$root"
    echo "lives: $((to - from)) random arrays, written on Windows and on Linux, have the same cells on both"
}

if [ -z "${REFERENCE_DLL:-}" ]; then
    REFERENCE_DLL=$folder/reference/tiledb.libs
    if [ ! -d "$REFERENCE_DLL" ]; then
        tools/setup.sh python3-venv unzip
        [ -x .venv/bin/pip ] || make --no-print-directory venv
        .venv/bin/pip --quiet --disable-pip-version-check download --no-deps --dest "$folder/reference" --only-binary=:all: \
            --platform win_amd64 --python-version 3.11 "$(sed -n 's/^REFERENCE := //p' Makefile)"
        unzip -qo "$folder"/reference/tiledb-*.whl 'tiledb.libs/*' -d "$folder/reference"
    fi
fi
if [ -z "${TILEDB_REFERENCE:-}" ]; then
    TILEDB_REFERENCE=$(ls .venv/lib/python3*/site-packages/tiledb.libs/libtiledb-* 2>/dev/null | head -n 1)
    TILEDB_REFERENCE=${TILEDB_REFERENCE:+$root/$TILEDB_REFERENCE}
fi
SEEDS=${SEEDS:-0..200}

run_steps windows "exports programs reference golden lives" "$@"
