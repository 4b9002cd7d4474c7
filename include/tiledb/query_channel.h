/**
 * Channels: what a query computes of its cells, besides or instead of giving them.
 */
#ifndef TILEDB_CPP_QUERY_CHANNEL_H
#define TILEDB_CPP_QUERY_CHANNEL_H

#include <string>

#include "channel_operation.h"
#include "channel_operator.h"
#include "context.h"
#include "handle.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** A set of aggregates over the cells that a query finds. Copies share the handle. */
class QueryChannel {
 public:
  /** Takes over a channel of the C interface. */
  QueryChannel(const Context& ctx, tiledb_query_channel_t* ch) : handle_(ctx, ch) {}

  /** A channel is of a query; see `QueryExperimental::get_default_channel`. */
  QueryChannel() = delete;

  /** Shares the handle. */
  QueryChannel(const QueryChannel&) = default;

  /** Takes the handle. */
  QueryChannel(QueryChannel&&) = default;

  /** Shares the handle. */
  QueryChannel& operator=(const QueryChannel&) = default;

  /** Takes the handle. */
  QueryChannel& operator=(QueryChannel&&) = default;

  /** Frees the handle with its last owner. */
  ~QueryChannel() = default;

  /**
   * Has the query compute an aggregate. Its result goes to the buffer that is set for the output field.
   *
   * @param output_field A name for the result, other than those of fields.
   * @param operation What is computed.
   * @throws TileDBError if the name is taken or the query was submitted.
   */
  void apply_aggregate(const std::string& output_field, const ChannelOperation& operation) {
    handle_.call(tiledb_channel_apply_aggregate, output_field.c_str(), operation.handle());
  }

 private:
  detail::Handle<tiledb_query_channel_t> handle_;
};

}  // namespace tiledb

#endif  // TILEDB_CPP_QUERY_CHANNEL_H
