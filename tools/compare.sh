#!/bin/sh
# Compares the processor time of everyday work on two libraries: benches/compare.c is built once and run on both in turn.
# usage: compare.sh PREFIX REFERENCE FOLDER [ROUNDS]      PREFIX has the drop-in; REFERENCE is a libtiledb.so.2.30
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
prefix=$(cd "$1" && pwd) reference=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
mkdir -p "$3/libraries/theirs"
folder=$(cd "$3" && pwd)
ln -sf "$reference" "$folder/libraries/theirs/libtiledb.so.2.30"
cc -O2 -std=c11 -D_GNU_SOURCE "$here/benches/compare.c" -o "$folder/compare" -I"$prefix/include" -L"$prefix/lib" -ltiledb
: >"$folder/times.txt"
for _ in $(seq "${4:-3}"); do
    for library in ours theirs; do
        case $library in ours) path=$prefix/lib ;; theirs) path=$folder/libraries/theirs ;; esac
        rm -rf "$folder/arrays" && mkdir "$folder/arrays"
        LD_LIBRARY_PATH=$path "$folder/compare" "$folder/arrays" 3 | sed "s/^/$library	/" >>"$folder/times.txt"
    done
done
rm -rf "$folder/arrays"
awk -F '\t' '
    { if (!($2 in order)) { order[$2] = ++count; name[count] = $2 }
      if (!(($1, $2) in best) || $3 < best[$1, $2]) best[$1, $2] = $3 }
    END { print "| processor time, ms | libtiledb 2.30 | this library | ratio |"; print "|---|--:|--:|--:|"
          for (i = 1; i <= count; i++) { n = name[i]; a = best["theirs", n]; b = best["ours", n]
              printf "| %s | %.1f | %.1f | %.1f |\n", n, a, b, a / b } }' "$folder/times.txt"
