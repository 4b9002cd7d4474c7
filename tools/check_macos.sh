#!/bin/sh
# Builds the libraries for macOS on arm64 and x86-64, joins them to universal ones, and checks names, exports, minimum version and
# that each symbol from elsewhere is one of the system's. Nothing is run: on a Mac, macos_selftest.sh does that.
# usage: check_macos.sh FOLDER       (PROFILE and what target.sh takes)
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
for triple in aarch64-apple-darwin x86_64-apple-darwin; do
    tools/setup_target.sh $triple
done
tools/test_macho.sh "$out/macho"
for triple in aarch64-apple-darwin x86_64-apple-darwin; do
    CARGO_BUILD_TARGET=$triple COMPAT=1 tools/build_library.sh "build/$triple/lib"
done
cp build/aarch64-apple-darwin/lib/symbols.txt "$out/"
for name in "libtiledb_rs.${version%.*}.dylib" libtiledb.dylib; do
    tools/macho.py join "$out/$name" build/aarch64-apple-darwin/lib/$name build/x86_64-apple-darwin/lib/$name
    tools/macho.py check "$out/$name" "$out/symbols.txt" "@rpath/$name" \
        build/aarch64-apple-darwin/stubs/libSystem.tbd
done
ln -sf "libtiledb_rs.${version%.*}.dylib" "$out/libtiledb_rs.dylib"
interface=$(tools/exports.sh functions.tsv | wc -l)
echo "libtiledb's interface: $interface functions and variables, all exported"
