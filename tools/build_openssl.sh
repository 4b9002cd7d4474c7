#!/bin/sh
# Compiles OpenSSL's static libraries for the target of CARGO_BUILD_TARGET, where no package has them. They contain what a client
# of HTTPS and signatures need: no server of other protocols, no old or national ciphers. Certificates are where Alpine and
# macOS have them, /etc/ssl/cert.pem and /etc/ssl/certs; on Windows schannel verifies them, and OpenSSL reads no file.
# usage: build_openssl.sh FOLDER      makes FOLDER/include/openssl and FOLDER/lib (JOBS compilers at a time; what target.sh takes)
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. tools/target.sh
certificates=/etc/ssl flags='-fPIC no-dsa'
case $triple in
x86_64-unknown-linux-*) name=linux-x86_64 ;;
aarch64-unknown-linux-*) name=linux-aarch64 ;;
x86_64-apple-darwin) name=darwin64-x86_64-cc ;;
aarch64-apple-darwin) name=darwin64-arm64-cc ;;
x86_64-pc-windows-*)
    # Only administrators write there: a file that OpenSSL would read cannot be planted. Linkers for Windows require what
    # unused functions of the crate `openssl` call, DSA's.
    name=mingw64 flags=no-autoload-config certificates='C:/Program Files/Common Files/SSL'
    ;;
*) echo "CARGO_BUILD_TARGET is '$triple': Linux and macOS on x86_64 and aarch64, and Windows on x86_64 are known" >&2; exit 1 ;;
esac
source=$(env -u CARGO_BUILD_TARGET \
    "${CARGO:-cargo}" run --quiet --release --locked --manifest-path tools/openssl/Cargo.toml)
build=$folder/build
rm -rf "$build"
mkdir -p "$folder/lib" "$folder/include"
# A copy: sources beside the build have relative names in the messages of errors, not those of this machine.
cp -R "$source" "$build"
cd "$build"
left_out='apps docs tests shared module dso legacy engine async comp zlib ssl3 quic dtls srtp cms ts ct ocsp srp psk gost nextprotoneg
    aria bf blake2 camellia cast cmp ec2m idea lms md2 md4 mdc2 ml-dsa ml-kem ocb rc2 rc4 rc5 rfc3779 rmd160 seed siphash siv
    slh-dsa sm2 sm3 sm4 whirlpool weak-ssl-ciphers ui-console ssl-trace uplink http secure-memory afalgeng'
# shellcheck disable=SC2046,SC2086 # one word per option
CC=$CC AR=$AR RANLIB="$AR s" perl ./Configure "$name" $(printf ' no-%s' $left_out) \
    --openssldir="$certificates" --prefix=/ $flags -O2 -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
make -s build_generated
make -s -j "${JOBS:-$(nproc)}" "CC=$CC -w" libcrypto.a libssl.a
cp libcrypto.a libssl.a "$folder/lib/"
cp -R include/openssl "$folder/include/"
rm -rf "$build"
