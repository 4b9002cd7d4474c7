"""Columns of a write: Python lists, NumPy arrays and pandas series as buffers of the library."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from . import encode_numpy
from .._model.datatypes import Datatype
from .encode_lists import Column, is_missing, key_of, of_list
from .._native.errors import installed
from .._model.fields import Field
from .._model.schema import Schema


def column(schema: Schema, field: Field, values: Any, order: str = "C") -> Column:
    """The buffers of a column.

    Raises:
        TypeError, ValueError: if a value does not fit the field.
    """
    enumeration = getattr(field, "enumeration", None)
    numpy = installed("numpy")
    if enumeration:
        if type(values).__module__.startswith("numpy"):
            values = values.ravel(order)
        values = _indexes(schema, field, values)
    if numpy is not None:
        array = encode_numpy.as_array(values)
        if array is not None:
            return encode_numpy.column(field, array, order)
    if hasattr(values, "to_pylist"):
        values = values.to_pylist()
    elif isinstance(values, (memoryview,)) or type(values).__name__ == "array":
        values = list(values)
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise TypeError(f"the cells of {field.name!r} must be a list or an array, not {type(values).__name__}")
    return of_list(field, values)


def _indexes(schema: Schema, field: Field, values: Any) -> Any:
    """The indexes of the values of an enumeration; integers are indexes, unless its values are integers, too."""
    enumeration = schema.enumeration(field.enumeration)  # type: ignore[union-attr,arg-type]
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if Datatype.of(enumeration.dtype).kind != "int":
        if kind in ("i", "u") or (kind is None and isinstance(values, Sequence) and _are_indexes(values)):
            _check_indexes(field, values, len(enumeration.values))
            return values
    known: Dict[Any, int] = {key_of(value): at for at, value in enumerate(enumeration.values)}
    codes = getattr(values, "cat", values)
    if type(getattr(values, "dtype", None)).__name__ == "CategoricalDtype" and hasattr(codes, "codes"):
        indexes = _of_categories(known, codes)
        if indexes is not None:
            return indexes
    if hasattr(values, "to_pylist"):
        values = values.to_pylist()
    found: List[Optional[int]] = []
    for at, value in enumerate(values):
        if value is None or is_missing(value, Datatype.of(enumeration.dtype)) or type(value).__name__ == "MaskedConstant":
            found.append(None)
            continue
        index = known.get(key_of(value))
        if index is None:
            raise ValueError(f"cell {at} of {field.name!r}: {value!r} is not a value of enumeration {enumeration.name!r}: add it with extend_enumeration()")
        found.append(index)
    return found


def _of_categories(known: Dict[Any, int], categorical: Any) -> Any:
    """The indexes of a categorical of pandas by its codes; None if a category that it has is not known."""
    numpy = installed("numpy")
    if numpy is None:
        return None
    codes = numpy.asarray(categorical.codes)
    places = numpy.asarray([known.get(key_of(one), -1) for one in categorical.categories] + [-1], "i8")
    indexes, missing = places[codes], codes < 0
    if (indexes[~missing] < 0).any():
        return None
    return numpy.ma.MaskedArray(numpy.where(missing, 0, indexes), missing) if missing.any() else indexes


def _check_indexes(field: Field, values: Any, count: int) -> None:
    """Refuses indexes without a value, which would be read as nulls; None and what a mask hides are nulls."""
    present = values.compressed() if hasattr(values, "compressed") else values
    if not hasattr(present, "min"):
        present = [value for value in present if value is not None and not is_missing(value, Datatype.INT64)]
    elif hasattr(present, "dropna"):
        present = present.dropna()
    if not len(present):
        return
    low, high = (present.min(), present.max()) if hasattr(present, "min") else (min(present), max(present))
    # Of a column of polars that has only nulls.
    if low is not None and (low < 0 or high >= count):
        raise ValueError(f"{field.name!r} has the index {low if low < 0 else high}, and its enumeration values with the indexes 0 to {count - 1}; a null is None")


def _are_indexes(values: Sequence[Any]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, int) and not isinstance(value, bool) for value in present)
