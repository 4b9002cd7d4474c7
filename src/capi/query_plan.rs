//! C interface: query plan.

use super::boundary::{In, OutHandle, pending};
use super::handles::{tiledb_ctx_t, tiledb_query_t, tiledb_string_t};

/// Gives the plan of a query as JSON, to be freed with `tiledb_string_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_get_plan(
    ctx: In<tiledb_ctx_t>,
    query: In<tiledb_query_t>,
    plan: OutHandle<tiledb_string_t>,
) -> i32 {
    let _ = (query, plan);
    pending(ctx, "tiledb_query_get_plan")
}
