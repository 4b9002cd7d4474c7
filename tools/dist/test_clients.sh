#!/bin/sh
# Checks wheels without running them (check_wheel.py), beside the wheels of TileDB-Py for the same platforms where there are some:
# their modules find in the library what they ask libtiledb's for.
# usage: test_clients.sh FOLDER WHEEL...      FOLDER receives TileDB-Py's wheels
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
tools=$(dirname "$0")
for wheel; do
    platform=$(basename "$wheel" .whl | sed 's/.*-none-//')
    clients=
    case $platform in
    musllinux_*) ;;
    *)
        # A release with the library beside its modules, and the current one.
        for release in 0.34.0 0.36.1; do
            python3 -m pip --quiet --disable-pip-version-check download --no-deps --dest "$folder/$platform" --only-binary=:all: \
                --platform "$platform" --python-version 3.11 "tiledb==$release"
        done
        clients=$(ls "$folder/$platform"/*.whl)
        ;;
    esac
    # shellcheck disable=SC2086 # one word per wheel
    python3 "$tools/check_wheel.py" "$wheel" $clients
done
