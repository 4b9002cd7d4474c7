"""Columns of a write that are NumPy arrays, whose memory is used as it is where the types agree."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from .._model.datatypes import Datatype
from .encode_lists import Column, is_variable, of_list
from .._native.errors import require
from .._model.fields import Field
from .._model.masked import is_masked


def as_array(values: Any) -> Optional[Any]:
    """An array of what NumPy has an array of; None for lists, which have types of Python."""
    numpy = require("numpy", "a NumPy array")
    if isinstance(values, numpy.ndarray):
        return values
    if isinstance(values, (str, bytes, list, tuple)) or hasattr(values, "to_pylist") or not hasattr(values, "__array__"):
        return None
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):
        return _of_pandas(values, numpy)
    found = numpy.asarray(values)
    if found.dtype.kind == "f" and hasattr(values, "fill_null") and values.null_count():
        # A series of polars: NumPy has NaN for its nulls, and rounds integers among them.
        return numpy.ma.MaskedArray(values.fill_null(0).to_numpy(), values.is_null().to_numpy())
    return found


def _of_pandas(values: Any, numpy: Any) -> Any:
    """A series or an index: masked where a value is missing and NumPy's type has no value for that."""
    missing = numpy.asarray(values.isna())
    kind = str(values.dtype)
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None) if hasattr(values, "dt") else values.tz_convert("UTC").tz_localize(None)
    if has_numbers(values.dtype):
        if missing.any() and values.dtype.kind in "biuf":
            filled = values.fillna(False if values.dtype.kind == "b" else 0)
            return numpy.ma.MaskedArray(filled.to_numpy(values.dtype.numpy_dtype), missing)
        return values.to_numpy(values.dtype.numpy_dtype)
    if hasattr(values.dtype, "numpy_dtype"):
        # Texts of pyarrow, of which NumPy would take the first character, bytes, dates, decimals.
        return numpy.asarray(values.astype(object))
    return numpy.asarray(values.astype(object) if kind == "category" or kind.startswith("str") else values)


def has_numbers(dtype: Any) -> bool:
    """Whether a dtype of pandas that has a mask, or is of pyarrow, has the values of NumPy's dtype: not texts, bytes, dates, decimals."""
    return hasattr(dtype, "numpy_dtype") and dtype.kind in "biufmM" and not str(dtype).startswith("date")


def column(field: Field, values: Any, order: str = "C") -> Column:
    """The buffers of an array."""
    numpy = require("numpy", "a NumPy array")
    datatype, width = Datatype.of(field.dtype), getattr(field, "values", 1)
    mask = numpy.ma.getmaskarray(values) if is_masked(values) else None
    data = numpy.asarray(values.data if mask is not None else values)
    if data.dtype.kind == "O" or is_variable(field) or (datatype.is_string and data.dtype.kind not in "SVu"):
        return _by_cell(field, data, mask, order)
    if datatype.is_string:
        return _strings(field, data, mask, order)
    if width > 1:
        if data.shape[-1:] != (width,):
            raise ValueError(f"the last axis of the cells of {field.name!r} must have {width} values, not {data.shape}")
        flat = data.reshape(-1, width) if order == "C" else _fortran(data).reshape(-1, width)
    else:
        flat = data.ravel(order)
    converted = convert(field, numpy.ascontiguousarray(flat), mask)
    valid = _validity(field, mask, width > 1, order)
    if data.dtype.kind in "mM" and getattr(field, "nullable", False):
        # NaT is the missing value of datetimes.
        missing = numpy.isnat(flat if width == 1 else flat[:, 0])
        valid = numpy.where(missing, 0, 1 if valid is None else valid).astype("u1")
    return of_memory(field, converted, len(flat), valid)


def _fortran(data: Any) -> Any:
    """Column-major order of the cells, which have several values."""
    return data.transpose((*range(data.ndim - 2, -1, -1), data.ndim - 1))


def _validity(field: Field, mask: Any, several: bool, order: str) -> Any:
    numpy = require("numpy", "a NumPy array")
    if mask is None or not mask.any():
        return None
    if not getattr(field, "nullable", False):
        raise ValueError(f"field {field.name!r} is not nullable, and the array has masked values")
    if several:
        mask = mask.any(axis=-1)
    return numpy.ascontiguousarray(~mask.ravel(order)).astype("u1")


def of_memory(field: Field, data: Any, cells: int, valid: Any) -> Column:
    """The buffers of a contiguous array of the field's type."""
    numpy = require("numpy", "a NumPy array")
    validity = None
    if getattr(field, "nullable", False):
        valid = numpy.ones(cells, "u1") if valid is None else numpy.ascontiguousarray(valid)
        validity = (ctypes.c_uint8 * max(cells, 1)).from_address(valid.ctypes.data)
    return Column(cells, data.ctypes.data, data.nbytes, None, validity, (data, valid))


def convert(field: Field, data: Any, mask: Any = None) -> Any:
    """The values in the type of the field; a value that would change is an error."""
    numpy = require("numpy", "a NumPy array")
    datatype = Datatype.of(field.dtype)
    target = numpy.dtype("u1" if datatype.kind == "bool" else datatype.numpy)
    wrong = TypeError(f"the cells of {field.name!r} must be {datatype.name}, not {data.dtype}{_remedy(data.dtype, target)}")
    if not data.size:
        # Libraries choose the type of a column without values themselves.
        return numpy.empty(data.shape, target)
    if datatype.kind == "bool":
        if data.dtype.kind not in "bu" or (data.dtype.kind == "u" and data.size and data.max() > 1):
            raise wrong
        return data.astype("u1", copy=False)
    if data.dtype == target:
        return data
    if target.kind in "mM" and data.dtype.kind == "i" and data.dtype.itemsize == 8:
        return data.view("i8").view(target) if data.dtype.isnative else data.astype("i8").view(target)
    if data.dtype.kind not in {"i": "iu", "u": "iu", "f": "fiu", "M": "M", "m": "m"}[target.kind]:
        raise wrong
    if _is_lossless(data.dtype, target):
        return data.astype(target)
    try:
        with numpy.errstate(over="ignore", invalid="ignore"):
            converted = data.astype(target)
            same = numpy.isfinite(converted) | ~numpy.isfinite(data) if data.dtype.kind == "f" else converted.astype(data.dtype) == data
    except OverflowError as error:
        raise ValueError(f"a value of {field.name!r} cannot be stored as {datatype.name}: {error}") from None
    if target.kind in "mM":
        same |= numpy.isnat(data)
    elif target.kind in "iu":
        # A number that changes its sign comes back the same.
        same &= (converted < 0) == (data < 0)
    elif data.dtype.kind in "iu":
        # What comes back from a number beyond the integers is undefined.
        same &= converted < 2.0 ** (8 * data.dtype.itemsize - (data.dtype.kind == "i"))
    if mask is not None:
        same |= mask.reshape(same.shape) if mask.size == same.size else False
    if not same.all():
        worst = data.ravel()[int(numpy.argmin(same.ravel()))]
        raise ValueError(f"a value of {field.name!r} cannot be stored as {datatype.name}: {worst}")
    return converted


def _is_lossless(source: Any, target: Any) -> bool:
    """Whether each value of a dtype is one of another; NumPy calls int64 to float64 and seconds to nanoseconds safe, too."""
    numpy = require("numpy", "a NumPy array")
    if target.kind in "mM":
        return False
    if target.kind == "f" and source.kind in "iu":
        return source.itemsize <= target.itemsize // 2
    return bool(numpy.can_cast(source, target, "safe"))


def _remedy(source: Any, target: Any) -> str:
    """What to do about a column of another type, if that is known."""
    if source.kind == "f" and target.kind in "iu":
        nullable = target.name.replace("uint", "UInt").replace("int", "Int")
        return f": convert it with astype({target.name!r}), or where values are missing with astype({nullable!r}) of pandas"
    return f": convert it with astype({target.name!r})" if source.kind == "b" else ""


def _strings(field: Field, data: Any, mask: Any, order: str) -> Column:
    """Strings with a fixed number of bytes: of NumPy's S and V, or bytes along the last axis."""
    numpy = require("numpy", "a NumPy array")
    datatype, width = Datatype.of(field.dtype), getattr(field, "values", 1)
    total = datatype.size * width
    if data.dtype.kind == "u":
        if width > 1 and data.shape[-1:] == (width,) and data.dtype.itemsize == datatype.size:
            flat = numpy.ascontiguousarray(data.reshape(-1, width) if order == "C" else _fortran(data).reshape(-1, width))
            return of_memory(field, flat, len(flat), _validity(field, mask, True, order))
        if width > 1 or data.dtype.itemsize != datatype.size:
            raise TypeError(f"the cells of {field.name!r} must be strings of {total} bytes, not {data.dtype}")
    flat = numpy.ascontiguousarray(data.ravel(order))
    if data.dtype.kind == "S" and data.dtype.itemsize < total:
        flat = flat.astype(f"S{total}")
    if flat.dtype.itemsize != total:
        raise ValueError(f"the cells of {field.name!r} have {flat.dtype.itemsize} bytes instead of {total}")
    return of_memory(field, flat, len(flat), _validity(field, mask, False, order))


def _by_cell(field: Field, data: Any, mask: Any, order: str) -> Column:
    """Cells that are encoded one by one."""
    numpy = require("numpy", "a NumPy array")
    datatype = Datatype.of(field.dtype)
    several = data.dtype != object and not datatype.is_string and data.ndim > 1
    if several:
        cells = list(data.reshape(-1, data.shape[-1]))
    elif data.dtype.kind in "mM":
        cells = list(data.ravel(order))
    elif data.dtype.kind == "V":
        cells = [bytes(cell) for cell in data.ravel(order)]
    else:
        cells = data.ravel(order).tolist()
    if mask is not None:
        hidden = mask.ravel(order) if not several else mask.reshape(-1, data.shape[-1]).any(axis=1)
        cells = [None if gone else cell for cell, gone in zip(cells, numpy.asarray(hidden).tolist())]
    if is_variable(field) and not datatype.is_string:
        cells = [[cell] if cell is not None and not hasattr(cell, "__len__") else cell for cell in cells]
    return of_list(field, cells)
