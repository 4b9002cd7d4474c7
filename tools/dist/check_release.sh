#!/bin/sh
# Checks before a release that tag, version, changelog and publisher agree.
# usage: check_release.sh TAG      v2.30.0
set -eu
tag=$1
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
[ "$tag" = "v$version" ] || { echo "The tag is $tag, the version of Cargo.toml $version" >&2; exit 1; }
tools/dist/release_notes.sh "$version" >/dev/null
if [ -n "$(awk '/^## / { inside = $0 == "## [Unreleased]"; next } inside && /^- /' CHANGELOG.md)" ]; then
    echo "CHANGELOG.md has entries under [Unreleased]: move them to [$version]" >&2
    exit 1
fi
tools/dist/check_publisher.sh
