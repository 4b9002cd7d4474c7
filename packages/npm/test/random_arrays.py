"""Random arrays with queries and their results, as the Python package reads them, for `random.mjs`; and Arrow streams, compared.

usage: random_arrays.py write FOLDER      ARRAYS: how many (default 500), SEED: the first seed
       random_arrays.py arrow FOLDER      after `random.mjs`, whose streams pyarrow reads
The library is that of TILEDB_RS_LIBRARY.
"""

from __future__ import annotations

import json
import os
import random
import struct
import sys
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "tests"))

from random_arrays import RandomArray  # noqa: E402

import tiledb_rs  # noqa: E402
from tiledb_rs._model.values import number_of  # noqa: E402

OPERATORS = ["and", "or"]
NEVER = -(2**63)


def canonical(datatype: Any, value: Any) -> Any:
    """A cell as a text that does not depend on the language."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(canonical(datatype, one) for one in value) + "]"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "x" + bytes(value).hex()
    if isinstance(value, str):
        return "x" + value.encode().hex()
    if isinstance(value, float):
        return "nan" if value != value else "f" + struct.pack("<d", value).hex()
    if datatype is not None and datatype.kind in ("datetime", "time"):
        value = number_of(datatype, value)
    return str(int(value))


def result(array: tiledb_rs.Array, fields: List[str], **query: Any) -> Dict[str, List[Any]]:
    columns = array.read(fields, **query).to_pydict()
    found = {}
    for name, values in columns.items():
        field = array.schema.field(name)
        datatype = None if getattr(field, "enumeration", None) else field.dtype
        found[name] = [canonical(datatype, value) for value in values]
    return found


def conditions(model: RandomArray) -> List[str]:
    texts = []
    for _ in range(2):
        parts = []
        for _ in range(random.Random(model.random.random()).randint(1, 2)):
            name, operator, value = model.comparison()
            if name:
                compared = tiledb_rs.field(name)
                one = {"<": compared < value, "<=": compared <= value, ">": compared > value, ">=": compared >= value, "==": compared == value, "!=": compared != value}[operator]
                parts.append(one.text(model.schema))
        if parts:
            texts.append(f" {model.random.choice(OPERATORS)} ".join(f"({part})" for part in parts))
    return texts


def aggregates(array: tiledb_rs.Array, query: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    numbers = [one for one in array.schema.attributes if one.dtype.kind in ("int", "float") and not one.var and one.values == 1 and not one.enumeration]
    if not numbers:
        return {}
    names = ["min", "max", "mean", "sum"]
    asked = {one.name: names + ["null_count"] * one.nullable for one in numbers}
    # The sum of integers may not fit, which is an error here and there.
    try:
        found = array.aggregate(asked, **query)
    except tiledb_rs.TileDBError:
        return {}
    return {name: {kind: canonical(None, value) for kind, value in results.items()} for name, results in found.items()}


def write(folder: Path) -> None:
    first, count = int(os.environ.get("SEED", "0")), int(os.environ.get("ARRAYS", "500"))
    with open(folder / "queries.jsonl", "w", encoding="utf-8") as out:
        for seed in range(first, first + count):
            model = RandomArray(seed, others=seed % 4 == 0)
            uri = str(folder / "arrays" / f"array_{seed}")
            array = tiledb_rs.create(uri, model.schema)
            moments = sorted(model.random.sample(range(1, 100), model.random.randint(1, 3)))
            for moment in moments:
                columns, region = model.fragment()
                array.write(columns, at=moment, region=region)
            array.reopen()
            fields = [one.name for one in model.schema.attributes]
            if model.sparse:
                fields = [one.name for one in model.schema.dimensions] + fields
            orders = ["row-major", "col-major"] + (["unordered", "global"] if model.sparse else [])
            ranges = model.ranges()
            pairs = {name: [list(pair) for pair in several] for name, several in ranges.items()}
            queries: List[Dict[str, Any]] = [{}, {"order": model.random.choice(orders)}, {"at": model.random.randint(1, 100)}]
            queries += [{"ranges": pairs}] if ranges else []
            texts = conditions(model)
            queries += [{"where": text} for text in texts]
            queries += [{"where": texts[0], "ranges": pairs, "order": "row-major"}] if texts and ranges else []
            for query in queries:
                opened = tiledb_rs.open(uri, at=query["at"]) if "at" in query else array
                arguments: Dict[str, Any] = {key: query[key] for key in ("where", "order") if key in query}
                if "ranges" in query:
                    arguments["ranges"] = dict(ranges)
                line: Dict[str, Any] = {"array": f"arrays/array_{seed}", "fields": fields, **query}
                try:
                    line["expected"] = result(opened, fields, **arguments)
                    arguments.pop("order", None)
                    if "at" not in query:
                        line["aggregates"] = aggregates(opened, arguments)
                except tiledb_rs.TileDBError as error:
                    line["error"] = str(error)
                # With several ranges of a dimension, the order across ranges depends on the size of batches.
                is_single = all(len(several) == 1 for several in query.get("ranges", {}).values())
                is_total = query.get("order") in ("row-major", "col-major") and not model.schema.allows_duplicates
                line["is_ordered"] = not model.sparse or (is_total and is_single)
                out.write(json.dumps(line) + "\n")


def arrow(folder: Path) -> None:
    import pyarrow

    compared = 0
    for path in sorted((folder / "streams").iterdir()):
        with pyarrow.ipc.open_stream(path.read_bytes()) as stream:
            actual = stream.read_all()
        # Not the values: times of day may be negative in TileDB.
        actual.validate()
        array = tiledb_rs.open(str(folder / "arrays" / path.stem))
        names = actual.schema.names
        expected = array.read(names, order="row-major").to_arrow().select(names)
        for name in names:
            own, other = actual.column(name).combine_chunks(), expected.column(name).combine_chunks()
            own, other = (one.chunk(0) if isinstance(one, pyarrow.ChunkedArray) else one for one in (own, other))
            # The Python package has days and times of other units as such, the engine as numbers.
            if pyarrow.types.is_int64(own.type) and pyarrow.types.is_temporal(other.type):
                other = other.cast(pyarrow.int32() if other.type.bit_width == 32 else pyarrow.int64()).cast(pyarrow.int64())
            if narrow(own.type) != narrow(other.type):
                sys.exit(f"{path.stem}: field '{name}' has the type {own.type} instead of {other.type}")
            # Python has no nanoseconds.
            own, other = (one.cast(pyarrow.int64()) if pyarrow.types.is_temporal(one.type) else one for one in (own, other))
            # The Python package has nulls for dates that were never written.
            lists = [[None if value == NEVER else value for value in one.to_pylist()] for one in (own, other)]
            if repr(lists[0]) != repr(lists[1]):
                sys.exit(f"{path.stem}: field '{name}' differs: {lists[0][:10]} instead of {lists[1][:10]}")
            if actual.schema.field(name).metadata != expected.schema.field(name).metadata:
                sys.exit(f"{path.stem}: field '{name}' has the metadata {actual.schema.field(name).metadata}")
            compared += 1
    if compared == 0:
        sys.exit("no streams were compared")
    print(f"{compared} columns of Arrow streams are those of the Python package")


def narrow(kind: Any) -> str:
    """A type with offsets of 32 bits, and indexes of the package."""
    import pyarrow

    text = str(kind).replace("large_", "")
    if pyarrow.types.is_dictionary(kind):
        text = f"dictionary of {narrow(kind.value_type)}, {kind.ordered}"
    return text


if __name__ == "__main__":
    {"write": write, "arrow": arrow}[sys.argv[1]](Path(sys.argv[2]))
