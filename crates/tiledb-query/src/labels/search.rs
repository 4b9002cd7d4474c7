//! Resolves ranges of labels to ranges of indexes: a binary search in the label array, which is read block by block.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use crate::read;
use crate::read::spec::{CellVersions, ReadProgress, ReadSpec};
use tiledb_array::array::OpenArray;
use tiledb_array::schema::DimensionLabel;
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::offsets::{OffsetFormat, OffsetsOut};
use tiledb_cells::columns::output::{OutputColumn, Outputs};
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis};
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::budget::BudgetShare;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::labels::{INITIAL_TEXT_BYTES, LABELS_PER_BLOCK, MAX_CACHED_BLOCKS};
use tiledb_core::memory;
use tiledb_core::pool::ProgressCounter;
use tiledb_core::types::{CellRange, DataOrder, Layout};

/// The indexes whose labels are in each range.
///
/// # Errors
/// If the labels cannot be read, or a range contains no labels.
pub(crate) fn find(array: &OpenArray, label: &DimensionLabel, ranges: &[CellRange]) -> Result<Vec<CellRange>> {
    let mut index = LabelIndex::new(array.label_for_reading(label)?, label)?;
    ranges.iter().map(|range| index.find(range)).collect()
}

/// The labels of some indexes.
#[derive(Default)]
struct LabelBlock {
    data: Vec<u8>,
    /// Where the label of each index starts; of variable labels.
    starts: Vec<usize>,
    cells: usize,
}

impl LabelBlock {
    fn cell(&self, number: usize, size: Option<usize>) -> Option<&[u8]> {
        match size {
            Some(size) => self.data.chunks_exact(size).nth(number),
            None => {
                let end = self.starts.get(number + 1).copied().unwrap_or(self.data.len());
                self.data.get(*self.starts.get(number)?..end)
            }
        }
    }
}

/// The labels of an array in their order.
struct LabelIndex<'a> {
    array: Arc<OpenArray>,
    label: &'a DimensionLabel,
    axis: GridAxis,
    /// The indexes that have labels.
    bounds: CoordSpan,
    blocks: HashMap<u64, LabelBlock>,
}

impl LabelIndex<'_> {
    fn new(array: Arc<OpenArray>, label: &DimensionLabel) -> Result<LabelIndex<'_>> {
        let grid = Grid::new(array.schema())?;
        let (Some(axis), Some(domain)) = (grid.axes().first(), array.non_empty_domain()?) else {
            bail!("OrderedDimLabelReader: Cannot read dim label; Dimension label is empty");
        };
        let Some(bounds) = domain.first().and_then(|range| axis.span_cut(range)) else {
            bail!(Corrupt, "OrderedDimLabelReader: The labels lie outside the domain of '{}'", array.uri());
        };
        Ok(LabelIndex { axis: *axis, bounds, array, label, blocks: HashMap::new() })
    }

    /// The indexes whose labels are in a range.
    fn find(&mut self, range: &CellRange) -> Result<CellRange> {
        let (first, last, before) = match self.label.order {
            DataOrder::Decreasing => (range.high(), range.low(), Ordering::Greater),
            _ => (range.low(), range.high(), Ordering::Less),
        };
        let start = self.first_where(first, |order| order != before)?;
        let beyond = self.first_where(last, |order| order == before.reverse())?;
        let end = match beyond {
            None => Some(self.bounds.high),
            Some(beyond) => beyond.checked_sub(1).filter(|end| *end >= self.bounds.low),
        };
        match start.zip(end) {
            Some((low, high)) if low <= high => self.axis.range(CoordSpan { low, high }),
            _ => bail!("OrderedDimLabelReader: Range contained no values"),
        }
    }

    /// The first index whose label compares so with a value; all later ones do, too.
    fn first_where(&mut self, value: &[u8], holds: impl Fn(Ordering) -> bool) -> Result<Option<u64>> {
        let CoordSpan { mut low, mut high } = self.bounds;
        if !holds(self.compare(high, value)?) {
            return Ok(None);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(self.compare(middle, value)?) { high = middle } else { low = middle + 1 }
        }
        Ok(Some(low))
    }

    fn compare(&mut self, index: u64, value: &[u8]) -> Result<Ordering> {
        let size = self.axis.extent.clamp(1, LABELS_PER_BLOCK.bytes());
        let number = index / size;
        if !self.blocks.contains_key(&number) {
            if self.blocks.len() >= MAX_CACHED_BLOCKS.count() {
                self.blocks.clear();
            }
            let block = self.read(self.span_of(number, size))?;
            self.blocks.insert(number, block);
        }
        let first = self.span_of(number, size).low;
        let cell_size = (!self.label.cell_val_num.is_var()).then(|| self.label.datatype.size());
        let cell = self.blocks.get(&number).and_then(|block| block.cell((index - first) as usize, cell_size));
        let cell = cell.ok_or_else(|| Error::internal("a label that was read is not there"))?;
        Ok(CellRange::compare(self.label.datatype, cell, value))
    }

    /// The indexes of a block that have labels.
    fn span_of(&self, number: u64, size: u64) -> CoordSpan {
        let low = number * size;
        CoordSpan { low: low.max(self.bounds.low), high: low.saturating_add(size - 1).min(self.bounds.high) }
    }

    /// Reads the labels of some indexes.
    fn read(&self, span: CoordSpan) -> Result<LabelBlock> {
        let mut subarray = Subarray::new(self.array.schema());
        subarray.set_nd_range(&[self.axis.range(span)?]);
        let mut reader = read::reader(ReadSpec {
            array: self.array.clone(),
            layout: Layout::RowMajor,
            subarray,
            config: self.array.config().clone(),
            fields: vec![self.label.attribute.clone()].into(),
            condition: None,
            share: BudgetShare::ALL,
            versions: CellVersions::Latest,
            stats: self.array.resources().stats().clone(),
            tally: ProgressCounter::default(),
        })?;
        let count = span.count() as usize;
        let is_var = self.label.cell_val_num.is_var();
        let room = if is_var { INITIAL_TEXT_BYTES.count() } else { count.saturating_mul(self.label.datatype.size()) };
        let mut data = memory::zeroed("labels", room)?;
        let mut starts = vec![0u64; if is_var { count } else { 0 }];
        let mut block = LabelBlock::default();
        loop {
            let format = OffsetFormat { width: 8, elements: false, extra: false };
            let offsets = OutMem::new(bytemuck::cast_slice_mut(&mut starts));
            let column = OutputColumn {
                name: self.label.attribute.clone(),
                data: OutMem::new(&mut data),
                offsets: is_var.then(|| OffsetsOut::new(offsets, format, 1)),
                validity: None,
                cells: 0,
                bytes: 0,
            };
            let mut outputs = Outputs { columns: vec![column] };
            let progress = reader.step(&mut outputs)?;
            let (cells, bytes) = outputs.columns.first().map_or((0, 0), |column| (column.cells, column.bytes));
            let before = block.data.len();
            block.data.extend_from_slice(data.get(..bytes).unwrap_or_default());
            block.starts.extend(starts.iter().take(cells).map(|start| before + *start as usize));
            block.cells += cells;
            match progress {
                ReadProgress::Done => break,
                ReadProgress::Incomplete if cells == 0 => {
                    data = memory::zeroed("labels", data.len().saturating_mul(2).max(8))?
                }
                ReadProgress::Incomplete => {}
            }
        }
        if block.cells != count {
            bail!("OrderedDimLabelReader: {} labels were read instead of {count}", block.cells);
        }
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tiledb_core::limits::simulation::SimulatedLimits;

    use super::*;
    use crate::Query;
    use tiledb_array::array::create;
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_cells::columns::user_buffer::UserPtr;
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    /// The first index of the dimension.
    const FIRST: i32 = -3;

    /// An array with these labels, written in two parts.
    fn labelled(resources: &Resources, uri: &Uri, labels: &mut [i64], order: DataOrder, extent: i32) -> Arc<OpenArray> {
        let ends = [FIRST, FIRST + labels.len() as i32 - 1].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&extent.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int8))).unwrap();
        schema.add_label(0, "l", order, Datatype::Int64, false).unwrap();
        create(resources, uri, &schema, &EncryptionKey::None).unwrap();
        let middle = labels.len() / 2;
        for (time, part) in [(1, 0..middle), (2, middle..labels.len())].into_iter().filter(|(_, part)| !part.is_empty())
        {
            let window = (0, time);
            let array = OpenArray::open(resources, uri, QueryType::Write, window, &EncryptionKey::None).unwrap();
            let mut query = Query::new(&Arc::new(array), QueryType::Write).unwrap();
            let mut subarray = Subarray::new(query.array().schema());
            let index = |at: usize| (FIRST + at as i32).to_le_bytes();
            subarray.add_range(0, &index(part.start), &index(part.end - 1)).unwrap();
            query.set_subarray(&subarray).unwrap();
            let cells = &mut labels[part];
            let mut size = size_of_val(cells) as u64;
            query
                .set_data_buffer("l", UserPtr::in_test(cells.as_mut_ptr().cast()), UserPtr::in_test(&raw mut size))
                .unwrap();
            query.submit().unwrap();
        }
        Arc::new(OpenArray::open(resources, uri, QueryType::Read, (0, 9), &EncryptionKey::None).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_indexes_are_those_whose_labels_lie_in_the_range(
            mut labels in prop::collection::btree_set(-40i64..40, 1..40).prop_map(|set| set.into_iter().collect::<Vec<_>>()),
            decreasing in any::<bool>(),
            extent in 1i32..9,
            ranges in prop::collection::vec((-45i64..45, 0i64..30), 1..8),
            limits in prop::option::of(any::<u64>()),
        ) {
            if decreasing {
                labels.reverse();
            }
            let order = if decreasing { DataOrder::Decreasing } else { DataOrder::Increasing };
            let resources = Resources::new(Config::new()).unwrap();
            let uri = Uri::parse("mem://search/array").unwrap();
            let extent = extent.min(labels.len() as i32);
            let array = labelled(&resources, &uri, &mut labels, order, extent);
            for (low, width) in ranges {
                let range = CellRange::of(low, low + width);
                let inside = |label: &&i64| (low..=low + width).contains(*label);
                let first = labels.iter().position(|label| inside(&label));
                let count = labels.iter().filter(inside).count() as i32;
                let expected = first.map(|first| FIRST + first as i32).map(|first| CellRange::of(first, first + count - 1));
                let label = array.schema().existing_label("l").unwrap();
                let indexes = SimulatedLimits::of_option(limits).run(|| find(&array, label, &[range])).ok().map(|indexes| indexes[0].clone());
                prop_assert_eq!(indexes, expected);
            }
        }
    }
}
