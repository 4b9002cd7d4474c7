"""Whether the fill values of a dense array, which replace the cells that do not meet a condition, meet it themselves."""
from __future__ import annotations

import operator
from typing import Any

from .condition import And, Compare, Condition, In, Not, Or
from .schema import Attribute, Schema

_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def meets_fill(condition: Condition, schema: Schema) -> bool:
    """False only if it is certain that the fill values do not meet the condition."""
    if isinstance(condition, And):
        return all(meets_fill(one, schema) for one in condition.members)
    if isinstance(condition, Or):
        return any(meets_fill(one, schema) for one in condition.members)
    if isinstance(condition, In):
        return any(_meets(schema, condition.name, "==", value) for value in condition.values)
    if isinstance(condition, Compare):
        return _meets(schema, condition.name, condition.operator, condition.value)
    return not isinstance(condition, Not) or True


def _meets(schema: Schema, name: str, comparison: str, value: Any) -> bool:
    field = schema.field(name)
    if not isinstance(field, Attribute) or field.fill is not None:
        return True
    if field.nullable:
        # The default fill value of a nullable attribute is null.
        return value is None and comparison == "=="
    datatype = field.dtype
    if field.enumeration:
        index = (1 << (8 * datatype.size)) - 1 if datatype.code.isupper() else -1
        return comparison != "==" or 0 <= index < len(schema.enumeration(field.enumeration).values)
    if datatype.kind == "float":
        return comparison == "!="
    if datatype.kind == "text" and isinstance(value, str):
        return any(_OPERATORS[comparison](fill, value.encode("utf-8", "surrogatepass")) for fill in (b"", b"\0"))
    if datatype.kind in ("int", "datetime") and isinstance(value, int):
        bits = 8 * datatype.size
        fill = -(1 << (bits - 1)) if datatype.code.islower() else (1 << bits) - 1
        return _OPERATORS[comparison](fill, value)
    return True


__all__ = ["meets_fill"]
