"""The protocol of WriteJob: all interleavings of a driver that commits, its successor and one that aborts, each suspended for any time
or killed at any step. The transitions have the names of the methods of ``staging.py``."""

from __future__ import annotations

import unittest
from typing import Iterator, NamedTuple, Tuple

FRAGMENTS = 2
# Steps of a commit, and of an abort.
CHECK, STAMP, PREPARE, PLAN, MOVE, PUBLISH, END, DONE, FAILED = "check stamp prepare plan move publish end done failed".split()
REMOVE_PREPARED, REMOVE_STAGED, REMOVE_PLAN = "remove_prepared remove_staged remove_plan".split()


class Files(NamedTuple):
    """What is stored: the plan has the timestamp of who wrote it; a moved fragment is in the target under a timestamp."""

    staged: Tuple[bool, ...] = (True,) * FRAGMENTS
    moved: Tuple[int, ...] = (0,) * FRAGMENTS
    prepared: int = 0
    plan: int = 0
    published: int = 0


class Driver(NamedTuple):
    step: str
    # Its clock, which is the timestamp that it would choose.
    clock: int
    stamp: int = 0
    position: int = 0
    # Whether the job was aborted, completely and without a commit, before this one began.
    is_late: bool = False


def commit(files: Files, driver: Driver) -> Tuple[Files, Driver]:
    """One step of WriteJob.commit."""
    step = driver.step
    if step == CHECK:
        return files, driver._replace(step=END if files.published else STAMP)
    if step == STAMP:
        if files.plan:
            # A commit that is resumed.
            return files, driver._replace(stamp=files.plan, step=MOVE if files.prepared else FAILED)
        return files, driver._replace(stamp=driver.clock, step=PREPARE if files.staged[0] else FAILED)
    if step == PREPARE:
        return files._replace(prepared=driver.stamp), driver._replace(step=PLAN)
    if step == PLAN:
        return files._replace(plan=driver.stamp), driver._replace(step=MOVE)
    if step == MOVE:
        at = driver.position
        following = driver._replace(position=at + 1, step=PUBLISH if at + 1 == FRAGMENTS else MOVE)
        if files.moved[at] == driver.stamp:
            return files, following
        if not files.staged[at]:
            return files, driver._replace(step=FAILED)
        staged, moved = list(files.staged), list(files.moved)
        staged[at], moved[at] = False, driver.stamp
        return files._replace(staged=tuple(staged), moved=tuple(moved)), following
    if step == PUBLISH:
        if files.prepared != driver.stamp:
            return files, driver._replace(step=FAILED)
        return files._replace(prepared=0, published=driver.stamp), driver._replace(step=END)
    assert step == END
    return files._replace(prepared=0, plan=0, staged=(False,) * FRAGMENTS), driver._replace(step=DONE)


def abort(files: Files, driver: Driver) -> Tuple[Files, Driver]:
    """One step of WriteJob.abort."""
    if driver.step == REMOVE_PREPARED:
        return files._replace(prepared=0), driver._replace(step=REMOVE_STAGED)
    if driver.step == REMOVE_STAGED:
        staged = list(files.staged)
        staged[driver.position] = False
        is_last = driver.position + 1 == FRAGMENTS
        return files._replace(staged=tuple(staged)), driver._replace(position=driver.position + 1, step=REMOVE_PLAN if is_last else REMOVE_STAGED)
    return files._replace(plan=0, prepared=0), driver._replace(step=DONE)


class State(NamedTuple):
    files: Files
    # A driver, and its successor, which begins once the first one is killed.
    committer: Driver
    successor: Driver
    is_killed: bool
    aborter: Driver
    # Whether the job was committed when its abort ended.
    is_aborted: bool = False


def following(state: State) -> Iterator[State]:
    files, aborter = state.files, state.aborter
    for name in ("committer", "successor"):
        driver = getattr(state, name)
        is_running = state.is_killed == (name == "successor") and driver.step not in (DONE, FAILED)
        if is_running:
            changed, driver = commit(files, driver)
            yield state._replace(files=changed, **{name: driver})
    if not state.is_killed:
        yield state._replace(is_killed=True)
    if aborter.step != DONE:
        changed, aborter = abort(files, aborter)
        yield state._replace(files=changed, aborter=aborter, is_aborted=aborter.step == DONE and not changed.published)


def explore(first: State) -> Iterator[State]:
    states, pending = {first}, [first]
    while pending:
        state = pending.pop()
        yield state
        for other in following(state):
            if other not in states:
                states.add(other)
                pending.append(other)


class StagingModel(unittest.TestCase):
    def first(self) -> State:
        return State(Files(), Driver(CHECK, clock=1), Driver(CHECK, clock=2), False, Driver(REMOVE_PREPARED, clock=0))

    def test_every_interleaving_commits_all_fragments_or_none(self):
        count = 0
        for count, state in enumerate(explore(self.first())):
            files = state.files
            if files.published:
                self.assertEqual(files.moved, (files.published,) * FRAGMENTS, state)
            for driver in (state.committer, state.successor):
                if driver.step == DONE:
                    self.assertTrue(files.published, state)
            self.assertFalse(state.is_aborted and files.published, state)
        self.assertGreater(count, 300)

    def test_a_job_that_nobody_aborts_is_committed_by_the_driver_or_its_successor(self):
        first = self.first()._replace(aborter=Driver(DONE, clock=0))
        for state in explore(first):
            self.assertNotEqual(state.committer.step, FAILED, state)
            self.assertNotEqual(state.successor.step, FAILED, state)
        self.assertTrue(any(state.is_killed and state.successor.step == DONE for state in explore(first)))


if __name__ == "__main__":
    unittest.main()
