#!/bin/sh
# Runs benches/appends on both libraries, with and without maintenance.
# usage: tools/appends.sh PROGRAM FOLDER_OF_OURS FOLDER_OF_LIBTILEDB
set -eu

run() {
    folder=$(mktemp -d -p /dev/shm)
    printf '%s, consolidated after %s %s\t' "$(basename "$1")" "$2" "${3:-}"
    LD_LIBRARY_PATH=$1 "$program" 2000 "$2" "$folder" $(test -z "${3:-}" || echo "$3") || failed=1
    rm -rf "$folder"
}

program=$1 failed=0
for library in "$2" "$3"; do
    for every in 0 100; do
        run "$library" "$every"
    done
done
run "$2" 0 sm.maintenance.after_write=true
exit "$failed"
