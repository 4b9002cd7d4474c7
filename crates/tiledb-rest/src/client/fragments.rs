//! Client operations on fragments of arrays on a TileDB server.

use super::arrays::RemoteArray;
use crate::encoding::View;
use crate::messages::{
    ArrayDeleteFragmentsListRequest, ArrayDeleteFragmentsTimestampsRequest, ConsolidationPlanRequest,
    ConsolidationPlanResponse,
};
use crate::serialization::{config, fragment_info};
use tiledb_array::array::{FragmentInfo, OpenArray};
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::types::Name;
use tiledb_maintain::maintain::ConsolidationPlan;
use tiledb_storage::http::Method;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Deletes the fragments of a window of time.
///
/// # Errors
/// If the server rejects the request.
pub fn delete(resources: &Resources, uri: &Uri, (start, end): (u64, u64)) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let body = at.session.form().write::<ArrayDeleteFragmentsTimestampsRequest>(|out| {
        config::fill(
            &mut out.child(ArrayDeleteFragmentsTimestampsRequest::CONFIG)?,
            &config::for_server(resources.config()),
        )?;
        out.set(ArrayDeleteFragmentsTimestampsRequest::START_TIMESTAMP, start);
        out.set(ArrayDeleteFragmentsTimestampsRequest::END_TIMESTAMP, end);
        Ok(())
    })?;
    at.session.perform(&at.request(Method::Post, "/delete_fragments", "delete fragments of").body(&[&body]))
}

/// Deletes fragments by their URIs, which are sent relative to the array: the server has its own storage location.
///
/// # Errors
/// If the server rejects the request.
pub fn delete_named(resources: &Resources, uri: &Uri, fragments: &[String]) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let mut entries = Vec::new();
    for fragment in fragments {
        let name = fragment.trim_end_matches('/').rsplit('/').next().unwrap_or(fragment);
        memory::push("fragments to delete", &mut entries, format!("__fragments/{name}"))?;
    }
    let body = at.session.form().write::<ArrayDeleteFragmentsListRequest>(|out| {
        config::fill(
            &mut out.child(ArrayDeleteFragmentsListRequest::CONFIG)?,
            &config::for_server(resources.config()),
        )?;
        out.set_texts(ArrayDeleteFragmentsListRequest::ENTRIES, &entries)
    })?;
    at.session.perform(&at.request(Method::Post, "/delete_fragments_list", "delete fragments of").body(&[&body]))
}

/// Loads fragment information.
///
/// # Errors
/// If the request fails or the response is invalid.
pub fn load(info: &FragmentInfo) -> Result<()> {
    let resources = info.resources();
    let uri = info.uri();
    let at = RemoteArray::new(&resources, uri)?;
    let body = fragment_info::write_request(at.session.form(), &config::for_server(resources.config()))?;
    let pieces: &[&[u8]] = &[&body];
    let request =
        at.request(Method::Post, "/fragment_info", "load information about the fragments of").body(pieces).idempotent();
    let read = |reading, answer: &[u8]| fragment_info::read(reading, &resources, uri, answer);
    info.set_loaded(at.session.fetch(&request, read)?);
    Ok(())
}

/// Requests a consolidation plan.
///
/// # Errors
/// If the request fails or the response is invalid.
pub fn consolidation_plan(open: &OpenArray, size: u64) -> Result<ConsolidationPlan> {
    let at = RemoteArray::new(open.resources(), open.uri())?;
    let body = at.session.form().write::<ConsolidationPlanRequest>(|out| {
        config::fill(&mut out.child(ConsolidationPlanRequest::CONFIG)?, &config::for_server(open.config()))?;
        out.set(ConsolidationPlanRequest::FRAGMENT_SIZE, size);
        Ok(())
    })?;
    let pieces: &[&[u8]] = &[&body];
    let request = at.request(Method::Post, "/consolidate/plan", "plan the consolidation of").body(pieces).idempotent();
    at.session.fetch(&request, |reading, answer| reading.read(answer, plan_of))
}

/// The plan of a message.
pub(super) fn plan_of(view: View<'_, ConsolidationPlanResponse>) -> Result<ConsolidationPlan> {
    let mut nodes = Vec::new();
    for node in view.items(ConsolidationPlanResponse::FRAGMENT_URIS_PER_NODE)?.iter() {
        let mut names = Vec::new();
        for name in node?.iter() {
            memory::push("a node of a plan", &mut names, Name::of_path(name?))?;
        }
        memory::push("nodes of a plan", &mut nodes, names)?;
    }
    Ok(ConsolidationPlan::from_parts(nodes))
}
