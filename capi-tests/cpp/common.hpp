/* What the C++ programs share: assertions that are always on, expected exceptions, no handle left at the end. */
#ifndef COMMON_HPP
#define COMMON_HPP

#undef NDEBUG
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_rs.h>

#include <cassert>
#include <cstdio>
#include <exception>
#include <string>
#include <typeinfo>

/* Runs `call`, which must throw an exception of exactly this type whose message contains `text`. */
template <typename Exception, typename Call>
void expect_throw(Call&& call, const std::string& text = "") {
  try {
    call();
  } catch (const std::exception& found) {
    const bool as_expected = typeid(found) == typeid(Exception) && std::string(found.what()).find(text) != std::string::npos;
    if (!as_expected)
      std::fprintf(stderr, "expected: %s %s\nfound:    %s %s\n", typeid(Exception).name(), text.c_str(),
                   typeid(found).name(), found.what());
    assert(as_expected);
    return;
  }
  std::fprintf(stderr, "expected: %s %s\nfound:    no exception\n", typeid(Exception).name(), text.c_str());
  assert(false);
}

/* Every handle of the program must be freed when it ends. */
struct HandlesAtExit {
  ~HandlesAtExit() {
    const auto left = static_cast<unsigned long long>(tiledb_rs_live_handles());
    if (left != 0)
      std::fprintf(stderr, "%llu handles are left\n", left);
    assert(left == 0);
  }
};
inline const HandlesAtExit handles_at_exit;

#endif
