#!/bin/sh
# The Debian packages, installed into a system of their own of the oldest Debian that can be had (root only: `chroot`).
# usage: test_debian.sh DIST FOLDER      (called by test_dist.sh)
set -eu
dist=$1 root=$2/debian
if [ "$(id -u)" -ne 0 ]; then
    echo "Debian packages: skipped, a system of their own can be made by root only"
    exit 0
fi
tools/setup.sh debootstrap
for release in buster bullseye bookworm; do
    rm -rf "$root"
    ! debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config "$release" "$root" >"$2/debootstrap.log" 2>&1 || break
done
[ -x "$root/bin/sh" ] || { tail -n 5 "$2/debootstrap.log" >&2; exit 1; }
cp "$dist"/*.deb examples-c/quickstart_dense.c "$root/tmp/"
chroot "$root" sh -eu <<'CHROOT'
cd /tmp
dpkg -i *.deb >/dev/null

# use NAME FLAGS...: compiles the quick start with them and runs it.
use() {
    name=$1
    shift
    gcc quickstart_dense.c "$@" -o $name
    rm -rf quickstart_dense
    ./$name >printed.$name
}
use shared $(pkg-config --cflags --libs tiledb_rs)
use static /usr/lib/*/libtiledb_rs.a -lpthread -ldl -lm
use compat $(pkg-config --cflags --libs tiledb)
tiledb-rs info quickstart_dense
test -s /usr/share/man/man1/tiledb-rs.1.gz
ldd ./compat | grep -q 'libtiledb.so.2.30 => /'
! ldd ./static | grep tiledb
CHROOT
for printed in "$root"/tmp/printed.*; do
    diff examples-c/expected/quickstart_dense.txt "$printed"
done
chroot "$root" dpkg -r tiledb-rs-compat tiledb-rs >/dev/null
left=$(find "$root/usr" -name '*tiledb*')
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
echo "Debian packages: installed, used and removed on $(cat "$root/etc/debian_version"), $(chroot "$root" ldd --version | head -n 1)"
