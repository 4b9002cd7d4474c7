"""Lifetimes, threads, forks, interpreter exit, contexts, other objects with a URI."""

from __future__ import annotations

import gc
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import unittest
import warnings
import weakref
from pathlib import Path

import support

import tiledb_rs
from tiledb_rs import Context, TileDBError
from tiledb_rs._native import capsule
from tiledb_rs._native.parameters import NAMES, SECRET_NAMES


class Lifetimes(support.LibraryTest):
    def live(self) -> int:
        gc.collect()
        capsule.sweep()
        return support.functions().tiledb_rs_live_handles()

    def test_everything_is_freed(self):
        def use() -> None:
            array = self.sparse("leaks")
            array.read(ranges={"d": [(1, 2), 3]}, where="x > 1 and s is not null").to_pylist()
            next(iter(array.read(batch_bytes=1)))
            array.count("c in (red, blue)")
            array.aggregate({"x": ["min", "max", "sum"]})
            array.metadata["k"] = 1
            array.partitions(2)[0].read().to_pylist()
            array.read().__arrow_c_stream__()
            array.add_attribute(tiledb_rs.Attribute("y", int))
            array.advise()
            array.verify()
            array.fragments()
            for wrong in ["z = 1", "x = 'a'"]:
                try:
                    array.read(where=wrong)
                except ValueError:
                    pass
            try:
                array.write({"d": [1000], "x": [1], "s": ["a"], "c": ["red"], "y": [1]})
            except TileDBError:
                pass
            with tiledb_rs.open_file(self.path("file"), "wb") as file:
                file.write(b"x")
            tiledb_rs.remove(array)

        use()
        before = self.live()
        for _ in range(3):
            use()
        self.assertEqual(self.live(), before)

    def test_objects_deleted_in_any_order(self):
        numbers = random.Random(3)
        for _ in range(60):
            array = self.sparse("ordered") if not tiledb_rs.exists(self.path("ordered")) else tiledb_rs.open(self.path("ordered"), context=Context())
            result = array.read("x", batch_bytes=1)
            stream = result.stream()
            rows = iter(result)
            objects = [
                array,
                result,
                stream,
                rows,
                iter(stream),
                result.__arrow_c_stream__(),
                array.partitions(2),
                array.metadata,
                array._source(),
                next(rows),
            ]
            del array, result, stream, rows
            numbers.shuffle(objects)
            while objects:
                objects.pop()
                if numbers.random() < 0.3:
                    gc.collect()

    def test_cycles_and_resurrection(self):
        array = self.sparse()

        class Node:
            pass

        node = Node()
        node.self, node.rows, node.capsule = node, iter(array.read(batch_bytes=1)), array.read().__arrow_c_stream__()
        next(node.rows)
        gone = weakref.ref(node)
        del node
        gc.collect()
        self.assertIsNone(gone())

    def test_closing(self):
        array = self.sparse()
        rows = iter(array.read("x", batch_bytes=1))
        next(rows)
        array.close()
        array.close()
        self.assertEqual([row["x"] for row in rows], [20, 30, 500])
        for use in [
            array.read,
            array.count,
            lambda: array.schema,
            array.fragments,
            array.nonempty_domain,
            lambda: array.write({}),
            lambda: array.metadata["k"],
            lambda: array[0],
            array.reopen,
            lambda: array.partitions(1),
            lambda: array.add_attribute(tiledb_rs.Attribute("y", int)),
            lambda: array.delete("x = 1"),
            lambda: array.timestamp_range,
            array.picture,
        ]:
            with self.assertRaisesRegex(ValueError, "is closed"):
                use()
        self.assertFalse(array.is_open)
        self.assertIn("closed", repr(array))

    def test_pickling(self):
        array = self.sparse()
        for one in (array, Context(), array.read()):
            self.assertRaises(TypeError, pickle.dumps, one)
        self.assertEqual(pickle.loads(pickle.dumps(array.schema)), array.schema)
        error = TileDBError("text", "about")
        self.assertEqual((str(pickle.loads(pickle.dumps(error))), pickle.loads(pickle.dumps(error)).context), ("text", "about"))


class Threads(support.LibraryTest):
    def run_all(self, targets) -> None:
        errors = []

        def run(target):
            try:
                target()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run, args=[target]) for target in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def test_one_array_for_all(self):
        array = self.sparse()
        result = array.read("x", batch_bytes=1)

        def read():
            for _ in range(20):
                self.assertEqual(sorted(result.to_pydict()["x"]), [10, 20, 30, 500])
                self.assertGreaterEqual(array.count(), 4)
                result.__arrow_c_stream__()

        def write():
            for at in range(10):
                array.write({"d": [60 + at], "x": [1], "s": ["t"], "c": ["red"]})
                array.metadata[f"k{at}"] = at
                array.reopen()

        def errors():
            for at in range(20):
                with self.assertRaisesRegex(TileDBError, f"nothing_{at}|unknown"):
                    tiledb_rs.open(self.path(f"nothing_{at}"), context=Context())
                with self.assertRaises(ValueError):
                    array.read(where="x >")

        self.run_all([read, read, write, errors])
        self.assertEqual((array.count(), len(array.metadata)), (14, 10))

    def test_closed_by_another_thread(self):
        array = self.sparse()
        stop = threading.Event()

        def read():
            while not stop.is_set():
                try:
                    array.read("x", batch_bytes=1).to_pydict()
                except ValueError:
                    return

        def close():
            stop.wait(0.05)
            array.close()

        self.run_all([read, read, close])

    def test_cancel(self):
        context = Context()
        array = tiledb_rs.open(self.sparse(), context=context)
        context.cancel()
        self.assertEqual(array.count(), 4)


@unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
class Forks(support.LibraryTest):
    def test_children_use_what_the_parent_opened(self):
        import warnings

        array = self.sparse()
        result = array.read("x", order="C")
        rows = iter(array.read("x", batch_bytes=1))
        next(rows)
        made = result.__arrow_c_stream__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = os.fork()
        if child == 0:
            code = 1
            try:
                correct = result.to_pydict()["x"] == [10, 20, 30, 500] and array.count() == 4
                tiledb_rs.open(array.uri).write({"d": [70], "x": [7], "s": ["c"], "c": ["red"]})
                del result, rows, array, made
                gc.collect()
                code = 0 if correct else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual([row["x"] for row in rows], [20, 30, 500])
        self.assertEqual(array.reopen().count(), 5)


class Exit(support.LibraryTest):
    """Programs that end in the middle of something end without an error."""

    PROGRAMS = {
        "capsule": "made = array.read().__arrow_c_stream__()",
        "reader": "rows = iter(array.read(batch_bytes=1)); next(rows)",
        "globals": "result = array.read(); stream = result.stream(); batch = next(iter(stream)); capsule = result.__arrow_c_schema__()",
        "thread": "import threading\ndef run():\n    while True: array.read().to_pylist()\nthreading.Thread(target=run, daemon=True).start()\nimport time; time.sleep(0.05)",
        "cycle": "class A: pass\na = A(); a.a = a; a.rows = iter(array.read(batch_bytes=1)); next(a.rows); a.made = array.read().__arrow_c_stream__()",
        "atexit": "import atexit; atexit.register(lambda: print(len(array.read().to_pylist())))",
        "delete": "class A:\n    def __del__(self): self.result.to_pylist()\na = A(); a.result = array.read()",
        "builtins": "import builtins; builtins.kept = array.read().__arrow_c_stream__(); builtins.rows = iter(array.read(batch_bytes=1)); next(builtins.rows)",
        "exit": "import os; stream = array.read().stream(); sys.exit(0)",
    }

    def test_programs(self):
        uri = self.sparse().uri
        for name, program in self.PROGRAMS.items():
            with self.subTest(program=name):
                done = subprocess.run(
                    [
                        sys.executable,
                        "-X",
                        "dev",
                        "-W",
                        "ignore",
                        "-c",
                        f"import sys, tiledb_rs\narray = tiledb_rs.open({uri!r})\n{program}",
                    ],
                    capture_output=True,
                    text=True,
                    env=support.environment(),
                    timeout=60,
                    check=False,
                )
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_importing_loads_nothing(self):
        program = (
            "import sys, tiledb_rs\nprint([name for name in ('numpy', 'pandas', 'pyarrow', 'polars') if name in sys.modules], tiledb_rs.library.__name__)\nfrom tiledb_rs import library\n"
            "import importlib; print(importlib.import_module('tiledb_rs._native.library')._loaded)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=support.environment(), check=True)
        self.assertEqual(done.stdout.splitlines(), ["[] library", "None"])

    def test_a_library_that_is_missing_or_another(self):
        for path, text in [(self.path("nothing.so"), "nothing.so"), (__file__, "test_robustness")]:
            environment = {**support.environment(), "TILEDB_RS_LIBRARY": path}
            done = subprocess.run(
                [sys.executable, "-c", "import tiledb_rs; tiledb_rs.Context()"],
                capture_output=True,
                text=True,
                env=environment,
                check=False,
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr.splitlines()[-1])


class Contexts(support.LibraryTest):
    def test_parameters(self):
        context = Context(
            {
                "sm.mem.total_budget": 1 << 30,
                "sm.dedup_coords": True,
                "vfs.s3.region": "here",
                "vfs.s3.aws_secret_access_key": "hidden",
            }
        )
        self.assertEqual(
            [context.get(name) for name in ("sm.mem.total_budget", "sm.dedup_coords", "vfs.s3.region", "nothing")],
            [str(1 << 30), "true", "here", None],
        )
        self.assertNotIn("hidden", repr(context))
        self.assertIn("here", repr(context))
        self.assertEqual(context.public_config(), {"sm.mem.total_budget": 1 << 30, "sm.dedup_coords": True, "vfs.s3.region": "here"})
        context.config["x"] = 1
        self.assertNotIn("x", context.config)
        for config, error in [
            ({"sm.dedup_coords": "maybe"}, TileDBError),
            ({5: 5}, TypeError),
            ({"a": None}, TypeError),
            ("a=b", TypeError),
            ({"a\0": "b"}, ValueError),
            ({"a": "b\0"}, ValueError),
            ([("a", "b")], TypeError),
        ]:
            with self.subTest(config=config), self.assertRaises(error):
                Context(config)
        self.assertRaises(ValueError, tiledb_rs.open, self.sparse(), context=context, config={})
        self.assertRaises(TypeError, tiledb_rs.open, self.path(), context={})
        self.assertEqual(tiledb_rs.open(self.path(), config={"vfs.s3.region": "x"}).context.config, {"vfs.s3.region": "x"})
        self.assertIs(tiledb_rs.default_context(), tiledb_rs.default_context())

    @support.needs("pyarrow")
    def test_threads_share_batches(self):
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 19_999), tile=100)], [tiledb_rs.Attribute("a", "DATETIME_DAY")]))
        array.write({"a": list(range(20_000))})
        batches, found = array.read("a", batch_bytes=1_000).batches(), []
        support.in_threads(4, lambda: found.extend(day for batch in batches for day in batch["a"].cast("int32").to_pylist()))
        self.assertEqual(sorted(found), list(range(20_000)))

    def test_unknown_parameters(self):
        uri = self.sparse().uri
        for name, meant in [("sm.mem.totalbudget", "; did you mean 'sm.mem.total_budget'"), ("vfs.s3.regoin", "; did you mean 'vfs.s3.region'"), ("sm.x", "no effect$")]:
            for call in (Context, lambda config: tiledb_rs.open(uri, config=config)):
                with self.subTest(name=name), self.assertWarnsRegex(UserWarning, f"no configuration parameter '{name}'.*{meant}") as caught:
                    call({name: "1"})
                self.assertEqual(Path(caught.filename).name, "test_robustness.py")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Context({"sm.mem.total_budget": 1 << 30, "rest.custom_headers.X-Trace": "1", "mine": 1, "app.sm.x": 2})

    def test_secret_parameters_are_those_of_the_library(self):
        table = support.ROOT / "crates" / "tiledb-core" / "src" / "config" / "params.rs"
        if not table.exists():
            self.skipTest("there is no source of the library")
        text = table.read_text("utf-8")
        listed = set(re.findall(r'^    secret\("([a-z0-9_.]+)"', text, re.M))
        identities = set(re.findall(r'"([a-z0-9_.]+)"', text[text.index("const IDENTITIES") :].split("];")[0]))
        self.assertEqual(SECRET_NAMES, (listed | {"vfs.gcs.external_account_configuration"}) - identities)

    def test_credentials_are_in_no_representation_and_no_pickle(self):
        secrets = {name: f"hidden{at}" for at, name in enumerate(sorted(SECRET_NAMES)) if name != "sm.encryption_key"}
        secrets.update({"rest.custom_headers.x": "hidden_a", "vfs.s3.custom_headers.Authorization": "hidden_b", "myapp.secret": "hidden_c"})
        context = tiledb_rs.Context({**secrets, "sm.mem.total_budget": 1 << 30})
        self.assertNotIn("hidden", repr(context))
        self.assertEqual(context.public_config(), {"sm.mem.total_budget": 1 << 30})
        self.sparse()
        with tiledb_rs.open(self.path(), context=context) as array:
            self.assertNotIn(b"hidden", pickle.dumps(array.partitions(2)))

    def test_known_parameters_are_those_of_the_reference(self):
        reference = Path(__file__).parents[3] / "docs" / "configuration.md"
        if not reference.is_file():
            self.skipTest("the reference is not here")
        self.assertEqual(NAMES, set(re.findall(r"^\| `([a-z0-9_.]+)` \|", reference.read_text("utf-8"), re.M)))

    def test_random_arguments(self):
        """No argument of any method is more than a Python exception."""
        array = self.sparse()
        odd = [
            None,
            0,
            -1,
            1 << 70,
            1.5,
            float("nan"),
            "",
            "x",
            "\0",
            "\ud800",
            b"x",
            [],
            [None],
            {},
            {"x": None},
            object(),
            (),
            (1, 2, 3),
            array,
            Exception,
            True,
            range(0),
            set(),
            lambda: None,
        ]
        expected = (TypeError, ValueError, KeyError, IndexError, TileDBError, NotImplementedError, OSError, AttributeError, ImportError)
        methods = [
            "read",
            "count",
            "aggregate",
            "partitions",
            "nonempty_domain",
            "delete",
            "add_attribute",
            "drop_attribute",
            "extend_enumeration",
            "expand_current_domain",
            "write",
            "__getitem__",
            "__setitem__",
            "delete_fragments",
            "downgrade",
            "rewrite",
            "advise",
        ]
        numbers = random.Random(5)
        for _ in range(600):
            name = numbers.choice(methods)
            arguments = [numbers.choice(odd) for _ in range(numbers.randint(0, 3))]
            try:
                getattr(array, name)(*arguments)
            except expected:
                pass
            functions = [
                tiledb_rs.open,
                tiledb_rs.Context,
                tiledb_rs.Dimension,
                tiledb_rs.Attribute,
                tiledb_rs.Filter,
                tiledb_rs.field,
                tiledb_rs.object_type,
                tiledb_rs.from_arrow,
            ]
            try:
                numbers.choice(functions)(*arguments)
            except expected:
                pass
        self.assertEqual(array.reopen().read("d", order="C").to_pydict()["d"], [1, 2, 3, 50])


@support.needs("tiledb", "numpy")
class TileDBPy(support.LibraryTest):
    def test_its_arrays_are_accepted(self):
        import numpy
        import tiledb

        tiledb.from_numpy(self.path(), numpy.arange(12).reshape(3, 4)).close()
        with tiledb.open(self.path()) as theirs, tiledb_rs.open(theirs) as ours:
            self.assertEqual(ours.uri, theirs.uri)
            self.assertTrue((ours[1:, 2] == theirs[1:, 2]).all())
            self.assertEqual(ours.schema.attributes[0].name, "")
        with tiledb_rs.open(self.path()) as ours:
            ours[0, :] = 7
        with tiledb.open(self.path()) as theirs:
            self.assertEqual(theirs[0].tolist(), [7, 7, 7, 7])
        group = tiledb_rs.Group.create(self.path("group"))
        group.add(ours, "a")
        with tiledb.Group(group.uri) as theirs:
            self.assertEqual([member.name for member in theirs], ["a"])
            self.assertEqual(tiledb_rs.Group(theirs).members[0].name, "a")

    def test_metadata_of_both(self):
        import tiledb

        array = self.sparse()
        array.metadata.update({"i": 5, "f": [1.5, 2.5], "s": "ü"})
        with tiledb.open(array.uri, "w") as theirs:
            theirs.meta["t"] = "text"
            theirs.meta["n"] = (1, 2)
            theirs.meta["b"] = b"x"
        with tiledb.open(array.uri) as theirs:
            self.assertEqual({name: theirs.meta[name] for name in ("i", "f", "s")}, {"i": 5, "f": (1.5, 2.5), "s": "ü"})
        self.assertEqual({name: array.reopen().metadata[name] for name in ("t", "n", "b")}, {"t": "text", "n": (1, 2), "b": b"x"})


if __name__ == "__main__":
    unittest.main()
