#!/bin/sh
# The crates as they would be published: each is packaged, and two programs outside of the workspace, one of the crate tiledb and one
# of the C functions, are built against the unpacked packages and run.
# usage: test_crates.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# What is packaged is compiled below, as members of another workspace: crates.io does not have the dependencies yet.
cargo package --quiet --locked --workspace --exclude tiledb-rs-cli --exclude tiledb-test-support --no-verify --allow-dirty --target-dir "$folder/package"

rm -rf "$folder/outside"
mkdir -p "$folder/outside/crates"
for file in "$folder/package/package"/*-"$version".crate; do tar -xzf "$file" -C "$folder/outside/crates"; done
count=$(find "$folder/outside/crates" -mindepth 1 -maxdepth 1 | wc -l)
# `tiledb-datafusion`, `tiledb-duckdb` and `tiledb-wasm` are workspaces of their own.
members=$(sed -n 's/^name = "\(tiledb[a-z-]*\)"/\1/p' crates/*/Cargo.toml src/capi/Cargo.toml Cargo.toml | grep -v '^tiledb_\|^tiledb-datafusion$\|^tiledb-duckdb$\|^tiledb-wasm$\|^tiledb-rs-sql$' | \
    sort -u | wc -l)
[ "$count" -eq "$members" ] || { echo "$count crates were packaged, not $members" >&2; exit 1; }
for crate in "$folder/outside/crates"/*; do
    # Packages lie in no workspace, and have what a reader of crates.io is shown.
    for field in description license readme; do
        grep -q "^$field = " "$crate/Cargo.toml" || { echo "${crate##*/} has no $field" >&2; exit 1; }
    done
    [ -e "$crate/LICENSE" ] || { echo "${crate##*/} has no LICENSE" >&2; exit 1; }
done

{
    printf '[package]\nname = "outside"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\ntiledb = "%s"\ntiledb-rs = "%s"\n\n[patch.crates-io]\n' \
        "$version" "$version"
    for crate in "$folder/outside/crates"/*; do
        name=${crate##*/}
        printf '%s = { path = "crates/%s" }\n' "${name%-"$version"}" "$name"
    done
    printf '\n[profile.dev]\ndebug = 0\nopt-level = 0\n\n[workspace]\n'
} >"$folder/outside/Cargo.toml"
mkdir -p "$folder/outside/src/bin"
cp crates/tiledb/examples/first_array.rs "$folder/outside/src/bin/"
cat >"$folder/outside/src/bin/version.rs" <<'RUST'
use std::ffi::c_int;

extern crate tiledb_rs;

unsafe extern "C" {
    safe fn tiledb_version(major: &mut c_int, minor: &mut c_int, patch: &mut c_int);
}

fn main() {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    tiledb_version(&mut major, &mut minor, &mut patch);
    println!("{major}.{minor}.{patch}");
}
RUST
cp Cargo.lock "$folder/outside/"
cd "$folder/outside"
export CARGO_TARGET_DIR="$folder/target"
cargo build --quiet
mkdir -p run
cd run
printed=$("$CARGO_TARGET_DIR/debug/version")
[ "$printed" = "$version" ] || { echo "tiledb_version of the packaged crates is $printed" >&2; exit 1; }
"$CARGO_TARGET_DIR/debug/first_array"
echo "crates: $count packages, and programs outside of the workspace build and run with them"
