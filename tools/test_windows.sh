#!/bin/sh
# The tests on Windows x86-64: compiled here, run by wine. docs/testing.md says what each step is.
# usage: test_windows.sh [STEP...]     exports, headers, unit, programs, reference, golden, lives, tool, concurrent, stores; all of them
#                                      without arguments
# Variables, each with what it is otherwise:
#   WINE             wine for x86-64 (wine64, installed)
#   WINE_DLLS        DLLs beside those of the programs, for a wine that lacks some
#   REFERENCE_DLL    the folder of libtiledb 2.30 for Windows (out of the wheel of TileDB-Py, downloaded)
#   SEEDS            seeds of random arrays (0..200)
#   DURATION          how long the step `concurrent` runs (60)
#   PROGRAMS         programs of the step `programs`, such as capi-tests/vfs.c (all but those below)
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
    capi-tests/exceptions | capi-tests/cpp/query_experimental | capi-tests/cpp/vfs) echo "exceptions of callbacks are converted on Linux" ;;
    capi-tests/cpp/profile) echo "empty variables of the environment" ;;
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
COMPAT=1 tools/build_library.sh "$folder/lib"

# A prefix of its own; what this wine lacks.
export WINEPREFIX="${WINEPREFIX:-$folder/wine}" WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml="
mkdir -p "$folder/programs"
[ -e "$WINEPREFIX/system.reg" ] || "$WINE" wineboot --init </dev/null
CC=$CC tools/windows/wine_dlls.sh "$folder/dlls"

# windows PATH: as programs of Windows name it.
windows_path() { echo "Z:$1" | tr / '\\'; }

dlls=$(windows_path "$folder/dlls")${WINE_DLLS:+;$(windows_path "$WINE_DLLS")}

# run FOLDER-OF-DLLS PROGRAM ARGUMENT...: by wine, in the working directory, for `limit` seconds at most.
limit=120
run() {
    path=$(windows_path "$1")\;$dlls
    shift
    WINEPATH=$path timeout "$limit" "$WINE" "$@" </dev/null
}

# compile SOURCE NAME-OF-LIBRARY PROGRAM
compile() {
    [ ! "$3" -nt "$1" ] || return 0
    mkdir -p "$(dirname "$3")"
    case $1 in *.cpp) compiler=$zig/c++ standard=c++17 ;; *) compiler=$CC standard=c11 ;; esac
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

# The headers for C as MSVC reads them, by Clang in its mode: as C and as C++, with all that may be declared. MSVC's own headers are
# not here: Clang brings what needs no library, and the type of streams stands for the rest.
headers() {
    mkdir -p "$folder/msvc"
    echo 'typedef struct _iobuf FILE;' >"$folder/msvc/stdio.h"
    {
        printf '#define TILEDB_RS_REMOVED_API\n#define TILEDB_RS_NEXT_API\n'
        for header in tiledb.h tiledb_experimental.h tiledb_rs.h; do echo "#include <tiledb/$header>"; done
        printf '#ifndef _MSC_VER\n#error "not the mode of MSVC"\n#endif\n'
        echo 'int main(void) { tiledb_ctx_t *ctx; return tiledb_ctx_alloc((tiledb_config_t *)0, &ctx) == TILEDB_OK; }'
    } >"$folder/msvc/user.c"
    command=${ZIG:-build/zig/bin/python -m ziglang}
    # shellcheck disable=SC2086 # a command with arguments
    own=$($command env | sed -n 's/^ *"*\.*lib_dir"*[ =:]*"\(.*\)",*$/\1/p')/include
    for language in c c++; do
        # shellcheck disable=SC2086
        $command clang --target=x86_64-pc-windows-msvc -fms-compatibility-version=19.40 -x $language -ffreestanding -nostdinc \
            -isystem "$own" -I"$folder/msvc" -I"$include" -DTILEDB_NO_API_DEPRECATION_WARNINGS -Wall -Wextra -Wpedantic -Werror \
            -fsyntax-only "$folder/msvc/user.c"
    done
    echo "headers: compiled as MSVC reads C and C++"
}

# each NAME LIBRARIES SOURCE...: compiles and runs programs; examples must print what is expected.
each() {
    name=$1 libraries=$2 passed=0 failed=0 limit=120
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
        elif ! (cd "$work" && run "$libraries" "$executable" ${argument:+"$(windows_path "$root/$argument")"}) \
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
    # shellcheck disable=SC2046,SC2086 # one word per program
    each programs "$folder/lib" ${PROGRAMS:-$(ls capi-tests/*.c* capi-tests/cpp/*.cpp examples-c/*.c examples-c/cpp/*.cpp)}
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
    limit=1800
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
    from=${SEEDS%..*} to=${SEEDS#*..} limit=1800
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

# The unit tests of the module with what is Windows', and of the crate around it.
unit() {
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNULLVM_RUNNER="$WINE"
    WINEPATH=$dlls cargo test --locked -p tiledb-core --lib
}

# The tool, with files that are written by the one and read by the other system.
tool() {
    limit=120
    WINEPATH=$dlls CARGO_TARGET_X86_64_PC_WINDOWS_GNULLVM_RUNNER=$WINE tools/build_tool.sh "$folder"
    work=$folder/work/tool
    rm -rf "$work"
    mkdir -p "$work"
    tar -xzf tests/golden/v22.tar.gz -C "$work" aggregates_dense/array.tar
    tar -xf "$work/aggregates_dense/array.tar" -C "$work"
    (
        cd "$work"
        tool() { run "$folder/dlls" "$folder/bin/tiledb-rs.exe" "$@"; }
        tool --version | grep -q '^tiledb-rs '
        tool info array >info.txt
        grep -q 'dense array' info.txt
        tool verify array
        tool copy array 'copies\my array'
        tool verify 'copies/my array'
        tool copy --check --dry-run array 'copies\my array'
        tool cat array --format csv -o cells.csv
        tool cat "$(windows_path "$PWD/copies/my array")" --format csv -o copied.csv
        cmp cells.csv copied.csv
        tool import cells.csv imported
        tool verify imported
        tool ls copies | grep -q my%20array
    )
    echo "tool: $(wc -l <"$work/cells.csv") lines exported, copied and imported"
}

# Processes on one array at the same time.
concurrent() {
    limit=$((DURATION + 300))
    work=$folder/work/concurrent
    rm -rf "$work"
    mkdir -p "$work"
    compile tools/windows/concurrent.c tiledb "$folder/programs/concurrent.exe"
    (
        cd "$work"
        role() { run "$folder/lib" "$folder/programs/concurrent.exe" "$@"; }
        role create array
        for roles in "write array $DURATION 0" "write array $DURATION 1" "read array $DURATION 0" "read array $DURATION 1" \
            "consolidate array $DURATION" "vacuum array $DURATION"; do
            # shellcheck disable=SC2086 # one word per argument
            { role $roles || echo "FAILED: $roles"; } >"$(echo "$roles" | tr ' ' _).txt" 2>&1 &
        done
        wait
        cat ./*.txt
        role check array
        if grep -q FAILED ./*.txt; then exit 1; fi
    )
}

# Arrays in S3, written by the one and read by the other system; then by TLS, with certificates of known and unknown authorities.
stores() {
    limit=600
    tools/setup.sh openssl curl
    [ -x .venv/bin/moto_server ] || make --no-print-directory venv
    native
    compile tools/windows/arrays.c tiledb "$folder/programs/arrays.exe"
    work=$folder/work/stores
    rm -rf "$work"
    mkdir -p "$work"
    (
        servers=
        # shellcheck disable=SC2086 # one word per process
        trap '[ -z "$servers" ] || kill $servers' EXIT
        # serve SCHEME ARGUMENT...: starts a server with a bucket, and lets the library use it.
        serve() {
            scheme=$1
            shift
            port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
            "$root/.venv/bin/moto_server" -H 127.0.0.1 -p "$port" "$@" >"$work/$scheme.log" 2>&1 &
            servers="$servers $!"
            curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors --cacert "$work/known.pem" -o "$work/bucket" -X PUT \
                "$scheme://localhost:$port/tests"
            export TILEDB_VFS_S3_SCHEME="$scheme" TILEDB_VFS_S3_ENDPOINT_OVERRIDE="localhost:$port"
        }
        arrays() { run "$folder/lib" "$folder/programs/arrays.exe" "$@"; }
        # both FOLDER: the same cells on both systems.
        both() {
            seq 0 9 | sed "s|^|s3://tests/$1/a|" >"$work/list"
            compare "$work/list"
            if grep -E 'cannot be opened| -1 cells' "$folder/windows.txt"; then exit 1; fi
        }
        export AWS_EC2_METADATA_DISABLED=true TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING=false TILEDB_VFS_S3_REGION=us-east-1
        export TILEDB_VFS_S3_AWS_ACCESS_KEY_ID=test TILEDB_VFS_S3_AWS_SECRET_ACCESS_KEY=test
        cd "$work"
        for name in known unknown; do
            command openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name authority" -keyout $name.key -out $name.pem
        done 2>openssl.log
        echo 'subjectAltName=DNS:localhost' >names
        command openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr 2>>openssl.log
        command openssl x509 -req -in server.csr -CA known.pem -CAkey known.key -CAcreateserial -days 2 -extfile names \
            -out server.pem 2>>openssl.log
        # Wine 8 accepts a chain without its root, which Windows rejects (CERT_E_CHAINING).
        cat known.pem >>server.pem

        serve http
        arrays write s3://tests/windows 0 10
        LD_LIBRARY_PATH=$root/build/lib "$folder/programs/arrays" write s3://tests/linux 0 10
        both windows
        both linux
        echo "stores: 10 arrays in S3 written on Windows, 10 on Linux, the same cells on both"

        serve https -c server.pem -k server.key
        for authority in '' unknown.pem; do
            export TILEDB_VFS_S3_CA_FILE="$authority"
            if arrays write s3://tests/refused 0 1 2>refused.txt; then
                echo "An authority that is not known has been accepted." >&2
                exit 1
            fi
            # CERT_E_UNTRUSTEDROOT, of which Wine has no text.
            grep -q -e -2146762487 refused.txt
        done
        # Wine reports that the revocation of a certificate is unknown (CERT_E_REVOCATION_FAILURE) also where it shall be ignored.
        # The authority has been accepted then, and cells are transferred without verification.
        export TILEDB_VFS_S3_CA_FILE=known.pem
        if ! arrays write s3://tests/known 0 1 2>refused.txt; then
            grep -q -e -2146762482 refused.txt
            export TILEDB_VFS_S3_VERIFY_SSL=false
        fi
        arrays write s3://tests/windows 0 10
        both windows
        echo "stores: 10 arrays by TLS${TILEDB_VFS_S3_VERIFY_SSL:+ without verification}; certificates of unknown authorities are refused"
    )
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
SEEDS=${SEEDS:-0..200} DURATION=${DURATION:-60}

run_steps windows "exports headers unit programs reference golden lives tool concurrent stores" "$@"
