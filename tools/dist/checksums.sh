#!/bin/sh
# Writes and prints SHA256SUMS of the packages in a folder.
# usage: checksums.sh DIST
set -eu
cd "$1"
find . -maxdepth 1 \( -name 'tiledb*' -o -name '*.deb' \) -type f | sed 's|^./||' | LC_ALL=C sort | xargs sha256sum -- | tee SHA256SUMS
