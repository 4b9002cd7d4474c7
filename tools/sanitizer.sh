# A build with a sanitizer, by nightly; read by other scripts.
# use_sanitizer address|thread: sets what cargo needs. The standard library and the C libraries in ours are instrumented, too.
#   instrumented COMMAND...    cargo with the sanitizer, in build/SANITIZER
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
    # Lines in reports.
    export CARGO_PROFILE_DEV_DEBUG=line-tables-only CARGO_PROFILE_TEST_DEBUG=line-tables-only
}

instrumented() {
    action=$1
    shift
    nightly "$action" -Zbuild-std --locked --target "$triple" "$@"
}
