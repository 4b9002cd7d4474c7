#!/usr/bin/env python3
"""Writes tools/everyday.ld: the functions that everyday work runs, which the linker is to put side by side.

The system maps code in pieces of 64 KiB around each page that is touched. Where the functions that a read runs lie among all
others, that is nearly the whole library.

usage: everyday.py link ARCHIVE LIBRARY
       everyday.py order ARCHIVE LIBRARY --operation COMMAND ... --program COMMAND ...
       everyday.py check ARCHIVE

ARCHIVE is cargo's libtiledb_rs.a of a release, LIBRARY where a shared library with its symbols is made of it. Each COMMAND is a
line for the shell, run in an empty folder, that runs a program on that library by `$VALGRIND`, which tells the functions that were
called. Processes that read, that write and that maintain arrays call different functions: those that the same operations call lie
side by side. Functions that only programs with several operations call follow. tools/everyday.sh does both. `check` prints how many of the functions in the script the release has, and fails if
they are too few: then functions were renamed or moved, and `make everyday` is due."""

import collections
import os
import random
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
# What is called when the library is loaded, and the decoding loops of zstd: without a section for each function.
WHOLE = ("*libcrypto.a:*cpuid.o(.text)\n", "*libc_nonshared.a:pthread_atfork.oS(.text)\n", "*huf_decompress_amd64.o(.text)\n")
# What runs in the place of a function on processors with instructions that valgrind's has not.
VARIANTS = {"adler32_x86_avx2": ("adler32_x86_avx512_vl512_vnni", "adler32_x86_avx2_vnni")}
# Crates and archives whose constants everyday work does not read: these follow those of the others.
RARE = (
    "addr2line base64 bytes gimli http httparse libbz2_rs_sys libwebp_sys libz_sys miniz_oxide object openssl openssl_probe"
    " percent_encoding quick_xml rustc_demangle rustls_pki_types serde_json tiledb_arrow tiledb_maintain tiledb_rest ureq ureq_proto"
    " zmij"
).split()
RARE_ARCHIVES = ("libcrypto.a", "libssl.a")
# What the system maps at once, and steps of the search for an order.
WINDOW, STEPS = 64 << 10, 50000
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
        valgrind = f"valgrind --quiet --tool=callgrind --demangle=no --callgrind-out-file={out}"
        environment = {**os.environ, "LD_LIBRARY_PATH": str(Path(library).resolve().parent), "VALGRIND": valgrind}
        subprocess.run(command, shell=True, check=True, cwd=place, env=environment, stdout=subprocess.DEVNULL)
        names = re.findall(r"^c?fn=\(\d+\) (.*)$", Path(out).read_text(), re.MULTILINE)
    names = {re.sub(r"'\d+$", "", name) for name in names}
    return names.union(*(VARIANTS.get(name, ()) for name in names))


def in_order(patterns, runs, size_of):
    """Those that the same commands run side by side: after each the one that is run together with it most often, then as a search
    from there finds that the commands touch fewer windows."""
    groups = collections.defaultdict(list)
    for name in patterns:
        groups[runs[name]].append(name)
    ordered, left = [], set(groups)
    last = max(left, key=lambda group: (len(group), sorted(group)), default=None)
    while left:
        last = min(left, key=lambda group: (len(group ^ last), -len(group), sorted(group)))
        left.remove(last)
        ordered.append(last)
    bytes_of = {group: sum(size_of[name] for name in groups[group]) for group in groups}
    return [name for group in fewer_windows(ordered, bytes_of) for name in sorted(groups[group])]


def windows(groups, bytes_of):
    """How many windows of code the commands touch together; each group is a set of commands."""
    at, touched = 0, collections.defaultdict(set)
    for group in groups:
        of_group = range(at // WINDOW, (at + bytes_of[group] - 1) // WINDOW + 1)
        for command in group:
            touched[command].update(of_group)
        at += bytes_of[group]
    return sum(map(len, touched.values()))


def fewer_windows(groups, bytes_of):
    """Moves runs of groups as long as that saves windows; the same steps every time."""
    generator, fewest = random.Random(1), windows(groups, bytes_of)
    for _ in range(STEPS if len(groups) > 1 else 0):
        begin = generator.randrange(len(groups))
        end = min(begin + generator.choice((1, 1, 2, 4, 8)), len(groups))
        rest = groups[:begin] + groups[end:]
        to = generator.randrange(len(rest) + 1)
        moved = rest[:to] + groups[begin:end] + rest[to:]
        touched = windows(moved, bytes_of)
        if touched <= fewest:
            groups, fewest = moved, touched
    return groups


def order(archive, library, *arguments):
    """Writes the script."""
    kinds, commands = arguments[::2], arguments[1::2]
    operations = kinds.count("--operation")
    if kinds != ("--operation",) * operations + ("--program",) * (len(kinds) - operations) or len(kinds) != len(commands):
        sys.exit(__doc__)
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
    by_operation = {name: frozenset(number for number in numbers if number < operations) for name, numbers in runs.items()}
    is_core = {name: len(numbers) > CORE * operations for name, numbers in by_operation.items()}
    is_mixed = {name: all_bytes[name] > LARGE and run_bytes[name] < SPARSE * all_bytes[name] for name in runs}
    core = sorted((name for name in runs if is_core[name]), key=lambda name: (is_mixed[name], -len(runs[name]), name))
    rest = [name for name in runs if not is_core[name] and not is_mixed[name]]
    of_operations = in_order([name for name in rest if by_operation[name]], by_operation, all_bytes)
    of_programs = in_order([name for name in rest if not by_operation[name]], runs, all_bytes)
    mixed = in_order([name for name in runs if not is_core[name] and is_mixed[name]], runs, all_bytes)
    exact = core + of_operations + of_programs + mixed
    # What is named exactly is taken already: the rest serves where nothing is.
    other = dict.fromkeys(with_any_hash(name) for name in exact)
    lines = [f"*({name})\n" for name in [*exact, *(name for name in other if name not in runs)]]
    SCRIPT.write_text(
        "/* The functions of everyday work, which the linker puts side by side; written by tools/everyday.py. */\n"
        "SECTIONS { .text.everyday : {\n" + "".join(WHOLE) + "".join(lines) + "} } INSERT BEFORE .text;\n"
        "/* The constants of crates and archives that it does not use. */\n"
        "SECTIONS { .rodata.rare : {\n"
        + "".join(f"*{name}:*(.rodata .rodata.*)\n" for name in [*(f"lib{name}-*" for name in RARE), *RARE_ARCHIVES])
        + "} } INSERT AFTER .rodata;\n"
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
