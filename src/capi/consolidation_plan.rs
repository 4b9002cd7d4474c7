//! C functions of consolidation plans.

use super::boundary::{In, InConst, Out, OutHandle, OutStr, OutText};
use super::call::{call, call_plain, free, make};
use super::handles::{tiledb_array_t, tiledb_consolidation_plan_t, tiledb_ctx_t};
use tiledb::location;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Name;

/// The object of the handle of a consolidation plan.
pub struct PlanObject {
    nodes: Vec<Vec<Name>>,
    json: String,
}

impl PlanObject {
    /// The names of a node's fragments.
    ///
    /// # Errors
    /// Beyond the last node.
    fn node(&self, node: u64) -> Result<&[Name]> {
        match usize::try_from(node).ok().and_then(|node| self.nodes.get(node)) {
            Some(names) => Ok(names),
            None => bail!(
                "Error: ConsolidationPlan: Trying to access a node that doesn't exist. {node} is not below {}",
                self.nodes.len()
            ),
        }
    }

    /// The name of a fragment of a node.
    ///
    /// # Errors
    /// Beyond the last node, or its last fragment.
    fn fragment(&self, node: u64, fragment: u64) -> Result<&Name> {
        let names = self.node(node)?;
        match usize::try_from(fragment).ok().and_then(|fragment| names.get(fragment)) {
            Some(name) => Ok(name),
            None => bail!(
                "Error: ConsolidationPlan: Trying to access a fragment that doesn't exist. {fragment} is not below {}",
                names.len()
            ),
        }
    }
}

/// Creates a consolidation plan for an open array: groups of fragments that overlap, such that each consolidated fragment has
/// about a given size. The groups are independent: several processes can consolidate them at the same time with
/// `tiledb_array_consolidate_fragments`.
///
/// @param ctx The TileDB context.
/// @param array The array, open for reading.
/// @param fragment_size The wanted size of fragments in bytes.
/// @param consolidation_plan Receives the plan, to be freed with `tiledb_consolidation_plan_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: In<tiledb_ctx_t>,
    array: In<tiledb_array_t>,
    fragment_size: u64,
    consolidation_plan: OutHandle<tiledb_consolidation_plan_t>,
) -> i32 {
    make(ctx, consolidation_plan, |_| {
        let plan = location::consolidation_plan(&*array.get()?.snapshot()?, fragment_size)?;
        Ok(PlanObject { nodes: plan.nodes().to_vec(), json: plan.dump() })
    })
}

/// Returns a plan as JSON.
///
/// @param ctx The TileDB context.
/// @param consolidation_plan The plan.
/// @param str Receives the text, to be freed with `tiledb_consolidation_plan_free_json_str`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: InConst<tiledb_consolidation_plan_t>,
    str: OutText,
) -> i32 {
    call(ctx, |_| str.set(&consolidation_plan.get()?.json))
}

/// Frees a plan and sets the pointer to null.
///
/// @param consolidation_plan The plan.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_free(consolidation_plan: OutHandle<tiledb_consolidation_plan_t>) {
    free(consolidation_plan)
}

/// Frees the JSON of a plan and sets the pointer to null.
///
/// @param str Receives the text.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_free_json_str(str: OutText) -> i32 {
    call_plain(|| str.free())
}

/// Returns the name of a fragment in a node of a plan: the last component of its URI.
///
/// @param ctx The TileDB context.
/// @param consolidation_plan The plan.
/// @param node_index The node.
/// @param fragment_index The fragment in the node.
/// @param uri Receives the name, valid until the plan is freed.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_get_fragment_uri(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: In<tiledb_consolidation_plan_t>,
    node_index: u64,
    fragment_index: u64,
    uri: OutStr,
) -> i32 {
    call(ctx, |_| uri.set(consolidation_plan.get()?.fragment(node_index, fragment_index)?.as_c_str()))
}

/// Returns the number of fragments in a node of a plan.
///
/// @param ctx The TileDB context.
/// @param consolidation_plan The plan.
/// @param node_index The node.
/// @param num_fragments Receives how many there are; a single one is large enough to be divided.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_get_num_fragments(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: In<tiledb_consolidation_plan_t>,
    node_index: u64,
    num_fragments: Out<u64>,
) -> i32 {
    call(ctx, |_| num_fragments.set(consolidation_plan.get()?.node(node_index)?.len() as u64))
}

/// Returns the number of nodes of a plan; each node is a group of fragments to consolidate.
///
/// @param ctx The TileDB context.
/// @param consolidation_plan The plan.
/// @param num_nodes Receives how many there are.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: In<tiledb_ctx_t>,
    consolidation_plan: In<tiledb_consolidation_plan_t>,
    num_nodes: Out<u64>,
) -> i32 {
    call(ctx, |_| num_nodes.set(consolidation_plan.get()?.nodes.len() as u64))
}
