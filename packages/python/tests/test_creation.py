"""Arrays from NumPy arrays; datatypes by name; doctests of the package."""

from __future__ import annotations

import contextlib
import datetime
import doctest
import importlib
import io
import os
import pkgutil
import re
import unittest
from unittest import mock

import support

import tiledb_rs
from tiledb_rs import Attribute, Datatype, Dimension, Schema
from tiledb_rs._arrays import creation
from tiledb_rs._arrow.inference import tiles_for


@support.needs("pyarrow")
class FromStream(support.LibraryTest):
    """Streams for dense arrays, in which small limits make every way of writing them occur."""

    def setUp(self) -> None:
        super().setUp()
        for name, limit in (("WRITE_BYTES", 1 << 16), ("COUNTED_BYTES", 1 << 18)):
            patch = mock.patch.object(creation, name, limit)
            patch.start()
            self.addCleanup(patch.stop)

    def table(self, rows: int):
        import pyarrow as pa

        numbers = range(rows)
        return pa.table(
            {
                "i": pa.array([None if one % 7 == 0 else one for one in numbers], pa.int32()),
                "s": pa.array([None if one % 5 == 0 else "t" * (one % 9) for one in numbers], pa.large_string()),
                "view": pa.array(["x" * (one % 30) for one in numbers], pa.string_view()),
                "list": pa.array([[1.0] * (one % 3) for one in numbers], pa.large_list(pa.float64())),
                "fixed": pa.array([b"abc" if one % 2 else b"xyz" for one in numbers], pa.binary(3)),
                "time": pa.array(numbers, pa.timestamp("us")),
            }
        )

    def test_streams_are_divided_at_tiles(self) -> None:
        import pyarrow as pa

        for at, (rows, tile, batch, known) in enumerate(
            [
                (1, None, 1, True),
                (20_000, 1_000, 333, True),
                (20_001, 1_000, 7_000, True),
                (19_999, 997, 50_000, True),
                (20_000, 1_000, 333, False),
                (20_001, 997, 1_001, False),
                (3_000, 100, 500, False),
            ]
        ):
            with self.subTest(rows=rows, tile=tile, batch=batch, known=known):
                table = self.table(rows)
                stream = pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(max_chunksize=batch)))
                array = tiledb_rs.from_arrow(self.path(f"array_{at}"), stream, tile=tile, rows=rows if known else None)
                self.assertEqual(array.schema.shape, (rows,))
                rows_read = array.read().to_arrow()
                for name in table.column_names:
                    self.assertEqual(rows_read[name].to_pylist(), table[name].to_pylist(), name)
                self.assertLessEqual(len(array.fragments()), 2)

    def test_streams_are_not_taken_into_memory(self) -> None:
        import pyarrow as pa

        text, count = "x" * 100, 200
        batch = pa.record_batch({"s": [text] * 1_000})
        schema, before, peak = batch.schema, pa.total_allocated_bytes(), 0

        def batches():
            nonlocal peak
            for _ in range(count):
                yield pa.record_batch({"s": [text] * 1_000})
                peak = max(peak, pa.total_allocated_bytes() - before)

        for name, rows in (("known", 1_000 * count), ("counted", None)):
            peak = 0
            array = tiledb_rs.from_arrow(self.path(name), pa.RecordBatchReader.from_batches(schema, batches()), rows=rows, tile=1_000)
            self.assertEqual(array.schema.shape, (1_000 * count,))
            self.assertLess(peak, 4 << 20, f"of {batch.nbytes * count} bytes")

    def test_another_number_of_rows_than_announced_is_an_error(self) -> None:
        import pyarrow as pa

        table = self.table(10_000)
        for rows in (1, 999, 9_999, 9_000, 10_001, 11_000, 12_345):
            with self.subTest(rows=rows):
                stream = pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(max_chunksize=300)))
                with self.assertRaises(tiledb_rs.TileDBError):
                    tiledb_rs.from_arrow(self.path(), stream, rows=rows, tile=1_000)
                self.assertIsNone(tiledb_rs.object_type(self.path()))
        for rows in ("1", True, -1, 1.0):
            with self.subTest(rows=rows), self.assertRaises(TypeError):
                tiledb_rs.from_arrow(self.path(), table, rows=rows)


@support.needs("numpy")
class FromNumpy(support.LibraryTest):
    def test_dense(self):
        import numpy

        cube = numpy.arange(24, dtype="u2").reshape(2, 3, 4)
        for at, options in enumerate(
            [
                {},
                {"tile": 1},
                {"tile": (1, 2, 3)},
                {"dimensions": ["a", "b", "c"], "name": "v"},
                {"profile": "smallest"},
                {"profile": None, "at": 7},
            ]
        ):
            with self.subTest(options=options):
                array = tiledb_rs.from_numpy(self.path(f"array_{at}"), cube, **options)
                self.assertTrue((array[...] == cube).all())
                self.assertEqual(array.schema.attributes[0].name, options.get("name", "value"))
        both = tiledb_rs.from_numpy(self.path("both"), {"x": cube, "y": numpy.asfortranarray(cube * 0.5)})
        self.assertTrue((both[1, 1]["y"] == cube[1, 1] * 0.5).all())
        masked = tiledb_rs.from_numpy(self.path("masked"), numpy.ma.MaskedArray([1, 2], [True, False]))
        self.assertEqual(masked[:].tolist(), [None, 2])
        texts = tiledb_rs.from_numpy(self.path("texts"), numpy.array([["a", "bb"], ["", "ü"]]))
        self.assertEqual(texts[:].tolist(), [["a", "bb"], ["", "ü"]])
        large = tiledb_rs.from_numpy(self.path("large"), numpy.arange(300_000.0).reshape(1000, 300))
        self.assertEqual(large[999, 299], 299_999.0)
        self.assertLess(large.schema.dimensions[0].tile, 1000)

    def test_sparse(self):
        import numpy

        data = {
            "id": numpy.array([3, 1]),
            "day": numpy.array(["2024-01-01", "2024-01-02"], "M8[D]"),
            "v": numpy.array([1.5, 2.5], "f4"),
        }
        array = tiledb_rs.from_numpy(self.path(), data, index=["day", "id"])
        self.assertEqual(
            array.read(order="C").to_pydict(),
            {"day": [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], "id": [3, 1], "v": [1.5, 2.5]},
        )
        self.assertEqual(array.read("v", {"day": "2024-01-02"}).to_pydict(), {"v": [2.5]})

    def test_wrong_arrays(self):
        import numpy

        for at, (data, options, error) in enumerate(
            [
                (numpy.array(5), {}, ValueError),
                (numpy.array([1j]), {}, TypeError),
                ({"a": numpy.zeros(2), "b": numpy.zeros(3)}, {}, ValueError),
                ({}, {}, ValueError),
                (numpy.zeros((2, 2)), {"dimensions": ["a"]}, ValueError),
                (numpy.zeros((2, 2)), {"tile": (1,)}, ValueError),
                ({"a": numpy.zeros(2)}, {"index": "a"}, ValueError),
                ({"a": numpy.zeros(2)}, {"index": "b"}, KeyError),
                (numpy.array([None, {}]), {}, TypeError),
                (numpy.array([1, "a"], object), {}, TypeError),
                (numpy.zeros(2), {"profile": 5}, ValueError),
            ]
        ):
            with self.subTest(at=at), self.assertRaises(error):
                tiledb_rs.from_numpy(self.path(f"array_{at}"), data, **options)


@support.needs("numpy", "pandas", "pyarrow")
class NoRows(support.LibraryTest):
    """A dense array has at least one cell, which nobody would have written."""

    def test_dense_arrays_are_refused(self):
        import numpy
        import pandas
        import pyarrow

        table = pyarrow.table({"a": pyarrow.array([], "int32"), "b": pyarrow.array([], "string")})
        for at, call in enumerate(
            [
                lambda uri: tiledb_rs.from_arrow(uri, table),
                lambda uri: tiledb_rs.from_arrow(uri, table.to_reader()),
                lambda uri: tiledb_rs.from_arrow(uri, pyarrow.table({"a": pyarrow.chunked_array([[], []], "int32")}), profile=None),
                lambda uri: tiledb_rs.from_pandas(uri, table.to_pandas()),
                lambda uri: tiledb_rs.from_pandas(uri, pandas.DataFrame({"a": [1]}).head(0), profile=None),
                lambda uri: tiledb_rs.from_numpy(uri, numpy.zeros(0)),
                lambda uri: tiledb_rs.from_numpy(uri, numpy.zeros((3, 0, 2))),
                lambda uri: tiledb_rs.from_numpy(uri, {"a": numpy.zeros((0, 2)), "b": numpy.zeros((0, 2))}),
            ]
        ):
            with self.subTest(at=at):
                with self.assertRaisesRegex(ValueError, "no cells.*index.*create"):
                    call(self.path())
                self.assertEqual(os.listdir(self.folder), [])

    def test_sparse_arrays_are_empty(self):
        import numpy
        import pyarrow

        table = pyarrow.table({"a": pyarrow.array([], "int32"), "b": pyarrow.array([], "string"), "c": pyarrow.array([], "date32")})
        frame = table.to_pandas()
        frame["b"] = frame["b"].astype(str)
        for at, (create, names) in enumerate(
            [
                (lambda uri: tiledb_rs.from_arrow(uri, table, index=["a"]), ["a", "b", "c"]),
                (lambda uri: tiledb_rs.from_pandas(uri, frame[["a", "b"]], index=["a"]), ["a", "b"]),
                (lambda uri: tiledb_rs.from_pandas(uri, frame[["a", "b"]].set_index("a")), ["a", "b"]),
                (lambda uri: tiledb_rs.from_numpy(uri, {"a": numpy.zeros(0, "i4"), "b": numpy.zeros(0)}, index="a"), ["a", "b"]),
            ]
        ):
            with self.subTest(at=at):
                array = create(self.path(f"array_{at}"))
                self.assertEqual(array.read().to_pydict(), {name: [] for name in names})
                self.assertEqual((array.nonempty_domain(), array.count(), array.read().to_arrow().num_rows), (None, 0, 0))
                array.write({"a": [5], "b": [1.5 if at == 3 else "x"], **({"c": [None]} if at == 0 else {})})
                self.assertEqual(array.count(), 1)


@support.needs("pyarrow")
class Dimensions(support.LibraryTest):
    def test_the_schema_of_any_index_makes_another_array(self):
        import pyarrow

        kinds = [
            pyarrow.int8(),
            pyarrow.int16(),
            pyarrow.int32(),
            pyarrow.int64(),
            pyarrow.uint8(),
            pyarrow.uint16(),
            pyarrow.uint32(),
            pyarrow.uint64(),
            pyarrow.float32(),
            pyarrow.float64(),
            pyarrow.date32(),
            pyarrow.timestamp("s"),
            pyarrow.timestamp("ns"),
            pyarrow.duration("us"),
            pyarrow.string(),
        ]
        for kind in kinds:
            cells = ["a", "b"] if kind == pyarrow.string() else [1, 2]
            with self.subTest(kind=kind):
                array = tiledb_rs.from_arrow(self.path(f"{kind}"), pyarrow.table({"k": pyarrow.array(cells, kind), "v": [1, 2]}), index="k")
                other = tiledb_rs.create(self.path(f"{kind} again"), array.schema)
                self.assertEqual(other.schema, array.schema)
                other.write(array.read())
                self.assertEqual(other.read().to_pylist(), array.read().to_pylist())
                array.rewrite(self.path(f"{kind} rewritten"), array.schema)

    def test_rows_without_a_bound(self):
        """A dense array to which rows are appended has a domain that no memory holds: its cells count."""
        schema = Schema([Dimension("row", (0, (1 << 63) - 20_000), tile=10_000)], [Attribute("a", int)])
        array = tiledb_rs.create(self.path(), schema)
        for call in (array.read, array.count, lambda: array.write({"a": [1]}), lambda: array.partitions(2)):
            with self.assertRaisesRegex(ValueError, "the array has no cells, and its dimension 'row' no bound: give a range of it"):
                call()
        for start, stop in ((3, 6), (6, 10)):
            array.write({"a": list(range(start, stop))}, region={"row": (start, stop - 1)})
        self.assertEqual((array.shape, array.read("a").to_pydict()["a"], array.count()), ((7,), list(range(3, 10)), 7))
        self.assertEqual(sum((part.read("a").to_pydict()["a"] for part in array.partitions(3)), []), list(range(3, 10)))
        self.assertEqual(array.read("a", ranges={"row": (5, None)}).to_pydict()["a"], list(range(5, 10)))
        self.assertEqual(array.schema.dimensions[0].domain, schema.dimensions[0].domain)
        self.assertEqual(len(array.read("a", ranges={"row": (8, 11)}).to_pydict()["a"]), 4)

    def test_extents_that_overflowed(self):
        """libtiledb stores -1 for one tile of all 32-bit integers, and infinity for one of all floating-point numbers."""
        wide = Dimension("d", (-(1 << 31), (1 << 31) - 2), dtype="INT32")
        array = tiledb_rs.create(self.path(), Schema([wide], [Attribute("a", int)], sparse=True))
        self.assertIsNone(array.schema.dimensions[0].tile)
        tiledb_rs.create(self.path("again"), array.schema)


@support.needs("pyarrow")
class Lists(support.LibraryTest):
    def test_lists_that_no_attribute_can_have(self):
        import pyarrow

        string = pyarrow.string()
        for at, kind in enumerate(
            [
                pyarrow.list_(string),
                pyarrow.large_list(pyarrow.large_string()),
                pyarrow.list_(string, 2),
                pyarrow.list_(pyarrow.string_view()),
                pyarrow.list_(pyarrow.binary()),
                pyarrow.list_(pyarrow.binary(2)),
                pyarrow.list_(pyarrow.list_(pyarrow.int32())),
                pyarrow.list_(pyarrow.struct([("x", pyarrow.int32())])),
                pyarrow.list_(pyarrow.dictionary(pyarrow.int8(), string)),
                pyarrow.struct([("x", pyarrow.int32())]),
                pyarrow.map_(string, pyarrow.int32()),
                pyarrow.dictionary(pyarrow.int8(), pyarrow.list_(pyarrow.int32())),
            ]
        ):
            for profile in ("balanced", None):
                for index in (None, "d"):
                    with self.subTest(kind=str(kind), profile=profile, index=index):
                        table = pyarrow.table({"d": [1, 2], "tags": pyarrow.nulls(2, kind)})
                        with self.assertRaisesRegex(TypeError, "'tags'"):
                            tiledb_rs.from_arrow(self.path(), table, index=index, profile=profile)
                        self.assertEqual(os.listdir(self.folder), [])

    def test_lists_of_values_of_fixed_size(self):
        import pyarrow

        for at, (kind, cells) in enumerate(
            [
                (pyarrow.list_(pyarrow.int32()), [[1, 2], []]),
                (pyarrow.large_list(pyarrow.bool_()), [[True], [False, True]]),
                (pyarrow.list_(pyarrow.float32(), 2), [[1.5, 2.5], [0.0, -1.0]]),
                (pyarrow.list_(pyarrow.date32()), [[datetime.date(2024, 1, 1)], []]),
                (pyarrow.list_(pyarrow.timestamp("us")), [[datetime.datetime(2024, 1, 1, 5)], []]),
            ]
        ):
            with self.subTest(kind=str(kind)):
                array = tiledb_rs.from_arrow(self.path(f"array_{at}"), pyarrow.table({"v": pyarrow.array(cells, kind)}))
                self.assertEqual(array.read("v").to_pydict()["v"], cells)


class Datatypes(unittest.TestCase):
    def test_names(self):
        for value, name in [
            ("int32", "INT32"),
            ("INT32", "INT32"),
            ("i4", "INT32"),
            ("<i4", "INT32"),
            ("str", "STRING_UTF8"),
            ("ascii", "STRING_ASCII"),
            ("datetime64[ns]", "DATETIME_NS"),
            ("M8[D]", "DATETIME_DAY"),
            ("timedelta64[ms]", "TIME_MS"),
            (int, "INT64"),
            (float, "FLOAT64"),
            (bool, "BOOL"),
            (str, "STRING_UTF8"),
            (bytes, "BLOB"),
            (datetime.date, "DATETIME_DAY"),
            (Datatype.BLOB, "BLOB"),
            ("bool", "BOOL"),
            ("uint8", "UINT8"),
            ("?", "BOOL"),
        ]:
            self.assertEqual(Datatype.of(value).name, name, value)
        for value in ["nothing", "", "complex64", object, None, 5, [], "M8", "f16", "U5\0"]:
            with self.subTest(value=value), self.assertRaises(TypeError):
                Datatype.of(value)

    @support.needs("numpy")
    def test_numpy_types(self):
        import numpy

        for value, name in [
            (numpy.int8, "INT8"),
            (numpy.dtype(">u4"), "UINT32"),
            (numpy.dtype("U5"), "STRING_UTF8"),
            (numpy.dtype("S5"), "CHAR"),
            (numpy.float32, "FLOAT32"),
            (numpy.dtype("M8[as]"), "DATETIME_AS"),
            (numpy.dtype("V4"), "BLOB"),
            (numpy.bool_, "BOOL"),
            (numpy.str_, "STRING_UTF8"),
            (numpy.dtype("m8[h]"), "TIME_HR"),
        ]:
            self.assertEqual(Datatype.of(value).name, name, value)
        for value in [numpy.dtype("f2"), numpy.dtype("c8"), numpy.dtype("O"), numpy.dtype([("a", "i4")]), numpy.dtype("M8")]:
            with self.subTest(value=value), self.assertRaises(TypeError):
                Datatype.of(value)

    def test_dates_agree_with_the_standard_library(self):
        from tiledb_rs import Datatype
        from tiledb_rs._model import moments

        for text in [
            "2024-02-29",
            "1600-03-01",
            "0001-01-01",
            "9999-12-31",
            "1969-12-31T23:59:59.999999",
            "2024-05-31 12:30:15.25",
        ]:
            parsed = datetime.datetime.fromisoformat(text.replace(".25", ".250000"))
            units = (parsed - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
            self.assertEqual(moments.parse(Datatype.DATETIME_US, text), units)
            self.assertEqual(moments.value("us", "datetime", units), parsed)
        for text, datatype in [
            ("2024-13-01", Datatype.DATETIME_DAY),
            ("2023-02-29", Datatype.DATETIME_DAY),
            ("x", Datatype.DATETIME_DAY),
            ("", Datatype.DATETIME_DAY),
            ("2024\0", Datatype.DATETIME_DAY),
            ("2024-1-2-3", Datatype.DATETIME_DAY),
            ("2024-01-01T25", Datatype.DATETIME_SEC),
            ("2024-01-01T1:2:3:4", Datatype.DATETIME_SEC),
            ("9" * 30, Datatype.DATETIME_DAY),
            ("300000-01-01", Datatype.DATETIME_AS),
        ]:
            self.assertIsNone(moments.parse(datatype, text), text)
        for text, milliseconds in [
            ("2024", 1_704_067_200_000),
            ("2024-01-01T00:00:00.123456", 1_704_067_200_123),
            ("2024-01-01T00:00:00.123456789", 1_704_067_200_123),
            ("2024-01-01T02:00+02:00", 1_704_067_200_000),
            ("1704067200000", 1_704_067_200_000),
        ]:
            self.assertEqual(moments.milliseconds(text), milliseconds, text)

    def test_schemas_as_json_come_back(self):
        schema = tiledb_rs.Schema(
            [tiledb_rs.Dimension("day", ("1990-01-01", "2100-01-01"), tile=30, dtype="DATETIME_DAY")],
            [
                tiledb_rs.Attribute("a", "FLOAT32", fill=0.5, filters="ZSTD(5)"),
                tiledb_rs.Attribute("b", "INT8", enumeration=tiledb_rs.Enumeration("e", ["x", "y"])),
            ],
            sparse=True,
            capacity=7,
        )
        same = tiledb_rs.Schema.from_json(schema.to_json())
        self.assertEqual(same.to_json(), schema.to_json())
        self.assertEqual((same.names, same.capacity, same.enumerations[0].values), (["day", "a", "b"], 7, ("x", "y")))
        with self.assertRaisesRegex(tiledb_rs.TileDBError, r"schema\.array_type is missing"):
            tiledb_rs.Schema.from_json("{}")

    def test_tiles(self):
        self.assertEqual(tiles_for([10, 10], 8), (10, 10))
        self.assertEqual(tiles_for([0], 8), (1,))
        for shape in [(10_000_000,), (3, 1 << 40), (1000, 1000, 1000)]:
            extents = tiles_for(shape, 8)
            cells = 1
            for extent in extents:
                cells *= extent
            self.assertTrue(1 << 14 <= cells * 8 <= 1 << 20, extents)


GUIDE = support.ROOT / "docs" / "python.md"


@unittest.skipUnless(GUIDE.is_file(), "the guide is not here")
@support.needs("numpy", "pandas", "pyarrow", "polars")
class Guide(support.LibraryTest):
    def test_every_example(self):
        """The examples of docs/python.md print what the page says, one after the other."""
        text = GUIDE.read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 10)
        for block in blocks:
            self.assertTrue(block.startswith(">>> "), block)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        found = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", str(GUIDE), 0)
        printed = io.StringIO()
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(found, out=printed.write)
        self.assertEqual(result.failed, 0, printed.getvalue())
        self.assertGreater(result.attempted, 40)

    def test_every_function_is_described(self):
        text = GUIDE.read_text(encoding="utf-8") + (support.ROOT / "docs" / "packages.md").read_text(encoding="utf-8")
        for name in tiledb_rs.__all__:
            self.assertRegex(text, rf"\b{name}\b")


README = support.ROOT / "README.md"


@unittest.skipUnless(README.is_file(), "the README is not here")
@support.needs("numpy")
class Readme(support.LibraryTest):
    def test_first_program(self):
        """The program in the README prints what is written below it."""
        text = README.read_text(encoding="utf-8").split("## First program")[1]
        program, expected = re.search(r"^```python\n(.*?)^```$.*?^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE).groups()
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, {})  # noqa: S102
        self.assertEqual(printed.getvalue(), expected)


@unittest.skipUnless(support.HAS_LIBRARY, "there is no library")
class Documentation(unittest.TestCase):
    def test_examples_of_private_functions(self):
        """Those of public names are run by test_docstrings.py, with an array."""
        from test_docstrings import public_names

        # `Scan` is a name of modules that need other packages.
        public = {"Scan", *(one.__qualname__ for one, _ in public_names().values())}
        runner, finder = doctest.DocTestRunner(), doctest.DocTestFinder()
        for module in pkgutil.walk_packages(tiledb_rs.__path__, "tiledb_rs."):
            if module.name == "tiledb_rs.__main__":
                continue
            try:
                imported = importlib.import_module(module.name)
            except ImportError as error:
                # Modules for another package say which one to install.
                self.assertIn("pip install", str(error), module.name)
                continue
            for example in finder.find(imported, module.name):
                if example.name[len(module.name) + 1 :] not in public:
                    self.assertEqual(runner.run(example).failed, 0, example.name)

    def test_everything_public_is_described(self):
        for name in tiledb_rs.__all__:
            one = getattr(tiledb_rs, name)
            self.assertTrue(one.__doc__, name)
            for method, function in vars(one).items() if isinstance(one, type) else []:
                inherited = any(hasattr(base, method) for base in one.__mro__[1:])
                if not method.startswith("_") and callable(function) and not inherited and name != "Datatype":
                    self.assertTrue(function.__doc__, f"{name}.{method}")

    def test_everything_public_is_annotated(self):
        import inspect

        for name in tiledb_rs.__all__:
            one = getattr(tiledb_rs, name)
            functions = [one] if inspect.isfunction(one) else [function for function in vars(one).values() if inspect.isfunction(function)]
            for function in functions:
                if function.__module__.startswith("tiledb_rs") and not function.__name__.startswith("__"):
                    missing = [key for key in inspect.signature(function).parameters if key not in function.__annotations__ and key not in ("self", "cls")]
                    self.assertEqual(missing, [], f"{name}.{function.__name__}")
                    self.assertIn("return", function.__annotations__, f"{name}.{function.__name__}")


if __name__ == "__main__":
    unittest.main()
