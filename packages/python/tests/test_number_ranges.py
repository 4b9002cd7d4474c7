"""Many ranges of numbers at once: what they select, and errors, are those of the conversion one by one."""

from __future__ import annotations

import datetime
import random
import unittest
import unittest.mock

import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema
from tiledb_rs._model import values
from tiledb_rs._model.number_ranges import NumberRanges, number_ranges

try:
    import numpy
except ImportError:
    numpy = None

KINDS = ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "FLOAT32", "FLOAT64", "DATETIME_DAY"]


def dimension_of(kind: str) -> Dimension:
    domain = (-50.0, 50.0) if kind.startswith("FLOAT") else (0, 100)
    return Dimension("d", domain, tile=10, dtype=kind)


def outcome(function):
    try:
        return list(function())
    except Exception as error:
        return type(error), str(error)


def one_by_one(dimension, selection):
    with unittest.mock.patch.object(values, "number_ranges", lambda *_: None):
        return outcome(lambda: values.ranges_of(dimension, selection)), outcome(lambda: values.united(dimension, values.ranges_of(dimension, selection)))


class Numbers(unittest.TestCase):
    def assert_same(self, kind, selection, is_bulk=None):
        dimension = dimension_of(kind)
        with self.subTest(kind=kind, selection=selection):
            ranges = number_ranges(dimension, selection)
            if is_bulk is not None:
                self.assertEqual(ranges is not None, is_bulk)
            plain, united = one_by_one(dimension, selection)
            self.assertEqual(outcome(lambda: values.ranges_of(dimension, selection)), plain)
            if ranges is not None:
                self.assertEqual((len(ranges), list(ranges)), (len(plain), plain))
                self.assertEqual([ranges[0], ranges[-1], ranges[1:]], [plain[0], plain[-1], plain[1:]])
                for module in {None, numpy}:
                    with unittest.mock.patch.dict("sys.modules", {"numpy": module}):
                        self.assertEqual(list(ranges.united()), united)
            return ranges

    def test_random_lists(self):
        source = random.Random(7)
        for kind in KINDS:
            for _ in range(30):
                points = [source.randrange(100) for _ in range(source.randrange(1, 30))]
                ranges = self.assert_same(kind, points, kind != "FLOAT32")
                self.assertTrue(ranges is None or ranges.are_points)
                pairs = [(low, low + source.randrange(20)) for low in points]
                ranges = self.assert_same(kind, pairs, kind != "FLOAT32")
                self.assertFalse(ranges is not None and ranges.are_points)

    def test_what_is_converted_one_by_one(self):
        for kind in ("INT8", "UINT64", "FLOAT64"):
            for selection in [
                [],
                [1, True],
                [1, None],
                [(1, 2), 3],
                [(1, 2), (3,)],
                [(2, 1)],
                [(1, None)],
                [slice(1, 2)],
                ["1"],
                [[1, 2]],
                [float("nan")],
                [1, 2.5, datetime.date(2020, 1, 1)],
            ]:
                self.assert_same(kind, selection, False)
        self.assert_same("INT8", [1, 300], False)
        self.assert_same("INT8", [(1, 300)], False)
        self.assert_same("UINT8", [-1], False)
        self.assert_same("INT64", [1.0, 2.0], False)
        self.assert_same("FLOAT64", [1, 2.5], True)
        self.assert_same("DATETIME_DAY", [datetime.date(1970, 1, 5)], False)
        self.assertIsNone(number_ranges(Dimension("s", dtype=str), ["a", "b"]))

    @support.needs("numpy")
    def test_columns(self):
        source = numpy.random.default_rng(3)
        for kind in KINDS:
            datatype = tiledb_rs.Datatype[kind]
            for dtype in ["i1", "u1", "i4", "u8", "i8", ">i4", "f4", "f8", "M8[D]", "M8[ms]"]:
                numbers = source.integers(0, 100, 20).astype("i8" if dtype[0] == "M" else dtype).astype(dtype)
                exact = numpy.dtype(datatype.numpy)
                kinds = exact.kind + numpy.dtype(dtype).kind
                is_bulk = numpy.dtype(dtype) == exact or kinds in ("ii", "iu", "ui", "uu", "Mi", "Mu")
                self.assert_same(kind, numbers, is_bulk)
                self.assert_same(kind, numbers[::-2], is_bulk)
        for kind, column in [
            ("INT8", numpy.array([1, 300])),
            ("UINT8", numpy.array([-1, 5])),
            ("FLOAT64", numpy.array([1.0, numpy.nan])),
            ("DATETIME_DAY", numpy.array(["2000-01-01", "NaT"], "M8[D]")),
            ("INT64", numpy.array([1.0, 2.0])),
            ("INT64", numpy.array([[1, 2], [3, 4]])),
            ("INT64", numpy.array([], "i8")),
            ("INT64", numpy.array([True])),
            ("INT64", numpy.array([1, None], object)),
        ]:
            self.assert_same(kind, column, False)

    @support.needs("pandas")
    def test_columns_of_pandas(self):
        import pandas

        for column in [pandas.Series([3, 1, 2]), pandas.Index([3, 1, 2]), pandas.RangeIndex(5)]:
            self.assert_same("INT32", column, True)
        self.assert_same("INT32", pandas.Series([3, 1], dtype="Int64"))
        self.assert_same("INT32", pandas.Series([3, None], dtype="Int64"), False)
        self.assert_same("INT32", pandas.Series([1.0, None]), False)

    @support.needs("polars")
    def test_columns_of_polars(self):
        import polars

        self.assert_same("INT32", polars.Series([3, 1, 2]), True)
        self.assert_same("INT32", polars.Series([3, None]), False)


class Selections(support.LibraryTest):
    def test_many_ranges_select_the_cells_of_each(self):
        source = random.Random(5)
        for kind in ("INT16", "UINT64", "FLOAT64"):
            schema = Schema([Dimension("d", (0, 999), tile=50, dtype=kind)], [Attribute("a", "INT32")], sparse=True)
            array = tiledb_rs.create(self.path(kind), schema)
            array.write({"d": list(range(0, 1000, 3)), "a": list(range(0, 1000, 3))})
            for selection in [[source.randrange(1000) for _ in range(400)], [(low, low + source.randrange(9)) for low in source.sample(range(990), 200)]]:
                self.assertIsInstance(array.read("a", {"d": selection})._plan.bounds[0], NumberRanges)
                pairs = [one if isinstance(one, tuple) else (one, one) for one in selection]
                expected = [at for at in range(0, 1000, 3) if any(low <= at <= high for low, high in pairs)]
                self.assertEqual(sorted(array.read("a", {"d": selection}).to_pydict()["a"]), expected)
                self.assertEqual(array.count(ranges={"d": selection}), len(expected))
                parts = array.partitions(3, ranges={"d": selection})
                self.assertEqual(sorted(one for part in parts for one in part.read("a").to_pydict()["a"]), expected)

    def test_values_outside_of_the_domain_are_errors(self):
        array = self.sparse()
        for selection in ([5, 101], [(5, 6), (7, 101)], [0, 5]):
            with self.subTest(selection=selection), self.assertRaisesRegex(tiledb_rs.TileDBError, "101|0") as raised:
                array.read("d", {"d": selection}).to_pylist()
            self.assertEqual(raised.exception.context, "dimension 'd'")

    def test_points_of_dense_arrays_keep_their_order(self):
        array = self.dense()
        self.assertEqual(array.read("v", {"row": [2, 0, 3], "col": [1]}).to_pydict()["v"], [7, 1, 10])
        self.assertEqual(array.read("v", {"row": [2, 0, 3]}).shape, (3, 3))

    def test_texts_select_the_cells_of_each(self):
        array = tiledb_rs.create(self.path(), Schema([Dimension("s", dtype=str)], [Attribute("a", "INT32")], sparse=True))
        texts = ["", "a", "ab", "b", "café", "z" * 300]
        array.write({"s": texts, "a": list(range(6))})
        for selection, expected in [(["b", "ab", "nothing"], [2, 3]), (["z" * 300, "café", "a"], [1, 4, 5]), ([("a", "ab"), "b"], [1, 2, 3]), (["b"], [3])]:
            with self.subTest(selection=selection):
                self.assertEqual(sorted(array.read("a", {"s": selection}).to_pydict()["a"]), expected)


if __name__ == "__main__":
    unittest.main()
