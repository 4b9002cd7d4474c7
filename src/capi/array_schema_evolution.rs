//! C interface: array schema evolution.

use super::boundary::{In, OutHandle, Str, capi_return_t, free, pending};
use super::handles::{
    tiledb_array_schema_evolution_t, tiledb_attribute_t, tiledb_ctx_t, tiledb_current_domain_t, tiledb_enumeration_t,
};

/// Adds an attribute; the evolution keeps its own copy. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_add_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    attribute: In<tiledb_attribute_t>,
) -> i32 {
    let _ = (array_schema_evolution, attribute);
    pending(ctx, "tiledb_array_schema_evolution_add_attribute")
}

/// Adds an enumeration; the evolution keeps its own copy. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_add_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    enumeration: In<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (array_schema_evolution, enumeration);
    pending(ctx, "tiledb_array_schema_evolution_add_enumeration")
}

/// Creates an empty set of changes to a schema, to be freed with `tiledb_array_schema_evolution_free`. Not written
/// yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_alloc(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: OutHandle<tiledb_array_schema_evolution_t>,
) -> i32 {
    let _ = (array_schema_evolution,);
    pending(ctx, "tiledb_array_schema_evolution_alloc")
}

/// Drops an attribute. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_drop_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    attribute_name: Str,
) -> i32 {
    let _ = (array_schema_evolution, attribute_name);
    pending(ctx, "tiledb_array_schema_evolution_drop_attribute")
}

/// Drops an enumeration. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_drop_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    enumeration_name: Str,
) -> capi_return_t {
    let _ = (array_schema_evolution, enumeration_name);
    pending(ctx, "tiledb_array_schema_evolution_drop_enumeration")
}

/// Replaces the current domain by a larger one. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_expand_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    expanded_domain: In<tiledb_current_domain_t>,
) -> capi_return_t {
    let _ = (array_schema_evolution, expanded_domain);
    pending(ctx, "tiledb_array_schema_evolution_expand_current_domain")
}

/// Replaces an enumeration by one with more values. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_extend_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    enumeration: In<tiledb_enumeration_t>,
) -> capi_return_t {
    let _ = (array_schema_evolution, enumeration);
    pending(ctx, "tiledb_array_schema_evolution_extend_enumeration")
}

/// Frees an evolution and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: OutHandle<tiledb_array_schema_evolution_t>,
) {
    free(array_schema_evolution)
}

/// Sets the time of the new schema. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_set_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    lo: u64,
    hi: u64,
) -> i32 {
    let _ = (array_schema_evolution, lo, hi);
    pending(ctx, "tiledb_array_schema_evolution_set_timestamp_range")
}
