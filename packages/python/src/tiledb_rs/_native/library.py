"""Where the shared library and the C headers of the package are, and how to load the library."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Optional

_PACKAGE = Path(__file__).resolve().parents[1]
# A library to load instead of that of the package: a build of one's own.
OVERRIDE = "TILEDB_RS_LIBRARY"
_loaded: Optional[SimpleNamespace] = None
_lock = threading.Lock()


def library() -> Path:
    """The shared library, which has all functions of libtiledb 2.30: that of ``TILEDB_RS_LIBRARY``, or that of the package.

    Returns:
        The path.

    Raises:
        ImportError: if the package contains none, as in the source tree.

    Examples:
        >>> library().exists()
        True
    """
    override = os.environ.get(OVERRIDE)
    if override:
        return Path(override)
    found = next((_PACKAGE / "lib").glob("*tiledb.*"), None)
    if found is None:
        raise ImportError(f"the package in {_PACKAGE} contains no library: install the wheel, or set {OVERRIDE} to the path of a libtiledb_rs")
    return found


def include() -> Path:
    """The folder to compile C and C++ programs with: ``#include <tiledb/tiledb.h>``.

    Returns:
        The folder.

    Examples:
        >>> include().name
        'include'
    """
    return _PACKAGE / "include"


def load() -> ctypes.CDLL:
    """The library for ctypes; functions have no argument types yet.

    Returns:
        The library, whose functions have no argument types.

    Examples:
        >>> load().tiledb_version is not None
        True
    """
    return ctypes.CDLL(str(library()))


def functions() -> SimpleNamespace:
    """The declared functions of the library, which is loaded on the first call."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                from .prototypes import declare

                _loaded = declare(load())
    return _loaded
