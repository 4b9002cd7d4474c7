"""NetCDF files: a dataset of xarray for each group, as the file stores it."""
from __future__ import annotations

from typing import Any, Dict, List, Union

from .array import Array
from .cf_metadata import member_path
from .context import Context
from .errors import installed, require
from .group import Group

Source = Union[Array, Group]


def read(path: str, uri: str, context: Context, options: Dict[str, Any]) -> Group:
    """Converts a file to a group, with a group in it for each group of the file."""
    from .xarray import write as write_dataset

    xarray = require("xarray", "NetCDF files")
    groups = _groups_of(path)
    for name, values in options.items():
        if name in ("tiles", "extendable") and groups:
            raise ValueError(f"{path} has the groups {', '.join(groups)}, each with dimensions of its own: {name} is for files without groups")
    made: Dict[str, Group] = {}
    for group in ["", *groups]:
        # As it is stored, so that it can be written back as it was.
        with xarray.open_dataset(path, decode_cf=False, **({"group": group} if group else {})) as dataset:
            texts = _joined_characters(dataset)
            _without_fill(texts)
            above, _, name = group.rpartition("/")
            target = uri if not group else f"{made[above].uri.rstrip('/')}/{member_path(name)}"
            made[group] = write_dataset(texts, target, context=context, **options)
            if group:
                made[above].add(member_path(name), name, relative=True)
    return made[""]


def write(source: Source, path: str) -> None:
    """Converts an array or a group to a file; the groups in it become groups of the file."""
    from .xarray import group_uris
    from .xarray import open as open_dataset

    context, at = (source.context, source.at) if isinstance(source, Array) else (source._ctx, source._at)
    for group, uri in group_uris(source.uri, at, context).items():
        with open_dataset(uri, at=at, context=context, decode_cf=False) as dataset:
            texts = _with_length_dimension(dataset)
            _without_fill(texts)
            texts.to_netcdf(path, **({} if group == "/" else {"group": group.lstrip("/"), "mode": "a"}))


def _groups_of(path: str) -> List[str]:
    """The paths of the groups of a file, each after the one that contains it."""
    if installed("netCDF4") is not None:
        with require("netCDF4", "NetCDF files").Dataset(path) as file:
            return _paths(file)
    if installed("h5netcdf") is not None and require("h5py", "NetCDF files").is_hdf5(path):
        with require("h5netcdf", "NetCDF files").File(path, "r") as file:
            return _paths(file)
    # What else reads NetCDF reads version 3, which has no groups.
    return []


def _paths(node: Any, above: str = "") -> List[str]:
    found = []
    for name, group in node.groups.items():
        path = f"{above}/{name}" if above else name
        found += [path, *_paths(group, path)]
    return found


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


def _without_fill(dataset: Any) -> None:
    """Keeps xarray from adding the fill value NaN to variables that have none."""
    for variable in dataset.variables.values():
        if "_FillValue" not in variable.attrs:
            variable.encoding["_FillValue"] = None


__all__ = ["read", "write"]
