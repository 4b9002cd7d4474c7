//! Dimension labels: numbers in increasing order along the first dimension, which are written, and by which cells are read.
//!
//! A coordinate has one of [`VERSIONS`] labels, so that labels of any times are in order together.

use std::sync::Arc;

use super::array::TestArray;
use super::journal::{Journal, Opening};
use super::model::cells::Selection;
use super::model::order::labelled;
use super::model::schema::Schema;
use super::model::value::Value;
use super::model::{ArrayKind, Cell, Change, Model, Window};
use super::random::Random;
use super::read::{OpenRead, ReadOptions};
use super::shape::ArrayShape;
use tiledb_array::array::OpenArray;
use tiledb_cells::Subarray;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::{Query, Status};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The name of the label.
pub const NAME: &str = "label";

/// Number of labels that a coordinate can have.
const VERSIONS: i64 = 8;

/// Labels that are written.
#[derive(Clone, Debug)]
pub struct LabelWrite {
    low: u8,
    labels: Vec<i64>,
}

impl LabelWrite {
    /// Labels of some coordinates.
    pub fn draw(shape: &ArrayShape, random: &mut Random) -> LabelWrite {
        let side = u64::from(shape.dimensions[0].side);
        let low = random.below(side);
        let high = low + random.below(side - low);
        let label = |at: u64| at as i64 * VERSIONS + random.below(VERSIONS as u64) as i64;
        LabelWrite { low: low as u8, labels: (low..=high).map(label).collect() }
    }

    /// The first labels of all coordinates.
    pub fn all(shape: &ArrayShape) -> LabelWrite {
        LabelWrite { low: 0, labels: (0..shape.dimensions[0].side).map(|at| i64::from(at) * VERSIONS).collect() }
    }

    /// The change of the array of labels.
    pub fn change(&self) -> Change {
        Change::Write((self.low..).zip(&self.labels).map(|(at, label)| cell(at, *label)).collect())
    }

    /// Those of half of the coordinates.
    pub fn halves(&self) -> Vec<LabelWrite> {
        let middle = self.labels.len() / 2;
        let (first, second) = self.labels.split_at(middle);
        let parts = [(self.low, first), (self.low + middle as u8, second)];
        let parts = parts.into_iter().filter(|(_, part)| !part.is_empty() && part.len() < self.labels.len());
        parts.map(|(low, labels)| LabelWrite { low, labels: labels.to_vec() }).collect()
    }
}

fn cell(at: u8, label: i64) -> Cell {
    Cell { at: vec![at], values: [(0, Value::Int(label))].into() }
}

/// The array of the labels, without any event.
pub fn model(shape: &ArrayShape) -> Journal {
    let schema = Schema { attributes: vec![0], domain: shape.domain()[..1].to_vec(), labels: Vec::new() };
    let fills = vec![Value::Int(i64::MIN)];
    Journal::new(Model { kind: ArrayKind::Dense, schema, fills, ..Model::default() })
}

/// A range of labels, which may end between those of two coordinates.
pub fn draw_range(shape: &ArrayShape, random: &mut Random) -> (i64, i64) {
    let end = u64::from(shape.dimensions[0].side) * VERSIONS as u64;
    let low = random.below(end + 2) as i64 - 1;
    (low, low + random.below(end) as i64)
}

/// Labels, and cells by a range of them, as one reader saw them.
pub struct LabelRead {
    pub labels: Vec<i64>,
    /// The coordinates of the range, with the read of their cells; none if no label is in it.
    pub cells: Option<((u8, u8), OpenRead, Vec<Cell>)>,
}

impl TestArray {
    /// Where the labels are.
    pub fn label_array(&self) -> TestArray {
        self.at(&label_uri(&self.uri))
    }

    /// Writes labels as of a time.
    ///
    /// # Errors
    /// As the engine.
    pub fn write_labels(&self, resources: &Resources, time: u64, write: &LabelWrite) -> Result<()> {
        let array = self.open(resources, QueryType::Write, (0, time))?;
        let dimension = &self.shape.dimensions[0];
        let mut query = Query::new(&array, QueryType::Write)?;
        let high = write.low + write.labels.len() as u8 - 1;
        let mut indexes: Vec<u8> = (write.low..=high).flat_map(|at| dimension.encode(at)).collect();
        let mut sizes = [indexes.len() as u64, 8 * write.labels.len() as u64];
        let [of_indexes, of_labels] = sizes.each_mut().map(|size| UserPtr::in_test(size));
        let mut labels = write.labels.clone();
        if self.shape.is_dense() {
            let mut ranges = vec![Vec::new(); self.shape.dimensions.len()];
            ranges[0].push((write.low, high));
            query.set_subarray(&self.subarray(&array, &ranges)?)?;
        } else {
            query.set_layout(Layout::Unordered)?;
            query.set_data_buffer("d0", UserPtr::in_test(indexes.as_mut_ptr()), of_indexes)?;
        }
        query.set_data_buffer(NAME, UserPtr::in_test(labels.as_mut_ptr().cast()), of_labels)?;
        query.submit()?;
        query.finalize()
    }

    /// Reads all labels, some at a time, and the cells with labels in a range.
    ///
    /// # Errors
    /// As the engine.
    pub fn read_labels(&self, array: &Arc<OpenArray>, range: (i64, i64), count: usize) -> Result<LabelRead> {
        let labels = self.all_labels(array, count)?;
        // Coordinates without a label have the fill value, which is in no order.
        if labels.contains(&i64::MIN) {
            return Ok(LabelRead { labels, cells: None });
        }
        let layout = if self.shape.is_dense() { Layout::RowMajor } else { Layout::Unordered };
        let options = ReadOptions { layout, cells: 1 + count, budget: None, aggregates: Vec::new() };
        let subarray = self.labelled_part(array, range)?;
        let mut read = OpenRead::of_subarray(self, array, &subarray, None, &options)?;
        let Some(expected) = labelled(&labels, range) else {
            return match read.submit() {
                Err(error) if error.text().contains("contained no values") => Ok(LabelRead { labels, cells: None }),
                Err(error) => Err(error),
                Ok(rows) => bail!(Internal, "No label of {labels:?} is in {range:?}, read {rows:?}"),
            };
        };
        let mut rows = Vec::new();
        while let Some(more) = read.submit()? {
            rows.extend(more);
        }
        Ok(LabelRead { labels, cells: Some((expected, read, rows)) })
    }

    fn all_labels(&self, array: &Arc<OpenArray>, count: usize) -> Result<Vec<i64>> {
        let mut query = Query::new(array, QueryType::Read)?;
        // As reads of dense arrays, which labels are, they need a range.
        let mut ranges = vec![Vec::new(); self.shape.dimensions.len()];
        ranges[0].push((0, self.shape.dimensions[0].side - 1));
        query.set_subarray(&self.subarray(array, &ranges)?)?;
        let mut labels = Vec::new();
        loop {
            let mut data = vec![0i64; count];
            let mut size = 8 * count as u64;
            query.set_data_buffer(NAME, UserPtr::in_test(data.as_mut_ptr().cast()), UserPtr::in_test(&raw mut size))?;
            query.submit()?;
            let is_complete = query.status() == Status::Completed;
            if !is_complete && size == 0 {
                bail!(Internal, "A submit without progress");
            }
            labels.extend_from_slice(&data[..size as usize / 8]);
            if is_complete {
                return Ok(labels);
            }
        }
    }

    /// The part of the array whose labels are in a range.
    fn labelled_part(&self, array: &OpenArray, (low, high): (i64, i64)) -> Result<Subarray> {
        let mut subarray = Subarray::new(array.schema());
        for (number, dimension) in self.shape.dimensions.iter().enumerate().skip(1).filter(|_| self.shape.is_dense()) {
            subarray.add_range(number as u32, &dimension.encode(0), &dimension.encode(dimension.side - 1))?;
        }
        subarray.add_label_range(NAME, &low.to_le_bytes(), &high.to_le_bytes())?;
        Ok(subarray)
    }
}

fn label_uri(array: &Uri) -> Uri {
    array.join("__labels/l0")
}

/// Compares labels that a reader saw who opened their array between two steps.
///
/// # Errors
/// Describes the difference.
pub fn judge(journal: &Journal, opening: Opening, window: Window, labels: &[i64]) -> std::result::Result<(), String> {
    let rows: Vec<Cell> = (0..).zip(labels).map(|(at, label)| cell(at, *label)).collect();
    let selection = Selection::all(1, window);
    let judged = journal.judge(opening, |model| model.check(&selection, &[0], &rows));
    judged.map_err(|text| format!("labels {labels:?} in {window:?}: {text}"))
}

/// The selection of coordinates.
pub fn selection(shape: &ArrayShape, window: Window, range: (u8, u8)) -> (Selection, ReadOptions) {
    let mut selection = Selection::all(shape.dimensions.len(), window);
    selection.ranges[0].push(range);
    let layout = if shape.is_dense() { Layout::RowMajor } else { Layout::Unordered };
    (selection, ReadOptions { layout, cells: 1, budget: None, aggregates: Vec::new() })
}
