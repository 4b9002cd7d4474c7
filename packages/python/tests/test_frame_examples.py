"""The examples of docs/frames.md and docs/coming_from.md run, and the code of these pages stands in them."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from support import PACKAGE, ROOT, LibraryTest

import tiledb_rs

PAGES = ["docs/frames.md", "docs/coming_from.md"]
EXAMPLES = PACKAGE / "examples"
# What an example prints, or a part of it.
PRINTED = {
    "duckdb_scan": ["origin in JFK; hour in", "[('AA', 11.0), ('B6', 33.0)]", "[(3,)]", "3"],
    "polars_scan": ["count >= 3", "│ b       ┆ 0.5  │", "5"],
    "dataset_scan": ["kind == 'b'", "{'value': [1.5]}"],
    "xarray_netcdf": ["46.0", "'time': 62"],
    "coming_from": ["450450 0.5 0", "[[4., 5.]]", "2.0", "(10,) 0.0", "Oslo", "2"],
}


def lines(code: str):
    return [line.strip() for line in code.splitlines() if line.strip()]


@unittest.skipUnless((ROOT / "docs" / "frames.md").is_file(), "the documentation is not here")
class Pages(unittest.TestCase):
    def test_code_stands_in_examples(self):
        for page in PAGES:
            text = (ROOT / page).read_text()
            programs = [lines((ROOT / link).read_text()) for link in re.findall(r"\(\.\./(packages/python/examples/\w+\.py)\)", text)]
            self.assertTrue(programs, page)
            blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
            self.assertGreater(len(blocks), 4, page)
            for block in blocks:
                wanted = lines(block)
                self.assertTrue(any(wanted == program[at : at + len(wanted)] for program in programs for at in range(len(program))), f"{page}: no example has\n{block}")

    def test_every_example_is_linked(self):
        text = "".join((ROOT / page).read_text() for page in PAGES)
        for name in PRINTED:
            self.assertIn(f"packages/python/examples/{name}.py", text)


class Examples(LibraryTest):
    def test_run(self):
        for name, printed in PRINTED.items():
            program = EXAMPLES / f"{name}.py"
            missing = [one for one in re.findall(r"^import (\w+)", program.read_text(), re.MULTILINE) if importlib.util.find_spec(one) is None]
            with self.subTest(name=name):
                if missing:
                    self.skipTest(f"{', '.join(missing)} is not installed")
                folder = self.folder / name
                folder.mkdir()
                path = os.pathsep.join([str(Path(tiledb_rs.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
                run = subprocess.run(
                    [sys.executable, str(program)], cwd=folder, env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}, capture_output=True, text=True
                )
                self.assertEqual(run.returncode, 0, run.stderr)
                for one in printed:
                    self.assertTrue(any(part in run.stdout for part in one.split("|")), f"{one!r} is not in\n{run.stdout}")


if __name__ == "__main__":
    unittest.main()
