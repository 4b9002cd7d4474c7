"""JSON files: a list of rows, or a row in each line."""

from __future__ import annotations

import datetime
import io
import json
import math
import re
from typing import Any, Dict, Iterator, List

from . import _tables as convert_tables
from .._native.errors import require

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Integers that a double may not have exactly.
_LONG_INTEGER = re.compile(rb"(?<![0-9.eE+\\-])-?[0-9]{16,}(?![0-9.eE])")


def read(path: str) -> Any:
    """The table of a file, whose rows are in a list or follow each other."""
    reader = require("pyarrow.json", "JSON files", "pyarrow")
    with open(path, "rb") as file:
        content = file.read().removeprefix(_BYTE_ORDER_MARK)
    if content.lstrip()[:1] == b"[":
        content = _lines_of(path, content)
    table = _parse(path, reader, content)
    if _LONG_INTEGER.search(content):
        table = _exact(path, reader, content, table)
    return table


def _parse(path: str, reader: Any, content: bytes, **options: Any) -> Any:
    # A row is not divided between blocks.
    block = reader.ReadOptions(block_size=max(1 << 20, 2 * max(map(len, content.split(b"\n")), default=0)))
    try:
        return reader.read_json(io.BytesIO(content), read_options=block, parse_options=reader.ParseOptions(newlines_in_values=True, **options))
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{path} is no JSON file of rows whose columns have a type each: {error}") from None


def _lines_of(path: str, content: bytes) -> bytes:
    """A row in each line instead of a list of rows."""
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON file: {error}") from None
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            raise ValueError(f"{path} has {type(row).__name__} as element {at} of its list, which must have objects, one for each row")
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode("utf-8", "surrogatepass")


def _exact(path: str, reader: Any, content: bytes, table: Any) -> Any:
    """The table with integers beyond 64 bits with a sign as such; a ValueError for those that a double would change."""
    doubles = [field.name for field in table.schema if pyarrow.types.is_floating(field.type)]
    values: Dict[str, List[Any]] = {name: [] for name in doubles}
    for row in _rows(content):
        for name in doubles:
            values[name].append(row.get(name))
    for name, column in values.items():
        integers = [one for one in column if isinstance(one, int)]
        changed = next((one for one in integers if int(float(one)) != one), None)
        if changed is None:
            continue
        present = [one for one in column if one is not None]
        if len(integers) < len(present) or min(integers) < 0 or max(integers) >= 1 << 64:
            raise ValueError(f"column {name!r} of {path} has the integer {changed} beside fractions or integers of more than 64 bits: a double would change it")
        table = table.set_column(table.schema.get_field_index(name), name, pyarrow.array(column, pyarrow.uint64()))
    return table


def _rows(content: bytes) -> Iterator[Dict[str, Any]]:
    text, decoder, at = content.decode("utf-8"), json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        if at == len(text):
            return
        row, at = decoder.raw_decode(text, at)
        yield row


def write_lines(reader: Any, path: str) -> None:
    """Writes batches to a file with a row in each line."""
    with open(path, "w", encoding="utf-8") as file:
        for row in _texts(reader):
            file.write(row + "\n")


def write(reader: Any, path: str) -> None:
    """Writes batches to a file with a list of rows."""
    with open(path, "w", encoding="utf-8") as file:
        separator = "[\n"
        for row in _texts(reader):
            file.write(separator + row)
            separator = ",\n"
        file.write("\n]\n" if separator.startswith(",") else "[]\n")


def _texts(reader: Any) -> Iterator[str]:
    """The rows as texts."""
    for batch in convert_tables.simplified(reader, dictionaries=False, binary=False):
        for row in batch.to_pylist():
            yield json.dumps(_plain(row), default=_text, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """A value that JSON has: it has neither NaN nor infinity."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(value: Any) -> Any:
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


__all__ = ["read", "write", "write_lines"]
