#!/usr/bin/env python3
"""Files of pyarrow and NumPy through arrays of the tool and back: what one writes, the other reads.

usage: test_arrow_files.py TOOL FOLDER [ROWS]

Prints a table: for each kind of file its size, that of the array, of what the tool writes from the array, and the times. Every value,
null and dictionary is compared.
"""

import datetime
import decimal
import io
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

COMPRESSIONS = ("none", "snappy", "gzip", "brotli", "lz4", "zstd")


def table(rows):
    """A column of each type that has a datatype; those with `n_` have nulls."""
    numbers = range(rows)
    columns = {f"i{bits}": pa.array([row % 100 - 50 for row in numbers], getattr(pa, f"int{bits}")()) for bits in (8, 16, 32, 64)}
    columns |= {f"u{bits}": pa.array([row % 200 for row in numbers], getattr(pa, f"uint{bits}")()) for bits in (8, 16, 32, 64)}
    columns |= {"f4": pa.array([row / 8 for row in numbers], pa.float32()), "f8": pa.array([row / 3 for row in numbers])}
    columns["yes"] = pa.array([row % 3 == 0 for row in numbers])
    columns["text"] = pa.array([f"row {row}" if row % 7 else None for row in numbers])
    columns["large"] = pa.array([f"ä{row}" for row in numbers], pa.large_string())
    columns["view"] = pa.array([f"a text longer than a view holds {row % 9}" for row in numbers], pa.string_view())
    columns["bytes"] = pa.array([bytes([row % 256]) * (row % 4) for row in numbers])
    columns["word"] = pa.array([f"word {row % 5}" if row % 11 else None for row in numbers]).dictionary_encode()
    columns["ordered"] = pa.DictionaryArray.from_arrays(pa.array([row % 3 for row in numbers], pa.int8()), ["low", "", "high"], ordered=True)
    columns["code"] = pa.DictionaryArray.from_arrays(pa.array([row % 2 for row in numbers], pa.int32()), pa.array([500, -7], pa.int64()))
    columns["day"] = pa.array([datetime.date(1970, 1, 1) + datetime.timedelta(row % 3000) for row in numbers])
    for unit in ("s", "ms", "us", "ns"):
        columns[f"at_{unit}"] = pa.array(numbers, pa.timestamp(unit))
    columns["zone"] = pa.array(numbers, pa.timestamp("ms", "Europe/Berlin"))
    columns["clock"] = pa.array([row % 86_400 for row in numbers], pa.time64("us"))
    columns["fixed"] = pa.array([row.to_bytes(4, "big") for row in numbers], pa.binary(4))
    columns["pair"] = pa.array([[row, -row] for row in numbers], pa.list_(pa.int32(), 2))
    columns["list"] = pa.array([[row] * (row % 3) for row in numbers], pa.list_(pa.int16()))
    for name, kind in (("i4", pa.int32()), ("f8", pa.float64()), ("yes", pa.bool_()), ("at", pa.timestamp("us")), ("u8", pa.uint8())):
        columns[f"n_{name}"] = pa.array([row % 2 if row % 5 else None for row in numbers], pa.int64()).cast(kind)
    return pa.table(columns)


def values(column):
    """Values as what they count or spell."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return [None if value is None else value for value in column.to_pylist()]
    if pa.types.is_date32(kind):
        return column.cast(pa.int32()).to_pylist()
    if pa.types.is_temporal(kind):
        return column.cast(pa.int64()).to_pylist()
    return column.to_pylist()


def same(given, back, is_parquet):
    """Compares by value: days come as numbers."""
    for name in given.column_names:
        wanted, got = given[name], back[name]
        if name == "at_s" and is_parquet and pa.types.is_timestamp(got.type):
            got = got.cast(wanted.type)
        assert values(wanted) == values(got), f"{name}: {wanted.type} {got.type}: {values(wanted)[:12]} {values(got)[:12]}"
        assert wanted.null_count == got.null_count, name
        # pyarrow restores dictionaries of Parquet files for texts only.
        if pa.types.is_dictionary(wanted.type) and not (is_parquet and pa.types.is_int64(wanted.type.value_type)):
            assert pa.types.is_dictionary(got.type) and got.type.ordered == wanted.type.ordered, f"{name}: {got.type}"
            assert is_parquet or got.type.index_type == wanted.type.index_type, f"{name}: {got.type}"


class Kinds:
    """Runs the tool in a folder, and collects the rows of the table."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.rows = tool, folder, []

    def run(self, arguments, stdin=None, stdout=subprocess.DEVNULL):
        started = time.perf_counter()
        subprocess.run([self.tool, *arguments], check=True, stdin=stdin, stdout=stdout)
        return time.perf_counter() - started

    def refused(self, arguments, *words, stdin=None):
        done = subprocess.run([self.tool, *arguments], stdin=stdin, capture_output=True, text=True)
        assert done.returncode in (2, 3), (arguments, done)
        assert all(word in done.stderr for word in words), (arguments, done.stderr)

    def through(self, name, file, out, *more, piped=False):
        """Imports a file, and writes the array as another file."""
        array = self.folder / f"array of {name}"
        if piped:
            with subprocess.Popen(["cat", file], stdout=subprocess.PIPE) as source:
                imported = self.run(["import", "-", array, *more], stdin=source.stdout)
        else:
            imported = self.run(["import", file, array, *more])
        printed = self.run(["cat", array, "-o", out])
        size = sum(part.stat().st_size for part in array.rglob("*") if part.is_file())
        self.rows.append((name, file.stat().st_size, size, out.stat().st_size, imported, printed))
        return array

    def print(self):
        print("| kind | file, kB | array, kB | written, kB | import, s | cat, s |\n|---|---|---|---|---|---|")
        for name, *sizes, imported, printed in self.rows:
            print(f"| {name} | " + " | ".join(f"{size / 1000:.0f}" for size in sizes) + f" | {imported:.2f} | {printed:.2f} |")


def tables(kinds, given):
    """Arrow and Parquet."""
    folder = kinds.folder
    arrow = {}
    for compression in ("uncompressed", "lz4", "zstd"):
        arrow[f"Feather, {compression}"] = folder / f"{compression}.feather"
        pa.feather.write_feather(given, folder / f"{compression}.feather", compression=compression, chunksize=3000)
    arrow["Arrow stream"] = folder / "stream.arrows"
    with pa.ipc.new_stream(folder / "stream.arrows", given.schema) as file:
        file.write_table(given, max_chunksize=7000)
    outs = iter(["arrow", "arrows", "parquet"] * 10)
    for name, file in arrow.items():
        for piped in (False, True):
            kind = f"{name}, pipe" if piped else name
            out = folder / f"back of {kind}.{next(outs)}"
            kinds.through(kind, file, out, piped=piped)
            back = read(out)
            same(given, back, out.suffix == ".parquet")
    for compression in COMPRESSIONS:
        # Parquet has no views, and a list of fixed length is a list.
        file, out = folder / f"{compression}.parquet", folder / f"back of {compression}.{next(outs)}"
        version = {"data_page_version": "2.0"} if compression == "zstd" else {}
        pa.parquet.write_table(given, file, compression=compression, row_group_size=5000, **version)
        kinds.through(f"Parquet, {compression}", file, out)
        same(given, read(out), True)
    # As dimensions of a sparse array.
    array = kinds.through("Feather, sparse", folder / "zstd.feather", folder / "sparse.parquet", "--dims", "at_ms,i64")
    kinds.run(["cat", array, "--where", "word == 'word 3' and i64 > 0", "-o", folder / "some.arrow"])
    some = read(folder / "some.arrow")
    words = [word for word, number in zip(given["word"].to_pylist(), given["i64"].to_pylist()) if word == "word 3" and number > 0]
    assert some["word"].to_pylist() == words
    # Another file with further words is appended.
    more = given.set_column(given.column_names.index("word"), "word", pa.array(["new"] * len(given)).dictionary_encode())
    pa.feather.write_feather(more, folder / "more.feather", compression="zstd")
    kinds.run(["import", folder / "more.feather", array])
    kinds.run(["cat", array, "-o", folder / "both.parquet", "--fields", "word"])
    both = read(folder / "both.parquet")["word"].to_pylist()
    assert both.count("new") == len(given) and len(both) == 2 * len(given)


def read(file):
    if file.suffix == ".parquet":
        return pa.parquet.read_table(file)
    if file.suffix == ".arrows":
        with pa.ipc.open_stream(file) as stream:
            return stream.read_all()
    return pa.feather.read_table(file)


def texts(kinds, given):
    """CSV and JSON lines: numbers, texts and dates."""
    folder = kinds.folder
    plain = given.select(["i64", "u64", "f8", "yes", "text", "large", "day", "at_ms", "n_i4", "n_f8"])
    pa.csv.write_csv(plain, folder / "plain.csv")
    for name, piped in (("CSV", False), ("CSV, pipe", True)):
        out = folder / f"back of {name}.jsonl"
        kinds.through(name, folder / "plain.csv", out, piped=piped)
        back = pa.json.read_json(out)
        for column in ("i64", "u64", "f8", "yes", "text", "large", "n_i4"):
            assert back[column].to_pylist() == plain[column].to_pylist(), column


def arrays(kinds):
    """NPY in both orders and of every type."""
    folder = kinds.folder
    cube = np.arange(40 * 50 * 60, dtype="f8").reshape(40, 50, 60)
    forms = {
        "NPY, C order": cube,
        "NPY, Fortran order": np.asfortranarray(cube[0]),
        "NPY, big-endian": cube[:, :, 0].astype(">i4"),
        "NPY, booleans": cube[0] % 2 == 0,
        "NPY, dates": np.arange(1000).astype("M8[D]"),
        "NPY, nanoseconds": np.arange(1000).reshape(10, 100).astype("M8[ns]"),
        **{f"NPY, {kind}": np.arange(120).reshape(2, 3, 4, 5).astype(kind) for kind in ("i1", "u1", "i2", "u2", "i8", "u4", "u8", "f4")},
        "NPY, scalar": np.array(7),
    }
    for name, array in forms.items():
        np.save(folder / f"{name}.npy", array)
        for piped in (False, True):
            kind, out = f"{name}, pipe" if piped else name, folder / f"back of {name} {piped}.npy"
            kinds.through(kind, folder / f"{name}.npy", out, piped=piped)
            back = np.load(out)
            assert back.dtype == array.dtype.newbyteorder("<"), (name, back.dtype)
            assert np.array_equal(back, np.atleast_1d(array)), name
    named = folder / "named"
    kinds.run(["import", folder / "NPY, C order.npy", named, "--dims", "z,y,x", "--tile", "777"])
    piece = subprocess.run([kinds.tool, "cat", named, "--range", "z=3", "--range", "x=10:19", "--format", "npy"], check=True, capture_output=True)
    assert np.array_equal(np.load(io.BytesIO(piece.stdout)), cube[3:4, :, 10:20])
    # A file into a corner of an array that is there.
    np.save(folder / "corner.npy", np.full((2, 3, 4), -1.0))
    kinds.run(["import", folder / "corner.npy", named])
    kinds.run(["cat", named, "-o", folder / "changed.npy"])
    changed = cube.copy()
    changed[:2, :3, :4] = -1
    assert np.array_equal(np.load(folder / "changed.npy"), changed)


def refusals(kinds, given):
    """What is not imported, and why."""
    folder = kinds.folder
    nested = pa.table({"who": [{"name": {"first": "A"}}], "n": [1]})
    for write, file in ((pa.feather.write_feather, "nested.feather"), (pa.parquet.write_table, "nested.parquet")):
        write(nested, folder / file)
        kinds.refused(["import", folder / file, folder / "new"], "who.name.first", "flatten")
    for name, column in (("money", pa.array([decimal.Decimal("1.5")])), ("half", pa.array([np.float16(1)])), ("none", pa.nulls(1))):
        pa.feather.write_feather(pa.table({name: column}), folder / "odd.feather")
        kinds.refused(["import", folder / "odd.feather", folder / "new"], name)
    for name, array in (("objects", np.array(["a", None])), ("texts", np.array(["a"])), ("records", np.zeros(3, "i4,f8")), ("none", np.zeros((0, 3)))):
        np.save(folder / f"{name}.npy", array, allow_pickle=True)
        kinds.refused(["import", folder / f"{name}.npy", folder / "new"], f"{name}.npy")
    with open(folder / "zstd.parquet", "rb") as pipe:
        piped = subprocess.Popen(["cat"], stdin=pipe, stdout=subprocess.PIPE)
        kinds.refused(["import", "-", folder / "new"], "pipe", stdin=piped.stdout)
        piped.kill()
    for name, file in (("gzip", "plain.csv.gz"), ("zstd", "plain.csv.zst")):
        (folder / file).write_bytes(pa.compress((folder / "plain.csv").read_bytes(), name, asbytes=True))
        kinds.refused(["import", folder / file, folder / "new"], name, "-dc")
    assert not (folder / "new").exists()
    # Every file that is cut short is an error.
    for file in ("zstd.feather", "zstd.parquet", "stream.arrows", "NPY, C order.npy"):
        data = (folder / file).read_bytes()
        (folder / "cut").write_bytes(data[: len(data) * 2 // 3])
        kinds.refused(["import", folder / "cut", folder / "new"], "cut")
        shutil.rmtree(folder / "new", ignore_errors=True)


def main():
    tool, folder = (pathlib.Path(place).resolve() for place in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    given = table(int(sys.argv[3]) if len(sys.argv) > 3 else 20_000)
    kinds = Kinds(tool, folder)
    tables(kinds, given)
    texts(kinds, given)
    arrays(kinds)
    refusals(kinds, given)
    kinds.print()
    print(f"{len(kinds.rows)} kinds of files, {len(given.column_names)} columns of {len(given)} rows, there and back")


main()
