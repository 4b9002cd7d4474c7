// The C++ interface as libtiledb 2.18 has it: dense and sparse arrays, strings, nullable cells, conditions, metadata, groups and
// files. tools/clients/headers.sh compiles this against the headers of an older release and runs the binary on both libraries.
#include <iostream>
#include <numeric>
#include <string>
#include <tiledb/tiledb>
#include <tiledb/tiledb_experimental>
#include <vector>

using namespace tiledb;

template <class T>
static void print(const char* name, const std::vector<T>& values) {
    std::cout << name << ":";
    for (const auto& value : values)
        std::cout << ' ' << +value;
    std::cout << '\n';
}

static void dense(const Context& ctx) {
    Domain domain(ctx);
    domain.add_dimension(Dimension::create<int32_t>(ctx, "rows", {{1, 4}}, 2))
        .add_dimension(Dimension::create<int32_t>(ctx, "cols", {{1, 4}}, 2));
    ArraySchema schema(ctx, TILEDB_DENSE);
    FilterList filters(ctx);
    filters.add_filter(Filter(ctx, TILEDB_FILTER_ZSTD).set_option(TILEDB_COMPRESSION_LEVEL, 5));
    schema.set_domain(domain).add_attribute(Attribute::create<int32_t>(ctx, "a", filters));
    schema.set_order({{TILEDB_ROW_MAJOR, TILEDB_COL_MAJOR}});
    Array::create("dense", schema);

    std::vector<int32_t> cells(16), part(4);
    std::iota(cells.begin(), cells.end(), 1);
    Array writer(ctx, "dense", TILEDB_WRITE);
    Query write(ctx, writer, TILEDB_WRITE);
    write.set_layout(TILEDB_ROW_MAJOR).set_data_buffer("a", cells);
    std::cout << "dense write: " << (write.submit() == Query::Status::COMPLETE) << '\n';
    double ratio = 0.25;
    writer.put_metadata("ratio", TILEDB_FLOAT64, 1, &ratio);
    writer.close();

    Array reader(ctx, "dense", TILEDB_READ);
    Subarray subarray(ctx, reader);
    subarray.add_range(0, 2, 3).add_range("cols", 1, 2);
    Query read(ctx, reader, TILEDB_READ);
    read.set_layout(TILEDB_COL_MAJOR).set_subarray(subarray).set_data_buffer("a", part);
    read.submit();
    print("dense read", part);
    tiledb_datatype_t type;
    uint32_t number;
    const void* value;
    reader.get_metadata("ratio", &type, &number, &value);
    std::cout << "ratio: " << *static_cast<const double*>(value) << ", entries: " << reader.metadata_num() << '\n';
    auto loaded = reader.schema();
    std::cout << "schema: " << loaded.domain().dimension("rows").domain_to_str() << ' '
              << loaded.attribute(0).filter_list().nfilters() << ' ' << (loaded.cell_order() == TILEDB_COL_MAJOR) << '\n';
}

static void sparse(const Context& ctx) {
    Domain domain(ctx);
    domain.add_dimension(Dimension::create(ctx, "name", TILEDB_STRING_ASCII, nullptr, nullptr));
    ArraySchema schema(ctx, TILEDB_SPARSE);
    auto size = Attribute::create<uint16_t>(ctx, "size");
    size.set_nullable(true);
    schema.set_domain(domain).add_attribute(size).add_attribute(Attribute::create<std::string>(ctx, "text"));
    schema.set_capacity(3);
    schema.check();
    Array::create("sparse", schema);

    std::string names = "antbeecatdog", texts = "1223334444";
    std::vector<uint64_t> starts = {0, 3, 6, 9}, text_starts = {0, 1, 3, 6};
    std::vector<uint16_t> sizes = {1, 2, 30, 40};
    std::vector<uint8_t> valid = {1, 0, 1, 1};
    Array writer(ctx, "sparse", TILEDB_WRITE);
    Query write(ctx, writer, TILEDB_WRITE);
    write.set_layout(TILEDB_UNORDERED);
    write.set_data_buffer("name", names).set_offsets_buffer("name", starts);
    write.set_data_buffer("text", texts).set_offsets_buffer("text", text_starts);
    write.set_data_buffer("size", sizes).set_validity_buffer("size", valid);
    write.submit();
    write.finalize();
    writer.close();

    Array reader(ctx, "sparse", TILEDB_READ);
    Query read(ctx, reader, TILEDB_READ);
    std::string found(64, '\0'), text(64, '\0');
    std::vector<uint64_t> found_starts(8), found_text_starts(8);
    std::vector<uint16_t> found_sizes(8);
    std::vector<uint8_t> found_valid(8);
    uint16_t least = 2;
    auto condition = QueryCondition::create(ctx, "size", least, TILEDB_GT);
    read.set_condition(condition).set_layout(TILEDB_UNORDERED);
    read.set_data_buffer("name", found).set_offsets_buffer("name", found_starts);
    read.set_data_buffer("text", text).set_offsets_buffer("text", found_text_starts);
    read.set_data_buffer("size", found_sizes).set_validity_buffer("size", found_valid);
    read.submit();
    auto counts = read.result_buffer_elements_nullable();
    found.resize(std::get<1>(counts["name"]));
    text.resize(std::get<1>(counts["text"]));
    found_sizes.resize(std::get<1>(counts["size"]));
    std::cout << "sparse read: " << found << ' ' << text << '\n';
    print("sizes", found_sizes);
    auto filled = reader.non_empty_domain_var(0);
    std::cout << "filled: " << filled.first << " to " << filled.second << '\n';

    Array::consolidate(ctx, "sparse");
    Array::vacuum(ctx, "sparse");
    FragmentInfo info(ctx, "sparse");
    info.load();
    std::cout << "fragments: " << info.fragment_num() << ", cells: " << info.cell_num(0) << '\n';
}

static void others(const Context& ctx) {
    Object object = Object::object(ctx, "sparse");
    std::cout << "object: " << object.to_str().substr(0, 11) << '\n';
    VFS vfs(ctx);
    VFS::filebuf buffer(vfs);
    buffer.open("text.txt", std::ios::out);
    std::ostream(&buffer) << "one line";
    buffer.close();
    std::cout << "file: " << vfs.file_size("text.txt") << " bytes\n";
    vfs.remove_file("text.txt");
    Config config;
    config["sm.tile_upper_memory_limit"] = "1000";
    std::cout << "parameter: " << std::string(config["sm.tile_upper_memory_limit"]) << '\n';
    try {
        Array(ctx, "nowhere", TILEDB_READ);
    } catch (const TileDBError& error) {
        std::cout << "no array: " << (std::string(error.what()).find("does not exist") != std::string::npos) << '\n';
    }
}

int main() {
    Context ctx;
    dense(ctx);
    sparse(ctx);
    others(ctx);
}
