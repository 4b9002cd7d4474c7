/* Contexts: errors and their handlers, configuration, tags, statistics. */
#include "common.hpp"

#include <cstdio>
#include <string>
#include <tiledb/tiledb>
#include <utility>
#include <vector>

using namespace tiledb;

namespace {

void making() {
  const Context ctx;
  assert(ctx.ptr() != nullptr && ctx.config() == Config());
  Config config;
  config["sm.dedup_coords"] = true;
  assert(Context(config).config() == config);
  config["vfs.s3.sse"] = "no such";
  expect_throw<TileDBError>([&] { Context context{config}; }, "Failed to create context");

  tiledb_ctx_t* handle = nullptr;
  assert(tiledb_ctx_alloc(nullptr, &handle) == TILEDB_OK);
  {
    const Context borrowed(handle, false);
    assert(borrowed.ptr().get() == handle);
  }
  const Context owned(handle);
  assert(owned.config() == Config());
  expect_throw<TileDBError>([] { Context context(nullptr); }, "null");
}

void handlers() {
  Context ctx;
  ctx.handle_error(TILEDB_OK);
  assert(ctx.get_last_error_message().empty());
  assert(Error(ctx).ptr() == nullptr && Error(ctx).error_message().empty());
  expect_throw<TileDBError>([&] { ctx.data_protocol(""); });
  const std::string text = ctx.get_last_error_message();
  assert(!text.empty());
  Error error(ctx);
  assert(error.ptr() != nullptr && error.error_message() == text);
  expect_throw<TileDBError>([&] { ctx.handle_error(TILEDB_ERR); }, text);
  expect_throw<TileDBError>([] { Context::default_error_handler("by default"); }, "by default");

  // A handler that returns lets the call go on; a copy has the handler of its own.
  Context copy = ctx;
  std::vector<std::string> heard;
  assert(&ctx.set_error_handler([&](const std::string& message) { heard.push_back(message); }) == &ctx);
  assert(ctx.data_protocol("") == Context::DataProtocol::v2);
  assert(heard.size() == 1 && heard[0] == text);
  expect_throw<TileDBError>([&] { copy.data_protocol(""); }, text);
  ctx.set_error_handler(nullptr);
  expect_throw<TileDBError>([&] { ctx.handle_error(TILEDB_ERR); }, text);

  // What was moved from is refused by the C interface.
  const Context moved = std::move(copy);
  expect_throw<TileDBError>([&] { copy.cancel_tasks(); });
  moved.cancel_tasks();
}

void write_something(const Context& ctx) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 4}}, 2));
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  Array::create("array", schema);
  std::vector<int32_t> values{1, 2, 3, 4};
  Array array(ctx, "array", TILEDB_WRITE);
  Query query(ctx, array, TILEDB_WRITE);
  query.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("a", values);
  assert(query.submit() == Query::Status::COMPLETE);
}

void the_rest() {
  Context ctx;
  assert(ctx.is_supported_fs(TILEDB_MEMFS));
  ctx.set_tag("key", "value");
  assert(ctx.data_protocol("an_array") == Context::DataProtocol::v2);
  assert(static_cast<int>(Context::DataProtocol::v3) == 1);
  Stats::enable();
  assert(Stats::is_enabled());
  Stats::reset();
  std::string text, raw;
  Stats::dump(&text);
  Stats::raw_dump(&raw);
  assert(!raw.empty());
  Stats::dump(static_cast<std::string*>(nullptr));
  Stats::dump();
  Stats::raw_dump();
  FILE* file = std::fopen("stats.txt", "w");
  assert(file != nullptr);
  Stats::dump(file);
  Stats::raw_dump(file);
  assert(std::ftell(file) >= static_cast<long>(raw.size()));
  assert(std::fclose(file) == 0);
  write_something(ctx);
  assert(ctx.stats().find("Context") != std::string::npos);
  Stats::disable();
  assert(!Stats::is_enabled());
}

}  // namespace

int main() {
  making();
  handlers();
  the_rest();
  return 0;
}
