"""Verification, consolidation, maintenance, recommended schemas, pictures, notebooks."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import threading
import unittest
from pathlib import Path
from unittest import mock

import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema, TileDBError
from tiledb_rs._arrays.picture import find_tool

try:
    TOOL = find_tool()
except FileNotFoundError:
    TOOL = None


class Maintenance(support.LibraryTest):
    def many(self, count: int = 6):
        array = tiledb_rs.create(self.path(), Schema([Dimension("d", (0, 99_999))], [Attribute("x", int), Attribute("s", str)], sparse=True))
        for at in range(count):
            array.write({"d": list(range(at * 100, at * 100 + 100)), "x": [at] * 100, "s": [f"text {at}"] * 100}, at=at + 1)
        return array

    def test_verify(self):
        array = self.many()
        seen = []
        report = array.verify(progress=lambda done, total: seen.append((done, total)))
        self.assertTrue(report)
        self.assertTrue(report.ok)
        self.assertEqual((report.findings, report.errors), ((), []))
        self.assertGreater(report.files, 10)
        self.assertEqual(seen[-1][0], seen[-1][1])
        self.assertIn("0 errors", str(report))
        data = next(Path(array.uri).glob("__fragments/*/a0.tdb"))
        content = bytearray(data.read_bytes())
        content[len(content) // 2] ^= 0xFF
        data.write_bytes(content[:-1])
        report = array.verify()
        self.assertFalse(report)
        self.assertEqual({finding.severity for finding in report.errors}, {"error"})
        self.assertIn("a0.tdb", report.errors[0].file)
        self.assertIn("error: ", str(report))
        self.assertTrue(report.errors[0].text and report.errors[0].remedy)

    def test_arrays_that_are_gone(self):
        array = self.sparse()
        tiledb_rs.remove(array.uri)
        for call in (array.verify, array.consolidate, array.reopen):
            with self.subTest(call=call.__name__), self.assertRaisesRegex(tiledb_rs.TileDBError, r"There is no array at .*create the array with tiledb_rs.create\(\)"):
                call()

    def test_consolidate_and_vacuum(self):
        array = self.many()
        seen = []
        array.consolidate(progress=lambda done, total: seen.append((done, total)))
        array.vacuum()
        self.assertEqual(seen[-1], (600, 600))
        self.assertEqual((len(array.fragments()), array.count()), (1, 600))
        array.consolidate(mode="fragment_meta")
        array.consolidate(mode="array-meta")
        array.consolidate(mode="commits", config={"sm.consolidation.buffer_size": 1000})
        array.vacuum(mode="commits")
        for wrong, error in [
            (lambda: array.consolidate(mode="nothing"), TileDBError),
            (lambda: array.consolidate(mode=5), TypeError),
            (lambda: array.consolidate(progress=5), TypeError),
            (lambda: array.vacuum(mode="nothing"), TileDBError),
            (lambda: array.consolidate(config={"sm.consolidation.steps": "x"}), TileDBError),
            (lambda: array.consolidate(config={5: 1}), TypeError),
            (lambda: array.consolidate(config={"a": object()}), TypeError),
        ]:
            self.assertRaises(error, wrong)

    def test_callbacks_stop_and_raise(self):
        array = self.many()

        class Stop(BaseException):
            pass

        def fail(*_):
            raise Stop

        for call in [
            lambda progress: array.consolidate(progress=progress),
            lambda progress: array.verify(progress=progress),
            lambda progress: array.rewrite(self.path("r"), progress=progress),
            lambda progress: array.downgrade(self.path("dg"), 20, progress=progress),
        ]:
            self.assertRaises(Stop, call, fail)
            for name in ("r", "dg"):
                if tiledb_rs.exists(self.path(name)):
                    tiledb_rs.remove(self.path(name))
            self.assertRaises(TileDBError, call, lambda *_: False)
            for name in ("r", "dg"):
                if tiledb_rs.exists(self.path(name)):
                    tiledb_rs.remove(self.path(name))
        self.assertEqual((len(array.fragments()), array.count()), (6, 600))
        with self.assertRaises(Stop):
            array.maintain(config={"sm.maintenance.max_fragments": 2}, on_step=fail)

    def handle_interrupts(self):
        """Python's handler, which processes in the background do not have."""
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return signal.default_int_handler

    def test_interrupts(self):
        """Ctrl-C ends an operation with a KeyboardInterrupt, wherever it arrives; a handler that does not raise does not end it."""
        array, before = self.many(), self.handle_interrupts()

        def interrupt(*_):
            # In the middle of the operation, as if the user had pressed it.
            signal.raise_signal(signal.SIGINT)

        for call in [lambda: array.consolidate(progress=interrupt), lambda: array.verify(progress=interrupt)]:
            with self.assertRaises(KeyboardInterrupt):
                call()
            self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertEqual(len(array.fragments()), 6)
        seen = []
        signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
        self.assertTrue(array.verify(progress=interrupt).ok)
        self.assertGreater(len(seen), 0)
        # On another thread nothing handles signals.
        thread = threading.Thread(target=array.consolidate)
        thread.start()
        thread.join()
        self.assertEqual(len(array.reopen().fragments()), 1)

    @unittest.skipIf(os.name == "nt", "signals are sent by kill")
    def test_interrupts_at_random_moments(self):
        array = self.many()
        self.handle_interrupts()
        numbers = random.Random(1)
        for at in range(20):
            timer = threading.Timer(numbers.random() * 0.02, os.kill, (os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                for _ in range(10_000):
                    array.verify()
            timer.join()
        self.assertEqual(array.count(), 600)

    def test_maintain(self):
        array = self.many(12)
        config = {"sm.maintenance.max_fragments": 4}
        planned = array.maintain(dry_run=True, config=config)
        self.assertTrue(planned and all(step.planned for step in planned))
        self.assertEqual(len(array.fragments()), 12)
        steps = array.maintain(config=config)
        self.assertEqual(steps[0].kind, "fragments")
        self.assertFalse(steps[0].planned)
        self.assertGreater(steps[0].bytes_written, 0)
        self.assertIn("max_fragments", steps[0].reason)
        self.assertLessEqual(len(array.fragments()), 4)
        self.assertEqual(array.count(), 1_200)

    def test_advise_and_rewrite(self):
        array = self.many()
        for objective in ["smallest", "balanced", "fastest"]:
            advice = array.advise(objective)
            self.assertEqual(advice.schema.names, array.schema.names)
            self.assertTrue({"values", "offsets", "capacity"} <= {one.property for one in advice.recommendations})
            self.assertIn(objective, str(advice))
        self.assertLess(advice.recommended_bytes, 10 * advice.current_bytes)
        copy = array.rewrite(self.path("copy"), advice.schema, merge_fragments=True)
        self.assertEqual((copy.count(), len(copy.fragments()), copy.schema), (600, 1, advice.schema))
        self.assertEqual(copy.rewrite(self.path("again")).count(), 600)
        other = Schema([Dimension("d", (0, 99_999))], [Attribute("x", int)], sparse=True)
        for wrong, error in [
            (lambda: array.advise("best"), ValueError),
            (lambda: array.rewrite(self.path("copy")), TileDBError),
            (lambda: array.rewrite(self.path("o"), other), TileDBError),
            (lambda: array.rewrite(5), TypeError),
        ]:
            self.assertRaises(error, wrong)

    def test_versions(self):
        array = self.many()
        self.assertEqual(array.compatibility().version, 22)
        self.assertIn("libtiledb", array.compatibility().readers)
        old = array.downgrade(self.path("old"), 20)
        self.assertEqual((old.compatibility().version, old.count()), (20, 600))
        old.upgrade()
        self.assertEqual(old.schema.version, 22)
        for version, error in [(5, TileDBError), (-1, ValueError), ("20", ValueError), (True, ValueError)]:
            self.assertRaises(error, array.downgrade, self.path("older"), version)

    def test_orphans_and_fragments(self):
        array = self.many()
        self.assertEqual(array.orphans(), [])
        commit = next(Path(array.uri).glob("__commits/*.wrt"))
        commit.unlink()
        self.assertEqual(len(array.reopen().orphans()), 1)
        self.assertEqual(array.count(), 500)
        self.assertEqual((array.sweep(), array.orphans()), (1, []))
        array.delete_fragments(1, 3)
        self.assertLess(len(array.fragments()), 5)
        for bounds in [(-1, 5), (1, 1 << 64), ("a", 5), (True, 2)]:
            self.assertRaises((TypeError, ValueError), array.delete_fragments, *bounds)
        array.delete_fragments("2000-01-01", "2000-01-02T12:30")
        self.assertRaises(TypeError, array.rewrite, self.path("again"), "smallest")


class Notebook(support.LibraryTest):
    def test_html(self):
        array = self.sparse()
        array.write({"d": [60], "x": [1], "s": ["<script>&"], "c": [None]})
        page = array._repr_html_() + array.schema._repr_html_() + array.read(order="C")._repr_html_() + array.advise()._repr_html_()
        self.assertIn("&lt;script&gt;&amp;", page)
        self.assertNotIn("<script>", page)
        self.assertIn("STRING_UTF8 (variable), nullable", page)
        self.assertEqual(page.count("<table>"), page.count("</table>"))
        many = tiledb_rs.create(self.path("many"), Schema([Dimension("d", (0, 999))], [Attribute("x", int)], sparse=True))
        many.write({"d": list(range(100)), "x": list(range(100))})
        self.assertEqual(many.read()._repr_html_().count("<tr>"), 22)
        array.close()
        self.assertIn("closed", array._repr_html_())

    def test_a_tool_that_is_missing(self):
        array = self.sparse()
        with (
            mock.patch.dict(os.environ, {"PATH": "", "TILEDB_RS_TOOL": ""}),
            mock.patch("sys.executable", str(self.folder / "python")),
        ):
            with self.assertRaisesRegex(FileNotFoundError, "command-line tool tiledb-rs, .* TILEDB_RS_TOOL"):
                array.picture()

    @unittest.skipIf(os.name == "nt", "the tool is a shell script")
    def test_a_tool_that_fails(self):
        tool = self.folder / "tool"
        tool.write_text("#!/bin/sh\necho no such thing >&2\nexit 3\n")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        with mock.patch.dict(os.environ, {"TILEDB_RS_TOOL": str(tool)}), self.assertRaisesRegex(TileDBError, "no such thing"):
            self.sparse().picture()

    @unittest.skipUnless(TOOL, "the tool is not installed")
    def test_pictures(self):
        array = self.sparse()
        picture = array.picture(self.path("page.html"), ranges={"d": (1, 10)}, where="x > 10 and s is not null")
        self.assertIn("<html", picture.html)
        self.assertEqual(Path(self.path("page.html")).read_text(encoding="utf-8"), picture.html)
        self.assertIn("<iframe srcdoc=", picture._repr_html_())
        self.assertIn("characters of HTML", repr(picture))
        self.assertRaises(ValueError, array.picture, where="z = 1")
        chosen = array.picture(fields=["x"]).html.split('id="data">')[1].split("</script>")[0]
        self.assertEqual([one["name"] for one in json.loads(chosen)["values"]["attributes"]], ["number of cells", "x"])
        self.assertRaises(TileDBError, array.picture, fields=["nothing"])
        context = tiledb_rs.Context({"sm.mem.total_budget": 1 << 30})
        self.assertIn("<html", tiledb_rs.open(array, at=(1, 1 << 60), context=context).picture().html)


if __name__ == "__main__":
    unittest.main()
