#!/usr/bin/env python3
"""Compares `tiledb-rs-sql` with DuckDB on the same rows: the 22 queries of TPC-H, and random queries.

    test_sql.py TOOL SQL FOLDER [--scale 0.1] [--queries 2000] [--seed N] [--times]

TOOL is the program `tiledb-rs`, which imports the rows, and SQL the program `tiledb-rs-sql`. Needs the packages duckdb,
duckdb-extension-tpch of the same version, and pyarrow. TileDB has no decimals: both have the prices as doubles.
"""

import argparse
import importlib.util
import json
import math
import pathlib
import random
import resource
import subprocess
import sys
import time

import duckdb
import pyarrow.ipc

# The dimensions of the arrays.
KEYS = {
    "customer": "c_custkey",
    "lineitem": "l_orderkey,l_linenumber",
    "nation": "n_nationkey",
    "orders": "o_orderkey",
    "part": "p_partkey",
    "partsupp": "ps_partkey,ps_suppkey",
    "region": "r_regionkey",
    "supplier": "s_suppkey",
}
# Relative difference of sums in another order.
TOLERANCE = 1e-6
QUERIES_PER_PROCESS = 50


def extension():
    """The file of the extension that the package has for this version of DuckDB."""
    folder = pathlib.Path(importlib.util.find_spec("duckdb_extension_tpch").origin).parent
    return next(folder.glob("extensions/*/tpch.duckdb_extension"))


def prepare(options):
    """Writes the rows of TPC-H as Parquet files, and imports them into arrays."""
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.load_extension(str(extension()))
    connection.execute(f"CALL dbgen(sf={options.scale})")
    for table, key in KEYS.items():
        file = folder / f"{table}.parquet"
        kinds = connection.execute(f"SELECT column_name, data_type FROM information_schema.columns WHERE table_name='{table}'").fetchall()
        columns = [f"{name}::DOUBLE AS {name}" if kind.startswith("DECIMAL") else name for name, kind in kinds]
        if not file.exists():
            connection.execute(f"COPY (SELECT {', '.join(columns)} FROM {table}) TO '{file}' (FORMAT parquet)")
        if not (folder / table).exists():
            subprocess.run([options.tool, "-q", "import", str(file), str(folder / table), "--dims", key], check=True)
    queries = dict(connection.execute("SELECT query_nr, query FROM tpch_queries()").fetchall())
    connection.close()
    peer = duckdb.connect()
    for table in KEYS:
        peer.execute(f"CREATE VIEW {table} AS SELECT * FROM '{folder / table}.parquet'")
    return peer, queries, folder


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, (int, str, bool)) or value is None:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) or math.isinf(value) else value
    return str(value)


def is_same(ours, theirs):
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=1e-9)
    return ours == theirs


def differences(ours, theirs):
    """What differs between two lists of rows in the same order."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows instead of {len(theirs)}"
    for number, (own, other) in enumerate(zip(ours, theirs)):
        if len(own) != len(other) or not all(map(is_same, own, other)):
            return f"row {number} is {own} instead of {other}"
    return None


def views(folder):
    return "".join(f"CREATE VIEW {table} AS SELECT * FROM '{folder / table}';\n" for table in KEYS)


def run_sql(options, text, *arguments):
    """What the program prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([options.sql, *arguments], input=text.encode(), capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if process.returncode != 0:
        raise RuntimeError(process.stderr.decode().strip())
    return process.stdout, seconds


def expected(peer, query):
    result = peer.execute(query)
    names = [column[0] for column in result.description]
    return names, [[plain(value) for value in row] for row in result.fetchall()]


def rows_of(objects, names):
    # Nulls are left out of JSON.
    return [[plain(row.get(name)) for name in names] for row in objects]


def sort_key(row):
    return [(value is None, str(type(value)), value if isinstance(value, str) else round(value, 6) if value is not None else 0) for value in row]


def check_tpch(options, peer, queries, folder):
    failures = 0
    for number, query in sorted(queries.items()):
        query = query.strip().rstrip(";")
        begin = time.process_time()
        theirs = expected(peer, query)[1]
        of_peer = time.process_time() - begin
        try:
            printed, seconds = run_sql(options, views(folder) + query, "--format", "arrow")
            table = pyarrow.ipc.open_file(printed).read_all()
            ours = zip(*(column.to_pylist() for column in table.columns))
            difference = differences([[plain(value) for value in row] for row in ours], theirs)
        except RuntimeError as error:
            difference, seconds = str(error), 0.0
        failures += difference is not None
        if difference or options.times:
            print(f"TPC-H {number}: {difference or 'equal'}, {len(theirs)} rows, CPU {seconds:.2f} s (DuckDB on Parquet {of_peer:.2f} s)")
    print(f"TPC-H at scale {options.scale}: {len(queries) - failures} of {len(queries)} queries equal")
    return failures


LITERALS = {
    "orders": {
        "o_orderkey": ["1", "1000", "33333", "600000"],
        "o_custkey": ["1", "370", "1499"],
        "o_orderstatus": ["'F'", "'O'", "'P'", "'X'"],
        "o_totalprice": ["1000.0", "55555.5", "200000.0", "0.0"],
        "o_orderdate": ["DATE '1992-01-01'", "DATE '1995-06-17'", "DATE '1998-08-02'"],
        "o_orderpriority": ["'1-URGENT'", "'5-LOW'", "''"],
        "o_shippriority": ["0", "1"],
    },
    "lineitem": {
        "l_orderkey": ["1", "4711", "100000", "599999"],
        "l_linenumber": ["1", "4", "7", "8"],
        "l_partkey": ["1", "777", "20000"],
        "l_quantity": ["1.0", "24.0", "50.0"],
        "l_extendedprice": ["900.5", "40000.0"],
        "l_discount": ["0.0", "0.05", "0.1"],
        "l_returnflag": ["'A'", "'N'", "'R'"],
        "l_shipdate": ["DATE '1994-01-01'", "DATE '1996-12-31'"],
        "l_shipmode": ["'AIR'", "'MAIL'", "'RAIL'", "'BOAT'"],
    },
}


def predicate(rng, literals, depth=2):
    if depth and rng.random() < 0.5:
        left, right = predicate(rng, literals, depth - 1), predicate(rng, literals, depth - 1)
        return rng.choice([f"({left} AND {right})", f"({left} OR {right})", f"NOT {left}"])
    name = rng.choice(list(literals))
    values = literals[name]
    kind = rng.random()
    if kind < 0.15:
        return f"{name} IN ({', '.join(rng.choices(values, k=rng.randint(1, 4)))})"
    if kind < 0.25:
        return f"{name} BETWEEN {rng.choice(values)} AND {rng.choice(values)}"
    return f"{name} {rng.choice(['=', '<>', '<', '<=', '>', '>='])} {rng.choice(values)}"


def random_query(rng):
    table = rng.choice(list(LITERALS))
    literals = LITERALS[table]
    where = f" WHERE {predicate(rng, literals)}" if rng.random() < 0.9 else ""
    names = list(literals)
    kind = rng.random()
    if kind < 0.25:
        return f"SELECT count(*) AS n FROM {table}{where}"
    if kind < 0.5:
        group = rng.choice([name for name in names if len(literals[name]) > 2 and "key" not in name and "price" not in name])
        number = rng.choice([name for name in names if literals[name][0].replace(".", "").isdigit()])
        return f"SELECT {group}, count(*) AS n, sum({number}) AS s, min({number}) AS low, max({number}) AS high FROM {table}{where} GROUP BY {group}"
    if kind < 0.6:
        return f"SELECT min({names[0]}) AS low, max({names[0]}) AS high, count(DISTINCT {names[-1]}) AS n FROM {table}{where}"
    key = KEYS[table].replace(",", ", ")
    chosen = ", ".join(sorted({*key.split(", "), *rng.sample(names, rng.randint(1, 3))}))
    return f"SELECT {chosen} FROM {table}{where} ORDER BY {key} LIMIT {rng.randint(1, 200)}"


def check_random(options, peer, folder):
    rng = random.Random(options.seed)
    failures = count = 0
    while count < options.queries:
        queries = [random_query(rng) for _ in range(min(QUERIES_PER_PROCESS, options.queries - count))]
        count += len(queries)
        # A row that says which query it belongs to.
        text = views(folder) + "".join(f"{query};\nSELECT {number} AS query_ends;\n" for number, query in enumerate(queries))
        objects = map(json.loads, run_sql(options, text, "--json")[0].splitlines())
        results = [[]]
        for row in objects:
            if "query_ends" in row:
                results.append([])
            else:
                results[-1].append(row)
        for query, ours in zip(queries, results):
            names, theirs = expected(peer, query)
            ours = rows_of(ours, names)
            if "ORDER BY" not in query:
                ours, theirs = sorted(ours, key=sort_key), sorted(theirs, key=sort_key)
            difference = differences(ours, theirs)
            if difference:
                failures += 1
                print(f"{query}\n  {difference}")
    print(f"random queries from seed {options.seed}: {count - failures} of {count} equal")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("sql")
    parser.add_argument("folder")
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    peer, queries, folder = prepare(options)
    failures = check_tpch(options, peer, queries, folder) + check_random(options, peer, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
