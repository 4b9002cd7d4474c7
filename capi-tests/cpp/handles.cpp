/* Strings and handles of the C interface: who owns them, and that each is freed once. */
#include "common.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <tiledb/tiledb_experimental>
#include <type_traits>
#include <utility>

using namespace tiledb;

namespace {

/* A deleter frees the handle, and lets null be. */
template <typename H>
void frees(const impl::Deleter& deleter, H* handle) {
  const uint64_t before = tiledb_rs_live_handles();
  assert(handle != nullptr);
  deleter(handle);
  assert(tiledb_rs_live_handles() == before - 1);
  deleter(static_cast<H*>(nullptr));
}

/* Has a C function make a handle. */
template <typename H, typename F, typename... Args>
H* make(const Context& ctx, F function, Args... args) {
  H* handle = nullptr;
  assert(function(ctx.ptr().get(), args..., &handle) == TILEDB_OK);
  return handle;
}

ArraySchema schema(const Context& ctx) {
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 4}}, 2));
  ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  ArraySchemaExperimental::add_dimension_label(ctx, schema, 0, "l", TILEDB_INCREASING_DATA, TILEDB_INT64);
  return schema;
}

void deleters(const Context& ctx) {
  Array::create("array", schema(ctx));
  tiledb_ctx_t* c = ctx.ptr().get();
  const ArraySchema made = schema(ctx);
  const impl::Deleter plain, deleter(&ctx);

  frees(plain, make<tiledb_array_schema_t>(ctx, tiledb_array_schema_alloc, TILEDB_DENSE));
  frees(plain, make<tiledb_array_schema_evolution_t>(ctx, tiledb_array_schema_evolution_alloc));
  frees(plain, make<tiledb_attribute_t>(ctx, tiledb_attribute_alloc, "a", TILEDB_INT32));
  const int32_t ends[] = {1, 2};
  frees(plain, make<tiledb_dimension_t>(ctx, tiledb_dimension_alloc, "d", TILEDB_INT32, ends, nullptr));
  frees(plain, make<tiledb_dimension_label_t>(ctx, tiledb_array_schema_get_dimension_label_from_name, made.ptr().get(),
                                              "l"));
  frees(plain, make<tiledb_domain_t>(ctx, tiledb_domain_alloc));
  frees(plain, make<tiledb_current_domain_t>(ctx, tiledb_current_domain_create));
  frees(plain, make<tiledb_ndrectangle_t>(ctx, tiledb_ndrectangle_alloc, made.domain().ptr().get()));
  frees(plain, make<tiledb_enumeration_t>(ctx, tiledb_enumeration_alloc, "e", TILEDB_INT32, 1u, 0, nullptr,
                                          uint64_t{0}, nullptr, uint64_t{0}));
  frees(plain, make<tiledb_filter_t>(ctx, tiledb_filter_alloc, TILEDB_FILTER_GZIP));
  frees(plain, make<tiledb_filter_list_t>(ctx, tiledb_filter_list_alloc));
  frees(plain, make<tiledb_fragment_info_t>(ctx, tiledb_fragment_info_alloc, "array"));
  frees(plain, make<tiledb_group_t>(ctx, tiledb_group_alloc, "group"));
  frees(plain, make<tiledb_query_condition_t>(ctx, tiledb_query_condition_alloc));

  assert(tiledb_filter_alloc(c, TILEDB_FILTER_GZIP, nullptr) != TILEDB_OK);
  frees(plain, make<tiledb_error_t>(ctx, tiledb_ctx_get_last_error));

  auto* vfs = make<tiledb_vfs_t>(ctx, tiledb_vfs_alloc, nullptr);
  tiledb_vfs_fh_t* file = nullptr;
  assert(tiledb_vfs_open(c, vfs, "file", TILEDB_VFS_WRITE, &file) == TILEDB_OK);
  assert(tiledb_vfs_close(c, file) == TILEDB_OK);
  frees(plain, file);
  frees(plain, vfs);

  auto* array = make<tiledb_array_t>(ctx, tiledb_array_alloc, "array");
  assert(tiledb_array_open(c, array, TILEDB_READ) == TILEDB_OK);
  frees(plain, make<tiledb_subarray_t>(ctx, tiledb_subarray_alloc, array));
  const auto plan = tiledb_consolidation_plan_create_with_mbr;
  frees(plain, make<tiledb_consolidation_plan_t>(ctx, plan, array, uint64_t{1024}));
  auto* query = make<tiledb_query_t>(ctx, tiledb_query_alloc, array, TILEDB_READ);
  frees(deleter, make<tiledb_query_channel_t>(ctx, tiledb_query_get_default_channel, query));
  frees(deleter, make<tiledb_channel_operation_t>(ctx, tiledb_create_unary_aggregate, query,
                                                  tiledb_channel_operator_sum, "a"));
  frees(plain, query);
  assert(tiledb_array_close(c, array) == TILEDB_OK);
  frees(plain, array);
}

void strings(const Context& ctx) {
  const Enumeration named = Enumeration::create_empty(ctx, "name", TILEDB_INT32, 1);
  const auto name = [&] { return make<tiledb_string_t>(ctx, tiledb_enumeration_get_name, named.ptr().get()); };

  tiledb_string_t* handle = name();
  {
    const impl::CAPIString string(&handle);
    assert(handle == nullptr && string.str() == "name");
  }
  expect_throw<std::invalid_argument>([&] { impl::CAPIString string(&handle); });
  expect_throw<std::invalid_argument>([&] { impl::CAPIString string(nullptr); });
  static_assert(!std::is_copy_constructible_v<impl::CAPIString> && !std::is_move_constructible_v<impl::CAPIString>);
  static_assert(!std::is_copy_assignable_v<impl::CAPIString> && !std::is_move_assignable_v<impl::CAPIString>);

  handle = name();
  assert(impl::convert_to_string(&handle) == "name" && handle == nullptr);
  assert(!impl::convert_to_string(&handle).has_value() && !impl::convert_to_string(nullptr).has_value());
}

/* A handler that returns leaves empty objects, which all functions refuse. */
void empty_objects() {
  Context ctx;
  unsigned count = 0;
  ctx.set_error_handler([&](const std::string&) { count++; });
  const ArraySchema none(ctx, "absent");
  assert(none.ptr() == nullptr && count == 1);
  assert(none.capacity() == 0 && none.attribute_num() == 0 && none.attributes().empty() && count == 4);
  const Domain domain = none.domain();
  assert(domain.ptr() == nullptr && domain.ndim() == 0 && domain.dimensions().empty());
  assert(none.attribute("a").name().empty() && none.attribute(0).filter_list().nfilters() == 0);
  const auto label = ArraySchemaExperimental::dimension_label(ctx, none, "l");
  assert(label.name().empty() && label.uri().empty());
  Enumeration enumeration = ArraySchemaExperimental::get_enumeration_from_name(ctx, none, "e");
  assert(enumeration.as_vector<int>().empty() && !enumeration.index_of(1).has_value());
  assert(!AttributeExperimental::get_enumeration_name(ctx, none.attribute("a")).has_value());
}

/* Handles outlive the context object they were made with as far as the C interface is concerned. */
void late() {
  std::shared_ptr<tiledb_array_schema_t> schema;
  {
    const Context ctx;
    schema = ArraySchema(ctx, TILEDB_SPARSE).ptr();
  }
  assert(tiledb_rs_live_handles() > 0);
}

}  // namespace

int main() {
  const Context ctx;
  deleters(ctx);
  strings(ctx);
  empty_objects();
  late();
  return 0;
}
