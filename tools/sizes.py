#!/usr/bin/env python3
"""How the processor time of each step grows with the size of an object along one dimension, on this library and on libtiledb 2.30.

usage: sizes.py PROGRAM LIBRARY REFERENCE TOOL FOLDER [CASE...]

PROGRAM is benches/sizes.c, compiled; LIBRARY and REFERENCE are folders with a libtiledb.so.2.30 each; TOOL is the command-line tool;
arrays are written below FOLDER, best in memory. Prints a Markdown table: milliseconds at each size, and the growth exponent of this
library between the last two sizes (1 is linear, 2 quadratic). Exit code 1 if a step of this library grows faster than n log n.
"""

import collections
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

SIZES = (10, 1_000, 100_000)
WITH_FEWER = (10, 1_000, 10_000)
# Cases, and their sizes: a label is an array, a schema or a member with a folder some files.
CASES = {
    "attributes": SIZES,
    "attributes in a condition": SIZES,
    "dimensions": SIZES,
    "enumerations": SIZES,
    "members of an enumeration": SIZES,
    "labels": SIZES,
    "ranges": SIZES,
    "ranges, dense": SIZES,
    "terms of a condition": SIZES,
    "members of a set": SIZES,
    "aggregates": SIZES,
    "metadata keys": SIZES,
    "members of a group": SIZES,
    "members of a group, by URI": WITH_FEWER,
    "fragments": (10, 1_000, 10_000, 100_000),
    "fragments, dense": (10, 1_000, 10_000, 100_000),
    "schemas": (10, 100, 1_000),
    "kilobytes of a cell": SIZES,
    "parameters": SIZES,
    "files": SIZES,
    "columns of a file": SIZES,
    "rows of a file": SIZES,
    "kilobytes of a cell of a file": SIZES,
}
# Seconds of processor time for one run; what takes longer ends there.
PATIENCE = (int(os.environ.get("PATIENCE", "120")), int(os.environ.get("PATIENCE_REFERENCE", "25")))
# Steps below this many seconds say nothing about growth.
LEAST = 0.02
# What a step may take beyond n log n: the caches of the processor become too small.
SLACK = 2.5
NAMES = ("this library", "libtiledb 2.30")


def processor_time(process):
    """The seconds of a process so far. A limit of the system would make its clock coarse."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def limited(command, patience, **options):
    """The output of a command, and what ended it early."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        end = None
        while True:
            try:
                output, errors = process.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if processor_time(process) > patience:
                    end = f"more than {patience} s"
                    process.kill()
    if end is None and process.returncode:
        end = errors.strip() or f"exit code {process.returncode}"
    return output, end


def by_program(program, library, patience, case, size, place):
    """The steps of the program in C."""
    output, end = limited([program, case, str(size), place], patience, env=dict(os.environ, LD_LIBRARY_PATH=str(library)))
    steps = collections.Counter()
    for line in output.splitlines():
        _, step, _, seconds = line.split("\t")
        steps[step] += float(seconds)
    return steps, end


def write_file(case, size, file):
    columns = {"columns of a file": size}.get(case, 3)
    rows = {"rows of a file": size}.get(case, 3)
    with file.open("w") as out:
        if case == "kilobytes of a cell of a file":
            out.write("text,number\n" + "ab\x1bc" * 250 * size + ",1\n")
            return
        out.write(",".join(f"column_{column}" for column in range(columns)) + "\n")
        for row in range(rows):
            out.write(",".join(str(row * column) for column in range(columns)) + "\n")


def by_tool(tool, patience, case, size, place):
    """The steps of the command-line tool."""
    place = pathlib.Path(place)
    file, array, arrow = place / "file.csv", place / "array", place / "file.arrow"
    write_file(case, size, file)
    commands = {
        "import CSV": ["import", file, array],
        "cat table": ["cat", array],
        "cat CSV": ["cat", "--format", "csv", array],
        "cat JSON": ["cat", "--format", "json", array],
        "cat Arrow": ["cat", "--format", "arrow", "-o", arrow, array],
        "import Arrow": ["import", "--row", "line", arrow, place / "again"],
        "append": ["import", file, array],
        "info": ["info", array],
        "verify": ["verify", array],
        "copy": ["copy", array, place / "copied"],
    }
    steps = collections.Counter()
    for step, command in commands.items():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _, end = limited([tool, *map(str, command)], patience)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if end:
            return steps, f"{step}: {end}"
        steps[step] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return steps, None


def run(run_case, folder):
    """The seconds of each step, as far as a run came, and what ended it early."""
    place = tempfile.mkdtemp(dir=folder)
    try:
        return run_case(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def shown(seconds):
    if seconds is None:
        return "-"
    return f"{1000 * seconds:.2f}" if seconds < 0.01 else f"{1000 * seconds:.0f}"


def grows_too_fast(small, before, large, after):
    if before is None or after is None or after < LEAST:
        return False
    factor = large / small
    allowed = SLACK * factor * math.log(large) / math.log(small)
    return after > allowed * max(before, LEAST / factor)


def exponent(own):
    """How fast a step grows between its last two sizes, where it takes long enough to tell."""
    measured = [(size, seconds) for size, seconds in own if seconds is not None]
    if len(measured) < 2 or measured[-2][1] < 0.0005 or measured[-1][1] < 0.002:
        return "-"
    (small, before), (large, after) = measured[-2:]
    return f"{math.log(after / before) / math.log(large / small):.2f}"


def measure(program, libraries, tool, folder, case):
    """Prints the rows of a case, and gives what is wrong with this library's."""
    sizes = CASES[case]
    steps, faults = {}, []
    is_of_tool = case.endswith("of a file")
    for name, library, patience in zip(NAMES, libraries, PATIENCE):
        end = None
        for size in sizes if not is_of_tool or name == NAMES[0] else ():
            if end is None:
                run_case = lambda place: (
                    by_tool(tool, patience, case, size, place)
                    if is_of_tool
                    else by_program(program, library, patience, case, size, place)
                )
                steps[name, size], end = run(run_case, folder)
                if end:
                    print(f"{case}, {size:,}: {name}: {end}", file=sys.stderr)
                    faults += [f"{case}, {size:,}: {end}"] if name == NAMES[0] else []
    order = dict.fromkeys(step for (name, _), seen in steps.items() if name == NAMES[0] for step in seen)
    for step in order:
        seconds = {name: [steps.get((name, size), {}).get(step) for size in sizes] for name in NAMES}
        own = list(zip(sizes, seconds[NAMES[0]]))
        cells = [" / ".join(map(shown, seconds[name])) for name in NAMES]
        # What this library alone does.
        cells[1] = "" if is_of_tool or step == "verify" else cells[1]
        print(f"| {case} | {step} | {' / '.join(f'{size:,}' for size in sizes)} | {cells[0]} | {exponent(own)} | {cells[1]} |")
        for (small, before), (large, after) in zip(own, own[1:]):
            if grows_too_fast(small, before, large, after):
                faults.append(f"{case}, {step}: {shown(before)} ms at {small:,}, {shown(after)} ms at {large:,}")
    sys.stdout.flush()
    return faults


def main(program, library, reference, tool, folder, *cases):
    print(f"| dimension | step | sizes | {NAMES[0]}, ms | exponent | {NAMES[1]}, ms |\n|---|---|---|---|--:|---|")
    faults = [fault for case in cases or CASES for fault in measure(program, (library, reference), tool, folder, case)]
    for fault in faults:
        print(f"grows too fast: {fault}", file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
