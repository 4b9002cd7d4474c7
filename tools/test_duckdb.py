#!/usr/bin/env python3
"""Tests the extension of DuckDB: the rows of golden arrays, TPC-H, random queries, and what it does with wrong arguments.

    test_duckdb.py TOOL EXTENSION FOLDER [--golden FOLDER] [--scale 0.1] [--queries 2000] [--seed N] [--times]

TOOL is the program `tiledb-rs`, EXTENSION the file that DuckDB loads, FOLDER where arrays are written. Rows are those that the tool
writes as Arrow, answers those of DuckDB on Parquet files. Needs the packages duckdb, duckdb-extension-tpch of the same version, and
pyarrow.
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import time

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

import test_sql

# Golden arrays of more rows are skipped: dense ones whose bounds are those of the datatype.
MAX_ROWS = 100_000
# Seconds of the units for which Arrow and DuckDB have no type.
UNITS = {"DATETIME_WEEK": 604800, "DATETIME_HR": 3600, "DATETIME_MIN": 60}
NOT_A_TIME = -(2**63)


def connect(options):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{options.extension}'")
    return connection


def number_type(kind):
    """The type in which values of a type are compared: times as numbers in their unit."""
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(number_type(kind.value_type), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(number_type(kind.value_type))
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return pa.int64()
    return pa.int32() if pa.types.is_date32(kind) else kind


def numbers(column):
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
    return column.cast(number_type(column.type)).to_pylist()


def plain(value):
    """A value that can be compared and sorted: NaN equals itself, and -0 is not 0."""
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    return repr(value)


def datatype_of(field):
    return (field.metadata or {}).get(b"tiledb.datatype", b"").decode()


def units(column, field):
    """The values of a column in the unit of its field, of which the tool and the extension make seconds."""
    factor = UNITS.get(datatype_of(field), 1) if pa.types.is_timestamp(column.type) else 1
    return [value if value in (None, NOT_A_TIME) or factor == 1 else value // factor for value in numbers(column)]


def known(value):
    """A time; "not a time" is null."""
    if isinstance(value, list):
        return [known(element) for element in value]
    return None if value == NOT_A_TIME else value


def expected_values(column, field):
    """Values of the tool as the extension returns them."""
    values = units(column, field)
    is_number = pa.types.is_int64(field.type) and datatype_of(field) in ("DATETIME_DAY", *UNITS)
    is_time = is_number or "timestamp" in str(field.type)
    return list(map(known, values)) if is_time else values


def rows(columns):
    return sorted(tuple(map(plain, row)) for row in zip(*columns))


def golden_arrays(archive, folder):
    """Unpacks an archive of golden arrays, each of them an archive; returns them."""
    if not folder.exists():
        unpack(archive, folder)
        for array in sorted(folder.glob("*/array.tar")):
            unpack(array, array.parent / "array")
    folders = {path.parent for name in ("__schema", "__array_schema.tdb") for path in folder.glob(f"*/array/**/{name}")}
    return sorted(folders)


def unpack(archive, folder):
    with tarfile.open(archive) as archived:
        archived.extractall(folder, filter="data")


def is_large(options, uri):
    process = subprocess.run([options.tool, "-q", "count", str(uri)], capture_output=True)
    return process.returncode == 0 and int(process.stdout) > MAX_ROWS


def check_golden(options, connection, folder):
    """Reads golden arrays by the extension and by the tool."""
    outcomes = {"equal": 0, "refused by both": 0, "no type": 0, "too large": 0, "different": 0}
    scratch = folder / "golden.arrow"
    for archive in sorted(pathlib.Path(options.golden).glob("*.tar.gz")):
        for uri in golden_arrays(archive, folder / "golden" / archive.name.split(".")[0]):
            if is_large(options, uri):
                outcomes["too large"] += 1
                continue
            process = subprocess.run([options.tool, "-q", "cat", str(uri), "--format", "arrow", "-o", str(scratch)], capture_output=True)
            try:
                table = connection.execute("SELECT * FROM read_tiledb(?)", [str(uri)]).to_arrow_table()
                error = None
            except duckdb.Error as raised:
                table, error = None, str(raised)
            if process.returncode != 0:
                # Arrow has no dates as far away as those of some arrays.
                is_beyond = b"is out of the range of" in process.stderr
                outcome = "refused by both" if error else "no type" if is_beyond else "different"
            elif error:
                outcome = "no type" if "has no type for" in error else "different"
            else:
                theirs = pyarrow.ipc.open_file(scratch).read_all()
                error = compare(table, theirs)
                outcome = "different" if error else "equal"
            if process.returncode == 0:
                scratch.unlink()
            outcomes[outcome] += 1
            if outcome == "different":
                print(f"{uri}: {error or process.stderr.decode().strip()}")
    print("golden arrays:", ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    return outcomes["different"] + (outcomes["equal"] == 0)


def compare(table, theirs):
    """What differs between a table of the extension and one of the tool."""
    # DuckDB names a column without a name by its place.
    names = [name or f"C{place}" for place, name in enumerate(theirs.column_names)]
    if table.column_names != names:
        return f"columns {table.column_names} instead of {names}"
    pairs = list(zip(table.columns, theirs.columns, theirs.schema))
    ours = [units(own, field) for own, _, field in pairs]
    others = [expected_values(other, field) for _, other, field in pairs]
    for own, other in zip(rows(ours), rows(others)):
        if own != other:
            return f"row {own} instead of {other}"
    return None if table.num_rows == theirs.num_rows else f"{table.num_rows} rows instead of {theirs.num_rows}"


def values(result):
    return [[test_sql.plain(value) for value in row] for row in result.fetchall()]


def check_tpch(options, connection, peer, queries):
    failures = 0
    for number, query in sorted(queries.items()):
        times = []
        results = []
        for database in (connection, peer):
            begin = time.process_time()
            results.append(values(database.execute(query)))
            times.append(time.process_time() - begin)
        difference = test_sql.differences(*results)
        failures += difference is not None
        if difference or options.times:
            print(f"TPC-H {number}: {difference or 'equal'}, CPU {times[0]:.2f} s (DuckDB on Parquet {times[1]:.2f} s)")
    print(f"TPC-H at scale {options.scale}: {len(queries) - failures} of {len(queries)} queries equal")
    return failures


def check_random(options, connection, peer):
    rng = random.Random(options.seed)
    failures = 0
    for _ in range(options.queries):
        query = test_sql.random_query(rng)
        ours, theirs = (values(database.execute(query)) for database in (connection, peer))
        if "ORDER BY" not in query:
            ours, theirs = sorted(ours, key=test_sql.sort_key), sorted(theirs, key=test_sql.sort_key)
        difference = test_sql.differences(ours, theirs)
        if difference:
            failures += 1
            print(f"{query}\n  {difference}")
    print(f"random queries from seed {options.seed}: {options.queries - failures} of {options.queries} equal")
    return failures


def import_enumerated(options, folder):
    """Imports `orders` and `lineitem` again, with texts of few values as enumerations."""
    for table, columns in (("orders", ["o_orderstatus", "o_orderpriority"]), ("lineitem", ["l_returnflag", "l_shipmode"])):
        target = folder / f"{table}_enumerated"
        if target.exists():
            continue
        rows = pyarrow.parquet.read_table(folder / f"{table}.parquet")
        for column in columns:
            place = rows.column_names.index(column)
            rows = rows.set_column(place, column, rows.column(column).dictionary_encode())
        file = folder / f"{table}.arrow"
        with pyarrow.ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows)
        key = test_sql.KEYS[table]
        subprocess.run([options.tool, "-q", "import", str(file), str(target), "--dims", key], check=True)
        file.unlink()


def check_arguments(connection, folder):
    """Statements and what their errors contain, or their result."""
    orders = folder / "orders"
    whole = connection.execute(f"SELECT count(*) FROM '{orders}'").fetchone()[0]
    filtered = connection.execute(f"SELECT count(*) FROM '{orders}' WHERE o_totalprice > 200000").fetchone()[0]
    cases = [
        (f"SELECT count(*) FROM read_tiledb('{orders}', condition := 'o_totalprice > 200000')", filtered),
        (f"SELECT count(*) FROM read_tiledb('{orders}', condition := 'o_orderkey >= 0', as_of := '2100-01-01')", whole),
        (f"SELECT count(*) FROM read_tiledb('{orders}', as_of := TIMESTAMP '2100-01-01 12:00:00')", whole),
        (f"SELECT count(*) FROM read_tiledb('{orders}', as_of := 0)", 0),
        (f"SELECT count(*) FROM read_tiledb('{orders}', config := MAP {{'sm.memory_budget': '100000000'}})", whole),
        (f"SELECT count(*) FROM read_tiledb('{orders}', config := MAP {{'sm.memory_budgets': '1'}})", "sm.memory_budget"),
        (f"SELECT count(*) FROM read_tiledb('{orders}', as_of := 'noon')", "noon"),
        (f"SELECT count(*) FROM read_tiledb('{orders}', condition := 'price > 1')", "price"),
        (f"SELECT count(*) FROM read_tiledb('{folder}/none')", "does not exist"),
        ("SELECT count(*) FROM read_tiledb(NULL)", "NULL"),
        (f"SELECT count(*) FROM '{folder}/none'", "does not exist"),
        (f"SELECT count(*) FROM '{folder}/orders.parquet'", whole),
    ]
    failures = 0
    for statement, expected in cases:
        try:
            outcome = connection.execute(statement).fetchone()[0]
            is_right = outcome == expected
        except duckdb.Error as error:
            outcome = str(error)
            is_right = isinstance(expected, str) and expected in outcome
        if not is_right:
            failures += 1
            print(f"{statement}\n  {outcome} instead of {expected}")
    print(f"arguments: {len(cases) - failures} of {len(cases)} as expected")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("extension")
    parser.add_argument("folder")
    parser.add_argument("--golden", help="a folder of archives of golden arrays")
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    peer, queries, folder = test_sql.prepare(options)
    import_enumerated(options, folder)
    connection = connect(options)
    failures = check_golden(options, connection, folder) if options.golden else 0
    failures += check_arguments(connection, folder)
    for suffix in ("", "_enumerated"):
        for table in test_sql.KEYS:
            source = folder / f"{table}{suffix if (folder / f'{table}{suffix}').exists() else ''}"
            connection.execute(f"CREATE OR REPLACE VIEW {table} AS FROM '{source}'")
        print(f"tables{suffix}:")
        failures += check_tpch(options, connection, peer, queries) + check_random(options, connection, peer)
    shutil.rmtree(folder / "golden", ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
