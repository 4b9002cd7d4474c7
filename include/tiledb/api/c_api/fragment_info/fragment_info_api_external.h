/*
 * The C interface of TileDB: fragment info.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Creates a fragment info object: a description of the fragments of an array. Nothing is read until
 * `tiledb_fragment_info_load`.
 *
 * ```c
 * tiledb_fragment_info_t *info = NULL;
 * uint32_t count = 0;
 * tiledb_fragment_info_alloc(ctx, "my_array", &info);
 * tiledb_fragment_info_load(ctx, info);
 * tiledb_fragment_info_get_fragment_num(ctx, info, &count);
 * for (uint32_t i = 0; i < count; i++) {
 *   const char *uri = NULL;
 *   uint64_t cells = 0, bytes = 0;
 *   tiledb_fragment_info_get_fragment_uri(ctx, info, i, &uri);
 *   tiledb_fragment_info_get_cell_num(ctx, info, i, &cells);
 *   tiledb_fragment_info_get_fragment_size(ctx, info, i, &bytes);
 *   printf("%s: %llu cells, %llu bytes\n", uri, (unsigned long long)cells, (unsigned long long)bytes);
 * }
 * tiledb_fragment_info_free(&info);
 * ```
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI or path of the array.
 * @param fragment_info Receives the object; free it with `tiledb_fragment_info_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid URI.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_alloc(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    tiledb_fragment_info_t **fragment_info) TILEDB_NOEXCEPT;

/**
 * Writes a readable description of the fragments to a stream.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param out The stream.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_dump(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    FILE *out) TILEDB_NOEXCEPT;

/**
 * Returns a readable description of the fragments.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_dump_str(
    tiledb_ctx_t *ctx,
    const tiledb_fragment_info_t *fragment_info,
    tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Frees the handle and sets the pointer to null.
 *
 * @param fragment_info The fragment info.
 */
TILEDB_EXPORT void tiledb_fragment_info_free(
    tiledb_fragment_info_t **fragment_info) TILEDB_NOEXCEPT;

/**
 * Returns the schema a fragment was written with.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param array_schema Receives the schema, to be freed with `tiledb_array_schema_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_array_schema(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    tiledb_array_schema_t **array_schema) TILEDB_NOEXCEPT;

/**
 * Returns the name of the schema a fragment was written with.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param schema_name Receives the name, valid until the handle is freed or loaded again.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_array_schema_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **schema_name) TILEDB_NOEXCEPT;

/**
 * Returns the number of cells of a fragment.
 *
 * For a dense fragment it counts all cells of its tiles, also those outside the box that was written.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fid The index of the fragment.
 * @param cell_num Receives the number.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_cell_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *cell_num) TILEDB_NOEXCEPT;

/**
 * Returns a copy of the configuration.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param config Receives the configuration, to be freed with `tiledb_config_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_config(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Reports whether a fragment is dense.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param dense Receives 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_dense(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    int32_t *dense) TILEDB_NOEXCEPT;

/**
 * Returns the name of a fragment.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param name Receives the name, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_name_v2(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    tiledb_string_t **name) TILEDB_NOEXCEPT;

/**
 * Returns the number of fragments.
 *
 * Fragments that a consolidation has replaced are not counted; see `tiledb_fragment_info_get_to_vacuum_num`.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fragment_num Receives the number. Valid indexes of fragments are 0 to this number minus 1.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` before `tiledb_fragment_info_load`.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t *fragment_num) TILEDB_NOEXCEPT;

/**
 * Returns the total size of the files of a fragment in bytes.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param size Receives the size in bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_size(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *size) TILEDB_NOEXCEPT;

/**
 * Returns the URI of a fragment.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fid The index of the fragment, less than `tiledb_fragment_info_get_fragment_num`.
 * @param uri Receives the NUL-terminated URI, which belongs to the object and is valid until it is freed or loaded again.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_fragment_uri(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **uri) TILEDB_NOEXCEPT;

/**
 * Returns the range of a bounding box of a fragment in a fixed-size dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mid The index of the box.
 * @param did The index of the dimension.
 * @param mbr Low and high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    uint32_t did,
    void *mbr) TILEDB_NOEXCEPT;

/**
 * Returns the range of a bounding box of a fragment in a fixed-size dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mid The index of the box.
 * @param dim_name The name of the dimension.
 * @param mbr Low and high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    const char *dim_name,
    void *mbr) TILEDB_NOEXCEPT;

/**
 * Returns the number of minimum bounding rectangles (MBRs) of a fragment: one per tile of a sparse fragment, 0 for a dense
 * one.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mbr_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *mbr_num) TILEDB_NOEXCEPT;

/**
 * Returns the range of a bounding box of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mid The index of the box.
 * @param did The index of the dimension.
 * @param start The low end, of the size that the size function gives.
 * @param end The high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    uint32_t did,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the range of a bounding box of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mid The index of the box.
 * @param dim_name The name of the dimension.
 * @param start The low end, of the size that the size function gives.
 * @param end The high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    const char *dim_name,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the ends of the range of a bounding box of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mid The index of the box.
 * @param did The index of the dimension.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_size_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    uint32_t did,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the ends of the range of a bounding box of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param mid The index of the box.
 * @param dim_name The name of the dimension.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_mbr_var_size_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t mid,
    const char *dim_name,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Returns the range of all cells of a fragment in a fixed-size dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param did The index of the dimension.
 * @param domain Low and high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t did,
    void *domain) TILEDB_NOEXCEPT;

/**
 * Returns the range of all cells of a fragment in a fixed-size dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param dim_name The name of the dimension.
 * @param domain Low and high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char *dim_name,
    void *domain) TILEDB_NOEXCEPT;

/**
 * Returns the range of all cells of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param did The index of the dimension.
 * @param start The low end, of the size that the size function gives.
 * @param end The high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t did,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the range of all cells of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param dim_name The name of the dimension.
 * @param start The low end, of the size that the size function gives.
 * @param end The high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char *dim_name,
    void *start,
    void *end) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the ends of the range of all cells of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param did The index of the dimension.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t did,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Returns the sizes of the ends of the range of all cells of a fragment in a string dimension.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param dim_name The name of the dimension.
 * @param start_size Receives the size of the low end in bytes.
 * @param end_size Receives the size of the high end.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char *dim_name,
    uint64_t *start_size,
    uint64_t *end_size) TILEDB_NOEXCEPT;

/**
 * Reports whether a fragment is sparse.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param sparse Receives 1 if it is, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_sparse(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    int32_t *sparse) TILEDB_NOEXCEPT;

/**
 * Returns the timestamps of a fragment.
 *
 * They are equal for a single write; a consolidated fragment has those of the first and the last write it contains.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fid The index of the fragment.
 * @param start Receives the first timestamp, in milliseconds since 1970-01-01 UTC.
 * @param end Receives the last timestamp.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, or the index is out of range.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_timestamp_range(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint64_t *start,
    uint64_t *end) TILEDB_NOEXCEPT;

/**
 * Returns the number of fragments that consolidation has replaced and `tiledb_array_vacuum` would remove; 0 before loading.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param to_vacuum_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_to_vacuum_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t *to_vacuum_num) TILEDB_NOEXCEPT;

/**
 * Returns the URI of a fragment that a consolidation replaced.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param uri Receives the URI, valid until the handle is freed or loaded again.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_to_vacuum_uri(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    const char **uri) TILEDB_NOEXCEPT;

/**
 * Returns the number of fragments whose metadata has not been consolidated; 0 before loading.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param unconsolidated Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_unconsolidated_metadata_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t *unconsolidated) TILEDB_NOEXCEPT;

/**
 * Returns the format version of a fragment.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param version Receives the version.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_version(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    uint32_t *version) TILEDB_NOEXCEPT;

/**
 * Reports whether the metadata of a fragment is contained in consolidated fragment metadata.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param fid The index of the fragment.
 * @param has Receives 1 if they do, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_has_consolidated_metadata(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fid,
    int32_t *has) TILEDB_NOEXCEPT;

/**
 * Loads the description of all committed fragments of the array.
 *
 * Call it again to see later commits; strings obtained before become invalid. The key of an encrypted array is taken from the
 * configuration (`tiledb_fragment_info_set_config`).
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if there is no array, or its fragments cannot be read.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_load(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info) TILEDB_NOEXCEPT;

/**
 * Sets parameters for a fragment info object, for example the key of an encrypted array. It must not be loaded yet.
 *
 * The parameters that are set in `config` override those that the object has, at first those of the context; the others keep
 * their values.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param config The configuration, which is copied.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_set_config(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FRAGMENT_INFO_API_EXTERNAL_H */
