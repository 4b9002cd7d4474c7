"""``python -m tiledb_rs``: puts the library under TileDB-Py, and back."""
import argparse
import sys
from pathlib import Path

from . import library
from .swap import Installed, SwapError


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tiledb_rs", description="Runs TileDB-Py on tiledb-rs.")
    parser.add_argument("--site", type=Path, help="the site-packages folder with TileDB-Py, instead of this Python's")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("swap", help="put this library in the place of TileDB-Py's own")
    commands.add_parser("restore", help="put TileDB-Py's own library back")
    commands.add_parser("status", help="say which library TileDB-Py uses")
    commands.add_parser("library", help="print where this library lies")
    wanted = parser.parse_args()
    if wanted.command == "library":
        print(library())
        return 0
    try:
        installed = Installed.find(wanted.site)
        if wanted.command == "swap":
            installed.swap(library())
        elif wanted.command == "restore":
            installed.restore()
        print(f"TileDB-Py in {installed.folder.parent} uses {installed.used(library())}")
    except SwapError as error:
        print(f"tiledb_rs: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
