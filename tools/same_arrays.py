#!/usr/bin/env python3
"""Compares the bytes of arrays that two runs of a differential test wrote on different machines, with KEEP=1 and these folders
as TMPDIR.

usage: same_arrays.py FOLDER FOLDER

Names of fragments and schemas hold the time and a random number: files are paired by the order of their names, and such names
in their content are taken as equal. Encrypted arrays differ by their random vectors: they are counted, not compared."""

import re
import sys
from pathlib import Path

NAME = re.compile(rb"__\d+_\d+_[0-9a-f]{32}")
# Offset in the header of a generic tile of the byte that says whether it is encrypted: it follows version, sizes, datatype and
# cell size.
ENCRYPTION = 29


def arrays(folder):
    """Arrays of our library by seed."""
    return {path.parent.name: path for path in Path(folder).glob("*/*/ours") if path.is_dir()}


def files(array):
    """Files of an array by their paths, in which names are masked; those of one folder are numbered by time."""
    found = {}
    for path in sorted(path for path in array.rglob("*") if path.is_file()):
        masked = NAME.sub(b"NAME", str(path.relative_to(array)).encode()).decode()
        found.setdefault(masked, []).append(path)
    return {f"{name}#{number}": path for name, paths in found.items() for number, path in enumerate(paths)}


def is_encrypted(array):
    schemas = (path for path in array.glob("__schema/__*") if path.is_file())
    return any(schema.read_bytes()[ENCRYPTION : ENCRYPTION + 1] == b"\x01" for schema in schemas)


def main(left, right):
    left, right = arrays(left), arrays(right)
    seeds = sorted(set(left) & set(right), key=int)
    equal = total = encrypted = 0
    wrong = []
    for seed in seeds:
        a, b = files(left[seed]), files(right[seed])
        if set(a) != set(b):
            wrong.append(f"seed {seed}: other files: {sorted(set(a) ^ set(b))[:4]}")
            continue
        if is_encrypted(left[seed]):
            encrypted += 1
            continue
        for name in a:
            total += 1
            one, other = (NAME.sub(b"NAME", path.read_bytes()) for path in (a[name], b[name]))
            if one == other:
                equal += 1
            else:
                wrong.append(f"seed {seed}: {name}: {len(one)} and {len(other)} bytes differ")
    print("\n".join(wrong))
    print(f"{len(seeds)} arrays on both machines, {encrypted} of them encrypted; {equal} of {total} files have equal bytes")
    if not seeds or wrong:
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
