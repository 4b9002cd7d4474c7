#!/bin/sh
# The tarball: what `make install COMPAT=1` installs, in a folder that may lie anywhere.
# usage: tarball.sh BUILT DIST      (called by dist.sh)
set -eu
built=$1 dist=$2
. tools/target.sh
name=tiledb-rs-$version-linux-$machine
tree=$built/tarball
rm -rf "$tree"
COMPAT=1 TOOL=$built DESTDIR=$tree tools/install.sh "$built/lib" "/$name"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -C "$tree" -c "$name" | gzip -9n >"$dist/$name.tar.gz"
