#!/bin/sh
# The tarball, unpacked: what it holds runs on the oldest glibc, and programs of every kind find it.
# usage: test_tarball.sh DIST FOLDER      (called by test_dist.sh)
set -eu
mkdir "$2/tarball"
tar -C "$2/tarball" -xzf "$1"/*.tar.gz
set -- "$2/tarball"/* "$2/users"
tools/dist/floor.sh "$1"/lib/*.so "$1"/bin/tiledb-rs
"$1"/bin/tiledb-rs --version
tools/test_packaging.sh "$1" "$2"
