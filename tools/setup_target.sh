#!/bin/sh
# Installs what a build for another machine needs: its Rust library (by rustup, where that is), Debian's cross compiler, and
# OpenSSL for that machine, unpacked into build/TARGET/openssl. What the variables of target.sh name is not installed.
# For Windows the compiler is Zig, a Python package in build/TARGET/zig (ZIG names another one), with wrappers in build/TARGET/bin,
# and OpenSSL is compiled from Debian's source.
# usage: setup_target.sh TARGET [PACKAGE...]      TARGET is aarch64-unknown-linux-gnu, x86_64-unknown-linux-gnu or
#                                                 x86_64-pc-windows-gnullvm; more packages of this machine are installed too
set -eu
cd "$(dirname "$0")/.."
export CARGO_BUILD_TARGET="$1"
shift
. tools/target.sh
case $triple in
aarch64-unknown-linux-gnu) suffix=aarch64-linux-gnu debian=arm64 ;;
x86_64-unknown-linux-gnu) suffix=x86-64-linux-gnu debian=amd64 ;;
x86_64-pc-windows-gnullvm) ;;
*)
    echo "TARGET is '$triple': builds for aarch64-unknown-linux-gnu, x86_64-unknown-linux-gnu and x86_64-pc-windows-gnullvm" \
        "are known" >&2
    exit 1
    ;;
esac

if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ]; then
    if command -v rustup >/dev/null; then
        rustup --quiet target add "$triple"
    else
        echo "Rust's library for $triple is missing (Debian: libstd-rust-dev:$debian)" >&2
        exit 1
    fi
fi

if [ -n "$windows" ]; then
    exec tools/windows/setup.sh "$@"
fi

command -v "${CC%% *}" >/dev/null || set -- "$@" "gcc-$suffix" "g++-$suffix"
tools/setup.sh "$@"

# Debian's package for the other machine, without making that an architecture of this system.
if [ ! -e "$(openssl libcrypto.a)" ]; then
    folder=$PWD/build/$triple apt=$PWD/build/$triple/apt
    mkdir -p "$apt/lists/partial" "$folder/openssl/lib" "$folder/openssl/include"
    # shellcheck disable=SC2089,SC2090 # words of the command
    options="-qq -o Dir::State::Lists=$apt/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=
        -o APT::Architectures::=$(dpkg --print-architecture) -o APT::Architectures::=$debian"
    # shellcheck disable=SC2086 # one word per option
    (cd "$apt" && apt-get $options update && apt-get $options download "libssl-dev:$debian")
    dpkg -x "$apt"/libssl-dev_*.deb "$apt/unpacked"
    cp -R "$apt/unpacked/usr/include/openssl" "$folder/openssl/include/"
    cp -R "$apt/unpacked/usr/include/$gnu/openssl" "$folder/openssl/include/"
    cp "$apt/unpacked/usr/lib/$gnu"/lib*.a "$folder/openssl/lib/"
    rm -rf "$apt"
fi
