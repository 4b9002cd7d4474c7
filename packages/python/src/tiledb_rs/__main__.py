"""``python -m tiledb_rs``: puts the library under TileDB-Py and other packages, and back."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from pathlib import Path

from ._native.library import library
from ._native.swap import CLIENTS, Installed, SwapError


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tiledb_rs", description="Runs TileDB-Py and packages like it on tiledb-rs.")
    parser.add_argument("--site", type=Path, help="the site-packages folder to look in, instead of this Python's")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does in [
        ("swap", "put this library in the place of a package's own"),
        ("restore", "put the package's own library back"),
        ("status", "say which library a package uses"),
    ]:
        command = commands.add_parser(name, help=does)
        command.add_argument("package", nargs="*", help=f"{', '.join(CLIENTS)}; all that are installed if none is named")
    commands.add_parser("library", help="print where this library lies")
    wanted = parser.parse_args()
    if wanted.command == "library":
        print(library())
        return 0
    try:
        for installed in chosen(wanted.package, wanted.site):
            if wanted.command == "swap":
                installed.swap(library())
            elif wanted.command == "restore":
                installed.restore()
            print(f"{installed.title} in {installed.site} uses {installed.used(library())}")
    except SwapError as error:
        print(f"tiledb_rs: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"tiledb_rs: {reason(error)}", file=sys.stderr)
        return 1
    return 0


def tool() -> int:
    """The command ``tiledb-rs``: the command-line tool that is part of the wheel, in place of this process where the system can."""
    from ._arrays.picture import TOOL, find_tool

    # The command itself is on PATH.
    path = find_tool(is_on_path=False)
    if os.name != "nt":
        os.execv(path, [TOOL, *sys.argv[1:]])
    import subprocess

    return subprocess.call([path, *sys.argv[1:]])


def reason(error: OSError) -> str:
    """What the system refused, and what to do."""
    text = f"{error.filename}: {error.strerror}"
    if isinstance(error, PermissionError) and os.name == "nt":
        # Windows keeps a library that a program has loaded.
        return f"{text}; end the programs that use it, or run the command as the user who installed the packages"
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return f"{text}; run the command as the user who installed the packages, or in an environment of your own (python -m venv)"
    return text


def chosen(packages: list[str], site: Path | None) -> list[Installed]:
    """The packages that are named; or those that are installed and fit, while the others are reported."""
    for package in packages:
        if package not in CLIENTS:
            raise SwapError(f"{package} is none of the packages that carry a libtiledb: {', '.join(CLIENTS)}")
    if packages:
        return [Installed.find(package, site) for package in packages]
    found = []
    for package in CLIENTS:
        try:
            installed = Installed.find(package, site)
        except SwapError:
            continue
        try:
            installed.fits(library())
            found.append(installed)
        except SwapError as error:
            print(f"tiledb_rs: {error}", file=sys.stderr)
    if not found:
        raise SwapError(f"none of {', '.join(CLIENTS)} that fits is installed here: pip install tiledb==0.36.1")
    return found


if __name__ == "__main__":
    sys.exit(main())
