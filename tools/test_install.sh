#!/bin/sh
# Installs the built libraries by tools/install.sh and by CMake, compares both trees, and looks at what is installed: no
# path of this machine, the ELF files as they should be, the symbols of the interface and no other, the size.
# FOLDER/moved then holds the tree, moved away from its prefix.
# usage: test_install.sh BUILT FOLDER
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$2"
built=$1 folder=$(cd "$2" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
limit=$((119 * 128 * 1024))
failed=0
wrong() { echo "WRONG: $*" >&2 && failed=1; }

rm -rf "$folder/prefix" "$folder/staged" "$folder/staged-cmake" "$folder/cmake" "$folder/moved" "$folder/multiarch"
COMPAT=1 "$here/tools/install.sh" "$built" "$folder/prefix"
COMPAT=1 DESTDIR="$folder/staged" "$here/tools/install.sh" "$built" /usr/local
cmake -S "$here" -B "$folder/cmake-build" -DCMAKE_INSTALL_PREFIX="$folder/cmake" -DCMAKE_INSTALL_LIBDIR=lib \
    -DTILEDB_RS_COMPAT=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$folder/cmake-build" >/dev/null
cmake --install "$folder/cmake-build" >/dev/null
DESTDIR="$folder/staged-cmake" cmake --install "$folder/cmake-build" --prefix /opt/tiledb >/dev/null

# Folders, files, links and modes of both trees.
tree() { (cd "$1" && find . -printf '%y %m %p %l\n' | sed 's/^l [0-9]*/l/' | sort); }
tree "$folder/prefix" >"$folder/tree.txt"
for other in "$folder/cmake" "$folder/staged/usr/local" "$folder/staged-cmake/opt/tiledb"; do
    tree "$other" | diff "$folder/tree.txt" - || wrong "$other has other files"
    diff -r --no-dereference "$folder/prefix" "$other" || wrong "$other has other bytes"
done

# CMake's manifest, by which a user removes what was installed.
sed 's|^/opt/tiledb|.|' "$folder/cmake-build/install_manifest.txt" | sort >"$folder/manifest.txt"
(cd "$folder/prefix" && find . ! -type d | sort) | diff "$folder/manifest.txt" - || wrong "install_manifest.txt names other files"

# Libraries of other systems have other names and places; here they are empty files.
# other TARGET "FILE..." SHARED "PLACE...": install.sh puts what a build for TARGET made into these places, and CMake names SHARED.
other() {
    rm -rf "$folder/other"
    mkdir -p "$folder/other/built"
    for file in $2; do echo tiledb_rs_query_submit >"$folder/other/built/$file"; done
    for _ in first again; do
        CARGO_BUILD_TARGET=$1 COMPAT=1 "$here/tools/install.sh" "$folder/other/built" "$folder/other/prefix"
    done
    (cd "$folder/other/prefix" && find . ! -type d ! -path './include/*' ! -path './share/*' ! -path './lib/cmake/*' ! -name '*.pc') |
        sed 's|^./||' | sort | tr '\n' ' ' >"$folder/other/found"
    [ "$(cat "$folder/other/found")" = "$4 " ] || wrong "for $1 there are $(cat "$folder/other/found")"
    for package in TileDB-rs TileDB; do
        file=$folder/other/prefix/lib/cmake/$package/${package}Config.cmake
        if grep -q '@[A-Z_]*@' "$file" "${file%.cmake}Version.cmake"; then wrong "$file: a variable is not filled in"; fi
    done
    grep -qF "IMPORTED_LOCATION_RELEASE \"\${_tiledb_prefix}/$3\"" "$file" || wrong "$file does not name $3"
    if CARGO_BUILD_TARGET=$1 COMPAT=2.29 "$here/tools/install.sh" "$folder/other/built" "$folder/other/refused" 2>/dev/null; then
        wrong "COMPAT=2.29 is taken for $1"
    fi
    rm "$folder/other/prefix/$3" && echo another >"$folder/other/prefix/$3"
    if CARGO_BUILD_TARGET=$1 COMPAT=1 "$here/tools/install.sh" "$folder/other/built" "$folder/other/prefix" 2>/dev/null; then
        wrong "an original is replaced for $1"
    fi
}
other aarch64-apple-darwin "libtiledb_rs.2.30.dylib libtiledb.dylib libtiledb_rs.a" lib/libtiledb.dylib \
    "lib/libtiledb.a lib/libtiledb.dylib lib/libtiledb_rs.2.30.dylib lib/libtiledb_rs.a lib/libtiledb_rs.dylib"
other x86_64-pc-windows-gnullvm "tiledb.dll tiledb.lib libtiledb.dll.a tiledb_rs.dll tiledb_rs.lib libtiledb_rs.dll.a" bin/tiledb.dll \
    "bin/tiledb.dll bin/tiledb_rs.dll lib/libtiledb.dll.a lib/libtiledb_rs.dll.a lib/tiledb.lib lib/tiledb_rs.lib"
rm -rf "$folder/other"

# The drop-in under the names of other releases; an original library stays.
names=$folder/names
rm -rf "$names"
COMPAT="2.18 2.29 2.30 2.31" "$here/tools/install.sh" "$built" "$names/prefix"
cmake -S "$here" -B "$folder/cmake-build" -DCMAKE_INSTALL_PREFIX="$names/cmake" "-DTILEDB_RS_COMPAT=2.18;2.29;2.30;2.31" >/dev/null
cmake --install "$folder/cmake-build" >/dev/null
tree "$names/prefix" >"$folder/names.txt"
tree "$names/cmake" | diff "$folder/names.txt" - || wrong "COMPAT and TILEDB_RS_COMPAT make other names"
for release in 2.18 2.29 2.31; do
    cmp "$names/prefix/lib/libtiledb.so.$release" "$names/prefix/lib/libtiledb.so.$version" || wrong "no libtiledb.so.$release"
done
mkdir -p "$names/original/lib"
echo another >"$names/original/lib/libtiledb.so.2.29"
if COMPAT="2.29" "$here/tools/install.sh" "$built" "$names/original" 2>/dev/null; then wrong "an original is replaced"; fi
if cmake --install "$folder/cmake-build" --prefix "$names/original" >/dev/null 2>&1; then wrong "CMake replaces an original"; fi
[ "$(cat "$names/original/lib/libtiledb.so.2.29")" = another ] || wrong "an original was overwritten"
# So do the other files of another libtiledb, and nothing is installed inside of a folder.
# kept CONTENT NAME: neither way installs where NAME is of another library, or a folder.
kept() {
    for way in script cmake; do
        rm -rf "$names/other"
        mkdir -p "$names/other/$(dirname "$2")"
        if [ "$1" = folder ]; then mkdir "$names/other/$2"; else echo "$1" >"$names/other/$2"; fi
        before=$(cd "$names/other" && find . | sort)
        if [ "$way" = script ]; then
            set -- "$1" "$2" env COMPAT=1 "$here/tools/install.sh" "$built" "$names/other"
        else
            set -- "$1" "$2" cmake --install "$folder/cmake-build" --prefix "$names/other"
        fi
        what=$1 name=$2
        shift 2
        if message=$("$@" 2>&1); then wrong "$way installs over $name ($what)"; fi
        set -- "$what" "$name"
        printf '%s' "$message" | tr -d '\n' | grep -qF "$name" || wrong "$way does not name $name: $message"
        after=$(cd "$names/other" && find . | sort)
        [ "$before" = "$after" ] || [ "$way" = cmake ] || wrong "$way installed something beside $name"
        [ "$what" = folder ] || [ "$(cat "$names/other/$name")" = "$what" ] || wrong "$way overwrote $name"
        [ "$what" != folder ] || [ -z "$(ls "$names/other/$name")" ] || wrong "$way installed inside of $name"
    done
}
for name in lib/pkgconfig/tiledb.pc lib/cmake/TileDB/TileDBConfig.cmake include/tiledb/tiledb.h lib/libtiledb.a; do
    kept another "$name"
done
for name in lib/libtiledb_rs.so lib/libtiledb_rs.a "lib/libtiledb_rs.so.$version" lib/libtiledb.so include/tiledb/tiledb.h; do
    kept folder "$name"
done
for refused in 2.14 2.32 yes; do
    if COMPAT=$refused "$here/tools/install.sh" "$built" "$names/refused" 2>/dev/null; then wrong "COMPAT=$refused is taken"; fi
done
rm -rf "$names"

# Other folders for libraries; none that would tie the tree to its prefix.
COMPAT=1 LIBDIR=lib/multi-arch INCLUDEDIR=include/deep "$here/tools/install.sh" "$built" "$folder/multiarch"
PKG_CONFIG_PATH=$folder/multiarch/lib/multi-arch/pkgconfig pkg-config --cflags tiledb | grep -q 'include/deep' ||
    wrong "LIBDIR and INCLUDEDIR are not followed by pkg-config"
cmake -S "$here/capi-tests/package" -B "$folder/multiarch-build" -DFORM="TileDB;2.30;REQUIRED" -DLIBRARY=TileDB::tiledb_static \
    -DTileDB_DIR="$folder/multiarch/lib/multi-arch/cmake/TileDB" >/dev/null || wrong "LIBDIR is not followed by CMake"
for refused in /usr/lib ../lib lib/../../x; do
    if LIBDIR=$refused "$here/tools/install.sh" "$built" "$folder/refused" 2>/dev/null; then wrong "LIBDIR=$refused is taken"; fi
    if cmake -S "$here" -B "$folder/refused" -DCMAKE_INSTALL_LIBDIR="$refused" >/dev/null 2>&1; then
        wrong "CMAKE_INSTALL_LIBDIR=$refused is taken"
    fi
done
rm -rf "$folder/refused"

# No file names a folder of this machine, the library itself included.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
for path in "$here" "$folder" "$cargo_home" "$HOME/.rustup" "${CARGO_TARGET_DIR:-$here/target}"; do
    named=$(grep -rlF "$path/" "$folder/prefix" || true)
    [ -z "$named" ] || wrong "$path stands in $named (built before? then cargo clean --release)"
done

python3 "$here/tools/dist/check_documents.py" "$folder/prefix/share/doc/TileDB-rs" || wrong "links of the documents"

mv "$folder/prefix" "$folder/moved"
functions=$(awk -F '\t' 'FNR > 1 { print $1 }' "$here/capi-tests/abi/functions.tsv" "$here/capi-tests/abi/removed.tsv" \
    "$here/capi-tests/abi/next.tsv")
own=$(grep -ohE '\btiledb_rs_[a-z0-9_]+\(' "$here/include/tiledb/tiledb_rs.h" | tr -d '(')
printf '%s\n' $functions $own | sort -u >"$folder/wanted.txt"
for name in tiledb_rs tiledb; do
    library=$folder/moved/lib/lib$name.so.$version
    dynamic=$(readelf -dW "$library") program=$(readelf -lW "$library")
    expect() { printf '%s' "$1" | grep -qE "$2" || wrong "$library: no $2"; }
    refuse() { if printf '%s' "$1" | grep -qE "$2"; then wrong "$library: $2"; fi; }
    expect "$dynamic" "SONAME.*\[lib$name\.so\.${version%.*}\]"
    expect "$dynamic" 'FLAGS_1.* NOW'
    expect "$dynamic" 'FLAGS_1.* NODELETE'
    expect "$program" 'GNU_RELRO'
    expect "$program" 'GNU_STACK.* RW '
    refuse "$dynamic" 'RPATH|RUNPATH|TEXTREL'
    needed=$(printf '%s' "$dynamic" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | tr '\n' ' ')
    for needs in $needed; do
        case $needs in
        libc.so.6 | libm.so.6 | libgcc_s.so.1 | libpthread.so.0 | libdl.so.2 | librt.so.1 | ld-linux-*) ;;
        *) wrong "$library needs $needs" ;;
        esac
    done
    readelf -SW "$library" | grep -qE '\.(symtab|debug_info)' && wrong "$library is not stripped"
    nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$folder/$name.txt"
    diff "$folder/wanted.txt" "$folder/$name.txt" || wrong "$library exports other symbols"
    # Each process pays for a relocation. Functions that are called through the global offset table have one each (rustc.sh).
    relocations=$(readelf -rW "$library" | grep -c _RELATIVE)
    [ "$relocations" -le 29000 ] || wrong "$library has $relocations relocations"
    size=$(stat -c %s "$library")
    [ "$size" -le "$limit" ] || wrong "$library has $size bytes"
    glibc=$(readelf -VW "$library" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    echo "lib$name.so.$version: $size bytes, $(wc -l <"$folder/$name.txt") symbols, $glibc or later, needs $needed"
done
# The functions that the linker puts side by side are those of this release.
python3 "$here/tools/everyday.py" check "${CARGO_TARGET_DIR:-$here/target}/release/libtiledb_rs.a" || wrong "tools/everyday.ld"
python3 "$here/tools/test_sbom.py" "$folder/moved/lib/libtiledb_rs.so" || wrong "tools/sbom.py"
# The archive shows the interface and nothing of what is bundled.
nm -g --defined-only "$folder/moved/lib/libtiledb_rs.a" | awk 'NF == 3 { print $3 }' | sort |
    diff "$folder/wanted.txt" - || wrong "libtiledb_rs.a shows other symbols"
echo "libtiledb_rs.a: $(stat -c %s "$folder/moved/lib/libtiledb_rs.a") bytes"
[ "$failed" -eq 0 ] && echo "install: both ways make the same tree; libraries are as they should be"
