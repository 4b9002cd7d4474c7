"""Dask: data frames and arrays, written and read by several processes.

usage: dask_recipe.py FOLDER
"""
import sys

import dask.array
import dask.dataframe
import numpy
import pandas
from distributed import Client

from tiledb_rs.dask import read_array, read_frame, write_array, write_frame


def events(part):
    time = numpy.arange(part * 25_000, (part + 1) * 25_000)
    return pandas.DataFrame({"time": time, "machine": (time % 50).astype("int32"), "value": time / 8})


def main(folder):
    client = Client(n_workers=2, threads_per_worker=1, dashboard_address=":0")

    frame = dask.dataframe.from_map(events, range(4))
    assert write_frame(frame, f"{folder}/events", dimensions="time") == 100_000

    more = dask.dataframe.from_map(events, range(4, 8))
    write_frame(more, f"{folder}/events")

    found = read_frame(f"{folder}/events", n=8, where="machine = 7 and time >= 150000")
    assert len(found) == 1000
    assert found["value"].min().compute() == 150_007 / 8

    image = dask.array.random.default_rng(1).random((2000, 1000), chunks=(500, 500)).persist()
    write_array(image, f"{folder}/image", attribute="red")

    again = read_array(f"{folder}/image")
    assert bool((again == image).all().compute())

    client.close()


if __name__ == "__main__":
    main(sys.argv[1])
