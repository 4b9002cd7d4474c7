/**
 * Query conditions: which cells a query gives or deletes.
 */
#ifndef TILEDB_CPP_QUERY_CONDITION_H
#define TILEDB_CPP_QUERY_CONDITION_H

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "context.h"
#include "handle.h"
#include "tiledb.h"

namespace tiledb {

/** A comparison of a field with a value, or comparisons joined by and, or, not. Copies share the handle. */
class QueryCondition {
 public:
  /** A condition that `init` is to be called on. */
  QueryCondition(const Context& ctx) : handle_(Handle::make(ctx, tiledb_query_condition_alloc)) {}

  /** Shares the handle. */
  QueryCondition(const QueryCondition&) = default;

  /** Takes the handle. */
  QueryCondition(QueryCondition&&) = default;

  /** Frees the handle with its last owner. */
  ~QueryCondition() = default;

  /** Takes over a condition of the C interface. */
  QueryCondition(const Context& ctx, tiledb_query_condition_t* const qc) : handle_(ctx, qc) {}

  /** Shares the handle. */
  QueryCondition& operator=(const QueryCondition&) = default;

  /** Takes the handle. */
  QueryCondition& operator=(QueryCondition&&) = default;

  /**
   * Makes it a comparison. It can be made only once.
   *
   * @param attribute_name The field, an attribute or a dimension.
   * @param condition_value The value, of the field's type; null compares with null.
   * @param condition_value_size Its size in bytes.
   * @param op How the field is compared with it.
   */
  void init(const std::string& attribute_name, const void* condition_value, uint64_t condition_value_size,
            tiledb_query_condition_op_t op) {
    handle_.call(tiledb_query_condition_init, attribute_name.c_str(), condition_value, condition_value_size, op);
  }

  /** Makes it a comparison with a text. */
  void init(const std::string& attribute_name, const std::string& condition_value, tiledb_query_condition_op_t op) {
    init(attribute_name, condition_value.data(), condition_value.size(), op);
  }

  /** The handle of the C interface. */
  std::shared_ptr<tiledb_query_condition_t> ptr() const {
    return handle_.ptr();
  }

  /**
   * A condition of two others, which stay as they are.
   *
   * @param rhs The other condition.
   * @param combination_op Whether both must hold, or one.
   */
  QueryCondition combine(const QueryCondition& rhs, tiledb_query_condition_combination_op_t combination_op) const {
    return from(tiledb_query_condition_combine, handle_.ptr().get(), rhs.handle_.ptr().get(), combination_op);
  }

  /** A condition that holds where this does not. */
  QueryCondition negate() const {
    return from(tiledb_query_condition_negate, handle_.ptr().get());
  }

  /** A comparison of a field with a text. */
  static QueryCondition create(const Context& ctx, const std::string& attribute_name, const std::string& value,
                               tiledb_query_condition_op_t op) {
    QueryCondition condition(ctx);
    condition.init(attribute_name, value, op);
    return condition;
  }

  /** A comparison of a field with a value of its type. A `const char*` is a text. */
  template <typename T>
  static QueryCondition create(const Context& ctx, const std::string& attribute_name, T value,
                               tiledb_query_condition_op_t op) {
    if constexpr (std::is_convertible_v<T, std::string>) {
      return create(ctx, attribute_name, std::string(value), op);
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "a condition compares with a text or a plain value");
      QueryCondition condition(ctx);
      condition.init(attribute_name, &value, sizeof(T), op);
      return condition;
    }
  }

 private:
  using Handle = detail::Handle<tiledb_query_condition_t>;

  template <typename... Args>
  QueryCondition from(Args... args) const {
    return {handle_.context(), detail::raw<tiledb_query_condition_t>(handle_.context(), args...)};
  }

  Handle handle_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_QUERY_CONDITION_H
