"""Late materialization of dense arrays: against filters of full reads, in their order, and which cells of which columns are read."""

from __future__ import annotations

import itertools
import os
import random
import struct
import unittest
from contextlib import ExitStack
from unittest import mock

from frames_support import NAN, VALUES, key_of, make_grid, predicate, shown
from support import LibraryTest, in_threads, needs

import tiledb_rs
from tiledb_rs._arrays.query import bounds_of

SEEDS = int(os.environ.get("FRAME_SEEDS", "12"))


def keys(rows):
    return [key_of(row) for row in rows]


def of_table(table):
    return keys(row.values() for row in table.to_pylist())


@needs("numpy")
class Regions(unittest.TestCase):
    """The regions of positions, whose cells are enumerated one by one."""

    def cells(self, schema, bounds):
        axes = []
        for at, dimension in enumerate(schema.dimensions):
            code = f"<{dimension.dtype.code}"
            pairs = [(struct.unpack(code, low)[0], struct.unpack(code, high)[0]) for low, high in bounds[at]]
            axes.append([number for low, high in pairs for number in range(low, high + 1)])
        return list(itertools.product(*axes))

    def assert_in_order(self, schema, bounds):
        """Several ranges only after dimensions of one coordinate: batches are divided by ranges first."""
        for at in range(schema.ndim):
            if len(bounds[at]) > 1:
                self.assertEqual(len({cell[:at] for cell in self.cells(schema, bounds)}), 1)

    def selection(self, source):
        from tiledb_rs._engines.dense_selection import DenseSelection

        dtype, low = source.choice([("INT64", -7), ("UINT64", (1 << 64) - 60), ("INT8", -128), ("UINT8", 200), ("DATETIME_DAY", -3)])
        dimensions, ranges = [], {}
        for name in "xyz"[: source.randint(1, 3)]:
            extent = source.randint(1, 14)
            domain = tuple(
                tiledb_rs._model.datatypes.decode(tiledb_rs.Datatype[dtype], struct.pack("<" + tiledb_rs.Datatype[dtype].code, number)) for number in (low, low + extent - 1)
            )
            dimensions.append(tiledb_rs.Dimension(name, domain, tile=source.randint(1, extent), dtype=dtype))
            if source.random() < 0.5 and dtype != "DATETIME_DAY":
                ends = sorted(source.sample(range(low, low + extent), min(extent, 4)))
                ranges[name] = list(zip(ends[::2], ends[1::2])) or [(ends[0], ends[0])]
        schema = tiledb_rs.Schema(dimensions, [tiledb_rs.Attribute("a", "INT8")])
        bounds = bounds_of(schema, ranges)
        return schema, bounds, DenseSelection.of(schema, bounds)

    def test_random_positions(self):
        import numpy

        apart = 0
        for seed in range(600):
            source = random.Random(seed)
            schema, bounds, selection = self.selection(source)
            if selection is None:
                continue
            cells = self.cells(schema, bounds)
            self.assertEqual(selection.cells, len(cells))
            first = source.randrange(len(cells))
            stop = source.randint(first + 1, len(cells))
            rows = range(first, stop)
            if source.random() < 0.8:
                rows = numpy.array(sorted(source.sample(rows, source.randint(1, min(len(rows), source.choice([3, 300]))))), "i8")
            gap = source.choice([0, 1, 5, 1000])
            with self.subTest(seed=seed):
                start = 0
                for region in selection.regions(rows, gap):
                    read = self.cells(schema, region.bounds)
                    self.assert_in_order(schema, region.bounds)
                    self.assertEqual((region.start, region.cells, len(region.where)), (start, len(read), region.stop - region.start))
                    self.assertEqual([read[at] for at in region.where], [cells[at] for at in rows[region.start : region.stop]])
                    # A region is a part of the hull of the positions, with at most one row of the first dimension more at each end.
                    self.assertLessEqual(len(read), 3 * (int(rows[-1]) - int(rows[0]) + 1))
                    if gap == 0 and schema.ndim == 1:
                        self.assertEqual(len(read), region.stop - region.start)
                    start = region.stop
                    apart += len(read) < int(rows[-1]) - int(rows[0]) + 1
                self.assertEqual(start, len(rows))
        self.assertGreater(apart, 50)

    def test_tiles_in_two_corners(self):
        """Cells in a few tiles are not read with all that is between them."""
        import numpy

        from tiledb_rs._engines.dense_selection import DenseSelection

        schema = tiledb_rs.Schema([tiledb_rs.Dimension(name, (0, 9999), tile=1000, dtype="INT64") for name in "xy"], [tiledb_rs.Attribute("a", "INT8")])
        selection = DenseSelection.of(schema, bounds_of(schema, None))
        rows = numpy.array([5_000 * at + at for at in range(0, 1000, 7)] + [9_100 * 10_000 + at * 10_007 for at in range(80)], "i8")
        rows.sort()
        self.assertLess(sum(one.cells for one in selection.regions(rows, 300)), 2_000_000)

    def test_selections_that_are_not_supported(self):
        from tiledb_rs._engines.dense_selection import DenseSelection

        schema = tiledb_rs.Schema([tiledb_rs.Dimension("x", (0, 99), tile=7, dtype="INT64")], [tiledb_rs.Attribute("a", "INT8")])
        for ranges in ([(5, 9), (0, 3)], [(0, 5), (5, 9)], [(0, 9), (2, 3)]):
            self.assertIsNone(DenseSelection.of(schema, bounds_of(schema, {"x": ranges})))
        three = tiledb_rs.Schema([tiledb_rs.Dimension(name, (0, 9), tile=3, dtype="INT64") for name in "xyz"], [tiledb_rs.Attribute("a", "INT8")])
        for ranges, is_supported in [
            ({"x": [(0, 1), (3, 4)]}, True),
            ({"y": [(0, 1), (3, 4)]}, False),
            ({"x": 5, "y": [(0, 1), (3, 4)]}, True),
            ({"x": [1, 3], "y": [1, 3]}, False),
            ({"x": 5, "y": 5, "z": [1, 3]}, True),
            ({"x": 5, "z": [1, 3]}, False),
        ]:
            self.assertEqual(DenseSelection.of(three, bounds_of(three, ranges)) is not None, is_supported, ranges)
        large = tiledb_rs.Schema([tiledb_rs.Dimension(name, (0, (1 << 62)), tile=1 << 40, dtype="UINT64") for name in "xy"], [tiledb_rs.Attribute("a", "INT8")])
        self.assertIsNone(DenseSelection.of(large, bounds_of(large, None)))
        widest = tiledb_rs.Schema([tiledb_rs.Dimension("x", (0, (1 << 64) - 2), tile=(1 << 63), dtype="UINT64")], [tiledb_rs.Attribute("a", "INT8")])
        found = DenseSelection.of(widest, bounds_of(widest, {"x": [(1, 2), ((1 << 64) - 9, (1 << 64) - 2)]}))
        (region,) = found.regions(range(1, 3), 0)
        self.assertEqual(self.cells(widest, region.bounds), [(2,), ((1 << 64) - 9,)])


class Late(LibraryTest):
    """Scans that read in stages however few cells there are."""

    def setUp(self) -> None:
        super().setUp()
        import tiledb_rs._engines.late_scan as late

        self.late = late
        self.reads = []
        real = late._reader

        def reader(plan):
            self.reads.append(plan)
            return real(plan)

        self.settings(LEAST_COST=0)
        patch = mock.patch.object(late, "_reader", reader)
        patch.start()
        self.addCleanup(patch.stop)

    def settings(self, **values):
        stack = ExitStack()
        for name, value in values.items():
            stack.enter_context(mock.patch.object(self.late, name, value))
        self.addCleanup(stack.close)
        return stack

    def cells(self, plan):
        from tiledb_rs._arrays.result import Result

        found = 1
        for extent in Result(plan).shape:
            found *= extent
        return found


@needs("pyarrow", "numpy")
class LateScans(Late):
    def random_settings(self, source):
        return self.settings(
            CHUNK_CELLS=source.choice([11, 60, 1 << 20, 1 << 20]),
            DENSE_ROWS=source.choice([0.1, 0.3, 2]),
            DENSE_PARTS=source.choice([0.1, 0.8, 2]),
            _SAMPLES=source.choice([1, 2, 32]),
            _SAMPLE=source.choice([1, 3]),
            _RANGE=source.choice([0, 30, 6000]),
        )

    def compare(self, offset, run):
        """Random arrays; ``run`` compares one predicate, and returns whether it could."""
        compared = late = narrowed = 0
        for seed in range(SEEDS):
            source = random.Random(offset + seed)
            array = make_grid(self.path(f"grid_{offset + seed}"), source)
            ranges = {}
            for at, dimension in enumerate(array.schema.dimensions):
                low, high = dimension.domain
                # Small batches of several ranges after another dimension are not in row-major order, with or without stages.
                if source.random() < 0.4 and at == 0:
                    ends = sorted(source.sample(range(low, high + 1), min(4, high - low + 1)))
                    ranges[dimension.name] = list(zip(ends[::2], ends[1::2])) or [(ends[0], ends[0])]
                elif source.random() < 0.2:
                    ranges[dimension.name] = tuple(sorted((source.randint(low, high), source.randint(low, high))))
            names = [*VALUES, *(one.name for one in array.schema.dimensions)]
            for _ in range(10):
                tree, chosen = predicate(source, names), source.sample(array.schema.names, 3)
                scans = []
                self.reads.clear()
                with self.random_settings(source), self.subTest(seed=seed, tree=tree, ranges=ranges):
                    options = {"ranges": ranges, "batch_bytes": source.choice([0, 0, 0, 200, 2000]), "on_scan": scans.append}
                    compared += run(array, tree, chosen, options)
                if scans and scans[-1].late:
                    late += 1
                    whole = self.cells(self.reads[0])
                    narrowed += sum(self.cells(one) for one in self.reads if one.fields == self.reads[-1].fields) < whole
        # The stages must be used, and leave cells out, or the comparison would prove nothing.
        self.assertGreater(compared, 5 * SEEDS)
        self.assertGreater(late, SEEDS)
        self.assertGreater(narrowed, SEEDS / 2)

    def test_random_filters_of_datasets(self):
        import pyarrow
        import pyarrow.dataset
        from test_dataset import expression

        import tiledb_rs.dataset

        def run(array, tree, chosen, options):
            with mock.patch.object(self.late, "LEAST_COST", 1 << 60):
                table = tiledb_rs.dataset.dataset(array, ranges=options["ranges"]).to_table()
            try:
                filter = expression(tree, {field.name: field.type for field in table.schema})
                wanted = pyarrow.dataset.dataset(table).to_table(filter=filter)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, pyarrow.ArrowTypeError, OverflowError, TypeError):
                return False
            data = tiledb_rs.dataset.dataset(array, **options)
            self.assertEqual(data.count_rows(filter), wanted.num_rows)
            self.assertEqual(of_table(data.head(3, filter=filter)), of_table(wanted.slice(0, 3)))
            found = data.to_table(filter=filter)
            self.assertEqual((found.schema, of_table(found)), (wanted.schema, of_table(wanted)))
            self.reads.clear()
            self.assertEqual(of_table(data.to_table(columns=chosen, filter=filter)), of_table(wanted.select(chosen)))
            return True

        self.compare(5000, run)

    @needs("polars")
    def test_random_predicates_of_polars(self):
        import polars
        from test_polars import expression

        import tiledb_rs.polars

        def run(array, tree, chosen, options):
            with mock.patch.object(self.late, "LEAST_COST", 1 << 60):
                frame = tiledb_rs.polars.read(array, ranges=options["ranges"])
            try:
                wanted = frame.filter(expression(tree))
            except (polars.exceptions.PolarsError, TypeError, OverflowError):
                return False
            lazy = tiledb_rs.polars.scan(array, **options).filter(expression(tree))
            self.assertEqual(lazy.select(polars.len()).collect().item(), wanted.height)
            self.assertEqual(keys(lazy.head(3).collect().rows()), keys(wanted.head(3).rows()))
            found = lazy.collect()
            self.assertEqual((found.schema, keys(found.rows())), (wanted.schema, keys(wanted.rows())))
            self.reads.clear()
            self.assertEqual(keys(lazy.select(chosen).collect().rows()), keys(wanted.select(chosen).rows()))
            return True

        self.compare(6000, run)

    @needs("duckdb")
    def test_random_conditions_of_duckdb(self):
        import duckdb

        import tiledb_rs.duckdb

        # With several threads, the hash joins that DuckDB makes of IN return rows in any order.
        connection = duckdb.connect(config={"threads": 1})
        self.addCleanup(connection.close)

        def run(array, tree, chosen, options):
            with mock.patch.object(self.late, "LEAST_COST", 1 << 60):
                connection.register("plain", tiledb_rs.duckdb.scan(array, ranges=options["ranges"]).to_table())
            connection.register("data", tiledb_rs.duckdb.scan(array, **options))
            names = ", ".join(f'"{name}"' for name in chosen)
            query = f"SELECT {names} FROM {{}} WHERE {shown(tree)}"
            try:
                wanted = connection.execute(query.format("plain")).fetchall()
            except duckdb.Error:
                return False
            self.assertEqual(connection.execute(query.format("data").replace(names, "count(*)", 1)).fetchall(), [(len(wanted),)])
            self.reads.clear()
            self.assertEqual(keys(connection.execute(query.format("data")).fetchall()), keys(wanted))
            return True

        self.compare(7000, run)


@needs("pyarrow", "numpy")
class Reads(Late):
    """Which cells are read."""

    def flights(self, name="flights", count=1000):
        """Flights of 10 months of 100 days each; those of months 3 and 7 have other airports in a few places."""
        attributes = [
            tiledb_rs.Attribute("month", "INT32"),
            tiledb_rs.Attribute("origin", str, nullable=True),
            tiledb_rs.Attribute("delay", "FLOAT64"),
            tiledb_rs.Attribute("note", str),
            tiledb_rs.Attribute("kind", "INT8", enumeration=tiledb_rs.Enumeration("kinds", ["a", "ä", ""])),
        ]
        array = tiledb_rs.create(self.path(name), tiledb_rs.Schema([tiledb_rs.Dimension("row", (0, count - 1), tile=64)], attributes))
        origins = ["LGA"] * count
        for at in (310, 311, 390, 710):
            origins[at] = "JFK"
        origins[20] = None
        array.write(
            {
                "month": [at // 100 for at in range(count)],
                "origin": origins,
                "delay": [NAN if at % 50 == 0 else float(at) for at in range(count)],
                "note": [f"n{at}é" for at in range(count)],
                "kind": ["a" if at < 500 else "ä" for at in range(count)],
            }
        )
        return array

    def scan(self, array, **options):
        import tiledb_rs.dataset

        return tiledb_rs.dataset.dataset(array, **options)

    def summary(self):
        return [(one.fields, self.cells(one)) for one in self.reads]

    def test_fixed_columns_first(self):
        import pyarrow.compute as pc

        self.settings(DENSE_ROWS=2, DENSE_PARTS=2, _RANGE=0)
        scans = []
        data = self.scan(self.flights(), on_scan=scans.append)
        filter = (pc.field("origin") == "JFK") & (pc.field("month") == 3)
        self.assertEqual(data.to_table(columns=["note", "delay"], filter=filter).to_pydict(), {"note": ["n310é", "n311é", "n390é"], "delay": [310.0, 311.0, 390.0]})
        self.assertEqual(self.summary(), [(("month",), 1000), (("origin",), 100), (("delay", "note"), 3)])
        self.assertEqual(scans[-1].late, ("origin", "delay", "note"))
        self.assertIn("late origin, delay, note", str(scans[-1]))
        # The order of the members has no influence, nor has a member that is not known.
        self.reads.clear()
        strange = pc.equal(pc.utf8_length(pc.field("note")), 5)
        self.assertEqual(data.to_table(columns=["row"], filter=(pc.field("month") == 3) & (strange & (pc.field("origin") == "JFK"))).to_pydict(), {"row": [310, 311, 390]})
        self.assertEqual(self.summary(), [(("month",), 1000), (("origin", "note"), 100), (("row",), 3)])

    def test_nothing_else_without_hits(self):
        import pyarrow.compute as pc

        data = self.scan(self.flights())
        found = data.to_table(filter=pc.field("month") == 77)
        self.assertEqual((found.num_rows, found.schema), (0, data.schema))
        self.assertEqual(self.summary(), [(("month",), 1000)])
        self.reads.clear()
        self.assertEqual(data.to_table(filter=(pc.field("month") == 4) & (pc.field("origin") == "JFK")).num_rows, 0)
        self.assertEqual(self.summary(), [(("month",), 1000), (("origin",), 100)])

    def test_counts_read_filter_columns_only(self):
        import pyarrow.compute as pc

        scans = []
        data = self.scan(self.flights(), on_scan=scans.append)
        self.assertEqual(data.count_rows(pc.field("delay") > 900), 98)
        self.assertEqual((self.reads, scans[-1].fields, scans[-1].late), ([], ("delay",), ()))
        evaluated = []
        real = self.late.LateScan._met
        with mock.patch.object(self.late.LateScan, "_met", lambda scan, batch, stage: evaluated.append(batch.num_rows) or real(scan, batch, stage)):
            self.assertEqual(data.count_rows((pc.field("month") == 3) & (pc.field("origin") == "JFK")), 3)
        self.assertEqual(self.summary(), [(("month",), 1000), (("origin",), 100)])
        # The last members are left to the engine, which evaluates them anyway.
        self.assertEqual(evaluated, [1000])

    def test_dense_results_are_read_at_once(self):
        import pyarrow.compute as pc

        data = self.scan(self.flights())
        self.assertEqual(data.to_table(filter=pc.field("month") != 3).num_rows, 900)
        self.assertEqual([cells for _, cells in self.summary()], [1000, 1000])
        # A sample shows it: the conjuncts are not evaluated for all cells.
        self.reads.clear()
        evaluated = []
        real = self.late.LateScan._met
        with (
            self.settings(_SAMPLES=8, _SAMPLE=2),
            mock.patch.object(self.late.LateScan, "_met", lambda scan, batch, stage: evaluated.append(batch.num_rows) or real(scan, batch, stage)),
        ):
            self.assertEqual(data.to_table(filter=pc.field("delay") > 0).num_rows, 980)
        self.assertEqual(evaluated, [16])

    def test_enumerations_are_evaluated_by_label(self):
        import pyarrow.compute as pc

        data = self.scan(self.flights())
        calls = []
        import tiledb_rs.dataset as module

        real = module.evaluate
        with mock.patch.object(module, "evaluate", lambda table, expressions: calls.append(table.num_rows) or real(table, expressions)):
            found = data.to_table(columns=["row"], filter=pc.field("kind") == "ä")
        self.assertEqual((found["row"].to_pylist(), calls), (list(range(500, 1000)), [4]))
        self.assertEqual(data.to_table(columns=["row"], filter=pc.field("kind") == "nothing").num_rows, 0)

    def test_ranges_and_dimensions(self):
        import pyarrow.compute as pc

        self.settings(DENSE_ROWS=2, DENSE_PARTS=2, _RANGE=0)
        data = self.scan(self.flights(), ranges={"row": [(100, 350), (380, 400), (700, 999)]})
        found = data.to_table(columns=["row", "note"], filter=(pc.field("origin") == "JFK") & (pc.field("row") >= 311))
        self.assertEqual(found.to_pydict(), {"row": [311, 390, 710], "note": ["n311é", "n390é", "n710é"]})
        self.assertEqual(self.summary(), [(("origin",), 40 + 21 + 300), (("row", "note"), 3)])
        # Ranges that are not in order are read in their order, at once.
        self.reads.clear()
        data = self.scan(self.flights("other"), ranges={"row": [(700, 720), (300, 320)]})
        self.assertEqual(data.to_table(columns=["row"], filter=pc.field("origin") == "JFK")["row"].to_pylist(), [710, 310, 311])
        self.assertEqual(self.reads, [])

    def test_limits_stop_early(self):
        import pyarrow.compute as pc

        from tiledb_rs._engines.arrow_predicate import conjuncts_of, evaluate

        self.settings(CHUNK_CELLS=100)
        array = self.flights(count=5000)
        data = self.scan(array, batch_bytes=500)
        self.assertEqual(next(data._snapshot.batches(data.schema, None, lambda: conjuncts_of(pc.field("delay") > 0), evaluate)).num_rows, 5)
        self.assertEqual(len(self.reads), 2)
        self.assertLess(self.cells(self.reads[1]), 101)

    @needs("polars")
    def test_limits_of_polars_stop_early(self):
        import polars as pl

        import tiledb_rs.polars

        self.settings(CHUNK_CELLS=100)
        array = self.flights(count=5000)
        lazy = tiledb_rs.polars.scan(array, batch_bytes=500)
        self.assertEqual(lazy.filter(pl.col("month") >= 2).head(3).collect()["note"].to_list(), ["n200é", "n201é", "n202é"])
        # Not all releases pass the limit of filtered rows on.
        self.reads.clear()
        source = tiledb_rs.polars._Source(tiledb_rs.polars.Snapshot(array, batch_bytes=500))
        self.assertEqual(pl.concat(source(["note"], pl.col("month") >= 2, 3, None))["note"].to_list(), ["n200é", "n201é", "n202é"])
        self.assertLess(sum(self.cells(one) for one in self.reads[1:]), 300)

    def test_time_travel(self):
        import pyarrow.compute as pc

        array = self.flights()
        before = array.fragments()[-1].timestamp_range[1]
        array.write({"month": [77] * 10, "origin": ["JFK"] * 10, "delay": [0.5] * 10, "note": ["new"] * 10, "kind": [""] * 10}, region={"row": (0, 9)}, at=before + 10)
        filter = pc.field("month") == 77
        self.assertEqual(self.scan(self.path("flights"), at=before).to_table(filter=filter).num_rows, 0)
        data = self.scan(self.path("flights"))
        self.assertEqual(data.to_table(filter=filter)["note"].to_pylist(), ["new"] * 10)
        # All stages are of the snapshot of the dataset.
        array.write({"month": [77] * 10, "origin": ["LGA"] * 10, "delay": [1.5] * 10, "note": ["newest"] * 10, "kind": [""] * 10}, region={"row": (5, 14)}, at=before + 20)
        self.assertEqual(data.to_table(filter=filter)["note"].to_pylist(), ["new"] * 10)
        self.assertEqual(self.scan(self.path("flights")).to_table(filter=filter)["note"].to_pylist(), ["new"] * 5 + ["newest"] * 10)

    def test_errors_midway(self):
        import pyarrow.compute as pc

        array = self.flights()
        number = [one.name for one in array.schema.attributes].index("note")
        array.close()
        for file in (self.folder / "flights" / "__fragments").rglob(f"a{number}_var.tdb"):
            file.write_bytes(b"\xff" * file.stat().st_size)
        data = self.scan(self.path("flights"), config={"sm.chunk_cache_size": "0"})
        with self.assertRaisesRegex(Exception, "note|a3|tile|filter|damaged|corrupt|size"):
            data.to_table(filter=pc.field("month") == 3)
        # What is damaged is not read where no cell needs it.
        self.assertEqual(data.to_table(filter=pc.field("month") == 77).num_rows, 0)
        self.assertEqual(data.to_table(columns=["delay"], filter=pc.field("month") == 3).num_rows, 100)
        # Expressions that cannot be evaluated are an error of pyarrow, whichever rows are read.
        with self.assertRaisesRegex(Exception, "divide by zero"):
            data.to_table(columns=["delay"], filter=pc.divide(pc.scalar(1), pc.field("month")) == 1)

    def test_expressions_that_differ_each_time(self):
        import pyarrow.compute as pc

        from tiledb_rs._engines.arrow_predicate import conjuncts_of

        drawn = pc.Expression._call("random", [], pc.RandomOptions())
        found = conjuncts_of((pc.field("delay") > drawn) & (pc.field("month") == 3))
        self.assertEqual([set(one.fields) for one in found], [{"month"}])
        self.assertEqual(conjuncts_of(pc.field("a", "b") == 1), [])

    def test_members_of_conjunctions(self):
        import pyarrow.compute as pc

        from tiledb_rs._engines.arrow_predicate import conjuncts_of

        parts = [
            pc.field("s").isin(["x", None]),
            pc.if_else(pc.field("a") > 1, pc.field("b"), False),
            ~(pc.field("a") == 3) | pc.field("c").is_null(),
            pc.match_substring(pc.field("s"), "y"),
            pc.field("ä ") != "é",
        ]
        found = conjuncts_of((parts[0] & parts[1]) & (parts[2] & (parts[3] & parts[4])))
        self.assertEqual([set(one.fields) for one in found], [{"s"}, {"a", "b"}, {"a", "c"}, {"s"}, {"ä "}])
        for one, part in zip(found, parts):
            self.assertTrue(one.expression.equals(part), (one.expression, part))

    @needs("polars")
    def test_predicates_of_several_rows(self):
        """Expressions of polars that are not known may depend on other rows."""
        import polars as pl

        from tiledb_rs._engines.polars_predicate import conjuncts_of

        found = conjuncts_of((pl.col("a").cum_sum() > 3) & (pl.col("b") == 1) & (pl.col("c") > pl.col("c").mean()) & (pl.col("d").is_in([1]) | (pl.col("e") == "x")))
        self.assertEqual([set(one.fields) for one in found], [{"b"}, {"d", "e"}])
        self.assertEqual(conjuncts_of(pl.col("a").map_batches(lambda values: values > 1, return_dtype=pl.Boolean)), [])

    def test_scans_at_once(self):
        import pyarrow.compute as pc

        self.settings(CHUNK_CELLS=64, DENSE_ROWS=2, DENSE_PARTS=2, _RANGE=20)
        data = self.scan(self.flights())
        filter = (pc.field("month") == 3) | (pc.field("origin") == "JFK")
        wanted = of_table(data.to_table(filter=filter))
        self.assertEqual(len(wanted), 101)
        found = []
        in_threads(8, lambda: found.append(of_table(data.to_table(filter=filter))))
        self.assertEqual(found, [wanted] * 8)

    def test_abandoned_scans(self):
        import pyarrow.compute as pc

        data = self.scan(self.flights(), batch_bytes=64)
        self.settings(CHUNK_CELLS=16)
        for _ in range(10):
            next(data.to_batches(filter=pc.field("delay") > 5))
            data.scanner(filter=pc.field("delay") > 5)

    def test_without_numpy(self):
        import pyarrow.compute as pc

        data = self.scan(self.flights())
        with mock.patch.object(self.late, "installed", lambda name: None):
            self.assertEqual(data.to_table(filter=pc.field("month") == 3).num_rows, 100)
        self.assertEqual(self.reads, [])


@needs("pyarrow", "numpy")
class Defaults(LibraryTest):
    def test_large_selections_are_read_in_stages(self):
        """With the settings of a release: large selections in stages, small ones at once."""
        import pyarrow.compute as pc

        import tiledb_rs.dataset

        count = 200_000
        array = tiledb_rs.create(
            self.path(), tiledb_rs.Schema([tiledb_rs.Dimension("row", (0, count - 1), tile=10_000)], [tiledb_rs.Attribute("x", "INT32"), tiledb_rs.Attribute("s", str)])
        )
        array.write({"x": list(range(count)), "s": [str(at % 1000) for at in range(count)]})
        scans = []
        data = tiledb_rs.dataset.dataset(array, on_scan=scans.append)
        for filter, wanted in [
            (pc.field("x") >= count - 3, ["997", "998", "999"]),
            ((pc.field("x") < 1500) & (pc.field("s") == "7"), ["7", "7"]),
            (pc.field("s") == "no", []),
            ((pc.field("x") == 5) | (pc.field("x") == count - 1), ["5", "999"]),
        ]:
            found = data.to_table(columns=["s"], filter=filter)
            self.assertEqual(found["s"].to_pylist(), wanted)
        self.assertEqual(scans[0].late, ("s",))
        self.assertEqual(data.to_table(columns=["x"], filter=pc.field("s") == "999")["x"].to_pylist(), list(range(999, count, 1000)))
        self.assertEqual(data.to_table(columns=["s"], filter=(pc.field("row") < 500) & (pc.field("x") == 3))["s"].to_pylist(), ["3"])
        self.assertEqual(scans[-1].late, ())


if __name__ == "__main__":
    unittest.main()
