#!/usr/bin/env python3
"""Arrow files of the tool and of pyarrow: what one writes, the other reads.

usage: test_arrow_files.py TOOL FOLDER
"""

import datetime
import pathlib
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc

ROWS = 20_000


def table():
    """A column of each type that has a datatype."""
    numbers = range(ROWS)
    columns = {f"i{bits}": pa.array([row % 100 - 50 for row in numbers], getattr(pa, f"int{bits}")()) for bits in (8, 16, 32, 64)}
    columns |= {f"u{bits}": pa.array([row % 200 for row in numbers], getattr(pa, f"uint{bits}")()) for bits in (8, 16, 32, 64)}
    columns |= {"f4": pa.array([row / 8 for row in numbers], pa.float32()), "f8": pa.array([row / 3 for row in numbers])}
    columns["yes"] = pa.array([row % 3 == 0 for row in numbers])
    columns["text"] = pa.array([f"row {row}" if row % 7 else None for row in numbers])
    columns["large"] = pa.array([f"ä{row}" for row in numbers], pa.large_string())
    columns["bytes"] = pa.array([bytes([row % 256]) * (row % 4) for row in numbers])
    columns["word"] = pa.array([f"word {row % 5}" for row in numbers]).dictionary_encode()
    columns["day"] = pa.array([datetime.date(1970, 1, 1) + datetime.timedelta(row % 3000) for row in numbers])
    for unit in ("s", "ms", "us", "ns"):
        columns[f"at_{unit}"] = pa.array(numbers, pa.timestamp(unit))
    return pa.table(columns)


def same(given, back):
    """Compares by value: days come as numbers, dictionaries as their values."""
    for name in given.column_names:
        wanted, got = given[name], back[name]
        if name.startswith("at_"):
            assert wanted.type == got.type, name
            wanted, got = wanted.cast(pa.int64()), got.cast(pa.int64())
        if name == "day":
            wanted = wanted.cast(pa.int32())
        assert wanted.to_pylist() == got.to_pylist(), name


def main():
    tool, folder = (pathlib.Path(place).resolve() for place in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    given = table()
    pa.feather.write_feather(given, folder / "lz4.feather", compression="lz4", chunksize=3000)
    with pa.ipc.new_file(folder / "plain.arrow", given.schema) as file:
        file.write_table(given, max_chunksize=7000)
    with pa.ipc.new_stream(folder / "stream.arrows", given.schema) as file:
        file.write_table(given)
    for file in ("lz4.feather", "plain.arrow", "stream.arrows"):
        array, out = folder / f"array of {file}", folder / f"back of {file}.arrow"
        subprocess.run([tool, "import", folder / file, array], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([tool, "cat", array, "--format", "arrow", "-o", out], check=True)
        back = pa.feather.read_table(out)
        same(given, back)
        assert back["text"].null_count == given["text"].null_count
    print(f"Arrow files: {len(given.column_names)} columns of {ROWS} rows, three forms, there and back")


main()
