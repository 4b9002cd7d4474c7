#!/bin/sh
# The Python wheel: the package of packages/python with the drop-in, the headers, the tool and the compiled module inside.
# usage: wheel.sh BUILT DIST      (called by dist.sh; PYTHON has the package build)
set -eu
built=$1 dist=$2
. tools/target.sh
. tools/dist/platform.sh
tree=$built/python
rm -rf "$tree"
cp -R packages/python "$tree"
package=$tree/src/tiledb_rs
find "$tree" -name __pycache__ -prune -exec rm -r {} +
mkdir "$package/lib"
cp "$built/lib/$dropin" "$package/lib/$module"
cp -R include "$package/include"
# The tool, which draws pictures, is on PATH as the command tiledb-rs of the package.
mkdir "$package/bin"
case $platform in
windows-*) cp "$built/bin/tiledb-rs.exe" "$package/bin/" ;;
*) cp "$built/bin/tiledb-rs" "$package/bin/" ;;
esac
cp LICENSE NOTICES.txt "$tree/"
. packages/publisher.sh
urls=
[ -z "$REPOSITORY" ] || urls="urls = { Repository = \"$REPOSITORY\", Changelog = \"${REPOSITORY%/}/blob/HEAD/CHANGELOG.md\" }"
sed "s/@VERSION@/$version/g; s|^# @URLS@.*|$urls|" packages/python/pyproject.toml >"$tree/pyproject.toml"
# The module is for CPython on the stable ABI, with the compiler of the library: not for Windows, which has other signals.
export TILEDB_RS_CC TILEDB_RS_CFLAGS
case $platform in
windows-*) TILEDB_RS_CC='' TILEDB_RS_CFLAGS='' ;;
macos-*) TILEDB_RS_CC=$CC TILEDB_RS_CFLAGS="-undefined dynamic_lookup -install_name @rpath/_slices.abi3.so" ;;
linux-musl-*) TILEDB_RS_CC=$CC TILEDB_RS_CFLAGS=-s ;;
*) TILEDB_RS_CC=$PWD/tools/dist/cc.sh TILEDB_RS_CFLAGS=-s ;;
esac
TILEDB_RS_WHEEL=py3-none-$wheel "$PYTHON" -m build --wheel --no-isolation --outdir "$dist" "$tree" >/dev/null
