#!/bin/sh
# Compiles the crates of the workspace with counters of the regions that run (tools/coverage.sh). They are mapped from a file, so that
# those of processes that are killed count, too.
set -eu
exec "$@" -Cinstrument-coverage -Cllvm-args=-runtime-counter-relocation
