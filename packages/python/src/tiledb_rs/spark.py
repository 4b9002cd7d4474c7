"""Spark: arrays as a Python data source of PySpark 4, ``spark.read.format("tiledb")``.

A read is divided by ``tiledb_rs_subarray_partition``, and all tasks read one snapshot. Its condition is the option ``where``. Filters of
Spark are pushed only with ``push_filters``, since Spark 4.3 reuses the plan of one filtered read for all queries of a data frame. A write makes all rows of a job visible at once, however often its tasks run: see :mod:`tiledb_rs.staging`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._arrow import columns as arrow_columns
from ._arrays.array import Array
from ._model.condition import condition_of
from ._native.context import Context
from ._native.errors import require
from ._arrays.partition import Partition
from ._engines.predicates import Predicate, Pushed, literal_of, push
from ._model.schema import Schema
from .staging import StagedFragments, WriteJob, create_target, sparse_target, stage_batches

require("pyspark.sql.datasource", "tiledb_rs.spark", "pyspark")
from pyspark.sql import datasource as api  # noqa: E402
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema  # noqa: E402

FILTER_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
OPTIONS = ("path", "at", "fields", "where", "push_filters", "partitions", "partition_bytes", "batch_bytes", "assume_no_nan", "dimensions", "capacity", "timestamp", "staging")
PARTITION_BYTES = 128 << 20
_SIGNS = {"EqualTo": "==", "EqualNullSafe": "==", "GreaterThan": ">", "GreaterThanOrEqual": ">=", "LessThan": "<", "LessThanOrEqual": "<="}


def register(session: Any) -> None:
    """Makes the format ``tiledb`` known to a session, and lets Spark push filters where the option ``push_filters`` is set."""
    session.dataSource.register(TileDBDataSource)
    session.conf.set(FILTER_PUSHDOWN, "true")


class _Options:
    """The options of a read or a write: those of this format, and parameters of the configuration, whose names have dots."""

    def __init__(self, options: Mapping[str, str]):
        given = dict(options)
        self.config: Dict[str, str] = {name: value for name, value in given.items() if "." in name}
        self.options = {name.lower(): value for name, value in given.items() if "." not in name}
        unknown = sorted(set(self.options) - set(OPTIONS))
        if unknown:
            raise ValueError(f"the format tiledb has no option {', '.join(unknown)}; it has {', '.join(OPTIONS)}, and configuration parameters")
        if not self.options.get("path"):
            raise ValueError("there is no path: load(uri) or save(uri)")

    def __repr__(self) -> str:
        return f"<options of {self.uri}>"

    @property
    def uri(self) -> str:
        return self.options["path"]

    def get(self, name: str) -> Optional[str]:
        return self.options.get(name)

    def names(self, name: str) -> Optional[List[str]]:
        value = self.options.get(name)
        return None if value is None else [one.strip() for one in value.split(",")]

    def number(self, name: str) -> Optional[int]:
        value = self.options.get(name)
        try:
            return None if value is None else int(value)
        except ValueError:
            raise ValueError(f"the option {name} must be a number, not {value!r}") from None

    def flag(self, name: str) -> bool:
        value = self.options.get(name, "false").lower()
        if value not in ("true", "false"):
            raise ValueError(f"the option {name} must be true or false, not {value!r}")
        return value == "true"

    def context(self) -> Optional[Context]:
        return Context(self.config) if self.config else None

    def open(self) -> Array:
        at = self.get("at")
        return Array(self.uri, at=at, context=self.context())


class TileDBDataSource(api.DataSource):
    """The format ``tiledb``."""

    @classmethod
    def name(cls) -> str:
        return "tiledb"

    def schema(self) -> Any:
        options = _Options(self.options)
        with options.open() as array:
            result = array.read(options.names("fields"))
            arrow = arrow_columns.with_dates(arrow_columns.schema_of(result), array.schema)
        pyarrow = require("pyarrow", "tiledb_rs.spark")
        return from_arrow_schema(pyarrow.schema([one.with_type(arrow_columns.plain(one.type)) for one in arrow]))

    def reader(self, schema: Any) -> TileDBReader:
        options = _Options(self.options)
        return (TileDBPushingReader if options.flag("push_filters") else TileDBReader)(options, schema)

    def writer(self, schema: Any, overwrite: bool) -> TileDBWriter:
        options = _Options(self.options)
        if overwrite:
            raise ValueError("the mode overwrite is not supported: remove the array before, or write with the mode append")
        return TileDBWriter(options, schema)


@dataclasses.dataclass
class TileDBInputPartition(api.InputPartition):
    """A partition for a task; None has no cells."""

    partition: Optional[Partition]


class TileDBReader(api.DataSourceReader):
    """Plans a read on the driver, and reads partitions on executors."""

    def __init__(self, options: _Options, schema: Any):
        self.options = options
        self.schema = schema
        self.filters: List[Any] = []

    def pushed(self, schema: Schema) -> Pushed:
        """What is pushed of the filters."""
        nan = "absent" if self.options.flag("assume_no_nan") else "greatest"
        return push(("and", [self._predicate(one, schema) for one in self.filters]), schema, nan=nan, labels_are_values=True)

    def _predicate(self, one: Any, schema: Schema) -> Predicate:
        """The predicate of a filter; None if it is not known."""
        kind = type(one).__name__
        if kind == "Not":
            if type(one.child).__name__ == "EqualNullSafe":
                # Nulls differ from a value there.
                return ("valid", one.child.attribute[0]) if one.child.value is None and len(one.child.attribute) == 1 else None
            found = self._predicate(one.child, schema)
            if found is not None and found[0] == "in":
                return ("and", [("not", ("compare", "==", found[1], value)) for value in found[2]])
            return None if found is None else ("not", found)
        path: Tuple[str, ...] = tuple(one.attribute)
        if len(path) != 1 or not self._compares_cells(path[0], schema):
            return None
        (name,) = path
        if kind in ("IsNull", "IsNotNull"):
            return ("null" if kind == "IsNull" else "valid", name)
        if kind == "EqualNullSafe" and one.value is None:
            return ("null", name)
        if kind == "In":
            values = [literal_of(value) for value in one.value if value is not None]
            return None if None in values else ("in", name, values) if values else ("false",)
        if kind == "StringStartsWith":
            return ("starts", name, one.value)
        value = literal_of(one.value) if kind in _SIGNS else None
        return None if value is None else ("compare", _SIGNS[kind], name, value)

    def _compares_cells(self, name: str, schema: Schema) -> bool:
        """Whether Spark compares what is in the cells: collations may ignore case, and nanoseconds are rounded."""
        kind = next((one.dataType for one in self.schema.fields if one.name == name), None)
        if kind is None or getattr(kind, "collation", "UTF8_BINARY") != "UTF8_BINARY":
            return False
        return name in schema.names and schema.value_type(name).unit != "ns"

    def partitions(self) -> Sequence[TileDBInputPartition]:
        options = self.options
        with options.open() as array:
            where = options.get("where")
            if where is not None and not array.schema.sparse:
                raise ValueError("the option where is for sparse arrays, as cells of a dense one have the fill value: filter the data frame")
            pushed = self.pushed(array.schema)
            condition = pushed.condition
            if where is not None:
                given = condition_of(where, array._source())
                condition = given if condition is None or given is None else given & condition
            if pushed.empty or array.nonempty_domain() is None and array.schema.sparse:
                return [TileDBInputPartition(None)]
            # A task needs a field even if Spark counts rows only.
            fields = [one.name for one in self.schema.fields] or array.schema.names[:1]
            number, size = options.number("partitions"), options.number("partition_bytes")
            if number is None and size is None:
                size = PARTITION_BYTES
            found = array.partitions(number, size, fields, pushed.ranges, condition)
        return [TileDBInputPartition(one) for one in found] or [TileDBInputPartition(None)]

    def read(self, partition: Any) -> Iterator[Any]:
        part = partition.partition
        if part is None:
            return
        result = part.read(batch_bytes=self.options.number("batch_bytes") or 0, context=self.options.context())
        target = to_arrow_schema(self.schema, timezone="UTC")
        for batch in result.batches():
            yield arrow_columns.converted(batch, target)


class TileDBPushingReader(TileDBReader):
    """A reader for data frames of one query: Spark 4.3 reads what was planned for one filter in other queries of the data frame, too."""

    def pushFilters(self, filters: List[Any]) -> Iterable[Any]:
        """Pushes what can be, and returns all of them, which Spark evaluates again."""
        self.filters = list(filters)
        return filters


@dataclasses.dataclass
class TileDBCommitMessage(api.WriterCommitMessage):
    """What a task has staged."""

    staged: StagedFragments


class TileDBWriter(api.DataSourceArrowWriter):
    """Stages the rows of tasks on executors, and commits all of them on the driver."""

    def __init__(self, options: _Options, schema: Any):
        self.options = options
        target = to_arrow_schema(schema, timezone="UTC")
        array = sparse_target(create_target(options.uri, target, options.names("dimensions"), config=options.config, capacity=options.number("capacity") or 10_000))
        missing = [name for name in array.schema.names if name not in target.names]
        additional = [name for name in target.names if name not in array.schema.names]
        if missing or additional:
            raise ValueError(
                f"the columns of the data frame are not those of the array {array.uri}, {', '.join(array.schema.names)}: "
                f"{', '.join(missing) or 'none'} missing, {', '.join(additional) or 'none'} additional"
            )
        self.job = WriteJob(options.uri, config=options.config, staging=options.get("staging"), timestamp=options.get("timestamp")).begin()

    def write(self, iterator: Iterator[Any]) -> TileDBCommitMessage:
        """Stages the rows of one task."""
        return TileDBCommitMessage(stage_batches(self.job, iterator))

    def commit(self, messages: List[Any]) -> None:
        """Makes the rows of all tasks visible."""
        self.job.commit([one.staged for one in messages if one is not None])

    def abort(self, messages: List[Any]) -> None:
        """Removes what was staged."""
        self.job.abort()
