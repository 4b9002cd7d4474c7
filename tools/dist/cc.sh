#!/bin/sh
# A C compiler and linker for the oldest glibc that the packages run on: Zig, which PYTHON has as the package ziglang.
# usage: cc.sh ARGUMENT...      (for the machine of CARGO_BUILD_TARGET, if that is set)
set -eu
. "$(dirname "$0")/glibc.sh"
machine=${CARGO_BUILD_TARGET:-$(uname -m)}
exec "${PYTHON:-python3}" -m ziglang cc -target "${machine%%-*}-linux-gnu.$GLIBC" "$@"
