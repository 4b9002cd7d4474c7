"""Dimension labels as coordinates of xarray: an array that the example of the C interface writes, with its two labels."""

from __future__ import annotations

import shutil
import subprocess
import unittest
from pathlib import Path

from support import ROOT, LibraryTest, needs

from tiledb_rs import library


@needs("xarray", "numpy")
class Labels(LibraryTest):
    def test_coordinates(self):
        import tiledb_rs.xarray

        compiler = shutil.which("cc")
        source = ROOT / "examples-c" / "labels.c"
        if compiler is None or not source.is_file():
            self.skipTest("there is no C compiler")
        program = self.path("labels")
        subprocess.run([compiler, "-std=c11", str(source), "-o", program, f"-I{ROOT / 'include'}", str(library()), f"-Wl,-rpath,{self.folder}"], check=True)
        # The library under test, by the name that the program looks for.
        (self.folder / "libtiledb_rs.so.2.30").symlink_to(Path(str(library())).resolve())
        run = subprocess.run([program, self.path("array")], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        found = [file.parent for file in self.folder.rglob("__schema") if (file.parent / "__labels").exists()]
        dataset = tiledb_rs.xarray.open(str(found[0]))
        self.assertEqual(dataset["depth"].dims, ("row",))
        self.assertEqual(dataset["station"].dims, ("col",))
        self.assertEqual(dataset["station"].values.tolist(), sorted(dataset["station"].values.tolist()))
        dataset = dataset.swap_dims(row="depth", col="station")
        self.assertEqual(dataset.sel(station=dataset.station[1], depth=dataset.depth[2]).celsius.item(), dataset.celsius.values[2, 1])


if __name__ == "__main__":
    unittest.main()
