//! An array as a table: its columns, and the parts that threads read.

use std::sync::Arc;

use arrow_array::RecordBatchReader;
use tiledb::{Aggregate, Array, Layout, ReadQuery, Subarray};

use crate::columns::DuckColumn;
use crate::parameters::Parameters;

/// A part has at least as many cells, if their number is known: another thread costs more than to read fewer.
const MIN_PART_CELLS: u64 = 100_000;

/// Bytes that a submit reads: a few vectors of each column, which stay in the cache.
const READ_BYTES: u64 = 4 << 20;

/// An array that a query reads.
pub(crate) struct Table {
    array: Array,
    pub(crate) columns: Vec<DuckColumn>,
    condition: Option<String>,
    /// The cells of each part.
    pub(crate) parts: Vec<Subarray>,
    /// The estimated number of rows; `None` if it is not known.
    pub(crate) rows: Option<u64>,
}

impl Table {
    pub(crate) fn open(parameters: Parameters) -> Result<Table, String> {
        let array = parameters.open()?;
        let text = |error: tiledb::Error| error.to_string();
        let schema = array.schema();
        let names = schema.dimensions().into_iter().map(|dimension| dimension.name().to_owned());
        let names: Vec<String> =
            names.chain(schema.attributes().into_iter().map(|attribute| attribute.name().to_owned())).collect();
        let batches = array.read().fields(names).record_batches().map_err(text)?.schema();
        let columns =
            batches.fields().iter().map(|field| DuckColumn::of_field(&array, field)).collect::<Result<_, _>>()?;
        let mut table = Table { array, columns, condition: parameters.condition, parts: Vec::new(), rows: Some(0) };
        if let Some(written) = table.written().map_err(text)? {
            let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
            let parts = table.query(&written)?.partitions(threads).map_err(text)?;
            let rows = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.cells));
            let is_divided = parts.len() > 1 && rows >= MIN_PART_CELLS.saturating_mul(parts.len() as u64);
            table.parts =
                if is_divided { parts.into_iter().map(|part| part.subarray).collect() } else { vec![written] };
            table.rows = (rows > 0).then_some(rows);
        }
        Ok(table)
    }

    /// The cells of the array, of a dense one within the bounds of what was written; `None` if nothing was.
    fn written(&self) -> tiledb::Result<Option<Subarray>> {
        let mut subarray = Subarray::new(&self.array.schema());
        let Some(bounds) = self.array.non_empty_domain()? else { return Ok(None) };
        if self.array.schema().is_dense() {
            for (dimension, low, high) in bounds {
                subarray.add_range(&dimension, low..=high)?;
            }
        }
        Ok(Some(subarray))
    }

    fn query(&self, part: &Subarray) -> Result<ReadQuery<'static>, String> {
        let layout = if self.array.schema().is_dense() { Layout::RowMajor } else { Layout::Unordered };
        let query = self.array.read().subarray(part).layout(layout);
        Ok(match &self.condition {
            Some(condition) => query.condition_text(condition),
            None => query,
        })
    }

    /// Reads columns of a part.
    pub(crate) fn read(self: &Arc<Table>, part: &Subarray, columns: &[usize]) -> Result<tiledb::RecordBatches, String> {
        let names = columns.iter().map(|column| self.columns[*column].name.as_str());
        let query = self.query(part)?.fields(names).batch_bytes(READ_BYTES);
        query.record_batches().map_err(|error| error.to_string())
    }

    /// The number of rows of a part.
    pub(crate) fn count(&self, part: &Subarray) -> Result<u64, String> {
        let counts = self.query(part)?.aggregate([Aggregate::count()]).map_err(|error| error.to_string())?;
        counts.get("count").and_then(tiledb::Value::as_u64).ok_or_else(|| "the array has no count".to_owned())
    }
}
