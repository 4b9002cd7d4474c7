#!/bin/sh
# Compiles the flights example against an installed library and runs it.
# usage: run_flights.sh PREFIX DATA_FOLDER ARRAYS_FOLDER
set -eu
prefix=$1 data=$2 arrays=$3
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$arrays"
cc -std=c11 -Wall -Wextra -O2 "$here/examples-c/flights.c" -o "$arrays/example" \
    $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs tiledb_rs) -lm -Wl,-rpath,"$prefix/lib"
"$arrays/example" "$data" "$arrays"
