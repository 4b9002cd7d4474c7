/* One operation in a process of its own, so that tools/everyday.sh can tell which functions of the library it calls: those of
 * reads, of writes and of maintenance are to lie apart.
 *
 * usage: everyday FOLDER prepare         makes the arrays that operations work on
 *        everyday FOLDER OPERATION       runs one
 *        everyday FOLDER                 lists the operations */
#include <string.h>
#include <tiledb/tiledb_experimental.h>

#include "common.h"

enum { SIDE = 400, TILE = 100, CELLS = SIDE * SIDE, SPARSE = 80000, TEXT = 8 };

static int32_t xs[SPARSE], ys[SPARSE], numbers[CELLS];
static double reals[CELLS];
static char texts[CELLS * TEXT];
static uint64_t starts[CELLS];
static uint8_t validity[CELLS];

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, int is_var, int is_nullable,
                          tiledb_filter_type_t filter) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    if (is_var)
        check(tiledb_attribute_set_cell_val_num(ctx, attribute, TILEDB_VAR_NUM));
    check(tiledb_attribute_set_nullable(ctx, attribute, (uint8_t)is_nullable));
    if (filter != TILEDB_FILTER_NONE) {
        tiledb_filter_list_t* filters;
        tiledb_filter_t* made;
        check(tiledb_filter_list_alloc(ctx, &filters));
        check(tiledb_filter_alloc(ctx, filter, &made));
        check(tiledb_filter_list_add_filter(ctx, filters, made));
        check(tiledb_attribute_set_filter_list(ctx, attribute, filters));
        tiledb_filter_free(&made);
        tiledb_filter_list_free(&filters);
    }
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

/* An array with the attributes `number`, `real` and a text, and two dimensions, or one of strings. */
static void create(const char* name, tiledb_array_type_t type, tiledb_filter_type_t filter, tiledb_layout_t order, int is_keyed) {
    int32_t range[] = {0, SIDE - 1}, extent = TILE;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    if (is_keyed) {
        add_dimension(domain, "key", TILEDB_STRING_ASCII, NULL, NULL, NULL);
    } else {
        add_dimension(domain, "y", TILEDB_INT32, range, &extent, NULL);
        add_dimension(domain, "x", TILEDB_INT32, range, &extent, NULL);
    }
    check(tiledb_array_schema_alloc(ctx, type, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    add_attribute(schema, "number", TILEDB_INT32, 0, 0, filter);
    add_attribute(schema, "real", TILEDB_FLOAT64, 0, 0, filter);
    add_attribute(schema, "text", TILEDB_STRING_UTF8, 1, 1, filter == TILEDB_FILTER_NONE ? filter : TILEDB_FILTER_ZSTD);
    check(tiledb_array_schema_set_cell_order(ctx, schema, order));
    check(tiledb_array_schema_set_capacity(ctx, schema, 1000));
    check(tiledb_array_create(ctx, at(name), schema));
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
}

static uint64_t sizes[8];

/* Sets the buffers of a write, or of a read of everything. */
static void set_buffers(tiledb_query_t* query, tiledb_array_type_t type, uint64_t cells, int is_keyed) {
    const uint64_t filled[] = {4 * cells, 8 * cells, TEXT * cells, 8 * cells, cells, 4 * cells, 4 * cells};
    memcpy(sizes, filled, sizeof filled);
    check(tiledb_query_set_data_buffer(ctx, query, "number", numbers, &sizes[0]));
    check(tiledb_query_set_data_buffer(ctx, query, "real", reals, &sizes[1]));
    if (is_keyed) {
        check(tiledb_query_set_data_buffer(ctx, query, "key", texts, &sizes[2]));
        check(tiledb_query_set_offsets_buffer(ctx, query, "key", starts, &sizes[3]));
        return;
    }
    check(tiledb_query_set_data_buffer(ctx, query, "text", texts, &sizes[2]));
    check(tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[3]));
    check(tiledb_query_set_validity_buffer(ctx, query, "text", validity, &sizes[4]));
    if (type == TILEDB_SPARSE) {
        check(tiledb_query_set_data_buffer(ctx, query, "y", ys, &sizes[5]));
        check(tiledb_query_set_data_buffer(ctx, query, "x", xs, &sizes[6]));
    }
}

/* The cells of a write: `step` lets sparse fragments overlap, 0 gives them in order; each text comes `repeats` times. */
static void fill(uint64_t step, uint64_t repeats) {
    for (uint64_t i = 0; i < CELLS; i++) {
        char text[TEXT + 1];
        snprintf(text, sizeof text, "%08u", (unsigned)(i / repeats));
        memcpy(texts + TEXT * i, text, TEXT);
        numbers[i] = (int32_t)(i / 7), reals[i] = (double)(i % 1000) / 8, starts[i] = TEXT * i, validity[i] = i % 5 != 0;
    }
    for (uint64_t i = 0; i < SPARSE; i++) {
        const uint64_t tile = i / (TILE * TILE), within = i % (TILE * TILE);
        const uint64_t place = step == 0 ? (tile / (SIDE / TILE) * TILE + within / TILE) * SIDE + tile % (SIDE / TILE) * TILE + within % TILE
                                         : (i * 2654435761u + step) % CELLS;
        ys[i] = (int32_t)(place / SIDE), xs[i] = (int32_t)(place % SIDE);
    }
}

static void put(const char* name, tiledb_array_type_t type, tiledb_layout_t layout, uint64_t step, int is_keyed) {
    fill(step, is_keyed ? 1 : 3);
    tiledb_array_t* array = open_array(name, TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    set_buffers(query, type, type == TILEDB_DENSE ? CELLS : SPARSE, is_keyed);
    if (is_keyed) {
        check(tiledb_query_set_data_buffer(ctx, query, "text", texts, &sizes[2]));
        check(tiledb_query_set_offsets_buffer(ctx, query, "text", starts, &sizes[3]));
        sizes[4] = SPARSE;
        check(tiledb_query_set_validity_buffer(ctx, query, "text", validity, &sizes[4]));
    }
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

/* Reads a box of the first `side` coordinates in each dimension from `low` on, with a condition on numbers if there is one. */
static void get(const char* name, tiledb_array_type_t type, tiledb_layout_t layout, int32_t low, int32_t side, int32_t least,
                int is_keyed) {
    tiledb_array_t* array = open_array(name, TILEDB_READ);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    if (!is_keyed) {
        tiledb_subarray_t* subarray;
        const int32_t high = low + side - 1;
        check(tiledb_subarray_alloc(ctx, array, &subarray));
        for (uint32_t dimension = 0; dimension < 2; dimension++)
            check(tiledb_subarray_add_range(ctx, subarray, dimension, &low, &high, NULL));
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        tiledb_subarray_free(&subarray);
    }
    if (least > 0) {
        tiledb_query_condition_t* condition;
        check(tiledb_query_condition_alloc(ctx, &condition));
        check(tiledb_query_condition_init(ctx, condition, "number", &least, sizeof least, TILEDB_GE));
        check(tiledb_query_set_condition(ctx, query, condition));
        tiledb_query_condition_free(&condition);
    }
    tiledb_query_status_t status = TILEDB_INCOMPLETE;
    for (int round = 0; status != TILEDB_COMPLETED && round < 100; round++) {
        set_buffers(query, type, type == TILEDB_DENSE ? CELLS : SPARSE, is_keyed);
        check(tiledb_query_submit(ctx, query));
        check(tiledb_query_get_status(ctx, query, &status));
    }
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

static void aggregate(const char* name, tiledb_layout_t layout) {
    const tiledb_channel_operator_t* maximum;
    tiledb_array_t* array = open_array(name, TILEDB_READ);
    tiledb_query_t* query;
    tiledb_query_channel_t* channel;
    tiledb_channel_operation_t* operation;
    int32_t result;
    uint64_t size = sizeof result;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, layout));
    check(tiledb_query_get_default_channel(ctx, query, &channel));
    check(tiledb_channel_operator_max_get(ctx, &maximum));
    check(tiledb_create_unary_aggregate(ctx, query, maximum, "number", &operation));
    check(tiledb_channel_apply_aggregate(ctx, channel, "max", operation));
    check(tiledb_query_set_data_buffer(ctx, query, "max", &result, &size));
    if (layout == TILEDB_ROW_MAJOR) {
        const int32_t ends[] = {0, SIDE - 1, 0, SIDE - 1};
        tiledb_subarray_t* subarray;
        check(tiledb_subarray_alloc(ctx, array, &subarray));
        check(tiledb_subarray_set_subarray(ctx, subarray, ends));
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        tiledb_subarray_free(&subarray);
    }
    check(tiledb_query_submit(ctx, query));
    tiledb_aggregate_free(ctx, &operation);
    tiledb_query_channel_free(ctx, &channel);
    tiledb_query_free(&query);
    close_array(array);
}

static void consolidate(const char* name, const char* mode, int then_vacuum) {
    tiledb_config_t* config;
    tiledb_error_t* error;
    check(tiledb_config_alloc(&config, &error));
    check(tiledb_config_set(config, "sm.consolidation.mode", mode, &error));
    check(tiledb_config_set(config, "sm.vacuum.mode", mode, &error));
    check(tiledb_array_consolidate(ctx, at(name), config));
    if (then_vacuum)
        check(tiledb_array_vacuum(ctx, at(name), config));
    tiledb_config_free(&config);
}

static void with_metadata(int is_write) {
    tiledb_array_t* array = open_array("dense", is_write ? TILEDB_WRITE : TILEDB_READ);
    for (int32_t i = 0; i < 100; i++) {
        char key[16];
        const void* value;
        tiledb_datatype_t type;
        uint32_t count;
        snprintf(key, sizeof key, "key%d", i);
        if (is_write)
            check(tiledb_array_put_metadata(ctx, array, key, TILEDB_INT32, 1, &i));
        else
            check(tiledb_array_get_metadata(ctx, array, key, &type, &count, &value));
    }
    close_array(array);
}

static void with_group(int is_write) {
    tiledb_group_t* group;
    uint64_t count;
    if (is_write)
        check(tiledb_group_create(ctx, at("group")));
    check(tiledb_group_alloc(ctx, at("group"), &group));
    check(tiledb_group_open(ctx, group, is_write ? TILEDB_WRITE : TILEDB_READ));
    if (is_write)
        check(tiledb_group_add_member(ctx, group, "mem://dense", 0, "dense"));
    else
        check(tiledb_group_get_member_count(ctx, group, &count));
    check(tiledb_group_close(ctx, group));
    tiledb_group_free(&group);
}

static void fragment_info(void) {
    tiledb_fragment_info_t* info;
    uint32_t count;
    check(tiledb_fragment_info_alloc(ctx, at("overlapping"), &info));
    check(tiledb_fragment_info_load(ctx, info));
    check(tiledb_fragment_info_get_fragment_num(ctx, info, &count));
    tiledb_fragment_info_free(&info);
}

static void load_schema(void) {
    tiledb_array_schema_t* schema;
    check(tiledb_array_schema_load(ctx, at("dense"), &schema));
    tiledb_array_schema_free(&schema);
}

/* Operations change what `prepare` made: each gets a copy. */
static const char* const operations[] = {
    "context",        "create_dense",      "create_sparse",      "load_schema",      "open",           "fragment_info",
    "write_dense",    "write_dense_plain", "write_sparse",       "write_plain",      "write_ordered",  "write_hilbert",
    "write_keys",     "read_dense",        "read_dense_plain",   "read_columns",     "read_slice",     "read_condition",
    "read_sparse",    "read_plain",        "read_global",        "read_rows",        "read_merged",    "read_box",
    "read_keys",      "read_keys_ordered", "read_few",           "aggregate_dense",  "aggregate",      "put_metadata",
    "get_metadata",   "create_group",      "read_group",         "consolidate",      "consolidate_dense", "consolidate_commits",
    "consolidate_metadata"};

static int is(const char* operation, const char* name) { return strcmp(operation, name) == 0; }

static int run(const char* operation) {
    const tiledb_array_type_t dense = TILEDB_DENSE, sparse = TILEDB_SPARSE;
    if (is(operation, "context")) return 0;
    if (is(operation, "create_dense")) return create("new", dense, TILEDB_FILTER_ZSTD, TILEDB_ROW_MAJOR, 0), 0;
    if (is(operation, "create_sparse")) return create("new", sparse, TILEDB_FILTER_ZSTD, TILEDB_ROW_MAJOR, 0), 0;
    if (is(operation, "load_schema")) return load_schema(), 0;
    if (is(operation, "open")) return close_array(open_array("dense", TILEDB_READ)), 0;
    if (is(operation, "fragment_info")) return fragment_info(), 0;
    if (is(operation, "write_dense")) return put("dense", dense, TILEDB_ROW_MAJOR, 0, 0), 0;
    if (is(operation, "write_dense_plain")) return put("dense_plain", dense, TILEDB_ROW_MAJOR, 0, 0), 0;
    if (is(operation, "write_sparse")) return put("sparse", sparse, TILEDB_UNORDERED, 1, 0), 0;
    if (is(operation, "write_plain")) return put("plain", sparse, TILEDB_UNORDERED, 1, 0), 0;
    if (is(operation, "write_ordered")) return put("sparse", sparse, TILEDB_GLOBAL_ORDER, 0, 0), 0;
    if (is(operation, "write_hilbert")) return put("hilbert", sparse, TILEDB_UNORDERED, 1, 0), 0;
    if (is(operation, "write_keys")) return put("keys", sparse, TILEDB_UNORDERED, 1, 1), 0;
    if (is(operation, "read_dense")) return get("dense", dense, TILEDB_ROW_MAJOR, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_dense_plain")) return get("dense_plain", dense, TILEDB_ROW_MAJOR, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_columns")) return get("dense", dense, TILEDB_COL_MAJOR, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_slice")) return get("dense", dense, TILEDB_ROW_MAJOR, 20, 16, 0, 0), 0;
    if (is(operation, "read_condition")) return get("dense", dense, TILEDB_ROW_MAJOR, 0, SIDE, 2000, 0), 0;
    if (is(operation, "read_sparse")) return get("sparse", sparse, TILEDB_UNORDERED, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_plain")) return get("plain", sparse, TILEDB_UNORDERED, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_global")) return get("sparse", sparse, TILEDB_GLOBAL_ORDER, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_rows")) return get("sparse", sparse, TILEDB_ROW_MAJOR, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_merged")) return get("overlapping", sparse, TILEDB_UNORDERED, 0, SIDE, 0, 0), 0;
    if (is(operation, "read_box")) return get("sparse", sparse, TILEDB_UNORDERED, 20, 40, 0, 0), 0;
    if (is(operation, "read_keys")) return get("keys", sparse, TILEDB_UNORDERED, 0, 0, 0, 1), 0;
    if (is(operation, "read_keys_ordered")) return get("keys", sparse, TILEDB_ROW_MAJOR, 0, 0, 0, 1), 0;
    if (is(operation, "read_few")) return get("sparse", sparse, TILEDB_UNORDERED, 0, SIDE, 2000, 0), 0;
    if (is(operation, "aggregate_dense")) return aggregate("dense", TILEDB_ROW_MAJOR), 0;
    if (is(operation, "aggregate")) return aggregate("sparse", TILEDB_UNORDERED), 0;
    if (is(operation, "put_metadata")) return with_metadata(1), 0;
    if (is(operation, "get_metadata")) return with_metadata(0), 0;
    if (is(operation, "create_group")) return check(tiledb_object_remove(ctx, at("group"))), with_group(1), 0;
    if (is(operation, "read_group")) return with_group(0), 0;
    if (is(operation, "consolidate")) return consolidate("overlapping", "fragments", 1), 0;
    if (is(operation, "consolidate_dense")) return consolidate("dense", "fragments", 1), 0;
    if (is(operation, "consolidate_commits")) return consolidate("overlapping", "commits", 1), 0;
    if (is(operation, "consolidate_metadata")) return consolidate("overlapping", "fragment_meta", 1), 0;
    return 2;
}

static void prepare(void) {
    create("dense", TILEDB_DENSE, TILEDB_FILTER_ZSTD, TILEDB_ROW_MAJOR, 0);
    create("dense_plain", TILEDB_DENSE, TILEDB_FILTER_NONE, TILEDB_ROW_MAJOR, 0);
    create("sparse", TILEDB_SPARSE, TILEDB_FILTER_ZSTD, TILEDB_ROW_MAJOR, 0);
    create("plain", TILEDB_SPARSE, TILEDB_FILTER_NONE, TILEDB_ROW_MAJOR, 0);
    create("hilbert", TILEDB_SPARSE, TILEDB_FILTER_ZSTD, TILEDB_HILBERT, 0);
    create("overlapping", TILEDB_SPARSE, TILEDB_FILTER_ZSTD, TILEDB_ROW_MAJOR, 0);
    create("keys", TILEDB_SPARSE, TILEDB_FILTER_ZSTD, TILEDB_ROW_MAJOR, 1);
    put("dense", TILEDB_DENSE, TILEDB_ROW_MAJOR, 0, 0);
    put("dense", TILEDB_DENSE, TILEDB_ROW_MAJOR, 0, 0);
    put("dense_plain", TILEDB_DENSE, TILEDB_ROW_MAJOR, 0, 0);
    put("sparse", TILEDB_SPARSE, TILEDB_UNORDERED, 1, 0);
    put("plain", TILEDB_SPARSE, TILEDB_UNORDERED, 1, 0);
    put("keys", TILEDB_SPARSE, TILEDB_UNORDERED, 1, 1);
    for (uint64_t i = 0; i < 5; i++)
        put("overlapping", TILEDB_SPARSE, TILEDB_UNORDERED, 1 + i, 0);
    with_metadata(1);
    with_group(1);
}

int main(int count, char** arguments) {
    if (count == 2) {
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            puts(operations[i]);
        return 0;
    }
    if (count != 3)
        return 2;
    folder = arguments[1];
    int32_t version[3];
    tiledb_config_t* config;
    tiledb_error_t* error;
    tiledb_version(&version[0], &version[1], &version[2]);
    check(tiledb_config_alloc(&config, &error));
    check(tiledb_config_set(config, "sm.io_concurrency_level", "2", &error));
    check(tiledb_ctx_alloc(config, &ctx));
    tiledb_config_free(&config);
    const int code = is(arguments[2], "prepare") ? (prepare(), 0) : run(arguments[2]);
    tiledb_ctx_free(&ctx);
    return code;
}
