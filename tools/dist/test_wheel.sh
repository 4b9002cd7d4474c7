#!/bin/sh
# The wheel on each Python from 3.9 to 3.13 that is here, in a fresh environment: through ctypes, under TileDB-Py, and back.
# usage: test_wheel.sh DIST FOLDER      (called by test_dist.sh; SUITE=1 runs TileDB-Py's own tests on the newest of them)
set -eu
dist=$1 folder=$2
root=$(pwd)
tested=
# What the index of packages refuses, or shows as plain text.
python3 -m venv "$folder/twine"
"$folder/twine/bin/pip" --quiet --disable-pip-version-check install twine==7.0.0
"$folder/twine/bin/twine" --no-color check --strict "$dist"/*.whl
for version in 3.9 3.10 3.11 3.12 3.13; do
    python=
    for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
        ! "$candidate" -c '' 2>/dev/null || python=$candidate
    done
    [ -n "$python" ] || { echo "Python $version: not here"; continue; }
    venv=$folder/python$version
    "$python" -m venv "$venv"
    "$venv/bin/pip" --quiet --disable-pip-version-check install tiledb==0.36.1 "$dist"/*.whl
    mkdir "$venv/run"
    cd "$venv/run"

    # same COMMAND...: it prints what the quick start in C prints.
    same() {
        rm -rf ./*
        "$@" >printed.txt
        diff "$root/examples-c/expected/quickstart_dense.txt" printed.txt
    }
    tool="$venv/bin/python -m tiledb_rs"
    own=$(sha256sum "$venv"/lib/python*/site-packages/tiledb.libs/libtiledb-*)
    same "$venv/bin/python" "$root/examples-c/languages/quickstart_ctypes.py" "$($tool library)"
    REQUIRE_PACKAGES=compiled ORACLE_ARRAYS=10 "$venv/bin/python" -B -m unittest discover -q -s "$root/packages/python/tests"
    "$venv/bin/tiledb-rs" --version | grep -q '^tiledb-rs 2'
    $tool swap | grep -q 'uses this tiledb-rs$'
    $tool swap tiledb | grep -q 'uses this tiledb-rs$'
    $tool swap tiledbsoma 2>&1 | grep -q 'tiledbsoma is not installed in this Python'
    $tool swap nothing 2>&1 | grep -q 'nothing is none of the packages'
    same "$venv/bin/python" "$root/examples-c/languages/quickstart_tiledb_py.py"
    "$venv/bin/python" -c '
import ctypes, pathlib, tiledb
used = {line.split()[-1] for line in open("/proc/self/maps") if "libtiledb-" in line}
assert len(used) == 1, used
ctypes.CDLL(used.pop()).tiledb_rs_live_handles'
    $tool restore | grep -q 'uses its own libtiledb$'
    [ "$own" = "$(sha256sum "$venv"/lib/python*/site-packages/tiledb.libs/libtiledb-*)" ]
    same "$venv/bin/python" "$root/examples-c/languages/quickstart_tiledb_py.py"
    $tool swap >/dev/null
    cd "$root"
    tested="$tested $version"
    newest=$venv
done
[ -n "$tested" ] || { echo "no Python from 3.9 to 3.13 was found" >&2; exit 1; }
echo "wheel: as it must be on Python$tested"
[ -n "${SUITE:-}" ] || exit 0
# TileDB-Py 0.36.1 adds dates in a way that NumPy 2.5 refuses.
"$newest/bin/pip" --quiet install 'numpy<2.5' 'pandas<3' pyarrow hypothesis psutil pytest
cd "$newest/run"
"$newest/bin/python" -m pytest -q -o 'python_classes=*Test*' "$newest"/lib/python*/site-packages/tiledb/tests | tail -n 5
