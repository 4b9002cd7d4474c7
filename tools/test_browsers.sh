#!/bin/sh
# Tests the npm package in a headless browser, Deno and Bun: golden arrays of another origin in the browser, the interface of the package
# and servers that misbehave in the others. Installs what is missing; pinned versions of Deno and Bun come from the npm registry.
# usage: test_browsers.sh FOLDER      FOLDER: for what tests unpack and install; GOLDEN=all reads the golden arrays of all versions in
#                                     the browser; BROWSER: its command, else chromium or a relative
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1/runtimes"
folder=$(cd "$1" && pwd)
golden=$PWD/tests/golden
if [ "${GOLDEN:-}" = all ]; then set -- "$golden"/*.tar.gz; else set -- "$golden/singles.tar.gz" "$golden/v1.tar.gz"; fi

if [ -z "${BROWSER:-}" ]; then
    for name in chromium chromium-browser google-chrome; do
        if command -v "$name" >/dev/null; then BROWSER=$name && break; fi
    done
fi
if [ -z "${BROWSER:-}" ]; then tools/setup.sh chromium && BROWSER=chromium; fi
echo "$BROWSER: $("$BROWSER" --version 2>/dev/null)"
BROWSER=$BROWSER node packages/npm/test/golden.mjs "$folder/golden" "$@"

bin=$folder/runtimes/node_modules/.bin
if ! [ -x "$bin/deno" ] || ! [ -x "$bin/bun" ]; then
    npm --prefix "$folder/runtimes" install --silent --no-save --no-audit --no-fund deno@2.9.6 bun@1.4.5
fi
export WASM_TESTS="$folder/golden" DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
tests='packages/npm/test/interface.test.mjs packages/npm/test/servers.test.mjs packages/npm/test/slices.test.mjs'
"$bin/deno" --version | head -1
# shellcheck disable=SC2086 # several words
"$bin/deno" test --no-config --no-check --quiet --allow-all $tests
echo "Bun $("$bin/bun" --version)"
# shellcheck disable=SC2086 # several words
"$bin/bun" test $tests
