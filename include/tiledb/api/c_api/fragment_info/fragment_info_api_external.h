/*
 * The C interface of TileDB: fragment info.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_FRAGMENT_INFO_API_EXTERNAL_H
#define TILEDB_CAPI_FRAGMENT_INFO_API_EXTERNAL_H

#include <stdio.h>

#include "../api_external_common.h"
#include "../array_schema/array_schema_api_external.h"
#include "../config/config_api_external.h"
#include "../context/context_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque fragment info handle.
 */
typedef struct tiledb_fragment_info_handle_t tiledb_fragment_info_t;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_alloc(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_fragment_info_t **fragment_info) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_dump(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    FILE *out) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_fragment_info_free(
    tiledb_fragment_info_t **fragment_info) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_array_schema(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_array_schema_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **schema_name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_cell_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *cell_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_config(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_dense(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    int32_t *dense) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_name_v2(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t *fragment_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_size(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_uri(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    uint32_t did,
    void *mbr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    const char *dim_name,
    void *mbr) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *mbr_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    uint32_t did,
    void *start,
    void *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    const char *dim_name,
    void *start,
    void *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_size_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    uint32_t did,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_size_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    const char *dim_name,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t did,
    void *domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char *dim_name,
    void *domain) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t did,
    void *start,
    void *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char *dim_name,
    void *start,
    void *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t did,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char *dim_name,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_sparse(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    int32_t *sparse) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_timestamp_range(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *start,
    uint64_t *end) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_to_vacuum_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t *to_vacuum_num) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_to_vacuum_uri(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **uri) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_unconsolidated_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t *unconsolidated) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_version(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t *version) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_has_consolidated_metadata(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    int32_t *has) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_load(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_fragment_info_set_config(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FRAGMENT_INFO_API_EXTERNAL_H */
