"""An array as a pyarrow dataset, for everything that takes one."""
import pyarrow
import pyarrow.compute as pc

import tiledb_rs
import tiledb_rs.dataset

tiledb_rs.from_arrow("measurements", pyarrow.table({"id": [1, 2, 3, 4], "value": [0.5, 1.5, None, 2.5], "kind": ["a", "b", "a", "b"]}), index="id")

data = tiledb_rs.dataset.dataset("measurements", on_scan=print)
table = data.to_table(columns=["value"], filter=(pc.field("kind") == "b") & (pc.field("id") <= 3))
print(table.to_pydict())

for batch in data.to_batches(columns=["id", "value"], filter=pc.field("value").is_valid()):
    print(batch.num_rows)
