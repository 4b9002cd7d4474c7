//! Serialization of the state of a read.

use std::sync::Arc;

use super::super::format::required;
use super::super::{condition, subarray};
use crate::encoding::{Builder, View};
use crate::messages::{
    self, AttributeBufferSize, FragmentIndex, PartitionInfo, PartitionerState, QueryReader, ReadState, ReadStateIndex,
    ReaderIndex, SubarrayPartitioner,
};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Layout;
use tiledb_query::read::position::{FirstCell, PartRanges, ReadPosition, RemainingParts};
use tiledb_query::{Query, Status};

/// A deserialized read.
pub(super) struct ReadRequest {
    pub subarray: Subarray,
    pub condition: Option<tiledb_array::condition::Condition>,
    pub position: Option<ReadPosition>,
}

/// Whether the read iterates over fragments cell by cell.
fn is_by_cells(query: &Query) -> bool {
    !query.array().schema().is_dense() && matches!(query.layout(), Layout::Unordered | Layout::GlobalOrder)
}

/// Serializes a read.
pub(super) fn fill(out: &mut Builder<'_, messages::Query>, query: &Query) -> Result<()> {
    let position = position(query)?;
    let layout = query.layout();
    if is_by_cells(query) {
        let mut reader = out.child(messages::Query::READER_INDEX)?;
        reader.set_text(ReaderIndex::LAYOUT, layout.name())?;
        subarray::fill(&mut reader.child(ReaderIndex::SUBARRAY)?, query.subarray(), layout)?;
        fill_cells(&mut reader.child(ReaderIndex::READ_STATE)?, query, position.cells()?)?;
        return match query.condition() {
            Some(condition) => condition::fill(&mut reader.child(ReaderIndex::CONDITION)?, condition),
            None => Ok(()),
        };
    }
    let is_dense = query.array().schema().is_dense();
    let mut reader = out.child(if is_dense { messages::Query::DENSE_READER } else { messages::Query::READER })?;
    reader.set_text(QueryReader::LAYOUT, layout.name())?;
    subarray::fill(&mut reader.child(QueryReader::SUBARRAY)?, query.subarray(), layout)?;
    fill_parts(&mut reader.child(QueryReader::READ_STATE)?, query, position.parts()?)?;
    match query.condition() {
        Some(condition) => condition::fill(&mut reader.child(QueryReader::CONDITION)?, condition),
        None => Ok(()),
    }
}

/// Position of a read, also before its start and at its end.
fn position(query: &Query) -> Result<ReadPosition> {
    let is_done = query.status() == Status::Completed;
    if !is_done {
        let position = query.position();
        // A read of aggregates only has no position.
        let fits = |position: &ReadPosition| matches!(position, ReadPosition::Cells(_)) == is_by_cells(query);
        let position = position.map_err(|error| error.prefixed("[TileDB::Serialization] Error: Cannot serialize; "))?;
        if let Some(position) = position.filter(fits) {
            return Ok(position);
        }
    }
    if !is_by_cells(query) {
        let boxes = query.subarray().box_count().unwrap_or(u64::MAX);
        return Ok(ReadPosition::Parts(RemainingParts {
            next: if is_done { boxes } else { 0 },
            boxes,
            ..RemainingParts::default()
        }));
    }
    let fragments = query.array().fragments()?;
    let first = |tiles: u64| FirstCell { tile: if is_done { tiles } else { 0 }, cell: 0 };
    Ok(ReadPosition::Cells(fragments.iter().map(|fragment| first(fragment.tile_count())).collect()))
}

fn fill_cells(out: &mut Builder<'_, ReadStateIndex>, query: &Query, cells: &[FirstCell]) -> Result<()> {
    out.set(ReadStateIndex::DONE_ADDING_RESULT_TILES, query.status() == Status::Completed);
    let mut list = out.list(ReadStateIndex::FRAG_TILE_IDX, cells.len())?;
    for (index, cell) in cells.iter().enumerate() {
        let mut message = list.get(index)?;
        message.set(FragmentIndex::TILE_IDX, cell.tile);
        message.set(FragmentIndex::CELL_IDX, cell.cell);
    }
    Ok(())
}

fn fill_parts(out: &mut Builder<'_, ReadState>, query: &Query, left: &RemainingParts) -> Result<()> {
    let all = query.subarray();
    let layout = query.layout();
    out.set(ReadState::INITIALIZED, true);
    out.set(ReadState::OVERFLOWED, left.stuck.is_some());
    out.set(ReadState::UNSPLITTABLE, left.stuck.is_some());
    let mut partitioner = out.child(ReadState::SUBARRAY_PARTITIONER)?;
    subarray::fill(&mut partitioner.child(SubarrayPartitioner::SUBARRAY)?, all, layout)?;
    fill_budgets(&mut partitioner, query)?;
    let is_one_list = matches!(layout, Layout::RowMajor | Layout::ColMajor) || !left.divided.iter().all(is_single);
    // Of boxes that were divided the last one is the one that counts as begun.
    let begun = left.next.saturating_sub(u64::from(!left.divided.is_empty()));
    // Libtiledb continues from the current partition, which must exist.
    if let Some(current) = left.stuck.as_ref().or(left.last.as_ref()).or(left.divided.first()) {
        let mut message = partitioner.child(SubarrayPartitioner::CURRENT)?;
        let boxes = current.iter().map(|ranges| ranges.len() as u64).fold(1, u64::saturating_mul);
        let (start, end) = if left.divided.is_empty() { (0, boxes.saturating_sub(1)) } else { (begun, begun) };
        message.set(PartitionInfo::START, start);
        message.set(PartitionInfo::END, end);
        message.set(PartitionInfo::SPLIT_MULTI_RANGE, is_one_list && !left.divided.is_empty());
        subarray::fill_part(&mut message.child(PartitionInfo::SUBARRAY)?, all, layout, current)?;
    }
    let mut state = partitioner.child(SubarrayPartitioner::STATE)?;
    state.set(PartitionerState::START, begun);
    state.set(PartitionerState::END, left.boxes.saturating_sub(1));
    let (single, multi) = if is_one_list { (&[][..], &left.divided[..]) } else { (&left.divided[..], &[][..]) };
    for (field, parts) in [(PartitionerState::SINGLE_RANGE, single), (PartitionerState::MULTI_RANGE, multi)] {
        let mut list = state.list(field, parts.len())?;
        for (index, part) in parts.iter().enumerate() {
            subarray::fill_part(&mut list.get(index)?, all, layout, part)?;
        }
    }
    Ok(())
}

fn is_single(part: &PartRanges) -> bool {
    part.iter().all(|ranges| ranges.len() == 1)
}

/// Memory budget of results: that of the buffers.
fn fill_budgets(out: &mut Builder<'_, SubarrayPartitioner>, query: &Query) -> Result<()> {
    let schema = query.array().schema();
    let is_field = |name: &str| schema.field(name).is_some();
    let fields: Vec<_> = query.all_buffers().filter(|field| is_field(&field.name)).collect();
    let mut list = out.list(SubarrayPartitioner::BUDGET, fields.len())?;
    for (index, field) in fields.into_iter().enumerate() {
        let mut budget = list.get(index)?;
        let capacity =
            |buffer: Option<tiledb_cells::columns::user_buffer::UserBuffer>| buffer.map_or(0, |b| b.capacity());
        budget.set_text(AttributeBufferSize::ATTRIBUTE, &field.name)?;
        budget.set(AttributeBufferSize::OFFSET_BYTES, capacity(field.offsets));
        budget.set(AttributeBufferSize::DATA_BYTES, capacity(field.data));
        budget.set(AttributeBufferSize::VALIDITY_BYTES, capacity(field.validity));
    }
    let config = query.config();
    let (fixed, var) = match schema.is_dense() {
        true => (u64::MAX, u64::MAX),
        false => (config.u64("sm.memory_budget")?, config.u64("sm.memory_budget_var")?),
    };
    out.set(SubarrayPartitioner::MEMORY_BUDGET, fixed);
    out.set(SubarrayPartitioner::MEMORY_BUDGET_VAR, var);
    out.set(SubarrayPartitioner::MEMORY_BUDGET_VALIDITY, u64::MAX);
    Ok(())
}

/// The read of a message.
pub(super) fn of(view: View<'_, messages::Query>, schema: &Arc<ArraySchema>) -> Result<ReadRequest> {
    if let Some(reader) = view.child(messages::Query::READER_INDEX)? {
        let subarray_message = required("ReaderIndex.subarray", reader.child(ReaderIndex::SUBARRAY)?)?;
        let condition = reader.child(ReaderIndex::CONDITION)?;
        return Ok(ReadRequest {
            subarray: subarray::of(subarray_message, schema)?,
            condition: condition.map(|message| condition::of(message, schema)).transpose()?,
            position: position_of(view, schema)?,
        });
    }
    let reader = by_parts(view)?;
    let subarray_message = required("QueryReader.subarray", reader.child(QueryReader::SUBARRAY)?)?;
    let condition = reader.child(QueryReader::CONDITION)?;
    Ok(ReadRequest {
        subarray: subarray::of(subarray_message, schema)?,
        condition: condition.map(|message| condition::of(message, schema)).transpose()?,
        position: position_of(view, schema)?,
    })
}

/// The reader of a message that goes through its ranges in parts.
fn by_parts<'a>(view: View<'a, messages::Query>) -> Result<View<'a, QueryReader>> {
    let readers = [messages::Query::DENSE_READER, messages::Query::READER, messages::Query::ORDERED_DIM_LABEL_READER];
    for field in readers {
        if let Some(reader) = view.child(field)? {
            return Ok(reader);
        }
    }
    bail!(Corrupt, "Query.reader: the message tells of no reader");
}

/// The position of a deserialized read. Nothing else is read of a response: libtiledb may have rewritten the condition
/// to one that it does not accept itself.
pub(super) fn position_of(view: View<'_, messages::Query>, schema: &Arc<ArraySchema>) -> Result<Option<ReadPosition>> {
    if let Some(reader) = view.child(messages::Query::READER_INDEX)? {
        return reader.child(ReaderIndex::READ_STATE)?.map(cells_of).transpose();
    }
    let reader = by_parts(view)?;
    let partitioner = match reader.child(QueryReader::READ_STATE)? {
        Some(state) => state.child(ReadState::SUBARRAY_PARTITIONER)?.map(|partitioner| (state, partitioner)),
        None => None,
    };
    partitioner.map(|(state, partitioner)| parts_of(state, partitioner, schema)).transpose()
}

fn cells_of(state: View<'_, ReadStateIndex>) -> Result<ReadPosition> {
    let list = state.items(ReadStateIndex::FRAG_TILE_IDX)?;
    let mut cells = memory::with_capacity("the cells that are left", list.len())?;
    cells.extend(list.iter().map(|message| FirstCell {
        tile: message.get(FragmentIndex::TILE_IDX),
        cell: message.get(FragmentIndex::CELL_IDX),
    }));
    Ok(ReadPosition::Cells(cells))
}

fn parts_of(
    state: View<'_, ReadState>,
    partitioner: View<'_, SubarrayPartitioner>,
    schema: &Arc<ArraySchema>,
) -> Result<ReadPosition> {
    let left = required("SubarrayPartitioner.state", partitioner.child(SubarrayPartitioner::STATE)?)?;
    let mut divided = Vec::new();
    for field in [PartitionerState::SINGLE_RANGE, PartitionerState::MULTI_RANGE] {
        for part in left.items(field)?.iter() {
            memory::push("the parts that are left", &mut divided, subarray::part_of(part, schema)?)?;
        }
    }
    let start = left.get(PartitionerState::START);
    let current = partitioner.child(SubarrayPartitioner::CURRENT)?;
    // A box counts as begun until the last part of it was taken; several are divided together, up to the end of the
    // part that was delivered last.
    let next = match current {
        _ if !left.items(PartitionerState::SINGLE_RANGE)?.is_empty() => start.saturating_add(1),
        Some(current) if !divided.is_empty() => current.get(PartitionInfo::END).saturating_add(1),
        _ => start,
    };
    let current = current.map_or(Ok(None), |current| current.child(PartitionInfo::SUBARRAY))?;
    let current = current.map(|part| subarray::part_of(part, schema)).transpose()?;
    let is_stuck = state.get(ReadState::UNSPLITTABLE);
    let (stuck, last) = if is_stuck { (current, None) } else { (None, current) };
    let boxes = left.get(PartitionerState::END).saturating_add(1);
    Ok(ReadPosition::Parts(RemainingParts { next, boxes, divided, stuck, last }))
}
