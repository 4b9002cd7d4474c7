"""Ctrl-C in a program: it ends what the library is doing, with KeyboardInterrupt, and leaves arrays as they were."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
import unittest

import support

import tiledb_rs

# Runs the operations one after the other, each again and again until Ctrl-C, and says what each time was cancelled.
PROGRAM = """
import itertools, os, shutil, signal, sys
import tiledb_rs

folder = sys.argv[1]
signal.signal(signal.SIGINT, signal.default_int_handler)
array = tiledb_rs.open(os.path.join(folder, "array"))
numbers = itertools.count()


def fresh(name):
    return os.path.join(folder, f"{name}{os.getpid()}_{next(numbers)}")


def on_a_copy(operation):
    target = fresh("copy")
    shutil.copytree(array.uri, target)
    copy = tiledb_rs.open(target)
    try:
        operation(copy)
    finally:
        # A vacuum that was stopped leaves a list of fragments that it has removed: a note.
        assert copy.reopen().verify().ok and copy.reopen().count() == array.count()
        shutil.rmtree(target)


def written(operation):
    target = fresh("new")
    try:
        operation(target)
    except KeyboardInterrupt:
        # An array that remains is complete: Ctrl-C came after the commit.
        if tiledb_rs.exists(target):
            assert tiledb_rs.open(target).count() == array.count()
            tiledb_rs.remove(target)
        raise
    tiledb_rs.remove(target)


def table():
    return array.read().to_arrow()


def parquet():
    path = os.path.join(folder, "table.parquet")
    if not os.path.exists(path):
        import pyarrow.parquet
        pyarrow.parquet.write_table(table(), path)
    return path


OPERATIONS = {
    "to_pydict": lambda: array.read().to_pydict(),
    "count": lambda: array.count(where="a > 5"),
    "verify": lambda: array.verify(),
    "consolidate": lambda: on_a_copy(lambda copy: copy.consolidate()),
    "maintain": lambda: on_a_copy(lambda copy: copy.maintain(config={"sm.maintenance.max_fragments": 1})),
    "vacuum": lambda: on_a_copy(lambda copy: (copy.consolidate(), copy.vacuum())),
    "copy": lambda: tiledb_rs.copy(array, fresh("target")),
    "to_numpy": lambda: array.read().to_numpy(),
    "sorted": lambda: array.read(order="C").to_numpy(),
    "to_arrow": lambda: table(),
    "sorted arrow": lambda: array.read(order="C").to_arrow(),
    "batches": lambda: list(array.read().batches()),
    "to_pandas": lambda: array.read().to_pandas(),
    "to_polars": lambda: array.read().to_polars(),
    "from_arrow": lambda data=[]: written(lambda target: tiledb_rs.from_arrow(target, data[0] if data else data.append(table()) or data[0], index="d")),
    "from_file": lambda: written(lambda target: tiledb_rs.from_file(parquet(), target, index="d")),
}
for name in sys.argv[2:]:
    operation = OPERATIONS[name]
    operation()
    try:
        print("ready", flush=True)
        while True:
            operation()
    except KeyboardInterrupt as error:
        handler = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        print(name, "cancelled" in str(error.__context__), handler, flush=True)
assert array.verify().ok and array.count() == len(array.read(["d"]).to_pydict()["d"])
print("done", flush=True)
"""


@unittest.skipIf(os.name == "nt", "signals are sent by kill")
class Interrupts(support.LibraryTest):
    def setUp(self):
        super().setUp()
        schema = tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 1 << 40), tile=1 << 20)], [tiledb_rs.Attribute("a", "INT64")], sparse=True)
        array = tiledb_rs.create(self.path("array"), schema)
        for at in range(8):
            numbers = range(at, 40_000, 8)
            array.write({"d": [one * 48_271 % (1 << 31) for one in numbers], "a": list(numbers)})

    def interrupted(self, *names):
        """How often each operation was cancelled, of several times."""
        found = dict.fromkeys(names, 0)
        ended = 0
        program = self.path("program.py")
        with open(program, "w") as file:
            file.write(PROGRAM)
        for attempt in range(1, 13):
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            child = subprocess.Popen([sys.executable, program, self.path(""), *names], stdout=subprocess.PIPE, text=True, env=environment)
            killer = threading.Timer(240, child.kill)
            killer.start()
            try:
                for name in names:
                    self.assertEqual(child.stdout.readline(), "ready\n", name)
                    time.sleep(0.05 * attempt)
                    child.send_signal(signal.SIGINT)
                    # Python ignores what is raised while an object is finalized: then the first Ctrl-C is lost, as in any program.
                    while not select.select([child.stdout], [], [], 3)[0]:
                        child.send_signal(signal.SIGINT)
                    line = child.stdout.readline()
                    if not line and ended < 3:
                        # What Python raises between two of its instructions may end the program, such as in ctypes; not each time.
                        ended += 1
                        break
                    said, cancelled, handler = line.rsplit(maxsplit=2)
                    self.assertEqual((said, handler), (name, "True"))
                    found[name] += cancelled == "True"
                else:
                    self.assertEqual(child.stdout.read(), "done\n")
                    self.assertEqual(child.wait(), 0)
            finally:
                killer.cancel()
                child.stdout.close()
                child.kill()
                child.wait()
            if all(found.values()):
                break
        return found

    def test_operations_without_other_packages_end(self):
        found = self.interrupted("to_pydict", "count", "verify", "consolidate", "maintain", "vacuum", "copy")
        self.assertGreater(sum(found.values()), 0)

    @support.needs("numpy")
    def test_numpy_reads_end(self):
        found = self.interrupted("to_numpy", "sorted")
        self.assertTrue(found["sorted"], found)

    @support.needs("pyarrow")
    def test_arrow_reads_and_writes_end(self):
        found = self.interrupted("to_arrow", "sorted arrow", "batches", "from_arrow", "from_file")
        self.assertTrue(found["to_arrow"] and found["sorted arrow"] and found["batches"], found)

    @support.needs("pandas")
    def test_pandas_reads_end(self):
        self.interrupted("to_pandas")

    @support.needs("polars")
    def test_polars_reads_end(self):
        found = self.interrupted("to_polars")
        self.assertTrue(found["to_polars"], found)

    def test_creation_that_is_interrupted_before_the_first_row_leaves_nothing(self):
        from unittest import mock

        from tiledb_rs._arrays import creation

        def interrupted(*arguments, **options):
            array = create(*arguments, **options)
            os.kill(os.getpid(), signal.SIGINT)
            return array

        create, handler = creation.create, signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        data = tiledb_rs.open(self.path("array")).read(["a"])
        with mock.patch.object(creation, "create", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                tiledb_rs.from_arrow(self.path("new"), data, profile=None)
        self.assertIsNone(tiledb_rs.object_type(self.path("new")))
        self.assertFalse(os.path.exists(self.path("new")))

    def test_creation_leaves_an_array_that_exists(self):
        array = tiledb_rs.open(self.path("array"))
        with self.assertRaises(tiledb_rs.TileDBError):
            tiledb_rs.from_arrow(self.path("array"), array.read(["a"]), profile=None)
        self.assertEqual(array.reopen().count(), 40_000)

    def test_cancelled_context_ends_streams(self):
        """A stream of a read stops when its context is cancelled, and the context can be used again."""
        ctx = tiledb_rs.Context()
        array = tiledb_rs.open(self.path("array"), context=ctx)
        ended = threading.Event()

        def cancel():
            while not ended.wait(0.001):
                ctx.cancel()

        thread = threading.Thread(target=cancel)
        thread.start()
        try:
            with self.assertRaisesRegex(tiledb_rs.TileDBError, "cancelled"):
                for _ in range(20):
                    array.read(order="C", batch_bytes=1000).to_pydict()
        finally:
            ended.set()
            thread.join()
        self.assertEqual(len(array.read().to_pydict()["d"]), 40_000)

    def test_event_loop_gets_signals_during_a_call(self):
        """A wakeup file descriptor that the program has set, as event loops do, gets the signal, and is set again afterwards."""
        import socket

        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        theirs.setblocking(False)
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.set_wakeup_fd, signal.set_wakeup_fd(theirs.fileno()))
        array = tiledb_rs.open(self.path("array"))
        with self.assertRaises(KeyboardInterrupt):
            array.verify(progress=lambda *_: signal.raise_signal(signal.SIGINT))
        ours.settimeout(10)
        self.assertIn(signal.SIGINT, ours.recv(16))
        self.assertEqual(signal.set_wakeup_fd(theirs.fileno()), theirs.fileno())


if __name__ == "__main__":
    unittest.main()
