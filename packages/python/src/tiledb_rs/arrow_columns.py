"""Columns of results in the Arrow types that an engine has: without unsigned numbers, dictionaries or 64-bit offsets, and with dates."""
from __future__ import annotations

from typing import Any, List

from .datatypes import Datatype
from .errors import require
from .result import Result
from .schema import Schema


def schema_of(result: Result) -> Any:
    """The pyarrow.Schema of a result."""
    pyarrow = require("pyarrow", "an engine")
    return pyarrow.Schema._import_from_c_capsule(result.__arrow_c_schema__())


def with_dates(arrow: Any, schema: Schema) -> Any:
    """The Arrow schema with dates for fields of days, which Arrow results have as numbers."""
    pyarrow = require("pyarrow", "an engine")
    return pyarrow.schema(
        [one.with_type(pyarrow.date32()) if is_date(schema, one.name) else one for one in arrow], metadata=arrow.metadata
    )


def is_date(schema: Schema, name: str) -> bool:
    """Whether the cells of a field are days."""
    one = schema.field(name)
    return Datatype.of(one.dtype) == Datatype.DATETIME_DAY and getattr(one, "values", 1) == 1 and not getattr(one, "var", False) \
        and not getattr(one, "enumeration", None)


def plain(kind: Any) -> Any:
    """The type of an engine that has neither unsigned numbers nor dictionaries nor 64-bit offsets."""
    pyarrow = require("pyarrow", "an engine")
    types = pyarrow.types
    if types.is_dictionary(kind):
        return plain(kind.value_type)
    widened = {pyarrow.uint8(): pyarrow.int16(), pyarrow.uint16(): pyarrow.int32(), pyarrow.uint32(): pyarrow.int64(),
               pyarrow.uint64(): pyarrow.decimal128(20, 0), pyarrow.float16(): pyarrow.float32()}
    if kind in widened:
        return widened[kind]
    if types.is_large_string(kind):
        return pyarrow.string()
    if types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return pyarrow.binary()
    if types.is_timestamp(kind):
        return pyarrow.timestamp("us", kind.tz)
    if types.is_time(kind) or types.is_duration(kind):
        return pyarrow.int64()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pyarrow.list_(pyarrow.field("element", plain(kind.value_type), kind.value_field.nullable))
    return kind


def cast(column: Any, kind: Any) -> Any:
    """A column in another type; values that do not fit are an error, and times are rounded down to the unit."""
    pyarrow = require("pyarrow", "an engine")
    compute, types = require("pyarrow.compute", "an engine"), pyarrow.types
    if column.type == kind:
        return column
    if types.is_dictionary(column.type):
        return cast(column.dictionary_decode() if hasattr(column, "dictionary_decode") else column.cast(column.type.value_type), kind)
    if types.is_date32(kind) and types.is_int64(column.type):
        return _valid_times(compute, column).cast(pyarrow.int32()).cast(kind)
    if types.is_timestamp(kind) and types.is_timestamp(column.type):
        if kind.unit == "us" and column.type.unit == "ns":
            # A floor, also before 1970.
            column = compute.floor_temporal(column, 1, "microsecond")
        return _valid_times(compute, column).cast(kind, safe=False) if column.type.unit == "ns" else _valid_times(compute, column).cast(kind)
    if types.is_integer(kind) and types.is_duration(column.type):
        return column.cast(pyarrow.int64()).cast(kind)
    if types.is_decimal(kind) and types.is_uint64(column.type):
        return column.cast(pyarrow.decimal128(20, 0)).cast(kind)
    if types.is_integer(kind) and types.is_decimal(column.type):
        return column.cast(kind)
    if types.is_list(kind) and (types.is_fixed_size_list(column.type) or types.is_large_list(column.type)):
        return column.cast(pyarrow.list_(column.type.value_field)).cast(kind)
    return column.cast(kind)


def _valid_times(compute: Any, column: Any) -> Any:
    """Nulls for the number that means "not a time"."""
    pyarrow = require("pyarrow", "an engine")
    least = pyarrow.scalar(-(1 << 63), pyarrow.int64()).cast(column.type)
    is_none = compute.equal(column, least)
    return compute.if_else(is_none, pyarrow.scalar(None, column.type), column) if compute.any(is_none).as_py() else column


def converted(batch: Any, schema: Any) -> Any:
    """A record batch with the columns and types of a schema."""
    pyarrow = require("pyarrow", "an engine")
    columns: List[Any] = [cast(batch.column(batch.schema.get_field_index(one.name)), one.type) for one in schema]
    if not columns:
        return pyarrow.RecordBatch.from_struct_array(pyarrow.array([{}] * batch.num_rows, pyarrow.struct([])))
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def writable(table: Any, target: Any, schema: Schema) -> Any:
    """A table or record batch with the columns of an array, in types that it takes; ``target`` is the Arrow schema of its results."""
    pyarrow = require("pyarrow", "an engine")
    names = schema.names
    missing = [name for name in names if name not in table.schema.names]
    if missing:
        raise KeyError(f"there is no column {', '.join(map(repr, missing))}")
    additional = [name for name in table.schema.names if name not in names]
    if additional:
        raise KeyError(f"the array takes no column {', '.join(map(repr, additional))}; it takes {', '.join(names)}")
    fields = [target.field(name) for name in names]
    found = [table.column(table.schema.get_field_index(name)) for name in names]
    columns = [_days(one.name, column) if is_date(schema, one.name) else _for_write(one.name, column, one.type)
               for one, column in zip(fields, found)]
    arrays = [pyarrow.field(one.name, column.type, True) for one, column in zip(fields, columns)]
    return type(table).from_arrays(columns, schema=pyarrow.schema(arrays))


def _days(name: str, column: Any) -> Any:
    """Dates, or times at midnight, as numbers of days."""
    pyarrow = require("pyarrow", "an engine")
    compute, types = require("pyarrow.compute", "an engine"), pyarrow.types
    if types.is_timestamp(column.type):
        days = column.cast(pyarrow.timestamp(column.type.unit)).cast(pyarrow.date32(), safe=False)
        if not compute.all(compute.equal(days.cast(column.type), column)).as_py() and column.null_count < len(column):
            raise ValueError(f"column {name!r} has times of day, and the field has days")
        column = days
    elif types.is_date64(column.type):
        column = column.cast(pyarrow.date32())
    return column.cast(pyarrow.int32()).cast(pyarrow.int64()) if types.is_date32(column.type) else cast(column, pyarrow.int64())


def _for_write(name: str, column: Any, kind: Any) -> Any:
    pyarrow = require("pyarrow", "an engine")
    types = pyarrow.types
    if types.is_dictionary(kind):
        # The library looks the values up in the enumeration.
        return cast(column, kind.value_type)
    if types.is_timestamp(column.type) and column.type.tz is not None:
        column = column.cast(pyarrow.timestamp(column.type.unit))
    if types.is_integer(kind) and types.is_temporal(column.type):
        # The number of units of the one would be taken for units of the other.
        raise TypeError(f"column {name!r} of type {column.type} cannot be written to a field of type {kind}")
    if types.is_time(kind) and types.is_decimal(column.type) or types.is_unsigned_integer(kind) and types.is_decimal(column.type):
        return column.cast(kind)
    return column if column.type == kind else cast(column, kind)
