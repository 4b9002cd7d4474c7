#!/bin/sh
# Go: the quick start through cgo prints what the one in C prints; with SUITE=1 TileDB-Go's own tests and examples pass.
# usage: go.sh PREFIX FOLDER      PREFIX has the drop-in. SUITE=1 takes TileDB-Go from the clone TILEDB_GO, or fetches it,
#                                 and asks the libtiledb 2.30 named by REFERENCE the same
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tools/languages/common.sh"
begin "$1" "$2"
need go "apt-get install golang-go (1.19 or later; TileDB-Go needs 1.22)"
need pkg-config "apt-get install pkg-config"

folder=$PWD
(cd "$here/examples-c/languages/quickstart_go" && PKG_CONFIG_PATH=$prefix/lib/pkgconfig go build -o "$folder/quickstart" .)
same "Go, cgo" ./quickstart
[ -n "${SUITE:-}" ] || exit 0

clone TileDB-Go v0.39.1 "${TILEDB_GO:-}"
cd TileDB-Go
export CGO_CFLAGS="-w -I$prefix/include" CGO_LDFLAGS="-L$prefix/lib"
go test -c -o ../suite.test .
go test -c -o ../examples.test ./examples

# suite: the count of tests that pass; one that fails ends it.
suite() {
    for tests in suite examples; do
        ldd "../$tests.test" | grep -qF "$LIBRARY/libtiledb.so.2.30" || { echo "another library is loaded" >&2 && exit 1; }
        "../$tests.test" -test.v >"../$tests.$OF.txt" 2>&1 || { cat "../$tests.$OF.txt" && exit 1; }
        echo "TileDB-Go, $tests, $OF: $(grep -c -- '^ *--- PASS' "../$tests.$OF.txt") passed, 0 failed"
    done
}
on_each suite
