#!/bin/sh
# Makes the packages of a platform: a tarball or zip file, Debian packages for Linux with glibc, a Python wheel, and a bill of
# materials. Libraries for glibc run on 2.28 and later, and the same sources make the same bytes.
# usage: dist.sh FOLDER PYTHON      PYTHON is where Zig and the builder of wheels are installed, in an environment of its own
set -eu
mkdir -p "$1"
dist=$(cd "$1" && pwd)
export PYTHON="$2"
cd "$(dirname "$0")/.."
built=$dist/build
mkdir -p "$built"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$built/target}" ZIG_GLOBAL_CACHE_DIR="$built/zig" ZIG_LOCAL_CACHE_DIR="$built/zig"
. tools/dist/same.sh
. tools/target.sh
. tools/dist/platform.sh

rm -f "$dist"/*.tar.gz "$dist"/*.zip "$dist"/*.deb "$dist"/*.whl "$dist"/*.cdx.json
tools/dist/library.sh "$built/lib"
case $platform in
linux-musl-* | macos-* | windows-*) tools/build_tool.sh "$built" ;;
*)
    LINKER=$PWD/tools/dist/cc.sh tools/build_tool.sh "$built"
    tools/dist/floor.sh "$built/bin/tiledb-rs"
    ;;
esac
tools/dist/tarball.sh "$built" "$dist"
tools/dist/wheel.sh "$built" "$dist"
case $platform in
linux-musl-* | macos-* | windows-*) ;;
*) tools/dist/debian.sh "$built" "$dist" ;;
esac
python3 tools/sbom.py "$built/lib/$shared" "${triple:-$machine-unknown-linux-gnu}" "$dist/tiledb-rs-$version-$platform.cdx.json"
tools/dist/checksums.sh "$dist"
