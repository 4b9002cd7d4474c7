/**
 * Query conditions: membership in a set of values, and enumerations.
 */
#ifndef TILEDB_CPP_QUERY_CONDITION_EXPERIMENTAL_H
#define TILEDB_CPP_QUERY_CONDITION_EXPERIMENTAL_H

#include <cstdint>
#include <cstddef>
#include <string>
#include <vector>

#include "context.h"
#include "handle.h"
#include "query_condition.h"
#include "tiledb.h"
#include "tiledb_experimental.h"
#include "type.h"

namespace tiledb {

/** What query conditions can do that is not yet stable in the C interface. */
class QueryConditionExperimental {
 public:
  /**
   * A condition on a set of values.
   *
   * @param ctx The context.
   * @param field_name The field.
   * @param values The values, of the field's type.
   * @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
   */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static QueryCondition create(const Context& ctx, const std::string& field_name, const std::vector<T>& values,
                               tiledb_query_condition_op_t op) {
    Members members;
    for (const T value : values)
      members.add(&value, sizeof(T));
    return members.condition(ctx, field_name, op);
  }

  /** A condition on a set of texts. */
  template <typename T, impl::enable_trivial<T>* = nullptr>
  static QueryCondition create(const Context& ctx, const std::string& field_name,
                               const std::vector<std::basic_string<T>>& values, tiledb_query_condition_op_t op) {
    Members members;
    for (const auto& value : values)
      members.add(value.data(), value.size() * sizeof(T));
    return members.condition(ctx, field_name, op);
  }

  /**
   * Says what the values of a condition are where the attribute has an enumeration.
   *
   * @param ctx The context.
   * @param cond The condition.
   * @param use_enumeration True for values of the enumeration, false for their indexes; true unless it is said.
   */
  static void set_use_enumeration(const Context& ctx, QueryCondition& cond, bool use_enumeration) {
    detail::call(ctx, tiledb_query_condition_set_use_enumeration, cond.ptr().get(), use_enumeration ? 1 : 0);
  }

 private:
  /** Values one behind the other, and where each begins. */
  struct Members {
    std::vector<char> data;
    std::vector<uint64_t> offsets;

    void add(const void* value, size_t size) {
      offsets.push_back(data.size());
      const char* bytes = static_cast<const char*>(value);
      data.insert(data.end(), bytes, bytes + size);
    }

    QueryCondition condition(const Context& ctx, const std::string& field, tiledb_query_condition_op_t op) const {
      return {ctx, detail::raw<tiledb_query_condition_t>(
                       ctx, tiledb_query_condition_alloc_set_membership, field.c_str(), data.data(), data.size(),
                       offsets.data(), offsets.size() * sizeof(uint64_t), op)};
    }
  };
};

}  // namespace tiledb

#endif  // TILEDB_CPP_QUERY_CONDITION_EXPERIMENTAL_H
