"""Arrays as lazy frames of polars, which push columns, predicates and limits down to the read.

    tiledb_rs.polars.scan("flights").filter(pl.col("dep_delay") > 200).group_by("carrier").len().collect()
"""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from . import creation
from .array import Array
from .arrow_columns import conforming, batches_of, with_datetimes
from .context import ConfigValue, Context
from .dataset import _silent
from .errors import require
from .polars_predicate import predicate_of
from .query import Ranges
from .result import Result
from .scanning import OnScan, Scan, Snapshot

polars = require("polars", "tiledb_rs.polars")
pyarrow = require("pyarrow", "tiledb_rs.polars")
if tuple(map(int, polars.__version__.split(".")[:2])) < (1, 24):
    # Before, polars drops predicates that it cannot pass on.
    raise ImportError(f"tiledb_rs.polars needs polars 1.24 or later, not {polars.__version__}: pip install --upgrade polars")


class _Source:
    """What polars calls for each collection of a lazy frame."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        self._empty = self._frame(list(snapshot.fields))

    def _reader(self, result: Result) -> Any:
        return pyarrow.RecordBatchReader._import_from_c_capsule(result.__arrow_c_stream__())

    def _frame(self, names: List[str]) -> Any:
        """A frame without rows."""
        result = _silent(self.snapshot).result(names)
        assert result is not None
        return polars.from_arrow(with_datetimes(self._reader(result).schema, self.snapshot.schema).empty_table())

    def schema(self) -> Dict[str, Any]:
        return dict(self._empty.schema)

    def __call__(self, with_columns: Optional[List[str]], predicate: Any, n_rows: Optional[int], batch_size: Optional[int]) -> Iterator[Any]:
        schema = self.snapshot.schema
        wanted = list(self.snapshot.fields) if with_columns is None else list(with_columns)
        filtered = [] if predicate is None else list(dict.fromkeys(predicate.meta.root_names()))
        names = list(dict.fromkeys([*wanted, *filtered])) or [self.snapshot._smallest()]
        result = self.snapshot.result(names, None if predicate is None else predicate_of(predicate), nan="greatest")
        rest = n_rows
        if result is not None:
            reader = self._reader(result)
            types = with_datetimes(reader.schema, schema)
            for batch in batches_of(reader, schema, types):
                frame = polars.from_arrow(batch).cast({name: self._empty.schema[name] for name in names})
                if predicate is not None:
                    frame = frame.filter(predicate)
                if rest is not None:
                    frame = frame.head(rest)
                    rest -= frame.height
                yield frame.select(wanted)
                if rest == 0:
                    return
        yield self._empty.select(wanted)


def scan(array: Any, *, fields: Optional[Sequence[str]] = None, ranges: Optional[Ranges] = None, where: Any = None, at: Any = None,
         config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None, batch_bytes: int = 0,
         on_scan: OnScan = None) -> Any:
    """An array, or the URI of one, as a polars.LazyFrame of one snapshot.

    Predicates are evaluated by TileDB as far as they mean the same there, and by polars on the rows that were read. The arguments are
    those of :func:`tiledb_rs.dataset.dataset`; ``on_scan=print`` shows what is pushed down.
    """
    register = require("polars.io.plugins", "tiledb_rs.polars", "polars>=1.24").register_io_source
    source = _Source(Snapshot(array, fields, ranges, where, at, config, context, batch_bytes, on_scan))
    return register(source, schema=source.schema())


def read(array: Any, **options: Any) -> Any:
    """An array as a polars.DataFrame; the options are those of :func:`scan`."""
    return scan(array, **options).collect()


def write(uri: Any, frame: Any, *, append: bool = False, **options: Any) -> Array:
    """Writes a frame, a lazy one too, to an array, and returns the array.

    The array is created, with the options of :func:`tiledb_rs.from_arrow` such as ``index``, or with ``append`` written to.
    """
    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, polars.DataFrame):
        raise TypeError(f"frame must be a polars.DataFrame or LazyFrame, not {type(frame).__name__}")
    if not append:
        return creation.from_arrow(uri, frame, **options)
    array = Array(uri, **{name: options.pop(name) for name in ("config", "context") if name in options})
    stream = pyarrow.RecordBatchReader.from_stream(frame)
    array.write(conforming(stream, array), **options)
    return array


__all__ = ["Scan", "read", "scan", "write"]
