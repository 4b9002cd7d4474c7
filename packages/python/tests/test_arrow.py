"""Arrow: capsules, pyarrow, polars, pandas, and arrays from their tables."""

from __future__ import annotations

import ctypes
import datetime
import gc
import signal
import unittest
from unittest import mock

import support

import tiledb_rs
import tiledb_rs.convert
from tiledb_rs._native import capsule
from tiledb_rs._native.arrow_struct import ArrowArray, ArrowArrayStream, ArrowSchema, Batch, Node, Stream, move, release


class Capsules(support.LibraryTest):
    """Without pyarrow."""

    def setUp(self):
        super().setUp()
        gc.collect()
        capsule.sweep()
        self.handles = support.functions().tiledb_rs_live_handles()

    def test_never_consumed(self):
        array = self.sparse()
        result = array.read()
        for _ in range(10):
            stream, schema = result.__arrow_c_stream__(), result.__arrow_c_schema__()
            self.assertIn("arrow_array_stream", repr(stream))
            self.assertIn("arrow_schema", repr(schema))
        held = capsule.sweep()
        self.assertEqual(held, 2)
        del stream, schema
        self.assertEqual(capsule.sweep(), 0)
        del result, array
        gc.collect()
        self.assertLessEqual(support.functions().tiledb_rs_live_handles(), max(self.handles, 1))

    def test_deleted_results_release_their_capsules(self):
        result = self.sparse().read()
        result.__arrow_c_stream__()
        self.assertEqual(len(capsule._registry), 1)
        del result
        gc.collect()
        self.assertEqual(len(capsule._registry), 0)

    def test_consumed_and_consumed_twice(self):
        result = self.sparse().read("x")
        made = result.__arrow_c_stream__()
        raw = move(capsule.struct_in(made, capsule.STREAM))
        with self.assertRaisesRegex(ValueError, "already consumed"):
            capsule.struct_in(made, capsule.STREAM)
        del made
        capsule.sweep()
        stream = Stream(raw)
        self.assertEqual([len(batch) for batch in stream], [4])
        release(stream.raw)
        with self.assertRaisesRegex(ValueError, "already consumed or released"):
            stream.node()
        with self.assertRaisesRegex(ValueError, "already consumed or released"):
            list(stream)

    def test_a_capsule_outlives_everything(self):
        array = self.sparse()
        made = array.read("x").__arrow_c_stream__()
        array.close()
        del array
        gc.collect()
        capsule.sweep()
        stream = Stream(move(capsule.struct_in(made, capsule.STREAM)))
        self.assertEqual(sum(map(len, stream)), 4)

    def test_an_exception_is_not_replaced_by_that_of_a_destructor(self):
        def consumer(_capsule):
            raise LookupError("of the consumer")

        result = self.sparse().read()
        for _ in range(3):
            with self.assertRaisesRegex(LookupError, "of the consumer"):
                consumer(result.__arrow_c_stream__())
        with self.assertRaises(TypeError):
            len(result.__arrow_c_stream__())

    def test_batches_live_longer_than_their_stream(self):
        stream = self.sparse().read("x", batch_bytes=1).stream()
        batches = list(stream)
        node = stream.node().children[0]
        del stream
        gc.collect()
        from tiledb_rs._arrow import decode

        self.assertEqual([value for batch in batches for value in decode.column(node, decode.children(batch)[0])], [10, 20, 30, 500])

    def test_other_objects_are_refused(self):
        array = self.sparse()

        class Producer:
            def __init__(self, value):
                self.value = value

            def __arrow_c_stream__(self, requested_schema=None):
                return self.value

        class Broken:
            def __arrow_c_stream__(self, requested_schema=None):
                raise OSError("of the producer")

        schema = array.read().__arrow_c_schema__()
        for value in [None, 5, "text", schema, object(), b"arrow_array_stream"]:
            with self.subTest(value=value), self.assertRaises(TypeError):
                array.write(Producer(value))
        with self.assertRaisesRegex(OSError, "of the producer"):
            array.write(Broken())
        with self.assertRaises(ValueError):
            consumed = array.read().__arrow_c_stream__()
            release(capsule.struct_in(consumed, capsule.STREAM))
            array.write(Producer(consumed))

    def test_write_from_a_result_and_from_single_batches(self):
        source = self.sparse("source")
        copy = tiledb_rs.create(self.path("copy"), source.schema)
        seen = []
        self.assertEqual(copy.write(source.read(batch_bytes=1), progress=seen.append), 4)
        self.assertEqual(copy.read(order="C").to_pydict(), source.read(order="C").to_pydict())
        self.assertEqual(seen[-1], 4)

        class Single:
            def __init__(self, result):
                self.stream = result.stream()

            def __arrow_c_array__(self, requested_schema=None):
                batch = next(iter(self.stream))
                raw = move(batch.raw)
                return capsule.export(self.stream.schema(), capsule.SCHEMA), capsule.export(raw, capsule.ARRAY)

        other = tiledb_rs.create(self.path("other"), source.schema)
        self.assertEqual(other.write(Single(source.read())), 4)
        self.assertEqual(other.read(order="C").to_pydict(), source.read(order="C").to_pydict())

    def test_callbacks_of_a_write_stop_it_or_raise(self):
        source = self.sparse("source")
        copy = tiledb_rs.create(self.path("copy"), source.schema)

        def fail(cells):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            copy.write(source.read(), progress=fail, order="global")
        with self.assertRaises(tiledb_rs.TileDBError):
            copy.write(source.read(), progress=lambda cells: False, order="global")
        self.assertEqual(copy.count(), 0)
        self.assertEqual(copy.orphans(), [])

    def test_layout_of_structs(self):
        self.assertEqual([ctypes.sizeof(one) for one in (ArrowSchema, ArrowArray, ArrowArrayStream)], [72, 80, 40])
        self.assertTrue(issubclass(Batch, object) and issubclass(Node, object))


@support.needs("pyarrow")
class PyArrow(support.LibraryTest):
    def table(self):
        import pyarrow

        return pyarrow.table(
            {
                "id": pyarrow.array([3, 1, 2], "int64"),
                "name": ["x", None, "zz"],
                "at": pyarrow.array([1, 2, None], pyarrow.timestamp("ns")),
                "kind": pyarrow.array(["a", "b", "a"]).dictionary_encode(),
                "list": pyarrow.array([[1, 2], [], None], pyarrow.list_(pyarrow.int16())),
                "flag": [True, None, False],
                "blob": pyarrow.array([b"\0", b"", None]),
                "pair": pyarrow.array([[1.5, 2], [3, 4], [5, 6]], pyarrow.list_(pyarrow.float32(), 2)),
            }
        )

    def rows(self, table):
        return sorted(table.select(sorted(table.column_names)).to_pylist(), key=lambda row: row["id"])

    def test_there_and_back(self):
        import pyarrow

        table = self.table()
        for index, profile in [("id", "balanced"), ("id", None), (["id", "name"], "smallest"), (None, "fastest"), (None, None)]:
            if index == ["id", "name"]:
                table = table.set_column(1, "name", pyarrow.array(["x", "y", "zz"]))
            with self.subTest(index=index, profile=profile):
                uri = self.path(f"array_{index}_{profile}")
                array = tiledb_rs.from_arrow(uri, table, index=index, profile=profile, at=5)
                result = array.read()
                self.assertEqual(array.timestamp_range[0], 0)
                self.assertEqual(array.fragments()[0].timestamp_range, (5, 5))
                for found in [
                    pyarrow.table(result),
                    pyarrow.RecordBatchReader.from_stream(result).read_all(),
                    result.to_arrow(),
                    pyarrow.Table.from_batches(result.batches()),
                ]:
                    found = found.drop_columns(["row"]) if index is None else found
                    self.assertEqual(self.rows(found), self.rows(table))
                self.assertEqual(pyarrow.schema(result).names, list(result.fields))
                self.assertEqual(array.schema.sparse, index is not None)
                if index is None:
                    self.assertEqual(array.read("name").to_arrow()["name"].to_pylist(), table["name"].to_pylist())
                self.assertEqual(array.schema.enumeration("kind_values").values, ("a", "b"))

    def test_streams_and_batches_as_sources(self):
        import pyarrow

        table = self.table()
        batches = [table.slice(at, 1).combine_chunks().to_batches()[0] for at in range(3)]
        sources = {
            "reader": pyarrow.RecordBatchReader.from_batches(batches[0].schema, iter(batches)),
            "batch": table.combine_chunks().to_batches()[0],
            "chunks": pyarrow.Table.from_batches(batches),
        }
        for name, source in sources.items():
            with self.subTest(source=name):
                for index in ["id", None]:
                    if name == "reader" and index is None:
                        source = pyarrow.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
                    array = tiledb_rs.from_arrow(self.path(f"{name}_{index}"), source, index=index)
                    found = array.read().to_arrow()
                    self.assertEqual(self.rows(found.drop_columns(["row"]) if index is None else found), self.rows(table))

    def test_failing_streams(self):
        import pyarrow

        schema = pyarrow.schema([("id", pyarrow.int64()), ("v", pyarrow.int64())])

        def batches(count):
            for at in range(count):
                yield pyarrow.record_batch([[at], [at]], schema=schema)
            raise RuntimeError("of the source")

        for count in [0, 1, 3]:
            for index in ["id", None]:
                with self.subTest(count=count, index=index), self.assertRaisesRegex(RuntimeError, "of the source"):
                    tiledb_rs.from_arrow(self.path(f"a{count}{index}"), pyarrow.RecordBatchReader.from_batches(schema, batches(count)), index=index)
        empty = pyarrow.table({"id": pyarrow.array([], "int64"), "v": pyarrow.array([], "string")})
        self.assertEqual(tiledb_rs.from_arrow(self.path("empty"), empty, index="id").nonempty_domain(), None)

    def test_wrong_tables(self):
        import pyarrow

        table = self.table()
        for at, (data, options, error) in enumerate(
            [
                (table, {"index": "nothing"}, KeyError),
                (table, {"profile": "best"}, ValueError),
                (table["id"], {}, TypeError),
                ([1], {}, TypeError),
                (table, {"at": -1}, ValueError),
                (table, {"index": "list"}, (TypeError, tiledb_rs.TileDBError)),
                (table, {"index": "flag"}, TypeError),
                (table.select(["id"]), {"index": "id"}, ValueError),
                (pyarrow.table({"a": pyarrow.array([None])}), {}, TypeError),
                (pyarrow.table({"a": pyarrow.array([1], pyarrow.decimal128(5))}), {}, TypeError),
                (pyarrow.table({"a": [{"b": 1}]}), {}, TypeError),
                (pyarrow.table([[1], [2]], names=["a", "a"]), {}, ValueError),
                (pyarrow.table({"id": [1, None], "v": [1, 2]}), {"index": "id"}, tiledb_rs.TileDBError),
            ]
        ):
            with self.subTest(at=at), self.assertRaises(error):
                tiledb_rs.from_arrow(self.path(f"array_{at}"), data, **options)

    def test_writes(self):
        import pyarrow

        array = tiledb_rs.from_arrow(self.path(), self.table(), index="id", allows_duplicates=False)
        for data in [self.table(), self.table().to_batches()[0], self.table().slice(1, 1)]:
            array.write(data)
        self.assertEqual(self.rows(array.read().to_arrow()), self.rows(self.table()))
        for data, error in [
            (self.table().drop_columns(["blob"]), tiledb_rs.TileDBError),
            (self.table().append_column("z", [[1, 2, 3]]), tiledb_rs.TileDBError),
            (pyarrow.array([1]), (tiledb_rs.TileDBError, TypeError)),
            (self.table()["id"], (tiledb_rs.TileDBError, TypeError)),
        ]:
            with self.assertRaises(error):
                array.write(data)
        self.assertEqual(array.count(), 3)

    def test_invalid_text_is_an_error_that_names_it(self):
        array = self.sparse()
        wrong = {"d": [9], "x": [1], "s": [b"\xff"], "c": ["red"]}
        with self.assertRaisesRegex(ValueError, "cell 0 of 's' is not UTF-8"):
            array.write(wrong)
        # As another program writes it.
        with mock.patch("tiledb_rs._arrow.encode_lists._check_unchanged"):
            array.write(wrong)
        with self.assertRaisesRegex(Exception, "UTF-8"):
            array.read().to_arrow()
        with self.assertRaisesRegex(tiledb_rs.TileDBError, "UTF-8"):
            array.read().to_pylist()

    def test_handles_of_unfinished_readers(self):
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_stream(self.sparse().read(batch_bytes=1))
        first = reader.read_next_batch()
        gc.collect()
        del reader
        gc.collect()
        self.assertEqual(first["x"].to_pylist(), [10])

    def test_threads_that_share_a_stream_take_turns(self):
        import pyarrow

        schema = tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 99_999), tile=1000)], [tiledb_rs.Attribute("t", str)], sparse=True)
        array = tiledb_rs.create(self.path("shared"), schema)
        array.write({"d": list(range(100_000)), "t": [f"text {at}" for at in range(100_000)]})
        for _ in range(5):
            reader = pyarrow.RecordBatchReader.from_stream(array.read(batch_bytes=1 << 14))
            texts: list = []
            failures: list = []

            def read(reader=reader, texts=texts, failures=failures):
                try:
                    while True:
                        texts.extend(reader.read_next_batch().column("t").to_pylist())
                except StopIteration:
                    pass
                except Exception as error:
                    failures.append(error)

            support.in_threads(4, read)
            self.assertEqual(failures, [])
            self.assertEqual(sorted(texts), sorted(f"text {at}" for at in range(100_000)))

    def test_exceptions_of_the_program_end_a_write_as_they_are(self):
        import pyarrow

        schema = pyarrow.schema([("d", pyarrow.int64()), ("x", pyarrow.int64())])
        batch = pyarrow.record_batch([pyarrow.array([5, 6]), pyarrow.array([1, 2])], schema)

        def reader(fail, before):
            def batches():
                for _ in range(before):
                    yield batch
                fail()
                yield batch

            return pyarrow.RecordBatchReader.from_batches(schema, batches())

        def fails():
            raise LookupError("of the program")

        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        array = tiledb_rs.from_arrow(self.path("appended"), pyarrow.table([[1], [1]], schema), index="d")
        for name, fail, error in [("error", fails, LookupError), ("interrupt", lambda: signal.raise_signal(signal.SIGINT), KeyboardInterrupt)]:
            for before in range(3):
                with self.subTest(name=name, before=before):
                    with self.assertRaises(error):
                        tiledb_rs.from_arrow(self.path(name), reader(fail, before), index="d")
                    self.assertFalse(tiledb_rs.exists(self.path(name)))
                    with self.assertRaises(error):
                        array.write(reader(fail, before))
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_batches([batch]), self.path("in.parquet"))
        with mock.patch("tiledb_rs.convert._tables._stored", side_effect=lambda *_: signal.raise_signal(signal.SIGINT)), self.assertRaises(KeyboardInterrupt):
            tiledb_rs.convert.from_file(self.path("in.parquet"), self.path("converted"))
        self.assertFalse(tiledb_rs.exists(self.path("converted")))


@support.needs("pandas")
class Pandas(support.LibraryTest):
    def frame(self):
        import numpy
        import pandas

        return pandas.DataFrame(
            {
                "i": [1, 2, 3],
                "f": [0.5, numpy.nan, 2.5],
                "s": ["a", None, "c"],
                "n": pandas.array([1, None, 3], "Int16"),
                "b": pandas.array([True, None, False], "boolean"),
                "t": pandas.to_datetime(["2024-01-01T00:00:00.0", None, "1969-12-31T23:59:59.5"]),
                "k": pandas.Categorical(["x", "y", None], ["y", "x"], ordered=True),
                "z": pandas.to_datetime(["2024-01-01T00:00", "2024-01-02T12:00", "2024-01-03T00:00"]).tz_localize("Europe/Berlin"),
                "d": pandas.to_timedelta([1, 2, 3], "s"),
            }
        )

    def test_there_and_back(self):
        import pandas

        frame = self.frame()
        for index in [None, "i", ["i", "z"]]:
            with self.subTest(index=index):
                array = tiledb_rs.from_pandas(self.path(f"array_{index}"), frame, index=index)
                found = array.read(order="C").to_pandas()
                found = found.drop(columns="row") if index is None else found
                self.assertEqual(set(found.columns), set(frame.columns))
                for name in frame.columns:
                    expected = frame[name].dt.tz_convert("UTC").dt.tz_localize(None) if name == "z" else frame[name]
                    values = [[None if pandas.isna(one) else one for one in column] for column in (found[name], expected)]
                    self.assertEqual(*values, name)
                self.assertTrue(found["k"].cat.ordered)
                self.assertEqual(list(found["k"].cat.categories), ["y", "x"])
                self.assertEqual((str(found["n"].dtype), str(found["b"].dtype)), ("Int16", "boolean"))

    def test_texts_have_one_dtype_with_and_without_pyarrow(self):
        import pandas

        array = tiledb_rs.create(
            self.path(),
            tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 99))], [tiledb_rs.Attribute("s", str, nullable=True), tiledb_rs.Attribute("x", "INT32", nullable=True)], sparse=True),
        )
        for cells in ({}, {"d": [1, 2, 3], "s": ["ä", None, ""], "x": [1, None, 3]}):
            if cells:
                array.write(cells)
            frame = array.read(order="row-major").to_pandas()
            with mock.patch("tiledb_rs._arrow.pandas_io.installed", return_value=None):
                pandas.testing.assert_frame_equal(array.read(order="row-major").to_pandas(), frame)
            self.assertEqual(str(frame["s"].dtype), "str" if int(pandas.__version__.split(".")[0]) >= 3 else "object")
            self.assertEqual([None if one != one else one for one in frame["s"]], cells.get("s", []))

    def test_indexes(self):
        frame = self.frame()[["i", "s", "f"]]
        array = tiledb_rs.from_pandas(self.path("named"), frame.set_index("i"))
        self.assertEqual(array.read().to_pandas(index=True).index.name, "i")
        self.assertEqual([None if one != one else one for one in array.read().to_pandas(index="s").index], ["a", None, "c"])
        array.write(frame.set_index("i").rename(index={1: 10}))
        self.assertEqual(array.count(), 6)
        both = tiledb_rs.from_pandas(self.path("both"), frame.fillna({"s": "b"}).set_index(["i", "s"]), allows_duplicates=False)
        self.assertEqual([one.name for one in both.schema.dimensions], ["i", "s"])
        self.assertEqual(both.read("f", {"s": "c"}).to_pydict(), {"f": [2.5]})

    def test_wrong_frames(self):
        import pandas

        for at, (frame, options, error) in enumerate(
            [
                ([1], {}, TypeError),
                (pandas.DataFrame({0: [1]}), {}, TypeError),
                (pandas.DataFrame({"a": [1, "x"]}), {}, TypeError),
                (pandas.DataFrame({"a": [{}]}), {}, TypeError),
                (pandas.DataFrame({"a": [1]}), {"index": "b"}, KeyError),
                (pandas.DataFrame({"a": [1]}), {"profile": ""}, ValueError),
                (pandas.DataFrame({"a": [1, None], "b": [1, 2]}, dtype="Int64"), {"index": "a"}, ValueError),
            ]
        ):
            with self.subTest(at=at), self.assertRaises(error):
                tiledb_rs.from_pandas(self.path(f"array_{at}"), frame, **options)

    def test_empty_and_wide_results(self):
        array = self.sparse()
        self.assertEqual(list(array.read(where="x > 10000").to_pandas().columns), ["d", "x", "s", "c"])
        schema = tiledb_rs.Schema(
            [tiledb_rs.Dimension("d", (0, 9))],
            [
                tiledb_rs.Attribute("m", "INT8", values=2),
                tiledb_rs.Attribute("c", "CHAR", values=2, nullable=True),
                tiledb_rs.Attribute("y", "DATETIME_YEAR"),
                tiledb_rs.Attribute("p", "TIME_PS", nullable=True),
            ],
            sparse=True,
        )
        wide = tiledb_rs.create(self.path("wide"), schema)
        wide.write({"d": [1, 2], "m": [[1, 2], [3, 4]], "c": [b"a\0", None], "y": [54, 55], "p": [1000, None]})
        frame = wide.read(order="C").to_pandas()
        self.assertEqual([list(cell) for cell in frame["m"]], [[1, 2], [3, 4]])
        self.assertEqual(list(frame["c"]), [b"a\0", None])
        self.assertEqual([one.year for one in frame["y"]], [2024, 2025])
        self.assertEqual(frame["p"].isna().tolist(), [False, True])


@support.needs("polars")
class Polars(support.LibraryTest):
    def test_there_and_back(self):
        import polars

        frame = polars.DataFrame(
            {
                "id": [3, 1, 2],
                "s": ["x", None, "zz"],
                "k": polars.Series(["a", "b", "a"], dtype=polars.Categorical),
                "f": [1.5, None, float("inf")],
            }
        )
        array = tiledb_rs.from_arrow(self.path(), frame, index="id")
        found = array.read(order="C").to_polars()
        self.assertEqual(found["s"].to_list(), [None, "zz", "x"])
        self.assertEqual(found["k"].cast(polars.String).to_list(), ["b", "a", "a"])
        self.assertEqual(polars.DataFrame(array)["id"].to_list(), [1, 2, 3])
        array.write(found)
        self.assertEqual(array.count(), 6)


@support.needs("duckdb")
class DuckDB(support.LibraryTest):
    def test_scan(self):
        import duckdb

        array = self.sparse()
        cells = array.read(where="x > 10")  # noqa: F841
        self.assertEqual(duckdb.sql("select sum(x), count(*) from cells where d < 50").fetchall(), [(50, 2)])
        self.assertEqual(duckdb.sql("select sum(x) from cells").fetchall(), [(550,)])
        copy = tiledb_rs.from_arrow(self.path("copy"), duckdb.sql("select d, x * 2 as y from cells"), index="d")
        self.assertEqual(copy.read(order="C").to_pydict(), {"d": [2, 3, 50], "y": [40, 60, 1000]})


class Missing(support.LibraryTest):
    """Errors that name the package to install, whether it is installed or not."""

    def test_names(self):
        import sys

        array = self.sparse()
        for name, use in [
            ("pyarrow", lambda: array.read().to_arrow()),
            ("pyarrow", lambda: list(array.read().batches())),
            ("pandas", lambda: array.read().to_pandas()),
            ("polars", lambda: array.read().to_polars()),
            ("numpy", lambda: array.read().to_numpy()),
            ("numpy", lambda: self.dense("dense")[0]),
            ("pandas", lambda: tiledb_rs.from_pandas(self.path("p"), None)),
            ("numpy", lambda: tiledb_rs.from_numpy(self.path("n"), [1])),
        ]:
            with (
                self.subTest(name=name),
                mock.patch.dict(sys.modules, {name: None}),
                self.assertRaisesRegex(ImportError, f"needs the package {name}: pip install {name}"),
            ):
                use()


@support.needs("pyarrow", "numpy")
class Dates(support.LibraryTest):
    """Days are dates in tables and frames; NaT, which any attribute can have, is null."""

    NAT, DAYS = -(1 << 63), [datetime.date(2024, 2, 29), datetime.date(1600, 1, 1), None, datetime.date(9999, 12, 31)]

    def written(self, *numbers: int) -> tiledb_rs.Array:
        """Days in an attribute with nulls and in one without, lists of days, months."""
        attributes = [
            tiledb_rs.Attribute("day", "DATETIME_DAY"),
            tiledb_rs.Attribute("null", "DATETIME_DAY", nullable=True),
            tiledb_rs.Attribute("days", "DATETIME_DAY", var=True),
            tiledb_rs.Attribute("month", "DATETIME_MONTH"),
        ]
        dimensions = [tiledb_rs.Dimension("d", ("1500-01-01", "2100-01-01"), dtype="DATETIME_DAY")]
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema(dimensions, attributes, sparse=True, allows_duplicates=True))
        days = [number if number is not None else self.NAT for number in numbers]
        array.write({"d": ["1600-01-01"] * len(days), "day": days, "null": list(numbers), "days": [[number] for number in days], "month": [7] * len(days)})
        return array

    def test_tables(self):
        import pyarrow

        numbers = [None if day is None else (day - datetime.date(1970, 1, 1)).days for day in self.DAYS]
        array = self.written(*numbers)
        found = array.read(order="row-major").to_arrow()
        self.assertEqual([str(found.schema.field(name).type) for name in found.column_names], ["date32[day]"] * 3 + ["large_list<item: int64 not null>", "int64"])
        self.assertEqual((found["day"].to_pylist(), found["null"].to_pylist()), (self.DAYS, self.DAYS))
        self.assertEqual(found["d"].to_pylist(), [datetime.date(1600, 1, 1)] * 4)
        self.assertEqual(found.schema.field("day").metadata, {b"tiledb.datatype": b"DATETIME_DAY"})
        batches = list(array.read(["d", "null"], batch_bytes=64).batches())
        self.assertEqual(pyarrow.Table.from_batches(batches)["null"].to_pylist(), self.DAYS)
        self.assertEqual(batches[0].schema.types, [pyarrow.date32()] * 2)
        # The stream is that of the library.
        self.assertEqual(pyarrow.table(array.read("day"))["day"].to_pylist()[2], self.NAT)
        empty = array.read(["d", "day"], where="month = 8").to_arrow()
        self.assertEqual((empty.num_rows, empty.schema.types), (0, [pyarrow.date32()] * 2))

    def test_what_was_read_can_be_written(self):
        array = self.written(19_000, -5)
        self.assertEqual(array.write(array.read().to_arrow()), 2)
        self.assertEqual(sorted(array.reopen().read("null").to_pydict()["null"]), sorted([datetime.date(2022, 1, 8), datetime.date(1969, 12, 27)] * 2))
        again = tiledb_rs.from_arrow(self.path("again"), array.read(["d", "null"]).to_arrow(), index="d")
        self.assertEqual([again.schema.value_type(name).name for name in ("d", "null")], ["DATETIME_DAY"] * 2)

    def test_days_beyond_the_dates(self):
        array = self.written(1 << 40)
        with self.assertRaisesRegex(ValueError, "'day'.*beyond"):
            array.read("day").to_arrow()
        self.assertEqual(array.read("month").to_arrow()["month"].to_pylist(), [7])

    @support.needs("polars", "pandas")
    def test_frames(self):
        import pandas
        import polars

        array = self.written(*(None if day is None else (day - datetime.date(1970, 1, 1)).days for day in self.DAYS))
        frame = array.read(order="row-major").to_polars()
        self.assertEqual([frame.schema[name] for name in frame.columns], [polars.Date] * 3 + [polars.List(polars.Int64), polars.Int64])
        self.assertEqual((frame["day"].to_list(), frame["null"].to_list()), (self.DAYS, self.DAYS))
        found = array.read(["day", "null"], order="row-major").to_pandas()
        for name in ("day", "null"):
            self.assertEqual(str(found[name].dtype), "datetime64[s]")
            self.assertEqual([None if day is pandas.NaT else day.date() for day in found[name]], self.DAYS)
        far = tiledb_rs.open(array.uri)
        far.write({"d": ["1600-01-01"], "day": [1 << 40], "null": [0], "days": [[0]], "month": [0]})
        with self.assertRaisesRegex(ValueError, "field 'day' has 1099511627776 as DATETIME_DAY, which Date cannot express"):
            far.reopen().read("day").to_polars()


if __name__ == "__main__":
    unittest.main()
