#!/bin/sh
# Tests what `macho.py check` rejects: small libraries for macOS, each with one fault, on one of two processors.
# usage: test_macho.sh FOLDER      (after setup_target.sh for arm64 and x86-64; called by check_macos.sh)
set -eu
rm -rf "$1"
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
linker=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/gcc-ld/ld64.lld
system=build/aarch64-apple-darwin/stubs/libSystem.tbd

printf 'first\nsecond\n' >"$out/symbols.txt"
cat >"$out/right.c" <<'END'
#include <stdio.h>
int first(void) { return puts("first"); }
int second = 1;
END
cat >"$out/foreign.c" <<'END'
extern int elsewhere(void);
int first(void) { return elsewhere(); }
int second = 1;
END
cat >"$out/other.tbd" <<'END'
--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos, x86_64-macos ]
install-name: '/usr/local/lib/libother.dylib'
exports:
  - targets: [ arm64-macos, x86_64-macos ]
    symbols: [ _elsewhere ]
...
END
for triple in aarch64-apple-darwin x86_64-apple-darwin; do
    for source in right foreign; do
        CARGO_BUILD_TARGET=$triple tools/zig/cc -O1 -c "$out/$source.c" -o "$out/$source-${triple%%-*}.o"
    done
done

# link LIBRARY PROCESSOR SOURCE OLDEST-MACOS INSTALL-NAME EXPORTS ARGUMENT...
link() {
    library=$out/$1 processor=$(echo "$2" | sed 's/aarch64/arm64/') object=$out/$3-$2.o oldest=$4 name=$5 exports=$6
    shift 6
    # shellcheck disable=SC2046,SC2086 # exports is a list of words
    "$linker" -dylib -arch "$processor" -platform_version macos "$oldest" "$oldest" -install_name "$name" \
        $(printf ' -exported_symbol _%s' $exports) -o "$library" "$object" "$system" "$@"
}

# faulty WHAT MESSAGE ARGUMENT-OF-LINK...: a universal library whose part for x86-64 has a fault, which the check names.
faulty() {
    what=$1 message=$2
    shift 2
    link part x86_64 "$@"
    tools/macho.py join "$out/faulty.dylib" "$out/right" "$out/part"
    if tools/macho.py check "$out/faulty.dylib" "$out/symbols.txt" @rpath/small.dylib "$system" >"$out/log" 2>&1; then
        echo "macho.py accepts $what" >&2
        exit 1
    fi
    if ! grep -q "^x86_64: $message" "$out/log" || grep '^arm64: ' "$out/log" | grep -q ', not '; then
        echo "macho.py reports another fault than $what:" >&2
        cat "$out/log" >&2
        exit 1
    fi
    faults=$((faults + 1))
}

link right aarch64 right 11.0 @rpath/small.dylib 'first second'
link part x86_64 right 11.0 @rpath/small.dylib 'first second'
tools/macho.py join "$out/small.dylib" "$out/right" "$out/part"
tools/macho.py check "$out/small.dylib" "$out/symbols.txt" @rpath/small.dylib "$system" >/dev/null
faults=0
faulty 'a symbol that no library has' "undefined symbols that are not the system's: \['_elsewhere'\]" \
    foreign 11.0 @rpath/small.dylib 'first second' -undefined dynamic_lookup
faulty 'a symbol of another library' "libraries that are not the system's: \['/usr/local/lib/libother.dylib'\]" \
    foreign 11.0 @rpath/small.dylib 'first second' "$out/other.tbd"
faulty 'a missing export' "missing exports: \['_second'\]" right 11.0 @rpath/small.dylib first
printf 'int third(void) { return 3; }\n' >>"$out/right.c"
CARGO_BUILD_TARGET=x86_64-apple-darwin tools/zig/cc -O1 -c "$out/right.c" -o "$out/right-x86_64.o"
faulty 'a further export' "further exports: \['_third'\]" right 11.0 @rpath/small.dylib 'first second third'
faulty 'a newer minimum version' 'minimum version: 12.0' right 12.0 @rpath/small.dylib 'first second'
faulty 'another install name' 'install name: /usr/lib/small.dylib' right 11.0 /usr/lib/small.dylib 'first second'
faulty 'names without libraries' 'two-level names: False' right 11.0 @rpath/small.dylib 'first second' -flat_namespace
echo "macho.py rejects $faults faulty libraries"
