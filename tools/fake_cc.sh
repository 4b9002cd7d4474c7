#!/bin/sh
# Makes what build scripts take for a compiler and an archiver where nothing is linked: outputs are empty files; what is only
# preprocessed has the host's headers.
# usage: fake_cc.sh FOLDER      makes FOLDER/cc and FOLDER/ar
set -eu
mkdir -p "$1"
cat >"$1/cc" <<'CC'
#!/bin/sh
output='' source='' preprocess=''
while [ $# -gt 0 ]; do
    case $1 in
    -E) preprocess=1 ;;
    -o) output=$2 && shift ;;
    *.c | *.cc | *.cpp | *.S) source=$1 ;;
    esac
    shift
done
if [ -n "$preprocess" ]; then exec cc -E "$source"; fi
[ -z "$output" ] || : >"$output"
CC
cat >"$1/ar" <<'AR'
#!/bin/sh
for word in "$@"; do case $word in *.a) : >"$word" ;; esac done
AR
chmod +x "$1/cc" "$1/ar"
