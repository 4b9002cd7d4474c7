"""Scans: reads of a snapshot for query engines, which give the columns and the predicate of each."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .._arrays.array import Array
from .._arrow.columns import batches_of
from .._model.condition import condition_of
from .._native.context import ConfigValue, Context
from .._model.datatypes import decode
from .._native.errors import require
from .late_scan import Conjunct, Evaluate, LateScan
from .predicates import Predicate, Pushed, push
from .._arrays.query import OpenArray, Ranges, ReadPlan, bounds_of
from .._arrays.result import Result
from .._model.schema import Schema, check_names
from .._model.values import RawRange


class Scan(NamedTuple):
    """A read that an engine has requested: what of its query TileDB evaluates. ``str(scan)`` is its description.

    Of a dense array, the fields ``late`` are read only where cells meet conditions of the filter on the other fields.

    Examples:
        >>> _ = tiledb_rs.dataset.dataset("readings", on_scan=print).to_table(columns=["value"])
        scan of readings: value
    """

    uri: str
    fields: Tuple[str, ...]
    ranges: Dict[str, List[Tuple[Any, Any]]]
    where: Optional[str]
    empty: bool
    late: Tuple[str, ...] = ()

    def __str__(self) -> str:
        ranges = "; ".join(f"{name} in {', '.join(_shown(*one) for one in pairs)}" for name, pairs in self.ranges.items())
        parts = [", ".join(self.fields), *([ranges] if ranges else []), *([f"where {self.where}"] if self.where else []), *([f"late {', '.join(self.late)}"] if self.late else [])]
        return f"scan of {self.uri}: " + ("nothing, the predicate excludes all cells" if self.empty else "; ".join(parts))


OnScan = Optional[Callable[[Scan], Any]]


def _shown(low: Any, high: Any) -> str:
    return str(low) if low == high else f"[{low}, {high}]"


class Snapshot:
    """An array at fixed timestamps, restricted to fields, ranges and a condition."""

    def __init__(
        self,
        array: Any,
        fields: Optional[Sequence[str]] = None,
        ranges: Optional[Ranges] = None,
        where: Any = None,
        at: Any = None,
        config: Optional[Mapping[str, ConfigValue]] = None,
        context: Optional[Context] = None,
        batch_bytes: int = 0,
        on_scan: OnScan = None,
    ):
        if isinstance(array, Array):
            if at is not None or config is not None or context is not None:
                raise TypeError("at, config and context are those of the array: give them to tiledb_rs.open(), or give the URI")
        else:
            array = Array(array, at=at, config=config, context=context)
        if on_scan is not None and not callable(on_scan):
            raise TypeError(f"on_scan must be callable, not {type(on_scan).__name__}")
        self.source: OpenArray = array._source()
        self.fields: Tuple[str, ...] = tuple(self.schema.names if fields is None else check_names(fields, self.schema))
        self.ranges: Dict[str, Any] = dict(ranges or {})
        bounds_of(self.schema, ranges)
        self.where = condition_of(where, self.source)
        if self.where is not None and not self.schema.sparse:
            raise ValueError("the array is dense: cells that do not meet a condition would have fill values. Filter in the query instead of where")
        self.batch_bytes = batch_bytes
        self.on_scan = on_scan

    @property
    def schema(self) -> Schema:
        """The schema of the array."""
        return self.source.schema

    def result(self, fields: Iterable[str]) -> Result:
        """All cells."""
        plan = self._plan(fields, None, "unordered")[0]
        assert plan is not None
        return Result(plan)

    def _plan(self, fields: Iterable[str], predicate: Predicate, nan: str) -> Tuple[Optional[ReadPlan], Scan]:
        """The read of the cells that can meet a predicate, None if none can, and its description."""
        names = tuple(fields) or (self._smallest(),)
        pushed = push(predicate, self.schema, self.ranges, nan=nan)
        condition = pushed.condition if self.where is None else self.where if pushed.condition is None else self.where & pushed.condition
        text = None if condition is None else condition.text(self.schema)
        scan = Scan(self.source.uri, names, self._ranges(pushed), text, pushed.empty)
        return None if pushed.empty else ReadPlan.of(self.source, names, pushed.ranges, condition, None, self.batch_bytes), scan

    def batches(
        self, wanted: Any, predicate: Predicate = None, conjuncts: Callable[[], List[Conjunct]] = list, evaluate: Optional[Evaluate] = None, *, nan: str = "unordered"
    ) -> Iterator[Any]:
        """The cells that can meet a predicate, as record batches of a schema, in types of :func:`with_datetimes`.

        Of a dense array, the columns of the conjuncts of the predicate are read first, and the others where cells meet them.
        """
        plan, scan = self._plan(wanted.names, predicate, nan)
        late = None if plan is None or evaluate is None else LateScan.of(plan, conjuncts, wanted, evaluate)
        if late is not None:
            scan = scan._replace(late=late.fields)
        if self.on_scan is not None:
            self.on_scan(scan)
        if plan is None:
            return iter(())
        if late is not None:
            return late.batches()
        reader = require("pyarrow", "a scan").RecordBatchReader._import_from_c_capsule(Result(plan).__arrow_c_stream__())
        return batches_of(reader, self.schema, wanted)

    def _ranges(self, pushed: Pushed) -> Dict[str, List[Tuple[Any, Any]]]:
        found = {}
        for name, pairs in pushed.ranges.items():
            datatype = self.schema.dimension(name).dtype
            found[name] = [(decode(datatype, low), decode(datatype, high)) for low, high in pairs]
        return found

    def _smallest(self) -> str:
        """The field that is cheapest to read where only the number of cells matters."""
        return min(self.fields, key=lambda name: _bytes_of(self.schema, name))


def _bytes_of(schema: Schema, name: str) -> int:
    field = schema.field(name)
    return 64 if getattr(field, "var", False) or field.dtype.is_string else field.dtype.size * getattr(field, "values", 1)


__all__ = ["OnScan", "RawRange", "Scan", "Snapshot"]
