"""Dask: arrays as data frames, by partitions, and as Dask arrays, by chunks.

All tasks read the snapshot at which the collection was made. A write makes all cells of a job visible at once, however often its tasks
run: see :mod:`tiledb_rs.staging`.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._arrow import columns as arrow_columns, inference
from ._arrays.array import Array, create
from ._model.condition import condition_of
from ._native.context import ConfigValue, Context, is_secret, uri_of
from ._model.datatypes import Datatype
from ._native.errors import TileDBError, require
from ._arrays.objects import exists
from ._arrays.partition import Partition
from ._model.fields import Attribute
from ._model.masked import is_masked
from ._model.schema import Schema
from .staging import StagedFragments, WriteJob, create_target, sparse_target, stage_batches
from ._model.values import number_of

require("dask", "tiledb_rs.dask")

Config = Optional[Mapping[str, ConfigValue]]
PARTITION_BYTES = 64 << 20


class _Config(Dict[str, ConfigValue]):
    """A configuration in a task graph, which shows no credentials."""

    def __repr__(self) -> str:
        return repr({name: "***" if is_secret(name) else value for name, value in self.items()})

    __str__ = __repr__

    def context(self) -> Optional[Context]:
        return Context(self) if self else None

    def __reduce__(self) -> Any:
        return _Config, (dict(self),)

    def __dask_tokenize__(self) -> Any:
        return sorted((name, str(value)) for name, value in self.items() if not is_secret(name))


# Data frames


def read_frame(
    uri: Any,
    *,
    fields: Any = None,
    where: Any = None,
    ranges: Optional[Mapping[str, Any]] = None,
    at: Any = None,
    n: Optional[int] = None,
    bytes: Optional[int] = None,
    config: Config = None,
    batch_bytes: int = 0,
) -> Any:
    """A ``dask.dataframe.DataFrame`` with a partition for each partition of the read.

    ``fields``, ``where``, ``ranges``, ``n`` and ``bytes`` are those of :meth:`Array.partitions`; partitions have about 64 MiB by default.
    A selection of columns of the data frame is pushed into the reads. Columns that can have nulls have nullable dtypes.
    """
    frames = require("dask.dataframe", "read_frame()", "dask[dataframe]")
    settings = _Config(config or {})
    array = Array(uri, at=at, context=settings.context())
    if where is not None and not array.schema.sparse:
        raise ValueError("where is for sparse arrays, as cells of a dense one have the fill value: filter the data frame")
    if n is None and bytes is None:
        bytes = PARTITION_BYTES
    names = list(array.read(fields, ranges, where).fields)
    found: List[Optional[Partition]] = []
    if array.nonempty_domain() is not None or not array.schema.sparse:
        found.extend(array.partitions(n, bytes, names, ranges, condition_of(where, array._source())))
    read = _ReadPartition(array.uri, settings, _schema(array, names), batch_bytes)
    return frames.from_map(read, found or [None], meta=read(None), label="read-tiledb")


class _ReadPartition:
    """Reads one partition as a pandas.DataFrame."""

    def __init__(self, uri: str, config: _Config, schema: Any, batch_bytes: int):
        self.uri, self.config, self.schema, self.batch_bytes = uri, config, schema, batch_bytes

    def __repr__(self) -> str:
        return f"<read of {self.uri}>"

    def __dask_tokenize__(self) -> Any:
        return self.uri, self.schema.to_string(), self.batch_bytes, self.config.__dask_tokenize__()

    def __call__(self, part: Optional[Partition], columns: Optional[List[str]] = None) -> Any:
        pyarrow = require("pyarrow", "read_frame()")
        schema = self.schema if columns is None else pyarrow.schema([self.schema.field(name) for name in columns])
        batches: List[Any] = []
        if part is not None:
            fields = schema.names or self.schema.names[:1]
            result = part.read(fields, batch_bytes=self.batch_bytes, context=self.config.context())
            batches = [arrow_columns.converted(batch, schema) for batch in result.batches()]
        return _frame(pyarrow.Table.from_batches(batches, schema=schema))


def _schema(array: Array, names: List[str]) -> Any:
    """The Arrow schema of partitions, with dates as timestamps in seconds, as pandas has them."""
    pyarrow = require("pyarrow", "read_frame()")
    arrow = arrow_columns.schema_of(array.read(names))
    fields = []
    for one in arrow:
        if arrow_columns.is_date(array.schema, one.name):
            one = one.with_type(pyarrow.date32())
        fields.append(one.remove_metadata())
    return pyarrow.schema(fields)


def _frame(table: Any) -> Any:
    """A pandas.DataFrame whose dtypes follow from the schema alone, not from the nulls of a partition."""
    pandas, pyarrow = require("pandas", "read_frame()"), require("pyarrow", "read_frame()")
    types = pyarrow.types
    nullable = {
        pyarrow.int8(): "Int8",
        pyarrow.int16(): "Int16",
        pyarrow.int32(): "Int32",
        pyarrow.int64(): "Int64",
        pyarrow.uint8(): "UInt8",
        pyarrow.uint16(): "UInt16",
        pyarrow.uint32(): "UInt32",
        pyarrow.uint64(): "UInt64",
        pyarrow.float32(): "Float32",
        pyarrow.float64(): "Float64",
        pyarrow.bool_(): "boolean",
    }
    columns = {}
    for one, column in zip(table.schema, table.columns):
        if types.is_date32(one.type):
            columns[one.name] = column.cast(pyarrow.timestamp("s")).to_pandas()
        elif types.is_time64(one.type):
            # Times of day are less than a day, but TileDB's need not be.
            columns[one.name] = column.cast(pyarrow.int64()).cast(pyarrow.duration(one.type.unit)).to_pandas()
        elif types.is_large_string(one.type) or types.is_string(one.type):
            columns[one.name] = pandas.Series(pandas.array(column, dtype=pandas.StringDtype("pyarrow")))
        elif one.nullable and one.type in nullable:
            dtype = pandas.api.types.pandas_dtype(nullable[one.type])
            columns[one.name] = pandas.Series(dtype.__from_arrow__(column))
        elif types.is_nested(one.type) or types.is_large_binary(one.type) or types.is_fixed_size_binary(one.type):
            # Dask would make strings of objects.
            columns[one.name] = pandas.Series(pandas.ArrowDtype(one.type).__from_arrow__(column))
        else:
            columns[one.name] = column.to_pandas()
    return pandas.DataFrame(columns, copy=False)


def write_frame(
    frame: Any,
    uri: Any,
    *,
    dimensions: Optional[Sequence[str]] = None,
    config: Config = None,
    timestamp: Any = None,
    staging: Any = None,
    capacity: int = 10_000,
    compute: bool = True,
) -> Any:
    """Writes the rows of a Dask data frame to a sparse array, and returns their number.

    An array that does not exist is created with these columns as dimensions. The index is written if its name is a field. Without
    ``compute`` the result is a delayed object, whose last task commits.
    """
    require("dask.dataframe", "write_frame()", "dask[dataframe]")
    pyarrow = require("pyarrow", "write_frame()")
    settings = _Config(config or {})
    dims = None if dimensions is None else [dimensions] if isinstance(dimensions, str) else list(dimensions)
    if not exists(uri, context=settings.context()):
        empty = _with_index(frame._meta_nonempty, dims or [])
        arrow = pyarrow.Table.from_pandas(empty, preserve_index=False).schema
        create_target(uri, _plain_schema(arrow), dims, config=settings, capacity=capacity)
    array = sparse_target(Array(uri, context=settings.context()))
    job = WriteJob(array.uri, config=settings, staging=staging, timestamp=timestamp)
    return _run(job, [(_stage_frame, part) for part in frame.to_delayed()], compute)


def _plain_schema(arrow: Any) -> Any:
    """Dictionaries become values: the partitions may have different ones."""
    pyarrow = require("pyarrow", "write_frame()")
    types = pyarrow.types
    plain = [one.with_type(one.type.value_type) if types.is_dictionary(one.type) else one for one in arrow.remove_metadata()]
    return pyarrow.schema([one.with_type(pyarrow.string()) if types.is_null(one.type) else one for one in plain])


def _with_index(frame: Any, names: Sequence[str]) -> Any:
    levels = [level for level in frame.index.names if level is not None and level in names]
    return frame.reset_index(levels) if levels else frame


def _stage_frame(job: WriteJob, frame: Any) -> StagedFragments:
    pyarrow = require("pyarrow", "write_frame()")
    array = Array(job.uri, config=job.config or None)
    data = _with_index(frame, array.schema.names)
    return stage_batches(job, iter([pyarrow.Table.from_pandas(data, preserve_index=False)] if len(data) else []))


def _run(job: WriteJob, tasks: Sequence[Tuple[Any, ...]], compute: bool) -> Any:
    """Stages all tasks, and commits."""
    dask: Any = require("dask", "tiledb_rs.dask")
    if compute:
        job.begin()
    staged = [dask.delayed(function, pure=False)(job, *arguments) for function, *arguments in tasks]
    if not compute:
        # Not begun: if the process of the last task is lost after the commit, Dask repeats the others.
        return dask.delayed(_commit, pure=False)(job, staged)
    try:
        return job.commit(dask.compute(*staged))
    except BaseException:
        # The error of the job is the one that counts.
        with contextlib.suppress(TileDBError):
            job.abort()
        raise


def _commit(job: WriteJob, staged: Sequence[StagedFragments]) -> int:
    return job.commit(staged)


# Arrays


def read_array(uri: Any, attribute: Optional[str] = None, *, at: Any = None, chunks: Any = "auto", config: Config = None) -> Any:
    """A ``dask.array.Array`` of an attribute of a dense array; chunks are whole tiles where ``chunks`` allows it."""
    arrays = require("dask.array", "read_array()", "dask[array]")
    settings = _Config(config or {})
    array = Array(uri, at=at, context=settings.context())
    if array.schema.sparse:
        raise ValueError(f"{array.uri} is sparse: read it by read_frame()")
    names = [one.name for one in array.schema.attributes]
    if attribute is None and len(names) > 1:
        raise ValueError(f"the array has several attributes: name one of {', '.join(names)}")
    name = names[0] if attribute is None else attribute
    source = _DenseSource(array, name, settings)
    tiles = tuple(int(one.tile or extent) for one, extent in zip(array.schema.dimensions, source.shape))
    previous = tuple(_chunks(extent, tile) for extent, tile in zip(source.shape, tiles))
    made = arrays.core.normalize_chunks(chunks, source.shape, dtype=source.dtype, previous_chunks=previous)
    return arrays.from_array(source, chunks=made, name=f"read-tiledb-{_token(source)}", asarray=False, fancy=False)


def _token(source: _DenseSource) -> str:
    from dask.base import tokenize

    return tokenize(source)


def _chunks(extent: int, tile: int) -> Tuple[int, ...]:
    return tuple(min(tile, extent - start) for start in range(0, extent, tile)) or (0,)


class _DenseSource:
    """An attribute of a dense array at a snapshot, by positions from 0."""

    def __init__(self, array: Array, attribute: str, config: _Config):
        field = array.schema.attribute(attribute)
        self.uri, self.attribute, self.config = array.uri, attribute, config
        self.window = array.timestamp_range
        self.dimensions = tuple(one.name for one in array.schema.dimensions)
        self.shape = array.schema.shape
        self.low = tuple(number_of(one.dtype, array.schema.bounds(at)[0]) for at, one in enumerate(array.schema.dimensions))
        if field.var or field.values != 1 or field.enumeration:
            raise ValueError(f"attribute {attribute!r} has no single numbers: read it by read_frame()")
        numpy = require("numpy", "read_array()")
        self.dtype = numpy.dtype(Datatype.of(field.dtype).numpy)
        self.ndim = len(self.shape)

    def __repr__(self) -> str:
        return f"<attribute {self.attribute} of {self.uri}>"

    def __dask_tokenize__(self) -> Any:
        return self.uri, self.attribute, self.window, self.config.__dask_tokenize__()

    def __getitem__(self, key: Any) -> Any:
        numpy = require("numpy", "read_array()")
        keys = key if isinstance(key, tuple) else (key,)
        keys = (*keys, *[slice(None)] * (self.ndim - len(keys)))
        ranges, rest = {}, []
        for name, one, extent, low in zip(self.dimensions, keys, self.shape, self.low):
            if isinstance(one, slice):
                start, stop, step = one.indices(extent)
                positions = range(start, stop, step)
                index: Any = slice(None, None, step) if step > 0 else slice(None, None, step)
            else:
                positions, index = range(int(one), int(one) + 1), 0
            if not len(positions):
                return numpy.empty([len(range(*k.indices(n))) for k, n in zip(keys, self.shape) if isinstance(k, slice)], self.dtype)
            first, last = min(positions), max(positions)
            ranges[name] = (low + first, low + last)
            rest.append(index)
        array = _opened(self.uri, self.window, tuple(sorted(self.config.items())))
        return array.read([self.attribute], ranges).to_numpy()[self.attribute][tuple(rest)]


@functools.lru_cache(maxsize=8)
def _opened(uri: str, window: Tuple[int, int], config: Tuple[Tuple[str, ConfigValue], ...]) -> Array:
    """An array at a snapshot, which all tasks of a process share."""
    return Array(uri, at=window, context=_Config(config).context())


def write_array(
    data: Any,
    uri: Any,
    *,
    attribute: str = "value",
    region: Optional[Sequence[slice]] = None,
    config: Config = None,
    timestamp: Any = None,
    staging: Any = None,
    compute: bool = True,
) -> Any:
    """Writes a Dask array, or a dict of them by attribute, to a dense array, a chunk per task; returns the number of cells.

    An array that does not exist is created, with chunks as tiles. ``region`` is where the data goes, as positions from 0; the start of
    the domain by default.
    """
    arrays = require("dask.array", "write_array()", "dask[array]")
    settings = _Config(config or {})
    columns: Dict[str, Any] = dict(data) if isinstance(data, Mapping) else {attribute: data}
    shapes = {(one.shape, one.chunks) for one in columns.values()}
    if len(shapes) != 1:
        raise ValueError("the arrays must have the same shape and chunks")
    ((shape, chunks),) = shapes
    if any(size != size for size in shape):
        raise ValueError("the shape of the array is not known: call compute_chunk_sizes()")
    _create_dense(uri, columns, shape, chunks, settings)
    array = Array(uri, context=settings.context())
    schema = array.schema
    if schema.sparse or schema.ndim != len(shape):
        raise ValueError(f"{array.uri} must be a dense array of {len(shape)} dimensions")
    starts = [0] * len(shape) if region is None else [one.start or 0 for one in region]
    if region is not None and [one.stop - (one.start or 0) for one in region] != list(shape):
        raise ValueError(f"the region has not the shape of the data, {shape}")
    lows = [number_of(one.dtype, schema.bounds(at)[0]) + starts[at] for at, one in enumerate(schema.dimensions)]
    job = WriteJob(array.uri, config=settings, staging=staging, timestamp=timestamp)
    places = arrays.core.slices_from_chunks(chunks)
    blocks = {name: one.to_delayed().ravel() for name, one in columns.items()}
    tasks = []
    for at, place in enumerate(places):
        ranges = {one.name: (low + part.start, low + part.stop - 1) for one, low, part in zip(schema.dimensions, lows, place)}
        if all(part.stop > part.start for part in place):
            tasks.append((_stage_block, {name: found[at] for name, found in blocks.items()}, ranges))
    return _run(job, tasks, compute)


def _create_dense(uri: Any, columns: Mapping[str, Any], shape: Sequence[int], chunks: Any, config: _Config) -> None:
    ctx = config.context()
    if exists(uri, context=ctx):
        return
    tiles = [max(sizes) for sizes in chunks]
    if 0 in shape:
        raise ValueError(f"the data has no cells, and a dense array has at least one: its shape is {tuple(shape)}")
    attributes = [inference.default_filters(Attribute(name, inference.datatype_of_column(name, one.dtype))) for name, one in columns.items()]
    width = max(Datatype.of(one.dtype).size for one in attributes)
    try:
        create(uri_of(uri), Schema(inference.dense_dimensions(shape, None, tiles, width), attributes), context=ctx)
    except TileDBError:
        if not exists(uri, context=ctx):
            raise


def _stage_block(job: WriteJob, columns: Mapping[str, Any], ranges: Mapping[str, Any]) -> StagedFragments:
    numpy = require("numpy", "write_array()")
    # Also masked and non-contiguous blocks.
    return job.write({name: numpy.ascontiguousarray(one) if not is_masked(one) else one for name, one in columns.items()}, region=ranges)


__all__ = ["read_array", "read_frame", "write_array", "write_frame"]
