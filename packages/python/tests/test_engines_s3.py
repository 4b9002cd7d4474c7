"""Staged writes and the recipes on an object store: ENGINES_S3 names a bucket, which the environment describes."""
from __future__ import annotations

import os
import unittest

import support
import test_engine_examples
import test_staging

import tiledb_rs
from tiledb_rs.staging import WriteJob
from tiledb_rs.vfs import list_files

BUCKET = os.environ.get("ENGINES_S3", "")


@unittest.skipUnless(BUCKET, "ENGINES_S3 names no bucket")
class Staging(test_staging.Staging):
    """Jobs; a move is a copy of each object here."""

    def path(self, name: str = "array") -> str:
        return f"{BUCKET}/{self.folder.name}/{name}"

    def names(self) -> list:
        return sorted(uri.rstrip("/").rpartition("/")[2] for uri in list_files(f"{BUCKET}/{self.folder.name}"))

    def test_all_rows_are_visible_at_once(self):
        array = self.array()
        job = WriteJob(array)
        staged = [job.write(test_staging.rows(10 * task)) for task in range(5)]
        self.assertEqual((self.values(array), array.fragments()), ([], []))
        self.assertEqual(len(self.names()), 2)
        job.commit(staged)
        self.assertEqual(self.values(array), list(range(50)))
        self.assertEqual((array.verify().findings, self.names()), ((), ["array"]))

    # These look at local files.
    test_other_attempts_are_dropped = test_a_folder_is_half_moved = test_abort = test_a_writer_is_killed = test_wrong_arguments = None
    test_the_plan_of_a_commit_is_half_written = None


@unittest.skipUnless(BUCKET, "ENGINES_S3 names no bucket")
class Recipes(test_engine_examples.Recipes):
    def path(self, name: str = "array") -> str:
        return f"{BUCKET}/{self.folder.name}/{name}"



if __name__ == "__main__":
    unittest.main()
