/*
 * The C interface of TileDB: profile, experimental.
 *
 * Printed from src/capi by tests/headers.rs: change it there.
 */
#ifndef TILEDB_CAPI_PROFILE_API_EXPERIMENTAL_H
#define TILEDB_CAPI_PROFILE_API_EXPERIMENTAL_H

#include "../api_external_common.h"
#include "../error/error_api_external.h"
#include "../string/string_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque profile handle.
 */
typedef struct tiledb_profile_handle_t tiledb_profile_t;

TILEDB_EXPORT capi_return_t tiledb_profile_alloc(
    const char *name,
    const char *dir,
    tiledb_profile_t **profile,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_dump_str(
    tiledb_profile_t *profile,
    tiledb_string_t **out,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT void tiledb_profile_free(tiledb_profile_t **profile) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_get_dir(
    tiledb_profile_t *profile,
    tiledb_string_t **dir,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_get_name(
    tiledb_profile_t *profile,
    tiledb_string_t **name,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_get_param(
    tiledb_profile_t *profile,
    const char *param,
    tiledb_string_t **value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_load(
    tiledb_profile_t *profile,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_remove(
    const char *name,
    const char *dir,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_save(
    tiledb_profile_t *profile,
    uint8_t overwrite,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

TILEDB_EXPORT capi_return_t tiledb_profile_set_param(
    tiledb_profile_t *profile,
    const char *param,
    const char *value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_PROFILE_API_EXPERIMENTAL_H */
