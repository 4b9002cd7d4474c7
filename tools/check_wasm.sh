#!/bin/sh
# Type-checks the crate of the WebAssembly module, without a compiler for the C sources of crates. Does nothing where Rust's library for
# WebAssembly is not installed.
set -eu
cd "$(dirname "$0")/.."
triple=wasm32-wasip1
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ]; then
    echo "check-wasm: Rust's library for $triple is not installed; \`rustup target add $triple\`"
    exit 0
fi
out=$PWD/build/check-wasm
tools/fake_cc.sh "$out"
env CC_wasm32_wasip1="$out/cc" AR_wasm32_wasip1="$out/ar" CARGO_TARGET_DIR=target/wasm RUSTFLAGS="${RUSTFLAGS:-} -D warnings" \
    cargo check --locked --quiet --target "$triple" --manifest-path crates/tiledb-wasm/Cargo.toml
