#!/usr/bin/env python3
"""Times reads of 64 MB of FLOAT64 by the Python package, relative to the same calls of the C functions alone, and small operations.

usage: bench_python.py LIBRARY [RUNS]      needs numpy and pyarrow; pandas, polars and h5py are measured if they are installed

Prints the minimum and the median of the CPU time. The runs of all cases alternate.
"""

import ctypes
import importlib.util
import os
import statistics
import sys
import tempfile
import time

os.environ["TILEDB_RS_LIBRARY"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packages", "python", "src"))

import numpy  # noqa: E402
import tiledb_rs  # noqa: E402
from tiledb_rs._native.arrow_struct import ArrowArray, ArrowArrayStream, Fill, release  # noqa: E402
from tiledb_rs._native.library import functions  # noqa: E402

CELLS = 8_000_000


def by_c(array):
    """The calls of a C program: query, subarray, stream, all batches."""
    lib, source = functions(), array._source()
    query, subarray, stream, batches = ctypes.c_void_p(), ctypes.c_void_p(), ArrowArrayStream(), []
    bounds, names = (ctypes.c_uint64 * 2)(0, CELLS - 1), (ctypes.c_char_p * 1)(b"v")
    codes = [
        lib.tiledb_query_alloc(source.ctx, source.handle, 0, ctypes.byref(query)),
        lib.tiledb_query_set_layout(source.ctx, query, 0),
        lib.tiledb_subarray_alloc(source.ctx, source.handle, ctypes.byref(subarray)),
        lib.tiledb_subarray_add_range(source.ctx, subarray, 0, ctypes.byref(bounds), ctypes.byref(bounds, 8), None),
        lib.tiledb_query_set_subarray_t(source.ctx, query, subarray),
        lib.tiledb_rs_query_to_arrow(source.ctx, query, names, 1, 0, ctypes.byref(stream)),
    ]
    lib.tiledb_query_free(ctypes.byref(query))
    lib.tiledb_subarray_free(ctypes.byref(subarray))
    while not any(codes):
        batches.append(ArrowArray())
        codes.append(Fill(stream.get_next)(ctypes.addressof(stream), ctypes.addressof(batches[-1])))
        if not batches[-1].release:
            break
    assert not any(codes) and sum(batch.length for batch in batches) == CELLS
    for raw in (*batches, stream):
        release(raw)


def small(folder):
    """Operations whose time is that of the package more than that of the library, and how often each is repeated in a run."""
    Dimension, Attribute, Schema = tiledb_rs.Dimension, tiledb_rs.Attribute, tiledb_rs.Schema
    numbers = numpy.random.default_rng(1)
    grid = tiledb_rs.create(
        os.path.join(folder, "grid"), Schema([Dimension(name, (0, 1023), tile=64) for name in ("row", "col")], [Attribute("v", "FLOAT64")])
    )
    grid.write(numbers.random((1024, 1024)))
    labels = tiledb_rs.Enumeration("labels", [f"label {at:06}" for at in range(100_000)])
    labelled = tiledb_rs.create(
        os.path.join(folder, "labelled"), Schema([Dimension("d", (0, 99), tile=10)], [Attribute("a", "INT32", enumeration=labels)], sparse=True)
    )
    keys = tiledb_rs.create(
        os.path.join(folder, "keys"), Schema([Dimension("d", (0, 9_999_999), tile=10_000)], [Attribute("v", "FLOAT64")], sparse=True)
    )
    keys.write({"d": numpy.arange(0, 10_000_000, 10), "v": numbers.random(1_000_000)})
    points = numbers.choice(9_999_990, 100_000, replace=False)
    values, pairs = points.tolist(), [(point, point + 3) for point in points.tolist()]

    def read(ranges):
        return sum(len(batch) for batch in keys.read("v", {"d": ranges}).stream())

    cases = {
        "open": (lambda: tiledb_rs.open(grid), 20),
        "open, 100,000 labels": (lambda: tiledb_rs.open(labelled), 20),
        "array[0:16, 0:16]": (lambda: grid[0:16, 0:16], 500),
        "array[5, 7]": (lambda: grid[5, 7], 500),
        "read().to_numpy()": (lambda: grid.read("v", {"row": slice(0, 16), "col": slice(0, 16)}).to_numpy(), 50),
        "100,000 points, NumPy": (lambda: read(points), 1),
        "100,000 points, list": (lambda: read(values), 1),
        "100,000 pairs, list": (lambda: read(pairs), 1),
    }
    if importlib.util.find_spec("h5py"):
        import h5py

        file = h5py.File(os.path.join(folder, "grid.h5"), "w")
        dataset = file.create_dataset("v", data=grid[...], chunks=(64, 64))
        cases["h5py, [0:16, 0:16]"] = (lambda: dataset[0:16, 0:16], 500)
    return cases


def main_small(folder, runs):
    cases = small(folder)
    times = {name: [] for name in cases}
    for run in range(runs):
        for name, (case, repeated) in cases.items():
            start = time.process_time()
            for _ in range(repeated):
                case()
            if run:
                times[name].append(1e6 * (time.process_time() - start) / repeated)
    print(f"{'':24} {'minimum':>13} {'median':>13}")
    for name, found in times.items():
        print(f"{name:24} {min(found):10.1f} µs {statistics.median(found):10.1f} µs")


def main():
    with tempfile.TemporaryDirectory() as folder:
        dimension = tiledb_rs.Dimension("d", (0, CELLS - 1), tile=100_000, dtype="UINT64")
        array = tiledb_rs.create(os.path.join(folder, "array"), tiledb_rs.Schema([dimension], [tiledb_rs.Attribute("v", "FLOAT64")]))
        array.write(numpy.random.default_rng(1).random(CELLS))
        cases = {
            "C functions": lambda: by_c(array),
            "to_arrow()": lambda: array.read("v").to_arrow(),
            "open, to_arrow()": lambda: tiledb_rs.open(array).read("v").to_arrow(),
            "to_numpy()": lambda: array.read("v").to_numpy(),
            "array[:]": lambda: array[:],
        }
        for package in ("polars", "pandas"):
            if importlib.util.find_spec(package):
                cases[f"to_{package}()"] = lambda package=package: getattr(array.read("v"), f"to_{package}")()
        times = {name: [] for name in cases}
        for run in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20):
            for name, case in cases.items():
                start = time.process_time()
                case()
                if run:
                    times[name].append(1000 * (time.process_time() - start))
        least, middle = (how(times["C functions"]) for how in (min, statistics.median))
        print(f"{'':18} {'minimum':>10} {'relative':>9} {'median':>10} {'relative':>9}")
        for name, found in times.items():
            low, median = min(found), statistics.median(found)
            print(f"{name:18} {low:7.1f} ms {low / least:9.2f} {median:7.1f} ms {median / middle:9.2f}")
        main_small(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 20)


if __name__ == "__main__":
    main()
