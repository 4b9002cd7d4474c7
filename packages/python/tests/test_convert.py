"""Round trips from file to array to file, of every kind: all types, nulls, dictionaries, dates; and files that are not what they seem."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import unittest

from support import LibraryTest, needs

import tiledb_rs
import tiledb_rs.convert as convert

NAN = float("nan")


def has(*packages: str) -> bool:
    return all(importlib.util.find_spec(one) for one in packages)


def plain(table):
    """Rows in a form that can be compared."""
    return [tuple(repr(value) for value in row.values()) for row in table.to_pylist()]


@needs("pyarrow", "numpy")
class Tables(LibraryTest):
    def table(self, simple: bool = False):
        """All types of Arrow that a table file has, with nulls and the ends of their ranges."""
        import pyarrow as pa

        day, moment = datetime.date(1969, 12, 31), datetime.datetime(2013, 1, 1, 5, 0, 0, 123456)
        columns = {
            "i8": pa.array([-128, None, 127], pa.int8()),
            "i16": pa.array([-1, 0, None], pa.int16()),
            "i32": pa.array([1, 2, 3], pa.int32()),
            "i64": pa.array([-(1 << 63), None, (1 << 63) - 1], pa.int64()),
            "f32": pa.array([1.5, None, -0.25], pa.float32()),
            "f64": pa.array([0.1, None, 1e300]),
            "s": pa.array(["", None, 'it\'s "ä", \n\t'], pa.string()),
            "b": pa.array([True, None, False]),
            "day": pa.array([day, None, datetime.date(2262, 1, 1)]),
            "us": pa.array([moment, None, datetime.datetime(1, 1, 1)], pa.timestamp("us")),
        }
        if not simple:
            columns.update(
                {
                    "u8": pa.array([0, None, 255], pa.uint8()),
                    "u64": pa.array([0, None, (1 << 64) - 1], pa.uint64()),
                    "nan": pa.array([NAN, None, float("inf")]),
                    "ms": pa.array([1, None, -1], pa.timestamp("ms")),
                    "ns": pa.array([1, None, -1], pa.timestamp("ns")),
                    "zoned": pa.array([1, None, 3], pa.timestamp("us", "Europe/Vienna")),
                    "large": pa.array(["a", None, ""], pa.large_string()),
                    "blob": pa.array([b"", None, b"\0\xff"], pa.binary()),
                    "fixed": pa.array([b"abc", b"\0\0\0", b"xyz"], pa.binary(3)),
                    "dict": pa.array(["x", None, "y"]).dictionary_encode(),
                    "time": pa.array([datetime.time(1, 2, 3), None, datetime.time(23, 59, 59, 999999)], pa.time64("us")),
                    "time_s": pa.array([1, None, 86399], pa.time32("s")),
                    "time_ms": pa.array([1, None, 86399999], pa.time32("ms")),
                    "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-99.99")], pa.decimal128(10, 2)),
                    "nothing": pa.nulls(3),
                    "not_null": pa.array([1, 2, 3], pa.int16()),
                }
            )
        return pa.table(columns)

    def round_trip(self, table, ending: str, write):
        """The table that comes back from a file by way of an array."""
        source, target = self.path(f"in{ending}"), self.path(f"out{ending}")
        write(table, source)
        convert.from_file(source, self.path())
        convert.to_file(self.path(), target)
        again = self.path("again")
        convert.from_file(target, again)
        from tiledb_rs.convert import _tables as convert_tables

        found = convert_tables.load(tiledb_rs.open(again)).read_all()
        for name in ("array", "again"):
            tiledb_rs.remove(self.path(name))
        return found

    def test_exact_formats(self):
        import pyarrow as pa
        import pyarrow.parquet

        def write_file(table, path):
            with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)

        def write_stream(table, path):
            with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
                writer.write_table(table)

        table = self.table().append_column("duration", pa.array([1, None, -5], pa.duration("us"))).append_column("half", pa.array([1.5, None, 0.0], pa.float16()))
        for ending, write in [(".parquet", pyarrow.parquet.write_table), (".arrow", write_file), (".arrows", write_stream)]:
            with self.subTest(ending=ending):
                found = self.round_trip(table, ending, write)
                self.assertEqual(found.schema.types, table.schema.types if ending != ".parquet" else pyarrow.parquet.read_schema(self.path("in.parquet")).types)
                self.assertEqual(plain(found), plain(table))
                self.assertEqual([field.nullable for field in found.schema], [field.nullable for field in table.schema])

    def test_other_formats(self):
        import pyarrow.csv
        import pyarrow.orc

        from tiledb_rs.convert import _avro as convert_avro, _csv as convert_csv, _json as convert_json

        table = self.table(simple=True)
        # ORC has timestamps of nanoseconds, as which older releases of pyarrow read those in CSV files, too.
        narrow = [".orc"] if int(pyarrow.__version__.split(".")[0]) >= 26 else [".orc", ".csv", ".tsv"]
        orc = table.set_column(table.schema.get_field_index("us"), "us", table["us"].take([0, 1, 0]))
        kinds = [
            (".csv", pyarrow.csv.write_csv),
            (".orc", pyarrow.orc.write_table),
            (".tsv", lambda one, path: convert_csv.write(one.to_reader(), path, "\t")),
            (".jsonl", lambda one, path: convert_json.write_lines(one.to_reader(), path)),
            (".json", lambda one, path: convert_json.write(one.to_reader(), path)),
        ]
        if has("polars"):
            kinds.append((".avro", lambda one, path: convert_avro.write(one.to_reader(), path)))
        for ending, write in kinds:
            with self.subTest(ending=ending):
                wanted = orc if ending in narrow else table
                found = self.round_trip(wanted, ending, write)
                self.assertEqual(found.schema.names, table.schema.names)
                if ending in (".json", ".jsonl"):
                    self.assertEqual(found["s"].to_pylist(), wanted["s"].to_pylist())
                    self.assertEqual(found["i64"].to_pylist(), wanted["i64"].to_pylist())
                else:
                    self.assertEqual(plain(found), plain(wanted.cast(found.schema)))

    def test_attributes_that_were_added_since(self):
        import pyarrow as pa
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"k": [1, 2], "v": pa.array([1, 2], pa.int16())}), self.path("in.parquet"))
        array = convert.from_file(self.path("in.parquet"), self.path(), index=["k"])
        array.add_attribute(tiledb_rs.Attribute("more", "DATETIME_DAY", nullable=True))
        array.reopen().write({"k": [3], "v": [3], "more": ["2020-01-01"]})
        convert.to_file(self.path(), self.path("out.parquet"), order="row-major")
        found = pyarrow.parquet.read_table(self.path("out.parquet"))
        self.assertEqual(found.to_pydict(), {"k": [1, 2, 3], "v": [1, 2, 3], "more": [None, None, datetime.date(2020, 1, 1)]})
        self.assertEqual(found.schema.types, [pa.int64(), pa.int16(), pa.date32()])

    def test_numbers_of_csv_that_are_none(self):
        rows = ["zip,large,huge,wide,real,signed,sparse,blank,hex", "00501,18446744073709551615,18446744073709551616,1e300,007.5,-01,, 007,0x10", "10001,1,2,2,1,2,0,8,17"]
        (self.folder / "in.csv").write_text("\n".join(rows) + "\n")
        convert.from_file(self.path("in.csv"), self.path())
        found = tiledb_rs.open(self.path()).read(["zip", "large", "huge", "wide", "real", "signed", "sparse", "blank", "hex"]).to_arrow().to_pydict()
        self.assertEqual(
            found,
            {
                "zip": ["00501", "10001"],
                "large": [2**64 - 1, 1],
                "huge": ["18446744073709551616", "2"],
                "wide": [1e300, 2.0],
                "real": [7.5, 1.0],
                "signed": ["-01", "2"],
                "sparse": [None, 0],
                "blank": [" 007", "8"],
                "hex": ["0x10", "17"],
            },
        )

    def test_databases(self):
        from tiledb_rs.convert import _databases as convert_databases

        table = self.table().drop(["nothing", "nan", "zoned", "fixed", "time_s", "time_ms", "decimal", "time", "large"])
        for kind in ["sqlite", *(["duckdb"] if has("duckdb") else [])]:
            with self.subTest(kind=kind):
                write = convert_databases._write_sqlite if kind == "sqlite" else convert_databases._write_duckdb
                found = self.round_trip(table, f".{kind}", lambda one, path: write(one.to_reader(), path, 'it\'s "a" table'))
                self.assertEqual(plain(found), plain(table))

    def sqlite(self, declared: str, values):
        """What becomes of a column of SQLite, in an array and in the file that is written back."""
        import os
        import sqlite3

        source, target = self.path("in.sqlite"), self.path("out.sqlite")
        for path in (source, target):
            if os.path.exists(path):
                os.remove(path)
        with sqlite3.connect(source) as connection:
            connection.execute(f"CREATE TABLE t (id INTEGER, a {declared})")
            connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
            stored = [one for (one,) in connection.execute("SELECT a FROM t ORDER BY id")]
        connection.close()
        if tiledb_rs.exists(self.path()):
            tiledb_rs.remove(self.path())
        found = convert.from_file(source, self.path()).read().to_pydict()["a"]
        convert.to_file(self.path(), target)
        connection = sqlite3.connect(target)
        written = [one for (one,) in connection.execute("SELECT a FROM data ORDER BY id")]
        connection.close()
        return stored, found, written

    def test_sqlite_values_that_the_declared_type_has_not_remain(self):
        fractions = [1, 2.5, -0.9, None]
        cases = [(declared, fractions) for declared in ("INTEGER", "INT", "BIGINT", "SMALLINT", "UBIGINT", "BOOLEAN", "NUMERIC", "")]
        cases += [
            ("BOOLEAN", [0, 1, 2]),
            ("TINYINT", [200, -1]),
            ("INT", [1 << 40, 1]),
            ("FLOAT", [0.1, 1.5]),
            ("INTEGER", ["a", "b"]),
            ("DATE", ["2020-01-01 10:00"]),
            ("DATE", [20200101, None]),
            ("TIMESTAMP", [1577836800]),
            ("TIMESTAMP", ["2020-01-01 10:00:00+02:00"]),
            ("TEXT", [b"x", None]),
            ("BLOB", ["x"]),
            ("BLOB", [1, 2]),
            ("UNSIGNED TEXT", ["007", "8"]),
        ]
        for declared, values in cases:
            with self.subTest(declared=declared, values=values):
                stored, found, written = self.sqlite(declared, values)
                self.assertEqual(found, stored)
                self.assertEqual(written, stored)
        stored, found, _ = self.sqlite("BOOLEAN", [0, 1, None])
        self.assertEqual([type(one) for one in found], [bool, bool, type(None)])

    def test_sqlite_values_of_several_types_are_refused_with_the_first(self):
        for declared, values, named in [
            ("INTEGER", [1, "x"], "text 'x' in row 2"),
            ("", ["x", 1.5], "real 1.5 in row 2"),
            ("", [1.5, 9007199254740993], "integer 9007199254740993"),
            ("BLOB", [b"x", "y"], "text 'y' in row 2"),
        ]:
            with self.subTest(declared=declared), self.assertRaisesRegex(ValueError, f"column 'a'.*{named}"):
                self.sqlite(declared, values)

    def test_sqlite_generated_columns_are_read(self):
        import sqlite3

        with sqlite3.connect(self.path("in.sqlite")) as connection:
            connection.execute("CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2), c INTEGER)")
            connection.execute("INSERT INTO t (a, c) VALUES (1, 7)")
        connection.close()
        found = convert.from_file(self.path("in.sqlite"), self.path()).read(["a", "b", "c"]).to_pydict()
        self.assertEqual(found, {"a": [1], "b": [2], "c": [7]})

    @needs("duckdb")
    def test_duckdb_types_without_an_arrow_type_become_texts(self):
        import duckdb

        with duckdb.connect(self.path("in.duckdb")) as connection:
            connection.execute("CREATE TABLE t AS SELECT '101'::BIT b, TIMETZ '10:00:00+02' z, INTERVAL 3 DAY i, 170141183460469231731687303715884105727::HUGEINT h, 5::HUGEINT s")
        found = convert.from_file(self.path("in.duckdb"), self.path()).read(["b", "z", "i", "h", "s"]).to_pydict()
        self.assertEqual(found, {"b": ["101"], "z": ["10:00:00+02"], "i": ["3 days"], "h": ["170141183460469231731687303715884105727"], "s": ["5"]})

    def test_sparse_with_conditions(self):
        import pyarrow as pa
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"k": ["b", "a", "c"], "v": pa.array([1, 2, 3], pa.int16()), "d": pa.array([1, 2, 3], pa.date32())}), self.path("in.parquet"))
        convert.from_file(self.path("in.parquet"), self.path(), index=["k"])
        convert.to_file(self.path(), self.path("out.parquet"), where="v > 1", order="row-major")
        found = pyarrow.parquet.read_table(self.path("out.parquet"))
        self.assertEqual(found.to_pydict(), {"k": ["a", "c"], "v": [2, 3], "d": [datetime.date(1970, 1, 3), datetime.date(1970, 1, 4)]})
        self.assertEqual(found.schema.types, [pa.string(), pa.int16(), pa.date32()])

    def test_empty_and_wide(self):
        import pyarrow as pa
        import pyarrow.parquet

        for name, table in [("empty", pa.table({"x": pa.array([], pa.int32()), "s": pa.array([], pa.string())})), ("wide", pa.table({f"c{at}": [at] for at in range(300)}))]:
            with self.subTest(name=name):
                pyarrow.parquet.write_table(table, self.path(f"{name}.parquet"))
                if name == "empty":
                    with self.assertRaisesRegex(ValueError, "index"):
                        convert.from_file(self.path(f"{name}.parquet"), self.path(name))
                convert.from_file(self.path(f"{name}.parquet"), self.path(name), index="x" if name == "empty" else None)
                convert.to_file(self.path(name), self.path(f"{name}.out.parquet"))
                self.assertEqual(pyarrow.parquet.read_table(self.path(f"{name}.out.parquet")).to_pydict(), table.to_pydict())

    def test_categories(self):
        """Columns become enumerations, as which engines read them, and are restored as they were."""
        import pyarrow as pa
        import pyarrow.parquet

        for at, type in enumerate([pa.string(), pa.large_string(), pa.int16(), pa.dictionary(pa.int8(), pa.string())]):
            values = [3, 1, None, 3] if type == pa.int16() else ["b", "a", None, "b"]
            table = pa.table({"k": pa.array(values, type), "s": ["x", "y", "z", "x"]})
            pyarrow.parquet.write_table(table, self.path(f"{at}.parquet"), row_group_size=2)
            with self.subTest(type=type):
                array = convert.from_file(self.path(f"{at}.parquet"), self.path(f"array_{at}"), categories="k")
                self.assertIsNotNone(array.schema.attribute("k").enumeration)
                self.assertIsNone(array.schema.attribute("s").enumeration)
                self.assertTrue(pa.types.is_dictionary(array.read("k").to_arrow().schema.field("k").type))
                convert.to_file(self.path(f"array_{at}"), self.path(f"{at}.again.parquet"))
                self.assertEqual(pyarrow.parquet.read_table(self.path(f"{at}.again.parquet")), pyarrow.parquet.read_table(self.path(f"{at}.parquet")))
        with self.assertRaisesRegex(KeyError, "nothing"):
            convert.from_file(self.path("0.parquet"), self.path("other"), categories=["nothing"])
        self.assertFalse(tiledb_rs.exists(self.path("other")))

    def test_batches_with_other_dictionaries(self):
        import pyarrow as pa

        batches = [pa.record_batch({"d": pa.array([one, "z"]).dictionary_encode()}) for one in ("x", "y", "x")]
        with pa.OSFile(self.path("in.arrows"), "wb") as file, pa.ipc.new_stream(file, batches[0].schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        convert.from_file(self.path("in.arrows"), self.path())
        self.assertEqual(tiledb_rs.open(self.path()).read("d").to_pydict()["d"], ["x", "z", "y", "z", "x", "z"])

    def test_what_cannot_be_converted(self):
        import pyarrow as pa
        import pyarrow.parquet

        for name, column in [("struct", pa.array([{"a": 1}])), ("texts", pa.array([["a", "b"]]))]:
            pyarrow.parquet.write_table(pa.table({name: column}), self.path(f"{name}.parquet"))
            with self.subTest(name=name), self.assertRaisesRegex(TypeError, name):
                convert.from_file(self.path(f"{name}.parquet"), self.path(name))
            self.assertFalse(tiledb_rs.exists(self.path(name)))
        convert.to_file(self.sparse("cells"), self.path("cells.csv"))
        self.assertIn("ccc", (self.folder / "cells.csv").read_text())
        with self.assertRaises(FileExistsError):
            convert.to_file(self.path("cells"), self.path("cells.csv"))
        with self.assertRaises(FileNotFoundError):
            convert.from_file(self.path("nothing.csv"), self.path())
        with self.assertRaisesRegex(ValueError, "ending"):
            convert.from_file(self.path("cells"), self.path())
        with self.assertRaisesRegex(ValueError, "no format"):
            convert.from_file(self.path("cells.csv"), self.path(), kind="xls")
        with self.assertRaises(TypeError):
            convert.to_file(tiledb_rs.Group.create(self.path("group")), self.path("group.csv"))

    def test_arrow_dictionaries_longer_than_their_buffers_are_refused(self):
        import struct

        import pyarrow as pa

        codes = pa.array([f"text {at}" for at in range(1017)]).dictionary_encode()
        batch = pa.RecordBatch.from_arrays([pa.array([1, 2]), codes[:2]], ["i", "c"])
        for name, new in (("in.arrow", pa.ipc.new_file), ("in.arrows", pa.ipc.new_stream)):
            with pa.OSFile(self.path(name), "wb") as file, new(file, batch.schema) as writer:
                writer.write_batch(batch)
            content, length = (self.folder / name).read_bytes(), struct.pack("<q", 1017)
            self.assertEqual(content.count(length), 2)
            (self.folder / name).write_bytes(content.replace(length, struct.pack("<q", 1 << 20)))
            with self.subTest(name), self.assertRaisesRegex(ValueError, "too small"):
                convert.from_file(self.path(name), self.path())
            self.assertIsNone(tiledb_rs.object_type(self.path()))

    @unittest.skipUnless(has("duckdb"), "duckdb is not installed")
    def test_orc_files_that_end_their_reader_are_refused(self):
        import os
        from unittest import mock

        import pyarrow.orc

        pyarrow.orc.write_table(pyarrow.table({"a": [1, 2]}), self.path("t.orc"))
        with mock.patch.object(importlib.import_module("tiledb_rs.convert._orc"), "_PROGRAM", "import os; os.abort()"):
            with self.assertRaisesRegex(ValueError, "t.orc cannot be read as ORC: the process that read it was ended" if os.name == "posix" else "t.orc"):
                convert.from_file(self.path("t.orc"), self.path())
        with open(self.path("u.orc"), "wb") as file:
            file.write(b"ORC" + bytes(40))
        with self.assertRaisesRegex(ValueError, "u.orc cannot be read as ORC: .*[Ii]nvalid"):
            convert.from_file(self.path("u.orc"), self.path())
        self.assertEqual(convert.from_file(self.path("t.orc"), self.path()).read().to_pydict()["a"], [1, 2])

    def test_duckdb_is_recognized_in_a_file_called_db(self):
        import duckdb

        with duckdb.connect(self.path("in.db")) as connection:
            connection.execute("CREATE TABLE t AS SELECT range AS i FROM range(3)")
        self.assertEqual(convert.kind_of(self.path("in.db")), "duckdb")
        self.assertEqual(convert.kind_of(self.path("new.db")), "sqlite")
        self.assertEqual(convert.from_file(self.path("in.db"), self.path()).read().to_arrow()["i"].to_pylist(), [0, 1, 2])

    def test_files_that_lie(self):
        """Files of another format than their name: an error, and no array."""
        for kind, of_kind in convert.KINDS.items():
            if not has(*of_kind.packages) or kind in ("csv", "tsv"):
                continue
            for at, content in enumerate(
                [b"", b"PK\3\4 nonsense", b"\x89HDF\r\n\x1a\n" + b"\xff" * 100, b"\x93NUMPY\1\0\xff\xff", b"ARROW1\0\0" + b"\xff" * 64, b"II*\0" + b"\xff" * 60]
            ):
                path = self.path(f"lie_{at}{of_kind.endings[0]}")
                (self.folder / path).write_bytes(content)
                with self.subTest(kind=kind, at=at):
                    try:
                        convert.from_file(path, self.path(f"{kind}_{at}"))
                    except Exception as error:
                        self.assertNotIsInstance(error, (MemoryError, SystemError, KeyError, AttributeError), kind)
                    else:
                        self.fail(f"{kind} read {content[:20]!r}")
                    self.assertFalse(tiledb_rs.exists(self.path(f"{kind}_{at}")))


if __name__ == "__main__":
    unittest.main()
