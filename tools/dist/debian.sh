#!/bin/sh
# The Debian packages: tiledb-rs, and tiledb-rs-compat with the drop-in for libtiledb, which needs the first for its headers.
# usage: debian.sh BUILT DIST      (called by dist.sh)
set -eu
built=$1 dist=$2
. tools/dist/glibc.sh
. tools/target.sh
architecture=$(dpkg-architecture ${triple:+-t "$gnu"} -qDEB_HOST_ARCH 2>/dev/null)
lib=lib/$($CC -print-multiarch)
main=$built/debian/tiledb-rs compat=$built/debian/tiledb-rs-compat
rm -rf "$built/debian"
COMPAT=1 TOOL=$built DESTDIR=$main LIBDIR=$lib DOCDIR=share/doc/tiledb-rs tools/install.sh "$built/lib" /usr

# The drop-in's files, out of the one tree into the other.
for file in libtiledb.so "libtiledb.so.${version%.*}" "libtiledb.so.$version" libtiledb.a cmake/TileDB pkgconfig/tiledb.pc; do
    mkdir -p "$(dirname "$compat/usr/$lib/$file")"
    mv "$main/usr/$lib/$file" "$compat/usr/$lib/$file"
done
mkdir -p "$compat/usr/share/doc/tiledb-rs-compat"
find "$main/usr/share/man" -type f -exec gzip -9n {} +

for tree in "$main" "$compat"; do
    package=${tree##*/}
    documents=$tree/usr/share/doc/$package
    [ ! -e "$documents/CHANGELOG.md" ] || { gzip -9n "$documents/CHANGELOG.md" && mv "$documents/CHANGELOG.md.gz" "$documents/changelog.gz"; }
    cat LICENSE NOTICES.txt >"$documents/copyright"
    rm -f "$documents/LICENSE" "$documents/NOTICES.txt"
    mkdir "$tree/DEBIAN"
    sed "s/@VERSION@/$version/g; s/@ARCHITECTURE@/$architecture/g; s/@GLIBC@/$GLIBC/g; s/@SIZE@/$(du -sk --apparent-size "$tree/usr" | cut -f1)/g" \
        "packages/debian/$package.control" >"$tree/DEBIAN/control"
    echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers"
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$dist/${package}_${version}_$architecture.deb" >/dev/null
done
