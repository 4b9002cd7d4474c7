"""Ray Data: write, append, and read an array by partitions, with filters that reach it.

usage: ray_recipe.py URI
"""
import sys

import ray
from ray.data.expressions import col

from tiledb_rs.ray import read_tiledb, write_tiledb

uri = sys.argv[1]
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20)


def events(batch):
    time = batch["id"]
    return {"time": time, "machine": (time % 50).astype("int32"), "value": time / 8}


dataset = ray.data.range(100_000).map_batches(events)
write_tiledb(dataset, uri, dimensions="time")

more = dataset.map_batches(lambda batch: {**batch, "time": batch["time"] + 100_000})
write_tiledb(more, uri)

found = read_tiledb(uri, override_num_blocks=8).filter(expr=(col("time") >= 150_000) & (col("machine") == 7))
assert found.select_columns(["value"]).count() == 1000

assert read_tiledb(uri, fields=["time"], where="machine in (7, 8)", ranges={"time": (0, 49_999)}).count() == 2000

ray.shutdown()
