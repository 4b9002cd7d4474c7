#!/bin/sh
# A fleet of processes works on one array, as docs/distributed.md tells: on local files and on S3, all of them with this
# library, with libtiledb 2.30, and half with each; some are killed while they write and merge.
# usage: test_distributed.sh DIST FOLDER      DIST holds the wheel (`make dist`)
set -eu
dist=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
for who in ours libtiledb; do
    [ -x "$folder/$who/bin/python" ] || python3 -m venv "$folder/$who"
    "$folder/$who/bin/pip" --quiet --disable-pip-version-check install tiledb==0.36.1 'dask[distributed]==2026.8.0' 'numpy<2.5'
done
"$folder/ours/bin/pip" --quiet --disable-pip-version-check install 'moto[s3,server]==5.2.5'
"$folder/ours/bin/pip" --quiet --disable-pip-version-check install --force-reinstall --no-deps "$dist"/*.whl
"$folder/ours/bin/python" -m tiledb_rs swap
PYTHONPATH=examples-c/distributed:tools/distributed exec "$folder/ours/bin/python" tools/distributed/run.py "$folder"
