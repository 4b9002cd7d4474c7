#!/bin/sh
# Random arrays in format versions 18 to 22 are read by libraries of older releases:
#   tools/test_old_readers.sh LIBRARY...       libtiledb 2.15 or later, such as those in the wheels of TileDB-Py 0.21 and later
# SEEDS=FROM..TO runs other seeds than 0..400 for each version, FORMAT_VERSIONS="18 19" these versions only.
set -eu
if [ $# -eq 0 ]; then
    echo "usage: $0 LIBRARY...; or LIBRARIES=\"LIBRARY ...\" make test-old-readers" >&2
    exit 2
fi
cargo test --locked --test old_readers --no-run
for library in "$@"; do
    for version in ${FORMAT_VERSIONS:-18 19 20 21 22}; do
        echo "== $library, format version $version"
        SEEDS=${SEEDS:-0..400} FORMAT_VERSION=$version TILEDB_REFERENCE=$library REFERENCE=required \
            cargo test --locked --quiet --test old_readers
    done
done
