"""Ray Data: arrays as a data source and a data sink.

A read is divided by ``tiledb_rs_subarray_partition``, and all tasks read the snapshot at which the dataset was made. Columns are pushed,
and filters as conditions and ranges, which tasks evaluate again. A write makes all rows of a job visible at once, however often its tasks
run: see :mod:`tiledb_rs.staging`.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from ._arrow import columns as arrow_columns
from ._arrays.array import Array
from ._engines.arrow_predicate import predicate_of
from ._model.condition import condition_of
from ._native.context import ConfigValue, Context
from ._native.errors import require
from ._arrays.partition import Partition
from ._engines.predicates import Pushed, push
from ._model.schema import Schema
from .staging import StagedFragments, WriteJob, create_target, sparse_target, stage_batches

require("ray.data", "tiledb_rs.ray", "ray[data]")
import ray  # noqa: E402
from ray.data import datasource as api  # noqa: E402
from ray.data.block import BlockAccessor, BlockMetadata  # noqa: E402

Config = Optional[Mapping[str, ConfigValue]]
# The column by which Ray's own sources keep the number of rows of blocks without columns, which Dataset.count() reads.
_NO_COLUMNS = "__bsp_stub"


def read_tiledb(
    uri: Any, *, fields: Any = None, where: Any = None, ranges: Optional[Mapping[str, Any]] = None, at: Any = None, config: Config = None, batch_bytes: int = 0, **options: Any
) -> Any:
    """A ``ray.data.Dataset`` of the cells of an array.

    ``fields``, ``where``, ``ranges`` and ``at`` are those of :meth:`Array.read` and :func:`tiledb_rs.open`; other options, such as
    ``override_num_blocks`` or ``concurrency``, are passed to ``ray.data.read_datasource``.
    """
    source = TileDBDatasource(uri, fields=fields, where=where, ranges=ranges, at=at, config=config, batch_bytes=batch_bytes)
    return ray.data.read_datasource(source, **options)


def write_tiledb(
    dataset: Any, uri: Any, *, dimensions: Optional[Sequence[str]] = None, config: Config = None, timestamp: Any = None, staging: Any = None, capacity: int = 10_000, **options: Any
) -> None:
    """Writes the rows of a dataset to a sparse array, which is created with these columns as dimensions if there is none.

    Other options, such as ``concurrency`` or ``ray_remote_args``, are passed to ``Dataset.write_datasink``.
    """
    sink = TileDBDatasink(uri, dimensions=dimensions, config=config, timestamp=timestamp, staging=staging, capacity=capacity)
    dataset.write_datasink(sink, **options)


class TileDBDatasource(api.Datasource):
    """Plans a read at the snapshot at which it was made."""

    def __init__(self, uri: Any, *, fields: Any = None, where: Any = None, ranges: Optional[Mapping[str, Any]] = None, at: Any = None, config: Config = None, batch_bytes: int = 0):
        super().__init__()
        self._projection_map = None
        self._config: Dict[str, ConfigValue] = dict(config or {})
        self._where, self._given, self._batch_bytes = where, ranges, batch_bytes
        array = Array(uri, at=at, context=_context(self._config))
        if where is not None and not array.schema.sparse:
            raise ValueError("where is for sparse arrays, as cells of a dense one have the fill value: filter the dataset")
        self._uri, self._window = array.uri, array.timestamp_range
        # Wrong arguments fail here.
        self._fields = list(array.read(fields, ranges, where).fields)

    def __repr__(self) -> str:
        return f"TileDBDatasource({self._uri})"

    def get_name(self) -> str:
        return "TileDB"

    def supports_projection_pushdown(self) -> bool:
        return True

    def supports_predicate_pushdown(self) -> bool:
        return True

    def estimate_inmemory_data_size(self) -> Optional[int]:
        return None

    def apply_predicate(self, predicate_expr: Any) -> Any:
        clone = copy.copy(self)
        clone._predicate_expr = predicate_expr if self._predicate_expr is None else self._predicate_expr & predicate_expr
        return clone

    def pushed(self, schema: Schema) -> Pushed:
        """What is pushed of the predicate."""
        return push(self._predicate()[0], schema, self._given, labels_are_values=True)

    def _predicate(self) -> Any:
        """The predicate, and the fields that it refers to; None if these are not known."""
        return (None, set()) if self._predicate_expr is None else predicate_of(self._predicate_expr.to_pyarrow())

    def get_read_tasks(self, parallelism: int, per_task_row_limit: Optional[int] = None, data_context: Any = None) -> List[Any]:
        array = Array(self._uri, at=self._window, context=_context(self._config))
        projected = self._get_data_columns()
        columns = self._fields if projected is None else [name for name in self._fields if name in projected]
        # The predicate may need columns that are not returned; a read needs one in any case.
        filtered = self._predicate()[1]
        needed = [name for name in self._fields if filtered is None or name in {*columns, *filtered}] or self._fields[:1]
        pushed = self.pushed(array.schema)
        condition = pushed.condition
        if self._where is not None:
            given = condition_of(self._where, array._source())
            condition = given if condition is None or given is None else given & condition
        predicate = None if self._predicate_expr is None else self._predicate_expr.to_pyarrow()
        read = _Read(self._config, predicate, columns, needed, self._batch_bytes, _schema(array, needed))
        parts: List[Partition] = []
        if not pushed.empty and (array.nonempty_domain() is not None or not array.schema.sparse):
            parts = array.partitions(max(parallelism, 1), None, needed, pushed.ranges, condition)
        return [
            api.ReadTask(_Task(read, part), _metadata(part), schema=read.schema_of_columns(), per_task_row_limit=per_task_row_limit)
            for part in parts or [None]  # type: ignore[list-item]
        ]


class _Read:
    """What the tasks of a read have in common."""

    def __init__(self, config: Dict[str, ConfigValue], predicate: Any, columns: List[str], needed: List[str], batch_bytes: int, schema: Any):
        self.config, self.predicate, self.columns, self.needed = config, predicate, columns, needed
        self.batch_bytes, self.schema = batch_bytes, schema

    def __repr__(self) -> str:
        return f"<read of {', '.join(self.columns)}>"

    def schema_of_columns(self) -> Any:
        pyarrow = require("pyarrow", "tiledb_rs.ray")
        return pyarrow.schema([self.schema.field(name) for name in self.columns] or [(_NO_COLUMNS, pyarrow.null())])

    def tables(self, part: Optional[Partition]) -> Iterator[Any]:
        pyarrow = require("pyarrow", "tiledb_rs.ray")
        found = False
        if part is not None:
            result = part.read(batch_bytes=self.batch_bytes, context=_context(self.config))
            for batch in result.batches():
                table = pyarrow.Table.from_batches([arrow_columns.converted(batch, self.schema)])
                if self.predicate is not None:
                    table = table.filter(self.predicate)
                found = True
                rows = table.num_rows
                yield table.select(self.columns) if self.columns else pyarrow.table({_NO_COLUMNS: pyarrow.nulls(rows)})
        if not found:
            yield self.schema_of_columns().empty_table()


class _Task:
    """Reads one partition."""

    def __init__(self, read: _Read, part: Optional[Partition]):
        self.read, self.part = read, part

    def __call__(self) -> Iterator[Any]:
        return self.read.tables(self.part)


class TileDBDatasink(api.Datasink):
    """Stages the rows of tasks on workers, and commits all of them on the driver."""

    def __init__(self, uri: Any, *, dimensions: Optional[Sequence[str]] = None, config: Config = None, timestamp: Any = None, staging: Any = None, capacity: int = 10_000):
        self._dimensions = None if dimensions is None else [dimensions] if isinstance(dimensions, str) else list(dimensions)
        self._capacity = capacity
        self._job = WriteJob(uri, config=config, staging=staging, timestamp=timestamp)
        self.cells: Optional[int] = None

    def get_name(self) -> str:
        return "TileDB"

    def on_write_start(self, schema: Any = None) -> None:
        """Begins the job. The schema is not used: if the write is fused with other operators, it is that of the first one's input."""
        self._job.begin()

    def write(self, blocks: Iterable[Any], ctx: Any) -> StagedFragments:
        """Stages the rows of one task; the first one creates the array."""
        tables = (BlockAccessor.for_block(block).to_arrow() for block in blocks)
        first = next((table for table in tables if table.num_columns), None)
        if first is None:
            return StagedFragments("", (), 0)
        sparse_target(create_target(self._job.uri, first.schema, self._dimensions, config=self._job.config, capacity=self._capacity))
        return stage_batches(self._job, itertools.chain([first], tables))

    def on_write_complete(self, write_result: Any) -> None:
        """Makes the rows of all tasks visible."""
        self.cells = self._job.commit(one for one in write_result.write_returns if one is not None)

    def on_write_failed(self, error: Exception) -> None:
        """Removes what was staged."""
        self._job.abort()


def _schema(array: Array, names: List[str]) -> Any:
    """The Arrow schema of blocks: values instead of dictionaries, and dates."""
    pyarrow = require("pyarrow", "tiledb_rs.ray")
    arrow = arrow_columns.with_dates(arrow_columns.schema_of(array.read(names)), array.schema)
    fields = [one.with_type(one.type.value_type) if pyarrow.types.is_dictionary(one.type) else one for one in arrow]
    return pyarrow.schema([one.remove_metadata().with_nullable(True) for one in fields])


def _metadata(part: Optional[Partition]) -> Any:
    # The number of cells is an estimate, and no number of rows.
    return BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)


def _context(config: Mapping[str, ConfigValue]) -> Optional[Context]:
    return Context(config) if config else None


__all__ = ["TileDBDatasink", "TileDBDatasource", "read_tiledb", "write_tiledb"]
