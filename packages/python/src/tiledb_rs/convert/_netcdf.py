"""NetCDF files: a dataset of xarray for each group, as the file stores it."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Union

from . import _h5 as convert_h5, _netcdf3_check
from .._arrays.array import Array
from .._engines.cf_metadata import member_path
from .._native.context import Context
from ._checks import naming, selection_of
from .._native.errors import installed, require
from .._arrays.group import Group

Source = Union[Array, Group]


def read(path: str, uri: str, context: Context, options: Dict[str, Any]) -> Group:
    """Converts a file to a group, with a group in it for each group of the file, without the variables and groups that are excluded."""
    from ..xarray import write as write_dataset

    xarray = require("xarray", "NetCDF files")
    selection = selection_of("netcdf", options)
    _netcdf3_check.check(path)
    convert_h5.check_file(path, selection)
    contents = _contents_of(path)
    excluded = {f"{group}/{name}".lstrip("/") for group, names in contents.items() for name in names if selection.excludes(f"{group}/{name}".lstrip("/"))}
    groups = [group for group in contents if group and not any(selection.excludes(one) for one in _prefixes(group))]
    selection.check()
    for name in options:
        if name in ("tiles", "extendable") and groups:
            raise ValueError(f"{path} has the groups {', '.join(groups)}, each with dimensions of its own: {name} is for files without groups")
    made: Dict[str, Group] = {}
    for group in ["", *groups]:
        prefix = f"{group}/" if group else ""
        dropped = [name for name in contents[group] if f"{prefix}{name}" in excluded]
        # As it is stored, so that it can be written back as it was.
        with xarray.open_dataset(path, decode_cf=False, drop_variables=dropped, **({"group": group} if group else {})) as dataset:
            for name, variable in dataset.variables.items():
                with naming(f"variable {f'{prefix}{name}'!r}", f"{prefix}{name}"):
                    _check(variable)
            texts = _joined_characters(dataset)
            _without_fill(texts)
            above, _, name = group.rpartition("/")
            target = uri if not group else f"{made[above].uri.rstrip('/')}/{member_path(name)}"
            made[group] = write_dataset(texts, target, context=context, **options)
            if group:
                made[above].add(member_path(name), name, relative=True)
    return made[""]


def _check(variable: Any) -> None:
    """Refuses a variable of a type that no array has, before any is written."""
    dtype = variable.dtype
    if len(set(variable.dims)) != len(variable.dims):
        raise ValueError(f"it has a dimension twice: {', '.join(map(str, variable.dims))}")
    if dtype.names is not None:
        raise TypeError(f"it has compound values with the fields {', '.join(dtype.names)}, for which TileDB has no datatype")
    if dtype.kind == "c":
        raise TypeError(f"it has the dtype {dtype}, for which TileDB has no datatype")
    # Of lists, xarray has the type of their values.
    if variable.size:
        values = variable[(slice(0, 1),) * variable.ndim].values
        if values.dtype == object and not isinstance(values.reshape(-1)[0], (str, bytes)):
            raise TypeError("it has lists of variable length, for which there is no conversion")


def write(source: Source, path: str) -> None:
    """Converts an array or a group to a file; the groups in it become groups of the file."""
    from ..xarray import group_uris
    from ..xarray import open as open_dataset

    context, at = (source.context, source.at) if isinstance(source, Array) else (source._ctx, source._at)
    for group, uri in group_uris(source.uri, at, context).items():
        with open_dataset(uri, at=at, context=context, decode_cf=False) as dataset:
            apart = _with_other_numbers(dataset)
            texts = _with_length_dimension(dataset.drop_vars(apart))
            _without_fill(texts)
            texts.to_netcdf(path, **({} if group == "/" else {"group": group.lstrip("/"), "mode": "a"}))
            _append_characters(dataset, apart, path, group)


def _contents_of(path: str) -> Dict[str, List[str]]:
    """The names of the variables of each group of a file by its path, each after the one that contains it; ``""`` is the root."""
    if installed("netCDF4") is not None:
        with require("netCDF4", "NetCDF files").Dataset(path) as file:
            return _contents(file)
    if installed("h5netcdf") is not None and require("h5py", "NetCDF files").is_hdf5(path):
        with require("h5netcdf", "NetCDF files").File(path, "r") as file:
            return _contents(file)
    # What else reads NetCDF reads version 3, which has no groups.
    with require("xarray", "NetCDF files").open_dataset(path, decode_cf=False) as dataset:
        return {"": list(map(str, dataset.variables))}


def _contents(node: Any, path: str = "") -> Dict[str, List[str]]:
    found = {path: list(node.variables)}
    for name, group in node.groups.items():
        found.update(_contents(group, f"{path}/{name}" if path else name))
    return found


def _prefixes(path: str) -> List[str]:
    """A path and those of the groups that contain it."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _joined_characters(dataset: Any) -> Any:
    """The dataset with texts instead of their characters, and the name of the dimension of their length as an encoding."""
    xarray = require("xarray", "NetCDF files")
    # Of texts, which this would make of bytes, the length is not known.
    encodings = {name: one.attrs.pop("_Encoding") for name, one in dataset.variables.items() if one.dtype == "S1" and "_Encoding" in one.attrs}
    found = xarray.decode_cf(dataset, concat_characters=True, mask_and_scale=False, decode_times=False, decode_coords=False, decode_timedelta=False)
    for name, encoding in encodings.items():
        found.variables[name].attrs["_Encoding"] = encoding
    found.encoding = dataset.encoding
    return found


def _with_length_dimension(dataset: Any) -> Any:
    """The dataset with texts instead of single characters, which xarray would write with a dimension more."""
    xarray, numpy = require("xarray", "NetCDF files"), require("numpy", "NetCDF files")
    found = dataset.copy()
    for name, one in dataset.variables.items():
        if one.dtype == "S1" and one.dims and one.size and "char_dim_name" not in one.encoding and name not in dataset.dims:
            values = numpy.ascontiguousarray(one.values)
            texts = values.view(f"S{one.shape[-1]}").reshape(one.shape[:-1])
            found[name] = xarray.Variable(one.dims[:-1], texts, one.attrs, {"char_dim_name": one.dims[-1], "dtype": numpy.dtype("S1")})
    return found


def _with_other_numbers(dataset: Any) -> List[str]:
    """Variables of single characters along a dimension whose name has another number than its length: xarray would rename it.

    None if netCDF4 is not installed, which writes them.
    """
    if installed("netCDF4") is None:
        return []

    def is_apart(name: str, one: Any) -> bool:
        numbers = re.findall(r"\d+", str(one.dims[-1])) if one.dims else []
        return one.dtype == "S1" and bool(numbers) and int(numbers[-1]) != one.shape[-1] and "char_dim_name" not in one.encoding and name not in dataset.dims

    return [name for name, one in dataset.variables.items() if is_apart(name, one)]


def _append_characters(dataset: Any, names: List[str], path: str, group: str) -> None:
    """Writes variables of single characters to a file, as they are."""
    if not names:
        return
    with require("netCDF4", "NetCDF files").Dataset(path, "a") as file:
        node = file[group] if group != "/" else file
        for name in names:
            one = dataset.variables[name]
            for dimension, length in zip(one.dims, one.shape):
                if dimension not in node.dimensions:
                    node.createDimension(dimension, length)
            attributes = dict(one.attrs)
            target = node.createVariable(name, "S1", one.dims, fill_value=attributes.pop("_FillValue", None))
            target.set_auto_chartostring(False)
            target.setncatts(attributes)
            target[...] = one.values


def _without_fill(dataset: Any) -> None:
    """Keeps xarray from adding the fill value NaN to variables that have none."""
    for variable in dataset.variables.values():
        if "_FillValue" not in variable.attrs:
            variable.encoding["_FillValue"] = None


__all__ = ["read", "write"]
