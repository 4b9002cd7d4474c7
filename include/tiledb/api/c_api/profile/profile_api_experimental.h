/*
 * The C interface of TileDB: profile, experimental.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
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

/**
 * Creates an empty profile; nothing is read or written.
 *
 * @param name The name; null for the default profile. `version` is reserved by the format of the file.
 * @param dir The directory of its file `profiles.json`; null for `.tiledb` in the home directory.
 * @param profile Receives the profile, to be freed with `tiledb_profile_free`.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_alloc(
    const char *name,
    const char *dir,
    tiledb_profile_t **profile,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Returns the profile as JSON.
 *
 * @param profile The profile.
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_dump_str(
    tiledb_profile_t *profile,
    tiledb_string_t **out,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Frees a profile and sets the pointer to null; its file stays.
 *
 * @param profile The profile.
 */
TILEDB_EXPORT void tiledb_profile_free(tiledb_profile_t **profile) TILEDB_NOEXCEPT;

/**
 * Returns the directory of the profile's file, with a slash at its end.
 *
 * @param profile The profile.
 * @param dir Receives the directory, to be freed with `tiledb_string_free`.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_get_dir(
    tiledb_profile_t *profile,
    tiledb_string_t **dir,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Returns the name of the profile.
 *
 * @param profile The profile.
 * @param name Receives the name, to be freed with `tiledb_string_free`.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_get_name(
    tiledb_profile_t *profile,
    tiledb_string_t **name,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Returns the value of a parameter.
 *
 * @param profile The profile.
 * @param param The name of the parameter.
 * @param value Receives the value, to be freed with `tiledb_string_free`; null if the parameter is not set.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_get_param(
    tiledb_profile_t *profile,
    const char *param,
    tiledb_string_t **value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Reads the profile's parameters from its file.
 *
 * @param profile The profile.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_load(
    tiledb_profile_t *profile,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Removes a profile from its file.
 *
 * @param name The name; null for the default profile. `version` is reserved by the format of the file.
 * @param dir The directory of the file; null for `.tiledb` in the home directory.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_remove(
    const char *name,
    const char *dir,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Writes the profile into its file, which is made if needed.
 *
 * Programs that were compiled for libtiledb 2.28 or 2.29 call this function without `overwrite`. On x86-64 such a call is
 * recognized and does not overwrite, unless its `error` is null, which is undefined.
 *
 * @param profile The profile.
 * @param overwrite 0 to fail if the file has a profile of this name.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_save(
    tiledb_profile_t *profile,
    uint8_t overwrite,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

/**
 * Sets a parameter of the profile.
 *
 * @param profile The profile.
 * @param param The name of the parameter.
 * @param value The value; null for an empty one.
 * @param error Receives the error, or null on success.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_profile_set_param(
    tiledb_profile_t *profile,
    const char *param,
    const char *value,
    tiledb_error_t **error) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_CAPI_PROFILE_API_EXPERIMENTAL_H */
