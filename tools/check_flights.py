"""Reads the flights example's arrays with TileDB-Py and compares every cell with the data it was given.

usage: check_flights.py DATA_FOLDER ARRAYS_FOLDER
"""
import os
import sys

import numpy
import pandas
import tiledb

YEAR_START = 22616640


def flights(data, arrays):
    table = pandas.read_csv(os.path.join(data, "flights.csv"), keep_default_na=False)
    delay = lambda column: numpy.array([numpy.nan if text == "" else float(text) for text in table[column].astype(str)], "f4")
    columns = {
        "time": table.time.to_numpy("i8"),
        "flight": table.flight.to_numpy("i4"),
        "carrier": table.carrier.to_numpy("S2"),
        "origin": table.origin.to_numpy("S3"),
        "dest": table.dest.to_numpy("S3"),
        "dep_delay": delay("dep_delay").view("u4"),
        "arr_delay": delay("arr_delay").view("u4"),
    }
    expected = numpy.rec.fromarrays(list(columns.values()), names=list(columns))
    with tiledb.open(os.path.join(arrays, "flights")) as array:
        cells = array[:]
    cells["time"] = cells["time"].astype("i8")
    for name in ("carrier", "origin", "dest"):
        width = columns[name].dtype.itemsize
        cells[name] = numpy.ascontiguousarray(cells[name]).view(f"S{width}").reshape(-1)
    for name in ("dep_delay", "arr_delay"):
        cells[name] = numpy.where(numpy.isnan(cells[name]), numpy.float32(numpy.nan), cells[name]).view("u4")
    found = numpy.rec.fromarrays([cells[name] for name in columns], dtype=expected.dtype)
    expected.sort()
    found.sort()
    if not numpy.array_equal(expected, found):
        sys.exit("the flights read by TileDB-Py differ from those written")
    return len(found)


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
