"""Filters of engines as conditions and ranges of a read.

What is pushed is met by every cell that the engine would keep, and perhaps by more: the engine evaluates its filters again. A filter that
TileDB evaluates differently (because of NaN, units of time, the length of a string) is therefore not pushed where cells could be lost.
"""
from __future__ import annotations

import decimal
import operator
import struct
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import moments
from .condition import Condition, field
from .datatypes import Datatype
from .schema import Attribute, Dimension, Schema

OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
# The longest list of values that becomes a condition.
MOST_VALUES = 10_000


class Pushdown:
    """Collects filters that all have to be met.

    With ``nan_is_greatest``, the engine orders NaN above all numbers, and equal to itself, as Spark does; TileDB meets no comparison
    with it, as IEEE 754 has it.
    """

    def __init__(self, schema: Schema, nan_is_greatest: bool = False):
        self.schema = schema
        self.nan_is_greatest = nan_is_greatest
        self.conditions: List[Condition] = []
        self.bounds: Dict[str, List[Any]] = {}
        self.is_empty = False

    @property
    def condition(self) -> Optional[Condition]:
        """All conditions together."""
        found = None
        for one in self.conditions:
            found = one if found is None else found & one
        return found

    def ranges(self, given: Optional[Mapping[str, Any]] = None) -> Optional[Dict[str, Any]]:
        """The ranges of dimensions; None where there are no cells. Dimensions of given ranges keep those."""
        if self.is_empty:
            return None
        found: Dict[str, Any] = {name: tuple(bounds) for name, bounds in self.bounds.items()}
        found.update(given or {})
        return found

    def compare(self, name: str, sign: str, value: Any) -> bool:
        """Adds a comparison; False if nothing could be pushed."""
        found = comparison(self.schema, name, sign, value, self.nan_is_greatest)
        return self._add(found, self._narrow(name, sign, value))

    def isin(self, name: str, values: Sequence[Any]) -> bool:
        """Adds a list of values, of which nulls are met by no cell."""
        found = membership(self.schema, name, values, self.nan_is_greatest)
        present = [value for value in values if value is not None]
        narrowed = False
        try:
            # Both are tried.
            if present and found is not None:
                narrowed = self._narrow(name, ">=", min(present)) | self._narrow(name, "<=", max(present))
        except TypeError:
            pass
        return self._add(found, narrowed)

    def null(self, name: str, is_null: bool) -> bool:
        """Adds ``is null`` or ``is not null``."""
        return self._add(nullness(self.schema, name, is_null), False)

    def starts_with(self, name: str, prefix: str) -> bool:
        """Adds the prefix of a string."""
        found = prefix_condition(self.schema, name, prefix)
        return self._add(found, False)

    def _add(self, condition: Optional[Condition], narrowed: bool) -> bool:
        if condition is not None and self.schema.sparse:
            self.conditions.append(condition)
            return True
        # In a dense array, cells that do not meet a condition have the fill value, which could meet it.
        return narrowed

    def _narrow(self, name: str, sign: str, value: Any) -> bool:
        """Narrows the range of an integer or time dimension."""
        if sign not in ("<", "<=", ">", ">=", "=="):
            return False
        at = next((at for at, one in enumerate(self.schema.dimensions) if one.name == name), None)
        if at is None:
            return False
        dimension = self.schema.dimensions[at]
        kind = Datatype.of(dimension.dtype)
        number = exact_number(kind, value) if kind.kind in ("int", "datetime") else None
        if number is None:
            return False
        if name not in self.bounds:
            self.bounds[name] = [moments.count(kind.unit, kind.kind, one) if kind.unit else one for one in self.schema.bounds(at)]
        low, high = self.bounds[name]
        if sign in (">", ">=", "=="):
            low = max(low, number + (sign == ">"))
        if sign in ("<", "<=", "=="):
            high = min(high, number - (sign == "<"))
        self.bounds[name] = [low, high]
        self.is_empty = self.is_empty or low > high
        return True


def _comparable(schema: Schema, name: str) -> Tuple[Any, Optional[Datatype]]:
    """A field, and its datatype if its cells are single values or texts in UTF-8."""
    try:
        one = schema.field(name)
    except KeyError:
        return None, None
    kind = Datatype.of(one.dtype)
    if isinstance(one, Attribute):
        if kind.is_string != bool(one.var) or one.values != 1:
            return None, None
        if kind.kind == "text" and kind.size != 1:
            return None, None
    return one, None if kind.kind in ("bytes", "time") else kind


def exact_number(kind: Datatype, value: Any) -> Optional[int]:
    """The number of an integer or a time in the unit of a datatype; None if it has none, or not exactly."""
    if hasattr(value, "item") and not hasattr(value, "isoformat") and getattr(value.dtype, "kind", "") not in "mM":
        value = value.item()
    if kind.kind == "int":
        if isinstance(value, (float, decimal.Decimal)):
            try:
                value = int(value) if value == int(value) else None
            except (ValueError, OverflowError):
                return None
        if not isinstance(value, int):
            return None
        try:
            struct.pack(f"<{kind.code}", value)
        except struct.error:
            return None
        return int(value)
    if getattr(value, "tzinfo", None) is not None or not moments.is_moment(value) or hasattr(value, "days") and not hasattr(value, "year"):
        return None
    try:
        number = moments.count(kind.unit, kind.kind, value)
        # A time between two units compares with neither as with itself; years and months are not read back.
        back = moments.value(kind.unit, kind.kind, number) if kind.unit in ("D", "s", "ms", "us") else None
    except (ValueError, OverflowError):
        return None
    if back is None or isinstance(back, int):
        return None
    if not hasattr(value, "hour") and hasattr(back, "hour"):
        value = type(back)(value.year, value.month, value.day)
    if hasattr(value, "hour") and not hasattr(back, "hour"):
        back = type(moments.EPOCH)(back.year, back.month, back.day)
    return number if back == value else None


def _operand(kind: Datatype, value: Any) -> Any:
    """A value that a condition compares exactly as the engine does; None if there is none."""
    if value is None:
        return None
    if hasattr(value, "item") and not hasattr(value, "isoformat"):
        if getattr(value.dtype, "kind", "") in "mM":
            return None
        value = value.item()
    if kind.kind == "text":
        try:
            return value if isinstance(value, str) and value.encode() is not None else None
        except UnicodeEncodeError:
            return None
    if kind.kind == "bool":
        return value if isinstance(value, bool) else None
    if kind.kind in ("int", "datetime"):
        return None if isinstance(value, bool) else exact_number(kind, value)
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        return None
    try:
        number = float(value)
        if kind.size == 4:
            number = struct.unpack("<f", struct.pack("<f", number))[0]
    except (OverflowError, struct.error):
        return None
    return number if number == value else None


def _of_enumeration(schema: Schema, one: Attribute, keep: Any) -> Optional[Condition]:
    """Cells whose value in the enumeration is kept: the index of a value says nothing about its order."""
    enumeration = schema.enumeration(str(one.enumeration))
    if Datatype.of(enumeration.dtype).kind not in ("text", "int", "bool"):
        return None
    try:
        kept = [value for value in enumeration.values if keep(value)]
    except TypeError:
        return None
    if not kept or len(kept) > MOST_VALUES:
        return None
    return field(one.name).isin(kept)


def comparison(schema: Schema, name: str, sign: str, value: Any, nan_is_greatest: bool = False) -> Optional[Condition]:
    """A condition that is met by every cell for which an engine finds a comparison true; None if there is none."""
    one, kind = _comparable_or_enumerated(schema, name)
    if one is None or sign not in OPERATORS or value is None:
        return None
    if getattr(one, "enumeration", None):
        return _of_enumeration(schema, one, lambda known: OPERATORS[sign](known, value))
    if kind is None:
        return None
    if kind.kind == "float" and nan_is_greatest and sign in (">", ">="):
        # NaN would be lost.
        return None
    operand = _operand(kind, value)
    if operand is None:
        return None
    from .condition import Compare

    return Compare(name, sign, operand)


def _comparable_or_enumerated(schema: Schema, name: str) -> Tuple[Any, Optional[Datatype]]:
    try:
        one = schema.field(name)
    except KeyError:
        return None, None
    if getattr(one, "enumeration", None):
        return one, Datatype.of(one.dtype)
    return _comparable(schema, name)


def membership(schema: Schema, name: str, values: Sequence[Any], nan_is_greatest: bool = False) -> Optional[Condition]:
    """As :func:`comparison`, for ``in``: a value that cannot be compared makes it impossible."""
    one, kind = _comparable_or_enumerated(schema, name)
    present = [value for value in values if value is not None]
    if one is None or not present or len(present) > MOST_VALUES:
        return None
    if getattr(one, "enumeration", None):
        return _of_enumeration(schema, one, lambda known: any(known == value for value in present))
    operands = [None if kind is None else _operand(kind, value) for value in present]
    return None if any(operand is None for operand in operands) else field(name).isin(operands)


def nullness(schema: Schema, name: str, is_null: bool) -> Optional[Condition]:
    """As :func:`comparison`, for null: only of attributes that can have nulls, and whose values cannot become nulls of the engine."""
    try:
        one = schema.field(name)
    except KeyError:
        return None
    if isinstance(one, Dimension) or not one.nullable:
        return None
    # Indexes without a value, and times that are none, are nulls of the engine but not of the array.
    if is_null and (one.enumeration or Datatype.of(one.dtype).kind == "datetime"):
        return None
    return field(name).is_null() if is_null else field(name).is_valid()


def prefix_condition(schema: Schema, name: str, prefix: str) -> Optional[Condition]:
    """As :func:`comparison`, for the prefix of a string."""
    one, kind = _comparable_or_enumerated(schema, name)
    if one is None or not isinstance(prefix, str) or not prefix:
        return None
    if getattr(one, "enumeration", None):
        return _of_enumeration(schema, one, lambda known: known.startswith(prefix) if isinstance(known, str) else _no_text())
    low = comparison(schema, name, ">=", prefix) if kind is not None and kind.kind == "text" else None
    if low is None or ord(prefix[-1]) >= 0x7E:
        return low
    high = comparison(schema, name, "<", prefix[:-1] + chr(ord(prefix[-1]) + 1))
    return low if high is None else low & high


def _no_text() -> bool:
    raise TypeError("no text")
