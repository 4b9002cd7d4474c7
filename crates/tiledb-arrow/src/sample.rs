//! Samples a stream of record batches into an array in memory: blocks of consecutive rows, evenly spread over the stream.

use std::sync::{Arc, Mutex, PoisonError};

use super::import::{ImportedArray, ImportedStream};
use super::read::{QueryAccess, QueryWork};
use super::sink::{CellBuffer, FieldSink};
use super::write::{check_batch, fields_of, rows_of, sinks_of, submit};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::Subarray;
use tiledb_cells::space::grid::{CoordSpan, Grid};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::arrow::ROWS_PER_COPY;
use tiledb_core::types::{Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_query::Query;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Maximum number of sampled blocks.
const BLOCKS: usize = 8;
/// Maximum size of the sampled cells. Merging the blocks takes as much again.
const BYTES: usize = 32 << 20;
/// Rows of a block of a sparse or one-dimensional array: filters depend on runs of rows, so that blocks are as long as tiles.
const BLOCK_ROWS: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 14;

/// An array in memory with sampled rows of a stream.
pub struct SampledArray {
    /// Resources of its own: the array is freed with them.
    pub resources: Resources,
    pub uri: Uri,
    /// The number of sampled rows.
    pub sampled: u64,
    /// The number of rows in the stream.
    pub rows: u64,
}

/// Reads a stream to its end, and writes sampled rows as the only fragment of an array in memory that has this schema. A dense array
/// gets the cells of its domain in row-major order; `tell` is called after each batch with the number of rows.
///
/// # Errors
/// If the columns do not match the fields, rows cannot be converted to cells or do not fit into the array, the stream or `tell`
/// fails, or rows of a dense array are so long that none can be sampled.
pub fn sampled_array(
    resources: &Resources,
    schema: &ArraySchema,
    mut stream: ImportedStream,
    tell: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<SampledArray> {
    let memory = Resources::new(resources.config().clone())?.with_cancel(resources.cancel().clone());
    let uri = Uri::parse("mem://sample")?;
    let key = EncryptionKey::for_opening(resources.config())?;
    let mut schema = schema.clone();
    schema.replace_labels(Vec::new());
    create(&memory, &uri, &schema, &key)?;
    let array = Arc::new(OpenArray::open(&memory, &uri, QueryType::Write, (0, u64::MAX), &key)?);
    let query = SampleQuery(Mutex::new(Query::new(&array, QueryType::Write)?));
    let mut fields = Vec::new();
    query.with(&mut |query, _| {
        fields = fields_of(query)?;
        Ok(())
    })?;
    let (kind, sinks) = sinks_of(&query, fields, &mut stream)?;
    let blocks = BlockShape::new(array.schema())?;
    let mut sampling = StreamSampler { sinks, shape: blocks, stride: 1, blocks: Vec::new(), bytes: 0, rows: 0 };
    while let Some(batch) = stream.next(&kind)? {
        let rows = check_batch(&sampling.sinks, &batch, sampling.rows)?;
        sampling.take(batch.values(), rows)?;
        drop(batch);
        tell(sampling.rows)?;
    }
    let rows = sampling.rows;
    let sampled = sampling.write(&array, &query)?;
    Ok(SampledArray { resources: memory, uri, sampled, rows })
}

/// The query that writes the sample.
struct SampleQuery(Mutex<Query>);

impl QueryAccess for SampleQuery {
    fn with(&self, work: &mut QueryWork<'_>) -> Result<()> {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), &mut |query| query.submit())
    }
}

/// How rows are divided into blocks.
#[derive(Clone, Copy)]
struct BlockShape {
    /// Rows of a block, a multiple of `unit`.
    rows: u64,
    /// Cells of a dense array with the same first coordinate, which are sampled together; otherwise 1.
    unit: u64,
}

impl BlockShape {
    fn new(schema: &Arc<ArraySchema>) -> Result<BlockShape> {
        if !schema.is_dense() {
            return Ok(BlockShape { rows: schema.capacity().clamp(*BLOCK_ROWS.start(), *BLOCK_ROWS.end()), unit: 1 });
        }
        let grid = Grid::new(schema)?;
        let Some((first, others)) = grid.axes().split_first() else {
            bail!(Internal, "A dense array has no dimension")
        };
        if others.is_empty() {
            return Ok(BlockShape { rows: first.extent.clamp(*BLOCK_ROWS.start(), *BLOCK_ROWS.end()), unit: 1 });
        }
        let sizes = others.iter().map(|axis| axis.last.checked_add(1));
        let unit = sizes.into_iter().try_fold(1u64, |cells, size| cells.checked_mul(size?));
        let Some(unit) = unit else {
            bail!(
                "Arrow: dimensions of the array have more than 2^64 cells for each coordinate of the first one; set the domain to \
                 that of the cells"
            )
        };
        Ok(BlockShape { rows: unit.saturating_mul(first.extent.max(1)), unit })
    }
}

/// Sampled rows of a block.
struct SampledBlock {
    number: u64,
    rows: u64,
    cells: Vec<CellBuffer>,
}

impl SampledBlock {
    fn bytes(&self) -> usize {
        self.cells.iter().map(CellBuffer::bytes).sum()
    }
}

struct StreamSampler {
    sinks: Vec<FieldSink>,
    shape: BlockShape,
    /// Blocks whose number is a multiple of this one are sampled.
    stride: u64,
    blocks: Vec<SampledBlock>,
    bytes: usize,
    /// Rows of the stream so far.
    rows: u64,
}

impl StreamSampler {
    /// Copies the sampled rows of a batch.
    fn take(&mut self, values: &ImportedArray, (first, count): (usize, usize)) -> Result<()> {
        let mut at = 0;
        while at < count {
            let (number, within) = (self.rows / self.shape.rows, self.rows % self.shape.rows);
            let is_sampled = number.is_multiple_of(self.stride) && !self.is_full(number);
            let most = if is_sampled { ROWS_PER_COPY.bytes() } else { u64::MAX };
            let rows = (self.shape.rows - within).min((count - at) as u64).min(most);
            if is_sampled {
                self.copy(values, number, (first + at, rows as usize))?;
            }
            self.rows = self.rows.saturating_add(rows);
            at += rows as usize;
        }
        Ok(())
    }

    /// Whether a block is so large that the first rows of it suffice.
    fn is_full(&self, number: u64) -> bool {
        self.bytes > BYTES && self.blocks.last().is_some_and(|last| last.number == number)
    }

    fn copy(&mut self, values: &ImportedArray, number: u64, part: (usize, usize)) -> Result<()> {
        if self.blocks.last().is_none_or(|last| last.number != number) {
            let cells = self.sinks.iter().map(|_| CellBuffer::default()).collect();
            self.blocks.push(SampledBlock { number, rows: 0, cells });
        }
        if let Some(block) = self.blocks.last_mut() {
            let before = block.bytes();
            for ((sink, column), buffer) in self.sinks.iter().zip(&values.children).zip(&mut block.cells) {
                buffer.add(&sink.cells(column, rows_of(sink, column, part, self.rows))?)?;
            }
            block.rows += part.1 as u64;
            self.bytes += block.bytes() - before;
        }
        // The first block always stays.
        while self.blocks.len() > BLOCKS || self.bytes > BYTES && self.blocks.len() > 1 {
            self.stride = self.stride.saturating_mul(2);
            let stride = self.stride;
            self.blocks.retain(|block| block.number.is_multiple_of(stride));
            self.bytes = self.blocks.iter().map(SampledBlock::bytes).sum();
        }
        Ok(())
    }

    /// Writes the sampled rows; returns their number.
    fn write(mut self, array: &Arc<OpenArray>, query: &SampleQuery) -> Result<u64> {
        let unit = self.shape.unit;
        let mut sampled = 0u64;
        for mut block in std::mem::take(&mut self.blocks) {
            let rows = block.rows - block.rows % unit;
            for (sink, cells) in self.sinks.iter_mut().zip(&mut block.cells) {
                let size = (!sink.field.is_var()).then(|| sink.field.cell_size());
                cells.truncate(usize::try_from(rows).unwrap_or(usize::MAX), size);
                sink.join(cells)?;
            }
            sampled += rows;
        }
        if sampled == 0 && self.rows > 0 {
            bail!(
                "Arrow: the array has {unit} cells for each coordinate of its first dimension, which are more than the stream or {} \
                 MiB hold; write cells to an array and pass that one",
                BYTES >> 20
            );
        }
        if sampled == 0 {
            return Ok(0);
        }
        let subarray = match array.schema().is_dense() {
            true => Some(self.subarray(array.schema(), sampled / unit)?),
            false => None,
        };
        query.with(&mut |query, _| {
            query.set_layout(if subarray.is_some() { Layout::RowMajor } else { Layout::Unordered })?;
            subarray.as_ref().map_or(Ok(()), |subarray| query.set_subarray(subarray))
        })?;
        submit(query, &self.sinks.iter().map(FieldSink::buffered).collect::<Vec<_>>())?;
        Ok(sampled)
    }

    /// The first coordinates of the first dimension of a dense array.
    fn subarray(&self, schema: &Arc<ArraySchema>, count: u64) -> Result<Subarray> {
        let mut subarray = Subarray::new(schema);
        for (dimension, axis) in Grid::new(schema)?.axes().iter().enumerate() {
            let last = if dimension == 0 { self.rows.div_ceil(self.shape.unit) - 1 } else { axis.last };
            if last > axis.last {
                bail!("Arrow: the stream has {} rows, more than the domain of the array has cells", self.rows);
            }
            let high = if dimension == 0 { count - 1 } else { axis.last };
            let range = axis.range(CoordSpan { low: 0, high })?;
            let missing = || Error::internal("A grid has more dimensions than the array");
            subarray = subarray.within(dimension, &range).ok_or_else(missing)?;
        }
        Ok(subarray)
    }
}
