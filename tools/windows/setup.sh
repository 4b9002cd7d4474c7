#!/bin/sh
# The compiler and OpenSSL for Windows, below build/TARGET; called by setup_target.sh with CARGO_BUILD_TARGET set.
# usage: setup.sh [PACKAGE...]      (ZIG and OPENSSL_SOURCE, a folder, may be set)
set -eu
cd "$(dirname "$0")/../.."
. tools/target.sh
folder=$PWD/build/$triple
tools/setup.sh perl make python3-venv dpkg-dev "$@"

zig=${ZIG:-$folder/zig/lib/zig}
if [ ! -x "$windows/cc" ]; then
    mkdir -p "$windows"
    if [ -z "${ZIG:-}" ]; then
        python3 -m venv "$folder/zig"
        "$folder/zig/bin/pip" --quiet --disable-pip-version-check install ziglang==0.17.1
        zig=$(echo "$folder"/zig/lib/python3*/site-packages/ziglang/zig)
    fi
    # cargo and the crate `cc` name the target as Rust does, and cargo the parts of MinGW, which Zig knows itself; Zig takes a list
    # of exports as an input. Its debug builds would abort on undefined behaviour of C libraries.
    for name in cc c++; do
        cat >"$windows/$name" <<EOF
#!/bin/sh
first=\$#
for argument; do
    case \$argument in
    --target=* | -m64 | -nolibc | --unwindlib=* | -lmingw32 | -lmingwex | -lmsvcrt | -Wl,--nxcompat) ;;
    -Wl,*.def) set -- "\$@" "\${argument#-Wl,}" ;;
    *) set -- "\$@" "\$argument" ;;
    esac
done
shift "\$first"
exec "$zig" $name -target $machine-windows-gnu -fno-sanitize=undefined "\$@"
EOF
    done
    for name in ar ranlib dlltool; do
        printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$name" >"$windows/$name"
    done
    chmod +x "$windows"/*
fi

# Debian publishes fixes of OpenSSL's source in the same places as of its packages.
if [ ! -e "$(openssl libcrypto.a)" ]; then
    source=${OPENSSL_SOURCE:-}
    if [ -z "$source" ]; then
        apt=$folder/apt
        rm -rf "$apt"
        mkdir -p "$apt/lists/partial"
        # shellcheck disable=SC1091 # of the system
        release=$(. /etc/os-release && echo "$VERSION_CODENAME")
        printf 'deb-src http://deb.debian.org/debian %s main\n' "$release" >"$apt/sources.list"
        options="-qq -o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$apt/lists
            -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="
        # shellcheck disable=SC2086 # one word per option
        (cd "$apt" && apt-get $options update && apt-get $options --download-only source openssl && tar xf openssl_*.orig.tar.gz)
        source=$(echo "$apt"/openssl-*)
    fi
    # Certificates are those of Windows: schannel verifies them.
    (
        cd "$source"
        CC=$windows/cc AR=$windows/ar RANLIB=$windows/ranlib ./Configure mingw64 no-shared no-tests no-engine no-dso no-module \
            no-legacy no-autoload-config >/dev/null
        make -s build_generated
        make -s -j"$(nproc)" "CC=$windows/cc -w" 'OPENSSLDIR=C:/Program Files/Common Files/SSL' libcrypto.a libssl.a
    )
    mkdir -p "$folder/openssl/lib"
    cp -R "$source/include" "$folder/openssl/"
    cp "$source/libcrypto.a" "$source/libssl.a" "$folder/openssl/lib/"
    [ -n "${OPENSSL_SOURCE:-}" ] || rm -rf "$folder/apt"
fi
