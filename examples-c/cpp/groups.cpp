/* Groups: arrays by names, metadata, and what lies in a folder. */
#include <tiledb/tiledb>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

/* The last part of a URI: the rest differs from machine to machine. */
static std::string last(const std::string& uri) {
  return uri.substr(uri.rfind('/') + 1);
}

static const char* name(tiledb::Object::Type type) {
  return type == tiledb::Object::Type::Array ? "array" : "group";
}

int main() {
  tiledb::Context ctx;

  tiledb::Domain domain(ctx);
  domain.add_dimension(tiledb::Dimension::create<int32_t>(ctx, "x", {{1, 4}}, 4));
  tiledb::ArraySchema schema(ctx, TILEDB_DENSE);
  schema.set_domain(domain).add_attribute(tiledb::Attribute::create<double>(ctx, "value"));

  tiledb::Group::create(ctx, "survey");
  tiledb::Group::create(ctx, "survey/raw");
  tiledb::Array::create("survey/temperature", schema);
  tiledb::Array::create("survey/raw/sensor1", schema);
  tiledb::Array::create("elsewhere", schema);

  // Members are stored when the group is closed.
  {
    tiledb::Group group(ctx, "survey", TILEDB_WRITE);
    group.add_member("temperature", true, "temperature");
    group.add_member("raw", true, "raw data");
    group.add_member("elsewhere", false, "borrowed");
    const std::string author = "Ada";
    group.put_metadata("author", TILEDB_STRING_UTF8, static_cast<uint32_t>(author.size()), author.data());
    const int32_t year = 2024;
    group.put_metadata("year", TILEDB_INT32, 1, &year);
    group.close();
  }

  tiledb::Group group(ctx, "survey", TILEDB_READ);
  std::cout << "members of the group: " << group.member_count() << "\n";
  for (const char* member : {"temperature", "raw data", "borrowed"}) {
    const tiledb::Object object = group.member(member);
    std::cout << "  " << member << ": the " << name(object.type()) << " " << last(object.uri())
              << (group.is_relative(member) ? ", moves with the group\n" : ", lies elsewhere\n");
  }

  tiledb_datatype_t type;
  uint32_t num = 0;
  const void* value = nullptr;
  group.get_metadata("author", &type, &num, &value);
  std::cout << "by " << std::string(static_cast<const char*>(value), num);
  group.get_metadata("year", &type, &num, &value);
  std::cout << ", " << *static_cast<const int32_t*>(value) << "\n";

  // A folder can be walked whether groups know of it or not.
  tiledb::ObjectIter folder(ctx, "survey");
  folder.set_recursive();
  std::vector<std::string> found;
  for (const tiledb::Object& object : folder)
    found.push_back(last(object.uri()) + " (" + name(object.type()) + ")");
  std::sort(found.begin(), found.end());
  std::cout << "objects in the folder:\n";
  for (const std::string& line : found)
    std::cout << "  " << line << "\n";

  tiledb::Object::move(ctx, "elsewhere", "archive");
  tiledb::Object::remove(ctx, "archive");
  std::cout << "after it was moved and removed, " << (tiledb::Object::object(ctx, "archive").type() ==
                                                        tiledb::Object::Type::Invalid ? "nothing" : "something")
            << " is left of elsewhere\n";
}
