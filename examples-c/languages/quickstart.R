# The quick start with a dense array, from R through TileDB-R.
library(tiledb)

uri <- "quickstart_dense"
rows <- tiledb_dim("rows", c(1L, 4L), 2L, "INT32")
cols <- tiledb_dim("cols", c(1L, 4L), 2L, "INT32")
schema <- tiledb_array_schema(tiledb_domain(c(rows, cols)), attrs = tiledb_attr("a", "INT32"))
invisible(tiledb_array_create(uri, schema))

array <- tiledb_array(uri, return_as = "matrix")
array[] <- matrix(1:16, 4, byrow = TRUE)

read <- array[2:3, ]
for (row in 1:2) cat("row ", row + 1, ":", sprintf(" %2d", read[row, ]), "\n", sep = "")
