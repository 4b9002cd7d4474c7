/*
 * The C interface of TileDB: config.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_CAPI_CONFIG_API_EXTERNAL_H
#define TILEDB_CAPI_CONFIG_API_EXTERNAL_H

#include "../api_external_common.h"
#include "../error/error_api_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The opaque config handle.
 */
typedef struct tiledb_config_handle_t tiledb_config_t;

/**
 * The opaque config iter handle.
 */
typedef struct tiledb_config_iter_handle_t tiledb_config_iter_t;

/**
 * Creates a configuration in which every parameter has its default.
 *
 * @param config The configuration, to be freed with `tiledb_config_free`.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_alloc(
    tiledb_config_t **config,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Tells whether every parameter has the same value in two configurations.
 *
 * @param lhs One configuration.
 * @param rhs The other one.
 * @param equal 1 if they are equal, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_compare(
    tiledb_config_t *lhs,
    tiledb_config_t *rhs,
    uint8_t *equal) TILEDB_NOEXCEPT;

/**
 * Frees a configuration and sets the pointer to null.
 *
 * @param config The configuration.
 */
TILEDB_EXPORT void tiledb_config_free(tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Gives the value of a parameter: what was set, else what the environment holds, else the default.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param value The value, or null for an unknown parameter. Valid until the parameter is changed or
 *     the configuration is freed.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_get(
    tiledb_config_t *config,
    const char *param,
    const char **value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Creates an iterator over the parameters whose names begin with a prefix, sorted by name. It walks
 * over the values of this moment.
 *
 * @param config The configuration.
 * @param prefix The prefix, which is cut off the names; null for all parameters.
 * @param config_iter The iterator, to be freed with `tiledb_config_iter_free`.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_alloc(
    tiledb_config_t *config,
    const char *prefix,
    tiledb_config_iter_t **config_iter,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Tells whether the iterator is past the last parameter.
 *
 * @param config_iter The iterator.
 * @param done 1 if it is, else 0.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_done(
    tiledb_config_iter_t *config_iter,
    int32_t *done,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Frees an iterator and sets the pointer to null.
 *
 * @param config_iter The iterator.
 */
TILEDB_EXPORT void tiledb_config_iter_free(tiledb_config_iter_t **config_iter) TILEDB_NOEXCEPT;

/**
 * Gives the parameter at which the iterator stands; both are null past the last one.
 *
 * @param config_iter The iterator.
 * @param param The name without the prefix, valid until the iterator is reset or freed.
 * @param value The value, valid as long.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_here(
    tiledb_config_iter_t *config_iter,
    const char **param,
    const char **value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Moves the iterator to the next parameter; past the last one it stays.
 *
 * @param config_iter The iterator.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_next(
    tiledb_config_iter_t *config_iter,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Starts the iterator anew, over the parameters of a configuration as they are now.
 *
 * @param config The configuration.
 * @param config_iter The iterator.
 * @param prefix The prefix, which is cut off the names; null for all parameters.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_reset(
    tiledb_config_t *config,
    tiledb_config_iter_t *config_iter,
    const char *prefix,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Sets the parameters that a file lists, one `name value` per line; `#` begins a comment.
 *
 * @param config The configuration.
 * @param filename The path of the file.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_load_from_file(
    tiledb_config_t *config,
    const char *filename,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Writes the parameters to a file that `tiledb_config_load_from_file` reads; credentials and empty
 * values are left out.
 *
 * @param config The configuration.
 * @param filename The path of the file, which is replaced.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_save_to_file(
    tiledb_config_t *config,
    const char *filename,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Sets a parameter. Names the library does not know are stored for the caller's own use.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param value The value.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_set(
    tiledb_config_t *config,
    const char *param,
    const char *value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Gives a parameter its fallback value back.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param error The error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_unset(
    tiledb_config_t *config,
    const char *param,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_CONFIG_API_EXTERNAL_H */
