"""What the machines of a fleet do on one array with TileDB-Py: any scheduler can call these functions as its tasks.

Each may be called again after it failed or its machine was lost: the arrays hold every row once.
"""

import numpy as np
import tiledb


def make(uri, rows, columns, tile):
    """A dense array of rows x columns reals; a task writes whole rows of tiles."""
    rows_of_tiles = tiledb.Dim("row", domain=(0, rows - 1), tile=tile, dtype=np.int64)
    across = tiledb.Dim("column", domain=(0, columns - 1), tile=columns, dtype=np.int64)
    value = tiledb.Attr("value", dtype=np.float64)
    tiledb.Array.create(uri, tiledb.ArraySchema(domain=tiledb.Domain(rows_of_tiles, across), attrs=[value]))


def make_log(uri):
    """A sparse array of events, several of which may have one time."""
    time = tiledb.Dim("time", domain=(0, 2**62), tile=2**40, dtype=np.int64)
    machine = tiledb.Attr("machine", dtype=np.int32)
    schema = tiledb.ArraySchema(domain=tiledb.Domain(time), attrs=[machine], sparse=True, allows_duplicates=True)
    tiledb.Array.create(uri, schema)


def is_written(uri, task):
    """Whether the fragment of a task is there: its timestamp is the task's number, and only finished ones are listed."""
    span = (task, task)
    return any(fragment.timestamp_range == span for fragment in tiledb.array_fragments(uri))


def write(uri, task, first, values):
    """Writes rows from `first` on. The timestamp is the task's number, from 1 on: whoever writes it again writes the same."""
    if is_written(uri, task):
        return 0
    with tiledb.open(uri, "w", timestamp=task) as array:
        array[first : first + len(values)] = values
    return len(values)


def append(uri, task, times, machines):
    """Appends events. Of a task that runs twice at once both may be stored where duplicates are allowed; that a task is
    given to another machine only when the first is gone is the scheduler's part."""
    if is_written(uri, task):
        return 0
    with tiledb.open(uri, "w", timestamp=task) as array:
        array[times] = machines
    return len(times)


def read(uri, first, last, timestamp):
    """Sum and number of the cells of rows first to last, as they were at a time that all tasks share."""
    with tiledb.open(uri, timestamp=timestamp) as array:
        values = array[first : last + 1]["value"]
    return float(values.sum()), values.size


def plan(uri, size):
    """What may be merged at the same time: lists of fragments, each list a task of its own."""
    with tiledb.open(uri) as array:
        nodes = tiledb.ConsolidationPlan(tiledb.default_ctx(), array, size)
        uris = [[nodes.fragment_uri(node, at) for at in range(nodes.num_fragments(node))] for node in range(len(nodes))]
        return [node for node in uris if len(node) > 1]


def consolidate(uri, fragments):
    """Merges the fragments of one node of the plan; what was merged already is left."""
    names = {name_of(fragment) for fragment in fragments}
    there = {name_of(fragment.uri): fragment.timestamp_range for fragment in tiledb.array_fragments(uri)}
    if not names.issubset(there):
        return
    # A machine that was lost after it had merged, and before it had noted what is merged, left both; as no cell is there
    # twice in a dense array, both are merged.
    span = (min(there[name][0] for name in names), max(there[name][1] for name in names))
    both = [name for name, times in there.items() if times == span]
    tiledb.consolidate(uri, fragment_uris=sorted(names.union(both)))


def name_of(fragment):
    return fragment.rstrip("/").rsplit("/", 1)[-1]


def vacuum(uri):
    """Removes what was merged: once, after all merges are done and nobody reads at an older time."""
    config = tiledb.Config({"sm.vacuum.mode": "fragments"})
    tiledb.vacuum(uri, config=config)
