/* Conditions: only the cells are read for which they hold; and deleted. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <iostream>
#include <string>
#include <vector>

using tiledb::QueryCondition;

static void print(const tiledb::Context& ctx, const std::string& what, const QueryCondition& condition) {
  tiledb::Array array(ctx, "fruit", TILEDB_READ);
  std::vector<char> names(100);
  std::vector<uint64_t> offsets(10);
  tiledb::Query query(array);
  query.set_layout(TILEDB_ROW_MAJOR)
      .set_condition(condition)
      .set_data_buffer("name", names)
      .set_offsets_buffer("name", offsets)
      .submit();
  const auto [cells, characters] = query.result_buffer_elements()["name"];
  std::cout << what << ":";
  for (const auto& name : tiledb::group_by_cell<char, std::string>(offsets, names, cells, characters))
    std::cout << " " << name;
  std::cout << "\n";
}

int main() {
  const tiledb::Context ctx;

  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<uint32_t>(ctx, "id", {{1, 1000}}, 10));
  tiledb::ArraySchema schema(ctx, TILEDB_SPARSE);
  schema.set_domain(domain)
      .add_attribute(tiledb::Attribute::create<std::string>(ctx, "name"))
      .add_attribute(tiledb::Attribute::create<float>(ctx, "price"))
      .add_attribute(tiledb::Attribute::create<std::string>(ctx, "colour").set_nullable(true));
  tiledb::Array::create("fruit", schema);
  {
    std::vector<uint32_t> ids = {1, 2, 3, 4, 5};
    auto [name_offsets, names] =
        tiledb::ungroup_var_buffer<std::string>({"apple", "banana", "cherry", "kiwi", "lemon"});
    auto [colour_offsets, colours] = tiledb::ungroup_var_buffer<std::string>({"red", "yellow", "red", "", "yellow"});
    std::vector<uint8_t> colour_validity = {1, 1, 1, 0, 1};
    std::vector<float> prices = {0.5F, 0.3F, 4.0F, 0.8F, 0.6F};
    tiledb::Array array(ctx, "fruit", TILEDB_WRITE);
    tiledb::Query query(array);
    query.set_layout(TILEDB_UNORDERED)
        .set_data_buffer("id", ids)
        .set_data_buffer("name", names)
        .set_offsets_buffer("name", name_offsets)
        .set_data_buffer("price", prices)
        .set_data_buffer("colour", colours)
        .set_offsets_buffer("colour", colour_offsets)
        .set_validity_buffer("colour", colour_validity)
        .submit();
  }

  const auto cheap = QueryCondition::create(ctx, "price", 0.55F, TILEDB_LT);
  const auto red = QueryCondition::create(ctx, "colour", "red", TILEDB_EQ);
  print(ctx, "cheap", cheap);
  print(ctx, "red and cheap", red.combine(cheap, TILEDB_AND));
  print(ctx, "red or cheap", red.combine(cheap, TILEDB_OR));
  print(ctx, "not cheap", cheap.negate());
  QueryCondition unknown(ctx);
  unknown.init("colour", nullptr, 0, TILEDB_EQ);
  print(ctx, "of unknown colour", unknown);
  const std::vector<std::string> wanted = {"lemon", "cherry", "mango"};
  print(ctx, "on the list", tiledb::QueryConditionExperimental::create(ctx, "name", wanted, TILEDB_IN));

  // A delete takes a condition too.
  {
    tiledb::Array array(ctx, "fruit", TILEDB_DELETE);
    tiledb::Query(array).set_condition(cheap).submit();
  }
  print(ctx, "left after the cheap ones are deleted", QueryCondition::create(ctx, "id", uint32_t{0}, TILEDB_GT));
}
