"""Files of other formats to arrays and back.

    tiledb_rs.convert.from_file("flights.parquet", "flights", index=["origin", "time_hour"])
    tiledb_rs.convert.to_file("flights", "flights.csv")

Tables become an array with an attribute or a dimension for each column; grids a dense array, or a group of them. Types, nulls,
dictionaries, dates and attributes of the file stay with the array, so that a file that is written from it equals the original, as far as
the format has types for them. Each format needs the package that reads it: :data:`KINDS`.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple, Union

from .._arrays.array import Array
from .._native.context import ConfigValue, Context, choose_context, uri_of
from .._native.errors import TileDBError, require
from .._arrays.group import Group
from .._arrays.objects import object_type, remove
from .._arrays.vfs import is_free


class Kind(NamedTuple):
    """A format: the endings of its names, the packages that it needs, and the module that converts it.

    Examples:
        >>> tiledb_rs.convert.KINDS["parquet"].endings
        ('.parquet', '.pq')
    """

    endings: Tuple[str, ...]
    packages: Tuple[str, ...]
    module: str


KINDS: Dict[str, Kind] = {
    "parquet": Kind((".parquet", ".pq"), ("pyarrow",), "_files"),
    "arrow": Kind((".arrow", ".feather", ".ipc"), ("pyarrow",), "_files"),
    "arrows": Kind((".arrows",), ("pyarrow",), "_files"),
    "orc": Kind((".orc",), ("pyarrow",), "_files"),
    "csv": Kind((".csv",), ("pyarrow",), "_files"),
    "tsv": Kind((".tsv", ".tab"), ("pyarrow",), "_files"),
    "jsonl": Kind((".jsonl", ".ndjson"), ("pyarrow",), "_files"),
    "json": Kind((".json",), ("pyarrow",), "_files"),
    "avro": Kind((".avro",), ("pyarrow", "polars"), "_files"),
    "sqlite": Kind((".sqlite", ".sqlite3", ".db"), ("pyarrow",), "_databases"),
    "duckdb": Kind((".duckdb",), ("pyarrow", "duckdb"), "_databases"),
    "npy": Kind((".npy",), ("numpy",), "_grids"),
    "npz": Kind((".npz",), ("numpy",), "_grids"),
    "mat": Kind((".mat",), ("numpy", "scipy"), "_grids"),
    "hdf5": Kind((".h5", ".hdf5", ".hdf"), ("numpy", "h5py"), "_grids"),
    "zarr": Kind((".zarr",), ("numpy", "zarr"), "_grids"),
    "netcdf": Kind((".nc", ".nc4", ".cdf"), ("numpy", "xarray"), "_grids"),
    "geotiff": Kind((".tif", ".tiff"), ("numpy", "rasterio"), "_grids"),
}
Config = Optional[Mapping[str, ConfigValue]]


def kind_of(path: Any, kind: Optional[str] = None) -> str:
    """The format of a file, by its name if it is not given; of a database called ``.db``, by its first bytes.

    Args:
        path: The file.
        kind: The format if it is known.

    Returns:
        The format.

    Examples:
        >>> tiledb_rs.convert.kind_of("flights.parquet"), tiledb_rs.convert.kind_of("a.NC")
        ('parquet', 'netcdf')
    """
    if kind is not None:
        if kind not in KINDS:
            raise ValueError(f"there is no format {kind!r}; there are {', '.join(KINDS)}")
        return kind
    name = os.fspath(path).rstrip("/").lower()
    for found, of_kind in KINDS.items():
        if name.endswith(of_kind.endings):
            return "duckdb" if name.endswith(".db") and _is_duckdb(path) else found
    raise ValueError(f"the name {os.fspath(path)!r} has no known ending: give kind, one of {', '.join(KINDS)}")


def _is_duckdb(path: Any) -> bool:
    """Whether a file begins as those of DuckDB, which are called ``.db``, too."""
    try:
        with open(path, "rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def _module(kind: str) -> Any:
    for package in KINDS[kind].packages:
        require(package, f"the format {kind}")
    return import_module(f".{KINDS[kind].module}", __package__)


# The exceptions of a conversion; those of readers with other bases become a ValueError.
_ERRORS = (
    *(ImportError, KeyError, MemoryError, NotImplementedError, OSError, TileDBError, TypeError, ValueError),
    *(KeyboardInterrupt, SystemExit, GeneratorExit),
)


def from_file(path: Any, uri: Any, *, kind: Optional[str] = None, config: Config = None, context: Optional[Context] = None, **options: Any) -> Union[Array, Group]:
    """Converts a file to an array, or to a group of arrays, which is created and returned.

    Args:
        path: The file, or the folder of Zarr.
        uri: The array or group.
        kind: The format; by the ending of the name if it is not given.
        options: Of tables, those of :func:`tiledb_rs.from_arrow`, such as ``index`` and ``profile``, ``categories``, the columns of which
            few values are different and which become enumerations, ``columns``, ``exclude``, ``nested="json"``, and ``table`` for databases;
            of CSV, ``delimiter``, ``null_values``, ``decimal``, ``quote``, ``dates`` and ``encoding``; of HDF5, Zarr, MATLAB, NetCDF
            and ``.npz``, ``exclude``; of HDF5 and NetCDF, ``external=True``, which reads other files that the file names, and
            ``unallocated=True``, which writes the fill values of large arrays of which next to nothing is stored; of NetCDF, those of :func:`tiledb_rs.xarray.write`.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The array, or the group of a file with several.

    Raises:
        FileNotFoundError: if there is no file.
        ValueError: if the format is not known, or the file is damaged, or has what arrays have not; the text names the column or variable.
            Exceptions of the package that reads the format are its cause.
        TypeError, KeyError, NotImplementedError: if an option does not fit, or a type has no conversion.
        MemoryError: if there is too little memory.
        TileDBError: if the array cannot be created or written.
        ImportError: if the package that reads the format is not installed.

    Examples:
        >>> import pyarrow.csv
        >>> pyarrow.csv.write_csv(array.read().to_arrow(), "readings.csv")
        >>> from_file("readings.csv", "again", index="time").count()
        3
    """
    found, ctx, target = kind_of(path, kind), choose_context(context, config), uri_of(uri)
    if not os.path.exists(os.fspath(path)):
        raise FileNotFoundError(f"there is no file {os.fspath(path)}")
    module, is_new = _module(found), is_free(target, ctx)
    try:
        return module.read(found, os.fspath(path), target, ctx, options)
    except BaseException as error:
        # Nobody else knows the half of a group; the next attempt would find that it exists.
        if is_new and object_type(target, context=ctx) is not None:
            remove(target, context=ctx)
        if isinstance(error, _ERRORS):
            raise
        # Each package that reads a format has exceptions of its own for damaged files, also panics.
        raise ValueError(f"{os.fspath(path)} cannot be converted: {type(error).__name__}: {error}") from error


def to_file(array: Any, path: Any, *, kind: Optional[str] = None, at: Any = None, config: Config = None, context: Optional[Context] = None, **options: Any) -> None:
    """Converts an array or a group to a file, which must not exist.

    Args:
        array: An array, a group, or a URI.
        path: The file.
        kind: The format; by the ending of the name if it is not given.
        options: Of tables, ``where``, ``ranges`` and ``order`` as in ``Array.read``, and ``table`` for databases.
        at: The time, as in :func:`open`.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Examples:
        >>> to_file("readings", "readings.parquet")
    """
    found = kind_of(path, kind)
    if not isinstance(array, (Array, Group)):
        ctx, uri = choose_context(context, config), uri_of(array)
        source = Group(uri, at=at, context=ctx) if object_type(uri, context=ctx) == "group" else Array(uri, at=at, context=ctx)
    elif at is not None or config is not None or context is not None:
        raise TypeError("at, config and context are those of the array: give its URI instead")
    else:
        source = array
    if os.path.exists(os.fspath(path)):
        raise FileExistsError(f"there is a file {os.fspath(path)}")
    try:
        _module(found).write(found, source, os.fspath(path), options)
    except BaseException:
        _discard(os.fspath(path))
        raise


def _discard(path: str) -> None:
    """Removes what a conversion that failed has written."""
    import shutil

    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.exists(path):
        os.remove(path)


__all__ = ["KINDS", "Kind", "from_file", "kind_of", "to_file"]
