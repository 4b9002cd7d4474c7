"""Common to the tests of query engines: tables of awkward values, arrays of them, and random predicates in the notations of the engines."""

from __future__ import annotations

import datetime
import random

import support  # noqa: F401  (puts the package on the path)
import tiledb_rs

NAN, INF = float("nan"), float("inf")
EPOCH = datetime.datetime(1970, 1, 1)
VALUES = {
    "i8": [-128, -127, -1, 0, 1, 5, 127],
    "i32": [-(1 << 31), -5, 0, 7, (1 << 31) - 1],
    "i64": [-(1 << 63) + 1, 1 - (1 << 53), 0, 1 << 53, (1 << 53) + 1],
    "u8": [0, 1, 200, 255],
    "u64": [0, 1, 1 << 53, (1 << 63) + 5, (1 << 64) - 1],
    "f32": [NAN, -INF, -1.5, -0.0, 0.0, 0.10000000149011612, 3.0, INF],
    "f64": [NAN, -INF, -2.5, -0.0, 0.0, 0.1, 5.0, INF],
    "s": ["", "a", "A", "it's", 'say "x"', "ä", "b%", "zz", "\\", "NaN", "null"],
    "e": ["JFK", "EWR", "it's", "jfk"],
    "b": [True, False],
    "day": [datetime.date(1969, 12, 31), datetime.date(1970, 1, 1), datetime.date(2013, 6, 1), datetime.date(1600, 2, 29)],
    "us": [EPOCH, EPOCH + datetime.timedelta(microseconds=1), datetime.datetime(2013, 1, 1, 5), datetime.datetime(1601, 1, 1)],
}
# Literals that are compared with a column, beyond those in it.
OTHERS = {
    "i8": [200, -1000, 2.5],
    "i32": [1 << 40, 0.5, -6],
    "i64": [3.5, -3],
    "u8": [300, -1, 199.5],
    "u64": [-1, 2.5, 3],
    "f32": [0.1, 1e300, 2],
    "f64": [7, 1e308],
    "s": ["b", "'", "z"],
    "e": ["LGA", ""],
    "b": [],
    "day": [datetime.date(2000, 1, 1)],
    "us": [datetime.datetime(2013, 1, 1)],
}
DTYPES = {
    "i8": "INT8",
    "i32": "INT32",
    "i64": "INT64",
    "u8": "UINT8",
    "u64": "UINT64",
    "f32": "FLOAT32",
    "f64": "FLOAT64",
    "s": str,
    "e": "INT8",
    "b": "BOOL",
    "day": "DATETIME_DAY",
    "us": "DATETIME_US",
}


def rows(source: random.Random, count: int, nullable):
    """Columns of random values."""
    return {name: [None if name in nullable and source.random() < 0.25 else source.choice(values) for _ in range(count)] for name, values in VALUES.items()}


def make_array(uri: str, source: random.Random, sparse: bool) -> "tiledb_rs.Array":
    """An array with a column of each type, some nullable, in several fragments and tiles, one cell of a dense array unwritten."""
    nullable = {name for name in VALUES if source.random() < 0.5}
    attributes = [
        tiledb_rs.Attribute(name, DTYPES[name], nullable=name in nullable, enumeration=tiledb_rs.Enumeration("airports", VALUES["e"]) if name == "e" else None) for name in VALUES
    ]
    count = source.choice([1, 30, 200])
    dimension = tiledb_rs.Dimension("d", (-50, 999), tile=16, dtype="INT64") if sparse else tiledb_rs.Dimension("d", (0, count), tile=min(16, count), dtype="UINT64")
    dimensions = [dimension] + ([tiledb_rs.Dimension("key", dtype=str)] if sparse else [])
    array = tiledb_rs.create(uri, tiledb_rs.Schema(dimensions, attributes, sparse=sparse, capacity=20, allows_duplicates=sparse))
    half = (count + 1) // 2
    for start, stop in [(0, half), (half, count)]:
        if start == stop:
            continue
        data = rows(source, stop - start, nullable)
        if sparse:
            data.update(d=list(range(start - 50, stop - 50)), key=[source.choice(["", "a", "it's", "zz"]) for _ in range(start, stop)])
        array.write(data, region=None if sparse else {"d": (start, stop - 1)})
    return array


def make_grid(uri: str, source: random.Random) -> "tiledb_rs.Array":
    """A dense array of one to three dimensions with a column of each type and some of other forms, of which parts were never written."""
    nullable = {name for name in VALUES if source.random() < 0.5}
    attributes = [
        tiledb_rs.Attribute(name, DTYPES[name], nullable=name in nullable, enumeration=tiledb_rs.Enumeration("airports", VALUES["e"]) if name == "e" else None)
        for name in source.sample(list(VALUES), len(VALUES))
    ] + [tiledb_rs.Attribute("month", "DATETIME_MONTH"), tiledb_rs.Attribute("pair", "INT16", values=2), tiledb_rs.Attribute("list", "INT32", var=True)]
    names = ["d", "y", "z"][: source.randint(1, 3)]
    lows = [source.choice([0, -50, 3]) for _ in names]
    extents = [source.randint(1, {1: 700, 2: 40, 3: 13}[len(names)]) for _ in names]
    dimensions = [tiledb_rs.Dimension(name, (low, low + extent - 1), tile=source.randint(1, extent), dtype="INT64") for name, low, extent in zip(names, lows, extents)]
    array = tiledb_rs.create(
        uri, tiledb_rs.Schema(dimensions, attributes, cell_order=source.choice(["row-major", "col-major"]), tile_order=source.choice(["row-major", "col-major"]))
    )
    for _ in range(source.randint(0, 3)):
        region, count = {}, 1
        for name, low, extent in zip(names, lows, extents):
            first, last = sorted((source.randint(low, low + extent - 1), source.randint(low, low + extent - 1)))
            region[name] = (first, last)
            count *= last - first + 1
        # Runs of the same values leave whole tiles without cells that meet a predicate.
        run = source.choice([1, 1, 30])
        data = {name: [cell for cell in cells for _ in range(run)][:count] for name, cells in rows(source, count // run + 1, nullable).items()}
        data.update(
            month=[source.randint(-30, 600) for _ in range(count)],
            pair=[[source.randint(-5, 5), 7] for _ in range(count)],
            list=[[source.randint(-5, 5)] * source.randint(1, 3) for _ in range(count)],
        )
        array.write(data, region=region)
    return array


def predicate(source: random.Random, names, depth: int = 0):
    """A random predicate as a tree: (operator, column, value), (in, column, values), (null, column), (and, a, b), (or, a, b), (not, a)."""
    if depth < 3 and source.random() < 0.55:
        kind = source.choice(["and", "and", "or", "not"])
        return (kind, *(predicate(source, names, depth + 1) for _ in range(1 if kind == "not" else 2)))
    name = source.choice(names)
    dimension = [-51, -50, 0, 3, 100, 10_000, 2.5]
    values = {"d": dimension, "y": dimension, "z": dimension, "key": ["", "a", "it's", "b"]}.get(name) or VALUES[name] + OTHERS[name]
    kind = source.choice(["<", "<=", ">", ">=", "==", "!=", "in", "null", "valid"])
    if kind == "in":
        chosen = source.sample(values, min(len(values), source.randint(1, 12)))
        return (kind, name, chosen)
    if kind in ("null", "valid"):
        return (kind, name)
    if name == "e" and kind not in ("==", "!="):
        kind = "=="
    return (kind, name, source.choice(values))


def key_of(row):
    """A row in a form that can be compared and sorted: NaN equals itself, and zeros keep their sign."""
    return tuple(repr(value) for value in row)


def shown(tree):
    """A tree as SQL."""
    kind, *rest = tree
    if kind in ("and", "or"):
        return f"({shown(rest[0])} {kind} {shown(rest[1])})"
    if kind == "not":
        return f"(not {shown(rest[0])})"
    if kind in ("null", "valid"):
        return f"{rest[0]} is {'' if kind == 'null' else 'not '}null"
    if kind == "in":
        return f"{rest[0]} in ({', '.join(literal(one) for one in rest[1])})"
    return f"{rest[0]} {'<>' if kind == '!=' else '=' if kind == '==' else kind} {literal(rest[1])}"


def literal(value):
    """A value as SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, datetime.datetime):
        return f"timestamp '{value.isoformat(' ')}'"
    if isinstance(value, datetime.date):
        return f"date '{value.isoformat()}'"
    if isinstance(value, float) and (value != value or value in (INF, -INF)):
        return f"'{value}'::double"
    return str(value)
