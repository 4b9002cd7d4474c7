"""The compiled module: no argument crashes it, it loses no reference, and it is used by the main interpreter of CPython alone."""

from __future__ import annotations

import collections
import gc
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import support
from test_box_reader import general, outcome

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema
from tiledb_rs._arrays import box_reader
from tiledb_rs._native import compiled

try:
    import numpy
except ImportError:
    numpy = None


class Unfriendly:
    """Raises whatever it is asked."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)

    def __index__(self):
        raise ZeroDivisionError("index")

    __eq__ = __hash__ = __int__ = __index__


class Key(tuple):
    pass


BIG = [1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 1 << 200]
# Each alone, as a part of a tuple, and as a bound of a slice.
PARTS = [None, ..., True, False, 0, 1, 3, 4, -1, *BIG, *(-one for one in BIG), 1.5, float("nan"), "1", b"1", [], [0], (), (0,), {}, set(), object(), Unfriendly(), int, slice]

# Reads in a child, which is interrupted, while the parent reads on; then in the parent.
FORK = """
import warnings
warnings.simplefilter("ignore")
import os, signal, sys, time, tiledb_rs
signal.signal(signal.SIGINT, signal.default_int_handler)
array = tiledb_rs.open(sys.argv[1])
assert array[1, 1] == 4
child = os.fork()
if child == 0:
    try:
        assert array[1, 2] == 5
        os.kill(os.getppid(), signal.SIGUSR1)
        while True:
            array[0:2, 0:2]
    except KeyboardInterrupt:
        os._exit(0 if array[2, 0] == 6 else 1)
    os._exit(2)
signal.signal(signal.SIGUSR1, lambda *_: os.kill(child, signal.SIGINT))
while True:
    assert array[0:2, 0:2].tolist() == [[0, 1], [3, 4]]
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
print(os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status, array[3, 2])
"""

# Reads that take long, each interrupted after a tenth of the time of the first, in this process or a child.
SLOW = """
import warnings
warnings.simplefilter("ignore")
import os, signal, sys, threading, time, tiledb_rs
from tiledb_rs._native import compiled
signal.signal(signal.SIGINT, signal.default_int_handler)
cancelled = []
cancel = compiled._CompiledBlock.cancel
compiled._CompiledBlock.cancel = lambda self: cancelled.append(1) or cancel(self)

def seconds(interrupt_after):
    array = tiledb_rs.open(sys.argv[1], config={"sm.chunk_cache_size": 0})
    array.schema, array._source().boxes
    timer = threading.Timer(interrupt_after, os.kill, (os.getpid(), signal.SIGINT))
    if interrupt_after:
        timer.start()
    begun, interrupted = time.monotonic(), False
    try:
        array[:, 0:8]
        timer.join() if interrupt_after else None
    except KeyboardInterrupt:
        interrupted = True
    return time.monotonic() - begun, interrupted

whole = seconds(0)[0]
if sys.argv[2:] == ["fork"]:
    seconds(whole / 10)
    cancelled.clear()
    child = os.fork()
    if child:
        sys.exit(os.waitpid(child, 0)[1])
reads = [seconds(whole / 10) for _ in range(6)]
assert all(interrupted for _, interrupted in reads), reads
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(len(cancelled), min(one for one, _ in reads) < whole * 0.7, seconds(0)[1])
"""

SUBINTERPRETER = """
try:
    from tiledb_rs._native import _slices
    print("loaded")
except ImportError as error:
    print(error)
from tiledb_rs._native import compiled
print(compiled.slices())
"""


def python(code: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {**support.environment(), **variables}
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment, check=False, timeout=300)


@support.needs("numpy")
@support.needs_compiled
class Compiled(support.LibraryTest):
    def test_keys_of_all_kinds_are_those_of_the_general_read(self):
        array = self.dense()
        parts = [*PARTS, numpy.int8(1), numpy.uint64((1 << 64) - 1), numpy.float32(1), numpy.bool_(True), numpy.array(1), numpy.array([1, 2]), numpy.datetime64(1, "s")]
        slices = [slice(*bounds) for part in parts for bounds in ((part, 2), (0, part), (0, 2, part), (part, part, part))]
        keys = [*parts, *slices, *((part, 1) for part in parts + slices), *((1, part) for part in parts + slices)]
        keys += [(), (0,) * 3, (0,) * 1000, Key((1, 1)), (slice(0, 2),) * 2, "v"]
        for key in keys:
            actual, expected = outcome(array, key), general(array, key)
            with self.subTest(key=str(type(key)), actual=actual):
                if type(expected) is tuple:
                    self.assertEqual(actual, expected)
                else:
                    self.assertEqual((type(actual), actual.dtype, actual.tolist()), (type(expected), expected.dtype, expected.tolist()))

    def test_domains_at_the_ends_of_their_types(self):
        for kind, first, last in (
            ("INT64", -(1 << 63), -(1 << 63) + 9),
            ("INT64", (1 << 63) - 20, (1 << 63) - 11),
            ("UINT64", (1 << 63) - 5, (1 << 63) + 4),
            ("INT8", -128, 126),
            ("UINT8", 0, 254),
        ):
            with self.subTest(kind=kind, first=first):
                array = tiledb_rs.create(self.path(f"{kind}{first}"), Schema([Dimension("d", (first, last), tile=5, dtype=kind)], [Attribute("a", "INT32")]))
                array.write(numpy.arange(last - first + 1, dtype="i4"))
                for key in (first, last, slice(None), slice(first, first + 3), slice(last - 1, None), first - 1, last + 1, slice(last, last + 2), slice(None, -(1 << 63))):
                    actual, expected = outcome(array, key), general(array, key)
                    self.assertEqual(str(actual), str(expected))

    def test_constructor_takes_no_wrong_arguments(self):
        module = compiled.slices()
        self.assertRaises(ValueError, module.connect, (1,) * 12, 0, 0, 0, 0, 0, 0)
        for wrong in ((), (1,), ((1,) * 12, 0, 0, 0, 0, 0), (None, 0, 0, 0, 0, 0, 0)):
            self.assertRaises((TypeError, ValueError), module.connect, *wrong)
        good = [(), 1, 1, ((0, 9),), 8, (("a", b"a", numpy.dtype("f8"), (), 8),), 100, numpy.ndarray, frozenset()]
        module.BoxReader(*good)
        wrong_parts = {
            1: [0, None, "1", 1.5],
            2: [0, None],
            3: [None, [], (), ((0,),), ((0, 1, 2),), (5,), (("a", "b"),), ((0, 1 << 64),), ((0, 9),) * 17],
            4: [0, 3, 16, None],
            5: [
                None,
                (),
                (5,),
                ((),),
                (("a", "a", None, (), 8),),
                (("a", b"a", None, [], 8),),
                (("a", b"a", None, (), 0),),
                (("a", b"a", None, (), 101),),
                (("a", b"a", None, (), 8), 7),
            ],
            6: [0, -1, None, 1 << 70],
            8: [None, set(), ()],
        }
        for at, values in wrong_parts.items():
            for value in values:
                with self.subTest(at=at, value=value):
                    self.assertRaises((TypeError, ValueError, OverflowError), module.BoxReader, *good[:at], value, *good[at + 1 :])
        self.assertRaises(TypeError, module.BoxReader, *good, extra=1)
        self.assertRaises(TypeError, module.BoxReader)
        self.assertFalse(module.cancel())

    def test_reads_lose_no_memory(self):
        """Neither objects of Python nor references to those that all reads share."""
        schema = Schema([Dimension("d", (0, 9), tile=5)], [Attribute("a", "INT32"), Attribute("b", "FLOAT64", values=2)])
        two = tiledb_rs.create(self.path("two"), schema)
        two.write({"a": numpy.arange(10, dtype="i4"), "b": numpy.zeros((10, 2))})
        damaged = self.dense("damaged")
        for file in Path(damaged.uri).glob("__fragments/*/a0.tdb"):
            file.write_bytes(bytes(file.stat().st_size))
        damaged = tiledb_rs.open(damaged.uri, context=tiledb_rs.Context())
        # The library refuses a query outside of the domain, which another domain lets through.
        source = two._source()
        outside = box_reader._make_compiled(compiled.slices(), source.ctx, source.handle, [("a", "i4", ())], [(100, 200)], "i")
        self.assertIsNone(outside.read(150))
        readers = [one._source().boxes.read for one in (self.dense(), two, damaged)] + [outside.read]
        keys = [1, 150, (1, 1), numpy.int32(1), (slice(0, 2), slice(0, 1)), slice(1, 1 << 70), 1.5, None, (1, 2, 3), -1, 1 << 90, "a", (), slice(0, 3, 2)]
        shared = [None, numpy.dtype("i4"), numpy.dtype("f8"), numpy.ndarray, ()]

        def read_all():
            for read in readers:
                for key in keys:
                    try:
                        read(key)
                    except tiledb_rs.TileDBError:
                        pass

        def allocated():
            gc.collect()
            return sys.getallocatedblocks(), [sys.getrefcount(one) for one in shared]

        for _ in range(20):
            read_all()
        blocks, references = allocated()
        for _ in range(300):
            read_all()
        more, later = allocated()
        self.assertLess(more - blocks, 200)
        for before, after in zip(references, later):
            self.assertLess(abs(after - before), 100)

    def test_readers_lose_no_memory(self):
        uri = self.dense().uri

        def open_and_read():
            array = tiledb_rs.open(uri)
            array[0, 0], array[0:2, 0:2]

        def allocated():
            gc.collect()
            return sys.getallocatedblocks()

        handles = tiledb_rs._native.library.functions().tiledb_rs_live_handles
        for _ in range(100):
            open_and_read()
        blocks, alive = allocated(), handles()
        for _ in range(500):
            open_and_read()
        # Less than one for each.
        self.assertLess(allocated() - blocks, 400)
        self.assertEqual(handles(), alive)

    def test_threads_read_while_others_close_reopen_and_write(self):
        array, wrong, ended = self.dense(), collections.Counter(), threading.Event()
        count = threading.Barrier(5)

        def read():
            count.wait()
            for _ in range(500):
                try:
                    if array[1:3, 0:2].tolist() != [[3, 4], [6, 7]]:
                        wrong["cells"] += 1
                except Exception as error:
                    wrong[repr(error)] += 1

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        count.wait()
        while any(thread.is_alive() for thread in threads):
            array.reopen()
            array[0, 0] = 0.0
            if sum(wrong.values()):
                break
        ended.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, {})
        reader = array._source().boxes
        array.close()
        self.assertRaisesRegex(ValueError, "closed", lambda: array[0, 0])
        # The reader has an open array of its own.
        self.assertEqual(reader.read((3, 2)), 11)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_child_of_a_fork_reads_and_is_interrupted_alone(self):
        completed = python(FORK, self.dense().uri)
        self.assertEqual((completed.stdout, completed.stderr), ("0 11.0\n", ""))

    def test_interrupt_cancels_a_read_and_later_ones(self):
        schema = Schema([Dimension("r", (0, 255), tile=1), Dimension("c", (0, 8191), tile=8192)], [Attribute("a", "INT64", filters=[tiledb_rs.Filter("BZIP2")])])
        array = tiledb_rs.create(self.path("slow"), schema)
        array.write(numpy.random.default_rng(1).integers(0, 1 << 62, (256, 8192)))
        for arguments in ((), ("fork",)) if hasattr(os, "fork") else ((),):
            with self.subTest(arguments=arguments):
                completed = python(SLOW, array.uri, *arguments)
                self.assertEqual(completed.stderr, "")
                cancelled, shorter, again = completed.stdout.split()
                self.assertEqual((int(cancelled) >= 1, shorter, again), (True, "True", "False"), completed.stdout)

    def test_handlers_of_the_program_are_called_after_the_read(self):
        array, called = self.dense(), []
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, lambda *_: called.append(array[1, 1]))
        array[0, 0]
        signal.raise_signal(signal.SIGINT)
        self.assertEqual((array[0, 1], called), (1, [4]))
        for ignored in (signal.SIG_IGN, signal.default_int_handler):
            signal.signal(signal.SIGINT, ignored)
            self.assertEqual(array[0, 1], 1)
            self.assertIs(signal.getsignal(signal.SIGINT), ignored)

    def test_subinterpreters_do_not_load_it(self):
        name = next((name for name in ("_xxsubinterpreters", "_interpreters") if importlib.util.find_spec(name)), None)
        if name is None:
            self.skipTest("there are no subinterpreters")
        code = f"import {name} as i\nnumber = i.create()\nerror = i.run_string(number, {SUBINTERPRETER!r})\nassert error is None, error\ni.destroy(number)"
        completed = python(code)
        first, second = completed.stdout.splitlines() or ["", completed.stderr]
        self.assertIn("interpreter", first)
        self.assertEqual(second, "None")


class Fallback(support.LibraryTest):
    def test_variable_selects_the_modules_in_python(self):
        for value, pure in (("1", True), ("yes", True), ("0", False), ("", False)):
            completed = python("from tiledb_rs._native import compiled; print(compiled.slices() is None)", **{compiled.PURE_PYTHON: value})
            self.assertEqual(completed.stdout, f"{pure or compiled.slices() is None}\n", completed.stderr)

    def test_interpreters_with_other_objects_do_not_load_it(self):
        for change in ("sys.implementation.name = 'pypy'", "sys.abiflags = 't'", "sys.modules['tiledb_rs._native._slices'] = None"):
            completed = python(f"import sys; {change}\nfrom tiledb_rs._native import compiled; print(compiled.slices())")
            self.assertEqual(completed.stdout, "None\n", completed.stderr)


if __name__ == "__main__":
    unittest.main()
