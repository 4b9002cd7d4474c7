"""Tables in files: Parquet, Arrow IPC, ORC, CSV, JSON, Avro."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Optional

from . import _avro as convert_avro, _csv as convert_csv, _json as convert_json, _orc as convert_orc, _tables as convert_tables
from .._arrays.array import Array
from .._native.context import Context
from .._native.errors import require
from .._arrays.group import Group

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
_CSV_OPTIONS = ("delimiter", "null_values", "decimal", "quote", "dates", "encoding")


def read(kind: str, path: str, uri: str, context: Context, options: Dict[str, Any]) -> Array:
    """Converts a file to an array."""
    of_file = {name: options.pop(name) for name in _CSV_OPTIONS if name in options} if kind in ("csv", "tsv") else {}
    data = _READERS[kind](path, **of_file)
    return convert_tables.store(context, uri, data, rows=_rows(kind, path), **options)


def _rows(kind: str, path: str) -> Optional[int]:
    """The number of rows of a file that is read batch by batch, as far as the file has it."""
    if kind == "parquet":
        return int(require("pyarrow.parquet", "Parquet files", "pyarrow").read_metadata(path).num_rows)
    if kind == "arrow":
        # Only the number of rows is taken of each batch: its buffers are not read from a file that is mapped.
        with pyarrow.memory_map(path) as file, pyarrow.ipc.open_file(file) as reader:
            return sum(reader.get_batch(at).num_rows for at in range(reader.num_record_batches))
    return None


def write(kind: str, source: Any, path: str, options: Dict[str, Any]) -> None:
    """Converts an array to a file."""
    if isinstance(source, Group):
        raise TypeError(f"{source.uri} is a group: convert one of its arrays to {kind}")
    read_options = {name: options.pop(name) for name in ("where", "ranges", "order") if name in options}
    if read_options.get("where") is not None and not source.schema.sparse:
        raise ValueError("where on a dense array would write fill values: convert a query of DuckDB or polars instead")
    _WRITERS[kind](convert_tables.load(source, **read_options), path, **options)


def _read_parquet(path: str) -> Any:
    file = require("pyarrow.parquet", "Parquet files", "pyarrow").ParquetFile(path)
    return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())


def _write_parquet(reader: Any, path: str, **options: Any) -> None:
    with require("pyarrow.parquet", "Parquet files", "pyarrow").ParquetWriter(path, reader.schema, **{"compression": "zstd", **options}) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _read_arrow(path: str) -> Any:
    file = pyarrow.ipc.open_file(path)
    return _validated(file.schema, (file.get_batch(at) for at in range(file.num_record_batches)))


def _read_arrows(path: str) -> Any:
    reader = pyarrow.ipc.open_stream(pyarrow.OSFile(path))
    return _validated(reader.schema, reader)


def _validated(schema: Any, batches: Iterable[Any]) -> Any:
    """The batches of a file, each checked completely: Arrow maps buffers as they are, and an offset of a damaged file would lead out of them."""

    def checked() -> Iterator[Any]:
        for batch in batches:
            batch.validate(full=True)
            yield batch

    return pyarrow.RecordBatchReader.from_batches(schema, checked())


def _write_arrow(reader: Any, path: str) -> None:
    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_file(file, reader.schema, options=_unified()) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _unified() -> Any:
    return pyarrow.ipc.IpcWriteOptions(unify_dictionaries=True)


def _write_arrows(reader: Any, path: str) -> None:
    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_stream(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_orc(reader: Any, path: str) -> None:
    orc = require("pyarrow.orc", "ORC files", "pyarrow")
    simple = convert_tables.simplified(reader, unsigned=False, dictionaries=False, times=False)
    orc.write_table(simple.read_all(), path)


_READERS = {
    "parquet": _read_parquet,
    "arrow": _read_arrow,
    "arrows": _read_arrows,
    "orc": convert_orc.read,
    "csv": convert_csv.read,
    "tsv": lambda path, **options: convert_csv.read(path, **{"delimiter": "\t", **options}),
    "jsonl": convert_json.read,
    "json": convert_json.read,
    "avro": convert_avro.read,
}
_WRITERS = {
    "parquet": _write_parquet,
    "arrow": _write_arrow,
    "arrows": _write_arrows,
    "orc": _write_orc,
    "csv": convert_csv.write,
    "tsv": lambda reader, path: convert_csv.write(reader, path, "\t"),
    "jsonl": convert_json.write_lines,
    "json": convert_json.write,
    "avro": convert_avro.write,
}
__all__ = ["read", "write"]
