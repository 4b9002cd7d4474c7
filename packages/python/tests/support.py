"""Common to the tests: the package and the library under test, optional packages, folders."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
if importlib.util.find_spec("tiledb_rs") is None:
    sys.path.insert(0, str(PACKAGE / "src"))

import tiledb_rs  # noqa: E402
from tiledb_rs._native.compiled import slices  # noqa: E402
from tiledb_rs._native.library import functions  # noqa: E402

try:
    functions()
    HAS_LIBRARY = True
except (ImportError, OSError):
    HAS_LIBRARY = False


def needs(*packages: str):
    """Skips a test or a class where a package is missing, and names it: a failure if REQUIRE_PACKAGES names it, too."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    required = [package for package in missing if package in os.environ.get("REQUIRE_PACKAGES", "").split()]
    if required:
        raise ImportError(f"the tests need {', '.join(required)}")
    return unittest.skipIf(missing, f"{', '.join(missing)} is not installed")


def needs_compiled(test):
    """Skips a test or a class without the compiled module: a failure if REQUIRE_PACKAGES names it as `compiled`."""
    missing = not HAS_LIBRARY or slices() is None
    if missing and "compiled" in os.environ.get("REQUIRE_PACKAGES", "").split():
        raise ImportError("the tests need the compiled module")
    return unittest.skipIf(missing, "there is no compiled module")(test)


@unittest.skipUnless(HAS_LIBRARY, "there is no library: install the wheel, or set TILEDB_RS_LIBRARY")
class LibraryTest(unittest.TestCase):
    """A test with a folder for its arrays."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name: str = "array") -> str:
        return str(self.folder / name)

    def sparse(self, name: str = "array", **options) -> "tiledb_rs.Array":
        """A sparse array with four cells."""
        schema = tiledb_rs.Schema(
            [tiledb_rs.Dimension("d", (1, 100), tile=10)],
            [
                tiledb_rs.Attribute("x", "INT32"),
                tiledb_rs.Attribute("s", str, nullable=True),
                tiledb_rs.Attribute("c", "INT8", nullable=True, enumeration=tiledb_rs.Enumeration("colors", ["red", "green", "blue"])),
            ],
            sparse=True,
            **options,
        )
        array = tiledb_rs.create(self.path(name), schema)
        array.write({"d": [1, 2, 3, 50], "x": [10, 20, 30, 500], "s": ["a", None, "ccc", ""], "c": ["red", "blue", None, "red"]})
        return array

    def dense(self, name: str = "array") -> "tiledb_rs.Array":
        """A dense array of 4 x 3 cells, which are 0 to 11."""
        dimensions = [tiledb_rs.Dimension("row", (0, 3), tile=2), tiledb_rs.Dimension("col", (0, 2), tile=2)]
        array = tiledb_rs.create(self.path(name), tiledb_rs.Schema(dimensions, [tiledb_rs.Attribute("v", "FLOAT64")]))
        array.write({"v": [float(number) for number in range(12)]})
        return array


def in_threads(count: int, function) -> None:
    """Calls a function in several threads, and waits for all of them."""
    threads = [threading.Thread(target=function) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def environment() -> dict:
    """The environment for other processes, which find the package."""
    source = str(Path(tiledb_rs.__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}
