#!/bin/sh
# Builds the release libraries into a folder as build_library.sh does. Those for glibc run on 2.28 and later: they are linked
# again with stubs of that glibc, which Zig carries.
# usage: library.sh FOLDER      (PYTHON has Zig, the package ziglang; CARGO_TARGET_DIR and what build_library.sh takes may be set)
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. tools/dist/same.sh
. tools/target.sh

case $triple in
'' | *-linux-gnu) tools/build_library.sh "$out" ;;
*) COMPAT=1 exec tools/build_library.sh "$out" ;;
esac
{ echo "{ global:"; sed 's/$/;/' "$out/symbols.txt"; echo "local: *; };"; } >"$out/symbols.map"

# link NAME: libNAME.so.VERSION. The unwinder is the system's, as in every library: exceptions of a program's callbacks
# pass through this one.
link() {
    tools/dist/cc.sh -shared -o "$out/lib$1.so.$version" "$out/tiledb_rs.o" -Wl,-soname,"lib$1.so.${version%.*}" \
        -Wl,--version-script="$out/symbols.map" -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack \
        -Wl,-T,tools/everyday.ld -Wl,--gc-sections -Wl,--as-needed -s "$($CC -print-file-name=libgcc_s.so.1)" -lm -lpthread -ldl
}
link tiledb_rs
link tiledb
tools/dist/floor.sh "$out"/lib*.so."$version"
