#!/bin/sh
# The Python wheel: the package of packages/python with the drop-in and the headers inside.
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
cp LICENSE NOTICES.txt "$tree/"
sed "s/@VERSION@/$version/g" packages/python/pyproject.toml >"$tree/pyproject.toml"
TILEDB_RS_WHEEL=py3-none-$wheel "$PYTHON" -m build --wheel --no-isolation --outdir "$dist" "$tree" >/dev/null
