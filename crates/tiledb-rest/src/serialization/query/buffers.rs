//! Serialization of the buffers of a query: their sizes in the message, and their bytes in the payload that follows it.

use std::collections::HashSet;

use super::super::format::required;
use super::check::{self, FieldResults};
use crate::encoding::{Builder, View};
use crate::messages::{self, AttributeBufferHeader};
use tiledb_cells::columns::buffers::FieldBuffers;
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_cells::columns::user_buffer::{UserBuffer, UserPtr};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Name, NamedList, QueryType};
use tiledb_query::{BufferKind, Query};

/// A part of a serialized query, which is a list of buffers.
pub enum SerializedPart {
    /// Serialized bytes.
    Owned(Vec<u8>),
    /// Bytes of a buffer of the query.
    Borrowed(UserPtr<u8>, u64),
}

/// The three buffers of a field in the order of the payload: fixed cells or offsets, values of variable-length cells,
/// validity.
fn parts(field: &FieldBuffers) -> [Option<UserBuffer>; 3] {
    match field.offsets {
        Some(offsets) => [Some(offsets), field.data, field.validity],
        None => [field.data, None, field.validity],
    }
}

/// Serializes the sizes of buffers.
pub(super) fn fill(out: &mut Builder<'_, messages::Query>, fields: &[&FieldBuffers]) -> Result<()> {
    let mut totals = [0u64; 3];
    let mut list = out.list(messages::Query::ATTRIBUTE_BUFFER_HEADERS, fields.len())?;
    for (index, field) in fields.iter().enumerate() {
        if field.data.is_none() {
            bail!("[TileDB::Serialization] Error: Unable to serialize query buffers with invalid size.");
        }
        let parts = parts(field);
        let sizes = parts.map(|part| part.map_or(0, |buffer| buffer.stated()));
        let room = parts.map(|part| part.map_or(0, |buffer| buffer.capacity()));
        let mut header = list.get(index)?;
        header.set_text(AttributeBufferHeader::NAME, &field.name)?;
        header.set(AttributeBufferHeader::FIXED_LEN_BUFFER_SIZE_IN_BYTES, sizes[0]);
        header.set(AttributeBufferHeader::VAR_LEN_BUFFER_SIZE_IN_BYTES, sizes[1]);
        header.set(AttributeBufferHeader::VALIDITY_LEN_BUFFER_SIZE_IN_BYTES, sizes[2]);
        header.set(AttributeBufferHeader::ORIGINAL_FIXED_LEN_BUFFER_SIZE_IN_BYTES, room[0]);
        header.set(AttributeBufferHeader::ORIGINAL_VAR_LEN_BUFFER_SIZE_IN_BYTES, room[1]);
        header.set(AttributeBufferHeader::ORIGINAL_VALIDITY_LEN_BUFFER_SIZE_IN_BYTES, room[2]);
        totals.iter_mut().zip(sizes).for_each(|(total, size)| *total = total.saturating_add(size));
    }
    out.set(messages::Query::TOTAL_FIXED_LENGTH_BUFFER_BYTES, totals[0]);
    out.set(messages::Query::TOTAL_VAR_LEN_BUFFER_BYTES, totals[1]);
    out.set(messages::Query::TOTAL_VALIDITY_BUFFER_BYTES, totals[2]);
    Ok(())
}

/// The payload: bytes of buffers, by reference.
pub(super) fn payload_parts(
    out: &mut Vec<SerializedPart>,
    fields: &[&FieldBuffers],
    format: OffsetFormat,
    writes: bool,
) -> Result<()> {
    for field in fields {
        for (index, buffer) in parts(field).into_iter().enumerate() {
            let Some(buffer) = buffer else { continue };
            let size = buffer.stated();
            if buffer.start().is_null() && size > 0 {
                bail!("[TileDB::Serialization] Error: Unable to serialize invalid query buffers.");
            }
            // Buffers of 32-bit offsets need only half the stated size.
            let there = if index == 0 && field.offsets.is_some() && writes { format.memory(size) } else { size };
            out.push(match there == size {
                true => SerializedPart::Borrowed(buffer.start(), size),
                false => SerializedPart::Owned(padded(buffer.start().as_slice(there)?, size)?),
            });
        }
    }
    Ok(())
}

fn padded(bytes: &[u8], size: u64) -> Result<Vec<u8>> {
    let mut padded = tiledb_core::memory::filled("offsets", 0, usize::try_from(size).unwrap_or(usize::MAX))?;
    padded[..bytes.len()].copy_from_slice(bytes);
    Ok(padded)
}

/// Buffer sizes of a field.
pub(super) struct BufferSizes<'a> {
    pub name: &'a str,
    pub sizes: [u64; 3],
    /// Capacities of the client's buffers.
    room: [u64; 3],
}

/// Deserializes the buffer sizes.
pub(super) fn read_sizes<'a>(view: View<'a, messages::Query>) -> Result<Vec<BufferSizes<'a>>> {
    let list = required("Query.attributeBufferHeaders", view.list(messages::Query::ATTRIBUTE_BUFFER_HEADERS)?)?;
    let mut all = Vec::new();
    for header in list.iter() {
        let name = required("AttributeBufferHeader.name", header.text(AttributeBufferHeader::NAME)?)?;
        let sizes = [
            header.get(AttributeBufferHeader::FIXED_LEN_BUFFER_SIZE_IN_BYTES),
            header.get(AttributeBufferHeader::VAR_LEN_BUFFER_SIZE_IN_BYTES),
            header.get(AttributeBufferHeader::VALIDITY_LEN_BUFFER_SIZE_IN_BYTES),
        ];
        let room = [
            header.get(AttributeBufferHeader::ORIGINAL_FIXED_LEN_BUFFER_SIZE_IN_BYTES),
            header.get(AttributeBufferHeader::ORIGINAL_VAR_LEN_BUFFER_SIZE_IN_BYTES),
            header.get(AttributeBufferHeader::ORIGINAL_VALIDITY_LEN_BUFFER_SIZE_IN_BYTES),
        ];
        tiledb_core::memory::push("the sizes of buffers", &mut all, BufferSizes { name, sizes, room })?;
    }
    Ok(all)
}

/// The payload after a message, and its address.
pub(super) struct Payload<'a> {
    pub bytes: &'a [u8],
    pub place: UserPtr<u8>,
}

impl<'a> Payload<'a> {
    /// Takes the next bytes.
    fn take(&mut self, name: &str, size: u64) -> Result<(&'a [u8], UserPtr<u8>)> {
        let split = usize::try_from(size).ok().and_then(|size| self.bytes.split_at_checked(size));
        let Some((front, rest)) = split else {
            bail!(
                Corrupt,
                "[TileDB::Serialization] Error: Error deserializing query; the buffers of '{name}' take {size} bytes and \
                 {} are there",
                self.bytes.len()
            );
        };
        let place = self.place;
        self.bytes = rest;
        self.place = place.after(front.len());
        Ok((front, place))
    }
}

/// On a server: attaches buffers of these sizes to the query. Cells to write are in the payload; buffers for results
/// are set later, except for those of aggregates, whose size is known. Without a payload only the fields are set.
pub(super) fn attach_buffers(
    query: &mut Query,
    sizes: &[BufferSizes<'_>],
    mut payload: Option<Payload<'_>>,
) -> Result<()> {
    for field in sizes {
        if query.buffers_of(field.name).is_some_and(|own| parts(own).iter().flatten().any(is_set)) {
            bail!("[TileDB::Serialization] Error: Error deserializing query; unexpected buffer set on server-side.");
        }
        let shape = shape(query, field.name);
        let parts = if shape.var {
            [BufferKind::Offsets, BufferKind::Data, BufferKind::Validity]
        } else {
            [BufferKind::Data; 3]
        };
        let parts = [Some(parts[0]), shape.var.then_some(parts[1]), shape.nullable.then_some(BufferKind::Validity)];
        let is_aggregate = query.aggregate_output(field.name).is_some();
        for (index, part) in parts.into_iter().enumerate() {
            let size = field.sizes[index];
            let cells = match &mut payload {
                Some(payload) if query.kind() != QueryType::Read => Some(payload.take(field.name, size)?.1),
                _ => None,
            };
            let Some(part) = part else { continue };
            let room = if field.room[index] > 0 { field.room[index] } else { size };
            match cells {
                Some(place) => query.hold_cells(field.name, part, place, size)?,
                None if is_aggregate => query.allocate_buffer(field.name, part, room)?,
                None => query.await_buffer(field.name, part, room)?,
            }
        }
    }
    Ok(())
}

fn is_set(buffer: &UserBuffer) -> bool {
    !buffer.start().is_null()
}

struct Shape {
    var: bool,
    nullable: bool,
}

fn shape(query: &Query, name: &str) -> Shape {
    let schema = query.array().schema();
    if let Some(output) = query.aggregate_output(name) {
        return Shape { var: output.shape.cell_val_num.is_var(), nullable: output.nullable };
    }
    let label = schema.label(name).map(|label| Shape { var: label.cell_val_num.is_var(), nullable: false });
    let field = schema.field(name).map(|field| Shape { var: field.is_var(), nullable: field.nullable });
    label.or(field).unwrap_or(Shape { var: false, nullable: false })
}

/// How far responses have filled the client's buffers.
#[derive(Default)]
pub struct BufferFill {
    fields: NamedList<(Name, [u64; 3])>,
    /// The last response ended with the total as an additional offset.
    has_total: bool,
}

impl BufferFill {
    /// Whether nothing was delivered yet.
    pub fn is_empty(&self) -> bool {
        self.bytes() == 0
    }

    /// Bytes that were delivered.
    pub fn bytes(&self) -> u64 {
        self.fields.iter().flat_map(|(_, sizes)| sizes).sum()
    }

    fn of(&mut self, name: &str) -> &mut [u64; 3] {
        &mut self.fields.get_or_push(name, || (Name::new(name), [0; 3])).1
    }
}

/// On a client: appends results from the payload to the user's buffers. Nothing is copied if they do not all fit or are
/// invalid.
pub(super) fn copy_results(
    query: &mut Query,
    sizes: &[BufferSizes<'_>],
    mut payload: Payload<'_>,
    filled: &mut BufferFill,
    format: OffsetFormat,
) -> Result<()> {
    let mut copies = tiledb_core::memory::with_capacity("the buffers of a reply", sizes.len())?;
    let mut counted: Option<(&str, u64)> = None;
    let names: HashSet<&str> = sizes.iter().map(|field| field.name).collect();
    if names.len() < sizes.len() {
        bail!(Corrupt, "Query.attributeBufferHeaders: a field is there twice");
    }
    if let Some(missing) = query.all_buffers().find(|own| !names.contains(own.name.as_str())) {
        bail!(Corrupt, "Query.attributeBufferHeaders: there are no results of '{}'", missing.name);
    }
    for field in sizes {
        let Some(own) = query.buffers_of(field.name) else {
            bail!("[TileDB::Serialization] Error: Error deserializing query; no buffer is set for '{}'.", field.name);
        };
        let parts = parts(own);
        let at = *filled.of(field.name);
        let mut bytes = [&[][..]; 3];
        for (index, bytes) in bytes.iter_mut().enumerate() {
            *bytes = payload.take(field.name, field.sizes[index])?.0;
        }
        let is_var = parts[1].is_some();
        let [fixed, values, validity] = bytes;
        let cells = FieldResults { name: field.name, fixed, values, validity, is_var };
        match (check::check(query, &cells, format)?, counted) {
            (Some(count), Some((other, counted))) if count != counted => bail!(
                Corrupt,
                "'{}' has {count} cells and '{other}' {counted}; results have as many of each field",
                field.name
            ),
            (Some(count), None) => counted = Some((field.name, count)),
            _ => {}
        }
        if is_var && filled.has_total {
            // The total of the previous response equals the first offset of this one.
            bytes[0] = bytes[0].get(format.width..).unwrap_or_default();
        }
        for (index, bytes) in bytes.iter().enumerate() {
            let room = parts[index].map_or(0, |buffer| buffer.capacity());
            if at[index].saturating_add(bytes.len() as u64) > room {
                bail!(
                    "[TileDB::Serialization] Error: Error deserializing query; buffer too small for buffer '{}'.",
                    field.name
                );
            }
        }
        copies.push((parts, at, bytes, field.name));
    }
    for (parts, at, bytes, name) in copies {
        for (index, part) in parts.into_iter().enumerate() {
            let Some(mut buffer) = part else { continue };
            if index == 0 && parts[1].is_some() && at[1] > 0 {
                buffer.put(at[0], &shifted(bytes[0], format, at[1], query.value_size(name))?)?;
            } else {
                buffer.put(at[index], bytes[index])?;
            }
            buffer.state(at[index] + bytes[index].len() as u64);
        }
        let now = filled.of(name);
        now.iter_mut().zip(bytes).for_each(|(at, bytes)| *at += bytes.len() as u64);
    }
    filled.has_total = format.extra;
    Ok(())
}

/// Shifts offsets by the size of the preceding values.
fn shifted(offsets: &[u8], format: OffsetFormat, bytes: u64, value_size: usize) -> Result<Vec<u8>> {
    let by = if format.elements { bytes / value_size.max(1) as u64 } else { bytes };
    let mut shifted = tiledb_core::memory::with_capacity("offsets", offsets.len())?;
    for offset in offsets.chunks_exact(format.width) {
        let mut word = [0; 8];
        word[..format.width].copy_from_slice(offset);
        let moved =
            u64::from_le_bytes(word).checked_add(by).filter(|moved| format.width == 8 || *moved <= u32::MAX.into());
        let Some(moved) = moved.map(u64::to_le_bytes) else {
            bail!(
                "[TileDB::Serialization] Error: Error deserializing query; offsets of 32 bits cannot say where values begin"
            );
        };
        shifted.extend_from_slice(&moved[..format.width]);
    }
    Ok(shifted)
}
