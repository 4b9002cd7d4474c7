/*
 * Configurations and errors: parameters and where they come from, exceptions, and error handlers of one's own.
 */
#include <iostream>
#include <map>
#include <string>
#include <tiledb/tiledb>
#include <vector>

using namespace tiledb;

static void parameters() {
  Config config;
  std::cout << "Cells at the same place are dropped by default: " << config.get("sm.dedup_coords") << '\n';
  config["sm.dedup_coords"] = true;
  config["vfs.s3."]["region"] = "eu-north-1";
  config["sm.mem.total_budget"] = 1 << 20;

  // A context takes a copy, and what is made with the context follows it.
  const Context ctx(config);
  std::cout << "In the context: " << ctx.config().get("sm.dedup_coords") << ", with "
            << ctx.config().get("sm.mem.total_budget") << " bytes of memory\n";

  // Parameters can be gone over by the beginning of their names.
  std::cout << "Memory:";
  for (auto parameter = config.begin("sm.mem."); parameter != config.end(); ++parameter)
    if (parameter->first.find('.') == std::string::npos)
      std::cout << ' ' << parameter->first << '=' << parameter->second;
  std::cout << '\n';

  config.save_to_file("parameters.txt");
  std::cout << "From a file: " << (Config(std::string("parameters.txt")) == config ? "the same" : "others") << '\n';
  config.unset("sm.dedup_coords");
  std::cout << "Unset: " << config.get("sm.dedup_coords") << '\n';
}

/* Tells what kind of exception a mistake is. */
template <typename Mistake>
static void attempt(const std::string& what, Mistake mistake) {
  std::cout << what << ":\n  ";
  try {
    mistake();
    std::cout << "no error\n";
  } catch (const TypeError& error) {
    std::cout << "TypeError: " << error.what() << '\n';
  } catch (const TileDBError& error) {
    std::cout << "TileDBError: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cout << "std::exception: " << error.what() << '\n';
  }
}

static void exceptions() {
  const Context ctx;
  attempt("A parameter that is none", [] { Config().get("sm.no_such"); });
  attempt("A value that is none", [] { Config().set("sm.dedup_coords", "perhaps"); });
  attempt("An array that is not there", [&] { ArraySchema(ctx, "mem://absent"); });
  attempt("A dimension of the wrong type",
          [&] { Dimension::create<int32_t>(ctx, "d", {{1, 4}}, 2).domain<double>(); });
  attempt("A fill value of the wrong size", [&] { Attribute::create<int32_t>(ctx, "a").set_fill_value("abc", 3); });
  attempt("A filter option that is none", [&] {
    Filter(ctx, TILEDB_FILTER_GZIP).set_option(TILEDB_SCALE_FLOAT_FACTOR, 0.5);
  });
  std::cout << "The last error of the context:\n  " << Error(ctx).error_message() << '\n';
}

static void handlers() {
  Context ctx;
  std::vector<std::string> heard;
  ctx.set_error_handler([&](const std::string& message) { heard.push_back(message); });

  // A handler that returns lets the program go on: what could not be found out is 0 or empty.
  const ArraySchema schema(ctx, "mem://absent");
  std::cout << "With a handler that returns, an absent array has " << schema.attribute_num() << " attributes and "
            << heard.size() << " errors\n";

  // One that throws decides what is thrown.
  ctx.set_error_handler([](const std::string& message) { throw std::runtime_error("my own: " + message); });
  attempt("With a handler that throws", [&] { ArraySchema(ctx, "mem://absent"); });
}

int main() {
  parameters();
  std::cout << '\n';
  exceptions();
  std::cout << '\n';
  handlers();
  return 0;
}
