#!/bin/sh
# Tests the viewer in a headless Chromium, on arrays that the tool publishes: what is drawn, panned, zoomed and filtered, damaged and
# hostile arrays, limits. Screenshots are in FOLDER/run/pictures.
# usage: test_viewer.sh PYTHON FOLDER      PYTHON has TileDB-Py; TOOL is the tool that is tested, CHROMIUM the browser
set -eu
case $1 in */*) python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") ;; *) python=$1 ;; esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
[ packages/viewer/node_modules/.package-lock.json -nt packages/viewer/package-lock.json ] || npm --prefix packages/viewer ci --silent --no-audit --no-fund
CHROMIUM="${CHROMIUM:-$(command -v chromium || command -v google-chrome)}"
export CHROMIUM
"$python" tools/viewer_arrays.py "$folder/arrays"
ARRAYS="$folder/arrays" FOLDER="$folder/run" node --test packages/viewer/test/viewer.test.mjs
