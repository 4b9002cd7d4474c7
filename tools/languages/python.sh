#!/bin/sh
# Python packages that carry libtiledb 2.30, TileDB-SOMA and TileDB-Vector-Search: each prints the same on the drop-in as on its own
# library; with SUITE=1 each of its tests that passes on its own library passes on the drop-in.
# usage: python.sh PREFIX FOLDER  PREFIX has the drop-in. SUITE=1 takes the tests from the clones TILEDB_SOMA and
#                                 TILEDB_VECTOR_SEARCH, or fetches them; those of SOMA that need its data (`make data` there) fail on both
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tools/languages/common.sh"
begin "$1" "$2"
need python3 "apt-get install python3-venv"

# swap COMMAND PACKAGE...: exchanges the library of installed packages (swap), or undoes it (restore).
swap() {
    # shellcheck disable=SC2086 # a list of packages
    PYTHONPATH=$here/packages/python/src venv/bin/python -c '
import pathlib, sys
from tiledb_rs._native.swap import Installed
command, library, *packages = sys.argv[1:]
for package in packages:
    installed = Installed.find(package)
    installed.swap(pathlib.Path(library)) if command == "swap" else installed.restore()' \
        "$1" "$prefix/lib/libtiledb.so.2.30" $2
}

# try NAME "PACKAGES THAT ARE EXCHANGED" EXAMPLE REQUIREMENT...: the example prints the same on both libraries.
try() {
    name=$1 packages=$2 example=$here/examples-c/languages/$3
    shift 3
    rm -rf venv
    python3 -m venv venv
    venv/bin/pip --quiet --disable-pip-version-check install "$@"
    for of in libtiledb ours; do
        [ $of = libtiledb ] || swap swap "$packages"
        rm -rf run
        mkdir run
        (cd run && ../venv/bin/python "$example" >../printed.$of.txt)
    done
    diff printed.libtiledb.txt printed.ours.txt
    echo "$name: as on its own library"
}

# suite NAME "PACKAGES" FOLDER ARGUMENT...: runs pytest in a folder on both libraries and compares.
suite() {
    name=$1 packages=$2 folder=$3
    shift 3
    work=$PWD
    for of in libtiledb ours; do
        if [ $of = ours ]; then swap swap "$packages"; else swap restore "$packages"; fi
        (cd "$folder" && "$work/venv/bin/python" -m pytest -q -p no:cacheprovider --junitxml="$work/suite.$of.xml" "$@" \
            >"$work/suite.$of.txt" 2>&1) || true
    done
    NAME=$name venv/bin/python -c '
import os, sys, xml.etree.ElementTree as tree
passed = []
for of in ("libtiledb", "ours"):
    cases = tree.parse(f"suite.{of}.xml").iter("testcase")
    passed.append({(case.get("classname"), case.get("name")) for case in cases if len(case.findall("*[@message]")) == 0})
lost = sorted(passed[0] - passed[1])
name = os.environ["NAME"]
print(f"{name}: {len(passed[0])} pass on its own library, {len(passed[0]) - len(lost)} of them on ours")
for test in lost: print("fails on ours alone:", *test)
sys.exit(bool(lost) or not passed[0])'
}

try "Python, TileDB-SOMA" tiledbsoma quickstart_soma.py tiledbsoma==2.3.0
if [ -n "${SUITE:-}" ]; then
    clone TileDB-SOMA 2.3.0 "${TILEDB_SOMA:-}" single-cell-data
    venv/bin/pip --quiet install pytest typeguard==4.4.2 sparse dask hypothesis deepdiff
    suite TileDB-SOMA tiledbsoma TileDB-SOMA/apis/python tests --ignore tests/ht --ignore tests/test_aaa_setup.py
fi
try "Python, TileDB-Vector-Search" "tiledb tiledb-vector-search" quickstart_vectors.py \
    tiledb-vector-search==0.16.0 tiledb==0.36.1 'numpy<2.4' 'pandas<3'
if [ -n "${SUITE:-}" ]; then
    clone TileDB-Vector-Search 0.15.0 "${TILEDB_VECTOR_SEARCH:-}"
    venv/bin/pip --quiet install 'pytest<8' scikit-learn
    suite TileDB-Vector-Search "tiledb tiledb-vector-search" TileDB-Vector-Search/apis/python/test .
fi
