#!/bin/sh
# The tarball, for Windows a zip file: what `make install COMPAT=1` installs, in a folder that may lie anywhere.
# usage: tarball.sh BUILT DIST      (called by dist.sh)
set -eu
built=$1 dist=$2
. tools/target.sh
. tools/dist/platform.sh
name=tiledb-rs-$version-$platform
tree=$built/tarball
rm -rf "$tree"
COMPAT=1 TOOL=$built DESTDIR=$tree tools/install.sh "$built/lib" "/$name"
case $platform in
windows-*) python3 tools/dist/zip.py "$tree/$name" "$dist/$name.zip" "$SOURCE_DATE_EPOCH" ;;
*)
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
        -C "$tree" -c "$name" | gzip -9n >"$dist/$name.tar.gz"
    ;;
esac
