#!/usr/bin/env python3
"""Wall time of Spark, Ray Data and Dask on an array, and on the same rows as Parquet, in the same engine with two workers.

usage: bench.py FOLDER [ENGINE...]
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROWS, PARTS = 2_000_000, 8
LOW, HIGH = 1_000_000, 1_020_000
ENGINES = ["spark", "ray", "dask"]
RUNS = 3


def made(keys):
    """The rows with these keys."""
    import numpy
    import pandas

    keys = numpy.asarray(keys)
    return pandas.DataFrame({
        "key": keys, "machine": ((keys * 7919) % 1000).astype("i4"), "value": (keys % 9973) / 8.0,
        "name": pandas.Series("machine " + pandas.Series(keys % 1000).astype(str), dtype="object"),
    })  # fmt: skip


def timed(row, function):
    """The least time of a few runs."""
    seconds = []
    for _ in range(RUNS):
        start = time.monotonic()
        function()
        seconds.append(time.monotonic() - start)
    row.append(min(seconds))


def once(row, function):
    start = time.monotonic()
    function()
    row.append(time.monotonic() - start)


def spark(folder):
    from pyspark.sql import SparkSession

    import tiledb_rs.spark

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
        .config("spark.log.level", "ERROR").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    )  # fmt: skip
    tiledb_rs.spark.register(session)
    frame = session.range(0, ROWS, 1, PARTS).selectExpr(
        "id as key", "cast((id * 7919) % 1000 as int) as machine", "(id % 9973) / 8 as value", "concat('machine ', id % 1000) as name"
    )
    frame.count()
    table = {"TileDB": [], "Parquet": []}
    once(table["TileDB"], lambda: frame.write.format("tiledb").option("dimensions", "key").mode("append").save(f"{folder}/array"))
    once(table["Parquet"], lambda: frame.write.parquet(f"{folder}/parquet"))
    sources = {
        "TileDB": lambda **options: session.read.format("tiledb").options(partitions=PARTS, **options).load(f"{folder}/array"),
        "Parquet": lambda **options: session.read.parquet(f"{folder}/parquet"),
    }
    condition = f"key >= {LOW} and key < {HIGH} and machine = 3"
    for name, read in sources.items():
        timed(table[name], lambda read=read: read().selectExpr("sum(key)", "sum(machine)", "sum(value)", "max(name)").collect())
        timed(table[name], lambda read=read: read(fields="machine").selectExpr("sum(machine)").collect())
        timed(table[name], lambda read=read: read(where=condition).filter(condition).selectExpr("sum(value)").collect())
    session.stop()
    return table


def ray(folder):
    import ray
    from ray.data.expressions import col

    from tiledb_rs.ray import read_tiledb, write_tiledb

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30, _node_ip_address="127.0.0.1")
    ray.data.DataContext.get_current().enable_progress_bars = False
    data = ray.data.range(ROWS, override_num_blocks=PARTS).map_batches(lambda one: made(one["id"]), batch_size=None).materialize()
    table = {"TileDB": [], "Parquet": []}
    once(table["TileDB"], lambda: write_tiledb(data, f"{folder}/array", dimensions="key"))
    once(table["Parquet"], lambda: data.write_parquet(f"{folder}/parquet"))
    sources = {
        "TileDB": lambda **options: read_tiledb(f"{folder}/array", override_num_blocks=PARTS),
        "Parquet": lambda **options: ray.data.read_parquet(f"{folder}/parquet"),
    }
    for name, read in sources.items():
        timed(table[name], lambda read=read: read().sum(["key", "machine", "value"]))
        timed(table[name], lambda read=read: read().select_columns(["machine"]).sum("machine"))
        wanted = (col("key") >= LOW) & (col("key") < HIGH) & (col("machine") == 3)
        timed(table[name], lambda read=read, wanted=wanted: read().filter(expr=wanted).select_columns(["value"]).sum("value"))
    ray.shutdown()
    return table


def dask(folder):
    import dask.dataframe
    from distributed import Client

    from tiledb_rs.dask import read_frame, write_frame

    client = Client(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    steps = range(0, ROWS, ROWS // PARTS)
    frame = dask.dataframe.from_map(made_from, steps).persist()
    len(frame)
    table = {"TileDB": [], "Parquet": []}
    once(table["TileDB"], lambda: write_frame(frame, f"{folder}/array", dimensions="key"))
    once(table["Parquet"], lambda: frame.to_parquet(f"{folder}/parquet"))
    condition = f"key >= {LOW} and key < {HIGH} and machine = 3"
    filters = [("key", ">=", LOW), ("key", "<", HIGH), ("machine", "==", 3)]
    sources = {
        "TileDB": lambda filtered=False: read_frame(f"{folder}/array", n=PARTS, where=condition if filtered else None),
        "Parquet": lambda filtered=False: dask.dataframe.read_parquet(f"{folder}/parquet", filters=filters if filtered else None),
    }
    for name, read in sources.items():
        timed(table[name], lambda read=read: read()[["key", "machine", "value"]].sum().compute())
        timed(table[name], lambda read=read: read()["machine"].sum().compute())
        timed(table[name], lambda read=read: read(True)["value"].sum().compute())
    client.close()
    return table


def made_from(first):
    return made(range(first, first + ROWS // PARTS))


def main():
    folder = Path(sys.argv[1])
    engines = sys.argv[2:] or ENGINES
    if len(engines) > 1:
        for engine in engines:
            # Each in a process of its own: they disagree about signals and forks.
            subprocess.run([sys.executable, __file__, str(folder), engine], check=True)
        return
    (engine,) = engines
    base = folder / engine
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    table = globals()[engine](str(base))
    for name, seconds in table.items():
        size = sum(file.stat().st_size for file in (base / ("array" if name == "TileDB" else "parquet")).rglob("*") if file.is_file())
        print(f"| {engine}, {name} | " + " | ".join(f"{one:.2f}" for one in seconds) + f" | {size / 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    main()
