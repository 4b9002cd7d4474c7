"""Writes arrays and groups that the tests of the viewer show, with TileDB-Py: viewer_arrays.py FOLDER"""

import json
import pathlib
import shutil
import sys

import numpy as np
import tiledb

zstd = tiledb.FilterList([tiledb.ZstdFilter(5)])
HOSTILE = "<img src=x onerror=document.title='hit'>"


def dense(uri, names, tiles, values, attribute="value"):
    dims = [tiledb.Dim(name, (0, size - 1), min(tile, size), dtype=np.int64)
            for name, size, tile in zip(names, values.shape, tiles)]
    attr = tiledb.Attr(attribute, dtype=values.dtype, filters=zstd)
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), [attr]))
    with tiledb.open(uri, "w") as array:
        array[:] = values


def image(uri):
    """Every value follows from its place: 3 x + 5 y modulo 4096."""
    y, x = np.mgrid[0:3000, 0:3000]
    dense(uri, ["y", "x"], [250, 250], ((3 * x + 5 * y) % 4096).astype("i2"))


def cube(uri):
    values = np.arange(4 * 60 * 80, dtype="f4").reshape(4, 60, 80)
    values[0, 0, 0] = np.nan
    dense(uri, ["time", "y", "x"], [4, 30, 40], values)


def colours(uri):
    y, x = np.mgrid[0:64, 0:96]
    dense(uri, ["c", "y", "x"], [3, 32, 32], np.stack([x * 2, y * 3, 255 - x]).astype("u1"))


def pyramid(uri):
    """An image of three levels, as OME-Zarr describes them."""
    tiledb.Group.create(uri)
    y, x = np.mgrid[0:2048, 0:2048]
    whole = ((x + y) // 16).astype("u2")
    for level in range(3):
        step = 4**level
        dense(f"{uri}/l_{level}.tdb", ["y", "x"], [256, 256], whole[::step, ::step])
    with tiledb.Group(uri, "w") as group:
        for level in range(3):
            group.add(f"l_{level}.tdb", name=f"l_{level}.tdb", relative=True)
        group.meta["multiscales"] = json.dumps([{"axes": [{"name": "y"}, {"name": "x"}],
                                                 "datasets": [{"path": f"l_{level}.tdb"} for level in range(3)]}])


def group(uri, members, kind):
    tiledb.Group.create(uri)
    for name, make in members.items():
        make(f"{uri}/{name}")
    with tiledb.Group(uri, "w") as opened:
        for name in members:
            opened.add(name, name=name, relative=True)
        opened.meta["soma_object_type"] = kind


CELLS = 500


def obs(uri):
    dim = tiledb.Dim("soma_joinid", (0, CELLS - 1), 100, dtype=np.int64)
    attrs = [tiledb.Attr("cell_type", dtype=np.int8, enum_label="types"), tiledb.Attr("genes", dtype=np.int32)]
    types = tiledb.Enumeration("types", True, ["B cell", "T cell", "monocyte"])
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(dim), attrs, enums=[types], sparse=True))
    ids = np.arange(CELLS)
    with tiledb.open(uri, "w") as array:
        array[ids] = {"cell_type": (ids % 3).astype("i1"), "genes": (ids * 7).astype("i4")}


def var(uri):
    dim = tiledb.Dim("soma_joinid", (0, 9), 10, dtype=np.int64)
    attrs = [tiledb.Attr("name", dtype="U0", var=True)]
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(dim), attrs, sparse=True))
    with tiledb.open(uri, "w") as array:
        array[np.arange(10)] = np.array([f"gene{number}" for number in range(10)], dtype=object)


def embedding(uri):
    """Three clusters, of which the first is at the bottom left."""
    dims = [tiledb.Dim("soma_dim_0", (0, CELLS - 1), 100, dtype=np.int64), tiledb.Dim("soma_dim_1", (0, 1), 2, dtype=np.int64)]
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), [tiledb.Attr("soma_data", dtype=np.float64)], sparse=True))
    random = np.random.default_rng(1)
    ids = np.arange(CELLS)
    points = np.array([[0, 0], [10, 0], [5, 8]])[ids % 3] + random.uniform(-1, 1, (CELLS, 2))
    with tiledb.open(uri, "w") as array:
        array[np.repeat(ids, 2), np.tile([0, 1], CELLS)] = points.ravel()


def experiment(uri):
    def measurement(uri):
        group(uri, {"var": var, "obsm": lambda uri: group(uri, {"X_umap": embedding}, "SOMACollection")}, "SOMAMeasurement")

    group(uri, {"obs": obs, "ms": lambda uri: group(uri, {"RNA": measurement}, "SOMACollection")}, "SOMAExperiment")


def hostile(uri):
    """Names and values that are HTML."""
    dim = tiledb.Dim("d", (0, 99), 10, dtype=np.int32)
    attrs = [tiledb.Attr(HOSTILE, dtype=np.int32), tiledb.Attr("text", dtype="U0", var=True)]
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(dim), attrs, sparse=True))
    with tiledb.open(uri, "w") as array:
        array[np.arange(3)] = {HOSTILE: np.arange(3, dtype="i4"), "text": np.array([HOSTILE, "\u202e\u0007", "x" * 100_000], dtype=object)}
        array.meta[HOSTILE] = HOSTILE


def enormous(uri):
    """One tile of more bytes than a browser should decode."""
    dense(uri, ["y", "x"], [12_000, 12_000], np.zeros((12_000, 12_000)))


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for make in (image, cube, colours, pyramid, experiment, hostile, enormous):
        make(str(folder / make.__name__))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
