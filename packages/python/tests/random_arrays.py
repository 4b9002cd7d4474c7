"""Random arrays: schemas, cells and conditions, with a model in Python of what a read returns."""

from __future__ import annotations

import random
from typing import Any, Dict, List, Optional, Tuple

import support  # noqa: F401

from tiledb_rs import Attribute, Datatype, Dimension, Enumeration, Schema
from tiledb_rs._model.schema_io import default_fill
from tiledb_rs._model.datatypes import decode

INTEGERS = ["INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"]
MOMENTS = [one.name for one in Datatype if one.kind in ("datetime", "time")]
TEXTS = ["STRING_ASCII", "STRING_UTF8"]
BYTES = ["BLOB", "CHAR"]
DIMENSIONS = ["INT8", "INT32", "INT64", "UINT8", "UINT64", "DATETIME_DAY", "DATETIME_NS"]
# Datatypes that TileDB-Py cannot read.
OTHERS = ["STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4", "ANY", "GEOM_WKB", "GEOM_WKT"]
LETTERS = "abcxyz"


def limits(datatype: Datatype) -> Tuple[int, int]:
    bits = 8 * datatype.size
    return (0, (1 << bits) - 1) if datatype.code.isupper() else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


class RandomArray:
    """A schema, and fragments with cells as lists by field."""

    def __init__(self, seed: int, others: bool = False):
        self.random = random.Random(seed)
        self.others = others
        self.sparse = self.random.random() < 0.55
        self.schema = self._schema()

    def _schema(self) -> Schema:
        count = self.random.randint(1, 3)
        # The dimensions of a dense array have one datatype.
        kind = Datatype[self.random.choice(DIMENSIONS)]
        dimensions = [self._dimension(f"d{at}", self._kind() if self.sparse else kind) for at in range(count)]
        attributes = [self._attribute(f"a{at}") for at in range(self.random.randint(1, 4))]
        return Schema(
            dimensions,
            attributes,
            sparse=self.sparse,
            capacity=self.random.choice([1, 2, 5, 100]),
            cell_order=self.random.choice(["row-major", "col-major"]),
            tile_order=self.random.choice(["row-major", "col-major"]),
            allows_duplicates=self.sparse and self.random.random() < 0.4,
        )

    def _kind(self) -> Datatype:
        return Datatype[self.random.choice([*DIMENSIONS, "FLOAT64", "STRING_ASCII", "FLOAT32"])]

    def _dimension(self, name: str, kind: Datatype) -> Dimension:
        if kind == Datatype.STRING_ASCII:
            return Dimension(name, dtype=kind)
        if kind.kind == "float":
            return Dimension(name, (-100.0, 100.0), 10.0, kind)
        size = self.random.randint(2, 8)
        low = self.random.choice([0, 1, 5] + ([-3] if kind.code.islower() else []))
        return Dimension(name, (low, low + size - 1), self.random.randint(1, size), kind, self.random.choice(["", "ZSTD(1)", "DOUBLE_DELTA"]))

    def _attribute(self, name: str) -> Attribute:
        kinds = INTEGERS + ["FLOAT32", "FLOAT64", "BOOL"] + MOMENTS[:6] + self.random.sample(MOMENTS, 4) + TEXTS * 3 + BYTES * 2
        kind = Datatype[self.random.choice(kinds + (OTHERS * 3 if self.others else []))]
        nullable = self.random.random() < 0.4
        if self.random.random() < 0.15:
            values = self.random.choice([["red", "green", "blue"], [10, 20, 30], [1.5, 2.5]])
            enumeration = Enumeration(f"{name}_values", values, ordered=self.random.random() < 0.5)
            return Attribute(name, self.random.choice(["INT8", "UINT16", "INT64"]), nullable, enumeration=enumeration)
        if kind.is_string:
            if kind == Datatype.CHAR and self.random.random() < 0.6:
                return Attribute(name, kind, nullable, False, self.random.randint(1, 4))
            return Attribute(name, kind, nullable, filters=self.random.choice(["", "ZSTD(2)", "GZIP"]))
        several = self.random.random()
        if several < 0.12 and kind.kind == "int":
            return Attribute(name, kind, nullable, True)
        if several < 0.24 and kind.kind == "int":
            return Attribute(name, kind, nullable, False, self.random.randint(2, 3))
        return Attribute(name, kind, nullable, filters=self.random.choice(["", "BYTESHUFFLE, ZSTD(3)", "LZ4", "BITSHUFFLE"]))

    def value(self, datatype: Datatype) -> Any:
        """A value as a number, a str or bytes."""
        if datatype.is_text:
            letters = LETTERS + ("äß€" if datatype != Datatype.STRING_ASCII else "")
            return "".join(self.random.choice(letters) for _ in range(self.random.choice([0, 1, 1, 2, 5])))
        if datatype.kind == "bytes":
            return bytes(self.random.choice(b"ab\0\xff") for _ in range(self.random.randint(0, 4)))
        if datatype.kind == "float":
            return self.random.choice([0.0, 1.5, -2.25, 1e3, float("inf"), float(self.random.randint(-5, 5))])
        if datatype.kind == "bool":
            return self.random.random() < 0.5
        low, high = limits(datatype)
        if self.random.random() < 0.1 and datatype.kind == "int":
            return self.random.choice([low, high])
        return self.random.randint(0 if low == 0 else -5, 5) if datatype.kind == "int" else self.random.randint(-1000, 1000)

    def cell(self, attribute: Attribute) -> Any:
        if attribute.nullable and self.random.random() < 0.3:
            return None
        if attribute.enumeration:
            return self.random.choice(self.schema.enumeration(attribute.enumeration).values)
        if attribute.dtype.is_string and not attribute.var:
            return bytes(self.random.choice(b"abc") for _ in range(attribute.values))
        if attribute.dtype.is_string:
            return self.value(attribute.dtype)
        if attribute.var:
            return [self.value(attribute.dtype) for _ in range(self.random.randint(1, 3))]
        if attribute.values > 1:
            return [self.value(attribute.dtype) for _ in range(attribute.values)]
        return self.value(attribute.dtype)

    def coordinate(self, dimension: Dimension) -> Any:
        if dimension.dtype.is_string:
            return "".join(self.random.choice("abc") for _ in range(self.random.randint(1, 3)))
        if dimension.dtype.kind == "float":
            return float(self.random.randint(-8, 8))
        low, high = self.bounds(dimension)
        return self.random.randint(low, high)

    def bounds(self, dimension: Dimension) -> Tuple[int, int]:
        """The domain as numbers."""
        from tiledb_rs._model.values import number_of

        low, high = (number_of(dimension.dtype, bound) for bound in dimension.domain)
        return low, high

    def fragment(self) -> Tuple[Dict[str, List[Any]], Optional[Dict[str, Tuple[int, int]]]]:
        """Columns of a fragment, and its region if the array is dense."""
        if self.sparse:
            wanted = self.random.randint(1, 30)
            coordinates = [tuple(self.coordinate(one) for one in self.schema.dimensions) for _ in range(wanted)]
            if not self.schema.allows_duplicates:
                coordinates = list(dict.fromkeys(coordinates))
            columns = {one.name: [row[at] for row in coordinates] for at, one in enumerate(self.schema.dimensions)}
            count, region = len(coordinates), None
        else:
            region, count, columns = {}, 1, {}
            for one in self.schema.dimensions:
                low, high = self.bounds(one)
                first = self.random.randint(low, high)
                region[one.name] = (first, self.random.randint(first, high))
                count *= region[one.name][1] - first + 1
        columns.update({one.name: [self.cell(one) for _ in range(count)] for one in self.schema.attributes})
        return columns, region

    def ranges(self) -> Dict[str, List[Tuple[Any, Any]]]:
        """Ranges of some dimensions; each does not overlap the others, in ascending order."""
        found = {}
        for one in self.schema.dimensions:
            if self.random.random() < 0.3:
                continue
            ends = sorted({self.coordinate(one) for _ in range(4)})
            pairs = list(zip(ends[::2], ends[1::2])) or [(ends[0], ends[0])]
            found[one.name] = pairs if self.random.random() < 0.5 else pairs[:1]
        return found

    def comparison(self) -> Tuple[str, str, Any]:
        """A field, an operator and a value; of a field with one value per cell."""
        fields = [one for one in self.schema.attributes if one.values == 1 and (one.dtype.is_text or not one.var)]
        fields += [one for one in self.schema.dimensions if self.sparse]
        if not fields:
            return "", "", None
        field = self.random.choice(fields)
        operators = ["<", "<=", ">", ">=", "==", "!="]
        enumeration = getattr(field, "enumeration", None)
        if enumeration:
            return field.name, self.random.choice(["==", "!="]), self.random.choice(self.schema.enumeration(enumeration).values)
        if field.dtype.kind == "bool":
            return field.name, self.random.choice(["==", "!="]), self.value(field.dtype)
        value = self.coordinate(field) if isinstance(field, Dimension) else self.value(field.dtype)
        if isinstance(field, Attribute) and field.dtype.is_string and not field.var:
            value = bytes(self.random.choice(b"abc") for _ in range(field.values))
        return field.name, self.random.choice(operators), value


def fill_of(attribute: Attribute) -> Any:
    """The fill value of an attribute as a number, a str or bytes."""
    content = default_fill(attribute.dtype)
    return decode(attribute.dtype, content)


def holds(value: Any, operator: str, wanted: Any) -> bool:
    """A comparison, which nulls do not meet."""
    if value is None:
        return False
    return {
        "<": value < wanted,
        "<=": value <= wanted,
        ">": value > wanted,
        ">=": value >= wanted,
        "==": value == wanted,
        "!=": value != wanted,
    }[operator]
