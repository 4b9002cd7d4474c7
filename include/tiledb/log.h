/**
 * Where the C++ interface tells what it may not throw.
 */
#ifndef TILEDB_CPP_LOG_H
#define TILEDB_CPP_LOG_H

#include <string>

namespace tiledb::impl {

/**
 * Takes a warning where an exception is impossible, as in a destructor. The C interface has no way to log for its
 * callers, and a library does not print: the warning is dropped.
 */
inline void log_warn(const std::string&) noexcept {}

}  // namespace tiledb::impl

#endif  // TILEDB_CPP_LOG_H
