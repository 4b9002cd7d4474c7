"""The exchange of the library in installed packages that carry a libtiledb of their own."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from .formats import least_length, signed

# Packages by the name that pip knows, each with what it is called and the folders of site-packages in which its library lies, on
# one system or another. The wheels of TileDB-Py 0.31 to 0.34 have it beside the extension modules.
CLIENTS = {
    "tiledb": ("TileDB-Py", ("tiledb.libs", "tiledb/.dylibs", "tiledb")),
    "tiledbsoma": ("TileDB-SOMA", ("tiledbsoma.libs", "tiledbsoma/.dylibs", "tiledbsoma")),
    "tiledb-vector-search": ("TileDB-Vector-Search", ("tiledb/vector_search/lib*",)),
}
# Packages that refuse to load with a library that reports another version than their own.
COMPARES_VERSION = {"tiledbsoma"}
# What a package's own library is called while another one has its place.
KEPT = ".tiledb-py"
# The first release of libtiledb whose clients run on this library.
OLDEST = (2, 18)
# A function that only this library has, and one of every libtiledb.
MARK = b"tiledb_rs_live_handles"
ANY = b"tiledb_ctx_alloc"
# What precedes the version that this library reports: three numbers of 32 bits, as in src/capi/reported_version.rs.
REPORTED = b"tiledb_rs: the reported version\0"
# Prints the version that a library reports.
ASK = """
import ctypes, sys
numbers = [ctypes.c_int() for _ in range(3)]
ctypes.CDLL(sys.argv[1]).tiledb_version(*map(ctypes.byref, numbers))
print(*(number.value for number in numbers))
"""
# The names of libraries on Linux, macOS and Windows; other files beside them, such as copies of a user, are none. Tools that repair
# wheels put a hash into some.
LIBRARY = re.compile(r"libtiledb(-[0-9a-f]+)?\.so(\.[0-9]+)+|libtiledb\.dylib|tiledb(-[0-9a-f]+)?\.dll")


class SwapError(Exception):
    """What stands in the way, and what to do."""


class Installed:
    """The library of an installed package; some have it more than once.

    Extension modules ask for the file by its name, in a folder that they know, so that the new one takes the name of the old
    one.
    """

    def __init__(self, package: str, site: Path):
        self.package = package
        self.site = site
        self.title, folders = CLIENTS[package]
        files = (file for folder in folders for file in site.glob(f"{folder}/*tiledb*"))
        self.files = sorted(file for file in files if LIBRARY.fullmatch(file.name))

    @classmethod
    def find(cls, package: str, site: Path | None = None) -> Installed:
        """That of a site-packages folder, or of this Python."""
        try:
            site = site or Path(str(importlib.metadata.distribution(package).locate_file("")))
        except importlib.metadata.PackageNotFoundError:
            raise SwapError(f"{package} is not installed in this Python: pip install {package}") from None
        found = cls(package, site)
        if not found.files:
            raise SwapError(f"{site} has no library of {found.title}: install {package} from a wheel of PyPI")
        return found

    def fits(self, library: Path) -> None:
        """Refuses a package that is made for a release of libtiledb that the library does not replace."""
        version = replaced_by(library)
        for file in self.files:
            wanted = self.release(file)
            if not OLDEST <= wanted <= version:
                raise SwapError(
                    f"this {self.title} is made for libtiledb {text(wanted)}, and the library replaces {text(OLDEST)} to {text(version)}: install a tiledb-rs that covers it"
                )

    def swap(self, library: Path) -> None:
        """Puts `library` in the place of the package's own, which is kept."""
        self.fits(library)
        for file in self.files:
            if is_original(file):
                # What an earlier exchange kept is the library of an earlier release of the package.
                replace(file, kept(file))
            elif not is_ours(file) and not kept(file).exists():
                raise SwapError(f"{file} is damaged: {self.reinstall()}")
            replace(library, file, self.version(file))

    def version(self, file: Path) -> tuple[int, int, int] | None:
        """The version that the library has to report in the place of a file whose original is kept, if the package compares it."""
        if self.package not in COMPARES_VERSION or not kept(file).exists():
            return None
        version = reported_by(kept(file))
        named = release(file.name)
        return version if version and named in (None, version[:2]) else None

    def release(self, file: Path) -> tuple[int, int]:
        """The release of libtiledb that the package is made for: on Linux the name of its library has it."""
        named = release(file.name)
        if named:
            return named
        own = kept(file) if not is_original(file) and kept(file).exists() else file
        version = reported_by(own)
        if not version:
            raise SwapError(f"{own} cannot be loaded by {sys.executable}, so that its release is unknown: {self.reinstall()}")
        return version[:2]

    def restore(self) -> None:
        """Puts the package's own library back."""
        for file in self.files:
            if is_original(file):
                kept(file).unlink(missing_ok=True)
            elif kept(file).exists():
                # In the place of this library, or of what is left of a damaged one.
                os.replace(kept(file), file)
            elif is_ours(file):
                raise SwapError(f"{kept(file)} is gone: {self.reinstall()}")
            else:
                raise SwapError(f"{file} is damaged: {self.reinstall()}")

    def reinstall(self) -> str:
        """The command that brings the package's own library back."""
        return f"pip install --force-reinstall --no-deps {self.package}"

    def used(self, library: Path) -> str:
        """What the package uses, in words."""
        if not all(is_ours(file) for file in self.files):
            whole = all(is_ours(file) or is_original(file) for file in self.files)
            return "its own libtiledb" if whole else f"a damaged library: {self.reinstall()}"
        content = library.read_bytes()
        same = all(file.read_bytes() == reporting(content, self.version(file)) for file in self.files)
        return "this tiledb-rs" if same else "another tiledb-rs"


def release(name: str) -> tuple[int, int] | None:
    """The release that the name of a library ends with: (2, 30) for `libtiledb.so.2.30`; None on other systems than Linux."""
    numbers = name.rpartition(".so.")[2].split(".")
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers[:2]):
        return None
    return int(numbers[0]), int(numbers[1])


def replaced_by(library: Path) -> tuple[int, int]:
    """The newest release that this library replaces: that of the version which it reports."""
    _, mark, rest = library.read_bytes().partition(REPORTED)
    if not mark or len(rest) < 12:
        raise SwapError(f"{library} is damaged: pip install --force-reinstall --no-deps tiledb-rs")
    return struct.unpack_from("<ii", rest)


def text(version: tuple[int, int]) -> str:
    """A release as it is written: `2.30`."""
    return ".".join(map(str, version))


def kept(file: Path) -> Path:
    """Where the package's own library is kept."""
    return file.with_name(file.name + KEPT)


def replace(source: Path, target: Path, version: tuple[int, int, int] | None = None) -> None:
    """Makes `target` a copy of `source`, which reports `version` if there is one; programs that run keep the file that they have, and
    no one sees half of it."""
    new = target.with_name(target.name + ".new")
    try:
        # Not through a link that someone left there.
        new.unlink(missing_ok=True)
        shutil.copy2(source, new)
        if version:
            new.write_bytes(reporting(source.read_bytes(), version))
        os.replace(new, target)
    finally:
        new.unlink(missing_ok=True)


def reported_by(library: Path) -> tuple[int, int, int] | None:
    """The version that a library reports, in a process of its own; None if it cannot be loaded here."""
    command = [sys.executable, "-c", ASK, str(library)]
    try:
        found = subprocess.run(command, capture_output=True, timeout=60, check=True).stdout.split()
        major, minor, revision = map(int, found)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return major, minor, revision


def reporting(content: bytes, version: tuple[int, int, int] | None) -> bytes:
    """The content of a library that reports a version."""
    parts = content.split(REPORTED)
    if version is None or len(parts) != 2 or len(parts[1]) < 12:
        return content
    return signed(parts[0] + REPORTED + struct.pack("<iii", *version) + parts[1][12:])


def is_ours(file: Path) -> bool:
    """Whether a file is this library, of whatever version."""
    return MARK in file.read_bytes()


def is_original(file: Path) -> bool:
    """Whether a file is another libtiledb, and complete: not what a full disk or a broken download left of one."""
    content = file.read_bytes()
    return ANY in content and MARK not in content and len(content) >= least_length(content)
