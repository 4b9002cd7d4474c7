//! Read queries that return cells in batches.

use std::collections::HashMap;
use std::ops::ControlFlow;

use tiledb::{
    Aggregate, Aggregates, Batch, Batches, Condition, Datatype, Layout, ReadQuery, RecordBatches, Subarray, TileMatch,
};

use super::array::Array;
use super::error::Result;
use super::schema::{Enumeration, Field};
use super::value::Value;

/// A range of a dimension.
pub(crate) struct Range {
    pub dimension: String,
    pub low: Vec<u8>,
    pub high: Vec<u8>,
}

/// The region of these ranges.
pub(super) fn subarray(schema: &tiledb::ArraySchema, ranges: &[Range]) -> Result<Subarray> {
    let mut subarray = Subarray::new(schema);
    for range in ranges {
        let datatype = schema.dimension(&range.dimension).map_or(Datatype::Blob, |dimension| dimension.datatype());
        let [low, high] = [&range.low, &range.high].map(|bytes| tiledb::Value::from_bytes(datatype, bytes));
        subarray.add_range(&range.dimension, low..=high)?;
    }
    Ok(subarray)
}

/// Which cells are read, in which order.
pub(crate) struct Selection<'a> {
    pub array: &'a Array,
    pub layout: Layout,
    pub ranges: &'a [Range],
    pub condition: Option<&'a Condition>,
}

impl Selection<'_> {
    fn query<'q>(&self) -> Result<ReadQuery<'q>> {
        let array = &self.array.array;
        let query = array.read().layout(self.layout).subarray(&subarray(&array.schema(), self.ranges)?);
        Ok(match self.condition {
            Some(condition) => query.condition(condition.clone()),
            None => query,
        })
    }

    /// Counts the cells without returning any.
    pub(crate) fn count(&self) -> Result<u64> {
        let results = self.query()?.aggregate([Aggregate::count()])?;
        Ok(results.get("count").and_then(tiledb::Value::as_u64).unwrap_or_default())
    }

    /// Computes aggregates of the cells.
    pub(crate) fn aggregate(&self, aggregates: Vec<Aggregate>) -> Result<Aggregates> {
        Ok(self.query()?.aggregate(aggregates)?)
    }

    /// The cells of these fields, with about `bytes` bytes of each in a batch.
    pub(crate) fn reader(&self, fields: Vec<Field>, bytes: usize) -> Result<Reader> {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let batch_bytes = bytes.saturating_mul(fields.len()) as u64;
        let batches = self.query()?.fields(names).batch_bytes(batch_bytes).batches()?;
        Ok(Reader { batches, fields })
    }

    /// The cells of these fields as record batches.
    pub(crate) fn record_batches(&self, fields: &[String]) -> Result<RecordBatches> {
        Ok(self.query()?.fields(fields).record_batches()?)
    }

    /// The tiles that the read intersects.
    pub(crate) fn tile_verdicts(&self) -> Result<TileVerdicts> {
        let mut verdicts = TileVerdicts::new();
        self.query()?.tiles(|fragment, tile, verdict| {
            let name = fragment.rsplit('/').next().unwrap_or_default();
            let is_read = verdict != TileMatch::Excluded;
            if let Some(tiles) = verdicts.get_mut(name) {
                tiles.insert(tile, is_read);
            } else {
                verdicts.insert(name.to_owned(), HashMap::from([(tile, is_read)]));
            }
            ControlFlow::Continue(())
        })?;
        Ok(verdicts)
    }
}

/// Tiles by fragment name: whether each is read, or pruned by the condition.
pub(crate) type TileVerdicts = HashMap<String, HashMap<u64, bool>>;

/// A running read.
pub(crate) struct Reader {
    batches: Batches<'static>,
    fields: Vec<Field>,
}

impl Reader {
    /// The next cells; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<CellBatch<'_>>> {
        let Some(batch) = self.batches.next().transpose()? else { return Ok(None) };
        Ok(Some(CellBatch { batch, fields: &self.fields }))
    }
}

/// Some cells of all fields.
pub(crate) struct CellBatch<'a> {
    batch: Batch,
    fields: &'a [Field],
}

impl CellBatch<'_> {
    /// The number of cells.
    pub(crate) fn cells(&self) -> usize {
        self.batch.len()
    }

    /// The cells of each field.
    pub(crate) fn columns(&self) -> Result<Vec<ResultColumn<'_>>> {
        let column = |field| Self::column(&self.batch, field);
        self.fields.iter().map(column).collect()
    }

    fn column<'c>(batch: &'c Batch, field: &'c Field) -> Result<ResultColumn<'c>> {
        Ok(ResultColumn {
            datatype: field.datatype,
            cell_size: field.cell_size(),
            data: batch.bytes(&field.name)?,
            offsets: batch.offsets(&field.name)?,
            validity: batch.validity(&field.name)?,
            enumeration: field.enumeration.as_ref(),
        })
    }
}

/// Cells of one field.
pub(crate) struct ResultColumn<'a> {
    datatype: Datatype,
    cell_size: usize,
    data: &'a [u8],
    /// The starts of cells of varying length, and the end of the last one.
    offsets: Option<&'a [u64]>,
    validity: Option<&'a [u8]>,
    enumeration: Option<&'a Enumeration>,
}

impl<'a> ResultColumn<'a> {
    /// The bytes of all cells.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The bytes of a cell.
    fn bytes(&self, at: usize) -> &'a [u8] {
        let (start, end) = match self.offsets {
            Some(offsets) => match offsets.get(at..at + 2) {
                Some(&[start, end]) => (start as usize, end as usize),
                _ => return &[],
            },
            None => (at * self.cell_size, (at + 1) * self.cell_size),
        };
        self.data.get(start..end).unwrap_or_default()
    }

    /// The value of a cell; an enumeration index is replaced by its value.
    pub(crate) fn value(&self, at: usize) -> Value {
        if self.validity.and_then(|validity| validity.get(at)) == Some(&0) {
            return Value::Null;
        }
        let value = Value::of_cell(self.datatype, self.bytes(at), self.offsets.is_some());
        let Some(enumeration) = self.enumeration else { return value };
        // An invalid index is shown as a number.
        value.index().and_then(|number| enumeration.values.get(number).cloned()).unwrap_or(value)
    }
}
