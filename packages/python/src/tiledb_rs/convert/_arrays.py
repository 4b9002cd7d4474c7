"""NumPy arrays, or what can be sliced like one, as dense arrays: every dtype that has values, in blocks of whole tiles."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .._arrow import inference
from .._arrays.array import Array, create
from .._engines.cf_metadata import OWN, decoded
from .._native.context import Context
from .._native.errors import require
from .._model.fields import Attribute, Dimension
from .._model.schema import Schema
from .._model.masked import is_masked

numpy = require("numpy", "tiledb_rs.convert")
# Of an array: its dtype in the notation of .npy files, that it has no dimension, and its shape, in which an extent can be 0.
DTYPE, SHAPE = f"{OWN}dtype", f"{OWN}shape"
_BLOCK = 64 << 20


def store(
    context: Context,
    uri: str,
    source: Any,
    *,
    name: str = "value",
    dims: Optional[Sequence[str]] = None,
    chunks: Optional[Sequence[int]] = None,
    metadata: Optional[Mapping[str, Any]] = None,
    fill: Any = None,
    dtype: Any = None,
) -> Array:
    """Writes an array, or an object with ``shape``, ``dtype`` and slices, to a dense array that is created."""
    dtype = _packed(numpy.dtype(source.dtype if dtype is None else dtype))
    shape = tuple(int(extent) for extent in source.shape)
    attributes = _attributes(name, dtype)
    if fill is not None and len(attributes) == 1 and dtype.kind in "iuf" and dtype.itemsize > 1:
        attributes = [Attribute(name, attributes[0].dtype, fill=numpy.asarray(fill, numpy.dtype(attributes[0].dtype.numpy))[()], filters=attributes[0].filters)]
    known = {one.name for one in attributes}
    labels = [f"{one}_" if one in known else one for one in (dims or [f"dim_{at}" for at in range(len(shape))])]
    width = max(32 if one.var else one.dtype.size * one.values for one in attributes)
    tiles = list(chunks) if chunks and all(chunks) and len(chunks) == len(shape) else list(inference.tiles_for(shape, width))
    made = inference.dense_dimensions(shape, labels, tiles, width) if shape else [Dimension("scalar", (0, 0), 1, "UINT64")]
    array = create(uri, Schema(made, attributes), context=context)
    array.metadata.update({**(metadata or {}), DTYPE: _described(dtype), SHAPE: json.dumps(shape)})
    for part in blocks(shape, tiles, max(width, dtype.itemsize)):
        values = numpy.asarray(source[part] if shape else source[()])
        columns = _split(name, values.astype(dtype, copy=False) if dtype.kind != "O" else values, dtype)
        region = {one.name: (index.start, index.stop - 1) for one, index in zip(made, part)} if shape else None
        array.write({key: column.reshape(1) if not shape else column for key, column in columns.items()}, region=region)
    return array


def _packed(dtype: Any) -> Any:
    """A structured dtype without gaps, its fields in the order of their names: those of files can have others."""
    return (
        numpy.dtype([(name, numpy.dtype(field.str) if field.kind not in "OV" else field) for name, (field, *_) in ((one, dtype.fields[one]) for one in dtype.names)])
        if dtype.names
        else dtype
    )


def shape_of(array: Array) -> Tuple[int, ...]:
    """The shape of the array that was stored, otherwise that of the domain."""
    shape = tuple(array.schema.shape)
    try:
        known = tuple(int(extent) for extent in json.loads(str(array.metadata[SHAPE])))
    except (KeyError, ValueError, TypeError):
        return shape
    # A shape that lies does not lead beyond the array.
    if not known:
        return known if shape == (1,) else shape
    return known if len(known) == len(shape) and all(0 <= one <= extent for one, extent in zip(known, shape)) else shape


def dtype_of(array: Array) -> Any:
    """The dtype of the array that was stored; a structured one of the attributes if it is an array of another program."""
    known = array.metadata.get(DTYPE)
    if known is not None:
        descr = json.loads(str(known))
        return numpy.dtype(descr) if isinstance(descr, str) else numpy.dtype([tuple(one) for one in descr])
    return array.dtype


def load(array: Array, part: Tuple[slice, ...] = ()) -> Any:
    """A part of the array that was stored, in its dtype; nulls make a masked array."""
    if array.schema.sparse:
        raise ValueError(f"{array.uri} is a sparse array: convert it as a table")
    shape, dtype = shape_of(array), dtype_of(array)
    if 0 in shape:
        return numpy.empty(shape, dtype)
    names = [one.name for one in array.schema.attributes]
    first = [bounds[0] for bounds in map(array.schema.bounds, range(array.schema.ndim))]
    ranges: Dict[str, Any] = {}
    for at, (dimension, extent) in enumerate(zip(array.schema.dimensions, shape)):
        index = part[at] if at < len(part) else slice(0, extent)
        if isinstance(first[at], int):
            ranges[dimension.name] = (first[at] + index.start, first[at] + index.stop - 1)
        elif index != slice(0, extent):
            raise ValueError("a part of an array with dates as coordinates cannot be loaded")
    found = _joined(array.read(names, ranges).to_numpy(), names, dtype)
    return found.reshape(()) if not shape else found


def blocks(shape: Sequence[int], tiles: Sequence[int], width: int) -> Iterator[Tuple[slice, ...]]:
    """Parts of whole tiles, of at most about 64 MiB; of an empty shape one without slices, of no cells none."""
    if 0 in shape:
        return
    extents = [max(min(int(tile), size), 1) for tile, size in zip(tiles, shape)]
    for axis in reversed(range(len(shape))):
        others = width
        for at, extent in enumerate(extents):
            others *= 1 if at == axis else extent
        extents[axis] = min(max(_BLOCK // max(others, 1) // extents[axis], 1) * extents[axis], shape[axis])
    for index in numpy.ndindex(*[-(-size // extent) for size, extent in zip(shape, extents)]):
        yield tuple(slice(at * extent, min((at + 1) * extent, size)) for at, extent, size in zip(index, extents, shape))


def _described(dtype: Any) -> str:
    return json.dumps(numpy.lib.format.dtype_to_descr(dtype) if dtype.fields else dtype.str if dtype.kind not in "OT" else "O")


def _attributes(name: str, dtype: Any) -> List[Attribute]:
    if dtype.fields:
        for key, (of_field, *_) in dtype.fields.items():
            if of_field.fields or of_field.shape or of_field.kind in "cV":
                raise TypeError(f"field {key!r} has the dtype {of_field}, for which TileDB has no datatype: make it an array of its own")
        return [_attribute(key, of_field) for key, (of_field, *_) in dtype.fields.items()]
    if dtype.kind == "c" and dtype.itemsize in (8, 16):
        return [_attribute(part, numpy.dtype(f"f{dtype.itemsize // 2}")) for part in ("real", "imag")]
    return [_attribute(name, dtype)]


def _attribute(name: str, dtype: Any) -> Attribute:
    if dtype.kind in "UO" or dtype.kind == "T":
        return Attribute(name, "STRING_UTF8", filters="ZSTD(3)")
    if dtype == numpy.dtype("f2"):
        dtype = numpy.dtype("f4")
    if (
        dtype.kind not in "biufMmS"
        or dtype.itemsize > 8
        and dtype.kind != "S"
        or dtype.kind in "Mm"
        and numpy.datetime_data(dtype)[1] != 1
        or dtype.kind in "Mm"
        and numpy.datetime_data(dtype)[0] == "generic"
    ):
        raise TypeError(f"{name!r} has the dtype {dtype}, for which TileDB has no datatype: convert it")
    return inference.default_filters(Attribute(name, dtype if dtype.itemsize else numpy.dtype("S1")))


def _split(name: str, values: Any, dtype: Any) -> Dict[str, Any]:
    """The values by attribute, as TileDB stores them."""
    if dtype.fields:
        return {key: _stored(values[key]) for key in dtype.fields}
    if dtype.kind == "c":
        return {"real": _stored(values.real), "imag": _stored(values.imag)}
    return {name: _stored(values)}


def _stored(values: Any) -> Any:
    if values.dtype.kind in "UOT":
        found = numpy.empty(values.shape, dtype=object)
        for at, value in numpy.ndenumerate(values):
            value = value.decode("utf-8") if isinstance(value, bytes) else value
            if not isinstance(value, str):
                raise TypeError(f"an array of objects must have texts, not {type(value).__name__}")
            found[at] = str(value)
        return found
    if values.dtype == numpy.dtype("f2"):
        values = values.astype("f4")
    if values.dtype.kind == "S" and not values.dtype.itemsize:
        values = values.astype("S1")
    return numpy.ascontiguousarray(values, values.dtype.newbyteorder("<") if values.dtype.byteorder == ">" else values.dtype)


def _joined(found: Mapping[str, Any], names: List[str], dtype: Any) -> Any:
    if dtype.fields:
        joined = numpy.empty(found[names[0]].shape, dtype)
        for name in names:
            joined[name] = found[name]
        return joined
    if dtype.kind == "c" and set(names) == {"real", "imag"}:
        joined = numpy.empty(found["real"].shape, dtype)
        joined.real, joined.imag = found["real"], found["imag"]
        return joined
    values = found[names[0]]
    return values if dtype.kind == "O" else values.astype(dtype, copy=False)


def check_texts(array: Array, kind: str) -> None:
    """Refuses an array with several attributes of which one has texts: formats of grids have no such structure, and NumPy would pickle it."""
    texts = [name for name, (field, *_) in (dtype_of(array).fields or {}).items() if field.hasobject]
    if texts:
        raise TypeError(f"{array.uri} has several attributes, of which {', '.join(texts)} have texts or lists: {kind} has no type for them, convert it to a table such as parquet")


def unmasked(values: Any) -> Any:
    """The values, and under a mask whatever the array has there; the empty text for texts."""
    if not is_masked(values):
        return values
    return values.filled("") if values.dtype == object else values.data


def attributes_of(array: Array) -> Dict[str, Any]:
    """The attributes that were stored with an array."""
    return decoded(array.metadata)


__all__ = ["attributes_of", "blocks", "check_texts", "dtype_of", "load", "shape_of", "store", "unmasked"]
