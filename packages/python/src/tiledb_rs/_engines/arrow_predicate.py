"""Expressions of pyarrow as predicates.

pyarrow has no interface to the nodes of an expression. Its serialized form, which pickles of expressions contain, has them: literals
are the columns of a record batch, and the tree is the metadata of its schema, in order.
"""

from __future__ import annotations

import struct
from ctypes import string_at
from typing import Any, List, Optional, Sequence, Set, Tuple

from .._native import capsule
from .._native.errors import require
from .late_scan import Conjunct
from .predicates import FLIPPED, UNITS, Moment, Predicate

_COMPARISONS = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="}
_UNKNOWN = object()


def predicate_of(expression: Any) -> Tuple[Predicate, Optional[Set[str]]]:
    """The predicate, None if it is not known, and the names of the fields of the expression, None if they are not known."""
    try:
        return _Reader(expression).read()
    except Exception:  # noqa: BLE001 - whatever the form of another version of pyarrow is, the engine evaluates the expression itself
        return None, None


def conjuncts_of(expression: Any) -> List[Conjunct]:
    """The members of the conjunction that an expression is, as far as they compute the same for a row whenever they are evaluated."""
    try:
        return _Reader(expression).conjuncts()
    except Exception:  # noqa: BLE001 - as in predicate_of
        return []


def evaluate(table: Any, expressions: Sequence[Any]) -> Any:
    """The rows of a table that meet all of some expressions, as a NumPy array."""
    acero, compute = require("pyarrow.acero", "a filter", "pyarrow"), require("pyarrow.compute", "a filter")
    whole = expressions[0]
    for one in expressions[1:]:
        whole = whole & one
    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(table))
    project = acero.Declaration("project", acero.ProjectNodeOptions([whole], ["met"]))
    # On this thread: it may be one of those that pyarrow would wait for.
    found = acero.Declaration.from_sequence([source, project]).to_table(use_threads=False)
    return compute.fill_null(found["met"], False).to_numpy()


class _Reader:
    def __init__(self, expression: Any):
        pyarrow = require("pyarrow", "a filter")
        deserialize, (content,) = expression.__reduce__()
        reader = pyarrow.ipc.open_file(content)
        self.deserialize, self.schema, self.literals = deserialize, reader.schema, reader.get_batch(0)
        self.items = _items(reader.schema)
        self.at = 0
        self.names: Set[str] = set()
        self.nested = False

    def read(self) -> Tuple[Predicate, Optional[Set[str]]]:
        found = _as_predicate(self._node())
        if self.at != len(self.items):
            raise ValueError("the expression does not end")
        return found, None if self.nested else self.names

    def conjuncts(self) -> List[Conjunct]:
        """The members of the conjunction, each as an expression of its own."""
        found = []
        for start, stop in self._members(0):
            items = self.items[start:stop]
            names = frozenset(value for key, value in items if key == "field_ref")
            if not any(key == "nested_field_ref" or (key, value) == ("call", "random") for key, value in items):
                found.append(Conjunct(names, self._expression(items)))
        return found

    def _members(self, at: int) -> List[Tuple[int, int]]:
        """The items of the members of a conjunction."""
        if self.items[at] not in (("call", "and_kleene"), ("call", "and")):
            return [(at, self._end(at))]
        found, at = [], at + 1
        while self.items[at][0] != "end":
            found += self._members(at)
            at = self._end(at)
        return found

    def _end(self, at: int) -> int:
        """The index of the item after a node."""
        key, value = self.items[at]
        if key != "call":
            return at + 1 + (int(value) if key == "nested_field_ref" else 0)
        at += 1
        while self.items[at][0] != "end":
            at = self._end(at)
        return at + 1

    def _expression(self, items: List[Tuple[str, str]]) -> Any:
        """The expression of a part of the items."""
        pyarrow = require("pyarrow", "a filter")
        schema = self.schema.with_metadata(pyarrow.KeyValueMetadata(items))
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_file(sink, schema) as writer:
            writer.write_batch(pyarrow.RecordBatch.from_arrays(self.literals.columns, schema=schema))
        return self.deserialize(sink.getvalue())

    def _next(self) -> Tuple[str, str]:
        self.at += 1
        return self.items[self.at - 1]

    def _node(self) -> Any:
        """A node: ("field", name), ("literal", scalar), or the predicate of a call."""
        key, value = self._next()
        if key == "field_ref":
            self.names.add(value)
            return ("field", value)
        if key == "literal":
            return ("literal", self.literals.column(int(value))[0])
        if key == "nested_field_ref":
            for _ in range(int(value)):
                self._next()
            self.nested = True
            return _UNKNOWN
        if key != "call":
            raise ValueError(f"{key} is not known")
        arguments: List[Any] = []
        options: Any = None
        while self.items[self.at][0] != "end":
            if self.items[self.at][0] == "options":
                options = self.literals.column(int(self._next()[1]))[0]
            else:
                arguments.append(self._node())
        self._next()
        return _call(value, arguments, options)


def _items(schema: Any) -> List[Tuple[str, str]]:
    """The metadata in order, with keys that occur more than once."""
    raw_capsule = schema.__arrow_c_schema__()
    raw = capsule.struct_in(raw_capsule, capsule.SCHEMA)
    at, found = raw.metadata, []

    def number() -> int:
        nonlocal at
        at += 4
        return struct.unpack("=i", string_at(at - 4, 4))[0]

    def content() -> str:
        nonlocal at
        length = number()
        at += length
        return string_at(at - length, length).decode()

    for _ in range(number() if at else 0):
        key = content()
        found.append((key, content()))
    return found


def _as_predicate(node: Any) -> Predicate:
    if node is _UNKNOWN:
        return None
    if node[0] == "field":
        return ("compare", "==", node[1], True)
    if node[0] == "literal":
        return ("false",) if node[1].as_py() in (None, False) else None
    return node


def _call(name: str, arguments: List[Any], options: Any) -> Any:
    if name in ("and_kleene", "and", "or_kleene", "or"):
        return (name[:3].rstrip("_"), [_as_predicate(one) for one in arguments])
    if name == "invert":
        inner = _as_predicate(arguments[0])
        return _UNKNOWN if inner is None else ("not", inner)
    if name == "if_else":
        return _if_else(*arguments)
    if name in _COMPARISONS:
        return _comparison(_COMPARISONS[name], *arguments)
    is_field = arguments and arguments[0] is not _UNKNOWN and arguments[0][0] == "field"
    if name == "is_valid" and is_field:
        return ("valid", arguments[0][1])
    if name == "is_null" and is_field and not _flag(options, "nan_is_null"):
        return ("null", arguments[0][1])
    if name == "is_in" and is_field:
        return _is_in(arguments[0][1], options)
    return _UNKNOWN


def _flag(options: Any, name: str) -> bool:
    """An option of a function, false where there is none of the name."""
    return options is not None and name in options and bool(options[name].as_py())


def _if_else(condition: Any, then: Any, otherwise: Any) -> Any:
    """``if_else(c, p, null)`` and ``if_else(c, p, false)``, which as filters are ``c and p``."""
    if otherwise is not _UNKNOWN and otherwise[0] == "literal" and otherwise[1].as_py() in (None, False):
        return ("and", [_as_predicate(condition), _as_predicate(then), _NOT_NEGATED])
    return _UNKNOWN


# A member that is not known: as the filter is "c and p", but its negation is not.
_NOT_NEGATED = None


def _comparison(operator: str, left: Any, right: Any) -> Any:
    if left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    if left[0] == "literal":
        left, right, operator = right, left, FLIPPED[operator]
    if left[0] != "field" or right[0] != "literal":
        return _UNKNOWN
    if not right[1].is_valid:
        return ("false",)
    value = _value(right[1])
    return _UNKNOWN if value is None else ("compare", operator, left[1], value)


def _is_in(name: str, options: Any) -> Any:
    # As scalars of Arrow: their Python values lose nanoseconds.
    found = list(options["value_set"].values)
    members = [_value(one) for one in found if one.is_valid]
    matching = options["null_matching_behavior"].as_py() if "null_matching_behavior" in options else 0
    if len(members) != len(found) and matching:
        # Other than that null is a value as others are.
        return _UNKNOWN
    if any(one is None or isinstance(one, float) and one != one for one in members):
        return _UNKNOWN
    # pyarrow casts the values to the type of the field, and cuts what it cannot hold: a value that is not exact is any of its unit.
    known = ("in", name, members) if members else ("false",)
    cut = [Moment(one.floor(unit)[0], unit) for one in members if isinstance(one, Moment) for unit in UNITS if not one.floor(unit)[1]]
    if cut:
        known = ("and", [("in", name, members + cut), _NOT_NEGATED])  # type: ignore[assignment]
    return ("or", [known, ("null", name)]) if len(members) != len(found) else known


def _value(scalar: Any) -> Any:
    """The value of a literal; None if conditions have none for it."""
    pyarrow = require("pyarrow", "a filter")
    kind = scalar.type
    types = pyarrow.types
    if types.is_dictionary(kind):
        return _value(scalar.value)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_string(kind) or types.is_large_string(kind):
        return scalar.as_py()
    if kind == pyarrow.string_view():
        return scalar.as_py()
    if types.is_date32(kind):
        return Moment(scalar.value, "D")
    if types.is_date64(kind):
        return Moment(scalar.value, "ms")
    if types.is_timestamp(kind) and kind.tz is None:
        return Moment(scalar.value, kind.unit)
    return None


__all__ = ["conjuncts_of", "evaluate", "predicate_of"]
