#!/bin/sh
# The Debian packages: lintian has no errors, the links of documents resolve, the Python package finds its library, and all are
# installed into a system of their own of the oldest Debian that can be had, beside libraries of another minor version (root only:
# `chroot`).
# usage: test_debian.sh DIST FOLDER      (called by test_dist.sh)
set -eu
dist=$1 root=$2/debian
tools/setup.sh lintian
as_root=
[ "$(id -u)" -ne 0 ] || as_root=--allow-root
# shellcheck disable=SC2086 # no argument, or one
lintian $as_root --fail-on error "$dist"/*.deb
echo "Debian packages: lintian finds no errors"

# All in one folder, in which the links between the packages lead to the same files as when they are installed.
rm -rf "$root" "$2/unpacked"
for package in "$dist"/*.deb; do dpkg-deb -x "$package" "$2/unpacked"; done
find "$2/unpacked/usr/share/doc" -name '*.md' | head -n 1 | grep -q . || { echo "no documents are installed" >&2; exit 1; }
tools/dist/check_documents.py "$2/unpacked/usr/share/doc/libtiledb-rs-dev"
for link in $(find "$2/unpacked" -type l); do
    [ -e "$link" ] || { echo "$link leads nowhere" >&2; exit 1; }
done
PYTHONPATH=$2/unpacked/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 python3 - "$2/unpacked" <<'PYTHON'
import ctypes
import sys
import tiledb_rs
assert str(tiledb_rs.library()).startswith(sys.argv[1]), tiledb_rs.library()
version = [ctypes.c_int() for _ in range(3)]
tiledb_rs.load().tiledb_version(*map(ctypes.byref, version))
assert version[0].value == 2, version
PYTHON
echo "Debian packages: the Python package loads the library of its own package"

if [ "$(id -u)" -ne 0 ]; then
    echo "Debian packages: not installed, a system of their own can be made by root only"
    exit 0
fi
tools/setup.sh debootstrap
for release in buster bullseye bookworm; do
    rm -rf "$root"
    ! debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config "$release" "$root" >"$2/debootstrap.log" 2>&1 || break
done
[ -x "$root/bin/sh" ] || { tail -n 5 "$2/debootstrap.log" >&2; exit 1; }

# The runtime package of the next minor version, as it will be called.
minor=$(find "$dist" -name 'libtiledb-rs[0-9]*.deb' | sed 's|.*/libtiledb-rs\([0-9.]*\)_.*|\1|')
next=${minor%.*}.$((${minor#*.} + 1))
rm -rf "$2/next"
dpkg-deb -R "$dist"/libtiledb-rs"$minor"_*.deb "$2/next"
for file in $(find "$2/next/usr" -depth -name "*$minor*"); do mv "$file" "$(dirname "$file")/$(basename "$file" | sed "s/$minor/$next/g")"; done
find "$2/next/usr" -type l -name "*.so.$next" -exec ln -sf "libtiledb_rs.so.$next.0" {} \;
sed -i "s/$minor/$next/g" "$2/next/DEBIAN/control" "$2/next/DEBIAN/shlibs" "$2/next/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Znone --build "$2/next" "$root/tmp/next.deb" >/dev/null

for package in "$dist"/*.deb; do
    # Python 3.9 is newer than the oldest Debian.
    case $package in */python3-*) ;; *) cp "$package" "$root/tmp/" ;; esac
done
cp examples-c/quickstart_dense.c "$root/tmp/"
chroot "$root" sh -eu -s "$minor" "$next" <<'CHROOT'
cd /tmp
dpkg -i *.deb >/dev/null
ls /usr/lib/*/libtiledb_rs.so.$1.0 /usr/lib/*/libtiledb_rs.so.$2.0 >/dev/null

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
ldd ./shared | grep -q "libtiledb_rs.so.$1 => /"
ldd ./compat | grep -q "libtiledb.so.$1 => /"
! ldd ./static | grep tiledb

# The next minor version goes, and programs run on.
dpkg -r libtiledb-rs$2 >/dev/null
rm -rf quickstart_dense
./shared >printed.shared
CHROOT
for printed in "$root"/tmp/printed.*; do
    diff examples-c/expected/quickstart_dense.txt "$printed"
done
chroot "$root" dpkg -P libtiledb-rs-compat-dev "libtiledb-rs-compat$minor" libtiledb-rs-dev "libtiledb-rs$minor" tiledb-rs >/dev/null
left=$(find "$root/usr" -name '*tiledb*')
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
echo "Debian packages: installed beside $next, used and removed on $(cat "$root/etc/debian_version"), $(chroot "$root" ldd --version | head -n 1)"
