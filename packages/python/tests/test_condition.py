"""Conditions: texts, their errors, objects, and what the library makes of them."""

from __future__ import annotations

import pickle
import random
import unittest

import support

import tiledb_rs
from tiledb_rs import Attribute, Condition, ConditionError, Dimension, Schema, field
from tiledb_rs._model.condition import TextCondition


class Objects(unittest.TestCase):
    def test_building(self):
        a, b = field("a"), field("b c")
        self.assertEqual(str((a > 1) & (b <= 2.5) | ~(a == "x")), "(a > 1 and 'b c' <= 2.5) or not (a == 'x')")
        self.assertEqual(str(a.isin([1, 2]) & a.is_null() & b.is_valid()), "a in (1, 2) and a is null and 'b c' is not null")
        self.assertEqual(a.between(1, 2), (a >= 1) & (a <= 2))
        self.assertEqual(~~(a > 1), a > 1)
        self.assertNotEqual((a > 1) & (a > 2), (a > 1) & (a > 3))
        self.assertNotEqual((a > 1) & (a > 2), (a > 1) | (a > 2))
        self.assertEqual(hash((a > 1) & (a > 2)), hash((a > 1) & (a > 2)))
        self.assertEqual(((a > 1) | (b == None)).fields(), {"a", "b c"})  # noqa: E711
        self.assertEqual(repr(a == b"\0x"), "<tiledb_rs.Condition: a == 0x0078>")
        self.assertEqual(str(TextCondition("a = 1 or b = 2") & (a > 1)), "(a = 1 or b = 2) and a > 1")

    def test_mistakes(self):
        a = field("a")
        for wrong in [
            lambda: (a > 1) and (a < 2),
            lambda: not (a > 1),
            lambda: bool(a > 1),
            lambda: (a > 1) & True,
            lambda: (a > 1) | "a > 1",
            lambda: a.isin("abc"),
            lambda: field(1),
            lambda: a & a,
            lambda: {a},
        ]:
            self.assertRaises(TypeError, wrong)
        for wrong in [lambda: a < None, lambda: a.isin([]), lambda: a.isin([1, None]), lambda: field("a\0")]:
            self.assertRaises(ValueError, wrong)

    def test_pickle(self):
        for condition in [
            (field("a") > 1) & ~field("b").isin(["x"]) | field("c").is_null(),
            TextCondition("a = 1 or b in ('x', 'y')") & (field("c") > 1),
        ]:
            self.assertEqual(pickle.loads(pickle.dumps(condition)), condition)


class Values(support.LibraryTest):
    def setUp(self):
        super().setUp()
        kinds = {
            "i": "INT8",
            "u": "UINT64",
            "f": "FLOAT32",
            "b": "BOOL",
            "t": "STRING_UTF8",
            "d": "DATETIME_DAY",
            "y": "DATETIME_YEAR",
            "w": "STRING_UTF16",
        }
        attributes = [Attribute(name, kind, nullable=name != "t") for name, kind in kinds.items()]
        attributes += [Attribute("c", "CHAR", values=2), Attribute("l", "INT32", var=True)]
        self.array = tiledb_rs.create(self.path(), Schema([Dimension("k", (0, 9))], attributes, sparse=True))
        self.array.write(
            {
                "k": [0, 1, 2],
                "i": [-5, 5, None],
                "u": [0, (1 << 64) - 1, 7],
                "f": [0.5, -1.5, None],
                "b": [True, False, None],
                "t": ["", "a'b", "ü"],
                "d": ["2024-05-31", "1969-12-31", None],
                "y": ["2024", 0, None],
                "w": ["x", "y", None],
                "c": [b"ab", b"cd", b"\0\0"],
                "l": [[1], [1, 2], []],
            }
        )

    def found(self, where):
        return self.array.read("k", where=where, order="row-major").to_pydict()["k"]

    def test_values_are_read_by_datatype(self):
        for where, cells in [
            ("i = -5", [0]),
            ("i < 6", [0, 1]),
            ("i != 5", [0]),
            ("not i = 5", [0]),
            ("i is null", [2]),
            ("i is not null", [0, 1]),
            ("u = 18446744073709551615", [1]),
            ("f = 0.5", [0]),
            ("f < 1", [0, 1]),
            ("f > -inf", [0, 1]),
            ("b = true", [0]),
            ("b = 0", [1]),
            ("t = ''", [0]),
            ('t = "a\'b"', [1]),
            ("t > 'a'", [1, 2]),
            ("t in ('ü', '')", [0, 2]),
            ("t in ('')", [0]),
            ("d = 2024-05-31", [0]),
            ("d < 0", [1]),
            ("d > '1970-01-01'", [0]),
            ("y = 2024", [0]),
            ("y = '1970'", [1]),
            ("c = ab", [0]),
            ("c = 0x0000", [2]),
            ("k between 1 and 2", [1, 2]),
            ("k not between 1 and 2", [0]),
            ("k in (0, 2) and i = -5", [0]),
            ("f in (0.5, 2)", [0]),
            ("i not in (5)", [0]),
            ("k > 0 or t = ''", [0, 1, 2]),
            ("k in (7, 8)", []),
            ("t is null", []),
        ]:
            with self.subTest(where=where):
                self.assertEqual(self.found(where), cells)

    def test_wrong_values(self):
        for where, position in [
            ("i = 128", 4),
            ("i = x", 4),
            ("i = 1.5", 4),
            ("u = -1", 4),
            ("f = x", 4),
            ("b = 2", 4),
            ("d = 2024-13-01", 4),
            ("c = abc", 4),
            ("i in (1, 2, 999)", 12),
            ("k = 1 and z = 2", 10),
            ("i = ''", 4),
            ("i = 1_000", 4),
            ("i = ١", 4),
        ]:
            with self.subTest(where=where), self.assertRaises(ConditionError) as caught:
                self.found(where)
            self.assertEqual(caught.exception.position, position)
        for where in [field("i") > 128, field("i") == 1.5, field("z") > 1, field("c") == b"abc", field("b") == 2]:
            with self.subTest(where=where), self.assertRaises(ConditionError):
                self.found(where)
        for where in [field("i") > b"x", field("t") == 5, field("i") == [1], field("d") == b"x"]:
            with self.subTest(where=where), self.assertRaises(TypeError):
                self.found(where)
        # What only the library knows is its error.
        for where in ["l = 1", field("w") == "x"]:
            with self.subTest(where=where), self.assertRaises(tiledb_rs.TileDBError):
                self.found(where)

    def test_errors_have_positions(self):
        for text, position, reason in [
            ("", 0, "a field is missing before the end"),
            ("i", 1, "after i"),
            ("i >", 3, "a value is missing after i"),
            ("i > 5 b", 6, "b is not expected"),
            ("t = 'ü' and", 11, "a field is missing"),
            ("t = 'ü' or i = x", 15, "INT8"),
            ("i > 5\0", 5, "NUL"),
            ("(" * 100_000, 200, "nested"),
        ]:
            with self.subTest(text=text[:40]), self.assertRaises(ConditionError) as caught:
                self.found(text)
            self.assertEqual(caught.exception.position, position, str(caught.exception)[:200])
            self.assertIn(reason, str(caught.exception))
            self.assertIsInstance(caught.exception, ValueError)
        copied = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(copied), copied.position), (str(caught.exception), caught.exception.position))

    def test_random_texts_never_fail_otherwise(self):
        parts = ["i", "t", "'x'", '"', "'", "(", ")", ",", "and", "or", "not", "in", "is", "null", "between", "==", "<", ">=", "!", "&&", "||"]
        parts += ["|", " ", "5", "-1", "\t", "é", "\u2028", "\\"]
        numbers = random.Random(7)
        for _ in range(3_000):
            text = " ".join(numbers.choice(parts) for _ in range(numbers.randint(0, 12)))
            try:
                self.array.read("k", where=text)
            except ConditionError as error:
                self.assertTrue(error.position is None or 0 <= error.position <= len(text))

    def test_objects_equal_texts(self):
        for condition, cells in [
            (field("i") == -5, [0]),
            (field("t").isin(["ü", ""]), [0, 2]),
            (field("i").is_null(), [2]),
            (field("b") == True, [0]),  # noqa: E712
            (field("y") == 0, [1]),
            (field("c") == "ab", [0]),
            (~field("k").between(1, 2), [0]),
            (field("f").isin([0.5, 2]), [0]),
        ]:
            with self.subTest(condition=condition):
                self.assertEqual(self.found(condition), cells)
                self.assertEqual(self.found(condition.text(self.array.schema)), cells)

    def test_many_members(self):
        self.assertEqual(self.found(f"k in ({', '.join(str(number % 10) for number in range(5_000))})"), [0, 1, 2])
        self.assertEqual(self.found(" or ".join(f"k = {number % 10}" for number in range(5_000))), [0, 1, 2])
        condition: Condition = field("k") == 1
        for _ in range(5_000):
            condition = condition | (field("k") == 2)
        self.assertEqual(self.found(condition), [1, 2])
        for _ in range(5_000):
            condition = tiledb_rs._model.condition.Not(condition)
        with self.assertRaisesRegex(ConditionError, "too deeply"):
            self.found(condition)

    def test_enumerations(self):
        array = self.sparse("enumerated")
        for where, count in [
            ("c = red", 2),
            ("c != 'red'", 1),
            ("c in (red, 'blue')", 3),
            ("c is null", 1),
            (field("c") == "blue", 1),
        ]:
            with self.subTest(where=where):
                self.assertEqual(array.count(where), count)


if __name__ == "__main__":
    unittest.main()
