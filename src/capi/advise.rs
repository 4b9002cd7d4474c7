//! C functions that recommend a schema, declared in `tiledb/tiledb_rs.h`.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::ffi::{c_char, c_void};

use super::array_args::{passed_config, stored_uri};
use super::arrow::take_stream;
use super::boundary::{Buffer, CEnum, In, InConst, OutHandle, Str, call_user, capi_return_t};
use super::call::{call, goes_on};
use super::handles::{tiledb_array_schema_t, tiledb_config_t, tiledb_ctx_t};
use super::schema_object::SchemaObject;
use tiledb::interop;
use tiledb::maintenance::{Advice, AdviceReason, AdvisedPart, AdvisedProperty, Objective, advise, advise_with};
use tiledb_arrow::sampled_array;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Name;

/// What a recommended schema is to achieve.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_objective_t {
    /// The least size on disk.
    TILEDB_RS_SMALLEST = 0,
    /// Fast scans of data in object stores or on slow disks: storage that reads 200 MB/s.
    TILEDB_RS_BALANCED = 1,
    /// Fast scans of data in memory or on local disks: storage that reads 500 MB/s.
    TILEDB_RS_FASTEST = 2,
}

/// What a recommendation is for.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_advised_property_t {
    /// The filters of the values of a field.
    TILEDB_RS_ADVISED_VALUES = 0,
    /// The filters of the offsets of all variable-length fields.
    TILEDB_RS_ADVISED_OFFSETS = 1,
    /// The filters of the validity values of all nullable fields.
    TILEDB_RS_ADVISED_VALIDITY = 2,
    /// The capacity of a sparse array: cells per tile.
    TILEDB_RS_ADVISED_CAPACITY = 3,
    /// The order of the cells of a sparse array.
    TILEDB_RS_ADVISED_CELL_ORDER = 4,
    /// The tile extents of a dense array.
    TILEDB_RS_ADVISED_TILE_EXTENTS = 5,
    /// Dense or sparse.
    TILEDB_RS_ADVISED_ARRAY_TYPE = 6,
    /// The texts of an attribute as an enumeration and codes, or as they are.
    TILEDB_RS_ADVISED_ENUMERATION = 7,
    /// Whether the cells of an attribute may be null.
    TILEDB_RS_ADVISED_NULLABILITY = 8,
}

/// Why a property is recommended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_advice_reason_t {
    /// It is better than the current one, filters by more than 2 %.
    TILEDB_RS_REASON_BETTER = 0,
    /// It is the current one, and no other is clearly better.
    TILEDB_RS_REASON_CURRENT = 1,
    /// It is the current one: filters that are a decision of the user, `SCALE_FLOAT`, `WEBP`.
    TILEDB_RS_REASON_CHOSEN = 2,
    /// It is the current one, as no cells are stored.
    TILEDB_RS_REASON_NO_CELLS = 3,
    /// The attribute is nullable, and no sampled cell is null.
    TILEDB_RS_REASON_NO_NULLS = 4,
}

/// A recommendation of `tiledb_rs_schema_advise`. All pointers are valid during the callback only.
///
/// Filter lists are texts such as `BYTESHUFFLE, ZSTD(3)`, empty for no filters. Sizes and times are estimates for all cells of the
/// array; those of filters are for the part that they filter, those of enumerations for the attribute. Capacity, order, extents and
/// array type have the size of the whole array, as one fragment with the recommended filters.
#[repr(C)]
pub struct tiledb_rs_advice_t {
    /// What the recommendation is for, a `tiledb_rs_advised_property_t`.
    pub property: u32,
    /// The reason, a `tiledb_rs_advice_reason_t`.
    pub reason: u32,
    /// 1 if the recommended schema has it, otherwise 0.
    pub is_applied: u32,
    /// The name of the dimension or attribute; null for properties of the whole array.
    pub field: *const c_char,
    /// The current value.
    pub current: *const c_char,
    /// The recommended value.
    pub recommended: *const c_char,
    /// The size of the sample in bytes, before filters.
    pub sampled_bytes: u64,
    /// The current size on disk in bytes.
    pub current_bytes: u64,
    /// The size on disk with the recommendation in bytes.
    pub recommended_bytes: u64,
    /// Current time in nanoseconds, computed by a model: processor time to decode all cells for filters and enumerations, of a
    /// typical query (`sm.advise.slice_cells`) for capacity, order and extents, 0 for others.
    pub current_nanoseconds: u64,
    /// The same time with the recommendation.
    pub recommended_nanoseconds: u64,
}

/// Called with a recommendation and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_advice_callback_t =
    Option<extern "C-unwind" fn(advice: *const tiledb_rs_advice_t, data: *mut c_void) -> i32>;

/// Recommends a schema for the cells of an array: filters, by encoding a sample with candidate filter lists; and capacity, cell
/// order, tile extents, array type and enumerations, by writing a sample to memory with each.
///
/// Sizes are measured; times are computed from the sizes between filters, so that equal arrays get equal
/// recommendations. Checksum filters stay, filter lists with `SCALE_FLOAT` or `WEBP` are kept, and filters that
/// `sm.write_format_version` excludes are not recommended. Filters are those for the current tiles. Nothing is written.
/// `tiledb_ctx_cancel_tasks` on another thread cancels it.
///
/// The recommended schema has the recommended filters, and of the other properties those that `sm.advise.properties` lists: by
/// default the capacity alone, since the others change what programs that read or write the array see.
///
/// ```c
/// static int32_t show_filters(const tiledb_rs_advice_t *advice, void *data) {
///   if (advice->property == TILEDB_RS_ADVISED_VALUES && advice->reason == TILEDB_RS_REASON_BETTER)
///     printf("%s: %s, %llu instead of %llu bytes\n", advice->field, advice->recommended,
///            (unsigned long long)advice->recommended_bytes, (unsigned long long)advice->current_bytes);
///   return TILEDB_RS_CONTINUE;
/// }
/// // ...
/// tiledb_array_schema_t *advised;
/// if (tiledb_rs_schema_advise(ctx, "my_array", NULL, TILEDB_RS_BALANCED, show_filters, NULL, &advised) == TILEDB_OK)
///   tiledb_array_create(ctx, "my_new_array", advised);
/// ```
///
/// @param ctx The context.
/// @param uri The URI of the array, which must not be on a TileDB server.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
/// @param objective What the schema is to achieve.
/// @param callback Called on this thread with the recommendation for the filters of the values of each stored field, in the order of
///     the schema, then of offsets and validity, if there are any, then with those for other properties that have alternatives. May
///     be null.
/// @param data Passed to the callback.
/// @param array_schema Receives the recommended schema, with which a new array can be created; free it with
///     `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_schema_advise(
    ctx: In<tiledb_ctx_t>,
    uri: Str,
    config: In<tiledb_config_t>,
    objective: CEnum<tiledb_rs_objective_t>,
    callback: tiledb_rs_advice_callback_t,
    data: Buffer,
    array_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    call(ctx, |context| {
        array_schema.check()?;
        let objective = objective_of(objective.number())?;
        let uri = stored_uri("tiledb_rs_schema_advise", uri)?;
        let config = passed_config(config)?.unwrap_or_default();
        let advice = advise_with(context.tiledb(), uri.as_str(), objective, &config);
        let advice = advice.map_err(tiledb::Error::into_engine)?;
        report(&advice, (1, 1), callback, data)?;
        array_schema.set(SchemaObject::owning(interop::engine_schema(advice.schema)))
    })
}

/// Recommends a schema for cells that are not stored yet: those of a stream of Arrow record batches (Arrow C stream interface).
///
/// The stream is read to its end. Of its rows a sample of at most 32 MiB is kept, blocks of consecutive rows that are evenly spread,
/// and written to memory with a schema that has the dimensions and attributes; then the recommendations are those of
/// `tiledb_rs_schema_advise`. Sizes and times are estimates for all rows of the stream. To advise on cells in buffers, write them to
/// an array in memory (`mem://cells`) and pass its URI to `tiledb_rs_schema_advise`.
///
/// Columns are matched with fields by name, as by `tiledb_rs_query_from_arrow`. The rows of a sparse array may have any order; those
/// of a dense array are the cells of its domain in row-major order, from the first one on, and are sampled by whole coordinates of
/// its first dimension.
///
/// @param ctx The context.
/// @param array_schema A valid schema with the dimensions and attributes; its other properties are what the recommendations are
///     compared with. It is not changed.
/// @param stream A `struct ArrowArrayStream`, which is consumed: it is released in every case. Its buffers must be as long as
///     their types, lengths and offsets require; everything else is validated. Its callbacks are called on this thread.
/// @param config A configuration whose parameters override those of the context; null for those of the context.
/// @param objective What the schema is to achieve.
/// @param callback Called as by `tiledb_rs_schema_advise`. May be null.
/// @param data Passed to the callback.
/// @param advised_schema Receives the recommended schema, with which an array can be created; free it with
///     `tiledb_array_schema_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for error, also if it was stopped or cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_rs_schema_advise_arrow(
    ctx: In<tiledb_ctx_t>,
    array_schema: InConst<tiledb_array_schema_t>,
    stream: Buffer,
    config: In<tiledb_config_t>,
    objective: CEnum<tiledb_rs_objective_t>,
    callback: tiledb_rs_advice_callback_t,
    data: Buffer,
    advised_schema: OutHandle<tiledb_array_schema_t>,
) -> capi_return_t {
    // Before anything can fail: it is released in every case.
    let given = take_stream(stream);
    call(ctx, |context| {
        advised_schema.check()?;
        let objective = objective_of(objective.number())?;
        let stream = given.unwrap_or_else(|| {
            bail!("tiledb_rs_schema_advise_arrow: the stream is null; pass a struct ArrowArrayStream")
        })?;
        let resources = context.resources_with(config)?;
        let schema = array_schema.get()?.snapshot();
        let _running = context.running();
        let sampled = sampled_array(&resources, &schema, stream, &mut |_| resources.cancel().check())?;
        let advice = advise(&interop::context_of(&sampled.resources), sampled.uri.as_str(), objective);
        let advice = advice.map_err(tiledb::Error::into_engine)?;
        report(&advice, (sampled.rows, sampled.sampled), callback, data)?;
        advised_schema.set(SchemaObject::owning(interop::engine_schema(advice.schema)))
    })
}

/// Passes the recommendations to the callback, with costs for as many rows as `scale` names first, of which the second were sampled.
fn report(advice: &Advice, scale: (u64, u64), callback: tiledb_rs_advice_callback_t, data: Buffer) -> Result<()> {
    let Some(callback) = callback else { return Ok(()) };
    advice.parts.iter().try_for_each(|part| report_part(part, scale, |advice| callback(advice, data.as_ptr().cast())))
}

fn objective_of(number: u32) -> Result<Objective> {
    use tiledb_rs_objective_t::*;
    let known = [
        (TILEDB_RS_SMALLEST, Objective::Smallest),
        (TILEDB_RS_BALANCED, Objective::Balanced),
        (TILEDB_RS_FASTEST, Objective::Fastest),
    ];
    match known.into_iter().find(|(one, _)| *one as u32 == number) {
        Some((_, objective)) => Ok(objective),
        None => bail!("tiledb_rs_schema_advise: the objective is {number}; pass a tiledb_rs_objective_t, 0 to 2"),
    }
}

fn property_of(property: AdvisedProperty) -> tiledb_rs_advised_property_t {
    use tiledb_rs_advised_property_t::*;
    match property {
        AdvisedProperty::Filters => TILEDB_RS_ADVISED_VALUES,
        AdvisedProperty::OffsetsFilters => TILEDB_RS_ADVISED_OFFSETS,
        AdvisedProperty::ValidityFilters => TILEDB_RS_ADVISED_VALIDITY,
        AdvisedProperty::Capacity => TILEDB_RS_ADVISED_CAPACITY,
        AdvisedProperty::CellOrder => TILEDB_RS_ADVISED_CELL_ORDER,
        AdvisedProperty::TileExtents => TILEDB_RS_ADVISED_TILE_EXTENTS,
        AdvisedProperty::ArrayType => TILEDB_RS_ADVISED_ARRAY_TYPE,
        AdvisedProperty::Enumeration => TILEDB_RS_ADVISED_ENUMERATION,
        _ => TILEDB_RS_ADVISED_NULLABILITY,
    }
}

fn reason_of(reason: AdviceReason) -> tiledb_rs_advice_reason_t {
    use tiledb_rs_advice_reason_t::*;
    match reason {
        AdviceReason::Better => TILEDB_RS_REASON_BETTER,
        AdviceReason::Current => TILEDB_RS_REASON_CURRENT,
        AdviceReason::Chosen => TILEDB_RS_REASON_CHOSEN,
        AdviceReason::NoCells => TILEDB_RS_REASON_NO_CELLS,
        _ => TILEDB_RS_REASON_NO_NULLS,
    }
}

/// Passes a recommendation to the callback.
fn report_part(
    part: &AdvisedPart,
    (rows, sampled): (u64, u64),
    callback: impl FnOnce(*const tiledb_rs_advice_t) -> i32,
) -> Result<()> {
    let scaled = |number: u64| {
        let number = u128::from(number) * u128::from(rows) / u128::from(sampled.max(1));
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    let field = part.field.as_deref().map(Name::new);
    let current = Name::new(&part.current);
    let recommended = Name::new(&part.recommended);
    let advice = tiledb_rs_advice_t {
        property: property_of(part.property) as u32,
        reason: reason_of(part.reason) as u32,
        is_applied: u32::from(part.is_applied),
        field: field.as_ref().map_or(std::ptr::null(), |field| field.as_c_str().as_ptr()),
        current: current.as_c_str().as_ptr(),
        recommended: recommended.as_c_str().as_ptr(),
        sampled_bytes: part.sampled_bytes,
        current_bytes: scaled(part.current_bytes),
        recommended_bytes: scaled(part.recommended_bytes),
        current_nanoseconds: scaled(part.current_nanoseconds),
        recommended_nanoseconds: scaled(part.recommended_nanoseconds),
    };
    let answer = call_user(|| callback(&raw const advice))?;
    goes_on("tiledb_rs_schema_advise", answer, format_args!("at a recommendation"))
}
