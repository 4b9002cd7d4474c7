#!/bin/sh
# Type-checks the library and the tool for every platform that docs/platforms.md names, without compilers and linkers for them: C sources
# of crates are not compiled, and nothing is linked.
# usage: check_targets.sh [TARGET...]     all targets if omitted; CARGO_TARGET_DIR may be set
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/check-targets
mkdir -p "$out"

# What build scripts take for a compiler and an archiver: outputs are empty files; what is only preprocessed has the host's headers.
cat >"$out/cc" <<'CC'
#!/bin/sh
output='' source='' preprocess=''
while [ $# -gt 0 ]; do
    case $1 in
    -E) preprocess=1 ;;
    -o) output=$2 && shift ;;
    *.c | *.cc | *.cpp | *.S) source=$1 ;;
    esac
    shift
done
if [ -n "$preprocess" ]; then exec cc -E "$source"; fi
[ -z "$output" ] || : >"$output"
CC
cat >"$out/ar" <<'AR'
#!/bin/sh
for word in "$@"; do case $word in *.a) : >"$word" ;; esac done
AR
chmod +x "$out/cc" "$out/ar"

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
