"""The recipes of fleet.py on clusters of four processes, with some of them killed, and what came of it.

usage: run.py FOLDER      FOLDER has the environments `ours` and `libtiledb`
"""

import shutil
import sys
import time
from pathlib import Path

import faults
import fleet
import numpy as np
import tiledb
from cluster import cluster, s3, tell
from distributed import wait

TASKS, BANDS = 48, 12
ROWS, COLUMNS = 16, 10_000
EVENTS = 20_000
FLEETS = {"ours": ["ours"] * 4, "libtiledb": ["libtiledb"] * 4, "half": ["ours", "libtiledb"] * 2}
# These tasks lose their process: after so many seconds of work, or when it is done and nobody was told.
KILLED = {3: 0.0, 7: 0.01, 11: 0.03, 19: 0.06, 23: 0.1, 31: "done", 40: "done"}
KILLED_MERGES = {0: 0.02, 2: 0.08, 3: "done"}


def rows_of(task):
    """What a task writes: its band of rows, which later tasks write again. Whole numbers, so that sums are exact."""
    first = (task - 1) % BANDS * ROWS
    row = np.arange(first, first + ROWS, dtype=np.float64)[:, np.newaxis]
    return first, row * 7 + task * 1000 + np.arange(COLUMNS) % 1000


def write(uri, task):
    first, values = rows_of(task)
    return fleet.write(uri, task, first, values)


def append(uri, task):
    times = np.arange(EVENTS, dtype=np.int64) * TASKS // 2 + task // 2
    return fleet.append(uri, task, times, np.full(EVENTS, task, dtype=np.int32))


class Work:
    """One array's life on one cluster; the seconds of each step."""

    def __init__(self, client, base, marks):
        self.client, self.base, self.marks = client, base, marks
        self.seconds = {}

    def all(self, step, killed, function, tasks):
        """Runs a function for each task, on whatever worker is free; the killed ones are run again elsewhere."""
        start = time.monotonic()
        work = [
            self.client.submit(faults.run, self.marks, f"{step}-{at}", killed[at], function, *task, pure=False)
            if at in killed
            else self.client.submit(function, *task, pure=False)
            for at, task in enumerate(tasks)
        ]
        wait(work)
        self.seconds[step] = time.monotonic() - start
        return self.client.gather(work)

    def live(self):
        dense, log = f"{self.base}/dense", f"{self.base}/log"
        fleet.make(dense, BANDS * ROWS, COLUMNS, ROWS)
        fleet.make_log(log)
        self.all("write", KILLED, write, [(dense, task) for task in range(1, TASKS + 1)])
        self.all("append", KILLED, append, [(log, task) for task in range(1, TASKS + 1)])
        self.check("written", dense, log, TASKS)

        nodes = fleet.plan(dense, TASKS // BANDS * ROWS * COLUMNS * 8)
        assert len(nodes) > 3, f"a plan of {len(nodes)} nodes"
        self.all("merge", KILLED_MERGES, fleet.consolidate, [(dense, node) for node in nodes])
        left = TASKS - sum(len(node) - 1 for node in nodes)
        self.check("merged", dense, log, left)
        # Nobody reads any more: the barrier.
        self.all("vacuum", {}, fleet.vacuum, [(dense,)])
        self.check("vacuumed", dense, log, left)

    def check(self, when, dense, log, fragments):
        """Every row is there, once: read in parts by the fleet as the array was at one time, and by this process."""
        last = range(TASKS - BANDS + 1, TASKS + 1)
        parts = [(dense, first, first + 2 * ROWS - 1, TASKS) for first in range(0, BANDS * ROWS, 2 * ROWS)]
        found = self.all(f"read, {when}", {}, fleet.read, parts)
        wanted = sum(rows_of(task)[1].sum() for task in last)
        assert sum(total for total, _ in found) == wanted, f"{when}: the sums differ"
        assert sum(cells for _, cells in found) == BANDS * ROWS * COLUMNS
        with tiledb.open(dense) as array:
            for task in last:
                first, values = rows_of(task)
                assert (array[first : first + ROWS]["value"] == values).all(), f"{when}: rows of task {task}"
        with tiledb.open(log) as array:
            machines = array.query(dims=False)[:]["machine"]
        counts = np.bincount(machines, minlength=TASKS + 1)
        assert (counts[1:] == EVENTS).all(), f"{when}: events {counts}"
        there = len(tiledb.array_fragments(dense))
        assert there == fragments, f"{when}: {there} fragments"


def main():
    folder = Path(sys.argv[1])
    results = {}
    with s3() as bucket:
        for store in ["local", "s3"]:
            for name, libraries in FLEETS.items():
                work = folder / "work"
                shutil.rmtree(work, ignore_errors=True)
                (work / "marks").mkdir(parents=True)
                base = str(work) if store == "local" else f"{bucket}/{name}"
                with cluster(folder, libraries) as client:
                    one = Work(client, base, str(work / "marks"))
                    one.live()
                    killed = len(list((work / "marks").iterdir()))
                results[store, name] = one.seconds
                print(f"{store}, {name}: every row once, {killed} processes killed", flush=True)
    steps = list(next(iter(results.values())))
    tell([["seconds", *steps], *([f"{store} {name}", *(f"{seconds[step]:.2f}" for step in steps)] for (store, name), seconds in results.items())])


if __name__ == "__main__":
    main()
