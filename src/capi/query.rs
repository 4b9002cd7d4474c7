//! C functions of queries: reading and writing cells.

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
use tiledb::location;
use tiledb_core::error::bail;
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::Query;

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
        let value = update_value.opt("update_value", update_value_size)?;
        query.get()?.lock().add_update_value(field_name.get("field_name")?, value)
    })
}

/// Creates a query: one read, write or delete of cells of an open array.
///
/// Lifecycle: set layout, subarray, condition and buffers; submit; for reads repeat the submit while the status is
/// `TILEDB_INCOMPLETE`; for writes in global order finalize; free.
///
/// The query works on the snapshot that the array has at this moment. The array must still be open for the same purpose at the
/// first submit; afterwards the query no longer depends on it. The configuration is that of `ctx`, whichever context opened the
/// array. A query is used by one thread at a time: a call waits while another thread submits it, except for
/// `tiledb_query_get_status`. Any number of queries may run on one array at the same time.
///
/// Defaults: row-major layout for reads and dense writes, unordered for sparse writes; the whole domain.
///
/// ```c
/// int32_t first[] = {1, 1}, last[] = {4, 4}, values[16];
/// uint64_t size = sizeof values;
/// tiledb_query_t *read = NULL;
/// tiledb_query_alloc(ctx, array, TILEDB_READ, &read);
/// tiledb_subarray_t *box = NULL;
/// tiledb_subarray_alloc(ctx, array, &box);
/// tiledb_subarray_add_range(ctx, box, 0, &first[0], &last[0], NULL);
/// tiledb_subarray_add_range(ctx, box, 1, &first[1], &last[1], NULL);
/// tiledb_query_set_subarray_t(ctx, read, box);
/// tiledb_query_set_data_buffer(ctx, read, "a", values, &size);
/// tiledb_query_submit(ctx, read);
/// tiledb_subarray_free(&box);
/// tiledb_query_free(&read);
/// ```
///
/// @param ctx The TileDB context.
/// @param array The array, open for the same type, or with `TILEDB_MODIFY_EXCLUSIVE` for a write.
/// @param query_type What the query does: `TILEDB_READ`, `TILEDB_WRITE`, `TILEDB_DELETE`, ...
/// @param query Receives the query; free it with `tiledb_query_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the array is not open for this type.
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
            bail!("Error: Cannot create query; Input array is not open: open '{}' first", array.uri());
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

/// Finalizes a write in global order: writes the last tile and commits the fragment, which makes the cells visible.
///
/// Required for every write in global order; without it the cells of all submits are discarded when the query is freed. For a
/// dense array all cells of the subarray must have been submitted. For other queries the call does nothing, unless an unordered
/// write failed, which it reports. A finalized query takes no more cells.
///
/// ```c
/// tiledb_query_set_layout(ctx, query, TILEDB_GLOBAL_ORDER);
/// // ... set buffers; for each batch fill them and call tiledb_query_submit(ctx, query) ...
/// if (tiledb_query_finalize(ctx, query) != TILEDB_OK)
///   return 1; // nothing was written
/// ```
///
/// @param ctx The TileDB context.
/// @param query The query; null is accepted and does nothing.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if cells are missing, the write was abandoned after an error, or storage
///     fails.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_finalize(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    call(ctx, |_| if query.is_null() { Ok(()) } else { query.get()?.run(location::finalize) })
}

/// Frees a query and sets the pointer to null.
///
/// The buffers of the query belong to the caller and may be freed afterwards. A write in global order that was not finalized is
/// discarded. An incomplete read just ends.
///
/// @param query The query; a null handle is accepted.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_free(query: OutHandle<tiledb_query_t>) {
    free(query)
}

/// Returns the array of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param array Receives the array, to be freed with `tiledb_array_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_array(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    array: OutHandle<tiledb_array_t>,
) -> i32 {
    make(ctx, array, |_| Ok(query.get()?.array.clone()))
}

/// Returns the configuration of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param config Receives a copy, to be freed with `tiledb_config_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_config(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    config: OutHandle<tiledb_config_t>,
) -> i32 {
    make(ctx, config, |_| Ok(ConfigObject::new(query.get()?.lock().config().clone())))
}

/// Returns the number of fragments that a write has committed.
///
/// A write creates one fragment, or several if `sm.fragment.max_size` limits their size.
///
/// @param ctx The TileDB context.
/// @param query A write query.
/// @param num Receives the number.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for queries that do not write.
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

/// Returns the timestamps of a fragment that a write has committed.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param idx The index of the fragment.
/// @param t1 Receives the first timestamp.
/// @param t2 Receives the last timestamp.
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

/// Returns the URI of a fragment that a write has committed.
///
/// @param ctx The TileDB context.
/// @param query A write query.
/// @param idx The index of the fragment, less than `tiledb_query_get_fragment_num`.
/// @param uri Receives the NUL-terminated URI, which belongs to the query and is valid until `tiledb_query_free`.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for queries that do not write, and if the index is out of range.
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

/// Returns the layout of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param query_layout Receives the order.
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

/// Returns the number of fragments whose non-empty domain intersects the subarray of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param relevant_fragment_num Receives the number.
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

/// Returns the counters and timers of a query as JSON.
///
/// They are also included in those of the context. See the statistics guide for the names.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param stats_json Receives the NUL-terminated text; free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_stats(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>, stats_json: OutText) -> i32 {
    call(ctx, |_| {
        let stats = query.get()?.lock().stats().dump_json();
        stats_json.set(&stats)
    })
}

/// Returns the status of a query.
///
/// | status | meaning |
/// |---|---|
/// | `TILEDB_UNINITIALIZED` | not submitted yet |
/// | `TILEDB_INITIALIZED` | prepared by `tiledb_query_get_plan`, not submitted yet |
/// | `TILEDB_INPROGRESS` | another thread is submitting it |
/// | `TILEDB_INCOMPLETE` | a read has more results: process these, then submit again |
/// | `TILEDB_COMPLETED` | all results returned, or all cells of the submit written |
/// | `TILEDB_FAILED` | the last submit failed |
///
/// This function does not wait for a submit that is running on another thread.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param status Receives the status.
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

/// Returns why a read is incomplete.
///
/// - `TILEDB_REASON_USER_BUFFER_SIZE`: the buffers are full. If no cell was returned, they are too small for one cell.
/// - `TILEDB_REASON_MEMORY_BUDGET`: never returned. A read that `sm.mem.total_budget` does not hold at once continues in smaller
///   steps until the buffers are full.
/// - `TILEDB_REASON_NONE`: the query is not incomplete.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param status_details Receives the reason.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_status_details(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    status_details: Out<tiledb_query_status_details_t>,
) -> i32 {
    call(ctx, |_| {
        status_details.check()?;
        let incomplete_reason = reason_of(query.get()?.lock().needs_buffers());
        status_details.set(tiledb_query_status_details_t { incomplete_reason })
    })
}

/// Returns a copy of the subarray of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param subarray Receives a copy, to be freed with `tiledb_subarray_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_subarray_t(
    ctx: In<tiledb_ctx_t>,
    query: InConst<tiledb_query_t>,
    subarray: OutHandle<tiledb_subarray_t>,
) -> i32 {
    make(ctx, subarray, |_| Ok(SubarrayObject::new(query.get()?.lock().subarray().clone())))
}

/// Returns the type of a query.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param query_type Receives the type.
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

/// Reports whether the last submit of a read returned cells.
///
/// An incomplete read without results cannot make progress with its buffers: set larger ones.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @param has_results Receives 1 if at least one cell was returned, else 0.
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
/// Sparse reads omit cells that do not match. Dense reads return them with the fill values of the attributes. Tiles whose
/// statistics rule out a match are skipped without being read. The fields of the condition need no buffers. Field names and
/// values are checked against the schema at the first submit.
///
/// @param ctx The TileDB context.
/// @param query A read or delete query, not yet submitted.
/// @param cond The condition, initialized; the query has its own copy.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for a write, after the first submit, or for a condition that was not
///     initialized.
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

/// Sets parameters for a query, before its first submit.
///
/// The parameters that are set in `config` override those of the query; the others keep their values. Typical uses are
/// `sm.mem.total_budget` and the format of offsets (`sm.var_offsets.*`).
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param config The configuration, which is copied.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the query has been submitted or a value is invalid.
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

/// Sets the order in which a read returns cells, or in which the cells of a write are given.
///
/// | layout | read | write |
/// |---|---|---|
/// | `TILEDB_ROW_MAJOR`, `TILEDB_COL_MAJOR` | sorted within the subarray | dense arrays: all cells of the subarray in this order |
/// | `TILEDB_GLOBAL_ORDER` | as stored, tile by tile | sorted in global order, in any number of submits, ended by `tiledb_query_finalize` |
/// | `TILEDB_UNORDERED` | whatever is fastest | sparse arrays: any order |
///
/// @param ctx The TileDB context.
/// @param query The query, not yet submitted.
/// @param layout The layout. `TILEDB_HILBERT` is rejected; an unknown number is reported by the first submit.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the query has been submitted, or array and query type do not permit the
///     layout.
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

/// Sets the part of the array that a query reads, or that a dense write fills.
///
/// The query copies the subarray; later changes to it have no effect. Without a subarray the query covers the whole domain. A
/// dense write in row- or column-major order needs buffers for exactly the cells of its subarray.
///
/// @param ctx The TileDB context.
/// @param query A read or a dense write, not yet submitted.
/// @param subarray The subarray, created from the same array.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` if the query has been submitted, or is a sparse write or a delete.
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

/// Returns a query status from its text.
///
/// @param str The text.
/// @param query_status Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_status_from_str(str: Str, query_status: Out<tiledb_query_status_t>) -> i32 {
    of_text(str, query_status)
}

/// Returns the text of a query status.
///
/// @param query_status The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_status_to_str(query_status: CEnum<tiledb_query_status_t>, str: OutStr) -> i32 {
    text_of(query_status, str)
}

/// Runs a query and returns when it is done: a read fills the buffers, a write stores the cells in them, a delete commits its
/// condition.
///
/// **Reads.** If the buffers cannot hold all results, the call succeeds with the status `TILEDB_INCOMPLETE`: process the cells,
/// whose sizes are in the size variables, and submit again for the next part, until the status is `TILEDB_COMPLETED`. If the
/// status is `TILEDB_INCOMPLETE` and no cell was returned (`tiledb_query_has_results`), not even one cell fits: set larger
/// buffers. Submitting a completed read does nothing.
///
/// **Writes.** Cells become visible to readers atomically. In row-major, column-major and unordered layout one submit writes
/// and commits one fragment. In global order each submit appends cells, and only `tiledb_query_finalize` commits them. The
/// buffers may be reused when the call returns. Submitting a completed unordered write again is an error: use a new query.
///
/// **Errors.** The size variables are unchanged. A read that failed while it was returning cells cannot be continued. A write
/// that was rejected (order, duplicates, bounds) can be submitted with other cells; after a storage error nothing of it
/// remains, and cells of earlier submits in global order are lost.
///
/// ```c
/// tiledb_query_status_t status = TILEDB_INCOMPLETE;
/// int32_t some = 1;
/// while (status == TILEDB_INCOMPLETE && some) {
///   if (tiledb_query_submit(ctx, query) != TILEDB_OK)
///     return 1; // see tiledb_ctx_get_last_error
///   tiledb_query_get_status(ctx, query, &status);
///   tiledb_query_has_results(ctx, query, &some);
///   // ... process the cells in the buffers ...
/// }
/// ```
///
/// The call can be cancelled from another thread with `tiledb_ctx_cancel_tasks`. See also `tiledb_query_get_status_details`,
/// and `tiledb_rs_query_submit` for progress.
///
/// @param ctx The TileDB context.
/// @param query The query.
/// @return `TILEDB_OK` for success, also if the read is incomplete; `TILEDB_ERR` for error, also if it was cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    call(ctx, |context| {
        let query = query.get()?;
        let _running = context.running();
        query.run(location::submit)
    })
}

/// Submits the last cells of a write in global order and finalizes it: `tiledb_query_submit` followed by
/// `tiledb_query_finalize`.
///
/// For arrays on a TileDB server it saves a request.
///
/// @param ctx The TileDB context.
/// @param query A write in global order; null is accepted and does nothing.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for other queries, and as the two functions.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_submit_and_finalize(ctx: In<tiledb_ctx_t>, query: In<tiledb_query_t>) -> i32 {
    call(ctx, |context| {
        if query.is_null() {
            return Ok(());
        }
        let query = query.get()?;
        let _running = context.running();
        query.run(location::submit_and_finalize)
    })
}

/// Returns a query type from its text.
///
/// @param str The text.
/// @param query_type Receives the value.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a text that names none.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_type_from_str(str: Str, query_type: Out<tiledb_query_type_t>) -> capi_return_t {
    of_text(str, query_type)
}

/// Returns the text of a query type.
///
/// @param query_type The value.
/// @param str Receives its text, which lives as long as the program.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for a number that is no value.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_type_to_str(query_type: CEnum<tiledb_query_type_t>, str: OutStr) -> capi_return_t {
    text_of(query_type, str)
}
