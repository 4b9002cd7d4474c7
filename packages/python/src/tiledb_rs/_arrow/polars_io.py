"""Results as data frames of polars.

polars reads times as their numbers here, and converts them itself: of the stream of the library it would make 1970 of a "not a time" in
seconds, and null of a time that is longer than a day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

from .._native import capsule
from .columns import datetime_of
from .._native.arrow_single import Replay
from .._native.errors import require
from .._model.moments import NAT

if TYPE_CHECKING:
    from .._arrays.result import Result

# The format of 64-bit integers: a constant, since a schema only points to it.
_INT64 = b"l"
# The unit in which polars counts, how many of them are one of the datatype, and the numbers between which all can be expressed.
_DAY = 86_400 * 10**9
_MOST = (1 << 63) - 1
_DAYS = ("DATETIME_DAY", "ENUMERATION_DAY")
_DATETIMES = {"DATETIME_SEC": ("ms", 1_000), "DATETIME_MS": ("ms", 1), "DATETIME_US": ("us", 1), "DATETIME_NS": ("ns", 1)}
_TIMES = {"TIME_US": 1_000, "TIME_NS": 1}


class _Numbers:
    """The stream of a result with numbers instead of times in some columns."""

    def __init__(self, result: Result, names: Any):
        stream = result.stream()
        schema = stream.schema()
        for at in range(schema.n_children):
            child = schema.children[at].contents
            if child.name.decode("utf-8", "surrogateescape") in names:
                child.format = _INT64
        self._replay = Replay(schema, [], stream.detach())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule.export(self._replay.raw, capsule.STREAM)


def frame(result: Result, schema: Any) -> Any:
    """A polars.DataFrame, in which "not a time" is null.

    Raises:
        ValueError: if a column has a date or time that the type of polars does not have.
    """
    polars = require("polars", "to_polars()")
    kinds: Dict[str, str] = {}
    for name in result.fields:
        kind = datetime_of(schema, name)
        if kind in _DATETIMES or kind in _TIMES or kind in _DAYS:
            kinds[name] = kind
    if not kinds:
        return polars.DataFrame(result)
    # Of an enumeration polars decodes the values, which are numbers.
    numbers = _Numbers(result, {name for name, kind in kinds.items() if kind != "ENUMERATION_DAY"})
    found = polars.DataFrame(numbers)
    return found.with_columns(_times(polars, found[name], kind) for name, kind in kinds.items())


def _times(polars: Any, numbers: Any, kind: str) -> Any:
    """A column of numbers as times."""
    numbers = numbers.set(numbers == NAT, None)
    if kind in _DAYS:
        least, most, type, factor = -(1 << 31), (1 << 31) - 1, polars.Date, 1
    elif kind in _TIMES:
        factor = _TIMES[kind]
        least, most, type = 0, _DAY // factor - 1, polars.Time
    else:
        unit, factor = _DATETIMES[kind]
        least, most, type = -(_MOST // factor), _MOST // factor, polars.Datetime(unit)
    for bound in (numbers.min(), numbers.max()):
        if bound is not None and not least <= bound <= most:
            raise ValueError(f"field {numbers.name!r} has {bound} as {kind}, which {type} cannot express: use to_numpy()")
    numbers = numbers if factor == 1 else numbers * factor
    return (numbers.cast(polars.Int32) if kind in _DAYS else numbers).cast(type)
