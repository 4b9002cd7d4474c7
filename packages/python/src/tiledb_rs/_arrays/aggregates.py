"""Aggregates that the library computes while it reads, without returning cells."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from .._native.context import Handle, text
from .._model.datatypes import Datatype, from_number
from .query import ReadPlan

NAMES = ("count", "min", "max", "mean", "sum", "null_count")
_INCOMPLETE = 2


class _Wanted(NamedTuple):
    """One aggregate with its buffers."""

    field: str
    name: str
    output: bytes
    datatype: Datatype
    data: Any
    size: Any
    valid: Any
    valid_size: Any


def aggregate(plan: ReadPlan, wanted: Mapping[str, Sequence[str]]) -> Dict[str, Dict[str, Any]]:
    """Aggregates by field and name; None for those of no values."""
    for field, names in wanted.items():
        for name in names:
            _check(plan, field, name)
    ctx, query = plan.source.ctx, plan._replace(layout=3 if plan.source.schema.sparse else 0).query()
    channel = c_void_p()
    ctx.call("query_get_default_channel", query, byref(channel))
    try:
        return _compute(plan, query, channel, wanted)
    finally:
        ctx.call("query_channel_free", byref(channel))
        # The buffers must not be freed before the query.
        query.free()


def _compute(plan: ReadPlan, query: Handle, channel: Any, wanted: Mapping[str, Sequence[str]]) -> Dict[str, Dict[str, Any]]:
    ctx = plan.source.ctx
    outputs: List[_Wanted] = []
    for field, names in wanted.items():
        for name in dict.fromkeys(names):
            outputs.append(_apply(plan, query, channel, field, name, len(outputs)))
    if not outputs:
        return {field: {} for field in wanted}
    probes = [_apply(plan, query, channel, *probe, len(outputs) + at) for at, probe in enumerate(_probes(plan, outputs))]
    for one in (*outputs, *probes):
        ctx.call("query_set_data_buffer", query, one.output, one.data, byref(one.size), about=f"{one.name} of {one.field}")
        if one.valid is not None:
            ctx.call("query_set_validity_buffer", query, one.output, one.valid, byref(one.valid_size))
    while True:
        ctx.call("query_submit", query, about=plan.source.uri)
        if ctx.ask(ctypes.c_uint32, "query_get_status", query) != _INCOMPLETE:
            break
    found: Dict[str, Dict[str, Any]] = {field: {} for field in wanted}
    # No cells: a count of 0, or the sum 0 with no mean, which would be the sum if there were a NaN.
    seen = [_value(one) for one in probes]
    is_empty = seen == [0] or (len(seen) == 2 and seen[0] == 0 and seen[1] != seen[1])
    for one in outputs:
        found[one.field][one.name] = None if is_empty and _has_no_null(one) else _value(one)
    return found


def _has_no_null(one: _Wanted) -> bool:
    """Whether the library has no null as the result, but 0 or NaN, if there are no values: that of a field that is not nullable."""
    return one.valid is None and one.name in ("min", "max", "mean", "sum")


def _probes(plan: ReadPlan, outputs: Sequence[_Wanted]) -> List[Tuple[str, str]]:
    """Aggregates by which one without cells is recognized; cells of a dense array that meet a condition cannot be counted."""
    unsure = [one.field for one in outputs if _has_no_null(one)]
    if not unsure:
        return []
    if plan.condition is None or plan.source.schema.sparse:
        return [(unsure[0], "count")]
    others = [one.name for one in plan.source.schema.attributes if not one.nullable and not one.var and one.values == 1 and not one.enumeration]
    numbers = [field for field in (*unsure, *others) if Datatype.of(plan.source.schema.field(field).dtype).kind in ("int", "float")]
    return [(numbers[0], "sum"), (numbers[0], "mean")] if numbers else []


def _check(plan: ReadPlan, field: str, name: str) -> None:
    if name not in NAMES:
        raise ValueError(f"there is no aggregate {name!r}; there are {', '.join(NAMES)}")
    if name == "count":
        if plan.condition is not None and not plan.source.schema.sparse:
            # As in libtiledb; other aggregates are of the cells that meet the condition.
            raise NotImplementedError("the cells of a dense array cannot be counted by a condition: the library counts all cells of the region")
        return
    one = plan.source.schema.field(field)
    if name == "null_count":
        if not getattr(one, "nullable", False):
            raise ValueError(f"field {field!r} is not nullable")
        return
    datatype = Datatype.of(one.dtype)
    numeric = datatype.kind in ("int", "float") or (name in ("min", "max") and datatype.kind in ("datetime", "time"))
    if not numeric or getattr(one, "var", False) or getattr(one, "values", 1) != 1 or getattr(one, "enumeration", None):
        raise TypeError(f"{name} of {field!r} is not available: the field must have one number per cell")


def _apply(plan: ReadPlan, query: Handle, channel: Any, field: str, name: str, at: int) -> _Wanted:
    ctx, output = plan.source.ctx, f"__{name}_{at}".encode()
    nullable = False
    if name == "count":
        operation = c_void_p()
        ctx.call("aggregate_count_get", byref(operation))
        ctx.call("channel_apply_aggregate", channel, output, operation, about=name)
        datatype = Datatype.UINT64
    else:
        operator = c_void_p()
        ctx.call(f"channel_operator_{name}_get", byref(operator))
        made = _operation(plan, query, operator, field, name)
        try:
            ctx.call("channel_apply_aggregate", channel, output, made, about=f"{name} of {field}")
        finally:
            ctx.call("aggregate_free", byref(made))
        source = plan.source.schema.field(field)
        datatype = _result_type(Datatype.of(source.dtype), name)
        nullable = bool(getattr(source, "nullable", False)) and name != "null_count"
    data = ctypes.create_string_buffer(8)
    valid = ctypes.create_string_buffer(1) if nullable else None
    return _Wanted(field, name, output, datatype, data, c_uint64(datatype.size), valid, c_uint64(1))


def _operation(plan: ReadPlan, query: Handle, operator: Any, field: str, name: str) -> Any:
    made = c_void_p()
    plan.source.ctx.call("create_unary_aggregate", query, operator, text(field), byref(made), about=f"{name} of {field}")
    return made


def _result_type(datatype: Datatype, name: str) -> Datatype:
    if name == "null_count":
        return Datatype.UINT64
    if name == "mean":
        return Datatype.FLOAT64
    if name == "sum":
        if datatype.kind == "float":
            return Datatype.FLOAT64
        return Datatype.INT64 if datatype.code.islower() else Datatype.UINT64
    return datatype


def _value(one: _Wanted) -> Any:
    if one.valid is not None and one.valid.raw == b"\0" or one.size.value < one.datatype.size:
        return None
    (number,) = struct.unpack_from(f"<{one.datatype.code}", one.data.raw)
    return from_number(one.datatype, number)
