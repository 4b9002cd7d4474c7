#!/bin/sh
# Installs what build_library.sh built, headers, CMake packages, pkg-config files and licences. `cmake --install` calls it, too.
# usage: install.sh FOLDER PREFIX    (COMPAT=1 adds the drop-in, on Linux COMPAT="2.27 2.28" also under the names that programs of
#                                     these releases load, 2.15 to 2.31; TOOL=FOLDER what build_tool.sh made there; DESTDIR is put
#                                     before PREFIX; LIBDIR, INCLUDEDIR and DOCDIR are relative to PREFIX: lib, include and
#                                     share/doc/TileDB-rs; MANIFEST=FILE receives the paths below DESTDIR of what is installed)
set -eu
built=$(cd "$1" && pwd) prefix=$2
cd "$(dirname "$0")/.."
LIBDIR=${LIBDIR:-lib} INCLUDEDIR=${INCLUDEDIR:-include} DOCDIR=${DOCDIR:-share/doc/TileDB-rs}
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
MAJOR=${VERSION%%.*} MINOR=${VERSION#*.}
MINOR=${MINOR%%.*}
# The release after this one, whose functions the library has, too (capi-tests/abi/next.tsv).
NEXT=$MAJOR.$((MINOR + 1))
PRIVATE_LIBS=$(cat cmake/private_libs.txt)
PRIVATE_FLAGS=$(echo "$PRIVATE_LIBS" | sed 's/\([^;]*\);*/-l\1 /g; s/ $//')

# CMake's names of the system and of the processor that the libraries are for.
case ${CARGO_BUILD_TARGET:-$(uname -s)} in *[Dd]arwin*) SYSTEM=Darwin ;; *-windows-*) SYSTEM=Windows ;; *) SYSTEM=Linux ;; esac
case ${CARGO_BUILD_TARGET:-$(uname -m)} in
x86_64*) PROCESSORS='x86_64;AMD64;amd64' ;;
aarch64* | arm64) PROCESSORS='aarch64;arm64;ARM64' ;;
*) PROCESSORS=$(uname -m) ;;
esac

case $prefix in /*) ;; *) echo "PREFIX is '$prefix': give an absolute folder" >&2; exit 1 ;; esac
for folder in "$LIBDIR" "$INCLUDEDIR" "$DOCDIR"; do
    case /$folder/ in //* | */../* | */./*)
        echo "'$folder' is no plain folder below the prefix, so the prefix could not be moved" >&2; exit 1 ;;
    esac
done

# The way from a folder below the prefix back to it.
up() { echo "$1" | sed 's|[^/][^/]*|..|g; s|/$||'; }
CMAKE_UP=$(up "$LIBDIR/cmake/TileDB") PC_UP=$(up "$LIBDIR/pkgconfig")

root=${DESTDIR:-}$prefix
lib=$root/$LIBDIR

# files NAME: the files of a shared library, relative to the prefix: LOCATION is what a program loads, LINKS the other names of it,
# LINKED the property by which CMake knows what a program asks for, FILES what else is installed beside.
files() {
    case $SYSTEM in
    Linux)
        LOCATION=$LIBDIR/lib$1.so.$VERSION LINKS="$LIBDIR/lib$1.so.$MAJOR.$MINOR $LIBDIR/lib$1.so" FILES=
        LINKED="IMPORTED_SONAME_RELEASE \"lib$1.so.$MAJOR.$MINOR\""
        ;;
    Darwin)
        # The name by which libtiledb's clients load its library has no version.
        case $1 in
        tiledb) LOCATION=$LIBDIR/libtiledb.dylib LINKS= ;;
        *) LOCATION=$LIBDIR/lib$1.$MAJOR.$MINOR.dylib LINKS=$LIBDIR/lib$1.dylib ;;
        esac
        FILES='' LINKED="IMPORTED_SONAME_RELEASE \"@rpath/${LOCATION##*/}\""
        ;;
    Windows)
        LOCATION=bin/$1.dll LINKS='' FILES="$LIBDIR/$1.lib $LIBDIR/lib$1.dll.a"
        LINKED="IMPORTED_IMPLIB_RELEASE \"\${_tiledb_prefix}/$LIBDIR/$1.lib\""
        ;;
    esac
}
# The static library, where there is one.
if [ $SYSTEM = Windows ]; then ARCHIVE=; else ARCHIVE=$LIBDIR/libtiledb_rs.a; fi

# refuse_folder FOLDER/NAME: a folder of that name would take the file inside.
refuse_folder() {
    if [ -d "$1" ]; then
        echo "'$1' is a folder where a file is installed: install into another PREFIX, or remove it first" >&2
        exit 1
    fi
}

# installed PATH: notes a path in the manifest.
installed() { [ -z "${MANIFEST:-}" ] || echo "${1#"${DESTDIR:-}"}" >>"$MANIFEST"; }

# put MODE FILE FOLDER/NAME. With `dry`, put, link and fill only look whether they can.
put() {
    refuse_folder "$3"
    [ -n "$dry" ] || { mkdir -p "${3%/*}" && install -m "$1" "$2" "$3" && installed "$3"; }
}

# link TARGET FOLDER/NAME
link() {
    refuse_folder "$2"
    [ -n "$dry" ] || { ln -sf "$1" "$2" && installed "$2"; }
}

# fill TEMPLATE FOLDER/NAME: puts the template's variables into it.
fill() {
    refuse_folder "$2"
    [ -z "$dry" ] || return 0
    mkdir -p "${2%/*}"
    set -- "$1" "$2"
    script=
    for name in PACKAGE NAME FOUND CMAKE_UP PC_UP LIBDIR INCLUDEDIR VERSION MAJOR MINOR SYSTEM PROCESSORS \
        LOCATION LINKED ARCHIVE PRIVATE_LIBS PRIVATE_FLAGS; do
        eval "value=\$$name"
        script="$script;s|@$name@|$value|g"
    done
    sed "${script#;}" "$1" >"$2"
    chmod 644 "$2"
    installed "$2"
}

# keep_original TEXT FILE...: refuses to replace files of another libtiledb, which lack the text.
keep_original() {
    own=$1
    shift
    for file; do
        if [ -f "$file" ] && ! grep -q "$own" "$file"; then
            echo "'$file' is of another libtiledb: install into another PREFIX, or remove that libtiledb first" >&2
            exit 1
        fi
    done
}

# package PACKAGE NAME FOUND: the shared library, its links, a CMake package and a pkg-config file.
package() {
    PACKAGE=$1 NAME=$2 FOUND=$3
    files "$NAME"
    put 755 "$built/${LOCATION##*/}" "$root/$LOCATION"
    for file in $FILES; do put 644 "$built/${file##*/}" "$root/$file"; done
    last=$LOCATION
    for file in $LINKS; do
        link "${last##*/}" "$root/$file"
        last=$file
    done
    fill cmake/Config.cmake.in "$lib/cmake/$PACKAGE/${PACKAGE}Config.cmake"
    fill cmake/ConfigVersion.cmake.in "$lib/cmake/$PACKAGE/${PACKAGE}ConfigVersion.cmake"
    fill cmake/pkgconfig.pc.in "$lib/pkgconfig/$NAME.pc"
}

# What is refused is refused before anything is installed.
names=
if [ -n "${COMPAT:-}" ]; then
    for release in $COMPAT; do
        case $release in
        1 | "$MAJOR.$MINOR") ;;
        2.1[5-9] | 2.2[0-9] | "$NEXT")
            if [ $SYSTEM != Linux ]; then
                echo "COMPAT is '$COMPAT': the names of libraries for $SYSTEM have no release, so that 1 is enough" >&2
                exit 1
            fi
            names="$names libtiledb.so.$release"
            ;;
        *) echo "COMPAT is '$COMPAT': '$release' is neither 1 nor a release from 2.15 to $NEXT" >&2; exit 1 ;;
        esac
    done
    files tiledb
    for file in $LOCATION $LINKS $FILES ${ARCHIVE:+$LIBDIR/libtiledb.a}; do keep_original tiledb_rs_query_submit "$root/$file"; done
    for name in $names; do keep_original tiledb_rs_query_submit "$lib/$name"; done
    keep_original 'storage engine in Rust' "$lib/pkgconfig/tiledb.pc"
    keep_original _tiledb_prefix "$lib/cmake/TileDB/TileDBConfig.cmake"
fi
keep_original 'Printed from src/capi' "$root/$INCLUDEDIR/tiledb/tiledb.h"

documents=$(mktemp -d)
trap 'rm -rf "$documents"' EXIT
tools/documents.sh "$documents"

[ -z "${MANIFEST:-}" ] || : >"$MANIFEST"
for dry in dry ""; do
    package TileDB-rs tiledb_rs TILEDB_RS_FOUND
    [ -z "$ARCHIVE" ] || put 644 "$built/libtiledb_rs.a" "$root/$ARCHIVE"
    if [ -n "${COMPAT:-}" ]; then
        package TileDB tiledb TILEDB_FOUND
        for name in $names; do link "libtiledb.so.$MAJOR.$MINOR" "$lib/$name"; done
        [ -z "$ARCHIVE" ] || link libtiledb_rs.a "$lib/libtiledb.a"
    fi
    find include/tiledb -type f | while read -r header; do
        put 644 "$header" "$root/$INCLUDEDIR/${header#include/}"
    done
    if [ -n "${TOOL:-}" ]; then
        (cd "$TOOL" && find bin share -type f) | while read -r file; do
            mode=644
            case $file in bin/*) mode=755 ;; esac
            put $mode "$TOOL/$file" "$root/$file"
        done
    fi
    (cd "$documents" && find . -type f | LC_ALL=C sort) | while read -r file; do
        put 644 "$documents/$file" "$root/$DOCDIR/${file#./}"
    done
done
