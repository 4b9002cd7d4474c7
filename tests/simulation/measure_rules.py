"""Measures the rules of the model (`tests/model`) with libtiledb: a function for each, of the name that `docs/model.md` has for it.
Prints the name of each rule and "holds", or what libtiledb does instead."""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import tiledb

NAN = float("nan")
# Contexts start no threads beyond these.
FEW_THREADS = {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"}
tiledb.default_ctx(FEW_THREADS)


class Arrays:
    """Arrays of one dimension in a folder of their own."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.count = 0

    def path(self):
        self.count += 1
        return str(self.folder / f"array{self.count}")

    def create(self, *attributes, sparse=True, dups=False, side=10, extent=10, domain=None, enumerations=(), labels=None):
        """`attributes` default to one of integers; a current domain, if `domain` is given."""
        uri = self.path()
        dimension = tiledb.Dim("x", domain=(0, side - 1), tile=extent, dtype=np.int32)
        attributes = attributes or (tiledb.Attr("a", dtype=np.int32, fill=-1),)
        schema = tiledb.ArraySchema(
            tiledb.Domain(dimension),
            attributes,
            sparse=sparse,
            allows_duplicates=dups,
            enums=enumerations,
            **({"dim_labels": labels} if labels else {}),
        )
        if domain:
            context = tiledb.default_ctx()
            rectangle = tiledb.NDRectangle(context, schema.domain)
            rectangle.set_range(0, *domain)
            current = tiledb.CurrentDomain(context)
            current.set_ndrectangle(rectangle)
            schema.set_current_domain(current)
        tiledb.Array.create(uri, schema)
        return uri


def write(uri, time, places, *columns, **named):
    """Writes cells; dense ones have to be adjacent."""
    with tiledb.open(uri, "w", timestamp=time) as array:
        columns = dict(zip((array.attr(at).name for at in range(array.nattr)), columns), **named)
        values = {name: column if hasattr(column, "dtype") else np.array(column) for name, column in columns.items()}
        if array.schema.sparse:
            array[np.array(places, np.int32)] = values
        elif len(values) == 1:
            array[places[0] : places[-1] + 1] = next(iter(values.values())).astype(array.attr(0).dtype)
        else:
            array[places[0] : places[-1] + 1] = values


def delete(uri, time, condition):
    with tiledb.open(uri, "d", timestamp=time) as array:
        array.query(cond=condition).submit()


def read(uri, window=None, condition=None, order=None, name="a"):
    """Values by coordinate: of sparse arrays all cells of each, in their order."""
    with tiledb.open(uri, timestamp=window) as array:
        order = order or ("U" if array.schema.sparse else "C")
        result = array.query(attrs=[name], cond=condition, order=order)[:]
        values = result[name] if isinstance(result, dict) else result
        mask = getattr(values, "mask", np.zeros(len(values), bool))
        mask = np.broadcast_to(mask, len(values))
        values = [None if hidden or value is None else plain(value) for value, hidden in zip(values, mask)]
        if not array.schema.sparse:
            return values
        return sorted(zip((int(at) for at in result["x"]), values), key=str)


def plain(value):
    return value.item() if hasattr(value, "item") else value


def evolve(uri, timestamp, change):
    evolution = tiledb.ArraySchemaEvolution()
    change(evolution)
    if timestamp is not None:
        evolution.timestamp(timestamp)
    evolution.array_evolve(uri)


def expand(uri, time, low, high):
    context = tiledb.default_ctx()
    with tiledb.open(uri) as array:
        rectangle = tiledb.NDRectangle(context, array.schema.domain)
    rectangle.set_range(0, low, high)
    current = tiledb.CurrentDomain(context)
    current.set_ndrectangle(rectangle)
    evolve(uri, time, lambda evolution: evolution.expand_current_domain(current))


def consolidate(uri, window=None, **parameters):
    config = {f"sm.consolidation.{name}": value for name, value in parameters.items()}
    tiledb.consolidate(uri, config=tiledb.Config(FEW_THREADS | config), timestamp=window)


def vacuum(uri, mode="fragments"):
    tiledb.vacuum(uri, config=tiledb.Config(FEW_THREADS | {"sm.vacuum.mode": mode}))


def last_name(uri):
    """The name of the newest fragment folder, by the time of its creation."""
    return max((Path(uri) / "__fragments").iterdir(), key=lambda path: path.stat().st_ctime_ns).name


def put(uri, time, key, value):
    with tiledb.open(uri, "w", timestamp=time) as array:
        if value is None:
            del array.meta[key]
        else:
            array.meta[key] = value


def entries(uri, window=None):
    with tiledb.open(uri, timestamp=window) as array:
        return dict(array.meta.items())


def refused(work, text):
    try:
        work()
    except tiledb.TileDBError as error:
        assert text in str(error), error
    else:
        raise AssertionError("not refused")


def check(actual, expected):
    assert actual == expected, f"{actual}, not {expected}"


# Visibility and order of versions


def rule_window_contains_both_of_its_ends(arrays):
    uri = arrays.create()
    for time in (4, 5, 6, 7):
        write(uri, time, [time], [time])
    check(read(uri, (5, 6)), [(5, 5), (6, 6)])


def rule_later_cell_supersedes(arrays):
    for dups, expected in ((False, [(3, 2)]), (True, [(3, 1), (3, 2)])):
        uri = arrays.create(dups=dups)
        write(uri, 2, [3], [2])
        write(uri, 1, [3], [1])
        check(read(uri), expected)
        check(read(uri, (0, 1)), [(3, 1)])


def rule_last_name_supersedes_at_one_time(arrays):
    for sparse in (True, False):
        for _ in range(4):
            uri = arrays.create(sparse=sparse)
            names = {}
            for value in (1, 2):
                write(uri, 5, [3], [value])
                names[last_name(uri)] = value
            expected = names[max(names)]
            check(read(uri)[0 if sparse else 3], (3, expected) if sparse else expected)
            consolidate(uri)
            check(read(uri)[0 if sparse else 3], (3, expected) if sparse else expected)


def rule_unwritten_dense_cell_has_fill_value(arrays):
    uri = arrays.create(sparse=False, side=4, extent=2)
    write(uri, 1, [1], [5])
    check(read(uri), [-1, 5, -1, -1])
    check(read(uri, (2, 3)), [-1] * 4)


def rule_dense_merge_needs_all_its_times_in_the_window(arrays):
    uri = arrays.create(sparse=False, side=4, extent=4)
    write(uri, 1, [0], [1])
    write(uri, 3, [3], [3])
    consolidate(uri)
    check(read(uri, (0, 2)), [1, -1, -1, -1])
    vacuum(uri)
    check(read(uri, (0, 2)), [-1] * 4)
    check(read(uri, (1, 3)), [1, -1, -1, 3])


def rule_merged_sparse_cell_retains_its_time(arrays):
    uri = arrays.create()
    write(uri, 1, [3, 4], [1, 10])
    write(uri, 3, [3], [3])
    consolidate(uri)
    vacuum(uri)
    check(read(uri, (0, 2)), [(3, 1), (4, 10)])
    check(read(uri, (2, 3)), [(3, 3)])
    write(uri, 2, [3, 4], [2, 20])
    check(read(uri), [(3, 3), (4, 20)])


def rule_fill_value_of_a_dense_merge_supersedes_late_cells(arrays):
    uri = arrays.create(sparse=False, side=4, extent=4)
    write(uri, 2, [0], [1])
    write(uri, 5, [3], [5])
    consolidate(uri)
    write(uri, 1, [1], [7])
    check(read(uri), [1, -1, -1, 5])
    # It has the place of its first source: later writes of any time after that supersede all of its cells.
    write(uri, 3, [2, 3], [8, 8])
    check(read(uri), [1, -1, 8, 8])


# Deletes


def rule_delete_applies_to_cells_of_its_time_and_before(arrays):
    uri = arrays.create(dups=True)
    for time in (4, 5, 6):
        write(uri, time, [time], [0])
    delete(uri, 5, "a == 0")
    check(read(uri), [(6, 0)])
    check(read(uri, (0, 4)), [(4, 0)])
    # Also if the window begins after the cell or after the delete is not in it.
    check(read(uri, (5, 6)), [(6, 0)])
    write(uri, 5, [7], [0])
    check(read(uri), [(6, 0)])


def rule_delete_before_the_window_applies_to_no_cell_in_it(arrays):
    uri = arrays.create()
    write(uri, 6, [1], [0])
    delete(uri, 5, "a == 0")
    check(read(uri, (6, 9)), [(1, 0)])


def rule_deleted_cell_still_supersedes(arrays):
    uri = arrays.create()
    write(uri, 1, [3], [1])
    write(uri, 2, [3], [2])
    delete(uri, 3, "a == 2")
    check(read(uri), [])
    check(read(uri, None, "a == 1"), [])
    consolidate(uri)
    check(read(uri), [])


def rule_condition_applies_to_what_is_not_superseded(arrays):
    uri = arrays.create()
    write(uri, 1, [3], [1])
    write(uri, 2, [3], [2])
    check(read(uri, None, "a == 1"), [])


def rule_delete_by_an_attribute_that_older_cells_lack(arrays):
    for condition, remaining in (
        ("b == 9", []),
        # The last part of the stored disjunction is of the attribute: it discards those before.
        ("a == 1 and b == 9", []),
        ("b == 9 and a == 1", [2]),
        ("b == 9 or a == 1", []),
    ):
        uri = arrays.create()
        write(uri, 1, [1, 2], [1, 2])
        time.sleep(0.002)
        evolve(uri, None, lambda evolution: evolution.add_attribute(tiledb.Attr("b", dtype=np.int32, fill=7)))
        time.sleep(0.002)
        delete(uri, None, condition)
        check((condition, [at for at, _ in read(uri)]), (condition, remaining))


def rule_delete_of_nulls_and_nan(arrays):
    uri = arrays.create(tiledb.Attr("a", dtype=np.float64), tiledb.Attr("n", dtype=np.int32, nullable=True))

    def cells(time):
        # TileDB-Py writes nulls from masked columns of pandas.
        import pandas

        write(uri, time, [1, 2, 3], np.array([1.0, NAN, 3.0]), n=pandas.array([1, None, 3], dtype="Int32"))

    cells(1)
    delete(uri, 2, "a > 2.0")
    check([at for at, _ in read(uri)], [1])
    cells(3)
    delete(uri, 4, "n < 2")
    check([at for at, _ in read(uri)], [3])


def rule_purge_drops_deleted_cells_and_what_they_superseded(arrays):
    uri = arrays.create()
    write(uri, 1, [3], [1])
    write(uri, 2, [3, 4], [2, 2])
    write(uri, 3, [4], [3])
    delete(uri, 4, "a == 2")
    consolidate(uri, purge_deleted_cells="true")
    vacuum(uri)
    check(read(uri), [(4, 3)])
    actual = read(uri, (0, 2))
    assert (3, 2) not in actual, actual


# Conditions


def rule_nan_meets_only_not_equal(arrays):
    uri = arrays.create(tiledb.Attr("a", dtype=np.float64))
    write(uri, 1, [1, 2], np.array([NAN, 1.0]))
    for operator, expected in (("<", 0), ("<=", 1), (">", 0), (">=", 1), ("==", 1), ("!=", 1)):
        check((operator, len(read(uri, None, f"a {operator} 1.0"))), (operator, expected))


def rule_null_meets_no_comparison(arrays):
    import pandas

    uri = arrays.create(tiledb.Attr("a", dtype=np.int32, nullable=True))
    write(uri, 1, [1, 2], pandas.array([None, 1], dtype="Int32"))
    for condition, expected in (("a == 1", [2]), ("a != 1", []), ("not a == 1", []), ("a != 5", [2]), ("a < 5", [2])):
        check((condition, [at for at, _ in read(uri, None, condition)]), (condition, expected))


def rule_texts_are_compared_by_bytes(arrays):
    uri = arrays.create(tiledb.Attr("a", dtype=str))
    write(uri, 1, [1, 2, 3, 4], np.array(["a", "aa", "b", ""], dtype="O"))
    check([at for at, _ in read(uri, None, "a < 'aa'")], [1, 4])
    check([at for at, _ in read(uri, None, "a >= 'aa'")], [2, 3])


def rule_delete_stores_the_opposite_of_its_condition(arrays):
    for condition, remaining in (("a >= 2.0 or b == 2", [1]), ("a >= 2.0 and b == 1", [1, 3]), ("a < 0.5 or b > 4", [1, 3])):
        uri = arrays.create(tiledb.Attr("a", dtype=np.float64), tiledb.Attr("b", dtype=np.int32))
        write(uri, 1, [1, 2, 3], np.array([1.0, NAN, 3.0]), b=np.array([1, 1, 2], np.int32))
        delete(uri, 2, condition)
        # NaN does not meet the opposite of any order, and is deleted by each.
        check((condition, [at for at, _ in read(uri)]), (condition, remaining))


def colors(ordered):
    attribute = tiledb.Attr("a", dtype=np.uint8, enum_label="colors")
    values = tiledb.Enumeration("colors", ordered, values=["red", "green", "blue"])
    return (attribute,), (values,)


def rule_enumerated_values_are_compared_by_index(arrays):
    attributes, enumerations = colors(True)
    uri = arrays.create(*attributes, enumerations=enumerations)
    write(uri, 1, [0, 1, 2, 3], np.array([0, 1, 2, 7], np.uint8))
    for condition, expected in (("a < 'blue'", [0, 1]), ("a > 'red'", [1, 2, 3]), ("a != 'red'", [1, 2, 3])):
        check((condition, raw_places(uri, condition)), (condition, expected))


def rule_label_that_the_enumeration_lacks(arrays):
    attributes, enumerations = colors(True)
    uri = arrays.create(*attributes, enumerations=enumerations)
    write(uri, 1, [0, 1], np.array([0, 1], np.uint8))
    for condition, expected in (("a == 'black'", []), ("a < 'black'", []), ("a != 'black'", [0, 1])):
        check((condition, raw_places(uri, condition)), (condition, expected))
    refused(lambda: delete(uri, 2, "a == 'black'"), "Invalid negation")


def raw_places(uri, condition):
    with tiledb.open(uri) as array:
        return sorted(int(at) for at in array.query(attrs=[], dims=["x"], cond=condition)[:]["x"])


# Schemas


def rule_window_has_the_schema_of_its_end(arrays):
    uri = arrays.create()
    added = tiledb.Attr("b", dtype=np.int32, fill=7)
    later = 2_000_000_000_000
    evolve(uri, later, lambda evolution: evolution.add_attribute(added))
    for time, count in ((later - 1, 1), (later, 2)):
        with tiledb.open(uri, timestamp=(0, time)) as array:
            check(array.nattr, count)


def rule_added_attribute_has_its_fill_value(arrays):
    later = 2_000_000_000_000
    for sparse in (True, False):
        uri = arrays.create(sparse=sparse, side=2, extent=2)
        write(uri, 1, [0, 1], [1, 2])
        evolve(uri, later, lambda evolution: evolution.add_attribute(tiledb.Attr("b", dtype=np.int32, fill=7)))
        rows = read(uri, (0, later), name="b")
        check([row[1] for row in rows] if sparse else rows, [7, 7])


def rule_attribute_added_again_shows_old_values(arrays):
    later = 2_000_000_000_000
    extra = tiledb.Attr("b", dtype=np.int32, fill=7)
    uri = arrays.create(tiledb.Attr("a", dtype=np.int32), extra)
    write(uri, 1, [0], [1], [5])
    evolve(uri, later, lambda evolution: evolution.drop_attribute("b"))
    evolve(uri, later + 1, lambda evolution: evolution.add_attribute(extra))
    check(read(uri, (0, later + 1), name="b"), [(0, 5)])


def rule_merge_drops_values_of_dropped_attributes(arrays):
    later = 2_000_000_000_000
    uri = arrays.create(tiledb.Attr("a", dtype=np.int32), tiledb.Attr("b", dtype=np.int32, fill=7))
    write(uri, 1, [0], [1], [5])
    write(uri, 2, [1], [1], [6])
    evolve(uri, later, lambda evolution: evolution.drop_attribute("b"))
    consolidate(uri)
    vacuum(uri)
    check(read(uri, (0, later - 1), name="b"), [(0, 7), (1, 7)])


def rule_write_is_of_the_newest_schema(arrays):
    later = 2_000_000_000_000
    uri = arrays.create()
    evolve(uri, later, lambda evolution: evolution.add_attribute(tiledb.Attr("b", dtype=np.int32, fill=7)))
    with tiledb.open(uri, "w", timestamp=5) as array:
        check(array.nattr, 2)
    write(uri, 5, [0], [1], [2])
    check(read(uri, (0, later), name="b"), [(0, 2)])


def rule_current_domain_expands_only(arrays):
    uri = arrays.create(domain=(2, 5))
    expand(uri, 2_000_000_000_000, 1, 6)
    refused(lambda: expand(uri, 2_000_000_000_001, 3, 6), "expand")


def rule_current_domain_of_the_end_of_the_window(arrays):
    later = 2_000_000_000_000
    uri = arrays.create(domain=(2, 5))
    write(uri, 10, [2], [1])
    expand(uri, later, 1, 6)
    # Written as of a time before.
    write(uri, 20, [6], [2])
    with tiledb.open(uri, timestamp=(0, later)) as array:
        check([int(at) for at in array.query(order="U")[:]["x"]], [2, 6])
    with tiledb.open(uri, timestamp=(0, later - 1)) as array:
        check([int(at) for at in array.query(order="U")[:]["x"]], [2])
        refused(lambda: array.query(order="U").multi_index[2:6], "current domain")


def rule_write_outside_of_the_current_domain_is_refused(arrays):
    uri = arrays.create(domain=(2, 5))
    refused(lambda: write(uri, 5, [6], [1]), "current domain")


def rule_enumeration_gets_values_at_its_end(arrays):
    attributes, enumerations = colors(False)
    uri = arrays.create(*attributes, enumerations=enumerations)
    with tiledb.open(uri) as array:
        extended = array.enum("colors").extend(["black"])
    check(list(extended.values()), ["red", "green", "blue", "black"])
    evolve(uri, 2_000_000_000_000, lambda evolution: evolution.extend_enumeration(extended))
    other = tiledb.Enumeration("colors", False, values=["black", "red"])
    refused(lambda: evolve(uri, 2_000_000_000_001, lambda evolution: evolution.extend_enumeration(other)), "xten")


# Metadata


def rule_last_entry_of_a_key_in_the_window(arrays):
    uri = arrays.create()
    put(uri, 1, "k", 1)
    put(uri, 3, "k", None)
    put(uri, 2, "k", 2)
    check(entries(uri), {})
    check(entries(uri, (0, 2)), {"k": 2})
    check(entries(uri, (0, 1)), {"k": 1})


def rule_merged_metadata_need_all_their_times_in_the_window(arrays):
    uri = arrays.create()
    put(uri, 1, "k", 1)
    put(uri, 3, "l", 3)
    consolidate(uri, mode="array_meta")
    check(entries(uri, (0, 2)), {"k": 1})
    vacuum(uri, "array_meta")
    check(entries(uri, (0, 2)), {})
    check(entries(uri), {"k": 1, "l": 3})


def rule_merged_metadata_have_the_place_of_the_first(arrays):
    uri = arrays.create()
    put(uri, 1, "k", 1)
    put(uri, 3, "k", 3)
    consolidate(uri, mode="array_meta")
    vacuum(uri, "array_meta")
    put(uri, 2, "k", 2)
    check(entries(uri), {"k": 2})


def rule_last_name_of_metadata_supersedes_at_one_time(arrays):
    for _ in range(4):
        uri = arrays.create()
        names = {}
        for value in (1, 2):
            before = set((Path(uri) / "__meta").iterdir())
            put(uri, 5, "k", value)
            (added,) = set((Path(uri) / "__meta").iterdir()) - before
            names[added.name] = value
        check(entries(uri), {"k": names[max(names)]})


def rule_members_of_a_group(arrays):
    uri = arrays.path()
    tiledb.Group.create(uri)
    members = [arrays.create() for _ in range(3)]

    def names():
        with tiledb.Group(uri) as group:
            return {member.name: Path(member.uri).name for member in group}

    with tiledb.Group(uri, "w") as group:
        group.add(members[0], name="m")
        group.add(members[1], name="n")
    check(names(), {"m": Path(members[0]).name, "n": Path(members[1]).name})
    # One that was opened before others changed the group stores the members of then.
    stale = tiledb.Group(uri, "w")
    with tiledb.Group(uri, "w") as group:
        group.remove("m")
    check(names(), {"n": Path(members[1]).name})
    stale.add(members[2], name="o")
    stale.close()
    check(names(), {"m": Path(members[0]).name, "n": Path(members[1]).name, "o": Path(members[2]).name})
    with tiledb.Group(uri, "w") as group:
        group.remove("m")
    with tiledb.Group(uri, "w") as group:
        group.add(members[2], name="m")
    check(names()["m"], Path(members[2]).name)


def rule_metadata_of_a_group(arrays):
    uri = arrays.path()
    tiledb.Group.create(uri)
    for value in (1, None, 3):
        with tiledb.Group(uri, "w") as group:
            if value is None:
                del group.meta["k"]
            else:
                group.meta["k"] = value
        with tiledb.Group(uri) as group:
            check(dict(group.meta.items()), {} if value is None else {"k": value})


# Labels


def rule_labels_are_cells_of_a_dense_array(arrays):
    dimension = tiledb.Dim("x", domain=(0, 5), tile=6, dtype=np.int64)
    label = {"l": tiledb.DimLabelSchema("increasing", label_dtype=np.int64, dim_dtype=np.int64, dim_tile=6)}
    attribute = tiledb.Attr("a", dtype=np.int32)
    schema = tiledb.ArraySchema(tiledb.Domain(dimension), [attribute], dim_labels={0: {"l": label["l"]}})
    uri = arrays.path()
    tiledb.Array.create(uri, schema)
    with tiledb.open(uri, "w", timestamp=5) as array:
        array[:] = {"a": np.arange(6, dtype=np.int32), "l": np.array([10, 20, 30, 40, 50, 60])}
    with tiledb.open(uri) as array:
        check([int(at) for at in array.label_index(["l"])[15:45]["a"]], [1, 2, 3])
        check([int(at) for at in array.label_index(["l"])[20:20]["a"]], [1])


# Aggregates


def rule_aggregates_ignore_nulls(arrays):
    import pandas

    uri = arrays.create(tiledb.Attr("a", dtype=np.int32, nullable=True))
    write(uri, 1, [1, 2, 3], pandas.array([None, 1, 4], dtype="Int32"))
    with tiledb.open(uri) as array:
        result = array.query().agg({"a": ["count", "sum", "min", "max", "mean", "null_count"]})[:]
        check(
            {name: plain(value) for name, value in result.items()},
            {"count": 3, "sum": 5, "min": 1, "max": 4, "mean": 2.5, "null_count": 1},
        )


def rule_aggregates_of_no_value(arrays):
    import pandas

    for nullable in (False, True):
        uri = arrays.create(tiledb.Attr("a", dtype=np.int32, nullable=nullable))
        values = pandas.array([1], dtype="Int32") if nullable else np.array([1], np.int32)
        write(uri, 1, [1], values)
        with tiledb.open(uri) as array:
            result = array.query(cond="a == 9").agg({"a": ["count", "sum", "min", "max"]})[:]
            values = {name: None if value is None else plain(value) for name, value in result.items()}
            nothing = None if nullable else 0
            check(values["count"], 0)
            check(values["sum"], nothing)


def rule_aggregates_of_dense_cells_count_those_that_were_written(arrays):
    uri = arrays.create(sparse=False, side=4, extent=4)
    write(uri, 1, [1, 2], [5, 6])
    with tiledb.open(uri) as array:
        result = array.query().agg({"a": ["count", "sum"]})[:]
        check({name: plain(value) for name, value in result.items()}, {"count": 4, "sum": 11})


def main():
    rules = [(name, rule) for name, rule in globals().items() if name.startswith("rule_")]
    selected = sys.argv[1:]
    for name, rule in rules:
        name = name.removeprefix("rule_")
        if selected and name not in selected:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                rule(Arrays(folder))
                print(f"{name}\tholds")
            except Exception as error:  # whatever it is, the rule does not hold
                print(f"{name}\t{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")


main()
