#!/bin/sh
# The documents and examples that are installed beside the libraries: README.md, the changelog, the
# licences, docs and examples-c. Links to
# files that are not among them lead to REPOSITORY, or become plain text where none is set (packages/publisher.sh).
# usage: documents.sh FOLDER
set -eu
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. packages/publisher.sh

{
    for file in README.md CHANGELOG.md SECURITY.md LICENSE NOTICES.txt; do echo "$file"; done
    find docs -type f \( -name '*.md' -o -name '*.svg' \)
    find examples-c -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' -o -name CMakeLists.txt \)
    find examples-c/data examples-c/languages -type f ! -path '*/expected/*'
} | LC_ALL=C sort -u >"$to/.shipped"

while read -r file; do
    mkdir -p "$to/$(dirname "$file")"
    case $file in
    *.md) awk -v file="$file" -v list="$to/.shipped" -v repository="${REPOSITORY%/}" -f tools/documents.awk "$file" >"$to/$file" ;;
    *) cp "$file" "$to/$file" ;;
    esac
done <"$to/.shipped"
rm "$to/.shipped"
