"""pyarrow datasets of arrays: against pyarrow on tables of the same cells, and what scanners push down."""

from __future__ import annotations

import datetime
import os
import random
import subprocess
import sys
import unittest

from frames_support import INF, NAN, VALUES, key_of, make_array, predicate
from support import LibraryTest, environment, in_threads, needs

import tiledb_rs

SEEDS = int(os.environ.get("FRAME_SEEDS", "12"))


def expression(tree, types):
    """A tree as an expression of pyarrow."""
    import pyarrow
    import pyarrow.compute as pc

    kind, *rest = tree
    if kind in ("and", "or"):
        left, right = (expression(one, types) for one in rest)
        return left & right if kind == "and" else left | right
    if kind == "not":
        return ~expression(rest[0], types)
    column = pc.field(rest[0])
    if kind in ("null", "valid"):
        return column.is_null() if kind == "null" else column.is_valid()
    if kind == "in":
        type = types[rest[0]]
        type = type.value_type if pyarrow.types.is_dictionary(type) else type
        return column.isin(pyarrow.array([one for one in rest[1]], type))
    value = rest[1]
    return {"<": column < value, "<=": column <= value, ">": column > value, ">=": column >= value, "==": column == value, "!=": column != value}[kind]


def run(table):
    return sorted(key_of(row.values()) for row in table.to_pylist())


@needs("pyarrow", "numpy")
class Datasets(LibraryTest):
    def scan(self, array, **options):
        import tiledb_rs.dataset

        return tiledb_rs.dataset.dataset(array, **options)

    def test_exit_while_a_scan_reads_ahead(self):
        dimension = tiledb_rs.Dimension("d", (0, 1_999_999), tile=10_000)
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema([dimension], [tiledb_rs.Attribute("a", "INT64"), tiledb_rs.Attribute("b", "INT64")]))
        import pyarrow

        numbers = pyarrow.array(range(2_000_000), "int64")
        array.write(pyarrow.table({"a": numbers, "b": numbers}))
        for call in ("head(3).num_rows", "to_batches().__next__().slice(0, 3).num_rows"):
            program = f"import tiledb_rs.dataset\nprint(tiledb_rs.dataset.dataset({array.uri!r}, batch_bytes=1 << 18).{call})"
            for _ in range(3):
                done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
                self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)

    def test_random_filters(self):
        import pyarrow
        import pyarrow.dataset

        pushed = 0
        for seed in range(SEEDS):
            source = random.Random(seed)
            sparse = source.random() < 0.6
            array = make_array(self.path(f"array_{seed}"), source, sparse)
            scans = []
            data = self.scan(array, on_scan=scans.append)
            table = data.to_table()
            types = {field.name: field.type for field in table.schema}
            for _ in range(15):
                tree = predicate(source, [*VALUES, "d", *(["key"] if sparse else [])])
                try:
                    wanted = pyarrow.dataset.dataset(table).to_table(filter=expression(tree, types))
                except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, pyarrow.ArrowTypeError, OverflowError, TypeError):
                    continue
                with self.subTest(seed=seed, tree=tree, sparse=sparse):
                    self.assertEqual(run(data.to_table(filter=expression(tree, types))), run(wanted))
                    names = source.sample(table.schema.names, 2)
                    self.assertEqual(run(data.to_table(columns=names, filter=expression(tree, types))), run(wanted.select(names)))
                pushed += bool(scans[-1].where or scans[-1].ranges)
        # The filters must be pushed, or the comparison would prove nothing.
        self.assertGreater(pushed, SEEDS)

    def test_shown(self):
        import pyarrow.compute as pc

        scans = []
        data = self.scan(self.sparse(), on_scan=scans.append)
        found = data.to_table(columns=["s"], filter=(pc.field("x") > 15) & (pc.field("d") <= 20) & pc.field("c").isin(["blue", "red"]))
        self.assertEqual(found.to_pydict(), {"s": [None]})
        self.assertEqual((scans[-1].fields, scans[-1].ranges, scans[-1].where), (("d", "x", "s", "c"), {"d": [(1, 20)]}, "x > 15 and (c == 'blue' or c == 'red')"))
        self.assertIn("where x > 15", str(scans[-1]))
        self.assertEqual(data.to_table(filter=pc.field("x") > 1 << 40).num_rows, 0)
        self.assertTrue(scans[-1].empty)
        self.assertEqual(data.count_rows(), 4)
        self.assertEqual(scans[-1].fields, ("c",))
        self.assertEqual(data.count_rows(pc.field("x") >= 30), 2)
        self.assertEqual(scans[-1].fields, ("x",))
        self.assertEqual(data.to_table(columns={"y": pc.add(pc.field("x"), 1)}).to_pydict(), {"y": [11, 21, 31, 501]})
        self.assertEqual(scans[-1].fields, ("x",))

    def test_negations_of_nan_and_null(self):
        import pyarrow.compute as pc

        schema = tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 9))], [tiledb_rs.Attribute("f", "FLOAT64"), tiledb_rs.Attribute("n", "INT32", nullable=True)], sparse=True)
        array = tiledb_rs.create(self.path(), schema)
        array.write({"d": [0, 1, 2, 3], "f": [NAN, 1.0, -INF, -0.0], "n": [None, 1, None, 2]})
        data = self.scan(array)
        for filter, wanted in [
            (~(pc.field("f") < 0.5), [0, 1]),
            (~(pc.field("f") == 1.0), [0, 2, 3]),
            (pc.field("f") != 1.0, [0, 2, 3]),
            (pc.field("f") == 0.0, [3]),
            (pc.field("f").isin([NAN]), [0]),
            (~(pc.field("n") == 1), [3]),
            (pc.field("n") != 1, [3]),
            (pc.field("n").is_null(), [0, 2]),
            (~pc.field("n").is_null(), [1, 3]),
            (pc.field("f").is_nan(), [0]),
            (pc.field("f").is_null(nan_is_null=True), [0]),
            ((pc.field("f") > 0) | pc.field("f").is_nan(), [0, 1]),
            (pc.field("n") > None, []),
            (~(pc.field("n") > None), []),
        ]:
            with self.subTest(filter=str(filter)):
                self.assertEqual(sorted(data.to_table(filter=filter)["d"].to_pylist()), wanted)

    def test_dense_cells_with_fill_values(self):
        import pyarrow.compute as pc

        schema = tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 9), tile=2)], [tiledb_rs.Attribute("x", "INT32"), tiledb_rs.Attribute("s", str)])
        array = tiledb_rs.create(self.path(), schema)
        array.write({"x": list(range(10)), "s": list("abcdefghij")})
        scans = []
        data = self.scan(array, on_scan=scans.append)
        # A condition would return fill values, of which the least number is below 5: it must not be pushed.
        for filter, wanted in [
            (pc.field("x") < 5, [0, 1, 2, 3, 4]),
            (pc.field("x") >= 5, [5, 6, 7, 8, 9]),
            ((pc.field("x") < 5) | (pc.field("s") == "j"), [0, 1, 2, 3, 4, 9]),
            (pc.field("s") < "c", [0, 1]),
        ]:
            self.assertEqual(data.to_table(filter=filter)["x"].to_pylist(), wanted)
            self.assertIsNone(scans[-1].where)
        self.assertEqual(data.to_table(filter=(pc.field("d") > 7) & (pc.field("x") != 8))["x"].to_pylist(), [9])
        self.assertEqual(scans[-1].ranges, {"d": [(8, 9)]})
        # A comparison that nothing can meet needs no read, in a dense array, too.
        self.assertEqual(data.to_table(filter=pc.field("x") > 1 << 40).num_rows, 0)
        self.assertTrue(scans[-1].empty)
        with self.assertRaisesRegex(ValueError, "dense"):
            self.scan(array, where="x > 5")

    def test_what_pyarrow_does_with_it(self):
        import pyarrow
        import pyarrow.compute as pc
        import pyarrow.dataset

        data = self.scan(self.sparse())
        self.assertIsInstance(data, pyarrow.dataset.Dataset)
        self.assertEqual(data.head(2).num_rows, 2)
        self.assertEqual(data.take([3, 0])["x"].to_pylist(), [500, 10])
        self.assertEqual(data.filter(pc.field("x") > 10).filter(pc.field("x") < 500).to_table()["x"].to_pylist(), [20, 30])
        self.assertEqual(data.filter(pc.field("x") > 10).count_rows(), 3)
        self.assertEqual(data.sort_by([("x", "descending")]).to_table()["x"].to_pylist(), [500, 30, 20, 10])
        self.assertEqual(data.scanner(columns=["x"]).to_reader().read_all()["x"].to_pylist(), [10, 20, 30, 500])
        self.assertEqual(sum(len(batch) for batch in data.to_batches()), 4)
        self.assertEqual(pyarrow.table(data)["x"].to_pylist(), [10, 20, 30, 500])
        for call in [data.get_fragments, lambda: data.replace_schema(data.schema), lambda: __import__("pickle").dumps(data)]:
            with self.assertRaises((NotImplementedError, TypeError)):
                call()
        # Code of pyarrow that goes around scanner() must not take the dataset for an empty one.
        with self.assertRaises(Exception):
            pyarrow.dataset.Scanner.from_dataset(data, columns=["x"]).to_table()
        with self.assertRaises(Exception):
            pyarrow.dataset.Scanner.from_dataset(data, filter=pc.field("x") > 1).to_table()
        # Whatever has been added to datasets since must be overridden, too: the base is not the array.
        own = set(dir(pyarrow.dataset.Dataset)) - set(dir(object)) - {"__arrow_c_schema__", "__arrow_c_stream__"}
        self.assertEqual(sorted(name for name in own if name not in type(data).__dict__ and not name.startswith("_")), [])

    def test_wrong_arguments(self):
        array = self.sparse()
        data = self.scan(array)
        for call, error in [
            (lambda: data.to_table(columns=["nothing"]), KeyError),
            (lambda: data.to_table(columns="x"), TypeError),
            (lambda: data.to_table(filter="x > 1"), TypeError),
            (lambda: self.scan(array, fields=["y"]), KeyError),
            (lambda: self.scan(array, ranges={"d": (0, 1)}).to_table(), Exception),
            (lambda: self.scan(array, where="x >"), ValueError),
            (lambda: self.scan(array, at=5), TypeError),
            (lambda: self.scan(array, on_scan=5), TypeError),
            (lambda: self.scan(self.path("nothing")), tiledb_rs.TileDBError),
            (lambda: self.scan(1), TypeError),
        ]:
            with self.assertRaises(error):
                call()

    def test_closed_arrays_snapshots_and_restrictions(self):
        array = self.sparse()
        data = self.scan(array)
        restricted = self.scan(array, fields=["x"], ranges={"d": [(1, 2), 50]}, where="x != 10")
        array.write({"d": [4], "x": [1], "s": ["new"], "c": [None]})
        array.close()
        # A dataset keeps the snapshot with which it was made, and the array open.
        self.assertEqual(data.to_table()["x"].to_pylist(), [10, 20, 30, 500])
        self.assertEqual(restricted.to_table().to_pydict(), {"x": [20, 500]})
        with self.assertRaisesRegex(ValueError, "closed"):
            self.scan(array)
        self.assertEqual(self.scan(self.path()).count_rows(), 5)

    def test_empty_arrays(self):
        array = tiledb_rs.create(self.path(), self.sparse("other").schema)
        data = self.scan(array)
        self.assertEqual((data.to_table().num_rows, data.count_rows(), data.head(5).num_rows), (0, 0, 0))
        self.assertEqual(data.to_table().schema.names, ["d", "x", "s", "c"])

    def test_scans_at_once(self):
        import pyarrow.compute as pc

        data = self.scan(make_array(self.path(), random.Random(1), True))
        wanted = run(data.to_table(filter=pc.field("i32") > 0))
        found = []
        in_threads(8, lambda: found.append(run(data.to_table(filter=pc.field("i32") > 0))))
        self.assertEqual(found, [wanted] * 8)

    def test_abandoned_scans(self):
        data = self.scan(self.sparse(), batch_bytes=64)
        for _ in range(20):
            next(iter(data.to_batches()))
            data.scanner()
            data.scanner().to_reader()

    def test_dates_beyond_arrow(self):
        schema = tiledb_rs.Schema(
            [tiledb_rs.Dimension("d", (0, 9))],
            [
                tiledb_rs.Attribute("day", "DATETIME_DAY"),
                tiledb_rs.Attribute("month", "DATETIME_MONTH"),
                tiledb_rs.Attribute("week", "DATETIME_WEEK"),
                tiledb_rs.Attribute("year", "DATETIME_YEAR"),
            ],
            sparse=True,
        )
        array = tiledb_rs.create(self.path(), schema)
        nat = -(1 << 63)
        array.write({"d": [0, 1], "day": [nat, 3], "month": [nat, 14], "week": [nat, 2], "year": [nat, 54]})
        found = self.scan(array).to_table().to_pydict()
        self.assertEqual([str(found[name][1])[:10] for name in ("day", "month", "week", "year")], ["1970-01-04", "1971-03-01", "1970-01-15", "2024-01-01"])
        self.assertEqual([found[name][0] for name in ("day", "month", "week", "year")], [None] * 4)
        for wrong in ({"day": 1 << 40}, {"month": 3_600_000_000_000}, {"week": -(10**14)}, {"year": -300_000_000_000}):
            array.write({"d": [2], **{name: [wrong.get(name, 0)] for name in ("day", "month", "week", "year")}})
            with self.assertRaisesRegex(Exception, f"{next(iter(wrong))}' has a date beyond the range"):
                self.scan(array).to_table()

    def test_exit_after_an_error(self):
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 9))], [tiledb_rs.Attribute("a", "DATETIME_DAY")], sparse=True))
        array.write({"d": [0], "a": [1 << 40]})
        program = f"import tiledb_rs.dataset\ntry:\n    tiledb_rs.dataset.dataset({array.uri!r}).to_table()\nexcept ValueError:\n    print(5)"
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
            self.assertEqual((done.returncode, done.stdout), (0, "5\n"), done.stderr)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_children_drop_the_scans_of_their_parent(self):
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 999_999), tile=10_000)], [tiledb_rs.Attribute("a", "INT64")]))
        import numpy

        array.write({"a": numpy.arange(1_000_000)})
        program = f"""
import os, sys, tiledb_rs.dataset
data = tiledb_rs.dataset.dataset({array.uri!r}, batch_bytes=1 << 17)
scan = data.to_batches()
next(scan)
child = os.fork()
if child == 0:
    del scan
    print(data.head(3).num_rows, flush=True)
    sys.exit(0)
print(os.waitpid(child, 0)[1])"""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, env=environment(), timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "3\n0\n"), done.stderr)

    def test_nulls_in_lists(self):
        import pyarrow
        import pyarrow.compute as pc
        import pyarrow.dataset

        array = tiledb_rs.from_arrow(self.path(), pyarrow.table({"d": [0, 1, 2], "a": [1, 2, None]}), index="d")
        memory = pyarrow.dataset.dataset(self.scan(array).to_table())
        for skip in (False, True):
            one = pc.is_in(pc.field("a"), options=pc.SetLookupOptions(pyarrow.array([1, None]), skip_nulls=skip))
            for filter in (one, ~one):
                self.assertEqual(self.scan(array).to_table(filter=filter)["d"].to_pylist(), memory.to_table(filter=filter)["d"].to_pylist())

    def test_dates_in_lists_of_times(self):
        import pyarrow
        import pyarrow.compute as pc
        import pyarrow.dataset

        noon = [datetime.datetime(2020, 2, 29, 12), datetime.datetime(1960, 1, 1, 1)]
        table = pyarrow.table({"d": [0, 1, 2], "day": [datetime.date(2020, 2, 29), datetime.date(1960, 1, 1), None], "s": pyarrow.array([*noon, None], pyarrow.timestamp("s"))})
        array = tiledb_rs.from_arrow(self.path(), table, index="d")
        memory = pyarrow.dataset.dataset(self.scan(array).to_table())
        for name in ("day", "s"):
            for values in (noon, noon[1:], [*noon, None], [datetime.datetime(2020, 2, 29)]):
                for negated in (False, True):
                    filter = pc.field(name).isin(pyarrow.array(values, pyarrow.timestamp("us")))
                    filter = ~filter if negated else filter
                    with self.subTest(name=name, values=values, negated=negated):
                        self.assertEqual(self.scan(array).to_table(filter=filter)["d"].to_pylist(), memory.to_table(filter=filter)["d"].to_pylist())

    def test_literals_of_other_units_select_the_rows_that_pyarrow_selects(self):
        import pyarrow
        import pyarrow.compute as pc
        import pyarrow.dataset

        def times(numbers, unit):
            return pyarrow.array(numbers, pyarrow.int64()).cast(pyarrow.timestamp(unit))

        day, units = 86_400, {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
        for unit, scale in units.items():
            numbers = [0, 1, -1, day * scale, day * scale + 1, 1_609_488_000 * scale, 1_609_488_000 * scale + 1]
            table = pyarrow.table({"k": range(len(numbers)), "t": times(numbers, unit)})
            memory = pyarrow.dataset.dataset(table)
            arrays = [self.scan(tiledb_rs.from_arrow(self.path(f"{unit}-{index}"), table, index=index, profile=None)) for index in ("k", "t", None)]
            for of_literal, of_scale in units.items():
                literals = times([1, day * of_scale + 1, 1_609_488_000 * of_scale, 1_609_488_000 * of_scale + 1], of_literal)
                filters = [
                    pc.field("t").isin(literals[:1]),
                    pc.field("t").isin(literals),
                    ~pc.field("t").isin(literals),
                    pc.field("t") == literals[3],
                    pc.field("t") > literals[3],
                    literals[3] >= pc.field("t"),
                ]
                for filter in filters:
                    expected = memory.to_table(filter=filter)["k"].to_pylist()
                    for array in arrays:
                        with self.subTest(unit=unit, filter=str(filter), array=array):
                            self.assertEqual(sorted(array.to_table(filter=filter)["k"].to_pylist()), expected)


if __name__ == "__main__":
    unittest.main()
