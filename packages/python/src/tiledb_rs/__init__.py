"""The TileDB storage engine in Rust: arrays for Arrow, NumPy, pandas and polars, and the library and headers themselves.

The interface is pure Python on ctypes. It needs no other package; NumPy, pandas, polars and pyarrow are used where they are installed.
Modules are imported when one of their names is first used: ``import tiledb_rs`` alone suffices for ``tiledb_rs.duckdb.scan``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, List

# The function has the name of its module, which therefore cannot be imported on demand.
from .library import include, library, load

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
    from .array import Array, create, open
    from .condition import Condition, field
    from .convert import from_file, to_file
    from .context import Context, default_context, version
    from .creation import from_arrow, from_numpy, from_pandas, from_polars
    from .datatypes import Datatype
    from .errors import ConditionError, TileDBError
    from .filters import Filter
    from .group import Group, Member
    from .information import Fragment
    from .objects import CopySummary, copy, exists, ls, move, object_type, remove
    from .partition import Partition
    from .picture import Picture
    from .reports import Advice, Compatibility, Finding, Recommendation, Step, Verification
    from .result import Result
    from .schema import Attribute, Dimension, Enumeration, Schema
    from .vfs import File, list_files, open_file

# The module of each public name.
_MODULES: Dict[str, str] = {
    "Advice": "reports",
    "Array": "array",
    "Attribute": "schema",
    "Compatibility": "reports",
    "Condition": "condition",
    "ConditionError": "errors",
    "Context": "context",
    "CopySummary": "objects",
    "Datatype": "datatypes",
    "Dimension": "schema",
    "Enumeration": "schema",
    "File": "vfs",
    "Filter": "filters",
    "Finding": "reports",
    "Fragment": "information",
    "Group": "group",
    "Member": "group",
    "Partition": "partition",
    "Picture": "picture",
    "Recommendation": "reports",
    "Result": "result",
    "Schema": "schema",
    "Step": "reports",
    "TileDBError": "errors",
    "Verification": "reports",
    "copy": "objects",
    "create": "array",
    "default_context": "context",
    "exists": "objects",
    "field": "condition",
    "from_arrow": "creation",
    "from_file": "convert",
    "from_numpy": "creation",
    "from_pandas": "creation",
    "from_polars": "creation",
    "list_files": "vfs",
    "ls": "objects",
    "move": "objects",
    "object_type": "objects",
    "open": "array",
    "open_file": "vfs",
    "remove": "objects",
    "to_file": "convert",
    "version": "context",
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
            return ".".join(map(str, import_module(".context", __name__).version()))
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
