#!/bin/sh
# Makes the packages of all platforms on one Linux machine, checks the wheels, and puts all into a folder with SHA256SUMS.
# usage: dist_all.sh FOLDER TARGET...      TARGET as Rust names it
set -eu
mkdir -p "$1"
all=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
rm -f "$all"/tiledb* "$all"/*.deb "$all/SHA256SUMS"
make --no-print-directory dist
own=build/dist
cp "$own"/tiledb* "$own"/*.deb "$all/"
# Programs of another system print no manual pages here; they are the same everywhere.
export SHARE="$PWD/$own/build/share"
for target; do
    [ "$target" != "$(rustc -vV | sed -n 's/^host: //p')" ] || continue
    make --no-print-directory dist TARGET="$target"
    find "build/$target/dist" -maxdepth 1 -type f \( -name 'tiledb*' -o -name '*.deb' \) -exec cp {} "$all/" \;
done
for wheel in "$all"/*.whl; do tools/dist/check_wheel.py "$wheel"; done
tools/dist/checksums.sh "$all"
