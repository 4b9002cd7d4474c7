//! C functions of query plans, which describe how a query will be executed.

use super::boundary::{In, OutHandle};
use super::call::make;
use super::handles::{tiledb_ctx_t, tiledb_query_t, tiledb_string_t};
use super::string::Text;

/// Returns the plan of a query as JSON: array, fields and strategy. Set buffers, subarray and condition first; the query is
/// prepared but not submitted.
///
/// @param ctx The TileDB context.
/// @param query The query, with its buffers.
/// @param plan Receives the plan, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_plan(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    plan: OutHandle<tiledb_string_t>,
) -> i32 {
    make(ctx, plan, |_| Ok(Text::new(query.get()?.plan()?)))
}
