"""Writes arrays of all kinds that pictures are drawn of, with TileDB-Py: picture_arrays.py FOLDER"""

import pathlib
import shutil
import sys

import numpy as np
import tiledb

MANY = 10_000
DAY = 86_400_000
rng = np.random.default_rng(1)
zstd = tiledb.FilterList([tiledb.ZstdFilter(5)])


def create(uri, dims, attrs, **more):
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, **more))


def sparse(uri, dims, attrs):
    create(uri, dims, attrs, sparse=True, capacity=100, allows_duplicates=True)


def write(uri, time, place, values):
    with tiledb.open(uri, "w", timestamp=time) as array:
        array[place] = values


def points(uri):
    dims = [("lon", -180.0, 180.0), ("lat", -90.0, 90.0)]
    sparse(uri, [tiledb.Dim(name, (low, high), 10.0, dtype=np.float64, filters=zstd) for name, low, high in dims],
           [tiledb.Attr("height", dtype=np.float32, filters=zstd), tiledb.Attr("name", dtype="U0", var=True, filters=zstd),
            tiledb.Attr("id", dtype=np.int64)])
    for number in range(40):
        cells = int(rng.integers(200, 4000))
        middle = rng.uniform([-150, -70], [150, 70])
        places = np.clip(rng.normal(middle, rng.uniform(3, 25), (cells, 2)), [-180, -90], [180, 90])
        values = {"height": rng.normal(size=cells).astype("f4"), "id": np.arange(cells),
                  "name": np.array([f"n{one}" for one in range(cells)], dtype=object)}
        write(uri, 1_600_000_000_000 + number * DAY, (places[:, 0], places[:, 1]), values)


def image(uri):
    create(uri, [tiledb.Dim("row", (0, 999), 100, dtype=np.int32), tiledb.Dim("col", (0, 1999), 200, dtype=np.int32)],
           [tiledb.Attr("v", dtype=np.uint16, filters=zstd)])
    for number in range(12):
        row, col = int(rng.integers(0, 700)), int(rng.integers(0, 1500))
        high, wide = int(rng.integers(50, 300)), int(rng.integers(50, 500))
        values = rng.integers(0, 1000, (high, wide)).astype("u2")
        write(uri, 1_700_000_000_000 + number * 3_600_000, (slice(row, row + high), slice(col, col + wide)), values)


def quotes(uri):
    days = (np.datetime64("2000-01-01", "D"), np.datetime64("2030-01-01", "D"))
    sparse(uri, [tiledb.Dim("symbol", dtype="ascii", filters=zstd),
                 tiledb.Dim("day", days, np.timedelta64(365, "D"), dtype="datetime64[D]")], [tiledb.Attr("close", dtype=np.float64)])
    names = np.array(sorted({"".join(rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 4)) for _ in range(300)}))
    for number in range(25):
        first = int(rng.integers(0, 200))
        symbols = names[rng.integers(first, first + 60, 500)]
        dates = np.datetime64("2020-01-01", "D") + number * 60 + rng.integers(0, 80, 500)
        write(uri, 1_650_000_000_000 + number * 1000, (symbols, dates), {"close": rng.normal(size=500)})


def line(uri):
    sparse(uri, [tiledb.Dim("x", (0, 10**9), 1000, dtype=np.uint64)], [tiledb.Attr("a", dtype=np.int32)])
    for number in range(60):
        places = rng.integers(number * 1_200_000, (number + 3) * 1_200_000, 300)
        write(uri, 1000 + number, places, np.arange(300).astype("i4"))
    tiledb.consolidate(uri, config=tiledb.Config({"sm.consolidation.timestamp_end": 1020}))


def wide(uri):
    sparse(uri, [tiledb.Dim(f"d{number}", (0, 99), 10, dtype=np.int32) for number in range(8)],
           [tiledb.Attr(f"attribute_{number}", dtype=np.float32) for number in range(30)])
    for time in range(1, 10):
        values = {f"attribute_{number}": rng.normal(size=50).astype("f4") for number in range(30)}
        write(uri, time, tuple(rng.integers(0, 100, 50) for _ in range(8)), values)


def clusters(uri):
    """More cells than pictures read: the library counts them."""
    create(uri, [tiledb.Dim(name, (-1000.0, 1000.0), 100.0, dtype=np.float64, filters=zstd) for name in "xy"],
           [tiledb.Attr("heat", dtype=np.float32, filters=zstd)], sparse=True, capacity=10_000, allows_duplicates=True)
    middles = rng.uniform(-700, 700, (30, 2))
    places = middles[rng.integers(0, 30, 1_200_000)] + rng.normal(0, 40, (1_200_000, 2))
    places = np.clip(places, -1000, 1000)
    write(uri, 1_700_000_000_000, (places[:, 0], places[:, 1]), {"heat": np.hypot(places[:, 0], places[:, 1]).astype("f4")})


def empty(uri):
    sparse(uri, [tiledb.Dim("x", (0, 9), 1, dtype=np.int32)], [tiledb.Attr("a")])


def many(uri):
    sparse(uri, [tiledb.Dim(name, (0, 10**6), 1000, dtype=np.int64) for name in "xy"], [tiledb.Attr("a", dtype=np.int32)])
    for number in range(MANY):
        cells = int(rng.integers(5, 40))
        places = rng.integers(0, 960_000, 2)[:, None] + rng.integers(0, 40_000, (2, cells))
        write(uri, 1_600_000_000_000 + number * 60_000, tuple(places), np.arange(cells, dtype="i4"))


def main():
    folder = pathlib.Path(sys.argv[1])
    for make in (points, image, quotes, line, wide, clusters, empty, many):
        place, done = folder / make.__name__, folder / f"{make.__name__}.done"
        if done.exists():
            continue
        shutil.rmtree(place, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        make(str(place))
        done.touch()


main()
