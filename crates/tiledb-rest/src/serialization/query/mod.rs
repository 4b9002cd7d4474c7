//! Serialization of queries: a message with the sizes of the buffers, followed by the payload.
//!
//! A client sends an initialized query, with the cells of a write; a server responds with its state, and with the
//! results of a read. Both sides can resume from the other's state.

mod aggregates;
mod buffers;
mod check;
pub mod estimate;
mod reader;
mod writer;

pub use buffers::{BufferFill, SerializedPart};

use super::format::{Deserializer, SerializationType, in_field, required};
use super::schema::Endpoint;
use super::{array, condition, config};
use crate::encoding::{Builder, Message, MessageBuilder, View};
use crate::messages;
use buffers::Payload;
use tiledb_array::array::Array;
use tiledb_cells::WriteDraft;
use tiledb_cells::columns::buffers::FieldBuffers;
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::{Query, Status};

/// Names of query states.
const STATUS: [(Status, &str); 6] = [
    (Status::Failed, "FAILED"),
    (Status::Completed, "COMPLETED"),
    (Status::InProgress, "INPROGRESS"),
    (Status::Incomplete, "INCOMPLETE"),
    (Status::Uninitialized, "UNINITIALIZED"),
    (Status::Initialized, "INITIALIZED"),
];

/// Marks an error as one of deserialization.
fn reading(error: Error) -> Error {
    match error.kind() {
        ErrorKind::OutOfMemory | ErrorKind::Cancelled => error,
        _ if error.text().starts_with("[TileDB::") => error,
        _ => error.prefixed("[TileDB::Serialization] Error: Cannot deserialize; "),
    }
}

/// Serializes a query; buffers are passed by reference.
///
/// # Errors
/// As JSON, if the state cannot be serialized, or if memory does not suffice.
pub fn write(form: SerializationType, query: &mut Query, array: &Array, side: Endpoint) -> Result<Vec<SerializedPart>> {
    if form == SerializationType::Json {
        bail!("[TileDB::Serialization] Error: Cannot serialize query; json format not supported.");
    }
    let is_client = side == Endpoint::Client;
    let draft = query.suspend()?;
    let query = &*query;
    let mut out = MessageBuilder::new();
    // Written cells are not sent again.
    let is_left = |_: &&_| !(is_client && query.has_written_all());
    let fields: Vec<_> = query.all_buffers().filter(is_left).collect();
    fill(&mut out.root()?, query, array, side, &fields, draft.as_ref())?;
    let mut pieces = vec![SerializedPart::Owned(out.capnp())];
    let writes = matches!(query.kind(), QueryType::Write | QueryType::ModifyExclusive);
    if is_client == writes && (writes || query.kind() == QueryType::Read) {
        buffers::payload_parts(&mut pieces, &fields, query.offset_format(), writes)?;
    }
    Ok(pieces)
}

/// Serializes a query without its payload.
///
/// # Errors
/// As [`write()`].
pub(crate) fn fill_plain(
    out: &mut Builder<'_, messages::Query>,
    query: &Query,
    array: &Array,
    side: Endpoint,
) -> Result<()> {
    let fields: Vec<_> = query.all_buffers().collect();
    fill(out, query, array, side, &fields, None)
}

fn fill(
    out: &mut Builder<'_, messages::Query>,
    query: &Query,
    array: &Array,
    side: Endpoint,
    fields: &[&FieldBuffers],
    draft: Option<&WriteDraft>,
) -> Result<()> {
    let kind = query.kind();
    let status = STATUS.iter().find(|row| row.0 == query.status()).map_or("", |row| row.1);
    out.set_text(messages::Query::TYPE, kind.name())?;
    out.set_text(messages::Query::LAYOUT, query.layout().name())?;
    out.set_text(messages::Query::STATUS, status)?;
    array::fill(&mut out.child(messages::Query::ARRAY)?, array, query.array(), side)?;
    buffers::fill(out, fields)?;
    if side == Endpoint::Server && query.status() == Status::Incomplete && !query.aggregates().is_empty() {
        bail!("[TileDB::Serialization] Error: Aggregates are not currently supported in incomplete remote queries");
    }
    match kind {
        QueryType::Read => {
            fill_offsets(out, query.offset_format())?;
            reader::fill(out, query)?;
        }
        QueryType::Write => {
            fill_offsets(out, query.offset_format())?;
            writer::fill(out, query, draft)?;
        }
        _ => {
            let mut delete = out.child(messages::Query::DELETE)?;
            if let Some(condition) = query.condition() {
                condition::fill(&mut delete.child(messages::Delete::CONDITION)?, condition)?;
            }
        }
    }
    config::fill(&mut out.child(messages::Query::CONFIG)?, &config::for_server(query.config()))?;
    writer::fill_written(out, query, draft)?;
    aggregates::fill(out, query)
}

fn fill_offsets(out: &mut Builder<'_, messages::Query>, format: OffsetFormat) -> Result<()> {
    out.set_text(messages::Query::VAR_OFFSETS_MODE, if format.elements { "elements" } else { "bytes" })?;
    out.set(messages::Query::VAR_OFFSETS_ADD_EXTRA_ELEMENT, format.extra);
    out.set(messages::Query::VAR_OFFSETS_BITSIZE, format.width as i32 * 8);
    Ok(())
}

fn offsets_of(view: View<'_, messages::Query>, own: OffsetFormat) -> Result<OffsetFormat> {
    let elements = match view.text(messages::Query::VAR_OFFSETS_MODE)? {
        Some("bytes") => false,
        Some("elements") => true,
        Some(other) => bail!(Corrupt, "Query.varOffsetsMode: '{other}' is none"),
        None => own.elements,
    };
    let width = match view.get(messages::Query::VAR_OFFSETS_BITSIZE) {
        32 => 4,
        64 => 8,
        0 => own.width,
        bits => bail!(Corrupt, "Query.varOffsetsBitsize: offsets of {bits} bits are none"),
    };
    Ok(OffsetFormat { width, elements, extra: view.get(messages::Query::VAR_OFFSETS_ADD_EXTRA_ELEMENT) })
}

/// Deserializes the message at the start of bytes at `place`; cells to write stay there.
///
/// # Errors
/// If the bytes are none, or do not fit the query.
pub fn read_on_server(query: &mut Query, reads: Deserializer, bytes: &[u8], place: UserPtr<u8>) -> Result<()> {
    read_message(reads, bytes, |message, view| {
        let payload = Payload { bytes: message.rest(), place: place.after(message.len()) };
        take_request(query, view, Some(payload))
    })
}

/// Deserializes a query without its payload.
///
/// # Errors
/// If it does not fit the array of the query.
pub(crate) fn of_plain(query: &mut Query, view: View<'_, messages::Query>) -> Result<()> {
    take_request(query, view, None)
}

/// Deserializes the response of a server. Results are appended to the buffers of the query.
///
/// # Errors
/// If the bytes are none, do not fit the query, or the results do not fit its buffers; these are as they were then.
pub fn read_on_client(query: &mut Query, reads: Deserializer, bytes: &[u8], filled: &mut BufferFill) -> Result<()> {
    read_message(reads, bytes, |message, view| {
        let payload = Payload { bytes: message.rest(), place: UserPtr::NULL };
        take_reply(query, view, payload, filled)
    })
}

fn read_message(
    reads: Deserializer,
    bytes: &[u8],
    take: impl FnOnce(&Message<'_>, View<'_, messages::Query>) -> Result<()>,
) -> Result<()> {
    if reads.form() == SerializationType::Json {
        bail!("[TileDB::Serialization] Error: Cannot deserialize query; json format not supported.");
    }
    let message = reads.message(bytes).map_err(reading)?;
    let view = message.root::<messages::Query>().map_err(reading)?;
    take(&message, view).map_err(reading)
}

/// The array of a serialized query.
///
/// # Errors
/// As [`read_on_server`].
pub fn array_of(
    resources: &tiledb_storage::resources::Resources,
    reads: Deserializer,
    uri: &str,
    bytes: &[u8],
) -> Result<Array> {
    let uri = tiledb_storage::vfs::Uri::parse(uri)?;
    let mut array = None;
    read_message(reads, bytes, |_, view| {
        let message = required("Query.array", view.child(messages::Query::ARRAY)?)?;
        let (parts, window) = array::parts(resources, &uri, message, None)?;
        array = Some(Array::from_open(window, tiledb_array::array::OpenArray::from_parts(resources, parts)?));
        Ok(())
    })?;
    array.ok_or_else(|| Error::internal("a message without an array was read"))
}

fn check_kind(query: &Query, view: View<'_, messages::Query>) -> Result<()> {
    let name = view.text(messages::Query::TYPE)?.unwrap_or_default();
    let kind = QueryType::from_name(name).map_err(in_field("Query.type"))?;
    if kind != query.kind() {
        bail!(
            "[TileDB::Serialization] Error: Cannot deserialize; Query opened for {} but got serialized type for {name}",
            query.kind().name()
        );
    }
    Ok(())
}

fn status_of(view: View<'_, messages::Query>) -> Result<Status> {
    let name = view.text(messages::Query::STATUS)?.unwrap_or_default();
    match STATUS.iter().find(|row| row.1 == name) {
        Some(row) => Ok(row.0),
        None => bail!(Corrupt, "Query.status: '{name}' is none"),
    }
}

fn take_request(query: &mut Query, view: View<'_, messages::Query>, payload: Option<Payload<'_>>) -> Result<()> {
    check_kind(query, view)?;
    let status = status_of(view)?;
    query.restart();
    if let Some(config) = view.child(messages::Query::CONFIG)? {
        query.set_config(&config::of(config)?)?;
    }
    let reads_or_writes = matches!(query.kind(), QueryType::Read | QueryType::Write | QueryType::ModifyExclusive);
    if reads_or_writes {
        let layout = view.text(messages::Query::LAYOUT)?.unwrap_or_default();
        query.set_layout(Layout::from_name(layout).map_err(in_field("Query.layout"))?)?;
    }
    aggregates::apply(query, view)?;
    let sizes = buffers::read_sizes(view)?;
    if reads_or_writes {
        query.set_offset_format(offsets_of(view, query.offset_format())?);
        buffers::attach_buffers(query, &sizes, payload)?;
    }
    let schema = query.array().schema().clone();
    match query.kind() {
        QueryType::Read => {
            let reader = reader::of(view, &schema)?;
            query.set_subarray(&reader.subarray)?;
            if reader.condition.is_some() {
                query.set_condition(reader.condition)?;
            }
            if let (Status::Incomplete, Some(position)) = (status, reader.position) {
                query.resume_from(position);
            }
        }
        QueryType::Write => {
            if let Some(subarray) = writer::subarray_of(view, query)? {
                query.set_subarray(&subarray)?;
            }
            if let Some(draft) = writer::draft_of(view, query)? {
                query.resume_with(draft);
            }
        }
        _ => {
            let message = view.child(messages::Query::DELETE)?;
            let message = message.map_or(Ok(None), |delete| delete.child(messages::Delete::CONDITION))?;
            if let Some(message) = message {
                query.set_condition(Some(condition::of(message, &schema)?))?;
            }
        }
    }
    Ok(())
}

fn take_reply(
    query: &mut Query,
    view: View<'_, messages::Query>,
    payload: Payload<'_>,
    filled: &mut BufferFill,
) -> Result<()> {
    check_kind(query, view)?;
    let status = status_of(view)?;
    let sizes = buffers::read_sizes(view)?;
    let position = match query.kind() {
        QueryType::Read => reader::position_of(view, query.array().schema())?,
        _ => None,
    };
    let written = writer::written_of(view, query)?;
    // A query that was not submitted has no results, although the sizes of its buffers are sent.
    let is_new = matches!(status, Status::Uninitialized | Status::Initialized) && payload.bytes.is_empty();
    if query.kind() == QueryType::Read && !is_new {
        let format = offsets_of(view, query.offset_format())?;
        buffers::copy_results(query, &sizes, payload, filled, format)?;
    }
    let draft = writer::draft_of(view, query)?;
    query.take_over(status, position, draft, written);
    Ok(())
}
