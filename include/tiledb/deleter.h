/**
 * Frees the handles of the C interface.
 */
#ifndef TILEDB_CPP_DELETER_H
#define TILEDB_CPP_DELETER_H

#include <memory>

#include "context.h"
#include "log.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb::impl {

/**
 * Frees a handle with the function of the C interface that is meant for it; null is let be. The deleter of all
 * `std::shared_ptr`s to handles.
 *
 * It keeps the C context alive as long as the handle: channels and aggregates are freed through it.
 */
class Deleter {
 public:
  /** A deleter for all but channels and aggregates. */
  Deleter() = default;

  /** A deleter for the handles of a context. */
  Deleter(const Context* ctx) : ctx_(ctx == nullptr ? nullptr : ctx->ptr()) {}

  /** Frees it. */
  void operator()(tiledb_vfs_fh_t* p) const {
    if (p != nullptr)
      tiledb_vfs_fh_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_array_t* p) const {
    if (p != nullptr)
      tiledb_array_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_subarray_t* p) const {
    if (p != nullptr)
      tiledb_subarray_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_query_t* p) const {
    if (p != nullptr)
      tiledb_query_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_query_condition_t* p) const {
    if (p != nullptr)
      tiledb_query_condition_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_array_schema_t* p) const {
    if (p != nullptr)
      tiledb_array_schema_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_array_schema_evolution_t* p) const {
    if (p != nullptr)
      tiledb_array_schema_evolution_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_attribute_t* p) const {
    if (p != nullptr)
      tiledb_attribute_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_dimension_t* p) const {
    if (p != nullptr)
      tiledb_dimension_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_dimension_label_t* p) const {
    if (p != nullptr)
      tiledb_dimension_label_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_domain_t* p) const {
    if (p != nullptr)
      tiledb_domain_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_current_domain_t* p) const {
    if (p != nullptr)
      tiledb_current_domain_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_ndrectangle_t* p) const {
    if (p != nullptr)
      tiledb_ndrectangle_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_enumeration_t* p) const {
    if (p != nullptr)
      tiledb_enumeration_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_vfs_t* p) const {
    if (p != nullptr)
      tiledb_vfs_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_filter_t* p) const {
    if (p != nullptr)
      tiledb_filter_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_filter_list_t* p) const {
    if (p != nullptr)
      tiledb_filter_list_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_fragment_info_t* p) const {
    if (p != nullptr)
      tiledb_fragment_info_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_error_t* p) const {
    if (p != nullptr)
      tiledb_error_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_group_t* p) const {
    if (p != nullptr)
      tiledb_group_free(&p);
  }

  /** Frees it. */
  void operator()(tiledb_consolidation_plan_t* p) const {
    if (p != nullptr)
      tiledb_consolidation_plan_free(&p);
  }

  /** Frees it through the context. */
  void operator()(tiledb_query_channel_t* p) const {
    if (p != nullptr)
      tiledb_query_channel_free(ctx_.get(), &p);
  }

  /** Frees it through the context. */
  void operator()(tiledb_channel_operation_t* p) const {
    if (p != nullptr)
      tiledb_aggregate_free(ctx_.get(), &p);
  }

 private:
  std::shared_ptr<tiledb_ctx_t> ctx_;
};

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_DELETER_H
