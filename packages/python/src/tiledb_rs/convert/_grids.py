"""Grids in files: NumPy, MATLAB, HDF5, Zarr, NetCDF, GeoTIFF."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Tuple, Union

from . import _arrays as convert_arrays, _matlab as convert_matlab, _netcdf as convert_netcdf, _trees as convert_trees
from .._arrays.array import Array
from .._engines.cf_metadata import OWN, member_path
from .._native.context import Context
from ._checks import Selection, check_size, naming, selection_of
from .._native.errors import require
from .._arrays.group import Group
from .._model.masked import is_masked

numpy = require("numpy", "grids of tiledb_rs.convert")
_RASTER = f"{OWN}raster"
Source = Union[Array, Group]


def read(kind: str, path: str, uri: str, context: Context, options: Dict[str, Any]) -> Source:
    """Converts a file to a dense array or a group of them."""
    if kind == "netcdf":
        return convert_netcdf.read(path, uri, context, options)
    selection = selection_of(kind, options)
    if options:
        raise TypeError(f"the format {kind} has no option {', '.join(options)}")
    converted = _read(kind, path, uri, context, selection)
    selection.check()
    return converted


def _read(kind: str, path: str, uri: str, context: Context, selection: Selection) -> Source:
    if kind == "npy":
        try:
            values = numpy.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ValueError(f"{path} is no array that can be read without pickle: {error}") from error
        if isinstance(values, numpy.lib.npyio.NpzFile):
            raise ValueError(f"{path} is an .npz file")
        return convert_arrays.store(context, uri, values)
    if kind == "npz":
        try:
            with numpy.load(path, allow_pickle=False) as file:
                return _store_all(context, uri, ((name, file[name]) for name in file.files if not selection.excludes(name)))
        except (ValueError, OSError, EOFError, __import__("zipfile").BadZipFile, AttributeError) as error:
            raise ValueError(f"{path} is no .npz file of arrays: {error}") from error
    if kind == "mat":
        return convert_matlab.read(path, uri, context, selection)
    if kind == "hdf5":
        with require("h5py", "HDF5 files").File(path, "r") as file:
            return convert_trees.copy_in(file, uri, context, kind, selection)
    if kind == "zarr":
        node = require("zarr", "Zarr stores").open(path, mode="r")
        if hasattr(node, "shape"):
            check_size(node, selection.unallocated)
            return convert_trees.dataset_in(node, uri, context, kind)
        return convert_trees.copy_in(_Members(node), uri, context, kind, selection)
    return _read_raster(path, uri, context)


class _Members:
    """A group of Zarr, whose iteration differs between its versions."""

    def __init__(self, node: Any):
        self.attrs = node.attrs
        self._found = dict(node.members()) if hasattr(node, "members") else {name: node[name] for name in node}

    def __iter__(self) -> Any:
        return iter(self._found)

    def __getitem__(self, name: str) -> Any:
        found = self._found[name]
        return found if hasattr(found, "shape") else _Members(found)


def _store_all(context: Context, uri: str, arrays: Iterable[Tuple[str, Any]]) -> Group:
    """A group with an array for each name."""
    group, members = Group.create(uri, context=context), {}
    for name, values in arrays:
        member = member_path(name)
        with naming(f"array {name!r}", name):
            convert_arrays.store(context, f"{uri.rstrip('/')}/{member}", values)
        members[name] = member
    group.add_all(members, relative=True)
    return group


def write(kind: str, source: Source, path: str, options: Dict[str, Any]) -> None:
    """Converts a dense array, or a group of them, to a file."""
    if options:
        raise TypeError(f"the format {kind} has no option {', '.join(options)}")
    if kind in ("npy", "npz"):
        for _, array in [("", source)] if isinstance(source, Array) else convert_trees.members(source):
            if isinstance(array, Array):
                convert_arrays.check_texts(array, kind)
    if kind == "npy":
        _only_array(source, kind)
        _write_npy(source, path)  # type: ignore[arg-type]
    elif kind == "npz":
        with open(path, "wb") as file:
            numpy.savez_compressed(file, **_arrays(source))
    elif kind == "mat":
        convert_matlab.write(source, path)
    elif kind == "hdf5":
        with require("h5py", "HDF5 files").File(path, "w") as file:
            convert_trees.copy_out(source, file, kind)
    elif kind == "zarr":
        zarr = require("zarr", "Zarr stores")
        is_array = isinstance(source, Array) and not source.schema.sparse and not any(one.nullable for one in source.schema.attributes)
        # A dense array is an array of Zarr; one with nulls is a group with its mask.
        convert_trees.copy_out(source, convert_trees.ZarrRoot(zarr, path) if is_array else zarr.open_group(path, mode="w"), kind)
    elif kind == "netcdf":
        convert_netcdf.write(source, path)
    else:
        _write_raster(source, path)


def _only_array(source: Source, kind: str) -> None:
    if isinstance(source, Group):
        raise TypeError(f"{source.uri} is a group: convert one of its arrays to {kind}, or the group to npz, hdf5 or zarr")


def _arrays(source: Source) -> Dict[str, Any]:
    if isinstance(source, Array):
        return {one.name: _plain(convert_arrays.load(source)) for one in source.schema.attributes[:1]}
    found = {}
    for name, member in convert_trees.members(source):
        if isinstance(member, Group):
            raise TypeError(f"{member.uri} is a group in a group: convert it to hdf5 or zarr")
        found[name] = _plain(convert_arrays.load(member))
    return found


def _plain(values: Any) -> Any:
    """Without a mask, which these formats have none of; texts in the dtype of the longest."""
    if is_masked(values):
        if numpy.ma.getmaskarray(values).any():
            raise ValueError("the array has nulls, which the format has not: convert it to hdf5, zarr or a table")
        values = values.data
    return values.astype("U") if values.dtype == object else values


def _write_npy(array: Array, path: str) -> None:
    shape, dtype = convert_arrays.shape_of(array), convert_arrays.dtype_of(array)
    if dtype.kind == "O" or 0 in shape or not shape or any(one.nullable for one in array.schema.attributes):
        numpy.save(path, _plain(convert_arrays.load(array)), allow_pickle=False)
        return
    target = numpy.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    tiles = [int(one.tile or extent) for one, extent in zip(array.schema.dimensions, shape)]
    for part in convert_arrays.blocks(shape, tiles, dtype.itemsize):
        target[part] = convert_arrays.load(array, part)
    target.flush()


def _read_raster(path: str, uri: str, context: Context) -> Array:
    rasterio = require("rasterio", "GeoTIFF files")
    with rasterio.open(path) as file:
        dtypes = set(file.dtypes)
        if len(dtypes) != 1:
            raise TypeError(f"{path} has bands of several types: {', '.join(sorted(dtypes))}")
        height, width = file.block_shapes[0]
        chunks = (1, height, width) if height * width >= 1 << 12 else None
        known = {
            "crs": file.crs.to_wkt() if file.crs else None,
            "transform": list(file.transform)[:6],
            "nodata": _number(file.nodata),
            "descriptions": list(file.descriptions),
            "tags": file.tags(),
            "band_tags": [file.tags(band) for band in file.indexes],
            "scales": list(file.scales),
            "offsets": list(file.offsets),
            "units": list(file.units),
            "colorinterp": [one.name for one in file.colorinterp],
        }
        array = convert_arrays.store(context, uri, _Bands(file), dims=["band", "y", "x"], chunks=chunks, fill=None if file.nodata is None else file.nodata)
    array.metadata[_RASTER] = json.dumps(known)
    return array


def _number(value: Any) -> Any:
    """A number that JSON has: texts of those that it has not."""
    return None if value is None else value if numpy.isfinite(value) else str(value)


class _Bands:
    """The bands of a raster as an array of three dimensions."""

    def __init__(self, file: Any):
        self.shape = (file.count, file.height, file.width)
        self.dtype = numpy.dtype(file.dtypes[0])
        self._file = file

    def __getitem__(self, part: Any) -> Any:
        bands, rows, columns = part
        window = ((rows.start, rows.stop), (columns.start, columns.stop))
        return self._file.read(list(range(bands.start + 1, bands.stop + 1)), window=window)


def _write_raster(source: Source, path: str) -> None:
    _only_array(source, "geotiff")
    rasterio = require("rasterio", "GeoTIFF files")
    array: Any = source
    shape, dtype = convert_arrays.shape_of(array), convert_arrays.dtype_of(array)
    if len(shape) not in (2, 3) or len(array.schema.attributes) != 1:
        raise ValueError(f"{array.uri} is no raster: it must have the dimensions band, y, x, or y, x, and one attribute")
    known = json.loads(str(array.metadata.get(_RASTER, "{}")))
    count, height, width = shape if len(shape) == 3 else (1, *shape)
    profile: Dict[str, Any] = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": dtype, "compress": "deflate"}
    if known.get("crs"):
        profile["crs"] = rasterio.crs.CRS.from_wkt(known["crs"])
    if known.get("transform"):
        profile["transform"] = rasterio.Affine(*known["transform"])
    if known.get("nodata") is not None:
        profile["nodata"] = float(known["nodata"])
    with rasterio.open(path, "w", **profile) as file:
        tiles = [int(one.tile or extent) for one, extent in zip(array.schema.dimensions, shape)]
        for part in convert_arrays.blocks(shape, tiles, dtype.itemsize):
            values = _plain(convert_arrays.load(array, part))
            bands, rows, columns = part if len(part) == 3 else (slice(0, 1), *part)
            file.write(values.reshape((-1, *values.shape[-2:])), list(range(bands.start + 1, bands.stop + 1)), window=((rows.start, rows.stop), (columns.start, columns.stop)))
        if known:
            file.update_tags(**{name: value for name, value in known["tags"].items() if name != "AREA_OR_POINT"})
            for at, tags in enumerate(known["band_tags"]):
                file.update_tags(at + 1, **tags)
            file.descriptions, file.scales, file.offsets = known["descriptions"], known["scales"], known["offsets"]
            file.units = [one or "" for one in known["units"]]
            file.colorinterp = [rasterio.enums.ColorInterp[one] for one in known["colorinterp"]]


__all__ = ["read", "write"]
