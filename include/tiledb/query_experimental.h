/**
 * Queries: aggregates, dimension labels, updates, Arrow record batches.
 */
#ifndef TILEDB_CPP_QUERY_EXPERIMENTAL_H
#define TILEDB_CPP_QUERY_EXPERIMENTAL_H

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array_schema_experimental.h"
#include "channel_operation.h"
#include "channel_operator.h"
#include "context.h"
#include "core_interface.h"
#include "dimension_label_experimental.h"
#include "handle.h"
#include "query.h"
#include "query_channel.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "tiledb_rs.h"
#include "type.h"

namespace tiledb {

/** What queries can do that is not yet stable in the C interface. */
class QueryExperimental {
 public:
  /**
   * Adds a value that an update gives to a field. The C interface has no updates yet: submitting them fails.
   *
   * @param ctx The context.
   * @param query A query of type `TILEDB_UPDATE`.
   * @param field_name The field.
   * @param update_value The value, of the field's type; it must live until the query is done.
   * @param update_value_size Its size in bytes.
   */
  static void add_update_value_to_query(const Context& ctx, Query& query, const char* field_name,
                                        const void* update_value, uint64_t update_value_size) {
    detail::call(ctx, tiledb_query_add_update_value, query.ptr().get(), field_name, update_value, update_value_size);
  }

  /** How many fragments have cells in the subarray of the query. */
  static uint64_t get_relevant_fragment_num(Context& ctx, const Query& query) {
    return detail::get<uint64_t>(ctx, tiledb_query_get_relevant_fragment_num, query.ptr().get());
  }

  /** `Query::set_data_buffer`, with dimension labels among the fields. */
  template <typename T>
  static Query& set_data_buffer(Query& query, const std::string& name, std::vector<T>& buf) {
    return set_data_buffer(query, name, buf.data(), static_cast<uint64_t>(buf.size()));
  }

  /** `Query::set_data_buffer`, with dimension labels among the fields. */
  template <typename T>
  static Query& set_data_buffer(Query& query, const std::string& name, T* buff, uint64_t nelements) {
    impl::type_check<std::remove_cv_t<T>>(field_type(query, name));
    return query.set_values(name, const_cast<std::remove_cv_t<T>*>(buff), nelements, sizeof(T));
  }

  /** `Query::set_data_buffer`, with dimension labels among the fields. */
  static Query& set_data_buffer(Query& query, const std::string& name, void* buff, uint64_t nelements) {
    return query.set_values(name, buff, nelements, impl::type_size(field_type(query, name)));
  }

  /** `Query::set_data_buffer`, with dimension labels among the fields. */
  static Query& set_data_buffer(Query& query, const std::string& name, std::string& data) {
    return set_data_buffer(query, name, data.data(), static_cast<uint64_t>(data.size()));
  }

  /** `Query::result_buffer_elements`, with dimension labels among the fields. */
  static std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> result_buffer_elements_labels(
      const Query& query) {
    return query.result_buffer_elements();
  }

  /** `Query::result_buffer_elements_nullable`, with dimension labels among the fields. */
  static std::unordered_map<std::string, std::tuple<uint64_t, uint64_t, uint64_t>>
  result_buffer_elements_nullable_labels(const Query& query) {
    return query.result_buffer_elements_nullable();
  }

  /** The channel of all cells that the query finds. */
  static QueryChannel get_default_channel(const Query& query) {
    return {query.ctx(),
            detail::raw<tiledb_query_channel_t>(query.ctx(), tiledb_query_get_default_channel, query.ptr().get())};
  }

  /**
   * An operator applied to a field, for `QueryChannel::apply_aggregate`.
   *
   * @tparam Op The operator, as `SumOperator`.
   * @param query The query.
   * @param input_field The field.
   */
  template <class Op, std::enable_if_t<std::is_base_of_v<ChannelOperator, Op>, bool> = true>
  static ChannelOperation create_unary_aggregate(const Query& query, const std::string& input_field) {
    return {query.ctx(), detail::raw<tiledb_channel_operation_t>(query.ctx(), tiledb_create_unary_aggregate,
                                                                query.ptr().get(), Op::ptr(), input_field.c_str())};
  }

  /**
   * Gives the results of a read as Arrow record batches.
   *
   * @param query The query, with its subarray, layout and condition, without buffers, not yet submitted.
   * @param stream Room for an `ArrowArrayStream`, to be released by its own callback.
   * @param fields The fields; none for all of them.
   * @param batch_bytes The bytes of a batch, about; 0 for as many as fit well.
   */
  static void query_to_arrow(const Query& query, void* stream, const std::vector<std::string>& fields = {},
                             uint64_t batch_bytes = 0) {
    std::vector<const char*> names;
    for (const std::string& field : fields)
      names.push_back(field.c_str());
    detail::call(query.ctx(), tiledb_rs_query_to_arrow, query.ptr().get(), names.empty() ? nullptr : names.data(),
                 static_cast<uint64_t>(names.size()), batch_bytes, stream);
  }

  /**
   * Submits a read, and tells how many of its steps are done and how many there are, about. `on_progress` is called in this thread
   * and returns true to go on; where it stops the read, that stands where it stood before, and can be submitted again.
   */
  static Query::Status submit(Query& query, std::function<bool(uint64_t, uint64_t)> on_progress) {
    using Told = std::function<bool(uint64_t, uint64_t)>;
    auto tell = [](uint64_t done, uint64_t total, void* data) -> int32_t {
      return (*static_cast<Told*>(data))(done, total) ? 1 : 0;
    };
    detail::call(query.ctx(), tiledb_rs_query_submit, query.ptr().get(), tell, &on_progress);
    return query.query_status();
  }

  /**
   * Writes Arrow record batches.
   *
   * @param query The query, with its layout and subarray, without buffers; one in global order is to be finalized then.
   * @param stream An `ArrowArrayStream`, which is released in every case.
   * @param on_batch Gets the cells that came so far, and returns true to go on.
   * @param batch_bytes The bytes that are gathered before a submit, about; 0 for as many as fit well.
   * @return How many cells there were.
   */
  static uint64_t query_from_arrow(const Query& query, void* stream, std::function<bool(uint64_t)> on_batch = nullptr,
                                   uint64_t batch_bytes = 0) {
    auto tell = [](uint64_t cells, void* data) -> int32_t {
      const auto& told = *static_cast<std::function<bool(uint64_t)>*>(data);
      return !told || told(cells) ? 1 : 0;
    };
    uint64_t cells = 0;
    detail::call(query.ctx(), tiledb_rs_query_from_arrow, query.ptr().get(), stream, batch_bytes, tell, &on_batch,
                 &cells);
    return cells;
  }

 private:
  /** The datatype of a field or a dimension label. */
  static tiledb_datatype_t field_type(const Query& query, const std::string& name) {
    const ArraySchema schema = query.array().schema();
    if (ArraySchemaExperimental::has_dimension_label(query.ctx(), schema, name))
      return ArraySchemaExperimental::dimension_label(query.ctx(), schema, name).label_type();
    return query.field_type(name);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_QUERY_EXPERIMENTAL_H
