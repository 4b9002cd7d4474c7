#!/bin/sh
# Installs the missing ones of the given Debian packages; without root it prints the one line that does.
set -eu
# Elsewhere than on Debian and its relatives the packages have other names: what is missing will tell.
command -v dpkg-query >/dev/null || exit 0
missing=
for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
sudo=
# The machines of hosts run tests as a user who may become root; a person is asked.
if [ "$(id -u)" -ne 0 ] && [ "${CI:-}" = true ] && sudo -n true 2>/dev/null; then
    sudo='sudo -n'
elif [ "$(id -u)" -ne 0 ]; then
    echo "These packages are missing; install them and run make again:" >&2
    echo "    sudo apt-get install -y$missing" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get -qq update
# shellcheck disable=SC2086 # one word per package
# A fresh system may still be installing its updates.
$sudo apt-get -qq -o DPkg::Lock::Timeout=600 install -y $missing >/dev/null
