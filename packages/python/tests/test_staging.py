"""Writes of many tasks as one transaction, without an engine: attempts, interrupted commits, jobs at the same time."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import unittest
from unittest import mock

import support

import tiledb_rs
from tiledb_rs import Attribute, Dimension, Schema, staging
from tiledb_rs.staging import StagedFragments, WriteJob


def rows(first: int, count: int = 10) -> dict:
    return {"d": list(range(first, first + count)), "x": list(range(first, first + count)), "s": [None, "text"] * (count // 2)}


class Staging(support.LibraryTest):
    def array(self, name: str = "array", sparse: bool = True) -> tiledb_rs.Array:
        schema = Schema([Dimension("d", (0, 999), tile=10)], [Attribute("x", "INT32"), Attribute("s", str, nullable=True)], sparse=sparse, allows_duplicates=sparse)
        return tiledb_rs.create(self.path(name), schema)

    def values(self, array: tiledb_rs.Array) -> list:
        return sorted(array.reopen().read("x").to_pydict()["x"])

    def test_all_rows_are_visible_at_once(self):
        array = self.array()
        job = pickle.loads(pickle.dumps(WriteJob(array)))
        staged = [job.write(rows(10 * task)) for task in range(5)]
        self.assertEqual((self.values(array), array.fragments(), array.orphans()), ([], [], []))
        self.assertEqual(job.commit(staged), 50)
        self.assertEqual(self.values(array), list(range(50)))
        self.assertEqual(len({one.timestamp_range for one in array.fragments()}), 1)
        self.assertEqual(array.verify().findings, ())
        self.assertEqual(os.listdir(self.folder), ["array"])

    def test_other_attempts_are_dropped(self):
        array = self.array()
        job = WriteJob(array)
        attempts = [[job.write(rows(10 * task)) for _ in range(3)] for task in range(3)]
        job.commit([of_task[task] for task, of_task in enumerate(attempts)])
        self.assertEqual(self.values(array), list(range(30)))
        # An attempt that is late stays invisible, and the next commit of the job does nothing.
        late = job.write(rows(10))
        self.assertEqual(self.values(array), list(range(30)))
        job.commit([attempts[0][0], late, attempts[2][2]])
        self.assertEqual(self.values(array), list(range(30)))
        self.assertEqual(os.listdir(self.folder), ["array"])

    def test_a_commit_is_interrupted_anywhere(self):
        for tasks in (1, 3):
            for step in range(2 * tasks + 4):
                with self.subTest(tasks=tasks, step=step):
                    array = self.array(f"array_{tasks}_{step}")
                    job = WriteJob(array)
                    staged = [job.write(rows(10 * task)) for task in range(tasks)]
                    calls = iter(range(1000))

                    def call(ctx, name, *arguments, about="", original=tiledb_rs.Context.call, calls=calls, step=step):
                        if name in ("vfs_move_dir", "vfs_move_file", "vfs_open", "vfs_remove_dir", "vfs_close") and next(calls) == step:
                            raise KeyboardInterrupt
                        return original(ctx, name, *arguments, about=about)

                    with mock.patch.object(tiledb_rs.Context, "call", call), mock.patch.object(staging, "_MOVES", 1):
                        try:
                            job.commit(staged)
                        except KeyboardInterrupt:
                            pass
                    self.assertIn(self.values(array), ([], list(range(10 * tasks))))
                    pickle.loads(pickle.dumps(job)).commit(staged)
                    self.assertEqual(self.values(array), list(range(10 * tasks)))
                    self.assertEqual((array.verify().findings, array.orphans()), ((), []))

    def test_an_error_after_the_commit_is_none(self):
        array = self.array()
        for failing in ("vfs_remove_dir", "vfs_move_file"):
            job = WriteJob(array)
            staged = [job.write(rows(10 * task)) for task in range(2)]
            before = len(self.values(array))

            def call(ctx, name, *arguments, about="", original=tiledb_rs.Context.call, failing=failing):
                original(ctx, name, *arguments, about=about)
                if name == failing:
                    raise tiledb_rs.TileDBError("the response is lost")

            with mock.patch.object(tiledb_rs.Context, "call", call):
                self.assertEqual(job.commit(staged), 20)
            self.assertEqual(len(self.values(array)), before + 20)

    def test_the_plan_of_a_commit_is_half_written(self):
        array = self.array()
        job = WriteJob(array)
        staged = [job.write(rows(0))]
        (self.folder / job.folder / "commit.json").write_text('{"timest')
        job.commit(staged)
        self.assertEqual(self.values(array), list(range(10)))

    def test_a_folder_is_half_moved(self):
        array = self.array()
        job = WriteJob(array)
        staged = [job.write(rows(10 * task)) for task in range(2)]
        with mock.patch.object(staging._Files, "move_folder", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            job.commit(staged)
        stamp, is_resumed = job._stamp(staging._Files(tiledb_rs.default_context()))
        self.assertTrue(is_resumed)
        # As an object store leaves it, where a move is a copy of each file.
        for at, one in enumerate(staged):
            (name,) = one.names
            target = self.folder / "array" / "__fragments" / staging._renamed(name, stamp)
            target.mkdir()
            files = sorted((self.folder / one.uri / "__fragments" / name).iterdir())
            for file in files[: at + 1]:
                file.rename(target / file.name)
        self.assertEqual(job.commit(staged), 20)
        self.assertEqual(self.values(array), list(range(20)))
        self.assertEqual(array.verify().findings, ())

    def test_readers_see_all_or_nothing(self):
        array = self.array()
        seen, stop = set(), threading.Event()

        def look() -> None:
            while not stop.is_set():
                seen.add(tiledb_rs.open(array.uri).count())

        reader = threading.Thread(target=look)
        reader.start()
        try:
            for number in range(5):
                job = WriteJob(array)
                job.commit([job.write(rows(10 * task)) for task in range(8)])
        finally:
            stop.set()
            reader.join()
        self.assertLessEqual(seen, {0, 80, 160, 240, 320, 400})

    def test_jobs_at_the_same_time(self):
        array = self.array()
        jobs = [WriteJob(array, timestamp=5) for _ in range(4)]
        staged = [[job.write(rows(100 * at + 10 * task)) for task in range(3)] for at, job in enumerate(jobs)]
        errors = []

        def commit(at: int) -> None:
            try:
                jobs[at].commit(staged[at])
            except BaseException as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=commit, args=(at,)) for at in range(3)]
        for thread in threads:
            thread.start()
        jobs[3].abort()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(self.values(array), [100 * at + value for at in range(3) for value in range(30)])
        self.assertEqual({one.timestamp_range for one in array.fragments()}, {(5, 5)})

    def test_a_named_job_is_committed_once(self):
        array = self.array()
        for _ in range(2):
            job = WriteJob(array, name="day-17")
            job.commit([job.write(rows(10 * task)) for task in range(2)])
        self.assertEqual(self.values(array), list(range(20)))

    def test_nothing_to_write(self):
        array = self.array()
        job = WriteJob(array)
        self.assertEqual(job.commit([]), 0)
        self.assertEqual(job.commit([None, StagedFragments("", (), 0)]), 0)
        empty = job.write({"d": [], "x": [], "s": []})
        self.assertEqual(empty.names, ())
        self.assertEqual(job.commit([empty, job.write(rows(0))]), 10)
        self.assertEqual(self.values(array), list(range(10)))

    def test_abort(self):
        array = self.array()
        array.write(rows(0))
        job = WriteJob(array)
        job.write(rows(50))
        job.abort()
        job.abort()
        self.assertEqual(self.values(array), list(range(10)))
        self.assertEqual(os.listdir(self.folder), ["array"])

    def test_attempts_notice_that_the_job_has_ended(self):
        """At any step of an attempt the job may be committed or aborted: nothing remains, and the array has the rows of the commit."""
        for step in range(12):
            for end in ("commit", "abort"):
                with self.subTest(step=step, end=end):
                    array = self.array(f"array_{step}_{end}")
                    job = WriteJob(array).begin()
                    staged = [job.write(rows(0))]
                    late, calls = pickle.loads(pickle.dumps(job)), iter(range(1000))

                    def call(ctx, name, *arguments, about="", original=tiledb_rs.Context.call, calls=calls, step=step, end=end, job=job, staged=staged):
                        if name.startswith("vfs_") and threading.current_thread() is threading.main_thread() and next(calls) == step:
                            with mock.patch.object(tiledb_rs.Context, "call", original):
                                job.commit(staged) if end == "commit" else job.abort()
                        return original(ctx, name, *arguments, about=about)

                    with mock.patch.object(tiledb_rs.Context, "call", call), self.assertRaises(staging.JobEndedError):
                        late.write(rows(10))
                    self.assertGreater(next(calls), step)
                    self.assertEqual(self.values(array), list(range(10)) if end == "commit" else [])
                    with self.assertRaises(staging.JobEndedError):
                        late.write(rows(10))
                    self.assertEqual(list(self.folder.glob("*.staging-*")), [])

    def test_a_commit_that_was_suspended_while_the_job_was_aborted_commits_nothing(self):
        for tasks in (1, 3):
            for step in range(2 * tasks + 4):
                with self.subTest(tasks=tasks, step=step):
                    array = self.array(f"array_{tasks}_{step}")
                    job = WriteJob(array).begin()
                    staged = [job.write(rows(10 * task)) for task in range(tasks)]
                    calls, aborted = iter(range(1000)), []

                    def call(ctx, name, *arguments, about="", original=tiledb_rs.Context.call, calls=calls, step=step, job=job, array=array, aborted=aborted):
                        if name in ("vfs_move_dir", "vfs_move_file", "vfs_open", "vfs_remove_dir", "vfs_remove_file") and next(calls) == step:
                            with mock.patch.object(tiledb_rs.Context, "call", original):
                                job.abort()
                                aborted.append(self.values(array))
                        return original(ctx, name, *arguments, about=about)

                    with mock.patch.object(tiledb_rs.Context, "call", call), mock.patch.object(staging, "_MOVES", 1):
                        try:
                            job.commit(staged)
                            expected = list(range(10 * tasks))
                        except staging.JobEndedError:
                            expected = []
                    for _ in range(2):
                        self.assertEqual(self.values(array), expected)
                        self.assertIn(aborted, ([], [expected]))
                        with contextlib.suppress(staging.JobEndedError):
                            job.commit(staged)
                    self.assertEqual(list(self.folder.glob("*.staging-*")), [])

    def test_an_attempt_writes_while_the_job_is_aborted(self):
        array = self.array()
        job = WriteJob(array).begin()
        folder, failures = self.folder / job.folder, iter(range(2))

        def call(ctx, name, *arguments, about="", original=tiledb_rs.Context.call):
            # As a file system reports a folder in which a file has appeared meanwhile.
            if name == "vfs_remove_dir" and next(failures, None) is not None:
                (folder / "more").touch()
                raise tiledb_rs.TileDBError("Directory not empty")
            return original(ctx, name, *arguments, about=about)

        with mock.patch.object(tiledb_rs.Context, "call", call):
            job.abort()
        self.assertEqual(os.listdir(self.folder), ["array"])

    def test_errors_of_a_running_job_are_those_of_the_write(self):
        job = WriteJob(self.array()).begin()
        with self.assertRaises(KeyError):
            job.write({"d": [1]})
        self.assertEqual(job.commit([job.write(rows(0))]), 10)

    def test_a_writer_is_killed(self):
        array = self.array()
        job = WriteJob(array)
        (self.folder / "job").write_bytes(pickle.dumps(job))
        program = (
            "import os, pickle, signal, sys, threading, time\n"
            "job = pickle.load(open(sys.argv[1], 'rb'))\n"
            "threading.Thread(target=lambda: (time.sleep(float(sys.argv[2])), os.kill(os.getpid(), signal.SIGKILL)), daemon=True).start()\n"
            "while True: job.write({'d': list(range(900)), 'x': list(range(900)), 's': [None] * 900})\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(support.PACKAGE / "src"), os.environ.get("PYTHONPATH", "")])}
        for seconds in ("0", "0.01", "0.1"):
            done = subprocess.run([sys.executable, "-c", program, str(self.folder / "job"), seconds], env=environment)
            self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual((array.reopen().fragments(), array.orphans()), ([], []))
        job.commit([job.write(rows(0))])
        self.assertEqual(self.values(array), list(range(10)))
        self.assertEqual(sorted(os.listdir(self.folder)), ["array", "job"])

    def test_dense_regions(self):
        array = self.array(sparse=False)
        job = WriteJob(array)
        staged = [job.write({"x": list(range(10 * task, 10 * task + 10)), "s": ["a"] * 10}, region={"d": (10 * task, 10 * task + 9)}) for task in range(100)]
        job.commit(staged)
        self.assertEqual(self.values(array), list(range(1000)))

    def test_the_schema_evolves_meanwhile(self):
        array = self.array()
        job = WriteJob(array)
        before = job.write(rows(0))
        array.add_attribute(Attribute("y", "INT32", fill=-1))
        after = job.write({**rows(10), "y": list(range(10))})
        job.commit([before, after])
        found = array.reopen().read(["x", "y"], order="row-major").to_pydict()
        self.assertEqual(found["x"], list(range(20)))
        self.assertEqual(found["y"][10:], list(range(10)))

    def test_maintenance_of_committed_jobs(self):
        array = self.array()
        for first in (0, 100):
            job = WriteJob(array)
            job.commit([job.write(rows(first + 10 * task)) for task in range(5)])
        expected = [*range(50), *range(100, 150)]
        for step in [lambda: array.consolidate(mode="commits"), lambda: array.vacuum(mode="commits"), array.consolidate, array.vacuum]:
            step()
            self.assertEqual(self.values(array), expected)
        self.assertEqual(len(array.fragments()), 1)
        array.delete_fragments(0, 1 << 62)
        self.assertEqual(self.values(array), [])

    @support.needs("tiledb")
    def test_the_reference_reads_and_maintains_it(self):
        import tiledb

        for sparse in (True, False):
            array = self.array(f"array_{sparse}", sparse)
            job = WriteJob(array)
            job.commit(
                [
                    job.write(rows(10 * task) if sparse else {"x": rows(10 * task)["x"], "s": rows(0)["s"]}, region=None if sparse else {"d": (10 * task, 10 * task + 9)})
                    for task in range(5)
                ]
            )
            for step in [lambda: None, lambda: tiledb.consolidate(array.uri), lambda: tiledb.vacuum(array.uri)]:
                step()
                with tiledb.open(array.uri) as other:
                    self.assertEqual(sorted(other[0:50]["x"].tolist()), list(range(50)))
                self.assertEqual(self.values(array)[-50:] if sparse else array.reopen().read("x", {"d": (0, 49)}).to_pydict()["x"], list(range(50)))

    def test_credentials_are_not_shown(self):
        job = WriteJob(self.array(), config={"vfs.s3.aws_secret_access_key": "hidden"})
        self.assertNotIn("hidden", repr(job))
        self.assertEqual(pickle.loads(pickle.dumps(job)).config, {"vfs.s3.aws_secret_access_key": "hidden"})

    def test_wrong_arguments(self):
        for uri in ("mem://array", "tiledb://namespace/array"):
            with self.assertRaisesRegex(ValueError, "tasks cannot write"):
                WriteJob(uri)
        job = WriteJob(self.path("nothing"))
        with self.assertRaises(tiledb_rs.TileDBError):
            job.write(rows(0))
        job.abort()
        self.assertEqual(os.listdir(self.folder), [])
        with self.assertRaises(KeyError):
            WriteJob(self.array("one")).write({"d": [1]})


if __name__ == "__main__":
    unittest.main()
