"""Scans: reads of a snapshot for query engines, which give the columns and the predicate of each."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .array import Array
from .condition import condition_of
from .context import ConfigValue, Context
from .datatypes import decode
from .predicates import Predicate, Pushed, push
from .query import OpenArray, Ranges, ReadPlan, bounds_of
from .result import Result
from .schema import Schema, check_names
from .values import RawRange


class Scan(NamedTuple):
    """A read that an engine has requested: what of its query TileDB evaluates. ``str(scan)`` is its description."""

    uri: str
    fields: Tuple[str, ...]
    ranges: Dict[str, List[Tuple[Any, Any]]]
    where: Optional[str]
    empty: bool

    def __str__(self) -> str:
        ranges = "; ".join(f"{name} in {', '.join(_shown(*one) for one in pairs)}" for name, pairs in self.ranges.items())
        parts = [", ".join(self.fields), *([ranges] if ranges else []), *([f"where {self.where}"] if self.where else [])]
        return f"scan of {self.uri}: " + ("nothing, the predicate excludes all cells" if self.empty else "; ".join(parts))


OnScan = Optional[Callable[[Scan], Any]]


def _shown(low: Any, high: Any) -> str:
    return str(low) if low == high else f"[{low}, {high}]"


class Snapshot:
    """An array at fixed timestamps, restricted to fields, ranges and a condition."""

    def __init__(self, array: Any, fields: Optional[Sequence[str]] = None, ranges: Optional[Ranges] = None, where: Any = None, at: Any = None,
                 config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None, batch_bytes: int = 0,
                 on_scan: OnScan = None):
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
        self.where = condition_of(where, self.schema)
        if self.where is not None and not self.schema.sparse:
            raise ValueError("the array is dense: cells that do not meet a condition would have fill values. Filter in the query instead of where")
        self.batch_bytes = batch_bytes
        self.on_scan = on_scan

    @property
    def schema(self) -> Schema:
        """The schema of the array."""
        return self.source.schema

    def result(self, fields: Iterable[str], predicate: Predicate = None, *, nan: str = "unordered") -> Optional[Result]:
        """The cells that can meet a predicate; None if none can."""
        names = tuple(fields) or (self._smallest(),)
        pushed = push(predicate, self.schema, self.ranges, nan=nan)
        condition = pushed.condition if self.where is None else self.where if pushed.condition is None else self.where & pushed.condition
        if self.on_scan is not None:
            self.on_scan(Scan(self.source.uri, names, self._ranges(pushed), None if condition is None else condition.text(self.schema), pushed.empty))
        if pushed.empty:
            return None
        return Result(ReadPlan.of(self.source, names, pushed.ranges, condition, None, self.batch_bytes))

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
