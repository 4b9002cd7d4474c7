#!/bin/sh
# Runs tests/stale_reads/main.rs on the file systems there are: ext4 with inodes of 128 and 256 bytes, XFS, Btrfs, tmpfs, overlayfs, each in a
# loop mount. Needs root, and the tools that make them; what cannot be mounted is skipped and named.
# ARRAYS and ROUNDS say how much is done: by default over 10,000 comparisons in all.
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
mounted=
skipped=
cleanup() {
    for folder in $mounted; do umount "$folder" || true; done
    rm -rf "$place"
}
trap cleanup EXIT INT TERM

# mount_image NAME TOOL ARGUMENTS...: makes a file system in a file and mounts it.
mount_image() {
    name=$1
    shift
    mkdir "$place/$name"
    truncate -s 600M "$place/$name.image"
    if command -v "$1" >"$place/log" 2>&1 && "$@" "$place/$name.image" >"$place/log" 2>&1 &&
        mount -o loop "$place/$name.image" "$place/$name" 2>"$place/log"; then
        mounted="$place/$name $mounted"
    else
        skipped="$skipped $name"
        echo "SKIPPED: $name ($(tail -n 1 "$place/log"))"
    fi
}

mount_image ext4-128 mkfs.ext4 -q -F -I 128
mount_image ext4-256 mkfs.ext4 -q -F -I 256
mount_image xfs mkfs.xfs -q -f
mount_image btrfs mkfs.btrfs -q -f
mkdir "$place/tmpfs"
if mount -t tmpfs none "$place/tmpfs"; then mounted="$place/tmpfs $mounted"; else echo "SKIPPED: tmpfs"; fi
mkdir "$place/overlay" "$place/layers"
if mount -t tmpfs none "$place/layers" && mounted="$place/layers $mounted" &&
    mkdir "$place/layers/lower" "$place/layers/upper" "$place/layers/work" &&
    mount -t overlay none "$place/overlay" \
        -o "lowerdir=$place/layers/lower,upperdir=$place/layers/upper,workdir=$place/layers/work"; then
    mounted="$place/overlay $mounted"
else
    echo "SKIPPED: overlayfs"
fi

folders=
for folder in $mounted; do
    [ "$folder" = "$place/layers" ] || folders="$folders${folders:+:}$folder"
done
[ -n "$folders" ] || { echo "SKIPPED: nothing could be mounted"; exit 0; }
FOLDERS=$folders ARRAYS=${ARRAYS:-48} ROUNDS=${ROUNDS:-3} cargo test --test stale_reads -- --nocapture
[ -z "$skipped" ] || echo "not tested:$skipped"
