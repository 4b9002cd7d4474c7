"""CSV files with other nulls and dialects, columns that are chosen, nested columns, Avro of other programs."""

from __future__ import annotations

import datetime
import unittest
import warnings

from support import LibraryTest, needs

import tiledb_rs
import tiledb_rs.convert as convert

NAN = float("nan")


@needs("pyarrow", "numpy")
class CSV(LibraryTest):
    def read(self, text: str, warned: str = "", **options):
        """The columns of a file."""
        content = text if isinstance(text, bytes) else text.encode()
        (self.folder / "in.csv").write_bytes(content)
        if tiledb_rs.exists(self.path()):
            tiledb_rs.remove(self.path())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            array = convert.from_file(self.path("in.csv"), self.path(), **options)
        self.assertEqual(
            [str(one.message).partition(" was read with ")[2].partition(": give")[0] for one in caught if "was read with" in str(one.message)], [warned] if warned else []
        )
        return array.read([one.name for one in array.schema.attributes]).to_pydict()

    def test_null_values_of_pandas_leave_columns_numbers(self):
        found = self.read('id,x,d,b,s\n1,2.5,2024-01-01,true,NA\nNA,NA,n/a,<NA>,\n3,nan,2024-01-02,None,""\n')
        self.assertEqual((found["id"], found["x"][:2], found["b"]), ([1, None, 3], [2.5, None], [True, None, None]))
        self.assertNotEqual(found["x"][2], found["x"][2])
        self.assertEqual(found["d"], [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 2)])
        # Among texts, NA is one.
        self.assertEqual(found["s"], ["NA", None, ""])
        self.assertEqual(self.read("z,n\n00501,NA\nNA,NA\n"), {"z": ["00501", "NA"], "n": ["NA", "NA"]})
        self.assertEqual(self.read("u,v\n18446744073709551615,-\nNA,7\n"), {"u": [2**64 - 1, None], "v": ["-", "7"]})

    def test_null_values_that_are_given_apply_to_all_columns(self):
        self.assertEqual(self.read("x,s\n-,a\n2,-\nNA,b\n", null_values=["-"]), {"x": [None, "2", "NA"], "s": ["a", None, "b"]})
        self.assertEqual(self.read("x,s\n-,a\n2,-\n", null_values=["-"]), {"x": [None, 2], "s": ["a", None]})

    def test_delimiters_and_decimal_commas_are_recognized_and_reported(self):
        self.assertEqual(self.read("a;b\n1;2\n3;4\n", "delimiter=';'"), {"a": [1, 3], "b": [2, 4]})
        self.assertEqual(self.read("a|b\n1|x,y\n3|z\n", "delimiter='|'"), {"a": [1, 3], "b": ["x,y", "z"]})
        self.assertEqual(self.read("a;b;s\n1,5;2;x,y\nNA;-4,25e1;z\n", "delimiter=';', decimal=','"), {"a": [1.5, None], "b": [2.0, -42.5], "s": ["x,y", "z"]})
        # A comma between thousands is none of decimals.
        self.assertEqual(self.read("a;b\n1,500;2\n3;4\n", "delimiter=';'"), {"a": ["1,500", "3"], "b": [2, 4]})
        self.assertEqual(self.read("a;b\n1,500;2\n3;4\n", delimiter=";", decimal=","), {"a": [1.5, 3.0], "b": [2, 4]})
        # Semicolons in some texts divide nothing.
        self.assertEqual(self.read("name\nx;y\nz\n"), {"name": ["x;y", "z"]})
        self.assertEqual(self.read("a,b\n1;2,3\n4;5,6\n"), {"a": ["1;2", "4;5"], "b": [3, 6]})
        self.assertEqual(self.read("a,b\n'x,y',1\n", quote="'"), {"a": ["x,y"], "b": [1]})
        self.assertEqual(self.read("a\nJosé\n".encode("latin-1"), encoding="latin-1"), {"a": ["José"]})

    def test_dates_of_other_orders_are_recognized_where_only_one_is_possible(self):
        days = [datetime.date(2024, 5, 31), None, datetime.date(2024, 1, 2)]
        self.assertEqual(self.read("d,x\n31.05.2024,1\n,2\n2.1.2024,3\n", "dates='%d.%m.%Y' in column 'd'")["d"], days)
        self.assertEqual(self.read("d,x\n31/05/2024,1\n,2\n02/01/2024,3\n", "dates='%d/%m/%Y' in column 'd'")["d"], days)
        self.assertEqual(self.read("d,x\n05/31/2024,1\n,2\n01/02/2024,3\n", "dates='%m/%d/%Y' in column 'd'")["d"], days)
        for text in ("01/02/2024", "31.02.2024", "32.01.2024", "31.12/2024"):
            self.assertEqual(self.read(f"d,x\n{text},1\n")["d"], [text])
        self.assertEqual(self.read("d,x\n01/02/2024,1\n", dates="%d/%m/%Y")["d"], [datetime.date(2024, 2, 1)])
        self.assertEqual(self.read("d,s\n2024-01-02,31.05.2024 or later\n"), {"d": [datetime.date(2024, 1, 2)], "s": ["31.05.2024 or later"]})

    def test_columns_are_chosen_and_excluded(self):
        text = "a,b,c\n1,2,3\n4,5,6\n"
        self.assertEqual(self.read(text, columns=["c", "a"]), {"c": [3, 6], "a": [1, 4]})
        self.assertEqual(self.read(text, exclude="b"), {"a": [1, 4], "c": [3, 6]})
        self.assertEqual(self.read(text, columns=["a", "b"], exclude=["b"]), {"a": [1, 4]})
        convert.to_file(self.path(), self.path("out.csv"))
        self.assertEqual((self.folder / "out.csv").read_text(), '"a"\n1\n4\n')
        for options in ({"columns": ["x"]}, {"exclude": ["x"]}):
            with self.assertRaisesRegex(KeyError, "'x'"):
                self.read(text, **options)
        with self.assertRaises(TypeError):
            self.read(text, columns="a")

    def test_nested_columns_are_named_excluded_or_become_json(self):
        import pyarrow as pa
        import pyarrow.parquet

        table = pa.table(
            {
                "x": [1, 2],
                "s": pa.array([{"a": 1, "b": {"c": "ä"}}, None]),
                "t": pa.array([["a", None], []]),
                "m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())),
                "d": pa.array([[{"day": datetime.date(2024, 1, 2)}], None]),
            }
        )
        pyarrow.parquet.write_table(table, self.path("in.parquet"))
        with self.assertRaisesRegex(TypeError, r"'s'.*exclude=\['s'\].*nested='json'"):
            convert.from_file(self.path("in.parquet"), self.path())
        array = convert.from_file(self.path("in.parquet"), self.path(), nested="json")
        self.assertEqual(
            array.read(["x", "s", "t", "m", "d"]).to_pydict(),
            {"x": [1, 2], "s": ['{"a": 1, "b": {"c": "ä"}}', None], "t": ['["a", null]', "[]"], "m": ['{"k": 1}', None], "d": ['[{"day": "2024-01-02"}]', None]},
        )
        other = convert.from_file(self.path("in.parquet"), self.path("other"), exclude=["s", "t", "m", "d"])
        self.assertEqual(other.read(["x"]).to_pydict(), {"x": [1, 2]})

    @needs("fastavro", "polars")
    def test_avro_enums_and_maps_are_converted(self):
        import fastavro

        schema = {
            "type": "record",
            "name": "r",
            "fields": [
                {"name": "e", "type": {"type": "enum", "name": "color", "symbols": ["RED", "GREEN"]}},
                {"name": "n", "type": ["null", "int"]},
                {"name": "m", "type": {"type": "map", "values": "long"}},
            ],
        }
        with open(self.path("in.avro"), "wb") as file:
            fastavro.writer(file, fastavro.parse_schema(schema), [{"e": "GREEN", "n": 1, "m": {"a": 1}}, {"e": "RED", "n": None, "m": {}}])
        with self.assertRaisesRegex(TypeError, "'m'"):
            convert.from_file(self.path("in.avro"), self.path())
        array = convert.from_file(self.path("in.avro"), self.path(), nested="json")
        self.assertEqual(array.read(["e", "n", "m"]).to_pydict(), {"e": ["GREEN", "RED"], "n": [1, None], "m": ['{"a": 1}', "{}"]})


if __name__ == "__main__":
    unittest.main()
