"""Streams of record batches of which arrays are made: the schema and the first batches are looked at before they are written."""

from __future__ import annotations

from ctypes import addressof
from typing import Any, Dict, List, Sequence

from .._native import capsule
from .._native.arrow_single import Replay, error_of
from .._native.arrow_struct import ArrowArray, ArrowSchema, Fill, Node, move, release
from .._arrow import decode, inference
from .._arrow.batch_stream import batch_bytes
from .._arrow.encode_lists import key_of
from .._model.fields import Enumeration
from .._native.errors import TileDBError


class RecordSource:
    """A stream of which the schema and the first batch have been looked at."""

    def __init__(self, data: Any):
        if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
            raise TypeError(f"data must have __arrow_c_stream__ or __arrow_c_array__; {type(data).__name__} has neither")
        raw, self.owner = capsule.stream_of(data)
        self.stream = move(raw)
        self.schema = ArrowSchema()
        self.arrays: List[ArrowArray] = []
        try:
            self._call(self.stream.get_schema, self.schema)
            self.node = Node(self.schema)
            if self.node.format != "+s":
                raise TypeError("data must be a stream of record batches, such as a table, not of a single column")
            self.fetch()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RecordSource:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Releases what nobody has taken: DuckDB has one open result for each connection."""
        for raw in (*self.arrays, self.stream, self.schema):
            release(raw)

    def _call(self, callback: int, out: Any) -> None:
        if Fill(callback)(addressof(self.stream), addressof(out)):
            raise TileDBError(error_of(self.stream), "Arrow stream")

    def fetch(self) -> bool:
        """Takes the next batch."""
        array = ArrowArray()
        self._call(self.stream.get_next, array)
        if array.release:
            self.arrays.append(array)
        return bool(array.release)

    def collect(self, limit: int) -> bool:
        """Takes batches until they have about so many bytes; returns whether the stream has ended."""
        size = sum(batch_bytes(self.node, array) for array in self.arrays)
        while size < limit:
            if not self.fetch():
                return True
            size += batch_bytes(self.node, self.arrays[-1])
        return False

    def rows(self) -> int:
        """The number of rows, for which all batches are taken."""
        while self.fetch():
            pass
        return sum(array.length for array in self.arrays)

    def bytes_of(self, rows: int) -> int:
        """About how many bytes so many rows have, by those of the batches that were taken."""
        count = sum(array.length for array in self.arrays)
        return sum(batch_bytes(self.node, array) for array in self.arrays) * rows // count if count else 0

    def enumerations(self, dims: Sequence[str]) -> Dict[str, Enumeration]:
        """The values of dictionary columns other than dimensions: those of all batches, which are taken for this."""
        coded = [(at, node, node.dictionary) for at, node in enumerate(self.node.children) if node.dictionary is not None and node.name not in dims]
        if coded:
            self.rows()
        found: Dict[str, Enumeration] = {}
        for at, node, dictionary in coded:
            values = self._members(at, node, dictionary)
            if self.arrays and None not in values:
                datatype = inference.datatype_of_format(dictionary.format, node.name)
                found[node.name] = Enumeration(f"{node.name}_values", values, datatype, node.ordered)
        return found

    def _members(self, at: int, node: Node, dictionary: Node) -> List[Any]:
        """The values of the dictionaries of a column, in the order in which they are first seen."""
        values: Dict[Any, Any] = {}
        for array in self.arrays:
            if at >= array.n_children or not array.children[at].contents.dictionary:
                raise ValueError(f"a batch has no dictionary for column {node.name!r}, though its schema has one")
            members = decode.column(dictionary, array.children[at].contents.dictionary.contents)
            if node.ordered and any(one != other for one, other in zip(members, values.values())):
                raise ValueError(f"column {node.name!r} has ordered dictionaries that differ between batches: unify them first")
            for one in members:
                values.setdefault(key_of(one), one)
        return list(values.values())

    def replay(self) -> Replay:
        """All batches."""
        return Replay(self.schema, self.arrays, self.stream)


class Exported:
    """A stream for a write, as other packages have it."""

    def __init__(self, replay: Replay):
        self.replay = replay

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule.export(self.replay.raw, capsule.STREAM)


__all__ = ["Exported", "RecordSource"]
