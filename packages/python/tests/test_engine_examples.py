"""The recipes of docs/engines.md run, and its code stands in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import unittest

import support

RECIPES = {"Spark": "spark_recipe.py", "Ray Data": "ray_recipe.py", "Dask": "dask_recipe.py"}


def lines(code: str) -> list:
    return [line.strip() for line in code.splitlines() if line.strip()]


class Guide(unittest.TestCase):
    def test_its_code_stands_in_the_recipes(self):
        page = (support.ROOT / "docs" / "engines.md").read_text()
        count = 0
        for section in re.split(r"^(?=## )", page, flags=re.MULTILINE):
            programs = [lines((support.PACKAGE / "examples" / name).read_text()) for name in re.findall(r"packages/python/examples/(\w+\.py)", section)]
            for block in re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
                wanted = lines(textwrap.dedent(block))
                count += 1
                self.assertTrue(
                    any(program[start : start + len(wanted)] == wanted for program in programs for start in range(len(program))),
                    f"no recipe that is linked there has these lines:\n{block}",
                )
        self.assertGreaterEqual(count, 6)


class Recipes(support.LibraryTest):
    def run_recipe(self, name: str) -> None:
        environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([str(support.PACKAGE / "src"), os.environ.get("PYTHONPATH", "")]),
        }
        done = subprocess.run([sys.executable, str(support.PACKAGE / "examples" / name), self.path()], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    @support.needs("pyspark", "pandas", "pyarrow")
    def test_spark(self):
        self.run_recipe("spark_recipe.py")

    @support.needs("ray", "pandas", "pyarrow")
    def test_ray(self):
        self.run_recipe("ray_recipe.py")

    @support.needs("dask", "distributed", "pandas", "pyarrow")
    def test_dask(self):
        self.run_recipe("dask_recipe.py")


if __name__ == "__main__":
    unittest.main()
