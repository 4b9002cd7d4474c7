"""Staged writes and the recipes on an object store: ENGINES_S3 names a bucket, which the environment describes."""

from __future__ import annotations

import unittest

import engine_support
import test_engine_examples
import test_staging

from tiledb_rs.staging import WriteJob


@unittest.skipUnless(engine_support.BUCKET, "ENGINES_S3 names no bucket")
class Staging(engine_support.OnS3, test_staging.Staging):
    """Jobs; a move is a copy of each object here."""

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
    test_the_plan_of_a_commit_is_half_written = test_an_attempt_writes_while_the_job_is_aborted = None
    test_attempts_notice_that_the_job_has_ended = None


@unittest.skipUnless(engine_support.BUCKET, "ENGINES_S3 names no bucket")
class Recipes(engine_support.OnS3, test_engine_examples.Recipes):
    """The recipes of docs/engines.md."""


if __name__ == "__main__":
    unittest.main()
