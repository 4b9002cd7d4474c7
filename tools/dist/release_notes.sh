#!/bin/sh
# Prints the section of a version in CHANGELOG.md; fails where there is none.
# usage: release_notes.sh VERSION
set -eu
cd "$(dirname "$0")/../.."
notes=$(awk -v version="$1" '/^## / { inside = index($0, "## [" version "]") == 1; next } inside' CHANGELOG.md)
[ -n "$notes" ] || { echo "CHANGELOG.md has no section [$1]" >&2; exit 1; }
echo "$notes"
