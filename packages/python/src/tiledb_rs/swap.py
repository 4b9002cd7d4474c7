"""The exchange of the library in an installed TileDB-Py."""
from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

# What TileDB-Py's own library is called while another one has its place.
KEPT = ".tiledb-py"
# A function that only this library has.
MARK = b"tiledb_rs_live_handles"


class SwapError(Exception):
    """What stands in the way, and what to do."""


class Installed:
    """The library of an installed TileDB-Py.

    Its extension modules ask for the file by its name, which holds a hash, in a folder that they know, so that the new one
    takes the name of the old one.
    """

    def __init__(self, file: Path):
        self.file = file
        self.folder = file.parent
        self.kept = file.with_name(file.name + KEPT)

    @classmethod
    def find(cls, site: Path | None = None) -> Installed:
        """That of a site-packages folder, or of this Python."""
        if site is None:
            spec = importlib.util.find_spec("tiledb")
            if spec is None or spec.origin is None:
                raise SwapError("TileDB-Py is not installed in this Python: pip install tiledb==0.36.1")
            site = Path(spec.origin).parent.parent
        files = [file for file in site.glob("tiledb.libs/libtiledb-*.so.*") if not file.name.endswith((KEPT, ".new"))]
        if len(files) != 1:
            raise SwapError(
                f"{site} has {len(files)} libraries of TileDB-Py, and one was expected: "
                "install TileDB-Py from a wheel of PyPI"
            )
        return cls(files[0])

    def swap(self, library: Path) -> None:
        """Puts `library` in the place of TileDB-Py's own, which is kept."""
        wanted, version = (file.name.split(".so.", 1)[1] for file in (self.file, library))
        if wanted != version:
            raise SwapError(
                f"this TileDB-Py is made for libtiledb {wanted}, and the library stands in for {version}: "
                "install the tiledb-rs of that version"
            )
        if not is_ours(self.file):
            # What an earlier exchange kept is the library of an earlier TileDB-Py.
            replace(self.file, self.kept)
        replace(library, self.file)

    def restore(self) -> None:
        """Puts TileDB-Py's own library back."""
        if is_ours(self.file):
            if not self.kept.exists():
                raise SwapError(f"{self.kept} is gone: pip install --force-reinstall --no-deps tiledb")
            os.replace(self.kept, self.file)
        else:
            self.kept.unlink(missing_ok=True)

    def used(self, library: Path) -> str:
        """What TileDB-Py uses, in words."""
        if not is_ours(self.file):
            return "its own libtiledb"
        same = self.file.read_bytes() == library.read_bytes()
        return "this tiledb-rs" if same else "another tiledb-rs"


def replace(source: Path, target: Path) -> None:
    """Makes `target` a copy of `source`; programs that run keep the file that they have, and no one sees half of it."""
    new = target.with_name(target.name + ".new")
    try:
        shutil.copy2(source, new)
        os.replace(new, target)
    finally:
        new.unlink(missing_ok=True)


def is_ours(file: Path) -> bool:
    """Whether a file is this library, of whatever version."""
    return MARK in file.read_bytes()
