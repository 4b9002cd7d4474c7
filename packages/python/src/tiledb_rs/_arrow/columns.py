"""Columns in the Arrow types that programs expect: dates, times that Arrow has no type for, and types that an engine does not have.

The library exports datetimes for which Arrow has no type of 64 bits as numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Optional

from .._model.datatypes import Datatype
from .._native.errors import TileDBError, require
from .._model.moments import NAT
from .._native.interrupts import check
from .._model.schema import Schema

if TYPE_CHECKING:
    from .._arrays.result import Result

_TIMESTAMPS = ("DATETIME_SEC", "DATETIME_MS", "DATETIME_US", "DATETIME_NS")
_NUMBERS = {"DATETIME_YEAR": "Y", "DATETIME_MONTH": "M", "DATETIME_WEEK": "W", "DATETIME_HR": "h", "DATETIME_MIN": "m"}


def schema_of(result: Result) -> Any:
    """The pyarrow.Schema of a result, as the library exports it."""
    pyarrow = require("pyarrow", "an engine")
    return pyarrow.Schema._import_from_c_capsule(result.__arrow_c_schema__())


# Dates and times


def datetime_of(schema: Schema, name: str) -> Optional[str]:
    """The name of the datatype of a field of single datetimes, or of times for which Arrow has a type; otherwise None.

    For an enumeration of days it is ``ENUMERATION_DAY``.
    """
    field = schema.field(name)
    if getattr(field, "var", False) or getattr(field, "values", 1) != 1:
        return None
    enumeration: Any = getattr(field, "enumeration", None)
    if enumeration:
        return "ENUMERATION_DAY" if Datatype.of(schema.enumeration(enumeration).dtype).name == "DATETIME_DAY" else None
    kind = field.dtype.name
    return kind if kind in ("DATETIME_DAY", "TIME_US", "TIME_NS") or kind in _TIMESTAMPS or kind in _NUMBERS else None


def is_date(schema: Schema, name: str) -> bool:
    """Whether the cells of a field are days."""
    return datetime_of(schema, name) == "DATETIME_DAY"


def is_converted(schema: Schema, name: str) -> bool:
    """Whether :func:`with_dates` changes a field."""
    kind = datetime_of(schema, name)
    return kind in ("DATETIME_DAY", "ENUMERATION_DAY") or kind in _TIMESTAMPS


def with_dates(arrow: Any, schema: Schema) -> Any:
    """The Arrow schema with dates for fields of days; a date or timestamp that is none is null."""
    pyarrow = require("pyarrow", "to_arrow()")

    def dated(field: Any) -> Any:
        if not is_converted(schema, field.name):
            return field
        if pyarrow.types.is_dictionary(field.type):
            return field.with_type(pyarrow.dictionary(field.type.index_type, pyarrow.date32(), field.type.ordered))
        return field.with_type(pyarrow.date32() if is_date(schema, field.name) else field.type).with_nullable(True)

    return pyarrow.schema([dated(field) for field in arrow], metadata=arrow.metadata)


def with_datetimes(arrow: Any, schema: Schema) -> Any:
    """As :func:`with_dates`, with timestamps for weeks, months, years, hours and minutes, and null for all that is no time; without
    metadata."""
    pyarrow = require("pyarrow", "a scan")
    fields = []
    for one in with_dates(arrow, schema):
        kind = datetime_of(schema, one.name)
        type = pyarrow.timestamp("s") if kind in _NUMBERS else one.type
        fields.append(pyarrow.field(one.name, type, one.nullable or kind is not None))
    return pyarrow.schema(fields)


def batches_of(reader: Any, schema: Schema, wanted: Any, dates_only: bool = False) -> Iterator[Any]:
    """The batches of a reader with the types of :func:`with_datetimes`, or of :func:`with_dates`."""
    pyarrow = require("pyarrow", "a scan")
    kinds = [datetime_of(schema, name) for name in reader.schema.names]
    if dates_only:
        kinds = [kind if is_converted(schema, name) else None for kind, name in zip(kinds, reader.schema.names)]
    for batch in reader:
        check()
        columns = [column_of(column, kind, field) for column, kind, field in zip(batch.columns, kinds, wanted)]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=wanted)


def column_of(column: Any, kind: Optional[str], field: Any) -> Any:
    """A column in the type of a field of :func:`with_datetimes`; the kind is that of :func:`datetime_of`."""
    return column if kind is None else _datetimes(column, kind, field.type, field.name)


def _datetimes(column: Any, kind: str, type: Any, name: str) -> Any:
    pyarrow = require("pyarrow", "a scan")
    if kind == "ENUMERATION_DAY":
        return pyarrow.DictionaryArray.from_arrays(column.indices, _datetimes(column.dictionary, "DATETIME_DAY", type.value_type, name), ordered=type.ordered)
    if kind.startswith("TIME_"):
        return _times_of_day(column, name)
    numbers = _without_nat(column.view(pyarrow.int64()) if column.type != pyarrow.int64() else column)
    if kind in _TIMESTAMPS:
        return numbers.view(type)
    try:
        return numbers.cast(pyarrow.int32()).view(type) if kind == "DATETIME_DAY" else _seconds(numbers, _NUMBERS[kind]).view(type)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"field {name!r} has a date beyond the range of {type}: {error}") from None


def _times_of_day(column: Any, name: str) -> Any:
    """A column of times, which have to be shorter than a day; null for those that are none."""
    pyarrow, compute = require("pyarrow", "an engine"), require("pyarrow.compute", "an engine")
    column = _without_nat(column.view(pyarrow.int64())).view(column.type)
    day = 86_400 * (10**6 if column.type.unit == "us" else 10**9)
    for bound in compute.min_max(column.view(pyarrow.int64())).as_py().values():
        if bound is not None and not 0 <= bound < day:
            raise ValueError(f"field {name!r} has a time of {bound} {column.type.unit}, which is not within a day: read it with to_numpy() or to_pandas()")
    return column


def _without_nat(column: Any) -> Any:
    """Nulls for the number that means "not a time"."""
    pyarrow, compute = require("pyarrow", "an engine"), require("pyarrow.compute", "an engine")
    least = pyarrow.scalar(NAT, pyarrow.int64()).cast(column.type)
    if compute.min(column) != least:
        return column
    return compute.if_else(compute.equal(column, least), pyarrow.scalar(None, column.type), column)


def _seconds(numbers: Any, unit: str) -> Any:
    pyarrow = require("pyarrow", "a scan")
    compute = require("pyarrow.compute", "a scan")
    factor = {"W": 604_800, "h": 3_600, "m": 60}.get(unit)
    if factor:
        return compute.multiply_checked(numbers, factor)
    numpy = require("numpy", "fields of months and years")
    values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
    # More of them than these wrap around in seconds, or are an error there.
    most = 290_000_000_000 * (12 if unit == "M" else 1)
    if len(values) and not -most <= values.min() <= values.max() <= most:
        raise pyarrow.ArrowInvalid(f"{values.min() if values.min() < -most else values.max()} units of {unit!r} do not fit into seconds")
    return pyarrow.array(values.astype(f"M8[{unit}]").astype("M8[s]").astype("i8"), mask=numpy.asarray(numbers.is_null()))


# Types of engines


def plain(kind: Any) -> Any:
    """The type of an engine that has neither unsigned numbers nor dictionaries nor 64-bit offsets."""
    pyarrow = require("pyarrow", "an engine")
    types = pyarrow.types
    if types.is_dictionary(kind):
        return plain(kind.value_type)
    widened = {
        pyarrow.uint8(): pyarrow.int16(),
        pyarrow.uint16(): pyarrow.int32(),
        pyarrow.uint32(): pyarrow.int64(),
        pyarrow.uint64(): pyarrow.decimal128(20, 0),
        pyarrow.float16(): pyarrow.float32(),
    }
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
        return _without_nat(column).cast(pyarrow.int32()).cast(kind)
    if types.is_timestamp(kind) and types.is_timestamp(column.type):
        if kind.unit == "us" and column.type.unit == "ns":
            # A floor, also before 1970.
            column = compute.floor_temporal(column, 1, "microsecond")
        return _without_nat(column).cast(kind, safe=False) if column.type.unit == "ns" else _without_nat(column).cast(kind)
    if types.is_integer(kind) and types.is_duration(column.type):
        return column.cast(pyarrow.int64()).cast(kind)
    if types.is_decimal(kind) and types.is_uint64(column.type):
        return column.cast(pyarrow.decimal128(20, 0)).cast(kind)
    if types.is_integer(kind) and types.is_decimal(column.type):
        return column.cast(kind)
    if types.is_list(kind) and (types.is_fixed_size_list(column.type) or types.is_large_list(column.type)):
        return column.cast(pyarrow.list_(column.type.value_field)).cast(kind)
    return column.cast(kind)


def converted(batch: Any, schema: Any) -> Any:
    """A record batch with the columns and types of a schema."""
    pyarrow = require("pyarrow", "an engine")
    columns: List[Any] = [cast(batch.column(batch.schema.get_field_index(one.name)), one.type) for one in schema]
    if not columns:
        return pyarrow.RecordBatch.from_struct_array(pyarrow.array([{}] * batch.num_rows, pyarrow.struct([])))
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


# Writes


def append_to(array: Any, reader: Any, **options: Any) -> None:
    """Writes the batches of a reader with numbers and texts of the types of the fields of an array.

    A literal of a query is often of a smaller type than the column it is for. A number that the field cannot hold is an error.
    """
    errors: List[Exception] = []
    try:
        array.write(_conforming(reader, array, errors), **options)
    except TileDBError:
        # The library has it as the text of an error of the stream.
        if errors:
            raise errors[0] from None
        raise


def _conforming(reader: Any, array: Any, errors: List[Exception]) -> Any:
    """The reader with converted batches; an error of a conversion is noted."""
    pyarrow = require("pyarrow", "an append")
    target = pyarrow.schema(array)

    def wanted_type(field: Any) -> Any:
        if field.name not in target.names:
            return field.type
        kind = target.field(field.name).type
        is_time = array.schema.field(field.name).dtype.kind in ("datetime", "time")
        if pyarrow.types.is_dictionary(kind):
            kind = kind.value_type
            if datetime_of(array.schema, field.name) == "ENUMERATION_DAY" and pyarrow.types.is_date(field.type):
                return field.type
            if not _is_related(field.type, kind):
                raise TypeError(f"column {field.name!r} of type {field.type} cannot be written to an enumeration of {kind}")
        if pyarrow.types.is_null(field.type) or pyarrow.types.is_date(field.type) and pyarrow.types.is_timestamp(kind):
            return kind
        return kind if not is_time and _family(field.type) in ("number", "text", "list") and _is_related(field.type, kind) else field.type

    wanted = pyarrow.schema([field.with_type(wanted_type(field)) for field in reader.schema])

    def batches() -> Iterator[Any]:
        for batch in reader:
            try:
                columns = [column if column.type == one.type else _within(one.name, column, one.type) for one, column in zip(wanted, batch.columns)]
            except Exception as error:
                errors.append(error)
                raise
            yield pyarrow.RecordBatch.from_arrays(columns, schema=wanted)

    return pyarrow.RecordBatchReader.from_batches(wanted, batches())


def _family(kind: Any) -> str:
    """What the values of a type are: only within a family a cast does not make something else of them."""
    types = require("pyarrow", "an append").types
    if types.is_dictionary(kind):
        return _family(kind.value_type)
    for name, is_one in (
        ("number", types.is_integer),
        ("number", types.is_floating),
        ("number", types.is_decimal),
        ("boolean", types.is_boolean),
        ("null", types.is_null),
        ("text", types.is_string),
        ("text", types.is_large_string),
        ("timestamp", types.is_timestamp),
        ("time", types.is_time),
        ("time", types.is_duration),
        ("date", types.is_date),
    ):
        if is_one(kind):
            return name
    return "list" if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) else "other"


def _is_related(given: Any, wanted: Any) -> bool:
    """Whether values of a type can be written to a field of another."""
    one, other = _family(given), _family(wanted)
    if one == other == "list":
        return _is_related(given.value_type, wanted.value_type)
    types = require("pyarrow", "an append").types
    if other == "time" and types.is_integer(given):
        # Spark has no type for times longer than a day: they are numbers of units there.
        return True
    return one in (other, "null") or (one, other) in (("text", "other"), ("other", "text"), ("date", "timestamp"))


def _within(name: str, column: Any, kind: Any) -> Any:
    """A column in another type of the same family; a number that would become infinite is an error."""
    pyarrow, compute = require("pyarrow", "an append"), require("pyarrow.compute", "an append")
    try:
        found = cast(column, kind)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"column {name!r} cannot be written as {kind}: {error}") from None
    if _family(kind) == "list":
        _within(name, compute.list_flatten(column), kind.value_type)
    if pyarrow.types.is_floating(kind) and pyarrow.types.is_floating(column.type) and kind.bit_width < column.type.bit_width:
        infinite = compute.and_(compute.is_inf(found), compute.invert(compute.is_inf(column)))
        if compute.any(infinite).as_py():
            raise ValueError(f"column {name!r} has {compute.filter(column, infinite)[0]}, which is out of the range of {kind}")
    return found


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
    columns = [_days(one.name, column) if is_date(schema, one.name) else _for_write(one.name, column, one.type) for one, column in zip(fields, found)]
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
        # The library looks the values up in the enumeration, and takes indexes.
        return _within(name, column, kind.value_type) if _is_related(column.type, kind.value_type) else column
    if types.is_timestamp(column.type) and column.type.tz is not None:
        column = column.cast(pyarrow.timestamp(column.type.unit))
    if types.is_integer(kind) and types.is_temporal(column.type):
        # The number of units of the one would be taken for units of the other.
        raise TypeError(f"column {name!r} of type {column.type} cannot be written to a field of type {kind}")
    if types.is_time(kind) and types.is_decimal(column.type) or types.is_unsigned_integer(kind) and types.is_decimal(column.type):
        return column.cast(kind)
    is_time = types.is_timestamp(kind) and types.is_timestamp(column.type)
    is_time = is_time or types.is_time64(kind) and (types.is_time64(column.type) or types.is_duration(column.type))
    # The library takes times of another unit if they are exact.
    if column.type == kind or is_time:
        return column
    if not _is_related(column.type, kind):
        raise TypeError(f"column {name!r} of type {column.type} cannot be written to a field of type {kind}")
    return _within(name, column, kind)
