"""Dimensions, attributes and enumerations of schemas as plain objects."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional, Sequence, Tuple, Union

from .datatypes import Datatype
from .filters import FilterSpec, filters_of

ORDERS = {"row-major": 0, "col-major": 1, "global": 2, "unordered": 3, "hilbert": 4}
_ORDER_NAMES = {
    "c": "row-major",
    "f": "col-major",
    "row": "row-major",
    "col": "col-major",
    "column-major": "col-major",
    "g": "global",
    "u": "unordered",
    "global-order": "global",
}


def order_number(order: str) -> int:
    """The number of an order: row-major (C), col-major (F), global, unordered, hilbert."""
    if not isinstance(order, str):
        raise TypeError(f"an order must be a str, not {type(order).__name__}")
    name = order.lower().replace("_", "-")
    name = _ORDER_NAMES.get(name, name)
    if name not in ORDERS:
        raise ValueError(f"there is no order {order!r}; there are {', '.join(ORDERS)}")
    return ORDERS[name]


def order_name(number: int) -> str:
    """The name of the order with a number."""
    return next((name for name, value in ORDERS.items() if value == number), str(number))


def set_frozen(target: Any, **values: Any) -> None:
    """Sets fields of a frozen object while it is made."""
    for name, value in values.items():
        object.__setattr__(target, name, value)


@dataclasses.dataclass(frozen=True)
class Enumeration:
    """The values of an enumeration: the attribute stores their indexes.

    >>> Enumeration("carrier", ["AA", "UA"]).dtype.name
    'STRING_UTF8'
    """

    __module__ = "tiledb_rs"

    name: str
    values: Sequence[Any]
    dtype: Any = None
    ordered: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.values, (str, bytes)):
            raise TypeError("the values of an enumeration must be a list of values")
        values = list(self.values)
        if any(hasattr(value, "item") for value in values):
            values = [value.item() if hasattr(value, "item") else value for value in values]
        if self.dtype is None:
            if not values:
                raise ValueError(f"enumeration {self.name!r} has no values: give dtype")
            kinds = {type(value) for value in values}
            if len(kinds) > 1 and not kinds <= {int, float}:
                raise TypeError(f"the values of enumeration {self.name!r} have several types: give dtype")
            dtype = Datatype.of(float if float in kinds else kinds.pop())
        else:
            dtype = Datatype.of(self.dtype)
        set_frozen(self, dtype=dtype, values=tuple(values))

    def __getattr__(self, name: str) -> Any:
        # Also without `name` and `_load`, as while it is copied.
        load = self.__dict__.get("_load") if name in ("values", "dtype", "ordered") else None
        if load is None:
            raise AttributeError(f"'Enumeration' object has no attribute {name!r}")
        value = load(name)
        set_frozen(self, **{name: value})
        return value

    def __reduce__(self) -> Any:
        return Enumeration, (self.name, self.values, self.dtype, self.ordered)


# The defaults of the parameters remain; as attributes of the class they would be those of an enumeration that is not loaded.
del Enumeration.dtype, Enumeration.ordered


def lazy_enumeration(name: str, load: Callable[[str], Any]) -> Enumeration:
    """An enumeration whose other properties are loaded by their names when they are used."""
    enumeration = object.__new__(Enumeration)
    set_frozen(enumeration, name=name, _load=load)
    return enumeration


@dataclasses.dataclass(frozen=True)
class Dimension:
    """A dimension: name, inclusive domain, tile extent, datatype.

    The datatype is that of the bounds if it is not given; dimensions of strings have neither domain nor extent.

    >>> Dimension("row", (1, 100), tile=10)
    Dimension(name='row', domain=(1, 100), tile=10, dtype=<Datatype.INT64: 1>, filters=())
    """

    __module__ = "tiledb_rs"

    name: str
    domain: Optional[Tuple[Any, Any]] = None
    tile: Any = None
    dtype: Any = None
    filters: FilterSpec = ()

    def __post_init__(self) -> None:
        dtype = self.dtype
        if dtype is None:
            bound = self.domain[0] if self.domain is not None else ""
            dtype = "STRING_ASCII" if self.domain is None or isinstance(bound, (str, bytes)) else getattr(bound, "dtype", type(bound))
        dtype = Datatype.of(dtype)
        domain = self.domain
        if dtype in (Datatype.STRING_UTF8, Datatype.CHAR, Datatype.BLOB):
            dtype = Datatype.STRING_ASCII
        if domain is not None and tuple(domain) == (None, None):
            domain = None
        if domain is not None:
            domain = tuple(domain)
            if len(domain) != 2:
                raise ValueError(f"the domain of dimension {self.name!r} must have two bounds")
        elif dtype != Datatype.STRING_ASCII:
            raise ValueError(f"dimension {self.name!r} needs a domain: (lower bound, upper bound)")
        set_frozen(self, dtype=dtype, domain=domain, filters=filters_of(self.filters))


@dataclasses.dataclass(frozen=True)
class Attribute:
    """An attribute: name and datatype; ``var`` for cells of variable length, which strings have unless it is False.

    ``values`` is the number of values of a cell, ``fill`` the value of cells that were never written, ``enumeration`` an
    :class:`Enumeration` or the name of one of the schema.

    >>> Attribute("name", str, nullable=True)
    Attribute(name='name', dtype=<Datatype.STRING_UTF8: 12>, nullable=True, var=True, values=1, fill=None, enumeration=None, filters=())
    """

    __module__ = "tiledb_rs"

    name: str
    dtype: Any
    nullable: bool = False
    var: Optional[bool] = None
    values: int = 1
    fill: Any = None
    enumeration: Union[None, str, Enumeration] = None
    filters: FilterSpec = ()

    def __post_init__(self) -> None:
        dtype = Datatype.of(self.dtype)
        values = self.values
        itemsize = getattr(self.dtype, "itemsize", 0) if getattr(self.dtype, "kind", "") in "SV" else 0
        if itemsize and self.var is None:
            values = itemsize
        var = self.var if self.var is not None else dtype.is_string and values == 1 and not itemsize
        if not isinstance(values, int) or not 1 <= values < 0xFFFFFFFF:
            raise ValueError(f"attribute {self.name!r}: the number of values per cell must be at least 1, not {values!r}")
        if var and values != 1:
            raise ValueError(f"attribute {self.name!r} cannot have both a variable number of values and {values}")
        set_frozen(self, dtype=dtype, var=bool(var), values=values, filters=filters_of(self.filters))


Field = Union[Dimension, Attribute]
