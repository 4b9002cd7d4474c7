"""Tables of files as arrays: a column becomes an attribute or a dimension, and the Arrow schema stays with the array as metadata."""

from __future__ import annotations

import base64
import json
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from .._arrays.array import Array
from .._arrow.columns import batches_of, with_datetimes
from .._native.context import Context
from .._arrays.creation import from_arrow
from .._native.interrupts import interruptible
from .._native.errors import require

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
compute = require("pyarrow.compute", "tables of tiledb_rs.convert", "pyarrow")
# As in Parquet files.
_SCHEMA = "ARROW:schema"
_REMEDY = "exclude=[{!r}] leaves it out, nested='json' makes it text"


def store(
    context: Context,
    uri: str,
    data: Any,
    *,
    index: Any = None,
    categories: Union[None, str, Sequence[str]] = None,
    columns: Optional[Sequence[str]] = None,
    exclude: Union[None, str, Sequence[str]] = None,
    nested: Optional[str] = None,
    rows: Optional[int] = None,
    **options: Any,
) -> Array:
    """Writes a table, or a reader of batches, to an array that is created.

    Args:
        categories: Columns that become enumerations.
        columns: The columns, in this order; all if not given.
        exclude: Columns that are left out.
        nested: ``"json"`` makes columns of structs, maps and lists of other values than numbers texts in JSON.
        rows: The number of rows of a reader, which is not taken into memory then to count them.
    """
    if isinstance(data, pyarrow.Table):
        rows = data.num_rows
    if nested not in (None, "json"):
        raise ValueError(f"nested must be 'json', not {nested!r}")
    data = _selected(data, columns, [exclude] if isinstance(exclude, str) else list(exclude or []))
    if nested == "json":
        data = _with_json(data)
    original = data.schema
    if categories is not None:
        data = _with_categories(data, [categories] if isinstance(categories, str) else list(categories))
    schema = data.schema
    if any(pyarrow.types.is_dictionary(field.type) for field in schema):
        # The batches of a file can have different dictionaries.
        data = (data if isinstance(data, pyarrow.Table) else data.read_all()).unify_dictionaries().combine_chunks()
    kept = [field for field in schema if not pyarrow.types.is_null(field.type)]
    if not kept:
        raise ValueError("the table has no column with a type, for which TileDB has no array")
    wanted = pyarrow.schema([field.with_type(_stored_type(field)) for field in kept])
    batches = data.to_batches() if isinstance(data, pyarrow.Table) else data

    def converted() -> Iterator[Any]:
        for batch in batches:
            yield pyarrow.RecordBatch.from_arrays([_stored(batch.column(schema.get_field_index(field.name)), field.type) for field in wanted], schema=wanted)

    reader = pyarrow.RecordBatchReader.from_batches(wanted, converted())
    array = from_arrow(uri, reader, index=index, context=context, rows=rows, **options)
    array.metadata[_SCHEMA] = base64.b64encode(original.serialize().to_pybytes()).decode()
    return array


def _selected(data: Any, columns: Optional[Sequence[str]], exclude: Sequence[str]) -> Any:
    """The columns that are converted."""
    names = data.schema.names
    if isinstance(columns, (str, bytes)):
        raise TypeError("columns must be a list of names")
    for name in [*(columns or []), *exclude]:
        if name not in names:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(names)}")
    chosen = [name for name in (names if columns is None else columns) if name not in exclude]
    return data if chosen == names else _mapped(data, pyarrow.schema([data.schema.field(name) for name in chosen], data.schema.metadata), lambda column, field: column)


def _mapped(data: Any, schema: Any, convert: Callable[[Any, Any], Any]) -> Any:
    """A table, or a reader of batches, with the columns of a schema, each converted to its field."""
    if isinstance(data, pyarrow.Table):
        return pyarrow.Table.from_arrays([convert(data[field.name], field) for field in schema], schema=schema)
    positions = [data.schema.get_field_index(field.name) for field in schema]
    batches = (pyarrow.RecordBatch.from_arrays([convert(batch.column(at), field) for at, field in zip(positions, schema)], schema=schema) for batch in data)
    return pyarrow.RecordBatchReader.from_batches(schema, batches)


def _is_nested(type: Any) -> bool:
    """Whether a type has no datatype: structs, maps, and lists of other values than numbers."""
    types = pyarrow.types
    is_list = types.is_list(type) or types.is_large_list(type)
    return types.is_nested(type) and not (is_list and types.is_primitive(type.value_type))


def _with_json(data: Any) -> Any:
    """The table with texts in JSON instead of nested columns."""

    def convert(column: Any, field: Any) -> Any:
        if not _is_nested(column.type):
            return column
        values = (_json_value(one) for one in column)
        return pyarrow.array([None if one is None else json.dumps(one, default=_json_text, ensure_ascii=False) for one in values], pyarrow.large_string())

    fields = [field.with_type(pyarrow.large_string()) if _is_nested(field.type) else field for field in data.schema]
    return _mapped(data, pyarrow.schema(fields, data.schema.metadata), convert)


def _json_value(scalar: Any) -> Any:
    """A nested value with dicts for structs and maps."""
    if not scalar.is_valid:
        return None
    types, type = pyarrow.types, scalar.type
    if types.is_map(type):
        return (
            {str(_json_value(one["key"])): _json_value(one["value"]) for one in scalar.values.to_struct_array()}
            if hasattr(scalar.values, "to_struct_array")
            else dict(scalar.as_py())
        )
    if types.is_struct(type):
        return {name: _json_value(value) for name, value in scalar.items()}
    return [_json_value(one) for one in scalar.values] if types.is_nested(type) else scalar.as_py()


def _json_text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else value.isoformat() if hasattr(value, "isoformat") else str(value)


def _with_categories(data: Any, names: Sequence[str]) -> Any:
    """The table with dictionaries instead of values in these columns."""
    table = data if isinstance(data, pyarrow.Table) else data.read_all()
    for name in names:
        if name not in table.schema.names:
            raise KeyError(f"there is no column {name!r} that could be a category; there are {', '.join(table.schema.names)}")
        if not pyarrow.types.is_dictionary(table.schema.field(name).type):
            table = table.set_column(table.schema.get_field_index(name), name, table[name].dictionary_encode())
    return table


def _stored_type(field: Any) -> Any:
    type, types = field.type, pyarrow.types
    if types.is_timestamp(type):
        return pyarrow.timestamp(type.unit)
    if types.is_time32(type) or types.is_time64(type) or types.is_duration(type):
        return pyarrow.time64("us" if type.unit in ("s", "ms", "us") else "ns") if type.unit != "s" else pyarrow.time64("us")
    if types.is_float16(type):
        return pyarrow.float32()
    if types.is_decimal(type) or type in (pyarrow.string_view(), pyarrow.utf8()):
        return pyarrow.large_string()
    if type == pyarrow.binary_view() or types.is_binary(type):
        return pyarrow.large_binary()
    if types.is_date64(type):
        return pyarrow.timestamp("ms")
    if types.is_dictionary(type):
        value = type.value_type
        value = pyarrow.large_string() if types.is_string(value) else value
        return pyarrow.dictionary(type.index_type, value, type.ordered)
    if types.is_list(type) or types.is_large_list(type):
        if not types.is_primitive(type.value_type):
            raise TypeError(f"column {field.name!r} has lists of {type.value_type}, for which TileDB has no datatype: {_REMEDY.format(field.name)}")
        return pyarrow.large_list(type.value_type)
    if types.is_nested(type) and not types.is_fixed_size_list(type):
        raise TypeError(f"column {field.name!r} has the type {type}, for which TileDB has no datatype: {_REMEDY.format(field.name)}")
    return type


def _stored(column: Any, type: Any) -> Any:
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.combine_chunks()
    types = pyarrow.types
    if column.type == type:
        return column
    if types.is_time(type):
        # A duration has the range of a time64 of the same unit, but a time is checked: go by the number.
        unit = column.type.unit
        factor = {"s": 1_000_000, "ms": 1_000}.get(unit, 1)
        numbers = column.view(pyarrow.int32()).cast(pyarrow.int64()) if column.type.bit_width == 32 else column.view(pyarrow.int64())
        return compute.multiply_checked(numbers, factor).view(type)
    if types.is_dictionary(type):
        return pyarrow.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(type.value_type), ordered=type.ordered)
    return column.cast(type)


def schema_of(array: Array) -> Optional[Any]:
    """The Arrow schema of the table that was stored; None if it was not, or does not fit."""
    known = array.metadata.get(_SCHEMA)
    if not isinstance(known, str):
        return None
    try:
        found = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(known, validate=True)))
    except (ValueError, pyarrow.ArrowInvalid, OSError):
        return None
    return found if {field.name for field in found if not pyarrow.types.is_null(field.type)} <= set(array.schema.names) else None


def load(array: Array, **read: Any) -> Any:
    """The table that was stored, as a reader of batches; of another array, all its fields."""
    schema = array.schema
    known = schema_of(array)
    names = schema.names if known is None else [field.name for field in known if not pyarrow.types.is_null(field.type)]
    # Attributes that were added since.
    added = [] if known is None else [one.name for one in schema.attributes if one.name not in names]
    result = array.read([*names, *added], **read)
    raw = pyarrow.RecordBatchReader._import_from_c_capsule(result.__arrow_c_stream__())
    if known is not None and added:
        more = with_datetimes(pyarrow.schema([raw.schema.field(one) for one in added]), schema)
        known, names = pyarrow.schema([*known, *more], metadata=known.metadata), [*names, *added]
    wanted = known if known is not None else with_datetimes(raw.schema, schema)
    if known is None:
        return pyarrow.RecordBatchReader.from_batches(wanted, interruptible(batches_of(raw, schema, wanted), array._ctx))

    def converted() -> Iterator[Any]:
        for batch in interruptible(raw, array._ctx):
            columns = {name: batch.column(at) for at, name in enumerate(names)}
            yield pyarrow.RecordBatch.from_arrays(
                [pyarrow.nulls(batch.num_rows) if field.name not in columns else _restored(columns[field.name], field.type, field.name) for field in wanted], schema=wanted
            )

    return pyarrow.RecordBatchReader.from_batches(wanted, converted())


def _restored(column: Any, type: Any, name: str) -> Any:
    types = pyarrow.types
    if column.type == type:
        return column
    if types.is_dictionary(type) and types.is_dictionary(column.type):
        return pyarrow.DictionaryArray.from_arrays(column.indices.cast(type.index_type), column.dictionary.cast(type.value_type), ordered=type.ordered)
    if types.is_temporal(type):
        numbers = column if types.is_int64(column.type) else column.view(pyarrow.int64())
        if types.is_timestamp(type) or types.is_date64(type):
            return numbers.view(type)
        if types.is_date32(type):
            return numbers.cast(pyarrow.int32()).view(type)
        factor = {"s": 1_000_000, "ms": 1_000}.get(type.unit, 1)
        numbers = compute.divide(numbers, factor) if factor > 1 else numbers
        return numbers.cast(pyarrow.int32()).view(type) if type.bit_width == 32 else numbers.view(type)
    if types.is_binary(type) and types.is_fixed_size_binary(column.type):
        return column.cast(type)
    return column.cast(type)


def simplified(reader: Any, *, unsigned: bool = True, dictionaries: bool = True, times: bool = True, binary: bool = True, small: bool = True) -> Any:
    """The batches with types that a format has: those that it has not become ones with the same values.

    Unsigned and small integers become wider signed ones, dictionaries their values, times of day texts, and bytes hexadecimal texts.
    """
    types = pyarrow.types

    def simple(type: Any) -> Any:
        if types.is_dictionary(type) and not dictionaries:
            return simple(type.value_type)
        if types.is_unsigned_integer(type) and not unsigned:
            return simple({8: pyarrow.int16(), 16: pyarrow.int32()}.get(type.bit_width, pyarrow.int64()))
        if not small and type.id in (pyarrow.int8().id, pyarrow.int16().id):
            return pyarrow.int32()
        if types.is_float16(type):
            return pyarrow.float32()
        if types.is_duration(type):
            return pyarrow.int64()
        if types.is_time(type) and not times:
            return pyarrow.string()
        if (types.is_binary(type) or types.is_large_binary(type) or types.is_fixed_size_binary(type)) and not binary:
            return pyarrow.string()
        return type

    wanted = pyarrow.schema([field.with_type(simple(field.type)) for field in reader.schema])

    def converted(column: Any, type: Any) -> Any:
        if column.type == type:
            return column
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if (
            types.is_string(type)
            and not types.is_string(column.type)
            and (types.is_binary(column.type) or types.is_large_binary(column.type) or types.is_fixed_size_binary(column.type))
        ):
            return pyarrow.array([None if one is None else one.hex() for one in column.to_pylist()], type)
        return column.cast(type)

    def batches() -> Iterator[Any]:
        for batch in reader:
            yield pyarrow.RecordBatch.from_arrays([converted(column, field.type) for column, field in zip(batch.columns, wanted)], schema=wanted)

    return pyarrow.RecordBatchReader.from_batches(wanted, batches())


__all__ = ["load", "schema_of", "simplified", "store"]
