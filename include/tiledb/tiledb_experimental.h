/*
 * The C interface of TileDB: what may still change.
 *
 * Printed from src/capi by tests/headers/main.rs: change it there.
 */
#ifndef TILEDB_EXPERIMENTAL_H
#define TILEDB_EXPERIMENTAL_H

#include "api/c_api/api_external_common.h"
#include "api/c_api/array/array_api_experimental.h"
#include "api/c_api/array/array_api_external.h"
#include "api/c_api/array_schema/array_schema_api_experimental.h"
#include "api/c_api/array_schema_evolution/array_schema_evolution_api_experimental.h"
#include "api/c_api/attribute/attribute_api_external.h"
#include "api/c_api/attribute/attribute_api_external_experimental.h"
#include "api/c_api/config/config_api_external.h"
#include "api/c_api/context/context_api_external.h"
#include "api/c_api/current_domain/current_domain_api_external_experimental.h"
#include "api/c_api/dimension_label/dimension_label_api_external.h"
#include "api/c_api/enumeration/enumeration_api_experimental.h"
#include "api/c_api/fragment_info/fragment_info_api_experimental.h"
#include "api/c_api/ndrectangle/ndrectangle_api_external_experimental.h"
#include "api/c_api/profile/profile_api_experimental.h"
#include "api/c_api/query/query_api_external.h"
#include "api/c_api/query_aggregate/query_aggregate_api_external_experimental.h"
#include "api/c_api/query_field/query_field_api_external_experimental.h"
#include "api/c_api/query_plan/query_plan_api_external_experimental.h"
#include "api/c_api/string/string_api_external.h"
#include "api/c_api/subarray/subarray_api_experimental.h"
#include "api/c_api/vfs/vfs_api_experimental.h"
#include "tiledb.h"
#include "tiledb_dimension_label_experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Why a query is incomplete.
 */
typedef enum {
  TILEDB_REASON_NONE = 0,
  TILEDB_REASON_USER_BUFFER_SIZE = 1,
  TILEDB_REASON_MEMORY_BUDGET = 2,
} tiledb_query_status_details_reason_t;

/**
 * Why a query is incomplete.
 */
typedef struct tiledb_experimental_query_status_details_t {
  /**
   * The reason.
   */
  tiledb_query_status_details_reason_t incomplete_reason;
} tiledb_query_status_details_t;

/**
 * Consolidates the named fragments of an array into one.
 *
 * Use it to carry out a consolidation plan (`tiledb_consolidation_plan_create_with_mbr`); several processes can consolidate
 * different fragments of one array at the same time. The sources remain until `tiledb_array_vacuum`.
 *
 * @param ctx The TileDB context.
 * @param array_uri The URI of the array.
 * @param fragment_uris The names of the fragments: the last components of their URIs.
 * @param num_fragments The number of names.
 * @param config A configuration whose parameters override those of the context; null for those of the context.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_consolidate_fragments(
    tiledb_ctx_t *ctx,
    const char *array_uri,
    const char **fragment_uris,
    uint64_t num_fragments,
    tiledb_config_t *config) TILEDB_NOEXCEPT;

/**
 * Adds an attribute. Existing cells read as its fill value, or as null if it is nullable.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param attribute The attribute; the evolution keeps its own copy.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_array_schema_evolution_add_attribute(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    tiledb_attribute_t *attribute) TILEDB_NOEXCEPT;

/**
 * Adds an enumeration to the schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param enumeration The enumeration.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_evolution_add_enumeration(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    tiledb_enumeration_t *enumeration) TILEDB_NOEXCEPT;

/**
 * Creates a schema evolution without changes. Add changes to it, then apply them with `tiledb_array_evolve`.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution Receives the evolution, to be freed with `tiledb_array_schema_evolution_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_array_schema_evolution_alloc(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t **array_schema_evolution) TILEDB_NOEXCEPT;

/**
 * Drops an attribute. Its cells remain in existing fragments, where reads as of earlier times find them, until the fragments
 * are consolidated and vacuumed.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param attribute_name The name of the attribute.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_array_schema_evolution_drop_attribute(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    const char *attribute_name) TILEDB_NOEXCEPT;

/**
 * Drops an enumeration that no attribute uses from the schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param enumeration_name The name of the enumeration.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_evolution_drop_enumeration(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    const char *enumeration_name) TILEDB_NOEXCEPT;

/**
 * Expands the current domain of the schema.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param expanded_domain The current domain, which holds the one the schema has.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_evolution_expand_current_domain(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    tiledb_current_domain_t *expanded_domain) TILEDB_NOEXCEPT;

/**
 * Puts an enumeration with more values in the place of that of the same name, of which `tiledb_enumeration_extend` made it.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param enumeration The extended enumeration.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_array_schema_evolution_extend_enumeration(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    tiledb_enumeration_t *enumeration) TILEDB_NOEXCEPT;

/**
 * Frees an evolution and sets the pointer to null.
 *
 * @param array_schema_evolution The evolution.
 */
TILEDB_EXPORT void tiledb_array_schema_evolution_free(
    tiledb_array_schema_evolution_t **array_schema_evolution) TILEDB_NOEXCEPT;

/**
 * Sets the time that the new schema is of, in milliseconds since 1970; without it that is the time of `tiledb_array_evolve`.
 *
 * @param ctx The TileDB context.
 * @param array_schema_evolution The evolution.
 * @param lo The time.
 * @param hi The same time.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_array_schema_evolution_set_timestamp_range(
    tiledb_ctx_t *ctx,
    tiledb_array_schema_evolution_t *array_schema_evolution,
    uint64_t lo,
    uint64_t hi) TILEDB_NOEXCEPT;

/**
 * Describes what this build contains, as JSON.
 *
 * @param out Receives the text, to be freed with `tiledb_string_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_as_built_dump(tiledb_string_t **out) TILEDB_NOEXCEPT;

/**
 * Creates a consolidation plan for an open array: groups of fragments that overlap, such that each consolidated fragment has
 * about a given size. The groups are independent: several processes can consolidate them at the same time with
 * `tiledb_array_consolidate_fragments`.
 *
 * @param ctx The TileDB context.
 * @param array The array, open for reading.
 * @param fragment_size The wanted size of fragments in bytes.
 * @param consolidation_plan Receives the plan, to be freed with `tiledb_consolidation_plan_free`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_consolidation_plan_create_with_mbr(
    tiledb_ctx_t *ctx,
    tiledb_array_t *array,
    uint64_t fragment_size,
    tiledb_consolidation_plan_t **consolidation_plan) TILEDB_NOEXCEPT;

/**
 * Returns a plan as JSON.
 *
 * @param ctx The TileDB context.
 * @param consolidation_plan The plan.
 * @param str Receives the text, to be freed with `tiledb_consolidation_plan_free_json_str`.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_consolidation_plan_dump_json_str(
    tiledb_ctx_t *ctx,
    const tiledb_consolidation_plan_t *consolidation_plan,
    char **str) TILEDB_NOEXCEPT;

/**
 * Frees a plan and sets the pointer to null.
 *
 * @param consolidation_plan The plan.
 */
TILEDB_EXPORT void tiledb_consolidation_plan_free(
    tiledb_consolidation_plan_t **consolidation_plan) TILEDB_NOEXCEPT;

/**
 * Frees the JSON of a plan and sets the pointer to null.
 *
 * @param str Receives the text.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_consolidation_plan_free_json_str(char **str) TILEDB_NOEXCEPT;

/**
 * Returns the name of a fragment in a node of a plan: the last component of its URI.
 *
 * @param ctx The TileDB context.
 * @param consolidation_plan The plan.
 * @param node_index The node.
 * @param fragment_index The fragment in the node.
 * @param uri Receives the name, valid until the plan is freed.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_consolidation_plan_get_fragment_uri(
    tiledb_ctx_t *ctx,
    tiledb_consolidation_plan_t *consolidation_plan,
    uint64_t node_index,
    uint64_t fragment_index,
    const char **uri) TILEDB_NOEXCEPT;

/**
 * Returns the number of fragments in a node of a plan.
 *
 * @param ctx The TileDB context.
 * @param consolidation_plan The plan.
 * @param node_index The node.
 * @param num_fragments Receives how many there are; a single one is large enough to be divided.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_consolidation_plan_get_num_fragments(
    tiledb_ctx_t *ctx,
    tiledb_consolidation_plan_t *consolidation_plan,
    uint64_t node_index,
    uint64_t *num_fragments) TILEDB_NOEXCEPT;

/**
 * Returns the number of nodes of a plan; each node is a group of fragments to consolidate.
 *
 * @param ctx The TileDB context.
 * @param consolidation_plan The plan.
 * @param num_nodes Receives how many there are.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_consolidation_plan_get_num_nodes(
    tiledb_ctx_t *ctx,
    tiledb_consolidation_plan_t *consolidation_plan,
    uint64_t *num_nodes) TILEDB_NOEXCEPT;

/**
 * Writes a message to the log, with level warning.
 *
 * @param ctx The context.
 * @param message The text.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT capi_return_t tiledb_log_warn(tiledb_ctx_t *ctx, const char *message) TILEDB_NOEXCEPT;

/**
 * Sets the value that an attribute gets in the cells that meet the condition of an update query. Updates are
 * experimental: they are committed, but reads do not apply them.
 *
 * @param ctx The TileDB context.
 * @param query An update query.
 * @param field_name The attribute.
 * @param update_value The bytes of its new value; null for a null cell.
 * @param update_value_size How many bytes.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_add_update_value(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    const char *field_name,
    const void *update_value,
    uint64_t update_value_size) TILEDB_NOEXCEPT;

/**
 * Creates the condition that the value of a field is, or is not, one of a set.
 *
 * ```c
 * uint64_t starts[] = {0, 2};
 * tiledb_query_condition_t *alpine = NULL;
 * tiledb_query_condition_alloc_set_membership(ctx, "country", "CHAT", 4, starts, sizeof starts, TILEDB_IN, &alpine);
 * ```
 *
 * @param ctx The TileDB context.
 * @param field_name The name of an attribute or a dimension.
 * @param data The members of the set, one after another; they are copied. May be null if the members are empty texts.
 * @param data_size The size of the members in bytes; 0 if all are empty texts.
 * @param offsets The position in `data` at which each member starts, as `uint64_t`, for fixed-size fields too.
 * @param offests_size The size of the offsets in bytes.
 * @param op `TILEDB_IN` or `TILEDB_NOT_IN`.
 * @param cond Receives the condition; free it with `tiledb_query_condition_free`.
 * @return `TILEDB_OK` for success; `TILEDB_ERR` if the set is empty, offsets descend or exceed the data, or for another
 *     operator.
 */
TILEDB_EXPORT capi_return_t tiledb_query_condition_alloc_set_membership(
    tiledb_ctx_t *ctx,
    const char *field_name,
    const void *data,
    uint64_t data_size,
    const void *offsets,
    uint64_t offests_size,
    tiledb_query_condition_op_t op,
    tiledb_query_condition_t **cond) TILEDB_NOEXCEPT;

/**
 * Sets whether comparisons of attributes with an enumeration are with its values, as they are from the
 * start, or with their indexes.
 *
 * @param ctx The TileDB context.
 * @param cond The condition.
 * @param use_enumeration 0 to compare indexes, else 1.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_condition_set_use_enumeration(
    tiledb_ctx_t *ctx,
    const tiledb_query_condition_t *cond,
    int use_enumeration) TILEDB_NOEXCEPT;

/**
 * Returns the number of fragments whose non-empty domain intersects the subarray of a query.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param relevant_fragment_num Receives the number.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_relevant_fragment_num(
    tiledb_ctx_t *ctx,
    const tiledb_query_t *query,
    uint64_t *relevant_fragment_num) TILEDB_NOEXCEPT;

/**
 * Returns why a read is incomplete.
 *
 * - `TILEDB_REASON_USER_BUFFER_SIZE`: the buffers are full. If no cell was returned, they are too small for one cell.
 * - `TILEDB_REASON_MEMORY_BUDGET`: never returned. A read that `sm.mem.total_budget` does not hold at once continues in smaller
 *   steps until the buffers are full.
 * - `TILEDB_REASON_NONE`: the query is not incomplete.
 *
 * @param ctx The TileDB context.
 * @param query The query.
 * @param status_details Receives the reason.
 * @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
 */
TILEDB_EXPORT int32_t tiledb_query_get_status_details(
    tiledb_ctx_t *ctx,
    tiledb_query_t *query,
    tiledb_query_status_details_t *status_details) TILEDB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TILEDB_EXPERIMENTAL_H */
