/* Arrays: life, times, encryption, upkeep, domains, metadata. */
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>

#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

static ArraySchema schema(const Context& ctx) {
  ArraySchema schema(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "x", {{1, 100}}, 10));
  domain.add_dimension(Dimension::create<int32_t>(ctx, "y", {{1, 100}}, 10));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  return schema;
}

/* Writes one cell to an array that is open for writing; where its fragment is. */
static std::string write(Array& array, int32_t x, int32_t y, int32_t value) {
  Query query(array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("x", &x, 1).set_data_buffer("y", &y, 1);
  query.set_data_buffer("a", &value, 1).submit();
  return query.fragment_uri(0);
}

static std::string write(const Context& ctx, const std::string& uri, int32_t x, uint64_t time) {
  Array array(ctx, uri, TILEDB_WRITE, {TimeTravel, time});
  return write(array, x, 2 * x, static_cast<int32_t>(time));
}

static uint64_t cells(Array& array) {
  std::vector<int32_t> values(10);
  Query query(array);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("a", values).submit();
  return query.result_buffer_elements()["a"].second;
}

static void life(const Context& ctx) {
  Array::create(ctx, "life", schema(ctx));
  expect_throw<TileDBError>([&] { Array::create("life", schema(ctx)); });
  Array::create("other", schema(ctx));
  expect_throw<TileDBError>([&] { Array(ctx, "nothing", TILEDB_READ); });
  expect_throw<TileDBError>([&] { Array(ctx, static_cast<tiledb_array_t*>(nullptr)); }, "null");

  Array array(ctx, "life", TILEDB_READ);
  assert(array.is_open() && array.uri().find("life") != std::string::npos && &array.context() == &ctx);
  assert(array.query_type() == TILEDB_READ && array.schema().has_attribute("a") && array.ptr() != nullptr);
  array.close();
  assert(!array.is_open());
  Config config;
  config["sm.memory_budget"] = "1000000";
  array.set_config(config);
  assert(array.config().get("sm.memory_budget") == "1000000");
  array.open(TILEDB_WRITE);
  assert(array.query_type() == TILEDB_WRITE);

  // Copies share the handle: the first that ends closes the array.
  {
    Array copy(array);
    assert(copy.is_open());
  }
  assert(!array.is_open());
  array.open(TILEDB_READ);
  // What was moved from is good for assignment, and ends quietly.
  Array moved(std::move(array));
  assert(moved.is_open());
  array = moved;
  assert(array.is_open());
  moved = Array(ctx, "other", TILEDB_READ);
  assert(moved.uri().find("other") != std::string::npos);
  moved.close();

  // An array of the C interface, borrowed, given away, and configured.
  tiledb_array_t* raw = nullptr;
  assert(tiledb_array_alloc(ctx.ptr().get(), "life", &raw) == TILEDB_OK);
  { Array configured(ctx, raw, config.ptr().get()); }
  { Array borrowed(ctx, raw, false); borrowed.open(TILEDB_READ); }
  Array owned(ctx, raw);
  assert(owned.is_open() && owned.config().get("sm.memory_budget") == "1000000");
  assert(owned.schema().domain().ndim() == 2);

  assert(Array::load_schema(ctx, "life").array_type() == TILEDB_SPARSE);
  assert(Array::load_schema_with_config(ctx, config, "life").attribute_num() == 1);
  Array::delete_array(ctx, "other");
  assert(Object::object(ctx, "other").type() == Object::Type::Invalid);
}

static void times(const Context& ctx) {
  Array::create(ctx, "times", schema(ctx));
  for (int32_t time = 1; time <= 4; ++time)
    write(ctx, "times", time, static_cast<uint64_t>(time));
  Array array(ctx, "times", TILEDB_READ, {TimeTravel, 2});
  assert(cells(array) == 2 && array.open_timestamp_start() == 0 && array.open_timestamp_end() == 2);
  array.set_open_timestamp_end(3);
  array.reopen();
  assert(cells(array) == 3);
  array.close();
  array.set_open_timestamp_start(2);
  array.open(TILEDB_READ, 3);
  assert(cells(array) == 2 && array.open_timestamp_start() == 2);
  Array between(ctx, "times", TILEDB_READ, TemporalPolicy(TimestampStartEnd, 2, 4));
  assert(cells(between) == 3);
  Array all(ctx, "times", TILEDB_READ, TemporalPolicy());
  assert(cells(all) == 4);
}

static void encryption(const Context& ctx) {
  const std::string key = "0123456789abcdeF0123456789abcdeF";
  Config config;
  config["sm.encryption_type"] = "AES_256_GCM";
  config["sm.encryption_key"] = key;
  Context secret(config);
  Array::create(secret, "secret", schema(secret));
  assert(Array::encryption_type(secret, "secret") == TILEDB_AES_256_GCM);

  const EncryptionAlgorithm algorithm(AESGCM, key.c_str());
  {
    Array array(ctx, "secret", TILEDB_WRITE, {TimeTravel, 1}, algorithm);
    write(array, 1, 1, 1);
  }
  Array array(ctx, "secret", TILEDB_READ, {}, EncryptionAlgorithm(TILEDB_AES_256_GCM, key.c_str()));
  assert(cells(array) == 1);
  array.close();
  array.open(TILEDB_READ, TILEDB_AES_256_GCM, key);
  assert(cells(array) == 1);
  array.close();
  array.open(TILEDB_READ, TILEDB_AES_256_GCM, key, 0);
  assert(cells(array) == 0);
  // The context's key counts, not that of the configuration.
  assert(Array::load_schema_with_config(secret, Config(), "secret").attribute_num() == 1);
  expect_throw<TileDBError>([&] { Array::load_schema_with_config(ctx, config, "secret"); });
  expect_throw<TileDBError>([&] { Array(ctx, "secret", TILEDB_READ, {}, EncryptionAlgorithm()); });
  // The markers are types of their own.
  static_assert(std::is_same_v<decltype(AESGCM), const AESGCMEncryptionTypeMarker>);
  static_assert(std::is_same_v<decltype(TimeTravel), const TimeTravelMarker>);
  static_assert(std::is_same_v<decltype(TimestampStartEnd), const TimestampStartEndMarker>);
}

static uint32_t fragments(const Context& ctx, const std::string& uri) {
  FragmentInfo info(ctx, uri);
  info.load();
  return info.fragment_num();
}

static std::string name(const std::string& uri) {
  return uri.substr(uri.rfind('/') + 1);
}

static void upkeep(const Context& ctx) {
  Array::create(ctx, "upkeep", schema(ctx));
  std::vector<std::string> uris;
  for (uint64_t time = 1; time <= 6; ++time)
    uris.push_back(write(ctx, "upkeep", static_cast<int32_t>(time), time));
  Array::delete_fragments(ctx, "upkeep", 1, 1);
  const char* second[] = {uris[1].c_str()};
  Array::delete_fragments_list(ctx, "upkeep", second, 1);
  assert(fragments(ctx, "upkeep") == 4);
  const std::string third = name(uris[2]), fourth = name(uris[3]);
  const char* two[] = {third.c_str(), fourth.c_str()};
  Array::consolidate(ctx, "upkeep", two, 2);
  assert(fragments(ctx, "upkeep") == 3);
  Array::vacuum(ctx, "upkeep");
  Config config;
  config["sm.consolidation.mode"] = "fragments";
  const auto steps = ArrayExperimental::consolidate_steps(ctx, "upkeep", &config);
  assert(steps.size() == 1 && steps[0].sources.size() == 3 && steps[0].cells == 4 && steps[0].bytes > 0);
  assert(steps[0].sources[2].uri.find(name(uris[5])) != std::string::npos && steps[0].sources[2].made_by == 0);
  expect_throw<TileDBError>(
      [&] { ArrayExperimental::consolidate(ctx, "upkeep", [](uint64_t, uint64_t) { return false; }, &config); });
  assert(fragments(ctx, "upkeep") == 3);
  uint64_t merged = 0;
  const auto on_merged = [&](uint64_t done, uint64_t total) { return merged = done, done <= total; };
  ArrayExperimental::consolidate(ctx, "upkeep", on_merged, &config);
  assert(fragments(ctx, "upkeep") == 1 && merged == 4);
  assert(ArrayExperimental::consolidate_steps(ctx, "upkeep").empty());
  // Of each fragment a folder and a commit, and the file that lists them.
  assert(ArrayExperimental::vacuum_files(ctx, "upkeep").size() == 7);
  expect_throw<TileDBError>(
      [&] { ArrayExperimental::vacuum(ctx, "upkeep", [](uint64_t, uint64_t) { return false; }, &config); });
  uint64_t left = 1;
  ArrayExperimental::vacuum(ctx, "upkeep", [&](uint64_t files, uint64_t total) { return left = total - files, true; });
  assert(left == 0 && ArrayExperimental::vacuum_files(ctx, "upkeep").empty());
  // What a killed writer leaves.
  const std::string orphan = "upkeep/__fragments/__9_9_0123456789abcdef0123456789abcdef_22";
  VFS(ctx).create_dir(orphan);
  VFS(ctx).touch(orphan + "/a0.tdb");
  const auto orphans = ArrayExperimental::orphans(ctx, "upkeep");
  assert(orphans.size() == 1 && orphans[0].find(orphan) != std::string::npos);
  uint64_t swept = 0;
  ArrayExperimental::sweep(ctx, "upkeep", [&](uint64_t done, uint64_t total) { return swept = done, done <= total; });
  assert(swept == 1 && ArrayExperimental::orphans(ctx, "upkeep").empty());
  ArrayExperimental::sweep(ctx, "upkeep");
  Array::vacuum(ctx, "upkeep", &config);
  Array::upgrade_version(ctx, "upkeep");
  Array array(ctx, "upkeep", TILEDB_READ);
  assert(cells(array) == 4);
}

static void domains(const Context& ctx) {
  Array::create(ctx, "domains", schema(ctx));
  {
    Array empty(ctx, "domains", TILEDB_READ);
    assert(empty.non_empty_domain<int32_t>().empty());
    assert(empty.non_empty_domain<int32_t>(0) == std::make_pair(0, 0));
  }
  write(ctx, "domains", 3, 1);
  write(ctx, "domains", 7, 2);
  Array array(ctx, "domains", TILEDB_READ);
  const auto box = array.non_empty_domain<int32_t>();
  assert(box.size() == 2 && box[0].first == "x" && box[0].second == std::make_pair(3, 7));
  assert(box[1].first == "y" && box[1].second == std::make_pair(6, 14));
  assert(array.non_empty_domain<int32_t>(1) == std::make_pair(6, 14));
  assert(array.non_empty_domain<int32_t>("x") == std::make_pair(3, 7));
  expect_throw<TypeError>([&] { array.non_empty_domain<int64_t>(); });
  expect_throw<TypeError>([&] { array.non_empty_domain<float>(0); });
  expect_throw<TypeError>([&] { array.non_empty_domain<uint32_t>("x"); });

  ArraySchema strings(ctx, TILEDB_SPARSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr));
  strings.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  Array::create(ctx, "strings", strings);
  Array texts(ctx, "strings", TILEDB_WRITE);
  assert(Array(ctx, "strings", TILEDB_READ).non_empty_domain_var(0).first.empty());
  std::string names = "elephantzebra";
  std::vector<uint64_t> offsets = {0, 8};
  std::vector<int32_t> values = {1, 2};
  Query query(texts);
  query.set_layout(TILEDB_UNORDERED).set_data_buffer("s", names).set_offsets_buffer("s", offsets);
  query.set_data_buffer("a", values).submit();
  texts.close();
  texts.open(TILEDB_READ);
  const std::pair<std::string, std::string> both("elephant", "zebra");
  assert(texts.non_empty_domain_var(0) == both && texts.non_empty_domain_var("s") == both);
}

static void metadata(const Context& ctx) {
  Array::create(ctx, "meta", schema(ctx));
  for (uint64_t time = 1; time <= 2; ++time) {
    Array array(ctx, "meta", TILEDB_WRITE, {TimeTravel, time});
    const double pi = 3.25;
    array.put_metadata("pi", TILEDB_FLOAT64, 1, &pi);
    array.put_metadata("word", TILEDB_STRING_UTF8, 4, "word");
    if (time == 2)
      array.delete_metadata("word");
    // Leaving the scope stores it without a close.
  }
  Config config;
  Array::consolidate_metadata(ctx, "meta", &config);
  assert(config.get("sm.consolidation.mode") == "array_meta");
  Array::consolidate_metadata(ctx, "meta");

  Array array(ctx, "meta", TILEDB_READ);
  tiledb_datatype_t type = TILEDB_ANY;
  uint32_t num = 0;
  const void* value = nullptr;
  assert(array.metadata_num() == 1 && array.has_metadata("pi", &type) && type == TILEDB_FLOAT64);
  assert(!array.has_metadata("word", &type));
  array.get_metadata("pi", &type, &num, &value);
  assert(num == 1 && *static_cast<const double*>(value) == 3.25);
  array.get_metadata("word", &type, &num, &value);
  assert(value == nullptr);
  std::string key;
  array.get_metadata_from_index(0, &key, &type, &num, &value);
  assert(key == "pi" && type == TILEDB_FLOAT64 && *static_cast<const double*>(value) == 3.25);
  expect_throw<TileDBError>([&] { array.get_metadata_from_index(1, &key, &type, &num, &value); });
}

static void enumerations(const Context& ctx) {
  ArraySchema colours = schema(ctx);
  std::vector<std::string> names = {"red", "green"};
  ArraySchemaExperimental::add_enumeration(ctx, colours, Enumeration::create(ctx, "colour", names));
  Attribute attribute = Attribute::create<uint8_t>(ctx, "c");
  AttributeExperimental::set_enumeration_name(ctx, attribute, "colour");
  colours.add_attribute(attribute);
  Array::create(ctx, "colours", colours);
  auto verified = ArrayExperimental::verify(ctx, "colours", [](const tiledb_rs_finding_t&) { return true; });
  assert(verified.errors + verified.warnings + verified.notes == 0 && verified.files == 2 && verified.tiles == 0);
  expect_throw<TileDBError>(
      [&] { ArrayExperimental::verify(ctx, "nothing", [](const tiledb_rs_finding_t&) { return true; }); });
  std::string orphan = "colours/__fragments/__1_1_0123456789abcdef0123456789abcdef_22";
  VFS(ctx).create_dir(orphan);
  VFS(ctx).touch(orphan + "/a0.tdb");
  int findings = 0;
  auto tell = [&](const tiledb_rs_finding_t& finding) {
    return ++findings < 3 && finding.severity == TILEDB_RS_SEVERITY_NOTE;
  };
  assert(ArrayExperimental::verify(ctx, "colours", tell).notes == 1 && findings == 1);
  expect_throw<TileDBError>(
      [&] { ArrayExperimental::verify(ctx, "colours", [](const tiledb_rs_finding_t&) { return false; }); });
  VFS(ctx).remove_dir(orphan);
  Array array(ctx, "colours", TILEDB_READ);
  assert(ArrayExperimental::get_enumeration(ctx, array, "colour").as_vector<std::string>() == names);
  ArrayExperimental::load_all_enumerations(ctx, array);
  ArrayExperimental::load_enumerations_all_schemas(ctx, array);
  expect_throw<TileDBError>([&] { ArrayExperimental::get_enumeration(ctx, array, "size"); });
}

int main() {
  Context ctx;
  life(ctx);
  times(ctx);
  encryption(ctx);
  upkeep(ctx);
  domains(ctx);
  metadata(ctx);
  enumerations(ctx);
  return 0;
}
