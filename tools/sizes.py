#!/usr/bin/env python3
"""How the processor time of each step grows with the size of an object along one dimension, on this library and on libtiledb 2.30.

usage: sizes.py PROGRAM LIBRARY REFERENCE FOLDER [CASE...]

PROGRAM is benches/sizes.c, compiled; LIBRARY and REFERENCE are folders with a libtiledb.so.2.30 each; arrays are written below
FOLDER, best in memory. Prints a Markdown table. Exit code 1 if a step of this library grows faster than n log n.
"""

import collections
import math
import os
import shutil
import subprocess
import sys
import tempfile

SIZES = (10, 1_000, 100_000)
# Cases, and their largest size: a fragment is several files, and an evolution reads the names of all before.
CASES = {
    "attributes": 100_000,
    "attributes in a condition": 100_000,
    "dimensions": 100_000,
    "enumerations": 100_000,
    "members of an enumeration": 100_000,
    "labels": 100_000,
    "ranges": 100_000,
    "ranges, dense": 100_000,
    "terms of a condition": 100_000,
    "members of a set": 100_000,
    "aggregates": 100_000,
    "metadata keys": 100_000,
    "members of a group": 100_000,
    "fragments": 10_000,
    "schemas": 1_000,
    "kilobytes of a cell": 100_000,
    "parameters": 100_000,
    "files": 100_000,
}
# Seconds for one run; what takes longer ends there.
PATIENCE = int(os.environ.get("PATIENCE", "60"))
# Steps below this many seconds say nothing about growth.
LEAST = 0.05
# What a step may take beyond n log n: the caches of the processor become too small.
SLACK = 3
NAMES = ("this library", "libtiledb 2.30")


def run(program, library, case, size, folder):
    """The seconds of each step, as far as the run came, and what ended it early."""
    place = tempfile.mkdtemp(dir=folder)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library))
    command = [program, case, str(size), place]
    try:
        process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        output, end = process.stdout, None
        if process.returncode:
            end = process.stderr.strip() or f"signal {-process.returncode}"
    except subprocess.TimeoutExpired as error:
        output, end = (error.stdout or b"").decode(), f"more than {PATIENCE} s"
    shutil.rmtree(place, ignore_errors=True)
    steps = collections.Counter()
    for line in output.splitlines():
        _, step, _, seconds = line.split("\t")
        steps[step] += float(seconds)
    return steps, end


def shown(seconds):
    return "-" if seconds is None else f"{seconds:.4f}" if seconds < 0.1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"


def grows_too_fast(small, before, large, after):
    if before is None or after is None or after < LEAST:
        return False
    factor = large / small
    allowed = SLACK * factor * math.log(large) / math.log(small)
    return after > allowed * max(before, LEAST / factor)


def measure(program, libraries, folder, case):
    """Prints the rows of a case, and gives what is wrong with this library's."""
    largest = CASES[case]
    sizes = [size for size in SIZES if size < largest] + [largest]
    steps, faults = {}, []
    for name, library in zip(NAMES, libraries):
        end = None
        for size in sizes if library else ():
            if end is None:
                steps[name, size], end = run(program, library, case, size, folder)
                if end:
                    print(f"{case}, {size:,}: {name}: {end}", file=sys.stderr)
                    faults += [f"{case}, {size:,}: {end}"] if name == NAMES[0] else []
    order = dict.fromkeys(step for (name, _), seen in steps.items() if name == NAMES[0] for step in seen)
    for step in order:
        seconds = {name: [steps.get((name, size), {}).get(step) for size in sizes] for name in NAMES}
        cells = [" / ".join(map(shown, seconds[name])) for name in NAMES]
        print(f"| {case} | {step} | {' / '.join(f'{size:,}' for size in sizes)} | {cells[0]} | {cells[1]} |")
        own = list(zip(sizes, seconds[NAMES[0]]))
        for (small, before), (large, after) in zip(own, own[1:]):
            if grows_too_fast(small, before, large, after):
                faults.append(f"{case}, {step}: {shown(before)} s at {small:,}, {shown(after)} s at {large:,}")
    sys.stdout.flush()
    return faults


def main(program, library, reference, folder, *cases):
    print(f"| dimension | step | sizes | {NAMES[0]}, s | {NAMES[1]}, s |\n|---|---|---|---|---|")
    faults = [fault for case in cases or CASES for fault in measure(program, (library, reference), folder, case)]
    for fault in faults:
        print(f"grows too fast: {fault}", file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
