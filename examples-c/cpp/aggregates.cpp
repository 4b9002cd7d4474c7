/* Aggregates: the library adds up, so that no cells have to be read. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <iostream>
#include <vector>

using tiledb::QueryExperimental;

int main() {
  const tiledb::Context ctx;

  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<int32_t>(ctx, "hour", {{0, 23}}, 6));
  tiledb::ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(tiledb::Attribute::create<int32_t>(ctx, "visitors").set_nullable(true));
  tiledb::Array::create("museum", schema);
  {
    // Before ten and after six nobody counts.
    std::vector<int32_t> visitors(24);
    std::vector<uint8_t> validity(24);
    for (size_t hour = 10; hour < 18; ++hour) {
      visitors[hour] = static_cast<int32_t>(10 * hour - 80);
      validity[hour] = 1;
    }
    tiledb::Array array(ctx, "museum", TILEDB_WRITE);
    tiledb::Query query(array);
    query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("visitors", visitors).set_validity_buffer("visitors", validity);
    query.submit();
  }

  tiledb::Array array(ctx, "museum", TILEDB_READ);
  tiledb::Subarray day(ctx, array);
  day.add_range("hour", 0, 23);
  tiledb::Query query(array);
  query.set_subarray(day).set_layout(TILEDB_ROW_MAJOR);

  // Each aggregate is a field of the query, with a buffer for one value.
  tiledb::QueryChannel channel = QueryExperimental::get_default_channel(query);
  channel.apply_aggregate("hours", tiledb::CountOperation());
  channel.apply_aggregate("closed",
                          QueryExperimental::create_unary_aggregate<tiledb::NullCountOperator>(query, "visitors"));
  channel.apply_aggregate("sum", QueryExperimental::create_unary_aggregate<tiledb::SumOperator>(query, "visitors"));
  channel.apply_aggregate("least", QueryExperimental::create_unary_aggregate<tiledb::MinOperator>(query, "visitors"));
  channel.apply_aggregate("most", QueryExperimental::create_unary_aggregate<tiledb::MaxOperator>(query, "visitors"));
  channel.apply_aggregate("mean", QueryExperimental::create_unary_aggregate<tiledb::MeanOperator>(query, "visitors"));
  uint64_t hours = 0, closed = 0;
  int64_t sum = 0;
  int32_t least = 0, most = 0;
  double mean = 0;
  uint8_t valid[4] = {};
  query.set_data_buffer("hours", &hours, 1)
      .set_data_buffer("closed", &closed, 1)
      .set_data_buffer("sum", &sum, 1)
      .set_validity_buffer("sum", &valid[0], 1)
      .set_data_buffer("least", &least, 1)
      .set_validity_buffer("least", &valid[1], 1)
      .set_data_buffer("most", &most, 1)
      .set_validity_buffer("most", &valid[2], 1)
      .set_data_buffer("mean", &mean, 1)
      .set_validity_buffer("mean", &valid[3], 1)
      .submit();

  std::cout << "open " << hours - closed << " of " << hours << " hours\n"
            << sum << " visitors, from " << least << " to " << most << " an hour, " << mean << " on average\n";
}
