"""Expressions of polars as predicates, from their JSON form; whatever is not known is left to polars."""

from __future__ import annotations

import io
import json
import warnings
from typing import Any, List

from .._native.errors import require
from .late_scan import Conjunct
from .predicates import FLIPPED, Moment, Predicate

_COMPARISONS = {"Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">=", "Eq": "==", "NotEq": "!="}
_UNITS = {"Nanoseconds": "ns", "Microseconds": "us", "Milliseconds": "ms"}
_CLOSED = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}
_INTEGERS = {f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {"Int"}


def predicate_of(expression: Any) -> Predicate:
    """The predicate of an expression; None if it is not known."""
    try:
        return _predicate(_tree(expression))
    except Exception:  # noqa: BLE001 - whatever the form of another version of polars is, polars evaluates the expression itself
        return None


def conjuncts_of(expression: Any) -> List[Conjunct]:
    """The members of the conjunction that an expression is, as far as they are known: others may depend on more than one row."""
    polars = require("polars", "a filter")
    try:
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for node in _members(_tree(expression)):
                if _is_known(node):
                    member = polars.Expr.deserialize(io.StringIO(json.dumps(node)), format="json")
                    found.append(Conjunct(frozenset(member.meta.root_names()), member))
        return found
    except Exception:  # noqa: BLE001 - as in predicate_of
        return []


def _tree(expression: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return json.loads(expression.meta.serialize(format="json"))


def _members(node: Any) -> List[Any]:
    content = node.get("BinaryExpr") if isinstance(node, dict) else None
    if content is None or content["op"] not in ("And", "LogicalAnd"):
        return [node]
    return _members(content["left"]) + _members(content["right"])


def _is_known(node: Any) -> bool:
    """Whether all of a node is known, and with it that it depends on one row."""
    try:
        return _is_complete(_predicate(node))
    except Exception:  # noqa: BLE001 - as in predicate_of
        return False


def _is_complete(predicate: Predicate) -> bool:
    if predicate is None:
        return False
    members = predicate[1] if predicate[0] in ("and", "or") else predicate[1:] if predicate[0] == "not" else []
    return all(_is_complete(one) for one in members)


def _predicate(node: Any) -> Predicate:
    if not isinstance(node, dict) or len(node) != 1:
        return None
    ((kind, content),) = node.items()
    if kind == "BinaryExpr":
        return _binary(content)
    if kind == "Column":
        return ("compare", "==", content, True)
    if kind == "Alias":
        return _predicate(content[0])
    if kind == "Function" and isinstance(content["function"], dict):
        return _function(content["function"].get("Boolean"), content["input"])
    return None


def _binary(content: Any) -> Predicate:
    operator = content["op"]
    if operator in ("And", "LogicalAnd", "Or", "LogicalOr"):
        return ("and" if operator.endswith("And") else "or", [_predicate(content[side]) for side in ("left", "right")])
    if operator not in _COMPARISONS:
        return None
    left, right, comparison = content["left"], content["right"], _COMPARISONS[operator]
    if "Literal" in left:
        left, right, comparison = right, left, FLIPPED[comparison]
    return _comparison(comparison, left, right)


def _comparison(operator: str, column: Any, literal: Any) -> Predicate:
    name, value = _column(column), _literal(literal)
    return None if name is None or value is None else ("compare", operator, name, value)


def _column(node: Any) -> Any:
    """The name of a column, also of one that is converted to float64, which keeps the order of its values; other casts may round."""
    if "Cast" in node:
        cast = node["Cast"]
        if cast["dtype"] != {"Literal": "Float64"}:
            return None
        node = cast["expr"]
    found = node.get("Column")
    return found if isinstance(found, str) else None


def _function(function: Any, inputs: Any) -> Predicate:
    if function == "Not":
        inner = _predicate(inputs[0])
        return None if inner is None else ("not", inner)
    name = inputs[0].get("Column") if isinstance(inputs[0], dict) else None
    if not isinstance(name, str):
        return None
    if function in ("IsNull", "IsNotNull"):
        return ("null" if function == "IsNull" else "valid", name)
    if not isinstance(function, dict):
        return None
    if "IsBetween" in function:
        low, high = _CLOSED[function["IsBetween"]["closed"]]
        return ("and", [_comparison(low, inputs[0], inputs[1]), _comparison(high, inputs[0], inputs[2])])
    if "IsIn" in function and not function["IsIn"].get("nulls_equal"):
        return _is_in(name, inputs[1])
    return None


def _is_in(name: str, node: Any) -> Predicate:
    content = node["Literal"]["Scalar"]["List"]
    polars = require("polars", "a filter")
    values = polars.read_ipc_stream(bytes(content)).to_series(0)
    if str(values.dtype).startswith("List"):
        values = values.explode()
    members = []
    for value in values.drop_nulls().to_list():
        if isinstance(value, float) and value != value or not isinstance(value, (bool, int, float, str)):
            return None
        members.append(value)
    return ("in", name, members) if members else ("false",)


def _literal(node: Any) -> Any:
    """The value of a literal; None if it is not known."""
    found = node["Literal"]
    found = found.get("Scalar", found.get("Dyn", found))
    if not isinstance(found, dict) or len(found) != 1:
        return None
    ((kind, value),) = found.items()
    if kind in ("Boolean", "String", "Str", "StringOwned"):
        return value if isinstance(value, (bool, str)) else None
    if kind in _INTEGERS:
        return int(value)
    if kind in ("Float32", "Float64", "Float"):
        return None if value is None else float(value)
    if kind == "Date":
        return Moment(int(value), "D")
    if kind == "Datetime":
        number, unit, zone = value
        return None if zone is not None else Moment(int(number), _UNITS[unit])
    return None


__all__ = ["conjuncts_of", "predicate_of"]
