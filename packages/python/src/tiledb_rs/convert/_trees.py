"""HDF5 and Zarr: groups become groups, datasets dense arrays, and attributes metadata."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Tuple

from . import _h5 as convert_h5
from .._arrays.array import Array
from .._engines.cf_metadata import OWN, decoded, encoded, member_path
from .._native.context import Context
from ._checks import Selection, check_size, naming, product
from ._arrays import blocks, check_texts, dtype_of, load, shape_of, store, unmasked
from .._native.errors import require
from .._arrays.group import Group
from .._model.masked import is_masked

_ENUM, _DIMS = f"{OWN}h5.enum", f"{OWN}h5.dims"


def copy_in(node: Any, uri: str, context: Context, kind: str, selection: Selection, above: Tuple[Any, ...] = (), path: str = "") -> Group:
    """Copies a group of HDF5 or Zarr with all that it contains; ``above`` are the groups that contain it."""
    if kind == "hdf5" and node in above:
        raise ValueError(f"group {node.name!r} contains itself by a link, for which there is no conversion")
    group = Group.create(uri, context=context)
    metadata, members = _metadata_in(node, kind), {}
    for name in sorted(node):
        of_child = f"{path}/{name}".lstrip("/")
        if selection.excludes(of_child):
            continue
        if kind == "hdf5":
            with naming(f"link {of_child!r}", of_child):
                convert_h5.check_link(node.get(name, getlink=True), selection.external)
        try:
            child = node[name]
        except (KeyError, OSError) as error:
            raise ValueError(f"{name!r} in group {node.name!r} is a link that leads nowhere: {error}") from error
        target = f"{uri.rstrip('/')}/{member_path(name)}"
        if hasattr(child, "shape"):
            with naming(f"dataset {of_child!r}", of_child):
                if kind == "hdf5":
                    convert_h5.check_sources(child, selection.external)
                check_size(child, selection.unallocated)
                dataset_in(child, target, context, kind)
        elif type(child).__name__ == "Datatype":
            metadata.update(convert_h5.datatype_in(child, name))
            continue
        else:
            copy_in(child, target, context, kind, selection, (*above, node), of_child)
        members[name] = member_path(name)
    group.add_all(members, relative=True)
    group.metadata.update(metadata)
    return group


def _metadata_in(node: Any, kind: str) -> Dict[str, Any]:
    """The attributes of a group or dataset as metadata."""
    attributes = _attrs(node, kind)
    return {**encoded(attributes), **(convert_h5.exact_attributes_in(node, attributes) if kind == "hdf5" else {})}


def _attrs(node: Any, kind: str) -> Dict[str, Any]:
    if kind == "hdf5":
        return convert_h5.attributes_in(node)
    return {name: value for name, value in dict(node.attrs).items() if name != "_ARRAY_DIMENSIONS"}


def dataset_in(data: Any, uri: str, context: Context, kind: str) -> Array:
    """Copies a dataset of HDF5 or an array of Zarr."""
    dims, chunks, dtype, source = None, None, data.dtype, data
    metadata = _metadata_in(data, kind)
    if data.shape is None:
        raise TypeError("it has no dataspace, for which TileDB has no array")
    if kind == "hdf5":
        h5py = require("h5py", "HDF5 files")
        chunks = data.chunks
        labels = [one.label for one in data.dims]
        dims = labels if all(labels) and len(set(labels)) == len(labels) else None
        if h5py.check_string_dtype(dtype) is not None and h5py.check_string_dtype(dtype).length is None:
            source, dtype = _Texts(data), "O"
        elif dtype.kind == "O":
            raise TypeError("it has references or lists of variable length, for which there is no conversion")
        elif h5py.check_enum_dtype(dtype) is not None:
            metadata[_ENUM] = json.dumps(h5py.check_enum_dtype(dtype))
            dtype = dtype.str
    else:
        if getattr(getattr(data.metadata, "data_type", None), "_zarr_v3_name", None) == "variable_length_bytes":
            raise TypeError("it has bytes of variable length, for which there is no conversion")
        chunks = getattr(data, "chunks", None)
        names = getattr(data.metadata, "dimension_names", None) or dict(data.attrs).get("_ARRAY_DIMENSIONS")
        dims = list(names) if names and all(names) and len(set(names)) == len(names) == len(data.shape) else None
    if chunks is not None and len(chunks) and not 1 << 10 <= product(chunks) * 4 <= 16 << 20:
        chunks = None
    if dims is not None:
        metadata[_DIMS] = json.dumps(dims)
    return store(context, uri, source, dims=dims, chunks=chunks, metadata=metadata, fill=_fill(data, dtype), dtype=dtype)


class ZarrRoot:
    """A Zarr store whose root is an array: what a group has to create it, whatever its name."""

    def __init__(self, zarr: Any, path: str):
        self._zarr, self._path = zarr, path

    def create_array(self, name: str, **options: Any) -> Any:
        """Creates the array of the root."""
        return self._zarr.create_array(self._path, **options)


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
    try:
        value = getattr(data, "fillvalue", getattr(data, "fill_value", None))
    except RuntimeError:
        # HDF5 has datasets whose fill value is not defined.
        value = None
    return value if numpy.dtype(dtype).kind in "iuf" and value is not None and numpy.ndim(value) == 0 else None


def copy_out(source: Any, node: Any, kind: str, path: str = "") -> None:
    """Copies a group, or an array, into a group of HDF5 or Zarr."""
    if isinstance(source, Array):
        _array_out(source, node, kind, path or "value")
        return
    _attributes_out(node, source, kind)
    if kind == "hdf5":
        convert_h5.datatypes_out(node, source.metadata)
    for member in source.members:
        child = source[member.name] if member.name else Array(member.uri, context=source._ctx)
        name = member.name or member.uri.rstrip("/").rsplit("/", 1)[-1]
        if isinstance(child, Group):
            copy_out(child, node.create_group(name), kind, name)
        else:
            _array_out(child, node, kind, name)


def _attributes_out(node: Any, source: Any, kind: str) -> None:
    """Writes the attributes of a group or an array."""
    attributes = decoded(source.metadata)
    if kind == "hdf5":
        convert_h5.attributes_out(node, attributes, source.metadata)
        return
    for name, value in attributes.items():
        node.attrs[name] = value.tolist() if hasattr(value, "tolist") else value.decode("latin-1") if isinstance(value, bytes) else value


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
    _attributes_out(made, array, kind)
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
        if is_masked(found):
            mask = numpy.ma.getmaskarray(found)
            _create(group, kind, f"{key}.mask", mask.shape, mask.dtype, (max(min(len(mask), 1 << 16), 1),), None)[...] = mask
        dtype = values.view("i8").dtype if kind == "hdf5" and values.dtype.kind in "Mm" else values.dtype
        made = _create(group, kind, key, values.shape, _dtype_out(dtype, {}, kind), (max(min(len(values), 1 << 16), 1),), None)
        made[...] = values.view(dtype) if values.dtype.kind in "Mm" else values
    _attributes_out(group, array, kind)


def members(group: Group) -> Iterator[Tuple[str, Any]]:
    """Names and objects of the members of a group."""
    found: List[Any] = list(group.members)
    for member in found:
        name = member.name or member.uri.rstrip("/").rsplit("/", 1)[-1]
        yield name, group[member.name] if member.name else Array(member.uri, context=group._ctx)


__all__ = ["ZarrRoot", "copy_in", "copy_out", "dataset_in", "members"]
