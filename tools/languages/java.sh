#!/bin/sh
# Java: TileDB-Java is built with the drop-in, and the quick start through it prints what the one in C prints; with SUITE=1
# its own tests run.
# usage: java.sh PREFIX FOLDER    PREFIX has the drop-in. TileDB-Java comes from the clone TILEDB_JAVA, or is fetched; SUITE=1
#                                 asks the libtiledb 2.30 named by REFERENCE the same. JARS is the folder of JUnit's
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tools/languages/common.sh"
begin "$1" "$2"
need javac "apt-get install default-jdk-headless"
need c++ "apt-get install g++"
jars=${JARS:-/usr/share/java}
if [ -n "${SUITE:-}" ]; then
    for jar in junit4 hamcrest-all commons-io; do
        [ -e "$jars/$jar.jar" ] && continue
        echo "$jars/$jar.jar is missing: apt-get install junit4 libhamcrest-java libcommons-io-java, or name their folder by JARS" >&2
        exit 1
    done
fi

clone TileDB-Java 0.31.0 "${TILEDB_JAVA:-}"
java=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
mkdir jni classes
c++ -std=c++20 -O1 -w -shared -fPIC -Dtiledb_EXPORTS -ITileDB-Java/swig -I"$java/include" -I"$java/include/linux" \
    -I"$prefix/include" -o jni/libtiledbjni.so TileDB-Java/src/main/c/generated/tiledb_wrap.cxx \
    TileDB-Java/src/main/c/custom/tiledb_custom.cxx -L"$prefix/lib" -ltiledb
find TileDB-Java/src/main -name '*.java' >sources.txt
javac -nowarn -encoding UTF-8 -d classes @sources.txt "$here/examples-c/languages/QuickstartDense.java" 2>build.txt ||
    { cat build.txt && exit 1; }
same "Java, TileDB-Java" java -Djava.library.path="$PWD/jni:$prefix/lib" -cp classes QuickstartDense
[ -n "${SUITE:-}" ] || exit 0

classpath=$PWD/classes:$PWD/tests:$jars/junit4.jar:$jars/hamcrest-all.jar:$jars/commons-io.jar
find TileDB-Java/src/test -name '*.java' >sources.txt
javac -nowarn -encoding UTF-8 -cp "$classpath" -d tests @sources.txt 2>build.txt || { cat build.txt && exit 1; }
tests=$(cd TileDB-Java/src/test/java && find . -name '*Test.java' | sed 's|^\./||; s|/|.|g; s|\.java$||')

# suite: the count of tests that pass. On ours one may fail: QueryTest.statsTest looks for `unfilter_attr_tiles` among the
# names of times, a step that is no step of its own here (docs/statistics.md).
suite() {
    # shellcheck disable=SC2086 # one word per class
    (cd TileDB-Java && java -Xmx1G -Djava.library.path="$folder/jni:$LIBRARY" -cp "$classpath" org.junit.runner.JUnitCore $tests) \
        >"suite.$OF.txt" 2>&1 || true
    run=$(sed -n 's/^OK (\([0-9]*\) tests)/\1/p; s/^Tests run: \([0-9]*\),.*/\1/p' "suite.$OF.txt")
    failed=$(grep -aE '^[0-9]+\) ' "suite.$OF.txt" || true)
    # shellcheck disable=SC2016 # the $ is part of the class's name
    [ "$OF" = ours ] && failed=$(echo "$failed" | grep -vF 'statsTest(io.tiledb.java.api.QueryTest$DenseTests)' || true)
    if [ -z "$run" ] || [ "$run" -lt 200 ] || [ -n "$failed" ]; then
        tail -n 80 "suite.$OF.txt"
        exit 1
    fi
    echo "TileDB-Java, $OF: $run run, $(grep -acE '^[0-9]+\) ' "suite.$OF.txt" || true) failed"
}
folder=$PWD
on_each suite
