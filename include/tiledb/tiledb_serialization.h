/*
 * The C interface of TileDB: objects as bytes on a wire.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_SERIALIZATION_H
#define TILEDB_SERIALIZATION_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/array/array_api_external.h"
#include "api/c_api/array_schema/array_schema_api_external.h"
#include "api/c_api/array_schema_evolution/array_schema_evolution_api_experimental.h"
#include "api/c_api/buffer/buffer_api_external.h"
#include "api/c_api/buffer_list/buffer_list_api_external.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/fragment_info/fragment_info_api_external.h"
#include "api/c_api/group/group_api_external.h"
#include "api/c_api/query/query_api_external.h"
#include "api/c_api/string/string_api_external.h"
#include "tiledb.h"
#include "tiledb_experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The form of serialized objects.
 */
typedef enum {
  TILEDB_JSON = 0,
  TILEDB_CAPNP = 1,
} tiledb_serialization_type_t;

/**
 * Makes an array of a message. It is open; what the message does not hold is looked up where the array is.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param array_uri Where the array is.
 * @param array Receives the array, to be freed with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    const char *array_uri,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Reads a request to create an array, as clients send it to a server.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param storage_uri Where the client wants the array to be stored, empty where it leaves that to the server; to be freed with `tiledb_string_free`.
 * @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_create(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_string_t **storage_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Reads metadata into an array. Of one that is open for writing they are changes, written when it is closed; of one that is
 * open for reading they are what it has, unless its own were read already.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param buffer The message.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *buffer) TILEDB_NOEXCEPT;

/**
 * Reads the non-empty domain of an array: from now on, until it is opened again, that is its domain.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_non_empty_domain_all_dimensions(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side) TILEDB_NOEXCEPT;

/**
 * Reads a non-empty domain, for arrays whose dimensions are of one type that is no string.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param nonempty_domain Room for both ends of each dimension; left as it is where the domain is empty.
 * @param is_empty 1 for an empty domain, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_nonempty_domain(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    void *nonempty_domain,
    int32_t *is_empty) TILEDB_NOEXCEPT;

/**
 * Makes an array that is not open yet of the request to open one. Its name says nothing; its configuration is the message's.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param array Receives the array, to be freed with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_open(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Makes a schema of a message. It is checked as one from a file is.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_schema(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Makes an evolution of a message.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param array_schema_evolution Receives the evolution, to be freed with `tiledb_array_schema_evolution_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_schema_evolution(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_array_schema_evolution_t **array_schema_evolution) TILEDB_NOEXCEPT;

/**
 * Makes a configuration of a message. Values are checked as when they are set.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param config Receives the configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_config(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Reads what is known of the fragments of an array into a fragment info, in place of what was loaded before.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param array_uri Where the array is.
 * @param client_side Without effect.
 * @param fragment_info The fragment info.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_fragment_info(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    const char *array_uri,
    int32_t client_side,
    tiledb_fragment_info_t *fragment_info) TILEDB_NOEXCEPT;

/**
 * Reads the request for information about the fragments of an array: a fragment info gets its configuration.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param fragment_info The fragment info, which has loaded nothing.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_fragment_info_request(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_fragment_info_t *fragment_info) TILEDB_NOEXCEPT;

/**
 * Reads members, metadata and configuration into a group. Of one that is open for writing members and metadata are changes,
 * written when it is closed; of another one they are what it has, and it is open then.
 *
 * @param ctx The TileDB context.
 * @param buffer The message.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param group The group.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_group(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_group_t *group) TILEDB_NOEXCEPT;

/**
 * Reads metadata into a group that is open for writing: they are changes, written when it is closed.
 *
 * @param ctx The TileDB context.
 * @param group The group, open for writing.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param buffer The message.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_group_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *buffer) TILEDB_NOEXCEPT;

/**
 * Reads a message into a query. On a server the query takes over what the message says; buffers for results are null with
 * the sizes that are needed, and must be set; cells to be written stay in the message, which must be kept until the query
 * is freed. On a client the results in the message are copied to the buffers of the query.
 *
 * @param ctx The TileDB context.
 * @param buffer The message, with the buffers behind it.
 * @param serialize_type The form of the message: `TILEDB_CAPNP`.
 * @param client_side Not 0 on a client, 0 on a server.
 * @param query The query, on an array opened for the same purpose.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_query(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Makes a query, and the array that it is on, of the message of a client.
 *
 * @param ctx The TileDB context.
 * @param buffer The message, with the buffers behind it; it must be kept until the query is freed.
 * @param serialize_type The form of the message: `TILEDB_CAPNP`.
 * @param client_side Not 0 on a client, 0 on a server.
 * @param array_uri Where the array is.
 * @param query Receives the query, to be freed with `tiledb_query_free`.
 * @param array Receives the array, to be freed with `tiledb_array_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_query_and_array(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    const char *array_uri,
    tiledb_query_t **query,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Reads estimated sizes of results from a message; the query tells them from then on.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer The message.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_query_est_result_sizes(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    const tiledb_buffer_t *buffer) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to delete fragments that it names.
 *
 * @param ctx The TileDB context.
 * @param array The array, open with `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param request The request.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_array_delete_fragments_list_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to delete the fragments that were wholly written within a time window.
 *
 * @param ctx The TileDB context.
 * @param array The array, open with `TILEDB_WRITE` or `TILEDB_MODIFY_EXCLUSIVE`.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param request The request.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_array_delete_fragments_timestamps_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request how to merge the fragments of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param request The request: the wanted size of fragments.
 * @param response The answer: the fragments that belong together, node by node.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_consolidation_plan_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to load the schemas of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param request The request.
 * @param response The answer: the schema of the opening, and all schemas by name; of that of the opening the enumerations
 *     are loaded where `rest.load_enumerations_on_array_open` is true in the configuration that the request holds.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_load_array_schema_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to load enumerations of an array.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param request The request: names of enumerations of the schema of the opening; without any, all of all schemas.
 * @param response The answer: the enumerations with their values.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_load_enumerations_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request what a query is going to do.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for what the query does.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param request The request: the query without its cells, which must fit the array.
 * @param response The answer: layout, strategy, and the fields by name.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_query_plan_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Returns a serialization type from its text.
 *
 * @param str The text.
 * @param serialization_type Receives the value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT int32_t tiledb_serialization_type_from_str(
    const char *str,
    tiledb_serialization_type_t *serialization_type) TILEDB_NOEXCEPT;

/**
 * Returns the text of a serialization type.
 *
 * @param serialization_type The value.
 * @param str Receives its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT int32_t tiledb_serialization_type_to_str(
    tiledb_serialization_type_t serialization_type,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Writes an open array as a message: its schemas, what lies in its folder, the fragments that reading sees and, as far as
 * the parameters `rest.load_*` of its configuration ask for it, the non-empty domain, the metadata and the enumerations.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Not 0 to say in the schemas where the array is.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Is no longer supported, as in libtiledb: always an error.
 *
 * @param ctx The TileDB context.
 * @param array Without effect.
 * @param subarray Without effect.
 * @param serialize_type Without effect.
 * @param buffer Left as it is.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_serialize_array_max_buffer_sizes(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const void *subarray,
    tiledb_serialization_type_t serialize_type,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the metadata of an array as a message: all values of one that is open for reading, else what was put and deleted
 * since it was opened.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_metadata(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the non-empty domain of an array as a message, dimension by dimension: of any type.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_non_empty_domain_all_dimensions(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a non-empty domain as a message, for arrays whose dimensions are of one type that is no string.
 *
 * @param ctx The TileDB context.
 * @param array The array, which is open.
 * @param nonempty_domain Both ends of each dimension, one after the other; may be null for an empty domain.
 * @param is_empty Not 0 for an empty domain.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_nonempty_domain(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const void *nonempty_domain,
    int32_t is_empty,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the request to open an array as a message: what the array was opened for, and of its configuration what a server
 * can use: the parameters `sm.*` and `rest.load_*`. `sm.encryption_key` is among them: a server needs it to read an
 * encrypted array. Secrets of stores, and the token of the server, are not.
 *
 * @param ctx The TileDB context.
 * @param array The array.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer_list Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_open(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Writes a schema as a message, with the values of those enumerations that are loaded.
 *
 * @param ctx The TileDB context.
 * @param array_schema The schema, which has a domain.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Not 0 to say where the array is that has the schema.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_schema(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes an evolution of a schema as a message.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_schema_evolution(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_evolution_t *array_schema_evolution,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a configuration as a message: every parameter that has a value, secrets too.
 *
 * @param ctx The TileDB context.
 * @param config The configuration.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_config(
    tiledb_ctx_t *ctx,
    const tiledb_config_t *config,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes what was loaded of the fragments of an array as a message; with the bounding boxes of their tiles where
 * `sm.fragment_info.preload_mbrs` asks for them.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info, which was loaded.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Not 0 to say in the schemas where the array is.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_fragment_info(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    tiledb_serialization_type_t serialization_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the request for information about the fragments of an array as a message: of the configuration what a server can
 * use, the parameters `sm.*` and `rest.load_*`; `sm.encryption_key` is among them.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_fragment_info_request(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes an open group as a message: members, metadata and, of its configuration, what a server can use: the parameters
 * `sm.*` and `rest.load_*`; `sm.encryption_key` is among them.
 *
 * @param ctx The TileDB context.
 * @param group The group, which is open.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer_list Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_group(
    tiledb_ctx_t *ctx,
    const tiledb_group_t *group,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Writes the metadata of a group as a message: all values of one that is open for reading, else what was put and deleted
 * since it was opened.
 *
 * @param ctx The TileDB context.
 * @param group The group, which is open.
 * @param serialization_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_group_metadata(
    tiledb_ctx_t *ctx,
    const tiledb_group_t *group,
    tiledb_serialization_type_t serialization_type,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a query as a message with its buffers behind it. A client sends the cells of a write, a server the results of a
 * read and how far it has come. The buffers are not copied: they must be left as they are while the list is used. Of the
 * configuration a message holds what a server can use, as with `tiledb_serialize_array_open`.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param serialize_type The form of the message: `TILEDB_CAPNP`.
 * @param client_side Not 0 to write what a client sends, 0 for what a server does.
 * @param buffer_list Receives the message and the buffers, to be freed with `tiledb_buffer_list_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_query(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_list_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Writes the estimated sizes of the results of all fields as a message.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param serialize_type The form of the message: `TILEDB_CAPNP` or `TILEDB_JSON`.
 * @param client_side Without effect.
 * @param buffer Receives the message, to be freed with `tiledb_buffer_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_serialize_query_est_result_sizes(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_SERIALIZATION_H */
