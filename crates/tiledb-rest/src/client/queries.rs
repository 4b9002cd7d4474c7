//! Client side of queries on arrays of a TileDB server.

use std::sync::Arc;

use super::arrays::{RemoteArray, by_queries};
use super::frames::FrameReader;
use super::partial_tile_buffer::PartialTileBuffer;
use super::routes::{QueryOperation, query_route};
use super::session::{RestRequest, Session};
use super::uri::RemoteUri;
use crate::encoding::View;
use crate::messages::{EstimatedResultSize, Map, MapEntry, QueryPlanRequest, QueryPlanResponse, ResultSize};
use crate::serialization::config;
use crate::serialization::query::{self, BufferFill, SerializedPart};
use crate::serialization::schema::Endpoint;
use tiledb_array::array::Array;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::types::{Layout, Name, NamedList, QueryType};
use tiledb_query::{EstimatedSize, PlanText, Query, Status};
use tiledb_storage::http::Method;

/// Maximum number of successive messages of a response without results.
const MOST_IDLE: u32 = 1000;

/// Client-side state of a query between submits.
#[derive(Default)]
pub struct RemoteQueryState {
    /// Cells of partial tiles of a write in global order.
    partial_tile_buffer: PartialTileBuffer,
    /// Messages with results that did not fit into the buffers of the last submit.
    waiting: Vec<Vec<u8>>,
    /// Estimated result sizes by field.
    estimates: Option<NamedList<(Name, [f64; 3])>>,
    /// A write in global order failed, and it is unknown which cells arrived.
    has_failed: bool,
}

/// Builds requests about a query.
struct QueryRequests<'a> {
    session: Arc<Session>,
    remote_uri: RemoteUri,
    array: &'a Array,
}

impl<'a> QueryRequests<'a> {
    fn new(array: &'a Array, query: &Query) -> Result<QueryRequests<'a>> {
        let RemoteArray { session, remote_uri, .. } = RemoteArray::new(query.array().resources(), query.array().uri())?;
        Ok(QueryRequests { session, remote_uri, array })
    }

    /// The serialized query with its payload.
    fn pieces(&self, query: &mut Query) -> Result<Vec<SerializedPart>> {
        query::write(self.session.form(), query, self.array, Endpoint::Client)
    }

    fn request<'b>(
        &'b self,
        query: &Query,
        operation: QueryOperation,
        body: &'b [&'b [u8]],
    ) -> Result<RestRequest<'b>> {
        let times = (self.array.open_start(), self.array.set_end());
        let route = query_route(&self.remote_uri, operation, query.kind(), times, by_queries(query.config())?);
        let what = match (operation, query.kind()) {
            (QueryOperation::Estimate, _) => "estimate the results of a query on",
            (QueryOperation::Plan, _) => "plan a query on",
            (_, QueryType::Read) => "read from",
            (_, QueryType::Delete) => "delete cells of",
            _ => "write to",
        };
        let request =
            RestRequest::new(Method::Post, &self.remote_uri, route, format!("Cannot {what} '{}'", query.array().uri()))
                .body(body);
        let is_harmless = matches!(operation, QueryOperation::Estimate | QueryOperation::Plan) || is_same_twice(query);
        Ok(if is_harmless { request.idempotent() } else { request })
    }
}

/// Whether the query is idempotent: cells with the same coordinates replace one another, unless the array allows
/// duplicates. A write in global order appends to files.
fn is_same_twice(query: &Query) -> bool {
    let keeps_all = query.array().schema().allows_dups();
    match query.kind() {
        QueryType::Read | QueryType::Delete => true,
        _ => query.layout() != Layout::GlobalOrder && !keeps_all,
    }
}

fn slices(pieces: &[SerializedPart]) -> Result<Vec<&[u8]>> {
    let mut slices = tiledb_core::memory::with_capacity("the pieces of a query", pieces.len())?;
    for piece in pieces {
        slices.push(match piece {
            SerializedPart::Owned(bytes) => &bytes[..],
            SerializedPart::Borrowed(start, size) => start.as_slice(*size)?,
        });
    }
    Ok(slices)
}

/// Submits a query: a read returns the next results, a write is stored.
///
/// # Errors
/// If the server rejects the query, or its response is invalid.
pub fn submit(array: &Array, query: &mut Query, state: &mut RemoteQueryState) -> Result<()> {
    if query.kind() == QueryType::Read && query.status() == Status::Completed && state.waiting.is_empty() {
        return Ok(());
    }
    let mut filled = BufferFill::default();
    if take_waiting(query, state, &mut filled)? {
        return Ok(());
    }
    if query.kind() != QueryType::Write || query.layout() != Layout::GlobalOrder {
        return run(array, query, state, &mut filled, QueryOperation::Submit { read_all: false });
    }
    check_whole(state)?;
    if !state.partial_tile_buffer.take_whole_tiles(query)? {
        return Ok(());
    }
    run_standing_in(array, query, state, QueryOperation::Submit { read_all: false })
}

/// Copies pending results of the previous response; true if the buffers are full.
fn take_waiting(query: &mut Query, state: &mut RemoteQueryState, filled: &mut BufferFill) -> Result<bool> {
    let reads = Session::of(query.array().resources())?.reading();
    let mut delivered = 0;
    let outcome = state.waiting.iter().try_for_each(|message| {
        query::read_on_client(query, reads, message, filled)?;
        delivered += 1;
        Ok(())
    });
    state.waiting.drain(..delivered);
    match outcome {
        Ok(()) => (),
        Err(error) if filled.is_empty() => return Err(error),
        Err(_) => return Ok(true),
    }
    // Any results count as full buffers.
    Ok(!filled.is_empty())
}

/// Sends the last cells of a write in global order and finalizes it.
///
/// # Errors
/// As [`submit`], and for queries other than writes in global order.
pub fn submit_and_finalize(array: &Array, query: &mut Query, state: &mut RemoteQueryState) -> Result<()> {
    if query.kind() != QueryType::Write || query.layout() != Layout::GlobalOrder {
        bail!("Query: Failed to submit and finalize query; Call valid only in global_order writes.");
    }
    check_whole(state)?;
    state.partial_tile_buffer.take_all(query)?;
    run_standing_in(array, query, state, QueryOperation::SubmitAndFinalize)
}

/// Sends the buffered cells in place of the user's buffers, and restores these.
fn run_standing_in(
    array: &Array,
    query: &mut Query,
    state: &mut RemoteQueryState,
    operation: QueryOperation,
) -> Result<()> {
    let sent = run(array, query, state, &mut BufferFill::default(), operation);
    state.has_failed = sent.is_err();
    state.partial_tile_buffer.give_back(query, sent.is_ok())?;
    sent
}

/// Rejects to continue a write in global order of which cells may be missing.
fn check_whole(state: &RemoteQueryState) -> Result<()> {
    if state.has_failed {
        bail!("[TileDB::REST] Error: A part of the write in global order failed before; begin with a new query");
    }
    Ok(())
}

/// Finalizes a query.
///
/// # Errors
/// If the server rejects the request, and for writes in global order, whose end is [`submit_and_finalize`].
pub fn finalize(array: &Array, query: &mut Query) -> Result<()> {
    if query.status() == Status::Uninitialized {
        return Ok(());
    }
    if query.kind() != QueryType::Write {
        return query.finalize();
    }
    if query.layout() == Layout::GlobalOrder {
        bail!(
            "Query: Failed to finalize query; remote global order writes are only allowed to call submit_and_finalize to \
             submit the last tile"
        );
    }
    let requests = QueryRequests::new(array, query)?;
    let pieces = requests.pieces(query)?;
    let body = slices(&pieces)?;
    let request = requests.request(query, QueryOperation::Finalize, &body)?;
    let read = |reading, answer: &[u8]| query::read_on_client(query, reading, answer, &mut BufferFill::default());
    requests.session.fetch(&request, read)
}

/// Sends a query, and processes the messages of the response as they arrive.
fn run(
    array: &Array,
    query: &mut Query,
    state: &mut RemoteQueryState,
    filled: &mut BufferFill,
    operation: QueryOperation,
) -> Result<()> {
    let session = Session::of(query.array().resources())?;
    let operation = match operation {
        QueryOperation::Submit { .. } => QueryOperation::Submit { read_all: session.options.read_all },
        other => other,
    };
    let requests = QueryRequests::new(array, query)?;
    let pieces = requests.pieces(query)?;
    let body = slices(&pieces)?;
    let request = requests.request(query, operation, &body)?;
    let mut taken = 0;
    let mut idle = 0;
    session.execute(&request, |_, bytes| {
        let mut frames = FrameReader::new(bytes, session.options.most);
        loop {
            let frame = match frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) if taken == 0 => {
                    return Err(session
                        .unexpected_response(&request, Error::new(ErrorKind::Io, "server returned no data."))
                        .into());
                }
                Ok(None) => return Ok(()),
                // Results that were copied are not requested again.
                Err(error) if taken > 0 => return Err(session.unexpected_response(&request, error).into()),
                Err(error) => return Err(session.interrupted(&request, error)),
            };
            if taken == 0 {
                query.array().resources().cancel().check()?;
            }
            let before = (filled.bytes(), state.waiting.len());
            take(query, state, &session, frame, filled)
                .map_err(|error| session.unexpected_response(&request, error))?;
            taken += 1;
            idle = if (filled.bytes(), state.waiting.len()) == before { idle + 1 } else { 0 };
            if idle > MOST_IDLE {
                let text = format!("{idle} messages in a row bring no results");
                return Err(session.unexpected_response(&request, Error::new(ErrorKind::Io, text)).into());
            }
        }
    })
}

/// Processes one message of a response; results that do not fit into the buffers are queued.
fn take(
    query: &mut Query,
    state: &mut RemoteQueryState,
    session: &Session,
    frame: Vec<u8>,
    filled: &mut BufferFill,
) -> Result<()> {
    if state.waiting.is_empty() {
        match query::read_on_client(query, session.reading(), &frame, filled) {
            Err(_) if !filled.is_empty() => {}
            taken => return taken,
        }
    }
    let waiting: u64 = state.waiting.iter().chain([&frame]).map(|frame| frame.len() as u64).sum();
    if waiting > session.options.most {
        bail!(
            Io,
            "{waiting} bytes of results came that have no room in the buffers; at most {} are taken \
             ('rest.capnp_traversal_limit')",
            session.options.most
        );
    }
    query.mark_incomplete();
    tiledb_core::memory::push("results that wait", &mut state.waiting, frame)
}

/// Estimated result sizes of a field: of cells or offsets, of values, and of validity.
///
/// # Errors
/// If the request fails, the response is invalid, or the field is unknown to the server.
pub fn estimate(
    array: &Array,
    query: &mut Query,
    state: &mut RemoteQueryState,
    name: &str,
    is_var: bool,
) -> Result<EstimatedSize> {
    if state.estimates.is_none() {
        let requests = QueryRequests::new(array, query)?;
        let pieces = requests.pieces(query)?;
        let body = slices(&pieces)?;
        let request = requests.request(query, QueryOperation::Estimate, &body)?;
        state.estimates = Some(requests.session.fetch(&request, |reading, answer| reading.read(answer, estimates))?);
    }
    match state.estimates.as_ref().and_then(|estimates| estimates.get(name)) {
        // Fractional estimates are rounded up.
        Some((_, sizes)) => {
            let [fixed, values, validity] = sizes.map(|size| size.ceil() as u64);
            let (data, offsets) = if is_var { (values, fixed) } else { (fixed, 0) };
            Ok(EstimatedSize { data, offsets, validity })
        }
        None => bail!("[TileDB::REST] Error: The server estimates no size of the results of '{name}'"),
    }
}

pub(super) fn estimates(view: View<'_, EstimatedResultSize>) -> Result<NamedList<(Name, [f64; 3])>> {
    let mut all = Vec::new();
    let Some(sizes) = view.child(EstimatedResultSize::RESULT_SIZES)? else { return Ok(NamedList::default()) };
    for entry in sizes.items(Map::<ResultSize>::ENTRIES)?.iter() {
        let name = entry.text(MapEntry::<ResultSize>::KEY)?.unwrap_or_default();
        let Some(size) = entry.child(MapEntry::<ResultSize>::VALUE)? else { continue };
        let sizes: [f64; 3] =
            [ResultSize::SIZE_FIXED, ResultSize::SIZE_VAR, ResultSize::SIZE_VALIDITY].map(|field| size.get(field));
        if let Some(size) = sizes.iter().find(|size| !(size.is_finite() && **size >= 0.0)) {
            bail!(Corrupt, "ResultSize of '{name}': {size} is no number of bytes");
        }
        tiledb_core::memory::push("estimates", &mut all, (Name::new(name), sizes))?;
    }
    Ok(all.into())
}

/// The query plan of the server as JSON.
///
/// # Errors
/// If the request fails or the response is invalid.
pub fn query_plan(array: &Array, query: &Query) -> Result<String> {
    let requests = QueryRequests::new(array, query)?;
    let body = requests.session.form().write::<QueryPlanRequest>(|out| {
        config::fill(&mut out.child(QueryPlanRequest::CONFIG)?, &config::for_server(query.config()))?;
        query::fill_plain(&mut out.child(QueryPlanRequest::QUERY)?, query, array, Endpoint::Client)
    })?;
    let pieces: &[&[u8]] = &[&body];
    let request = requests.request(query, QueryOperation::Plan, pieces)?;
    let read = |view: View<'_, QueryPlanResponse>| plan_of(query.array().uri().as_str(), view);
    requests.session.fetch(&request, |reading, answer| reading.read(answer, read))
}

/// The plan of a message.
pub(super) fn plan_of(uri: &str, view: View<'_, QueryPlanResponse>) -> Result<String> {
    let text = |field| -> Result<&str> { Ok(view.text(field)?.unwrap_or_default()) };
    let plan = PlanText {
        uri,
        array_type: text(QueryPlanResponse::ARRAY_TYPE)?,
        layout: text(QueryPlanResponse::QUERY_LAYOUT)?,
        strategy: text(QueryPlanResponse::STRATEGY_NAME)?,
        attributes: &view.items(QueryPlanResponse::ATTRIBUTE_NAMES)?.iter().collect::<Result<Vec<_>>>()?,
        dimensions: &view.items(QueryPlanResponse::DIMENSION_NAMES)?.iter().collect::<Result<Vec<_>>>()?,
        backend: None,
    };
    Ok(plan.text())
}
