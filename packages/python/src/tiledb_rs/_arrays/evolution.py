"""Schema evolution: attributes and enumerations of an existing array."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Optional, Sequence, Tuple

from .._model import current_domain, moments, schema_io
from .._native.context import Context, Handle, text
from .query import OpenArray
from .._model.fields import Attribute, Enumeration


class Evolution:
    """Methods of arrays that change the schema. Cells that were written before have the fill value of a new attribute."""

    _ctx: Context
    _uri: str
    _source: Callable[[], OpenArray]
    _changed: Callable[[], None]

    def add_attribute(self, attribute: Attribute, *, at: Any = None) -> None:
        """Adds an attribute, and its enumeration if it has one that the schema lacks.

        Args:
            attribute: The :class:`Attribute`; of cells that exist it has the fill value.
            at: The timestamp of the change; now by default.

        Examples:
            >>> array.add_attribute(tiledb_rs.Attribute("quality", "INT8", nullable=True))
            >>> array.schema.names
            ['time', 'value', 'quality']
        """
        if not isinstance(attribute, Attribute):
            raise TypeError(f"attribute must be a tiledb_rs.Attribute, not {type(attribute).__name__}")
        schema = self._source().schema
        if attribute.name in schema.names:
            raise ValueError(f"the array has a field {attribute.name!r} already")

        def change(evolution: Handle) -> None:
            enumeration = attribute.enumeration
            if isinstance(enumeration, Enumeration) and enumeration.name not in [one.name for one in schema.enumerations]:
                made = schema_io.build_enumeration(self._ctx, enumeration)
                self._ctx.call("array_schema_evolution_add_enumeration", evolution, made, about=enumeration.name)
            made = schema_io.build_attribute(self._ctx, attribute)
            self._ctx.call("array_schema_evolution_add_attribute", evolution, made, about=attribute.name)

        self._evolve(change, at)

    def drop_attribute(self, name: str, *, at: Any = None) -> None:
        """Removes an attribute; readers at earlier times still see it.

        Args:
            name: The name of the attribute.
            at: The timestamp of the change; now by default.

        Examples:
            >>> array.add_attribute(tiledb_rs.Attribute("quality", "INT8", nullable=True))
            >>> array.drop_attribute("quality")
            >>> array.schema.names
            ['time', 'value']
        """
        self._source().schema.attribute(name)
        self._evolve(lambda evolution: self._ctx.call("array_schema_evolution_drop_attribute", evolution, text(name), about=name), at)

    def extend_enumeration(self, name: str, values: Iterable[Any], *, at: Any = None) -> None:
        """Adds values to the end of an enumeration; those that it has already are not added again.

        Args:
            name: The name of the enumeration.
            values: The values.
            at: The timestamp of the change; now by default.

        Raises:
            KeyError: if there is no such enumeration.

        Examples:
            >>> color = Attribute("color", "INT8", enumeration=Enumeration("colors", ["red"]))
            >>> paint = tiledb_rs.create("paint", Schema([Dimension("d", (0, 9), tile=10)], [color], sparse=True))
            >>> paint.extend_enumeration("colors", ["red", "green"])
            >>> list(paint.schema.enumeration("colors").values)
            ['red', 'green']
        """
        old = self._source().schema.enumeration(name)
        if isinstance(values, (str, bytes)):
            raise TypeError("values must be a list of values")
        known = set(old.values)
        added = [value for value in dict.fromkeys(values) if value not in known]
        if not added:
            return
        extension = Enumeration(name, added, old.dtype, old.ordered)

        def change(evolution: Handle) -> None:
            source = self._source()
            handle = self._ctx.make("enumeration", "array_get_enumeration", source.handle, text(name), about=name)
            made = schema_io.extend(self._ctx, handle, extension)
            self._ctx.call("array_schema_evolution_extend_enumeration", evolution, made, about=name)

        self._evolve(change, at)

    def expand_current_domain(self, bounds: Sequence[Tuple[Any, Any]], *, at: Any = None) -> None:
        """Expands the part of the domain that can have cells to these bounds by dimension.

        Args:
            bounds: The two bounds of each dimension, both included, which contain those of now.
            at: The timestamp of the change; now by default.

        Raises:
            ValueError: if there are not two bounds for each dimension.
            TileDBError: if the array has no current domain, or the bounds do not contain it, or exceed the domain.

        Examples:
            >>> schema = Schema([Dimension("d", (0, 99), tile=10)], [Attribute("a", "INT32")], current_domain=[(0, 9)])
            >>> numbers = tiledb_rs.create("numbers", schema)
            >>> numbers.expand_current_domain([(0, 19)])
            >>> numbers.schema.shape
            (20,)
        """
        dimensions = self._source().schema.dimensions
        if len(bounds) != len(dimensions):
            raise ValueError(f"the array has {len(dimensions)} dimensions, and {len(bounds)} bounds are given")
        domain = self._ctx.make("domain", "domain_alloc")
        for dimension in dimensions:
            self._ctx.call("domain_add_dimension", domain, schema_io.build_dimension(self._ctx, dimension))
        made = current_domain.build(self._ctx, domain, dimensions, bounds)
        self._evolve(lambda evolution: self._ctx.call("array_schema_evolution_expand_current_domain", evolution, made, about=self._uri), at)

    def _evolve(self, change: Callable[[Handle], Any], at: Any) -> None:
        evolution = self._ctx.make("array_schema_evolution", "array_schema_evolution_alloc")
        change(evolution)
        moment: Optional[int] = None if at is None else moments.milliseconds(at)
        if moment is not None:
            self._ctx.call("array_schema_evolution_set_timestamp_range", evolution, moment, moment)
        self._ctx.call("array_evolve", text(self._uri), evolution, about=self._uri)
        self._changed()
