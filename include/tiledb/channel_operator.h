/**
 * Operators of aggregates: how the values of a field become one value.
 */
#ifndef TILEDB_CPP_CHANNEL_OPERATOR_H
#define TILEDB_CPP_CHANNEL_OPERATOR_H

#include "context.h"
#include "query.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

namespace tiledb {

/** What all operators have as their base, for `QueryExperimental::create_unary_aggregate`. */
class ChannelOperator {};

/** The sum: `int64_t`, `uint64_t` or `double` as the field is signed, unsigned or floating. */
class SumOperator : public ChannelOperator {
 public:
  /** The operator of the C interface; it is never freed. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_sum;
  }
};

/** The smallest value, of the field's type. */
class MinOperator : public ChannelOperator {
 public:
  /** The operator of the C interface; it is never freed. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_min;
  }
};

/** The greatest value, of the field's type. */
class MaxOperator : public ChannelOperator {
 public:
  /** The operator of the C interface; it is never freed. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_max;
  }
};

/** The mean, as `double`. */
class MeanOperator : public ChannelOperator {
 public:
  /** The operator of the C interface; it is never freed. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_mean;
  }
};

/** The number of null cells, as `uint64_t`. */
class NullCountOperator : public ChannelOperator {
 public:
  /** The operator of the C interface; it is never freed. */
  static const tiledb_channel_operator_t* ptr() {
    return tiledb_channel_operator_null_count;
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_CHANNEL_OPERATOR_H
