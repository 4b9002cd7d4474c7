"""Arrays as lazy frames of polars, which push columns, predicates and limits down to the read.

tiledb_rs.polars.scan("flights").filter(pl.col("dep_delay") > 200).group_by("carrier").len().collect()
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from ._arrays import creation
from ._arrays.array import Array
from ._arrow.columns import append_to, with_datetimes
from ._native.context import ConfigValue, Context
from ._native.errors import require
from ._engines.polars_predicate import conjuncts_of, predicate_of
from ._arrays.query import Ranges
from ._engines.scanning import OnScan, Scan, Snapshot

polars = require("polars", "tiledb_rs.polars")
pyarrow = require("pyarrow", "tiledb_rs.polars")
_MOST_SECONDS = ((1 << 63) - 1) // 1_000
if tuple(map(int, polars.__version__.split(".")[:2])) < (1, 24):
    # Before, polars drops predicates that it cannot pass on.
    raise ImportError(f"tiledb_rs.polars needs polars 1.24 or later, not {polars.__version__}: pip install --upgrade polars")


class _Source:
    """What polars calls for each collection of a lazy frame."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        result = snapshot.result(snapshot.fields)
        reader = pyarrow.RecordBatchReader._import_from_c_capsule(result.__arrow_c_stream__())
        self._arrow = with_datetimes(reader.schema, snapshot.schema)
        self._empty = polars.from_arrow(self._arrow.empty_table())
        # polars counts milliseconds.
        self._seconds = [one.name for one in self._arrow if one.type == pyarrow.timestamp("s")]

    def schema(self) -> Dict[str, Any]:
        return dict(self._empty.schema)

    def _frame(self, table: Any) -> Any:
        """A table or record batch as a frame of the types of the scan.

        Raises:
            ValueError: if a time in seconds is beyond the milliseconds of 64 bits.
        """
        for name in self._seconds:
            if name in table.schema.names:
                compute = require("pyarrow.compute", "tiledb_rs.polars", "pyarrow")
                for bound in compute.min_max(table.column(name).cast(pyarrow.int64())).as_py().values():
                    if bound is not None and abs(bound) > _MOST_SECONDS:
                        raise ValueError(f"field {name!r} has a time of {bound} seconds, which polars cannot express: use to_numpy()")
        frame = polars.from_arrow(table)
        types = {name: self._empty.schema[name] for name in frame.columns}
        return frame if dict(frame.schema) == types else frame.cast(types)

    def _evaluate(self, table: Any, expressions: Sequence[Any]) -> Any:
        """The rows of a table that meet all of some expressions, as a NumPy array."""
        found = self._frame(table).select(met=polars.all_horizontal(expressions))["met"]
        return found.fill_null(False).to_numpy()

    def __call__(self, with_columns: Optional[List[str]], predicate: Any, n_rows: Optional[int], batch_size: Optional[int]) -> Iterator[Any]:
        wanted = list(self.snapshot.fields) if with_columns is None else list(with_columns)
        filtered = [] if predicate is None else list(dict.fromkeys(predicate.meta.root_names()))
        names = list(dict.fromkeys([*wanted, *filtered])) or [self.snapshot._smallest()]
        arrow = pyarrow.schema([self._arrow.field(name) for name in names])
        known = None if predicate is None else predicate_of(predicate)
        rest = n_rows
        for batch in self.snapshot.batches(arrow, known, lambda: [] if predicate is None else conjuncts_of(predicate), self._evaluate, nan="greatest"):
            frame = self._frame(batch)
            if predicate is not None:
                frame = frame.filter(predicate)
            if rest is not None:
                frame = frame.head(rest)
                rest -= frame.height
            yield frame.select(wanted)
            if rest == 0:
                return
        yield self._empty.select(wanted)


def scan(
    array: Any,
    *,
    fields: Optional[Sequence[str]] = None,
    ranges: Optional[Ranges] = None,
    where: Any = None,
    at: Any = None,
    config: Optional[Mapping[str, ConfigValue]] = None,
    context: Optional[Context] = None,
    batch_bytes: int = 0,
    on_scan: OnScan = None,
) -> Any:
    """An array, or the URI of one, as a polars.LazyFrame of one snapshot.

    Predicates are evaluated by TileDB as far as they mean the same there, and by polars on the rows that were read. The arguments are
    those of :func:`tiledb_rs.dataset.dataset`; ``on_scan=print`` shows what is pushed down.

    Args:
        array: An array, or the URI of one.
        fields: The fields that the frame has; all by default.
        ranges: Ranges by dimension, as in :meth:`Array.read`.
        where: A condition that all rows meet.
        at: The time, as in :func:`open`.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.
        batch_bytes: The approximate size of a batch; 0 for the default.
        on_scan: Called with the description of each read.

    Returns:
        The frame.

    Examples:
        >>> tiledb_rs.polars.scan("readings").select("value").sum().collect().item()
        4.5
    """
    register = require("polars.io.plugins", "tiledb_rs.polars", "polars>=1.24").register_io_source
    source = _Source(Snapshot(array, fields, ranges, where, at, config, context, batch_bytes, on_scan))
    return register(source, schema=source.schema())


def read(array: Any, **options: Any) -> Any:
    """An array as a polars.DataFrame; the options are those of :func:`scan`.

    Args:
        array: An array, or the URI of one.
        **options: The options of :func:`scan`.

    Returns:
        The frame.

    Examples:
        >>> tiledb_rs.polars.read("readings").height
        3
    """
    return scan(array, **options).collect()


def write(uri: Any, frame: Any, *, append: bool = False, **options: Any) -> Array:
    """Writes a frame, a lazy one too, to an array, and returns the array.

    The array is created, with the options of :func:`tiledb_rs.from_arrow` such as ``index``, or with ``append`` written to.

    Args:
        uri: The path or URI.
        frame: A DataFrame or a LazyFrame.
        append: Whether the array exists, and is written to.
        **options: The other options of :func:`from_arrow`.

    Returns:
        The array.

    Examples:
        >>> import polars
        >>> tiledb_rs.polars.write("names", polars.DataFrame({"id": [1, 2], "name": ["x", "y"]}), index="id").count()
        2
    """
    if not append:
        return creation.from_polars(uri, frame, **options)
    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, polars.DataFrame):
        raise TypeError(f"frame must be a polars.DataFrame or LazyFrame, not {type(frame).__name__}")
    array = Array(uri, **{name: options.pop(name) for name in ("config", "context") if name in options})
    stream = pyarrow.RecordBatchReader.from_stream(frame)
    append_to(array, stream, **options)
    return array


__all__ = ["Scan", "read", "scan", "write"]
