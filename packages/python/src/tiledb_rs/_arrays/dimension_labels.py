"""Dimension labels: the values of dense dimensions, which TileDB stores in arrays of their own."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, List, NamedTuple

from .array import Array
from .._native.context import text
from .._native.library import load
from .query import OpenArray


class Label(NamedTuple):
    """A label: its name, the index of its dimension, and its values by position, None where there are none."""

    name: str
    dimension: int
    values: List[Any]


def labels(array: Array) -> List[Label]:
    """The dimension labels of an array."""
    source = array._source()
    ctx = source.ctx
    schema = source.schema_handle()
    library = load()

    def call(name: str, *arguments: Any) -> None:
        function = getattr(library, f"tiledb_{name}")
        function.restype = ctypes.c_int32
        if function(ctx, *arguments):
            ctx.last_error()
            raise ValueError(f"the dimension labels of {source.uri} cannot be read")

    number = c_uint64()
    call("array_schema_get_dimension_label_num", schema, byref(number))
    found = []
    for at in range(number.value):
        handle, index, uri, name, attribute = c_void_p(), c_uint32(), c_char_p(), c_char_p(), c_char_p()
        call("array_schema_get_dimension_label_from_index", schema, c_uint64(at), byref(handle))
        try:
            call("dimension_label_get_dimension_index", handle, byref(index))
            call("dimension_label_get_uri", handle, byref(uri))
            call("dimension_label_get_name", handle, byref(name))
            call("dimension_label_get_label_attr_name", handle, byref(attribute))
            parts = [(value.value or b"").decode() for value in (uri, name, attribute)]
        finally:
            library.tiledb_dimension_label_free(byref(handle))
        found.append(_label(source, index.value, *parts))
    return found


def _label(source: OpenArray, dimension: int, uri: str, name: str, attribute: str) -> Label:
    """Reads the array of a label: its cells are labels, and their attribute the coordinate of the dimension."""
    from .._model.values import number_of

    absolute = uri if "://" in uri or uri.startswith("/") else f"{source.uri.rstrip('/')}/{uri}"
    text(absolute, "a URI")
    array = Array(absolute, at=source.timestamps, context=source.ctx)
    first = number_of(source.schema.dimensions[dimension].dtype, source.schema.bounds(dimension)[0])
    columns: Dict[str, List[Any]] = array.read().to_pydict()
    labels_of = columns.pop(attribute)
    (indexes,) = columns.values()
    values: List[Any] = [None] * source.schema.shape[dimension] if labels_of else []
    for value, index in zip(labels_of, indexes):
        values[index - first] = value
    return Label(name, dimension, values)


__all__ = ["Label", "labels"]
