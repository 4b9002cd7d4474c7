//! Exports a read query as a stream of record batches: each submit fills memory that becomes a batch.

use std::collections::HashSet;

use super::c_data::{ArrayNode, BatchSource, SchemaNode};
use super::column::ArrowColumn;
use tiledb_core::budget;
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::arrow::{BATCH_BYTES, BATCH_PART};
use tiledb_core::types::QueryType;
use tiledb_query::{FilledBuffers, Query, ResultBuffers, Status};

/// Assumed size of a variable-length cell.
const GUESS: u64 = 32;
/// Bytes of an offset.
const OFFSET: u64 = 8;

/// Access to a query that can be submitted.
pub trait QueryAccess: Send {
    /// Runs `work` with exclusive access to the query; the second argument of `work` submits the query.
    ///
    /// # Errors
    /// Any error of the work.
    fn with(&self, work: &mut QueryWork<'_>) -> Result<()>;
}

pub type QueryWork<'a> = dyn FnMut(&mut Query, &mut dyn FnMut(&mut Query) -> Result<()>) -> Result<()> + 'a;

/// Result batches of a read query.
pub struct ResultBatches {
    reading: Box<dyn QueryAccess>,
    columns: Vec<(ArrowColumn, bool)>,
    /// Target size of a batch.
    bytes: u64,
    is_done: bool,
}

impl ResultBatches {
    /// Batches of some fields, or of all, of about `bytes` bytes; 0 selects a size.
    ///
    /// # Errors
    /// For queries that do not read, that were submitted or have buffers, unknown fields, and enumerations that cannot be read.
    pub fn new(reading: Box<dyn QueryAccess>, names: Option<&[String]>, bytes: u64) -> Result<ResultBatches> {
        let mut columns = Vec::new();
        let mut size = 0;
        reading.with(&mut |query, _| {
            check(query)?;
            size = batch_bytes(query, bytes)?;
            columns = columns_of(query, names)?;
            let mut format = query.offset_format();
            (format.width, format.elements, format.extra) = (8, true, true);
            query.set_offset_format(format);
            Ok(())
        })?;
        Ok(ResultBatches { reading, columns, bytes: size, is_done: false })
    }

    /// Allocates buffers for a batch.
    fn rooms(&self) -> Result<Vec<ResultBuffers>> {
        let of_cell = |(column, _): &(ArrowColumn, bool)| {
            let field = &column.field;
            let values = if field.is_var() { GUESS + OFFSET } else { field.cell_size() as u64 };
            values + u64::from(field.nullable)
        };
        let cells = (self.bytes / self.columns.iter().map(of_cell).sum::<u64>().max(1)).max(1);
        let room = |(column, _): &(ArrowColumn, bool)| {
            let field = &column.field;
            let offsets = field.is_var().then(|| (cells + 1).saturating_mul(OFFSET));
            let data = match field.is_var() {
                // Whole values.
                true => cells.saturating_mul(GUESS) / field.datatype.size() as u64 * field.datatype.size() as u64,
                false => cells.saturating_mul(field.cell_size() as u64),
            };
            ResultBuffers::new(&field.name, data, offsets, field.nullable.then_some(cells))
        };
        self.columns.iter().map(room).collect()
    }

    fn batch(&self, filled: Vec<FilledBuffers>) -> Result<Option<ArrayNode>> {
        let Some(((first, _), room)) = self.columns.first().zip(filled.first()) else { return Ok(None) };
        let rows = first.rows(room);
        if rows == 0 {
            return Ok(None);
        }
        if self.columns.iter().zip(&filled).any(|((column, _), room)| column.rows(room) != rows) {
            bail!(Internal, "Fields of a batch have different numbers of cells");
        }
        let children = self.columns.iter().zip(filled).map(|((column, _), room)| column.array(room, rows));
        let children = children.collect::<Result<Vec<_>>>()?;
        Ok(Some(ArrayNode { length: rows, buffers: vec![None], children, ..ArrayNode::default() }))
    }
}

impl BatchSource for ResultBatches {
    fn schema(&mut self) -> Result<SchemaNode> {
        let children = self.columns.iter().map(|(column, is_ordered)| column.schema(*is_ordered)).collect();
        Ok(SchemaNode { format: "+s".to_owned(), children, ..SchemaNode::default() })
    }

    fn next(&mut self) -> Result<Option<ArrayNode>> {
        while !self.is_done {
            let mut rooms = Some(self.rooms()?);
            let mut filled = None;
            let mut status = Status::Failed;
            self.reading.with(&mut |query, submit| {
                filled = Some(query.submit_into_buffers(rooms.take().unwrap_or_default(), &mut *submit)?);
                status = query.status();
                Ok(())
            })?;
            self.is_done = status == Status::Completed;
            if let Some(batch) = self.batch(filled.unwrap_or_default())? {
                return Ok(Some(batch));
            }
            if !self.is_done {
                // Not even one cell: a long one.
                self.bytes = self.bytes.saturating_mul(2);
            }
        }
        Ok(None)
    }
}

/// The size of a batch: `bytes`, or the default if 0.
///
/// # Errors
/// If the memory budget of the configuration is invalid.
pub(crate) fn batch_bytes(query: &Query, bytes: u64) -> Result<u64> {
    let fitting = |total: u64| BATCH_BYTES.bytes().min(total / BATCH_PART.bytes());
    Ok(if bytes == 0 { fitting(budget::total(query.config())?) } else { bytes }.max(1))
}

fn check(query: &Query) -> Result<()> {
    if query.kind() != QueryType::Read {
        bail!("Arrow: the query does not read; open the array and make the query with TILEDB_READ");
    }
    if query.status() != Status::Uninitialized || query.all_buffers().next().is_some() {
        bail!("Arrow: the query was submitted before or has buffers; make one without");
    }
    Ok(())
}

fn columns_of(query: &Query, names: Option<&[String]>) -> Result<Vec<(ArrowColumn, bool)>> {
    let schema = query.array().schema();
    let dimensions = schema.domain().dimensions().iter().map(|dimension| dimension.name().to_string());
    let all: Vec<String> =
        dimensions.chain(schema.attributes().iter().map(|attribute| attribute.name().to_string())).collect();
    let mut columns: Vec<(ArrowColumn, bool)> = Vec::new();
    let mut requested = HashSet::new();
    for name in names.unwrap_or(&all) {
        let Some(field) = schema.field(name) else {
            bail!("Arrow: '{name}' is no dimension or attribute of '{}'", query.array().uri())
        };
        if !requested.insert(&field.name) {
            bail!("Arrow: field '{name}' is asked for twice");
        }
        let attribute = field.attribute_index.and_then(|index| schema.attributes().get(index));
        let values = match attribute.and_then(|attribute| attribute.enumeration()) {
            Some(name) => Some(query.array().enumeration(name)?),
            None => None,
        };
        let is_ordered = values.as_ref().is_some_and(|values| values.ordered());
        columns.push((ArrowColumn::new(field, values.as_deref())?, is_ordered));
    }
    if columns.is_empty() {
        bail!("Arrow: no fields are asked for; pass null for all");
    }
    Ok(columns)
}
