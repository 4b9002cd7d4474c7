#!/bin/sh
# Compiles the DLLs of Windows that wine lacks and Rust's library needs, in the environment that target.sh makes.
# usage: wine_dlls.sh FOLDER
set -eu
mkdir -p "$1"
[ -e "$1/bcryptprimitives.dll" ] ||
    "$CC" -shared -O1 "${0%/*}/bcryptprimitives.c" -o "$1/bcryptprimitives.dll" -ladvapi32
