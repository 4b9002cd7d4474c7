/*
 * The C interface of TileDB: objects as bytes on a wire.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
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
 * Reads an array from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    const char *array_uri,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Reads a request to create an array from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_create(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_string_t **storage_uri,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Reads the metadata of an array from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_metadata(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *buffer) TILEDB_NOEXCEPT;

/**
 * Reads the non-empty domain of an array from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_non_empty_domain_all_dimensions(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side) TILEDB_NOEXCEPT;

/**
 * Reads the non-empty domain of an array from the form in which it crosses a network. Not written yet.
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
 * Reads a request to open an array from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_open(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_array_t **array) TILEDB_NOEXCEPT;

/**
 * Reads a schema from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_schema(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Reads changes to a schema from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_array_schema_evolution(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_array_schema_evolution_t **array_schema_evolution) TILEDB_NOEXCEPT;

/**
 * Reads a configuration from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_config(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Reads information about fragments from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_fragment_info(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    const char *array_uri,
    int32_t client_side,
    tiledb_fragment_info_t *fragment_info) TILEDB_NOEXCEPT;

/**
 * Reads a request for information about fragments from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_fragment_info_request(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_fragment_info_t *fragment_info) TILEDB_NOEXCEPT;

/**
 * Reads a group from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_group(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_group_t *group) TILEDB_NOEXCEPT;

/**
 * Reads the metadata of a group from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_group_metadata(
    tiledb_ctx_t *ctx,
    tiledb_group_t *group,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *buffer) TILEDB_NOEXCEPT;

/**
 * Reads a query from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_query(
    tiledb_ctx_t *ctx,
    const tiledb_buffer_t *buffer,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_query_t *query) TILEDB_NOEXCEPT;

/**
 * Reads a query with its array from the form in which it crosses a network. Not written yet.
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
 * Reads the estimated sizes of results from the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_deserialize_query_est_result_sizes(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    const tiledb_buffer_t *buffer) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to delete fragments. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_array_delete_fragments_list_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to delete fragments. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_array_delete_fragments_timestamps_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request for a consolidation plan. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_consolidation_plan_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to load a schema. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_load_array_schema_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request to load enumerations. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_load_enumerations_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Answers, on the side of a server, the request for a query plan. Not written yet.
 */
TILEDB_EXPORT capi_return_t tiledb_handle_query_plan_request(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    const tiledb_buffer_t *request,
    tiledb_buffer_t *response) TILEDB_NOEXCEPT;

/**
 * Gives a serialization type from its text.
 *
 * @param str The text.
 * @param serialization_type The value.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
 */
TILEDB_EXPORT int32_t tiledb_serialization_type_from_str(
    const char *str,
    tiledb_serialization_type_t *serialization_type) TILEDB_NOEXCEPT;

/**
 * Gives the text of a serialization type.
 *
 * @param serialization_type The value.
 * @param str Its text, which lives as long as the program.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
 */
TILEDB_EXPORT int32_t tiledb_serialization_type_to_str(
    tiledb_serialization_type_t serialization_type,
    const char **str) TILEDB_NOEXCEPT;

/**
 * Writes an array in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the sizes of buffers in the form in which it crosses a network. Not written yet.
 */
TILEDB_DEPRECATED_EXPORT int32_t tiledb_serialize_array_max_buffer_sizes(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    const void *subarray,
    tiledb_serialization_type_t serialize_type,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the metadata of an array in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_metadata(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialization_type,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the non-empty domain of an array in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_non_empty_domain_all_dimensions(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes the non-empty domain of an array in the form in which it crosses a network. Not written yet.
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
 * Writes a request to open an array in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_open(
    tiledb_ctx_t *ctx,
    const tiledb_array_t *array,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Writes a schema in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_schema(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_t *array_schema,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes changes to a schema in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_array_schema_evolution(
    tiledb_ctx_t *ctx,
    const tiledb_array_schema_evolution_t *array_schema_evolution,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a configuration in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_config(
    tiledb_ctx_t *ctx,
    const tiledb_config_t *config,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes information about fragments in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_fragment_info(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    tiledb_serialization_type_t serialization_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a request for information about fragments in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_fragment_info_request(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a group in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_group(
    tiledb_ctx_t *ctx,
    const tiledb_group_t *group,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Writes the metadata of a group in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_group_metadata(
    tiledb_ctx_t *ctx,
    const tiledb_group_t *group,
    tiledb_serialization_type_t serialization_type,
    tiledb_buffer_t **buffer) TILEDB_NOEXCEPT;

/**
 * Writes a query in the form in which it crosses a network. Not written yet.
 */
TILEDB_EXPORT int32_t tiledb_serialize_query(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    tiledb_serialization_type_t serialize_type,
    int32_t client_side,
    tiledb_buffer_list_t **buffer_list) TILEDB_NOEXCEPT;

/**
 * Writes the estimated sizes of results in the form in which it crosses a network. Not written yet.
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
