#!/bin/sh
# Builds the release libraries for macOS into a folder, on Linux, by one compilation for a processor:
#   libtiledb_rs.VERSION.dylib   the shared library; libtiledb_rs.dylib links to it
#   libtiledb_rs.a               the static one, with OpenSSL
#   libtiledb.dylib              with COMPAT=1: the drop-in, which has the name of libtiledb's
# The shared libraries export the functions of the interface only, name the library that each symbol comes from, and run on
# macOS 11 and later. LLVM's linker, which is part of Rust, links them with a description of the system's library.
# usage: build_macos.sh FOLDER       (called by build_library.sh with CARGO_BUILD_TARGET)
set -eu
out=$1
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
. tools/target.sh
export MACOSX_DEPLOYMENT_TARGET="${MACOSX_DEPLOYMENT_TARGET:-11.0}"
linker=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/gcc-ld/ld64.lld
processor=$(echo "$machine" | sed 's/aarch64/arm64/')
short=${version%.*}

"${CARGO:-cargo}" rustc --locked --profile "$profile" --lib --crate-type staticlib
tools/exports.sh >"$out/symbols.txt"
sed 's/^/_/' "$out/symbols.txt" >"$out/exports.txt"
crypto=$(openssl libcrypto.a) ssl=$(openssl libssl.a)

# link NAME: the shared library of this name.
link() {
    # shellcheck disable=SC2046 # one word per symbol
    "$linker" -dylib -arch "$processor" -platform_version macos "$MACOSX_DEPLOYMENT_TARGET" "$MACOSX_DEPLOYMENT_TARGET" \
        -install_name "@rpath/$1" -current_version "$version" -compatibility_version 0 \
        -exported_symbols_list "$out/exports.txt" $(sed 's/^/-u /' "$out/exports.txt") \
        -dead_strip -dead_strip_dylibs -x -adhoc_codesign -o "$out/$1" \
        "$made/libtiledb_rs.a" "$ssl" "$crypto" "build/$triple/stubs/libSystem.tbd"
}
link "libtiledb_rs.$short.dylib"
ln -sf "libtiledb_rs.$short.dylib" "$out/libtiledb_rs.dylib"
[ -z "${COMPAT:-}" ] || link libtiledb.dylib

rm -f "$out/libtiledb_rs.a"
printf 'CREATE %s\nADDLIB %s\nADDLIB %s\nADDLIB %s\nSAVE\nEND\n' \
    "$out/libtiledb_rs.a" "$made/libtiledb_rs.a" "$ssl" "$crypto" | "$AR" -M
