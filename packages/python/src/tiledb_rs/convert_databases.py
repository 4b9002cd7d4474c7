"""Tables in files of databases: SQLite and DuckDB."""
from __future__ import annotations

import datetime
import sqlite3
from typing import Any, Dict, List, Optional

from . import convert_tables
from .array import Array
from .context import Context
from .errors import require
from .group import Group

pyarrow = require("pyarrow", "tables of tiledb_rs.convert")
# Types that a column of SQLite declares, and of its values in Arrow: SQLite itself has integers, reals, texts and blobs.
_DECLARED = {
    "TINYINT": "int8", "SMALLINT": "int16", "INT": "int32", "BIGINT": "int64", "UTINYINT": "uint8", "USMALLINT": "uint16", "UINTEGER": "uint32",
    # SQLite would round an integer beyond 64 bits with a sign to a real, unless the name of the type has "TEXT" in it.
    "UNSIGNED TEXT": "uint64", "UBIGINT": "uint64", "FLOAT": "float32", "DOUBLE": "float64", "BOOLEAN": "bool", "DATE": "date32", "TIMESTAMP": "timestamp[us]", "TIMESTAMP_S": "timestamp[s]",
    "TIMESTAMP_MS": "timestamp[ms]", "TIMESTAMP_NS": "timestamp[ns]", "TEXT": "string", "BLOB": "binary", "INTEGER": "int64", "REAL": "float64",
}


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
        found = connection.sql(f"SELECT * FROM {quoted(_choose(names, table, path))}")
        for name in ("to_arrow_table", "fetch_arrow_table", "arrow"):
            if hasattr(found, name):
                return getattr(found, name)()
        raise TypeError("this DuckDB returns no Arrow tables")


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
        columns = connection.execute(f"PRAGMA table_info({chosen})").fetchall()
        rows = connection.execute(f"SELECT * FROM {chosen}").fetchall()
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is no database of SQLite: {error}") from error
    finally:
        connection.close()
    values = list(zip(*rows)) if rows else [()] * len(columns)
    made = [_column(one[1], one[2], list(of_column), bool(one[3])) for one, of_column in zip(columns, values)]
    fields = [pyarrow.field(one[1], column.type, not one[3]) for one, column in zip(columns, made)]
    return pyarrow.Table.from_arrays(made, schema=pyarrow.schema(fields))


def _column(name: str, declared: str, values: List[Any], required: bool) -> Any:
    known = _DECLARED.get(declared.upper().partition("(")[0].strip())
    types = {type(one) for one in values if one is not None}
    try:
        if known is None:
            return pyarrow.array(values) if types else pyarrow.array(values, pyarrow.string())
        if known == "bool":
            return pyarrow.array([None if one is None else bool(one) for one in values], pyarrow.bool_())
        if known == "date32" and types <= {str}:
            return pyarrow.array([None if one is None else datetime.date.fromisoformat(one) for one in values], pyarrow.date32())
        if known.startswith("timestamp"):
            texts = pyarrow.array(values, pyarrow.string())
            return texts.cast(pyarrow.timestamp(known[10:-1]))
        if known == "uint64" and str in types:
            values = [int(one) if isinstance(one, str) else one for one in values]
        return pyarrow.array(values, pyarrow.type_for_alias(known))
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, ValueError, TypeError) as error:
        raise ValueError(f"column {name!r} has values of several types: {error}") from None


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
