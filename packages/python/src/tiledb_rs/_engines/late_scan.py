"""Late materialization of dense arrays: the columns of a filter are read first, the others only where cells meet it.

A condition on a dense array returns fill values, so that none is pushed. Instead the members of a conjunction are evaluated by the engine
itself, on batches of the columns that they refer to: first those on columns of fixed size, then those on texts, of the cells that are left,
and finally the other columns are read. The engine evaluates its whole filter on the result, which may have more rows than meet it.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .._arrow.columns import column_of, datetime_of
from .dense_selection import DenseSelection, Positions, Region
from .._native.errors import TileDBError, installed, require
from .._arrays.query import ReadPlan
from .._arrays.result import Result
from .._model.schema import Schema

# Nanoseconds that reading the late columns of all cells must take: less is read at once, as stages cost about 0.4 ms.
LEAST_COST = 1_000_000
# Cells of the first columns that are evaluated at once, so that a limit stops early and positions need little memory.
CHUNK_CELLS = 1 << 20
# Where this part of the rows meets a condition, or of small parts of a sample has any that do, all rows are passed on, without copies.
DENSE_ROWS, DENSE_PARTS = 0.3, 0.8
_SAMPLES, _SAMPLE = 32, 256
# Measured, in nanoseconds: a range, and a cell of variable length; cells of fixed size take 3, and one more for 8 bytes.
_RANGE, _TEXT, _NUMBER = 6000, 10, 3


class Conjunct(NamedTuple):
    """A member of the conjunction that is a filter: the fields that it refers to, and an expression of the engine."""

    fields: FrozenSet[str]
    expression: Any


class Stage(NamedTuple):
    """Fields that are read together, and the conjuncts that decide for which cells the next stages are read."""

    fields: Tuple[str, ...]
    conjuncts: Tuple[Conjunct, ...]


# The cells of a table that meet all of some expressions, as an array of bool.
Evaluate = Callable[[Any, Sequence[Any]], Any]


class _Chunk(NamedTuple):
    """Cells of a selection by their positions, with the columns that have been read."""

    rows: Positions
    columns: Dict[str, Any]

    def part(self, start: int, stop: int) -> _Chunk:
        return _Chunk(self.rows[start:stop], {name: column.slice(start, stop - start) for name, column in self.columns.items()})


def _is_fixed(schema: Schema, name: str) -> bool:
    return not getattr(schema.field(name), "var", False)


def _cost(schema: Schema, names: Iterable[str]) -> int:
    """What reading a cell costs, in nanoseconds."""
    found = 0
    for field in map(schema.field, names):
        found += _TEXT if getattr(field, "var", False) else _NUMBER + max(field.dtype.size * getattr(field, "values", 1) // 8, 1)
    return found


def _is_cheap(schema: Schema, name: str) -> bool:
    """Whether a field is of fixed size, and no enumeration, whose labels engines compare."""
    return _is_fixed(schema, name) and not getattr(schema.field(name), "enumeration", None)


def stages_of(schema: Schema, names: Iterable[str], conjuncts: Iterable[Conjunct]) -> List[Stage]:
    """The stages of a scan of some fields; none if it has no use for several."""
    left = list(names)
    usable = [one for one in conjuncts if one.fields and one.fields <= set(left)]
    groups: Tuple[List[Conjunct], List[Conjunct]] = ([], [])
    for one in usable:
        groups[not all(_is_cheap(schema, name) for name in one.fields)].append(one)
    stages: List[Stage] = []
    for group in groups:
        fields = {name for one in group for name in one.fields}
        if group:
            stages.append(Stage(tuple(name for name in left if name in fields), tuple(group)))
        left = [name for name in left if name not in fields]
    if left:
        stages.append(Stage(tuple(left), ()))
    elif stages:
        # The engine evaluates the last ones itself.
        stages[-1] = stages[-1]._replace(conjuncts=())
    return stages if len(stages) > 1 else []


class LateScan:
    """A scan in stages; :meth:`batches` returns record batches of a schema."""

    def __init__(self, plan: ReadPlan, selection: DenseSelection, stages: Sequence[Stage], wanted: Any, evaluate: Evaluate):
        self._plan = plan
        self._selection = selection
        self._stages = stages
        self._wanted = wanted
        self._evaluate = evaluate
        first = plan._replace(fields=stages[0].fields)
        self._reader = _reader(first if plan.batch_bytes else first._replace(batch_bytes=self._batch_bytes(stages[0])))

    @classmethod
    def of(cls, plan: ReadPlan, conjuncts: Callable[[], Iterable[Conjunct]], wanted: Any, evaluate: Evaluate) -> Optional[LateScan]:
        """The scan of a filter, which is asked for its conjuncts, if stages are worth it."""
        schema = plan.source.schema
        if schema.sparse or plan.layout != 0 or installed("numpy") is None or installed("pyarrow.acero") is None:
            return None
        selection = DenseSelection.of(schema, plan.bounds)
        if selection is None or selection.cells * _cost(schema, plan.fields) < LEAST_COST:
            return None
        # Ranges have been made of comparisons of dimensions.
        dimensions = {one.name for one in schema.dimensions}
        stages = stages_of(schema, plan.fields, [one for one in conjuncts() if not one.fields <= dimensions])
        late = [name for stage in stages[1:] for name in stage.fields]
        return cls(plan, selection, stages, wanted, evaluate) if late and selection.cells * _cost(schema, late) >= LEAST_COST else None

    @property
    def fields(self) -> Tuple[str, ...]:
        """The fields that are read where cells meet conditions."""
        return tuple(name for stage in self._stages[1:] for name in stage.fields)

    def _batch_bytes(self, stage: Stage) -> int:
        """The bytes of a batch of the first columns: as many cells as are evaluated at once, but no more than the default."""
        source = self._plan.source
        schema = source.schema
        if not all(_is_fixed(schema, name) for name in stage.fields):
            return 0
        width = 0
        for field in map(schema.field, stage.fields):
            width += field.dtype.size * getattr(field, "values", 1) + 1
        budget = int(source.ctx.get("sm.mem.total_budget") or 1 << 32)
        return max(min(width * CHUNK_CELLS, budget // 4, 1 << 26), 1)

    def batches(self) -> Iterator[Any]:
        """The record batches, in the order of the cells."""
        pyarrow = require("pyarrow", "a scan")
        chunks = self._first()
        for stage in self._stages[1:]:
            chunks = self._late(chunks, stage)
        for chunk in chunks:
            yield pyarrow.RecordBatch.from_arrays([chunk.columns[field.name] for field in self._wanted], schema=self._wanted)

    def _first(self) -> Iterator[_Chunk]:
        """The cells that the first stage leaves."""
        at, stage = 0, self._stages[0]
        for batch in self._reader:
            for start in range(0, batch.num_rows, CHUNK_CELLS):
                part = batch.slice(start, CHUNK_CELLS)
                chunk = _Chunk(range(at, at + part.num_rows), self._columns(stage.fields, part.columns))
                at += part.num_rows
                yield from self._left(chunk, stage)

    def _late(self, chunks: Iterable[_Chunk], stage: Stage) -> Iterator[_Chunk]:
        """Cells with the columns of another stage, and only those that it leaves."""
        gap = _RANGE // _cost(self._plan.source.schema, stage.fields)
        for chunk in chunks:
            for region in self._selection.regions(chunk.rows, gap):
                yield from self._read(chunk.part(region.start, region.stop), region, stage)

    def _read(self, chunk: _Chunk, region: Region, stage: Stage) -> Iterator[_Chunk]:
        at = start = 0
        for batch in _reader(self._plan._replace(fields=stage.fields, bounds=region.bounds)):
            end = at + batch.num_rows
            if isinstance(region.where, range):
                stop = min(max(end - region.where.start, start), len(chunk.rows))
            else:
                stop = int(region.where.searchsorted(end))
            if stop > start:
                found = chunk.part(start, stop)
                columns = self._columns(stage.fields, _taken(batch, region.where[start:stop], at))
                yield from self._left(_Chunk(found.rows, {**found.columns, **columns}), stage)
            at, start = end, stop
        if at != region.cells:
            raise TileDBError(f"{at} cells were read of a region of {region.cells} of {self._plan.source.uri}", "read")

    def _columns(self, names: Sequence[str], columns: Sequence[Any]) -> Dict[str, Any]:
        """Columns by name, in the types of the result."""
        schema = self._plan.source.schema
        return {name: column_of(column, datetime_of(schema, name), self._wanted.field(name)) for name, column in zip(names, columns)}

    def _left(self, chunk: _Chunk, stage: Stage) -> Iterator[_Chunk]:
        """The cells that meet the conjuncts of a stage; all of them where most do."""
        if not stage.conjuncts:
            yield chunk
            return
        numpy = require("numpy", "a scan")
        fields = {name for one in stage.conjuncts for name in one.fields}
        batch = self._batch({name: column for name, column in chunk.columns.items() if name in fields})
        if batch.num_rows > 4 * _SAMPLES * _SAMPLE and self._is_dense(batch, stage):
            yield chunk
            return
        met = self._met(batch, stage)
        found = None if met is None else numpy.flatnonzero(met)
        if found is None or len(found) == batch.num_rows:
            yield chunk
        elif len(found) and (found[-1] - found[0] + 1 == len(found) or len(found) >= DENSE_ROWS * batch.num_rows):
            # Without copies.
            yield chunk.part(int(found[0]), int(found[-1]) + 1)
        elif len(found):
            indexes = require("pyarrow", "a scan").array(found)
            rows = found + chunk.rows.start if isinstance(chunk.rows, range) else chunk.rows[found]
            yield _Chunk(rows, {name: column.take(indexes) for name, column in chunk.columns.items()})

    def _batch(self, columns: Dict[str, Any]) -> Any:
        pyarrow = require("pyarrow", "a scan")
        return pyarrow.RecordBatch.from_arrays(list(columns.values()), schema=pyarrow.schema([self._wanted.field(name) for name in columns]))

    def _is_dense(self, batch: Any, stage: Stage) -> bool:
        """Whether most parts of a batch have cells that meet the conjuncts of a stage, as some of them show."""
        numpy, pyarrow = require("numpy", "a scan"), require("pyarrow", "a scan")
        starts = numpy.arange(_SAMPLES) * (batch.num_rows // _SAMPLES)
        met = self._met(batch.take(pyarrow.array((starts[:, None] + numpy.arange(_SAMPLE)).ravel())), stage)
        return met is None or int(met.reshape(_SAMPLES, _SAMPLE).any(axis=1).sum()) >= DENSE_PARTS * _SAMPLES

    def _met(self, batch: Any, stage: Stage) -> Any:
        """Which rows meet the conjuncts of a stage; None if the engine cannot evaluate them, which it reports itself."""
        numpy = require("numpy", "a scan")
        try:
            of_labels = [one for one in stage.conjuncts if self._is_of_labels(batch, one)]
            found = [self._of_labels(batch, one) for one in of_labels]
            rest = [one.expression for one in stage.conjuncts if not self._is_of_labels(batch, one)]
            if rest:
                found.append(self._evaluate(require("pyarrow", "a scan").Table.from_batches([batch]), rest))
        except Exception:  # noqa: BLE001 - whatever it is, the engine evaluates its filter again
            return None
        return numpy.logical_and.reduce(found) if all(len(one) == batch.num_rows for one in found) else None

    def _is_of_labels(self, batch: Any, conjunct: Conjunct) -> bool:
        """Whether a conjunct refers to one enumeration, with fewer labels than there are rows."""
        if len(conjunct.fields) != 1:
            return False
        (name,) = conjunct.fields
        column = batch.column(name)
        return hasattr(column, "dictionary") and len(column.dictionary) < len(column)

    def _of_labels(self, batch: Any, conjunct: Conjunct) -> Any:
        """Which rows meet an expression of an enumeration: it is evaluated once for each label, and for null."""
        pyarrow, numpy = require("pyarrow", "a scan"), require("numpy", "a scan")
        (name,) = conjunct.fields
        column = batch.column(name)
        labels = column.dictionary
        every = pyarrow.DictionaryArray.from_arrays(pyarrow.array([*range(len(labels)), None], column.indices.type), labels, ordered=column.type.ordered)
        met = self._evaluate(pyarrow.Table.from_batches([self._batch({name: every})]), [conjunct.expression])
        found = met.take(column.indices.fill_null(0).to_numpy()) if len(labels) else numpy.zeros(len(column), bool)
        return numpy.where(column.is_null().to_numpy(zero_copy_only=False), met[-1], found) if column.null_count else found


def _reader(plan: ReadPlan) -> Any:
    return require("pyarrow", "a scan").RecordBatchReader._import_from_c_capsule(Result(plan).__arrow_c_stream__())


def _taken(batch: Any, where: Positions, first: int) -> List[Any]:
    """The columns of some rows of a batch, whose first row has a position."""
    count = len(where)
    low, high = int(where[0]) - first, int(where[-1]) - first
    if high - low + 1 == count:
        return [column.slice(low, count) for column in batch.columns]
    positions: Any = where
    indexes = require("pyarrow", "a scan").array(positions - first)
    return [column.take(indexes) for column in batch.columns]


__all__ = ["Conjunct", "LateScan", "Stage", "stages_of"]
