#!/bin/sh
# The wheel for Linux aarch64 on Debian's Python for that processor, by qemu unless this machine is one: through ctypes, under
# TileDB-Py, and back.
# usage: test_wheel_aarch64.sh DIST FOLDER      (called by test_dist.sh)
set -eu
dist=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../.."
root=$PWD
tools/setup.sh qemu-user-static python3-venv
system=$folder/system site=$folder/site

# A Python of that processor, unpacked; programs that it starts are found in this folder, too.
if [ ! -e "$system/usr/bin/python3" ]; then
    for package in python3-minimal libpython3-stdlib libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libssl3 libffi8 libsqlite3-0 libbz2-1.0 \
        liblzma5 libuuid1 $(apt-cache depends python3-minimal | sed -n 's/.*Depends: \(python3\.[0-9]*-minimal\)/\1/p') \
        $(apt-cache depends libpython3-stdlib | sed -n 's/.*Depends: \(libpython3\.[0-9]*-stdlib\)/\1/p') \
        $(apt-cache depends python3-minimal | sed -n 's/.*Depends: \(python3\.[0-9]*-minimal\)/lib\1/p'); do
        tools/download_debian.sh arm64 "$package" "$system"
    done
fi
version=$(basename "$(readlink "$system/usr/bin/python3")" | sed 's/python//')

# The packages for that processor, which pip unpacks here.
rm -rf "$site" "$folder/run"
mkdir "$folder/run"
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --target "$site" --only-binary=:all: \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 --python-version "$version" \
    tiledb==0.36.1 "$dist"/*_aarch64.whl
python="qemu-aarch64-static -L $system $system/usr/bin/python3"
[ "$(uname -m)" != aarch64 ] || python="$system/usr/bin/python3"
export PYTHONPATH="$site" PYTHONDONTWRITEBYTECODE=1
cd "$folder/run"

# same FILE ARGUMENT...: the program prints what the quick start in C prints.
same() {
    rm -rf ./*
    $python "$@" >printed.txt
    diff "$root/examples-c/expected/quickstart_dense.txt" printed.txt
}
own=$(sha256sum "$site"/tiledb.libs/libtiledb-*)
same "$root/examples-c/languages/quickstart_ctypes.py" "$($python -m tiledb_rs library)"
$python -m tiledb_rs --site "$site" swap | grep 'uses this tiledb-rs$'
same "$root/examples-c/languages/quickstart_tiledb_py.py"
$python -c 'import ctypes, glob, sys
ctypes.CDLL(glob.glob(sys.argv[1] + "/tiledb.libs/libtiledb-*.so.2.30")[0]).tiledb_rs_live_handles' "$site"
$python -m tiledb_rs --site "$site" restore | grep 'uses its own libtiledb$'
[ "$own" = "$(sha256sum "$site"/tiledb.libs/libtiledb-*)" ]
same "$root/examples-c/languages/quickstart_tiledb_py.py"
echo "wheel for aarch64: as it must be on Python $version"
