"""Arrays: reading, writing, and what is known about them."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import information, maintenance
from .._model import moments, schema_io, slicing
from .aggregates import aggregate
from .._native.context import ConfigValue, Context, choose_context, text, uri_of
from .deletion import delete_cells
from .evolution import Evolution
from .._model.metadata import Metadata
from .partition import Partition, make_partitions
from .query import OpenArray, Ranges, ReadPlan, open_handle
from .result import Result
from .._model.schema import Schema, check_names
from .._model.values import RawRange, number_of

if TYPE_CHECKING:
    from .picture import Picture

Moment = Any
Where = Any
Fields = Union[None, str, Sequence[str]]


# Attributes that a representation lists.
_LISTED = 8


def _dtype_of(schema: Schema, name: str) -> Any:
    """The NumPy dtype of a field, and the number of its values if a cell has several."""
    field = schema.attribute(name)
    datatype = schema.value_type(name)
    if field.var or datatype.is_text:
        return "O"
    if datatype.is_string:
        return f"S{field.values}"
    return datatype.numpy if field.values == 1 else (datatype.numpy, (field.values,))


class Array(Evolution, maintenance.Maintenance):
    """An array, as :func:`open` returns it.

    It is opened when it is first used, and shows the cells that were there then; cells that this object writes are visible in it at
    once, those of others after :meth:`reopen`. Threads may share it.

    Examples:
        >>> with tiledb_rs.open("readings") as readings:
        ...     readings.count()
        3
    """

    __module__ = "tiledb_rs"

    def __init__(
        self,
        uri: Any,
        *,
        at: Moment = None,
        config: Optional[Mapping[str, ConfigValue]] = None,
        context: Optional[Context] = None,
    ):
        self._uri = uri_of(uri)
        self._at = at
        self._window = window_of(at)
        self._ctx = choose_context(context, config)
        self._opened: Optional[OpenArray] = None
        self._closed = False
        self._lock = threading.RLock()

    def _source(self) -> OpenArray:
        opened = self._opened
        if opened is not None:
            return opened
        with self._lock:
            if self._closed:
                raise ValueError(f"the array {self._uri} is closed")
            if self._opened is None:
                self._opened = OpenArray(self._ctx, self._uri, *self._window)
            return self._opened

    def _changed(self) -> None:
        """Opens the array anew for the next read; results that exist keep what they have."""
        with self._lock:
            self._opened = None

    def __enter__(self) -> Array:
        self._source()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the array; results and streams that exist can still be used.

        Examples:
            >>> other = tiledb_rs.open("readings")
            >>> other.close()
        """
        with self._lock:
            self._closed, self._opened = True, None

    def reopen(self) -> Array:
        """Shows the cells that others have written since it was opened.

        Returns:
            The array itself, as it is now.

        Examples:
            >>> array.reopen().count()
            3
        """
        self._changed()
        self._source()
        return self

    @property
    def is_open(self) -> bool:
        """False after :meth:`close`."""
        return not self._closed

    @property
    def uri(self) -> str:
        """The URI."""
        return self._uri

    @property
    def context(self) -> Context:
        """The context of its operations."""
        return self._ctx

    @property
    def at(self) -> Moment:
        """The time as of which it was opened, as it was given; None for the latest."""
        return self._at

    @property
    def timestamp_range(self) -> Tuple[int, int]:
        """The timestamps between which fragments are visible, in milliseconds since 1970."""
        return self._source().timestamps

    @property
    def schema(self) -> Schema:
        """The schema."""
        return self._source().schema

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of the domain."""
        return self.schema.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.schema.ndim

    @property
    def columns(self) -> List[str]:
        """The names of the dimensions and attributes, as :meth:`read` returns them."""
        return self.schema.names

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the attribute, or a structured one of several; texts and lists are objects."""
        import numpy

        fields = [(one.name, _dtype_of(self.schema, one.name)) for one in self.schema.attributes]
        return numpy.dtype(fields[0][1]) if len(fields) == 1 else numpy.dtype(fields)

    @property
    def attrs(self) -> Metadata:
        """The metadata, as h5py, zarr and xarray call it."""
        return self.metadata

    def __len__(self) -> int:
        """The number of cells along the first dimension of a dense array.

        Raises:
            TypeError: for a sparse array, whose cells :meth:`count` counts.
        """
        if self.schema.sparse:
            raise TypeError("a sparse array has no length: count() returns the number of its cells")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def head(self, n: int = 5) -> Dict[str, List[Any]]:
        """The first cells as lists by field: along the first dimension of a dense array, in any order of a sparse one.

        Args:
            n: The number of rows.

        Returns:
            The first cells by field.

        Examples:
            >>> list(array.head(1)["value"])
            [0.5]
        """
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise ValueError(f"n must be a number of cells, not {n!r}")
        if not self.schema.sparse and n:
            dimension, (first, last) = self.schema.dimensions[0], self.schema.bounds(0)
            count = min(n, self.shape[0])
            low, high = (number_of(dimension.dtype, one) for one in (first, last))
            bounds = RawRange(tuple(struct.pack(f"<{dimension.dtype.code}", one) for one in (low, min(low + count - 1, high))))
            return self.read(ranges={dimension.name: bounds}).to_pydict()
        found: Dict[str, List[Any]] = {name: [] for name in self.columns}
        for row in self.read(batch_bytes=1 << 16) if n else ():
            for name, value in row.items():
                found[name].append(value)
            if len(found[self.columns[0]]) == n:
                break
        return found

    @property
    def metadata(self) -> Metadata:
        """The metadata, a mutable mapping."""
        return Metadata(self._ctx, "array", self._open_metadata, self._changed)

    def _open_metadata(self, mode: int) -> Any:
        source = self._source()
        return source.handle if mode == 0 else open_handle(self._ctx, self._uri, mode, end=self._window[1])

    def fragments(self) -> List[information.Fragment]:
        """The fragments, in the order of their timestamps.

        Returns:
            A tuple with one :class:`Fragment` for each write that is visible.

        Examples:
            >>> [fragment.cells for fragment in array.fragments()]
            [3]
        """
        self._source()
        return information.fragments(self._ctx, self._uri, self.schema)

    def nonempty_domain(self) -> Optional[Tuple[Tuple[Any, Any], ...]]:
        """The bounds of the cells along each dimension, both included; None if there are no cells.

        Returns:
            The bounds by dimension; None if there are no cells.

        Examples:
            >>> array.nonempty_domain()
            ((1, 5),)
        """
        return information.nonempty_domain(self._source())

    def read(
        self,
        fields: Fields = None,
        ranges: Optional[Ranges] = None,
        where: Where = None,
        order: Optional[str] = None,
        batch_bytes: int = 0,
    ) -> Result:
        """Reads cells.

        Args:
            fields: Names of dimensions and attributes; all if not given.
            ranges: From dimensions to values, (low, high) pairs that include both, slices that exclude their end, or lists of these.
            where: A condition, as a text or made of :func:`field`. In a dense array, cells that do not meet it have the fill value.
            order: ``row-major``, ``col-major``, ``global`` or ``unordered``; by default row-major for dense arrays, unordered for sparse.
            batch_bytes: The approximate size of a record batch; 0 for a quarter of the memory budget, at most 64 MiB.

        The query is submitted when the result is consumed.

        Returns:
            A :class:`Result`, which is read when it is converted.

        Examples:
            >>> array.read(["value"], where="value > 1").to_pydict()
            {'value': [1.5, 2.5]}
        """
        return Result(ReadPlan.of(self._source(), fields, ranges, where, order, batch_bytes))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.read().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self.read().__arrow_c_schema__()

    def __getitem__(self, key: Any) -> Any:
        """Cells of a dense array as NumPy arrays: one if it has one attribute, otherwise a dict; by coordinates, as in slices."""
        if isinstance(key, str):
            raise TypeError(f"an array is indexed by coordinates; to read a field use read(fields=[{key!r}])")
        boxes = self._source().boxes
        selected = None if boxes is None else boxes.read(key)
        if selected is not None:
            return selected
        ranges, index = slicing.select(self.schema, key)
        names = [one.name for one in self.schema.attributes]
        found = self.read(names, ranges).to_numpy()
        selected = {name: values[index] for name, values in found.items()}
        return selected[names[0]] if len(names) == 1 else selected

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        """All cells of a dense array with one attribute, for :func:`numpy.asarray`.

        Raises:
            TypeError: for other arrays, whose cells are not those of one NumPy array, and for an attribute that can be null.
            ValueError: if ``copy`` is False: the cells are read.
        """
        if self.schema.sparse or len(self.schema.attributes) != 1:
            raise TypeError("only a dense array with one attribute is a NumPy array: use read(...).to_numpy(), which returns one for each field")
        if self.schema.attributes[0].nullable:
            raise TypeError("the attribute can be null, for which a NumPy array has no value: use array[...], which masks nulls")
        if copy is False:
            raise ValueError("the cells are read from storage, which copies them")
        found = self[...]
        return found if dtype is None else found.astype(dtype, copy=False)

    def __setitem__(self, key: Any, values: Any) -> None:
        """Writes cells of a dense array: an array or a value, or a dict of them by attribute."""
        schema = self.schema
        ranges, index = slicing.select(schema, key)
        slicing.region_of(schema, key)
        shape = slicing.shape_of_region(schema, ranges)
        names = [one.name for one in schema.attributes]
        columns = values if isinstance(values, Mapping) else {names[0]: values}
        if not isinstance(values, Mapping) and len(names) != 1:
            raise TypeError(f"the array has several attributes: give a dict with {', '.join(names)}")
        for name in columns:
            if name not in names:
                raise KeyError(f"there is no attribute {name!r}; there are {', '.join(names)}")
        data = {name: slicing.broadcast(column, shape, index, schema.attribute(name).values > 1) for name, column in columns.items()}
        self.write(data, region=ranges)

    def write(
        self,
        data: Any,
        *,
        at: Moment = None,
        region: Any = None,
        order: Optional[str] = None,
        batch_bytes: int = 0,
        progress: Optional[Callable[[int], Any]] = None,
    ) -> int:
        """Writes cells, and returns their number.

        Args:
            data: Anything with ``__arrow_c_stream__`` or ``__arrow_c_array__`` (tables of pyarrow, polars, DuckDB), a pandas.DataFrame, a
                dict from fields to NumPy arrays or lists, a structured NumPy array, or the array of the only attribute.
            at: The timestamp of the fragment; the current time if not given.
            region: Of a dense write: ranges by dimension, or slices; the whole domain if not given.
            order: Of the cells: dense ``row-major`` (default), ``col-major`` or ``global``; sparse ``unordered`` (default) or ``global``.
            batch_bytes: Of Arrow batches: how many bytes are combined before a submit.
            progress: Called with the number of cells received so far; it stops the write by returning False.

        Returns:
            The number of cells.

        Examples:
            >>> array.write({"time": [7], "value": [3.5]})
            1
        """
        from .writing import Writer

        if isinstance(batch_bytes, bool) or not isinstance(batch_bytes, int) or not 0 <= batch_bytes < 1 << 63:
            raise ValueError(f"batch_bytes must be a number of bytes, not {batch_bytes!r}")
        moment = None if at is None else moments.milliseconds(at)
        schema = self._source().schema if self._at is None else self._latest_schema()
        try:
            return Writer(self._ctx, self._uri, schema, moment).write(data, region, order, batch_bytes, progress)
        finally:
            self._changed()

    def _latest_schema(self) -> Schema:
        self._source()
        return OpenArray(self._ctx, self._uri).schema

    def count(self, where: Where = None, ranges: Optional[Ranges] = None) -> int:
        """The number of cells of these ranges that meet a condition, which only sparse arrays can have here.

        Args:
            where: A condition as a text or from :func:`field`; other cells are not counted or read.
            ranges: Ranges by dimension, as in :meth:`Array.read`.

        Returns:
            The number of cells.

        Examples:
            >>> array.count(where="value > 1")
            2
        """
        plan = ReadPlan.of(self._source(), None, ranges, where)
        return aggregate(plan, {"": ["count"]})[""]["count"]

    def aggregate(self, aggregates: Mapping[str, Union[str, Sequence[str]]], where: Where = None, ranges: Optional[Ranges] = None) -> Dict[str, Dict[str, Any]]:
        """Aggregates of fields: ``min``, ``max``, ``mean``, ``sum``, ``null_count``, ``count`` by field, None where there are no values.

        Args:
            aggregates: The aggregates of each field, such as ``{"value": ["min", "max"]}``.
            where: A condition as a text or from :func:`field`; other cells are not counted or read.
            ranges: Ranges by dimension, as in :meth:`Array.read`.

        Returns:
            A dict of the results by field and aggregate.

        Examples:
            >>> array.aggregate({"value": ["max", "mean"]})["value"]["max"]
            2.5
        """
        if not isinstance(aggregates, Mapping):
            raise TypeError(f"aggregates must be a dict from fields to names of aggregates, not {type(aggregates).__name__}")
        check_names(aggregates, self.schema)
        wanted = {name: [ones] if isinstance(ones, str) else ones for name, ones in aggregates.items()}
        for name, ones in wanted.items():
            if not isinstance(ones, (list, tuple)):
                raise TypeError(f"the aggregates of {name!r} must be a name such as 'min', or a list of names, not {type(ones).__name__}")
        return aggregate(ReadPlan.of(self._source(), None, ranges, where), wanted)

    def delete(self, where: Where, *, at: Moment = None) -> None:
        """Deletes the cells of a sparse array that meet a condition.

        Args:
            where: The condition of the cells that are deleted.
            at: The timestamp of the deletion; now by default.

        Examples:
            >>> array.delete("value > 2")
            >>> array.reopen().count()
            2
        """
        if where is None:
            raise TypeError("delete needs a condition")
        delete_cells(self._source(), where, None if at is None else moments.milliseconds(at))
        self._changed()

    def partitions(
        self,
        n: Optional[int] = None,
        bytes: Optional[int] = None,
        fields: Fields = None,
        ranges: Optional[Ranges] = None,
        where: Where = None,
        secrets: bool = False,
    ) -> List[Partition]:
        """Divides a read among workers: at most ``n`` partitions, or as many as have about ``bytes`` of results each.

        A partition can be pickled and read in any process.

        Args:
            n: The largest number of partitions.
            bytes: About how many bytes of results a partition has; give either this or ``n``.
            fields: The fields that partitions read by default.
            ranges: Ranges of dimensions, as in :meth:`read`.
            where: A condition, as in :meth:`read`.
            secrets: Whether partitions have all parameters of the configuration, otherwise those that are no credentials.

        Returns:
            The partitions, whose cells are those of the read.

        Examples:
            >>> parts = array.partitions(2)
            >>> sorted(time for part in parts for time in part.read("time").to_pydict()["time"])
            [1, 2, 5]
        """
        return make_partitions(self._source(), n, bytes, fields, ranges, where, secrets)

    def picture(self, path: Any = None, *, ranges: Optional[Ranges] = None, where: Where = None, fields: Optional[Sequence[str]] = None) -> Picture:
        """A picture of the array as an HTML page, which shows itself in a notebook; made by the command-line tool.

        Args:
            path: The file to which the page is written, too.
            ranges: Ranges by dimension, as in :meth:`Array.read`.
            where: A condition as a text or from :func:`field`; other cells are not counted or read.
            fields: Attributes whose values are drawn; by default the first three with one number in a cell.

        Returns:
            The :class:`Picture`.

        Examples:
            >>> array.picture("readings.html")  # doctest: +SKIP
            <tiledb_rs.Picture: 45314 characters of HTML>
        """
        from .picture import make_picture

        return make_picture(self._source(), self._window, path, ranges, where, fields)

    def __repr__(self) -> str:
        state = "closed " if self._closed else ""
        at = "" if self._at is None else f" at {self._at}"
        return f"<tiledb_rs.Array: {state}{self._described()}{self._uri}{at}>"

    def _described(self) -> str:
        """Shape and types of an array that is open, without opening one."""
        opened = self._opened
        if opened is None:
            return ""
        schema = opened.schema
        try:
            shape = " x ".join(map(str, schema.shape))
        except TypeError:
            shape = ""
        if schema.sparse:
            shape = ", ".join(one.name for one in schema.dimensions)
        named = [f"{one.name} {schema.value_type(one.name)}" for one in schema.attributes]
        listed = ", ".join(named if len(named) <= _LISTED else [*named[:_LISTED], f"and {len(named) - _LISTED} more"])
        return f"{'sparse' if schema.sparse else 'dense'} ({shape}), {listed}: "

    def _repr_html_(self) -> str:
        from .._model.notebook import array_html

        return array_html(self)

    def __reduce__(self) -> Any:
        raise TypeError("an Array cannot be pickled: pickle its partitions, or open it by its URI")


def window_of(at: Moment) -> Tuple[Optional[int], Optional[int]]:
    """The timestamps of ``at``: a time, or a (start, end) pair of times, None for no bound."""
    if at is None:
        return None, None
    if isinstance(at, (tuple, list)):
        if len(at) != 2:
            raise ValueError(f"at must be a time or a (start, end) pair, not {at!r}")
        start, end = (None if one is None else moments.milliseconds(one) for one in at)
        if start is not None and end is not None and start > end:
            raise ValueError(f"at begins after its end: {at!r}")
        return start, end
    return None, moments.milliseconds(at)


def open(uri: Any, *, at: Moment = None, config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None) -> Array:
    """Opens an array.

    Args:
        uri: A URI, a path, or an object with ``.uri``, such as an array of TileDB-Py.
        at: The time as of which it is read: milliseconds since 1970, a datetime, a date, an ISO 8601 text, or a (start, end) pair.
        config: Parameters of the configuration, instead of a context.
        context: A context; the default one if not given.

    Returns:
        The array.

    Examples:
        >>> tiledb_rs.open("readings").count()
        3
    """
    array = Array(uri, at=at, config=config, context=context)
    array._source()
    return array


def create(uri: Any, schema: Schema, *, config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None) -> Array:
    """Creates an array, and returns it.

    Args:
        uri: The path or URI.
        schema: The schema.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The array.

    Examples:
        >>> schema = Schema([Dimension("d", (1, 4), tile=2)], [Attribute("a", "INT32")])
        >>> tiledb_rs.create("numbers", schema).write({"a": [1, 2, 3, 4]})
        4
    """
    if not isinstance(schema, Schema):
        raise TypeError(f"schema must be a tiledb_rs.Schema, not {type(schema).__name__}")
    ctx, name = choose_context(context, config), uri_of(uri)
    ctx.call("array_create", text(name, "a URI"), schema_io.build(ctx, schema), about=name)
    return Array(name, context=ctx)
