#!/bin/sh
# Runs the compiler (.cargo/config.toml names this as its wrapper) so that no path of this machine stands in what it
# makes: sources of other packages are named from the registry on, ours from the project's root.
set -eu
exec "$@" --remap-path-prefix="${CARGO_HOME:-${HOME:-}/.cargo}/registry/src=crates" --remap-path-prefix="$PWD="
