#!/usr/bin/env python3
"""What a cell, a slice, a fragment, a member costs in arrays and groups of every size, on this library and on libtiledb 2.30.

usage: growth.py PROGRAM LIBRARY REFERENCE FOLDER PICTURE [LARGEST]

PROGRAM is benches/growth.c, compiled; LIBRARY and REFERENCE are folders with a libtiledb.so.2.30 each; arrays are written below
FOLDER, best in memory; PICTURE is the SVG file that is drawn, beside it a table with the same figures. LARGEST bounds the
cells of the largest dense array (100,000,000); sparse ones have up to a tenth of it.
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 8, "font.family": "sans-serif"})
from matplotlib import pyplot

# What is measured, its least size, and its share of LARGEST.
WORKS = [
    ("dense", 10_000, 1),
    ("sparse", 10_000, 0.1),
    ("strings", 10_000, 0.02),
    ("fragments", 1, 0.0001),
    ("members", 10, 0.0001),
    ("keys", 10, 0.001),
]
# Seconds for one run. What takes longer is not measured at greater sizes: libtiledb compares each key of metadata with all
# others, a million would take it an hour.
PATIENCE, SLOW = 240, "takes too long"
# libtiledb dies now and then.
TRIES = 3
LIBRARIES = ("this library", "libtiledb 2.30")
COLOURS = ("#0b6e4f", "#b0b0b0")


def sizes(least, largest):
    size = least
    while size <= largest:
        yield size
        size *= 10


def run(command, library):
    """What a run printed, and what went wrong: nothing, a death, or too much time."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library))
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0], SLOW
    return output, errors.strip() or f"signal {-process.returncode}" if process.returncode else None


def measure(program, library, work, size, folder):
    """Nanoseconds of processor time of a unit, by case; and whether it was done in time."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        output, wrong = run([program, work, str(size), str(folder)], library)
        shutil.rmtree(folder)
        if wrong:
            print(f"growth.py: {work} {size} on {library}: {wrong}", file=sys.stderr)
        if wrong in (None, SLOW):
            break
    lines = [line.split("\t") for line in output.splitlines()]
    return {name: float(processor) for name, _, processor, _ in lines}, wrong != SLOW


def readable(nanoseconds):
    for unit, factor in (("ns", 1), ("µs", 1e3), ("ms", 1e6)):
        if nanoseconds < 1000 * factor:
            break
    return f"{nanoseconds / factor:.3g} {unit}"


def draw(figures, picture):
    names = list(figures)
    columns = 4
    rows = -(-len(names) // columns)
    chart, panels = pyplot.subplots(rows, columns, figsize=(11, 2.3 * rows), squeeze=False)
    for panel, name in zip(panels.flat, names):
        for library, colour in zip(LIBRARIES, COLOURS):
            points = sorted(figures[name][library].items())
            panel.plot([size for size, _ in points], [cost for _, cost in points], color=colour, marker="o", markersize=3, linewidth=1.5, label=library)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(name, fontsize=9)
        panel.yaxis.set_major_formatter(lambda value, _: readable(value))
        panel.yaxis.set_minor_formatter("")
        panel.spines[["top", "right"]].set_visible(False)
    for panel in panels.flat[len(names) :]:
        panel.set_visible(False)
    chart.legend(*panels.flat[0].get_legend_handles_labels(), loc="lower right", frameon=False)
    chart.tight_layout()
    chart.savefig(picture, metadata={"Date": None})


def table(figures):
    """Markdown: this library at each size, how much the last is of the least, and libtiledb at the last."""
    lines = ["| processor time | " + " | ".join(["sizes", "this library", "most / least", "libtiledb 2.30"]) + " |"]
    lines.append("|---|---|---|--:|---|")
    for name, of in figures.items():
        ours, theirs = (of[library] for library in LIBRARIES)
        if not ours:
            continue
        first, last = min(ours), max(ours)
        of_size = " · ".join(readable(ours[size]) for size in sorted(ours))
        spread = max(ours.values()) / min(ours.values())
        of_theirs = " · ".join(readable(theirs[size]) for size in sorted(theirs))
        lines.append(f"| {name} | {first:,} to {last:,} | {of_size} | {spread:.1f} | {of_theirs} |")
    return "\n".join(lines) + "\n"


def main():
    if not 6 <= len(sys.argv) <= 7:
        sys.exit(__doc__)
    program, ours, theirs, folder, picture = map(pathlib.Path, sys.argv[1:6])
    largest = int(sys.argv[6]) if len(sys.argv) == 7 else 100_000_000
    figures = collections.defaultdict(lambda: {library: {} for library in LIBRARIES})
    for work, least, share in WORKS:
        able = dict(zip(LIBRARIES, (ours, theirs)))
        for size in sizes(least, largest * share):
            for name, library in list(able.items()):
                cases, in_time = measure(program.resolve(), library.resolve(), work, size, folder / "growth")
                if not in_time:
                    del able[name]
                for case, nanoseconds in cases.items():
                    figures[case][name][size] = nanoseconds
            print(f"{work} {size:,}", file=sys.stderr)
        draw(figures, picture)
        picture.with_suffix(".md").write_text(table(figures))


if __name__ == "__main__":
    main()
