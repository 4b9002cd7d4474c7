//! C function that recommends filters, `tiledb_rs_schema_advise`, declared in `tiledb/tiledb_rs.h`.
#![allow(non_camel_case_types, reason = "the names are C's own")]

use std::ffi::{c_char, c_void};
use std::fmt::Write;

use super::array_args::stored_uri;
use super::boundary::{Buffer, CEnum, In, OutHandle, Str, call_user, capi_return_t};
use super::call::{call, goes_on};
use super::handles::{tiledb_array_schema_t, tiledb_config_t, tiledb_ctx_t};
use super::schema_object::SchemaObject;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Name;
use tiledb_filters::filter::{Filter, Pipeline};
use tiledb_maintain::advise::{self, FilteredPart, KeepReason, Objective, PartAdvice};

/// What recommended filters are to achieve.
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
pub enum tiledb_rs_filtered_part_t {
    /// The values of a field.
    TILEDB_RS_PART_VALUES = 0,
    /// The offsets of all variable-length fields.
    TILEDB_RS_PART_OFFSETS = 1,
    /// The validity values of all nullable fields.
    TILEDB_RS_PART_VALIDITY = 2,
}

/// Why a filter list is recommended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tiledb_rs_advice_reason_t {
    /// It is better than the current one by more than 2 %.
    TILEDB_RS_REASON_BETTER = 0,
    /// It is the current one, and no other is better by more than 2 %.
    TILEDB_RS_REASON_CURRENT = 1,
    /// It is the current one, with filters that are a decision of the user: `SCALE_FLOAT`, `WEBP`.
    TILEDB_RS_REASON_CHOSEN = 2,
    /// It is the current one, as no cells are stored.
    TILEDB_RS_REASON_NO_CELLS = 3,
}

/// A recommendation of `tiledb_rs_schema_advise`. All pointers are valid during the callback only.
///
/// Filter lists are texts such as `BYTESHUFFLE, ZSTD(3)`, empty for no filters. Sizes and times are estimates for all cells of the
/// array.
#[repr(C)]
pub struct tiledb_rs_advice_t {
    /// What the filters are for, a `tiledb_rs_filtered_part_t`.
    pub part: u32,
    /// The reason, a `tiledb_rs_advice_reason_t`.
    pub reason: u32,
    /// The name of the dimension or attribute; null for offsets and validity.
    pub field: *const c_char,
    /// The current filters.
    pub current: *const c_char,
    /// The recommended filters.
    pub recommended: *const c_char,
    /// The size of the sample in bytes, before filters.
    pub sampled_bytes: u64,
    /// The size on disk with the current filters in bytes.
    pub current_bytes: u64,
    /// The size on disk with the recommended filters in bytes.
    pub recommended_bytes: u64,
    /// Processor time to decode with the current filters in nanoseconds, computed by a model.
    pub current_nanoseconds: u64,
    /// Processor time to decode with the recommended filters in nanoseconds, computed by a model.
    pub recommended_nanoseconds: u64,
}

/// Called with a recommendation and the user's pointer. Returns a `tiledb_rs_callback_result_t`.
pub type tiledb_rs_advice_callback_t =
    Option<extern "C-unwind" fn(advice: *const tiledb_rs_advice_t, data: *mut c_void) -> i32>;

/// Recommends filters for the fields of an array, by encoding a sample of its cells with candidate filter lists.
///
/// Encoded sizes are measured; times to decode are computed from the sizes between filters, so that equal arrays get equal
/// recommendations. Checksum filters stay, filter lists with `SCALE_FLOAT` or `WEBP` are kept, and filters that
/// `sm.write_format_version` excludes are not recommended. Nothing is written. `tiledb_ctx_cancel_tasks` on another thread
/// cancels it.
///
/// ```c
/// static int32_t show_filters(const tiledb_rs_advice_t *advice, void *data) {
///   if (advice->reason == TILEDB_RS_REASON_BETTER && advice->field)
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
/// @param objective What the filters are to achieve.
/// @param callback Called on this thread with the recommendation for the values of each stored field, in the order of the schema,
///     then for offsets and validity, if there are any. May be null.
/// @param data Passed to the callback.
/// @param array_schema Receives the schema of the array with the recommended filters, with which a new array can be created; free
///     it with `tiledb_array_schema_free`.
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
        let (resources, uri) = (context.resources_with(config)?, stored_uri("tiledb_rs_schema_advise", uri)?);
        let _running = context.running();
        let advice = advise::advise(&resources, &uri, objective)?;
        if let Some(callback) = callback {
            for part in &advice.parts {
                report(part, |advice| callback(advice, data.as_ptr().cast()))?;
            }
        }
        array_schema.set(SchemaObject::owning(advice.schema))
    })
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

/// Passes a recommendation to the callback.
fn report(part: &PartAdvice, callback: impl FnOnce(*const tiledb_rs_advice_t) -> i32) -> Result<()> {
    use tiledb_rs_advice_reason_t::*;
    use tiledb_rs_filtered_part_t::*;
    let (kind, field) = match &part.part {
        FilteredPart::Values(field) => (TILEDB_RS_PART_VALUES, Some(field)),
        FilteredPart::Offsets => (TILEDB_RS_PART_OFFSETS, None),
        FilteredPart::Validity => (TILEDB_RS_PART_VALIDITY, None),
    };
    let reason = match part.kept {
        None => TILEDB_RS_REASON_BETTER,
        Some(KeepReason::Best) => TILEDB_RS_REASON_CURRENT,
        Some(KeepReason::Chosen) => TILEDB_RS_REASON_CHOSEN,
        Some(KeepReason::NoCells) => TILEDB_RS_REASON_NO_CELLS,
    };
    let [current, recommended] = [&part.current, &part.recommended].map(|pipeline| Name::new(&text_of(pipeline)));
    let seen = tiledb_rs_advice_t {
        part: kind as u32,
        reason: reason as u32,
        field: field.map_or(std::ptr::null(), |field| field.as_c_str().as_ptr()),
        current: current.as_c_str().as_ptr(),
        recommended: recommended.as_c_str().as_ptr(),
        sampled_bytes: part.sampled,
        current_bytes: part.current_cost.stored,
        recommended_bytes: part.recommended_cost.stored,
        current_nanoseconds: part.current_cost.decode,
        recommended_nanoseconds: part.recommended_cost.decode,
    };
    let answer = call_user(|| callback(&raw const seen))?;
    goes_on("tiledb_rs_schema_advise", answer, format_args!("at a recommendation"))
}

/// The filters of a pipeline as text.
fn text_of(pipeline: &Pipeline) -> String {
    let mut text = String::new();
    for filter in pipeline.filters() {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(filter.kind().name());
        if let Filter::Gzip { level } | Filter::Zstd { level } | Filter::Bzip2 { level } = filter {
            _ = write!(text, "({level})");
        }
    }
    text
}
