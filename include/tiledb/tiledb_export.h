/*
 * How functions are marked: exported, deprecated.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_EXPORT_H
#define TILEDB_EXPORT_H

#if defined(_WIN32)
#define TILEDB_EXPORT __declspec(dllimport)
#define TILEDB_NO_EXPORT
#elif defined(__GNUC__) || defined(__clang__)
#define TILEDB_EXPORT __attribute__((visibility("default")))
#define TILEDB_NO_EXPORT __attribute__((visibility("hidden")))
#else
#define TILEDB_EXPORT
#define TILEDB_NO_EXPORT
#endif

/* Define TILEDB_NO_API_DEPRECATION_WARNINGS before the first include to use deprecated functions in silence. */
#ifndef TILEDB_DEPRECATED
#if !defined(TILEDB_NO_API_DEPRECATION_WARNINGS) && (defined(__GNUC__) || defined(__clang__))
#define TILEDB_DEPRECATED __attribute__((__deprecated__))
#else
#define TILEDB_DEPRECATED
#endif
#endif

#define TILEDB_DEPRECATED_EXPORT TILEDB_EXPORT TILEDB_DEPRECATED
#define TILEDB_DEPRECATED_NO_EXPORT TILEDB_NO_EXPORT TILEDB_DEPRECATED

#endif /* TILEDB_EXPORT_H */
