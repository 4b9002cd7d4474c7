"""Arrays as pyarrow datasets, whose scanners read only the columns and cells that a query needs.

    flights = tiledb_rs.dataset.dataset("flights")
    flights.to_table(columns=["carrier"], filter=pyarrow.compute.field("dep_delay") > 200)

DuckDB, polars (``scan_pyarrow_dataset``), Dask and others that take a dataset push columns and filters down through this interface.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from ._engines.arrow_predicate import conjuncts_of, evaluate, predicate_of
from ._arrow.columns import with_datetimes
from ._arrow.background import Advanced
from ._native.context import ConfigValue, Context
from ._native.errors import require
from ._arrays.query import Ranges
from ._engines.scanning import OnScan, Scan, Snapshot

pyarrow = require("pyarrow", "tiledb_rs.dataset")
arrow_dataset = require("pyarrow.dataset", "tiledb_rs.dataset", "pyarrow")
Columns = Union[None, Sequence[str], Mapping[str, Any]]

# The dataset that C++ code of pyarrow sees where it does not ask this class for a scanner: its column makes that an error.
_NOT_SCANNED = "use scanner(), to_table() or to_batches() of this dataset"


class ArrayDataset(arrow_dataset.InMemoryDataset):  # type: ignore[name-defined]
    """A pyarrow dataset of an array: one snapshot, however often and by however many threads it is scanned.

    Examples:
        >>> tiledb_rs.dataset.dataset("readings").schema.names
        ['time', 'value']
    """

    def __init__(self, snapshot: Snapshot, filter: Any = None):
        super().__init__(pyarrow.table({_NOT_SCANNED: pyarrow.array([], pyarrow.null())}))
        self._snapshot = snapshot
        self._filter = filter
        reader = self._reader(snapshot.fields)
        self._schema = with_datetimes(reader.schema, snapshot.schema)

    def _reader(self, fields: Any) -> Any:
        return pyarrow.RecordBatchReader._import_from_c_capsule(self._snapshot.result(fields).__arrow_c_stream__())

    @property
    def schema(self) -> Any:
        """The schema, with days as date32."""
        return self._schema

    def scanner(self, columns: Columns = None, filter: Any = None, **options: Any) -> Any:
        """A scanner of some columns of the rows that meet a filter.

        Comparisons with values, lists of values and nulls are evaluated by TileDB as far as they mean the same; of a dense array, the columns of
        the filter are read first, and the others where rows meet it. pyarrow evaluates the whole filter on the rows that were read.

        Args:
            columns: Names, or expressions by name; all columns if not given.
            filter: An expression of pyarrow; all rows if not given.
            **options: The other options of ``pyarrow.dataset.Scanner.from_batches``.

        Returns:
            A ``pyarrow.dataset.Scanner``.

        Raises:
            KeyError: if there is no column of a name.
            TypeError: if the filter is no expression.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.scanner(["value"]).to_table().num_rows
            3
        """
        if filter is not None and not isinstance(filter, pyarrow.compute.Expression):
            raise TypeError(f"filter must be a pyarrow.compute.Expression, not {type(filter).__name__}")
        if self._filter is not None:
            filter = self._filter if filter is None else self._filter & filter
        predicate, filtered = (None, set()) if filter is None else predicate_of(filter)
        names = self._fields(columns, filtered)
        wanted = pyarrow.schema([self._schema.field(name) for name in names])
        known = {name: value for name, value in options.items() if name not in ("cache_metadata", "fragment_readahead", "batch_readahead")}
        batches = self._snapshot.batches(wanted, predicate, lambda: [] if filter is None else conjuncts_of(filter), evaluate)
        return arrow_dataset.Scanner.from_batches(pyarrow.RecordBatchReader.from_batches(wanted, Advanced(batches)), columns=columns, filter=filter, **known)

    def _fields(self, columns: Columns, filtered: Any) -> List[str]:
        """The fields that columns and filter refer to."""
        needed = set(self._schema.names)
        if isinstance(columns, Mapping):
            parts = [predicate_of(one)[1] for one in columns.values()]
            chosen = needed if any(one is None for one in parts) else set().union(*parts)  # type: ignore[arg-type]
        elif columns is None:
            chosen = needed
        else:
            if isinstance(columns, (str, bytes)):
                raise TypeError("columns must be a list of names, or a dict from names to expressions")
            for one in columns:
                if one not in needed:
                    raise KeyError(f"there is no column {one!r}; there are {', '.join(self._schema.names)}")
            chosen = set(columns)
        chosen = needed if filtered is None else chosen | (filtered & needed)
        return [name for name in self._schema.names if name in chosen] or [self._snapshot._smallest()]

    def to_table(self, columns: Columns = None, filter: Any = None, **options: Any) -> Any:
        """The rows as a table.

        Args:
            columns: Names, or expressions by name; all columns if not given.
            filter: An expression of pyarrow; all rows if not given.
            **options: The other options of :meth:`scanner`.

        Returns:
            A ``pyarrow.Table``.

        Raises:
            KeyError: if there is no column of a name.

        Examples:
            >>> import pyarrow.compute as pc
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.to_table(["time"], pc.field("value") > 1)["time"].to_pylist()
            [2, 5]
        """
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(self, columns: Columns = None, filter: Any = None, **options: Any) -> Iterator[Any]:
        """The rows as record batches.

        Args:
            columns: Names, or expressions by name; all columns if not given.
            filter: An expression of pyarrow; all rows if not given.
            **options: The other options of :meth:`scanner`.

        Returns:
            An iterator of batches.

        Raises:
            KeyError: if there is no column of a name.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> sum(batch.num_rows for batch in readings.to_batches())
            3
        """
        # Not ``yield from``, which closes the reader of a scan that is dropped: in a forked child that waits for threads of the parent.
        for batch in self.scanner(columns, filter, **options).to_reader():
            yield batch

    def head(self, num_rows: int, columns: Columns = None, filter: Any = None, **options: Any) -> Any:
        """The first rows of the scan.

        Args:
            num_rows: How many.
            columns: Names, or expressions by name; all columns if not given.
            filter: An expression of pyarrow; all rows if not given.
            **options: The other options of :meth:`scanner`.

        Returns:
            A ``pyarrow.Table``.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.head(2)["time"].to_pylist()
            [1, 2]
        """
        return self.scanner(columns, filter, **options).head(num_rows)

    def take(self, indices: Any, columns: Columns = None, filter: Any = None, **options: Any) -> Any:
        """Rows by their positions in the order of the scan.

        Args:
            indices: The positions, from 0.
            columns: Names, or expressions by name; all columns if not given.
            filter: An expression of pyarrow; all rows if not given.
            **options: The other options of :meth:`scanner`.

        Returns:
            A ``pyarrow.Table``.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.take([2, 0])["time"].to_pylist()
            [5, 1]
        """
        return self.scanner(columns, filter, **options).to_table().take(indices)

    def count_rows(self, filter: Any = None, **options: Any) -> int:
        """The number of rows that meet a filter.

        Args:
            filter: An expression of pyarrow; all rows if not given.
            **options: The other options of :meth:`scanner`.

        Returns:
            The number.

        Examples:
            >>> import pyarrow.compute as pc
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.count_rows(pc.field("value") > 1)
            2
        """
        names: Columns = [] if filter is None and self._filter is None else None
        if names is None:
            _, fields = predicate_of(filter if self._filter is None else self._filter if filter is None else self._filter & filter)
            names = None if fields is None else sorted(fields & set(self._schema.names)) or [self._snapshot._smallest()]
        return sum(batch.num_rows for batch in self.scanner(names or [self._snapshot._smallest()] if names is not None else None, filter, **options).to_reader())

    def filter(self, expression: Any) -> ArrayDataset:
        """The dataset with a filter that applies to all scans.

        Args:
            expression: An expression of pyarrow, which rows have to meet beside the filters of before.

        Returns:
            The dataset.

        Examples:
            >>> import pyarrow.compute as pc
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.filter(pc.field("value") > 1).count_rows()
            2
        """
        return ArrayDataset(self._snapshot, expression if self._filter is None else self._filter & expression)

    def sort_by(self, sorting: Any, **options: Any) -> Any:
        """The rows in an order, in memory.

        Args:
            sorting: A column, or pairs of columns and ``ascending`` or ``descending``.
            **options: The other options of ``pyarrow.Table.sort_by``.

        Returns:
            A dataset of pyarrow.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.sort_by([("time", "descending")]).to_table()["time"].to_pylist()
            [5, 2, 1]
        """
        return arrow_dataset.dataset(self.to_table().sort_by(sorting, **options))

    def join(self, right_dataset: Any, *arguments: Any, **options: Any) -> Any:
        """The join with another dataset, in memory.

        Args:
            right_dataset: The other dataset.
            *arguments: Those of ``pyarrow.dataset.Dataset.join``, such as the keys.
            **options: The other options of it.

        Returns:
            A dataset of pyarrow.

        Examples:
            >>> import pyarrow.compute as pc
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.join(readings.filter(pc.field("value") > 1), "time", join_type="left semi").count_rows()
            2
        """
        return arrow_dataset.dataset(self.to_table()).join(arrow_dataset.dataset(right_dataset.to_table()), *arguments, **options)

    def join_asof(self, right_dataset: Any, *arguments: Any, **options: Any) -> Any:
        """The join by the nearest key, in memory.

        Args:
            right_dataset: The other dataset.
            *arguments: Those of ``pyarrow.dataset.Dataset.join_asof``: the key, the keys that are equal, and the tolerance.
            **options: The other options of it.

        Returns:
            A dataset of pyarrow.

        Examples:
            >>> import pyarrow, pyarrow.dataset
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> time = pyarrow.array([0, 4], readings.schema.field("time").type)
            >>> other = pyarrow.dataset.dataset(pyarrow.table({"time": time, "other": [7, 8]}))
            >>> readings.join_asof(other, "time", [], -2).to_table()["other"].to_pylist()
            [7, 7, 8]
        """
        return arrow_dataset.dataset(self.to_table()).join_asof(arrow_dataset.dataset(right_dataset.to_table()), *arguments, **options)

    def get_fragments(self, filter: Any = None) -> Any:
        """Not available: the fragments of an array are no files of their own; ``Array.partitions`` divides a read.

        Args:
            filter: Is not used.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: always.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.get_fragments()
            Traceback (most recent call last):
            ...
            NotImplementedError: an array has no dataset fragments: tiledb_rs.open(uri).partitions(n) divides a read
        """
        raise NotImplementedError("an array has no dataset fragments: tiledb_rs.open(uri).partitions(n) divides a read")

    def replace_schema(self, schema: Any) -> Any:
        """Not available: the schema is that of the array.

        Args:
            schema: Is not used.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: always.

        Examples:
            >>> readings = tiledb_rs.dataset.dataset("readings")
            >>> readings.replace_schema(readings.schema)
            Traceback (most recent call last):
            ...
            NotImplementedError: the schema of an array cannot be replaced: cast the table
        """
        raise NotImplementedError("the schema of an array cannot be replaced: cast the table")

    @property
    def partition_expression(self) -> Any:
        """True: an array is not divided by values."""
        return pyarrow.compute.scalar(True)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.scanner().to_reader().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __reduce__(self) -> Any:
        raise TypeError("a dataset of an array cannot be pickled: pickle partitions of the array, or open it by its URI")

    def __repr__(self) -> str:
        return f"<tiledb_rs.dataset.ArrayDataset: {', '.join(self._schema.names)} of {self._snapshot.source.uri}>"


def dataset(
    array: Any,
    *,
    fields: Optional[Sequence[str]] = None,
    ranges: Optional[Ranges] = None,
    where: Any = None,
    at: Any = None,
    config: Optional[Dict[str, ConfigValue]] = None,
    context: Optional[Context] = None,
    batch_bytes: int = 0,
    on_scan: OnScan = None,
) -> ArrayDataset:
    """An array as a pyarrow dataset.

    Args:
        array: An array, or its URI, which ``at``, ``config`` and ``context`` open as :func:`tiledb_rs.open` does.
        fields: The columns; all if not given.
        ranges: Ranges of dimensions, as in ``Array.read``.
        where: A condition, for sparse arrays.
        batch_bytes: The approximate size of a record batch.
        on_scan: Called with a :class:`Scan` for each scan, such as ``print``, which shows what was pushed down.
        at: The time, as in :func:`open`.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The dataset.

    Examples:
        >>> tiledb_rs.dataset.dataset("readings").count_rows()
        3
    """
    return ArrayDataset(Snapshot(array, fields, ranges, where, at, config, context, batch_bytes, on_scan))


__all__ = ["ArrayDataset", "Scan", "dataset"]
