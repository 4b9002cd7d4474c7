// The smallest user in C++: versions agree, and a context can be made, with the parameters of a configuration.
#include <cstdio>
#include <tiledb/tiledb>

int main() {
    const auto [major, minor, patch] = tiledb::version();
    if (major != TILEDB_VERSION_MAJOR || minor != TILEDB_VERSION_MINOR || patch != TILEDB_VERSION_PATCH)
        return 1;
    tiledb::Config config;
    config["sm.tile_cache_size"] = "0";
    tiledb::Context ctx(config);
    std::printf("version %d.%d.%d\n", major, minor, patch);
    return 0;
}
