//! What a query is going to do, as JSON for clients: the names of TileDB's strategies, so that tools that know them
//! understand ours.

use serde_json::json;

use crate::error::{Result, bail};
use crate::query::transfer::request::Request;
use crate::query::transfer::run::Status;
use crate::query::transfer::state::Transfer;
use crate::types::{Layout, QueryType};

/// The plan: array, fields by name, layout, strategy and storage. The query is made ready to be submitted: what may be
/// set only before that is settled.
///
/// # Errors
/// If the query has no buffers, or a deletion no condition.
pub fn plan(transfer: &mut Transfer) -> Result<String> {
    let plan = describe(transfer)?;
    if transfer.run.status == Status::Uninitialized {
        transfer.run.status = Status::Initialized;
    }
    Ok(plan)
}

fn describe(transfer: &Transfer) -> Result<String> {
    let (request, buffers) = (&transfer.request, &transfer.fields.buffers);
    let array = &request.array;
    let schema = array.schema();
    if request.kind == QueryType::Delete && !transfer.filter.is_set() {
        bail!("Deletes: Cannot initialize deletes; One condition is needed");
    }
    if request.kind != QueryType::Delete && buffers.is_empty() {
        bail!("{}; Buffers not set", initialization(request));
    }
    let mut names: Vec<&str> = buffers.fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    // Zipped coordinates and what else is no field of the schema count as attributes.
    let (mut dimensions, attributes): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| schema.domain().dimension(name).is_some());
    if schema.is_dense() {
        // Cells of dense arrays are found by all of them.
        dimensions = schema.domain().dimensions().iter().map(|dimension| dimension.name().as_str()).collect();
    }
    let plan = PlanText {
        uri: array.uri().as_str(),
        array_type: schema.array_type().name(),
        layout: request.layout.name(),
        strategy: strategy(request),
        attributes: &attributes,
        dimensions: &dimensions,
        backend: Some(array.uri().scheme()),
    };
    Ok(plan.text())
}

/// What a plan tells.
pub struct PlanText<'a> {
    /// The URI of the array.
    pub uri: &'a str,
    /// Dense or sparse.
    pub array_type: &'a str,
    /// The order of results or of cells given.
    pub layout: &'a str,
    /// The name that TileDB has for what does the work.
    pub strategy: &'a str,
    /// Attributes with buffers.
    pub attributes: &'a [&'a str],
    /// Dimensions that are looked at.
    pub dimensions: &'a [&'a str],
    /// The storage, if it is known.
    pub backend: Option<&'a str>,
}

impl PlanText<'_> {
    /// The plan as JSON.
    pub fn text(&self) -> String {
        let mut plan = json!({
            "Array.Type": self.array_type,
            "Array.URI": self.uri,
            "Query.Attributes": self.attributes,
            "Query.Dimensions": self.dimensions,
            "Query.Layout": self.layout,
            "Query.Strategy.Name": self.strategy,
        });
        if let (Some(backend), Some(plan)) = (self.backend, plan.as_object_mut()) {
            plan.insert("VFS.Backend".to_owned(), backend.into());
        }
        // Indented by four, not by two.
        let text = format!("{:#}", json!({ "TileDB Query Plan": plan }));
        let lines = text.lines().map(|line| format!("{}{line}", &line[..line.len() - line.trim_start().len()]));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The strategy by the name TileDB has for it.
fn strategy(request: &Request) -> &'static str {
    let schema = request.array.schema();
    match (request.kind, schema.is_dense(), request.layout) {
        (QueryType::Write, _, Layout::GlobalOrder) => "GlobalOrderWriter",
        (QueryType::Write, true, _) => "OrderedWriter",
        (QueryType::Write, false, _) => "UnorderedWriter",
        (QueryType::Delete, ..) => "Deletes",
        (_, true, _) => "DenseReader",
        (_, false, Layout::GlobalOrder) => "SparseGlobalOrderReader<h>",
        (_, false, Layout::Unordered) if schema.allows_dups() => "SparseUnorderedWithDupsReader<h>",
        (_, false, Layout::Unordered) => "SparseGlobalOrderReader<h>",
        (_, false, _) => "LegacyReader",
    }
}

/// What cannot be done without buffers.
fn initialization(request: &Request) -> &'static str {
    match (request.kind, request.array.schema().is_dense()) {
        (QueryType::Read, true) => "DenseReader: Cannot initialize dense reader",
        (QueryType::Read, false) => "Reader: Cannot initialize reader",
        _ => "WriterBase: Cannot initialize writer",
    }
}
