//! Imports a stream of record batches as the cells of a write query: small batches are buffered, large ones are written
//! without a copy.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::cells::{ColumnCells, RowRange, validity};
use super::import::{ImportedArray, ImportedBatch, ImportedStream, ImportedType};
use super::read::{QueryAccess, batch_bytes};
use super::sink::FieldSink;
use tiledb_array::schema::{Enumeration, Field};
use tiledb_cells::allows_separate_fields;
use tiledb_core::budget;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::{CellSlices, Query, Status};

/// How the cells are divided among submits.
#[derive(Clone, Copy)]
enum Division {
    /// One submit for a dense write in row-major or column-major order, of a known number of cells; limited in bytes.
    Whole { cells: Option<u64>, most: u64 },
    /// Submits of about this many bytes.
    Parts(u64),
}

/// A field that is written, with its enumeration if it has one.
type TargetField = (Field, Option<Arc<Enumeration>>);

struct StreamWriter<'a> {
    query: &'a dyn QueryAccess,
    sinks: Vec<FieldSink>,
    division: Division,
    /// Number and approximate size of buffered cells.
    waiting: (u64, u64),
    /// Number of imported cells.
    cells: u64,
}

/// Writes the batches of a stream; returns the number of cells, and passes it to `tell` after each batch. Submits have
/// about `bytes` bytes; 0 selects a size. Writes in global order are finalized by the caller.
///
/// # Errors
/// If the query does not write or has buffers, the columns do not match the fields, rows cannot be converted to cells, or the
/// stream, a submit or `tell` fails. A write in global order is rolled back then.
pub fn write(
    query: &dyn QueryAccess,
    mut stream: ImportedStream,
    bytes: u64,
    tell: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<u64> {
    let mut fields = Vec::new();
    let mut division = Division::Parts(bytes.max(1));
    query.with(&mut |query, _| {
        check(query)?;
        division = division_of(query, bytes)?;
        fields = fields_of(query)?;
        Ok(())
    })?;
    let (kind, sinks) = sinks_of(query, fields, &mut stream)?;
    let mut writing = StreamWriter { query, sinks, division, waiting: (0, 0), cells: 0 };
    let written = writing.all(&mut stream, &kind, tell);
    if written.is_err() {
        query.with(&mut |query, _| {
            query.abort();
            Ok(())
        })?;
    }
    written.map(|()| writing.cells)
}

fn check(query: &Query) -> Result<()> {
    if query.kind() != QueryType::Write {
        bail!("Arrow: the query does not write; open the array and make the query with TILEDB_WRITE");
    }
    if query.all_buffers().any(|field| field.data.is_some() || field.offsets.is_some() || field.validity.is_some()) {
        bail!("Arrow: the query has buffers; make one without");
    }
    let is_whole = matches!(query.layout(), Layout::RowMajor | Layout::ColMajor);
    if query.status() == Status::Failed || is_whole && query.status() != Status::Uninitialized {
        bail!("Arrow: the query was submitted before; make a new one");
    }
    if query.layout() == Layout::GlobalOrder && query.array().uri().is_tiledb() {
        bail!("Arrow: a server ends writes in global order with their last cells; set another layout");
    }
    if allows_separate_fields(query.config()) {
        bail!("Arrow: batches have all fields; set sm.allow_separate_attribute_writes to false");
    }
    Ok(())
}

fn division_of(query: &Query, bytes: u64) -> Result<Division> {
    if !matches!(query.layout(), Layout::RowMajor | Layout::ColMajor) {
        return Ok(Division::Parts(batch_bytes(query, bytes)?));
    }
    let datatypes = query.array().schema().domain().dimensions().iter().map(|dimension| dimension.datatype());
    let ranges = query.subarray().single_box();
    let cells = ranges.and_then(|ranges| {
        let mut counts = ranges.iter().zip(datatypes).map(|(range, datatype)| range.distance(datatype)?.checked_add(1));
        counts.try_fold(1u64, |cells, count| cells.checked_mul(count?))
    });
    Ok(Division::Whole { cells, most: budget::total(query.config())? })
}

/// The fields of a write, with their enumerations.
pub(super) fn fields_of(query: &Query) -> Result<Vec<TargetField>> {
    let schema = query.array().schema();
    let fields = schema.fields().iter().filter(|field| !(field.is_dimension && schema.is_dense()));
    let of = |field: &Field| {
        let attribute = field.attribute_index.and_then(|index| schema.attributes().get(index));
        let enumeration = match attribute.and_then(|attribute| attribute.enumeration()) {
            Some(name) => Some(query.array().enumeration(name)?),
            None => None,
        };
        Ok((field.clone(), enumeration))
    };
    fields.map(of).collect()
}

/// The type of a stream, and its columns as fields, in the order of the columns.
pub(super) fn sinks_of(
    query: &dyn QueryAccess,
    fields: Vec<TargetField>,
    stream: &mut ImportedStream,
) -> Result<(ImportedType, Vec<FieldSink>)> {
    // One column more than there are fields, so that it can be named.
    let kind = stream.schema(fields.len() + 1)?;
    if kind.format != "+s" || kind.dictionary.is_some() {
        bail!(
            "Arrow: the stream has values of format '{}'; pass one of record batches, which are structs",
            kind.format
        );
    }
    let mut sinks: Vec<FieldSink> = Vec::new();
    let mut columns = HashSet::new();
    let mut fields: HashMap<String, TargetField> =
        fields.into_iter().map(|sinking| (sinking.0.name.as_str().to_owned(), sinking)).collect();
    for column in &kind.children {
        let name = column.name.as_str();
        if !columns.insert(name) {
            bail!("Arrow: the stream has column '{name}' twice; leave one of them out");
        }
        let Some((field, enumeration)) = fields.remove(name) else { return Err(extra(query, name)) };
        sinks.push(FieldSink::new(&field, enumeration, column)?);
    }
    if let Some((field, _)) = fields.values().min_by_key(|(field, _)| field.index) {
        bail!("Arrow: the stream has no column '{}'; a write needs one for every field", field.name);
    }
    Ok((kind, sinks))
}

/// The error for a column that is not a field of the write.
fn extra(query: &dyn QueryAccess, name: &str) -> Error {
    let mut is_dimension = false;
    let sizes = query.with(&mut |query, _| {
        is_dimension = query.array().schema().field(name).is_some();
        Ok(())
    });
    match (sizes, is_dimension) {
        (Err(error), _) => error,
        (Ok(()), true) => Error::invalid(format!(
            "Arrow: column '{name}' is a dimension of a dense array, whose cells come in the order of the subarray; leave it out"
        )),
        (Ok(()), false) => Error::invalid(format!(
            "Arrow: the array has no field for column '{name}'; leave it out, or add an attribute"
        )),
    }
}

impl StreamWriter<'_> {
    fn all(
        &mut self,
        stream: &mut ImportedStream,
        kind: &ImportedType,
        tell: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        while let Some(batch) = stream.next(kind)? {
            let rows = check_batch(&self.sinks, &batch, self.cells)?;
            self.take(batch.values(), rows)?;
            drop(batch);
            tell(self.cells)?;
        }
        if let Division::Whole { cells: Some(cells), .. } = self.division
            && cells != self.cells
        {
            bail!(
                "Arrow: the stream has {} rows, but the subarray {cells} cells; a write in row- or column-major order fills it",
                self.cells
            );
        }
        self.submit_waiting()
    }

    /// Writes or buffers the rows of a batch.
    fn take(&mut self, values: &ImportedArray, (first, count): (usize, usize)) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let sizes = self.sinks.iter().zip(&values.children);
        let size: u64 = sizes
            .map(|(sink, column)| sink.bytes(column, rows_of(sink, column, (first, count), 0)))
            .fold(0, u64::saturating_add);
        let (parts, waits) = match self.division {
            Division::Whole { cells, most } => {
                let is_all = self.cells == 0 && cells == Some(count as u64);
                if !is_all && self.waiting.1.saturating_add(size) > most {
                    bail!(
                        "Arrow: the cells of the subarray take more than sm.mem.total_budget, {most} bytes; write them in \
                         TILEDB_GLOBAL_ORDER, or subarray after subarray"
                    );
                }
                (1, !is_all)
            }
            Division::Parts(goal) => {
                if self.waiting.0 > 0 && self.waiting.1.saturating_add(size) > goal.saturating_mul(2) {
                    self.submit_waiting()?;
                }
                let parts = size.div_ceil(goal.saturating_add(goal / 2).max(1)).max(1);
                (parts.min(count as u64) as usize, self.waiting.0 > 0 || size < goal / 2)
            }
        };
        let each = count.div_ceil(parts);
        let mut at = 0;
        while at < count {
            let part = each.min(count - at);
            self.take_part(values, (first + at, part), waits)?;
            at += part;
        }
        self.waiting.1 = if self.waiting.0 == 0 { 0 } else { self.waiting.1.saturating_add(size) };
        match self.division {
            Division::Parts(goal) if self.waiting.1 >= goal => self.submit_waiting(),
            _ => Ok(()),
        }
    }

    fn take_part(&mut self, values: &ImportedArray, part: (usize, usize), waits: bool) -> Result<()> {
        let first_row = self.cells;
        if waits {
            for (sink, column) in self.sinks.iter_mut().zip(&values.children) {
                let cells = sink.cells(column, rows_of(sink, column, part, first_row))?;
                sink.buffer(&cells)?;
            }
            self.waiting.0 += part.1 as u64;
        } else {
            let columns = self.sinks.iter().zip(&values.children);
            let cells = columns.map(|(sink, column)| sink.cells(column, rows_of(sink, column, part, first_row)));
            let cells = cells.collect::<Result<Vec<ColumnCells<'_>>>>()?;
            let slices: Vec<CellSlices<'_>> =
                self.sinks.iter().zip(&cells).map(|(sink, cells)| sink.borrowed(cells)).collect();
            submit(self.query, &slices)?;
        }
        self.cells = self.cells.saturating_add(part.1 as u64);
        Ok(())
    }

    fn submit_waiting(&mut self) -> Result<()> {
        if self.waiting.0 > 0 {
            let slices: Vec<CellSlices<'_>> = self.sinks.iter().map(FieldSink::buffered).collect();
            submit(self.query, &slices)?;
            self.sinks.iter_mut().for_each(FieldSink::clear);
            self.waiting = (0, 0);
        }
        Ok(())
    }
}

/// The offset of a batch and its number of rows. All offsets are validated here, since parts of a batch are
/// written separately.
pub(super) fn check_batch(sinks: &[FieldSink], batch: &ImportedBatch, first_row: u64) -> Result<(usize, usize)> {
    let values = batch.values();
    let first = values.offset;
    let count = values.length;
    if validity(values, first, count)?.is_some() {
        bail!("Arrow: a batch from row {} on has rows that are null as a whole; make their columns null", first_row);
    }
    for (sink, column) in sinks.iter().zip(&values.children) {
        if column.length < first + count {
            bail!(
                "Arrow: a batch from row {} on has {count} rows behind {first}, but column '{}' has {} values",
                first_row,
                sink.field.name,
                column.length
            );
        }
        sink.check_offsets(column, rows_of(sink, column, (first, count), first_row))?;
    }
    Ok((first, count))
}

pub(super) fn rows_of<'a>(
    sink: &'a FieldSink,
    column: &ImportedArray,
    (first, count): (usize, usize),
    first_row: u64,
) -> RowRange<'a> {
    RowRange { name: sink.field.name.as_str(), first: column.offset + first, count, first_row }
}

pub(super) fn submit(query: &dyn QueryAccess, slices: &[CellSlices<'_>]) -> Result<()> {
    query.with(&mut |query, submit| {
        query.write_more();
        query.submit_slices(slices, &mut *submit)
    })
}
