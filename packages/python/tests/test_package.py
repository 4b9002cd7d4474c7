"""The package as it is imported: names on demand, what is listed, the library that is loaded, and how long the import takes."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import support
from support import needs

import tiledb_rs


def python(code: str, **variables: str) -> subprocess.CompletedProcess:
    """Runs code in another process."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**support.environment(), **variables}, check=False)


class Package(unittest.TestCase):
    def test_public_names_are_listed_and_internal_modules_are_not(self):
        names = dir(tiledb_rs)
        self.assertLessEqual(set(tiledb_rs.__all__), set(names))
        self.assertIn("duckdb", names)
        for internal in ("arrow_struct", "capsule", "encode", "prototypes", "schema_io", "writing"):
            self.assertNotIn(internal, names)
        for name in names:
            if name == "from_polars":
                continue
            if name not in ("convert", "dask", "dataset", "duckdb", "polars", "ray", "spark", "staging", "xarray"):
                self.assertIsNotNone(getattr(tiledb_rs, name), name)
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            tiledb_rs.nothing
        self.assertIs(tiledb_rs.Array, pickle.loads(pickle.dumps(tiledb_rs.Array)))

    def test_every_public_name_is_the_one_of_its_module(self):
        for name, module in tiledb_rs._MODULES.items():
            self.assertIn(name, tiledb_rs.__all__)
            if module == "polars" and importlib.util.find_spec("polars") is None:
                continue
            self.assertIs(getattr(tiledb_rs, name), getattr(sys.modules[f"tiledb_rs.{module}"], name))
        self.assertEqual(set(tiledb_rs.__all__), {*tiledb_rs._MODULES, "include", "library", "load"})

    @needs("duckdb", "pyarrow")
    def test_submodules_need_no_import_of_their_own(self):
        done = python("import tiledb_rs; print(tiledb_rs.duckdb.scan.__name__, tiledb_rs.convert.kind_of('a.csv'), callable(tiledb_rs.library))")
        self.assertEqual((done.stdout, done.stderr), ("scan csv True\n", ""))

    def test_import_loads_modules_on_demand(self):
        done = python("import sys, tiledb_rs; print(sorted(name for name in sys.modules if name.startswith('tiledb_rs.')))")
        self.assertEqual(done.stdout, "['tiledb_rs._native', 'tiledb_rs._native.library']\n")

    @needs("duckdb", "pyarrow")
    def test_import_of_duckdb_support_is_light(self):
        done = python("import sys, tiledb_rs.duckdb; print(sorted(name for name in sys.modules if name.partition('.')[0] in ('tiledb_rs', 'numpy', 'pyarrow', 'duckdb')))")
        self.assertEqual(done.stdout, "['tiledb_rs', 'tiledb_rs._native', 'tiledb_rs._native.errors', 'tiledb_rs._native.library', 'tiledb_rs.duckdb']\n")

    def test_library_of_the_environment_is_loaded_by_all_functions(self):
        done = python(
            "import tiledb_rs; print(tiledb_rs.library())\ntry: tiledb_rs.load()\nexcept OSError: print('not loaded')", TILEDB_RS_LIBRARY=os.path.join("none", "libtiledb.so")
        )
        self.assertEqual((done.stdout, done.stderr), (os.path.join("none", "libtiledb.so") + "\nnot loaded\n", ""))

    @unittest.skipIf(os.name == "nt", "the tool of the test is a script of a shell")
    def test_command_runs_the_tool_with_its_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "tool")
            with open(script, "w") as file:
                file.write('#!/bin/sh\necho "$@"\nexit 7\n')
            os.chmod(script, 0o755)
            program = "import sys; from tiledb_rs.__main__ import tool; sys.argv[1:] = ['ls', 'a b']; sys.exit(tool())"
            done = python(program, TILEDB_RS_TOOL=script)
            self.assertEqual((done.returncode, done.stdout), (7, "ls a b\n"), done.stderr)

    def test_package_without_library_says_what_to_install(self):
        from tiledb_rs._native.library import _PACKAGE

        if (_PACKAGE / "lib").exists():
            self.skipTest("the package contains a library")
        for call in ("library", "load", "Context"):
            done = python(f"import tiledb_rs; tiledb_rs.{call}()", TILEDB_RS_LIBRARY="")
            self.assertIn("ImportError: the package in", done.stderr.splitlines()[-1])
            self.assertIn("install the wheel, or set TILEDB_RS_LIBRARY", done.stderr.splitlines()[-1])

    @unittest.skipUnless(support.HAS_LIBRARY, "there is no library")
    def test_version_is_that_of_the_package_or_of_the_interface(self):
        self.assertRegex(tiledb_rs.__version__, r"^2\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
