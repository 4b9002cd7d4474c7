"""Schemas of arrays as plain objects."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import schema_io
from .._native.context import Context, Handle, default_context
from .datatypes import Datatype
from .fields import Attribute, Dimension, Enumeration, Field, order_name, order_number, set_frozen
from .filters import FilterSpec, filters_of
from .values import number_of

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

    __module__ = "tiledb_rs"

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
        names = set()
        for one in fields:
            if one.name in names:
                raise ValueError(f"the schema has two fields of the name {one.name!r}")
            names.add(one.name)
        enumerations: Dict[str, Enumeration] = {one.name: one for one in self.enumerations}
        for attribute in attributes:
            if isinstance(attribute.enumeration, Enumeration):
                enumerations.setdefault(attribute.enumeration.name, attribute.enumeration)
        attributes = tuple(dataclasses.replace(one, enumeration=one.enumeration.name) if isinstance(one.enumeration, Enumeration) else one for one in attributes)
        orders = {name: order_name(order_number(getattr(self, name))) for name in ("cell_order", "tile_order")}
        filters = {name: None if getattr(self, name) is None else filters_of(getattr(self, name)) for name in ("offsets_filters", "validity_filters", "coords_filters")}
        current = None if self.current_domain is None else tuple(tuple(bounds) for bounds in self.current_domain)
        if current is not None and (len(current) != len(dimensions) or any(len(bounds) != 2 for bounds in current)):
            raise ValueError("the current domain must have two bounds for each dimension")
        set_frozen(
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

        Returns:
            The text.

        Examples:
            >>> '"name": "d"' in Schema([Dimension("d", (1, 4), tile=2)], [Attribute("a", "INT32")]).to_json()
            True
        """
        return schema_io.to_json(default_context(), self)

    @staticmethod
    def from_json(json: str) -> Schema:
        """The schema that JSON describes, as :meth:`to_json` and ``tiledb-rs schema`` write it.

        Everything but the type of the array and the dimensions may be missing; unknown keys are errors.

        Args:
            json: The text.

        Returns:
            The schema.

        Examples:
            >>> Schema.from_json(array.schema.to_json()).names
            ['time', 'value']
        """
        ctx = default_context()
        return load(ctx, schema_io.from_json(ctx, json))

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
        known: Optional[Tuple[int, ...]] = self.__dict__.get("_shape")
        if known is not None:
            return known
        if any(dimension.domain is None or dimension.dtype.kind == "float" for dimension in self.dimensions):
            raise TypeError("only integer and datetime dimensions have a shape")
        bounds = [[number_of(one.dtype, bound) for bound in self.bounds(at)] for at, one in enumerate(self.dimensions)]
        shape = tuple(high - low + 1 for low, high in bounds)
        set_frozen(self, _shape=shape)
        return shape

    def bounds(self, index: int) -> Tuple[Any, Any]:
        """The bounds of a dimension by its index: those of the current domain if there is one; None for strings.

        Of a dense array that was opened, an unbounded dimension has the bounds of the cells.

        Args:
            index: The number of the dimension.

        Returns:
            The two bounds, both included.

        Examples:
            >>> array.schema.bounds(0)
            (0, 99)
        """
        if self.stored and self.is_unbounded(index):
            return self.stored[index]
        domain = self.current_domain[index] if self.current_domain is not None else self.dimensions[index].domain
        return (None, None) if domain is None else tuple(domain)

    def is_unbounded(self, index: int) -> bool:
        """Whether a dimension has more coordinates than any array has cells, such as the rows of a table to which others are appended.

        Args:
            index: The number of the dimension.

        Returns:
            True if it has.

        Examples:
            >>> array.schema.is_unbounded(0)
            False
        """
        domain, dtype = self.dimensions[index].domain, self.dimensions[index].dtype
        if domain is None or self.current_domain is not None or dtype.kind == "float":
            return False
        first, last = (number_of(dtype, bound) for bound in domain)
        return last - first >= UNBOUNDED

    def field(self, name: str) -> Field:
        """A dimension or an attribute by name.

        Args:
            name: The name.

        Returns:
            The :class:`Dimension` or :class:`Attribute`.

        Examples:
            >>> array.schema.field("value").dtype.name
            'FLOAT64'
        """
        # A table can have thousands of fields, each of which is asked for.
        by_name: Optional[Dict[str, Field]] = self.__dict__.get("_by_name")
        if by_name is None:
            by_name = {field.name: field for field in self.fields}
            set_frozen(self, _by_name=by_name)
        try:
            return by_name[name]
        except KeyError:
            raise KeyError(f"there is no field {name!r}; there are {', '.join(self.names)}") from None

    def dimension(self, name: Union[str, int]) -> Dimension:
        """A dimension by name or index.

        Args:
            name: The name or the number.

        Returns:
            The dimension.

        Examples:
            >>> array.schema.dimension(0).name
            'time'
        """
        if isinstance(name, int):
            return self.dimensions[name]
        for dimension in self.dimensions:
            if dimension.name == name:
                return dimension
        raise KeyError(f"there is no dimension {name!r}; there are {', '.join(one.name for one in self.dimensions)}")

    def attribute(self, name: Union[str, int]) -> Attribute:
        """An attribute by name or index.

        Args:
            name: The name or the number.

        Returns:
            The attribute.

        Examples:
            >>> array.schema.attribute("value").nullable
            False
        """
        if isinstance(name, int):
            return self.attributes[name]
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(f"there is no attribute {name!r}; there are {', '.join(one.name for one in self.attributes)}")

    def enumeration(self, name: str) -> Enumeration:
        """An enumeration by its name.

        Args:
            name: The name of the enumeration.

        Returns:
            The enumeration.

        Examples:
            >>> colors = Attribute("c", "INT8", enumeration=Enumeration("colors", ["red", "green"]))
            >>> Schema([Dimension("d", (1, 4))], [colors]).enumeration("colors").values
            ('red', 'green')
        """
        for enumeration in self.enumerations:
            if enumeration.name == name:
                return enumeration
        raise KeyError(f"there is no enumeration {name!r}")

    def value_type(self, name: str) -> Datatype:
        """The datatype of the values of a field: of its enumeration if it has one.

        Args:
            name: The name of the field.

        Returns:
            The datatype.

        Examples:
            >>> array.schema.value_type("value").name
            'FLOAT64'
        """
        field = self.field(name)
        enumeration = getattr(field, "enumeration", None)
        return Datatype.of(self.enumeration(enumeration).dtype if enumeration else field.dtype)

    def replace(self, **changes: Any) -> Schema:
        """A copy with other properties.

        Args:
            **changes: The properties that change.

        Returns:
            The other schema.

        Examples:
            >>> array.schema.replace(capacity=100).capacity
            100
        """
        return dataclasses.replace(self, **changes)

    def _repr_html_(self) -> str:
        from .notebook import schema_html

        return schema_html(self)


# Schemas by their JSON and format version, which describe them completely: arrays are opened again and again.
_loaded: Dict[Tuple[str, int], Schema] = {}
_MAX_LOADED_SCHEMAS = 64


def load(ctx: Context, handle: Handle, array: Optional[Handle] = None) -> Schema:
    """The Python object of a schema of the library, and of the open array whose schema it is."""
    key = schema_io.key_of(ctx, handle)
    schema = None if key is None else _loaded.get(key)
    if schema is None:
        schema = Schema(**schema_io.parts(ctx, handle, array))
        if key is not None:
            if len(_loaded) >= _MAX_LOADED_SCHEMAS:
                _loaded.clear()
            _loaded[key] = schema
    return schema


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


__all__ = ["Schema", "check_names", "load"]
