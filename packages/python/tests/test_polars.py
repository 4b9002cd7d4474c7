"""polars on arrays: lazy frames against frames of the same cells, and what is pushed down."""

from __future__ import annotations

import datetime
import importlib.util
import os
import random
import threading
import unittest
from unittest import mock

from frames_support import INF, NAN, VALUES, key_of, make_array, predicate
from support import LibraryTest, needs

import tiledb_rs

SEEDS = int(os.environ.get("FRAME_SEEDS", "12"))


def expression(tree):
    """A tree as an expression of polars."""
    import polars

    kind, *rest = tree
    if kind in ("and", "or"):
        left, right = (expression(one) for one in rest)
        return left & right if kind == "and" else left | right
    if kind == "not":
        return ~expression(rest[0])
    column = polars.col(rest[0])
    if kind in ("null", "valid"):
        return column.is_null() if kind == "null" else column.is_not_null()
    if kind == "in":
        return column.is_in(rest[1])
    value = rest[1]
    return {"<": column < value, "<=": column <= value, ">": column > value, ">=": column >= value, "==": column == value, "!=": column != value}[kind]


def run(frame):
    return sorted(map(key_of, frame.rows()))


@needs("polars", "pyarrow", "numpy")
class Polars(LibraryTest):
    def setUp(self) -> None:
        super().setUp()
        import tiledb_rs.polars  # noqa: F401

    def test_random_predicates(self):
        import polars

        pushed = 0
        for seed in range(SEEDS):
            source = random.Random(2000 + seed)
            sparse = source.random() < 0.6
            array = make_array(self.path(f"array_{seed}"), source, sparse)
            scans = []
            lazy = tiledb_rs.polars.scan(array, on_scan=scans.append)
            frame = lazy.collect()
            for _ in range(20):
                tree = predicate(source, [*VALUES, "d", *(["key"] if sparse else [])])
                try:
                    wanted = frame.filter(expression(tree))
                except (polars.exceptions.PolarsError, TypeError, OverflowError):
                    continue
                with self.subTest(seed=seed, tree=tree, sparse=sparse):
                    self.assertEqual(run(lazy.filter(expression(tree)).collect()), run(wanted))
                    self.assertEqual(run(lazy.filter(expression(tree)).select("i32", "s").collect()), run(wanted.select("i32", "s")))
                pushed += bool(scans[-1].where or scans[-1].ranges)
        self.assertGreater(pushed, SEEDS)

    def test_old_releases_are_refused(self):
        """They drop predicates that they cannot pass on, and return all rows."""
        import polars

        spec = importlib.util.find_spec("tiledb_rs.polars")
        for version, is_refused in [("1.20.0", True), ("0.20.31", True), ("1.24.0", False), ("2.1.0", False)]:
            with self.subTest(version=version), mock.patch.object(polars, "__version__", version):
                module = importlib.util.module_from_spec(spec)
                if is_refused:
                    with self.assertRaisesRegex(ImportError, f"1.24 or later, not {version}"):
                        spec.loader.exec_module(module)
                else:
                    spec.loader.exec_module(module)

    def test_shown(self):
        import polars as pl

        scans = []
        lazy = tiledb_rs.polars.scan(self.sparse(), on_scan=scans.append)
        self.assertEqual(scans, [])
        self.assertEqual(lazy.filter((pl.col("x") > 15) & (pl.col("d") < 50)).select("s").collect()["s"].to_list(), [None, "ccc"])
        self.assertEqual((set(scans[-1].fields), scans[-1].ranges, scans[-1].where), ({"s", "x", "d"}, {"d": [(1, 49)]}, "x > 15"))
        self.assertEqual(lazy.filter(pl.col("c") == "red").select(pl.col("x").sum()).collect().item(), 510)
        self.assertEqual(scans[-1].where, "c == 'red'")
        self.assertEqual(lazy.filter(pl.col("s").str.len_chars() == 3).collect()["x"].to_list(), [30])
        self.assertIsNone(scans[-1].where)
        self.assertEqual(lazy.filter(pl.col("x").is_between(20, 30), pl.col("s").is_not_null()).collect()["x"].to_list(), [30])
        self.assertIn("x >= 20", scans[-1].where)
        self.assertEqual(lazy.select(pl.len()).collect().item(), 4)
        self.assertEqual(lazy.head(2).collect().height, 2)
        self.assertEqual(lazy.filter(pl.col("x") > 10).head(1).collect()["x"].to_list(), [20])
        self.assertEqual(lazy.group_by("c").len().collect().height, 3)

    def test_nan_is_the_greatest_number(self):
        import polars as pl

        schema = tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 9))], [tiledb_rs.Attribute("f", "FLOAT64"), tiledb_rs.Attribute("g", "FLOAT32")], sparse=True)
        array = tiledb_rs.create(self.path(), schema)
        array.write({"d": [0, 1, 2, 3], "f": [NAN, 1.0, -INF, -0.0], "g": [0.1, 0.2, NAN, 0.3]})
        scans = []
        lazy = tiledb_rs.polars.scan(array, on_scan=scans.append)
        for found, wanted in [
            (pl.col("f") > 0.5, [0, 1]),
            (pl.col("f") == NAN, [0]),
            (pl.col("f") != 1.0, [0, 2, 3]),
            (pl.col("f") == 0.0, [3]),
            (pl.col("f") <= 0, [2, 3]),
            (~(pl.col("f") < 0.5), [0, 1]),
            (pl.col("f").is_nan(), [0]),
            (pl.col("g") == 0.1, [0]),
            (pl.col("g") <= 0.2, [0, 1]),
            (pl.col("g").is_in([0.1, 0.3]), None),
            (pl.col("f").cast(pl.Int64, strict=False) == 1, [1]),
        ]:
            with self.subTest(found=str(found)):
                rows = sorted(lazy.filter(found).collect()["d"].to_list())
                self.assertEqual(rows, sorted(lazy.collect().filter(found)["d"].to_list()) if wanted is None else wanted)
        lazy.filter(pl.col("f") < 0.5).collect()
        self.assertEqual(scans[-1].where, "f < 0.5")

    def test_dates(self):
        import polars as pl

        lazy = tiledb_rs.polars.scan(make_array(self.path(), random.Random(3), True))
        self.assertEqual((lazy.collect_schema()["day"], lazy.collect_schema()["us"]), (pl.Date(), pl.Datetime("us")))
        day = datetime.date(1970, 1, 1)
        self.assertEqual(run(lazy.filter(pl.col("day") > day).collect()), run(lazy.collect().filter(pl.col("day") > day)))
        aware = datetime.datetime(2013, 1, 1, tzinfo=datetime.timezone.utc)
        with self.assertRaises(Exception):
            lazy.filter(pl.col("us") > aware).collect()

    def test_seconds_beyond_polars(self):
        import polars as pl

        array = tiledb_rs.create(self.path(), tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 9))], [tiledb_rs.Attribute("a", "DATETIME_SEC")], sparse=True))
        array.write({"d": [0], "a": [10**17]})
        for scan in (tiledb_rs.polars.scan(array), tiledb_rs.polars.scan(array).filter(pl.col("a") > datetime.datetime(1970, 1, 1))):
            with self.assertRaisesRegex(Exception, "100000000000000000 seconds, which polars cannot express"):
                scan.collect()

    def test_appends_of_days_and_lists(self):
        import polars as pl
        import pyarrow

        days = [datetime.date(1960, 1, 1), datetime.date(2000, 1, 1)]
        table = pyarrow.table({"d": [1, 2], "day": pyarrow.array(days).dictionary_encode(), "list": pyarrow.array([[1.5], [2.5]], pyarrow.list_(pyarrow.float32()))})
        array = tiledb_rs.from_arrow(self.path(), table, index="d")
        tiledb_rs.polars.write(array.uri, tiledb_rs.polars.read(array).with_columns(d=pl.col("d") + 10), append=True)
        self.assertEqual(tiledb_rs.polars.read(self.path()).sort("d")["day"].to_list(), days * 2)
        with self.assertRaisesRegex(ValueError, "column 'list' has 1e\\+300, which is out of the range of float"):
            tiledb_rs.polars.write(array.uri, pl.DataFrame({"d": [20], "day": days[:1], "list": [[1.0, 1e300]]}), append=True)

    def test_write(self):
        import polars as pl

        frame = pl.DataFrame(
            {"id": [3, 1, 2], "s": ["a", None, "c"], "d": [datetime.date(2020, 1, day) for day in (1, 2, 3)], "c": pl.Series(["x", "y", "x"], dtype=pl.Categorical)}
        )
        array = tiledb_rs.polars.write(self.path(), frame.lazy(), index="id")
        self.assertEqual(run(tiledb_rs.polars.read(array).select(frame.columns)), run(frame))
        tiledb_rs.polars.write(array.uri, frame.head(1), append=True)
        self.assertEqual(tiledb_rs.polars.read(self.path()).height, 4)
        with self.assertRaises(TypeError):
            tiledb_rs.polars.write(self.path("other"), {"a": [1]})

    def test_empty_closed_and_at_once(self):
        import polars as pl

        empty = tiledb_rs.polars.scan(tiledb_rs.create(self.path("empty"), self.sparse("other").schema))
        self.assertEqual((empty.collect().shape, empty.filter(pl.col("x") > 1).collect().height), ((0, 4), 0))
        array = self.sparse()
        lazy = tiledb_rs.polars.scan(array)
        array.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            tiledb_rs.polars.scan(array)
        found = []
        threads = [threading.Thread(target=lambda: found.append(lazy.filter(pl.col("x") > 10).collect()["x"].sum())) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [550] * 6)
        self.assertEqual(pl.collect_all([lazy, lazy.filter(pl.col("x") > 10)])[1]["x"].sum(), 550)


if __name__ == "__main__":
    unittest.main()
