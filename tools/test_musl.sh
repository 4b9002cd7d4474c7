#!/bin/sh
# The tests on Linux musl: compiled here by Zig, run by musl's own loader; docs/testing.md says what each step is.
# usage: test_musl.sh [STEP...]     c, golden, unit, static, tool; all of them without arguments
# Variables, each with what it is otherwise:
#   TARGET           x86_64-unknown-linux-musl; aarch64-unknown-linux-musl runs by qemu-user (QEMU, as in test_aarch64.sh)
#   MUSL_ROOT        a folder with musl's loader (lib/ld-musl-x86_64.so.1) and GCC's unwinder for musl (lib/libgcc_s.so.1)
#                    (Debian's package musl, and what a wheel of numpy for musl contains)
# and those of target.sh.
set -eu
cd "$(dirname "$0")/.."
export CARGO_BUILD_TARGET="${TARGET:-x86_64-unknown-linux-musl}"
tools/setup_target.sh "$CARGO_BUILD_TARGET" python3-venv unzip
. tools/target.sh
. tools/steps.sh
folder=$PWD/build/$triple
mkdir -p "$folder/bin"
loader=ld-musl-$machine.so.1

root=${MUSL_ROOT:-$folder/root}
if [ ! -e "$root/lib/$loader" ] || [ ! -e "$root/lib/libgcc_s.so.1" ]; then
    case $machine in aarch64) debian=arm64 ;; *) debian=amd64 ;; esac
    mkdir -p "$root/lib" "$folder/packages"
    # Older releases than 1.2.4 do not know the relocations of Alpine's libraries.
    SUITE=trixie tools/download_debian.sh "$debian" musl "$folder/packages"
    cp "$folder/packages/usr/lib/$machine-linux-musl/libc.so" "$root/lib/$loader"
    [ -x .venv/bin/pip ] || make --no-print-directory venv
    .venv/bin/pip --quiet --disable-pip-version-check download --no-deps --dest "$folder/packages" --only-binary=:all: \
        --platform "musllinux_1_2_$machine" --python-version 3.11 'numpy==2.4.6'
    unzip -qo "$folder"/packages/numpy-*.whl 'numpy.libs/libgcc_s*' -d "$folder/packages"
    # Two of them: the one with the shorter name is its library's, the other that of the Fortran library.
    cp "$(ls "$folder"/packages/numpy.libs/libgcc_s-* | awk '{ print length, $0 }' | sort -n | head -n 1 | cut -d' ' -f2-)" \
        "$root/lib/libgcc_s.so.1"
fi

# What tests compile is for musl, too: their interpreter is the one in the folder. Programs of this machine, which tests start,
# must not find the libraries for musl. Exceptions pass through one unwinder, GCC's, not that which Zig links to C++ programs.
for name in cc c++; do
    case $name in c++) unwinder="-Wl,--as-needed $folder/stubs/libgcc_s.so.1" ;; *) unwinder= ;; esac
    cat >"$folder/bin/$name" <<END
#!/bin/sh
unset LD_LIBRARY_PATH LD_PRELOAD
export CARGO_BUILD_TARGET=$triple
exec $zig/$name -dynamic -Wl,--dynamic-linker=$root/lib/$loader -Wl,-rpath,$root/lib "\$@" $unwinder
END
    chmod +x "$folder/bin/$name"
done

# run CARGO-TEST-ARGUMENTS: compiles natively, then runs. Without the reference, which is not built for musl.
run() {
    cargo test --locked --no-run "$@"
    PATH="$folder/bin:$PATH" TILEDB_REFERENCE='' tools/emulated.sh "$machine" cargo test --locked --no-fail-fast "$@"
}

# The release library, for those that load it.
released() {
    tools/build_library.sh "$folder/lib"
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    export TILEDB_LIB="$folder/lib/libtiledb_rs.so.$version"
}

# The programs are for musl; the test that compiles and starts them is one of this machine.
c() (
    released
    unset CARGO_BUILD_TARGET
    # These compare texts of exceptions, which the library gets by functions of a shared C++ runtime; Zig's is static. Rust's
    # compiler links programs for musl statically.
    run --workspace --test capi -- --skip capi-tests/exceptions --skip capi-tests/cpp/vfs \
        --skip capi-tests/cpp/query_experimental --skip examples-c/languages
)

golden() (
    released
    eval "export CARGO_TARGET_${large}_LINKER=\$folder/bin/cc"
    run --test golden_arrays --test golden_rewrite
)

unit() (
    eval "export CARGO_TARGET_${large}_LINKER=\$folder/bin/cc"
    run --workspace --exclude tiledb-rs-cli --lib
)

# in_root FOLDER PROGRAM ARGUMENT...
in_root() {
    new=$1
    shift
    tools/emulated.sh "$machine" unshare -r chroot "$new" "$@"
}

# Programs that are linked statically, each in a root with nothing else.
static() (
    tools/build_library.sh "$folder/lib"
    empty=$(mktemp -d)
    trap 'rm -rf "$empty"' EXIT
    set -- encryption errors groups quickstart_dense quickstart_sparse threads
    for example; do
        rm -rf "$empty/root"
        mkdir "$empty/root"
        "$zig/cc" -std=c11 -O1 -static -Iinclude "examples-c/$example.c" -o "$empty/root/program" "$folder/lib/libtiledb_rs.a" -lunwind
        in_root "$empty/root" /program >"$empty/output"
        diff "examples-c/expected/$example.txt" "$empty/output"
    done
    echo "$# examples linked with -static run on a root with nothing else"
)

# In a root with nothing but the tool and an array.
tool() (
    tools/build_tool.sh "$folder"
    empty=$(mktemp -d)
    trap 'rm -rf "$empty"' EXIT
    mkdir "$empty/tmp" "$empty/array"
    cp "$folder/bin/tiledb-rs" "$empty/"
    tar -xzf tests/golden/v22.tar.gz -C "$empty/tmp" aggregates_dense/array.tar
    tar -xf "$empty/tmp/aggregates_dense/array.tar" -C "$empty/array" --strip-components=1
    in_root "$empty" /tiledb-rs --version
    in_root "$empty" /tiledb-rs info /array >/dev/null
    in_root "$empty" /tiledb-rs verify /array
    in_root "$empty" /tiledb-rs cat /array --format csv -o /tmp/cells.csv
    in_root "$empty" /tiledb-rs import /tmp/cells.csv /tmp/imported
    in_root "$empty" /tiledb-rs verify /tmp/imported
    echo "the tool runs on a root with nothing else: $(find "$empty" -maxdepth 1 -type f | wc -l) file"
)

run_steps musl "c golden unit static tool" "$@"
