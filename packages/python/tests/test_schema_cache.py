"""Schemas of arrays that are opened again: the same objects, of the schema that the array has then."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import unittest
from unittest import mock

import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Enumeration, Filter, Schema
from tiledb_rs._model import schema as schema_module
from tiledb_rs._model import schema_io


class SchemaCache(support.LibraryTest):
    def test_array_opened_again_has_the_same_schema(self):
        uri = self.dense().uri
        self.assertIs(tiledb_rs.open(uri).schema, tiledb_rs.open(uri, context=tiledb_rs.Context()).schema)

    def test_array_that_replaces_another_has_its_own_schema(self):
        for kind, count in itertools.product(("INT32", "FLOAT32"), (1, 2)):
            array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 9), tile=5)], [Attribute("a", kind, values=count)]))
            attribute = tiledb_rs.open(array).schema.attribute("a")
            self.assertEqual((attribute.dtype.name, attribute.values), (kind, count))
            tiledb_rs.remove(array.uri)

    def test_evolved_array_has_its_schema_of_each_time(self):
        array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 9), tile=5)], [Attribute("a", "INT32")]))
        before = tiledb_rs.open(array).schema
        array.add_attribute(Attribute("b", "INT8"))
        self.assertEqual((before.names, tiledb_rs.open(array).schema.names), (["d", "a"], ["d", "a", "b"]))

    def test_random_schemas_are_those_of_the_library(self):
        source = random.Random(71)
        options = dict(
            dtype=["INT8", "UINT64", "FLOAT32", "FLOAT64", "datetime64[s]", "CHAR", str],
            nullable=[False, True],
            filters=[None, "ZSTD(3)", "ZSTD(4)", "BYTESHUFFLE,ZSTD(3)", "GZIP"],
        )
        rest = dict(sparse=[True], capacity=[10, 11], cell_order=["row-major", "col-major", "hilbert"], tile_order=["row-major", "col-major"], allows_duplicates=[False, True])
        rest.update(coords_filters=[None, "GZIP", "LZ4"], offsets_filters=["ZSTD", "LZ4"], validity_filters=["RLE", "LZ4"])

        def choose(choices):
            return {name: source.choice(values) for name, values in choices.items()}

        for at in range(60):
            dimension = Dimension(
                "d", source.choice([(0, 99), (1, 99)]), tile=source.choice([5, 10]), dtype=source.choice(["INT32", "UINT32"]), filters=source.choice(["", "ZSTD"])
            )
            array = tiledb_rs.create(self.path(str(at)), Schema([dimension], [Attribute("a", **choose(options))], **choose(rest)))
            opened = tiledb_rs.open(array)._source()
            self.assertEqual(opened.schema, Schema(**schema_io.parts(opened.ctx, opened.schema_handle(), opened.handle)))
        self.assertLessEqual(len(schema_module._loaded), schema_module._MAX_LOADED_SCHEMAS)

    def test_number_of_schemas_is_limited(self):
        with mock.patch.object(schema_module, "_MAX_LOADED_SCHEMAS", 2):
            for at in range(5):
                tiledb_rs.open(tiledb_rs.create(self.path(str(at)), Schema([Dimension("d", (0, at), tile=1)], [Attribute("a", "INT32")])))
                self.assertLessEqual(len(schema_module._loaded), 2)

    def test_enumerations_are_not_loaded_for_the_cache(self):
        labels = Enumeration("labels", ["a", "b"])
        array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 9), tile=5)], [Attribute("x", "INT8"), Attribute("a", "INT8", enumeration=labels)]))
        with mock.patch.object(schema_io, "_load_values", side_effect=AssertionError):
            opened = tiledb_rs.open(array)._source()
            self.assertIsNone(schema_io.key_of(opened.ctx, opened.ctx.make("array_schema", "array_get_schema", opened.handle)))
        self.assertEqual(opened.schema.enumerations[0].values, ("a", "b"))


class Filters(unittest.TestCase):
    def test_filters_cannot_be_changed(self):
        one = Filter("ZSTD", level=5)
        with self.assertRaisesRegex(AttributeError, "cannot be changed"):
            one.name = "GZIP"
        with self.assertRaises(TypeError):
            one.options["level"] = 6
        self.assertEqual((one, hash(one), repr(one), str(one)), (Filter("ZSTD", level=5), hash(Filter("ZSTD", level=5)), "Filter('ZSTD', level=5)", "ZSTD(5)"))
        self.assertNotEqual(one, Filter("ZSTD", level=6))

    def test_filters_can_be_copied(self):
        one = Filter("SCALE_FLOAT", factor=0.5, offset=1.0)
        for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            self.assertEqual((other, other.options), (one, {"factor": 0.5, "offset": 1.0}))


if __name__ == "__main__":
    unittest.main()
