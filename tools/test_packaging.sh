#!/bin/sh
# Uses an installed tree as users do: find_package in its forms, pkg-config shared and static, the plain compiler; then
# builds and runs all C programs of capi-tests and examples-c against it.
# usage: test_packaging.sh PREFIX FOLDER
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
prefix=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
user=$here/capi-tests/package
[ -e "$prefix/include/tiledb/tiledb" ] && languages="c cpp" || languages=c

# find_package(FORM) with a target of it, and options of the project: configures, builds and runs.
form() {
    name=$(printf '%s' "$*" | tr -c 'A-Za-z0-9\n' _)
    if ! { cmake -S "$user" -B "$folder/$name" -DCMAKE_PREFIX_PATH="$prefix" -DFORM="$1" -DLIBRARY="$2" ${3:+"$3"} &&
        cmake --build "$folder/$name" && (cd "$folder/$name" && ctest --output-on-failure); } >"$folder/$name.log" 2>&1; then
        cat "$folder/$name.log" >&2
        echo "WRONG: find_package($1) with $2" >&2
        exit 1
    fi
    echo "find_package($1): $2${3:+, $3}"
}
form "TileDB-rs" TileDB-rs::tiledb_rs
form "TileDB-rs;2.30;REQUIRED" TileDB-rs::tiledb_rs_static
form "TileDB;2.30;REQUIRED" TileDB::tiledb
form "TileDB;CONFIG;REQUIRED" TileDB::tiledb_shared
form "TileDB;2.7;QUIET" TileDB::tiledb_static
form "TileDB;2.7...2.40;REQUIRED" TileDB::tiledb
form "TileDB-rs" TileDB-rs::tiledb_rs -DSTANDARD=14
form "TileDB;2.30;REQUIRED" TileDB::tiledb_static -DSTANDARD=14
form "TileDB-rs" TileDB-rs::tiledb_rs -DLANGUAGES=C
for refused in "TileDB;2.31" "TileDB;3.0" "TileDB;1.7" "TileDB-rs;2.31" "TileDB;2.7...<2.30"; do
    if cmake -S "$user" -B "$folder/refused" -DCMAKE_PREFIX_PATH="$prefix" -DFORM="$refused;QUIET;REQUIRED" >/dev/null 2>&1; then
        echo "WRONG: find_package($refused) is served" >&2
        exit 1
    fi
    rm -rf "$folder/refused"
done
# Nor is a library for another system or processor.
native=$(uname -m)
for other in "Linux;riscv64" "Windows;$native" "Darwin;$native"; do
    if cmake -S "$user" -B "$folder/refused" -DCMAKE_PREFIX_PATH="$prefix" -DFORM="TileDB;QUIET;REQUIRED" -DCMAKE_C_COMPILER_WORKS=1 \
        -DCMAKE_CXX_COMPILER_WORKS=1 -DCMAKE_SYSTEM_NAME="${other%;*}" -DCMAKE_SYSTEM_PROCESSOR="${other#*;}" >"$folder/refused.log" 2>&1; then
        echo "WRONG: find_package is served for $other" >&2
        exit 1
    fi
    grep -q 'Linux, ' "$folder/refused.log" || { cat "$folder/refused.log" >&2; exit 1; }
    rm -rf "$folder/refused"
done

# The compilers, by what pkg-config says and by hand.
run() {
    what=$1
    shift
    for language in $languages; do
        case $language in c) compiler="cc -std=c11" ;; cpp) compiler="c++ -std=c++17" ;; esac
        $compiler -Wall -Wextra -Werror "$user/version.$language" -o "$folder/program" "$@"
        (cd "$folder" && LD_LIBRARY_PATH=$prefix/lib ./program >/dev/null)
    done
    echo "$what: $languages"
}
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
for name in tiledb_rs tiledb; do
    pkg-config --exact-version="$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)" $name
    # shellcheck disable=SC2046 # words of the compiler's command line
    run "pkg-config $name" $(pkg-config --cflags --libs $name)
    # shellcheck disable=SC2046
    run "pkg-config --static $name" $(pkg-config --static --cflags --libs $name | sed "s/-l$name /-l:lib$name.a /")
    # shellcheck disable=SC2046
    run "-static $name" -static $(pkg-config --static --cflags --libs $name) 2>"$folder/static.log"
    run "cc -l$name" -I"$prefix/include" -L"$prefix/lib" -l$name
done
# A static program may have a zstd of its own.
cc -std=c11 "$user/version.c" "$user/own_codec.c" -o "$folder/program" -I"$prefix/include" "$prefix/lib/libtiledb_rs.a" \
    $(pkg-config --static --libs-only-l tiledb_rs | sed 's/-ltiledb_rs//')
"$folder/program" >/dev/null
echo "static, beside a zstd of its own: c"

# The first program in C, compiled and run by the commands of the README, prints what the README says.
mkdir "$folder/readme"
ln -s "$here/examples-c" "$folder/readme/examples-c"
sed -n '/^cc .*first_array\.c/,/^```$/p' "$here/README.md" | sed "\$d; s|/usr/local|$prefix|g" >"$folder/first.sh"
sed -n '/^\.\/first_array$/,/^## /p' "$here/README.md" | sed -n '/^```text$/,/^```$/p' | sed '1d; $d' >"$folder/first.txt"
(cd "$folder/readme" && sh -e ../first.sh) | diff - "$folder/first.txt"
diff "$folder/first.txt" "$here/examples-c/expected/first_array.txt"
echo "the README's first program in C: compiled, found by its rpath, prints the expected output"

# The quick start in Rust, linked as docs/rust.md says.
rust() {
    rm -rf "$folder/quickstart_rust"
    rustc --edition 2024 -D warnings "$here/examples-c/languages/quickstart.rs" -o "$folder/program" "$@"
    (cd "$folder" && LD_LIBRARY_PATH=$prefix/lib ./program) | diff - "$here/examples-c/languages/expected/quickstart.txt"
}
# shellcheck disable=SC2046
rust $(pkg-config --libs tiledb_rs)
rust -L"$prefix/lib" -lstatic=tiledb_rs
mkdir -p "$folder/cargo/src"
cp "$here/examples-c/languages/build.rs" "$folder/cargo/"
cp "$here/examples-c/languages/quickstart.rs" "$folder/cargo/src/main.rs"
printf '[package]\nname = "quickstart"\nedition = "2024"\n[workspace]\n' >"$folder/cargo/Cargo.toml"
rm -rf "$folder/quickstart_rust"
(cd "$folder" && TILEDB_PREFIX=$prefix CARGO_TARGET_DIR=$folder/cargo/target \
    cargo run --quiet --offline --manifest-path cargo/Cargo.toml) | diff - "$here/examples-c/languages/expected/quickstart.txt"
echo "Rust: the quick start, shared, static, and by Cargo"

cmake -S "$here/capi-tests" -B "$folder/capi-tests" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$folder/capi-tests" --parallel "$(nproc)" >/dev/null
(cd "$folder/capi-tests" && ctest --parallel "$(nproc)" --output-on-failure --progress | tail -n 4)
# The optimized library makes do with small stacks.
(cd "$folder/capi-tests" && rm -rf run/small_stacks && mkdir -p run/small_stacks && cd run/small_stacks && STACK_KB=40 ../../small_stacks)
echo "threads: 40 KiB of stack suffice"
cmake -S "$here/examples-c" -B "$folder/examples-c" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$folder/examples-c" --parallel "$(nproc)" >/dev/null
(cd "$folder/examples-c" && ctest --parallel "$(nproc)" --output-on-failure --progress | tail -n 4)
echo "packaging: CMake packages, pkg-config files and plain compilers work from a moved prefix"
