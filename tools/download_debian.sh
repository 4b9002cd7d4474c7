#!/bin/sh
# Unpacks a Debian package into a folder: of another architecture, without making that one of this system's, or of another release.
# usage: download_debian.sh ARCHITECTURE PACKAGE FOLDER       (SUITE is a release of Debian; otherwise the system's sources)
set -eu
mkdir -p "$3"
folder=$(cd "$3" && pwd) apt=$(cd "$3" && pwd)/apt
mkdir -p "$apt/lists/partial"
# shellcheck disable=SC2089,SC2090 # words of the command
options="-qq -o Dir::State::Lists=$apt/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=
    -o APT::Architectures::=$(dpkg --print-architecture) -o APT::Architectures::=$1"
if [ -n "${SUITE:-}" ]; then
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $SUITE main" >"$apt/sources.list"
    options="$options -o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=/dev/null"
fi
# shellcheck disable=SC2086 # one word per option
(cd "$apt" && apt-get $options update && apt-get $options download "$2:$1")
dpkg -x "$apt/$2"_*.deb "$folder"
rm -rf "$apt"
