/* arguments: DATA */
/*
 * New York's flights of 2013 and the weather at its three airports: two arrays, and questions answered by slicing them.
 *
 *   flights DATA_FOLDER [ARRAYS_FOLDER]
 *
 * DATA_FOLDER holds flights.csv and weather.csv, as tools/flights_data.py makes them (examples-c/data is an extract of ten
 * days in February). ARRAYS_FOLDER gets the arrays `flights` and `weather`; it is the current folder by default.
 *
 * The flights are a sparse array over (scheduled departure, flight number): most pairs do not exist. The weather is a dense
 * grid of airport x hour: every cell has a value.
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

/* ------------------------------------------------------------------ the data in memory, one array per column */

typedef struct {
    size_t count, room;
    int64_t* time;
    int32_t* number;
    char *carrier, *origin, *dest; /* 2, 3 and 3 characters each */
    float *dep_delay, *arr_delay;  /* minutes; NaN for cancelled flights */
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
    f->time = grown(f->time, room * sizeof *f->time);
    f->number = grown(f->number, room * sizeof *f->number);
    f->carrier = grown(f->carrier, room * 2);
    f->origin = grown(f->origin, room * 3);
    f->dest = grown(f->dest, room * 3);
    f->dep_delay = grown(f->dep_delay, room * sizeof *f->dep_delay);
    f->arr_delay = grown(f->arr_delay, room * sizeof *f->arr_delay);
}

static void release(flights_t* f) {
    free(f->time);
    free(f->number);
    free(f->carrier);
    free(f->origin);
    free(f->dest);
    free(f->dep_delay);
    free(f->arr_delay);
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
    char line[256], *field[7];
    FILE* file = open_csv(folder, "flights.csv");
    while (fgets(line, sizeof line, file) != NULL) {
        if (split(line, field, 7) != 7)
            continue;
        if (f.count == f.room)
            reserve(&f, f.room == 0 ? 4096 : 2 * f.room);
        size_t i = f.count++;
        f.time[i] = strtoll(field[0], NULL, 10);
        f.number[i] = (int32_t)strtol(field[1], NULL, 10);
        memcpy(f.carrier + 2 * i, field[2], 2);
        memcpy(f.origin + 3 * i, field[3], 3);
        memcpy(f.dest + 3 * i, field[4], 3);
        f.dep_delay[i] = number_or_nan(field[5]);
        f.arr_delay[i] = number_or_nan(field[6]);
    }
    fclose(file);
    return f;
}

/* ------------------------------------------------------------------ schemas */

static tiledb_filter_list_t* zstd_filters(void) {
    tiledb_filter_list_t* list;
    tiledb_filter_t* zstd;
    int32_t level = 5;
    check(tiledb_filter_alloc(ctx, TILEDB_FILTER_ZSTD, &zstd));
    check(tiledb_filter_set_option(ctx, zstd, TILEDB_COMPRESSION_LEVEL, &level));
    check(tiledb_filter_list_alloc(ctx, &list));
    check(tiledb_filter_list_add_filter(ctx, list, zstd));
    tiledb_filter_free(&zstd);
    return list;
}

static void add_dimension(tiledb_domain_t* domain, const char* name, tiledb_datatype_t type, const void* range, const void* extent) {
    tiledb_dimension_t* dimension;
    check(tiledb_dimension_alloc(ctx, name, type, range, extent, &dimension));
    check(tiledb_domain_add_dimension(ctx, domain, dimension));
    tiledb_dimension_free(&dimension);
}

static void add_attribute(tiledb_array_schema_t* schema, const char* name, tiledb_datatype_t type, uint32_t values) {
    tiledb_attribute_t* attribute;
    tiledb_filter_list_t* filters = zstd_filters();
    check(tiledb_attribute_alloc(ctx, name, type, &attribute));
    check(tiledb_attribute_set_cell_val_num(ctx, attribute, values));
    check(tiledb_attribute_set_filter_list(ctx, attribute, filters));
    check(tiledb_array_schema_add_attribute(ctx, schema, attribute));
    tiledb_filter_list_free(&filters);
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
    int32_t numbers[] = {1, 9999}, numbers_extent = 9999;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "time", TILEDB_DATETIME_MIN, minutes, &week);
    add_dimension(domain, "flight", TILEDB_INT32, numbers, &numbers_extent);
    check(tiledb_array_schema_alloc(ctx, TILEDB_SPARSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_set_capacity(ctx, schema, 4096));
    /* Two carriers may use one number at the same minute. */
    check(tiledb_array_schema_set_allows_dups(ctx, schema, 1));
    add_attribute(schema, "carrier", TILEDB_CHAR, 2);
    add_attribute(schema, "origin", TILEDB_CHAR, 3);
    add_attribute(schema, "dest", TILEDB_CHAR, 3);
    add_attribute(schema, "dep_delay", TILEDB_FLOAT32, 1);
    add_attribute(schema, "arr_delay", TILEDB_FLOAT32, 1);
    create(uri, schema);
    tiledb_array_schema_free(&schema);
    tiledb_domain_free(&domain);
}

static const char* const airports[] = {"EWR", "JFK", "LGA"};

static void create_weather(const char* uri) {
    int64_t places[] = {0, 2}, places_extent = 1;
    int64_t hours[] = {0, YEAR_HOURS - 1}, hours_extent = 7 * 24;
    tiledb_domain_t* domain;
    tiledb_array_schema_t* schema;
    check(tiledb_domain_alloc(ctx, &domain));
    add_dimension(domain, "airport", TILEDB_INT64, places, &places_extent);
    add_dimension(domain, "hour", TILEDB_INT64, hours, &hours_extent);
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    add_attribute(schema, "temp", TILEDB_FLOAT32, 1);
    add_attribute(schema, "wind_speed", TILEDB_FLOAT32, 1);
    add_attribute(schema, "precip", TILEDB_FLOAT32, 1);
    add_attribute(schema, "visib", TILEDB_FLOAT32, 1);
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

/* Sets a field's buffer; the size variable must live as long as the query. */
static void set(tiledb_query_t* query, const char* field, void* data, uint64_t* bytes) {
    check(tiledb_query_set_data_buffer(ctx, query, field, data, bytes));
}

/* Sets the buffers of all fields of the flights. */
static void set_flights(tiledb_query_t* query, flights_t* f, size_t cells, uint64_t bytes[7]) {
    const size_t sizes[] = {sizeof *f->time, sizeof *f->number, 2, 3, 3, sizeof *f->dep_delay, sizeof *f->arr_delay};
    for (int i = 0; i < 7; i++)
        bytes[i] = cells * sizes[i];
    set(query, "time", f->time, &bytes[0]);
    set(query, "flight", f->number, &bytes[1]);
    set(query, "carrier", f->carrier, &bytes[2]);
    set(query, "origin", f->origin, &bytes[3]);
    set(query, "dest", f->dest, &bytes[4]);
    set(query, "dep_delay", f->dep_delay, &bytes[5]);
    set(query, "arr_delay", f->arr_delay, &bytes[6]);
}

static void write_flights(const char* uri, flights_t* f) {
    uint64_t bytes[7];
    tiledb_query_t* query;
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
    set_flights(query, f, f->count, bytes);
    check(tiledb_query_submit(ctx, query));
    check(tiledb_query_finalize(ctx, query));
    tiledb_query_free(&query);
    close_array(array);
}

static tiledb_subarray_t* box(tiledb_array_t* array, int64_t low0, int64_t high0, const int64_t* range1) {
    tiledb_subarray_t* subarray;
    check(tiledb_subarray_alloc(ctx, array, &subarray));
    check(tiledb_subarray_add_range(ctx, subarray, 0, &low0, &high0, NULL));
    if (range1 != NULL)
        check(tiledb_subarray_add_range(ctx, subarray, 1, &range1[0], &range1[1], NULL));
    return subarray;
}

/* All flights scheduled in [first, last], in the order of time. */
static flights_t slice_flights(const char* uri, int64_t first, int64_t last) {
    flights_t f = {0};
    uint64_t bytes[7];
    tiledb_query_t* query;
    tiledb_query_status_t status;
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    tiledb_subarray_t* subarray = box(array, first, last, NULL);
    /* Start small; while the result does not fit, take more room and begin again. */
    size_t room = 1024;
    do {
        room *= 8;
        reserve(&f, room);
        check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
        check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
        check(tiledb_query_set_subarray_t(ctx, query, subarray));
        set_flights(query, &f, room, bytes);
        check(tiledb_query_submit(ctx, query));
        check(tiledb_query_get_status(ctx, query, &status));
        tiledb_query_free(&query);
    } while (status == TILEDB_INCOMPLETE);
    f.count = bytes[0] / sizeof *f.time;
    tiledb_subarray_free(&subarray);
    close_array(array);
    return f;
}

/* Writes the weather: what is missing in the file keeps the fill value, a NaN. */
static void write_weather(const char* uri, const char* folder) {
    static float values[4][3][YEAR_HOURS];
    static const char* const names[] = {"temp", "wind_speed", "precip", "visib"};
    for (size_t i = 0; i < sizeof values / sizeof(float); i++)
        (&values[0][0][0])[i] = NAN;
    char line[256], *field[6];
    FILE* file = open_csv(folder, "weather.csv");
    while (fgets(line, sizeof line, file) != NULL) {
        if (split(line, field, 6) != 6)
            continue;
        int64_t hour = (strtoll(field[0], NULL, 10) - YEAR_START) / HOUR;
        for (int place = 0; place < 3; place++)
            if (strcmp(field[1], airports[place]) == 0 && hour >= 0 && hour < YEAR_HOURS)
                for (int i = 0; i < 4; i++)
                    values[i][place][hour] = number_or_nan(field[2 + i]);
    }
    fclose(file);
    uint64_t bytes[4];
    int64_t hours[] = {0, YEAR_HOURS - 1};
    tiledb_query_t* query;
    tiledb_array_t* array = open_array(uri, TILEDB_WRITE);
    tiledb_subarray_t* subarray = box(array, 0, 2, hours);
    check(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    for (int i = 0; i < 4; i++) {
        bytes[i] = sizeof values[i];
        set(query, names[i], values[i], &bytes[i]);
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
    int64_t hours[] = {0, YEAR_HOURS - 1};
    tiledb_query_t* query;
    tiledb_array_t* array = open_array(uri, TILEDB_READ);
    tiledb_subarray_t* subarray = box(array, place, place, hours);
    check(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    check(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
    check(tiledb_query_set_subarray_t(ctx, query, subarray));
    set(query, "wind_speed", wind, &bytes);
    check(tiledb_query_submit(ctx, query));
    tiledb_subarray_free(&subarray);
    tiledb_query_free(&query);
    close_array(array);
}

/* ------------------------------------------------------------------ the questions */

typedef struct {
    double sum;
    int flown, cancelled;
} delays_t;

static void count(delays_t* d, float delay) {
    if (isnan(delay)) {
        d->cancelled++;
    } else {
        d->sum += delay;
        d->flown++;
    }
}

static double mean(const delays_t* d) {
    return d->flown == 0 ? 0 : d->sum / d->flown;
}

static void worst_hours(const flights_t* f) {
    delays_t hours[24] = {{0, 0, 0}};
    for (size_t i = 0; i < f->count; i++)
        if (memcmp(f->origin + 3 * i, "JFK", 3) == 0)
            count(&hours[f->time[i] % DAY / HOUR], f->dep_delay[i]);
    printf("\nThe worst hours to leave JFK\n  hour   flights  cancelled  mean delay\n");
    for (int rank = 0; rank < 5; rank++) {
        int worst = 0;
        for (int hour = 1; hour < 24; hour++)
            if (mean(&hours[hour]) > mean(&hours[worst]))
                worst = hour;
        printf("  %02d:00  %7d  %9d  %6.1f min\n", worst, hours[worst].flown + hours[worst].cancelled,
               hours[worst].cancelled, mean(&hours[worst]));
        hours[worst].flown = 0;
    }
}

static void one_week_to(const flights_t* f, const char* city) {
    char seen[64][2];
    delays_t carriers[64] = {{0, 0, 0}};
    int known = 0;
    for (size_t i = 0; i < f->count; i++) {
        int c = 0;
        if (memcmp(f->dest + 3 * i, city, 3) != 0)
            continue;
        while (c < known && memcmp(seen[c], f->carrier + 2 * i, 2) != 0)
            c++;
        if (c == known && known < 63)
            memcpy(seen[known++], f->carrier + 2 * i, 2);
        count(&carriers[c], f->arr_delay[i]);
    }
    printf("\nTo %s from 4 to 10 February\n  carrier  flights  cancelled  mean delay\n", city);
    for (int c = 0; c < known; c++)
        printf("  %.2s       %7d  %9d  %6.1f min\n", seen[c], carriers[c].flown + carriers[c].cancelled,
               carriers[c].cancelled, mean(&carriers[c]));
}

static void wind_against_delay(const flights_t* f, const char* weather_uri) {
    static float wind[3][YEAR_HOURS];
    delays_t bins[5] = {{0, 0, 0}};
    for (int place = 0; place < 3; place++)
        slice_wind(weather_uri, place, wind[place]);
    for (size_t i = 0; i < f->count; i++)
        for (int place = 0; place < 3; place++)
            if (memcmp(f->origin + 3 * i, airports[place], 3) == 0) {
                float speed = wind[place][(f->time[i] - YEAR_START) / HOUR];
                if (!isnan(speed))
                    count(&bins[speed >= 32 ? 4 : (int)(speed / 8)], f->dep_delay[i]);
            }
    printf("\nWind and delays at departure\n  wind mph  flights  cancelled  mean delay\n");
    for (int bin = 0; bin < 5; bin++)
        printf("  %2d - %-2d   %7d  %9d  %6.1f min\n", bin * 8, bin == 4 ? 99 : bin * 8 + 8,
               bins[bin].flown + bins[bin].cancelled, bins[bin].cancelled, mean(&bins[bin]));
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

    flights_t year = slice_flights(flights_uri, YEAR_START, YEAR_START + 365 * DAY - 1);
    flights_t week = slice_flights(flights_uri, YEAR_START + 34 * DAY, YEAR_START + 41 * DAY - 1);
    printf("%zu came back, %zu of them from 4 to 10 February\n", year.count, week.count);
    worst_hours(&year);
    one_week_to(&week, "BOS");
    wind_against_delay(&year, weather_uri);

    release(&flights);
    release(&year);
    release(&week);
    tiledb_ctx_free(&ctx);
    return year.count == flights.count ? 0 : 1;
}
