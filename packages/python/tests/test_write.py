"""Writes without other packages, schemas, and schema evolution."""

from __future__ import annotations

import array as arrays
import importlib
import importlib.util
import unittest

import support

import tiledb_rs
from tiledb_rs import Attribute, Datatype, Dimension, Enumeration, Filter, Schema, TileDBError


class Write(support.LibraryTest):
    def test_regions_and_orders(self):
        array = self.dense()
        array.write({"v": [-1.0, -2.0]}, region={"row": 1, "col": (0, 1)})
        array.write([-3.0, -4.0], region=(slice(2, 4), 2))
        array.write([-5.0, -6.0, -7.0, -8.0], region={"row": (0, 1), "col": (1, 2)}, order="col-major")
        self.assertEqual(array.read("v").to_pydict()["v"], [0.0, -5.0, -7.0, -1.0, -6.0, -8.0, 6.0, 7.0, -3.0, 9.0, 10.0, -4.0])

    def test_wrong_cells(self):
        sparse, dense = self.sparse("s"), self.dense("d")
        good = {"d": [5], "x": [1], "s": ["a"], "c": ["red"]}
        for change, error in [
            ({"x": [1, 2]}, ValueError),
            ({"x": [None]}, ValueError),
            ({"x": ["a"]}, TypeError),
            ({"x": [1 << 40]}, ValueError),
            ({"x": [1.5]}, ValueError),
            ({"x": 5}, TypeError),
            ({"x": "5"}, TypeError),
            ({"x": [b"1"]}, TypeError),
            ({"x": [object()]}, TypeError),
            ({"s": [5]}, TypeError),
            ({"s": ["\ud800"]}, ValueError),
            ({"c": ["pink"]}, ValueError),
            ({"c": ["pink", "red"]}, ValueError),
            ({"d": [None]}, ValueError),
            ({"d": [1000]}, TileDBError),
            ({"y": [1]}, KeyError),
            ({"x": [[1, 2]]}, TypeError),
            ({"x": {1: 2}}, TypeError),
        ]:
            with self.subTest(change=change), self.assertRaises(error):
                sparse.write({**good, **change})
        for data, error in [
            ({}, KeyError),
            ({"d": [5], "x": [1], "s": ["a"]}, KeyError),
            ([1], TypeError),
            (None, TypeError),
            ("text", TypeError),
        ]:
            with self.subTest(data=data), self.assertRaises(error):
                sparse.write(data)
        with self.assertRaises(TileDBError):
            sparse.write({"d": [7, 7], "x": [1, 1], "s": ["", ""], "c": ["red", "red"]})
        self.assertEqual(sparse.count(), 4)
        for options, error in [
            ({"order": "C"}, ValueError),
            ({"region": {"d": 1}}, ValueError),
            ({"at": -1}, ValueError),
            ({"at": "soon"}, ValueError),
            ({"at": True}, TypeError),
            ({"at": 1.5}, TypeError),
            ({"order": 1}, TypeError),
            ({"batch_bytes": -1}, ValueError),
        ]:
            with self.subTest(options=options), self.assertRaises(error):
                sparse.write(good, **options)
        for data, options, error in [
            ([1.0], {}, ValueError),
            ([1.0] * 13, {}, ValueError),
            ([1.0], {"region": {"row": [1, 2]}}, ValueError),
            ([1.0], {"region": {"z": 1}}, KeyError),
            ([1.0], {"region": (0, 0, 0)}, IndexError),
            ([1.0], {"region": (9, 0)}, IndexError),
            ([1.0], {"region": (slice(0, 2, 2), 0)}, IndexError),
            ([1.0], {"order": "unordered"}, ValueError),
            ([None], {"region": (0, 0)}, ValueError),
            ([1.0], {"region": ("x", 0)}, TypeError),
        ]:
            with self.subTest(data=data, options=options), self.assertRaises(error):
                dense.write(data, **options)
        self.assertEqual(dense.read("v").to_pydict()["v"], [float(number) for number in range(12)])

    def test_texts_and_booleans_are_no_numbers(self):
        array = tiledb_rs.create(
            self.path(),
            Schema(
                [Dimension("d", (0, 99))],
                [Attribute("i", "INT32", nullable=True), Attribute("f", "FLOAT64"), Attribute("b", bool), Attribute("t", "DATETIME_DAY"), Attribute("l", "UINT8", var=True)],
                sparse=True,
            ),
        )
        good = {"d": [1], "i": [1], "f": [1.0], "b": [True], "t": ["2024-05-31"], "l": [[1, 2]]}
        array.write(good)
        columns = [(name, value) for name in ("d", "i", "f") for value in ("2", True)] + [("t", True), ("b", "true"), ("l", ["2"]), ("l", [True])]
        for name, value in columns:
            with self.subTest(name=name, value=value), self.assertRaisesRegex(TypeError, f"cell 0 of '{name}' must be"):
                array.write({**good, name: [value]})
        for name in ("numpy", "pandas", "polars"):
            if importlib.util.find_spec(name) is None:
                continue
            module = importlib.import_module(name)
            make = module.array if name == "numpy" else module.Series
            for column in ("d", "i", "f"):
                with self.subTest(name=name, column=column), self.assertRaisesRegex(TypeError, f"'{column}' must be"):
                    array.write({**good, column: make([True])})
        self.assertEqual(array.read("i").to_pydict()["i"], [1])
        for wrong in (lambda: array.read(ranges={"d": "1"}), lambda: array.read(where=tiledb_rs.field("i") == "1"), lambda: Dimension("d", ("0", "9"), dtype="INT32")):
            with self.assertRaises(TypeError):
                tiledb_rs.create(self.path("other"), Schema([wrong()], [Attribute("a", int)]))

    def test_nothing_is_written(self):
        array = self.sparse()
        self.assertEqual(array.write({"d": [], "x": [], "s": [], "c": []}), 0)
        self.assertEqual(len(array.fragments()), 1)

    def test_buffers_of_the_standard_library(self):
        array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 99))], [Attribute("x", "FLOAT32")], sparse=True))
        array.write({"d": arrays.array("q", [1, 2]), "x": memoryview(arrays.array("f", [0.5, 1.5]))})
        array.write({"d": range(3, 5), "x": (2.5, float("nan"))})
        found = array.read(order="row-major").to_pydict()
        self.assertEqual((found["d"], found["x"][:3]), ([1, 2, 3, 4], [0.5, 1.5, 2.5]))

    def test_all_datatypes(self):
        """Least, greatest and other values of each datatype, with one, several and a variable number per cell."""
        for kind in Datatype:
            with self.subTest(kind=kind.name):
                low, high = {
                    "int": (
                        -(1 << (8 * kind.size - 1)) if kind.code.islower() else 0,
                        (1 << (8 * kind.size - (1 if kind.code.islower() else 0))) - 1,
                    ),
                    "float": (-1.5, float("inf")),
                    "bool": (False, True),
                    "datetime": ((1 << 63) - 1, -5),
                    "time": ((1 << 63) - 1, -5),
                    "text": (
                        "",
                        "abc" if kind.name == "STRING_ASCII" else "aß\U0001f600" if kind.size != 2 or kind.name == "STRING_UTF16" else "aß",
                    ),
                    "bytes": (b"", b"\0\xff\n"),
                }[kind.kind]
                attributes = [Attribute("one", kind, nullable=True)]
                columns = {"d": [0, 1, 2], "one": [low, high, None]}
                if not kind.is_string:
                    attributes += [Attribute("two", kind, values=2), Attribute("many", kind, nullable=True, var=True)]
                    columns.update({"two": [[low, high]] * 3, "many": [[], [low], None]})
                elif kind.size == 1 and kind.name not in ("ANY",):
                    attributes += [Attribute("two", kind, values=2)]
                    columns["two"] = ["ab" if kind.is_text else b"ab"] * 3
                name = self.path(f"array_{kind.name}")
                array = tiledb_rs.create(name, Schema([Dimension("d", (0, 9))], attributes, sparse=True))
                array.write(columns)
                found = array.read(order="row-major").to_pydict()
                if kind.kind in ("datetime", "time"):
                    from tiledb_rs._model.values import number_of

                    def counted(value):
                        return [counted(one) for one in value] if isinstance(value, list) else value if value is None else number_of(kind, value)

                    found = {key: counted(value) if key != "d" else value for key, value in found.items()}
                self.assertEqual(found, columns)


class Schemas(support.LibraryTest):
    def test_schemas_come_back(self):
        schema = Schema(
            [
                Dimension("a", (0, 10), tile=3, dtype="INT16", filters="DOUBLE_DELTA, ZSTD(4)"),
                Dimension("b", (-1.5, 2.5), dtype="FLOAT32"),
                Dimension("c", dtype=str),
            ],
            [
                Attribute("x", int, filters="BIT_WIDTH_REDUCTION(128)"),
                Attribute("y", bytes, nullable=True),
                Attribute("z", "FLOAT64", values=3, fill=[1.0, 2.0, 3.0]),
                Attribute("w", "INT8", enumeration=Enumeration("words", ["a", "", "cc"], ordered=True)),
                Attribute("v", "CHAR", values=4),
                Attribute("f", "FLOAT32", filters=Filter("SCALE_FLOAT", bytewidth=2, factor=0.5, offset=1.0)),
            ],
            sparse=True,
            capacity=77,
            cell_order="col-major",
            tile_order="col-major",
            allows_duplicates=True,
            offsets_filters="DELTA, GZIP(3)",
            validity_filters=[],
            coords_filters="LZ4",
            enumerations=[Enumeration("numbers", [1.5, 2.5])],
        )
        found = tiledb_rs.create(self.path(), schema).schema
        self.assertEqual(found.dimensions[0].filters, (Filter("DOUBLE_DELTA"), Filter("ZSTD", level=4)))
        self.assertEqual(found.attributes, schema.attributes)
        for name in (
            "sparse",
            "capacity",
            "cell_order",
            "tile_order",
            "allows_duplicates",
            "offsets_filters",
            "validity_filters",
        ):
            self.assertEqual(str(getattr(found, name)).replace(", level=-1", ""), str(getattr(schema, name)), name)
        self.assertEqual(
            [(one.name, one.domain, one.tile, one.dtype) for one in found.dimensions],
            [
                ("a", (0, 10), 3, Datatype.INT16),
                ("b", (-1.5, 2.5), 4.0, Datatype.FLOAT32),
                ("c", None, None, Datatype.STRING_ASCII),
            ],
        )
        self.assertEqual(found.enumeration("words"), schema.enumeration("words"))
        again = tiledb_rs.create(self.path("again"), found)
        self.assertEqual(again.schema, found)

    def test_wrong_schemas(self):
        d, a = Dimension("d", (0, 9)), Attribute("a", int)
        for make, error in [
            (lambda: Dimension("d"), None),
            (lambda: Dimension("d", dtype="INT32"), ValueError),
            (lambda: Dimension("d", (1,)), ValueError),
            (lambda: Attribute("a", "nothing"), TypeError),
            (lambda: Attribute("a", complex), TypeError),
            (lambda: Attribute("a", int, values=0), ValueError),
            (lambda: Attribute("a", int, var=True, values=2), ValueError),
            (lambda: Attribute("a", int, filters="NOTHING"), ValueError),
            (lambda: Attribute("a", int, filters="ZSTD(x)"), TypeError),
            (lambda: Attribute("a", int, filters=[5]), TypeError),
            (lambda: Attribute("a", int, filters="ZSTD(1, 2)"), ValueError),
            (lambda: Filter("ZSTD", window=1), ValueError),
            (lambda: Filter("ZSTD", level="high"), TypeError),
            (lambda: Schema([d, d], [a]), ValueError),
            (lambda: Schema([d], [Attribute("d", int)]), ValueError),
            (lambda: Schema([a], [a]), TypeError),
            (lambda: Schema([d], [a], cell_order="up"), ValueError),
            (lambda: Enumeration("e", []), ValueError),
            (lambda: Enumeration("e", "text"), TypeError),
            (lambda: Enumeration("e", [1, "a"]), TypeError),
            (lambda: Schema([d], [a], current_domain=[]), ValueError),
        ]:
            if error:
                self.assertRaises(error, make)
            else:
                make()
        for at, (schema, error) in enumerate(
            [
                (Schema([], [a]), TileDBError),
                (Schema([Dimension("d", dtype=str)], [a]), TileDBError),
                (Schema([Dimension("d", (9, 0))], [a]), TileDBError),
                (Schema([d], [Attribute("a", "INT8", enumeration="nothing")]), TileDBError),
                (Schema([Dimension("d", (0, 300), dtype="INT8")], [a]), ValueError),
                (Schema([Dimension("d", (0, 9), tile=0)], [a]), TileDBError),
                (Schema([d], [a], sparse=True, capacity=0), ValueError),
                (Schema([d], [Attribute("a", int, fill="x")]), TypeError),
                (Schema([d], [Attribute("a\0", int)]), ValueError),
                (Schema([d], [Attribute("a", int, filters="ZSTD(99999999999)")]), ValueError),
            ]
        ):
            with self.subTest(at=at), self.assertRaises(error):
                tiledb_rs.create(self.path(f"array_{at}"), schema)
        self.assertRaises(TypeError, tiledb_rs.create, self.path(), "schema")
        self.sparse("twice")
        self.assertRaises(TileDBError, self.sparse, "twice")

    def test_evolution(self):
        array = self.sparse()
        array.add_attribute(Attribute("new", "INT16", fill=7))
        array.add_attribute(Attribute("kind", "INT8", nullable=True, enumeration=Enumeration("kinds", ["k"])))
        self.assertEqual(array.schema.names, ["d", "x", "s", "c", "new", "kind"])
        self.assertEqual(array.read(["new", "kind"]).to_pydict(), {"new": [7] * 4, "kind": [None] * 4})
        array.extend_enumeration("colors", ["red", "pink", "pink"])
        array.extend_enumeration("colors", ["red"])
        self.assertEqual(array.schema.enumeration("colors").values, ("red", "green", "blue", "pink"))
        array.write({"d": [9], "x": [1], "s": ["n"], "c": ["pink"], "new": [8], "kind": ["k"]})
        self.assertEqual(array.read(["c", "new", "kind"], {"d": 9}).to_pylist(), [{"c": "pink", "new": 8, "kind": "k"}])
        array.drop_attribute("s")
        self.assertEqual(array.schema.names, ["d", "x", "c", "new", "kind"])
        self.assertEqual(array.count("c = pink"), 1)
        for wrong, error in [
            (lambda: array.drop_attribute("s"), KeyError),
            (lambda: array.add_attribute(Attribute("x", int)), ValueError),
            (lambda: array.add_attribute("x"), TypeError),
            (lambda: array.extend_enumeration("nothing", ["a"]), KeyError),
            (lambda: array.extend_enumeration("colors", "abc"), TypeError),
            (lambda: array.extend_enumeration("colors", [5]), TypeError),
        ]:
            self.assertRaises(error, wrong)

    def test_current_domain(self):
        schema = Schema(
            [Dimension("r", (0, 99), tile=10), Dimension("c", (0, 99), tile=10)],
            [Attribute("v", int, fill=0)],
            current_domain=[(0, 1), (0, 2)],
        )
        array = tiledb_rs.create(self.path(), schema)
        self.assertEqual((array.schema.current_domain, array.shape), (((0, 1), (0, 2)), (2, 3)))
        array.write({"v": list(range(6))})
        self.assertEqual(array.read("v", {"r": slice(1, None)}).to_pydict(), {"v": [3, 4, 5]})
        array.expand_current_domain([(0, 2), (0, 2)])
        self.assertEqual(array.read("v").to_pydict()["v"], [0, 1, 2, 3, 4, 5, 0, 0, 0])
        with self.assertRaises(TileDBError):
            array.expand_current_domain([(0, 1), (0, 1)])
        self.assertRaises(ValueError, array.expand_current_domain, [(0, 1)])


if __name__ == "__main__":
    unittest.main()
