# A build with a sanitizer, by nightly; read by other scripts.
# use_sanitizer address|thread: sets what cargo needs. The standard library and the C libraries in ours are instrumented, too.
#   instrumented COMMAND...    cargo with the sanitizer, in build/SANITIZER
#   instrumented_tests NAME... compiles integration targets without the engine, which they load as a library; prints their paths
#   $runtime                   the sanitizer's runtime, with which C programs are linked: that of the Rust compiler, since its version
#                              must be that of the code in the library
#   $library                   the library that `instrumented build` makes
. tools/nightly.sh

use_sanitizer() {
    sanitizer=$1
    triple=$(rustc "+$NIGHTLY" -vV | sed -n 's/^host: //p')
    case $sanitizer in address) short=asan ;; thread) short=tsan ;; *) echo "address or thread" >&2; exit 2 ;; esac
    runtime=$(rustc "+$NIGHTLY" --print target-libdir)/librustc-nightly_rt.$short.a
    export CARGO_TARGET_DIR="$PWD/build/$sanitizer"
    library=$CARGO_TARGET_DIR/$triple/debug/libtiledb_rs.so
    # A test exports the runtime in it to the library that it loads.
    export RUSTFLAGS="-Zsanitizer=$sanitizer -Clink-arg=-Wl,--export-dynamic"
    variable=CFLAGS_$(echo "$triple" | tr - _)
    export "$variable=-fsanitize=$sanitizer -fno-omit-frame-pointer -g1"
    # All memory comes from the allocator, which knows its bounds (crates/tiledb-core/src/memory).
    export SANITIZER="$sanitizer"
    # Lines in reports.
    export CARGO_PROFILE_DEV_DEBUG=line-tables-only CARGO_PROFILE_TEST_DEBUG=line-tables-only
}

instrumented() {
    action=$1
    shift
    nightly "$action" -Zbuild-std --locked --target "$triple" "$@"
}

# Cargo would compile the whole engine once more for these targets of the root package: they are a package of their own.
instrumented_tests() {
    package=build/integration_tests
    mkdir -p "$package/src"
    : >"$package/src/lib.rs"
    {
        printf '[package]\nname = "integration-tests"\nversion = "0.0.0"\nedition = "2024"\n\n[lib]\ntest = false\n\n[workspace]\n\n[dev-dependencies]\n'
        sed -n '/^tar = /p; /^\[workspace.dependencies\]/,$ { /^bytemuck = \|^flate2 = \|^libc = \|^openssl = \|^rustix = \|^serde_json = \|^tempfile = /p }' Cargo.toml
        # Without its feature `rest` it needs no crate of the engine.
        printf 'tiledb-test-support = { path = "../../tests/support" }\n'
        printf '\n[profile.test]\nopt-level = 1\n'
        for name; do
            harness=true
            grep -A 1 "^name = \"$name\"" Cargo.toml | grep -q '^harness = false' && harness=false
            printf '\n[[test]]\nname = "%s"\npath = "../../tests/%s/main.rs"\nharness = %s\n' "$name" "$name" $harness
        done
    } >"$package/Cargo.toml"
    cp Cargo.lock "$package"
    # The tests look for files from the root of the project on.
    printf '#!/bin/sh\ncase " $* " in *tests/*/main.rs*) export CARGO_MANIFEST_DIR="%s" ;; esac\nexec "$@"\n' "$PWD" >"$package/rustc.sh"
    chmod +x "$package/rustc.sh"
    (
        export RUSTC_WRAPPER="$PWD/$package/rustc.sh"
        cd "$package"
        nightly test -Zbuild-std --target "$triple" --no-run --message-format=json |
            sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
    )
}
