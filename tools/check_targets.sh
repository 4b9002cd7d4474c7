#!/bin/sh
# Type-checks the library and the tool for every platform that docs/platforms.md names, without compilers and linkers for them: C sources
# of crates are not compiled, and nothing is linked.
# usage: check_targets.sh [TARGET...]     all targets if omitted; CARGO_TARGET_DIR may be set
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/check-targets
mkdir -p "$out"

tools/fake_cc.sh "$out"

[ $# -gt 0 ] || set -- aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-gnullvm aarch64-unknown-linux-gnu \
    x86_64-unknown-linux-musl aarch64-unknown-linux-musl
for triple in "$@"; do
    rustup -q target list --installed | grep -qx "$triple" || rustup -q target add "$triple"
    name=$(echo "$triple" | tr - _)
    upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
    echo "check for $triple"
    env "CC_$name=$out/cc" "CXX_$name=$out/cc" "AR_$name=$out/ar" "${upper}_OPENSSL_INCLUDE_DIR=/usr/include" \
        "${upper}_OPENSSL_LIB_DIR=$out" PKG_CONFIG_ALLOW_CROSS=1 RUSTFLAGS="${RUSTFLAGS:-} -D warnings" \
        cargo check --locked --target "$triple" -p tiledb-rs -p tiledb-rs-cli
done
