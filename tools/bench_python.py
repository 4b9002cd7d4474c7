#!/usr/bin/env python3
"""Times reads of 64 MB of FLOAT64 by the Python package, relative to the same calls of the C functions alone.

usage: bench_python.py LIBRARY [RUNS]      needs numpy and pyarrow; pandas and polars are measured if they are installed

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


if __name__ == "__main__":
    main()
