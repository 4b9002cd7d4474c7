"""What comes back is what was written, or the write is an error: numbers, times, texts, indexes, aggregates of nothing, failed creations."""

from __future__ import annotations

import datetime
import unittest

import support

import tiledb_rs
from tiledb_rs import Attribute, Datatype, Dimension, Enumeration, Group, Schema, TileDBError


def schema_of(dtype, **options) -> Schema:
    return Schema([Dimension("d", (0, 99))], [Attribute("a", dtype, **options)], sparse=True)


class Cells(support.LibraryTest):
    """Without other packages, and with them: lists."""

    def written(self, dtype, value, **options):
        array = tiledb_rs.create(self.path(f"array_{len(list(self.folder.iterdir()))}"), schema_of(dtype, **options))
        array.write({"d": [1], "a": [value]})
        return array.read("a").to_pydict()["a"][0]

    def test_a_cell_does_not_change_a_value(self):
        moment = datetime.datetime(2020, 1, 1, 5)
        for dtype, value, message in [
            ("FLOAT64", (1 << 60) + 1, "cell 0 of 'a' cannot be stored as FLOAT64, which rounds it: 1152921504606846977"),
            ("FLOAT32", (1 << 24) + 1, "cannot be stored as FLOAT32"),
            ("FLOAT32", 1e300, "out of range"),
            ("DATETIME_DAY", moment, "is not a whole number of units of DATETIME_DAY: 2020-01-01 05:00:00"),
            ("DATETIME_DAY", "2020-01-01T05:00", "is not a whole number of units of DATETIME_DAY: 2020-01-01T05:00"),
            ("DATETIME_HR", "2020-01-01 05:00:01Z", "DATETIME_HR"),
            ("DATETIME_MS", "2020-01-01T05:00:00.0001", "DATETIME_MS"),
            ("DATETIME_HR", moment.replace(second=1), "DATETIME_HR"),
            ("DATETIME_MS", moment.replace(microsecond=1), "DATETIME_MS"),
            ("TIME_SEC", datetime.timedelta(microseconds=5), "TIME_SEC"),
            ("STRING_UTF8", b"\xff", "is not UTF-8"),
            ("STRING_ASCII", b"\xff", "is not UTF-8"),
        ]:
            with self.subTest(dtype=dtype, value=value), self.assertRaisesRegex(ValueError, message):
                self.written(dtype, value)
        for dtype, value in [
            ("FLOAT64", 1 << 60),
            ("FLOAT32", 1 << 24),
            ("DATETIME_DAY", datetime.date(2020, 1, 1)),
            ("DATETIME_SEC", moment),
            ("DATETIME_MS", moment.replace(microsecond=1000)),
            ("TIME_SEC", datetime.timedelta(seconds=-5)),
            ("BLOB", b"\xff"),
        ]:
            with self.subTest(dtype=dtype, value=value):
                self.assertEqual(self.written(dtype, value), value)
        self.assertEqual(self.written("DATETIME_DAY", moment.replace(hour=0)), moment.date())
        for dtype, text, found in [
            ("DATETIME_DAY", " 2020-01-01T00:00:00.000 ", moment.date()),
            ("DATETIME_DAY", "2020-01", moment.date()),
            ("DATETIME_DAY", "18262", moment.date()),
            ("DATETIME_SEC", "2020-01-01T05:00", moment),
            ("DATETIME_MS", "2020-01-01T05:00:00.001000", moment.replace(microsecond=1000)),
            ("DATETIME_DAY", "NaT", None),
        ]:
            with self.subTest(dtype=dtype, text=text):
                self.assertEqual(self.written(dtype, text), found)
        self.assertEqual(self.written("STRING_UTF8", "ü".encode()), "ü")

    def test_values_within_a_cell(self):
        array = tiledb_rs.create(self.path(), schema_of("FLOAT32", values=2))
        with self.assertRaisesRegex(ValueError, "cell 0 of 'a' cannot be stored as FLOAT32, which rounds it: 16777217"):
            array.write({"d": [1], "a": [[0, (1 << 24) + 1]]})
        array.write({"d": [1], "a": [[0.1, 1 << 24]]})
        self.assertEqual(array.read("a").to_pydict()["a"][0][1], 1 << 24)
        days = tiledb_rs.create(self.path("days"), schema_of("DATETIME_DAY", values=2))
        with self.assertRaisesRegex(ValueError, "cell 0 of 'a' is not a whole number of units of DATETIME_DAY: 2020-01-01 05:00:00"):
            days.write({"d": [1], "a": [[datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5)]]})

    def test_conditions_and_ranges_do_not_round_times(self):
        array = tiledb_rs.create(self.path(), Schema([Dimension("t", ("1970-01-01", "1970-12-31"), dtype="DATETIME_DAY")], [Attribute("a", "DATETIME_HR")], sparse=True))
        array.write({"t": [0, 1], "a": ["1970-01-01T05:00", "1970-01-02"]})
        half, minute = datetime.datetime(1970, 1, 1, 12), datetime.datetime(1970, 1, 1, 5, 1)
        for call in (
            lambda: array.read(where="a < '1970-01-01T05:01'"),
            lambda: array.read(where="t == '1970-01-01 12:00'"),
            lambda: array.read(where=tiledb_rs.field("a") <= minute),
            lambda: array.read(where=tiledb_rs.field("t").isin([half])),
            lambda: array.read(ranges={"t": (half, None)}),
            lambda: array.read(ranges={"t": "1970-01-01T12:00"}),
            lambda: array.read(ranges={"t": slice(None, half)}),
        ):
            with self.assertRaisesRegex(ValueError, "(is not a whole number of units of|represented as a value of datatype) DATETIME_(DAY|HR)"):
                call()
        self.assertEqual(array.count("t >= '1970-01-02T00:00:00.000' and a == '1970-01-02 00:00Z'"), 1)

    def test_indexes_of_an_enumeration(self):
        options = {"nullable": True, "enumeration": Enumeration("e", ["x", "y"])}
        for value in (2, -1, 1 << 40):
            with self.subTest(value=value), self.assertRaisesRegex(ValueError, f"'a' has the index {value}, and its enumeration .* 0 to 1"):
                self.written("INT8", value, **options)
        self.assertEqual([self.written("INT8", value, **options) for value in (0, 1, None, "y")], ["x", "y", None, "y"])

    def test_aggregates_of_nothing(self):
        sparse, dense = self.sparse("s"), self.dense("d")
        names = ["min", "max", "mean", "sum"]
        nothing = dict.fromkeys(names)
        self.assertEqual(sparse.aggregate({"x": names, "d": names}, where="x > 1000"), {"x": nothing, "d": nothing})
        self.assertEqual(sparse.aggregate({"x": names}, ranges={"d": (60, 70)}), {"x": nothing})
        self.assertEqual(dense.aggregate({"v": names}, where="v > 1000"), {"v": nothing})
        self.assertEqual(dense.aggregate({"v": names}, where="v < 1"), {"v": {"min": 0.0, "max": 0.0, "mean": 0.0, "sum": 0.0}})
        self.assertEqual(sparse.aggregate({"x": ["count", "min"]}, where="x > 1000"), {"x": {"count": 0, "min": None}})
        mixed = Schema([Dimension("d", (0, 1))], [Attribute("t", "DATETIME_SEC"), Attribute("n", "INT32")])
        array = tiledb_rs.create(self.path("mixed"), mixed)
        array.write({"t": [5, 6], "n": [1, 0]})
        self.assertEqual(array.aggregate({"t": "min"}, where="t > 100"), {"t": {"min": None}})
        self.assertEqual(array.aggregate({"t": "min"}, where="n = 0"), {"t": {"min": datetime.datetime(1970, 1, 1, 0, 0, 6)}})
        for wrong in (None, 5, {"min"}):
            with self.assertRaisesRegex(TypeError, "aggregates of 'x' must be a name"):
                sparse.aggregate({"x": wrong})
        with self.assertRaisesRegex(TypeError, "filters must be a text"):
            Attribute("a", "INT8", filters=5)
        for wrong in (5, True):
            with self.assertRaisesRegex(TypeError, "fields must be the name of a field or a list"):
                sparse.read(wrong)

    def test_a_result_larger_than_memory(self):
        schema = Schema([Dimension("x", (0, 10**14), tile=1000)], [Attribute("a", "FLOAT64"), Attribute("s", str)])
        result = tiledb_rs.create(self.path(), schema).read()
        calls = [result.to_pydict, result.to_pylist]
        if support.importlib.util.find_spec("pandas"):
            calls.append(result.to_pandas)
        if support.importlib.util.find_spec("polars"):
            calls.append(result.to_polars)
        if support.importlib.util.find_spec("pyarrow"):
            calls.append(result.to_arrow)
        for call in calls:
            with self.subTest(call=call.__name__), self.assertRaisesRegex(MemoryError, "the result has 100000000000001 cells of at least 24 bytes"):
                call()

    def test_members_of_groups(self):
        import os

        group = Group.create(self.path("group"))
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        self.sparse("array")
        os.chdir(self.folder)
        opened = tiledb_rs.open("array")
        group.add(opened, "object")
        group.add("array", "text")
        os.chdir(here)
        self.assertEqual(group["object"].count(), 4)
        with self.assertRaisesRegex(TileDBError, "member 'text' of the group is neither an array nor a group: there is nothing at .*group/array"):
            group["text"]

    def test_deletion_of_fragments(self):
        with self.assertRaisesRegex(ValueError, "the timestamps begin after their end: 5 > 1"):
            self.sparse().delete_fragments(5, 1)

    def test_open_ended_ranges_of_texts(self):
        array = tiledb_rs.create(self.path(), Schema([Dimension("s", dtype=str)], [Attribute("a", "INT8")], sparse=True))
        with self.assertRaisesRegex(ValueError, r"where=field\('s'\) >= "):
            array.read(ranges={"s": ("b", None)})

    def test_what_cannot_be_pickled_says_so(self):
        import pickle

        array, group = self.sparse(), Group.create(self.path("group"))
        for one, message in [(array.read(), "a Result cannot be pickled"), (group, "a Group cannot be pickled")]:
            with self.assertRaisesRegex(TypeError, message):
                pickle.dumps(one)


@support.needs("numpy")
class Arrays(support.LibraryTest):
    def written(self, dtype, values, **options):
        array = tiledb_rs.create(self.path(f"array_{len(list(self.folder.iterdir()))}"), schema_of(dtype, **options))
        array.write({"d": list(range(len(values))), "a": values})
        return array.read("a", order="row-major").to_numpy()["a"]

    def test_a_cell_does_not_change_a_value(self):
        import numpy

        for dtype, values in [
            ("FLOAT32", numpy.array([1.0, 1e300])),
            ("FLOAT64", numpy.array([(1 << 60) + 1])),
            ("FLOAT64", numpy.array([(1 << 64) - 1], "u8")),
            ("FLOAT64", numpy.array([(1 << 63) - 1])),
            ("FLOAT32", numpy.array([(1 << 24) + 1], "i4")),
            ("DATETIME_NS", numpy.array(["2500-01-01"], "M8[s]")),
            ("DATETIME_NS", numpy.array(["2500-01-01", "NaT"], "M8[D]")),
            ("TIME_NS", numpy.array([1 << 40], "m8[s]")),
        ]:
            with self.subTest(dtype=dtype, values=values), self.assertRaisesRegex(ValueError, "a value of 'a' cannot be stored as"):
                self.written(dtype, values)
        for dtype, values in [
            ("FLOAT32", numpy.array([0.5, numpy.inf, numpy.nan])),
            ("FLOAT64", numpy.array([1 << 60, -(1 << 63)])),
            ("FLOAT64", numpy.array([1 << 63], "u8")),
            ("FLOAT32", numpy.array([-1, 1 << 15], "i4")),
            ("DATETIME_NS", numpy.array(["2200-01-01", "NaT"], "M8[s]")),
        ]:
            with self.subTest(dtype=dtype, values=values):
                numpy.testing.assert_array_equal(self.written(dtype, values), values)

    def test_ranges_and_cells_beyond_a_unit(self):
        import numpy

        day = Dimension("d", ("2000-01-01", "2099-12-31"), dtype="DATETIME_NS")
        array = tiledb_rs.create(self.path("times"), Schema([day], [Attribute("a", "INT8")], sparse=True))
        # In 64 bits the first would be in the year 2014.
        for wrong in (numpy.datetime64("-5000"), numpy.datetime64("9999999-01-01", "s")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(ValueError, "the range of dimension 'd' is out of range for the unit ns"):
                array.count(ranges={"d": wrong})
        self.assertEqual(array.count(ranges={"d": numpy.datetime64("2020-01-01", "h")}), 0)

    def test_indexes_of_an_enumeration(self):
        import numpy

        options = {"nullable": True, "enumeration": Enumeration("e", ["x", "y"])}
        for values in (numpy.array([0, 2]), numpy.array([-1], "i1"), numpy.ma.MaskedArray([0, 2], [True, False])):
            with self.subTest(values=values), self.assertRaisesRegex(ValueError, "has the index"):
                self.written("INT8", values, **options)
        found = self.written("INT8", numpy.ma.MaskedArray([1, 99], [False, True]), **options)
        self.assertEqual(found.tolist(), ["y", None])

    def test_indexes_are_no_booleans(self):
        import numpy

        with self.assertRaisesRegex(IndexError, "not by bool"):
            self.dense()[numpy.True_]

    def test_columns_of_another_type_say_what_to_do(self):
        import numpy

        with self.assertRaisesRegex(TypeError, r"must be UINT16, not float64: convert it with astype\('uint16'\), .* astype\('UInt16'\)"):
            self.written("UINT16", numpy.array([1.0]))
        self.assertEqual(len(self.written("INT16", numpy.array([]))), 0)

    def test_creation(self):
        import numpy

        pairs = numpy.array([(1, 2.5), (3, 4.5)], [("x", "i4"), ("y", "f8")])
        found = tiledb_rs.from_numpy(self.path("pairs"), pairs)[:]
        self.assertEqual({name: values.tolist() for name, values in found.items()}, {"x": [1, 3], "y": [2.5, 4.5]})
        for tile in (0, -1, 1.5, "x", [1.5], True):
            with self.subTest(tile=tile), self.assertRaisesRegex(ValueError, "tile must be a positive number of cells"):
                tiledb_rs.from_numpy(self.path("wrong"), numpy.zeros(4), tile=tile)
        for dtype in ("c16", "f2", "M8[25s]"):
            with self.subTest(dtype=dtype), self.assertRaisesRegex(TypeError, "column 'z' has values of the type"):
                tiledb_rs.from_numpy(self.path("wrong"), {"z": numpy.zeros(2, dtype)})


@support.needs("numpy", "polars")
class Series(support.LibraryTest):
    def test_nulls(self):
        import polars

        for at, (dtype, values) in enumerate(
            [("FLOAT64", [None, 0.5]), ("INT64", [None, (1 << 60) + 1]), ("UINT64", [(1 << 64) - 1, None]), ("BOOL", [None, True]), (str, ["a", None])]
        ):
            with self.subTest(dtype=dtype):
                array = tiledb_rs.create(self.path(f"array_{at}"), schema_of(dtype, nullable=True))
                column = polars.Series(values, dtype=polars.UInt64) if dtype == "UINT64" else polars.Series(values)
                array.write({"d": polars.Series([1, 2]), "a": column})
                self.assertEqual(array.read("a", order="row-major").to_pydict(), {"a": values})
        array = tiledb_rs.create(self.path("enumeration"), schema_of("INT8", nullable=True, enumeration=Enumeration("e", ["x", "y"])))
        array.write({"d": [1], "a": polars.Series([None], dtype=polars.Int64)})
        self.assertEqual(array.read("a").to_pydict(), {"a": [None]})


@support.needs("numpy", "pandas")
class Frames(support.LibraryTest):
    def test_times_that_pandas_has_not(self):
        import numpy

        for dtype, exact, wrong in (("DATETIME_PS", 5_000, 5_001), ("TIME_AS", -(10**9), 1), ("DATETIME_YEAR", 30, 1 << 60), ("DATETIME_HR", 1 << 40, 1 << 62)):
            array = tiledb_rs.create(self.path(dtype), schema_of(dtype))
            array.write({"d": [1, 2], "a": numpy.array([exact, numpy.iinfo("i8").min]).view(Datatype[dtype].numpy)})
            values = array.read("a").to_pandas()["a"].to_numpy()
            self.assertTrue(values[0] == array.read("a").to_numpy()["a"][0] and numpy.isnat(values[1]))
            array.write({"d": [1], "a": [wrong]})
            with self.subTest(dtype=dtype), self.assertRaisesRegex(ValueError, "field 'a' has .*, which pandas cannot express: use to_numpy"):
                array.read("a").to_pandas()

    def of(self, name="array", index=None, **columns):
        import pandas

        return tiledb_rs.from_pandas(self.path(name), pandas.DataFrame(columns), index=index)

    def test_missing_texts(self):
        import pandas

        for at, dtype in enumerate(("string", "object")):
            array = self.of(f"array_{at}", a=pandas.Series(["x", pandas.NA, ""], dtype=dtype))
            self.assertEqual(array.read("a").to_pydict(), {"a": ["x", None, ""]})

    @support.needs("pyarrow")
    def test_types_of_pyarrow(self):
        import pandas
        import pyarrow

        day = datetime.date(2020, 1, 2)
        for at, (type, values, found) in enumerate(
            [
                (pyarrow.string(), ["hello", None, "wörld"], None),
                (pyarrow.large_string(), ["hello", "w"], None),
                (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ["hello", None, "hello"], None),
                (pyarrow.binary(), [b"hello", None], None),
                (pyarrow.date32(), [day, None], None),
                (pyarrow.timestamp("us"), [datetime.datetime(2020, 1, 2), None], None),
                (pyarrow.duration("ms"), [datetime.timedelta(1), None], None),
                (pyarrow.bool_(), [True, None, False], None),
                (pyarrow.uint64(), [(1 << 64) - 1, None], None),
                (pyarrow.float32(), [0.5, None], None),
            ]
        ):
            with self.subTest(type=str(type)):
                column = pandas.Series(values, dtype=pandas.ArrowDtype(type))
                array = self.of(f"array_{at}", a=column)
                self.assertEqual(array.read("a").to_pydict()["a"], values)
                array.write(pandas.DataFrame({"a": column}))
                self.assertEqual(array.read("a").to_pydict()["a"], values)

    def test_numbers_of_objects(self):
        import pandas

        self.assertEqual(self.of(a=pandas.Series([(1 << 64) - 1, None], dtype=object)).read("a").to_pydict(), {"a": [(1 << 64) - 1, None]})
        with self.assertRaisesRegex(ValueError, "which rounds it"):
            self.of("mixed", a=pandas.Series([(1 << 60) + 1, 2.5], dtype=object))
        self.assertFalse(tiledb_rs.exists(self.path("mixed")))

    def test_columns_that_no_attribute_can_have(self):
        import decimal

        import pandas

        for at, values in enumerate(
            [
                pandas.period_range("2020-01", periods=2, freq="M"),
                pandas.interval_range(0, 2),
                pandas.Categorical(pandas.to_datetime(["2020-01-01", "2021-01-01"])),
                [decimal.Decimal(1), decimal.Decimal(2)],
                [[1], [2]],
                [{}, {}],
            ]
        ):
            with self.subTest(at=at), self.assertRaisesRegex(TypeError, "column 'z' has values of the type"):
                self.of(f"array_{at}", z=values)
        two = pandas.DataFrame([[1, 2]], columns=["a", "a"])
        with self.assertRaisesRegex(ValueError, "several columns have the name 'a'"):
            tiledb_rs.from_pandas(self.path("two"), two)
        array = self.of("one", a=[1])
        with self.assertRaisesRegex(ValueError, "several columns have the name 'a'"):
            array.write(two)
        with self.assertRaisesRegex(ValueError, "no column"):
            tiledb_rs.from_pandas(self.path("none"), pandas.DataFrame(index=[1, 2]))
        with self.assertRaisesRegex(TypeError, "named levels of the frame's index"):
            self.of("index", True, a=[1])
        with self.assertRaisesRegex(TypeError, "index must be the name of a column"):
            self.of("index", 5, a=[1])
        self.assertEqual(self.of("empty", c=pandas.Categorical([None, None])).read("c").to_pydict(), {"c": [None, None]})

    def test_index_without_a_name(self):
        import pandas

        days = pandas.date_range("2020", periods=2)
        for index in (days, ["x", "y"], [0.5, 1.5], pandas.MultiIndex.from_tuples([(1, 2), (3, 4)], names=["p", None])):
            frame = pandas.DataFrame({"a": [1, 2]}, index=index)
            with self.subTest(index=index), self.assertRaisesRegex(ValueError, "the index of the frame has no name, and would not be stored: name it"):
                tiledb_rs.from_pandas(self.path("wrong"), frame)
        for at, index in enumerate(([7, 3], pandas.RangeIndex(5, 7), pandas.Index([1, 2], dtype="uint8"))):
            array = tiledb_rs.from_pandas(self.path(f"array_{at}"), pandas.DataFrame({"a": [1, 2]}, index=index))
            self.assertEqual(array.read().to_pydict(), {"row": [0, 1], "a": [1, 2]})
        named = tiledb_rs.from_pandas(self.path("named"), pandas.DataFrame({"a": [1, 2]}, index=days.rename("day")))
        self.assertEqual(named.read(order="row-major").to_pandas(index=True).index.tolist(), days.tolist())
        for wanted, cells in ((days, [1, 2]), (days[1:], [2]), (pandas.Series(days[:1]), [1])):
            self.assertEqual(named.read("a", {"day": wanted}, order="row-major").to_pydict(), {"a": cells})
        levels = pandas.MultiIndex.from_tuples([(days[0], days[1])])
        with self.assertRaisesRegex(TypeError, "the range of dimension 'day'"):
            named.read(ranges={"day": levels})
        with self.assertRaisesRegex(ValueError, "a level of the frame's index and a column have the name 'a'"):
            tiledb_rs.from_pandas(self.path("wrong"), pandas.DataFrame({"a": [1]}, index=pandas.Index([2], name="a")))

    def test_a_column_called_row(self):
        array = self.of(row=[7, 8])
        self.assertEqual(array.read().to_pydict(), {"row_": [0, 1], "row": [7, 8]})

    def test_a_failed_creation_leaves_nothing(self):
        import pandas

        frame = pandas.DataFrame({"k": ["a", None], "v": [1, 2]})
        for at, profile in enumerate((None, "balanced")):
            with self.subTest(profile=profile):
                with self.assertRaises(ValueError):
                    tiledb_rs.from_pandas(self.path(f"array_{at}"), frame, index="k", profile=profile)
                self.assertFalse(tiledb_rs.exists(self.path(f"array_{at}")))
        # The error is after the sample.
        late = pandas.DataFrame({"k": range(70_001), "v": [1] * 70_000 + ["text"]})
        with self.assertRaises((TileDBError, TypeError, ValueError)):
            tiledb_rs.from_pandas(self.path("late"), late, index="k")
        self.assertFalse(tiledb_rs.exists(self.path("late")))
        folder = self.folder / "files"
        folder.mkdir()
        (folder / "mine.csv").write_text("1")
        with self.assertRaises(ValueError):
            tiledb_rs.from_pandas(str(folder), frame, index="k", profile=None)
        self.assertEqual((folder / "mine.csv").read_text(), "1")

    def test_metadata(self):
        import pandas

        array = self.of(a=[1])
        array.metadata.update(a=pandas.Timestamp("2020-01-02"), b=pandas.Timestamp("1970-01-01T00:00:00.000000005"), c=pandas.Timedelta(7, "ns"))
        self.assertEqual(dict(array.metadata), {"a": datetime.datetime(2020, 1, 2), "b": 5, "c": 7})
        with self.assertRaisesRegex(TypeError, "the value of 'n' must be"):
            array.metadata["n"] = pandas.NaT

    def test_nanoseconds(self):
        import pandas

        array = tiledb_rs.create(self.path(), schema_of("TIME_NS"))
        array.write({"d": [1], "a": [pandas.Timedelta(1_007, "ns")]})
        self.assertEqual(array.read("a").to_pydict(), {"a": [1_007]})
        coarse = tiledb_rs.create(self.path("coarse"), schema_of("DATETIME_US"))
        with self.assertRaisesRegex(ValueError, "is not a whole number of units"):
            coarse.write({"d": [1], "a": [pandas.Timestamp("1970-01-01T00:00:00.000000005")]})


@support.needs("pyarrow")
class Tables(support.LibraryTest):
    def test_chunks_with_different_dictionaries(self):
        import pyarrow

        chunks = [pyarrow.array(values).dictionary_encode() for values in (["a", "b"], ["c", None, "a"])]
        array = tiledb_rs.from_arrow(self.path(), pyarrow.table({"a": pyarrow.chunked_array(chunks), "row": [1, 2, 3, 4, 5]}))
        self.assertEqual(array.read(["a", "row"]).to_pydict(), {"a": ["a", "b", "c", None, "a"], "row": [1, 2, 3, 4, 5]})

    def test_streams_with_different_dictionaries(self):
        import pyarrow

        def stream(columns, ordered=False):
            indexes, kind = pyarrow.int8(), pyarrow.array(columns[0]).type
            batches = [
                pyarrow.record_batch(
                    {
                        "k": pyarrow.array(range(1000 * at, 1000 * at + len(values)), pyarrow.int64()),
                        "a": pyarrow.DictionaryArray.from_arrays(pyarrow.array(range(len(values)), indexes), pyarrow.array(values, kind), ordered=ordered),
                    }
                )
                for at, values in enumerate(columns)
            ]
            return pyarrow.RecordBatchReader.from_batches(batches[0].schema, iter(batches))

        many = [[f"{at}-{number}" for number in range(100)] for at in range(4)]
        floats = [[1.5, float("nan")], [float("nan"), 0.0, 1.5]]
        for at, columns in enumerate((many, [["b", "a"], ["a", "c"], []], floats, [[2, 1], [1, 3]])):
            for index in ("k", None):
                with self.subTest(at=at, index=index):
                    array = tiledb_rs.from_arrow(self.path(f"{at}{index}"), stream(columns), index=index)
                    self.assertEqual(list(map(str, array.read("a").to_pydict()["a"])), [str(one) for column in columns for one in column])
        wide = tiledb_rs.open(self.path("0k")).schema
        self.assertEqual((wide.field("a").dtype.name, len(wide.enumeration("a_values").values)), ("INT32", 400))

        grown = tiledb_rs.from_arrow(self.path("grown"), stream([["low"], ["low", "high"]], True))
        self.assertEqual(grown.schema.enumeration("a_values").values, ("low", "high"))
        with self.assertRaisesRegex(ValueError, "column 'a' has ordered dictionaries that differ"):
            tiledb_rs.from_arrow(self.path("ordered"), stream([["low", "high"], ["high", "low"]], True))
        self.assertFalse(tiledb_rs.exists(self.path("ordered")))

    def test_times_of_another_unit(self):
        import pyarrow

        second = 10**9
        units = {"WEEK": 604_800 * second, "DAY": 86_400 * second, "HR": 3_600 * second, "MIN": 60 * second, "SEC": second, "MS": 10**6, "US": 10**3, "NS": 1}
        fields = {f"DATETIME_{name}": own for name, own in units.items()}
        fields.update((f"TIME_{name}", own) for name, own in units.items() if name not in ("WEEK", "DAY"))
        for field, own in fields.items():
            array = tiledb_rs.create(self.path(field), schema_of(field, nullable=True))
            for unit, given in (("s", second), ("ms", 10**6), ("us", 10**3), ("ns", 1)):
                kind = pyarrow.timestamp(unit, "UTC") if field.startswith("DATETIME") else pyarrow.duration(unit)

                def table(cells, kind=kind):
                    return pyarrow.table({"d": range(4), "a": pyarrow.array(cells, kind)})

                with self.subTest(field=field, unit=unit):
                    nanoseconds = [None, 0, 5 * max(own, given), -max(own, given)]
                    array.write(table([None if one is None else one // given for one in nanoseconds]))
                    found = pyarrow.table(array.read("a"))["a"].combine_chunks().view(pyarrow.int64()).to_pylist()
                    self.assertEqual(found, [None if one is None else one // own for one in nanoseconds])
                    if own > given:
                        with self.assertRaisesRegex(TileDBError, "value 2 from row 0 on of column 'a' is 1, not a multiple of"):
                            array.write(table([None, 0, 1, 0]))
                    for extreme in (1 << 62, -(1 << 62)) if own < given else ():
                        with self.assertRaisesRegex(TileDBError, f"is {extreme}, not between -.* and "):
                            array.write(table([None, 0, 0, extreme]))
        for kind in (pyarrow.timestamp("s"), pyarrow.date32()):
            month = tiledb_rs.create(self.path(f"month {kind}"), schema_of("DATETIME_MONTH"))
            with self.assertRaisesRegex(TileDBError, "field 'a' is DATETIME_MONTH"):
                month.write(pyarrow.table({"d": [1], "a": pyarrow.array([0], kind)}))

    def test_indexes_of_an_enumeration(self):
        import pyarrow

        for nullable in (False, True):
            array = tiledb_rs.create(self.path(f"{nullable}"), schema_of("INT8", nullable=nullable, enumeration=Enumeration("e", ["x", "y"])))

            def table(indexes):
                return pyarrow.table({"d": list(range(len(indexes))), "a": pyarrow.array(indexes, "int8")})

            array.write(table([1, 0]))
            self.assertEqual(array.read("a").to_pydict()["a"], ["y", "x"])
            for wrong in (2, -1, 127):
                with self.assertRaisesRegex(TileDBError, f"row 1 of column 'a' has index {wrong} of enumeration 'e', which has 2 values"):
                    array.write(table([0, wrong]))
            if nullable:
                array.write(table([None, 1]))
                self.assertEqual(array.read("a").to_pydict()["a"], [None, "y"])

    def test_engines_do_not_make_something_else_of_values(self):
        import pyarrow
        from tiledb_rs._arrow import columns as arrow_columns

        for dtype, cells, kind in (
            ("DATETIME_MS", [1_577_836_800], "int64"),
            ("BOOL", [2], "int64"),
            ("BOOL", [0.5], "float64"),
            ("FLOAT32", [1e300], "float64"),
            ("INT64", ["5"], "string"),
            ("STRING_UTF8", [5], "int64"),
            ("STRING_UTF8", [True], "bool"),
            ("INT8", [300], "int64"),
            ("INT32", [1.5], "float64"),
            ("FLOAT64", [True], "bool"),
            ("UINT8", [-1], "int8"),
            ("INT64", [0], pyarrow.timestamp("s")),
            ("TIME_US", ["1"], "string"),
        ):
            array = tiledb_rs.create(self.path(f"{dtype}{kind}"), schema_of(dtype))
            table = pyarrow.table({"d": [1], "a": pyarrow.array(cells, kind)})
            with self.subTest(dtype=dtype, kind=kind), self.assertRaises((TypeError, ValueError)):
                arrow_columns.writable(table, pyarrow.schema(array), array.schema)
            with self.subTest(appended=dtype, kind=kind), self.assertRaises((TypeError, ValueError, TileDBError)):
                arrow_columns.append_to(array, table.to_reader())
            self.assertEqual(array.reopen().count(), 0)
        for dtype, cells, kind in (
            ("FLOAT32", [1.5, float("inf")], "float64"),
            ("INT8", [5, None], "int64"),
            ("STRING_UTF8", ["x", None], "string"),
            ("UINT64", [5, None], "int8"),
            ("TIME_NS", [5, None], "int64"),
            ("DATETIME_SEC", [5000, None], pyarrow.timestamp("ms")),
            ("FLOAT64", [5, None], "int32"),
        ):
            array = tiledb_rs.create(self.path(f"good {dtype}"), schema_of(dtype, nullable=True))
            array.write(arrow_columns.writable(pyarrow.table({"d": [1, 2], "a": pyarrow.array(cells, kind)}), pyarrow.schema(array), array.schema))
            self.assertEqual(array.count(), 2)

    @support.needs("duckdb", "polars")
    def test_appends_of_engines_take_literals(self):
        import pyarrow

        import tiledb_rs.duckdb

        table = pyarrow.table(
            {
                "k": [0],
                "n": pyarrow.array([10]).dictionary_encode(),
                "s": pyarrow.array(["a"]).dictionary_encode(),
                "l": pyarrow.array([[1, 2]]),
                "t": pyarrow.array([None], pyarrow.timestamp("ms")),
            }
        )
        array = tiledb_rs.from_arrow(self.path(), table, index="k")
        tiledb_rs.duckdb.write(array.uri, "SELECT 1 AS k, 10 AS n, 'a' AS s, [3, 4] AS l, DATE '2020-01-01' AS t", append=True)
        tiledb_rs.duckdb.write(array.uri, "SELECT 2 AS k, 10 AS n, NULL AS s, []::INTEGER[] AS l, NULL AS t", append=True) if array.schema.field("s").nullable else None
        self.assertEqual(array.reopen().read(["n", "s", "l", "t"], {"k": 1}).to_pydict(), {"n": [10], "s": ["a"], "l": [[3, 4]], "t": [datetime.datetime(2020, 1, 1)]})
        with self.assertRaisesRegex(TypeError, "column 's' of type int32 cannot be written to an enumeration"):
            tiledb_rs.duckdb.write(array.uri, "SELECT 1 AS k, 10 AS n, 0 AS s, [3, 4] AS l, NULL AS t", append=True)

    def test_nulls_in_dates_are_no_time(self):
        import pyarrow

        for field, kind in (("DAY", pyarrow.date32()), ("MS", pyarrow.timestamp("us")), ("NS", pyarrow.timestamp("ns")), ("YEAR", pyarrow.int64())):
            array = tiledb_rs.create(self.path(field), schema_of(f"DATETIME_{field}"))
            array.write(pyarrow.table({"d": [1, 2, 3], "a": pyarrow.array([None, 0, None], kind)}))
            found = pyarrow.table(array.read("a"))["a"].combine_chunks().view(pyarrow.int64()).to_pylist()
            self.assertEqual(found, [-(1 << 63), 0, -(1 << 63)])
            if field != "YEAR":
                again = tiledb_rs.create(self.path(f"{field} again"), array.schema)
                again.write(array.read().to_arrow())
                self.assertEqual(pyarrow.table(again.read("a")), pyarrow.table(array.read("a")))
        for dtype, kind in (("INT64", pyarrow.int64()), ("TIME_NS", pyarrow.time64("ns"))):
            array = tiledb_rs.create(self.path(dtype), schema_of(dtype))
            with self.assertRaisesRegex(TileDBError, "row 1 of column 'a' is null, but the field is not nullable"):
                array.write(pyarrow.table({"d": [1, 2], "a": pyarrow.array([0, None], kind)}))
        times = tiledb_rs.create(self.path("t"), Schema([Dimension("t", ("1970-01-01", "1970-12-31"), dtype="DATETIME_DAY")], [Attribute("a", int)], sparse=True))
        with self.assertRaisesRegex(TileDBError, "column 't' is null"):
            times.write(pyarrow.table({"t": pyarrow.array([None], pyarrow.date32()), "a": [1]}))

    def test_batches_that_differ_from_their_schema(self):
        import pyarrow

        first = pyarrow.record_batch({"a": pyarrow.array(["x"]).dictionary_encode()})
        others = [
            pyarrow.DictionaryArray.from_arrays(pyarrow.array([], "int32"), pyarrow.nulls(0)),
            pyarrow.nulls(2),
            pyarrow.array(["x"]),
            pyarrow.DictionaryArray.from_arrays(pyarrow.array([0], "int32"), pyarrow.nulls(1)),
        ]
        for at, other in enumerate(others):
            batch = pyarrow.record_batch({"a": other})
            with self.subTest(at=at):
                try:
                    tiledb_rs.from_arrow(self.path(str(at)), pyarrow.RecordBatchReader.from_batches(first.schema, iter([first, batch])))
                except (ValueError, TileDBError):
                    self.assertFalse(tiledb_rs.exists(self.path(str(at))))

    def test_a_failed_creation_releases_its_stream(self):
        import gc
        import weakref

        import pyarrow

        batch = pyarrow.record_batch({"a": [[["nested"]]]})
        reader = pyarrow.RecordBatchReader.from_batches(batch.schema, iter([batch]))
        reference = weakref.ref(batch)
        with self.assertRaises(TypeError):
            tiledb_rs.from_arrow(self.path(), reader)
        del batch, reader
        gc.collect()
        self.assertIsNone(reference())

    @support.needs("duckdb")
    def test_duckdb_after_a_failed_write(self):
        import duckdb

        import tiledb_rs.duckdb

        with duckdb.connect() as connection:
            with self.assertRaises(TypeError):
                tiledb_rs.duckdb.write(self.path("wrong"), "SELECT 1.5::DECIMAL(5, 2) AS a", connection=connection)
            array = tiledb_rs.duckdb.write(self.path(), "SELECT 1 AS a", connection=connection)
        self.assertEqual(array.count(), 1)


@support.needs("numpy", "xarray")
class Datasets(support.LibraryTest):
    def appended(self, first, later):
        import uuid

        import xarray

        import tiledb_rs.xarray

        uri = self.path(uuid.uuid4().hex)
        tiledb_rs.xarray.write(xarray.Dataset({"a": ("t", first)}), uri, extendable={"t": 10})
        tiledb_rs.xarray.append(xarray.Dataset({"a": ("t", later)}), uri, "t")
        return tiledb_rs.xarray.open(uri).a.values

    def test_appends(self):
        import numpy

        days = numpy.array(["2020-01-01", "2020-01-02"], "M8[ns]")
        for first, later, message in [
            (days, numpy.array(["2020-02-01T12:00"], "M8[ns]"), "need the units 'hours since 2020-01-01', and the array has 'days since"),
            (days - days[0], numpy.array([5], "m8[ns]"), "need the units 'nanoseconds', and the array has 'days'"),
            (days, numpy.array([5]), "has the dtype int64, and the array times"),
            # The encoding that xarray takes over from the array differs between its releases.
            (numpy.array([5]), days, "need the units|has the dtype datetime64.ns., and the array numbers"),
            (numpy.array([5]), numpy.array([1.5]), "and the array int64, which would round it|its encoding as int64 would store as 2"),
            (numpy.array([5], "i1"), numpy.array([300]), "cannot be stored as INT8: 300"),
            (numpy.array([True]), numpy.array([3]), "and the array bool"),
        ]:
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                self.appended(first, later)
        for first, later in [
            (days, numpy.array(["2021-01-01", "NaT"], "M8[ns]")),
            (numpy.array([5], "i1"), numpy.array([-3])),
            (numpy.array([0.5], "f4"), numpy.array([1.5])),
            (numpy.array([True]), numpy.array([False])),
        ]:
            with self.subTest(first=first):
                numpy.testing.assert_array_equal(self.appended(first, later), numpy.concatenate([first, later.astype(first.dtype)]))


@support.needs("numpy")
class Files(support.LibraryTest):
    def test_texts_among_several_attributes(self):
        import numpy

        import tiledb_rs.convert

        pairs = numpy.array([(1, "ä")], [("x", "i4"), ("s", "U3")])
        numpy.save(self.path("pairs.npy"), pairs)
        tiledb_rs.convert.from_file(self.path("pairs.npy"), self.path("pairs"))
        tiledb_rs.convert.to_file(self.path("pairs"), self.path("again.npy"))
        self.assertEqual(numpy.load(self.path("again.npy")).tolist(), [(1, "ä")])
        tiledb_rs.from_numpy(self.path(), {"s": numpy.array(["a", "b"]), "x": numpy.array([1, 2])})
        for ending in (".npz", ".npy"):
            target = self.path(f"file{ending}")
            with self.subTest(ending=ending), self.assertRaisesRegex(TypeError, "several attributes, of which s have texts or lists: np[yz] has no type"):
                tiledb_rs.convert.to_file(self.path(), target)
            import os

            self.assertFalse(os.path.exists(target))


if __name__ == "__main__":
    unittest.main()
