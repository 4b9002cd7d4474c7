"""The reference of the public names: arguments, results, errors and an example for each, and the examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import re
import unittest
from typing import Any, Dict, Iterator, List, Tuple

import support

import tiledb_rs

# Modules that need packages which the tests may not have are read where they can be imported.
MODULES = ("convert", "dataset", "duckdb", "polars", "xarray")


def members(owner: type) -> Iterator[Tuple[str, Any, bool]]:
    """The public methods and properties of a class, and whether each is a property."""
    for cls in owner.__mro__:
        if cls.__module__.partition(".")[0] != "tiledb_rs":
            continue
        for name, one in vars(cls).items():
            function = one.fget if isinstance(one, property) else one.__func__ if isinstance(one, (classmethod, staticmethod)) else one
            if not name.startswith("_") and inspect.isfunction(function):
                yield name, function, isinstance(one, property)


def public_names() -> Dict[str, Tuple[Any, bool]]:
    """What is public by its name, and whether it is a property; each object once."""
    found: Dict[str, Tuple[Any, bool]] = {}
    seen: List[int] = []

    def add(name: str, one: Any, is_property: bool = False) -> None:
        if id(one) not in seen and callable(one):
            seen.append(id(one))
            found[name] = (one, is_property)

    spaces = [("", tiledb_rs)]
    for name in MODULES:
        try:
            spaces.append((name + ".", importlib.import_module(f"tiledb_rs.{name}")))
        except ImportError:
            continue
    for prefix, space in spaces:
        for name in space.__all__:
            one = getattr(space, name)
            if not (inspect.isfunction(one) or inspect.isclass(one)) or one.__module__.partition(".")[0] != "tiledb_rs":
                continue
            add(prefix + name, one)
            if inspect.isclass(one):
                for member, function, is_property in members(one):
                    add(f"{prefix}{name}.{member}", function, is_property)
    return found


def missing(one: Any, is_property: bool) -> List[str]:
    """What a docstring lacks."""
    text = inspect.getdoc(one) or ""
    if not text:
        return ["text"]
    if is_property:
        return []
    lacks = []
    if inspect.isfunction(one):
        signature = inspect.signature(one)
        for name in signature.parameters:
            if name not in ("self", "cls") and not re.search(rf"(?m)^    (\w+, )*\*?\*?{name}(, \w+)*: ", text):
                lacks.append(f"argument {name}")
        if signature.return_annotation not in ("None", None, inspect.Signature.empty) and not re.search(r"(?m)^(Returns|Yields):$", text):
            lacks.append("Returns")
    if ">>>" not in text:
        lacks.append("example")
    return lacks


class Docstrings(support.LibraryTest):
    maxDiff = None

    def test_public_names_have_arguments_results_and_examples(self) -> None:
        lacking = {name: missing(*one) for name, one in public_names().items()}
        self.assertEqual({name: lacks for name, lacks in lacking.items() if lacks}, {}, "complete these docstrings")

    @support.needs("numpy", "pyarrow")
    def test_examples_run(self) -> None:
        folder = os.getcwd()
        self.addCleanup(os.chdir, folder)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        finder = doctest.DocTestFinder(recurse=False)
        for number, (name, (one, _)) in enumerate(public_names().items()):
            place = self.folder / str(number)
            place.mkdir()
            os.chdir(place)
            # The array of the examples.
            array = tiledb_rs.create(
                "readings",
                tiledb_rs.Schema([tiledb_rs.Dimension("time", (0, 99), tile=10)], [tiledb_rs.Attribute("value", "FLOAT64")], sparse=True),
            )
            array.write({"time": [1, 2, 5], "value": [0.5, 1.5, 2.5]})
            space = {**{public: getattr(tiledb_rs, public) for public in tiledb_rs.__all__}, "tiledb_rs": tiledb_rs, "array": array}
            for example in finder.find(one, name, module=False, globs=space):
                if example.examples:
                    output: List[str] = []
                    runner.run(example, out=output.append)
                    with self.subTest(name):
                        self.assertEqual("".join(output), "")


if __name__ == "__main__":
    unittest.main()
