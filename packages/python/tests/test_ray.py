"""Ray Data: datasets on worker processes, some of which are killed."""

from __future__ import annotations

import os
import threading
import unittest

import engine_support
import support

import tiledb_rs
from tiledb_rs._model.datatypes import Datatype, decode

ROWS, PARTS = 4000, 6


def make_part(batch, marks: str = ""):
    """The rows of a task, which is killed with its process the first time for some of them."""
    import numpy

    keys = numpy.asarray(batch["id"])
    for key in (0, ROWS // 2):
        if marks and len(keys) and keys[0] <= key <= keys[-1]:
            engine_support.killed_once(marks, f"task-{key}")
    floats = numpy.where(keys % 10 == 0, numpy.nan, keys / 4)
    return {"d": keys, "x": (keys % 7).astype("i4"), "s": numpy.array([f"s{key}" for key in keys], dtype=object), "f": floats}


@support.needs("ray", "pandas", "pyarrow")
class Plans(engine_support.Stored, support.LibraryTest):
    """Read tasks and sinks without a cluster."""

    def written(self, attempts: int = 2):
        import numpy
        import pyarrow
        from ray.data.datasource.datasink import WriteResult
        from tiledb_rs import ray as engine

        sink = engine.TileDBDatasink(self.path(), dimensions="d", capacity=100)
        tables = [pyarrow.table(make_part({"id": numpy.arange(first, first + 500)})) for first in range(0, ROWS, 500)]
        sink.on_write_start(tables[0].schema)
        # Every task runs several times, and is counted once.
        returns = [[sink.write([table, table.slice(0, 0)], None) for _ in range(attempts)][-1] for table in tables]
        sink.on_write_complete(WriteResult(ROWS, 0, [*returns, sink.write([], None)]))
        self.assertEqual(sink.cells, ROWS)
        return tiledb_rs.open(self.path())

    def rows(self, source, parallelism: int = 4) -> list:
        return [row for task in source.get_read_tasks(parallelism) for table in task() for row in table.to_pylist()]

    def test_every_row_once(self):
        from tiledb_rs import ray as engine

        array = self.written()
        self.assertEqual(sorted(array.read("d").to_pydict()["d"]), list(range(ROWS)))
        source = engine.TileDBDatasource(array.uri)
        self.written()
        self.assertEqual(sorted(row["d"] for row in self.rows(source)), list(range(ROWS)))
        self.assertEqual(len(self.rows(engine.TileDBDatasource(array.uri))), 2 * ROWS)
        self.assertEqual(self.names(), ["array"])

    def test_predicates(self):
        import pyarrow
        from ray.data.expressions import col, lit
        from tiledb_rs import ray as engine

        array = self.written(1)
        whole = array.read().to_arrow()
        for predicate in [
            (col("d") >= 100) & (col("d") < 200) & (col("x") == 3),
            (col("f") > 500),
            ~(col("f") < 990),
            col("f") != 5.0,
            col("x").is_in([1, 3]),
            col("x").not_in([1, 3]),
            (lit(5) > col("x")) | (col("d") == 6),
            col("s") == "S7",
            col("s") > "s9",
            (col("x") + 1) == 3,
            ~((col("x") == 1) | (col("x") == 2)),
            col("d") > 100_000,
            col("s").is_null(),
            col("f").is_not_null(),
            col("x") > 2.5,
        ]:
            with self.subTest(predicate=str(predicate)):
                source = engine.TileDBDatasource(array.uri).apply_predicate(predicate).apply_projection({"d": "d"})
                found, expected = self.rows(source), whole.filter(predicate.to_pyarrow())["d"].to_pylist()
                self.assertEqual(sorted(row["d"] for row in found), sorted(expected))
                self.assertTrue(all(list(row) == ["d"] for row in found))
        narrow = engine.TileDBDatasource(array.uri).apply_predicate((col("d") >= 100) & (col("d") < 110))
        cells = sum(task._read_fn.part.cells for task in narrow.get_read_tasks(4))
        self.assertLess(cells, ROWS / 10)
        self.assertIsInstance(narrow.get_read_tasks(1)[0].schema, pyarrow.Schema)
        # Without columns, as Dataset.count() reads, the rows are still counted, also in concatenated blocks.
        for source in (engine.TileDBDatasource(array.uri), narrow):
            blocks = [table for task in source.apply_projection({}).get_read_tasks(4) for table in task()]
            self.assertEqual(pyarrow.concat_tables(blocks).num_rows, len(self.rows(source)))

    def test_the_array_has_the_schema_of_what_is_written(self):
        """Not that of the input of the first operator, which Ray passes on if operators are fused, or none."""
        import numpy
        import pyarrow
        from tiledb_rs import ray as engine

        for at, schema in enumerate([None, pyarrow.schema([("id", pyarrow.int64())])]):
            sink = engine.TileDBDatasink(self.path(f"array_{at}"), dimensions="d")
            sink.on_write_start(schema)
            empty = sink.write([pyarrow.table({}), pyarrow.table(make_part({"id": numpy.arange(3)})).slice(0, 0)], None)
            self.assertEqual(tiledb_rs.open(self.path(f"array_{at}")).schema.names, ["d", "x", "s", "f"])
            sink._job.commit([empty, sink.write([pyarrow.table(make_part({"id": numpy.arange(3)}))], None)])
            self.assertEqual(tiledb_rs.open(self.path(f"array_{at}")).count(), 3)
        self.assertEqual(self.names(), ["array_0", "array_1"])

    def test_types(self):
        import pyarrow
        from tiledb_rs import ray as engine

        rows = engine_support.typed_rows()
        tiledb_rs.create(self.path(), engine_support.typed_schema()).write(rows)
        source = engine.TileDBDatasource(self.path())
        found = sorted(self.rows(source), key=lambda row: row["d"])
        for name in ("i8", "u8", "u16", "u32", "u64", "i64", "flag", "text", "blob", "day", "us", "color"):
            self.assertEqual([row[name] for row in found], rows[name], name)
        copy = tiledb_rs.create(self.path("copy"), engine_support.typed_schema())
        sink = engine.TileDBDatasink(copy.uri)
        tables = [table for task in source.get_read_tasks(3) for table in task()]
        self.assertIsInstance(tables[0], pyarrow.Table)
        sink._job.commit([sink.write(tables, None)])
        one, other = (sorted(tiledb_rs.open(uri).read().to_pylist(), key=lambda row: row["d"]) for uri in (self.path(), copy.uri))
        self.assertEqual(repr(one), repr(other))


@support.needs("ray", "pandas", "pyarrow")
class Ray(engine_support.Stored, support.LibraryTest):
    @classmethod
    def setUpClass(cls) -> None:
        if not support.HAS_LIBRARY:
            return
        import ray

        paths = os.pathsep.join([str(support.PACKAGE / "src"), str(support.PACKAGE / "tests"), os.environ.get("PYTHONPATH", "")])
        os.environ.update({"PYTHONPATH": paths, "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"})
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20, _node_ip_address="127.0.0.1")
        ray.data.DataContext.get_current().enable_progress_bars = False

    @classmethod
    def tearDownClass(cls) -> None:
        if support.HAS_LIBRARY:
            import ray

            ray.shutdown()

    def rows(self, marks: str = ""):
        import ray

        return ray.data.range(ROWS, override_num_blocks=PARTS).map_batches(make_part, fn_kwargs={"marks": marks}, batch_size=None)

    def write(self, dataset, uri: str, **options) -> None:
        from tiledb_rs import ray as engine

        engine.write_tiledb(dataset, uri, **{"dimensions": "d", **options})

    def read(self, uri: str, **options):
        from tiledb_rs import ray as engine

        return engine.read_tiledb(uri, **options)

    def keys(self, uri: str) -> list:
        return sorted(tiledb_rs.open(uri).read("d").to_pydict()["d"])

    def test_write_append_and_read(self):
        uri = self.path()
        self.write(self.rows(), uri)
        array = tiledb_rs.open(uri)
        self.assertEqual(self.keys(uri), list(range(ROWS)))
        self.assertGreater(len(array.fragments()), 1)
        dataset = self.read(uri, override_num_blocks=4)
        self.write(self.rows(), uri, dimensions=None)
        # The snapshot is that at which the dataset was made.
        found = sorted(dataset.take_all(), key=lambda row: row["d"])
        self.assertEqual([(row["d"], row["x"], row["s"]) for row in found], [(key, key % 7, f"s{key}") for key in range(ROWS)])
        self.assertEqual(self.read(uri).count(), 2 * ROWS)
        self.assertEqual(self.names(), ["array"])

    def test_workers_are_killed(self):
        marks = self.folder / "marks"
        marks.mkdir()
        self.write(self.rows(str(marks)), self.path())
        self.assertEqual(self.keys(self.path()), list(range(ROWS)))
        self.assertEqual(len(os.listdir(marks)), 2)
        self.assertEqual(self.names(), ["array", "marks"])

    def test_a_worker_is_killed_after_it_has_staged(self):
        from tiledb_rs import ray as engine

        marks = self.folder / "marks"
        marks.mkdir()

        class Killed(engine.TileDBDatasink):
            def write(self, blocks, ctx):
                staged = super().write(blocks, ctx)
                if ctx.task_idx in (0, 1):
                    engine_support.killed_once(str(marks), f"done-{ctx.task_idx}")
                return staged

        sink = Killed(self.path(), dimensions="d")
        self.rows().write_datasink(sink)
        self.assertEqual(sink.cells, ROWS)
        self.assertEqual(self.keys(self.path()), list(range(ROWS)))
        self.assertGreater(len(os.listdir(marks)), 0)
        self.assertEqual(self.names(), ["array", "marks"])

    def test_two_jobs_at_once_and_a_failed_one(self):
        threads = [threading.Thread(target=self.write, args=(self.rows(), self.path())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.keys(self.path()), sorted([*range(ROWS)] * 2))

        def fail(batch):
            if batch["d"][0] >= ROWS // 2:
                raise ValueError("stop")
            return batch

        with self.assertRaises(Exception):
            self.write(self.rows().map_batches(fail, batch_size=None), self.path())
        self.assertEqual(self.keys(self.path()), sorted([*range(ROWS)] * 2))
        self.wait_for_names(["array"])

    def test_filters(self):
        """Ray finds the same rows in the array as in its own data, and pushes what can be."""
        from ray.data.expressions import col, lit
        from tiledb_rs import ray as engine

        uri = self.path()
        self.write(self.rows(), uri)
        own = self.rows().materialize()
        for predicate in [
            (col("d") >= 100) & (col("d") < 200) & (col("x") == 3),
            (col("f") > 500),
            ~(col("f") < 990),
            col("f") != 5.0,
            col("x").is_in([1, 3]),
            col("x").not_in([1, 3]),
            (lit(5) > col("x")) | (col("d") == 6),
            col("s") == "S7",
            col("s") > "s9",
            (col("x") + 1) == 3,
            ~((col("x") == 1) | (col("x") == 2)),
            col("d") > 100_000,
            col("s").is_null(),
            col("f").is_not_null(),
            col("x") > 2.5,
        ]:
            with self.subTest(predicate=str(predicate)):
                found = self.read(uri, override_num_blocks=2).filter(expr=predicate).select_columns(["d"]).take_all()
                expected = own.filter(expr=predicate).select_columns(["d"]).take_all()
                self.assertEqual(sorted(row["d"] for row in found), sorted(row["d"] for row in expected))
        array = tiledb_rs.open(uri)

        def pushed(predicate):
            found = engine.TileDBDatasource(uri).apply_predicate(predicate).pushed(array.schema)
            return {name: [decode(Datatype.INT64, bound) for one in ranges for bound in one] for name, ranges in found.ranges.items()}, str(found.condition)

        self.assertEqual(pushed((col("d") >= 100) & (lit(200) > col("d")) & (col("x") == 3)), ({"d": [100, 199]}, "x == 3"))
        self.assertEqual(pushed(col("d").is_in([5, 7]) & ((col("x") == 3) | (col("s") == "a"))), ({"d": [5, 5, 7, 7]}, "x == 3 or s == 'a'"))
        self.assertEqual(pushed(~(col("f") < 990)), ({}, "None"))
        self.assertEqual(pushed((col("x") + 1) == 3), ({}, "None"))
        # In Arrow nulls are not in a list: its negation keeps them.
        self.assertEqual(pushed(col("x").not_in([1, 3])), ({}, "None"))

    def test_columns_are_pushed(self):
        from tiledb_rs import ray as engine

        uri = self.path()
        self.write(self.rows(), uri)
        source = engine.TileDBDatasource(uri).apply_projection({"x": "x"})
        (table,) = list(source.get_read_tasks(1)[0]())
        self.assertEqual((table.column_names, table.num_rows), (["x"], ROWS))
        self.assertEqual(self.read(uri, fields=["d", "x"], where="x = 3 and d < 70", override_num_blocks=2).count(), 10)
        self.assertEqual(self.read(uri, ranges={"d": (10, 19)}).sum("x"), sum(key % 7 for key in range(10, 20)))

    def test_types(self):
        rows = engine_support.typed_rows()
        tiledb_rs.create(self.path(), engine_support.typed_schema()).write(rows)
        dataset = self.read(self.path(), override_num_blocks=2)
        found = sorted(dataset.take_all(), key=lambda row: row["d"])
        for name in ("i8", "u8", "u16", "u32", "u64", "i64", "flag", "text", "blob", "day", "us", "color"):
            self.assertEqual([row[name] for row in found], rows[name], name)
        copy = tiledb_rs.create(self.path("copy"), engine_support.typed_schema())
        self.write(dataset, copy.uri, dimensions=None)
        one, other = (sorted(tiledb_rs.open(uri).read().to_pylist(), key=lambda row: row["d"]) for uri in (self.path(), copy.uri))
        self.assertEqual(repr(one), repr(other))

    def test_nothing_to_read_or_write(self):
        from ray.data.expressions import col

        uri = self.path()
        self.write(self.rows(), uri)
        self.assertEqual(self.read(uri).filter(expr=col("d") > 100_000).count(), 0)
        self.assertEqual(self.read(uri, where="x > 100").count(), 0)
        self.assertEqual(self.read(uri, at=1).count(), 0)
        self.write(self.rows().filter(expr=col("d") < 0), uri)
        self.write(self.rows().filter(expr=col("d") < 10), uri)
        self.assertEqual(len(self.keys(uri)), ROWS + 10)
        self.assertEqual(self.names(), ["array"])

    def test_wrong_arguments(self):
        dense, sparse = self.dense("dense"), self.sparse("sparse")
        for call in [
            lambda: self.read(self.path("nothing")),
            lambda: self.read(sparse.uri, fields="z"),
            lambda: self.read(dense.uri, where="v > 3"),
            lambda: self.write(self.rows(), dense.uri),
            lambda: self.write(self.rows(), sparse.uri),
            lambda: self.write(self.rows(), self.path("new"), dimensions=None),
        ]:
            with self.assertRaises(Exception):
                call()
        self.assertEqual(self.names(), ["dense", "sparse"])
        from ray.data.expressions import col

        self.assertEqual(self.read(dense.uri).filter(expr=col("v") > 3).count(), 8)

    def test_credentials_are_not_shown(self):
        array = self.sparse()
        dataset = self.read(array.uri, config={"vfs.azure.storage_account_key": "hidden"})
        self.assertEqual(dataset.count(), 4)
        self.assertNotIn("hidden", repr(dataset) + str(dataset.stats()) + repr(dataset._logical_plan.dag))


@unittest.skipUnless(engine_support.BUCKET, "ENGINES_S3 names no bucket")
class RayOnS3(engine_support.OnS3, Ray):
    """The same on an object store."""


if __name__ == "__main__":
    unittest.main()
