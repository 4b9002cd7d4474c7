"""Predicates as conditions and ranges: no cell that an engine keeps is lost, and what can be pushed is."""

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
from tiledb_rs._model.datatypes import decode
from tiledb_rs._engines.predicates import OPERATORS, literal_of, push


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


def compare(name: str, sign: str, value):
    literal = literal_of(value)
    return None if literal is None else ("compare", sign, name, literal)


def truth(tree, row: dict, greatest: bool):
    """What an engine finds for a row, in the logic of three values."""
    kind, *rest = tree
    if kind == "not":
        inner = truth(rest[0], row, greatest)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        found = [truth(one, row, greatest) for one in rest[0]]
        decisive = kind == "or"
        return decisive if decisive in found else None if None in found else not decisive
    if kind in ("null", "valid"):
        return (row[rest[0]] is None) == (kind == "null")
    cell = row[rest[1] if kind == "compare" else rest[0]]
    if cell is None:
        return None
    if kind == "starts":
        return cell.startswith(rest[1])
    return holds(rest[0], cell, rest[2], greatest) if kind == "compare" else any(holds("==", cell, value, greatest) for value in rest[1])


def predicate(tree):
    """The tree with the values that predicates have."""
    kind, *rest = tree
    if kind == "not":
        return ("not", predicate(rest[0]))
    if kind in ("and", "or"):
        return (kind, [predicate(one) for one in rest[0]])
    if kind == "compare":
        return compare(rest[1], rest[0], rest[2])
    return ("in", rest[0], [literal_of(one) for one in rest[1]]) if kind == "in" else tree


def is_pushed(pushed) -> bool:
    return bool(pushed.empty or pushed.ranges or pushed.condition is not None)


class Filters(support.LibraryTest):
    def setUp(self) -> None:
        super().setUp()
        self.array = tiledb_rs.create(self.path("typed"), engine_support.typed_schema())
        self.rows = engine_support.typed_rows(120)
        self.array.write(self.rows)

    def push(self, predicate, nan: str = "unordered"):
        return push(predicate, self.array.schema, nan=nan, labels_are_values=True)

    def kept(self, pushed) -> set:
        return set() if pushed.empty else set(self.array.read("d", pushed.ranges, pushed.condition).to_pydict()["d"])

    def test_no_cell_is_lost(self):
        numbers = [
            -129,
            -128,
            0,
            127,
            128,
            255,
            256,
            65_535,
            1 << 53,
            (1 << 53) + 1,
            (1 << 63) - 1,
            1 << 63,
            (1 << 64) - 1,
            1 << 70,
            1.5,
            0.1,
            -0.0,
            math.nan,
            math.inf,
            -math.inf,
            2.0,
            decimal.Decimal("127.5"),
            decimal.Decimal(1 << 63),
            True,
            False,
        ]
        texts = ["a", "A", "", "ä", "a ", "it's", 'quo"te', "\U0001f600", "a\0b", "\ud800", "zzz", "red", "purple"]
        days = [engine_support.DAY, datetime.date(1969, 12, 31), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]
        moments = [
            self.rows["us"][0],
            self.rows["us"][1],
            self.rows["ms"][7] + datetime.timedelta(microseconds=1),
            self.rows["ms"][7],
            datetime.datetime.min,
            datetime.datetime.max,
        ]
        families = [(["d", "i8", "u8", "u16", "u32", "u64", "i64", "f32", "f64", "flag"], numbers), (["text", "color"], texts), (["day"], days), (["ms", "us"], moments)]
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
                                found = self.push(compare(name, sign, value), "greatest" if greatest else "unordered")
                                pushed += is_pushed(found)
                                kept = {at for at, cell in enumerate(cells) if holds(sign, cell, value, greatest)}
                                self.assertLessEqual(kept, self.kept(found))
                                found = self.push(("not", compare(name, sign, value)), "greatest" if greatest else "unordered")
                                others = {at for at, cell in enumerate(cells) if cell is not None} - kept
                                self.assertLessEqual(others, self.kept(found))
        # Most are pushed: a pushdown that does nothing would lose nothing, too.
        self.assertGreater(pushed, 1000)

    def test_values_of_other_types_are_not_pushed(self):
        for name, value in [
            ("i8", "1"),
            ("text", 1),
            ("text", b"a"),
            ("day", "2024-02-28"),
            ("flag", 1),
            ("flag", "true"),
            ("us", 5),
            ("color", 1),
            ("blob", b"a"),
            ("nothing", 1),
            ("i8", None),
            ("i8", [1]),
            ("text", "\ud800"),
            ("f64", decimal.Decimal("NaN")),
            ("us", self.rows["us"][0].replace(tzinfo=datetime.timezone.utc)),
            ("d", datetime.timedelta(days=1)),
        ]:
            with self.subTest(name=name, value=value):
                self.assertFalse(is_pushed(self.push(compare(name, "<", value))))

    @support.needs("numpy", "pandas")
    def test_values_of_numpy_and_pandas(self):
        import numpy
        import pandas

        moment = datetime.datetime(2024, 2, 28, 23, 59, 59, 250_000)
        for value, literal in [
            (numpy.int8(-3), -3),
            (numpy.float32(1.5), 1.5),
            (numpy.bool_(True), True),
            (numpy.str_("a"), "a"),
            (numpy.datetime64("2024-02-28", "D"), (19781, "D")),
            (numpy.datetime64("NaT", "s"), None),
            (numpy.datetime64("2024-02", "M"), None),
            (numpy.datetime64(7, "10s"), None),
            (numpy.timedelta64(1, "D"), None),
            (pandas.Timestamp(moment), literal_of(moment)),
            (pandas.Timestamp(moment) + pandas.Timedelta(1, "ns"), None),
            (pandas.NaT, None),
            (numpy.array([1, 2]), None),
        ]:
            with self.subTest(value=value):
                self.assertEqual(literal_of(value), literal)

    def test_lists_nulls_and_prefixes(self):
        for name, values in [
            ("i8", [0, 127]),
            ("text", ["a", ""]),
            ("text", [""]),
            ("color", ["red", "purple"]),
            ("day", [engine_support.DAY]),
            ("f64", [1.5, 0.0]),
            ("u64", [1 << 63]),
            ("d", [3, 5, 100]),
            ("u8", [1, 1 << 70]),
            ("text", [1, "a"]),
        ]:
            with self.subTest(name=name, values=values):
                found = self.push(("in", name, [literal_of(one) for one in values]))
                pushed = is_pushed(found)
                self.assertEqual(pushed, 1 not in values or name != "text")
                kept = {at for at, cell in enumerate(self.rows[name]) if cell is not None and cell in values}
                self.assertEqual(self.kept(found), kept if pushed else set(range(120)))
        for kind, name, is_null in [("null", "text", True), ("valid", "text", False), ("null", "u64", True), ("valid", "color", False)]:
            found = self.push((kind, name))
            self.assertTrue(is_pushed(found))
            self.assertEqual(self.kept(found), {at for at, cell in enumerate(self.rows[name]) if (cell is None) == is_null})
        for name in ("i8", "d", "nothing"):
            self.assertFalse(is_pushed(self.push(("null", name))))
        for name, prefix in [("text", "a"), ("text", "\U0001f600"), ("text", "~"), ("color", "r"), ("text", "it'")]:
            found = self.push(("starts", name, prefix))
            self.assertTrue(is_pushed(found))
            self.assertLessEqual({at for at, cell in enumerate(self.rows[name]) if cell is not None and cell.startswith(prefix)}, self.kept(found))
            # Its negation is not known.
            self.assertFalse(is_pushed(self.push(("not", ("starts", name, prefix)))))
        for name, prefix in [("text", ""), ("i8", "1"), ("text", 1), ("text", "\ud800")]:
            self.assertFalse(is_pushed(self.push(("starts", name, prefix))))

    def test_labels_are_compared_by_their_values_where_engines_do(self):
        predicate = ("compare", "<", "color", "green")
        self.assertEqual(str(self.push(predicate).condition), "color == 'blue'")
        self.assertFalse(is_pushed(push(predicate, self.array.schema)))
        self.assertEqual(str(self.push(("compare", ">=", "color", "green")).condition), "color in ('red', 'green')")
        self.assertTrue(self.push(("compare", "<", "color", "a")).empty)

    def test_dimensions_become_ranges(self):
        members = [compare("d", sign, value) for sign, value in [(">", 10), ("<=", 20.0), ("!=", 15), ("<", 1 << 70)]]
        found = self.push(("and", members))
        self.assertEqual([tuple(decode(self.array.schema.dimension("d").dtype, bound) for bound in one) for one in found.ranges["d"]], [(11, 14), (16, 20)])
        self.assertEqual(self.kept(found), set(range(11, 21)) - {15})
        self.assertTrue(self.push(("and", [*members, compare("d", "<", 5)])).empty)

    def test_dense_arrays_have_ranges_only(self):
        schema = Schema([Dimension("d", (10, 99), tile=10), Dimension("t", (1, 31), tile=31)], [Attribute("x", "INT32")])
        self.assertFalse(is_pushed(push(compare("x", ">", 5), schema)))
        found = push(("and", [compare("x", ">", 5), compare("d", "<", 20), compare("t", ">", 30.0), ("in", "d", [12, 14])]), schema)
        self.assertIsNone(found.condition)
        array = tiledb_rs.create(self.path("dense"), schema)
        cells = array.read(["d", "t"], found.ranges).to_pydict()
        self.assertEqual((cells["d"], set(cells["t"])), ([12, 14], {31}))

    def test_time_dimensions(self):
        day = datetime.date(2024, 1, 1)
        schema = Schema([Dimension("day", (day, datetime.date(2024, 12, 31)), tile=30)], [Attribute("x", "INT32")], sparse=True)
        array = tiledb_rs.create(self.path("days"), schema)
        array.write({"day": [day + datetime.timedelta(days=at) for at in range(10)], "x": list(range(10))})
        members = [compare("day", ">", day), compare("day", "<=", datetime.datetime(2024, 1, 5))]
        found = push(("and", members), schema)
        self.assertEqual(sorted(array.read("x", found.ranges, found.condition).to_pydict()["x"]), [1, 2, 3, 4])
        self.assertTrue(push(("and", [*members, compare("day", "<", datetime.date(1999, 1, 1))]), schema).empty)

    def tree(self, source: random.Random, depth: int = 0):
        if depth < 3 and source.random() < 0.6:
            kind = source.choice(["and", "or", "not"])
            return (kind, self.tree(source, depth + 1)) if kind == "not" else (kind, [self.tree(source, depth + 1) for _ in range(source.randint(2, 3))])
        name = source.choice(["d", "i8", "u64", "i64", "f64", "f32", "text", "day", "us", "color"])
        values = [one for one in self.rows[name] if one is not None]
        kind = source.choice(["compare"] * 4 + ["in", "null", "valid", "starts"])
        if kind == "compare":
            return (kind, source.choice(list(OPERATORS)), name, source.choice(values))
        if kind == "in":
            return (kind, name, source.sample(values, source.randint(1, 12)))
        return (kind, source.choice(["text", "color"]), source.choice(["a", "r", "it"])) if kind == "starts" else (kind, name)

    def test_random_trees(self):
        source, pushed = random.Random(9), 0
        rows = [{name: cells[at] for name, cells in self.rows.items()} for at in range(120)]
        for _ in range(400):
            tree, greatest = self.tree(source), source.random() < 0.5
            with self.subTest(tree=tree, greatest=greatest):
                found = self.push(predicate(tree), "greatest" if greatest else "unordered")
                pushed += is_pushed(found)
                self.assertLessEqual({at for at, row in enumerate(rows) if truth(tree, row, greatest)}, self.kept(found))
        self.assertGreater(pushed, 150)

    def test_random_conjunctions(self):
        source = random.Random(5)
        for _ in range(200):
            members, kept = [], set(range(120))
            for _ in range(source.randint(1, 4)):
                name = source.choice(["d", "i8", "u64", "i64", "f64", "text", "day", "color"])
                sign, value = source.choice(list(OPERATORS)), source.choice([one for one in self.rows[name] if one is not None])
                members.append(compare(name, sign, value))
                kept &= {at for at, cell in enumerate(self.rows[name]) if holds(sign, cell, value, False)}
            self.assertLessEqual(kept, self.kept(self.push(("and", members))))


if __name__ == "__main__":
    unittest.main()
