"""Exceptions of the package."""

from __future__ import annotations

import importlib
import re
from types import ModuleType
from typing import Any, Optional


# Functions of the C interface that texts of the library recommend, and what they are called here.
_NAMES = {
    "tiledb_array_create": "tiledb_rs.create()",
    "tiledb_array_schema_add_attribute": "Schema() with an Attribute",
    "tiledb_array_upgrade_version": "Array.upgrade()",
    "tiledb_group_create": "Group.create()",
    "tiledb_object_remove": "tiledb_rs.remove()",
    "tiledb_rs_array_sweep": "Array.sweep()",
    "TILEDB_EQ": "==",
    "TILEDB_NE": "!=",
}
_NAME = re.compile(r"\b(" + "|".join(_NAMES) + r")\b")


def in_python(text: str) -> str:
    """A text of the library with the names of this package."""
    return _NAME.sub(lambda found: _NAMES[found.group()], text)


class TileDBError(RuntimeError):
    """An error of the library: ``str(error)`` is its text, ``error.context`` what was done when it occurred.

    Examples:
        >>> tiledb_rs.open("nothing")
        Traceback (most recent call last):
            ...
        tiledb_rs.TileDBError: ...
    """

    __module__ = "tiledb_rs"

    def __init__(self, text: str, context: str = ""):
        super().__init__(in_python(text))
        self.context = context

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.context)


class ConditionError(TileDBError, ValueError):
    """A query condition that cannot be parsed or does not fit the schema: ``error.position`` is where, counted from 0.

    Examples:
        >>> array.read(where="value >")
        Traceback (most recent call last):
            ...
        tiledb_rs.ConditionError: ...
    """

    __module__ = "tiledb_rs"

    def __init__(self, text: str, position: Optional[int] = None, source: str = ""):
        self.position = position
        self.source = source
        self.reason = text
        if position is not None:
            text = f"{text} (at position {position})\n  {source}\n  {' ' * position}^"
        super().__init__(text, "query condition")

    def __reduce__(self) -> Any:
        return type(self), (self.reason, self.position, self.source)


def require(module: str, purpose: str, package: Optional[str] = None) -> ModuleType:
    """Imports an optional package, or says which one to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = package or module.partition(".")[0]
        raise ImportError(f"{purpose} needs the package {name}: pip install {name}", name=name) from error


def installed(module: str) -> Optional[ModuleType]:
    """An optional package, or None."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None
