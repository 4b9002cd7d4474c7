"""Spark: the format tiledb in local-cluster mode, with executors that are killed."""

from __future__ import annotations

import datetime
import os
import threading
import unittest

import engine_support
import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema

ROWS, PARTS = 4000, 6


def session():
    """A session with two executors, each a JVM of its own."""
    from pyspark.sql import SparkSession

    paths = os.pathsep.join([str(support.PACKAGE / "src"), str(support.PACKAGE / "tests"), os.environ.get("PYTHONPATH", "")])
    # Executors and their Python workers inherit the environment.
    os.environ.update({"PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"})
    made = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "ERROR")
        .config("spark.task.maxFailures", "8")
        .config("spark.deploy.maxExecutorRetries", "-1")
        .getOrCreate()
    )
    return made


@support.needs("pyspark", "pandas", "pyarrow")
class Spark(engine_support.Stored, support.LibraryTest):
    @classmethod
    def setUpClass(cls) -> None:
        if support.HAS_LIBRARY:
            from tiledb_rs import spark as engine

            cls.spark = session()
            engine.register(cls.spark)

    @classmethod
    def tearDownClass(cls) -> None:
        if support.HAS_LIBRARY:
            cls.spark.stop()

    def frame(self, parts: int = PARTS):
        return self.spark.range(0, ROWS, 1, parts).selectExpr(
            "id as d",
            "cast(id % 7 as int) as x",
            "case when id % 3 = 0 then null else concat('s', id) end as s",
            "case when id % 10 = 0 then double('NaN') when id % 10 = 1 then null else id / 4 end as f",
        )

    def write(self, frame, uri: str, **options) -> None:
        frame.write.format("tiledb").mode("append").options(**{"dimensions": "d", **options}).save(uri)

    def read(self, uri: str, **options):
        return self.spark.read.format("tiledb").options(**options).load(uri)

    def keys(self, uri: str) -> list:
        return sorted(tiledb_rs.open(uri).read("d").to_pydict()["d"])

    def test_write_append_and_read(self):
        uri = self.path()
        self.write(self.frame(), uri)
        array = tiledb_rs.open(uri)
        self.assertEqual((self.keys(uri), len(array.fragments())), (list(range(ROWS)), PARTS))
        found = self.read(uri, partitions="5")
        self.assertIn(found.rdd.getNumPartitions(), range(2, 6))
        self.assertEqual(sorted(found.select("d", "x", "s").collect()), sorted(self.frame().select("d", "x", "s").collect()))
        self.write(self.frame(), uri)
        self.assertEqual(self.read(uri).count(), 2 * ROWS)
        self.assertEqual(self.read(uri, at=str(array.fragments()[0].timestamp_range[0])).count(), ROWS)
        self.assertEqual(self.names(), ["array"])

    def test_executors_are_killed(self):
        uri, marks = self.path(), str(self.folder)

        def killing(batches):
            for batch in batches:
                yield batch
            first = batch.column(0)[0].as_py()
            if first == 0:
                engine_support.killed_executor_once(marks, "executor")
            elif first > ROWS // 2:
                engine_support.killed_once(marks, "worker")

        frame = self.frame()
        self.write(frame.mapInArrow(killing, frame.schema), uri)
        self.assertEqual(self.keys(uri), list(range(ROWS)))
        self.assertEqual(self.names(), ["array", "executor", "worker"])

    def test_a_task_fails_after_it_has_staged(self):
        from tiledb_rs import spark as engine

        uri, marks = self.path(), str(self.folder)

        class Failing(engine.TileDBWriter):
            def write(self, iterator):
                message = super().write(iterator)
                if engine_support.once(marks, "staged"):
                    raise RuntimeError("the message is lost")
                return message

        class FailingSource(engine.TileDBDataSource):
            @classmethod
            def name(cls):
                return "failing"

            def writer(self, schema, overwrite):
                return Failing(engine._Options(self.options), schema)

        self.spark.dataSource.register(FailingSource)
        self.frame().write.format("failing").mode("append").option("dimensions", "d").save(uri)
        self.assertEqual(self.keys(uri), list(range(ROWS)))
        self.assertEqual(self.names(), ["array", "staged"])

    def test_two_jobs_at_once_and_a_failed_one(self):
        uri, errors = self.path(), []

        def write(frame) -> None:
            try:
                # The data sources of a session are known to threads in which it is active.
                self.spark._jvm.SparkSession.setActiveSession(self.spark._jsparkSession)
                self.write(frame, uri)
            except Exception as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=write, args=(self.frame(2),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(self.keys(uri), sorted([*range(ROWS)] * 2))
        write(self.frame(2).selectExpr("d", "x", "raise_error('stop') as s", "f"))
        self.assertEqual(len(errors), 1)
        self.assertEqual(self.keys(uri), sorted([*range(ROWS)] * 2))
        self.wait_for_names(["array"])

    def test_filters(self):
        """Spark finds the same rows in the array as in its own data, whatever is pushed."""
        uri = self.path()
        self.write(self.frame(2), uri)
        frame = self.frame(2).cache()
        conditions = [
            "d >= 100 and d < 200 and x = 3",
            "f > 500",
            "f <= 10",
            "not f < 990",
            "f = double('NaN')",
            "f is null",
            "f is not null and x <> 3",
            "s like 's1%'",
            "upper(s) = 'S7'",
            "s = 'S7'",
            "s <=> null",
            "x in (1, 3, null)",
            "x not in (1, 3)",
            "d > 10000",
            "d = 5 or x = 1",
            "x > 2.5",
            "not (s = 's4')",
            "s > 's9'",
            "length(s) = 2",
        ]
        expected = frame.selectExpr(*[f"count_if({one}) as c{at}" for at, one in enumerate(conditions)]).first()
        self.assertEqual([self.read(uri, partitions="2", push_filters="true").filter(one).count() for one in conditions], list(expected))
        # One data frame, of which Spark keeps what was planned first.
        found = self.read(uri, partitions="2")
        self.assertEqual([found.filter(one).count() for one in conditions], list(expected))
        self.assertEqual((found.filter("d > 10000").count(), found.count()), (0, ROWS))
        self.assertEqual(found.filter("d < 10").union(found.filter("d >= 3990")).count(), 20)
        self.assertEqual(found.filter("d < 10").join(found.filter("d < 20"), "d").count(), 10)

    def rows_of_scan(self, frame) -> int:
        """The rows that a query took from the array, which Spark counts."""
        plan = frame._jdf.queryExecution().executedPlan()
        self.assertGreaterEqual(len(frame.collect()), 0)
        leaf = plan.collectLeaves().head()
        return leaf.metrics().apply("numOutputRows").value()

    def test_filters_reach_the_array(self):
        """Conditions and ranges of a planned read, and the partitions that it makes of them."""
        from pyspark.sql import datasource as api
        from tiledb_rs import spark as engine

        uri = self.path()
        attributes = [Attribute("x", "INT32", nullable=True), Attribute("s", str, nullable=True), Attribute("f", "FLOAT64", nullable=True)]
        tiledb_rs.create(uri, Schema([Dimension("d", (0, 1_000_000))], attributes, sparse=True, capacity=100, allows_duplicates=True))
        self.write(self.frame(2), uri)
        self.assertEqual(self.rows_of_scan(self.read(uri).filter("d >= 1000 and d < 1100")), ROWS)
        self.assertEqual(self.rows_of_scan(self.read(uri, push_filters="true").filter("d >= 1000 and d < 1100")), 100)
        self.assertEqual(self.rows_of_scan(self.read(uri, where="d >= 1000 and d < 1100")), 100)
        source = engine.TileDBDataSource({"path": uri, "partitions": "4"})

        def plan(*filters, schema=None, **options):
            options = {"path": uri, "partitions": "4", "push_filters": "true", **options}
            reader = engine.TileDBDataSource(options).reader(schema or source.schema())
            self.assertEqual(list(reader.pushFilters(list(filters))), list(filters))
            found = [one.partition for one in reader.partitions()]
            return found, sum(one.cells for one in found if one is not None)

        _, whole = plan()
        parts, few = plan(api.GreaterThanOrEqual(("d",), 1000), api.LessThan(("d",), 1100))
        self.assertEqual({bound for one in parts for pair in one.ranges["d"] for bound in pair if bound in (1000, 1099)}, {1000, 1099})
        self.assertLess(few, whole / 10)
        self.assertEqual(str(plan(api.EqualTo(("x",), 3), api.StringStartsWith(("s",), "s1"))[0][0].where), "x == 3 and s >= 's1' and s < 's2'")
        self.assertEqual(str(plan(api.Not(api.In(("x",), (1, 2))))[0][0].where), "x != 1 and x != 2")
        # NaN is the greatest number for Spark: the comparison is pushed only on request.
        self.assertIsNone(plan(api.GreaterThan(("f",), 5.0))[0][0].where)
        self.assertEqual(str(plan(api.GreaterThan(("f",), 5.0), assume_no_nan="true")[0][0].where), "f > 5.0")
        self.assertEqual(plan(api.EqualTo(("d",), 1 << 40))[0], [None])
        self.assertEqual(plan(api.EqualTo(("d",), 999_999))[0][0].cells, 0)
        from pyspark.sql.types import StringType, StructField, StructType

        folded = StructType([StructField("s", StringType("UTF8_LCASE"))])
        self.assertIsNone(plan(api.EqualTo(("s",), "S1"), schema=folded)[0][0].where)

    def test_types(self):
        rows = engine_support.typed_rows()
        tiledb_rs.create(self.path(), engine_support.typed_schema()).write(rows)
        frame = self.read(self.path(), partitions="2")
        self.assertEqual(
            {one.name: one.dataType.simpleString() for one in frame.schema},
            {
                "d": "bigint",
                "i8": "tinyint",
                "u8": "smallint",
                "u16": "int",
                "u32": "bigint",
                "u64": "decimal(20,0)",
                "i64": "bigint",
                "f32": "float",
                "f64": "double",
                "flag": "boolean",
                "text": "string",
                "blob": "binary",
                "day": "date",
                "ms": "timestamp_ntz",
                "us": "timestamp_ntz",
                "ns": "timestamp_ntz",
                "color": "string",
            },
        )
        found = sorted(frame.collect(), key=lambda row: row["d"])
        for name in ("i8", "u8", "u16", "u32", "u64", "i64", "flag", "text", "blob", "day", "ms", "us", "color"):
            self.assertEqual([row[name] for row in found], rows[name], name)
        self.assertEqual(found[1]["ns"], datetime.datetime(2024, 2, 28, 23, 59, 59, 1))
        for where, name in [
            ("u64 = 18446744073709551615", "u64"),
            ("u8 > 127", "u8"),
            ("day >= date '2024-02-29'", "day"),
            ("color > 'blue'", "color"),
            ("us < timestamp_ntz '2024-02-28 23:59:59.250001'", "us"),
        ]:
            own = self.spark.createDataFrame([(row[name],) for row in found], frame.select(name).schema)
            self.assertEqual(frame.filter(where).count(), own.filter(where).count(), where)
        copy = tiledb_rs.create(self.path("copy"), engine_support.typed_schema())
        frame.write.format("tiledb").mode("append").save(copy.uri)
        one, other = (sorted(tiledb_rs.open(uri).read().to_pylist(), key=lambda row: row["d"]) for uri in (self.path(), copy.uri))
        for left, right in zip(one, other):
            # Spark has microseconds.
            left["ns"], right["ns"] = left["ns"] // 1000, right["ns"] // 1000
        self.assertEqual(repr(one), repr(other))

    def test_columns(self):
        uri = self.path()
        self.write(self.frame(1), uri)
        self.assertEqual(self.read(uri, fields="x, d").columns, ["x", "d"])
        self.assertEqual(self.spark.read.format("tiledb").schema("x int").load(uri).agg({"x": "sum"}).first()[0], sum(key % 7 for key in range(ROWS)))
        self.assertEqual(self.read(uri, where="x = 3 and d < 70").count(), 10)

    def test_nothing_to_read_or_write(self):
        uri = self.path()
        self.write(self.frame(2).filter("d < 0"), uri)
        self.assertEqual((self.keys(uri), tiledb_rs.open(uri).fragments()), ([], []))
        self.assertEqual(self.read(uri).collect(), [])
        self.write(self.frame(4).filter("d < 10"), uri)
        self.assertEqual(len(tiledb_rs.open(uri).fragments()), 1)
        self.assertEqual(self.read(uri).filter("d > 100000").count(), 0)

    def test_wrong_arguments(self):
        dense, sparse = self.dense("dense"), self.sparse("sparse")
        for text, call in [
            ("no option partition", lambda: self.read(sparse.uri, partition="4").count()),
            ("must be a number", lambda: self.read(sparse.uri, partitions="four").count()),
            ("does not exist", lambda: self.read(self.path("nothing")).count()),
            ("is dense", lambda: self.write(self.frame(1), dense.uri)),
            ("no column|not those", lambda: self.write(self.frame(1), sparse.uri)),
            ("name the columns", lambda: self.frame(1).write.format("tiledb").mode("append").save(self.path("new"))),
            ("overwrite", lambda: self.frame(1).write.format("tiledb").mode("overwrite").save(sparse.uri)),
            ("fill value", lambda: self.read(dense.uri, where="v > 3").count()),
        ]:
            with self.subTest(text=text), self.assertRaisesRegex(Exception, text):
                call()
        self.assertEqual(self.names(), ["dense", "sparse"])
        self.assertEqual(self.read(dense.uri).filter("v > 3").count(), 8)

    def test_credentials_are_not_shown(self):
        import contextlib
        import io

        array = self.sparse()
        frame = self.read(array.uri, **{"vfs.azure.storage_account_key": "hidden"}).filter("x > 10")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            frame.explain(True)
        self.assertEqual(frame.count(), 3)
        self.assertNotIn("hidden", printed.getvalue() + repr(frame) + frame._jdf.queryExecution().toString())


@unittest.skipUnless(engine_support.BUCKET, "ENGINES_S3 names no bucket")
class SparkOnS3(engine_support.OnS3, Spark):
    """The same on an object store."""


if __name__ == "__main__":
    unittest.main()
