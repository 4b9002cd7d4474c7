#!/bin/sh
# The tests of the Python package, with mypy and ruff: on each Python from 3.9 to 3.13 that is here, without any other package and with all that it can use.
# usage: test_python.sh LIBRARY FOLDER [PYTHON...]
#   LIBRARY  the release library
#   FOLDER   for the environments
#   PYTHON   commands or paths, instead of python3.9 to python3.13
# ARRAYS is the number of random arrays of the comparison with TileDB-Py (default 40), TILEDB_RS_TOOL the tool that draws pictures.
set -eu
library=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
root=$(pwd)
[ $# -gt 0 ] || set -- 3.9 3.10 3.11 3.12 3.13
export TILEDB_RS_LIBRARY="$library" PYTHONPATH="$root/packages/python/src" PYTHONDONTWRITEBYTECODE=1 ORACLE_ARRAYS="${ARRAYS:-40}"
if [ -z "${TILEDB_RS_TOOL:-}" ] && [ -x "$root/build/bin/tiledb-rs" ]; then export TILEDB_RS_TOOL="$root/build/bin/tiledb-rs"; fi

# The tests use the compiled module and the modules in Python beside one another; the module is for all releases of CPython.
python3 packages/python/compile_module.py >"$folder/compiled.log" 2>&1 || { cat "$folder/compiled.log" >&2; exit 1; }

tested=
for wanted in "$@"; do
    python=
    for candidate in "$wanted" "python$wanted" "$HOME"/.pyenv/versions/"$wanted".*/bin/python; do
        ! "$candidate" -c '' 2>/dev/null || python=$candidate
    done
    [ -n "$python" ] || { echo "Python $wanted: not here"; continue; }
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    for kind in bare full; do
        venv=$folder/python$version-$kind
        [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
        [ "$kind" = bare ] || "$venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary \
            numpy pandas pyarrow polars duckdb xarray netCDF4 h5py scipy fastavro tiledb==0.36.1
        # Types and common mistakes, by releases of the tools that all machines use.
        if [ "$kind" = full ] && [ -z "${checked:-}" ] && [ "${version#3.}" -ge 11 ]; then
            checked=1
            "$venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary ruff==0.17.6 mypy==2.4.1
            (cd packages/python && "$venv/bin/ruff" check --quiet src && "$venv/bin/ruff" format --check --quiet src tests && "$venv/bin/mypy" --cache-dir "$folder/mypy" --python-executable "$venv/bin/python")
        fi
        # Python's development mode reports resources that are not closed, and invalid uses of its memory.
        required="compiled $([ "$kind" = bare ] || echo numpy pandas pyarrow polars duckdb tiledb)"
        REQUIRE_PACKAGES="$required" "$venv/bin/python" -X dev -W ignore::DeprecationWarning -m unittest discover -q -s packages/python/tests
    done
    tested="$tested $version"
done
[ -n "$tested" ] || { echo "no Python from 3.9 to 3.13 was found" >&2; exit 1; }
echo "Python package: as it must be on Python$tested"
