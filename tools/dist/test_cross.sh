#!/bin/sh
# The tarball for another machine, as people use it: find_package in projects that CMake compiles for that machine, and the
# libraries of the build machine refused there.
# usage: test_cross.sh DIST FOLDER      (with CARGO_BUILD_TARGET, aarch64-unknown-linux-gnu or x86_64-pc-windows-gnullvm; called by
#                                        test_dist.sh)
set -eu
dist=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../.."
. tools/target.sh
case $triple in
aarch64-unknown-linux-gnu) toolchain=aarch64-linux-gnu system=Linux ;;
x86_64-pc-windows-gnullvm) toolchain=x86_64-windows-gnu system=Windows ;;
*) echo "CMake: there is no toolchain file for $triple"; exit 0 ;;
esac
zig=$(echo "${ZIG:-$PWD/build/zig/bin/python -m ziglang}" | tr ' ' ';')
if [ $system = Windows ]; then
    # A prefix of its own, and what some releases of wine lack.
    CC=tools/zig/cc ZIG="$(echo "$zig" | tr ';' ' ')" tools/windows/wine_dlls.sh "$folder/dlls"
    export WINEPREFIX="${WINEPREFIX:-$folder/wine}" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
    export WINEPATH="Z:$(echo "$folder/dlls" | tr / '\\')"
fi
rm -rf "$folder/tree" "$folder"/build_*
mkdir "$folder/tree"
case $triple in
*-windows-*) python3 -m zipfile -e "$dist"/*.zip "$folder/tree" ;;
*) tar -C "$folder/tree" -xzf "$dist"/*.tar.gz ;;
esac
prefix=$(echo "$folder"/tree/*)

# configure FOLDER FORM LIBRARY TOOLCHAIN
configure() {
    cmake -S capi-tests/package -B "$folder/$1" -DCMAKE_TOOLCHAIN_FILE="$4" -DZIG="$zig" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$prefix" -DFORM="$2" -DLIBRARY="$3"
}
forms='TileDB;2.30;REQUIRED|TileDB::tiledb TileDB-rs;2.30;REQUIRED|TileDB-rs::tiledb_rs'
[ $system = Windows ] || forms="$forms TileDB;CONFIG;REQUIRED|TileDB::tiledb_static"
for form in $forms; do
    name=build_$(printf '%s' "$form" | tr -c 'A-Za-z0-9' _)
    if ! { configure "$name" "${form%|*}" "${form#*|}" "$PWD/cmake/toolchains/$toolchain.cmake" && cmake --build "$folder/$name" &&
        (cd "$folder/$name" && ctest --output-on-failure); } >"$folder/$name.log" 2>&1; then
        cat "$folder/$name.log" >&2
        exit 1
    fi
    grep -q '100% tests passed' "$folder/$name.log"
    echo "find_package($(echo "${form%|*}" | tr ';' ' ')) for $toolchain: ${form#*|}, compiled and run"
done
# For this machine the same folder has no library.
if configure build_refused "TileDB;2.30;REQUIRED" TileDB::tiledb "" >"$folder/refused.log" 2>&1; then
    echo "WRONG: a library for $triple is found for this machine" >&2
    exit 1
fi
grep -q "($system, " "$folder/refused.log" || { cat "$folder/refused.log" >&2; exit 1; }
echo "find_package for this machine: refused"
