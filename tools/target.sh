# The target of a build: that of CARGO_BUILD_TARGET, else this machine. Read by the scripts that build, in the root of the project.
# Sets `triple` (empty for this machine), `machine` (x86_64, aarch64), `made` (the folder where cargo puts what PROFILE makes),
# `runner` (the command that runs a program of the target; empty for this machine), and CC, AR, LD, NM, OBJCOPY, OBJDUMP and
# DLLTOOL.
# For another machine each of these may be set as CC_aarch64_unknown_linux_gnu, the linker and the runner as cargo takes them
# (CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER); their defaults are Debian's names, and Zig (tools/zig) as the compiler for
# musl, macOS and Windows. OpenSSL is that of openssl-sys's variables (AARCH64_UNKNOWN_LINUX_GNU_OPENSSL_DIR), else what
# setup_target.sh made, else what the compiler finds.
triple=${CARGO_BUILD_TARGET:-}
machine=${triple%%-*}
machine=${machine:-$(uname -m)}
case $triple in
*-linux-musl | *-apple-darwin | *-windows-gnullvm) zig=$PWD/tools/zig gnu=$machine-linux-gnu ;;
*) zig='' gnu=$(echo "$triple" | sed 's/-unknown//') ;;
esac
small=$(echo "$triple" | tr - _) large=$(echo "$triple" | tr a-z- A-Z_)
profile=${PROFILE:-release}
case $profile in dev) made=debug ;; *) made=$profile ;; esac
made=${CARGO_TARGET_DIR:-target}/${triple:+$triple/}$made

# tool VARIABLE NATIVE CROSS
tool() {
    eval "own=\${$1${small:+_$small}:-\${$1:-}}"
    if [ -z "$own" ] && [ -n "$zig" ] && [ -e "$zig/$2" ]; then
        # The crate `cc` and build.rs have other defaults.
        own=$zig/$2
        eval "export $1_$small=\$own"
    fi
    [ -n "$own" ] || if [ -n "$triple" ]; then own=$gnu-$3; else own=$2; fi
    eval "$1=\$own"
}
tool CC cc gcc
tool AR ar ar
tool LD ld ld
tool NM nm nm
tool OBJCOPY objcopy objcopy
[ -z "$zig" ] || eval "export OBJCOPY_$small=\$OBJCOPY"
tool OBJDUMP objdump objdump
tool DLLTOOL dlltool dlltool

runner=
if [ -n "$triple" ]; then
    eval "export CARGO_TARGET_${large}_LINKER=\"\${CARGO_TARGET_${large}_LINKER:-\$CC}\""
    eval "runner=\${CARGO_TARGET_${large}_RUNNER:-}"
    case $triple in
    *-windows-*) runner=${runner:-wine} ;;
    "$(uname -m)"-*) ;;
    *) runner=${runner:-qemu-$machine-static -L /usr/$gnu} ;;
    esac
    openssl=$PWD/build/$triple/openssl
    if [ -d "$openssl" ]; then eval "export ${large}_OPENSSL_DIR=\"\${${large}_OPENSSL_DIR:-\$openssl}\""; fi
    # Linked as on this machine: by build.rs, without unwind tables. Zig finds no archives for a library that may be shared; those
    # that it compiles have no such tables.
    if [ -n "$zig" ]; then own=1; else own=0; fi
    eval "export ${large}_OPENSSL_STATIC=\"\${${large}_OPENSSL_STATIC:-\$own}\""
fi

# Shared libraries for musl need musl's libc.so; the tool is linked statically (build_tool.sh).
dynamic='-C target-feature=-crt-static'
case "$triple ${RUSTFLAGS:-}" in
*-musl*"$dynamic"*) ;;
*-musl' ') eval "export CARGO_TARGET_${large}_RUSTFLAGS=\"\${CARGO_TARGET_${large}_RUSTFLAGS:-\$dynamic}\"" ;;
*-musl*) export RUSTFLAGS="$RUSTFLAGS $dynamic" ;;
esac

# openssl ARCHIVE: the path of an archive of OpenSSL, as build.rs finds it.
openssl() (
    eval "folder=\${${large}_OPENSSL_LIB_DIR:-\${OPENSSL_LIB_DIR:-}} root=\${${large}_OPENSSL_DIR:-\${OPENSSL_DIR:-}}"
    [ -n "$folder" ] || [ -z "$root" ] || folder=$root/lib
    # Zig looks into this machine's folders, too.
    [ -n "$folder" ] || [ -z "$zig" ] || folder=$PWD/build/$triple/openssl/lib
    if [ -n "$folder" ]; then echo "$folder/$1"; else $CC -print-file-name="$1"; fi
)
