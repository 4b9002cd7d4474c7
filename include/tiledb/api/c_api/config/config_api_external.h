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
 * Creates a configuration in which every parameter has its fallback value.
 *
 * A configuration is a set of named text values. The effective value of a parameter is the one that was set, otherwise that of
 * its environment variable (`TILEDB_` and the upper-case name, with dots replaced by underscores), otherwise that of the
 * profile, otherwise the built-in default. Functions that take a configuration copy it; later changes to it have no effect on
 * them.
 *
 * ```c
 * tiledb_error_t *failure = NULL;
 * tiledb_config_t *own = NULL;
 * tiledb_ctx_t *tuned = NULL;
 * tiledb_config_alloc(&own, &failure);
 * tiledb_config_set(own, "sm.mem.total_budget", "2147483648", &failure);
 * tiledb_ctx_alloc(own, &tuned);
 * tiledb_config_free(&own); // the context has its own copy
 * tiledb_ctx_free(&tuned);
 * ```
 *
 * @param config Receives the configuration; free it with `tiledb_config_free`.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success. Must not be null.
 * @return `TILEDB_OK` for success, `TILEDB_ERR` for error, and `TILEDB_INVALID_ERROR` if `error` is null.
 */
TILEDB_EXPORT capi_return_t tiledb_config_alloc(
    tiledb_config_t **config,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Reports whether two configurations have the same values for all parameters.
 *
 * @param lhs One configuration.
 * @param rhs The other one.
 * @param equal Receives 1 if they are equal, else 0.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_compare(
    tiledb_config_t *lhs,
    tiledb_config_t *rhs,
    uint8_t *equal) TILEDB_NOEXCEPT;

/**
 * Frees a configuration and sets the pointer to null.
 *
 * Objects that were created with it are not affected: they have copies. Values obtained by `tiledb_config_get` become invalid.
 *
 * @param config The configuration; a null handle is accepted.
 */
TILEDB_EXPORT void tiledb_config_free(tiledb_config_t **config) TILEDB_NOEXCEPT;

/**
 * Returns the effective value of a parameter: the value that was set, otherwise that of the environment variable, otherwise
 * that of the profile, otherwise the built-in default.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param value Receives the value, or null if the parameter is neither known nor set. The text belongs to the configuration
 *     and is valid until this parameter is read again after a change, or the configuration is freed.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success. It is an error if the configured
 *     profile cannot be loaded.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_get(
    tiledb_config_t *config,
    const char *param,
    const char **value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Creates an iterator over the parameters of a configuration, in the order of their names.
 *
 * The iterator works on a snapshot: it does not see later changes to the configuration. Names are returned without the prefix,
 * so a prefix such as `"vfs.s3."` lists the parameters of one subsystem.
 *
 * ```c
 * tiledb_error_t *failure = NULL;
 * tiledb_config_iter_t *iterator = NULL;
 * int32_t done = 0;
 * tiledb_config_iter_alloc(config, "sm.", &iterator, &failure);
 * while (tiledb_config_iter_done(iterator, &done, &failure) == TILEDB_OK && !done) {
 *   const char *name = NULL, *value = NULL;
 *   tiledb_config_iter_here(iterator, &name, &value, &failure);
 *   printf("sm.%s = %s\n", name, value);
 *   tiledb_config_iter_next(iterator, &failure);
 * }
 * tiledb_config_iter_free(&iterator);
 * ```
 *
 * @param config The configuration.
 * @param prefix Only parameters whose names start with this prefix are listed; null for all.
 * @param config_iter Receives the iterator; free it with `tiledb_config_iter_free`.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_alloc(
    tiledb_config_t *config,
    const char *prefix,
    tiledb_config_iter_t **config_iter,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Reports whether an iterator is at the end.
 *
 * @param config_iter The iterator.
 * @param done Receives 1 if it is, else 0.
 * @param error Receives the error, or null on success.
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
 * Returns the current parameter of an iterator: its name without the prefix, and its value. Both are null at the end.
 *
 * @param config_iter The iterator.
 * @param param Receives the name without the prefix, valid until the iterator is reset or freed.
 * @param value Receives the value, valid as long.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_here(
    tiledb_config_iter_t *config_iter,
    const char **param,
    const char **value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Advances an iterator to the next parameter; at the end it does nothing.
 *
 * @param config_iter The iterator.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_next(
    tiledb_config_iter_t *config_iter,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Restarts an iterator, over the current parameters of a configuration.
 *
 * @param config The configuration.
 * @param config_iter The iterator.
 * @param prefix The prefix, which is cut off the names; null for all parameters.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_iter_reset(
    tiledb_config_t *config,
    tiledb_config_iter_t *config_iter,
    const char *prefix,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Sets all parameters that a text file lists.
 *
 * Each line holds a name and a value separated by white space; `#` starts a comment, and a line without a value, or with more
 * than one, is an error that names the file and the line. Parameters that precede the faulty line have been set by then.
 * Values are not validated until they are used.
 *
 * @param config The configuration.
 * @param filename The path of a local file, which is opened, not interpreted as a URI of an object store.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_load_from_file(
    tiledb_config_t *config,
    const char *filename,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Writes the parameters that have a value, sorted by name, to a file that `tiledb_config_load_from_file` reads.
 *
 * Secrets (keys, tokens, passwords), empty values and values from the environment are omitted.
 *
 * @param config The configuration.
 * @param filename The path of a local file, which is replaced.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_save_to_file(
    tiledb_config_t *config,
    const char *filename,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Sets a parameter.
 *
 * The values of known parameters are validated: a number that cannot be parsed, or a value outside the accepted set, is an
 * error, and the configuration stays as it was. Names that the library does not know are stored for the application's own use;
 * if the name resembles a known parameter, a warning with the closest name is logged. Values of parameters that are parsed
 * later, such as `sm.read_range_oob`, are validated by the function that uses them.
 *
 * See also `tiledb_config_unset`, `tiledb_config_load_from_file`; the parameters are listed in the configuration reference.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param value The value as text, for example `"10"`, `"true"`; it is copied.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_config_set(
    tiledb_config_t *config,
    const char *param,
    const char *value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Removes the value that was set for a parameter, so that the environment variable, the profile or the default applies again.
 *
 * Unsetting a parameter that was not set does nothing.
 *
 * @param config The configuration.
 * @param param The name of the parameter.
 * @param error Receives the error, to be freed with `tiledb_error_free`, or null on success.
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
