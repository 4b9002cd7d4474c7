//! A small array of which every cell is distinct, read and written through queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_array::array::{Array as ArrayHandle, OpenArray, create};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::Subarray;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_query::{Query, Status};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

use crate::random::Random;

/// The schema of an array: one or two dimensions, a number that no other cell has, and a text made from it.
#[derive(Clone, Debug)]
pub struct Shape {
    pub is_dense: bool,
    pub dimensions: usize,
    pub side: u8,
    pub extent: u8,
    pub allows_dups: bool,
    pub capacity: u64,
    pub cell_order: Layout,
}

/// A cell: its coordinates and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub at: [u8; 2],
    pub number: i32,
}

/// The number of dense cells that were never written.
pub const FILL: i32 = i32::MIN;

impl Shape {
    pub fn draw(random: &mut Random) -> Shape {
        let is_dense = random.one_in(3);
        let side = 1 + random.below(8) as u8;
        Shape {
            is_dense,
            dimensions: 1 + random.below(2) as usize,
            side,
            extent: 1 + random.below(u64::from(side)) as u8,
            allows_dups: !is_dense && random.one_in(2),
            capacity: 1 + random.below(5),
            cell_order: if random.one_in(3) { Layout::ColMajor } else { Layout::RowMajor },
        }
    }

    /// All coordinates.
    pub fn places(&self) -> impl Iterator<Item = [u8; 2]> + use<> {
        let (side, rows) = (self.side, if self.dimensions > 1 { self.side } else { 1 });
        (0..side).flat_map(move |x| (0..rows).map(move |y| [x, y]))
    }
}

/// An array as one process uses it.
pub struct Array<'a> {
    pub shape: &'a Shape,
    pub resources: &'a Resources,
    pub uri: &'a Uri,
}

fn text_of(number: i32) -> String {
    "x".repeat(number.unsigned_abs() as usize % 4)
}

/// Which cells a delete removes: those with numbers below a bound, or the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletes {
    pub bound: i32,
    pub is_below: bool,
}

impl Deletes {
    pub fn has(self, number: i32) -> bool {
        (number < self.bound) == self.is_below
    }

    fn condition(self) -> Result<Condition> {
        let operator = if self.is_below { ComparisonOperator::Less } else { ComparisonOperator::GreaterOrEqual };
        Ok(Condition::new(Comparison::new("number", Some(&self.bound.to_le_bytes()), operator)?))
    }
}

impl Array<'_> {
    /// Creates it.
    ///
    /// # Errors
    /// As [`create`].
    pub fn create(&self) -> Result<()> {
        let Shape { is_dense, side, extent, .. } = *self.shape;
        let bounds = [0i32, i32::from(side) - 1];
        let extent = i32::from(extent).to_le_bytes();
        let dimension = |name: &str| {
            Ok(Arc::new(Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent))?))
        };
        let dimensions =
            ["x", "y"].into_iter().take(self.shape.dimensions).map(dimension).collect::<Result<Vec<_>>>()?;
        let mut schema = ArraySchema::new(if is_dense { ArrayType::Dense } else { ArrayType::Sparse });
        schema.set_domain(Arc::new(Domain::of(dimensions)))?;
        schema.set_cell_order(self.shape.cell_order)?;
        schema.set_capacity(self.shape.capacity)?;
        schema.set_allows_dups(self.shape.allows_dups)?;
        let mut text = Attribute::new("text", Datatype::StringAscii);
        text.set_cell_val_num(u32::MAX)?;
        schema.add_attribute(Arc::new(Attribute::new("number", Datatype::Int32)))?;
        schema.add_attribute(Arc::new(text))?;
        create(self.resources, self.uri, &schema, &EncryptionKey::None)
    }

    /// Opens it for a window of time.
    ///
    /// # Errors
    /// As [`OpenArray::open`].
    pub fn open(&self, kind: QueryType, window: (u64, u64)) -> Result<Arc<OpenArray>> {
        Ok(Arc::new(OpenArray::open(self.resources, self.uri, kind, window, &EncryptionKey::None)?))
    }

    fn subarray(&self, array: &OpenArray, low: [u8; 2], high: [u8; 2]) -> Result<Subarray> {
        let mut subarray = Subarray::new(array.schema());
        for dimension in 0..self.shape.dimensions {
            let ends = [low[dimension], high[dimension]].map(|at| i32::from(at).to_le_bytes());
            subarray.add_range(dimension as u32, &ends[0], &ends[1])?;
        }
        Ok(subarray)
    }

    /// Writes cells at a time, 0 for now; those of a dense array fill a box, in row-major order.
    ///
    /// # Errors
    /// As a submit.
    pub fn write(&self, time: u64, cells: &[Cell]) -> Result<()> {
        let array = self.open(QueryType::Write, (0, time))?;
        let mut query = Query::new(&array, QueryType::Write)?;
        query.set_layout(if self.shape.is_dense { Layout::RowMajor } else { Layout::Unordered })?;
        let mut columns = Columns::default();
        if self.shape.is_dense {
            let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return Ok(()) };
            query.set_subarray(&self.subarray(&array, first.at, last.at)?)?;
        } else {
            for dimension in 0..self.shape.dimensions {
                columns.coordinates[dimension] = cells.iter().map(|cell| i32::from(cell.at[dimension])).collect();
            }
        }
        columns.numbers = cells.iter().map(|cell| cell.number).collect();
        for cell in cells {
            columns.starts.push(columns.texts.len() as u64);
            columns.texts.extend_from_slice(text_of(cell.number).as_bytes());
        }
        columns.attach(&mut query)?;
        query.submit()
    }

    /// Deletes cells, at a time, 0 for now.
    ///
    /// # Errors
    /// As a submit.
    pub fn delete(&self, time: u64, deletes: Deletes) -> Result<()> {
        let mut query = Query::new(&self.open(QueryType::Delete, (0, time))?, QueryType::Delete)?;
        query.set_condition(Some(deletes.condition()?))?;
        query.submit()
    }

    /// Sets metadata, or removes it, at a time, 0 for now.
    ///
    /// # Errors
    /// If the array cannot be opened, or the storage fails.
    pub fn put(&self, time: u64, key: &str, value: Option<i32>) -> Result<()> {
        let array = ArrayHandle::new(self.resources, self.uri.as_str())?;
        array.set_open_end(time);
        array.open(QueryType::Write as u32)?;
        match value {
            Some(value) => array.put_metadata(Some(key), Datatype::Int32 as u32, Some(&value.to_le_bytes()))?,
            None => array.delete_metadata(Some(key))?,
        }
        array.close()
    }

    /// The cells of an open array, a few at a time.
    ///
    /// # Errors
    /// As a submit.
    pub fn read(&self, array: &Arc<OpenArray>, layout: Layout, capacity: usize) -> Result<Vec<Cell>> {
        let mut query = Query::new(array, QueryType::Read)?;
        query.set_layout(layout)?;
        let last = self.shape.side - 1;
        query.set_subarray(&self.subarray(array, [0, 0], [last, last])?)?;
        let mut cells = Vec::new();
        loop {
            let mut columns = Columns::default();
            for dimension in 0..self.shape.dimensions {
                columns.coordinates[dimension] = vec![0; capacity];
            }
            columns.numbers = vec![0; capacity];
            columns.starts = vec![0; capacity];
            columns.texts = vec![0; 4 * capacity];
            columns.attach(&mut query)?;
            query.submit()?;
            let count = columns.sizes[0] as usize / 4;
            for cell in 0..count {
                let at = [0, 1].map(|dimension| columns.coordinates[dimension].get(cell).map_or(0, |at| *at as u8));
                let number = columns.numbers[cell];
                let end = if cell + 1 < count { columns.starts[cell + 1] } else { columns.sizes[2] };
                let text = &columns.texts[columns.starts[cell] as usize..end as usize];
                assert!(number == FILL || text == text_of(number).as_bytes(), "the text of {number} is {text:?}");
                cells.push(Cell { at, number });
            }
            if query.status() == Status::Completed {
                return Ok(cells);
            }
            assert!(count > 0, "a submit without progress");
        }
    }

    /// With other values of parameters.
    ///
    /// # Errors
    /// If a value is invalid.
    pub fn configured(&self, settings: &[(&'static str, String)]) -> Result<Resources> {
        let mut config = self.resources.config().clone();
        settings.iter().try_for_each(|(name, value)| config.set(name, value))?;
        self.resources.with_config(config)
    }
}

/// The metadata of an open array.
///
/// # Errors
/// If it cannot be read.
pub fn metadata(array: &OpenArray) -> Result<BTreeMap<String, i32>> {
    let metadata = array.metadata()?;
    let mut entries = BTreeMap::new();
    for index in 0..metadata.len() as u64 {
        let (key, value) = metadata.at(index)?;
        let number = value.bytes().try_into().map_or(i32::MIN, i32::from_le_bytes);
        entries.insert(String::from_utf8_lossy(key).into_owned(), number);
    }
    Ok(entries)
}

/// A configuration of processes of a simulation.
pub fn config() -> Config {
    let mut config = Config::new();
    for (name, value) in [("sm.compute_concurrency_level", "1"), ("sm.io_concurrency_level", "1")] {
        config.set(name, value).unwrap_or_default();
    }
    config
}

/// The buffers of a query.
#[derive(Default)]
struct Columns {
    coordinates: [Vec<i32>; 2],
    numbers: Vec<i32>,
    texts: Vec<u8>,
    starts: Vec<u64>,
    /// Bytes of the numbers, the starts, the texts and the coordinates.
    sizes: [u64; 5],
}

impl Columns {
    fn attach(&mut self, query: &mut Query) -> Result<()> {
        // The address of an empty vector is no memory.
        self.texts.reserve(1);
        self.sizes = [
            4 * self.numbers.len() as u64,
            8 * self.starts.len() as u64,
            self.texts.len() as u64,
            4 * self.coordinates[0].len() as u64,
            4 * self.coordinates[1].len() as u64,
        ];
        let [numbers, starts, texts, x, y] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer("number", UserPtr::in_test(self.numbers.as_mut_ptr().cast()), numbers)?;
        query.set_data_buffer("text", UserPtr::in_test(self.texts.as_mut_ptr()), texts)?;
        query.set_offsets_buffer("text", UserPtr::in_test(self.starts.as_mut_ptr().cast()), starts)?;
        let [xs, ys] = &mut self.coordinates;
        for (name, column, size) in [("x", xs, x), ("y", ys, y)] {
            if !column.is_empty() {
                query.set_data_buffer(name, UserPtr::in_test(column.as_mut_ptr().cast()), size)?;
            }
        }
        Ok(())
    }
}
