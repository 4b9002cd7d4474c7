"""The TileDB storage engine in Rust: arrays for Arrow, NumPy, pandas and polars, and the library and headers themselves.

The interface is pure Python on ctypes. It needs no other package; NumPy, pandas, polars and pyarrow are used where they are installed.
"""

from .array import Array, create, open
from .condition import Condition, field
from .context import Context, default_context, version
from .creation import from_arrow, from_numpy, from_pandas
from .datatypes import Datatype
from .errors import ConditionError, TileDBError
from .filters import Filter
from .group import Group, Member
from .information import Fragment
from .library import include, library, load
from .objects import copy, exists, ls, move, object_type, remove
from .partition import Partition
from .picture import Picture
from .reports import Advice, Compatibility, Finding, Recommendation, Step, Verification
from .result import Result
from .schema import Attribute, Dimension, Enumeration, Schema
from .vfs import File, list_files, open_file

__all__ = [
    "Advice",
    "Array",
    "Attribute",
    "Compatibility",
    "Condition",
    "ConditionError",
    "Context",
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
    "from_numpy",
    "from_pandas",
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
    "version",
]
