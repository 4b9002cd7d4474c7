"""MATLAB files up to version 7: arrays, sparse matrices as sparse arrays, structs and cells as groups."""

from __future__ import annotations

import json
import warnings
import zlib
from typing import Any, Dict, List, Tuple, Union

from . import _arrays as convert_arrays, _matlab_check, _trees as convert_trees
from .._arrays.array import Array, create
from .._engines.cf_metadata import OWN, member_path
from .._native.context import Context
from ._checks import Selection, naming
from .._native.errors import require
from .._arrays.group import Group
from .._model.fields import Attribute, Dimension
from .._model.schema import Schema
from .._model.masked import is_masked

numpy = require("numpy", "MATLAB files")
# Of groups: struct or cell, the shape, and the names of the fields; of sparse arrays: the shape.
_CLASS, _SHAPE, _FIELDS = f"{OWN}mat.class", f"{OWN}mat.shape", f"{OWN}mat.fields"
_TILE = 1 << 10
Source = Union[Array, Group]


def read(path: str, uri: str, context: Context, selection: Selection) -> Group:
    """Converts the variables of a file to members of a group."""
    try:
        _matlab_check.check(path)
    except ValueError as error:
        raise ValueError(f"{path} is a damaged MATLAB file: {error}") from None
    with warnings.catch_warnings():
        # Which class sparse matrices have does not matter here.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            variables = require("scipy.io", "MATLAB files", "scipy").loadmat(path, mat_dtype=False, struct_as_record=True)
        except NotImplementedError:
            raise ValueError(f"{path} is a MATLAB file of version 7.3, which is HDF5: give kind='hdf5'") from None
        except zlib.error as error:
            raise ValueError(f"{path} is a damaged MATLAB file: {error}") from error
    group = Group.create(uri, context=context)
    for name, value in variables.items():
        if not name.startswith("__"):
            _member_in(group, name, value, context, selection, name)
    return group


def _member_in(group: Group, name: str, value: Any, context: Context, selection: Selection, path: str) -> None:
    """Converts a variable, a field or an element to a member of a group; ``path`` names it in errors and in ``exclude``."""
    if selection.excludes(path):
        return
    target = f"{group.uri.rstrip('/')}/{member_path(name)}"
    if hasattr(value, "tocoo"):
        with naming(f"variable {path!r}", path):
            _sparse_in(target, value.tocoo(), context)
    elif type(value) is numpy.ndarray and (value.dtype.names or value.dtype == object):
        _container_in(target, value, context, selection, path)
    else:
        with naming(f"variable {path!r}", path):
            if type(value) is not numpy.ndarray or value.dtype.hasobject:
                raise TypeError(f"it is a {type(value).__name__}, for which TileDB has no array")
            convert_arrays.store(context, target, value)
    group.add(member_path(name), name, relative=True)


def _container_in(uri: str, values: Any, context: Context, selection: Selection, path: str) -> None:
    """A struct as a group of its fields; a cell or an array of structs as one of its elements, by their positions."""
    group, fields = Group.create(uri, context=context), list(values.dtype.names or ())
    described = {_CLASS: "struct" if fields else "cell", _SHAPE: json.dumps(values.shape), _FIELDS: json.dumps(fields)}
    group.metadata.update(described)
    if fields and values.size == 1:
        for field in fields:
            _member_in(group, field, values.reshape(-1)[0][field], context, selection, f"{path}/{field}")
        return
    elements = values.reshape(-1)
    for at in range(len(elements)):
        _member_in(group, str(at), elements[at : at + 1] if fields else elements[at], context, selection, f"{path}/{at}")


def _sparse_in(uri: str, matrix: Any, context: Context) -> None:
    """A sparse matrix as a sparse array of its rows and columns."""
    parts = {"real": matrix.data.real, "imag": matrix.data.imag} if matrix.data.dtype.kind == "c" else {"value": matrix.data}
    dimensions = [Dimension(name, (0, max(size, 1) - 1), max(min(size, _TILE), 1), "UINT64") for name, size in zip(("row", "column"), matrix.shape)]
    array = create(uri, Schema(dimensions, [Attribute(name, part.dtype) for name, part in parts.items()], sparse=True), context=context)
    if matrix.nnz:
        contiguous = {name: numpy.ascontiguousarray(part) for name, part in parts.items()}
        array.write({"row": matrix.row.astype("u8"), "column": matrix.col.astype("u8"), **contiguous})
    array.metadata[_SHAPE] = json.dumps(matrix.shape)


def write(source: Source, path: str) -> None:
    """Converts an array, or the members of a group, to the variables of a file."""
    if isinstance(source, Array):
        variables = {source.schema.attributes[0].name: _value(source)}
    else:
        variables = {name: _value(member) for name, member in convert_trees.members(source)}
    require("scipy.io", "MATLAB files", "scipy").savemat(path, variables, do_compression=True)


def _value(source: Source) -> Any:
    """The variable of an array or a group."""
    if isinstance(source, Group):
        return _container(source)
    if source.schema.sparse and _SHAPE in source.metadata:
        return _sparse(source)
    convert_arrays.check_texts(source, "mat")
    values = convert_arrays.load(source)
    if is_masked(values):
        if numpy.ma.getmaskarray(values).any():
            raise ValueError("the array has nulls, which the format has not: convert it to hdf5, zarr or a table")
        values = values.data
    return values.astype("U") if values.dtype == object else values


def _container(group: Group) -> Any:
    """The struct, cell or array of structs that a group was; of another group, a struct of its members."""
    members, metadata = dict(convert_trees.members(group)), group.metadata
    if _CLASS not in metadata:
        return {name: _value(member) for name, member in members.items()}
    fields: List[str] = json.loads(str(metadata[_FIELDS]))
    shape: Tuple[int, ...] = tuple(json.loads(str(metadata[_SHAPE])))
    values = numpy.zeros(shape, [(one, object) for one in fields] if fields else object)
    elements: Dict[int, Any] = {}
    if fields and values.size == 1:
        elements[0] = tuple(_value(members[one]) if one in members else numpy.zeros((0, 0)) for one in fields)
    else:
        for at in range(values.size):
            member = members.get(str(at))
            element = numpy.zeros((0, 0)) if member is None else _value(member)
            elements[at] = element.reshape(-1)[0] if fields and member is not None else tuple(element for _ in fields) if fields else element
    for at, element in elements.items():
        values[numpy.unravel_index(at, shape)] = element
    return values


def _sparse(array: Array) -> Any:
    """The sparse matrix that an array was."""
    sparse = require("scipy.sparse", "MATLAB files", "scipy")
    cells, shape = array.read().to_numpy(), tuple(json.loads(str(array.metadata[_SHAPE])))
    values = cells["value"] if "value" in cells else cells["real"] + 1j * cells["imag"]
    return sparse.coo_matrix((numpy.asarray(values), (cells["row"].astype("i8"), cells["column"].astype("i8"))), shape=shape).tocsc()


__all__ = ["read", "write"]
