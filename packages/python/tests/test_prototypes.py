"""The declared types of functions, compared with the C headers."""

from __future__ import annotations

import ctypes
import re
import unittest
import unittest.mock

import support

from tiledb_rs._arrays import maintenance
from tiledb_rs._model import datatypes, filters, reports
from tiledb_rs._native import prototypes

HEADERS = support.ROOT / "include" / "tiledb"


def header_text() -> str:
    texts = [file.read_text(encoding="utf-8") for file in sorted(HEADERS.rglob("*.h"))]
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", "\n".join(texts), flags=re.DOTALL)


def code(parameter: str) -> str:
    """The code of a parameter as it stands in a header."""
    if "(*" in parameter or "callback" in parameter:
        return "p"
    if "*" in parameter:
        return "s" if re.fullmatch(r"\s*const char \*\s*\w+\s*", parameter) else "p"
    kind = parameter.strip().rsplit(" ", 1)[0].replace("const ", "").strip()
    return {"uint64_t": "Q", "size_t": "Q", "uint32_t": "I", "uint8_t": "B", "int32_t": "i", "int": "i"}.get(kind, "I")


def declared(text: str) -> dict:
    """The result and the arguments of each function in headers."""
    found = {}
    for match in re.finditer(r"TILEDB_EXPORT\s+([^;{]*?)\s*(?:TILEDB_NOEXCEPT)?\s*;", text):
        whole = re.sub(r"\s+", " ", match.group(1))
        parts = re.fullmatch(r"(.*?)\b(tiledb_\w+)\s*\((.*)\)", whole)
        if parts:
            result, name, arguments = parts.groups()
            # Commas in the type of a callback do not separate arguments.
            plain = re.sub(r"\(\*\w*\)\s*\([^()]*\)", "(*)", arguments)
            codes = "".join(code(one) for one in plain.split(",") if one.strip() != "void")
            found[name] = ({"void": "v", "uint64_t": "Q", "uint32_t": "I"}.get(result.strip(), "i"), codes)
    return found


class _Any:
    """A library that has every function."""

    def __getattr__(self, name):
        return unittest.mock.Mock()


@unittest.skipUnless(HEADERS.is_dir(), "the C headers are not here")
class Prototypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.text = header_text()

    def test_functions_have_the_types_of_the_headers(self):
        known = declared(self.text)
        self.assertGreater(len(known), 400)
        rows = [row.split() for row in prototypes.FUNCTIONS.strip().splitlines()]
        self.assertGreater(len(rows), 200)
        for name, result, *arguments in rows:
            with self.subTest(name=name):
                self.assertEqual(known[f"tiledb_{name}"], (result, arguments[0] if arguments else ""))

    def test_declared_functions_are_called(self):
        """Each row is used; a function without a row cannot be called."""
        files = [file for file in (support.PACKAGE / "src" / "tiledb_rs").rglob("*.py") if file.name != "prototypes.py"]
        source = "\n".join(file.read_text(encoding="utf-8") for file in files)
        # Names that are made of parts.
        made = re.compile(r"(array|group)_(\w+_metadata\w*|close)|\w+_free|channel_operator_\w+|array_schema_[gs]et_\w+_filter_list")
        for row in prototypes.FUNCTIONS.strip().splitlines():
            name = row.split()[0]
            with self.subTest(name=name):
                self.assertTrue(made.fullmatch(name) or re.search(rf"\b(tiledb_)?{name}\b", source))
        self.assertFalse(hasattr(prototypes.declare(_Any()), "tiledb_nothing"))

    def test_enumerations_have_the_numbers_of_the_headers(self):
        numbers = dict(re.findall(r"\b(TILEDB_\w+)\s*=\s*(\d+)", self.text))
        for datatype in datatypes.Datatype:
            self.assertEqual(int(numbers[f"TILEDB_{datatype.name}"]), datatype.value)
        aliases = {"DICTIONARY_ENCODING": "DICTIONARY"}
        for name, (number, _) in filters._FILTERS.items():
            self.assertEqual(int(numbers[f"TILEDB_FILTER_{aliases.get(name, name)}"]), number)
        for prefix, names in [
            ("FINDING", reports.KINDS),
            ("SEVERITY", reports.SEVERITIES),
            ("STEP", reports.STEPS),
            ("REASON", reports.REASONS),
        ]:
            for number, name in names.items():
                self.assertEqual(int(numbers[f"TILEDB_RS_{prefix}_{name.upper().replace(' ', '_')}"]), number)
        advised = {number: name for name, number in numbers.items() if name.startswith("TILEDB_RS_ADVISED_")}
        for number, name in reports.ADVISED.items():
            self.assertEqual(advised[str(number)], f"TILEDB_RS_ADVISED_{name.upper().replace(' ', '_')}")
        for name, number in maintenance.OBJECTIVES.items():
            self.assertEqual(int(numbers[f"TILEDB_RS_{name.upper()}"]), number)

    def test_structs_have_the_members_of_the_headers(self):
        kinds = {"uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "const char *": ctypes.c_char_p}
        for name in ["advice", "finding", "maintenance_step", "verified"]:
            body = re.search(rf"typedef struct \{{([^}}]*)\}} tiledb_rs_{name}_t;", self.text).group(1)
            members = [(member, kinds[kind.strip()]) for kind, member in re.findall(r"([\w ]+?[ *]+)(\w+);", body)]
            struct = {
                "advice": maintenance._Advice,
                "finding": maintenance._Finding,
                "maintenance_step": maintenance._Step,
                "verified": maintenance._Verified,
            }[name]
            self.assertEqual(struct._fields_, members)

    def test_traits_of_datatypes_are_those_of_their_names(self):
        self.assertEqual({one.name for one in datatypes.Datatype}, set(datatypes._TABLE))
        for one in datatypes.Datatype:
            self.assertEqual(datatypes._TABLE[one.name][0], one.value)


if __name__ == "__main__":
    unittest.main()
