// Members of the C++ interface that libtiledb 2.31 adds, on arrays of both format versions, and calls that its headers make
// otherwise. tools/clients/headers.sh compiles this against the headers of 2.31; those of other releases lack the members.
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>
#include <vector>

using namespace tiledb;

static void check(bool is_right, const std::string& what) {
    if (!is_right)
        throw std::runtime_error(what);
}

static void write(const Context& ctx, const std::string& uri) {
    Domain domain(ctx);
    domain.add_dimension(Dimension::create<int32_t>(ctx, "d", {{1, 100}}, 10));
    domain.add_dimension(Dimension::create(ctx, "s", TILEDB_STRING_ASCII, nullptr, nullptr));
    ArraySchema schema(ctx, TILEDB_SPARSE);
    schema.set_domain(domain).set_capacity(2).add_attribute(Attribute::create<int32_t>(ctx, "a"));
    Array::create(ctx, uri, schema);
    Array array(ctx, uri, TILEDB_WRITE);
    std::vector<int32_t> d = {1, 2, 3, 4}, a = {10, 20, 30, 40};
    std::string s = "abbccd";
    std::vector<uint64_t> offsets = {0, 1, 3, 5};
    Query query(ctx, array, TILEDB_WRITE);
    query.set_layout(TILEDB_UNORDERED).set_data_buffer("d", d).set_data_buffer("a", a);
    query.set_data_buffer("s", s).set_offsets_buffer("s", offsets);
    query.submit();
    query.unset_buffers();
}

static void read(const Context& ctx, const std::string& uri) {
    Array array(ctx, uri, TILEDB_READ);
    Query query(ctx, array, TILEDB_READ);
    Subarray subarray(ctx, array);
    subarray.add_range<int32_t>(0, 2, 4);
    std::vector<int32_t> d(4), unused(4);
    std::vector<int64_t> sum(1);
    query.set_layout(TILEDB_UNORDERED).set_subarray(subarray).set_data_buffer("a", unused);
    query.unset_buffers();
    QueryChannel channel = QueryExperimental::get_default_channel(query);
    channel.apply_aggregate("sum", QueryExperimental::create_unary_aggregate<SumOperator>(query, "a"));
    query.set_data_buffer("d", d).set_data_buffer("sum", sum);
    check(query.submit() == Query::Status::COMPLETE, "the read is incomplete");
    check(query.result_buffer_elements()["d"].second == 3 && d[0] == 2 && d[2] == 4, "the cells read");
    check(sum[0] == 90 && unused[0] == 0, "the sum");
}

static void bounds(const Context& ctx, const std::string& uri, bool has_bounds) {
    FragmentInfo info(ctx, uri);
    info.load();
    try {
        const auto lower = info.global_order_lower_bound(0, 1), upper = info.global_order_upper_bound(0, 1);
        int32_t first = 0, last = 0;
        std::memcpy(&first, lower.at(0).data(), sizeof first);
        std::memcpy(&last, upper.at(0).data(), sizeof last);
        check(first == 3 && last == 4, "the bounds of a tile");
        check(std::string(lower.at(1).begin(), lower.at(1).end()) == "cc", "the text of a bound");
        check(has_bounds, "bounds in version 22");
    } catch (const TileDBError&) {
        check(!has_bounds, "no bounds in version 23");
    }
}

int main() {
    Config newer;
    newer["sm.write_format_version"] = "23";
    const Context ctx, ctx_23(newer);
    write(ctx, "array_22");
    write(ctx_23, "array_23");
    for (const std::string uri : {"array_22", "array_23"}) {
        read(ctx, uri);
        bounds(ctx, uri, uri == "array_23");
    }
    Group::create(ctx, "group");
    Group(ctx, "group", TILEDB_WRITE).delete_group("group", true);
    check(Object::object(ctx, "group").type() == Object::Type::Invalid, "a group that was deleted");
    std::cout << "as in 2.31\n";
}
