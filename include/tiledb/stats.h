/**
 * Statistics of the whole process.
 */
#ifndef TILEDB_CPP_STATS_H
#define TILEDB_CPP_STATS_H

#include <cstdint>
#include <cstdio>
#include <string>

#include "exception.h"
#include "tiledb.h"

namespace tiledb {

/** Counts and times what the library does, in all contexts together. Errors are `TileDBError`s. */
class Stats {
 public:
  /** Begins to count and time. */
  static void enable() {
    check(tiledb_stats_enable());
  }

  /** Ends it; what was counted stays. */
  static void disable() {
    check(tiledb_stats_disable());
  }

  /** Whether counting is on. */
  static bool is_enabled() {
    uint8_t enabled = 0;
    check(tiledb_stats_is_enabled(&enabled));
    return enabled == 1;
  }

  /** Sets all to 0. */
  static void reset() {
    check(tiledb_stats_reset());
  }

  /** Writes what was counted and timed to a file; to the standard output if there is none. */
  static void dump(FILE* out = nullptr) {
    check(tiledb_stats_dump(out));
  }

  /** Gives what was counted and timed as text. */
  static void dump(std::string* out) {
    take(out, tiledb_stats_dump_str);
  }

  /** Writes every counter and timer as JSON to a file; to the standard output if there is none. */
  static void raw_dump(FILE* out = nullptr) {
    check(tiledb_stats_raw_dump(out));
  }

  /** Gives every counter and timer as JSON. */
  static void raw_dump(std::string* out) {
    take(out, tiledb_stats_raw_dump_str);
  }

 private:
  static void check(int rc) {
    if (rc != TILEDB_OK)
      throw TileDBError("[TileDB::C++API] Error: The statistics failed");
  }

  template <typename F>
  static void take(std::string* out, F function) {
    char* text = nullptr;
    check(function(&text));
    if (out != nullptr)
      out->assign(text == nullptr ? "" : text);
    tiledb_stats_free_str(&text);
  }
};

}  // namespace tiledb

#endif  // TILEDB_CPP_STATS_H
