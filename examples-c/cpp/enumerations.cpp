/*
 * Enumerations: an attribute whose cells are small numbers that stand for words.
 *
 * Cells take one byte however long the words are, conditions are written with the words, and words can be added later.
 */
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>
#include <vector>

using namespace tiledb;

static const std::string uri = "weather";

static void create(const Context& ctx) {
  std::vector<std::string> words{"sun", "clouds", "rain"};
  const auto sky = Enumeration::create(ctx, "sky", words);

  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(Domain(ctx).add_dimension(Dimension::create<int32_t>(ctx, "day", {{1, 7}}, 7)));
  ArraySchemaExperimental::add_enumeration(ctx, schema, sky);
  auto attribute = Attribute::create<uint8_t>(ctx, "sky");
  AttributeExperimental::set_enumeration_name(ctx, attribute, sky.name());
  schema.add_attribute(attribute);
  Array::create(uri, schema);
}

static Enumeration words_of(const Context& ctx) {
  return ArraySchemaExperimental::get_enumeration_from_attribute_name(ctx, ArraySchema(ctx, uri), "sky");
}

/* Writes words: each becomes its place in the enumeration. */
static void write(const Context& ctx, int32_t first, const std::vector<std::string_view>& days) {
  Enumeration words = words_of(ctx);
  std::vector<uint8_t> cells;
  for (const std::string_view day : days)
    cells.push_back(static_cast<uint8_t>(words.index_of(day).value()));
  Array array(ctx, uri, TILEDB_WRITE);
  Query query(ctx, array);
  query.set_subarray(Subarray(ctx, array).add_range(0, first, first + static_cast<int32_t>(days.size()) - 1));
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("sky", cells).submit();
}

/* Prints the words of the days that a condition lets through; cells of other days read as the fill value, 255. */
static void read(const Context& ctx, const std::string& title, const QueryCondition* condition = nullptr) {
  const Array array(ctx, uri, TILEDB_READ);
  const auto words = words_of(ctx).as_vector<std::string>();
  std::vector<uint8_t> cells(7);
  Query query(ctx, array);
  query.set_subarray(Subarray(ctx, array).add_range(0, 1, 7)).set_layout(TILEDB_ROW_MAJOR);
  if (condition != nullptr)
    query.set_condition(*condition);
  query.set_data_buffer("sky", cells).submit();
  std::cout << title;
  for (const uint8_t cell : cells)
    std::cout << ' ' << (cell < words.size() ? words[cell] : "-");
  std::cout << '\n';
}

int main() {
  Context ctx;
  create(ctx);
  write(ctx, 1, {"sun", "sun", "rain", "clouds", "rain"});
  read(ctx, "All days: ");
  const auto rainy = QueryCondition::create(ctx, "sky", std::string("rain"), TILEDB_EQ);
  read(ctx, "Rainy days:", &rainy);

  // A word the enumeration lacks has no place in it, until the schema evolves.
  std::cout << "Snow is " << (words_of(ctx).index_of(std::string_view("snow")) ? "known" : "not known") << '\n';
  std::vector<std::string> more{"snow"};
  ArraySchemaEvolution(ctx).extend_enumeration(words_of(ctx).extend(more)).array_evolve(uri);
  write(ctx, 6, {"snow", "snow"});
  read(ctx, "All days: ");
  const auto wet = QueryConditionExperimental::create(ctx, "sky", std::vector<std::string>{"rain", "snow"}, TILEDB_IN);
  read(ctx, "Wet days: ", &wet);

  std::cout << '\n' << words_of(ctx);
  return 0;
}
