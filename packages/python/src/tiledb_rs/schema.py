"""Schemas of arrays as plain objects: dimensions, attributes, enumerations."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from .datatypes import Datatype
from .filters import Filter, FilterSpec, filters_of

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


def _set(target: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(target, name, value)


@dataclasses.dataclass(frozen=True)
class Enumeration:
    """The values of an enumeration: the attribute stores their indexes.

    >>> Enumeration("carrier", ["AA", "UA"]).dtype.name
    'STRING_UTF8'
    """

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
        _set(self, dtype=dtype, values=tuple(values))


@dataclasses.dataclass(frozen=True)
class Dimension:
    """A dimension: name, inclusive domain, tile extent, datatype.

    The datatype is that of the bounds if it is not given; dimensions of strings have neither domain nor extent.

    >>> Dimension("row", (1, 100), tile=10)
    Dimension(name='row', domain=(1, 100), tile=10, dtype=<Datatype.INT64: 1>, filters=())
    """

    name: str
    domain: Optional[Tuple[Any, Any]] = None
    tile: Any = None
    dtype: Any = None
    filters: FilterSpec = ()

    def __post_init__(self) -> None:
        dtype = self.dtype
        if dtype is None:
            bound = self.domain[0] if self.domain is not None else ""
            dtype = (
                "STRING_ASCII" if self.domain is None or isinstance(bound, (str, bytes)) else getattr(bound, "dtype", type(bound))
            )
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
        _set(self, dtype=dtype, domain=domain, filters=filters_of(self.filters))


@dataclasses.dataclass(frozen=True)
class Attribute:
    """An attribute: name and datatype; ``var`` for cells of variable length, which strings have unless it is False.

    ``values`` is the number of values of a cell, ``fill`` the value of cells that were never written, ``enumeration`` an
    :class:`Enumeration` or the name of one of the schema.

    >>> Attribute("name", str, nullable=True)
    Attribute(name='name', dtype=<Datatype.STRING_UTF8: 12>, nullable=True, var=True, values=1, fill=None, enumeration=None, filters=())
    """

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
        _set(self, dtype=dtype, var=bool(var), values=values, filters=filters_of(self.filters))


Field = Union[Dimension, Attribute]


# No memory holds as many cells.
UNBOUNDED = 1 << 48


@dataclasses.dataclass(frozen=True)
class Schema:
    """The schema of an array.

    ``current_domain`` has the bounds of the part of the domain that can have cells, by dimension; it can be expanded later. A dimension of a
    dense array with 2**48 coordinates or more is unbounded: what is read by default, and ``shape``, are the bounds of its cells.

    >>> schema = Schema([Dimension("d", (1, 4), tile=2)], [Attribute("a", "INT32")])
    >>> schema.names, schema.shape
    (['d', 'a'], (4,))
    """

    dimensions: Sequence[Dimension]
    attributes: Sequence[Attribute]
    sparse: bool = False
    capacity: int = 10_000
    cell_order: str = "row-major"
    tile_order: str = "row-major"
    allows_duplicates: bool = False
    offsets_filters: FilterSpec = None
    validity_filters: FilterSpec = None
    coords_filters: FilterSpec = None
    enumerations: Sequence[Enumeration] = ()
    current_domain: Optional[Sequence[Tuple[Any, Any]]] = None
    version: Optional[int] = dataclasses.field(default=None, compare=False)
    # The bounds of the cells of a dense array that was opened, if a dimension is unbounded; empty if there are none.
    stored: Optional[Sequence[Tuple[Any, Any]]] = dataclasses.field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        dimensions, attributes = tuple(self.dimensions), tuple(self.attributes)
        checked: Tuple[Tuple[type, Tuple[Any, ...]], ...] = ((Dimension, dimensions), (Attribute, attributes))
        for kind, members in checked:
            for member in members:
                if not isinstance(member, kind):
                    raise TypeError(f"a schema takes {kind.__name__} objects, not {type(member).__name__}")
        fields: Tuple[Field, ...] = (*dimensions, *attributes)
        names = [one.name for one in fields]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the schema has two fields of the name {name!r}")
        enumerations: Dict[str, Enumeration] = {one.name: one for one in self.enumerations}
        for attribute in attributes:
            if isinstance(attribute.enumeration, Enumeration):
                enumerations.setdefault(attribute.enumeration.name, attribute.enumeration)
        attributes = tuple(
            dataclasses.replace(one, enumeration=one.enumeration.name) if isinstance(one.enumeration, Enumeration) else one
            for one in attributes
        )
        orders = {name: order_name(order_number(getattr(self, name))) for name in ("cell_order", "tile_order")}
        filters = {
            name: None if getattr(self, name) is None else filters_of(getattr(self, name))
            for name in ("offsets_filters", "validity_filters", "coords_filters")
        }
        current = None if self.current_domain is None else tuple(tuple(bounds) for bounds in self.current_domain)
        if current is not None and (len(current) != len(dimensions) or any(len(bounds) != 2 for bounds in current)):
            raise ValueError("the current domain must have two bounds for each dimension")
        _set(
            self,
            dimensions=dimensions,
            attributes=attributes,
            enumerations=tuple(enumerations.values()),
            current_domain=current,
            **orders,
            **filters,
        )

    def to_json(self) -> str:
        """The schema as JSON, from which :meth:`from_json` and ``tiledb-rs create`` make the same one.

        >>> '"name": "d"' in Schema([Dimension("d", (1, 4), tile=2)], [Attribute("a", "INT32")]).to_json()
        True
        """
        from . import context, schema_io

        return schema_io.to_json(context.default_context(), self)

    @staticmethod
    def from_json(json: str) -> Schema:
        """The schema that JSON describes, as :meth:`to_json` and ``tiledb-rs schema`` write it.

        Everything but the type of the array and the dimensions may be missing; unknown keys are errors.
        """
        from . import context, schema_io

        return schema_io.from_json(context.default_context(), json)

    @property
    def names(self) -> List[str]:
        """The names of dimensions and attributes."""
        return [field.name for field in self.fields]

    @property
    def fields(self) -> Tuple[Field, ...]:
        """Dimensions and attributes."""
        return (*self.dimensions, *self.attributes)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dimensions)

    @property
    def shape(self) -> Tuple[int, ...]:
        """The number of cells along each dimension; for integer and datetime dimensions."""
        from .values import number_of

        if any(dimension.domain is None or dimension.dtype.kind == "float" for dimension in self.dimensions):
            raise TypeError("only integer and datetime dimensions have a shape")
        bounds = [[number_of(one.dtype, bound) for bound in self.bounds(at)] for at, one in enumerate(self.dimensions)]
        return tuple(high - low + 1 for low, high in bounds)

    def bounds(self, index: int) -> Tuple[Any, Any]:
        """The bounds of a dimension by its index: those of the current domain if there is one; None for strings.

        Of a dense array that was opened, an unbounded dimension has the bounds of the cells.
        """
        if self.stored and self.is_unbounded(index):
            return self.stored[index]
        domain = self.current_domain[index] if self.current_domain is not None else self.dimensions[index].domain
        return (None, None) if domain is None else tuple(domain)

    def is_unbounded(self, index: int) -> bool:
        """Whether a dimension has more coordinates than any array has cells, such as the rows of a table to which others are appended."""
        from .values import number_of

        domain, dtype = self.dimensions[index].domain, self.dimensions[index].dtype
        if domain is None or self.current_domain is not None or dtype.kind == "float":
            return False
        first, last = (number_of(dtype, bound) for bound in domain)
        return last - first >= UNBOUNDED

    def field(self, name: str) -> Field:
        """A dimension or an attribute by name."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"there is no field {name!r}; there are {', '.join(self.names)}")

    def dimension(self, name: Union[str, int]) -> Dimension:
        """A dimension by name or index."""
        if isinstance(name, int):
            return self.dimensions[name]
        for dimension in self.dimensions:
            if dimension.name == name:
                return dimension
        raise KeyError(f"there is no dimension {name!r}; there are {', '.join(one.name for one in self.dimensions)}")

    def attribute(self, name: Union[str, int]) -> Attribute:
        """An attribute by name or index."""
        if isinstance(name, int):
            return self.attributes[name]
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(f"there is no attribute {name!r}; there are {', '.join(one.name for one in self.attributes)}")

    def enumeration(self, name: str) -> Enumeration:
        """An enumeration by its name."""
        for enumeration in self.enumerations:
            if enumeration.name == name:
                return enumeration
        raise KeyError(f"there is no enumeration {name!r}")

    def value_type(self, name: str) -> Datatype:
        """The datatype of the values of a field: of its enumeration if it has one."""
        field = self.field(name)
        enumeration = getattr(field, "enumeration", None)
        return Datatype.of(self.enumeration(enumeration).dtype if enumeration else field.dtype)

    def replace(self, **changes: Any) -> Schema:
        """A copy with other properties."""
        return dataclasses.replace(self, **changes)

    def _repr_html_(self) -> str:
        from .notebook import schema_html

        return schema_html(self)


def check_names(names: Iterable[str], schema: Schema) -> List[str]:
    """The names of fields as a list, each of which must exist, once."""
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, Iterable):
        raise TypeError(f"fields must be the name of a field or a list of names, not {type(names).__name__}")
    found, known, seen = list(names), set(schema.names), set()
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"the name of a field must be a str, not {type(name).__name__}")
        if name not in known:
            raise KeyError(f"there is no field {name!r}; there are {', '.join(schema.names)}")
        if name in seen:
            raise ValueError(f"field {name!r} is named twice")
        seen.add(name)
    if not found:
        raise ValueError("no field is named")
    return found


__all__ = ["Attribute", "Dimension", "Enumeration", "Field", "Filter", "Schema"]
