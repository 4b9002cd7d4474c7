#!/bin/sh
# C#: the quick start through P/Invoke prints what the one in C prints, by Mono.
# usage: csharp.sh PREFIX FOLDER
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$(cd "$1" && pwd -P)
rm -rf "$2"
mkdir -p "$2"
cd "$2"
. "$here/tools/languages/common.sh"
need mcs "apt-get install mono-mcs"
need mono "apt-get install mono-runtime"
mcs -out:quickstart.exe "$here/examples-c/languages/QuickstartDense.cs"
same "C#, P/Invoke" mono quickstart.exe
