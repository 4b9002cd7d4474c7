#!/bin/sh
# The packages made again from the same sources in another folder: equal bytes.
# usage: test_same.sh DIST FOLDER      (called by test_dist.sh)
set -eu
dist=$1 other=$2/same
git clone --quiet . "$other"
(cd "$other" && env -u CARGO_TARGET_DIR tools/dist.sh "$other/build/dist" "$dist/venv/bin/python" >/dev/null)
diff "$dist/SHA256SUMS" "$other/build/dist/SHA256SUMS"
echo "made twice: equal bytes"
