"""HDF5 and Zarr: groups become groups, datasets dense arrays, and attributes metadata."""
from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Tuple

from .array import Array
from .cf_metadata import OWN, decoded, encoded, member_path
from .context import Context
from .convert_arrays import attributes_of, blocks, check_texts, dtype_of, load, shape_of, store, unmasked
from .errors import require
from .group import Group

_ENUM, _DIMS = f"{OWN}h5.enum", f"{OWN}h5.dims"


def copy_in(node: Any, uri: str, context: Context, kind: str, above: Tuple[Any, ...] = ()) -> Group:
    """Copies a group of HDF5 or Zarr with all that it contains; ``above`` are the groups that contain it."""
    if kind == "hdf5" and node in above:
        raise ValueError(f"group {node.name!r} contains itself by a link, for which there is no conversion")
    group = Group.create(uri, context=context)
    group.metadata.update(encoded(_attrs(node, kind)))
    for name in sorted(node):
        try:
            child = node[name]
        except (KeyError, OSError) as error:
            raise ValueError(f"{name!r} in group {node.name!r} is a link that leads nowhere: {error}") from error
        target = f"{uri.rstrip('/')}/{member_path(name)}"
        if hasattr(child, "shape"):
            _dataset_in(child, target, context, kind, name)
        else:
            copy_in(child, target, context, kind, (*above, node))
        group.add(member_path(name), name, relative=True)
    return group


def _attrs(node: Any, kind: str) -> Dict[str, Any]:
    found = {}
    for name, value in dict(node.attrs).items():
        if kind == "hdf5" and name in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid"):
            # Of dimension scales, whose references mean nothing elsewhere.
            continue
        if name == "_ARRAY_DIMENSIONS":
            continue
        found[name] = None if type(value).__name__ == "Empty" else value
    return found


def _dataset_in(data: Any, uri: str, context: Context, kind: str, name: str) -> Array:
    dims, chunks, attrs, dtype, source = None, None, _attrs(data, kind), data.dtype, data
    if data.shape is None:
        raise TypeError(f"dataset {name!r} has no dataspace, for which TileDB has no array")
    if kind == "hdf5":
        h5py = require("h5py", "HDF5 files")
        chunks = data.chunks
        labels = [one.label for one in data.dims]
        dims = labels if all(labels) and len(set(labels)) == len(labels) else None
        if h5py.check_string_dtype(dtype) is not None and h5py.check_string_dtype(dtype).length is None:
            source, dtype = _Texts(data), "O"
        elif dtype.kind == "O":
            raise TypeError(f"dataset {name!r} has references or lists of variable length, for which there is no conversion")
        elif h5py.check_enum_dtype(dtype) is not None:
            attrs[_ENUM] = json.dumps(h5py.check_enum_dtype(dtype))
            dtype = dtype.str
    else:
        chunks = getattr(data, "chunks", None)
        names = getattr(data.metadata, "dimension_names", None) or dict(data.attrs).get("_ARRAY_DIMENSIONS")
        dims = list(names) if names and all(names) and len(set(names)) == len(names) == len(data.shape) else None
    if chunks is not None and len(chunks) and not 1 << 10 <= _product(chunks) * 4 <= 16 << 20:
        chunks = None
    array = store(context, uri, source, dims=dims, chunks=chunks, attrs=attrs, fill=_fill(data, dtype), dtype=dtype)
    if dims is not None:
        array.metadata[_DIMS] = json.dumps(dims)
    return array


class _Texts:
    """A dataset of texts of variable length."""

    def __init__(self, data: Any):
        self.shape, self.dtype, self._data = data.shape, "O", data

    def __getitem__(self, key: Any) -> Any:
        found = self._data.asstr()[key]
        numpy = require("numpy", "HDF5 files")
        return found if isinstance(found, numpy.ndarray) else numpy.array(found, dtype=object)


def _fill(data: Any, dtype: Any) -> Any:
    numpy = require("numpy", "files")
    value = getattr(data, "fillvalue", getattr(data, "fill_value", None))
    return value if numpy.dtype(dtype).kind in "iuf" and value is not None and numpy.ndim(value) == 0 else None


def _product(numbers: Any) -> int:
    found = 1
    for number in numbers:
        found *= int(number)
    return found


def copy_out(source: Any, node: Any, kind: str, path: str = "") -> None:
    """Copies a group, or an array, into a group of HDF5 or Zarr."""
    if isinstance(source, Array):
        _array_out(source, node, kind, path or "value")
        return
    for name, value in _attributes(decoded(source.metadata), kind).items():
        node.attrs[name] = value
    for member in source.members:
        child = source[member.name] if member.name else Array(member.uri, context=source._ctx)
        name = member.name or member.uri.rstrip("/").rsplit("/", 1)[-1]
        if isinstance(child, Group):
            copy_out(child, node.create_group(name), kind, name)
        else:
            _array_out(child, node, kind, name)


def _attributes(found: Dict[str, Any], kind: str) -> Dict[str, Any]:
    if kind == "zarr":
        return {name: value.tolist() if hasattr(value, "tolist") else value.decode("latin-1") if isinstance(value, bytes) else value for name, value in found.items()}
    numpy = require("numpy", "HDF5 files")
    return {name: json.dumps(value) if isinstance(value, dict) or value is None else numpy.void(value) if isinstance(value, bytes) else value
            for name, value in found.items()}


def _array_out(array: Array, node: Any, kind: str, name: str) -> None:
    if array.schema.sparse:
        _sparse_out(array, node, kind, name)
        return
    numpy = require("numpy", "files")
    check_texts(array, kind)
    shape, dtype = shape_of(array), dtype_of(array)
    tiles = tuple(int(min(one.tile or extent, max(extent, 1))) for one, extent in zip(array.schema.dimensions, shape))
    own = {str(key): value for key, value in array.metadata.items() if key in (_ENUM, _DIMS)}
    dims = json.loads(own[_DIMS]) if _DIMS in own else None
    masked = any(one.nullable for one in array.schema.attributes)
    made = _create(node, kind, name, shape, _dtype_out(dtype, own, kind), tiles, dims)
    mask = _create(node, kind, f"{name}.mask", shape, numpy.dtype(bool), tiles, dims) if masked else None
    for part in blocks(shape, tiles, max(dtype.itemsize, 8)):
        values = load(array, part)
        if mask is not None:
            mask[part or ()] = numpy.ma.getmaskarray(values)
            values = unmasked(values)
        if kind == "hdf5" and dtype.kind in "Mm":
            values = values.view("i8")
        made[part or ()] = values
    for key, value in _attributes(attributes_of(array), kind).items():
        made.attrs[key] = value
    if kind == "hdf5" and dtype.kind in "Mm":
        made.attrs["tiledb.datatype"] = dtype.str
    if kind == "hdf5" and dims:
        for at, label in enumerate(dims):
            made.dims[at].label = label


def _dtype_out(dtype: Any, own: Dict[str, Any], kind: str) -> Any:
    numpy = require("numpy", "files")
    if kind != "hdf5":
        return dtype
    h5py = require("h5py", "HDF5 files")
    if _ENUM in own:
        return h5py.enum_dtype(json.loads(own[_ENUM]), basetype=dtype)
    if dtype.kind in "Mm":
        return numpy.dtype("i8")
    return h5py.string_dtype() if dtype.kind in "OU" else dtype


def _create(node: Any, kind: str, name: str, shape: Tuple[int, ...], dtype: Any, tiles: Tuple[int, ...], dims: Any) -> Any:
    options: Dict[str, Any] = {}
    if kind == "hdf5":
        if shape and 0 not in shape:
            options = {"chunks": tiles, "compression": "gzip", "shuffle": True}
        return node.create_dataset(name, shape=shape, dtype=dtype, **options)
    if shape and 0 not in shape:
        options["chunks"] = tiles
    if dims:
        options["dimension_names"] = dims
    return node.create_array(name, shape=shape, dtype=str if dtype.kind == "O" else dtype, **options)


def _sparse_out(array: Array, node: Any, kind: str, name: str) -> None:
    """A sparse array as a group with an array for each field."""
    numpy = require("numpy", "files")
    group = node.create_group(name)
    for key, found in array.read(order="global").to_numpy().items():
        values = numpy.asarray(unmasked(found))
        if isinstance(found, numpy.ma.MaskedArray):
            mask = numpy.ma.getmaskarray(found)
            _create(group, kind, f"{key}.mask", mask.shape, mask.dtype, (max(min(len(mask), 1 << 16), 1),), None)[...] = mask
        dtype = values.view("i8").dtype if kind == "hdf5" and values.dtype.kind in "Mm" else values.dtype
        made = _create(group, kind, key, values.shape, _dtype_out(dtype, {}, kind), (max(min(len(values), 1 << 16), 1),), None)
        made[...] = values.view(dtype) if values.dtype.kind in "Mm" else values
    for key, value in _attributes(attributes_of(array), kind).items():
        group.attrs[key] = value


def members(group: Group) -> Iterator[Tuple[str, Any]]:
    """Names and objects of the members of a group."""
    found: List[Any] = list(group.members)
    for member in found:
        name = member.name or member.uri.rstrip("/").rsplit("/", 1)[-1]
        yield name, group[member.name] if member.name else Array(member.uri, context=group._ctx)


__all__ = ["copy_in", "copy_out", "members"]
