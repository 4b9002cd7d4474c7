"""The order of the modules of the package: what each may import, and that no import leads back to where it began."""

from __future__ import annotations

import ast
import unittest
from pathlib import Path
from typing import Dict, Set

import support  # noqa: F401

import tiledb_rs

SOURCE = Path(tiledb_rs.__file__).parent
# Each imports from itself and from those before it. Public modules are those of engines and formats.
LAYERS = ("_native", "_model", "_arrow", "_arrays", "_engines", "public")
PUBLIC = {"convert", "dask", "dataset", "duckdb", "polars", "ray", "spark", "staging", "xarray"}


def name_of(path: Path) -> str:
    """The dotted name of a module within the package; empty for the package itself."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> int:
    first = module.split(".")[0]
    return LAYERS.index(first if first in LAYERS else "public")


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports_of(path: Path, modules: Set[str]) -> Set[str]:
    """The modules of the package that a file imports when it is run, also within functions."""
    module, found = name_of(path), set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]

    def visit(node: ast.AST) -> None:
        if is_for_types(node):
            for other in node.orelse:
                visit(other)
            return
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package.split(".") if package else []
            above = above[: len(above) - (node.level - 1)]
            target = ".".join([*above, *([node.module] if node.module else [])])
            for name in node.names:
                inner = f"{target}.{name.name}".lstrip(".")
                found.add(inner if inner in modules else target)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return {one for one in found if one and one != module}


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        files = sorted(SOURCE.rglob("*.py"))
        names = {name_of(path) for path in files}
        cls.imports: Dict[str, Set[str]] = {name_of(path): imports_of(path, names) for path in files}

    def test_imports_are_found(self) -> None:
        self.assertIn("_native.library", self.imports["_native.context"])
        self.assertIn("_model.datatypes", self.imports["_arrow.decode"])
        # Within a function.
        self.assertIn("_arrow.pandas_io", self.imports["_arrays.result"])

    def test_modules_import_from_their_layer_and_those_below(self) -> None:
        for module, imports in self.imports.items():
            if module in ("", "__main__"):
                continue
            for target in imports:
                self.assertLessEqual(layer_of(target), layer_of(module), f"{module} imports {target}")

    def test_public_modules_are_those_that_are_documented(self) -> None:
        public = {module.split(".")[0] for module in self.imports if module and not module.startswith("_")}
        self.assertEqual(public, PUBLIC)
        private = {module for module in self.imports if module.startswith("convert.")}
        self.assertEqual([one for one in private if not one.startswith("convert._")], [])
        self.assertEqual([name for name in dir(tiledb_rs) if name.startswith("_") and name != "__version__"], [])

    def test_imports_have_no_cycles(self) -> None:
        done: Set[str] = set()
        path: list = []

        def visit(module: str) -> None:
            if module in path:
                self.fail("a circle of imports: " + " -> ".join([*path[path.index(module) :], module]))
            if module in done:
                return
            path.append(module)
            for target in sorted(self.imports.get(module, ())):
                visit(target)
            path.pop()
            done.add(module)

        for module in sorted(self.imports):
            # The package imports its modules on demand.
            if module:
                visit(module)

    def test_public_classes_are_called_by_their_public_names(self) -> None:
        for name in tiledb_rs.__all__:
            one = getattr(tiledb_rs, name)
            if isinstance(one, type):
                self.assertEqual(one.__module__, "tiledb_rs", name)


if __name__ == "__main__":
    unittest.main()
