"""JSON files as lists of rows and as JSON lines: numbers that are exact, forms of files, and files that are none."""

from __future__ import annotations

import json
import unittest

from support import LibraryTest, needs

import tiledb_rs
import tiledb_rs.convert as convert


@needs("pyarrow")
class Json(LibraryTest):
    def converted(self, text: str, name: str = "in.json", **options):
        (self.folder / name).write_text(text, encoding="utf-8")
        if tiledb_rs.exists(self.path()):
            tiledb_rs.remove(self.path())
        array = convert.from_file(self.path(name), self.path(), **options)
        return array.read([one.name for one in array.schema.attributes]).to_arrow().to_pydict()

    def test_lists_and_lines_have_the_same_rows(self):
        expected = {"a": [1, None, 3], "b": ["x\n", "ä", None], "c": [[1, 2], None, []]}
        rows = ['{"a": 1, "b": "x\\n", "c": [1, 2]}', '{"b": "ä"}', '{"a": 3,\n "b": null, "c": []}']
        for text in ["\n".join(rows), "[" + ",\n".join(rows) + "]", "\ufeff [" + ", ".join(rows) + "]\n", "".join(rows)]:
            for name in ("in.json", "in.jsonl"):
                self.assertEqual(self.converted(text, name), expected, (text, name))

    def test_files_are_written_as_a_list_and_come_back(self):
        rows = [{"k": 1, "f": 0.1, "s": "it's", "l": [1.5, None]}, {"k": 2, "f": None, "s": None, "l": []}]
        import pyarrow as pa

        tiledb_rs.from_arrow(self.path("source"), pa.table({"k": [1, 2], "f": [0.1, float("nan")], "s": ["it's", None], "l": [[1.5, float("inf")], []]}))
        for name in ("out.json", "out.jsonl"):
            convert.to_file(self.path("source"), self.path(name))
            text = (self.folder / name).read_text(encoding="utf-8")
            found = json.loads(text) if name == "out.json" else [json.loads(line) for line in text.splitlines()]
            self.assertEqual([{key: row[key] for key in ("k", "f", "s", "l")} for row in found], rows)
            self.assertNotIn("NaN", text)

    def test_integers_beyond_64_bits_with_a_sign_are_exact_or_refused(self):
        self.assertEqual(self.converted('[{"a": 18446744073709551615}, {"a": null}, {"a": 3}]'), {"a": [2**64 - 1, None, 3]})
        self.assertEqual(self.converted('{"a": 9007199254740992}\n{"a": 0.5}'), {"a": [2.0**53, 0.5]})
        self.assertEqual(self.converted('{"a": 1e22, "s": "12345678901234567890"}'), {"a": [1e22], "s": ["12345678901234567890"]})
        for text in ['{"a": 9007199254740993}\n{"a": 0.5}', '{"a": 18446744073709551617}', '[{"a": 18446744073709551615}, {"a": -1}]']:
            with self.assertRaisesRegex(ValueError, "column 'a'"):
                self.converted(text)

    def test_nested_values_are_texts_on_demand(self):
        text = '[{"a": 1, "n": {"x": [{"y": 1}]}}, {"a": 2, "n": null}]'
        with self.assertRaisesRegex(TypeError, "column 'n'.*nested='json'"):
            self.converted(text)
        self.assertEqual(self.converted(text, nested="json")["n"][1], None)
        self.assertEqual(self.converted(text, exclude=["n"]), {"a": [1, 2]})

    def test_files_without_rows_of_one_type_are_refused(self):
        for text, part in [
            ("", "JSON"),
            ("[1, 2]", "element 0"),
            ("[", "JSON"),
            ('[{"a": 1}', "JSON"),
            ('{"a": 1}\n{"a": "x"}', "changed from number to string"),
            ("[" * 100_000, "JSON"),
            ('{"a": 1e400}', "JSON"),
            ("a,b\n1,2\n", "JSON"),
        ]:
            with self.subTest(text=text[:20]), self.assertRaisesRegex(ValueError, part):
                self.converted(text)
            self.assertFalse(tiledb_rs.exists(self.path()))


if __name__ == "__main__":
    unittest.main()
