/**
 * Consolidation plans: which fragments to consolidate together.
 */
#ifndef TILEDB_CPP_CONSOLIDATION_PLAN_EXPERIMENTAL_H
#define TILEDB_CPP_CONSOLIDATION_PLAN_EXPERIMENTAL_H

#include <cstdint>
#include <string>

#include "array.h"
#include "context.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** Sets of fragments, each for one call of `Array::consolidate`. Copies share the handle. */
class ConsolidationPlan {
 public:
  /**
   * A plan for an array.
   *
   * @param ctx The context.
   * @param array The array, open for reading.
   * @param fragment_size How large a consolidated fragment should be at most, in bytes.
   */
  ConsolidationPlan(const Context& ctx, const Array& array, uint64_t fragment_size)
      : handle_(Handle::make(ctx, tiledb_consolidation_plan_create_with_mbr, array.ptr().get(), fragment_size)) {}

  /** Shares the handle. */
  ConsolidationPlan(const ConsolidationPlan&) = default;

  /** Takes the handle. */
  ConsolidationPlan(ConsolidationPlan&&) = default;

  /** Shares the handle. */
  ConsolidationPlan& operator=(const ConsolidationPlan&) = default;

  /** Takes the handle. */
  ConsolidationPlan& operator=(ConsolidationPlan&&) = default;

  /** Frees the handle with its last owner. */
  ~ConsolidationPlan() {}

  /** How many sets there are. */
  uint64_t num_nodes() const {
    return handle_.get<uint64_t>(tiledb_consolidation_plan_get_num_nodes);
  }

  /** How many fragments a set has. */
  uint64_t num_fragments(uint64_t node_idx) const {
    return handle_.get<uint64_t>(tiledb_consolidation_plan_get_num_fragments, node_idx);
  }

  /** The name of a fragment of a set. */
  std::string fragment_uri(uint64_t node_idx, uint64_t fragment_idx) const {
    return handle_.text(tiledb_consolidation_plan_get_fragment_uri, node_idx, fragment_idx);
  }

  /** The plan as JSON. */
  std::string dump() const {
    char* json = handle_.get<char*>(tiledb_consolidation_plan_dump_json_str);
    const std::string text = json == nullptr ? "" : json;
    tiledb_consolidation_plan_free_json_str(&json);
    return text;
  }

 private:
  using Handle = detail::Handle<tiledb_consolidation_plan_t>;

  Handle handle_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_CONSOLIDATION_PLAN_EXPERIMENTAL_H
