# Settings by which the same sources make the same bytes wherever they lie, and what the packages are called by: read by
# dist.sh in the root of the project, for the scripts beside this one. No path of the machine is left in what is compiled, and all times are the last commit's.
root=$(pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
export version
cargo_home=${CARGO_HOME:-$HOME/.cargo}
target=${CARGO_TARGET_DIR:-$root/target}
export RUSTFLAGS="--remap-path-prefix=$target=target --remap-path-prefix=$root=. --remap-path-prefix=$cargo_home=cargo"
export CFLAGS="-fno-asynchronous-unwind-tables -ffile-prefix-map=$target=target -ffile-prefix-map=$root=. -ffile-prefix-map=$cargo_home=cargo"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export TZ=UTC LC_ALL=C
umask 022
