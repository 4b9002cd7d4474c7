#!/bin/sh
# `python -m tiledb_rs swap`, `status` and `restore` on clients of several releases of libtiledb, each in a fresh environment of
# every Python from 3.9 to 3.13 that is installed: the quick start prints the same on both libraries, the library that is loaded is
# this one, and `restore` brings back the bytes of the wheel.
# usage: swap.sh LIBRARY FOLDER [PACKAGE==VERSION...]      PYTHONS="3.9 3.12": only these
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
library=$(readlink -f "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
[ "$#" -gt 0 ] || set -- tiledb==0.24.0 tiledb==0.27.1 tiledb==0.30.2 tiledb==0.31.1 tiledb==0.34.2 tiledb==0.35.2 tiledb==0.36.1 \
    tiledbsoma==1.15.7

# The package as the wheel of this library has it.
rm -rf "$folder/package"
mkdir -p "$folder/package"
cp -R "$here/packages/python/src/tiledb_rs" "$folder/package/"
mkdir "$folder/package/tiledb_rs/lib"
cp "$library" "$folder/package/tiledb_rs/lib/"

tested=0
for version in ${PYTHONS:-3.9 3.10 3.11 3.12 3.13}; do
    python=
    for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
        ! "$candidate" -c '' 2>/dev/null || python=$candidate
    done
    [ -n "$python" ] || { echo "Python $version is not installed"; continue; }
    for client in "$@"; do
        venv=$folder/venv
        rm -rf "$venv"
        "$python" -m venv "$venv"
        # Extension modules of releases before NumPy 2 do not load with it.
        case $client in tiledb==0.2?.*) numpy='numpy<2' ;; *) numpy='numpy<2.4' ;; esac
        pip="$venv/bin/pip --quiet --disable-pip-version-check"
        if ! $pip download --only-binary :all: --no-deps --dest "$folder/wheels" "$client" 2>/dev/null; then
            echo "Python $version, $client: no wheel"
            continue
        fi
        case $client in
        tiledb==*) package=tiledb example=quickstart_tiledb_py.py; $pip install "$client" "$numpy" ;;
        tiledbsoma==*) package=tiledbsoma example=quickstart_soma.py; $pip install "$client" "$numpy" 'pandas<3' ;;
        esac
        # run: what the example prints, and the libraries of libtiledb that are loaded then.
        run() {
            rm -rf "$folder/run"
            mkdir "$folder/run"
            (cd "$folder/run" && "$venv/bin/python" -c '
import runpy, sys
runpy.run_path(sys.argv[1], run_name="__main__")
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "/libtiledb" in line and ".so.2." in line}
ours = [b"tiledb_rs_live_handles" in open(path, "rb").read() for path in loaded]
print("libraries of libtiledb:", len(ours), "of this project:", sum(ours))' "$here/examples-c/languages/$example")
        }
        tool() { PYTHONPATH=$folder/package "$venv/bin/python" -m tiledb_rs "$@"; }
        files() { find "$venv"/lib/python*/site-packages -name 'libtiledb*.so.2.*' -exec sha256sum {} + | sort; }
        before=$(files)
        run >"$folder/own.txt"
        tool swap "$package" | grep -q 'uses this tiledb-rs$'
        run >"$folder/ours.txt"
        grep -q 'of this project: [1-9]' "$folder/ours.txt"
        tool status "$package" | grep -q 'uses this tiledb-rs$'
        tool restore "$package" | grep -q 'uses its own libtiledb$'
        [ "$before" = "$(files)" ]
        run | diff "$folder/own.txt" -
        sed -i '/^libraries of libtiledb/d' "$folder/own.txt" "$folder/ours.txt"
        diff "$folder/own.txt" "$folder/ours.txt"
        echo "Python $version, $client: swapped and restored"
        tested=$((tested + 1))
    done
done
echo "swap and restore: $tested environments"
[ "$tested" -gt 0 ]
