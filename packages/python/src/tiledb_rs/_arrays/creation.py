"""Arrays from data: Arrow tables, pandas data frames, NumPy arrays."""

from __future__ import annotations

import dataclasses
import uuid
from ctypes import addressof
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .._native import capsule
from .._arrow import decode, inference
from .._model import moments
from .._native.arrow_single import Replay, borrowed, error_of
from .._native.arrow_struct import ArrowArray, ArrowSchema, Fill, Node, move, release
from .array import Array, create
from .._native.context import ConfigValue, Context, choose_context, uri_of
from .._arrow.encode_lists import key_of
from .._native.errors import TileDBError, require
from .maintenance import OBJECTIVES
from .objects import remove
from .._model.fields import Attribute, Dimension, Enumeration
from .._model.schema import Schema
from .._arrow.stream_errors import original_errors
from .vfs import list_files
from .writing import Writer

# The folders of an array.
_FOLDERS = {"__schema", "__fragments", "__commits", "__fragment_meta", "__meta", "__labels"}
# Rows by which filters are chosen.
SAMPLE = 65_536
Names = Union[None, str, Sequence[str]]
Config = Optional[Mapping[str, ConfigValue]]


class _Source:
    """A stream of which the schema and the first batch have been looked at."""

    def __init__(self, data: Any):
        if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
            raise TypeError(f"data must have __arrow_c_stream__ or __arrow_c_array__; {type(data).__name__} has neither")
        raw, self.owner = capsule.stream_of(data)
        self.stream = move(raw)
        self.schema = ArrowSchema()
        self.arrays: List[ArrowArray] = []
        try:
            self._call(self.stream.get_schema, self.schema)
            self.node = Node(self.schema)
            if self.node.format != "+s":
                raise TypeError("data must be a stream of record batches, such as a table, not of a single column")
            self.fetch()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> _Source:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Releases what nobody has taken: DuckDB has one open result for each connection."""
        for raw in (*self.arrays, self.stream, self.schema):
            release(raw)

    def _call(self, callback: int, out: Any) -> None:
        if Fill(callback)(addressof(self.stream), addressof(out)):
            raise TileDBError(error_of(self.stream), "Arrow stream")

    def fetch(self) -> bool:
        """Takes the next batch."""
        array = ArrowArray()
        self._call(self.stream.get_next, array)
        if array.release:
            self.arrays.append(array)
        return bool(array.release)

    def rows(self) -> int:
        """The number of rows, for which all batches are taken."""
        while self.fetch():
            pass
        return sum(array.length for array in self.arrays)

    def enumerations(self, dims: Sequence[str]) -> Dict[str, Enumeration]:
        """The values of dictionary columns other than dimensions: those of all batches, which are taken for this."""
        coded = [(at, node, node.dictionary) for at, node in enumerate(self.node.children) if node.dictionary is not None and node.name not in dims]
        if coded:
            self.rows()
        found: Dict[str, Enumeration] = {}
        for at, node, dictionary in coded:
            values = self._members(at, node, dictionary)
            if self.arrays and None not in values:
                datatype = inference.datatype_of_format(dictionary.format, node.name)
                found[node.name] = Enumeration(f"{node.name}_values", values, datatype, node.ordered)
        return found

    def _members(self, at: int, node: Node, dictionary: Node) -> List[Any]:
        """The values of the dictionaries of a column, in the order in which they are first seen."""
        values: Dict[Any, Any] = {}
        for array in self.arrays:
            if at >= array.n_children or not array.children[at].contents.dictionary:
                raise ValueError(f"a batch has no dictionary for column {node.name!r}, though its schema has one")
            members = decode.column(dictionary, array.children[at].contents.dictionary.contents)
            if node.ordered and any(one != other for one, other in zip(members, values.values())):
                raise ValueError(f"column {node.name!r} has ordered dictionaries that differ between batches: unify them first")
            for one in members:
                values.setdefault(key_of(one), one)
        return list(values.values())

    def replay(self) -> Replay:
        """All batches."""
        return Replay(self.schema, self.arrays, self.stream)


class _Stream:
    """A stream for a write, as other packages have it."""

    def __init__(self, replay: Replay):
        self.replay = replay

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule.export(self.replay.raw, capsule.STREAM)


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
        data: Callable[[], Any],
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
        array = create(self.uri, schema, context=self.context)
        try:
            Writer(self.context, self.uri, schema, self.at).write(data())
        except BaseException:
            # Nobody else knows the array; the next attempt would find that it exists.
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
            array.write(sample())
            advised = array.advise(profile).schema
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
        at: The timestamp of the fragment.

    Dictionary columns become attributes with an enumeration. A stream that has such columns is taken into memory first, since each batch
    may have a dictionary of its own.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The array.

    Raises:
        TypeError: names a column of a type that no attribute can have. Nothing is created.
        ValueError: if there are no rows and no ``index``: a dense array has at least one cell.

    Examples:
        >>> import pyarrow
        >>> table = pyarrow.table({"id": [1, 2], "name": ["x", "y"]})
        >>> from_arrow("names", table, index="id").count()
        2
    """
    target, dims = _Target.of(uri, profile, allows_duplicates, capacity, at, config, context), _names(index)
    with original_errors(data) as stream, _Source(stream) as source:
        return _from_source(target, source, dims, tile)


def _from_source(target: _Target, source: _Source, dims: List[str], tile: Optional[int]) -> Array:
    known = [node.name for node in source.node.children]
    for one in dims:
        if one not in known:
            raise KeyError(f"there is no column {one!r}; there are {', '.join(known)}")
    enumerations = source.enumerations(dims)
    attributes = [inference.attribute_of_node(node, enumerations.get(node.name)) for node in source.node.children if node.name not in dims]
    if not attributes:
        raise ValueError("the data has no column that could be an attribute")
    by_name = {node.name: node for node in source.node.children}
    if dims:
        dimensions = [inference.dimension_of_node(by_name[one]) for one in dims]
    else:
        rows = source.rows()
        _check_cells(rows)
        dimensions = inference.dense_dimensions([rows], [_row(known)], tile, _cell_bytes(attributes))
    first = source.arrays[0] if source.arrays else ArrowArray()
    sampled = min(first.length, SAMPLE)
    return target.create(
        dimensions,
        attributes,
        bool(dims),
        sampled,
        lambda: _Stream(borrowed(source.schema, first, sampled)),
        lambda: _Stream(source.replay()),
    )


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
    return target.create(dimensions, attributes, sparse, sampled, lambda: {key: values[:sampled] for key, values in columns.items()}, lambda: columns)


def _product(extents: Sequence[int]) -> int:
    found = 1
    for extent in extents:
        found *= extent
    return found
