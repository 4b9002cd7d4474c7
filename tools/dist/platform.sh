# What the packages of a target are called: read after target.sh and same.sh, in the root of the project.
# Sets `platform` (linux-x86_64), `wheel` (the platform of the wheel's tag), `dropin` (the file of the drop-in that
# build_library.sh makes), `shared` (that of the shared library) and `module` (the name of the drop-in inside of the wheel).
. tools/dist/glibc.sh
processor=$machine dropin=libtiledb.so.$version shared=libtiledb_rs.so.$version module=libtiledb.so.${version%.*}
case $triple in
*-linux-musl) platform=linux-musl-$machine wheel=musllinux_${MUSL}_$machine ;;
*-apple-darwin)
    processor=$(echo "$machine" | sed 's/aarch64/arm64/')
    platform=macos-$processor wheel=macosx_11_0_$processor
    dropin=libtiledb.dylib shared=libtiledb_rs.${version%.*}.dylib module=$dropin
    ;;
*-windows-*) platform=windows-$machine wheel=win_amd64 dropin=tiledb.dll shared=tiledb_rs.dll module=$dropin ;;
*) platform=linux-$machine wheel=manylinux_$(echo "$GLIBC" | tr . _)_$machine ;;
esac
