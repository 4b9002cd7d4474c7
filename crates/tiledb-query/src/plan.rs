//! Query plans as JSON, with the names of TileDB's strategies, so that existing tools understand them.

use std::sync::Arc;

use serde_json::json;

use crate::transfer::progress::Status;
use crate::transfer::request::QueryRequest;
use crate::transfer::state::Transfer;
use tiledb_array::array::OpenArray;
use tiledb_core::error::{Result, bail};
use tiledb_core::sort;
use tiledb_core::types::{ArrayType, Layout, Name, QueryType};

/// The plan: array, fields by name, layout, strategy and storage. Initializes the query: settings that are fixed by the
/// first submit can no longer be changed.
///
/// # Errors
/// If the query has no buffers, or a deletion no condition.
pub(crate) fn of_transfer(transfer: &mut Transfer) -> Result<QueryPlan> {
    let plan = describe(transfer)?;
    if transfer.run.status == Status::Uninitialized {
        transfer.run.status = Status::Initialized;
    }
    Ok(plan)
}

fn describe(transfer: &Transfer) -> Result<QueryPlan> {
    let request = &transfer.request;
    let buffers = &transfer.fields.buffers;
    let array = &request.array;
    let schema = array.schema();
    if request.kind == QueryType::Delete && !transfer.filter.is_set() {
        bail!("Deletes: Cannot initialize deletes; One condition is needed: call tiledb_query_set_condition");
    }
    if request.kind != QueryType::Delete && buffers.is_empty() {
        bail!("{}; Buffers not set", initialization(request));
    }
    let mut names: Vec<Name> = buffers.fields.iter().map(|field| field.name.clone()).collect();
    sort::by(&mut names, Ord::cmp);
    // Zipped coordinates and all fields that are not in the schema count as attributes.
    let (mut dimensions, attributes): (Vec<Name>, Vec<Name>) =
        names.into_iter().partition(|name| schema.domain().dimension(name).is_some());
    if schema.is_dense() {
        // Cells of dense arrays are found by all of them.
        dimensions = schema.domain().dimensions().iter().map(|dimension| dimension.name().clone()).collect();
    }
    Ok(QueryPlan { array: array.clone(), layout: request.layout, strategy: strategy(request), attributes, dimensions })
}

pub struct QueryPlan {
    array: Arc<OpenArray>,
    /// The order of results or of input cells.
    pub layout: Layout,
    /// TileDB's name of the reader or writer.
    pub strategy: &'static str,
    /// Attributes with buffers, by name.
    pub attributes: Vec<Name>,
    /// Dimensions that are read.
    pub dimensions: Vec<Name>,
}

impl QueryPlan {
    /// Dense or sparse.
    pub fn array_type(&self) -> ArrayType {
        self.array.schema().array_type()
    }

    /// The plan as JSON.
    pub fn text(&self) -> String {
        let texts = |names: &[Name]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
        let (attributes, dimensions) = (texts(&self.attributes), texts(&self.dimensions));
        let plan = PlanText {
            uri: self.array.uri().as_str(),
            array_type: self.array_type().name(),
            layout: self.layout.name(),
            strategy: self.strategy,
            attributes: &attributes.iter().map(String::as_str).collect::<Vec<_>>(),
            dimensions: &dimensions.iter().map(String::as_str).collect::<Vec<_>>(),
            backend: Some(self.array.uri().scheme()),
        };
        plan.text()
    }
}

/// The contents of a plan.
pub struct PlanText<'a> {
    /// The URI of the array.
    pub uri: &'a str,
    /// Dense or sparse.
    pub array_type: &'a str,
    /// The order of results or of input cells.
    pub layout: &'a str,
    /// TileDB's name of the reader or writer.
    pub strategy: &'a str,
    /// Attributes with buffers.
    pub attributes: &'a [&'a str],
    /// Dimensions that are read.
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
fn strategy(request: &QueryRequest) -> &'static str {
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

/// Rejects plans without buffers.
fn initialization(request: &QueryRequest) -> &'static str {
    match (request.kind, request.array.schema().is_dense()) {
        (QueryType::Read, true) => "DenseReader: Cannot initialize dense reader",
        (QueryType::Read, false) => "Reader: Cannot initialize reader",
        _ => "WriterBase: Cannot initialize writer",
    }
}
