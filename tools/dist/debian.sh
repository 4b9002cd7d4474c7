#!/bin/sh
# The Debian packages that packages/debian/control describes: shared library, development files, drop-in for libtiledb, tool and
# Python package. The names of the libraries contain the minor version, so that several can be installed side by side.
# usage: debian.sh BUILT DIST      (called by dist.sh, after the wheel; REVISION is the revision of the packages, 1)
set -eu
built=$1 dist=$2
. tools/dist/glibc.sh
. tools/target.sh
. tools/dist/platform.sh
. packages/publisher.sh
architecture=$(dpkg-architecture ${triple:+-t "$gnu"} -qDEB_HOST_ARCH 2>/dev/null)
multiarch=$($CC -print-multiarch)
lib=usr/lib/$multiarch minor=${version%.*} revision=$version-${REVISION:-1}
all=$built/debian trees=$built/debian/trees
rm -rf "$all"
COMPAT=1 TOOL=$built DESTDIR=$all/all LIBDIR=${lib#usr/} DOCDIR=share/doc/libtiledb-rs-dev tools/install.sh "$built/lib" /usr

# take PACKAGE PATH...: moves files of the one tree into that of a package.
take() {
    package=$trees/$1
    shift
    for path; do
        mkdir -p "$package/$(dirname "$path")"
        mv "$all/all/$path" "$package/$path"
    done
}
take "libtiledb-rs$minor" "$lib/libtiledb_rs.so.$minor" "$lib/libtiledb_rs.so.$version"
take "libtiledb-rs-compat$minor" "$lib/libtiledb.so.$minor" "$lib/libtiledb.so.$version"
take libtiledb-rs-compat-dev "$lib/libtiledb.so" "$lib/libtiledb.a" "$lib/cmake/TileDB" "$lib/pkgconfig/tiledb.pc"
take tiledb-rs usr/bin usr/share/man usr/share/bash-completion usr/share/zsh usr/share/fish
[ ! -d "$all/all/usr/share/tiledb-rs" ] || take tiledb-rs usr/share/tiledb-rs
# Debian's zsh searches this folder.
mv "$trees/tiledb-rs/usr/share/zsh/site-functions" "$trees/tiledb-rs/usr/share/zsh/vendor-completions"
take libtiledb-rs-dev usr/include "$lib" usr/share
left=$(find "$all/all" ! -type d)
[ -z "$left" ] || { echo "in no Debian package: $left" >&2; exit 1; }

# The Python package is that of the wheel, with the library, the tool and the headers of the other packages.
python=$trees/python3-tiledb-rs/usr/lib/python3/dist-packages
mkdir -p "$python"
python3 -m zipfile -e "$dist/tiledb_rs-$version-py3-none-$wheel.whl" "$python"
rm -rf "$python/tiledb_rs/lib" "$python/tiledb_rs/include" "$python/tiledb_rs/bin" "$python"/tiledb_rs-*.dist-info/RECORD \
    "$python"/tiledb_rs-*.dist-info/licenses
mkdir "$python/tiledb_rs/lib" "$python/tiledb_rs/bin"
ln -s "../../../../$multiarch/libtiledb_rs.so.$minor" "$python/tiledb_rs/lib/$module"
ln -s ../../../../../bin/tiledb-rs "$python/tiledb_rs/bin/tiledb-rs"
ln -s ../../../../include "$python/tiledb_rs/include"
find "$python" -type f -exec chmod 644 {} +

# Files of the control area: of libraries the dependencies of programs that are linked with them, of Python its byte code.
mkdir "$trees/libtiledb-rs$minor/DEBIAN" "$trees/libtiledb-rs-compat$minor/DEBIAN" "$trees/python3-tiledb-rs/DEBIAN"
for name in libtiledb_rs libtiledb; do
    package=libtiledb-rs$minor
    [ $name = libtiledb_rs ] || package=libtiledb-rs-compat$minor
    echo "$name $minor $package (>= $version)" >"$trees/$package/DEBIAN/shlibs"
    echo "activate-noawait ldconfig" >"$trees/$package/DEBIAN/triggers"
done
cat >"$trees/python3-tiledb-rs/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
if [ "$1" = configure ] && command -v py3compile >/dev/null; then py3compile -p python3-tiledb-rs; fi
POSTINST
cat >"$trees/python3-tiledb-rs/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
if command -v py3clean >/dev/null; then py3clean -p python3-tiledb-rs; fi
PRERM
chmod 755 "$trees/python3-tiledb-rs/DEBIAN/postinst" "$trees/python3-tiledb-rs/DEBIAN/prerm"

# installed_size FOLDER: in KiB, as dpkg-gencontrol counts; du depends on the file system.
installed_size() { find "$1" -type f -printf '%s\n' -o -printf '1\n' | awk '{ size += int(($1 + 1023) / 1024) } END { print size }'; }

for tree in "$trees"/*; do
    package=${tree##*/}
    documents=$tree/usr/share/doc/$package
    mkdir -p "$documents" "$tree/DEBIAN" "$tree/usr/share/lintian/overrides"
    python3 tools/dist/debian_texts.py copyright >"$documents/copyright"
    gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
    python3 tools/dist/debian_texts.py changelog "$revision" "$MAINTAINER" "$SOURCE_DATE_EPOCH" | gzip -9nc >"$documents/changelog.Debian.gz"
    if [ "$package" = libtiledb-rs-dev ]; then
        ln -sf copyright "$documents/NOTICES.txt"
        ln -sf copyright "$documents/LICENSE"
    fi
    case $package in
    *-dev) ;;
    *)
        overrides=packages/debian/lintian-overrides
        case $package in *-compat*) overrides="$overrides packages/debian/lintian-overrides.compat" ;; esac
        # shellcheck disable=SC2086 # one word per file
        cat $overrides | sed "s/@PACKAGE@/$package/; s/@MINOR@/$minor/g" >"$tree/usr/share/lintian/overrides/$package"
        ;;
    esac
    find "$tree/usr/share/lintian" -type d -empty -delete
    [ ! -d "$tree/usr/share/man" ] || find "$tree/usr/share/man" -type f -exec gzip -9n {} +
    find "$tree" -type d -exec chmod 755 {} +
    find "$tree" -type f -name '*.so.*' -exec chmod 644 {} +
    python3 tools/dist/debian_texts.py control "$package" MINOR="$minor" VERSION="$revision" GLIBC="$GLIBC" ARCHITECTURE="$architecture" \
        MAINTAINER="$MAINTAINER" HOMEPAGE="$REPOSITORY" SIZE="$(installed_size "$tree/usr")" >"$tree/DEBIAN/control"
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$dist/${package}_${revision}_$architecture.deb" >/dev/null
done
