/**
 * Operations of channels: operators applied to fields, and the count of cells.
 */
#ifndef TILEDB_CPP_CHANNEL_OPERATION_H
#define TILEDB_CPP_CHANNEL_OPERATION_H

#include <memory>

#include "channel_operator.h"
#include "context.h"
#include "deleter.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** What a channel computes of the cells of a query, as the sum of a field. Copies share the handle. */
class ChannelOperation {
 public:
  /** No operation; `QueryChannel::apply_aggregate` refuses it. */
  ChannelOperation() = default;

  /** Takes over an operation of the C interface. */
  ChannelOperation(const Context& ctx, tiledb_channel_operation_t* operation)
      : operation_(operation, impl::Deleter(&ctx)) {}

  /** Shares the handle. */
  ChannelOperation(const ChannelOperation&) = default;

  /** Takes the handle. */
  ChannelOperation(ChannelOperation&&) = default;

  /** Shares the handle. */
  ChannelOperation& operator=(const ChannelOperation&) = default;

  /** Takes the handle. */
  ChannelOperation& operator=(ChannelOperation&&) = default;

  /** Frees the handle with its last owner. */
  virtual ~ChannelOperation() = default;

 private:
  friend class QueryChannel;

  /** The operation of the C interface. */
  virtual const tiledb_channel_operation_t* handle() const {
    return operation_.get();
  }

  std::shared_ptr<tiledb_channel_operation_t> operation_;
};

/** The number of cells, as `uint64_t`. */
class CountOperation : public ChannelOperation {
 private:
  /** One for all queries; it is never freed. */
  const tiledb_channel_operation_t* handle() const override {
    return tiledb_aggregate_count;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_CHANNEL_OPERATION_H
