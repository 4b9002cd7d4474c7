#!/bin/sh
# Fills the recipes for conda-forge, vcpkg and Homebrew with a release: its version, where its sources are, and their checksums.
# usage: fill.sh ARCHIVE FOLDER      ARCHIVE is the archive of the sources as REPOSITORY serves it; SOURCE names another address of it,
#                                    CONDA_MAINTAINER the account on GitHub that maintains the recipe for conda-forge
set -eu
archive=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../../Cargo.toml" | head -n 1)
SHA256=$(sha256sum "$archive" | cut -d' ' -f1) SHA512=$(sha512sum "$archive" | cut -d' ' -f1)
cd "$(dirname "$0")/../.."
. packages/publisher.sh
[ -n "$REPOSITORY" ] || { echo "REPOSITORY is not set (packages/publisher.sh)" >&2; exit 1; }
SOURCE=${SOURCE:-$REPOSITORY/archive/refs/tags/v$VERSION.tar.gz}
MINOR=${VERSION%.*}
for file in conda/recipe.yaml vcpkg/vcpkg.json vcpkg/portfile.cmake homebrew/tiledb-rs.rb; do
    mkdir -p "$folder/${file%/*}"
    script=
    for name in VERSION MINOR SOURCE SHA256 SHA512 REPOSITORY CONDA_MAINTAINER; do
        eval "value=\${$name:-}"
        script="$script;s|@$name@|$value|g"
    done
    sed "${script#;}" "packages/$file" >"$folder/$file"
    if grep -n '@[A-Z0-9_]*@' "$folder/$file"; then echo "$file: not filled in" >&2; exit 1; fi
done
