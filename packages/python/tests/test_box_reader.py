"""Boxes of dense arrays: what the reader of boxes returns is what the general read returns, and errors are its errors."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema
from tiledb_rs._arrays import box_reader
from tiledb_rs._arrays.query import OpenArray
from tiledb_rs._native import compiled

try:
    import numpy
except ImportError:
    numpy = None

# Prints that it has begun, and reads boxes until Ctrl-C.
PROGRAM = """
import signal, sys, tiledb_rs
signal.signal(signal.SIGINT, signal.default_int_handler)
array = tiledb_rs.open(sys.argv[1])
array[0, 0]
print("ready", flush=True)
try:
    while True:
        array[0:2, 0:2]
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(array[1, 1], flush=True)
"""


def general(array, key):
    """The cells, or the error, of the general read."""
    with unittest.mock.patch.object(OpenArray, "boxes", None):
        return outcome(array, key)


def outcome(array, key):
    try:
        return array[key]
    except Exception as error:
        return type(error), str(error)


class Boxes:
    """Tests of both readers."""

    is_compiled: bool

    def setUp(self):
        super().setUp()
        if not self.is_compiled:
            patch = unittest.mock.patch.object(box_reader, "slices", lambda: None)
            patch.start()
            self.addCleanup(patch.stop)

    def assert_equal(self, actual, expected):
        self.assertIs(type(actual), type(expected))
        if isinstance(expected, dict):
            self.assertEqual(list(actual), list(expected))
            for name in expected:
                self.assert_equal(actual[name], expected[name])
        elif isinstance(expected, numpy.ndarray):
            self.assertEqual((actual.dtype, actual.shape, actual.flags.writeable), (expected.dtype, expected.shape, expected.flags.writeable))
            self.assertEqual(actual.tobytes(), expected.tobytes())
        else:
            self.assertEqual(repr(actual), repr(expected))

    def random_array(self, source: random.Random, name: str):
        kind = source.choice(["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"])
        dimensions = []
        for at in range(source.randint(1, 3)):
            first = source.randint(0 if kind.startswith("U") else -20, 20)
            extent = source.randint(1, 16)
            dimensions.append(Dimension(f"d{at}", (first, first + extent - 1), tile=source.randint(1, min(extent, 5)), dtype=kind))
        attributes = [
            Attribute(f"a{at}", source.choice(["INT8", "UINT16", "INT32", "UINT64", "FLOAT32", "FLOAT64", "datetime64[ms]"]), values=source.choice([1, 1, 3]))
            for at in range(source.randint(1, 3))
        ]
        schema = Schema(dimensions, attributes, cell_order=source.choice(["row-major", "col-major"]), tile_order=source.choice(["row-major", "col-major"]))
        array = tiledb_rs.create(self.path(name), schema)
        shape = schema.shape
        columns = {}
        for one in attributes:
            numbers = numpy.array([source.randrange(100) for _ in range(int(numpy.prod(shape)) * one.values)])
            columns[one.name] = numbers.astype(one.dtype.numpy).reshape(shape if one.values == 1 else (*shape, one.values))
        if source.random() < 0.8:
            array.write(columns)
        return array, [dimension.domain for dimension in dimensions]

    def random_key(self, source: random.Random, domain):
        parts = []
        for first, last in domain[: source.choice([len(domain)] * 4 + [1])]:
            low, high = sorted(source.randint(first - source.choice([0, 0, 0, 1]), last + source.choice([0, 0, 0, 1])) for _ in range(2))
            value = numpy.int32(low) if source.random() < 0.2 else low
            step = source.choice([None, None, None, 1, 2])
            parts.append(source.choice([value, slice(low, high + 1, step), slice(None, high), slice(low, None), slice(None), ..., 1.5, True, None]))
        return parts[0] if len(parts) == 1 and source.random() < 0.5 else tuple(parts)

    def test_random_boxes_are_those_of_the_general_read(self):
        source = random.Random(71)
        boxes = 0
        for at in range(40):
            array, domain = self.random_array(source, f"array{at}")
            self.assertIs(type(array._source().boxes) is box_reader.BoxReader, not self.is_compiled)
            for _ in range(25):
                key = self.random_key(source, domain)
                with self.subTest(array=at, key=key):
                    self.assert_equal(outcome(array, key), general(array, key))
                    try:
                        boxes += array._source().boxes.read(key) is not None
                    except tiledb_rs.TileDBError:
                        self.fail("a key that is in the domain")
        self.assertGreater(boxes, 150)

    def test_other_arrays_are_left_to_the_general_read(self):
        row = Dimension("r", (0, 9), tile=5)
        for at, attribute in enumerate(
            [
                Attribute("a", "INT32", nullable=True),
                Attribute("a", str),
                Attribute("a", "INT32", var=True),
                Attribute("a", "BOOL"),
                Attribute("a", "CHAR", var=False, values=3),
                Attribute("a", "INT8", enumeration=tiledb_rs.Enumeration("e", ["x", "y"])),
            ]
        ):
            array = tiledb_rs.create(self.path(f"array{at}"), Schema([row], [attribute, Attribute("b", "INT32")]))
            self.assertIsNone(array._source().boxes)
            self.assert_equal(array[2:4]["b"], general(array, slice(2, 4))["b"])
        self.assertIsNone(self.sparse("sparse")._source().boxes)

    def test_large_results_are_left_to_the_general_read(self):
        array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 1 << 18), tile=1 << 16)], [Attribute("a", "INT64")]))
        array.write(numpy.arange((1 << 18) + 1))
        limit = box_reader.MAX_BYTES // 8
        boxes = array._source().boxes
        self.assertEqual(boxes.read(slice(1, limit + 1)).tolist(), list(range(1, limit + 1)))
        self.assertIsNone(boxes.read(slice(1, limit + 2)))
        self.assertEqual(array[1 : limit + 2].tolist(), list(range(1, limit + 2)))

    def test_current_domain_bounds_boxes(self):
        schema = Schema([Dimension("d", (0, 99), tile=10)], [Attribute("a", "INT32")], current_domain=[(0, 9)])
        array = tiledb_rs.create(self.path(), schema)
        array.write(numpy.arange(10, dtype="i4"))
        self.assertEqual(array[:].tolist(), list(range(10)))
        for key in (slice(5, 20), 10):
            self.assert_equal(outcome(array, key), general(array, key))
            self.assertRaises(IndexError, lambda key=key: array[key])

    def test_results_are_independent(self):
        array = self.dense()
        first, second = array[0:2, 0:2], array[2:4, 0:2]
        first[:] = -1
        self.assertEqual((first.tolist(), second.tolist()), ([[-1, -1], [-1, -1]], [[6, 7], [9, 10]]))
        array.close()
        self.assertEqual(second.tolist(), [[6, 7], [9, 10]])
        with self.assertRaisesRegex(ValueError, "closed"):
            array[0, 0]

    def test_writes_are_visible(self):
        array = self.dense()
        self.assertEqual(array[1, 1], 4)
        array[1, 1] = 44.0
        self.assertEqual(array[1, 1], 44)

    def test_threads_read_at_once(self):
        array, wrong = self.dense(), []
        expected = numpy.arange(12.0).reshape(4, 3)

        def read():
            source = random.Random(threading.get_ident())
            for _ in range(300):
                row, col = source.randrange(4), source.randrange(3)
                if array[row, col:].tolist() != expected[row, col:].tolist():
                    wrong.append((row, col))

        support.in_threads(8, read)
        self.assertEqual(wrong, [])

    def test_damaged_tiles_are_errors(self):
        array = self.dense()
        for file in Path(array.uri).glob("__fragments/*/a0.tdb"):
            file.write_bytes(bytes(file.stat().st_size))
        array = tiledb_rs.open(array.uri)
        self.assertIs(outcome(array, (slice(0, 2), slice(0, 2)))[0], tiledb_rs.TileDBError)
        self.assertIs(general(array, (slice(0, 2), slice(0, 2)))[0], tiledb_rs.TileDBError)

    @unittest.skipIf(os.name == "nt", "signals are sent by kill")
    def test_interrupt_ends_a_loop_of_reads(self):
        array = self.dense()
        child = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, array.uri], stdout=subprocess.PIPE, text=True, env={**support.environment(), compiled.PURE_PYTHON: str(int(not self.is_compiled))}
        )
        try:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.1)
            child.send_signal(2)
            self.assertEqual(child.communicate(timeout=60)[0], "4.0\n")
            self.assertEqual(child.returncode, 0)
        finally:
            child.kill()
            child.wait()


@support.needs("numpy")
class PythonBoxes(Boxes, support.LibraryTest):
    is_compiled = False

    def test_cancelled_read_is_an_error(self):
        array = self.dense()
        boxes = array._source().boxes
        lib = boxes._library

        class Cancelled:
            def __getattr__(self, name):
                return (lambda *_: -1) if name == "tiledb_query_submit" else getattr(lib, name)

        with unittest.mock.patch.object(boxes, "_library", Cancelled()):
            self.assertRaises(tiledb_rs.TileDBError, lambda: array[0, 0])
        self.assertEqual(array[0, 0], 0)


@support.needs("numpy")
@support.needs_compiled
class CompiledBoxes(Boxes, support.LibraryTest):
    is_compiled = True


if __name__ == "__main__":
    unittest.main()
