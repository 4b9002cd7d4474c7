#!/bin/sh
# Builds the release libraries into a folder, by one compilation:
#   libtiledb_rs.so.VERSION   the shared library, as cargo links it
#   libtiledb_rs.a            the static one: a single object without what no function needs, in which only the functions
#                             of the interface are visible, so that a program may bring its own zstd, zlib or OpenSSL
#   libtiledb.so.VERSION      with COMPAT=1: the drop-in, the object of the static library linked under libtiledb's SONAME
# For macOS build_macos.sh does that, with the system's names of libraries.
# For Windows: tiledb_rs.dll and tiledb.dll, the drop-in, each with an import library for MSVC (.lib) and MinGW (.dll.a).
# usage: build_library.sh FOLDER    (PROFILE, CARGO, CARGO_BUILD_TARGET, CARGO_TARGET_DIR, CC, AR, LD, NM and OBJCOPY may be set,
#                                    see target.sh)
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
. tools/target.sh
case $triple in *-apple-darwin) exec tools/build_macos.sh "$out" ;; esac
shared=$out/libtiledb_rs.so.$version object=$out/tiledb_rs.o archive=$out/libtiledb_rs.a dropin=$out/libtiledb.so.$version

# A plain `sudo make install` after `make build` has no cargo, and needs none.
if ! command -v "${CARGO:-cargo}" >/dev/null && [ -e "$archive" ]; then
    [ -z "${COMPAT:-}" ] || [ -e "$dropin" ] && exit 0
fi

case $triple in *-windows-*)
    "${CARGO:-cargo}" rustc --locked --profile "$profile" --lib --crate-type cdylib
    # The name of a DLL is that of its file.
    for name in tiledb_rs ${COMPAT:+tiledb}; do
        cp "$made/tiledb_rs.dll" "$out/$name.dll"
        python3 tools/dll_exports.py --def "$name.dll" "$out/$name.dll" >"$out/$name.def"
        "$DLLTOOL" -m i386:x86-64 -d "$out/$name.def" -D "$name.dll" -l "$out/$name.lib"
        cp "$out/$name.lib" "$out/lib$name.dll.a"
    done
    exit
    ;;
esac

"${CARGO:-cargo}" rustc --locked --profile "$profile" --lib --crate-type cdylib,staticlib
if ! cmp -s "$made/libtiledb_rs.so" "$shared" || [ ! -e "$archive" ] || [ tools/build_library.sh -nt "$archive" ]; then
    rm -f "$shared" "$archive" "$dropin"
    cp "$made/libtiledb_rs.so" "$shared"

    # The functions of the interface are what the shared library exports.
    "$NM" -D --defined-only "$shared" | awk '{ print $3 }' >"$out/symbols.txt"
    crypto=$(openssl libcrypto.a) ssl=$(openssl libssl.a)
    if [ ! -e "$crypto" ] || [ ! -e "$ssl" ]; then
        echo "The static libraries of OpenSSL are missing (Debian: libssl-dev, Alpine: openssl-libs-static)." >&2
        exit 1
    fi
    # Bitcode that Rust's own library carries would be joined to something no tool can read. OpenSSL's unwind tables are left
    # out as in the shared library (build.rs).
    echo 'SECTIONS { /DISCARD/ : { *(.llvmbc .llvmcmd) *libcrypto.a:*(.eh_frame) *libssl.a:*(.eh_frame) } } INSERT AFTER .text;' \
        >"$out/discard.ld"
    # shellcheck disable=SC2046 # one word per symbol
    "$LD" -r -d --gc-sections --force-group-allocation -T "$out/discard.ld" $(sed 's/^/-u /' "$out/symbols.txt") -o "$object" \
        "$made/libtiledb_rs.a" "$ssl" "$crypto"
    "$OBJCOPY" --keep-global-symbols="$out/symbols.txt" --localize-hidden --strip-unneeded "$object"
    "$AR" rcsD "$archive" "$object"
fi

if [ -n "${COMPAT:-}" ] && [ ! -e "$dropin" ]; then
    { echo "{ global:"; sed 's/$/;/' "$out/symbols.txt"; echo "local: *; };"; } >"$out/symbols.map"
    $CC -shared -o "$dropin" "$object" -Wl,-soname,"libtiledb.so.${version%.*}" \
        -Wl,--version-script="$out/symbols.map" -Wl,-z,nodelete,-z,relro,-z,now,-z,noexecstack,-z,defs \
        -Wl,-T,tools/everyday.ld -Wl,--gc-sections,--as-needed,--strip-all -lgcc_s -lm -lpthread -ldl -lc
fi
