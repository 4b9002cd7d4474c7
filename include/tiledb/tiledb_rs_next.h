/*
 * Functions of the development version of libtiledb 2.31, which may still change.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_RS_NEXT_H
#define TILEDB_RS_NEXT_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/fragment_info/fragment_info_api_external.h"
#include "api/c_api/query/query_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the coordinates of the first cell of a tile of a sparse fragment, in global order.
 *
 * Only fragments of format version 23 or later contain these coordinates; `sm.write_format_version` selects the version. The
 * sizes of variable-length dimensions are unknown at first: call the function with null instead of their buffers, allocate
 * what `dimension_sizes` tells, and call it again.
 *
 * ```c
 * size_t sizes[2];
 * int32_t row;
 * void *buffers[2] = {&row, NULL};
 * tiledb_fragment_info_get_global_order_lower_bound(ctx, fragment_info, 0, 0, sizes, buffers);
 * buffers[1] = malloc(sizes[1]);
 * tiledb_fragment_info_get_global_order_lower_bound(ctx, fragment_info, 0, 0, sizes, buffers);
 * ```
 *
 * Declared by libtiledb's development version 2.31, which may change it.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fragment_id The index of the fragment.
 * @param mbr_id The index of the tile, which is that of its bounding box.
 * @param dimension_sizes Receives the size of each coordinate in bytes, one entry per dimension. Null is allowed if no
 *     dimension has variable length.
 * @param dimensions The buffers for the coordinates, one per dimension, each large enough for its coordinate. Those that are
 *     null are not filled.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, an index is out of range, the fragment is dense
 *     or does not contain the coordinates, or a null pointer is not allowed.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_global_order_lower_bound(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fragment_id,
    uint32_t mbr_id,
    size_t *dimension_sizes,
    void **dimensions) TILEDB_NOEXCEPT;

/**
 * Returns the coordinates of the last cell of a tile of a sparse fragment, in global order.
 *
 * Only fragments of format version 23 or later contain these coordinates; `sm.write_format_version` selects the version. The
 * sizes of variable-length dimensions are unknown at first: call the function with null instead of their buffers, allocate
 * what `dimension_sizes` tells, and call it again.
 *
 * ```c
 * size_t sizes[2];
 * int32_t row;
 * void *buffers[2] = {&row, NULL};
 * tiledb_fragment_info_get_global_order_upper_bound(ctx, fragment_info, 0, 0, sizes, buffers);
 * buffers[1] = malloc(sizes[1]);
 * tiledb_fragment_info_get_global_order_upper_bound(ctx, fragment_info, 0, 0, sizes, buffers);
 * ```
 *
 * Declared by libtiledb's development version 2.31, which may change it.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info object, loaded.
 * @param fragment_id The index of the fragment.
 * @param mbr_id The index of the tile, which is that of its bounding box.
 * @param dimension_sizes Receives the size of each coordinate in bytes, one entry per dimension. Null is allowed if no
 *     dimension has variable length.
 * @param dimensions The buffers for the coordinates, one per dimension, each large enough for its coordinate. Those that are
 *     null are not filled.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the object is not loaded, an index is out of range, the fragment is dense
 *     or does not contain the coordinates, or a null pointer is not allowed.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_global_order_upper_bound(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint32_t fragment_id,
    uint32_t mbr_id,
    size_t *dimension_sizes,
    void **dimensions) TILEDB_NOEXCEPT;

/**
 * Unsets all buffers of a query: data, offsets and validity buffers of fields, dimension labels and aggregates.
 *
 * The library does not access the buffers or their size variables afterwards, so their memory may be freed. Aggregates, ranges,
 * the query condition and other settings remain. After the first submit, buffers can be set again for the fields that had some,
 * and the query continues where it was; a submit before that fails. A write in global order can be finalized without buffers.
 *
 * Declared by libtiledb's development version 2.31, which may change it.
 *
 * @param query The query.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle.
 */
TILEDB_EXPORT int32_t tiledb_query_unset_buffers(tiledb_query_t *query) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_RS_NEXT_H */
