/* Query conditions: comparisons, and, or, not, sets, enumerations. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

/* Cells 1 to 6: the number, its word, whether it is even and how it is coloured; nobody knows the word of 6. */
static void create(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 100}}, 10));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "number"));
  Attribute word = Attribute::create<std::string>(ctx, "word");
  word.set_nullable(true);
  schema.add_attribute(word).add_attribute(Attribute::create<bool>(ctx, "even"));
  std::vector<std::string> names = {"red", "green", "blue"};
  ArraySchemaExperimental::add_enumeration(ctx, schema, Enumeration::create(ctx, "colours", names));
  Attribute colour = Attribute::create<uint8_t>(ctx, "colour");
  AttributeExperimental::set_enumeration_name(ctx, colour, "colours");
  schema.add_attribute(colour);
  Array::create(ctx, "cells", schema);

  Array array(ctx, "cells", TILEDB_WRITE);
  std::vector<int32_t> numbers = {1, 2, 3, 4, 5, 6};
  std::string words = "onetwothreefourfive";
  std::vector<uint64_t> offsets = {0, 3, 6, 11, 15, 19};
  std::vector<uint8_t> validity = {1, 1, 1, 1, 1, 0}, colours = {0, 1, 2, 0, 1, 2};
  bool even[] = {false, true, false, true, false, true};
  Query query(array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("d", numbers).set_data_buffer("number", numbers);
  query.set_data_buffer("word", words).set_offsets_buffer("word", offsets).set_validity_buffer("word", validity);
  query.set_data_buffer("even", even, 6).set_data_buffer("colour", colours).submit();
}

/* The numbers of the cells for which the condition holds, as digits. */
static std::string selected_cells(const Context& ctx, const QueryCondition& condition) {
  Array array(ctx, "cells", TILEDB_READ);
  std::vector<int32_t> numbers(10);
  Query query(array);
  query.set_layout(TILEDB_ROW_MAJOR).set_condition(condition).set_data_buffer("number", numbers);
  assert(query.submit() == Query::Status::COMPLETE);
  std::string digits;
  for (uint64_t i = 0; i < query.result_buffer_elements()["number"].second; ++i)
    digits += std::to_string(numbers[i]);
  return digits;
}

static void comparisons(const Context& ctx) {
  const int32_t three = 3;
  QueryCondition less(ctx);
  less.init("number", &three, sizeof three, TILEDB_LT);
  assert(selected_cells(ctx, less) == "12");
  assert(selected_cells(ctx, QueryCondition::create(ctx, "number", three, TILEDB_GE)) == "3456");
  QueryCondition word(ctx);
  word.init("word", std::string("two"), TILEDB_EQ);
  assert(selected_cells(ctx, word) == "2");
  assert(selected_cells(ctx, QueryCondition::create(ctx, "word", std::string("one"), TILEDB_EQ)) == "1");
  assert(selected_cells(ctx, QueryCondition::create(ctx, "word", "three", TILEDB_EQ)) == "3");
  assert(selected_cells(ctx, QueryCondition::create(ctx, "even", true, TILEDB_EQ)) == "246");
  QueryCondition null(ctx);
  null.init("word", nullptr, 0, TILEDB_EQ);
  assert(selected_cells(ctx, null) == "6");

  assert(selected_cells(ctx, less.combine(word, TILEDB_AND)) == "2");
  assert(selected_cells(ctx, less.combine(null, TILEDB_OR)) == "126");
  assert(selected_cells(ctx, less.negate()) == "3456");
  expect_throw<TileDBError>([&] { less.init("number", &three, sizeof three, TILEDB_GT); });
  expect_throw<TileDBError>([&] { selected_cells(ctx, QueryCondition::create(ctx, "size", three, TILEDB_EQ)); });
  expect_throw<TileDBError>([&] { selected_cells(ctx, QueryCondition::create(ctx, "number", int64_t{3}, TILEDB_EQ)); });
}

static void sets(const Context& ctx) {
  using Experimental = QueryConditionExperimental;
  const std::vector<int32_t> numbers = {2, 5, 9};
  assert(selected_cells(ctx, Experimental::create(ctx, "number", numbers, TILEDB_IN)) == "25");
  const std::vector<std::string> words = {"four", "two", "nine"};
  assert(selected_cells(ctx, Experimental::create(ctx, "word", words, TILEDB_IN)) == "24");
  assert(selected_cells(ctx, Experimental::create(ctx, "word", words, TILEDB_NOT_IN)) == "135");
  assert(selected_cells(ctx, Experimental::create(ctx, "even", std::vector<bool>{true}, TILEDB_IN)) == "246");
  expect_throw<TileDBError>([&] { Experimental::create(ctx, "number", numbers, TILEDB_LT); });

  // An attribute with an enumeration is compared by its values, or by their indexes.
  QueryCondition colour = QueryCondition::create(ctx, "colour", "green", TILEDB_EQ);
  assert(selected_cells(ctx, colour) == "25");
  QueryCondition index = QueryCondition::create(ctx, "colour", uint8_t{1}, TILEDB_EQ);
  QueryConditionExperimental::set_use_enumeration(ctx, index, false);
  assert(selected_cells(ctx, index) == "25");
  assert(selected_cells(ctx, Experimental::create(ctx, "colour", std::vector<std::string>{"red", "blue"}, TILEDB_IN)) ==
         "1346");
}

static void handles(const Context& ctx) {
  const QueryCondition one = QueryCondition::create(ctx, "number", 1, TILEDB_EQ);
  const QueryCondition two = QueryCondition::create(ctx, "number", 2, TILEDB_EQ);
  QueryCondition copy(one);
  assert(copy.ptr() == one.ptr());
  QueryCondition moved(std::move(copy));
  assert(selected_cells(ctx, moved) == "1");
  copy = two;
  assert(selected_cells(ctx, copy) == "2");
  copy = std::move(moved);
  assert(selected_cells(ctx, copy) == "1");
  tiledb_query_condition_t* raw = nullptr;
  assert(tiledb_query_condition_alloc(ctx.ptr().get(), &raw) == TILEDB_OK);
  const QueryCondition owned(ctx, raw);
  assert(owned.ptr().get() == raw);
}

int main() {
  Context ctx;
  create(ctx);
  comparisons(ctx);
  sets(ctx);
  handles(ctx);
  return 0;
}
