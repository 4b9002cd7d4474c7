"""Dense arrays as datasets of xarray, and datasets as groups of dense arrays.

    tiledb_rs.xarray.write(xarray.open_dataset("file.nc"), "weather")
    xarray.open_dataset("weather", engine="tiledb_rs").sel(time="2013-01").temp.mean().compute()

A dataset is a group with a dense array for each variable, whose attributes are metadata. Values are encoded by the CF conventions, as in
NetCDF, so that units, calendars, scales and fill values remain. A single dense array opens as a dataset of its attributes, too.
"""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Set, Tuple

from ._arrow import inference
from ._arrays.array import Array, create
from ._engines.cf_encoding import check_encoded, encoded_like
from ._engines.cf_metadata import OWN, decoded, encoded, member_path, prefix_of
from ._native.context import ConfigValue, Context, choose_context, uri_of
from ._arrays.dimension_labels import labels
from ._native.errors import require
from ._arrays.group import Group
from ._engines.lazy_array import LazyArray, _number
from ._arrays.objects import object_type, remove
from ._model.fields import Attribute, Dimension
from ._model.schema import UNBOUNDED, Schema
from ._arrays.vfs import is_free

numpy = require("numpy", "tiledb_rs.xarray")
xarray = require("xarray", "tiledb_rs.xarray")
backends = require("xarray.backends", "tiledb_rs.xarray", "xarray")
indexing = require("xarray.core.indexing", "tiledb_rs.xarray", "xarray")
coding_strings = require("xarray.coding.strings", "tiledb_rs.xarray", "xarray")

# Sizes of the dimensions of a group; of an array, that it has one cell and no dimension, and the longest text if texts have a fixed length.
_SIZES, _SCALAR, _WIDTH = f"{OWN}sizes", f"{OWN}scalar", f"{OWN}width"
# Of texts that NetCDF has as characters: the name of the dimension of their length.
_CHARACTERS = f"{OWN}characters"
# Bytes of a variable that are written at once.
_BLOCK = 64 << 20
# Bytes of a variable up to which it is written at the same time as others, and how many of them are.
_SMALL, _THREADS = 1 << 20, 8
Config = Optional[Mapping[str, ConfigValue]]


class _Store(backends.common.AbstractDataStore):  # type: ignore[name-defined]
    """The variables of a group or an array before they are decoded by the CF conventions."""

    def __init__(self, uri: str, at: Any, context: Context):
        kind = object_type(uri, context=context)
        if kind not in ("array", "group"):
            raise FileNotFoundError(f"there is no array or group {uri}")
        self.uri, self.at, self.context = uri, at, context
        self.group = Group(uri, at=at, context=context) if kind == "group" else None
        self.variables: Dict[str, Any] = {}
        self.labels: List[str] = []
        if self.group is None:
            self.attrs = self._of_array(Array(uri, at=at, context=context))
        else:
            self.attrs = decoded(self.group.metadata)
            sizes = _sizes_of(self.group)
            for member in self.group.members:
                if member.type == "array":
                    self._member(Array(member.uri, at=at, context=context), member.name, sizes)

    def _member(self, array: Array, name: Optional[str], sizes: Dict[str, int]) -> None:
        """The variable of an array, or those of an array with several attributes."""
        schema = array.schema
        if schema.sparse:
            return
        for field in schema.attributes:
            known = name if name is not None and schema.attributes == (field,) else field.name
            self.variables[known] = self._variable(array, field.name, sizes)
        self._coordinates(array)

    def _of_array(self, array: Array) -> Dict[str, Any]:
        if array.schema.sparse:
            raise ValueError(f"{self.uri} is a sparse array: xarray has dense ones; read it with to_pandas(), or as a table of DuckDB or polars")
        for field in array.schema.attributes:
            self.variables[field.name] = self._variable(array, field.name, {})
        self._coordinates(array)
        return decoded(array.metadata)

    def _variable(self, array: Array, attribute: str, sizes: Dict[str, int]) -> Any:
        schema = array.schema
        scalar = schema.ndim == 1 and _SCALAR in array.metadata
        dims = () if scalar else tuple(one.name for one in schema.dimensions)
        shape = tuple(min(sizes.get(name, extent), extent) for name, extent in zip(dims, schema.shape))
        lazy = indexing.LazilyIndexedArray(LazyArray(array, attribute, shape, scalar, int(array.metadata.get(_WIDTH, 0))))
        field = schema.attribute(attribute)
        tiles = {} if scalar else {one.name: int(min(one.tile or extent, extent)) for one, extent in zip(schema.dimensions, shape) if extent}
        if field.values != 1 and not field.dtype.is_string:
            raise ValueError(f"attribute {attribute!r} has {field.values} values per cell, which xarray has no variable for: drop it")
        encoding = {"preferred_chunks": tiles, "source": self.uri}
        if field.dtype.is_string and not field.var and _CHARACTERS in array.metadata:
            encoding.update(dtype=numpy.dtype("S1"), char_dim_name=str(array.metadata[_CHARACTERS]))
        return xarray.Variable(dims, lazy, decoded(array.metadata, prefix_of(attribute)), encoding)

    def _coordinates(self, array: Array) -> None:
        """Coordinates of dimensions: their labels, and otherwise dates and numbers that are not positions."""
        schema = array.schema
        for label in labels(array):
            name = schema.dimensions[label.dimension].name
            if len(label.values) == schema.shape[label.dimension] and None not in label.values:
                self.variables.setdefault(label.name, xarray.Variable((name,), numpy.asarray(label.values)))
                self.labels.append(label.name)
        for at, dimension in enumerate(schema.dimensions):
            first, extent = _number(array, at), schema.shape[at]
            if (first or dimension.dtype.kind == "datetime") and extent <= 1 << 27:
                numbers = numpy.arange(extent, dtype="i8") + first if first < 1 << 62 else numpy.arange(extent, dtype="u8") + numpy.uint64(first)
                values = numbers.view(dimension.dtype.numpy) if dimension.dtype.kind in ("datetime", "time") else numbers.astype(dimension.dtype.numpy)
                self.variables.setdefault(dimension.name, xarray.Variable((dimension.name,), values))

    def get_variables(self) -> Dict[str, Any]:
        return self.variables

    def get_attrs(self) -> Dict[str, Any]:
        return self.attrs

    def get_encoding(self) -> Dict[str, Any]:
        unlimited = set(json.loads(str(self.group.metadata.get(f"{OWN}unlimited", "[]"))) if self.group else [])
        return {"source": self.uri, **({"unlimited_dims": unlimited} if unlimited else {})}


def _sizes_of(group: Group) -> Dict[str, int]:
    return {str(name): int(size) for name, size in json.loads(str(group.metadata.get(_SIZES, "{}"))).items()}


class TileDBBackend(backends.BackendEntrypoint):  # type: ignore[name-defined]
    """The engine ``tiledb_rs`` of xarray.

    Examples:
        >>> import xarray
        >>> group = tiledb_rs.xarray.write(xarray.Dataset({"t": ("x", [1.5, 2.5])}), "sea")
        >>> xarray.open_dataset("sea", engine=tiledb_rs.xarray.TileDBBackend)["t"].values.tolist()
        [1.5, 2.5]
    """

    description = "Open dense TileDB arrays and groups of them"
    supports_groups = True
    url = "https://github.com/pydata/xarray"
    open_dataset_parameters = (
        "filename_or_obj",
        "drop_variables",
        "mask_and_scale",
        "decode_times",
        "concat_characters",
        "decode_coords",
        "use_cftime",
        "decode_timedelta",
        "at",
        "config",
        "context",
    )

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is an array or a group; local paths only, others need ``engine="tiledb_rs"``.

        Args:
            filename_or_obj: The path.

        Returns:
            True if it is.

        Examples:
            >>> tiledb_rs.xarray.TileDBBackend().guess_can_open("readings")
            True
        """
        import os

        try:
            uri = os.fspath(filename_or_obj)
        except TypeError:
            return False
        return isinstance(uri, str) and "://" not in uri and any(os.path.isdir(os.path.join(uri, one)) for one in ("__schema", "__group"))

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: Any = None,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        at: Any = None,
        config: Config = None,
        context: Optional[Context] = None,
    ) -> Any:
        """Opens a dataset, for ``xarray.open_dataset``.

        Args:
            filename_or_obj: The array, or the group.
            drop_variables: As in xarray, as are the following ones.
            mask_and_scale: Whether fill values become NaN, and numbers are scaled.
            decode_times: Whether numbers with units of time become dates.
            concat_characters: Whether characters become texts.
            decode_coords: Which variables become coordinates.
            use_cftime: Whether dates are those of cftime.
            decode_timedelta: Whether numbers with units of duration become durations.
            at: The time, as in :func:`tiledb_rs.open`.
            config: Parameters of the library by name, for which a context is made.
            context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

        Returns:
            The dataset, whose variables are read when they are used.

        Raises:
            TileDBError: if there is no array or group.

        Examples:
            >>> import xarray
            >>> dataset = xarray.Dataset({"t": ("x", [1.5, 2.5])}, {"x": [0, 1]})
            >>> group = tiledb_rs.xarray.write(dataset, "sea")
            >>> tiledb_rs.xarray.TileDBBackend().open_dataset("sea")["t"].values.tolist()
            [1.5, 2.5]
        """
        store = _Store(uri_of(filename_or_obj), at, choose_context(context, config))
        if concat_characters is True and store.group is not None and _SIZES in store.group.metadata:
            # Texts that write() stored are whole.
            concat_characters = False
            store.variables = {name: coding_strings.EncodedStringCoder().decode(one, name=name) for name, one in store.variables.items()}
        for name in [drop_variables] if isinstance(drop_variables, str) else drop_variables or []:
            store.variables.pop(name, None)
        options = {"use_cftime": use_cftime} if use_cftime is not None else {}
        found = backends.StoreBackendEntrypoint().open_dataset(
            store,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            decode_timedelta=decode_timedelta,
            **options,
        )
        return found.set_coords([label for label in store.labels if label in found.data_vars])

    def open_groups_as_dict(self, filename_or_obj: Any, *, at: Any = None, config: Config = None, context: Optional[Context] = None, **options: Any) -> Dict[str, Any]:
        """Opens a group and the groups in it as datasets by their paths, for ``xarray.open_groups``.

        Args:
            filename_or_obj: The group.
            at: The time, as in :func:`tiledb_rs.open`.
            config: Parameters of the library by name, for which a context is made.
            context: The context to use; :func:`default_context` if neither it nor ``config`` is given.
            **options: The other options of :meth:`open_dataset`.

        Returns:
            The datasets by path, of which the first is ``/``.

        Raises:
            TileDBError: if there is no group.

        Examples:
            >>> import xarray
            >>> dataset = xarray.Dataset({"t": ("x", [1.5, 2.5])}, {"x": [0, 1]})
            >>> group = tiledb_rs.xarray.write(dataset, "sea")
            >>> list(tiledb_rs.xarray.TileDBBackend().open_groups_as_dict("sea"))
            ['/']
        """
        ctx = choose_context(context, config)
        return {path: self.open_dataset(uri, at=at, context=ctx, **options) for path, uri in group_uris(uri_of(filename_or_obj), at, ctx).items()}

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> Any:
        """Opens a group and the groups in it as a tree, for ``xarray.open_datatree``.

        Args:
            filename_or_obj: The group.
            **options: The options of :meth:`open_groups_as_dict`.

        Returns:
            A ``xarray.DataTree``.

        Raises:
            TileDBError: if there is no group.

        Examples:
            >>> import xarray
            >>> dataset = xarray.Dataset({"t": ("x", [1.5, 2.5])}, {"x": [0, 1]})
            >>> group = tiledb_rs.xarray.write(dataset, "sea")
            >>> tiledb_rs.xarray.TileDBBackend().open_datatree("sea")["t"].values.tolist()
            [1.5, 2.5]
        """
        return xarray.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **options))


def group_uris(uri: str, at: Any, context: Context) -> Dict[str, str]:
    """The URIs of a group and of those in it by their paths, of which the first is ``/``."""
    found: Dict[str, str] = {}
    pending: List[Tuple[str, str, Tuple[str, ...]]] = [("/", uri, (uri,))]
    while pending:
        path, one, above = pending.pop(0)
        found[path] = one
        if object_type(one, context=context) != "group":
            continue
        for member in Group(one, at=at, context=context).members:
            if member.type == "group" and member.uri not in above:
                name = member.name or member.uri.rstrip("/").rsplit("/", 1)[-1]
                pending.append((f"{path.rstrip('/')}/{name}", member.uri, (*above, member.uri)))
    return found


def open(uri: Any, **options: Any) -> Any:
    """Opens a dataset: ``xarray.open_dataset(uri, engine="tiledb_rs")``, also where the package is not installed as a wheel.

    Args:
        uri: The path or URI.
        **options: The options of ``xarray.open_dataset``.

    Returns:
        The dataset.

    Examples:
        >>> import numpy, xarray
        >>> _ = tiledb_rs.xarray.write(xarray.Dataset({"v": ("x", numpy.arange(3.0))}), "grid")
        >>> tiledb_rs.xarray.open("grid")["v"].values.tolist()
        [0.0, 1.0, 2.0]
    """
    return xarray.open_dataset(uri_of(uri), engine=TileDBBackend, **options)


def write(
    dataset: Any,
    uri: Any,
    *,
    tiles: Optional[Mapping[str, int]] = None,
    extendable: Optional[Mapping[str, int]] = None,
    region: Optional[Mapping[str, slice]] = None,
    filters: Any = "BYTESHUFFLE, ZSTD(3)",
    config: Config = None,
    context: Optional[Context] = None,
) -> Group:
    """Writes a dataset, or a data array, to a group that is created, and returns the group.

    Args:
        dataset: A dataset; its variables can be larger than memory: they are written in blocks, or by the chunks of Dask.
        uri: The group.
        tiles: Tile extents by dimension; about a mebibyte per tile by default.
        extendable: The largest size of dimensions along which :func:`append` adds cells later.
        region: Slices of dimensions: writes to this part of a group that exists, only variables that have one of these dimensions.
        filters: Of numbers; texts are compressed by ZSTD.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The group.

    Raises:
        ValueError: if there is an array or a group already, or a region does not fit it.
        TypeError: names a variable of a type that arrays have not.

    Examples:
        >>> import xarray
        >>> group = tiledb_rs.xarray.write(xarray.Dataset({"t": ("x", [1.5, 2.5])}), "sea")
        >>> group["t"].read().to_pydict()["t"]
        [1.5, 2.5]
    """
    ctx, name, dataset = choose_context(context, config), uri_of(uri), _dataset(dataset)
    if region is not None:
        if not isinstance(region, Mapping):
            raise TypeError(f"region must be a dict from dimensions to slices, not {region!r}")
        sizes = _sizes_of(Group(name, context=ctx))
        for one, part in region.items():
            _check_dimension(one, sizes)
            stop = None if not isinstance(part, slice) else part.stop if part.stop is not None else (part.start or 0) + dataset.sizes.get(one, 0)
            if stop is not None and stop > sizes[one]:
                raise ValueError(f"the region of dimension {one!r} ends at {stop}, beyond its size {sizes[one]}: append() makes it larger")
        _check_others(dataset, name, set(region), sizes, ctx)
        return _write_region(dataset, name, dict(region), ctx)
    variables, attrs = xarray.conventions.cf_encoder(*xarray.conventions.encode_dataset_coordinates(dataset))
    variables = {key: _without_second_fill(variable, dataset.variables.get(key)) for key, variable in variables.items()}
    sizes = {str(one): int(size) for one, size in dataset.sizes.items()}
    for one in tiles or {}:
        _check_dimension(one, sizes)
    limits = {**sizes, **{one: _limit(one, most, sizes) for one, most in (extendable or {}).items()}}
    schemas = {key: _schema(str(key), variable, tiles or {}, limits, filters) for key, variable in variables.items()}
    if object_type(name, context=ctx) == "array":
        raise ValueError(f"there is an array at {name}: remove it, or write the dataset elsewhere")
    was_free, created = is_free(name, ctx), []
    group = Group.create(name, context=ctx)

    def store(key: Any) -> None:
        variable = variables[key]
        schema, prefix = schemas[key], prefix_of(_attribute_name(str(key), variable.dims))
        target = f"{name.rstrip('/')}/{member_path(str(key))}"
        if not was_free and is_free(target, ctx):
            created.append(target)
        array = create(target, schema, context=ctx)
        width = {_WIDTH: max(variable.dtype.itemsize // 4, 1)} if variable.dtype.kind == "U" else {}
        original = dataset.variables.get(key)
        length = {} if original is None or "char_dim_name" not in original.encoding else {_CHARACTERS: str(original.encoding["char_dim_name"])}
        array.metadata.update({**encoded(variable.attrs, prefix), **({} if variable.dims else {_SCALAR: 1}), **width, **length})
        parent = _parent_of_bounds(dataset, key)
        _write_blocks(array, variable, {}, dataset.variables.get(key), {} if parent is None else _units(variables[parent].attrs))

    try:
        _store_all(variables, store)
        group.add_all({str(key): member_path(str(key)) for key in variables}, relative=True)
    except BaseException:
        # What else is in the folder stays.
        if was_free:
            remove(name, context=ctx)
        else:
            group.delete()
            for one in created:
                remove(one, context=ctx)
        raise
    unlimited = [str(one) for one in dataset.encoding.get("unlimited_dims", ()) if one in sizes]
    group.metadata.update({**encoded(attrs), _SIZES: json.dumps(sizes), f"{OWN}unlimited": json.dumps(unlimited)})
    return group


def _store_all(variables: Mapping[Any, Any], store: Callable[[Any], None]) -> None:
    """Stores variables, small ones in several threads: most of their time is that of the storage, which makes files durable."""
    small = [key for key, one in variables.items() if one.nbytes <= _SMALL and one.chunks is None]
    small = small if len(small) > 1 else []
    # A thread that fails ends the others, which would leave their variables half written while they are removed.
    with ThreadPoolExecutor(_THREADS) as pool:
        pending = [pool.submit(store, key) for key in small]
        try:
            for one in pending:
                one.result()
        except BaseException:
            for one in pending:
                one.cancel()
            raise
    for key in variables:
        if key not in small:
            store(key)


def _without_second_fill(variable: Any, original: Any) -> Any:
    """An encoded variable without the NaN that xarray adds as a fill value beside another missing value: it does not encode with both."""
    fill = variable.attrs.get("_FillValue")
    if "missing_value" not in variable.attrs or fill is None or fill == fill or original is None or "_FillValue" in {**original.attrs, **original.encoding}:
        return variable
    found = variable.copy(deep=False)
    found.attrs = {key: value for key, value in variable.attrs.items() if key != "_FillValue"}
    return found


def _dataset(given: Any) -> Any:
    """A dataset, or that of a data array."""
    if isinstance(given, xarray.DataArray):
        return given.coords.to_dataset() if given.name in given.coords else given.to_dataset(name=given.name or "value")
    if not isinstance(given, xarray.Dataset):
        raise TypeError(f"dataset must be an xarray.Dataset, not {type(given).__name__}")
    return given


def append(dataset: Any, uri: Any, dimension: str, *, config: Config = None, context: Optional[Context] = None) -> Group:
    """Adds cells along a dimension, which has room for them if the group was written with ``extendable``.

    Readers see the new cells when all variables are complete. Only one process may append at a time.

    Args:
        dataset: The dataset, with all variables that have the dimension.
        uri: The group.
        dimension: The dimension.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The group.

    Raises:
        ValueError: if the dataset has not the dimension, or lacks variables that have it, or does not fit the group.

    Examples:
        >>> import xarray
        >>> dataset = xarray.Dataset({"t": ("x", [1.5, 2.5])}, {"x": [0, 1]})
        >>> group = tiledb_rs.xarray.write(dataset, "sea", extendable={"x": 100})
        >>> group = tiledb_rs.xarray.append(dataset, "sea", "x")
        >>> tiledb_rs.xarray.open("sea").sizes["x"]
        4
    """
    ctx, name, dataset = choose_context(context, config), uri_of(uri), _dataset(dataset)
    group = Group(name, context=ctx)
    sizes = _sizes_of(group)
    _check_dimension(dimension, sizes)
    if dimension not in dataset.sizes:
        raise ValueError(f"the dataset has no dimension {dimension!r}")
    names = [one.name for one in group.members if one.name is not None and one.type == "array" and one.name not in dataset.variables]
    absent = [one for one in names if _has_dimension(group[one], dimension)]
    if absent:
        raise ValueError(f"the dataset has no {', '.join(absent)}, which would get fill values along {dimension!r}")
    _check_others(dataset, name, {dimension}, sizes, ctx)
    start, stop = sizes[dimension], sizes[dimension] + dataset.sizes[dimension]
    _write_region(dataset, name, {dimension: slice(start, stop)}, ctx)
    group.metadata[_SIZES] = json.dumps({**sizes, dimension: stop})
    return group


def _check_others(dataset: Any, uri: str, written: Set[str], sizes: Mapping[str, int], ctx: Context) -> None:
    """Refuses a dataset whose other dimensions are not those of the group: its cells would come to lie elsewhere."""
    for one, size in dataset.sizes.items():
        if one not in written and sizes.get(str(one), size) != size:
            raise ValueError(f"dimension {one!r} has {size} cells, and that of the group {sizes[str(one)]}")
    group = Group(uri, context=ctx)
    for one, values in dataset.coords.items():
        if set(values.dims) & written or str(one) not in group:
            continue
        array = group[str(one)]
        # As it would be stored, for which it may be rounded.
        given = _values(encoded_like(values.variable, array, str(one), _inherited(group, dataset, one))).reshape(values.shape)
        known = array[tuple(slice(0, size) for size in values.shape)] if values.dims else array[...].reshape(())
        if given.shape != known.shape or not numpy.all((given == known) | ((given != given) & (known != known))):
            raise ValueError(f"the coordinate {one!r} is not that of the group: align the dataset with it, as by reindex()")


def _parent_of_bounds(dataset: Any, name: Any) -> Any:
    """The variable whose bounds a variable has: their units are those of the variable."""
    return next((key for key, one in dataset.variables.items() if name in (one.attrs.get("bounds"), one.encoding.get("bounds"))), None)


def _inherited(group: Group, dataset: Any, name: Any) -> Dict[str, Any]:
    """The units that the bounds of a variable have in a group; none if the variable of the dataset is encoded and has its own."""
    parent = _parent_of_bounds(dataset, name)
    if parent is None or str(parent) not in group or "units" in dataset.variables[parent].attrs:
        return {}
    array = group[str(parent)]
    return _units(decoded(array.metadata, prefix_of(array.schema.attributes[0].name)))


def _units(attrs: Mapping[str, Any]) -> Dict[str, Any]:
    return {key: attrs[key] for key in ("units", "calendar") if key in attrs}


def _has_dimension(array: Array, name: str) -> bool:
    return any(one.name == name for one in array.schema.dimensions)


def _check_dimension(name: Any, sizes: Mapping[str, int]) -> None:
    if name not in sizes:
        raise KeyError(f"there is no dimension {name!r}; there are {', '.join(sizes)}")


def _limit(name: str, most: Any, sizes: Dict[str, int]) -> int:
    _check_dimension(name, sizes)
    if isinstance(most, bool) or not isinstance(most, int) or not sizes[name] <= most < UNBOUNDED:
        raise ValueError(f"the largest size of dimension {name!r} must be at least {sizes[name]} and less than {UNBOUNDED}, not {most!r}")
    return most


def _write_region(dataset: Any, uri: str, region: Dict[str, Any], ctx: Context) -> Group:
    """Writes to a part of a group, in the encoding that its variables have."""
    group = Group(uri, context=ctx)
    missing = [str(name) for name, one in dataset.variables.items() if set(one.dims) & set(region) and str(name) not in group]
    if missing:
        raise KeyError(f"the group has no variables {', '.join(missing)}")
    names = {member.name for member in group.members}
    arrays: List[Tuple[Any, Array, Dict[str, slice], Any]] = []
    for name, variable in dataset.variables.items():
        if not set(variable.dims) & set(region) or str(name) not in names:
            continue
        array = group[str(name)]
        arrays.append((encoded_like(variable, array, str(name), _inherited(group, dataset, name)), array, _slices(variable, array, region), variable))
    if not arrays:
        raise ValueError(f"the dataset has no variable with a dimension of the region {', '.join(region)}")
    for variable, array, _, original in arrays:
        _check_blocks(array, variable, original)
    for variable, array, slices, original in arrays:
        width = array.metadata.get(_WIDTH)
        if width is not None and (variable.dtype.kind != "U" or variable.dtype.itemsize // 4 > width):
            del array.metadata[_WIDTH]
        _write_blocks(array, variable, slices, original, {})
    return group


def _slices(variable: Any, array: Array, region: Dict[str, Any]) -> Dict[str, slice]:
    dims = tuple(one.name for one in array.schema.dimensions)
    if dims != tuple(variable.dims):
        raise ValueError(f"a variable has the dimensions {', '.join(variable.dims)}, and the array {array.uri} {', '.join(dims)}")
    found = {}
    for name, size, extent in zip(dims, variable.shape, array.schema.shape):
        part = region.get(name, slice(0, size))
        if not isinstance(part, slice) or part.step not in (None, 1):
            raise ValueError(f"the region of dimension {name!r} must be a slice of step 1, not {part!r}")
        start = part.start or 0
        stop = start + size if part.stop is None else part.stop
        if stop - start != size or start < 0 or stop > extent:
            raise ValueError(f"dimension {name!r}: {size} cells cannot be written to {start}:{stop}, of {extent}; extendable= gives room to append")
        found[name] = slice(start, stop)
    return found


def _attribute_name(name: str, dims: Iterable[Any]) -> str:
    """A field cannot have the name of a dimension: the attribute of a coordinate is called as TileDB-CF calls it. Names with ``__`` are reserved."""
    known = (name.lstrip("_") or "value") if name.startswith("__") else name
    return f"{known}.data" if known in dims else known


def _schema(name: str, variable: Any, tiles: Mapping[str, int], limits: Mapping[str, int], filters: Any) -> Schema:
    dims = [str(one) for one in variable.dims]
    if len(set(dims)) != len(dims):
        raise ValueError(f"variable {name!r} has the dimension {dims[0]!r} twice")
    attribute = _attribute(_attribute_name(name, dims), variable, filters)
    if not dims:
        return Schema([Dimension("scalar" if attribute.name != "scalar" else "scalar_", (0, 0), 1, "UINT64")], [attribute])
    shape = [limits[one] for one in dims]
    width = 32 if attribute.var else attribute.dtype.size * attribute.values
    extents = list(inference.tiles_for([max(size, 1) for size in variable.shape], width))
    chunks = variable.encoding.get("chunksizes") or variable.encoding.get("chunks")
    if chunks and len(chunks) == len(dims) and 1 << 12 <= math.prod(chunks) * width <= 64 << 20:
        extents = [int(one) for one in chunks]
    extents = [tiles.get(one, extent) for one, extent in zip(dims, extents)]
    return Schema(inference.dense_dimensions(shape, dims, extents, width), [attribute])


def _attribute(name: str, variable: Any, filters: Any) -> Attribute:
    dtype = variable.dtype
    if dtype.kind in "OUT":
        return Attribute(name, "STRING_UTF8", filters="ZSTD(3)", fill=None)
    if dtype.kind in "cgV" or dtype == numpy.dtype("f2"):
        raise TypeError(f"variable {name!r} has the dtype {dtype}, for which TileDB has no datatype: convert it")
    fill = variable.attrs.get("_FillValue")
    if dtype.kind == "S":
        return Attribute(name, dtype, filters="ZSTD(3)")
    found = Attribute(name, dtype, fill=None if fill is None or numpy.ndim(fill) else numpy.asarray(fill, dtype)[()], filters=filters)
    return found if dtype.itemsize > 1 else inference.default_filters(found)


def _write_blocks(array: Array, variable: Any, region: Mapping[str, slice], original: Any, inherited: Mapping[str, Any]) -> None:
    """Writes an encoded variable by blocks of whole tiles; ``original`` is what it was encoded from, ``inherited`` as in :func:`check_encoded`."""
    if original is not None and original.dims != variable.dims:
        original = None
    attribute = array.schema.attributes[0].name
    if not variable.dims:
        check_encoded(variable, original, attribute, not region, inherited)
        array.write({attribute: _values(variable).reshape(1)})
        return
    dims = [one.name for one in array.schema.dimensions]
    starts = [region[one].start if one in region else 0 for one in dims]
    for part in _parts(array, variable):
        bounds = {name: (start + one.start, start + one.stop - 1) for name, start, one in zip(dims, starts, part)}
        block, source = _loaded(variable[part], None if original is None else original[part])
        check_encoded(block, source, attribute, not region, inherited)
        array.write({attribute: _values(block)}, region=bounds)


def _check_blocks(array: Array, variable: Any, original: Any) -> None:
    """Refuses values before any is written, unless Dask would have to compute them twice."""
    if original.dims != variable.dims or original.chunks is not None:
        return
    attribute = array.schema.attributes[0]
    for part in _parts(array, variable):
        block = variable[part].load()
        check_encoded(block, original[part], attribute.name, False, {})
        if block.dtype.kind in "iu" and attribute.dtype.kind == "int" and block.size:
            limits = numpy.iinfo(attribute.dtype.numpy)
            for bound in (block.values.min(), block.values.max()):
                if not limits.min <= bound <= limits.max:
                    raise ValueError(f"a value of {attribute.name!r} cannot be stored as {attribute.dtype.name}: {bound}")


def _parts(array: Array, variable: Any) -> Iterator[Tuple[slice, ...]]:
    """The blocks of a variable."""
    width = 64 if variable.dtype == object else variable.dtype.itemsize
    extents = _block(variable.shape, [int(one.tile) for one in array.schema.dimensions], width)
    for index in numpy.ndindex(*[-(-size // extent) for size, extent in zip(variable.shape, extents)]):
        yield tuple(slice(at * extent, min((at + 1) * extent, size)) for at, extent, size in zip(index, extents, variable.shape))


def _loaded(encoded: Any, original: Any) -> Tuple[Any, Any]:
    """A part of a variable and what it was encoded from, in memory: of Dask both are computed at once."""
    if original is None or encoded.chunks is None or original.chunks is None:
        return encoded.load(), original
    dask = require("dask", "variables of Dask")
    values = dask.compute(encoded.data, original.data)
    return tuple(xarray.Variable(one.dims, value, one.attrs) for one, value in zip((encoded, original), values))


def _block(shape: Tuple[int, ...], tiles: List[int], width: int) -> List[int]:
    """Extents of a block: multiples of the tiles, as many as fit, the last dimensions first."""
    extents = [max(min(tile, size), 1) for tile, size in zip(tiles, shape)]
    for axis in reversed(range(len(shape))):
        others = math.prod(extents[:axis] + extents[axis + 1 :]) * width
        fitting = max(_BLOCK // max(others, 1) // extents[axis], 1) * extents[axis]
        extents[axis] = min(fitting, max(shape[axis], 1))
    return extents


def _values(variable: Any) -> Any:
    values = numpy.asarray(variable.values)
    if values.dtype.kind not in "OUT":
        return numpy.ascontiguousarray(values)
    texts = numpy.empty(values.shape, dtype=object)
    for at, value in numpy.ndenumerate(values):
        if isinstance(value, bytes):
            value = value.decode("utf-8")
        if not isinstance(value, str):
            raise TypeError(f"a variable of objects must have texts, not {type(value).__name__}")
        texts[at] = str(value)
    return texts


__all__ = ["TileDBBackend", "append", "open", "write"]
