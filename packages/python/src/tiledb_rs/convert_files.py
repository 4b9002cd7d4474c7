"""Tables in files: Parquet, Arrow IPC, ORC, CSV, JSON lines, Avro."""
from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from typing import Any, Dict

from . import convert_tables
from .array import Array
from .context import Context
from .errors import require
from .group import Group

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")


def read(kind: str, path: str, uri: str, context: Context, options: Dict[str, Any]) -> Array:
    """Converts a file to an array."""
    return convert_tables.store(context, uri, _READERS[kind](path), **options)


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
    return pyarrow.RecordBatchReader.from_batches(file.schema, (file.get_batch(at) for at in range(file.num_record_batches)))


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


def _read_orc(path: str) -> Any:
    return require("pyarrow.orc", "ORC files", "pyarrow").ORCFile(path).read()


def _write_orc(reader: Any, path: str) -> None:
    orc = require("pyarrow.orc", "ORC files", "pyarrow")
    simple = convert_tables.simplified(reader, unsigned=False, dictionaries=False, times=False)
    orc.write_table(simple.read_all(), path)


def _read_csv(path: str, delimiter: str = ",") -> Any:
    csv = require("pyarrow.csv", "CSV files", "pyarrow")

    def load(**options: Any) -> Any:
        # An empty field is null, and a quoted empty one the empty text.
        return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                            convert_options=csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=["", "NULL"], **options))

    table = load()
    twice = [name for name, count in Counter(table.schema.names).items() if count > 1]
    if twice:
        raise ValueError(f"several columns have the name {twice[0]!r}: rename them")
    numbers = [field.name for field in table.schema if pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)]
    texts = load(include_columns=numbers, column_types={name: pyarrow.string() for name in numbers}) if numbers else {}
    for name in numbers:
        exact = _exact(table[name], texts[name])
        table = table.set_column(table.schema.get_field_index(name), name, exact)
    return table


def _exact(numbers: Any, texts: Any) -> Any:
    """The numbers of a column; its texts where numbers are not the same: codes with leading zeros, hexadecimal numbers, and integers of more than 64 bits."""
    compute = require("pyarrow.compute", "CSV files", "pyarrow")
    if compute.any(compute.match_substring_regex(texts, r"^\s*[+-]?0([0-9]+|[xX][0-9a-fA-F]+)\s*$")).as_py():
        return texts
    if not pyarrow.types.is_floating(numbers.type) or not compute.all(compute.match_substring_regex(texts, "^[+-]?[0-9]+$")).as_py():
        return numbers
    try:
        return texts.cast(pyarrow.uint64())
    except pyarrow.ArrowInvalid:
        return texts


def _write_csv(reader: Any, path: str, delimiter: str = ",") -> None:
    csv = require("pyarrow.csv", "CSV files", "pyarrow")
    simple = convert_tables.simplified(reader, dictionaries=False, binary=False)
    with csv.CSVWriter(path, simple.schema, write_options=csv.WriteOptions(delimiter=delimiter)) as writer:
        for batch in simple:
            writer.write_batch(batch)


def _read_jsonl(path: str) -> Any:
    return require("pyarrow.json", "JSON lines", "pyarrow").read_json(path)


def _write_jsonl(reader: Any, path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for batch in convert_tables.simplified(reader, dictionaries=False, binary=False):
            for row in batch.to_pylist():
                # JSON has neither NaN nor infinity.
                plain = {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}
                file.write(json.dumps(plain, default=_text, ensure_ascii=False) + "\n")


def _text(value: Any) -> Any:
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def _read_avro(path: str) -> Any:
    return require("polars", "Avro files").read_avro(path).to_arrow()


def _write_avro(reader: Any, path: str) -> None:
    simple = convert_tables.simplified(reader, unsigned=False, dictionaries=False, times=False, small=False)
    require("polars", "Avro files").from_arrow(simple.read_all()).write_avro(path)


_READERS = {
    "parquet": _read_parquet, "arrow": _read_arrow, "arrows": lambda path: pyarrow.ipc.open_stream(pyarrow.OSFile(path)), "orc": _read_orc, "csv": _read_csv,
    "tsv": lambda path: _read_csv(path, "\t"), "jsonl": _read_jsonl, "avro": _read_avro,
}
_WRITERS = {
    "parquet": _write_parquet, "arrow": _write_arrow, "arrows": _write_arrows, "orc": _write_orc, "csv": _write_csv,
    "tsv": lambda reader, path: _write_csv(reader, path, "\t"), "jsonl": _write_jsonl, "avro": _write_avro,
}
__all__ = ["read", "write"]
