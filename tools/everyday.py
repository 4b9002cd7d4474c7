#!/usr/bin/env python3
"""Writes tools/everyday.ld: the functions that everyday work runs, which the linker is to put side by side.

The system maps code in pieces of 64 KiB around each page that is touched. Where the functions that a read runs lie among all
others, that is nearly the whole library.

usage: everyday.py link ARCHIVE LIBRARY
       everyday.py order ARCHIVE LIBRARY COMMAND...
       everyday.py check ARCHIVE

ARCHIVE is cargo's libtiledb_rs.a of a release, LIBRARY where a shared library with its symbols is made of it. Each COMMAND is a
line for the shell that runs a program on that library; it is run in an empty folder by valgrind, which tells the functions that
were called. tools/everyday.sh does both. `check` prints how many of the functions in the script the release has, and fails if
they are too few: then functions were renamed or moved, and `make everyday` is due."""

import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "everyday.ld"
# Functions that so large a part of the commands runs come first.
CORE = 0.8
# Of instances of a generic function that have one name together, so large a part is run, or they come last.
SPARSE, LARGE = 0.5, 3000
# The least share of the script's functions that a release has.
KNOWN = 0.9


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def pattern(name):
    """The name as the linker takes it, without the numbers of crates."""
    name = name if "._ZN" in name else re.sub(r"Cs[0-9a-zA-Z]+_", "Cs*_", name)
    return re.sub(r"[^A-Za-z0-9_.*]", "?", name)


def with_any_hash(pattern):
    """The pattern for compilers that give other hashes: it takes all instances of a generic function."""
    return re.sub(r"17h[0-9a-f]{16}E", "17h*E", pattern)


def link(archive, library):
    """Makes a shared library with the names of its functions."""
    functions = re.findall(r"\btiledb_\w+", (HERE.parent / "capi-tests/abi/functions.tsv").read_text())
    found = [output("cc", f"-print-file-name={name}").strip() for name in ("libssl.a", "libcrypto.a")]
    wanted = [f"-Wl,-u,{name}" for name in sorted(set(functions))]
    output("cc", "-shared", "-o", library, *wanted, "-Wl,--gc-sections,-z,nodelete,-z,now", archive, *found,
           "-lgcc_s", "-lm", "-lpthread", "-ldl", "-lc")


def sizes_in(library):
    """The sizes of its functions."""
    rows = (line.split() for line in output("nm", "-S", library).splitlines())
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4 and row[2] in "tTwW"}


def sections(archive):
    """The section of each function; equal ones share one, which has the name of either."""
    rows = re.findall(r"^\S+ .{7} (\.text\.\S+)\s+\S+ (?:\.hidden )?(\S+)$", output("objdump", "-t", archive), re.MULTILINE)
    return {name: section for section, name in rows}


def called(library, command):
    """The functions that a command calls."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        out = f"{folder}/out"
        valgrind = "valgrind --quiet --tool=callgrind --demangle=no"
        environment = {**os.environ, "LD_LIBRARY_PATH": str(Path(library).resolve().parent)}
        subprocess.run(f"{valgrind} --callgrind-out-file={out} {command}", shell=True, check=True, cwd=place, env=environment,
                       stdout=subprocess.DEVNULL)
        names = re.findall(r"^c?fn=\(\d+\) (.*)$", Path(out).read_text(), re.MULTILINE)
    return {re.sub(r"'\d+$", "", name) for name in names}


def in_order(patterns, runs):
    """Those that the same commands run side by side: after each the one that is run together with it most often."""
    groups = collections.defaultdict(list)
    for name in patterns:
        groups[runs[name]].append(name)
    ordered, left = [], set(groups)
    last = max(left, key=lambda group: (len(group), sorted(group)), default=None)
    while left:
        last = min(left, key=lambda group: (len(group ^ last), -len(group), sorted(group)))
        left.remove(last)
        ordered += sorted(groups[last])
    return ordered


def order(archive, library, *commands):
    """Writes the script."""
    sizes = sizes_in(library)
    section_of = sections(archive)
    sizes = {section_of[name]: size for name, size in sizes.items() if name in section_of}
    runs, run, all_bytes = collections.defaultdict(frozenset), set(), collections.Counter()
    for number, command in enumerate(commands):
        names = {section_of[name] for name in called(library, command) if name in section_of} & set(sizes)
        run |= names
        for name in names:
            runs[pattern(name)] |= {number}
    run_bytes = collections.Counter()
    for name, size in sizes.items():
        all_bytes[pattern(name)] += size
        run_bytes[pattern(name)] += size if name in run else 0
    known = list(runs)
    is_core = {name: len(runs[name]) > CORE * len(commands) for name in known}
    is_mixed = {name: all_bytes[name] > LARGE and run_bytes[name] < SPARSE * all_bytes[name] for name in known}
    core = sorted((name for name in known if is_core[name]), key=lambda name: (is_mixed[name], -len(runs[name]), name))
    rest = in_order([name for name in known if not is_core[name] and not is_mixed[name]], runs)
    mixed = in_order([name for name in known if not is_core[name] and is_mixed[name]], runs)
    exact = core + rest + mixed
    # What is named exactly is taken already: the rest serves where nothing is.
    other = dict.fromkeys(with_any_hash(name) for name in exact)
    lines = [f"*({name})\n" for name in [*exact, *(name for name in other if name not in runs)]]
    SCRIPT.write_text(
        "/* The functions of everyday work, which the linker puts side by side; written by tools/everyday.py. */\n"
        "SECTIONS { .text.everyday : {\n" + "".join(lines) + "} } INSERT BEFORE .text;\n"
    )


def check(archive):
    """Compares the script with the functions of a release; other hashes, which each compiler gives, are the same function."""
    named = {with_any_hash(name) for name in re.findall(r"^\*\((.*)\)$", SCRIPT.read_text(), re.MULTILINE)}
    in_release = {with_any_hash(pattern(section)) for section in sections(archive).values()}
    missing = sorted(named - in_release)
    share = 1 - len(missing) / len(named)
    print(f"tools/everyday.ld: {len(named) - len(missing)} of {len(named)} functions are in the release ({share:.1%})")
    if share < KNOWN:
        sys.exit("Run `make everyday`; missing, among others:\n  " + "\n  ".join(missing[:20]))


if __name__ == "__main__":
    {"link": link, "order": order, "check": check}[sys.argv[1]](*sys.argv[2:])
