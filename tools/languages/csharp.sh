#!/bin/sh
# C#: the quick start through P/Invoke prints what the one in C prints, by Mono.
# usage: csharp.sh PREFIX FOLDER
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tools/languages/common.sh"
begin "$1" "$2"
need mcs "apt-get install mono-mcs"
need mono "apt-get install mono-runtime"
mcs -out:quickstart.exe "$here/examples-c/languages/QuickstartDense.cs"
same "C#, P/Invoke" mono quickstart.exe
