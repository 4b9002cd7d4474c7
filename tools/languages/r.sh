#!/bin/sh
# R: TileDB-R is built with the drop-in, and the quick start through it prints what the one in C prints; with SUITE=1 its
# own tests pass.
# usage: r.sh PREFIX FOLDER       PREFIX has the drop-in. TileDB-R comes from the clone TILEDB_R, or is fetched; SUITE=1 asks
#                                 the libtiledb 2.30 named by REFERENCE the same. What R_LIBS has is found
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tools/languages/common.sh"
begin "$1" "$2"
need Rscript "apt-get install r-base-dev (4.3 or later: Debian 13, Ubuntu 24.04)"
need pkg-config "apt-get install pkg-config"
packages='"Rcpp", "RcppInt64", "nanoarrow", "nanotime", "spdl"'
[ -z "${SUITE:-}" ] || packages="$packages, \"tinytest\""
Rscript -e "missing <- setdiff(c($packages), rownames(installed.packages())); if (length(missing)) {
    message('R lacks packages: install.packages(c(', toString(dQuote(missing, FALSE)), '))'); quit(status = 1) }"

clone TileDB-R 0.34.0 "${TILEDB_R:-}"
mkdir library
PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib R CMD INSTALL --no-docs --library=library TileDB-R \
    >build.txt 2>&1 || { tail -n 40 build.txt && exit 1; }
R_LIBS=$PWD/library${R_LIBS:+:$R_LIBS}
export R_LIBS
same "R, TileDB-R" Rscript "$here/examples-c/languages/quickstart.R"
[ -n "${SUITE:-}" ] || exit 0

# suite: the count of tests that pass; one that fails ends it. With CI set the tests do all they can.
suite() {
    CI=true HOME=$PWD Rscript -e '
        results <- tinytest::test_package("tiledb", at_home = FALSE, verbose = 0)
        if (!any(grepl(Sys.getenv("LIBRARY"), readLines("/proc/self/maps"), fixed = TRUE))) stop("another library was loaded")
        failed <- sum(!as.logical(results))
        if (failed) print(results)
        cat(sprintf("TileDB-R, %s: %d passed, %d failed\n", Sys.getenv("OF"), length(results) - failed, failed))
        quit(status = failed > 0)' >"suite.$OF.txt" 2>&1 || { cat "suite.$OF.txt" && exit 1; }
    tail -n 1 "suite.$OF.txt"
}
on_each suite
