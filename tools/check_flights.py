"""Reads the flights example's arrays with TileDB-Py and compares every cell with the data it was given.

usage: check_flights.py DATA_FOLDER ARRAYS_FOLDER
"""
import os
import sys
from collections import Counter

import numpy
import pandas
import tiledb

YEAR_START = 22616640


NAMES = ["origin", "time", "flight", "carrier", "tailnum", "dest", "dep_delay", "arr_delay"]
TEXTS = {"origin", "carrier", "tailnum", "dest"}


def expected_cells(column, name):
    """The cells of a column of the data, None for a missing one."""
    convert = str.encode if name in TEXTS else lambda text: int(float(text))
    return [None if text == "" else convert(text) for text in column]


def found_cells(column):
    """The cells of a column of the array, None for a missing one."""
    if column.dtype.kind == "M":
        column = column.astype("i8")
    return column.tolist()


def flights(data, arrays):
    table = pandas.read_csv(os.path.join(data, "flights.csv"), dtype=str, keep_default_na=False)
    with tiledb.open(os.path.join(arrays, "flights")) as array:
        cells = array[:]
    expected = Counter(zip(*(expected_cells(table[name], name) for name in NAMES)))
    found = Counter(zip(*(found_cells(cells[name]) for name in NAMES)))
    if expected != found:
        differ = next(iter((expected - found) or (found - expected)))
        sys.exit(f"the flights read by TileDB-Py differ from those written, for one in {dict(zip(NAMES, differ))}")
    return sum(found.values())


def weather(data, arrays):
    table = pandas.read_csv(os.path.join(data, "weather.csv"))
    airports = {"EWR": 0, "JFK": 1, "LGA": 2}
    place = table.origin.map(airports).to_numpy()
    hour = (table.time.to_numpy() - YEAR_START) // 60
    cells = 0
    with tiledb.open(os.path.join(arrays, "weather")) as array:
        grid = array[:]
        for name in ("temp", "wind_speed", "precip", "visib"):
            expected = numpy.full((3, 365 * 24), numpy.nan, "f4")
            expected[place, hour] = table[name].to_numpy("f4")
            if not numpy.array_equal(expected, grid[name], equal_nan=True):
                sys.exit(f"the {name} read by TileDB-Py differs from what was written")
            cells += expected.size
    return cells


data, arrays = sys.argv[1:3]
print(f"TileDB-Py read {flights(data, arrays)} flights and {weather(data, arrays)} cells of weather, all as written")
