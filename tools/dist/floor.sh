#!/bin/sh
# Fails if a file asks for a symbol of a later glibc than the packages promise; prints the latest it asks for.
# usage: floor.sh FILE...
set -eu
. "$(dirname "$0")/glibc.sh"
. "$(dirname "$0")/../target.sh"
for file in "$@"; do
    latest=$("$OBJDUMP" -T "$file" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
    [ -n "$latest" ] || { echo "$file: no symbol of glibc was found" >&2; exit 1; }
    if [ "$(printf '%s\n%s\n' "$latest" "$GLIBC" | sort -V | tail -n 1)" != "$GLIBC" ]; then
        echo "$file needs glibc $latest, later than $GLIBC:" >&2
        "$OBJDUMP" -T "$file" | grep "GLIBC_$latest" >&2
        exit 1
    fi
    echo "${file##*/}: glibc $latest"
done
