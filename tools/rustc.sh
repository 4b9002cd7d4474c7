#!/bin/sh
# Runs the compiler (.cargo/config.toml names this as its wrapper).
# No path of this machine stands in what it makes: sources of other packages are named from the registry on, ours from the
# project's root.
# On Linux, functions of other crates are called directly. For full RELRO the compiler would call them through the global offset
# table, and each process would relocate an entry for each; the linker makes full RELRO all the same (build.rs).
set -eu
case "$* " in
*" --target "*-linux-*) direct="-Crelro-level=partial" ;;
*" --target "*) direct= ;;
*) case $(uname) in Linux) direct="-Crelro-level=partial" ;; *) direct= ;; esac ;;
esac
exec "$@" $direct --remap-path-prefix="${CARGO_HOME:-${HOME:-}/.cargo}/registry/src=crates" --remap-path-prefix="$PWD="
