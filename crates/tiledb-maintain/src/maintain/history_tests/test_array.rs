//! A sparse array in memory, written and read through queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::{consolidate, consolidate_fragments, vacuum};
use super::history::{ArrayShape, ReadOptions};
use super::model::{Cell, Selection, Test};
use tiledb_array::array::{FragmentInfo, OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::Subarray;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::write::testing::starts;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_query::{Query, Status};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Maximum length of a text, and of a text coordinate.
const MAX_TEXT: usize = 8;

pub(super) struct TestArray {
    shape: ArrayShape,
    resources: Resources,
    uri: Uri,
}

/// Fields in the order of their columns.
const FIELDS: [&str; 6] = ["x", "y", "number", "small", "text", "nullable"];

impl TestArray {
    pub(super) fn new(shape: &ArrayShape) -> TestArray {
        static ARRAYS: AtomicUsize = AtomicUsize::new(0);
        let uri = Uri::parse(&format!("mem://history/{}", ARRAYS.fetch_add(1, Ordering::Relaxed))).unwrap();
        let resources = Resources::new(Config::new()).unwrap();
        let bounds = [0i32, i32::from(shape.side) - 1];
        let number = |name: &str| {
            let extent = i32::from(shape.extent).to_le_bytes();
            let extent = Some(&extent[..]).filter(|_| shape.cell_order != Layout::Hilbert);
            Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), extent).unwrap()
        };
        let first = match shape.has_texts {
            true => Dimension::new("x", Datatype::StringAscii, None, None).unwrap(),
            false => number("x"),
        };
        let dimensions = [first, number("y")].into_iter().take(shape.dimensions).map(Arc::new).collect();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(dimensions))).unwrap();
        schema.set_cell_order(shape.cell_order).unwrap();
        schema.set_tile_order(shape.tile_order).unwrap();
        schema.set_capacity(shape.capacity).unwrap();
        schema.set_allows_dups(shape.dups).unwrap();
        if !shape.compresses {
            schema.set_coords_filters(Pipeline::new(Vec::new())).unwrap();
            schema.set_offsets_filters(Pipeline::new(Vec::new()));
            schema.set_validity_filters(Pipeline::new(Vec::new()));
        }
        let mut attributes = [
            Attribute::new("number", Datatype::Int32),
            Attribute::new("small", Datatype::Uint8),
            Attribute::new("text", Datatype::StringAscii),
            Attribute::new("nullable", Datatype::Int32),
        ];
        attributes[2].set_cell_val_num(u32::MAX).unwrap();
        if let Some(filter) = shape.text_filter {
            attributes[2].set_filters(Pipeline::new(vec![Filter::new(filter)])).unwrap();
        }
        if shape.text_filter == Some(FilterType::Rle) {
            attributes[1].set_filters(Pipeline::new(vec![Filter::new(FilterType::Rle)])).unwrap();
        }
        attributes[3].set_nullable(true);
        attributes.into_iter().for_each(|attribute| schema.add_attribute(Arc::new(attribute)).unwrap());
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        TestArray { shape: shape.clone(), resources, uri }
    }

    fn open(&self, kind: QueryType, window: (u64, u64)) -> Arc<OpenArray> {
        Arc::new(OpenArray::open(&self.resources, &self.uri, kind, window, &EncryptionKey::None).unwrap())
    }

    fn coordinate(&self, dimension: usize, at: u8) -> Vec<u8> {
        match dimension == 0 && self.shape.has_texts {
            // Of different lengths, in the order of the numbers.
            true => [&[b'A' + at][..], &vec![b'x'; usize::from(at) % 3]].concat(),
            false => i32::from(at).to_le_bytes().to_vec(),
        }
    }

    fn fields(&self) -> impl Iterator<Item = &'static str> {
        FIELDS.into_iter().filter(|name| *name != "y" || self.shape.dimensions > 1)
    }

    fn is_var(&self, name: &str) -> bool {
        name == "text" || name == "x" && self.shape.has_texts
    }

    pub(super) fn write(&self, time: u64, cells: &[Cell]) {
        let mut query = Query::new(&self.open(QueryType::Write, (0, time)), QueryType::Write).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        let mut columns: Vec<ColumnBuffer> = Vec::new();
        for name in self.fields() {
            let value = |cell: &Cell| match name {
                "x" => self.coordinate(0, cell.at[0]),
                "y" => self.coordinate(1, cell.at[1]),
                "number" => cell.number.to_le_bytes().to_vec(),
                "small" => vec![cell.small],
                "text" => cell.text.clone().into_bytes(),
                _ => cell.nullable.unwrap_or(-1).to_le_bytes().to_vec(),
            };
            let values: Vec<Vec<u8>> = cells.iter().map(value).collect();
            columns.push(ColumnBuffer {
                name,
                starts: if self.is_var(name) { starts(&values) } else { Vec::new() },
                data: values.concat(),
                validity: match name {
                    "nullable" => cells.iter().map(|cell| u8::from(cell.nullable.is_some())).collect(),
                    _ => Vec::new(),
                },
                sizes: [0; 3],
            });
        }
        columns.iter_mut().for_each(|column| column.attach(&mut query));
        query.submit().unwrap();
    }

    pub(super) fn delete(&self, time: u64, condition: &Test) {
        let mut query = Query::new(&self.open(QueryType::Delete, (0, time)), QueryType::Delete).unwrap();
        query.set_condition(Some(condition.condition())).unwrap();
        query.submit().unwrap();
    }

    /// The cells that a read returns, in its order.
    ///
    /// # Errors
    /// As a submit.
    pub(super) fn read(&self, selection: &Selection, options: &ReadOptions) -> Result<Vec<Cell>> {
        let array = self.open(QueryType::Read, selection.window);
        let mut query = Query::new(&array, QueryType::Read)?;
        if let Some(budget) = options.budget {
            let mut config = Config::new();
            config.set("sm.mem.total_budget", &budget.to_string())?;
            query.set_config(&config)?;
        }
        query.set_layout(options.layout)?;
        let mut subarray = Subarray::new(array.schema());
        for (dimension, ranges) in selection.ranges.iter().enumerate().take(self.shape.dimensions) {
            for &(low, high) in ranges {
                let ends = [low, high].map(|at| self.coordinate(dimension, at));
                match dimension == 0 && self.shape.has_texts {
                    true => subarray.add_range_var(0, &ends[0], &ends[1])?,
                    false => subarray.add_range(dimension as u32, &ends[0], &ends[1])?,
                }
            }
        }
        query.set_subarray(&subarray)?;
        if let Some(condition) = &selection.condition {
            query.set_condition(Some(condition.condition()))?;
        }
        let capacity = options.cells;
        let mut cells = Vec::new();
        loop {
            let column = |name: &'static str| ColumnBuffer {
                name,
                data: vec![0; if self.is_var(name) { (4 * capacity).max(MAX_TEXT) } else { 4 * capacity }],
                starts: vec![0; if self.is_var(name) { capacity } else { 0 }],
                validity: vec![0; if name == "nullable" { capacity } else { 0 }],
                sizes: [0; 3],
            };
            let mut columns: Vec<ColumnBuffer> = self.fields().map(column).collect();
            columns.iter_mut().for_each(|column| column.attach(&mut query));
            query.submit()?;
            let count = columns.iter().find(|column| column.name == "number").map_or(0, |column| column.sizes[0] / 4);
            assert!(query.status() == Status::Completed || count > 0, "a submit without progress");
            cells.extend((0..count as usize).map(|cell| self.cell(&columns, cell)));
            if query.status() == Status::Completed {
                return Ok(cells);
            }
        }
    }

    fn cell(&self, columns: &[ColumnBuffer], cell: usize) -> Cell {
        let column = |name: &str| columns.iter().find(|column| column.name == name).unwrap();
        let number = |name: &str| i32::from_le_bytes(column(name).data[4 * cell..][..4].try_into().unwrap());
        let x = match self.shape.has_texts {
            true => column("x").text(cell)[0] - b'A',
            false => number("x") as u8,
        };
        let at = [x, if self.shape.dimensions > 1 { number("y") as u8 } else { 0 }];
        assert!(!self.shape.has_texts || column("x").text(cell) == self.coordinate(0, x), "a text of the coordinates");
        Cell {
            at,
            number: number("number"),
            small: column("small").data[cell],
            text: String::from_utf8(column("text").text(cell).to_vec()).unwrap(),
            nullable: (column("nullable").validity[cell] != 0).then(|| number("nullable")),
        }
    }

    /// Runs a consolidation, of all fragments or of those at some positions.
    ///
    /// # Errors
    /// As [`consolidate`].
    pub(super) fn consolidate(&self, settings: &[(&'static str, String)], picks: Option<&[usize]>) -> Result<()> {
        let resources = self.resources.with_config(config_of(settings))?;
        let Some(picks) = picks else { return consolidate(&resources, &self.uri, &mut |_| Ok(())) };
        let fragments = FragmentInfo::new(&self.resources, self.uri.as_str())?;
        fragments.load()?;
        let fragments = fragments.loaded()?;
        let names: Vec<String> =
            fragments.iter().map(|fragment| fragment.fragment().name().as_str().to_owned()).collect();
        let picked = names.iter().enumerate().filter(|(place, _)| picks.contains(place)).map(|(_, name)| name.clone());
        consolidate_fragments(&resources, &self.uri, &picked.collect::<Vec<_>>(), &mut |_| Ok(()))
    }

    /// Runs a vacuum.
    ///
    /// # Errors
    /// As [`vacuum`].
    pub(super) fn vacuum(&self, mode: &str) -> Result<()> {
        let resources = self.resources.with_config(config_of(&[("sm.vacuum.mode", mode.to_owned())]))?;
        vacuum(&resources, &self.uri)
    }
}

fn config_of(settings: &[(&'static str, String)]) -> Config {
    let mut config = Config::new();
    settings.iter().for_each(|(name, value)| config.set(name, value).unwrap());
    config
}

/// The buffers of a field.
struct ColumnBuffer {
    name: &'static str,
    data: Vec<u8>,
    starts: Vec<u64>,
    validity: Vec<u8>,
    /// Bytes of the data, the starts and the validity.
    sizes: [u64; 3],
}

impl ColumnBuffer {
    fn attach(&mut self, query: &mut Query) {
        self.sizes = [self.data.len() as u64, 8 * self.starts.len() as u64, self.validity.len() as u64];
        // The address of an empty vector is no memory.
        self.data.reserve(1);
        let [data, starts, validity] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer(self.name, UserPtr::in_test(self.data.as_mut_ptr()), data).unwrap();
        if !self.starts.is_empty() {
            let words = UserPtr::in_test(self.starts.as_mut_ptr().cast());
            query.set_offsets_buffer(self.name, words, starts).unwrap();
        }
        if !self.validity.is_empty() {
            query.set_validity_buffer(self.name, UserPtr::in_test(self.validity.as_mut_ptr()), validity).unwrap();
        }
    }

    /// A value of variable size.
    fn text(&self, cell: usize) -> &[u8] {
        let count = self.sizes[1] as usize / 8;
        let end = if cell + 1 < count { self.starts[cell + 1] } else { self.sizes[0] };
        &self.data[self.starts[cell] as usize..end as usize]
    }
}
