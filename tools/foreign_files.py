#!/usr/bin/env python3
"""Files that others made: to arrays by tiledb_rs.convert, and back; the package of each format reads the same from the result as from the original.

usage: foreign_files.py SCRATCH FILE|FOLDER...      folders are searched for files of known formats and for Zarr stores

Each table of a database counts as a file. Prints a line for each file that is refused or differs, and a table by format: equal / refused with a reason / refused by the package of
the format, too / wrong / crash. A difference or a crash is a failure. Each file has a process of its own. Runs on Linux.
"""

from __future__ import annotations

import collections
import contextlib
import math
import os
import re
import resource
import shutil
import signal
import sys
import uuid
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

warnings.simplefilter("ignore")
SPACE_BYTES, SECONDS = 12 << 30, 60
EQUAL, REFUSED, UNREADABLE, WRONG = 0, 10, 11, 12
NAMES = {EQUAL: "equal", REFUSED: "refused", UNREADABLE: "unreadable", WRONG: "wrong"}


def plain(value: Any) -> Any:
    """A value that can be compared: NaN equals NaN, arrays are lists with their shape, bytes without padding are texts."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, uuid.UUID):
        # Of Avro: 16 bytes or a text with a logical type, which polars drops.
        return str(value)
    if isinstance(value, bytes) and len(value) == 16:
        return str(uuid.UUID(bytes=value))
    kind = type(value).__module__.partition(".")[0]
    if kind == "numpy" and hasattr(value, "dtype"):
        if hasattr(value, "mask"):
            value = value.filled() if value.dtype.kind in "iufc" else value.data
        if getattr(value, "shape", ()) == () and value.dtype.names is None:
            return plain(value.item())
        if value.dtype.names:
            return {name: plain(value[name]) for name in value.dtype.names}
        return [list(value.shape), plain(value.tolist())]
    if hasattr(value, "tocoo"):
        return ["sparse", list(value.shape), plain(value.toarray())]
    return value


def columns(table: Any) -> Dict[str, Any]:
    return {name: plain(table.column(at).to_pylist()) for at, name in enumerate(table.schema.names)}


def of_parquet(path: str) -> Any:
    import pyarrow.parquet

    return columns(pyarrow.parquet.ParquetFile(path).read())


def of_arrow(path: str) -> Any:
    import pyarrow

    return columns(pyarrow.ipc.open_file(path).read_all())


def of_arrows(path: str) -> Any:
    import pyarrow

    return columns(pyarrow.ipc.open_stream(pyarrow.OSFile(path)).read_all())


def of_orc(path: str) -> Any:
    import pyarrow.orc

    return columns(pyarrow.orc.ORCFile(path).read())


def of_csv(path: str) -> Any:
    import csv

    with open(path, newline="", encoding="utf-8-sig") as file:
        first = file.readline()
        # What is written has commas.
        delimiter = max(",;\t|", key=first.count)
        file.seek(0)
        return [[cell_of(cell) for cell in row] for row in csv.reader(file, delimiter=delimiter) if row]


def cell_of(text: str) -> Any:
    """A cell of a CSV file: numbers and times by their value, since there are many ways to write them."""
    if text.lower() in ("true", "false"):
        return text.lower()
    if text.lower() in ("", "na", "n/a", "nan", "null", "none", "#n/a", "-nan", "<na>"):
        return None
    try:
        return plain(float(text))
    except ValueError:
        pass
    date = re.fullmatch(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[T ](\d\d?:\d\d)(?::(\d\d(?:\.\d+)?))?Z?)?", text)
    if date is None:
        return text
    # In any order: which one a file has is recognised from all of its dates.
    time = date[5] if date[5] and f"{date[5]}:{date[6] or 0}" != "00:00:0" else "00:00"
    return [sorted(int(one) for one in date.group(1, 3, 4)), time, float(date[6] or 0)]


def of_json(path: str) -> Any:
    import json

    text = Path(path).read_text()
    found = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]

    def of(one: Any) -> Any:
        # Dates are texts, which are read as timestamps.
        return cell_of(one) if isinstance(one, str) else plain(float(one) if isinstance(one, int) and not isinstance(one, bool) else one)

    return [{name: of(one) for name, one in row.items() if one is not None} for row in found]


def of_avro(path: str) -> Any:
    import fastavro

    with open(path, "rb") as file:
        return [plain(row) for row in fastavro.reader(file)]


def of_npy(path: str) -> Any:
    import numpy

    found = numpy.load(path, allow_pickle=False)
    return [str(found.dtype.newbyteorder("=")), plain(found)]


def of_npz(path: str) -> Any:
    import numpy

    with numpy.load(path, allow_pickle=False) as found:
        return {name: [str(found[name].dtype.newbyteorder("=")), plain(found[name])] for name in found.files}


def of_mat(path: str) -> Any:
    import scipy.io

    return {name: plain(one) for name, one in scipy.io.loadmat(path).items() if not name.startswith("__")}


def of_hdf5(path: str) -> Any:
    import h5py

    found: Dict[str, Any] = {}
    with h5py.File(path, "r") as file:

        def visit(name: str, one: Any) -> None:
            if isinstance(one, h5py.Dataset):
                value = one.asstr()[()] if h5py.check_string_dtype(one.dtype) and h5py.check_string_dtype(one.dtype).length is None else one[()]
                found[name] = plain(value)
            else:
                found[name] = "group"

        file.visititems(visit)
    return found


def of_netcdf(path: str) -> Any:
    import xarray

    found = {}
    for group, tree in xarray.open_datatree(path, decode_times=False).subtree_with_keys:
        dataset = tree.to_dataset(inherit=False)
        for name, one in dataset.variables.items():
            # xarray does not write attributes of bounds that are those of their variable, as CF has it.
            parents = [other.attrs for other in dataset.variables.values() if name in (other.attrs.get("bounds"), other.encoding.get("bounds"))]
            attributes = {key: value for key, value in one.attrs.items() if not any(plain(other.get(key)) == plain(value) for other in parents)}
            found[f"{group}/{name}"] = [list(one.dims), plain(one.values), plain(attributes)]
        found[f"{group}/"] = plain(dict(dataset.attrs))
    return found


def of_zarr(path: str) -> Any:
    import zarr

    found: Dict[str, Any] = {}

    def visit(name: str, node: Any) -> None:
        attributes = {key: value for key, value in dict(node.attrs).items() if key != "_ARRAY_DIMENSIONS"}
        found[f"{name}@"] = plain(attributes)
        if hasattr(node, "shape"):
            dims = getattr(node.metadata, "dimension_names", None) or dict(node.attrs).get("_ARRAY_DIMENSIONS")
            value = node[...] if node.shape else node[()]
            dtype = node.dtype.newbyteorder("=") if node.dtype.kind not in "OT" else "text"
            found[name] = [str(dtype), list(dims) if dims else None, plain(value)]
        else:
            for child, one in sorted(node.members()):
                visit(f"{name}/{child}", one)

    visit("", zarr.open(path, mode="r"))
    return found


def of_sqlite(path: str, table: Optional[str] = None) -> Any:
    import sqlite3

    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        cursor = connection.execute(f"SELECT * FROM {_quoted(table or 'data')}")
        # A value of SQLite has a type of its own, whatever its column declares.
        return [[one[0] for one in cursor.description], [[[type(value).__name__, plain(value)] for value in row] for row in cursor]]
    finally:
        connection.close()


def of_duckdb(path: str, table: Optional[str] = None) -> Any:
    import duckdb

    with duckdb.connect(path, read_only=True) as connection:
        cursor = connection.execute(f"SELECT * FROM {_quoted(table or 'data')}")
        names = [one[0] for one in cursor.description]
        return [names, [[str(one) if hasattr(one, "total_seconds") else plain(one) for one in row] for row in cursor.fetchall()]]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def tables_of(path: Path, kind: str) -> List[Optional[str]]:
    """The tables of a database; None for a database that cannot be opened."""
    import sqlite3

    try:
        if kind == "sqlite":
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
            finally:
                connection.close()
        import duckdb

        with duckdb.connect(str(path), read_only=True) as connection:
            return [name for (name,) in connection.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'").fetchall()]
    except Exception:  # noqa: BLE001
        return [None]


READERS = {"parquet": of_parquet, "arrow": of_arrow, "arrows": of_arrows, "orc": of_orc, "csv": of_csv, "json": of_json, "jsonl": of_json, "avro": of_avro,
           "npy": of_npy, "npz": of_npz, "mat": of_mat, "hdf5": of_hdf5, "netcdf": of_netcdf, "zarr": of_zarr,
           "sqlite": of_sqlite, "duckdb": of_duckdb}


def tried(path: Path, kind: str, table: Optional[str], scratch: Path) -> int:
    """In a child: what becomes of a file, or of a table in it."""
    from tiledb_rs import convert

    options = {} if table is None else {"table": table}
    label = path.name if table is None else f"{path.name}:{table}"
    ending = convert.KINDS[kind].endings[0]
    target, back = scratch / "array", scratch / f"back{ending}"
    try:
        convert.from_file(path, target, kind=kind, **options)
    except Exception as error:  # noqa: BLE001
        reason = f"{type(error).__name__}: {str(error)[:160]}".replace("\n", " ")
        # The package of the format may take longer to read it than the time that is allowed.
        (scratch / "refused").touch()
        try:
            READERS[kind](str(path), **options)
        except Exception:  # noqa: BLE001
            print(f"  unreadable {label}: {reason}", flush=True)
            return UNREADABLE
        print(f"  refused {label}: {reason}", flush=True)
        return REFUSED
    try:
        original = READERS[kind](str(path), **options)
    except Exception as error:  # noqa: BLE001
        print(f"  converted, but the package of the format cannot read {label}: {type(error).__name__}: {str(error)[:100]}", flush=True)
        return UNREADABLE
    try:
        convert.to_file(target, back, kind=kind)
        again = READERS[kind](str(back))
    except Exception as error:  # noqa: BLE001
        print(f"  not written back {label}: {type(error).__name__}: {str(error)[:200]}", flush=True)
        return REFUSED
    if original == again:
        return EQUAL
    print(f"  WRONG {path.parent}/{label}: {difference(original, again)}", flush=True)
    return WRONG


def difference(one: Any, other: Any, place: str = "") -> str:
    """Where two values differ first."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *other]:
            if name not in one or name not in other:
                return f"{place}/{name} is in one only"
            if one[name] != other[name]:
                return difference(one[name], other[name], f"{place}/{name}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, (a, b) in enumerate(zip(one, other)):
            if a != b:
                return difference(a, b, f"{place}[{at}]")
    return f"{place}: {str(one)[:80]!r} became {str(other)[:80]!r}"


def is_zarr(path: Path) -> bool:
    """Whether a folder is a node of Zarr 2 or 3."""
    return any((path / name).is_file() for name in ("zarr.json", ".zarray", ".zgroup"))


def found_in(path: Path) -> List[Path]:
    """The files below a folder; a Zarr store, of which only the root counts, is one of them."""
    if path.is_file() or is_zarr(path):
        return [path]
    return [file for child in sorted(path.iterdir()) for file in found_in(child)]


def parts(files: List[Path]) -> Iterator[Tuple[Path, str, Optional[str]]]:
    """What is converted: a file with its format, and each table of a database."""
    from tiledb_rs import convert

    for path in files:
        try:
            kind = "zarr" if path.is_dir() else convert.kind_of(path)
        except ValueError:
            continue
        if kind in ("sqlite", "duckdb"):
            for table in tables_of(path, kind):
                yield path, kind, table
        elif kind in READERS:
            yield path, kind, None


def main() -> int:
    scratch, files = Path(sys.argv[1]), []
    for name in sys.argv[2:]:
        files += found_in(Path(name))
    results: Dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    # What is done when it is ended counts.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        for path, kind, table in parts(files):
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(parents=True)
            sys.stdout.flush()
            child = os.fork()
            if not child:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_AS, (SPACE_BYTES, SPACE_BYTES))
                signal.alarm(SECONDS)
                code = 99
                try:
                    code = tried(path, kind, table, scratch)
                except BaseException as error:  # noqa: BLE001
                    print(f"  CRASH {path}: {error!r}", flush=True)
                finally:
                    os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code == -signal.SIGALRM and (scratch / "refused").exists():
                code = REFUSED
            if code not in NAMES:
                print(f"  CRASH {path}: {code}", flush=True)
            results[kind][NAMES.get(code, "crash")] += 1
    shutil.rmtree(scratch, ignore_errors=True)
    print("| format | files | equal | refused with a reason | unreadable by its package, too | wrong | crash |\n|---|--:|--:|--:|--:|--:|--:|")
    total: collections.Counter = collections.Counter()
    for kind, counts in [*sorted(results.items()), ("all", total)]:
        total.update(counts if counts is not total else {})
        cells = [counts[name] for name in ("equal", "refused", "unreadable", "wrong", "crash")]
        print(f"| {kind} | {sum(counts.values())} | " + " | ".join(map(str, cells)) + " |")
    return min(total["wrong"] + total["crash"], 1)


if __name__ == "__main__":
    sys.exit(main())
