/* arguments: DATA */
/*
 * New York's flights of 2013 and the weather at its three airports: two arrays, and questions answered by slicing them.
 *
 *   flights DATA_FOLDER [ARRAYS_FOLDER]
 *
 * DATA_FOLDER holds flights.csv and weather.csv, as tools/flights_data.py makes them (examples-c/data is an extract of
 * ten days in February). ARRAYS_FOLDER gets the arrays `flights` and `weather`; it is the current folder by default.
 *
 * The flights are a sparse array over (airport, scheduled departure): few minutes have a flight, some have several. The
 * weather is a dense grid of airport x hour: every cell has a value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>

#define HOUR 60 /* times are minutes since 1970, by New York's clock */
#define DAY (24 * HOUR)
#define YEAR_START 22616640 /* 2013-01-01 00:00 */
#define YEAR_HOURS (365 * 24)

static tiledb_ctx_t* ctx;

/* Ends the program with the library's own words when a call fails. */
static void check(int32_t code) {
    if (code == TILEDB_OK)
        return;
    tiledb_error_t* error = NULL;
    const char* message = "unknown error";
    if (tiledb_ctx_get_last_error(ctx, &error) == TILEDB_OK && error != NULL)
        tiledb_error_message(error, &message);
    fprintf(stderr, "TileDB: %s\n", message);
    exit(1);
}

/* ------------------------------------------------------------------ the data in memory, column by column */

enum { ORIGIN, TIME, FLIGHT, CARRIER, TAILNUM, DEST, DEP_DELAY, ARR_DELAY, COLUMNS };

/* What is kept of a flight. Names repeat, so a dictionary of them is stored, or in the sorted dimension their runs. */
static const struct {
    const char* name;
    tiledb_datatype_t type;
    size_t width;                /* bytes of a value, of a text at most */
    int is_text, may_be_missing; /* nobody knows the delay of a cancelled flight, nor always the aircraft */
    tiledb_filter_type_t filter; /* what comes before zstd */
} columns[COLUMNS] = {
    [ORIGIN] = {"origin", TILEDB_STRING_ASCII, 3, 1, 0, TILEDB_FILTER_RLE}, /* dimensions: where and when */
    [TIME] = {"time", TILEDB_DATETIME_MIN, sizeof(int64_t), 0, 0, TILEDB_FILTER_DOUBLE_DELTA},
    [FLIGHT] = {"flight", TILEDB_INT32, sizeof(int32_t), 0, 0, TILEDB_FILTER_BYTESHUFFLE}, /* attributes */
    [CARRIER] = {"carrier", TILEDB_STRING_ASCII, 2, 1, 0, TILEDB_FILTER_DICTIONARY},
    [TAILNUM] = {"tailnum", TILEDB_STRING_ASCII, 6, 1, 1, TILEDB_FILTER_DICTIONARY},
    [DEST] = {"dest", TILEDB_STRING_ASCII, 3, 1, 0, TILEDB_FILTER_DICTIONARY},
    [DEP_DELAY] = {"dep_delay", TILEDB_INT16, sizeof(int16_t), 0, 1, TILEDB_FILTER_BYTESHUFFLE}, /* minutes */
    [ARR_DELAY] = {"arr_delay", TILEDB_INT16, sizeof(int16_t), 0, 1, TILEDB_FILTER_BYTESHUFFLE},
};

/* The buffers of a column in the form of the library, with the bytes used of each. */
typedef struct {
    void* data;
    uint64_t* starts; /* of texts: where each begins in the data */
    uint8_t* valid;   /* of what may be missing: whether it is there */
    uint64_t data_bytes, starts_bytes, valid_bytes;
} column_t;

typedef struct {
    size_t count, room;
    column_t column[COLUMNS];
} flights_t;

static void* grown(void* memory, size_t bytes) {
    memory = realloc(memory, bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static void reserve(flights_t* f, size_t room) {
    f->room = room;
    for (int i = 0; i < COLUMNS; i++) {
        column_t* c = &f->column[i];
        c->data = grown(c->data, room * columns[i].width);
        if (columns[i].is_text)
            c->starts = grown(c->starts, room * sizeof *c->starts);
        if (columns[i].may_be_missing)
            c->valid = grown(c->valid, room);
    }
}

static void release(flights_t* f) {
    for (int i = 0; i < COLUMNS; i++) {
        free(f->column[i].data);
        free(f->column[i].starts);
        free(f->column[i].valid);
    }
}

/* Appends a flight's value to its column; a missing one has no letters, or a number that does not matter. */
static void append(flights_t* f, int column, const void* value, size_t bytes, int is_there) {
    column_t* c = &f->column[column];
    if (columns[column].is_text) {
        c->starts[f->count] = c->data_bytes;
        c->starts_bytes += sizeof *c->starts;
    }
    if (columns[column].may_be_missing) {
        c->valid[f->count] = is_there != 0;
        c->valid_bytes++;
    }
    memcpy((char*)c->data + c->data_bytes, value, bytes);
    c->data_bytes += bytes;
}

typedef struct {
    const char* letters; /* without an end */
    size_t length;
} text_t;

static text_t text_at(const flights_t* f, int column, size_t i) {
    const column_t* c = &f->column[column];
    uint64_t end = i + 1 < f->count ? c->starts[i + 1] : c->data_bytes;
    return (text_t){(const char*)c->data + c->starts[i], end - c->starts[i]};
}

static int compare(text_t a, text_t b) {
    int difference = memcmp(a.letters, b.letters, a.length < b.length ? a.length : b.length);
    return difference != 0 ? difference : (a.length > b.length) - (a.length < b.length);
}

static int is(text_t text, const char* word) {
    return compare(text, (text_t){word, strlen(word)}) == 0;
}

static int64_t time_at(const flights_t* f, size_t i) {
    return ((const int64_t*)f->column[TIME].data)[i];
}

/* Cuts a line at its commas. */
static int split(char* line, char** fields, int most) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (count < most) {
        fields[count++] = line;
        line = strchr(line, ',');
        if (line == NULL)
            break;
        *line++ = '\0';
    }
    return count;
}

static float number_or_nan(const char* text) {
    return *text == '\0' ? NAN : strtof(text, NULL);
}

static FILE* open_csv(const char* folder, const char* name) {
    char path[4096], header[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "r");
    if (file == NULL || fgets(header, sizeof header, file) == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    return file;
}

static flights_t read_flights(const char* folder) {
    flights_t f = {0};
    char line[256], *field[COLUMNS];
    FILE* file = open_csv(folder, "flights.csv");
    while (fgets(line, sizeof line, file) != NULL) {
        if (split(line, field, COLUMNS) != COLUMNS)
            continue;
        if (f.count == f.room)
            reserve(&f, f.room == 0 ? 4096 : 2 * f.room);
        for (int i = 0; i < COLUMNS; i++) {
            const char* word = field[i];
            size_t length = strlen(word);
            long long number = strtoll(word, NULL, 10);
            if (columns[i].is_text)
                append(&f, i, word, length < columns[i].width ? length : columns[i].width, length > 0);
            else if (columns[i].type == TILEDB_DATETIME_MIN)
                append(&f, i, &(int64_t){number}, sizeof(int64_t), 1);
            else if (columns[i].type == TILEDB_INT32)
                append(&f, i, &(int32_t){(int32_t)number}, sizeof(int32_t), 1);
            else
                append(&f, i, &(int16_t){(int16_t)number}, sizeof(int16_t), length > 0);
        }
        f.count++;
    }
    fclose(file);
    return f;
}

/* ------------------------------------------------------------------ schemas */

static void add_filter(tiledb_filter_list_t* list, tiledb_filter_type_t type) {
    tiledb_filter_t* filter;
    int32_t level = 5;
    check(tiledb_filter_alloc(ctx, type, &filter));
    if (type == TILEDB_FILTER_ZSTD)
        check(tiledb_filter_set_option(ctx, filter, TILEDB_COMPRESSION_LEVEL, &level));
    check(tiledb_filter_list_add_filter(ctx, list, filter));
    tiledb_filter_free(&filter);
}

/* A filter, then zstd. */
static tiledb_filter_list_t* filters(tiledb_filter_type_t first) {
    tiledb_filter_list_t* list;
    check(tiledb_filter_list_alloc(ctx, &list));
    add_filter(list, first);
    add_filter(list, TILEDB_FILTER_ZSTD);
    return list;
}

static void add_dimension(tiledb_domain_t* domain, const char* name, tiledb_datatype_t type, const void* range,
                          const void* extent, tiledb_filter_type_t filter) {
    tiledb_dimension_t* dimension;
    tiledb_filter_list_t* list = filters(filter);
    check(tiledb_dimension_alloc(ctx, name, type, range, extent, &dimension));
    check(tiledb_dimension_set_filter_list(ctx, dimension, list));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_filter_list_free(&list);
    tiledb_dimension_free(&dimension);
}

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, int is_text,
                          int may_be_missing, tiledb_filter_type_t filter) {
    tiledb_attribute_t* attribute;
    tiledb_filter_list_t* list = filters(filter);
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, is_text ? TILEDB_VAR_NUM : 1));
    check(tiledb_attribute_set_nullable(ctx, attribute, may_be_missing != 0));
    check(tiledb_attribute_set_filter_list(ctx, attribute, list));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_filter_list_free(&list);
    tiledb_attribute_free(&attribute);
}

static void create(const char* uri, tiledb_array_schema_t* schema) {
    tiledb_object_t type;
    check(tiledb_object_type(ctx, uri, &type));
    if (type == TILEDB_ARRAY)
        check(tiledb_object_remove(ctx, uri));
    check(tiledb_array_schema_check(ctx, schema));
    check(tiledb_array_create(ctx, uri, schema));
}

static void create_flights(const char* uri) {
    int64_t minutes[] = {YEAR_START, YEAR_START + 365 * DAY - 1}, week = 7 * DAY;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    for (int i = ORIGIN; i <= TIME; i++) /* strings have neither a domain nor tiles */
        add_dimension(domain, columns[i].name, columns[i].type, columns[i].is_text ? NULL : minutes,
                      columns[i].is_text ? NULL : &week, columns[i].filter);
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_set_capacity(ctx, schema, 4096));
    check(tiledb_array_schema_set_allows_dups(ctx, schema, 1)); /* several flights may leave in one minute */
    for (int i = FLIGHT; i < COLUMNS; i++)
        add_attribute(schema, columns[i].name, columns[i].type, columns[i].is_text, columns[i].may_be_missing,
                      columns[i].filter);
    create(uri, schema);
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
}

static const char* const airports[] = {"EWR", "JFK", "LGA"};
static const char* const measures[] = {"temp", "wind_speed", "precip", "visib"};
enum { AIRPORTS = sizeof airports / sizeof *airports, MEASURES = sizeof measures / sizeof *measures };

static void create_weather(const char* uri) {
    int64_t places[] = {0, 2}, places_extent = 1;
    int64_t hours[] = {0, YEAR_HOURS - 1}, hours_extent = 7 * 24;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "airport", TILEDB_INT64, places, &places_extent, TILEDB_FILTER_NONE);
    add_dimension(domain, "hour", TILEDB_INT64, hours, &hours_extent, TILEDB_FILTER_NONE);
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    for (int i = 0; i < MEASURES; i++)
        add_attribute(schema, measures[i], TILEDB_FLOAT32, 0, 0, TILEDB_FILTER_BYTESHUFFLE);
    create(uri, schema);
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
}

/* ------------------------------------------------------------------ queries */

static tiledb_array_t* open_array(const char* uri, tiledb_query_type_t type) {
    tiledb_array_t* array;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, type));
    return array;
}

static void close_array(tiledb_array_t* array) {
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
}

/* Sets the buffers of all columns; the flights must live as long as the query. */
static void set_buffers(tiledb_query_t* query, flights_t* f) {
    for (int i = 0; i < COLUMNS; i++) {
        column_t* c = &f->column[i];
        check(tiledb_query_set_data_buffer(ctx, query, columns[i].name, c->data, &c->data_bytes));
        if (c->starts != NULL)
            check(tiledb_query_set_offsets_buffer(ctx, query, columns[i].name, c->starts, &c->starts_bytes));
        if (c->valid != NULL)
            check(tiledb_query_set_validity_buffer(ctx, query, columns[i].name, c->valid, &c->valid_bytes));
    }
}

static void write_flights(const char* uri, flights_t* f) {
    tiledb_query_t* query;
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    set_buffers(query, f);
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

/* Gives the buffers of all columns room for so many flights. */
static void make_room(flights_t* f, size_t room) {
    reserve(f, room);
    for (int i = 0; i < COLUMNS; i++) {
        column_t* c = &f->column[i];
        c->data_bytes = room * columns[i].width;
        c->starts_bytes = room * sizeof *c->starts;
        c->valid_bytes = room;
    }
}

/* All flights from an airport, or from all for NULL, that were scheduled in [first, last]. */
static flights_t slice_flights(const char* uri, const char* origin, int64_t first, int64_t last) {
    flights_t f = {0};
    tiledb_query_t* query;
    tiledb_query_status_t status;
    tiledb_subarray_t* subarray;
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range_by_name(ctx, subarray, "time", &first, &last, NULL));
    if (origin != NULL)
        check(tiledb_subarray_add_range_var_by_name(
            ctx, subarray, "origin", origin, strlen(origin), origin, strlen(origin)));
    /* Start small; while the result does not fit, take more room and begin again. */
    size_t room = 1024;
    do {
        room *= 8;
        make_room(&f, room);
        check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
        check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        set_buffers(query, &f);
        check(tiledb_query_submit(ctx, query));
        check(tiledb_query_get_status(ctx, query, &status));
        tiledb_query_free(&query);
    } while (status == TILEDB_INCOMPLETE);
    f.count = f.column[TIME].data_bytes / columns[TIME].width;
    tiledb_subarray_free(&subarray);
    close_array(array);
    return f;
}

/* The rows first to last of the weather, all hours. */
static tiledb_subarray_t* weather_rows(tiledb_array_t* array, int64_t first, int64_t last) {
    int64_t box[] = {first, last, 0, YEAR_HOURS - 1};
    tiledb_subarray_t* subarray;
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_set_subarray(ctx, subarray, box));
    return subarray;
}

/* Writes the weather: what is missing in the file keeps the fill value, a NaN. */
static void write_weather(const char* uri, const char* folder) {
    static float values[MEASURES][AIRPORTS][YEAR_HOURS];
    for (size_t i = 0; i < sizeof values / sizeof(float); i++)
        (&values[0][0][0])[i] = NAN;
    char line[256], *field[2 + MEASURES];
    FILE* file = open_csv(folder, "weather.csv");
    while (fgets(line, sizeof line, file) != NULL) {
        if (split(line, field, 2 + MEASURES) != 2 + MEASURES)
            continue;
        int64_t hour = (strtoll(field[0], NULL, 10) - YEAR_START) / HOUR;
        for (int place = 0; place < AIRPORTS; place++)
            if (strcmp(field[1], airports[place]) == 0 && hour >= 0 && hour < YEAR_HOURS)
                for (int i = 0; i < MEASURES; i++)
                    values[i][place][hour] = number_or_nan(field[2 + i]);
    }
    fclose(file);
    uint64_t bytes[MEASURES];
    tiledb_query_t* query;
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    tiledb_subarray_t* subarray = weather_rows(array, 0, AIRPORTS - 1);
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    for (int i = 0; i < MEASURES; i++) {
        bytes[i] = sizeof values[i];
        check(tiledb_query_set_data_buffer(ctx, query, measures[i], values[i], &bytes[i]));
    }
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(array);
}

/* One row of the grid: the wind at an airport, hour by hour. */
static void slice_wind(const char* uri, int64_t place, float* wind) {
    uint64_t bytes = YEAR_HOURS * sizeof *wind;
    tiledb_query_t* query;
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    tiledb_subarray_t* subarray = weather_rows(array, place, place);
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    check(tiledb_query_set_data_buffer(ctx, query, "wind_speed", wind, &bytes));
    check(tiledb_query_submit(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(array);
}

/* ------------------------------------------------------------------ the questions */

typedef struct {
    long sum;
    int flown, cancelled;
} delays_t;

/* Counts the delay of flight i in that column. */
static void count(delays_t* d, const flights_t* f, int column, size_t i) {
    if (f->column[column].valid[i]) {
        d->sum += ((const int16_t*)f->column[column].data)[i];
        d->flown++;
    } else {
        d->cancelled++;
    }
}

static double mean(const delays_t* d) {
    return d->flown == 0 ? 0 : (double)d->sum / d->flown;
}

static void print_delays(const delays_t* d) {
    printf("  %7d  %9d  %6.1f min\n", d->flown + d->cancelled, d->cancelled, mean(d));
}

static void worst_hours(const flights_t* f, const char* airport) {
    delays_t hours[24] = {{0, 0, 0}};
    for (size_t i = 0; i < f->count; i++)
        count(&hours[time_at(f, i) % DAY / HOUR], f, DEP_DELAY, i);
    printf("\nThe worst hours to leave %s\n  hour   flights  cancelled  mean delay\n", airport);
    for (int rank = 0; rank < 5; rank++) {
        int worst = 0;
        for (int hour = 1; hour < 24; hour++)
            if (mean(&hours[hour]) > mean(&hours[worst]))
                worst = hour;
        printf("  %02d:00", worst);
        print_delays(&hours[worst]);
        hours[worst].flown = 0;
    }
}

static void one_week_to(const flights_t* f, const char* city) {
    struct {
        text_t name;
        delays_t delays;
    } carriers[64];
    int known = 0;
    for (size_t i = 0; i < f->count; i++) {
        text_t carrier = text_at(f, CARRIER, i);
        int place = 0;
        if (!is(text_at(f, DEST, i), city))
            continue;
        while (place < known && compare(carriers[place].name, carrier) < 0)
            place++;
        if (place == known || compare(carriers[place].name, carrier) != 0) {
            if (known == 64)
                continue;
            memmove(&carriers[place + 1], &carriers[place], (size_t)(known++ - place) * sizeof *carriers);
            carriers[place].name = carrier;
            carriers[place].delays = (delays_t){0, 0, 0};
        }
        count(&carriers[place].delays, f, ARR_DELAY, i);
    }
    printf("\nTo %s from 4 to 10 February\n  carrier  flights  cancelled  mean delay\n", city);
    for (int c = 0; c < known; c++) {
        printf("  %.*s     ", (int)carriers[c].name.length, carriers[c].name.letters);
        print_delays(&carriers[c].delays);
    }
}

static void wind_against_delay(const flights_t* f, const char* weather_uri) {
    static float wind[AIRPORTS][YEAR_HOURS];
    delays_t bins[5] = {{0, 0, 0}};
    for (int place = 0; place < AIRPORTS; place++)
        slice_wind(weather_uri, place, wind[place]);
    for (size_t i = 0; i < f->count; i++)
        for (int place = 0; place < AIRPORTS; place++)
            if (is(text_at(f, ORIGIN, i), airports[place])) {
                float speed = wind[place][(time_at(f, i) - YEAR_START) / HOUR];
                if (!isnan(speed))
                    count(&bins[speed >= 32 ? 4 : (int)(speed / 8)], f, DEP_DELAY, i);
            }
    printf("\nWind and delays at departure\n  wind mph  flights  cancelled  mean delay\n");
    for (int bin = 0; bin < 5; bin++) {
        printf("  %2d - %-2d ", bin * 8, bin == 4 ? 99 : bin * 8 + 8);
        print_delays(&bins[bin]);
    }
}

static int by_text(const void* a, const void* b) {
    return compare(*(const text_t*)a, *(const text_t*)b);
}

static void busiest_aircraft(const flights_t* f) {
    text_t* tails = grown(NULL, (f->count + 1) * sizeof *tails);
    text_t best[5];
    size_t known = 0, aircraft = 0, flights[5] = {0};
    for (size_t i = 0; i < f->count; i++)
        if (f->column[TAILNUM].valid[i])
            tails[known++] = text_at(f, TAILNUM, i);
    qsort(tails, known, sizeof *tails, by_text);
    for (size_t i = 0, end; i < known; i = end, aircraft++) {
        for (end = i; end < known && compare(tails[end], tails[i]) == 0;)
            end++;
        int rank = 5;
        for (; rank > 0 && end - i > flights[rank - 1]; rank--)
            if (rank < 5) {
                best[rank] = best[rank - 1];
                flights[rank] = flights[rank - 1];
            }
        if (rank < 5) {
            best[rank] = tails[i];
            flights[rank] = end - i;
        }
    }
    printf("\nThe busiest of %zu aircraft; of %zu flights it is not known\n", aircraft, f->count - known);
    for (int rank = 0; rank < 5 && flights[rank] > 0; rank++)
        printf("  %-6.*s  %3zu flights\n", (int)best[rank].length, best[rank].letters, flights[rank]);
    free(tails);
}

int main(int argc, char** argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s DATA_FOLDER [ARRAYS_FOLDER]\n", argv[0]);
        return 2;
    }
    const char* folder = argc > 2 ? argv[2] : ".";
    char flights_uri[4096], weather_uri[4096];
    snprintf(flights_uri, sizeof flights_uri, "%s/flights", folder);
    snprintf(weather_uri, sizeof weather_uri, "%s/weather", folder);
    if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK)
        return 1;

    flights_t flights = read_flights(argv[1]);
    create_flights(flights_uri);
    write_flights(flights_uri, &flights);
    create_weather(weather_uri);
    write_weather(weather_uri, argv[1]);
    printf("%zu flights and the weather of three airports went into two arrays\n", flights.count);

    int64_t first = YEAR_START, last = YEAR_START + 365 * DAY - 1;
    flights_t year = slice_flights(flights_uri, NULL, first, last);
    flights_t jfk = slice_flights(flights_uri, "JFK", first, last);
    flights_t week = slice_flights(flights_uri, NULL, first + 34 * DAY, first + 41 * DAY - 1);
    printf("%zu came back, %zu of them from JFK, %zu from 4 to 10 February\n", year.count, jfk.count, week.count);
    worst_hours(&jfk, "JFK");
    one_week_to(&week, "BOS");
    wind_against_delay(&year, weather_uri);
    busiest_aircraft(&year);

    release(&flights);
    release(&year);
    release(&jfk);
    release(&week);
    tiledb_ctx_free(&ctx);
    return year.count == flights.count ? 0 : 1;
}
