# shellcheck shell=sh disable=SC2154 # the script that reads this sets `here`
# What the tests of languages share, for a script that knows `here` (this project), `prefix` (an installed one with the
# drop-in) and works in a folder of its own; `begin` sets up the last two.

# begin PREFIX FOLDER: a new folder to work in, and the prefix, whose path holds from there.
begin() {
    prefix=$(cd "$1" && pwd -P)
    rm -rf "$2"
    mkdir -p "$2"
    cd "$2" || exit 1
}

# same LANGUAGE COMMAND...: the command ends well and prints what the example in C prints.
same() {
    language=$1
    shift
    LD_LIBRARY_PATH=$prefix/lib "$@" >printed.txt
    diff "$here/examples-c/expected/quickstart_dense.txt" printed.txt
    echo "$language: as in C"
}

# need COMMAND REMEDY: ends the test where the command is missing. Nothing is installed behind anybody's back.
need() {
    command -v "$1" >/dev/null && return
    echo "$1 is missing: $2" >&2
    exit 1
}

# clone NAME TAG FOLDER [OWNER]: FOLDER has the binding's source at that tag; it is fetched where FOLDER is not given.
clone() {
    if [ -n "$3" ]; then
        cp -a "$3" "$1"
        git -C "$1" checkout --quiet --force "$2"
    else
        need git "apt-get install git"
        git clone --quiet --depth 1 --branch "$2" "https://github.com/${4:-TileDB-Inc}/$1" "$1"
    fi
}

# on_each COMMAND...: runs it on the drop-in, and on the libtiledb 2.30 named by REFERENCE, with LIBRARY set to the folder
# of the library and OF to its name. A binding that is linked with libtiledb.so.2.30 takes the one that LD_LIBRARY_PATH has.
on_each() {
    OF=ours LIBRARY=$prefix/lib LD_LIBRARY_PATH=$prefix/lib "$@"
    if [ -n "${REFERENCE:-}" ]; then
        mkdir -p reference
        cp "$REFERENCE" reference/libtiledb.so.2.30
        OF=libtiledb LIBRARY=$(pwd -P)/reference LD_LIBRARY_PATH=$(pwd -P)/reference "$@"
    fi
}
