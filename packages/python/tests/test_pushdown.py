"""Filters as conditions and ranges: no cell that an engine keeps is lost, and what can be pushed is."""
from __future__ import annotations

import datetime
import decimal
import math
import random
import unittest

import engine_support
import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema
from tiledb_rs.pushdown import OPERATORS, Pushdown


def holds(sign: str, cell, value, nan_is_greatest: bool) -> bool:
    """What an engine finds: nulls meet nothing; NaN as in IEEE 754, or as the greatest number."""
    if cell is None:
        return False
    if isinstance(cell, float) and isinstance(value, decimal.Decimal):
        value = float(value)
    if nan_is_greatest and isinstance(cell, float):
        def key(one):
            return (1, 0.0) if isinstance(one, float) and math.isnan(one) else (0, one)

        return OPERATORS[sign](key(cell), key(value))
    return OPERATORS[sign](cell, value)


class Filters(support.LibraryTest):
    def setUp(self) -> None:
        super().setUp()
        self.array = tiledb_rs.create(self.path("typed"), engine_support.typed_schema())
        self.rows = engine_support.typed_rows(120)
        self.array.write(self.rows)

    def kept(self, pushdown: Pushdown) -> set:
        ranges = pushdown.ranges()
        return set() if ranges is None else set(self.array.read("d", ranges, pushdown.condition).to_pydict()["d"])

    def test_no_cell_is_lost(self):
        numbers = [-129, -128, 0, 127, 128, 255, 256, 65_535, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 70, 1.5, 0.1,
                   -0.0, math.nan, math.inf, -math.inf, 2.0, decimal.Decimal("127.5"), decimal.Decimal(1 << 63), True, False]
        texts = ["a", "A", "", "ä", "a ", "it's", 'quo"te', "\U0001f600", "a\0b", "\ud800", "zzz", "red", "purple"]
        days = [engine_support.DAY, datetime.date(1969, 12, 31), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]
        moments = [self.rows["us"][0], self.rows["us"][1], self.rows["ms"][7] + datetime.timedelta(microseconds=1), self.rows["ms"][7],
                   datetime.datetime.min, datetime.datetime.max]
        families = [(["d", "i8", "u8", "u16", "u32", "u64", "i64", "f32", "f64", "flag"], numbers), (["text", "color"], texts), (["day"], days),
                    (["ms", "us"], moments)]
        pushed = 0
        for names, values in families:
            for name in names:
                cells = self.rows[name]
                if name == "f32":
                    cells = [None if one is None else one for one in cells]
                for value in values:
                    for sign in OPERATORS:
                        for greatest in (False, True):
                            with self.subTest(name=name, value=value, sign=sign, greatest=greatest):
                                pushdown = Pushdown(self.array.schema, greatest)
                                pushed += pushdown.compare(name, sign, value)
                                kept = {at for at, cell in enumerate(cells) if holds(sign, cell, value, greatest)}
                                self.assertLessEqual(kept, self.kept(pushdown))
        # Most are pushed: a pushdown that does nothing would lose nothing, too.
        self.assertGreater(pushed, 1000)

    def test_values_of_other_types_are_not_pushed(self):
        for name, value in [("i8", "1"), ("text", 1), ("text", b"a"), ("day", "2024-02-28"), ("flag", 1), ("flag", "true"), ("us", 5), ("color", 1),
                            ("blob", b"a"), ("nothing", 1), ("ns", self.rows["us"][0]), ("i8", None), ("i8", [1]),
                            ("us", self.rows["us"][0].replace(tzinfo=datetime.timezone.utc)), ("d", datetime.timedelta(days=1))]:
            with self.subTest(name=name, value=value):
                self.assertFalse(Pushdown(self.array.schema).compare(name, "<", value))

    def test_lists_nulls_and_prefixes(self):
        for name, values in [("i8", [0, 127]), ("text", ["a", ""]), ("text", [""]), ("color", ["red", "purple"]), ("day", [engine_support.DAY]),
                             ("f64", [1.5, 0.0]), ("u64", [1 << 63, None]), ("d", [3, 5, 100]), ("u8", [1, 1 << 70])]:
            with self.subTest(name=name, values=values):
                pushdown = Pushdown(self.array.schema)
                is_pushed = pushdown.isin(name, values)
                self.assertEqual(is_pushed, name != "u8")
                kept = {at for at, cell in enumerate(self.rows[name]) if cell is not None and cell in values}
                self.assertEqual(self.kept(pushdown), kept if is_pushed else set(range(120)))
        for name, is_null in [("text", True), ("text", False), ("u64", True), ("color", False)]:
            pushdown = Pushdown(self.array.schema)
            self.assertTrue(pushdown.null(name, is_null))
            self.assertEqual(self.kept(pushdown), {at for at, cell in enumerate(self.rows[name]) if (cell is None) == is_null})
        for name in ("i8", "d", "nothing"):
            self.assertFalse(Pushdown(self.array.schema).null(name, True))
        for name, prefix in [("text", "a"), ("text", "\U0001f600"), ("text", "~"), ("color", "r"), ("text", "it'")]:
            pushdown = Pushdown(self.array.schema)
            self.assertTrue(pushdown.starts_with(name, prefix))
            self.assertLessEqual({at for at, cell in enumerate(self.rows[name]) if cell is not None and cell.startswith(prefix)}, self.kept(pushdown))
        for name, prefix in [("text", ""), ("i8", "1"), ("text", 1)]:
            self.assertFalse(Pushdown(self.array.schema).starts_with(name, prefix))

    def test_dimensions_become_ranges(self):
        pushdown = Pushdown(self.array.schema)
        for sign, value in [(">", 10), ("<=", 20.0), ("!=", 15), ("<", 1 << 70)]:
            pushdown.compare("d", sign, value)
        self.assertEqual(pushdown.ranges(), {"d": (11, 20)})
        self.assertEqual(self.kept(pushdown), set(range(11, 21)) - {15})
        pushdown.compare("d", "<", 5)
        self.assertIsNone(pushdown.ranges())

    def test_dense_arrays_have_ranges_only(self):
        schema = Schema([Dimension("d", (10, 99), tile=10), Dimension("t", (1, 31), tile=31)],
                        [Attribute("x", "INT32")])
        pushdown = Pushdown(schema)
        self.assertFalse(pushdown.compare("x", ">", 5))
        self.assertFalse(pushdown.compare("d", "!=", 5))
        self.assertTrue(pushdown.compare("d", "<", 20))
        self.assertTrue(pushdown.compare("t", ">", 30.0))
        self.assertTrue(pushdown.isin("d", [12, 14]))
        self.assertIsNone(pushdown.condition)
        array = tiledb_rs.create(self.path("dense"), schema)
        found = array.read(["d", "t"], pushdown.ranges()).to_pydict()
        self.assertEqual((found["d"], set(found["t"])), ([12, 13, 14], {31}))

    def test_time_dimensions(self):
        day = datetime.date(2024, 1, 1)
        schema = Schema([Dimension("day", (day, datetime.date(2024, 12, 31)), tile=30)], [Attribute("x", "INT32")], sparse=True)
        array = tiledb_rs.create(self.path("days"), schema)
        array.write({"day": [day + datetime.timedelta(days=at) for at in range(10)], "x": list(range(10))})
        pushdown = Pushdown(schema)
        self.assertTrue(pushdown.compare("day", ">", day) & pushdown.compare("day", "<=", datetime.datetime(2024, 1, 5)))
        self.assertEqual(sorted(array.read("x", pushdown.ranges()).to_pydict()["x"]), [1, 2, 3, 4])
        self.assertEqual(sorted(array.read("x", pushdown.ranges(), pushdown.condition).to_pydict()["x"]), [1, 2, 3, 4])
        pushdown.compare("day", "<", datetime.date(1999, 1, 1))
        self.assertIsNone(pushdown.ranges())

    def test_random_conjunctions(self):
        source = random.Random(5)
        for _ in range(200):
            pushdown, kept = Pushdown(self.array.schema), set(range(120))
            for _ in range(source.randint(1, 4)):
                name = source.choice(["d", "i8", "u64", "i64", "f64", "text", "day", "color"])
                sign, value = source.choice(list(OPERATORS)), source.choice([one for one in self.rows[name] if one is not None])
                pushdown.compare(name, sign, value)
                kept &= {at for at, cell in enumerate(self.rows[name]) if holds(sign, cell, value, False)}
            self.assertLessEqual(kept, self.kept(pushdown))


if __name__ == "__main__":
    unittest.main()
