#!/bin/sh
# Makes the packages, a tarball, two Debian packages and a Python wheel, and a bill of materials. Their libraries run on glibc 2.28
# and later, and the same sources make the same bytes.
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

tools/dist/library.sh "$built/lib"
LINKER=$PWD/tools/dist/cc.sh tools/build_tool.sh "$built"
tools/dist/floor.sh "$built/bin/tiledb-rs"
rm -f "$dist"/*.tar.gz "$dist"/*.deb "$dist"/*.whl "$dist"/*.cdx.json
tools/dist/tarball.sh "$built" "$dist"
tools/dist/debian.sh "$built" "$dist"
tools/dist/wheel.sh "$built" "$dist"
python3 tools/sbom.py "$built/lib/libtiledb_rs.so.$version" "${CARGO_BUILD_TARGET:-$machine-unknown-linux-gnu}" \
    "$dist/tiledb-rs-$version-linux-$machine.cdx.json"
cd "$dist"
sha256sum -- *.tar.gz *.deb *.whl *.cdx.json | tee SHA256SUMS
