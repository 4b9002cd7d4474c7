"""Spark: write, append, and read an array by partitions, with conditions that reach it.

usage: spark_recipe.py URI [MASTER]
"""
import sys

from pyspark.sql import SparkSession

import tiledb_rs.spark

uri = sys.argv[1]
master = sys.argv[2] if len(sys.argv) > 2 else "local[2]"
spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.log.level", "ERROR").getOrCreate()

tiledb_rs.spark.register(spark)

events = spark.range(100_000).selectExpr("id as time", "cast(id % 50 as int) as machine", "id / 8 as value", "concat('m', id % 50) as name")
events.write.format("tiledb").option("dimensions", "time").mode("append").save(uri)

more = events.selectExpr("time + 100000 as time", "machine", "value", "name")
more.write.format("tiledb").mode("append").save(uri)

frame = spark.read.format("tiledb").option("where", "time >= 150000 and machine = 7").option("partitions", 8).load(uri)
assert [tuple(row) for row in frame.groupBy("name").count().collect()] == [("m7", 1000)]

pushed = spark.read.format("tiledb").option("push_filters", "true").load(uri)
assert pushed.filter("time >= 150000 and machine = 7").count() == 1000

narrow = spark.read.format("tiledb").option("fields", "time,machine").load(uri)
assert narrow.columns == ["time", "machine"]

first = tiledb_rs.open(uri).fragments()[0].timestamp_range[1]
assert spark.read.format("tiledb").option("at", first).load(uri).count() == 100_000

spark.stop()
