/*
 * Messages: schemas, metadata and what is known of an open array cross a network as messages, in Cap'n Proto or as JSON. A
 * client makes them, a server reads them, and the other way round; here both are one program, and the network is memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>
#include <tiledb/tiledb_serialization.h>

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

/* What is sent: bytes. They start at a word, as readers of Cap'n Proto want them. */
typedef struct {
    uint64_t words[2048];
    uint64_t size;
} message_t;

/* Takes the bytes of a message that the library wrote. */
static void take(tiledb_buffer_t* buffer, message_t* message) {
    void* data;
    check(tiledb_buffer_get_data(ctx, buffer, &data, &message->size));
    if (message->size > sizeof message->words)
        exit(1);
    memcpy(message->words, data, message->size);
    tiledb_buffer_free(&buffer);
}

/* A buffer of the library over bytes that came; it is freed before they are. */
static tiledb_buffer_t* over(message_t* message) {
    tiledb_buffer_t* buffer;
    check(tiledb_buffer_alloc(ctx, &buffer));
    check(tiledb_buffer_set_data(ctx, buffer, message->words, message->size));
    return buffer;
}

/* The client: designs an array and sends its schema. */
static void send_schema(message_t* message) {
    int32_t range[] = {1, 8}, extent = 4;
    tiledb_dimension_t* position;
    tiledb_domain_t* domain;
    tiledb_attribute_t* level;
    tiledb_array_schema_t* schema;
    tiledb_buffer_t* buffer;
    check(tiledb_dimension_alloc(ctx, "position", TILEDB_INT32, range, &extent, &position));
    check(tiledb_domain_alloc(ctx, &domain));
    check(tiledb_domain_add_dimension(ctx, domain, position));
    check(tiledb_attribute_alloc(ctx, "level", TILEDB_FLOAT64, &level));
    check(tiledb_array_schema_alloc(ctx, TILEDB_DENSE, &schema));
    check(tiledb_array_schema_set_domain(ctx, schema, domain));
    check(tiledb_array_schema_add_attribute(ctx, schema, level));
    check(tiledb_serialize_array_schema(ctx, schema, TILEDB_CAPNP, 1, &buffer));
    take(buffer, message);
    tiledb_array_schema_free(&schema);
    tiledb_attribute_free(&level);
    tiledb_domain_free(&domain);
    tiledb_dimension_free(&position);
}

/* The server: makes an array of the schema that came. */
static void create(const char* uri, message_t* message) {
    tiledb_array_schema_t* schema;
    tiledb_buffer_t* buffer = over(message);
    uint32_t attributes;
    check(tiledb_deserialize_array_schema(ctx, buffer, TILEDB_CAPNP, 0, &schema));
    check(tiledb_array_schema_get_attribute_num(ctx, schema, &attributes));
    check(tiledb_array_create(ctx, uri, schema));
    printf("created an array of %" PRIu32 " attribute\n", attributes);
    tiledb_array_schema_free(&schema);
    tiledb_buffer_free(&buffer);
}

/* The client: sends metadata, as JSON. */
static void send_metadata(const char* uri, message_t* message) {
    const char text[] = "metres";
    tiledb_array_t* array;
    tiledb_buffer_t* buffer;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_array_put_metadata(ctx, array, "unit", TILEDB_STRING_ASCII, sizeof text - 1, text));
    check(tiledb_serialize_array_metadata(ctx, array, TILEDB_JSON, &buffer));
    take(buffer, message);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    printf("sent %.*s\n", (int)message->size, (const char*)message->words);
}

/* The server: stores metadata that came. */
static void store_metadata(const char* uri, message_t* message) {
    tiledb_array_t* array;
    tiledb_buffer_t* buffer = over(message);
    tiledb_datatype_t type;
    uint32_t count;
    const void* value;
    check(tiledb_array_alloc(ctx, uri, &array));
    check(tiledb_array_open(ctx, array, TILEDB_WRITE));
    check(tiledb_deserialize_array_metadata(ctx, array, TILEDB_JSON, buffer));
    check(tiledb_array_close(ctx, array));
    check(tiledb_array_open(ctx, array, TILEDB_READ));
    check(tiledb_array_get_metadata(ctx, array, "unit", &type, &count, &value));
    printf("stored %.*s\n", (int)count, (const char*)value);
    check(tiledb_array_close(ctx, array));
    tiledb_array_free(&array);
    tiledb_buffer_free(&buffer);
}

/* A message that was cut on its way is an error, nothing worse. */
static void refuse(message_t* message) {
    tiledb_array_schema_t* schema = NULL;
    message->size /= 2;
    tiledb_buffer_t* buffer = over(message);
    if (tiledb_deserialize_array_schema(ctx, buffer, TILEDB_CAPNP, 0, &schema) == TILEDB_ERR)
        printf("refused half a message\n");
    tiledb_buffer_free(&buffer);
}

int main(void) {
    static message_t message;
    check(tiledb_ctx_alloc(NULL, &ctx));
    send_schema(&message);
    create("serialize_array", &message);
    refuse(&message);
    send_metadata("serialize_array", &message);
    store_metadata("serialize_array", &message);
    tiledb_ctx_free(&ctx);
    return 0;
}
