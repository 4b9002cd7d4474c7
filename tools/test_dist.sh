#!/bin/sh
# Uses the packages as people do: compiles against the tarball and against the Debian packages, and puts the wheel under
# TileDB-Py and back on each Python from 3.9 to 3.13 that is here. Those for another platform as far as this machine can.
# usage: test_dist.sh DIST      (with CARGO_BUILD_TARGET; SAME=1: makes everything again in another folder and compares; SUITE=1:
#                                TileDB-Py's own tests)
set -eu
dist=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. tools/target.sh
folder=$dist/test
rm -rf "$folder"
mkdir -p "$folder"

python3 tools/dist/test_check_wheel.py "$dist"/*.whl
tools/dist/test_clients.sh "$dist/clients" "$dist"/*.whl
case $triple in
'' | "$(rustc -vV | sed -n 's/^host: //p')")
    tools/dist/test_tarball.sh "$dist" "$folder"
    tools/dist/test_debian.sh "$dist" "$folder"
    tools/dist/test_wheel.sh "$dist" "$folder"
    ;;
*)
    tools/setup.sh cmake
    tools/dist/test_cross.sh "$dist" "$folder"
    case $triple in aarch64-unknown-linux-gnu) tools/dist/test_wheel_aarch64.sh "$dist" "$dist/emulated" ;; esac
    ;;
esac
[ -z "${SAME:-}" ] || tools/dist/test_same.sh "$dist" "$folder"
echo "packages: as they must be"
