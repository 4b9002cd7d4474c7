#!/bin/sh
# The modules of the Python package for Spark, Ray Data and Dask: tests with worker processes that are killed, the recipes of
# docs/engines.md, and the same on S3. Java 17 is needed for Spark.
# usage: test_engines.sh LIBRARY FOLDER [TEST...]      BENCH=1 prints the table of docs/engines.md, too
set -eu
library=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."
[ -x "$folder/venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install --prefer-binary pyspark==4.3.0 'ray[data]==2.60.0' \
    'dask[array,dataframe,distributed]==2026.8.0' pyarrow==26.0.1 pandas==2.3.3 numpy==2.4.6 'moto[s3,server]==5.2.5' tiledb==0.36.1
export TILEDB_RS_LIBRARY="$library" PYTHONPATH="$PWD/packages/python/src" REQUIRE_PACKAGES="pyspark ray dask distributed pyarrow pandas numpy tiledb" PYSPARK_PYTHON="$folder/venv/bin/python"
export SPARK_WORKER_DIR="$folder/spark" SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_HOSTNAME=localhost
# Workers are started by the dozen: compiling pandas in each would take most of the time.
unset PYTHONDONTWRITEBYTECODE
run() {
    (cd packages/python/tests && "$folder/venv/bin/python" ../../../tools/engines/with_s3.py "$folder/venv/bin/python" -m unittest -v "$@")
}
if [ $# -gt 0 ]; then
    run "$@"
else
    run test_staging test_staging_model test_predicates test_engine_examples test_engines_s3
    run test_dask
    run test_ray
    run test_spark
fi
[ -z "${BENCH:-}" ] || "$folder/venv/bin/python" tools/engines/with_s3.py "$folder/venv/bin/python" tools/engines/bench.py "$folder/bench"
