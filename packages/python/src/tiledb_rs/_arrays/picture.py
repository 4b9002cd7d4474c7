"""Pictures of arrays, drawn by the command-line tool ``tiledb-rs``."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple

from .._model.condition import condition_of
from .._native.context import config_text
from .._model.datatypes import Datatype, decode
from .._native.errors import TileDBError
from .query import OpenArray, Ranges, bounds_of

TOOL = "tiledb-rs"


class Picture:
    """An HTML page that shows an array; in a notebook it shows itself.

    Examples:
        >>> Picture("<html></html>").save("page.html")
    """

    __module__ = "tiledb_rs"

    def __init__(self, page: str):
        self.html = page

    def save(self, path: Any) -> None:
        """Writes the page to a file.

        Args:
            path: The file.

        Examples:
            >>> Picture("<html></html>").save("page.html")
        """
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # The page has scripts and styles of its own, which must not mix with those of the notebook.
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<tiledb_rs.Picture: {len(self.html)} characters of HTML>"


def find_tool(*, is_on_path: bool = True) -> str:
    """The executable: of ``TILEDB_RS_TOOL``, in the package, next to Python, or on PATH.

    Args:
        is_on_path: Whether to look next to Python and on PATH, too, where the command of the wheel is that calls this.

    Raises:
        FileNotFoundError: if it is not installed.
    """
    name = TOOL + (".exe" if os.name == "nt" else "")
    places = [
        os.environ.get("TILEDB_RS_TOOL"),
        Path(__file__).parents[1] / "bin" / name,
        *((Path(sys.executable).parent / name, shutil.which(TOOL)) if is_on_path else ()),
    ]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(place)
    raise FileNotFoundError(
        f"pictures are drawn by the command-line tool {TOOL}, which is neither in the package nor on PATH: install the wheel, or set TILEDB_RS_TOOL to its path"
    )


def make_picture(
    source: OpenArray,
    window: Tuple[Optional[int], Optional[int]],
    path: Any,
    ranges: Optional[Ranges],
    where: Any,
    fields: Optional[Sequence[str]],
) -> Picture:
    """Runs the tool."""
    tool = find_tool()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "picture.html")
        arguments = [tool, "picture", "--output", str(output)]
        for flag, moment in zip(("--from", "--to"), window):
            if moment is not None:
                arguments += [flag, f"{moment}ms"]
        config = source.ctx.config
        if config:
            # In a file, since other users can see the arguments of a process.
            file = Path(folder, "config")
            with open(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as out:
                out.writelines(f"{name} {config_text(value)}\n" for name, value in config.items())
            arguments += ["--config", str(file)]
        arguments += _ranges(source, ranges)
        condition = condition_of(where, source)
        if condition is not None:
            arguments += ["--where", condition.text(source.schema)]
        if fields:
            arguments += ["--fields", ",".join(fields)]
        done = subprocess.run([*arguments, "--", source.uri], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise TileDBError((done.stderr or done.stdout).strip() or f"{TOOL} failed", "picture")
        picture = Picture(output.read_text(encoding="utf-8"))
    if path is not None:
        picture.save(path)
    return picture


def _ranges(source: OpenArray, ranges: Optional[Ranges]) -> List[str]:
    found = []
    for index, members in bounds_of(source.schema, ranges).items():
        dimension = source.schema.dimensions[index]
        for low, high in members:
            bounds = [_plain(decode(Datatype.of(dimension.dtype), bound)) for bound in (low, high)]
            found += ["--range", f"{dimension.name}={bounds[0]}:{bounds[1]}"]
    return found


def _plain(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
