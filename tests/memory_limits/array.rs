//! The arrays of the memory tests: one attribute whose value identifies the cell.

use std::path::Path;

use support::{Api, Array, Cells, Column, Ctx, address, pointer, text};

const INT64: u64 = 1;
const UINT64: u64 = 10;
const ZSTD: u64 = 2;
/// Columns of dense arrays.
const WIDTH: u64 = 4096;
/// Fragments of sparse arrays, whose cells lie between one another's.
const FRAGMENTS: u64 = 4;

/// An array and how it is read.
pub struct Shape {
    pub name: &'static str,
    pub dense: bool,
    /// Cells of a tile.
    pub tile: u64,
    /// The layout of the results.
    pub layout: u64,
    pub dups: bool,
}

impl Shape {
    /// The dimensions: highest value and tile extent. Dense arrays are as wide as their tiles allow.
    fn dimensions(&self, cells: u64) -> Vec<(i64, i64)> {
        let wide = self.dense && cells.is_multiple_of(WIDTH);
        match wide {
            true if self.tile < WIDTH * 64 => {
                let columns = 512.min(self.tile);
                vec![((cells / WIDTH - 1) as i64, (self.tile / columns) as i64), (WIDTH as i64 - 1, columns as i64)]
            }
            true => vec![((cells / WIDTH - 1) as i64, (self.tile / WIDTH) as i64), (WIDTH as i64 - 1, WIDTH as i64)],
            false if self.dense => vec![(cells as i64 - 1, self.tile as i64)],
            false => vec![(cells as i64 - 1, 1 << 20)],
        }
    }
}

const DIMENSIONS: [&str; 2] = ["y", "x"];

/// Creates the array and writes all of it.
pub fn write(api: &Api, shape: &Shape, path: impl AsRef<Path>, cells: u64) {
    let ctx = api.context(&[]);
    let uri = path.as_ref().to_str().unwrap();
    create(&ctx, shape, uri, cells);
    if !shape.dense {
        for part in 0..FRAGMENTS {
            let mine = || (part..cells).step_by(FRAGMENTS as usize);
            submit(&ctx, uri, 3, None, &mut [column("y", mine()), column("v", mine())]);
        }
        return;
    }
    // Whole rows of tiles at a time.
    let dimensions = shape.dimensions(cells);
    let (rows, extent) = (dimensions[0].0 + 1, dimensions[0].1);
    let width = cells as i64 / rows;
    for first in (0..rows).step_by(extent as usize) {
        let last = (first + extent).min(rows) - 1;
        let mut ranges = vec![(first, last)];
        ranges.extend(dimensions.get(1).map(|&(high, _)| (0, high)));
        submit(&ctx, uri, 0, Some(&ranges), &mut [column("v", (first * width) as u64..((last + 1) * width) as u64)]);
    }
}

fn column(name: &str, values: impl Iterator<Item = u64>) -> Column {
    Column::filled(name, Cells { data: values.flat_map(u64::to_le_bytes).collect(), ..Cells::default() })
}

fn create(ctx: &Ctx<'_>, shape: &Shape, uri: &str, cells: u64) {
    let domain = ctx.get("domain_alloc", &[]).unwrap();
    for (name, (high, extent)) in DIMENSIONS.iter().zip(shape.dimensions(cells)) {
        let (name, range, extent) = (text(name), [0, high], [extent]);
        let (range, extent) = (range.as_ptr() as u64, extent.as_ptr() as u64);
        let dimension = ctx.get("dimension_alloc", &[pointer(&name), INT64, range, extent]).unwrap();
        ctx.call("domain_add_dimension", &[domain, dimension]).unwrap();
        ctx.free("dimension", dimension);
    }
    let filter = ctx.get("filter_alloc", &[ZSTD]).unwrap();
    let list = ctx.get("filter_list_alloc", &[]).unwrap();
    ctx.call("filter_list_add_filter", &[list, filter]).unwrap();
    let attribute = ctx.get("attribute_alloc", &[pointer(&text("v")), UINT64]).unwrap();
    ctx.call("attribute_set_filter_list", &[attribute, list]).unwrap();
    let schema = ctx.get("array_schema_alloc", &[u64::from(!shape.dense)]).unwrap();
    ctx.call("array_schema_set_domain", &[schema, domain]).unwrap();
    ctx.call("array_schema_add_attribute", &[schema, attribute]).unwrap();
    if !shape.dense {
        ctx.call("array_schema_set_capacity", &[schema, shape.tile]).unwrap();
        ctx.call("array_schema_set_allows_dups", &[schema, u64::from(shape.dups)]).unwrap();
    }
    ctx.call("array_create", &[pointer(&text(uri)), schema]).unwrap();
    for (kind, handle) in [
        ("filter", filter),
        ("filter_list", list),
        ("attribute", attribute),
        ("domain", domain),
        ("array_schema", schema),
    ] {
        ctx.free(kind, handle);
    }
}

fn submit(ctx: &Ctx<'_>, uri: &str, layout: u64, ranges: Option<&[(i64, i64)]>, columns: &mut [Column]) {
    let array = Array::open(ctx, uri, 1, None, None).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 1]).unwrap();
    ctx.call("query_set_layout", &[query, layout]).unwrap();
    if let Some(ranges) = ranges {
        set_ranges(ctx, &array, query, ranges);
    }
    for column in columns {
        column.bind(ctx, query).unwrap();
    }
    ctx.call("query_submit", &[query]).unwrap();
    ctx.free("query", query);
}

fn set_ranges(ctx: &Ctx<'_>, array: &Array<'_>, query: u64, ranges: &[(i64, i64)]) {
    let subarray = ctx.get("subarray_alloc", &[array.handle]).unwrap();
    for (dimension, (low, high)) in ranges.iter().enumerate() {
        let (low, high) = (std::ptr::from_ref(low) as u64, std::ptr::from_ref(high) as u64);
        ctx.call("subarray_add_range", &[subarray, dimension as u64, low, high, 0]).unwrap();
    }
    ctx.call("query_set_subarray_t", &[query, subarray]).unwrap();
    ctx.free("subarray", subarray);
}

/// Reads an array into two buffers of a size.
pub struct Reader<'s> {
    shape: &'s Shape,
    columns: Vec<Column>,
}

impl Reader<'_> {
    /// Buffers for the attribute, and for the coordinates of a sparse array.
    pub fn new(shape: &Shape, buffer: usize) -> Reader<'_> {
        let names = if shape.dense { &["v"][..] } else { &["v", "y"] };
        // Two in any case, so that all readers are measured alike.
        let size = buffer * 2 / names.len();
        let mut columns: Vec<Column> = names.iter().map(|name| Column::with_capacity(name, size, None, None)).collect();
        columns.iter_mut().for_each(|column| column.data.fill(1));
        Reader { shape, columns }
    }

    /// Reads all cells, holds them against what was written, and gives the number of submits.
    pub fn read(&mut self, ctx: &Ctx<'_>, path: &str, cells: u64) -> usize {
        let array = Array::open(ctx, path, 0, None, None).unwrap();
        let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
        ctx.call("query_set_layout", &[query, self.shape.layout]).unwrap();
        let ranges: Vec<_> = self.shape.dimensions(cells).iter().map(|&(high, _)| (0, high)).collect();
        set_ranges(ctx, &array, query, &ranges);
        for column in &mut self.columns {
            column.bind(ctx, query).unwrap();
        }
        let mut actual = Digest::default();
        let mut submits = 0;
        loop {
            ctx.call("query_submit", &[query]).unwrap();
            submits += 1;
            let status = ctx.get("query_get_status", &[query]).unwrap() as u32;
            let results = self.columns[0].sizes[0] as usize;
            assert!(results > 0 && results.is_multiple_of(8), "{results} bytes in submit {submits}, status {status}");
            for column in &self.columns {
                assert_eq!(column.sizes[0] as usize, results);
                column.data[..results].chunks_exact(8).for_each(|word| actual.add(word));
            }
            if status == COMPLETED {
                break;
            }
            assert_eq!(status, INCOMPLETE);
            for column in &mut self.columns {
                column.sizes[0] = column.data.len() as u64;
            }
        }
        ctx.free("query", query);
        let mut expected = Digest::default();
        for _ in &self.columns {
            (0..cells).for_each(|cell| expected.add(&cell.to_le_bytes()));
        }
        assert_eq!(actual, expected);
        submits
    }
}

const COMPLETED: u32 = 1;
const INCOMPLETE: u32 = 3;

/// What tells whether each cell was met once, in any order.
#[derive(Debug, Default, PartialEq)]
struct Digest {
    count: u64,
    sum: u64,
    squares: u64,
}

impl Digest {
    fn add(&mut self, word: &[u8]) {
        let value = u64::from_le_bytes(word.try_into().unwrap());
        self.count += 1;
        self.sum = self.sum.wrapping_add(value);
        self.squares = self.squares.wrapping_add(value.wrapping_mul(value));
    }
}

/// Small reads of one open array.
pub struct Slices<'a> {
    ctx: &'a Ctx<'a>,
    array: Array<'a>,
    column: Column,
}

impl<'a> Slices<'a> {
    /// Opens the array.
    pub fn new(ctx: &'a Ctx<'a>, path: &str) -> Slices<'a> {
        let array = Array::open(ctx, path, 0, None, None).unwrap();
        Slices { ctx, array, column: Column::with_capacity("v", 800, None, None) }
    }

    /// Reads 100 cells from `first` on.
    pub fn read(&mut self, first: u64) {
        let mut query = self.ctx.get("query_alloc", &[self.array.handle, 0]).unwrap();
        self.ctx.call("query_set_layout", &[query, 0]).unwrap();
        set_ranges(self.ctx, &self.array, query, &[(first as i64, first as i64 + 99)]);
        self.column.sizes[0] = 800;
        self.column.bind(self.ctx, query).unwrap();
        self.ctx.call("query_submit", &[query]).unwrap();
        assert_eq!(self.column.sizes[0], 800);
        assert_eq!(self.column.data[..8], first.to_le_bytes());
        self.ctx.api.raw("query_free", &[address(&mut query)]);
    }
}
