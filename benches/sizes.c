/* Measures how the processor time of each step grows with the size of an object along one dimension: attributes of a schema, ranges of
 * a query, terms of a condition, members of a group, ... The same program runs on either library, whichever the loader finds as
 * libtiledb.so.2.30. It prints a line per step: the case, the step, the size, seconds of processor time.
 *
 * usage: sizes CASE SIZE FOLDER      FOLDER is empty; tools/sizes.py runs all cases and makes a table of them */
#include <string.h>
#include <unistd.h>
#include "common.h"
#include <tiledb/tiledb_experimental.h>
#include <tiledb/tiledb_rs.h>

/* The reference has no such function. */
#pragma weak tiledb_rs_array_verify

static int size;
static const char* what;
static double since;
static char name[64];

static double cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

static void begin(void) { since = cpu(); }

/* Tells what a step took, and begins the next one. */
static void lap(const char* step) {
    printf("%s\t%s\t%d\t%.6f\n", what, step, size, cpu() - since);
    fflush(stdout);
    begin();
}

static void* memory(size_t bytes) {
    void* given = calloc(bytes > 0 ? bytes : 1, 1);
    if (given == NULL)
        exit(1);
    return given;
}

static const char* named(const char* prefix, int number) {
    snprintf(name, sizeof name, "%s%d", prefix, number);
    return name;
}

/* --- small arrays --- */

static tiledb_domain_t* line(tiledb_datatype_t type, const void* range, const void* extent) {
    tiledb_domain_t* domain;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "d", type, range, extent, NULL);
    return domain;
}

static tiledb_array_schema_t* schema_over(tiledb_array_type_t type, tiledb_domain_t* domain) {
    tiledb_array_schema_t* schema;
    check(tiledb_array_schema_alloc(ctx, type, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    tiledb_domain_free(&domain);
    return schema;
}

static tiledb_array_schema_t* sparse_line(void) {
    int64_t range[] = {0, 1000000000}, extent = 1000000;
    tiledb_array_schema_t* schema = schema_over(TILEDB_SPARSE, line(TILEDB_INT64, range, &extent));
    check(tiledb_array_schema_set_allows_dups(ctx, schema, 1));
    return schema;
}

static void add_attribute(tiledb_array_schema_t* schema, const char* given, tiledb_datatype_t type, uint32_t values, const char* enumeration) {
    tiledb_attribute_t* attribute;
    check(tiledb_attribute_alloc(ctx, given, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    if (enumeration != NULL)
        check(tiledb_attribute_set_enumeration_name(ctx, attribute, enumeration));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_attribute_free(&attribute);
}

static void create(const char* array, tiledb_array_schema_t* schema) {
    check(tiledb_array_create(ctx, at(array), schema));
    tiledb_array_schema_free(&schema);
}

static tiledb_query_t* query_of(tiledb_array_t* array, tiledb_query_type_t type) {
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, type, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    return query;
}

/* An array over a line with an attribute `a` of numbers. */
static void create_line(void) {
    tiledb_array_schema_t* schema = sparse_line();
    add_attribute(schema, "a", TILEDB_INT32, 1, NULL);
    create("array", schema);
}

/* Writes cells of that array, from coordinate `first` on; also of another attribute of numbers if it is named. */
static void write_line(int64_t first, int cells, const char* other) {
    tiledb_array_t* handle = open_array("array", TILEDB_WRITE);
    tiledb_query_t* query = query_of(handle, TILEDB_WRITE);
    int64_t* d = memory(sizeof *d * cells);
    int32_t* a = memory(sizeof *a * cells);
    uint64_t d_size = sizeof *d * cells, a_size = sizeof *a * cells;
    for (int i = 0; i < cells; i++)
        d[i] = first + i, a[i] = i;
    check(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size));
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
    if (other != NULL)
        check(tiledb_query_set_data_buffer(ctx, query, other, a, &a_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    close_array(handle);
    free(d), free(a);
}

/* Submits a read of the attribute `a` of at most so many cells. */
static void read_cells(tiledb_query_t* query, int cells) {
    int32_t* a = memory(sizeof *a * cells);
    uint64_t a_size = sizeof *a * cells;
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
    check(tiledb_query_submit(ctx, query));
    free(a);
}

static void verify(const char* array) {
    tiledb_rs_verified_t verified;
    begin();
    if (tiledb_rs_array_verify != NULL)
        check(tiledb_rs_array_verify(ctx, at(array), NULL, NULL, NULL, NULL, &verified));
    lap("verify");
}

/* --- cases --- */

static void attributes(void) {
    tiledb_array_schema_t* schema = sparse_line();
    int32_t has;
    begin();
    for (int i = 0; i < size; i++)
        add_attribute(schema, named("attribute_", i), TILEDB_INT32, 1, NULL);
    lap("add_attribute");
    for (int i = 0; i < size; i++) {
        tiledb_attribute_t* attribute;
        check(tiledb_array_schema_has_attribute(ctx, schema, named("attribute_", i), &has));
        check(tiledb_array_schema_get_attribute_from_name(ctx, schema, name, &attribute));
        tiledb_attribute_free(&attribute);
        check(tiledb_array_schema_get_attribute_from_index(ctx, schema, i, &attribute));
        tiledb_attribute_free(&attribute);
    }
    lap("get_attribute");
    check(tiledb_array_schema_check(ctx, schema));
    lap("check");
    create("attributes", schema);
    lap("create");
    int64_t d[] = {1, 2, 3};
    int32_t* cells = memory(sizeof *cells * 3 * size);
    uint64_t d_size = sizeof d, *sizes = memory(sizeof *sizes * size);
    for (int reads = 0; reads < 2; reads++) {
        tiledb_array_t* array = open_array("attributes", reads ? TILEDB_READ : TILEDB_WRITE);
        tiledb_query_t* query = query_of(array, reads ? TILEDB_READ : TILEDB_WRITE);
        lap(reads ? "open to read" : "open to write");
        check(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size));
        for (int i = 0; i < size; i++) {
            sizes[i] = 12;
            check(tiledb_query_set_data_buffer(ctx, query, named("attribute_", i), cells + 3 * i, sizes + i));
        }
        lap(reads ? "set_data_buffer, read" : "set_data_buffer, write");
        for (int i = 0; i < size; i++) {
            void* data;
            uint64_t* bytes;
            check(tiledb_query_get_data_buffer(ctx, query, named("attribute_", i), &data, &bytes));
        }
        lap("get_data_buffer");
        if (reads) {
            for (int i = 0; i < size; i++) {
                uint64_t bytes;
                tiledb_query_field_t* field;
                check(tiledb_query_get_est_result_size(ctx, query, named("attribute_", i), &bytes));
                check(tiledb_query_get_field(ctx, query, name, &field));
                check(tiledb_query_field_free(ctx, &field));
            }
            lap("get_field, est_result_size");
        }
        check(tiledb_query_submit(ctx, query));
        lap(reads ? "submit read" : "submit write");
        tiledb_query_free(&query);
        close_array(array);
        lap("free, close");
    }
    verify("attributes");
    check(tiledb_array_consolidate(ctx, at("attributes"), NULL));
    lap("consolidate");
    tiledb_array_schema_evolution_t* evolution;
    check(tiledb_array_schema_evolution_alloc(ctx, &evolution));
    for (int i = 0; i < size; i++) {
        tiledb_attribute_t* attribute;
        check(tiledb_attribute_alloc(ctx, named("new_", i), TILEDB_INT32, &attribute));
        check(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute));
        tiledb_attribute_free(&attribute);
        check(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, named("attribute_", i)));
    }
    lap("evolution: add and drop");
    check(tiledb_array_evolve(ctx, at("attributes"), evolution));
    lap("evolve");
    free(cells), free(sizes);
}

static void conditions_of_attributes(void) {
    tiledb_array_schema_t* schema = sparse_line();
    for (int i = 0; i < size; i++)
        add_attribute(schema, i ? named("attribute_", i) : "a", TILEDB_INT32, 1, NULL);
    create("array", schema);
    int64_t d[] = {1, 2, 3};
    int32_t cells[] = {1, 2, 3}, value = 2;
    uint64_t d_size = sizeof d, a_size = sizeof cells;
    tiledb_array_t* array = open_array("array", TILEDB_WRITE);
    tiledb_query_t* query = query_of(array, TILEDB_WRITE);
    check(tiledb_query_set_data_buffer(ctx, query, "d", d, &d_size));
    for (int i = 0; i < size; i++)
        check(tiledb_query_set_data_buffer(ctx, query, i ? named("attribute_", i) : "a", cells, &a_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
    array = open_array("array", TILEDB_READ);
    query = query_of(array, TILEDB_READ);
    tiledb_query_condition_t* all = NULL;
    begin();
    for (int i = 0; i < size; i++) {
        tiledb_query_condition_t *term, *both;
        check(tiledb_query_condition_alloc(ctx, &term));
        check(tiledb_query_condition_init(ctx, term, i ? named("attribute_", i) : "a", &value, sizeof value, TILEDB_LE));
        if (all == NULL) {
            all = term;
            continue;
        }
        check(tiledb_query_condition_combine(ctx, all, term, TILEDB_AND, &both));
        tiledb_query_condition_free(&all);
        tiledb_query_condition_free(&term);
        all = both;
    }
    lap("combine");
    check(tiledb_query_set_condition(ctx, query, all));
    lap("set_condition");
    read_cells(query, 3);
    lap("submit read");
    tiledb_query_condition_free(&all);
    tiledb_query_free(&query);
    close_array(array);
}

static void dimensions(void) {
    tiledb_domain_t* domain;
    tiledb_dimension_t* dimension;
    int32_t range[] = {0, 99}, extent = 10, has;
    check(tiledb_domain_alloc(ctx, &domain));
    begin();
    for (int i = 0; i < size; i++)
        add_dimension(domain, named("dimension_", i), TILEDB_INT32, range, &extent, NULL);
    lap("add_dimension");
    for (int i = 0; i < size; i++) {
        check(tiledb_domain_has_dimension(ctx, domain, named("dimension_", i), &has));
        check(tiledb_domain_get_dimension_from_name(ctx, domain, name, &dimension));
        tiledb_dimension_free(&dimension);
        check(tiledb_domain_get_dimension_from_index(ctx, domain, i, &dimension));
        tiledb_dimension_free(&dimension);
    }
    lap("get_dimension");
    tiledb_array_schema_t* schema = schema_over(TILEDB_SPARSE, domain);
    lap("set_domain");
    create("dimensions", schema);
    lap("create");
    int32_t* cells = memory(sizeof *cells * 3 * size);
    uint64_t* sizes = memory(sizeof *sizes * size);
    for (int reads = 0; reads < 2; reads++) {
        tiledb_array_t* array = open_array("dimensions", reads ? TILEDB_READ : TILEDB_WRITE);
        tiledb_query_t* query = query_of(array, reads ? TILEDB_READ : TILEDB_WRITE);
        lap(reads ? "open to read" : "open to write");
        for (int i = 0; i < size; i++) {
            sizes[i] = 12;
            for (int cell = 0; !reads && cell < 3; cell++)
                cells[3 * i + cell] = cell;
            check(tiledb_query_set_data_buffer(ctx, query, named("dimension_", i), cells + 3 * i, sizes + i));
        }
        lap("set_data_buffer");
        if (reads) {
            tiledb_subarray_t* subarray;
            check(tiledb_subarray_alloc(ctx, array, &subarray));
            lap("subarray_alloc");
            int32_t low = 0, high = 50;
            for (int i = 0; i < size; i++) {
                uint64_t count;
                check(tiledb_subarray_add_range_by_name(ctx, subarray, named("dimension_", i), &low, &high, NULL));
                check(tiledb_subarray_get_range_num_from_name(ctx, subarray, name, &count));
            }
            lap("add_range_by_name");
            check(tiledb_query_set_subarray_t(ctx, query, subarray));
            tiledb_subarray_free(&subarray);
        }
        check(tiledb_query_submit(ctx, query));
        lap(reads ? "submit read" : "submit write");
        if (reads) {
            int32_t is_empty, ends[2];
            for (int i = 0; i < size; i++)
                check(tiledb_array_get_non_empty_domain_from_name(ctx, array, named("dimension_", i), ends, &is_empty));
            lap("get_non_empty_domain");
        }
        tiledb_query_free(&query);
        close_array(array);
    }
    verify("dimensions");
    tiledb_ndrectangle_t* rectangle;
    tiledb_range_t r = {range, sizeof *range, range + 1, sizeof *range};
    schema = NULL;
    check(tiledb_array_schema_load(ctx, at("dimensions"), &schema));
    check(tiledb_array_schema_get_domain(ctx, schema, &domain));
    begin();
    check(tiledb_ndrectangle_alloc(ctx, domain, &rectangle));
    for (int i = 0; i < size; i++) {
        tiledb_range_t back;
        check(tiledb_ndrectangle_set_range_for_name(ctx, rectangle, named("dimension_", i), &r));
        check(tiledb_ndrectangle_get_range_from_name(ctx, rectangle, name, &back));
    }
    lap("ndrectangle");
    free(cells), free(sizes);
}

static void enumerations(void) {
    tiledb_array_schema_t* schema = sparse_line();
    begin();
    for (int i = 0; i < size; i++) {
        tiledb_enumeration_t* enumeration;
        int32_t values[] = {1, 2, i + 3};
        check(tiledb_enumeration_alloc(ctx, named("E", i), TILEDB_INT32, 1, 0, values, sizeof values, NULL, 0, &enumeration));
        check(tiledb_array_schema_add_enumeration(ctx, schema, enumeration));
        tiledb_enumeration_free(&enumeration);
        char attribute[64];
        snprintf(attribute, sizeof attribute, "attribute_%d", i);
        add_attribute(schema, attribute, TILEDB_INT32, 1, name);
    }
    lap("add_enumeration");
    for (int i = 0; i < size; i++) {
        tiledb_enumeration_t* enumeration;
        check(tiledb_array_schema_get_enumeration_from_name(ctx, schema, named("E", i), &enumeration));
        tiledb_enumeration_free(&enumeration);
        check(tiledb_array_schema_get_enumeration_from_attribute_name(ctx, schema, named("attribute_", i), &enumeration));
        tiledb_enumeration_free(&enumeration);
    }
    lap("get_enumeration");
    create("array", schema);
    lap("create");
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    lap("open");
    for (int i = 0; i < size; i++) {
        tiledb_enumeration_t* enumeration;
        check(tiledb_array_get_enumeration(ctx, array, named("E", i), &enumeration));
        tiledb_enumeration_free(&enumeration);
    }
    lap("array_get_enumeration");
    close_array(array);
    array = open_array("array", TILEDB_READ);
    begin();
    check(tiledb_array_load_all_enumerations(ctx, array));
    lap("load_all_enumerations");
    close_array(array);
    verify("array");
    tiledb_array_schema_evolution_t* evolution;
    check(tiledb_array_schema_evolution_alloc(ctx, &evolution));
    begin();
    for (int i = 0; i < size; i++) {
        tiledb_enumeration_t* enumeration;
        int32_t values[] = {1, 2, i + 3};
        check(tiledb_enumeration_alloc(ctx, named("F", i), TILEDB_INT32, 1, 0, values, sizeof values, NULL, 0, &enumeration));
        check(tiledb_array_schema_evolution_add_enumeration(ctx, evolution, enumeration));
        tiledb_enumeration_free(&enumeration);
        if (i > 0)
            check(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, named("attribute_", i)));
        if (i > 0)
            check(tiledb_array_schema_evolution_drop_enumeration(ctx, evolution, named("E", i)));
    }
    lap("evolution: add and drop");
    check(tiledb_array_evolve(ctx, at("array"), evolution));
    lap("evolve");
}

static void members_of_enumerations(void) {
    tiledb_array_schema_t* schema = sparse_line();
    tiledb_enumeration_t *enumeration, *extended;
    int32_t *values = memory(sizeof *values * size), more = size;
    for (int i = 0; i < size; i++)
        values[i] = i;
    begin();
    check(tiledb_enumeration_alloc(ctx, "E", TILEDB_INT32, 1, 0, values, sizeof *values * size, NULL, 0, &enumeration));
    lap("alloc");
    for (int i = 0; i < size; i++) {
        int exist;
        uint64_t index;
        check(tiledb_enumeration_get_value_index(ctx, enumeration, values + i, sizeof *values, &exist, &index));
    }
    lap("get_value_index");
    check(tiledb_enumeration_extend(ctx, enumeration, &more, sizeof more, NULL, 0, &extended));
    lap("extend");
    check(tiledb_array_schema_add_enumeration(ctx, schema, enumeration));
    add_attribute(schema, "a", TILEDB_INT32, 1, "E");
    create("array", schema);
    lap("create");
    write_line(0, size, NULL);
    lap("write");
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    tiledb_query_t* query = query_of(array, TILEDB_READ);
    tiledb_query_condition_t* condition;
    lap("open");
    uint64_t* offsets = memory(sizeof *offsets * size);
    for (int i = 0; i < size; i++)
        offsets[i] = sizeof *values * i;
    check(tiledb_query_condition_alloc_set_membership(ctx, "a", values, sizeof *values * size, offsets, sizeof *offsets * size, TILEDB_IN, &condition));
    check(tiledb_query_set_condition(ctx, query, condition));
    lap("set membership");
    read_cells(query, size);
    lap("submit read");
    close_array(array);
}

static void labels(void) {
    int64_t range[] = {0, 99}, extent = 10;
    tiledb_array_schema_t* schema = schema_over(TILEDB_DENSE, line(TILEDB_INT64, range, &extent));
    add_attribute(schema, "a", TILEDB_INT32, 1, NULL);
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_array_schema_add_dimension_label(ctx, schema, 0, named("label_", i), TILEDB_INCREASING_DATA, TILEDB_FLOAT64));
    lap("add_dimension_label");
    for (int i = 0; i < size; i++) {
        int32_t has;
        tiledb_dimension_label_t* label;
        check(tiledb_array_schema_has_dimension_label(ctx, schema, named("label_", i), &has));
        check(tiledb_array_schema_get_dimension_label_from_name(ctx, schema, name, &label));
        tiledb_dimension_label_free(&label);
    }
    lap("get_dimension_label");
    for (int i = 0; i < size; i++)
        check(tiledb_array_schema_set_dimension_label_tile_extent(ctx, schema, named("label_", i), TILEDB_INT64, &extent));
    lap("set_tile_extent");
    tiledb_array_schema_t* mixed = schema_over(TILEDB_DENSE, line(TILEDB_INT64, range, &extent));
    begin();
    for (int i = 0; i < size; i++) {
        add_attribute(mixed, named("attribute_", i), TILEDB_INT32, 1, NULL);
        check(tiledb_array_schema_add_dimension_label(ctx, mixed, 0, named("label_", i), TILEDB_INCREASING_DATA, TILEDB_FLOAT64));
    }
    lap("add_attribute and add_dimension_label in turn");
    if (size > 2000)
        return; /* Every label is an array. */
    create("array", schema);
    lap("create");
    double values[100];
    int32_t cells[100] = {0};
    uint64_t a_size = sizeof cells, l_size = sizeof values;
    for (int i = 0; i < 100; i++)
        values[i] = i;
    tiledb_array_t* array = open_array("array", TILEDB_WRITE);
    tiledb_query_t* query;
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    lap("open");
    check(tiledb_query_set_data_buffer(ctx, query, "a", cells, &a_size));
    for (int i = 0; i < size; i++)
        check(tiledb_query_set_data_buffer(ctx, query, named("label_", i), values, &l_size));
    lap("set_data_buffer");
    check(tiledb_query_submit(ctx, query));
    lap("submit write");
    close_array(array);
}

static void ranges(void) {
    create_line();
    write_line(0, 3 * size, NULL);
    for (int ways = 0; ways < 3; ways++) {
        tiledb_array_t* array = open_array("array", TILEDB_READ);
        tiledb_query_t* query = query_of(array, TILEDB_READ);
        tiledb_subarray_t* subarray;
        check(tiledb_subarray_alloc(ctx, array, &subarray));
        begin();
        if (ways == 2) {
            int64_t* points = memory(sizeof *points * size);
            for (int i = 0; i < size; i++)
                points[i] = 2 * (int64_t)i;
            check(tiledb_subarray_add_point_ranges(ctx, subarray, 0, points, size));
            free(points);
        } else {
            for (int i = 0; i < size; i++) {
                int64_t low = 2 * (int64_t)(ways ? size - i : i), high = low;
                check(tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL));
            }
        }
        const char* kinds[][3] = {{"add_range", "get_range", "submit read"},
                                  {"add_range, descending", "get_range", "submit read, descending"},
                                  {"add_point_ranges", "get_range", "submit read, points"}};
        lap(kinds[ways][0]);
        uint64_t count;
        check(tiledb_subarray_get_range_num(ctx, subarray, 0, &count));
        for (uint64_t i = 0; i < count; i++) {
            const void *low, *high, *stride;
            check(tiledb_subarray_get_range(ctx, subarray, 0, i, &low, &high, &stride));
        }
        lap(kinds[ways][1]);
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        uint64_t bytes;
        check(tiledb_query_get_est_result_size(ctx, query, "a", &bytes));
        lap("est_result_size");
        read_cells(query, 3 * size);
        lap(kinds[ways][2]);
        tiledb_subarray_free(&subarray);
        tiledb_query_free(&query);
        close_array(array);
    }
}

static void ranges_of_dense(void) {
    int64_t range[] = {0, 2 * (int64_t)size + 999}, extent = 1000;
    tiledb_array_schema_t* schema = schema_over(TILEDB_DENSE, line(TILEDB_INT64, range, &extent));
    add_attribute(schema, "a", TILEDB_INT32, 1, NULL);
    create("array", schema);
    tiledb_array_t* array = open_array("array", TILEDB_WRITE);
    tiledb_query_t* query;
    uint64_t a_size = sizeof(int32_t) * (2 * (uint64_t)size + 1000);
    int32_t* a = memory(a_size);
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
    check(tiledb_query_submit(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
    array = open_array("array", TILEDB_READ);
    tiledb_subarray_t* subarray;
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    begin();
    for (int i = 0; i < size; i++) {
        int64_t low = 2 * (int64_t)i;
        check(tiledb_subarray_add_range(ctx, subarray, 0, &low, &low, NULL));
    }
    lap("add_range");
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    read_cells(query, size);
    lap("submit read");
    close_array(array);
    free(a);
}

/* Terms one after another, each combined with all before, or in a balanced tree. */
static void terms_of(const char* step, int deep, tiledb_query_condition_combination_op_t operator) {
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    tiledb_query_t* query = query_of(array, TILEDB_READ);
    tiledb_query_condition_t** all = memory(sizeof *all * size);
    char text[64];
    begin();
    for (int i = 0; i < size; i++) {
        check(tiledb_query_condition_alloc(ctx, all + i));
        check(tiledb_query_condition_init(ctx, all[i], "a", &i, sizeof i, operator == TILEDB_OR ? TILEDB_EQ : TILEDB_NE));
    }
    for (int left = size, alternate = 0; left > 1; alternate++) {
        int pairs = deep ? 1 : left / 2;
        for (int i = 0; i < pairs; i++) {
            tiledb_query_condition_t *one = all[deep ? 0 : 2 * i], *other = all[deep ? left - 1 : 2 * i + 1], *both;
            tiledb_query_condition_combination_op_t own = deep == 2 && alternate % 2 ? (operator == TILEDB_OR ? TILEDB_AND : TILEDB_OR) : operator;
            check(tiledb_query_condition_combine(ctx, one, other, own, &both));
            tiledb_query_condition_free(&one);
            tiledb_query_condition_free(&other);
            all[i] = both;
        }
        if (!deep && left % 2)
            all[pairs] = all[left - 1];
        left = deep ? left - 1 : pairs + left % 2;
    }
    snprintf(text, sizeof text, "combine, %s", step);
    lap(text);
    check(tiledb_query_set_condition(ctx, query, all[0]));
    snprintf(text, sizeof text, "set_condition, %s", step);
    lap(text);
    read_cells(query, 1000);
    snprintf(text, sizeof text, "submit read, %s", step);
    lap(text);
    tiledb_query_condition_free(all);
    tiledb_query_free(&query);
    close_array(array);
    free(all);
}

static void terms(void) {
    create_line();
    write_line(0, 1000, NULL);
    terms_of("one by one", 1, TILEDB_OR);
    terms_of("pairwise", 0, TILEDB_OR);
    if (size <= 10000)
        terms_of("and, or in turn", 2, TILEDB_OR);
}

static void members_of_sets(void) {
    create_line();
    write_line(0, 1000, NULL);
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    tiledb_query_t* query = query_of(array, TILEDB_READ);
    tiledb_query_condition_t* condition;
    int32_t* values = memory(sizeof *values * size);
    uint64_t* offsets = memory(sizeof *offsets * size);
    for (int i = 0; i < size; i++)
        values[i] = 2 * i, offsets[i] = sizeof *values * i;
    begin();
    check(tiledb_query_condition_alloc_set_membership(ctx, "a", values, sizeof *values * size, offsets, sizeof *offsets * size, TILEDB_IN, &condition));
    check(tiledb_query_set_condition(ctx, query, condition));
    lap("alloc_set_membership");
    read_cells(query, 1000);
    lap("submit read");
    close_array(array);
}

static void aggregates(void) {
    create_line();
    write_line(0, 1000, NULL);
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    tiledb_query_t* query = query_of(array, TILEDB_READ);
    tiledb_query_channel_t* channel;
    int64_t* sums = memory(sizeof *sums * size);
    uint64_t* sizes = memory(sizeof *sizes * size);
    check(tiledb_query_get_default_channel(ctx, query, &channel));
    begin();
    for (int i = 0; i < size; i++) {
        tiledb_channel_operation_t* sum;
        check(tiledb_create_unary_aggregate(ctx, query, tiledb_channel_operator_sum, "a", &sum));
        check(tiledb_channel_apply_aggregate(ctx, channel, named("sum_", i), sum));
        check(tiledb_aggregate_free(ctx, &sum));
    }
    lap("apply_aggregate");
    for (int i = 0; i < size; i++) {
        sizes[i] = sizeof *sums;
        check(tiledb_query_set_data_buffer(ctx, query, named("sum_", i), sums + i, sizes + i));
    }
    lap("set_data_buffer");
    check(tiledb_query_submit(ctx, query));
    lap("submit read");
    close_array(array);
}

static void metadata(void) {
    create_line();
    tiledb_array_t* array = open_array("array", TILEDB_WRITE);
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_array_put_metadata(ctx, array, named("key_", i), TILEDB_INT32, 1, &i));
    lap("put");
    close_array(array);
    lap("close");
    array = open_array("array", TILEDB_READ);
    lap("open");
    tiledb_datatype_t type;
    uint32_t count, length;
    const void* value;
    for (int i = 0; i < size; i++)
        check(tiledb_array_get_metadata(ctx, array, named("key_", i), &type, &count, &value));
    lap("get");
    for (int i = 0; i < size; i++) {
        const char* key;
        check(tiledb_array_get_metadata_from_index(ctx, array, i, &key, &length, &type, &count, &value));
    }
    lap("get_from_index");
    close_array(array);
    array = open_array("array", TILEDB_WRITE);
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_array_delete_metadata(ctx, array, named("key_", i)));
    close_array(array);
    lap("delete, close");
}

static void members_of_groups(void) {
    tiledb_group_t* group;
    check(tiledb_group_create(ctx, at("group")));
    create_line();
    char* array = strdup(at("array"));
    check(tiledb_group_alloc(ctx, at("group"), &group));
    check(tiledb_group_open(ctx, group, TILEDB_WRITE));
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_group_add_member(ctx, group, array, 0, named("member_", i)));
    lap("add_member");
    check(tiledb_group_close(ctx, group));
    lap("close");
    check(tiledb_group_open(ctx, group, TILEDB_READ));
    lap("open");
    tiledb_string_t *uri, *own;
    tiledb_object_t type;
    for (int i = 0; i < size; i++) {
        check(tiledb_group_get_member_by_index_v2(ctx, group, i, &uri, &type, &own));
        check(tiledb_string_free(&uri));
        check(tiledb_string_free(&own));
    }
    lap("get_member_by_index");
    for (int i = 0; i < size; i++) {
        check(tiledb_group_get_member_by_name_v2(ctx, group, named("member_", i), &uri, &type));
        check(tiledb_string_free(&uri));
    }
    lap("get_member_by_name");
    tiledb_string_t* dump;
    check(tiledb_group_dump_str_v2(ctx, group, &dump, 0));
    lap("dump");
    check(tiledb_group_close(ctx, group));
    check(tiledb_group_open(ctx, group, TILEDB_WRITE));
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_group_remove_member(ctx, group, named("member_", i)));
    lap("remove_member");
    check(tiledb_group_close(ctx, group));
    lap("close");
    tiledb_group_free(&group);
    free(array);
}

/* Members without names, which are removed by their URIs. Each is a group. */
static void members_by_uri(void) {
    tiledb_group_t* group;
    check(tiledb_group_create(ctx, at("group")));
    for (int i = 0; i < size; i++)
        check(tiledb_group_create(ctx, at(named("member_", i))));
    check(tiledb_group_alloc(ctx, at("group"), &group));
    check(tiledb_group_open(ctx, group, TILEDB_WRITE));
    begin();
    for (int i = 0; i < size; i++) {
        char own[64];
        snprintf(own, sizeof own, "name_%d", i);
        check(tiledb_group_add_member(ctx, group, at(named("member_", i)), 0, own));
    }
    lap("add_member");
    check(tiledb_group_close(ctx, group));
    check(tiledb_group_open(ctx, group, TILEDB_WRITE));
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_group_remove_member(ctx, group, at(named("member_", i))));
    lap("remove_member by URI");
    check(tiledb_group_close(ctx, group));
    lap("close");
    tiledb_group_free(&group);
}

static void fragments(void) {
    create_line();
    begin();
    for (int i = 0; i < size; i++)
        write_line(i, 1, NULL);
    lap("write");
    tiledb_fragment_info_t* info;
    begin();
    check(tiledb_fragment_info_alloc(ctx, at("array"), &info));
    check(tiledb_fragment_info_load(ctx, info));
    lap("fragment_info_load");
    for (int i = 0; i < size; i++) {
        uint64_t cells;
        tiledb_string_t* given;
        int64_t ends[2];
        check(tiledb_fragment_info_get_cell_num(ctx, info, i, &cells));
        check(tiledb_fragment_info_get_fragment_name_v2(ctx, info, i, &given));
        check(tiledb_string_free(&given));
        check(tiledb_fragment_info_get_non_empty_domain_from_index(ctx, info, i, 0, ends));
    }
    lap("fragment_info_get");
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    lap("open");
    tiledb_query_t* query = query_of(array, TILEDB_READ);
    read_cells(query, size);
    lap("submit read");
    tiledb_query_free(&query);
    tiledb_consolidation_plan_t* plan;
    begin();
    check(tiledb_consolidation_plan_create_with_mbr(ctx, array, 1 << 20, &plan));
    lap("consolidation plan");
    tiledb_consolidation_plan_free(&plan);
    close_array(array);
    verify("array");
    tiledb_config_t* config;
    tiledb_error_t* error;
    check(tiledb_config_alloc(&config, &error));
    check(tiledb_config_set(config, "sm.consolidation.mode", "commits", &error));
    check(tiledb_config_set(config, "sm.vacuum.mode", "commits", &error));
    begin();
    check(tiledb_array_consolidate(ctx, at("array"), config));
    lap("consolidate commits");
    check(tiledb_array_vacuum(ctx, at("array"), config));
    lap("vacuum commits");
    tiledb_array_t* again = open_array("array", TILEDB_READ);
    lap("open, consolidated commits");
    close_array(again);
    check(tiledb_array_consolidate(ctx, at("array"), NULL));
    lap("consolidate");
    check(tiledb_array_vacuum(ctx, at("array"), NULL));
    lap("vacuum");
}

/* Each fragment is a space tile. */
static void fragments_of_dense(void) {
    int64_t range[] = {0, 10 * (int64_t)size - 1}, extent = 10;
    tiledb_array_schema_t* schema = schema_over(TILEDB_DENSE, line(TILEDB_INT64, range, &extent));
    add_attribute(schema, "a", TILEDB_INT32, 1, NULL);
    create("array", schema);
    int32_t cells[10] = {0};
    uint64_t cells_size = sizeof cells;
    tiledb_query_t* query;
    tiledb_subarray_t* subarray;
    for (int i = 0; i < size; i++) {
        tiledb_array_t* array = open_array("array", TILEDB_WRITE);
        int64_t low = 10 * (int64_t)i, high = low + 9;
        check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
        check(tiledb_subarray_alloc(ctx, array, &subarray));
        check(tiledb_subarray_add_range(ctx, subarray, 0, &low, &high, NULL));
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        check(tiledb_query_set_data_buffer(ctx, query, "a", cells, &cells_size));
        check(tiledb_query_submit(ctx, query));
        tiledb_subarray_free(&subarray);
        tiledb_query_free(&query);
        close_array(array);
    }
    begin();
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    lap("open");
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &range[0], &range[1], NULL));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    read_cells(query, 10 * size);
    lap("submit read");
    close_array(array);
    verify("array");
    check(tiledb_array_consolidate(ctx, at("array"), NULL));
    lap("consolidate");
    check(tiledb_array_vacuum(ctx, at("array"), NULL));
    lap("vacuum");
}

/* An evolution for each schema, and a fragment with each. */
static void schemas(void) {
    create_line();
    for (int i = 0; i < size; i++) {
        tiledb_array_schema_evolution_t* evolution;
        tiledb_attribute_t* attribute;
        check(tiledb_array_schema_evolution_alloc(ctx, &evolution));
        if (i > 0)
            check(tiledb_array_schema_evolution_drop_attribute(ctx, evolution, named("b", i - 1)));
        check(tiledb_attribute_alloc(ctx, named("b", i), TILEDB_INT32, &attribute));
        check(tiledb_array_schema_evolution_add_attribute(ctx, evolution, attribute));
        tiledb_attribute_free(&attribute);
        begin();
        check(tiledb_array_evolve(ctx, at("array"), evolution));
        if (i + 1 == size)
            lap("last evolve");
        tiledb_array_schema_evolution_free(&evolution);
        write_line(i, 1, name);
    }
    begin();
    tiledb_array_t* array = open_array("array", TILEDB_READ);
    lap("open");
    tiledb_query_t* query = query_of(array, TILEDB_READ);
    read_cells(query, size);
    lap("submit read");
    close_array(array);
    verify("array");
    check(tiledb_array_consolidate(ctx, at("array"), NULL));
    lap("consolidate");
}

static void bytes_of_a_cell(void) {
    tiledb_array_schema_t* schema = sparse_line();
    add_attribute(schema, "a", TILEDB_STRING_ASCII, TILEDB_VAR_NUM, NULL);
    create("array", schema);
    for (int reads = 0; reads < 2; reads++) {
        tiledb_array_t* array = open_array("array", reads ? TILEDB_READ : TILEDB_WRITE);
        tiledb_query_t* query = query_of(array, reads ? TILEDB_READ : TILEDB_WRITE);
        int64_t d = 1;
        uint64_t offset = 0, offset_size = sizeof offset, d_size = sizeof d, cell_size = 1000 * (uint64_t)size;
        char* cell = memory(cell_size);
        for (uint64_t i = 0; !reads && i < cell_size; i++)
            cell[i] = 'a' + random_number() % 26;
        begin();
        check(tiledb_query_set_data_buffer(ctx, query, "d", &d, &d_size));
        check(tiledb_query_set_data_buffer(ctx, query, "a", cell, &cell_size));
        check(tiledb_query_set_offsets_buffer(ctx, query, "a", &offset, &offset_size));
        check(tiledb_query_submit(ctx, query));
        lap(reads ? "read" : "write");
        tiledb_query_free(&query);
        close_array(array);
        free(cell);
    }
}

static void parameters(void) {
    tiledb_config_t* config;
    tiledb_config_iter_t* iterator;
    tiledb_error_t* error;
    check(tiledb_config_alloc(&config, &error));
    begin();
    for (int i = 0; i < size; i++)
        check(tiledb_config_set(config, named("own.parameter_", i), "1", &error));
    lap("set");
    for (int i = 0; i < size; i++) {
        const char* value;
        check(tiledb_config_get(config, named("own.parameter_", i), &value, &error));
    }
    lap("get");
    check(tiledb_config_iter_alloc(config, NULL, &iterator, &error));
    for (int32_t done = 0; !done; check(tiledb_config_iter_done(iterator, &done, &error))) {
        const char *parameter, *value;
        check(tiledb_config_iter_here(iterator, &parameter, &value, &error));
        check(tiledb_config_iter_next(iterator, &error));
    }
    tiledb_config_iter_free(&iterator);
    lap("iterate");
    tiledb_ctx_t* own;
    check(tiledb_ctx_alloc(config, &own));
    lap("ctx_alloc");
    tiledb_ctx_free(&own);
    tiledb_config_free(&config);
}

static int32_t count_file(const char* path, void* seen) {
    (void)path;
    ++*(int*)seen;
    return 1;
}

static void files(void) {
    tiledb_vfs_t* vfs;
    check(tiledb_vfs_alloc(ctx, NULL, &vfs));
    check(tiledb_vfs_create_dir(ctx, vfs, at("files")));
    begin();
    for (int i = 0; i < size; i++) {
        char uri[128];
        snprintf(uri, sizeof uri, "files/%d", i);
        check(tiledb_vfs_touch(ctx, vfs, at(uri)));
    }
    lap("touch");
    int seen = 0;
    check(tiledb_vfs_ls(ctx, vfs, at("files"), count_file, &seen));
    lap("ls");
    uint64_t bytes;
    check(tiledb_vfs_dir_size(ctx, vfs, at("files"), &bytes));
    lap("dir_size");
    check(tiledb_vfs_remove_dir(ctx, vfs, at("files")));
    lap("remove_dir");
    tiledb_vfs_free(&vfs);
}

int main(int count, char** arguments) {
    static const struct {
        const char* name;
        void (*run)(void);
    } cases[] = {{"attributes", attributes},
                 {"attributes in a condition", conditions_of_attributes},
                 {"dimensions", dimensions},
                 {"enumerations", enumerations},
                 {"members of an enumeration", members_of_enumerations},
                 {"labels", labels},
                 {"ranges", ranges},
                 {"ranges, dense", ranges_of_dense},
                 {"terms of a condition", terms},
                 {"members of a set", members_of_sets},
                 {"aggregates", aggregates},
                 {"metadata keys", metadata},
                 {"members of a group", members_of_groups},
                 {"members of a group, by URI", members_by_uri},
                 {"fragments", fragments},
                 {"fragments, dense", fragments_of_dense},
                 {"schemas", schemas},
                 {"kilobytes of a cell", bytes_of_a_cell},
                 {"parameters", parameters},
                 {"files", files}};
    if (count != 4) {
        fprintf(stderr, "usage: %s CASE SIZE FOLDER; cases:\n", arguments[0]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            fprintf(stderr, "%s\n", cases[i].name);
        return 2;
    }
    what = arguments[1], size = atoi(arguments[2]), folder = arguments[3];
    check(tiledb_ctx_alloc(NULL, &ctx));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, what) == 0)
            cases[i].run();
    fflush(stdout);
    _exit(0); /* What is left is not part of any step. */
}
