"""Dates as query engines have them: the library exports those that Arrow has no type of 64 bits for as numbers."""
from __future__ import annotations

from typing import Any, Iterator, Optional

from .errors import require
from .moments import NAT
from .schema import Schema

_TIMESTAMPS = ("DATETIME_SEC", "DATETIME_MS", "DATETIME_US", "DATETIME_NS")
_NUMBERS = {"DATETIME_YEAR": "Y", "DATETIME_MONTH": "M", "DATETIME_WEEK": "W", "DATETIME_HR": "h", "DATETIME_MIN": "m"}


def engine_schema(found: Any, schema: Schema) -> Any:
    """The Arrow schema with dates instead of numbers of days, and timestamps instead of numbers of other units; without metadata."""
    pyarrow = require("pyarrow", "a scan")
    fields = []
    for field in found:
        kind = _kind(schema, field.name)
        type = pyarrow.date32() if kind == "DATETIME_DAY" else pyarrow.timestamp("s") if kind in _NUMBERS else field.type
        # A datetime that is not a time is null.
        fields.append(pyarrow.field(field.name, type, field.nullable or kind is not None))
    return pyarrow.schema(fields)


def _kind(schema: Schema, name: str) -> Optional[str]:
    """The datatype of a field of single datetimes, otherwise None."""
    field = schema.field(name)
    if getattr(field, "var", False) or getattr(field, "values", 1) != 1 or getattr(field, "enumeration", None):
        return None
    kind = field.dtype.name
    return kind if kind == "DATETIME_DAY" or kind in _TIMESTAMPS or kind in _NUMBERS else None


def engine_batches(reader: Any, schema: Schema, wanted: Any) -> Iterator[Any]:
    """The batches of a reader with the types of :func:`engine_schema`."""
    pyarrow = require("pyarrow", "a scan")
    kinds = [_kind(schema, name) for name in reader.schema.names]
    for batch in reader:
        columns = [column if kind is None else _converted(column, kind, field.type, field.name)
                   for column, kind, field in zip(batch.columns, kinds, wanted)]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=wanted)


def _converted(column: Any, kind: str, type: Any, name: str) -> Any:
    pyarrow = require("pyarrow", "a scan")
    compute = require("pyarrow.compute", "a scan")
    numbers = column.view(pyarrow.int64()) if column.type != pyarrow.int64() else column
    if compute.min(numbers).as_py() == NAT:
        numbers = compute.if_else(compute.equal(numbers, NAT), pyarrow.scalar(None, pyarrow.int64()), numbers)
    elif kind in _TIMESTAMPS:
        return column
    if kind in _TIMESTAMPS:
        return numbers.view(type)
    try:
        if kind == "DATETIME_DAY":
            return numbers.cast(pyarrow.int32()).view(pyarrow.date32())
        return _seconds(numbers, _NUMBERS[kind]).view(type)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"field {name!r} has a date beyond the range of {type}: {error}") from None


def _seconds(numbers: Any, unit: str) -> Any:
    pyarrow = require("pyarrow", "a scan")
    compute = require("pyarrow.compute", "a scan")
    factor = {"W": 604_800, "h": 3_600, "m": 60}.get(unit)
    if factor:
        return compute.multiply_checked(numbers, factor)
    numpy = require("numpy", "fields of months and years")
    values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
    return pyarrow.array(values.astype(f"M8[{unit}]").astype("M8[s]").astype("i8"), mask=numpy.asarray(numbers.is_null()))


def conforming(reader: Any, array: Any) -> Any:
    """The batches of a reader with numbers and texts of the types of the fields of an array, for an append.

    A literal of a query is often of a smaller type than the column it is for. A number that the field cannot hold is an error.
    """
    pyarrow = require("pyarrow", "an append")
    types = pyarrow.types
    target = pyarrow.schema(array)

    def is_plain(type: Any) -> bool:
        return types.is_integer(type) or types.is_floating(type) or types.is_string(type) or types.is_large_string(type) or types.is_null(type)

    wanted = pyarrow.schema([
        field.with_type(target.field(field.name).type)
        if field.name in target.names and is_plain(field.type) and is_plain(target.field(field.name).type) and not _is_date(array.schema, field.name)
        else field
        for field in reader.schema
    ])
    return pyarrow.RecordBatchReader.from_batches(wanted, (batch.cast(wanted) for batch in reader))


def _is_date(schema: Schema, name: str) -> bool:
    return schema.field(name).dtype.kind in ("datetime", "time")


__all__ = ["conforming", "engine_batches", "engine_schema"]
