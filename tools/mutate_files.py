#!/usr/bin/env python3
"""Files of other formats with random damage: `tiledb-rs import` and tiledb_rs.convert.from_file end as they document, within bounds of memory.

usage: mutate_files.py COUNT SEED FOLDER [FORMAT...]      COUNT files of each format; FOLDER is for the arrays

The package is that of PYTHONPATH, the library that of TILEDB_RS_LIBRARY, and the tool that of TILEDB_RS_TOOL; without a tool only the
package is tried. Each file is converted in a process of its own with a limit of its address space. A signal, an exception that is none
of the documented ones, an exit code that is none, or a file that takes more memory or time than allowed is a fault: the file is kept in
FOLDER and named; time is that of the processor, so that other programs of the machine cause no faults. How far it is goes to standard error every half minute. Runs on Linux.
"""

from __future__ import annotations

import collections
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Optional

# Runs commands, and says how they ended and what memory they took: a process counts the memory of the one that started it.
LAUNCHER = """
import json, os, subprocess, sys
for line in sys.stdin:
    process = subprocess.Popen(json.loads(line), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    print(status, usage.ru_maxrss, usage.ru_utime + usage.ru_stime, flush=True)
"""

import numpy
import pyarrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet

import tiledb_rs
from tiledb_rs import convert

# Address space of a process beyond that of its start, and resident memory that a file of a few kilobytes may take.
SPACE_BYTES, RESIDENT_BYTES = 4 << 30, 400 << 20
# Processor time that a file may take, and the time after which it is taken to wait forever.
SECONDS, HANG_SECONDS = 60, 900
PROGRESS_SECONDS = 30
# What from_file documents.
DOCUMENTED = (ValueError, TypeError, OSError, KeyError, NotImplementedError, MemoryError, ImportError, tiledb_rs.TileDBError)
# Success, invalid request, failure.
TOOL_CODES = (0, 2, 3)
OF_TOOL = {"parquet", "arrow", "arrows", "csv", "npy", "jsonl", "json"}
ENDINGS = {"hdf5": "h5", "netcdf": "nc", "netcdf3": "nc", "mat": "mat", "sqlite": "sqlite", "feather": "arrow"}
INTERESTING = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def table(source: random.Random) -> pyarrow.Table:
    """Columns of the types that files have."""
    rows = source.randrange(1, 60)
    numbers = [source.choice([None, source.randrange(-(1 << 40), 1 << 40)]) for _ in range(rows)]
    texts = [source.choice([None, "", "text", "größer" * source.randrange(1, 9)]) for _ in range(rows)]
    return pyarrow.table({
        "i": pyarrow.array(range(rows), "int32"), "n": pyarrow.array(numbers, "int64"), "x": pyarrow.array([one / 7 for one in range(rows)]),
        "t": texts, "b": [one % 3 == 0 for one in range(rows)],
        "d": pyarrow.array([source.randrange(1 << 40) for _ in range(rows)], pyarrow.timestamp("us")),
        "c": pyarrow.array(source.choices(["red", "green"], k=rows)).dictionary_encode(),
    })


def seeds(kind: str, source: random.Random, folder: Path) -> bytes:
    """A sound file of a format."""
    path = folder / f"seed.{ENDINGS.get(kind, kind)}"
    path.unlink(missing_ok=True)
    rows = table(source)
    plain = rows.set_column(6, "c", rows["c"].cast(pyarrow.string()))
    if kind == "parquet":
        pyarrow.parquet.write_table(rows, path, compression=source.choice(["none", "snappy", "zstd", "gzip", "brotli"]), use_dictionary=source.random() < 0.5,
                                    data_page_version=source.choice(["1.0", "2.0"]), store_schema=source.random() < 0.7)
    elif kind in ("arrow", "arrows"):
        new = pyarrow.ipc.new_file if kind == "arrow" else pyarrow.ipc.new_stream
        options = pyarrow.ipc.IpcWriteOptions(compression=source.choice([None, "lz4", "zstd"]))
        with pyarrow.OSFile(str(path), "wb") as file, new(file, rows.schema, options=options) as writer:
            writer.write_table(rows)
    elif kind == "orc":
        pyarrow.orc.write_table(plain, str(path), compression=source.choice(["uncompressed", "zlib", "zstd"]))
    elif kind == "csv":
        pyarrow.csv.write_csv(plain, path)
    elif kind in ("json", "jsonl"):
        lines = [json.dumps(one, default=str) for one in plain.to_pylist()]
        path.write_text("\n".join(lines) + "\n" if kind == "jsonl" else "[" + ",\n".join(lines) + "]")
    elif kind == "avro":
        import fastavro

        fields = [("i", "int"), ("n", ["null", "long"]), ("x", "double"), ("t", ["null", "string"]), ("b", "boolean")]
        schema = {"type": "record", "name": "r", "fields": [{"name": name, "type": one} for name, one in fields]}
        with path.open("wb") as file:
            fastavro.writer(file, schema, plain.select([name for name, _ in fields]).to_pylist(), codec=source.choice(["null", "deflate"]))
    elif kind == "npy":
        values = numpy.arange(source.randrange(1, 60)).reshape(-1, 1).astype(source.choice(["<i4", ">f8", "u1", "<c16", "S5", "M8[s]", "U3"]))
        numpy.save(path, values, allow_pickle=False)
    elif kind == "npz":
        numpy.savez_compressed(path, a=numpy.arange(20.0), b=numpy.array(["x", "yy"]))
    elif kind == "mat":
        import scipy.io

        scipy.io.savemat(path, {"a": numpy.arange(20.0), "t": "text", "s": {"x": 1.0}, "c": numpy.array([1, "q"], object)}, do_compression=source.random() < 0.5)
    elif kind == "hdf5":
        import h5py

        with h5py.File(path, "w", libver=source.choice(["earliest", "latest"])) as file:
            file.create_dataset("a", data=numpy.arange(60.0), chunks=(20,), compression="gzip")
            file.create_dataset("g/t", data=["x", "yy"], dtype=h5py.string_dtype())
            file["a"].attrs["unit"] = "m"
            file.create_dataset("r", data=numpy.zeros(5, [("p", "i4"), ("q", "f8")]))
    elif kind in ("netcdf", "netcdf3"):
        import netCDF4

        with netCDF4.Dataset(path, "w", format="NETCDF4" if kind == "netcdf" else "NETCDF3_CLASSIC") as file:
            file.createDimension("x", 12)
            file.createVariable("x", "f8", ("x",))[:] = numpy.arange(12.0)
            file.createVariable("v", "i2", ("x",), fill_value=-1)[:] = numpy.arange(12)
            file.title = "seed"
    elif kind == "sqlite":
        with sqlite3.connect(path) as database:
            database.execute("create table t (i integer, x real, t text, b blob)")
            database.executemany("insert into t values (?, ?, ?, ?)", [(at, at / 7, f"text {at}", bytes([at])) for at in range(40)])
        database.close()
    else:
        raise SystemExit(f"there is no format {kind!r}")
    return path.read_bytes()


FORMATS = ["parquet", "arrow", "arrows", "orc", "csv", "json", "jsonl", "avro", "npy", "npz", "mat", "hdf5", "netcdf", "netcdf3", "sqlite"]


def mutate(content: bytes, source: random.Random, other: bytes) -> bytes:
    """Content with one to six pieces of damage."""
    data = bytearray(content)
    for _ in range(source.choice([1, 1, 1, 2, 3, 6])):
        at = source.randrange(len(data) + 1)
        if source.random() < 0.4:
            # Headers and footers say how long everything is.
            at = min(source.choice([source.randrange(64), max(len(data) - source.randrange(1, 600), 0)]), len(data))
        width = source.choice([1, 2, 4, 8])
        how = source.randrange(8)
        if how == 0 and at < len(data):
            data[at] ^= 1 << source.randrange(8)
        elif how == 1 and at < len(data):
            data[at] = source.choice([0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)])
        elif how == 2:
            number = source.choice(INTERESTING) & (1 << 8 * width) - 1
            data[at : at + width] = number.to_bytes(width, source.choice(["little", "big"]))
        elif how == 3:
            del data[at : at + source.choice([1, 4, 64, 1 << 20])]
        elif how == 4:
            data[at:at] = data[at : at + source.choice([1, 4, 64])]
        elif how == 5:
            data[at:at] = bytes(source.randrange(256) for _ in range(source.randrange(1, 9)))
        elif how == 6:
            begin = source.randrange(len(other) + 1)
            data[at : at + 32] = other[begin : begin + 32]
        else:
            # A varint with many bytes, as thrift and Avro have lengths.
            data[at : at + 1] = b"\xff" * source.randrange(1, 10) + b"\x01"
    return bytes(data)


def kind_of(kind: str) -> str:
    return "netcdf" if kind == "netcdf3" else kind


def is_defect(error: Optional[BaseException]) -> bool:
    """Whether the package itself, and not one that reads a format, failed in a way that no file should cause."""
    if not isinstance(error, (AssertionError, AttributeError, IndexError, NameError, RecursionError)):
        return False
    return "tiledb_rs" in traceback.extract_tb(error.__traceback__)[-1].filename


def converts(path: Path, kind: str, target: Path) -> None:
    """In a child: converts a file, and ends the process with what came of it."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + SPACE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(HANG_SECONDS)
    null = os.open(os.devnull, os.O_WRONLY)
    code = 3
    try:
        os.dup2(null, 1)
        convert.from_file(path, target, kind=kind_of(kind))
        code = 0
    except DOCUMENTED as error:
        code = 2 if is_defect(error.__cause__) else 1
        if code == 2:
            traceback.print_exc()
    except BaseException:
        traceback.print_exc()
        code = 2
    finally:
        os._exit(code)


def preload(path: Path, kind: str, target: Path) -> None:
    """Imports what the conversion of a sound file imports, which a child tells: else each child would spend most of its time with it."""
    shutil.rmtree(target, ignore_errors=True)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            convert.from_file(path, target, kind=kind_of(kind))
            os.write(writing, json.dumps(sorted(sys.modules)).encode())
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit(f"{path}: a sound file is not converted")
    for name in json.loads(names):
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except ImportError:
                pass


def main() -> int:
    count, seed, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    tool, faults = os.environ.get("TILEDB_RS_TOOL"), 0
    launcher = subprocess.Popen([sys.executable, "-S", "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert launcher.stdin is not None and launcher.stdout is not None
    for package in ("fastavro", "h5py", "netCDF4", "xarray", "scipy.io", "polars", "duckdb"):
        try:
            __import__(package)
        except ImportError:
            pass
    tiledb_rs.load()
    for kind in sys.argv[4:] or FORMATS:
        source, results, begun = random.Random(f"{seed} {kind}"), collections.Counter(), time.monotonic()
        try:
            sound = [seeds(kind, source, folder) for _ in range(8)]
        except ImportError as error:
            print(f"{kind}: {error}")
            continue
        most, slowest, reported, of_kind = {"package": 0, "tool": 0}, 0.0, begun, 0
        path, target = folder / f"damaged.{ENDINGS.get(kind, kind)}", folder / "target"
        path.write_bytes(sound[0])
        preload(path, kind, target)
        for number in range(count):
            if time.monotonic() - reported > PROGRESS_SECONDS:
                reported = time.monotonic()
                print(f"{kind}: {number} of {count} files, {of_kind} faults, {reported - begun:.0f} s", file=sys.stderr, flush=True)
            path.write_bytes(mutate(source.choice(sound), source, source.choice(sound)))
            for who in ("package", "tool") if tool and kind in OF_TOOL else ("package",):
                shutil.rmtree(target, ignore_errors=True)
                if who == "package":
                    child = os.fork()
                    if not child:
                        converts(path, kind, target)
                    _, status, usage = os.wait4(child, 0)
                    resident, seconds = usage.ru_maxrss << 10, usage.ru_utime + usage.ru_stime
                else:
                    limits = f'ulimit -v {SPACE_BYTES >> 10}; ulimit -c 0; ulimit -t {SECONDS}; exec timeout -s ALRM {HANG_SECONDS} "$0" import "$1" "$2"'
                    launcher.stdin.write(json.dumps(["sh", "-c", limits, tool, str(path), str(target)]) + "\n")
                    launcher.stdin.flush()
                    status, kilobytes, seconds = map(float, launcher.stdout.readline().split())
                    status, resident = int(status), int(kilobytes) << 10
                slowest, most[who] = max(slowest, seconds), max(most[who], resident)
                code = os.waitstatus_to_exitcode(status)
                fine = code in (0, 1) if who == "package" else code in TOOL_CODES
                results[f"{who} {code}"] += 1
                if not fine or seconds > SECONDS or resident > RESIDENT_BYTES:
                    faults, of_kind = faults + 1, of_kind + 1
                    name = folder / f"fault_{kind}_{seed}_{number}_{who}{path.suffix}"
                    shutil.copy(path, name)
                    print(f"FAULT {name}: {who} ended with {code} after {seconds:.1f} s of processor time, {resident >> 20} MiB", flush=True)
        counts = ", ".join(f"{name}: {number}" for name, number in sorted(results.items()))
        print(f"{kind}: {count} files; {counts}; at most {most['package'] >> 20} MiB (package), {most['tool'] >> 20} MiB (tool), "
              f"{slowest:.1f} s of processor time; {time.monotonic() - begun:.0f} s in all", flush=True)
    print(f"{faults} faults")
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
