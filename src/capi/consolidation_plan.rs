//! C interface: consolidation plan.

use super::boundary::{In, InConst, Out, OutHandle, OutStr, OutText, free, pending, pending_plain};
use super::handles::{tiledb_array_t, tiledb_consolidation_plan_t, tiledb_ctx_t};

/// Plans which fragments of an open array to merge so that the results have about the given size; to be freed with
/// `tiledb_consolidation_plan_free`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    fragment_size: u64,
    consolidation_plan: OutHandle<tiledb_consolidation_plan_t>,
) -> i32 {
    let _ = (array, fragment_size, consolidation_plan);
    pending(ctx, "tiledb_consolidation_plan_create_with_mbr")
}

/// Gives a plan as JSON, to be freed with `tiledb_consolidation_plan_free_json_str`. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: InConst<tiledb_consolidation_plan_t>,
    str: OutText,
) -> i32 {
    let _ = (consolidation_plan, str);
    pending(ctx, "tiledb_consolidation_plan_dump_json_str")
}

/// Frees a plan and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_free(consolidation_plan: OutHandle<tiledb_consolidation_plan_t>) {
    free(consolidation_plan)
}

/// Frees the JSON of a plan and sets the pointer to null. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_free_json_str(str: OutText) -> i32 {
    let _ = (str,);
    pending_plain("tiledb_consolidation_plan_free_json_str")
}

/// Gives the URI of a fragment in a node of a plan, valid until the plan is freed. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_get_fragment_uri(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: In<tiledb_consolidation_plan_t>,
    node_index: u64,
    fragment_index: u64,
    uri: OutStr,
) -> i32 {
    let _ = (consolidation_plan, node_index, fragment_index, uri);
    pending(ctx, "tiledb_consolidation_plan_get_fragment_uri")
}

/// Gives the number of fragments in a node of a plan. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_get_num_fragments(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: In<tiledb_consolidation_plan_t>,
    node_index: u64,
    num_fragments: Out<u64>,
) -> i32 {
    let _ = (consolidation_plan, node_index, num_fragments);
    pending(ctx, "tiledb_consolidation_plan_get_num_fragments")
}

/// Gives the number of nodes of a plan: the merges to be done. Not written yet.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: In<tiledb_consolidation_plan_t>,
    num_nodes: Out<u64>,
) -> i32 {
    let _ = (consolidation_plan, num_nodes);
    pending(ctx, "tiledb_consolidation_plan_get_num_nodes")
}
