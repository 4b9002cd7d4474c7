#!/bin/sh
# Installs what a build for another system or processor needs: its Rust library (by rustup, where that is), Debian's cross compiler
# or Zig, and OpenSSL for that system, unpacked or compiled into build/TARGET/openssl. What the variables of target.sh name is not
# installed.
# usage: setup_target.sh TARGET [PACKAGE...]      TARGET is aarch64- or x86_64- with unknown-linux-gnu, unknown-linux-musl or
#                                                 apple-darwin, or x86_64-pc-windows-gnullvm; more packages of this machine are
#                                                 installed too
set -eu
cd "$(dirname "$0")/.."
export CARGO_BUILD_TARGET="$1"
shift
. tools/target.sh
debian=
case $triple in
aarch64-unknown-linux-gnu) suffix=aarch64-linux-gnu debian=arm64 ;;
x86_64-unknown-linux-gnu) suffix=x86-64-linux-gnu debian=amd64 ;;
aarch64-unknown-linux-musl | aarch64-apple-darwin) suffix=aarch64-linux-gnu ;;
x86_64-unknown-linux-musl | x86_64-apple-darwin | x86_64-pc-windows-gnullvm) suffix=x86-64-linux-gnu ;;
*)
    echo "TARGET is '$triple': builds for aarch64 and x86_64 with unknown-linux-gnu, unknown-linux-musl or apple-darwin, and for" \
        "x86_64-pc-windows-gnullvm are known" >&2
    exit 1
    ;;
esac

if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ]; then
    if command -v rustup >/dev/null; then
        rustup --quiet target add "$triple"
    else
        echo "Rust's library for $triple is missing${debian:+ (Debian: libstd-rust-dev:$debian)}" >&2
        exit 1
    fi
fi

command -v "${CC%% *}" >/dev/null || set -- "$@" "gcc-$suffix" "g++-$suffix"
case $triple in
*-musl) command -v "${LD%% *}" >/dev/null || set -- "$@" "binutils-$suffix" ;;
esac
if [ -n "$zig" ] && [ -z "${ZIG:-}" ] && [ ! -x build/zig/bin/python ]; then set -- "$@" python3-venv; fi
if [ -n "$zig" ] && [ ! -e "$(openssl libcrypto.a)" ]; then set -- "$@" perl make; fi
tools/setup.sh "$@"

if [ -n "$zig" ]; then
    if [ -z "${ZIG:-}" ] && [ ! -x build/zig/bin/python ]; then
        mkdir -p build
        python3 -m venv build/zig
        build/zig/bin/pip --quiet --disable-pip-version-check install ziglang==0.17.1
    fi
    stubs=$PWD/build/$triple/stubs
    mkdir -p "$stubs"
    case $triple in
    *-musl)
        # The unwinder of musl systems is GCC's, as for other Rust and C++ programs: linking needs its name and its functions only.
        if [ ! -e "$stubs/libgcc_s.so.1" ]; then
            sed 's/.*/void &(void) {}/' tools/zig/unwinder.txt >"$stubs/libgcc_s.c"
            "$zig/cc" -shared -nostdlib -w -O1 -Wl,-soname,libgcc_s.so.1 -o "$stubs/libgcc_s.so.1" "$stubs/libgcc_s.c"
        fi
        ;;
    *-apple-darwin)
        # LLVM's linker does not know the newest processors in Zig's description of the system's library, and takes arm64e, which
        # that library is built for, for another architecture than arm64.
        system=$(${ZIG:-build/zig/bin/python -m ziglang} env | sed -n 's/^ *"*\.*lib_dir"*[ =:]*"\(.*\)",*$/\1/p')/libc/darwin/libSystem.tbd
        sed -E 's/arm64e\.x1-mac(os|catalyst),? *//g; s/arm64e-/arm64-/g' "$system" >"$stubs/libSystem.tbd"
        # The tool's own.
        for framework in CoreFoundation Foundation; do
            mkdir -p "$stubs/tool/$framework.framework"
            cp tools/macos/$framework.tbd "$stubs/tool/$framework.framework/"
        done
        cp tools/macos/lib*.tbd "$stubs/tool/"
        ;;
    esac
    [ -e "$(openssl libcrypto.a)" ] || tools/build_openssl.sh "build/$triple/openssl"
    exit 0
fi

if [ ! -e "$(openssl libcrypto.a)" ]; then
    folder=$PWD/build/$triple
    mkdir -p "$folder/openssl/lib" "$folder/openssl/include"
    tools/download_debian.sh "$debian" libssl-dev "$folder/unpacked"
    cp -R "$folder/unpacked/usr/include/openssl" "$folder/openssl/include/"
    cp -R "$folder/unpacked/usr/include/$gnu/openssl" "$folder/openssl/include/"
    cp "$folder/unpacked/usr/lib/$gnu"/lib*.a "$folder/openssl/lib/"
    rm -rf "$folder/unpacked"
fi
