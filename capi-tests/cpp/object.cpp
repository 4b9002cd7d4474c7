/* Objects and the walk over them. */
#include <tiledb/tiledb>

#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common.hpp"

using namespace tiledb;

static void values() {
  const Object none;
  assert(none.type() == Object::Type::Invalid && none.uri().empty() && !none.name());
  const Object array(Object::Type::Array, "mem://a", "first");
  assert(array.type() == Object::Type::Array && array.uri() == "mem://a" && array.name() == "first");
  const Object from_c(TILEDB_GROUP, "mem://g");
  assert(from_c.type() == Object::Type::Group && !from_c.name());
  assert(Object(TILEDB_INVALID).type() == Object::Type::Invalid);
  assert(Object(TILEDB_ARRAY, "mem://a", "first") == array && array != from_c);
  assert(Object(TILEDB_ARRAY, "mem://a") != array);

  Object copy(array);
  assert(copy == array);
  Object moved(std::move(copy));
  assert(moved == array);
  copy = from_c;
  assert(copy == from_c);
  copy = std::move(moved);
  assert(copy == array);

  assert(array.to_str() == "Obj<ARRAY \"first\" \"mem://a\">");
  assert(none.to_str() == "Obj<INVALID \"\">");
  std::ostringstream printed;
  printed << from_c;
  assert(printed.str() == "Obj<GROUP \"mem://g\">");
}

static void files(Context& ctx) {
  create_group(ctx, "root");
  create_group(ctx, "root/inner");
  ArraySchema schema(ctx, TILEDB_DENSE);
  Domain domain(ctx);
  domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 4}}, 4));
  schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a"));
  Array::create(ctx, "root/array", schema);
  Array::create(ctx, "root/inner/array", schema);

  assert(Object::object(ctx, "root").type() == Object::Type::Group);
  assert(Object::object(ctx, "root/array") == Object(TILEDB_ARRAY, "root/array"));
  assert(Object::object(ctx, "nothing").type() == Object::Type::Invalid);

  ObjectIter direct(ctx, "root");
  std::vector<Object> objects;
  for (const Object& object : direct)
    objects.push_back(object);
  assert(objects.size() == 2);

  ObjectIter deep(ctx, "root");
  deep.set_recursive();
  assert(std::distance(deep.begin(), deep.end()) == 3);
  deep.set_recursive(TILEDB_POSTORDER);
  deep.set_iter_policy(false, true);
  assert(std::distance(deep.begin(), deep.end()) == 2);
  deep.set_iter_policy(true, false);
  assert(std::distance(deep.begin(), deep.end()) == 1);
  assert((*deep.begin()).uri().find("root/inner") != std::string::npos);
  deep.set_non_recursive();
  deep.set_iter_policy(true, true);
  ObjectIter::iterator it = deep.begin();
  assert(it != deep.end() && it.operator->().uri() == (*it).uri());
  ObjectIter::iterator copy(it);
  assert(copy == it);
  ++it;
  assert(copy != it && it != it.end());
  ++it;
  assert(it == it.end() && ++it == deep.end());
  expect_throw<std::out_of_range>([&] { *it; });
  ObjectIter::iterator moved(std::move(copy));
  it = moved;
  assert(it == moved);
  it = ObjectIter::iterator();
  assert(it == deep.end());

  // The iterator's types are those of a forward iterator over objects.
  using Iterator = ObjectIter::iterator;
  static_assert(std::is_same_v<Iterator::iterator_category, std::forward_iterator_tag>);
  static_assert(std::is_same_v<Iterator::value_type, const Object>);
  static_assert(std::is_same_v<Iterator::pointer, const Object*>);
  static_assert(std::is_same_v<Iterator::reference, const Object&>);
  static_assert(std::is_same_v<Iterator::difference_type, std::ptrdiff_t>);
  assert((*Iterator(objects)).uri() == objects[0].uri());

  // The callback by itself.
  std::vector<Object> taken;
  ObjectIter::ObjGetterData data(taken, true, false);
  assert(&data.objs_.get() == &taken && data.array_ && !data.group_);
  assert(ObjectIter::obj_getter("a", TILEDB_ARRAY, &data) == 1);
  assert(ObjectIter::obj_getter("g", TILEDB_GROUP, &data) == 1);
  assert(taken.size() == 1 && taken[0].uri() == "a");

  Object::move(ctx, "root/array", "root/moved");
  assert(Object::object(ctx, "root/array").type() == Object::Type::Invalid);
  assert(Object::object(ctx, "root/moved").type() == Object::Type::Array);
  Object::remove(ctx, "root/moved");
  assert(Object::object(ctx, "root/moved").type() == Object::Type::Invalid);
  expect_throw<TileDBError>([&] { Object::remove(ctx, "root/moved"); });
  expect_throw<TileDBError>([&] { Object::move(ctx, "root/moved", "root/array"); });
}

int main() {
  Context ctx;
  values();
  files(ctx);
  return 0;
}
