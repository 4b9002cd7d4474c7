/* A dense array from C++: create it, write a matrix, read a part of it. */
#include <tiledb/tiledb>

#include <iomanip>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
  const tiledb::Context ctx;

  // Four rows and four columns of integers, stored in tiles of two by two.
  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<int32_t>(ctx, "row", {{1, 4}}, 2))
      .add_dimension(tiledb::Dimension::create<int32_t>(ctx, "column", {{1, 4}}, 2));
  tiledb::ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(tiledb::Attribute::create<int32_t>(ctx, "value"));
  tiledb::Array::create("matrix", schema);

  // All 16 cells, row by row.
  std::vector<int32_t> values(16);
  std::iota(values.begin(), values.end(), 1);
  tiledb::Array array(ctx, "matrix", TILEDB_WRITE);
  tiledb::Query(array).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("value", values).submit();
  array.close();

  // Rows 2 to 3, columns 2 to 4.
  array.open(TILEDB_READ);
  tiledb::Subarray subarray(ctx, array);
  subarray.add_range("row", 2, 3).add_range("column", 2, 4);
  std::vector<int32_t> part(6);
  tiledb::Query query(array);
  query.set_subarray(subarray).set_layout(TILEDB_ROW_MAJOR).set_data_buffer("value", part);
  const auto status = query.submit();

  std::cout << "rows 2 to 3, columns 2 to 4 (" << status << "):\n";
  for (size_t i = 0; i < part.size(); ++i)
    std::cout << std::setw(4) << part[i] << (i % 3 == 2 ? "\n" : "");
}
