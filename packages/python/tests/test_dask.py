"""Dask: data frames and arrays on worker processes, some of which are killed."""

from __future__ import annotations

import contextlib
import os
import unittest

import engine_support
import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema

ROWS, PARTS = 4000, 8


def make_part(part: int, marks: str = "", killed: str = ""):
    """The rows of a partition; a worker is killed while it makes some of them."""
    import numpy
    import pandas

    if killed and part == 2:
        engine_support.killed_once(marks, f"{killed}-{part}")
    first, count = part * ROWS // PARTS, ROWS // PARTS
    keys = numpy.arange(first, first + count)
    return pandas.DataFrame({"d": keys, "x": (keys % 7).astype("i4"), "s": [None if key % 3 == 0 else f"s{key}" for key in keys]})


def stage_and_die(job, frame, marks: str, part: int):
    """The task is done, and its worker is killed before the scheduler knows."""
    from tiledb_rs.dask import _stage_frame

    staged = _stage_frame(job, frame)
    if part == 1:
        engine_support.killed_once(marks, f"done-{part}")
    return staged


@support.needs("dask", "distributed", "pandas", "pyarrow")
class Dask(engine_support.Stored, support.LibraryTest):
    @classmethod
    def setUpClass(cls) -> None:
        if not support.HAS_LIBRARY:
            return
        import dask
        from distributed import Client, LocalCluster

        # The loss of a process counts against all tasks that were assigned to it.
        cls.stack = contextlib.ExitStack()
        cls.stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": 30}))
        paths = os.pathsep.join([str(support.PACKAGE / "src"), str(support.PACKAGE / "tests"), os.environ.get("PYTHONPATH", "")])
        cluster = LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0", env={"PYTHONPATH": paths})
        cls.client = cls.stack.enter_context(Client(cls.stack.enter_context(cluster)))

    @classmethod
    def tearDownClass(cls) -> None:
        if support.HAS_LIBRARY:
            cls.stack.close()

    def frame(self, **options):
        import dask.dataframe

        return dask.dataframe.from_map(make_part, range(PARTS), meta=make_part(0).head(0), **options)

    def written(self, name: str = "array"):
        from tiledb_rs import dask as engine

        self.assertEqual(engine.write_frame(self.frame(), self.path(name), dimensions=["d"], capacity=100), ROWS)
        return tiledb_rs.open(self.path(name))

    def keys(self, array) -> list:
        return sorted(array.reopen().read("d").to_pydict()["d"])

    def marks(self) -> str:
        path = self.folder / "marks"
        path.mkdir(exist_ok=True)
        return str(path)

    def test_write_append_and_read(self):
        from tiledb_rs import dask as engine

        array = self.written()
        self.assertEqual((self.keys(array), len(array.fragments())), (list(range(ROWS)), PARTS))
        found = engine.read_frame(array.uri, n=5)
        self.assertIn(found.npartitions, range(2, 6))
        engine.write_frame(self.frame(), array.uri)
        # The snapshot is that at which the data frame was made.
        table = found.compute().sort_values("d").reset_index(drop=True)
        expected = __import__("pandas").concat([make_part(part) for part in range(PARTS)], ignore_index=True)
        self.assertEqual(table["d"].tolist(), expected["d"].tolist())
        self.assertEqual(table["x"].tolist(), expected["x"].tolist())
        texts = [None if key % 3 == 0 else f"s{key}" for key in range(ROWS)]
        self.assertEqual([None if str(one) == "<NA>" else one for one in table["s"]], texts)
        self.assertEqual(len(engine.read_frame(array.uri, n=5)), 2 * ROWS)
        self.assertEqual(self.names(), ["array"])

    def test_workers_are_killed(self):
        from tiledb_rs import dask as engine

        self.written()
        frame = self.frame(marks=self.marks(), killed="write")
        engine.write_frame(frame, self.path("killed"), dimensions="d")
        array = tiledb_rs.open(self.path("killed"))
        self.assertEqual(self.keys(array), list(range(ROWS)))
        self.assertEqual(len(os.listdir(self.marks())), 1)
        job = engine.WriteJob(array.uri)
        tasks = [(stage_and_die, part, self.marks(), at) for at, part in enumerate(self.frame().to_delayed())]
        self.assertEqual(engine._run(job, tasks, True), ROWS)
        self.assertEqual(self.keys(array), sorted([*range(ROWS)] * 2))
        self.assertEqual(len(os.listdir(self.marks())), 2)
        self.assertEqual(self.names(), ["array", "killed", "marks"])

    def test_two_jobs_at_once(self):
        from tiledb_rs import dask as engine

        delayed = [engine.write_frame(self.frame(), self.path(), dimensions=["d"], compute=False) for _ in range(2)]
        self.assertEqual(self.keys(tiledb_rs.open(self.path())), [])
        self.assertEqual([one.result() for one in self.client.compute(delayed)], [ROWS, ROWS])
        self.assertEqual(self.keys(tiledb_rs.open(self.path())), sorted([*range(ROWS)] * 2))

    def test_a_failed_job_leaves_nothing(self):
        from tiledb_rs import dask as engine

        array = self.written()
        frame = self.frame().map_partitions(lambda one: one.rename(columns={"x": "y"}) if one["d"].min() > 2000 else one, meta=make_part(0), enforce_metadata=False)
        with self.assertRaises(KeyError):
            engine.write_frame(frame, array.uri)
        self.assertEqual(self.keys(array), list(range(ROWS)))
        self.wait_for_names(["array"])

    def test_columns_and_conditions_are_pushed(self):
        from tiledb_rs import dask as engine

        array = self.written()
        frame = engine.read_frame(array.uri, n=4, where="d < 1000 and x = 3")
        expected = sorted(key for key in range(1000) if key % 7 == 3)
        self.assertEqual(sorted(frame["d"].compute()), expected)
        (read,) = [one for one in frame[["x"]].optimize(fuse=False).expr.walk() if type(one).__name__.startswith("FromMap")]
        self.assertEqual(list(read.columns), ["x"])
        self.assertEqual(frame["x"].sum().compute(), 3 * len(expected))
        # Partitions weigh only tiles that the condition does not exclude.
        whole, part = array.partitions(4), array.partitions(4, where="d < 1000")
        self.assertGreater(sum(one.cells for one in whole), 3 * sum(one.cells for one in part))
        self.assertEqual(len(engine.read_frame(array.uri, ranges={"d": (10, 19)}, fields=["d"])), 10)
        # A filter of the data frame is evaluated by Dask.
        self.assertEqual(len(frame[frame["s"] == "s3"]), 0)

    def test_types(self):
        import pandas
        from tiledb_rs import dask as engine

        rows = engine_support.typed_rows()
        array = tiledb_rs.create(self.path(), engine_support.typed_schema())
        array.write(rows)
        frame = engine.read_frame(array.uri, n=7)
        found = frame.compute().sort_values("d").reset_index(drop=True)
        dtypes = [{name: str(dtype) for name, dtype in one.dtypes.items()} for one in (found, frame)]
        self.assertEqual(dtypes[0], dtypes[1])
        self.assertEqual(
            {name: str(found[name].dtype) for name in ("u16", "u64", "i64", "color", "day", "ns")},
            {"u16": "UInt16", "u64": "UInt64", "i64": "Int64", "color": "category", "day": "datetime64[s]", "ns": "datetime64[ns]"},
        )
        for name in ("u8", "u16", "u32", "u64", "i64", "flag", "text", "blob", "color", "us", "day"):
            cells = [None if one is None or one is pandas.NA or one is pandas.NaT or one != one else one for one in found[name].tolist()]
            expected = rows[name]
            if name == "day":
                cells = [None if one is None else one.date() for one in cells]
            self.assertEqual(cells, expected, name)
        copy = tiledb_rs.create(self.path("copy"), engine_support.typed_schema())
        engine.write_frame(frame, copy.uri)
        one, other = (sorted(source.reopen().read().to_pylist(), key=lambda row: row["d"]) for source in (array, copy))
        self.assertEqual(repr(one), repr(other))

    def test_times_are_not_taken_for_days(self):
        import pandas
        import pyarrow
        from tiledb_rs._arrow import columns as arrow_columns

        schema = Schema([Dimension("d", (0, 9))], [Attribute("day", "DATETIME_DAY"), Attribute("n", "INT64")], sparse=True)
        target = arrow_columns.schema_of(tiledb_rs.create(self.path(), schema).read())
        for moment, number, error in [("2024-01-01T05:00", 1, ValueError), ("2024-01-01", pandas.Timestamp(0), TypeError)]:
            frame = pandas.DataFrame({"d": [1], "day": [pandas.Timestamp(moment)], "n": [number]})
            with self.assertRaises(error):
                arrow_columns.writable(pyarrow.Table.from_pandas(frame), target, schema)

    def test_times_that_the_unit_would_cut(self):
        import dask.dataframe
        import pandas
        from tiledb_rs import dask as engine

        for unit in ("SEC", "MS", "US"):
            schema = Schema([Dimension("d", (0, 9))], [Attribute("t", f"DATETIME_{unit}")], sparse=True)
            array = tiledb_rs.create(self.path(unit), schema)
            exact = pandas.DataFrame({"d": [1, 2], "t": pandas.to_datetime(["2020-01-01", None]).astype("M8[ns]")})
            engine.write_frame(dask.dataframe.from_pandas(exact, npartitions=1), array.uri)
            found = engine.read_frame(array.uri).compute().sort_values("d")["t"].tolist()
            self.assertEqual((found[0], found[1] is pandas.NaT), (pandas.Timestamp("2020-01-01"), True))
            cut = pandas.DataFrame({"d": [3], "t": pandas.to_datetime([1], unit="ns")})
            with self.subTest(unit=unit), self.assertRaisesRegex(Exception, "column 't' is 1, not a multiple of"):
                engine.write_frame(dask.dataframe.from_pandas(cut, npartitions=1), array.uri)

    def test_durations(self):
        import dask.dataframe
        import pandas
        from tiledb_rs import dask as engine

        frame = pandas.DataFrame({"d": [1, 2, 3], "t": pandas.to_timedelta([5, -7, 1 << 50], unit="ns")})
        engine.write_frame(dask.dataframe.from_pandas(frame, npartitions=2), self.path(), dimensions=["d"])
        found = engine.read_frame(self.path())
        self.assertEqual(str(found.dtypes["t"]), str(found.compute().dtypes["t"]))
        self.assertEqual(found.compute().sort_values("d")["t"].tolist(), frame["t"].tolist())

    def test_nothing_to_read_or_write(self):
        from tiledb_rs import dask as engine

        empty = self.frame().map_partitions(lambda one: one.head(0))
        self.assertEqual(engine.write_frame(empty, self.path(), dimensions="d"), 0)
        frame = engine.read_frame(self.path())
        self.assertEqual((len(frame), list(frame.columns)), (0, ["d", "x", "s"]))
        some = self.frame().map_partitions(lambda one: one if one["d"].min() == 0 else one.head(0))
        self.assertEqual(engine.write_frame(some, self.path()), ROWS // PARTS)
        self.assertEqual(len(engine.read_frame(self.path(), where="x > 100")), 0)
        self.assertEqual(len(engine.read_frame(self.path(), at=1)), 0)

    def test_arrays(self):
        import dask.array
        import numpy
        from tiledb_rs import dask as engine

        values = numpy.arange(90 * 70, dtype="f8").reshape(90, 70)
        data = dask.array.from_array(values, chunks=(40, 30))
        self.assertEqual(engine.write_array(data, self.path()), 90 * 70)
        found = engine.read_array(self.path())
        self.assertEqual((found.shape, found.dtype), ((90, 70), values.dtype))
        later = engine.read_array(self.path(), chunks=(13, 70))
        engine.write_array(data[:10, :10] * -1, self.path(), region=(slice(5, 15), slice(20, 30)))
        numpy.testing.assert_array_equal(found.compute(), values)
        for key in [(slice(3, 50, 7), 5), (slice(None, None, -1), slice(10, 12)), (0, slice(0, 0)), ([1, 5, 3], slice(2, 5)), (-1, -1)]:
            numpy.testing.assert_array_equal(later[key].compute(), values[key], str(key))
        values[5:15, 20:30] = values[:10, :10] * -1
        numpy.testing.assert_array_equal(engine.read_array(self.path()).compute(), values)
        self.assertEqual(float((engine.read_array(self.path()) ** 2).sum().compute()), float((values**2).sum()))
        self.assertEqual(self.names(), ["array"])

    def test_an_array_whose_worker_is_killed(self):
        import dask.array
        import numpy
        from tiledb_rs import dask as engine

        marks = self.marks()

        def block(values, block_info=None):
            if block_info[0]["chunk-location"] == (2,):
                engine_support.killed_once(marks, "block")
            return values

        values = numpy.arange(1000, dtype="i4")
        data = dask.array.from_array(values, chunks=250).map_blocks(block, dtype="i4", meta=values[:0])
        engine.write_array({"a": data, "b": dask.array.from_array(values * 2, chunks=250)}, self.path())
        numpy.testing.assert_array_equal(engine.read_array(self.path(), "a").compute(), values)
        numpy.testing.assert_array_equal(engine.read_array(self.path(), "b").compute(), values * 2)
        self.assertEqual(os.listdir(marks), ["block"])

    def test_wrong_arguments(self):
        import dask.array
        import numpy
        from tiledb_rs import dask as engine

        dense, sparse = self.dense("dense"), self.sparse("sparse")
        for error, call in [
            (ValueError, lambda: engine.read_array(sparse.uri)),
            (ValueError, lambda: engine.read_frame(dense.uri, where="v > 3")),
            (ValueError, lambda: engine.write_frame(self.frame(), dense.uri)),
            (ValueError, lambda: engine.write_frame(self.frame(), self.path("new"))),
            (KeyError, lambda: engine.write_frame(self.frame(), self.path("new"), dimensions="z")),
            (KeyError, lambda: engine.read_frame(sparse.uri, fields=["z"])),
            (ValueError, lambda: engine.write_array(dask.array.zeros((3, 3)), sparse.uri)),
            (ValueError, lambda: engine.write_array(dask.array.zeros((0, 3)), self.path("empty"))),
            (TypeError, lambda: engine.write_array(dask.array.from_array(numpy.array(["a", None], dtype=object), chunks=1), self.path("objects"))),
            (ValueError, lambda: engine.write_array(dask.array.zeros((3, 3)), dense.uri, attribute="v", region=(slice(0, 2), slice(0, 3)))),
            (tiledb_rs.TileDBError, lambda: engine.read_frame(self.path("nothing"))),
        ]:
            with self.assertRaises(error):
                call()
        self.assertEqual(self.names(), ["dense", "sparse"])

    def test_dense_arrays_as_frames(self):
        from tiledb_rs import dask as engine

        found = engine.read_frame(self.dense().uri, n=2).compute()
        self.assertEqual(sorted(found["v"]), [float(value) for value in range(12)])

    def test_credentials_are_not_shown(self):
        from tiledb_rs import dask as engine

        array = self.written()
        config = {"vfs.azure.storage_account_key": "hidden", "sm.io_concurrency_level": "2"}
        frame = engine.read_frame(array.uri, n=2, config=config)
        self.assertEqual(len(frame), ROWS)
        graph = frame.optimize().__dask_graph__()
        self.assertNotIn("hidden", repr(dict(graph)) + repr(frame) + repr(frame.expr.tree_repr()) + "".join(map(str, graph)))
        delayed = engine.write_frame(self.frame(), array.uri, config=config, compute=False)
        self.assertNotIn("hidden", repr(dict(delayed.__dask_graph__())))


@unittest.skipUnless(engine_support.BUCKET, "ENGINES_S3 names no bucket")
class DaskOnS3(engine_support.OnS3, Dask):
    """The same on an object store."""


if __name__ == "__main__":
    unittest.main()
