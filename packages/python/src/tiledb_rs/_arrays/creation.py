"""Arrays from data: Arrow tables, pandas data frames, NumPy arrays."""

from __future__ import annotations

import dataclasses
import os
import tempfile
import uuid
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .._arrow import inference
from .._arrow.batch_stream import Parts
from .._model import moments
from .._native.arrow_single import Replay, borrowed, unowned
from .._native.arrow_struct import ArrowArray
from .array import Array, create
from .._native.context import ConfigValue, Context, choose_context, uri_of
from .._native.errors import TileDBError, require
from .._native.interrupts import Interruptible
from .maintenance import OBJECTIVES
from .objects import remove
from .._model.fields import Attribute, Dimension, Enumeration
from .record_source import Exported, RecordSource
from .._model.schema import Schema
from .._arrow.stream_errors import original_errors
from .vfs import list_files
from .writing import Writer

# The folders of an array.
_FOLDERS = {"__schema", "__fragments", "__commits", "__fragment_meta", "__meta", "__labels"}
# Rows by which filters are chosen.
SAMPLE = 65_536
# Bytes of the rows of a dense array up to which they become one fragment, for which all of them are collected.
WRITE_BYTES = 64 << 20
# Bytes of a stream of unknown length up to which its rows are counted in memory.
COUNTED_BYTES = 256 << 20
_MAX_ROWS = 1 << 62
Names = Union[None, str, Sequence[str]]
Config = Optional[Mapping[str, ConfigValue]]


def _names(names: Names) -> List[str]:
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    found = list(names) if isinstance(names, Iterable) else None
    if found is None or not all(isinstance(one, str) for one in found):
        raise TypeError(f"index must be the name of a column or a list of names, not {names!r}")
    return found


def _row(names: Iterable[str]) -> str:
    """The name of the dimension of a table that is stored as a dense array: ``row``, or another one if a column is called that."""
    known, found = set(names), "row"
    while found in known:
        found += "_"
    return found


class _Part(NamedTuple):
    """What is written at once, which is all unless a region is given."""

    data: Any
    region: Optional[Dict[str, Any]] = None
    order: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class _Target:
    """Where and how an array is created: the arguments that all functions here have in common, checked."""

    uri: str
    context: Context
    profile: Optional[str]
    allows_duplicates: bool
    capacity: int
    at: Optional[int]

    @classmethod
    def of(cls, uri: Any, profile: Optional[str], allows_duplicates: bool, capacity: int, at: Any, config: Config, context: Optional[Context]) -> _Target:
        if profile is not None and profile not in OBJECTIVES:
            raise ValueError(f"there is no profile {profile!r}; there are {', '.join(OBJECTIVES)}, and None for default filters")
        moment = None if at is None else moments.milliseconds(at)
        return cls(uri_of(uri), choose_context(context, config), profile, allows_duplicates, capacity, moment)

    def create(
        self,
        dimensions: Sequence[Dimension],
        attributes: Sequence[Attribute],
        sparse: bool,
        sampled: int,
        sample: Callable[[], Any],
        data: Callable[[], Iterable[_Part]],
    ) -> Array:
        """Creates the array, with filters that are chosen by a sample of this many rows, and writes the data."""
        schema = Schema(
            [dataclasses.replace(one, filters="ZSTD(3)") for one in dimensions] if sparse else dimensions,
            [inference.default_filters(one) for one in attributes],
            sparse=sparse,
            allows_duplicates=self.allows_duplicates and sparse,
            capacity=self.capacity,
        )
        if self.profile is not None and sampled:
            schema = self._advised(schema, self.profile, sampled, sample)
        is_created = False
        try:
            # Ctrl-C between the return of the library's function and the next line would leave an array that nobody knows.
            with Interruptible(self.context):
                array = create(self.uri, schema, context=self.context)
                is_created = True
            writer = Writer(self.context, self.uri, schema, self.at)
            for part in data():
                writer.write(part.data, part.region, part.order)
        except BaseException:
            # The next attempt would find that it exists.
            if is_created:
                with Interruptible():
                    array.close()
                    self._discard()
            raise
        array._changed()
        return array

    def _discard(self) -> None:
        """Removes an array that could not be written, unless the folder has other files, which were there before."""
        names = [child.rstrip("/").rpartition("/")[2] for child in list_files(self.uri, context=self.context)]
        if all(name in _FOLDERS for name in names):
            remove(self.uri, context=self.context)

    def _advised(self, schema: Schema, profile: str, rows: int, sample: Callable[[], Any]) -> Schema:
        """The schema with filters that are recommended for a sample of the cells, which is written to memory."""
        uri = f"mem://tiledb_rs_sample_{uuid.uuid4().hex}"
        sampled = schema
        if not schema.sparse:
            # A dense array of one dimension is written completely.
            sampled = schema.replace(dimensions=[_shortened(schema.dimensions[0], rows), *schema.dimensions[1:]])
        array = create(uri, sampled, context=self.context)
        try:
            Writer(self.context, uri, sampled).write(sample())
            advised = array.advise(profile, config={"sm.advise.properties": "only"}).schema
        finally:
            array.close()
            remove(uri, context=self.context)
        filters = {field.name: field.filters for field in advised.fields}
        return schema.replace(
            dimensions=[dataclasses.replace(one, filters=filters[one.name]) for one in schema.dimensions] if schema.sparse else schema.dimensions,
            attributes=[dataclasses.replace(one, filters=filters[one.name]) for one in schema.attributes],
            offsets_filters=advised.offsets_filters,
            validity_filters=advised.validity_filters,
        )


def _check_cells(count: int) -> None:
    if not count:
        raise ValueError(
            "there are no cells, and a dense array has at least one, which would be read with its fill value: name columns as index for "
            "a sparse array, or create an array of the size that it will have with tiledb_rs.create()"
        )


def _shortened(dimension: Dimension, rows: int) -> Dimension:
    return dataclasses.replace(dimension, domain=(0, rows - 1), tile=min(dimension.tile, rows))


def from_arrow(
    uri: Any,
    data: Any,
    *,
    index: Names = None,
    profile: Optional[str] = "balanced",
    allows_duplicates: bool = True,
    capacity: int = 10_000,
    tile: Optional[int] = None,
    rows: Optional[int] = None,
    at: Any = None,
    config: Config = None,
    context: Optional[Context] = None,
) -> Array:
    """Creates an array from anything with ``__arrow_c_stream__``, writes the data, and returns the array.

    Args:
        uri: Where it is created.
        data: A table of pyarrow, polars, DuckDB or another library, or a stream.
        index: The columns that become the dimensions of a sparse array. Without them the array is dense, with the dimension ``row``.
        profile: What filters are chosen for, by a sample: ``smallest``, ``balanced``, ``fastest``; None for default filters.
        allows_duplicates: Whether several cells of a sparse array may have the same coordinates.
        capacity: Cells per tile of a sparse array.
        tile: Cells per tile of a dense array.
        rows: The number of rows of a stream, for a dense array, whose domain is that of the rows. A table knows it; the rows of another stream
            are counted first, unless it is given: those of more than 256 MiB in an array in the folder of temporary files.
        at: The timestamp of the fragment.

    The batches are written as they come. Dictionary columns become attributes with an enumeration; a stream that has such columns is taken
    into memory first, since each batch may have a dictionary of its own.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The array.

    Raises:
        TypeError: names a column of a type that no attribute can have. Nothing is created.
        ValueError: if there are no rows and no ``index``: a dense array has at least one cell.
        TileDBError: if the stream does not have the given number of ``rows``. Nothing remains of the array.

    Examples:
        >>> import pyarrow
        >>> table = pyarrow.table({"id": [1, 2], "name": ["x", "y"]})
        >>> from_arrow("names", table, index="id").count()
        2
    """
    target, dims = _Target.of(uri, profile, allows_duplicates, capacity, at, config, context), _names(index)
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 0):
        raise TypeError(f"rows must be a number of rows, not {rows!r}")
    with original_errors(data) as stream, RecordSource(stream) as source:
        return _from_source(target, source, dims, tile, _length(data) if rows is None else rows)


def _length(data: Any) -> Optional[int]:
    """The number of rows of a table of pyarrow, polars or pandas; None for a stream, which does not know it."""
    for name in ("num_rows", "height"):
        length = getattr(data, name, None)
        if isinstance(length, int) and not isinstance(length, bool):
            return length
    return None


def _from_source(target: _Target, source: RecordSource, dims: List[str], tile: Optional[int], rows: Optional[int]) -> Array:
    known = [node.name for node in source.node.children]
    for one in dims:
        if one not in known:
            raise KeyError(f"there is no column {one!r}; there are {', '.join(known)}")
    enumerations = source.enumerations(dims)
    attributes = [inference.attribute_of_node(node, enumerations.get(node.name)) for node in source.node.children if node.name not in dims]
    if not attributes:
        raise ValueError("the data has no column that could be an attribute")
    if not dims:
        if rows is None and not source.collect(COUNTED_BYTES):
            return _from_spool(target, source, attributes, tile)
        rows = source.rows() if rows is None else rows
        return _from_rows(target, source, attributes, tile, rows)
    by_name = {node.name: node for node in source.node.children}
    dimensions = [inference.dimension_of_node(by_name[one]) for one in dims]
    return target.create(dimensions, attributes, True, *_sample_of(source), lambda: [_Part(Exported(source.replay()))])


def _sample_of(source: RecordSource) -> Tuple[int, Callable[[], Any]]:
    """How many rows are sampled, and the sample."""
    first = source.arrays[0] if source.arrays else ArrowArray()
    sampled = min(first.length, SAMPLE)
    return sampled, lambda: Exported(borrowed(source.schema, first, sampled))


def _from_rows(target: _Target, source: RecordSource, attributes: Sequence[Attribute], tile: Optional[int], rows: int) -> Array:
    """A dense array of a known number of rows."""
    _check_cells(rows)
    (dimension,) = inference.dense_dimensions([rows], [_row(one.name for one in attributes)], tile, _cell_bytes(attributes))
    # A server collects the cells of any order.
    is_large = source.bytes_of(rows) > WRITE_BYTES and not target.uri.startswith("tiledb://")
    whole = rows - rows % dimension.tile if is_large else 0

    def parts() -> Iterator[_Part]:
        if not whole:
            yield _Part(Exported(source.replay()))
            return
        # In global order the library writes whole tiles as they come; it would collect the rows of any other region first.
        divided = Parts(source.replay())
        try:
            yield _Part(Exported(divided.take(whole)), {dimension.name: (0, whole - 1)}, "global")
            if whole < rows:
                yield _Part(Exported(divided.rest()), {dimension.name: (whole, rows - 1)})
            elif divided.has_more():
                raise TileDBError(f"the stream has more than {rows} rows", target.uri)
        finally:
            divided.close()

    return target.create([dimension], attributes, False, *_sample_of(source), parts)


def _from_spool(target: _Target, source: RecordSource, attributes: Sequence[Attribute], tile: Optional[int]) -> Array:
    """A dense array of the rows of a long stream, which are counted while they are written to a temporary array."""
    (dimension,) = inference.dense_dimensions([_MAX_ROWS], [_row(one.name for one in attributes)], tile, _cell_bytes(attributes))
    with tempfile.TemporaryDirectory(prefix="tiledb_rs_") as folder:
        schema = Schema([dimension], [dataclasses.replace(one, filters="LZ4") for one in attributes])
        spool, rows = create(os.path.join(folder, "rows"), schema, context=target.context), 0
        writer = Writer(target.context, spool.uri, schema)
        while count := sum(array.length for array in source.arrays):
            batches, source.arrays = source.arrays, []
            writer.write(Exported(Replay(unowned(source.schema), batches)), {dimension.name: (rows, rows + count - 1)})
            rows += count
            source.collect(WRITE_BYTES)
        with RecordSource(spool.reopen().read([one.name for one in attributes])) as counted:
            return _from_rows(target, counted, attributes, tile, rows)


def _cell_bytes(attributes: Sequence[Attribute]) -> int:
    return max((32 if one.var else one.dtype.size * one.values) for one in attributes)


def from_polars(uri: Any, frame: Any, **options: Any) -> Array:
    """Creates an array from a frame of polars, a lazy one too, writes it, and returns the array; the options are those of :func:`from_arrow`.

    Args:
        uri: The path or URI.
        frame: A DataFrame or a LazyFrame.
        **options: The other options of :func:`from_arrow`.

    Returns:
        The array.

    Examples:
        >>> import polars  # doctest: +SKIP
        >>> from_polars("names", polars.DataFrame({"id": [1, 2], "name": ["x", "y"]}), index="id").count()  # doctest: +SKIP
        2
    """
    polars = require("polars", "from_polars()")
    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, polars.DataFrame):
        raise TypeError(f"frame must be a polars.DataFrame or LazyFrame, not {type(frame).__name__}")
    return from_arrow(uri, frame, **options)


def from_pandas(
    uri: Any,
    frame: Any,
    *,
    index: Names = None,
    profile: Optional[str] = "balanced",
    allows_duplicates: bool = True,
    capacity: int = 10_000,
    tile: Optional[int] = None,
    at: Any = None,
    config: Config = None,
    context: Optional[Context] = None,
) -> Array:
    """Creates an array from a pandas.DataFrame, writes it, and returns the array.

    ``index`` names the columns that become dimensions; by default those are the named levels of the frame's index. Without any, the
    array is dense, with the dimension ``row``. An index of numbers without a name is not stored; another one without a name is a ValueError.
    The other arguments and errors are those of :func:`from_arrow`. pyarrow is not needed.

    Args:
        uri: The path or URI.
        frame: The frame.
        index: The columns that become dimensions.
        profile: The profile of filters, as in :func:`from_arrow`.
        allows_duplicates: As in :func:`from_arrow`.
        capacity: As in :func:`from_arrow`.
        tile: The extent of the tiles of a dense array, as in :func:`from_arrow`.
        at: The timestamp of the write; now by default.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The array.

    Examples:
        >>> import pandas  # doctest: +SKIP
        >>> from_pandas("names", pandas.DataFrame({"name": ["x", "y"]})).count()  # doctest: +SKIP
        2
    """
    target = _Target.of(uri, profile, allows_duplicates, capacity, at, config, context)
    require("pandas", "from_pandas()")
    if not hasattr(frame, "columns") or not hasattr(frame, "index"):
        raise TypeError(f"frame must be a pandas.DataFrame, not {type(frame).__name__}")
    if index is True:  # type: ignore[comparison-overlap]
        raise TypeError("index must be names of columns: without it, the named levels of the frame's index are the dimensions")
    dims = _names(index) or [level for level in frame.index.names if level is not None]
    if None in frame.index.names and getattr(frame.index, "inferred_type", "integer") != "integer" and len(frame):
        raise ValueError(
            "the index of the frame has no name, and would not be stored: name it, as with frame.rename_axis('time'), which makes it a dimension, or "
            "drop it with frame.reset_index(drop=True)"
        )
    levels = [level for level in dims if level in frame.index.names]
    for level in levels:
        if level in frame.columns:
            raise ValueError(f"a level of the frame's index and a column have the name {level!r}: rename one of them, or drop the index with reset_index(drop=True)")
    if levels:
        frame = frame.reset_index(levels)
    for one in (*dims, *frame.columns):
        if not isinstance(one, str):
            raise TypeError(f"the name of a column must be a str, not {one!r}: rename it, as with frame.set_axis(..., axis='columns')")
        if one not in frame.columns:
            raise KeyError(f"there is no column {one!r}; there are {', '.join(map(str, frame.columns))}")
    if not len(frame.columns):
        raise ValueError("the frame has no column, of which an array is made")
    attributes = [inference.attribute_of_array(one, frame[one]) for one in frame.columns if one not in dims]
    found = [inference.attribute_of_array(one, frame[one]) for one in dims]
    dimensions = [inference.dimension_of(one.name, _value_type(one)) for one in found]
    columns = {one: frame[one] for one in frame.columns}
    if not dims:
        _check_cells(len(frame))
        dimensions = inference.dense_dimensions([len(frame)], [_row(frame.columns)], tile, _cell_bytes(attributes))
    return _from_columns(target, columns, dimensions, attributes, bool(dims), len(frame))


def _value_type(attribute: Attribute) -> Any:
    enumeration = attribute.enumeration
    return enumeration.dtype if isinstance(enumeration, Enumeration) else attribute.dtype


def from_numpy(
    uri: Any,
    data: Any,
    *,
    index: Names = None,
    name: str = "value",
    dimensions: Names = None,
    tile: Any = None,
    profile: Optional[str] = "balanced",
    allows_duplicates: bool = True,
    capacity: int = 10_000,
    at: Any = None,
    config: Config = None,
    context: Optional[Context] = None,
) -> Array:
    """Creates an array from NumPy arrays, writes them, and returns the array.

    Args:
        uri: Where it is created.
        data: An array, which becomes the attribute ``name`` of a dense array of the same shape; or a structured array or a dict of
            arrays of one shape.
        index: Keys of the dict that become the dimensions of a sparse array; all arrays have one dimension then.
        dimensions: The names of the dimensions of a dense array; ``dim_0`` and so on by default.
        tile: The tile extents of a dense array; tiles have about a mebibyte by default.

    The other arguments and errors are those of :func:`from_arrow`.
        name: The name of the attribute of an array that has none.
        profile: The profile of filters, as in :func:`from_arrow`.
        allows_duplicates: As in :func:`from_arrow`.
        capacity: As in :func:`from_arrow`.
        at: The timestamp of the write; now by default.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The array.

    Examples:
        >>> import numpy
        >>> from_numpy("image", numpy.zeros((4, 3))).shape
        (4, 3)
    """
    target = _Target.of(uri, profile, allows_duplicates, capacity, at, config, context)
    numpy = require("numpy", "from_numpy()")
    columns: Dict[str, Any] = {}
    if getattr(getattr(data, "dtype", None), "names", None):
        data = {field: data[field] for field in data.dtype.names}
    for key, values in data.items() if isinstance(data, Mapping) else [(name, data)]:
        columns[key] = values if isinstance(values, numpy.ndarray) else numpy.asarray(values)
    dims = _names(index)
    for one in dims:
        if one not in columns:
            raise KeyError(f"there is no array {one!r}; there are {', '.join(columns)}")
    attributes = [inference.attribute_of_array(key, values) for key, values in columns.items() if key not in dims]
    if not attributes:
        raise ValueError("there is no array that could be an attribute")
    found = [inference.dimension_of(one, inference.attribute_of_array(one, columns[one]).dtype) for one in dims]
    if dims:
        return _from_columns(target, columns, found, attributes, True, len(columns[dims[0]]))
    shapes = {values.shape for values in columns.values()}
    if len(shapes) != 1 or () in shapes:
        raise ValueError(f"the arrays must have one shape of at least one dimension, not {', '.join(map(str, shapes))}")
    (shape,) = shapes
    _check_cells(_product(shape))
    made = inference.dense_dimensions(shape, dimensions, tile, _cell_bytes(attributes))
    return _from_columns(target, columns, made, attributes, False, shape[0], _product(shape[1:]))


def _from_columns(
    target: _Target,
    columns: Dict[str, Any],
    dimensions: Sequence[Dimension],
    attributes: Sequence[Attribute],
    sparse: bool,
    rows: int,
    cells_of_row: int = 1,
) -> Array:
    sampled = min(rows, max(SAMPLE // cells_of_row, 1))
    return target.create(dimensions, attributes, sparse, sampled, lambda: {key: values[:sampled] for key, values in columns.items()}, lambda: [_Part(columns)])


def _product(extents: Sequence[int]) -> int:
    found = 1
    for extent in extents:
        found *= extent
    return found
