"""DuckDB on an array: a query reads the columns and cells that it needs."""
import duckdb
import pyarrow

import tiledb_rs
import tiledb_rs.duckdb

flights = pyarrow.table({
    "origin": ["JFK", "EWR", "JFK", "LGA", "JFK"], "hour": [5, 5, 6, 7, 23], "carrier": ["AA", "UA", "B6", "AA", "B6"],
    "arr_delay": [11.0, 20.0, 33.0, None, -18.0],
})
tiledb_rs.from_arrow("flights", flights, index=["origin", "hour"])

flights = tiledb_rs.duckdb.scan("flights", on_scan=print)
delays = duckdb.sql("SELECT carrier, avg(arr_delay) AS delay FROM flights WHERE origin = 'JFK' AND hour < 20 GROUP BY carrier ORDER BY carrier")
print(delays.fetchall())

connection = duckdb.connect()
tiledb_rs.duckdb.register(connection, "flights", "flights")
print(connection.execute("SELECT count(*) FROM flights WHERE carrier IN ('AA', 'UA')").fetchall())

late = tiledb_rs.duckdb.write("late", "SELECT * FROM flights WHERE arr_delay > 15", connection=connection, index=["origin", "hour"])
tiledb_rs.duckdb.write("late", "SELECT * FROM flights WHERE arr_delay < 0", connection=connection, append=True)
print(late.reopen().count())
