//! Queries: reading and writing cells.

use super::boundary::{Bytes, CEnum, In, InConst, Out, OutHandle, OutStr, OutText, Str, capi_return_t};
use super::call::{call, free, make};
use super::config::ConfigObject;
use super::enum_text::{of_text, text_of};
use super::enums::{tiledb_layout_t, tiledb_query_status_t, tiledb_query_type_t};
use super::handles::{
    tiledb_array_t, tiledb_config_t, tiledb_ctx_t, tiledb_query_condition_t, tiledb_query_t, tiledb_subarray_t,
};
use super::query_object::{QueryObject, layout_of, reason_of, status_of, type_of};
use super::structs::tiledb_query_status_details_t;
use super::subarray_object::SubarrayObject;
use tiledb_core::error::bail;
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::Query;
use tiledb_rest::queries;

/// Sets the value that an attribute gets in the cells that meet the condition of an update query. Updates are
/// experimental: they are committed, but reads do not apply them.
///
/// @param ctx The TileDB context.
/// @param query An update query.
/// @param field_name The attribute.
/// @param update_value The bytes of its new value; null for a null cell.
/// @param update_value_size How many bytes.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_add_update_value(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    field_name: Str,
    update_value: Bytes,
    update_value_size: u64,
) -> i32 {
    call(ctx, |_| {
        let value = update_value.opt(usize::try_from(update_value_size).unwrap_or(usize::MAX))?;
        query.get()?.lock().add_update_value(field_name.get("field_name")?, value)
    })
}

/// Creates a query on an open array. Its configuration is that of the context given here, whichever opened the array.
///
/// @param ctx The TileDB context.
/// @param array The array, open for what the query does. It must stay open until the query is finished.
/// @param query_type What the query does.
/// @param query The query, to be freed with `tiledb_query_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_alloc(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    query_type: CEnum<tiledb_query_type_t>,
    query: OutHandle<tiledb_query_t>,
) -> i32 {
    make(ctx, query, |context| {
        let array = array.get()?;
        query.clear();
        let Some(opened) = array.opened() else {
            bail!("Error: Cannot create query; Input array is not open");
        };
        let number = query_type.number();
        let Ok(kind) = QueryType::from_number(number) else {
            bail!(
                "Error: Cannot create query; Array query type does not match declared query type: ({} != )",
                opened.query_type().name()
            );
        };
        Ok(QueryObject::new(array.share(), Query::new(&opened.in_context(context.resources()), kind)?))
    })
}

/// Ends a write in global order: what was written becomes visible. Nothing for other queries.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_finalize(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    call(ctx, |_| if query.is_null() { Ok(()) } else { query.get()?.run(queries::finalize) })
}

/// Frees a query and sets the pointer to null. A write in global order that was not finalized is discarded.
///
/// @param query The query.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_free(query: OutHandle<tiledb_query_t>) {
    free(query)
}

/// Gives the array of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param array The array, to be freed with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_array(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    make(ctx, array, |_| Ok(query.get()?.array.clone()))
}

/// Gives the configuration of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param config A copy, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_config(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    config: OutHandle<tiledb_config_t>,
) -> i32 {
    make(ctx, config, |_| Ok(ConfigObject::new(query.get()?.lock().config().clone())))
}

/// Gives the number of fragments a query has written.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param num The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_fragment_num(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    num: Out<u32>,
) -> i32 {
    call(ctx, |_| {
        let number = query.get()?.lock().fragment_num()?;
        num.set(number)
    })
}

/// Gives the timestamps of a fragment a query has written.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param idx The index of the fragment.
/// @param t1 The first timestamp.
/// @param t2 The last timestamp.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    idx: u64,
    t1: Out<u64>,
    t2: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        let timestamps = query.get()?.lock().fragment_timestamps(idx)?;
        t1.check()?;
        t2.set(timestamps.1)?;
        t1.set(timestamps.0)
    })
}

/// Gives the URI of a fragment a query has written.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param idx The index of the fragment.
/// @param uri The URI, valid until the query is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_fragment_uri(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    idx: u64,
    uri: OutStr,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let query = query.lock();
        uri.set(query.fragment_uri(idx)?.as_c_str())
    })
}

/// Gives the order of the results or of the cells given.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param query_layout The order.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_layout(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    query_layout: Out<tiledb_layout_t>,
) -> i32 {
    call(ctx, |_| {
        query_layout.check()?;
        query_layout.set(layout_of(query.get()?.lock().layout()))
    })
}

/// Gives the number of fragments whose cells overlap the subarray of a read.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param relevant_fragment_num The number.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    relevant_fragment_num: Out<u64>,
) -> i32 {
    call(ctx, |_| {
        relevant_fragment_num.check()?;
        relevant_fragment_num.set(query.get()?.lock().relevant_fragments()?)
    })
}

/// Gives the statistics of a query as JSON.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param stats_json The text, to be freed with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_stats(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>, stats_json: OutText) -> i32 {
    call(ctx, |_| {
        let stats = query.get()?.lock().stats().dump_json();
        stats_json.set(&stats)
    })
}

/// Tells where a query stands.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param status The status.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_status(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    status: Out<tiledb_query_status_t>,
) -> i32 {
    call(ctx, |_| {
        status.check()?;
        status.set(status_of(query.get()?.status()))
    })
}

/// Tells why a query is incomplete.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param status_details The reason.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_status_details(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    status_details: Out<tiledb_query_status_details_t>,
) -> i32 {
    call(ctx, |_| {
        status_details.check()?;
        let incomplete_reason = reason_of(query.get()?.lock().incomplete_reason());
        status_details.set(tiledb_query_status_details_t { incomplete_reason })
    })
}

/// Gives the subarray of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param subarray A copy, to be freed with `tiledb_subarray_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_subarray_t(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    subarray: OutHandle<tiledb_subarray_t>,
) -> i32 {
    make(ctx, subarray, |_| Ok(SubarrayObject::new(query.get()?.lock().subarray().clone())))
}

/// Tells what a query does.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param query_type The type.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_type(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    query_type: Out<tiledb_query_type_t>,
) -> i32 {
    call(ctx, |_| {
        query_type.check()?;
        query_type.set(type_of(query.get()?.lock().kind()))
    })
}

/// Tells whether the last submit of a read has delivered cells.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param has_results 1 if it has, else 0.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_has_results(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    has_results: Out<i32>,
) -> i32 {
    call(ctx, |_| {
        has_results.check()?;
        has_results.set(query.get()?.lock().has_results().into())
    })
}

/// Sets the condition that cells must meet to be read or deleted.
///
/// Sparse reads leave out cells that do not meet it; dense reads deliver fill values in their place.
///
/// @param ctx The TileDB context.
/// @param query The query, which must not have been submitted.
/// @param cond The condition; the query keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_condition(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    cond: InConst<tiledb_query_condition_t>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let condition = cond.get()?.snapshot();
        query.lock().set_condition(Option::clone(&condition))
    })
}

/// Sets the configuration of a query, before it is submitted first. Parameters that the configuration does not set stay as
/// they are.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param config The configuration; the query keeps its own copy.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_config(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    config: In<tiledb_config_t>,
) -> i32 {
    call(ctx, |_| {
        let config = config.get()?.snapshot();
        query.get()?.lock().set_config(&config)
    })
}

/// Sets the order of the results of a read or of the cells given to a write.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param layout The order. A number that is none is refused when the query is submitted.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_layout(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    layout: CEnum<tiledb_layout_t>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let mut query = query.lock();
        match Layout::from_number(layout.number()) {
            Ok(layout) => query.set_layout(layout),
            Err(_) => query.set_unknown_layout(layout.number()),
        }
    })
}

/// Sets the part of the array a query is about.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param subarray The subarray; later changes to it are not seen.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_set_subarray_t(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    subarray: InConst<tiledb_subarray_t>,
) -> i32 {
    call(ctx, |_| {
        let query = query.get()?;
        let subarray = subarray.get()?.snapshot();
        query.lock().set_subarray(&subarray)
    })
}

/// Gives a query status from its text.
///
/// @param str The text.
/// @param query_status The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_status_from_str(str: Str, query_status: Out<tiledb_query_status_t>) -> i32 {
    of_text(str, query_status)
}

/// Gives the text of a query status.
///
/// @param query_status The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_status_to_str(query_status: CEnum<tiledb_query_status_t>, str: OutStr) -> i32 {
    text_of(query_status, str)
}

/// Runs a query: a read delivers the next results, a write stores the cells given.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    call(ctx, |context| {
        let query = query.get()?;
        let _running = context.running();
        query.run(queries::submit)
    })
}

/// Writes the last cells in global order and ends the write.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit_and_finalize(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    call(ctx, |context| {
        if query.is_null() {
            return Ok(());
        }
        let query = query.get()?;
        let _running = context.running();
        query.run(queries::submit_and_finalize)
    })
}

/// Gives a query type from its text.
///
/// @param str The text.
/// @param query_type The value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_type_from_str(str: Str, query_type: Out<tiledb_query_type_t>) -> capi_return_t {
    of_text(str, query_type)
}

/// Gives the text of a query type.
///
/// @param query_type The value.
/// @param str Its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_type_to_str(query_type: CEnum<tiledb_query_type_t>, str: OutStr) -> capi_return_t {
    text_of(query_type, str)
}
