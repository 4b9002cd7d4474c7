#!/bin/sh
# Runs a command where programs of another processor may be started, also by programs that it starts: in namespaces of its own in
# which qemu is registered, unless this machine is of that kind or the system runs such programs already.
# usage: emulated.sh x86_64|aarch64 COMMAND...     QEMU is the emulator, linked statically (qemu-aarch64-static)
set -eu
machine=$1
shift
if [ "$machine" = "$(uname -m)" ] || [ -e "/proc/sys/fs/binfmt_misc/qemu-$machine" ]; then exec "$@"; fi
case $machine in
x86_64) number=3e ;;
aarch64) number=b7 ;;
esac
QEMU=$(command -v "${QEMU:-qemu-$machine-static}")
export QEMU machine number
# shellcheck disable=SC2016 # expanded inside
exec unshare -Urm sh -euc '
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    head="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x$number\x00"
    mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    printf "%s" ":qemu-$machine:M::$head:$mask:$QEMU:F" >/proc/sys/fs/binfmt_misc/register
    exec "$@"' sh "$@"
