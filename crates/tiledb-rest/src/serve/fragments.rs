//! Request handlers about fragments: deletion, and consolidation plans.

use crate::encoding::{Builder, View};
use crate::messages::{
    ArrayDeleteFragmentsListRequest, ArrayDeleteFragmentsTimestampsRequest, ConsolidationPlanRequest,
    ConsolidationPlanResponse,
};
use crate::serialization::Deserializer;
use tiledb_array::array::{OpenArray, delete_fragments, delete_named_fragments};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;
use tiledb_core::types::QueryType;
use tiledb_maintain::maintain::ConsolidationPlan;

/// Deletes the fragments that a request names, by the ends of their URIs.
///
/// # Errors
/// If the bytes are no request, the array is not open for writing or exclusive modification, or it has no such fragment.
pub fn delete_list(open: &OpenArray, reading: Deserializer, request: &[u8]) -> Result<()> {
    let see = |view: View<'_, ArrayDeleteFragmentsListRequest>| {
        let mut names = Vec::new();
        for entry in view.items(ArrayDeleteFragmentsListRequest::ENTRIES)?.iter() {
            let entry = entry?.trim_end_matches('/');
            // Clients send fragments relative to the array, whose location they may not know.
            let name = entry.rsplit('/').next().unwrap_or(entry);
            let folder = tiledb_array::fragment::FragmentName::parse(name)?.folder(open.uri());
            memory::push("fragments to delete", &mut names, folder.as_str().to_owned())?;
        }
        Ok(names)
    };
    let names = reading.read(request, see).map_err(of_request("fragments_list_deserialize"))?;
    check_open_for_changes(open)?;
    delete_named_fragments(open.resources(), open.uri(), &names)
}

/// Deletes the fragments of a window of time that a request names.
///
/// # Errors
/// If the bytes are no request, the array is not open for writing or exclusive modification, or a storage operation fails.
pub fn delete_window(open: &OpenArray, reading: Deserializer, request: &[u8]) -> Result<()> {
    let see = |view: View<'_, ArrayDeleteFragmentsTimestampsRequest>| {
        let start = view.get(ArrayDeleteFragmentsTimestampsRequest::START_TIMESTAMP);
        Ok((start, view.get(ArrayDeleteFragmentsTimestampsRequest::END_TIMESTAMP)))
    };
    let window = reading.read(request, see).map_err(of_request("fragments_timestamps_deserialize"))?;
    check_open_for_changes(open)?;
    delete_fragments(open.resources(), open.uri(), window)
}

fn of_request(function: &'static str) -> impl Fn(Error) -> Error {
    move |error| error.prefixed(&format!("[TileDB::Serialization][Fragments]: [{function}] "))
}

/// Libtiledb 2.30 requires exclusive mode, and 2.31 the mode for writing.
fn check_open_for_changes(open: &OpenArray) -> Result<()> {
    match open.query_type() {
        QueryType::ModifyExclusive | QueryType::Write => Ok(()),
        _ => bail!("Array: [delete_fragments] Query type must be MODIFY_EXCLUSIVE or WRITE"),
    }
}

/// Handles a consolidation plan request.
///
/// # Errors
/// If the bytes are no request, or the array is not open for reading.
pub fn consolidation_plan(open: &OpenArray, reading: Deserializer, request: &[u8]) -> Result<Vec<u8>> {
    let see = |view: View<'_, ConsolidationPlanRequest>| Ok(view.get(ConsolidationPlanRequest::FRAGMENT_SIZE));
    let prefix = "[TileDB::Serialization][Consolidation]: Error deserializing consolidation plan request; ";
    let size = reading.read(request, see).map_err(|error| error.prefixed(prefix))?;
    let plan = ConsolidationPlan::new(open, size)?;
    let fill = |out: &mut Builder<'_, ConsolidationPlanResponse>| {
        if plan.nodes().is_empty() {
            return Ok(());
        }
        let mut nodes = out.list(ConsolidationPlanResponse::FRAGMENT_URIS_PER_NODE, plan.nodes().len())?;
        for (index, names) in plan.nodes().iter().enumerate() {
            let fragments: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            nodes.set_texts(index, &fragments)?;
        }
        Ok(())
    };
    reading.form().write(fill)
}
