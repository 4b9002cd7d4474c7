"""Arrays as tables of DuckDB: columns and conditions of a query are pushed down to the read.

flights = tiledb_rs.duckdb.scan("flights")
duckdb.sql("SELECT carrier, avg(arr_delay) FROM flights WHERE origin = 'JFK' GROUP BY carrier")
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Optional, Union

from ._native.errors import require

if TYPE_CHECKING:
    from ._arrays.array import Array
    from .dataset import ArrayDataset
    from ._engines.scanning import Scan

if importlib.util.find_spec("duckdb") is None:
    require("duckdb", "tiledb_rs.duckdb")


def __getattr__(name: str) -> Any:
    if name == "Scan":
        from ._engines.scanning import Scan

        return Scan
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _duckdb() -> Any:
    # It is imported where it is used, as are pyarrow and modules of this package: all of them take longer than a query.
    return require("duckdb", "tiledb_rs.duckdb")


def scan(array: Any, **options: Any) -> ArrayDataset:
    """An array, or the URI of one, as an object that DuckDB queries by the name of its variable.

    The options are those of :func:`tiledb_rs.dataset.dataset`; ``on_scan=print`` shows what DuckDB pushes down.

    Args:
        array: An array, or the URI of one.
        **options: The options of :func:`tiledb_rs.dataset.dataset`.

    Returns:
        The dataset of the array.

    Examples:
        >>> import duckdb
        >>> readings = tiledb_rs.duckdb.scan("readings")
        >>> duckdb.sql("SELECT time, value FROM readings WHERE value > 1").fetchall()
        [(2, 1.5), (5, 2.5)]
    """
    from .dataset import dataset

    return dataset(array, **options)


def register(connection: Any, name: str, array: Any, **options: Any) -> ArrayDataset:
    """Makes an array a view of a connection, which sees the snapshot of this moment.

    Args:
        connection: The connection of DuckDB.
        name: The name of the view.
        array: An array, or the URI of one.
        **options: The options of :func:`scan`.

    Returns:
        The dataset of the array.

    Examples:
        >>> import duckdb
        >>> connection = duckdb.connect()
        >>> readings = tiledb_rs.duckdb.register(connection, "readings", "readings")
        >>> connection.sql("SELECT sum(value) FROM readings").fetchall()
        [(4.5,)]
    """
    found = scan(array, **options)
    connection.register(name, found)
    return found


def relation(array: Any, connection: Optional[Any] = None, **options: Any) -> Any:
    """An array as a relation, on which ``filter``, ``project``, ``aggregate`` and others work.

    Args:
        array: An array, or the URI of one.
        connection: The connection of DuckDB; that of its module by default.
        **options: The options of :func:`scan`.

    Returns:
        The relation.

    Examples:
        >>> tiledb_rs.duckdb.relation("readings").filter("value > 1").count("time").fetchall()
        [(2,)]
    """
    found = scan(array, **options)
    return (_duckdb() if connection is None else connection).from_arrow(found)


def write(uri: Any, query: Any, *, connection: Optional[Any] = None, append: bool = False, **options: Any) -> Array:
    """Writes the result of a query, a text or a relation, to an array, and returns the array.

    Args:
        uri: The array.
        query: A relation, or the text of a query of the tables of the connection; variables of the program are known to ``duckdb.sql`` only.
        connection: The connection of DuckDB of a query that is a text; that of its module by default.
        append: Whether the cells are added to an array that exists, instead of a new one.
        **options: Of a new array those of :func:`tiledb_rs.from_arrow`, such as ``index``; of another one those of ``Array.write``.

    Returns:
        The array.

    Raises:
        ValueError: if the query has no result.
        TypeError: if an option of a new array is given for one that exists.

    Examples:
        >>> tiledb_rs.duckdb.write("numbers", "SELECT range AS i, range * 2 AS twice FROM range(4)", index="i").count()
        4
    """
    from ._arrays.array import Array
    from ._arrow.columns import append_to
    from ._arrays.creation import from_arrow

    made = _relation_of(query, connection) if isinstance(query, str) else query
    if made is None:
        raise ValueError(f"the query has no result: {query!r}")
    reader = _reader(made)
    if not append:
        return from_arrow(uri, reader, **options)
    unknown = set(options) - {"config", "context", "at", "region", "order", "batch_bytes", "progress"}
    if unknown:
        raise TypeError(f"{min(unknown)} is an option of a new array: the array that is appended to has its dimensions already")
    array = Array(uri, **{name: options.pop(name) for name in ("config", "context") if name in options})
    append_to(array, reader, **options)
    return array


def _relation_of(query: str, connection: Optional[Any]) -> Any:
    """The relation of a text. DuckDB looks for variables in the function that calls it, which is this one, not that of the caller."""
    try:
        return (_duckdb() if connection is None else connection).sql(query)
    except _duckdb().CatalogException as error:
        raise type(error)(f"{error}\nThe text of a query has the tables of the connection, not the variables of the program: give the relation duckdb.sql(...)") from error


def _reader(found: Union[Any, Any]) -> Any:
    """The result as a stream of batches."""
    for name in ("to_arrow_reader", "fetch_record_batch", "arrow"):
        if hasattr(found, name):
            made = getattr(found, name)()
            # Before DuckDB 1.4, arrow() made a table.
            return made.to_reader() if hasattr(made, "to_reader") else made
    raise TypeError(f"query must be a text or a relation of DuckDB, not {type(found).__name__}")


__all__ = ["Scan", "register", "relation", "scan", "write"]
