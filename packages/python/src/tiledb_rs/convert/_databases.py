"""Tables in files of databases: SQLite and DuckDB."""

from __future__ import annotations

import datetime
import sqlite3
from typing import Any, Dict, List, Optional, Set

from . import _tables as convert_tables
from .._arrays.array import Array
from .._native.context import Context
from .._native.errors import require
from .._arrays.group import Group

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
# Types that a column of SQLite declares, and of its values in Arrow: SQLite itself has integers, reals, texts and blobs.
_DECLARED = {
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INT": "int32",
    "BIGINT": "int64",
    "UTINYINT": "uint8",
    "USMALLINT": "uint16",
    "UINTEGER": "uint32",
    # SQLite would round an integer beyond 64 bits with a sign to a real, unless the name of the type has "TEXT" in it.
    "UNSIGNED TEXT": "uint64",
    "UBIGINT": "uint64",
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "BOOLEAN": "bool",
    "DATE": "date32",
    "TIMESTAMP": "timestamp[us]",
    "TIMESTAMP_S": "timestamp[s]",
    "TIMESTAMP_MS": "timestamp[ms]",
    "TIMESTAMP_NS": "timestamp[ns]",
    "TEXT": "string",
    "BLOB": "binary",
    "INTEGER": "int64",
    "REAL": "float64",
}

# Types of DuckDB that Arrow has as bytes, without their time zone, or not at all.
_TEXTS = ("BIT", "TIME WITH TIME ZONE", "INTERVAL", "BIGNUM", "VARINT")
# The types that values of SQLite have.
_NAMES = {int: "integer", float: "real", str: "text", bytes: "blob"}


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def read(kind: str, path: str, uri: str, context: Context, options: Dict[str, Any]) -> Array:
    """Converts a table of a database to an array."""
    table = options.pop("table", None)
    found = (_read_sqlite if kind == "sqlite" else _read_duckdb)(path, table)
    return convert_tables.store(context, uri, found, **options)


def write(kind: str, source: Any, path: str, options: Dict[str, Any]) -> None:
    """Converts an array to the only table of a database."""
    if isinstance(source, Group):
        raise TypeError(f"{source.uri} is a group: convert one of its arrays to {kind}")
    table = options.pop("table", "data")
    if options.get("where") is not None and not source.schema.sparse:
        raise ValueError("where on a dense array would write fill values: convert a query of DuckDB or polars instead")
    reader = convert_tables.load(source, **options)
    (_write_sqlite if kind == "sqlite" else _write_duckdb)(reader, path, table)


def _choose(names: List[str], table: Optional[str], path: str) -> str:
    if table is None and len(names) == 1:
        return names[0]
    if table not in names:
        raise ValueError(f"{path} has the tables {', '.join(names)}: give one of them as table" if names else f"{path} has no table")
    return table


def _read_duckdb(path: str, table: Optional[str]) -> Any:
    duckdb = require("duckdb", "DuckDB files")
    with duckdb.connect(path, read_only=True) as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        chosen = quoted(_choose(names, table, path))
        found = connection.sql(f"SELECT {', '.join(_selected(connection, chosen))} FROM {chosen}")
        for name in ("to_arrow_table", "fetch_arrow_table", "arrow"):
            if hasattr(found, name):
                return getattr(found, name)()
        raise TypeError("this DuckDB returns no Arrow tables")


def _selected(connection: Any, table: str) -> List[str]:
    """The columns of a table; as texts those whose values have no type in Arrow, which would lose a part of them."""
    selected = []
    for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall():
        column, is_text = quoted(name), kind in _TEXTS
        if kind in ("HUGEINT", "UHUGEINT"):
            # Decimals have 38 digits.
            limit = f"1{'0' * 38}::{kind}"
            lower = f" OR {column} <= -{limit}" if kind == "HUGEINT" else ""
            is_text = bool(connection.execute(f"SELECT coalesce(bool_or({column} >= {limit}{lower}), false) FROM {table}").fetchall()[0][0])
        selected.append(f"CAST({column} AS VARCHAR) AS {column}" if is_text else column)
    return selected


def _write_duckdb(reader: Any, path: str, table: str) -> None:
    duckdb = require("duckdb", "DuckDB files")
    with duckdb.connect(path) as connection:
        connection.register("converted", reader)
        connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT * FROM converted")


def _read_sqlite(path: str, table: Optional[str]) -> Any:
    connection = sqlite3.connect(f"file:{path.replace('?', '%3f').replace('#', '%23')}?mode=ro", uri=True)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        chosen = quoted(_choose(names, table, path))
        # table_info has no generated columns, which a query of all columns has.
        columns = [one for one in connection.execute(f"PRAGMA table_xinfo({chosen})") if one[6] != 1]
        rows = connection.execute(f"SELECT {', '.join(quoted(one[1]) for one in columns)} FROM {chosen}").fetchall()
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is no database of SQLite: {error}") from error
    finally:
        connection.close()
    values = list(zip(*rows)) if rows else [()] * len(columns)
    made = [_column(one[1], one[2], list(of_column)) for one, of_column in zip(columns, values)]
    fields = [pyarrow.field(one[1], column.type, not one[3]) for one, column in zip(columns, made)]
    return pyarrow.Table.from_arrays(made, schema=pyarrow.schema(fields))


def _column(name: str, declared: str, values: List[Any]) -> Any:
    """The values in the declared type if it has each of them, otherwise in that of the values: SQLite stores any value in any column."""
    known = _DECLARED.get(declared.upper().partition("(")[0].strip())
    found = None if known is None else _of_declared(known, values)
    return _of_values(name, values) if found is None else found


def _of_declared(known: str, values: List[Any]) -> Any:
    """The values in the type that a column declares; None if it has not exactly these values."""
    types = {type(one) for one in values if one is not None}
    type_of = pyarrow.type_for_alias(known)
    by_name: Dict[str, Set[type]] = {"bool": {int}, "string": {str}, "binary": {bytes}, "date32": {str}, "uint64": {int, str}}
    expected = by_name.get(known, {int})
    expected = {str} if known.startswith("timestamp") else {int, float} if known.startswith("float") else expected
    if not types <= expected:
        return None
    try:
        if known == "bool":
            return None if any(one not in (None, 0, 1) for one in values) else pyarrow.array([None if one is None else one == 1 for one in values], type_of)
        if known == "date32":
            days = [None if one is None else datetime.date.fromisoformat(one) for one in values]
            return pyarrow.array(days, type_of) if all(day is None or day.isoformat() == one for day, one in zip(days, values)) else None
        if known.startswith("timestamp"):
            return pyarrow.array(values, pyarrow.string()).cast(type_of)
        if known.startswith("float"):
            found = pyarrow.array([None if one is None else float(one) for one in values], type_of)
            return found if all(one == other for one, other in zip(found.to_pylist(), values)) else None
        if known == "uint64" and str in types:
            numbers = [int(one) if isinstance(one, str) else one for one in values]
            return pyarrow.array(numbers, type_of) if all(one is None or str(number) == str(one) for number, one in zip(numbers, values)) else None
        return pyarrow.array(values, type_of)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, ValueError, TypeError, OverflowError):
        return None


def _of_values(name: str, values: List[Any]) -> Any:
    """The values in the type that all of them have: integers, reals, texts or blobs."""
    types = {type(one) for one in values if one is not None}
    if types == {int, float}:
        types = {float}
        odd = next((at for at, one in enumerate(values) if isinstance(one, int) and int(float(one)) != one), None)
    else:
        first = next((type(one) for one in values if one is not None), None)
        odd = next((at for at, one in enumerate(values) if one is not None and type(one) is not first), None)
    if odd is not None:
        others = ", ".join(sorted({_NAMES[type(one)] for one in values if one is not None and type(one) is not type(values[odd])}))
        raise ValueError(
            f"column {name!r} has values of several types: {_NAMES[type(values[odd])]} {values[odd]!r} in row {odd + 1}, and values of type {others}; "
            "convert a table that is made with CAST"
        )
    kind = types.pop() if types else str
    return pyarrow.array(values, {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bytes: pyarrow.binary()}[kind])


def _write_sqlite(reader: Any, path: str, table: str) -> None:
    types = pyarrow.types
    simple = convert_tables.simplified(reader, dictionaries=False, times=False)
    names = {value: key for key, value in reversed(list(_DECLARED.items()))}

    def declared(field: Any) -> str:
        known = str(field.type).replace("double", "float64").replace("large_", "").replace("halffloat", "float32")
        known = {"float": "float32", "date32[day]": "date32"}.get(known, known)
        name = names.get(known, "BLOB" if types.is_fixed_size_binary(field.type) else "TEXT")
        return f"{quoted(field.name)} {name}{'' if field.nullable else ' NOT NULL'}"

    def plain(column: Any) -> List[Any]:
        if types.is_temporal(column.type):
            return column.cast(pyarrow.string()).to_pylist()
        if types.is_decimal(column.type) or types.is_nested(column.type):
            return [None if one is None else str(one) for one in column.to_pylist()]
        values = column.to_pylist()
        # SQLite has integers of 64 bits with a sign, and no NaN, which would be null.
        return [str(one) if isinstance(one, int) and not isinstance(one, bool) and one >= 1 << 63 else one for one in values]

    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(f"CREATE TABLE {quoted(table)} ({', '.join(map(declared, simple.schema))})")
            places = ", ".join("?" * len(simple.schema))
            for batch in simple:
                connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", zip(*(plain(column) for column in batch.columns)))
    finally:
        connection.close()


__all__ = ["read", "write"]
