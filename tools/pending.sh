#!/bin/sh
# Lists the functions that are not written yet, by area, and prints their count last.
set -eu
cd "$(dirname "$0")/.."
grep -rhoE '\bpending(_err|_plain)?\((ctx, |error, |err, |)"tiledb_[a-z0-9_]+"' --with-filename src/capi |
    sed -E 's|^src/capi/(.*)\.rs:.*"(tiledb_[a-z0-9_]+)"|\1 \2|' | sort |
    awk '{ if ($1 != area) { if (area) print ""; area = $1; print area ":" } print "  " $2; count++ } END { print count + 0 }'
