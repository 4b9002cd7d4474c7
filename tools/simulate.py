#!/usr/bin/env python3
"""Runs histories of the simulation from fresh seeds, on all processors.

    simulate.py PROGRAM [--seconds SECONDS] [--seed SEED] [--jobs JOBS]

PROGRAM is the test program `simulation`. Every job is a process, which a new one replaces after some minutes, so that a crash ends few
histories; half of them run histories of one process, the others those of concurrent processes. At the end the figures of all are added.
The exit status is 1 if a history failed; its seed and the reduced history are printed.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import threading
import time

# A process runs for so many seconds.
PROCESS_SECONDS = 900
# What a process needs at most after the last history has begun: it reduces failing ones.
REDUCTION_SECONDS = 600
# Seeds from the first one of a process to that of the next.
SEEDS = 10_000_000

KINDS = {
    "sequential": "reads_of_sequential_histories_return_what_the_model_contains",
    "concurrent": "histories_of_concurrent_processes_lose_nothing_and_show_nothing_else",
}


class Run:
    """Figures of all processes, and the reports of those that failed."""

    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.next_seed = options.seed
        self.totals = {kind: collections.Counter() for kind in KINDS}
        self.reports = []

    def take_seed(self):
        with self.lock:
            seed = self.next_seed
            self.next_seed += SEEDS
            return seed

    def work(self, kind, end):
        """Runs one process after the other until a time."""
        while (left := end - time.monotonic()) > 0:
            seed, seconds = self.take_seed(), max(1, min(PROCESS_SECONDS, int(left)))
            environment = dict(os.environ, SEEDS=f"{seed}..{seed + 1}", SECONDS=str(seconds), THREADS="1")
            environment.setdefault("REFERENCE", "required")
            # libtiledb's process needs no threads of NumPy.
            environment.setdefault("OPENBLAS_NUM_THREADS", "1")
            if "TMPDIR" not in environment and os.path.isdir("/dev/shm"):
                # libtiledb reads files of a few bytes, which do not have to reach a disk.
                environment["TMPDIR"] = "/dev/shm"
            command = [self.options.program, "--exact", f"{kind}::{KINDS[kind]}", "--nocapture"]
            try:
                done = subprocess.run(
                    command,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=seconds + REDUCTION_SECONDS,
                )
                output, status = done.stdout.decode(errors="replace"), done.returncode
            except subprocess.TimeoutExpired as expired:
                output, status = (expired.stdout or b"").decode(errors="replace"), "timeout"
            figures = re.findall(r"^figures: (.*)$", output, re.MULTILINE)
            with self.lock:
                for line in figures:
                    for name, count in re.findall(r"(\w+)=(\d+)", line):
                        self.totals[kind][name] += int(count)
                if status != 0 or not figures:
                    self.reports.append(f"{kind} histories from seed {seed} on: status {status}\n{output}")
                    print(self.reports[-1], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()) * 1_000_000_000)
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 1))
    run = Run(parser.parse_args())
    options = run.options
    if not os.access(options.program, os.X_OK):
        parser.error(f"'{options.program}' is no program; was it built?")
    options.program = os.path.abspath(options.program)
    print(f"seeds from {options.seed} on, {options.jobs} processes for {options.seconds} s", flush=True)
    end = time.monotonic() + options.seconds
    kinds = list(KINDS)
    threads = [
        threading.Thread(target=run.work, args=(kinds[job % len(kinds)], end)) for job in range(options.jobs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for kind, totals in run.totals.items():
        print(f"{kind}: " + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in totals.items()))
    failures = sum(totals["failing"] for totals in run.totals.values())
    print(f"{failures} histories failed, in {len(run.reports)} processes")
    return 1 if run.reports else 0


if __name__ == "__main__":
    sys.exit(main())
