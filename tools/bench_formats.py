#!/usr/bin/env python3
"""Tables and small grids in this package and in other formats, each step in a cold process: CPU time, wall time and resident memory.

usage: bench_formats.py FOLDER [ROWS] [CASE...]      the library is that of TILEDB_RS_LIBRARY; formats that are not installed are left out

Prints a table in Markdown. CPU time is that of the process and its threads, with the imports, which the line "imports only" has alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

COMMON = """
import sys, os
folder, rows = sys.argv[1], int(sys.argv[2])
"""
TABLE = COMMON + """
import numpy, pyarrow
source = numpy.random.default_rng(1)
table = pyarrow.table({"id": numpy.arange(rows), "x": source.normal(size=rows), "text": ["text " + str(one) for one in source.integers(0, rows, rows)],
                       "kind": pyarrow.array(source.choice(["red", "green", "blue"], rows)).dictionary_encode()})
"""
VARIABLES = COMMON + """
import numpy, xarray
dataset = xarray.Dataset({"v%03d" % at: ("x", numpy.arange(10.0) + at) for at in range(365)})
"""
COLUMNS = COMMON + """
import numpy, pyarrow
table = pyarrow.table({"c%04d" % at: numpy.arange(50.0) + at for at in range(3000)})
"""
# What is measured, by format: a program that prepares and one that is measured, or only the second.
CASES = {
    "write a table": {
        "tiledb_rs": TABLE + "import tiledb_rs; tiledb_rs.from_arrow(folder + '/t', table, index='id')",
        "Parquet (pyarrow)": TABLE + "import pyarrow.parquet as f; f.write_table(table, folder + '/t.parquet', compression='zstd')",
        "DuckDB": TABLE + "import duckdb; cells = table; duckdb.connect(folder + '/t.duckdb').execute('create table t as select * from cells')",
        "Lance": TABLE + "import lance; lance.write_dataset(table, folder + '/t.lance')",
        "Vortex": TABLE + "import vortex; vortex.io.write(table, folder + '/t.vortex')",
        "made in memory only": TABLE,
    },
    "read a table into pandas": {
        "tiledb_rs": COMMON + "import tiledb_rs; tiledb_rs.open(folder + '/t').read().to_pandas()",
        "Parquet (pyarrow)": COMMON + "import pyarrow.parquet as f; f.read_table(folder + '/t.parquet').to_pandas()",
        "DuckDB": COMMON + "import duckdb; duckdb.connect(folder + '/t.duckdb').execute('select * from t').df()",
        "Lance": COMMON + "import lance; lance.dataset(folder + '/t.lance').to_table().to_pandas()",
        "Vortex": COMMON + "import vortex; vortex.open(folder + '/t.vortex').to_arrow().read_all().to_pandas()",
        "imports only": COMMON + "import pandas, pyarrow",
    },
    "read a table into Arrow": {
        "tiledb_rs": COMMON + "import tiledb_rs; tiledb_rs.open(folder + '/t').read().to_arrow()",
        "Parquet (pyarrow)": COMMON + "import pyarrow.parquet as f; f.read_table(folder + '/t.parquet')",
        "DuckDB": COMMON + "import duckdb, pyarrow; duckdb.connect(folder + '/t.duckdb').execute('select * from t').to_arrow_table()",
        "Lance": COMMON + "import lance; lance.dataset(folder + '/t.lance').to_table()",
        "Vortex": COMMON + "import vortex; vortex.open(folder + '/t.vortex').to_arrow().read_all()",
        "imports only": COMMON + "import pyarrow",
    },
    "write a frame of pandas": {
        "tiledb_rs": TABLE + "import tiledb_rs; tiledb_rs.from_pandas(folder + '/p', table.to_pandas(), index='id')",
        "Parquet (pandas)": TABLE + "table.to_pandas().to_parquet(folder + '/p.parquet', compression='zstd')",
        "made in memory only": TABLE + "table.to_pandas()",
    },
    "write 365 variables of 10 numbers": {
        "tiledb_rs": VARIABLES + "import tiledb_rs; tiledb_rs.xarray.write(dataset, folder + '/v')",
        "netCDF4": VARIABLES + "dataset.to_netcdf(folder + '/v.nc')",
        "zarr": VARIABLES + "dataset.to_zarr(folder + '/v.zarr')",
        "made in memory only": VARIABLES,
    },
    "open and load 365 variables": {
        "tiledb_rs": COMMON + "import tiledb_rs; tiledb_rs.xarray.open(folder + '/v').load()",
        "netCDF4": COMMON + "import xarray; xarray.open_dataset(folder + '/v.nc').load()",
        "zarr": COMMON + "import xarray; xarray.open_zarr(folder + '/v.zarr').load()",
        "imports only": COMMON + "import xarray",
    },
    "write 3,000 columns of 50 rows": {
        "tiledb_rs": COLUMNS + "import tiledb_rs; tiledb_rs.from_arrow(folder + '/c', table)",
        "Parquet (pyarrow)": COLUMNS + "import pyarrow.parquet as f; f.write_table(table, folder + '/c.parquet')",
        "Lance": COLUMNS + "import lance; lance.write_dataset(table, folder + '/c.lance')",
        "DuckDB": COLUMNS + "import duckdb; cells = table; duckdb.connect(folder + '/c.duckdb').execute('create table t as select * from cells')",
        "Vortex": COLUMNS + "import vortex; vortex.io.write(table, folder + '/c.vortex')",
        "made in memory only": COLUMNS,
    },
    "import tiledb_rs.duckdb": {
        "tiledb_rs": COMMON + "import tiledb_rs.duckdb",
        "python alone": COMMON,
    },
}


def main() -> None:
    folder, rows = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "5000000"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"| {int(rows):,} rows | format | CPU | wall | resident |\n|---|---|--:|--:|--:|")
    for case, formats in CASES.items():
        if sys.argv[3:] and case not in sys.argv[3:]:
            continue
        for name, program in formats.items():
            begun = time.monotonic()
            process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", program, str(folder), rows], stderr=subprocess.PIPE, text=True)
            assert process.stderr is not None
            error = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            wall = time.monotonic() - begun
            if status:
                print(f"| {case} | {name} | {error.strip().splitlines()[-1][:60] if error else status} | | |", flush=True)
                continue
            print(f"| {case} | {name} | {usage.ru_utime + usage.ru_stime:.2f} s | {wall:.2f} s | {usage.ru_maxrss >> 10} MiB |", flush=True)


if __name__ == "__main__":
    main()
