"""A variable of xarray that is read from a dense array when it is indexed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from .._arrays.array import Array
from .._native.errors import require
from .._model.masked import is_masked

numpy = require("numpy", "tiledb_rs.xarray")
backends = require("xarray.backends", "tiledb_rs.xarray", "xarray")
indexing = require("xarray.core.indexing", "tiledb_rs.xarray", "xarray")
# Steps up to this one are read with the cells between them.
_DENSE_STEP = 8


class LazyArray(backends.BackendArray):  # type: ignore[name-defined]
    """An attribute of a dense array as an array of xarray.

    It can be pickled, for workers of Dask: it opens the array at the same timestamps there. Credentials are not pickled.
    """

    def __init__(self, array: Array, attribute: str, shape: Tuple[int, ...], scalar: bool = False, width: int = 0):
        self._array: Optional[Array] = array
        self._where = (array.uri, array.timestamp_range, array.context.public_config())
        self.attribute = attribute
        field = array.schema.attribute(attribute)
        self._first = [_number(array, at) for at in range(array.schema.ndim)]
        self.scalar = scalar
        self.shape = () if scalar else shape
        self._nullable = field.nullable
        self.dtype = numpy.dtype(f"U{width}") if width else _dtype(array, attribute)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_array": None}

    def _open(self) -> Array:
        if self._array is None:
            uri, window, config = self._where
            self._array = Array(uri, at=window, config=config or None)
        return self._array

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: Tuple[Any, ...]) -> Any:
        if self.scalar:
            return self._cells({}).reshape(())
        array = self._open()
        ranges: Dict[str, Any] = {}
        index: List[Any] = []
        length: List[int] = []
        for dimension, part, extent, first in zip(array.schema.dimensions, key, self.shape, self._first):
            points, of_result, count = _select(part, extent)
            index.append(of_result)
            length.append(count)
            ranges[dimension.name] = [_range(dimension, first + low, first + high) for low, high in points]
        if 0 in length:
            return numpy.empty([count for count, one in zip(length, index) if not isinstance(one, int)], self.dtype)
        found = self._cells(ranges)
        for axis, one in reversed(list(enumerate(index))):
            found = found[(slice(None),) * axis + (one,)]
        return found

    def _cells(self, ranges: Dict[str, Any]) -> Any:
        found = self._open().read([self.attribute], ranges).to_numpy()[self.attribute]
        if is_masked(found):
            missing = numpy.ma.getmaskarray(found)
            if self.dtype.kind == "O":
                values = numpy.array(found.data, dtype=object)
                values[missing] = None
                return values
            values = numpy.array(found.data, dtype=self.dtype)
            values[missing] = numpy.nan if self.dtype.kind == "f" else numpy.array("NaT", self.dtype)
            return values
        return numpy.asarray(found, dtype=self.dtype)


def _dtype(array: Array, attribute: str) -> Any:
    """The dtype of a variable: with nulls, integers become floating-point numbers, as xarray has them."""
    schema = array.schema
    field, datatype = schema.attribute(attribute), schema.value_type(attribute)
    if field.var or datatype.is_text or (datatype.is_string and datatype.size > 1):
        return numpy.dtype(object)
    if datatype.is_string:
        return numpy.dtype(f"S{field.values}")
    dtype = numpy.dtype(datatype.numpy)
    if field.nullable and dtype.kind not in "fmM":
        return numpy.dtype(object) if dtype.kind == "b" else numpy.dtype("f4" if dtype.itemsize <= 2 else "f8")
    return dtype


def _number(array: Array, at: int) -> int:
    from .._model.values import number_of

    return number_of(array.schema.dimensions[at].dtype, array.schema.bounds(at)[0])


def _range(dimension: Any, low: int, high: int) -> Any:
    import struct

    from .._model.values import RawRange

    code = f"<{dimension.dtype.code}"
    return RawRange((struct.pack(code, low), struct.pack(code, high)))


def _select(part: Any, extent: int) -> Tuple[List[Tuple[int, int]], Any, int]:
    """The ranges of positions to read, the index of the result, and its length."""
    if isinstance(part, slice):
        positions = range(*part.indices(extent))
        if not positions:
            return [], slice(0, 0), 0
        low, high, step = min(positions), max(positions), abs(positions.step)
        if step <= _DENSE_STEP:
            # With a negative step, the last position that is read is the first of the result.
            return [(low, high)], slice(None, None, positions.step), len(positions)
        ordered = sorted(positions)
        return [(one, one) for one in ordered], slice(None, None, 1 if positions.step > 0 else -1), len(positions)
    if isinstance(part, (int, numpy.integer)):
        position = int(part) + (extent if part < 0 else 0)
        if not 0 <= position < extent:
            raise IndexError(f"index {int(part)} is out of bounds for an axis of size {extent}")
        return [(position, position)], 0, 1
    positions = numpy.asarray(part)
    positions = numpy.where(positions < 0, positions + extent, positions)
    if positions.size and (positions.min() < 0 or positions.max() >= extent):
        raise IndexError(f"an index is out of bounds for an axis of size {extent}")
    distinct, inverse = numpy.unique(positions, return_inverse=True)
    if not distinct.size:
        return [], slice(0, 0), 0
    ends = numpy.flatnonzero(numpy.diff(distinct) != 1)
    starts = [0, *(ends + 1).tolist()]
    stops = [*ends.tolist(), len(distinct) - 1]
    return [(int(distinct[low]), int(distinct[high])) for low, high in zip(starts, stops)], inverse, len(positions)


__all__ = ["LazyArray"]
