//! C functions of schema evolutions: pending changes of a schema, which `tiledb_array_evolve` applies.

use super::boundary::{In, OutHandle, Str, capi_return_t};
use super::call::{call, free, make};
use super::handles::{
    tiledb_array_schema_evolution_t, tiledb_attribute_t, tiledb_ctx_t, tiledb_current_domain_t, tiledb_enumeration_t,
};
use super::schema_object::EvolutionObject;
use tiledb_array::schema::SchemaEvolution;

/// Adds an attribute. Existing cells read as its fill value, or as null if it is nullable.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param attribute The attribute; the evolution keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_add_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    attribute: In<tiledb_attribute_t>,
) -> i32 {
    call(ctx, |_| {
        let evolution = array_schema_evolution.get()?;
        let attribute = attribute.get()?.snapshot();
        evolution.change(|evolution| evolution.add_attribute(attribute))
    })
}

/// Adds an enumeration to the schema.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param enumeration The enumeration.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_add_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    enumeration: In<tiledb_enumeration_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let evolution = array_schema_evolution.get()?;
        let enumeration = enumeration.get()?.share();
        evolution.change(|evolution| evolution.add_enumeration(enumeration))
    })
}

/// Creates a schema evolution without changes. Add changes to it, then apply them with `tiledb_array_evolve`.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution Receives the evolution, to be freed with `tiledb_array_schema_evolution_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_alloc(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: OutHandle<tiledb_array_schema_evolution_t>,
) -> i32 {
    make(ctx, array_schema_evolution, |_| Ok(EvolutionObject::of(SchemaEvolution::default(), None)))
}

/// Drops an attribute. Its cells remain in existing fragments, where reads as of earlier times find them, until the fragments
/// are consolidated and vacuumed.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param attribute_name The name of the attribute.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_drop_attribute(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    attribute_name: Str,
) -> i32 {
    call(ctx, |_| {
        let evolution = array_schema_evolution.get()?;
        let name = attribute_name.get("attribute name")?;
        evolution.change(|evolution| {
            evolution.drop_attribute(name);
            Ok(())
        })
    })
}

/// Drops an enumeration that no attribute uses from the schema.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param enumeration_name The name of the enumeration.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_drop_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    enumeration_name: Str,
) -> capi_return_t {
    call(ctx, |_| {
        let evolution = array_schema_evolution.get()?;
        let name = enumeration_name.get("enumeration name")?;
        evolution.change(|evolution| {
            evolution.drop_enumeration(name);
            Ok(())
        })
    })
}

/// Expands the current domain of the schema.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param expanded_domain The current domain, which holds the one the schema has.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_expand_current_domain(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    expanded_domain: In<tiledb_current_domain_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let evolution = array_schema_evolution.get()?;
        let expanded = expanded_domain.get()?.share();
        evolution.expand_current_domain(expanded)
    })
}

/// Puts an enumeration with more values in the place of that of the same name, of which `tiledb_enumeration_extend` made it.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param enumeration The extended enumeration.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_extend_enumeration(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    enumeration: In<tiledb_enumeration_t>,
) -> capi_return_t {
    call(ctx, |_| {
        let evolution = array_schema_evolution.get()?;
        let enumeration = enumeration.get()?.share();
        evolution.change(|evolution| evolution.extend_enumeration(enumeration))
    })
}

/// Frees an evolution and sets the pointer to null.
///
/// @param array_schema_evolution The evolution.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: OutHandle<tiledb_array_schema_evolution_t>,
) {
    free(array_schema_evolution)
}

/// Sets the time that the new schema is of, in milliseconds since 1970; without it that is the time of `tiledb_array_evolve`.
///
/// @param ctx The TileDB context.
/// @param array_schema_evolution The evolution.
/// @param lo The time.
/// @param hi The same time.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_array_schema_evolution_set_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    array_schema_evolution: In<tiledb_array_schema_evolution_t>,
    lo: u64,
    hi: u64,
) -> i32 {
    call(ctx, |_| array_schema_evolution.get()?.change(|evolution| evolution.set_timestamps(lo, hi)))
}
