"""The TileDB storage engine in Rust: where its library and headers lie, and how to load it."""
import ctypes
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def library() -> Path:
    """The shared library, which has all functions of libtiledb 2.30."""
    return next((_PACKAGE / "lib").glob("*tiledb.*"))


def include() -> Path:
    """The folder to compile C and C++ programs with: ``#include <tiledb/tiledb.h>``."""
    return _PACKAGE / "include"


def load() -> ctypes.CDLL:
    """The library for ctypes; functions have no argument types yet."""
    return ctypes.CDLL(str(library()))
