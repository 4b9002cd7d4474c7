#!/bin/sh
# Builds the command-line tool, its manual pages and completions into bin and share of a folder. The tool is one file, which contains
# the library. For musl it is linked statically: it runs on every Linux.
# usage: build_tool.sh FOLDER    (PROFILE, CARGO, CARGO_BUILD_TARGET, CARGO_TARGET_DIR may be set; LINKER links the tool; SHARE is
#                                the folder `share` of another build, whose pages and completions are copied: a tool for another
#                                system cannot be run to print them)
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. tools/target.sh
mkdir -p "$folder/bin"
name=tiledb-rs
case $triple in *-windows-*) name=tiledb-rs.exe ;; esac

stubs=
case $triple in
*-apple-darwin) stubs="-L native=$PWD/build/$triple/stubs/tool -C link-arg=-F$PWD/build/$triple/stubs/tool" ;;
*-musl)
    # Rust brings musl, and its own linker links it.
    static='-C target-feature=+crt-static'
    eval "export CARGO_TARGET_${large}_LINKER=rust-lld CARGO_TARGET_${large}_RUSTFLAGS=\"\$static -C linker-flavor=ld.lld\""
    [ -z "${RUSTFLAGS:-}" ] || export RUSTFLAGS="$RUSTFLAGS $static -C linker-flavor=ld.lld"
    ;;
esac
# shellcheck disable=SC2086 # words of the command
"${CARGO:-cargo}" rustc --locked --profile "$profile" -p tiledb-rs-cli --bin tiledb-rs \
    -- ${LINKER:+-C linker="$LINKER"} $stubs
cp "$made/$name" "$folder/bin/"
tool=$folder/bin/$name share=$folder/share
rm -rf "$share"
# The viewer, for its commands `view` and `publish --viewer`, if `make viewer` has built it.
if [ -s packages/viewer/dist/index.html ]; then
    mkdir -p "$share/tiledb-rs"
    cp -R packages/viewer/dist "$share/tiledb-rs/viewer"
fi
if [ -n "${SHARE:-}" ]; then
    mkdir -p "$share"
    cp -R "$SHARE/." "$share"
    exit 0
fi
case $triple in
*-windows-*)
    # A prefix of its own for wine, and the DLLs that it lacks.
    CC=$CC tools/windows/wine_dlls.sh "build/$triple/dlls"
    export WINEPREFIX="${WINEPREFIX:-$PWD/build/$triple/wine}" WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml="
    export WINEPATH="Z:$PWD/build/$triple/dlls${WINEPATH:+;$WINEPATH}"
    ;;
*-apple-darwin)
    echo "a tool for macOS prints no manual pages here: SHARE names the folder share of a tool for this machine" >&2
    exit 1
    ;;
esac
$runner "$tool" man "$share/man/man1"
# completion SHELL FILE
completion() { mkdir -p "${2%/*}" && $runner "$tool" completion "$1" >"$2"; }
completion bash "$share/bash-completion/completions/tiledb-rs"
completion zsh "$share/zsh/site-functions/_tiledb-rs"
completion fish "$share/fish/vendor_completions.d/tiledb-rs.fish"
