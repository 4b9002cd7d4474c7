"""Reads without other packages: fields, ranges, orders, conditions, counts."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import importlib.util
import pickle
import shutil
import unittest
import unittest.mock
from pathlib import Path

import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema, TileDBError
from tiledb_rs._arrow import decode


class Read(support.LibraryTest):
    def test_rows_and_columns(self):
        array = self.sparse()
        self.assertEqual(
            array.read(order="row-major").to_pylist()[:2],
            [{"d": 1, "x": 10, "s": "a", "c": "red"}, {"d": 2, "x": 20, "s": None, "c": "blue"}],
        )
        self.assertEqual(array.read("x").to_pydict(), {"x": [10, 20, 30, 500]})
        self.assertEqual(array.read(["s", "d"]).to_pydict(), {"s": ["a", None, "ccc", ""], "d": [1, 2, 3, 50]})
        self.assertEqual([row["c"] for row in array.read("c")], ["red", "blue", None, "red"])

    def test_a_result_is_read_again_and_outlives_its_array(self):
        with self.sparse() as array:
            result = array.read("x")
            self.assertEqual(result.to_pydict(), result.to_pydict())
        self.assertEqual(result.to_pydict(), {"x": [10, 20, 30, 500]})
        with self.assertRaisesRegex(ValueError, "is closed"):
            array.read()

    def test_a_result_shows_the_array_as_it_was(self):
        array = self.sparse()
        result = array.read("d")
        array.write({"d": [7], "x": [1], "s": ["new"], "c": ["red"]})
        self.assertEqual(result.to_pydict(), {"d": [1, 2, 3, 50]})
        self.assertEqual(sorted(array.read("d").to_pydict()["d"]), [1, 2, 3, 7, 50])

    def test_ranges(self):
        array = self.sparse()
        for wanted, found in [
            ((2, 3), [2, 3]),
            (2, [2]),
            ([1, 50], [1, 50]),
            (slice(1, 3), [1, 2]),
            (slice(None, 3), [1, 2]),
            (slice(3, None), [3, 50]),
            ([(1, 1), (3, 60)], [1, 3, 50]),
            ((None, 2), [1, 2]),
            ((3, None), [3, 50]),
            (range(2, 4), [2, 3]),
            ((51, 100), []),
            (slice(1, 101), [1, 2, 3, 50]),
        ]:
            with self.subTest(wanted=wanted):
                self.assertEqual(array.read("d", {"d": wanted}, order="row-major").to_pydict()["d"], found)

    def test_overlapping_ranges(self):
        """A cell of a sparse array is selected once, whichever ranges it is in."""
        array = self.sparse()
        stored = array.read("d", order="row-major").to_pydict()["d"]
        for ranges in ([(1, 50), (2, 100)], [(40, 100), (1, 60), 3, 3], [*reversed(stored), *stored], [(1, 100), (5, 6)]):
            for order in ("row-major", "unordered"):
                with self.subTest(ranges=ranges, order=order):
                    found = array.read("d", {"d": ranges}, order=order).to_pydict()["d"]
                    self.assertEqual(found if order == "row-major" else sorted(found), stored)
                    self.assertEqual(array.count(ranges={"d": ranges}), len(stored))
        texts = tiledb_rs.create(self.path("texts"), tiledb_rs.Schema([tiledb_rs.Dimension("s", dtype=str)], [tiledb_rs.Attribute("a", int)], sparse=True))
        texts.write({"s": ["a", "b", "c"], "a": [1, 2, 3]})
        self.assertEqual(texts.read("a", {"s": [("b", "c"), ("a", "b"), "b"]}, order="row-major").to_pydict()["a"], [1, 2, 3])

    def test_wrong_ranges(self):
        array = self.sparse()
        for wanted, error in [
            ((3, 1), ValueError),
            ((1,), ValueError),
            ((1, 2, 3), ValueError),
            ("a", TypeError),
            (None, TypeError),
            ([], ValueError),
            (1.5, ValueError),
            (slice(3, 3), ValueError),
            (slice(1, 9, 2), ValueError),
            (1 << 70, ValueError),
            ((1, {}), TypeError),
            (range(1, 9, 3), ValueError),
            ((0, 5), TileDBError),
            ((1, 101), TileDBError),
            (object(), TypeError),
            (slice(1, 200), TileDBError),
        ]:
            with self.subTest(wanted=wanted), self.assertRaises(error):
                array.read("d", {"d": wanted}).to_pylist()
        for ranges, error in [({"e": 1}, KeyError), ({"x": 1}, KeyError), ([1], TypeError), ({1: 1}, KeyError)]:
            with self.subTest(ranges=ranges), self.assertRaises(error):
                array.read("d", ranges)

    def test_wrong_arguments(self):
        array = self.sparse()
        for arguments, error in [
            ({"fields": "nothing"}, KeyError),
            ({"fields": ["x", "x"]}, ValueError),
            ({"fields": []}, ValueError),
            ({"fields": [1]}, TypeError),
            ({"fields": ["x\0"]}, KeyError),
            ({"order": "hilbert"}, ValueError),
            ({"order": "up"}, ValueError),
            ({"order": 3}, TypeError),
            ({"batch_bytes": -1}, ValueError),
            ({"batch_bytes": 1.5}, ValueError),
            ({"batch_bytes": True}, ValueError),
            ({"batch_bytes": 1 << 64}, ValueError),
            ({"where": 1}, TypeError),
            ({"where": ""}, ValueError),
        ]:
            with self.subTest(arguments=arguments), self.assertRaises(error):
                array.read(**arguments)

    def test_orders_and_small_batches(self):
        array = self.dense()
        self.assertEqual(array.read("v").to_pydict()["v"], [float(number) for number in range(12)])
        for batch_bytes in [1, 8, 17, 64, 1 << 20]:
            self.assertEqual(
                array.read("v", order="F", batch_bytes=batch_bytes).to_pydict()["v"],
                [0.0, 3.0, 6.0, 9.0, 1.0, 4.0, 7.0, 10.0, 2.0, 5.0, 8.0, 11.0],
            )
        self.assertEqual(array.read("v", order="global").to_pydict()["v"], [0.0, 1.0, 3.0, 4.0, 2.0, 5.0, 6.0, 7.0, 9.0, 10.0, 8.0, 11.0])
        self.assertEqual(
            array.read(ranges={"row": [0, 3], "col": slice(1, 3)}).to_pydict(),
            {"row": [0, 0, 3, 3], "col": [1, 2, 1, 2], "v": [1.0, 2.0, 10.0, 11.0]},
        )

    def test_counts_and_aggregates(self):
        array = self.sparse()
        self.assertEqual(array.count(), 4)
        self.assertEqual(array.count("x > 10"), 3)
        self.assertEqual(array.count(ranges={"d": (1, 2)}), 2)
        self.assertEqual(array.count("x > 10000"), 0)
        self.assertEqual(
            array.aggregate({"x": ["min", "max", "sum", "mean", "count"], "s": "null_count"}),
            {"x": {"min": 10, "max": 500, "sum": 560, "mean": 140.0, "count": 4}, "s": {"null_count": 1}},
        )
        self.assertEqual(array.aggregate({"x": ["sum"]}, where="x < 25", ranges={"d": (2, 100)}), {"x": {"sum": 20}})
        for wrong, error in [
            ({"x": ["median"]}, ValueError),
            ({"y": "min"}, KeyError),
            ({"s": "min"}, TypeError),
            ({"c": "max"}, TypeError),
            ({"x": "null_count"}, ValueError),
            (["x"], TypeError),
            ({}, ValueError),
        ]:
            with self.subTest(wrong=wrong), self.assertRaises(error):
                array.aggregate(wrong)

    def test_conditions_of_dense_arrays(self):
        array = self.dense()
        found = array.read("v", where="v > 8").to_pydict()["v"]
        self.assertEqual(["fill" if value != value else value for value in found], ["fill"] * 9 + [9.0, 10.0, 11.0])
        self.assertEqual((array.count(), array.count(ranges={"row": 3})), (12, 3))
        for wrong in [lambda: array.count("v > 8"), lambda: array.aggregate({"v": ["count"]}, where="v > 8")]:
            with self.assertRaisesRegex(NotImplementedError, "counts all cells"):
                wrong()
        self.assertEqual(array.aggregate({"v": ["min", "sum"]}, where="v > 8"), {"v": {"min": 9.0, "sum": 30.0}})

    def test_aggregates_of_nothing(self):
        schema = Schema([Dimension("d", (1, 9))], [Attribute("x", "INT32", nullable=True), Attribute("f", "FLOAT32")], sparse=True)
        array = tiledb_rs.create(self.path(), schema)
        self.assertEqual(array.count(), 0)
        self.assertEqual(array.aggregate({"x": ["min", "null_count"]}), {"x": {"min": None, "null_count": 0}})
        array.write({"d": [1, 2], "x": [None, None], "f": [1.0, 2.0]})
        self.assertEqual(
            array.aggregate({"x": ["min", "max", "sum", "mean", "null_count"], "f": ["sum"]}),
            {"x": {"min": None, "max": None, "sum": None, "mean": None, "null_count": 2}, "f": {"sum": 3.0}},
        )

    def test_dates(self):
        day = datetime.date(2024, 5, 31)
        schema = Schema(
            [Dimension("day", (datetime.date(2000, 1, 1), datetime.date(2100, 1, 1)), tile=datetime.timedelta(days=30))],
            [Attribute("at", "DATETIME_US"), Attribute("of_day", "TIME_MS", nullable=True), Attribute("year", "DATETIME_YEAR")],
            sparse=True,
        )
        array = tiledb_rs.create(self.path(), schema)
        self.assertEqual(array.schema.dimensions[0].domain, (datetime.date(2000, 1, 1), datetime.date(2100, 1, 1)))
        self.assertEqual(array.schema.dimensions[0].tile, 30)
        moment = datetime.datetime(2024, 5, 31, 12, 30, 15, 250)
        array.write(
            {
                "day": [day, "2024-06-01"],
                "at": [moment, None and 0 or moment],
                "of_day": [datetime.timedelta(hours=1), None],
                "year": [2024 - 1970, "2025"],
            }
        )
        rows = array.read(order="row-major").to_pylist()
        self.assertEqual(rows[0], {"day": day, "at": moment, "of_day": datetime.timedelta(hours=1), "year": 54})
        self.assertEqual((rows[1]["day"], rows[1]["of_day"], rows[1]["year"]), (datetime.date(2024, 6, 1), None, 55))
        self.assertEqual(array.count("day >= '2024-06-01'"), 1)
        self.assertEqual(array.count("at < '2024-05-31T12:30:15.000251'"), 2)
        self.assertEqual(array.count(tiledb_rs.field("at") < moment), 0)
        self.assertEqual(array.read("year", {"day": (day, day)}).to_pydict(), {"year": [54]})
        self.assertEqual(array.read("year", {"day": slice("2024-05-01", "2024-06-01")}).to_pydict(), {"year": [54]})
        self.assertEqual(array.nonempty_domain(), ((day, datetime.date(2024, 6, 1)),))

    def test_string_dimensions(self):
        schema = Schema([Dimension("key", dtype=str)], [Attribute("v", "UINT8")], sparse=True)
        array = tiledb_rs.create(self.path(), schema)
        array.write({"key": ["a", "bb", "c", ""], "v": [1, 2, 3, 0]})
        self.assertEqual(array.read(order="row-major").to_pydict(), {"key": ["", "a", "bb", "c"], "v": [0, 1, 2, 3]})
        self.assertEqual(array.read("v", {"key": ("a", "bb")}, order="row-major").to_pydict(), {"v": [1, 2]})
        self.assertEqual(array.read("v", {"key": "bb"}).to_pydict(), {"v": [2]})
        self.assertEqual(array.read("v", {"key": (None, "a")}, order="row-major").to_pydict(), {"v": [0, 1]})
        for wrong in [slice("a", "c"), slice("a", None), ("b", "a"), ("a", None)]:
            with self.assertRaises(ValueError):
                array.read("v", {"key": wrong})
        self.assertEqual(array.nonempty_domain(), (("", "c"),))
        with self.assertRaises(TypeError):
            array.schema.shape

    def test_enumerations_are_loaded_when_they_are_used(self):
        plain = tiledb_rs.Enumeration("colors", ["red", "green", "blue"])
        array = tiledb_rs.open(self.sparse().uri)
        loaded = array.schema.enumeration("colors").__dict__
        self.assertEqual(array.read("c").to_pydict()["c"], ["red", "blue", None, "red"])
        self.assertEqual(array.read("c", where="c == 'red'").to_pydict()["c"], ["red", "red"])
        self.assertEqual(array.read("c", where=tiledb_rs.field("c").isin(["blue"])).to_pydict()["c"], ["blue"])
        self.assertEqual(array.count(where="c != 'red'"), 1)
        self.assertNotIn("values", loaded)
        self.assertEqual(str(array.schema.value_type("c")), "STRING_UTF8")
        self.assertNotIn("values", loaded)
        for same in [
            lambda one: one,
            lambda one: pickle.loads(pickle.dumps(one)),
            copy.copy,
            copy.deepcopy,
            dataclasses.replace,
        ]:
            one = tiledb_rs.open(array.uri).schema.enumeration("colors")
            self.assertNotIn("values", one.__dict__)
            actual = same(one)
            self.assertEqual((actual, hash(actual), repr(actual)), (plain, hash(plain), repr(plain)))
        one = tiledb_rs.open(array.uri).schema.enumeration("colors")
        self.assertEqual((one.ordered, one.dtype, hasattr(one, "nothing"), hasattr(plain, "nothing")), (False, plain.dtype, False, False))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            one.ordered = True
        schema = array.schema
        array.close()
        self.assertEqual(schema.enumeration("colors").values, ("red", "green", "blue"))
        # Of a schema without an array.
        self.assertEqual(tiledb_rs.Schema.from_json(schema.to_json()).enumeration("colors"), plain)

    def test_few_values_of_large_enumerations(self):
        """Of a dictionary, values that occur are decoded; the results are those of decoding all."""
        values = [f"é{at}" if at % 3 else f"value {at}" for at in range(1000)] + [""]
        attribute = Attribute("c", "INT16", nullable=True, enumeration=tiledb_rs.Enumeration("many", values))
        array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 99), tile=10)], [attribute], sparse=True))
        rows = [values[at * 7 % 40] if at % 4 else None for at in range(99)] + [""]
        array.write({"d": list(range(100)), "c": rows})
        decoded = []
        original = decode.texts_at
        with unittest.mock.patch.object(decode, "texts_at", lambda *arguments: decoded.append(original(*arguments)) or decoded[-1]):
            for ranges in ((0, 99), (5, 9), (99, 99), (0, 0), (50, 99)):
                result = array.read("c", {"d": ranges}, order="row-major")
                expected = rows[ranges[0] : ranges[1] + 1]
                self.assertEqual(result.to_pydict()["c"], expected)
                self.assertEqual([row["c"] for row in result], expected)
                if importlib.util.find_spec("numpy"):
                    actual = result.to_numpy()["c"]
                    self.assertEqual([None if one is None else str(one) for one in actual.tolist()], expected)
                    self.assertEqual((actual.dtype, hasattr(actual, "mask")), (object, None in expected))
        self.assertGreater(len([one for one in decoded if one is not None]), 2)
        self.assertIn(None, decoded)

    def test_enumeration_that_cannot_be_loaded_is_an_error(self):
        array = tiledb_rs.open(self.sparse().uri)
        shutil.rmtree(Path(array.uri) / "__schema" / "__enumerations")
        with self.assertRaisesRegex(tiledb_rs.TileDBError, "__enumerations|numeration"):
            array.schema.enumeration("colors").values  # noqa: B018

    def test_what_does_not_exist(self):
        for name in ["nothing", "a/b/c"]:
            with self.assertRaisesRegex(TileDBError, "does not exist") as caught:
                tiledb_rs.open(self.path(name))
            self.assertIn(name, caught.exception.context)
        for wrong, error in [
            ("", ValueError),
            (1, TypeError),
            (None, TypeError),
            ("a\0b", ValueError),
            (b"bytes", TypeError),
            ([], TypeError),
        ]:
            with self.subTest(wrong=wrong), self.assertRaises(error):
                tiledb_rs.open(wrong)


class Looks(support.LibraryTest):
    def test_arrays_show_their_shape_and_types(self):
        dense, sparse = self.dense("dense"), self.sparse("sparse")
        for array in (dense, sparse):
            array.reopen()
        self.assertEqual(repr(dense), f"<tiledb_rs.Array: dense (4 x 3), v FLOAT64: {dense.uri}>")
        self.assertEqual(
            repr(sparse), f"<tiledb_rs.Array: sparse (d), x INT32, s STRING_UTF8, c STRING_UTF8: {sparse.uri}>".replace("c STRING_UTF8", f"c {sparse.schema.value_type('c')}")
        )
        dense.close()
        self.assertEqual(repr(dense), f"<tiledb_rs.Array: closed {dense.uri}>")
        self.assertEqual(str(tiledb_rs.Datatype.FLOAT64), "FLOAT64")

    def test_first_cells_names_and_length(self):
        dense, sparse = self.dense("dense"), self.sparse("sparse")
        self.assertEqual(dense.head(1), {"row": [0, 0, 0], "col": [0, 1, 2], "v": [0.0, 1.0, 2.0]})
        self.assertEqual(len(dense.head(9)["v"]), 12)
        found = sparse.head(2)
        self.assertEqual((list(found), len(found["d"])), (["d", "x", "s", "c"], 2))
        self.assertEqual((len(sparse.head(99)["x"]), sparse.head(0)), (4, {"d": [], "x": [], "s": [], "c": []}))
        for wrong in (-1, True, "2"):
            self.assertRaises(ValueError, sparse.head, wrong)
        self.assertEqual((dense.columns, len(dense), bool(dense), bool(sparse)), (["row", "col", "v"], 4, True, True))
        self.assertRaisesRegex(TypeError, "count", len, sparse)
        sparse.attrs["unit"] = "m"
        self.assertEqual(sparse.metadata["unit"], "m")

    @support.needs("numpy")
    def test_dtype_is_that_of_the_cells(self):
        import numpy

        self.assertEqual(self.dense("dense").dtype, numpy.dtype("f8"))
        self.assertEqual(self.sparse("sparse").dtype, numpy.dtype([("x", "i4"), ("s", "O"), ("c", "O")]))
        with self.assertRaisesRegex(IndexError, "do not count from the end"):
            self.dense("other")[-1]

    @support.needs("polars", "pyarrow")
    def test_frames_and_files_become_arrays_by_functions_of_the_package(self):
        import polars

        tiledb_rs.from_polars(self.path("frame"), polars.DataFrame({"a": [1, 2]}))
        tiledb_rs.to_file(self.path("frame"), self.path("frame.csv"))
        self.assertEqual(tiledb_rs.from_file(self.path("frame.csv"), self.path("csv")).read("a").to_pydict(), {"a": [1, 2]})


if __name__ == "__main__":
    unittest.main()
