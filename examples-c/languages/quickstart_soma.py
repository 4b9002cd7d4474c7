"""TileDB-SOMA, which knows nothing of the library beneath: a table and a sparse matrix are written, and read by a condition;
see docs/languages.md."""

import pyarrow
import tiledbsoma

CELLS = pyarrow.table({
    "soma_joinid": pyarrow.array([0, 1, 2, 3], pyarrow.int64()),
    "kind": pyarrow.array(["B", "T", "T", "NK"], pyarrow.large_string()),
    "genes": pyarrow.array([200, 950, 1400, 310], pyarrow.int32()),
})
COUNTS = pyarrow.table({
    "soma_dim_0": pyarrow.array([0, 1, 2, 3], pyarrow.int64()),
    "soma_dim_1": pyarrow.array([2, 0, 1, 0], pyarrow.int64()),
    "soma_data": pyarrow.array([5, 7, 11, 13], pyarrow.int32()),
})

with tiledbsoma.Collection.create("quickstart_soma") as sample:
    sample.add_new_dataframe("cells", schema=CELLS.schema, domain=[[0, 3]]).write(CELLS)
    sample.add_new_sparse_ndarray("counts", type=pyarrow.int32(), shape=(4, 3)).write(COUNTS)
with tiledbsoma.Collection.open("quickstart_soma") as sample:
    for name in sorted(sample):
        print(name, sample[name].soma_type)
    print(sample["cells"].read(value_filter="kind == 'T' and genes > 1000").concat().to_pydict())
    print(sample["counts"].read((slice(1, 2),)).tables().concat().to_pydict())
