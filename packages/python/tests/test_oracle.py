"""Random arrays, written by this package and read by TileDB-Py, and the other way around.

ORACLE_ARRAYS is the number of arrays (default 40), ORACLE_SEED the first seed.
"""

from __future__ import annotations

import os
import unittest
import warnings
from typing import Any, Dict, List

import support
from random_arrays import RandomArray, holds

import tiledb_rs
from tiledb_rs import Datatype, field
from tiledb_rs._model.values import number_of

FIRST, COUNT = int(os.environ.get("ORACLE_SEED", "0")), int(os.environ.get("ORACLE_ARRAYS", "40"))


def plain(value: Any) -> Any:
    """A value that compares equal whichever library it comes from."""
    if value is None or type(value).__name__ in ("MaskedConstant", "NAType"):
        return None
    if isinstance(value, memoryview):
        value = bytes(value)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return value
    if hasattr(value, "dtype") and value.dtype.kind in "mM":
        return int(value.astype("i8"))
    if hasattr(value, "dtype") and value.dtype.names:
        return tuple(plain(one) for one in value.item())
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(plain(one) for one in value)
    if isinstance(value, float) and value != value:
        return "nan"
    return value


def columns_of(found: Dict[str, Any]) -> Dict[str, List[Any]]:
    return {
        name: [plain(one) for one in values.ravel()] if values.ndim < 2 or values.dtype.names or values.dtype == object else [plain(one) for one in values]
        for name, values in found.items()
    }


@support.needs("numpy", "tiledb")
class Oracle(support.LibraryTest):
    """`check` compares one array; a failure names its seed."""

    def test_random_arrays(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        # TileDB-Py changes types and shapes of arrays in a way that NumPy 2.5 deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        counts = {"cells": 0, "conditions": 0, "ours": 0, "theirs": 0, "ranges": 0, "arrow": 0}
        for seed in range(FIRST, FIRST + COUNT):
            with self.subTest(seed=seed):
                Case(self, seed, counts).check()
        self.assertGreater(min(counts.values()), COUNT // 8, counts)

    def test_random_arrays_of_other_datatypes(self):
        """Datatypes that TileDB-Py cannot read come back as they were written."""
        for seed in range(FIRST, FIRST + COUNT // 4):
            with self.subTest(seed=seed):
                model = RandomArray(seed, others=True)
                array = tiledb_rs.create(self.path(f"others_{seed}"), model.schema)
                columns, region = model.fragment()
                array.write(columns, region=region)
                ranges = None if region is None else region
                names = [one.name for one in model.schema.attributes]
                found = array.read([one.name for one in model.schema.fields], ranges, order="row-major").to_pydict()
                expected = {name: list(values) for name, values in columns.items()}
                for one in model.schema.attributes:
                    if one.dtype.kind in ("datetime", "time"):
                        found[one.name] = [None if value is None else number_of(one.dtype, value) for value in found[one.name]]
                if model.sparse:
                    keys = [one.name for one in model.schema.dimensions] + names
                    for one in model.schema.dimensions:
                        if one.dtype.kind == "datetime":
                            found[one.name] = [number_of(one.dtype, value) for value in found[one.name]]
                    rows = [sorted((repr([plain(v) for v in row]) for row in zip(*(side[key] for key in keys)))) for side in (found, expected)]
                    self.assertEqual(*rows)
                else:
                    for name in names:
                        self.assertEqual([plain(one) for one in found[name]], [plain(one) for one in expected[name]], name)


class Case:
    """One random array."""

    def __init__(self, test: Oracle, seed: int, counts: Dict[str, int]):
        import numpy
        import tiledb

        self.test, self.counts, self.numpy, self.tiledb = test, counts, numpy, tiledb
        self.model = RandomArray(seed)
        self.schema = self.model.schema
        self.random = self.model.random
        self.uri = test.path(f"array_{seed}")
        self.array = tiledb_rs.create(self.uri, self.schema)

    def check(self) -> None:
        moments = sorted(self.random.sample(range(1, 100), self.random.randint(1, 3)))
        for moment in moments:
            columns, region = self.model.fragment()
            if self.random.random() < 0.5:
                self.counts["theirs"] += 1
                self.write_theirs(columns, region, moment)
            else:
                self.counts["ours"] += 1
                self.write_ours(columns, region, moment)
        self.array.reopen()
        self.compare_schema()
        self.compare(self.array, None)
        at = self.random.randint(1, 100)
        self.compare(tiledb_rs.open(self.uri, at=at), at)
        self.compare_ranges()
        for _ in range(3):
            self.compare_condition()
        self.copy_by_arrow()

    # Writes.

    def write_ours(self, columns: Dict[str, List[Any]], region: Any, moment: int) -> None:
        if self.random.random() < 0.5:
            columns = {name: self.as_numpy(self.schema.field(name), values, region) for name, values in columns.items()}
        self.test.assertEqual(self.array.write(columns, at=moment, region=region), self.count(columns, region))

    def count(self, columns: Dict[str, Any], region: Any) -> int:
        if region is None:
            return len(next(iter(columns.values())))
        return self.numpy.prod([high - low + 1 for low, high in region.values()])

    def as_numpy(self, one: Any, values: List[Any], region: Any) -> Any:
        """The values as a NumPy array, masked if there are nulls."""
        numpy, datatype = self.numpy, one.dtype
        mask = [value is None for value in values]
        several = getattr(one, "values", 1) > 1 and not datatype.is_string
        if getattr(one, "enumeration", None) or datatype.is_string and getattr(one, "var", True) or getattr(one, "var", False):
            found = numpy.empty(len(values), object)
            found[:] = values
            return found
        if datatype.is_string:
            found = numpy.array([b"" if value is None else value for value in values], f"S{one.values}")
        else:
            filler = [0] * one.values if several else 0
            dtype = "?" if datatype.kind == "bool" else f"{datatype.numpy[0].replace('M', 'i').replace('m', 'i')}{datatype.size}"
            found = numpy.array([filler if value is None else value for value in values], dtype)
            if datatype.kind in ("datetime", "time"):
                found = found.view(datatype.numpy)
        if region is not None and self.random.random() < 0.5:
            shape = tuple(high - low + 1 for low, high in region.values())
            found = found.reshape(shape + found.shape[1:])
            mask = numpy.array(mask).reshape(shape)
        if numpy.any(mask):
            mask = numpy.array(mask)
            return numpy.ma.MaskedArray(found, numpy.repeat(mask[..., None], one.values, -1) if several else mask)
        return found

    def write_theirs(self, columns: Dict[str, List[Any]], region: Any, moment: int) -> None:
        values: Dict[str, Any] = {}
        for one in self.schema.attributes:
            column = columns[one.name]
            if one.enumeration:
                known = self.schema.enumeration(one.enumeration).values
                column = [None if value is None else known.index(value) for value in column]
            values[one.name] = self.theirs(one, column)
        if any(value is None for value in values.values()) or any(low < 0 or low == high for low, high in (region or {}).values()):
            # TileDB-Py cannot write such cells, nor to slices below 0, nor several columns with both layouts to an axis of one cell.
            return self.write_ours(columns, region, moment)
        with self.tiledb.open(self.uri, "w", timestamp=moment) as array:
            if region is None:
                coordinates = tuple(self.theirs_coordinates(one, columns[one.name]) for one in self.schema.dimensions)
                array[coordinates] = values
            else:
                shape = tuple(high - low + 1 for low, high in region.values())
                key = tuple(self.theirs_slice(one, *region[one.name]) for one in self.schema.dimensions)
                order = {name: column.reshape(shape) for name, column in values.items()}
                array[key] = order

    def theirs(self, one: Any, column: List[Any]) -> Any:
        """A column for TileDB-Py; None if it cannot write it."""
        numpy, has_nulls = self.numpy, any(value is None for value in column)
        if one.values > 1 and not one.dtype.is_string or one.dtype == Datatype.BLOB or (one.nullable and (one.var or one.dtype.kind != "int" or not self.model.sparse)):
            return None
        if one.dtype == Datatype.CHAR and not one.var:
            return numpy.array(column, f"S{one.values}")
        if one.dtype == Datatype.CHAR or one.dtype == Datatype.STRING_ASCII and any(not value for value in column):
            return None
        if one.var and not one.dtype.is_string:
            found = numpy.empty(len(column), object)
            found[:] = [numpy.array(value, one.dtype.numpy) for value in column]
            return found
        if one.dtype.is_string:
            return numpy.array(column, object)
        if one.nullable:
            found = numpy.empty(len(column), object)
            found[:] = column
            return None if has_nulls and one.dtype.kind != "int" else found if has_nulls else numpy.array(column, one.dtype.numpy)
        if one.dtype.kind in ("datetime", "time"):
            return numpy.array(column, "i8").view(one.dtype.numpy)
        return numpy.array(column, one.dtype.numpy)

    def theirs_coordinates(self, one: Any, column: List[Any]) -> Any:
        if one.dtype.is_string:
            return self.numpy.array(column, object)
        if one.dtype.kind == "datetime":
            return self.numpy.array(column, "i8").view(one.dtype.numpy)
        return self.numpy.array(column, one.dtype.numpy)

    def theirs_value(self, one: Any, value: Any) -> Any:
        if one.dtype.kind == "datetime":
            return self.numpy.datetime64(value, one.dtype.unit)
        return value

    def theirs_slice(self, one: Any, low: int, high: int) -> slice:
        """Slices of TileDB-Py exclude their end, except those of datetimes."""
        if one.dtype.kind == "datetime":
            return slice(self.theirs_value(one, low), self.theirs_value(one, high))
        return slice(low, high + 1)

    # Comparisons.

    def compare_schema(self) -> None:
        found = self.array.schema
        for name in ("dimensions", "attributes", "sparse", "allows_duplicates", "cell_order", "tile_order"):
            if name == "dimensions":
                self.test.assertEqual(
                    [
                        (
                            one.name,
                            one.dtype,
                            one.domain and self.model.bounds(one) if one.dtype.kind != "float" and one.domain else one.domain,
                        )
                        for one in found.dimensions
                    ],
                    [(one.name, one.dtype, self.model.bounds(one) if one.dtype.kind != "float" and one.domain else one.domain) for one in self.schema.dimensions],
                )
            elif name == "attributes":
                self.test.assertEqual(
                    [(one.name, one.dtype, one.var, one.values, one.nullable, one.enumeration) for one in found.attributes],
                    [(one.name, one.dtype, one.var, one.values, one.nullable, one.enumeration) for one in self.schema.attributes],
                )
            else:
                self.test.assertEqual(getattr(found, name), getattr(self.schema, name), name)

    def is_known(self, one: Any) -> bool:
        """Whether TileDB-Py returns nulls of the attribute as such."""
        return not (getattr(one, "nullable", False) and (one.var or one.values > 1))

    def compare(self, array: tiledb_rs.Array, at: Any, condition: Any = None, text: Any = None) -> None:
        # In column-major order TileDB-Py gives the cells of dense arrays the shape of row-major order.
        order = self.random.choice("C" if not self.model.sparse else "CFU")
        names = [one.name for one in self.schema.attributes if self.is_known(one)]
        if not names:
            return
        with self.tiledb.open(self.uri, timestamp=at) as theirs:
            query = theirs.query(
                attrs=names,
                dims=[one.name for one in self.schema.dimensions] if self.model.sparse else None,
                order=order,
                cond=text,
            )
            expected = query[:]
        if not isinstance(expected, dict):
            expected = {names[0]: expected}
        wanted = [*([one.name for one in self.schema.dimensions] if self.model.sparse else []), *names]
        batch_bytes = self.random.choice([0, 1, 50, 1000])
        ours = array.read(wanted, where=condition, order=order, batch_bytes=batch_bytes).to_numpy()
        self.same(ours, expected, order)
        if not self.model.sparse:
            order = self.random.choice("CF")
            again = array.read(wanted, where=condition, order=order, batch_bytes=batch_bytes).to_numpy()
            self.test.assertEqual(self.by_cell(again), self.by_cell(ours))
        by_list = array.read(wanted, where=condition, order=order, batch_bytes=batch_bytes).to_pydict()
        self.same_lists(ours, by_list, order)

    def same(self, ours: Dict[str, Any], expected: Dict[str, Any], order: str) -> None:
        expected = {name: expected[name] for name in ours}
        if not self.model.sparse:
            for name, values in ours.items():
                self.test.assertEqual(values.shape[: self.schema.ndim], expected[name].shape[: self.schema.ndim], name)
        found = [self.by_cell(columns) for columns in (ours, expected)]
        self.counts["cells"] += len(found[0])
        if self.model.sparse and (order == "U" or self.schema.allows_duplicates):
            found = [sorted(rows, key=repr) for rows in found]
        self.test.assertEqual(*found)

    def by_cell(self, columns: Dict[str, Any]) -> List[Any]:
        """Rows of plain values."""
        lists = []
        for name, values in columns.items():
            one = self.schema.field(name)
            several = getattr(one, "values", 1) > 1 and not one.dtype.is_string and not values.dtype.names
            flat = values.reshape(-1, one.values) if several else values.ravel()
            cells = [
                plain(cell)
                for cell in (flat if not hasattr(flat, "mask") or several else [None if hidden else cell for cell, hidden in zip(flat.data, self.numpy.ma.getmaskarray(flat))])
            ]
            if getattr(one, "enumeration", None) and cells:
                cells = [self.enumerated(one, cell) for cell in cells]
            if one.dtype.is_string:
                # NumPy drops zeros at the end of strings.
                cells = [None if cell is None else cell.rstrip(b"\0") for cell in cells]
            lists.append(cells)
        return list(zip(*lists))

    def enumerated(self, one: Any, cell: Any) -> Any:
        known = [plain(value) for value in self.schema.enumeration(one.enumeration).values]
        if cell in known:
            return cell
        if isinstance(cell, int) and 0 <= cell < len(known):
            # TileDB-Py returns indexes.
            return known[cell]
        # Cells that were never written: null here, an index without a value there.
        return None

    def same_lists(self, arrays: Dict[str, Any], lists: Dict[str, List[Any]], order: str) -> None:
        """NumPy arrays and lists have the same values."""
        for name, values in arrays.items():
            one = self.schema.field(name)
            if getattr(one, "enumeration", None) or one.dtype.kind in ("datetime", "time"):
                continue
            expected = [
                row[0]
                for row in self.by_cell(
                    {
                        name: values
                        if not (order == "F" and not self.model.sparse)
                        else values.transpose((*range(self.schema.ndim - 1, -1, -1), *range(self.schema.ndim, values.ndim)))
                    }
                )
            ]
            found = [plain(cell) for cell in lists[name]]
            if one.dtype.is_string:
                found = [None if cell is None else cell.rstrip(b"\0") for cell in found]
            if self.model.sparse:
                expected, found = sorted(expected, key=repr), sorted(found, key=repr)
            self.test.assertEqual(found, expected, name)

    def compare_ranges(self) -> None:
        """Ranges, compared with a selection of all cells, and with TileDB-Py."""
        ranges = self.model.ranges()
        if not ranges:
            return
        self.counts["ranges"] += 1
        all_cells, selected = (self.rows(self.array.read(ranges=one, order="row-major").to_pydict()) for one in (None, dict(ranges)))
        inside = [row for row in all_cells if all(any(low <= row[name] <= high for low, high in pairs) for name, pairs in ranges.items())]
        self.test.assertEqual(sorted(map(repr, selected)), sorted(map(repr, inside)))
        names = [one.name for one in self.schema.attributes if not one.nullable and (self.model.sparse or not one.enumeration)]
        if not names or any(one.dtype.kind == "datetime" for one in self.schema.dimensions):
            return
        key = []
        for one in self.schema.dimensions:
            pairs = ranges.get(one.name)
            # Of a dense array, TileDB-Py's slice without bounds is the non-empty domain.
            everything = slice(None) if self.model.sparse else slice(*self.model.bounds(one))
            key.append(everything if pairs is None else [slice(low, high) for low, high in pairs])
        with self.tiledb.open(self.uri) as theirs:
            dims = [one.name for one in self.schema.dimensions] if self.model.sparse else None
            expected = theirs.query(attrs=names, dims=dims).multi_index[tuple(key)]
        wanted = [*(dims or []), *names]
        ours = self.array.read(wanted, dict(ranges), order="row-major").to_numpy()
        found = [sorted(self.by_cell({name: columns[name] for name in wanted}), key=repr) for columns in (ours, expected)]
        self.test.assertEqual(*found)

    def compare_condition(self) -> None:
        """A condition as a text and as an object, compared with a model in Python, and with TileDB-Py where it can express it."""
        name, operator, value = self.model.comparison()
        if not name:
            return
        self.counts["conditions"] += 1
        other, other_operator, other_value = self.model.comparison()
        made = self.condition(name, operator, value)
        kind = self.random.choice(["one", "and", "or", "not", "in"])
        holding = lambda row: holds(row[name], operator, value)  # noqa: E731
        if kind == "and" or kind == "or":
            second = self.condition(other, other_operator, other_value)
            made = made & second if kind == "and" else made | second
            join = all if kind == "and" else any
            first = holding
            holding = lambda row: join([first(row), holds(row[other], other_operator, other_value)])  # noqa: E731
        elif kind == "not":
            made = ~made
            inner = holding
            holding = lambda row: row[name] is not None and not inner(row)  # noqa: E731
        elif kind == "in":
            made = field(name).isin([value, value])
            holding = lambda row: holds(row[name], "==", value)  # noqa: E731
        text = made.text(self.schema)
        results = []
        fields = list(made.fields())
        wanted = [one.name for one in self.schema.fields] if self.model.sparse else list(dict.fromkeys(fields))
        for where in (made, text):
            results.append(self.array.read(wanted, where=where).to_pydict())
        self.test.assertEqual(*[sorted(zip(*([plain(cell) for cell in column] for column in one.values())), key=repr) for one in results])
        if self.model.sparse:
            rows = self.rows(self.array.read().to_pydict())
            expected = sorted(repr(sorted(row.items())) for row in rows if holding(row))
            self.test.assertEqual(sorted(repr(sorted(row.items())) for row in self.rows(results[0])), expected, text)
            self.test.assertEqual(self.array.count(made), len(expected))

    def condition(self, name: str, operator: str, value: Any) -> Any:
        return {
            "<": field(name) < value,
            "<=": field(name) <= value,
            ">": field(name) > value,
            ">=": field(name) >= value,
            "==": field(name) == value,
            "!=": field(name) != value,
        }[operator]

    def rows(self, columns: Dict[str, List[Any]]) -> List[Dict[str, Any]]:
        """Rows with numbers for dates and times."""
        for name, values in columns.items():
            datatype = self.schema.field(name).dtype
            if datatype.kind in ("datetime", "time"):
                columns[name] = [None if value is None else number_of(datatype, value) for value in values]
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def copy_by_arrow(self) -> None:
        """Writes what was read as Arrow batches to another array, which TileDB-Py reads."""
        names = [one.name for one in self.schema.attributes]
        if any(one.enumeration for one in self.schema.attributes):
            return
        self.counts["arrow"] += 1
        copy = tiledb_rs.create(self.uri + "_copy", self.schema)
        wanted = [*([one.name for one in self.schema.dimensions] if self.model.sparse else []), *names]
        cells = copy.write(self.array.read(wanted, batch_bytes=self.random.choice([0, 1, 100])))
        rows = [sorted(self.by_cell(one.read(wanted).to_numpy()), key=repr) for one in (self.array, copy)]
        self.test.assertEqual(*rows)
        self.test.assertEqual(cells, len(rows[0]))
        with self.tiledb.open(copy.uri) as theirs:
            plain_names = [name for name in names if self.is_known(self.schema.attribute(name))]
            if plain_names and self.model.sparse:
                dims = [one.name for one in self.schema.dimensions]
                expected = theirs.query(attrs=plain_names, dims=dims)[:]
                found = copy.read([*dims, *plain_names]).to_numpy()
                both = [sorted(self.by_cell({name: columns[name] for name in found}), key=repr) for columns in (found, expected)]
                self.test.assertEqual(*both)


if __name__ == "__main__":
    unittest.main()
