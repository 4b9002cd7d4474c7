"""The quick start with a dense array in TileDB-Py, which knows nothing of the library beneath; see docs/languages.md."""

import numpy
import tiledb

schema = tiledb.ArraySchema(
    domain=tiledb.Domain(
        tiledb.Dim("rows", domain=(1, 4), tile=2, dtype=numpy.int32),
        tiledb.Dim("cols", domain=(1, 4), tile=2, dtype=numpy.int32),
    ),
    attrs=[tiledb.Attr("a", dtype=numpy.int32)],
)
tiledb.Array.create("quickstart_tiledb_py", schema)
with tiledb.open("quickstart_tiledb_py", "w") as array:
    array[:] = numpy.arange(1, 17, dtype=numpy.int32).reshape(4, 4)
with tiledb.open("quickstart_tiledb_py") as array:
    for row, cells in zip((2, 3), array[2:4]["a"]):
        print(f"row {row}:", *(f"{cell:2}" for cell in cells))
