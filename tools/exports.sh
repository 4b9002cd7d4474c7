#!/bin/sh
# Prints the functions and variables that the shared libraries export, one a line: libtiledb's, those of older and newer
# releases, and our own.
# usage: exports.sh [TABLE...]      with arguments the names in these tables of capi-tests/abi only
set -eu
cd "$(dirname "$0")/.."
tables=${*:-functions.tsv removed.tsv next.tsv}
{
    for table in $tables; do sed 1d "capi-tests/abi/$table" | cut -f1; done
    [ $# -gt 0 ] || grep -v '^ \*' include/tiledb/tiledb_rs.h | grep -o 'tiledb_rs_[a-z0-9_]*(' | tr -d '('
} | LC_ALL=C sort -u
