"""Results of reads: a stream of Arrow record batches, in whatever form the program wants them."""

from __future__ import annotations

import os
import struct
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from .._native import capsule
from .._arrow import decode
from .._native.arrow_struct import Stream
from .._native.errors import require
from .._native.interrupts import Interruptible
from .query import ReadPlan

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow

    from .._native.context import Context


class Result:
    """The result of a read, which is not submitted before it is consumed.

    It has the Arrow PyCapsule interface, so that pyarrow, polars, DuckDB and others take it as it is. It can be consumed any number of
    times: each consumption submits a query of its own, on the array as it was when the result was made.

    Examples:
        >>> result = array.read()
        >>> result.fields
        ('time', 'value')
    """

    __module__ = "tiledb_rs"

    __slots__ = ("_plan", "__weakref__")

    def __init__(self, plan: ReadPlan):
        self._plan = plan

    def __del__(self) -> None:
        capsule.sweep()

    @property
    def fields(self) -> Tuple[str, ...]:
        """The names of the columns."""
        return self._plan.fields

    @property
    def shape(self) -> Optional[Tuple[int, ...]]:
        """The shape of the arrays of a dense read; None for sparse arrays."""
        schema = self._plan.source.schema
        if schema.sparse:
            return None
        found = list(schema.shape)
        for index, ranges in self._plan.bounds.items():
            code = f"<{schema.dimensions[index].dtype.code}"
            found[index] = sum(struct.unpack(code, high)[0] - struct.unpack(code, low)[0] + 1 for low, high in ranges)
        return tuple(found)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule with the stream; a requested schema is not applied, which the interface allows."""
        return capsule.export(self._plan.stream().detach(), capsule.STREAM)

    def __arrow_c_schema__(self) -> Any:
        """A capsule with the schema."""
        return capsule.export(self._plan.stream().schema(), capsule.SCHEMA)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow.Table, in which days are dates, and "not a time" is null in dates and timestamps.

        Returns:
            The table.

        Examples:
            >>> array.read().to_arrow().num_rows
            3
        """
        pyarrow = require("pyarrow", "to_arrow()")
        self._check_memory()
        with self._interruptible():
            reader = self._reader("to_arrow()")
            wanted = self._schema_with_dates(reader)
            return reader.read_all() if wanted is None else pyarrow.Table.from_batches(self._dated(reader, wanted), wanted)

    def _interruptible(self) -> Interruptible:
        return Interruptible(self._plan.source.ctx)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """The pyarrow.RecordBatches of :meth:`to_arrow`, one after the other.

        Yields:
            Each batch.

        Examples:
            >>> [batch.num_rows for batch in array.read().batches()]
            [3]
        """
        reader = self._reader("batches()")
        wanted = self._schema_with_dates(reader)
        return _Turns(reader if wanted is None else self._dated(reader, wanted), self._plan.source.ctx)

    def _schema_with_dates(self, reader: pyarrow.RecordBatchReader) -> Optional[pyarrow.Schema]:
        """The schema with dates; None if no field has dates or timestamps."""
        from .._arrow import columns as arrow_columns

        schema = self._plan.source.schema
        return arrow_columns.with_dates(reader.schema, schema) if any(arrow_columns.is_converted(schema, one) for one in self.fields) else None

    def _dated(self, reader: pyarrow.RecordBatchReader, wanted: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
        from .._arrow import columns as arrow_columns

        return arrow_columns.batches_of(reader, self._plan.source.schema, wanted, dates_only=True)

    def _reader(self, purpose: str) -> pyarrow.RecordBatchReader:
        pyarrow = require("pyarrow", purpose)
        return pyarrow.RecordBatchReader._import_from_c_capsule(self.__arrow_c_stream__())

    def to_polars(self) -> polars.DataFrame:
        """A polars.DataFrame, in which days are dates, and "not a time" is null in dates, timestamps and times.

        Returns:
            The frame.

        Examples:
            >>> array.read().to_polars().height  # doctest: +SKIP
            3
        """
        require("polars", "to_polars()")
        from .._arrow import polars_io

        self._check_memory()
        with self._interruptible():
            return polars_io.frame(self, self._plan.source.schema)

    def to_pandas(self, index: Any = None) -> pandas.DataFrame:
        """A pandas.DataFrame; ``index`` names the columns that become its index, or is True for the dimensions.

        Args:
            index: Names of the columns that become the index, or True for the dimensions.

        Returns:
            The frame.

        Examples:
            >>> len(array.read().to_pandas(index=True))  # doctest: +SKIP
            3
        """
        require("pandas", "to_pandas()")
        self._check_memory()
        from .._arrow import pandas_io

        with self._interruptible():
            frame = pandas_io.frame(self.stream())
        if index is True:
            index = [one.name for one in self._plan.source.schema.dimensions if one.name in frame.columns]
        return frame.set_index(index) if index else frame

    def to_numpy(self) -> Dict[str, numpy.ndarray]:
        """Arrays by field: of a dense array in its shape and without dimensions unless they are asked for.

        Columns with nulls are masked arrays.

        Returns:
            The arrays by field.

        Examples:
            >>> array.read().to_numpy()["value"].tolist()
            [0.5, 1.5, 2.5]
        """
        require("numpy", "to_numpy()")
        schema = self._plan.source.schema
        plan = self._plan
        if not schema.sparse and plan.fields == tuple(schema.names):
            plan = plan._replace(fields=tuple(one.name for one in schema.attributes))
        with self._interruptible():
            found = _numpy_columns(plan._replace(batch_bytes=plan.batch_bytes or self._whole(plan)))
        shape = self.shape
        if shape is None or plan.layout not in (0, 1):
            return found
        order = "F" if plan.layout == 1 else "C"
        return {name: _shaped(values, shape, order) for name, values in found.items()}

    def _check_memory(self) -> None:
        """Refuses a dense read that no memory of the machine can hold: the process would be killed in the middle of it."""
        shape, schema = self.shape, self._plan.source.schema
        if shape is None:
            return
        cells, width = 1, 0
        for extent in shape:
            cells *= extent
        for field in map(schema.field, self._plan.fields):
            width += 8 if getattr(field, "var", False) else field.dtype.size * getattr(field, "values", 1)
        memory = _memory()
        if memory is not None and cells * width > memory:
            raise MemoryError(
                f"the result has {cells} cells of at least {width} bytes, and the machine {memory} bytes of memory: select less by ranges, or read it by batches() or partitions"
            )

    def _whole(self, plan: ReadPlan) -> int:
        """A batch size for which a dense read of fixed-size fields is one batch, which need not be copied."""
        shape, schema = self.shape, plan.source.schema
        if shape is None:
            return 0
        cells, width = 1, 0
        for extent in shape:
            cells *= extent
        for field in map(schema.field, plan.fields):
            if getattr(field, "var", False):
                return 0
            width += field.dtype.size * getattr(field, "values", 1) + bool(getattr(field, "nullable", False))
        return min(cells * width + 65_536 * len(plan.fields), 1 << 40)

    def to_pydict(self) -> Dict[str, List[Any]]:
        """Lists by field, without other packages: None for nulls, dates and times as Python has them.

        Returns:
            The lists by field.

        Examples:
            >>> array.read(["value"]).to_pydict()
            {'value': [0.5, 1.5, 2.5]}
        """
        self._check_memory()
        stream = self._plan.stream()
        nodes = stream.node().children
        found: Dict[str, List[Any]] = {node.name: [] for node in nodes}
        for batch in stream:
            for node, array in zip(nodes, decode.children(batch)):
                found[node.name].extend(decode.column(node, array))
        return found

    def to_pylist(self) -> List[Dict[str, Any]]:
        """The rows as dicts, without other packages.

        Returns:
            The rows.

        Examples:
            >>> array.read().to_pylist()[0]
            {'time': 1, 'value': 0.5}
        """
        self._check_memory()
        return list(self)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        stream = self._plan.stream()
        nodes = stream.node().children
        names = [node.name for node in nodes]
        for batch in stream:
            columns = [decode.column(node, array) for node, array in zip(nodes, decode.children(batch))]
            for row in zip(*columns):
                yield dict(zip(names, row))

    def __reduce__(self) -> Any:
        raise TypeError("a Result cannot be pickled: pickle what it contains, such as to_arrow(), or partitions of the array")

    def __repr__(self) -> str:
        where = "" if self._plan.condition is None else f" where {self._plan.condition}"
        return f"<tiledb_rs.Result: {', '.join(self.fields)} of {self._plan.source.uri}{where}>"

    def _repr_html_(self) -> str:
        from .._model.notebook import result_html

        return result_html(self)

    def _replace_batch_bytes(self, batch_bytes: int) -> Result:
        return Result(self._plan._replace(batch_bytes=batch_bytes))

    def stream(self) -> Stream:
        """Submits the query as a stream that this package decodes, without pyarrow.

        Returns:
            The stream, an iterator of batches.

        Examples:
            >>> sum(len(batch) for batch in array.read().stream())
            3
        """
        return self._plan.stream()


class _Turns:
    """An iterator that threads share: they take turns."""

    def __init__(self, items: Any, context: Context):
        self._items, self._lock, self._context = iter(items), threading.Lock(), context

    def __iter__(self) -> _Turns:
        return self

    def __next__(self) -> Any:
        with self._lock, Interruptible(self._context):
            return next(self._items)


def _memory() -> Optional[int]:
    """The bytes of memory of the machine; None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _numpy_columns(plan: ReadPlan) -> Dict[str, Any]:
    from .._arrow import numpy_io

    stream = plan.stream()
    nodes = stream.node().children
    return dict(zip((node.name for node in nodes), numpy_io.columns(nodes, list(stream))))


def _shaped(values: Any, shape: Tuple[int, ...], order: str) -> Any:
    if order == "C" or values.ndim == 1:
        return values.reshape((*shape, *values.shape[1:]), order=order)
    # Several values per cell stay the last axis.
    return values.reshape((*shape[::-1], *values.shape[1:])).transpose((*range(len(shape) - 1, -1, -1), len(shape)))
