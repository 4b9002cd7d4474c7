"""The TileDB storage engine in Rust: arrays for Arrow, NumPy, pandas and polars, and the library and headers themselves.

The interface is written in Python on ctypes; a compiled module reads small slices where it can be loaded. It needs no other package; NumPy, pandas, polars and pyarrow are used where they are installed.
Modules are imported when one of their names is first used: ``import tiledb_rs`` alone suffices for ``tiledb_rs.duckdb.scan``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, List

from ._native.library import include, library, load

if TYPE_CHECKING:
    from . import convert as convert
    from . import dask as dask
    from . import dataset as dataset
    from . import duckdb as duckdb
    from . import polars as polars
    from . import ray as ray
    from . import spark as spark
    from . import staging as staging
    from . import xarray as xarray
    from ._arrays.array import Array, create, open
    from ._model.condition import Condition, field
    from .convert import from_file, to_file
    from ._native.context import Context, default_context, version
    from ._arrays.creation import from_arrow, from_numpy, from_pandas, from_polars
    from ._model.datatypes import Datatype
    from ._native.errors import ConditionError, TileDBError
    from ._model.filters import Filter
    from ._arrays.group import Group, Member
    from ._arrays.information import Fragment
    from ._arrays.objects import CopySummary, copy, exists, ls, move, object_type, remove
    from ._arrays.partition import Partition
    from ._arrays.picture import Picture
    from ._model.reports import Advice, Compatibility, Finding, Recommendation, Step, Verification
    from ._arrays.result import Result
    from ._model.fields import Attribute, Dimension, Enumeration
    from ._model.schema import Schema
    from ._arrays.vfs import File, list_files, open_file

# The module of each public name.
_MODULES: Dict[str, str] = {
    "Advice": "_model.reports",
    "Array": "_arrays.array",
    "Attribute": "_model.fields",
    "Compatibility": "_model.reports",
    "Condition": "_model.condition",
    "ConditionError": "_native.errors",
    "Context": "_native.context",
    "CopySummary": "_arrays.objects",
    "Datatype": "_model.datatypes",
    "Dimension": "_model.fields",
    "Enumeration": "_model.fields",
    "File": "_arrays.vfs",
    "Filter": "_model.filters",
    "Finding": "_model.reports",
    "Fragment": "_arrays.information",
    "Group": "_arrays.group",
    "Member": "_arrays.group",
    "Partition": "_arrays.partition",
    "Picture": "_arrays.picture",
    "Recommendation": "_model.reports",
    "Result": "_arrays.result",
    "Schema": "_model.schema",
    "Step": "_model.reports",
    "TileDBError": "_native.errors",
    "Verification": "_model.reports",
    "copy": "_arrays.objects",
    "create": "_arrays.array",
    "default_context": "_native.context",
    "exists": "_arrays.objects",
    "field": "_model.condition",
    "from_arrow": "_arrays.creation",
    "from_file": "convert",
    "from_numpy": "_arrays.creation",
    "from_pandas": "_arrays.creation",
    "from_polars": "_arrays.creation",
    "list_files": "_arrays.vfs",
    "ls": "_arrays.objects",
    "move": "_arrays.objects",
    "object_type": "_arrays.objects",
    "open": "_arrays.array",
    "open_file": "_arrays.vfs",
    "remove": "_arrays.objects",
    "to_file": "convert",
    "version": "_native.context",
}
# Public modules; each needs the package that it is called after.
_SUBMODULES = ("convert", "dask", "dataset", "duckdb", "polars", "ray", "spark", "staging", "xarray")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version as version_of

        try:
            return version_of("tiledb-rs")
        except PackageNotFoundError:
            # In the source tree, the version of the interface that the library has.
            return ".".join(map(str, import_module("._native.context", __name__).version()))
    if name in _MODULES:
        found = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    elif name in _SUBMODULES:
        found = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> List[str]:
    return sorted([*__all__, *_SUBMODULES, "__version__"])


__all__ = [
    "Advice",
    "Array",
    "Attribute",
    "Compatibility",
    "Condition",
    "ConditionError",
    "Context",
    "CopySummary",
    "Datatype",
    "Dimension",
    "Enumeration",
    "File",
    "Filter",
    "Finding",
    "Fragment",
    "Group",
    "Member",
    "Partition",
    "Picture",
    "Recommendation",
    "Result",
    "Schema",
    "Step",
    "TileDBError",
    "Verification",
    "copy",
    "create",
    "default_context",
    "exists",
    "field",
    "from_arrow",
    "from_file",
    "from_numpy",
    "from_pandas",
    "from_polars",
    "include",
    "library",
    "list_files",
    "load",
    "ls",
    "move",
    "object_type",
    "open",
    "open_file",
    "remove",
    "to_file",
    "version",
]
