"""Query conditions: trees that programs build from fields, and their translation for the library."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Set, Tuple

from .._native.context import Context, Handle, text
from .datatypes import Datatype, decode, encode
from .._native.errors import ConditionError, TileDBError
from .fields import Attribute
from .schema import Schema

if TYPE_CHECKING:
    from .._arrays.query import OpenArray

OPERATORS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
_IN, _AND, _OR = 6, 0, 1


class Condition:
    """A condition on the cells of an array; combine conditions with ``&``, ``|`` and ``~``.

    >>> condition = (field("delay") > 200) & field("origin").isin(["JFK", "EWR"])
    >>> str(condition)
    "delay > 200 and origin in ('JFK', 'EWR')"
    """

    __module__ = "tiledb_rs"

    __slots__ = ()
    _compared: Tuple[str, ...] = ()

    def __and__(self, other: Condition) -> Condition:
        return _joined(And, self, other)

    def __or__(self, other: Condition) -> Condition:
        return _joined(Or, self, other)

    def __invert__(self) -> Condition:
        return self.inner if isinstance(self, Not) else Not(self)

    def __bool__(self) -> bool:
        raise TypeError("a condition has no truth value: combine conditions with & | ~ instead of and, or, not, and in parentheses")

    def __repr__(self) -> str:
        return f"<tiledb_rs.Condition: {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        return type(self) is type(other) and all(getattr(self, name) == getattr(other, name) for name in self._compared)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.text()

    def text(self, schema: Optional[Schema] = None) -> str:
        """The condition in the grammar of ``where``.

        Args:
            schema: A schema by which numbers of ``DATETIME_YEAR`` fields are written as years.

        Returns:
            The text.

        Examples:
            >>> (tiledb_rs.field("value") > 1).text()
            'value > 1'
        """
        raise NotImplementedError

    def fields(self) -> Set[str]:
        """The names of the fields of the condition.

        Returns:
            The names.

        Examples:
            >>> (tiledb_rs.field("value") > 1).fields()
            {'value'}
        """
        raise NotImplementedError

    def check(self, source: OpenArray) -> None:
        """Checks that the condition fits the schema of an open array.

        Args:
            source: The open array, which a read has.

        Raises:
            ConditionError: if it does not.

        Examples:
            >>> tiledb_rs.field("value").isin([0.5]).check(array._source())
        """
        raise NotImplementedError

    def make(self, source: OpenArray) -> Handle:
        """The condition of the library, for a query on an open array.

        Args:
            source: The open array, which a read has.

        Returns:
            The handle of a ``tiledb_query_condition_t``.

        Examples:
            >>> handle = (tiledb_rs.field("value") > 1).make(array._source())
        """
        raise NotImplementedError


class _Joined(Condition):
    __slots__ = ("members",)
    _compared = ("members",)
    number = _AND
    word = "and"

    def __init__(self, members: Iterable[Condition]):
        self.members: Tuple[Condition, ...] = tuple(members)

    def text(self, schema: Optional[Schema] = None) -> str:
        return f" {self.word} ".join(f"({one.text(schema)})" if isinstance(one, (_Joined, TextCondition)) else one.text(schema) for one in self.members)

    def fields(self) -> Set[str]:
        return set().union(*(one.fields() for one in self.members))

    def check(self, source: OpenArray) -> None:
        for one in self.members:
            one.check(source)

    def make(self, source: OpenArray) -> Handle:
        return join(source.ctx, [one.make(source) for one in self.members], self.number)


class And(_Joined):
    """Cells that meet all members."""

    __slots__ = ()


class Or(_Joined):
    """Cells that meet any member."""

    __slots__ = ()
    number = _OR
    word = "or"


class Not(Condition):
    """Cells that do not meet a condition, as the library negates it: nulls meet neither."""

    __slots__ = ("inner",)
    _compared = ("inner",)

    def __init__(self, inner: Condition):
        self.inner = inner

    def text(self, schema: Optional[Schema] = None) -> str:
        return f"not ({self.inner.text(schema)})"

    def fields(self) -> Set[str]:
        return self.inner.fields()

    def check(self, source: OpenArray) -> None:
        self.inner.check(source)

    def make(self, source: OpenArray) -> Handle:
        return source.ctx.make("query_condition", "query_condition_negate", self.inner.make(source), about=str(self))


class Compare(Condition):
    """A comparison of a field with a value, or with null (None) by ``==`` and ``!=``."""

    __slots__ = ("name", "operator", "value")
    _compared = ("name", "operator", "value")

    def __init__(self, name: str, operator: str, value: Any):
        if value is None and operator not in ("==", "!="):
            raise ConditionError(f"{name} {operator} None: only == and != compare with null")
        self.name, self.operator, self.value = name, operator, value

    def text(self, schema: Optional[Schema] = None) -> str:
        name = quoted_name(self.name)
        if self.value is None:
            return f"{name} is {'' if self.operator == '==' else 'not '}null"
        return f"{name} {self.operator} {shown(self.value, None if schema is None else datatype_of(schema, self.name))}"

    def fields(self) -> Set[str]:
        return {self.name}

    def check(self, source: OpenArray) -> None:
        datatype_of(source.schema, self.name)
        if self.value is not None:
            content_of(source.schema, self.value, self.name)

    def make(self, source: OpenArray) -> Handle:
        ctx, content = source.ctx, None if self.value is None else content_of(source.schema, self.value, self.name)
        handle = ctx.make("query_condition", "query_condition_alloc")
        # An empty string has a pointer; null has none.
        ctx.call(
            "query_condition_init",
            handle,
            text(self.name),
            content,
            len(content or b""),
            OPERATORS[self.operator],
            about=str(self),
        )
        return handle


class In(Condition):
    """Cells whose value is one of a list."""

    __slots__ = ("name", "values")
    _compared = ("name", "values")

    def __init__(self, name: str, values: Iterable[Any]):
        if isinstance(values, (str, bytes)):
            raise TypeError(f"isin takes a list of values, not the text {values!r}")
        self.name, self.values = name, tuple(values)
        if not self.values:
            raise ConditionError(f"the list of values of {name} is empty")
        if any(value is None for value in self.values):
            raise ConditionError(f"the list of values of {name} contains None: use is_null()")

    def text(self, schema: Optional[Schema] = None) -> str:
        datatype = None if schema is None else datatype_of(schema, self.name)
        return f"{quoted_name(self.name)} in ({', '.join(shown(value, datatype) for value in self.values)})"

    def fields(self) -> Set[str]:
        return {self.name}

    def check(self, source: OpenArray) -> None:
        self._contents(source.schema)

    def _contents(self, schema: Schema) -> List[bytes]:
        return [content_of(schema, value, self.name) for value in self.values]

    def make(self, source: OpenArray) -> Handle:
        contents = self._contents(source.schema)
        if not any(contents) or datatype_of(source.schema, self.name).kind == "float":
            # The library has no sets of floating-point numbers, nor of the empty string alone.
            return Or([Compare(self.name, "==", value) for value in self.values]).make(source)
        offsets, total = [], 0
        for content in contents:
            offsets.append(total)
            total += len(content)
        packed = (ctypes.c_uint64 * len(offsets))(*offsets)
        return source.ctx.make(
            "query_condition",
            "query_condition_alloc_set_membership",
            text(self.name),
            b"".join(contents),
            total,
            packed,
            ctypes.sizeof(packed),
            _IN,
            about=f"{self.name} in (...)",
        )


_POSITION = re.compile(r" \(at byte (\d+)\)$")


class TextCondition(Condition):
    """A condition as a text, which the library parses."""

    __slots__ = ("source",)
    _compared = ("source",)

    def __init__(self, source: str):
        if "\0" in source:
            raise ConditionError("a condition cannot contain a NUL character", source.index("\0"), source)
        self.source = source

    def text(self, schema: Optional[Schema] = None) -> str:
        return self.source

    def check(self, source: OpenArray) -> None:
        self.make(source)

    def make(self, source: OpenArray) -> Handle:
        schema, content = source.schema_handle(), text(self.source, "a condition")
        try:
            return source.ctx.make("query_condition", "rs_query_condition_from_text", schema, content, about="query condition")
        except TileDBError as error:
            found = _POSITION.search(str(error))
            if found is None:
                raise
            position = len(content[: int(found.group(1))].decode("utf-8", "surrogateescape"))
            raise ConditionError(_POSITION.sub("", str(error)).removeprefix("Condition: "), position, self.source) from None


class FieldRef:
    """A field by name, of which comparisons make conditions: see :func:`field`."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        text(name, "the name of a field")
        self.name = name

    def __lt__(self, value: Any) -> Condition:
        return Compare(self.name, "<", value)

    def __le__(self, value: Any) -> Condition:
        return Compare(self.name, "<=", value)

    def __gt__(self, value: Any) -> Condition:
        return Compare(self.name, ">", value)

    def __ge__(self, value: Any) -> Condition:
        return Compare(self.name, ">=", value)

    def __eq__(self, value: Any) -> Condition:  # type: ignore[override]
        return Compare(self.name, "==", value)

    def __ne__(self, value: Any) -> Condition:  # type: ignore[override]
        return Compare(self.name, "!=", value)

    __hash__ = None  # type: ignore[assignment]

    def isin(self, values: Iterable[Any]) -> Condition:
        """Cells whose value is one of a list."""
        return In(self.name, values)

    def between(self, low: Any, high: Any) -> Condition:
        """Cells whose value is between two, both included."""
        return And([Compare(self.name, ">=", low), Compare(self.name, "<=", high)])

    def is_null(self) -> Condition:
        """Cells without a value."""
        return Compare(self.name, "==", None)

    def is_valid(self) -> Condition:
        """Cells with a value."""
        return Compare(self.name, "!=", None)

    def __repr__(self) -> str:
        return f"tiledb_rs.field({self.name!r})"


def field(name: str) -> FieldRef:
    """A field of an array, to build a condition.

    Args:
        name: The name of an attribute or a dimension.

    Returns:
        The field, which comparisons make conditions of.

    Examples:
        >>> field("a").between(1, 5) | field("b").is_null()
        <tiledb_rs.Condition: (a >= 1 and a <= 5) or b is null>
    """
    return FieldRef(name)


def _joined(kind: type, left: Condition, right: Any) -> Condition:
    if not isinstance(right, Condition):
        raise TypeError(f"a condition can be combined with a condition, not with {type(right).__name__}")
    return kind(one for side in (left, right) for one in (side.members if isinstance(side, _Joined) and type(side) is kind else [side]))


def join(ctx: Context, handles: Sequence[Handle], number: int) -> Handle:
    """Joins conditions two by two, so that a thousand of them are not nested a thousand deep."""
    found = list(handles)
    while len(found) > 1:
        pairs = [found[at : at + 2] for at in range(0, len(found), 2)]
        found = [pair[0] if len(pair) == 1 else ctx.make("query_condition", "query_condition_combine", pair[0], pair[1], number) for pair in pairs]
    return found[0]


def datatype_of(schema: Schema, name: str) -> Datatype:
    """The datatype of the values of a field."""
    try:
        return schema.value_type(name)
    except KeyError as error:
        raise ConditionError(error.args[0]) from None


def content_of(schema: Schema, value: Any, name: str) -> bytes:
    """The bytes of an operand, which has the length of a cell if all cells have the same."""
    datatype = datatype_of(schema, name)
    try:
        content = encode(datatype, value, f"the value compared with {name!r}")
        one = schema.field(name)
        if datatype.is_string and isinstance(one, Attribute) and not one.var and not one.enumeration and len(content) != one.values * datatype.size:
            raise ValueError(f"the cells of {name!r} have {one.values * datatype.size} bytes, and the value {len(content)}")
    except ValueError as error:
        raise ConditionError(str(error)) from None
    return content


def quoted_name(name: str) -> str:
    """A name as the grammar has it."""
    plain = name and not any(letter.isspace() or letter in "=!<>&|(),'\"" for letter in name) and name.lower() not in ("not", "and", "or")
    return name if plain else shown(name)


def shown(value: Any, datatype: Optional[Datatype] = None) -> str:
    """A value as the grammar has it."""
    if hasattr(value, "item") and not hasattr(value, "isoformat") and getattr(value.dtype, "kind", "") not in "mM":
        value = value.item()
    if isinstance(value, (bytes, bytearray)):
        if datatype is None or not datatype.is_text:
            return f"0x{bytes(value).hex()}"
        value = decode(datatype, bytes(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        # A year is called by its number; of other units a number counts units.
        return f"'{value + 1970:04}'" if datatype == Datatype.DATETIME_YEAR and isinstance(value, int) else str(value)
    content = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f'"{content}"' if "'" in content else f"'{content}'"


def condition_of(where: Any, source: OpenArray) -> Optional[Condition]:
    """The condition of a text or an object, checked against the schema of an open array."""
    if where is None:
        return None
    if isinstance(where, str):
        condition: Condition = TextCondition(where)
    elif isinstance(where, Condition):
        condition = where
    else:
        raise TypeError(f"where must be a text or a tiledb_rs.Condition, not {type(where).__name__}")
    try:
        condition.check(source)
    except RecursionError:
        raise ConditionError("the condition is nested too deeply") from None
    return condition
