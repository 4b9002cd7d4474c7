#!/bin/sh
# Moves an installed prefix elsewhere and uses it as a CMake package and through pkg-config.
# usage: test_packaging.sh PREFIX MOVED
set -eu
prefix=$1 moved=$2
here=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$moved" "$moved-build"
cp -a "$prefix" "$moved"
moved=$(cd "$moved" && pwd)

if grep -rIl -F "$(cd "$prefix" && pwd)" "$moved" >/dev/null; then
    echo "an installed file names the prefix it was installed under:" >&2
    grep -rIl -F "$(cd "$prefix" && pwd)" "$moved" >&2
    exit 1
fi

cmake -S "$here/capi-tests/package" -B "$moved-build" -DCMAKE_PREFIX_PATH="$moved" >/dev/null
cmake --build "$moved-build" >/dev/null
(cd "$moved-build" && ctest --output-on-failure)

cc -std=c11 -Wall -Wextra -Werror "$here/capi-tests/package/version.c" -o "$moved-build/version-pkgconfig" \
    $(PKG_CONFIG_PATH="$moved/lib/pkgconfig" pkg-config --cflags --libs tiledb_rs) -Wl,-rpath,"$moved/lib"
"$moved-build/version-pkgconfig"
echo "packaging: CMake package and pkg-config work from a moved prefix"
