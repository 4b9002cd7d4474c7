/*
 * The C interface of TileDB: fragment info, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_FRAGMENT_INFO_API_EXPERIMENTAL_H
#define TILEDB_CAPI_FRAGMENT_INFO_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../context/context_api_external.h"
#include "../fragment_info/fragment_info_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the number of cells of all fragments. Cells that were overwritten count in each fragment.
 *
 * @param ctx The TileDB context.
 * @param fragment_info The fragment info.
 * @param count Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_fragment_info_get_total_cell_num(
    tiledb_ctx_t *ctx,
    tiledb_fragment_info_t *fragment_info,
    uint64_t *count) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_FRAGMENT_INFO_API_EXPERIMENTAL_H */
