# The nightly compiler with the sources of the standard library and Miri, installed if it is missing; read by other scripts.
# NIGHTLY names another toolchain. `nightly COMMAND...` runs cargo of it.
NIGHTLY=${NIGHTLY:-nightly}
components=$(rustup component list --toolchain "$NIGHTLY" --installed 2>/dev/null || true)
case $components in
*miri*rust-src*) ;;
*) rustup toolchain install "$NIGHTLY" --profile minimal -c rust-src -c miri ;;
esac

nightly() {
    cargo "+$NIGHTLY" "$@"
}
