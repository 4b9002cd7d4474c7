"""Predicates of query engines as ranges and conditions of a read.

An engine evaluates its predicate again on what is read, so that a read may return more cells than meet it, but never fewer. Whatever
TileDB would evaluate differently is therefore widened or not pushed: comparisons of floating-point numbers with NaN, values that the
datatype of a field cannot represent, nulls, and labels that an enumeration does not have. To a dense array only ranges of dimensions are
pushed: its conditions replace cells by fill values instead of dropping them, which the engine could keep, and are measured to cost more
than they save. Its scans read the columns of the predicate first, see :mod:`tiledb_rs.late_scan`.
"""

from __future__ import annotations

import datetime
import decimal
import math
import operator
import struct
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from .._model.condition import And, Compare, Condition, In, Or
from .._model.datatypes import Datatype
from .._native.errors import require
from .._model.moments import DIGITS, NAT, SECONDS
from .._arrays.query import Ranges
from .._model.fields import Attribute, Dimension
from .._model.schema import Schema
from .._model.values import RawRange, ranges_of

# Predicates: ("and", [...]), ("or", [...]), ("not", p), ("compare", operator, field, value), ("in", field, values), ("null", field),
# ("valid", field), ("starts", field, prefix), ("false",), and None for what is not known. The value of a comparison is a number, a str,
# or a Moment.
Predicate = Optional[Tuple[Any, ...]]
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
# A list of more values becomes the range between the smallest and the largest one.
_MOST_POINTS = 4096
_EXACT = 1 << 53
UNITS = ("D", "s", "ms", "us", "ns")


class Moment(NamedTuple):
    """A date or a time of day zero: a number of units since 1970."""

    number: int
    unit: str

    def floor(self, unit: str) -> Tuple[int, bool]:
        """The number of another unit, rounded down, and whether that is exact."""
        digits = {**DIGITS, "s": 0}
        attoseconds = self.number * (SECONDS[self.unit] * 10**18 if self.unit in SECONDS else 10 ** (18 - digits[self.unit]))
        found, rest = divmod(attoseconds, SECONDS[unit] * 10**18 if unit in SECONDS else 10 ** (18 - digits[unit]))
        return found, not rest


_EPOCH = datetime.datetime(1970, 1, 1)


def literal_of(value: Any) -> Any:
    """The value of a comparison for a value of Python, NumPy or pandas; None if there is none that is exactly the same."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "M" and value.ndim == 0:
        unit, step = _datetime_data(value.dtype)
        number = int(value.astype("i8"))
        return Moment(number, unit) if unit in UNITS and step == 1 and number != NAT else None
    if kind and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, datetime.datetime):
        # A Timestamp of pandas may have nanoseconds, and NaT is not equal to itself.
        if value.tzinfo is not None or getattr(value, "nanosecond", None) or value != value:
            return None
        return Moment((value - _EPOCH) // datetime.timedelta(microseconds=1), "us")
    if isinstance(value, datetime.date):
        return Moment((value - _EPOCH.date()).days, "D")
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return None
        whole = int(value)
        return whole if whole == value else float(value) if float(value) == value else None
    return value if isinstance(value, (bool, int, float, str)) else None


def _datetime_data(dtype: Any) -> Tuple[str, int]:
    return require("numpy", "a filter").datetime_data(dtype)


class Pushed(NamedTuple):
    """What of a predicate a read evaluates."""

    ranges: Dict[str, List[RawRange]]
    condition: Optional[Condition]
    empty: bool = False


_Found = Union[bool, Condition]


class Semantics(NamedTuple):
    """What an engine does with values that TileDB compares otherwise.

    ``nan`` is ``unordered`` if NaN meets no comparison, as IEEE 754 and TileDB have it, ``greatest`` if it exceeds all numbers and equals
    itself, as in Spark and polars, and ``absent`` if there is none. ``labels_are_values`` is true for engines that compare the values of
    enumerations; otherwise they may compare their positions, and only equality is pushed.
    """

    nan: str = "unordered"
    labels_are_values: bool = False


def push(predicate: Predicate, schema: Schema, ranges: Optional[Ranges] = None, *, nan: str = "unordered", labels_are_values: bool = False) -> Pushed:
    """Ranges and condition of a predicate, and of the ranges that are given; the others are described in :class:`Semantics`."""
    semantics = Semantics(nan, labels_are_values)
    given = dict(ranges or {})
    found = {name: [RawRange(one) for one in ranges_of(schema.dimension(name), wanted, schema.bounds(_index(schema, name)))] for name, wanted in given.items()}
    rest: List[_Found] = []
    for member in _conjuncts(_normal(predicate, False)):
        if not _restrict(found, member, schema):
            rest.append(_translate(member, schema, semantics))
    condition = _all(rest)
    if condition is False or any(not of_dimension for of_dimension in found.values()):
        return Pushed({}, None, True)
    return Pushed(found, condition if schema.sparse and isinstance(condition, Condition) else None)


def _index(schema: Schema, name: str) -> int:
    return [one.name for one in schema.dimensions].index(name)


def _normal(predicate: Predicate, negated: bool) -> Predicate:
    """The predicate without negations: as a filter, a row of which it is null counts like one that does not meet it."""
    if predicate is None:
        return None
    kind = predicate[0]
    if kind == "not":
        return _normal(predicate[1], not negated)
    if kind in ("and", "or"):
        return ({"and": "or", "or": "and"}[kind] if negated else kind, [_normal(one, negated) for one in predicate[1]])
    if not negated:
        return predicate
    if kind == "compare":
        # "not compare" stays apart: for NaN, the negation of a comparison is not the opposite comparison.
        return ("not compare", *predicate[1:])
    return {"null": ("valid", *predicate[1:]), "valid": ("null", *predicate[1:])}.get(kind)


def _conjuncts(predicate: Predicate) -> List[Predicate]:
    if predicate is None:
        return []
    if predicate[0] == "and":
        return [leaf for one in predicate[1] for leaf in _conjuncts(one)]
    return [predicate]


def _all(found: List[_Found]) -> _Found:
    members: List[Any] = []
    for one in found:
        members += one.members if isinstance(one, And) else [] if one is True else [one]
    if any(one is False for one in members):
        return False
    return True if not members else members[0] if len(members) == 1 else And(members)


def _any(found: List[_Found]) -> _Found:
    members = [one for one in found if one is not False]
    if any(one is True for one in members):
        return True
    return False if not members else members[0] if len(members) == 1 else Or(members)  # type: ignore[arg-type]


def _translate(predicate: Predicate, schema: Schema, semantics: Semantics) -> _Found:
    """A condition that all cells meet which meet the predicate; True if there is none."""
    if predicate is None:
        return True
    kind, *rest = predicate
    if kind == "false":
        return False
    if kind in ("and", "or"):
        members = [_translate(one, schema, semantics) for one in rest[0]]
        return _all(members) if kind == "and" else _any(members)
    name = rest[1] if kind in ("compare", "not compare") else rest[0]
    try:
        field = schema.field(name)
    except KeyError:
        return True
    if kind in ("null", "valid"):
        return _validity(field, kind)
    if kind == "in":
        return _any([_compare(field, schema, "==", value, semantics) for value in rest[1]]) if len(rest[1]) <= 8 else _in(field, schema, rest[1], semantics)
    if kind == "compare":
        return _compare(field, schema, rest[0], rest[2], semantics)
    if kind == "starts":
        return _starts(field, schema, rest[1])
    if schema.value_type(name).kind == "float" and rest[0] not in ("==", "!=") and semantics.nan == "unordered":
        return True
    return _compare(field, schema, _NEGATED[rest[0]], rest[2], semantics)


def _validity(field: Any, kind: str) -> _Found:
    if not getattr(field, "nullable", False):
        return True
    # Times that are not a time, and indexes without a label, are null to engines, too.
    if kind == "null" and (field.enumeration or field.dtype.kind in ("datetime", "time")):
        return True
    return Compare(field.name, "==" if kind == "null" else "!=", None)


def _in(field: Any, schema: Schema, values: Any, semantics: Semantics) -> _Found:
    """A set, if all its values can be represented; otherwise the alternatives one by one, as far as they can be."""
    found = [_compare(field, schema, "==", value, semantics) for value in values]
    if any(one is True for one in found):
        return True
    members = [one for one in found if isinstance(one, Condition)]
    if not members:
        return False
    if all(isinstance(one, Compare) for one in members):
        return In(field.name, [one.value for one in members])  # type: ignore[attr-defined]
    return _any(found) if len(members) <= _MOST_POINTS else True


def _compare(field: Any, schema: Schema, operator: str, value: Any, semantics: Semantics) -> _Found:
    name = field.name
    if isinstance(field, Attribute) and (field.values != 1 or field.var and not schema.value_type(name).is_text):
        return True
    datatype = schema.value_type(name)
    if isinstance(field, Attribute) and field.enumeration:
        return _compare_label(field, schema, operator, value, semantics)
    kind = datatype.kind
    if kind == "text" and datatype.size == 1 and isinstance(value, str) and _is_text(value):
        if isinstance(field, Attribute) and not field.var:
            return True
        return Compare(name, operator, value)
    if kind == "bool" and isinstance(value, bool) and operator in ("==", "!="):
        return Compare(name, operator, value)
    if kind == "int" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _compare_number(name, datatype, operator, value)
    if kind == "float" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _compare_float(name, datatype, operator, value, semantics)
    if kind == "datetime" and isinstance(value, Moment) and datatype.unit in UNITS:
        floor, exact = value.floor(datatype.unit)
        return _between(name, datatype, operator, floor, exact)
    return True


def _compare_label(field: Attribute, schema: Schema, operator: str, value: Any, semantics: Semantics) -> _Found:
    labels = schema.enumeration(field.enumeration).values  # type: ignore[arg-type]
    if operator != "==" and not semantics.labels_are_values or isinstance(value, (float, Moment)):
        return True
    if isinstance(value, bool) or not labels or type(value) is not type(labels[0]):
        return True
    return _labels(field, [one for one in labels if OPERATORS[operator](one, value)])


def _labels(field: Attribute, found: List[Any]) -> _Found:
    """The cells with one of these labels of an enumeration."""
    if len(found) > _MOST_POINTS:
        return True
    return False if not found else Compare(field.name, "==", found[0]) if len(found) == 1 else In(field.name, found)


def _starts(field: Any, schema: Schema, prefix: Any) -> _Found:
    """The strings with a prefix, or those between it and the next string of its length."""
    if not isinstance(prefix, str) or not prefix or not _is_text(prefix):
        return True
    if isinstance(field, Attribute) and field.enumeration:
        labels = schema.enumeration(field.enumeration).values  # type: ignore[arg-type]
        return _labels(field, [one for one in labels if one.startswith(prefix)]) if all(isinstance(one, str) for one in labels) else True
    low = _compare(field, schema, ">=", prefix, Semantics())
    if low is True or ord(prefix[-1]) >= 0x7E:
        return low
    return _all([low, _compare(field, schema, "<", prefix[:-1] + chr(ord(prefix[-1]) + 1), Semantics())])


def _compare_number(name: str, datatype: Datatype, operator: str, value: Union[int, float]) -> _Found:
    if isinstance(value, float):
        if math.isnan(value) or (not math.isinf(value) and abs(value) >= _EXACT):
            # Engines convert the field to floating point, which is not exact there.
            return True
        if math.isinf(value):
            value = (1 << 70) * (1 if value > 0 else -1)
    floor = math.floor(value)
    return _between(name, datatype, operator, floor, floor == value)


def _bounds(datatype: Datatype) -> Tuple[int, int]:
    bits = 8 * datatype.size
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if datatype.code.islower() else (0, (1 << bits) - 1)


def _between(name: str, datatype: Datatype, operator: str, floor: int, exact: bool) -> _Found:
    """A comparison with a number between whole ones, which may be beyond the datatype."""
    low, high = _bounds(datatype)
    if operator in ("==", "!="):
        if not exact or not low <= floor <= high:
            return operator == "!="
    else:
        if not exact:
            operator = {"<": "<=", "<=": "<=", ">": ">", ">=": ">"}[operator]
        if floor > high or floor < low:
            return (operator in ("<", "<=")) == (floor > high)
    return Compare(name, operator, floor)


def _compare_float(name: str, datatype: Datatype, operator: str, value: Union[int, float], semantics: Semantics) -> _Found:
    if isinstance(value, int) and abs(value) > _EXACT:
        return True
    number = float(value)
    if math.isnan(number) or (semantics.nan == "greatest" and operator in (">", ">=")):
        return True
    if datatype.size == 8:
        return Compare(name, operator, number)
    try:
        nearest = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return True
    if nearest == number:
        return Compare(name, operator, number)
    # Engines compare with the number itself or with the nearest of 4 bytes: all cells that meet either.
    (bits,) = struct.unpack("<i", struct.pack("<f", nearest))
    if not nearest or abs(bits & 0x7FFFFFFF) >= 0x7F7FFFFF:
        return True
    below, above = (struct.unpack("<f", struct.pack("<i", bits + step))[0] for step in ((-1, 1) if nearest > 0 else (1, -1)))
    if operator == "!=":
        return True
    lower, upper = Compare(name, ">=", below), Compare(name, "<=", above)
    return And([lower, upper]) if operator == "==" else lower if operator in (">", ">=") else upper


def _restrict(found: Dict[str, List[RawRange]], predicate: Predicate, schema: Schema) -> bool:
    """Applies a comparison of a dimension to its ranges; False if it is none."""
    if predicate is None or predicate[0] not in ("compare", "not compare", "in", "or"):
        return False
    if predicate[0] == "or":
        return _restrict_any(found, predicate[1], schema)
    name = predicate[1] if predicate[0] == "in" else predicate[2]
    if name not in [one.name for one in schema.dimensions]:
        return False
    wanted = _intervals(schema.dimension(name), predicate)
    if wanted is None:
        return False
    _intersect(found, schema, name, wanted)
    return True


def _restrict_any(found: Dict[str, List[RawRange]], members: List[Predicate], schema: Schema) -> bool:
    """Applies alternatives of one dimension, such as those of a list."""
    parts: List[Tuple[Any, Any]] = []
    names = {one[2] if one is not None and one[0] in ("compare", "not compare") else one[1] if one is not None and one[0] == "in" else None for one in members}
    if len(names) != 1 or None in names or not names <= {one.name for one in schema.dimensions}:
        return False
    (name,) = names
    for one in members:
        wanted = _intervals(schema.dimension(name), one)  # type: ignore[arg-type]
        if wanted is None:
            return False
        parts += wanted
    _intersect(found, schema, name, parts)  # type: ignore[arg-type]
    return True


def _intervals(dimension: Dimension, predicate: Any) -> Optional[List[Tuple[Any, Any]]]:
    """The intervals of the values of a dimension that meet a comparison; None if they are not known."""
    datatype = dimension.dtype
    kind, *rest = predicate
    if kind == "in":
        points = [_intervals(dimension, ("compare", "==", rest[0], value)) for value in rest[1]]
        return None if any(one is None for one in points) else _hull([pair for one in points for pair in one])  # type: ignore[union-attr]
    operator, value = rest[0] if kind == "compare" else _NEGATED[rest[0]], rest[2]
    if datatype.is_string:
        return [(value.encode(), value.encode())] if operator == "==" and isinstance(value, str) and _is_text(value) else None
    if datatype.kind == "datetime" and isinstance(value, Moment) and datatype.unit in UNITS:
        floor, exact = value.floor(datatype.unit)
    elif datatype.kind == "int" and isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, float) and (math.isnan(value) or math.isinf(value) or abs(value) >= _EXACT):
            return None
        floor = math.floor(value)
        exact = floor == value
    else:
        return None
    low, high = _bounds(datatype)
    last_below = floor - 1 if exact else floor
    return {
        "<": [(low, last_below)],
        "<=": [(low, floor)],
        ">": [(floor + 1, high)],
        ">=": [(last_below + 1, high)],
        "==": [(floor, floor)] if exact else [],
        "!=": [(low, floor - 1), (floor + 1, high)] if exact else [(low, high)],
    }[operator]


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _hull(pairs: List[Tuple[Any, Any]]) -> List[Tuple[Any, Any]]:
    pairs = sorted(set(pairs))
    return pairs if len(pairs) <= _MOST_POINTS else [(pairs[0][0], max(high for _, high in pairs))]


def _intersect(found: Dict[str, List[RawRange]], schema: Schema, name: str, wanted: List[Tuple[Any, Any]]) -> None:
    dimension = schema.dimension(name)
    datatype = dimension.dtype
    code = f"<{datatype.code}"
    if name in found:
        known: List[Tuple[Any, Any]] = [(low, high) if datatype.is_string else (struct.unpack(code, low)[0], struct.unpack(code, high)[0]) for low, high in found[name]]
    elif datatype.is_string:
        found[name] = [RawRange(one) for one in _merged(wanted)]
        return
    else:
        known = [struct.unpack(code, one)[0] for one in ranges_of(dimension, (None, None), schema.bounds(_index(schema, name)))[0]]
        known = [tuple(known)]  # type: ignore[list-item]
    pairs = [(max(low, first), min(high, last)) for low, high in _merged(wanted) for first, last in known]
    pairs = [(low, high) for low, high in pairs if low <= high]
    found[name] = [RawRange(one if datatype.is_string else (struct.pack(code, one[0]), struct.pack(code, one[1]))) for one in pairs]


def _merged(pairs: List[Tuple[Any, Any]]) -> List[Tuple[Any, Any]]:
    """The pairs in order, those that overlap or touch as one."""
    merged: List[Tuple[Any, Any]] = []
    for low, high in sorted(pairs):
        touches = merged and (low <= merged[-1][1] + 1 if isinstance(low, int) else low <= merged[-1][1])
        if low > high:
            continue
        if touches:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


__all__ = ["FLIPPED", "OPERATORS", "UNITS", "Moment", "Predicate", "Pushed", "Semantics", "literal_of", "push"]
