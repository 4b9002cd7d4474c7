"""Writes: Arrow streams, NumPy arrays, lists and data frames as cells of an array."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import CFUNCTYPE, byref, c_int32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

from .._native import capsule
from .._arrow import encode
from .._native.callbacks import Guard
from .._native.context import Context, Handle, text
from .._arrow.encode_lists import Column
from .query import WRITE, Bounds, bounds_of, make_subarray, open_handle
from .._model.fields import order_number
from .._model.schema import Schema
from .._arrow.stream_errors import original_errors

CellsCallback = CFUNCTYPE(c_int32, c_uint64, c_void_p)


class Writer:
    """Writes cells to one array."""

    def __init__(self, ctx: Context, uri: str, schema: Schema, at: Optional[int] = None):
        self.ctx, self.uri, self.schema, self.at = ctx, uri, schema, at

    def write(
        self,
        data: Any,
        region: Any = None,
        order: Optional[str] = None,
        batch_bytes: int = 0,
        progress: Optional[Callable[[int], Any]] = None,
    ) -> int:
        """Writes data, and returns the number of cells."""
        layout = self._layout(order)
        bounds = self._bounds(region)
        if _is_arrow(data):
            with original_errors(data) as stream:
                return self._write_stream(stream, layout, bounds, batch_bytes, progress)
        columns = self._columns(data)
        shape = self._shape(bounds)
        made: List[Tuple[str, Column]] = []
        for name, values in columns.items():
            field = self.schema.field(name)
            self._check_shape(name, values, shape)
            made.append((name, encode.column(self.schema, field, values, "F" if layout == 1 else "C")))
        cells = {column.cells for _, column in made}
        if len(cells) != 1:
            raise ValueError(f"the columns have different numbers of cells: {', '.join(f'{name} {one.cells}' for name, one in made)}")
        (count,) = cells
        if shape is not None and layout != 2 and count != _product(shape):
            raise ValueError(f"{count} cells do not fill the region of {' x '.join(map(str, shape))} cells")
        if count:
            self._submit(made, layout, bounds)
        return count

    def _layout(self, order: Optional[str]) -> int:
        if order is None:
            return 3 if self.schema.sparse else 0
        layout = order_number(order)
        if layout not in ((2, 3) if self.schema.sparse else (0, 1, 2)):
            kind, names = ("sparse", "unordered and global") if self.schema.sparse else ("dense", "row-major, col-major and global")
            raise ValueError(f"cells of a {kind} array cannot be written in {order} order; there are {names}")
        return layout

    def _bounds(self, region: Any) -> Bounds:
        if region is None:
            return bounds_of(self.schema, None)
        if self.schema.sparse:
            raise ValueError("a sparse array has no region: its cells have coordinates")
        if not isinstance(region, Mapping):
            from .._model.slicing import region_of

            region = region_of(self.schema, region)
        bounds = bounds_of(self.schema, region)
        if any(len(ranges) > 1 for ranges in bounds.values()):
            raise ValueError("a region has one range for each dimension")
        return bounds

    def _shape(self, bounds: Bounds) -> Optional[Tuple[int, ...]]:
        """The shape of the region of a dense write."""
        if self.schema.sparse:
            return None
        import struct

        found = list(self.schema.shape)
        for index, [(low, high)] in bounds.items():
            code = f"<{self.schema.dimensions[index].dtype.code}"
            found[index] = struct.unpack(code, high)[0] - struct.unpack(code, low)[0] + 1
        return tuple(found)

    def _check_shape(self, name: str, values: Any, shape: Optional[Tuple[int, ...]]) -> None:
        found = getattr(values, "shape", None)
        if shape is None or found is None:
            return
        cells = tuple(found)
        if getattr(self.schema.field(name), "values", 1) > 1 and hasattr(values, "dtype") and values.dtype.kind not in "OSV":
            # The last axis has the values of a cell.
            cells = cells[:-1]
        if len(cells) > 1 and cells != shape:
            raise ValueError(f"the array of {name!r} has the shape {tuple(found)}, and the region {shape}")

    def _columns(self, data: Any) -> Dict[str, Any]:
        """Columns by field; every attribute is needed, and every dimension of a sparse array."""
        needed = [one.name for one in self.schema.attributes]
        if self.schema.sparse:
            needed = [one.name for one in self.schema.dimensions] + needed
        if isinstance(data, Mapping):
            columns = dict(data)
        elif type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
            columns = _columns_of_frame(data, needed)
        elif getattr(getattr(data, "dtype", None), "names", None):
            columns = {name: data[name] for name in data.dtype.names}
        elif len(needed) == 1 and not isinstance(data, (str, bytes)):
            columns = {needed[0]: data}
        else:
            raise TypeError(f"cannot write {type(data).__name__}: give a dict with {', '.join(needed)}, or an Arrow stream")
        for name in columns:
            if name not in needed:
                raise KeyError(f"the array takes no column {name!r}; it takes {', '.join(needed)}")
        missing = [name for name in needed if name not in columns]
        if missing:
            raise KeyError(f"there is no column {', '.join(map(repr, missing))}")
        return columns

    def _query(self, array: Handle, layout: int, bounds: Bounds) -> Handle:
        query = self.ctx.make("query", "query_alloc", array, WRITE, about=self.uri)
        self.ctx.call("query_set_layout", query, layout, about=self.uri)
        if not self.schema.sparse:
            self.ctx.call("query_set_subarray_t", query, make_subarray(self.ctx, array, self.schema, bounds), about=self.uri)
        return query

    def _submit(self, columns: List[Tuple[str, Column]], layout: int, bounds: Bounds) -> None:
        array = open_handle(self.ctx, self.uri, WRITE, end=self.at)
        query = self._query(array, layout, bounds)
        sizes = []
        for name, column in columns:
            field, size = text(name), c_uint64(column.size)
            sizes.append(size)
            self.ctx.call("query_set_data_buffer", query, field, column.data, byref(size), about=name)
            if column.offsets is not None:
                size = c_uint64(8 * column.cells)
                sizes.append(size)
                self.ctx.call("query_set_offsets_buffer", query, field, column.offsets, byref(size), about=name)
            if column.validity is not None:
                size = c_uint64(column.cells)
                sizes.append(size)
                self.ctx.call("query_set_validity_buffer", query, field, column.validity, byref(size), about=name)
        try:
            self.ctx.call("query_submit", query, about=self.uri)
            self.ctx.call("query_finalize", query, about=self.uri)
        finally:
            # The buffers must not be freed before the query.
            query.free()
            array.free()
            del columns, sizes

    def _write_stream(self, data: Any, layout: int, bounds: Bounds, batch_bytes: int, progress: Any) -> int:
        raw, owner = capsule.stream_of(data)
        array = open_handle(self.ctx, self.uri, WRITE, end=self.at)
        query = self._query(array, layout, bounds)
        cells = c_uint64()
        with Guard(self.ctx) as guard:
            callback = guard.callback(CellsCallback, lambda count, _: progress(count) if progress else None)
            arguments = (query, ctypes.addressof(raw), batch_bytes, callback, None, byref(cells))
            guard.call("rs_query_from_arrow", *arguments, about=self.uri)
        if layout == 2:
            self.ctx.call("query_finalize", query, about=self.uri)
        query.free()
        array.free()
        del owner
        return cells.value


def _is_arrow(data: Any) -> bool:
    if isinstance(data, Mapping) or not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")):
        return False
    # The streams of pandas need pyarrow, and have nulls where a frame has NaN.
    return type(data).__module__.partition(".")[0] != "pandas"


def _columns_of_frame(frame: Any, needed: List[str]) -> Dict[str, Any]:
    """The columns of a pandas.DataFrame, and the levels of its index that are fields."""
    twice = [name for name in frame.columns if len(getattr(frame[name], "shape", ())) > 1]
    if twice:
        raise ValueError(f"several columns have the name {twice[0]!r}: rename them")
    columns = {name: frame[name] for name in frame.columns}
    for level in frame.index.names:
        if level in needed and level not in columns:
            columns[level] = frame.index.get_level_values(level)
    return columns


def _product(shape: Tuple[int, ...]) -> int:
    found = 1
    for extent in shape:
        found *= extent
    return found
