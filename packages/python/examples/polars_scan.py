"""polars on an array: a lazy frame whose filters and columns are pushed down to the read."""
import datetime

import polars as pl

import tiledb_rs
import tiledb_rs.polars

days = pl.DataFrame({
    "station": ["a", "a", "b", "b"], "day": [datetime.date(2013, 1, 1), datetime.date(2013, 1, 2)] * 2, "temp": [1.5, None, -3.0, 0.5],
    "count": [1, 2, 3, 4],
})
tiledb_rs.polars.write("days", days, index=["station", "day"])

lazy = tiledb_rs.polars.scan("days", on_scan=print)
cold = lazy.filter((pl.col("day") > datetime.date(2013, 1, 1)) & (pl.col("count") >= 3)).select("station", "temp").collect()
print(cold)

print(lazy.group_by("station").agg(pl.col("count").sum()).sort("station").collect())
tiledb_rs.polars.write("days", days.head(1).with_columns(day=datetime.date(2014, 1, 1)), append=True)
print(tiledb_rs.polars.read("days").height)
