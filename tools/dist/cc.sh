#!/bin/sh
# A C compiler and linker for the oldest glibc that the packages run on: Zig, which PYTHON has as the package ziglang.
# usage: cc.sh ARGUMENT...
set -eu
. "$(dirname "$0")/glibc.sh"
exec "${PYTHON:-python3}" -m ziglang cc -target "$(uname -m)-linux-gnu.$GLIBC" "$@"
