//! The arrays for read budgets: rows of a thousand cells with attributes of every kind, in overlapping fragments. Their
//! values are fast to generate and to compress.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::domains::{DomainKind, domain};
use support::{Api, Array, Cells, Column, Ctx, Failure, bytes, pointer, text};

const INT32: u64 = 0;
const INT64: u64 = 1;
const STRING_ASCII: u64 = 11;
const ZSTD: u64 = 2;
const VARIABLE: u64 = u32::MAX as u64;
const GLOBAL_ORDER: u64 = 2;
/// Where an attribute `k` is less than this, cells are deleted; and meet the condition where it is at least `MIDDLE`.
const DELETED: i32 = 1;
pub const MIDDLE: i32 = 5;
/// `k` counts up to this, again and again.
pub const KINDS: i32 = 10;
/// Cells of a row.
pub const WIDTH: usize = 1000;
/// Bytes of a fixed cell, and of a variable one in the middle.
pub const CELL: usize = 96;
/// Rows and columns of a space tile, whose cells are about as many as the capacity.
const TILE: [usize; 2] = [50, 100];
/// Cells written with one submit.
const SUBMIT: usize = 100_000;

/// What kind of array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Dense, with labels of its rows.
    Dense,
    /// The same with all cells in one tile.
    Block,
    Sparse,
    Duplicates,
    /// Sparse, with strings as the first coordinates.
    Text,
    /// Sparse, with all cells of a fragment in one tile.
    Large,
}

pub const ALL: [Kind; 6] = [Kind::Dense, Kind::Block, Kind::Sparse, Kind::Duplicates, Kind::Text, Kind::Large];

/// An array of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    pub kind: Kind,
    pub fragments: usize,
    pub rows: usize,
}

impl Fixture {
    pub fn is_dense(&self) -> bool {
        matches!(self.kind, Kind::Dense | Kind::Block)
    }

    pub fn cells(&self) -> usize {
        self.rows * WIDTH
    }

    /// Writes everything: the last fragment at the time of their number, deletes right behind.
    pub fn write(&self, api: &Api, uri: &str) -> Result<(), Failure> {
        let ctx = api.context(&[]);
        self.create(&ctx, uri)?;
        for fragment in 0..self.fragments {
            let time = fragment as u64 + 1;
            if self.is_dense() {
                self.write_box(&ctx, uri, fragment, time)?;
            } else {
                let mine = self.in_order([0, 0], [self.rows, WIDTH]).filter(|cell| cell % self.fragments == fragment);
                self.submit(&ctx, uri, time, mine, None)?;
            }
        }
        match self.is_dense() {
            true => self.write_labels(&ctx, uri),
            false => delete(&ctx, uri, self.fragments as u64 + 1),
        }
    }

    /// The first fragment has all cells, each other one a few tiles.
    fn write_box(&self, ctx: &Ctx<'_>, uri: &str, fragment: usize, time: u64) -> Result<(), Failure> {
        let (low, high) = match fragment {
            0 => ([0, 0], [self.rows, WIDTH]),
            _ => {
                let row = fragment * 7 % (self.rows / TILE[0]) * TILE[0];
                let column = fragment * 3 % (WIDTH / TILE[1]) * TILE[1];
                ([row, column], [row + TILE[0], (column + 2 * TILE[1]).min(WIDTH)])
            }
        };
        let ends = [low[0], high[0] - 1, low[1], high[1] - 1].map(|end| end as i32);
        self.submit(ctx, uri, time, self.in_order(low, high), Some(ends))
    }

    /// The numbers of the cells of a box in global order.
    fn in_order(&self, low: [usize; 2], high: [usize; 2]) -> Box<dyn Iterator<Item = usize>> {
        if matches!(self.kind, Kind::Text | Kind::Block) {
            return Box::new(0..self.cells());
        }
        let tiles =
            move |d: usize| (low[d]..high[d]).step_by(TILE[d]).map(move |start| start..(start + TILE[d]).min(high[d]));
        let tiles = tiles(0).flat_map(move |rows| tiles(1).map(move |columns| (rows.clone(), columns)));
        Box::new(
            tiles.flat_map(|(rows, columns)| rows.flat_map(move |row| columns.clone().map(move |x| row * WIDTH + x))),
        )
    }

    fn submit(
        &self,
        ctx: &Ctx<'_>,
        uri: &str,
        time: u64,
        cells: impl Iterator<Item = usize>,
        ends: Option<[i32; 4]>,
    ) -> Result<(), Failure> {
        let array = Array::open(ctx, uri, 1, None, Some(time))?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, GLOBAL_ORDER])?;
        if let Some(ends) = ends {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            ctx.call("subarray_set_subarray", &[subarray, ends.as_ptr() as u64])?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        let mut cells = cells.peekable();
        while cells.peek().is_some() {
            let batch: Vec<usize> = cells.by_ref().take(SUBMIT).collect();
            let mut columns = self.columns(&batch);
            columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
            ctx.call("query_submit", &[query])?;
        }
        ctx.call("query_finalize", &[query])?;
        ctx.free("query", query);
        Ok(())
    }

    /// What a cell has of an attribute, or of a first coordinate that is a string.
    pub fn value(&self, field: &str, cell: usize) -> Cow<'static, [u8]> {
        static PATTERN: LazyLock<Vec<u8>> = LazyLock::new(pattern);
        match field {
            "f" | "n" => PATTERN[cell % CELL..][..CELL].into(),
            "v" | "w" => PATTERN[cell % CELL..][..cell % (2 * CELL)].into(),
            _ => row_name(cell).into(),
        }
    }

    fn columns(&self, cells: &[usize]) -> Vec<Column> {
        let words = |value: &dyn Fn(usize) -> i32| cells.iter().flat_map(|&cell| value(cell).to_le_bytes()).collect();
        let strings = |name, value: &dyn Fn(usize) -> Vec<u8>, nullable: bool| {
            let (mut data, mut starts) = (Vec::new(), Vec::new());
            for &cell in cells {
                starts.push(data.len() as u64);
                data.extend_from_slice(&value(cell));
            }
            let validity = nullable.then(|| validity(cells));
            Column::filled(name, Cells { data, offsets: Some(starts), validity })
        };
        let fixed = |name, data, validity| Column::filled(name, Cells { data, offsets: None, validity });
        let pattern = pattern();
        let blocks = || cells.iter().flat_map(|&cell| &pattern[cell % CELL..][..CELL]).copied().collect();
        let words_of = |cell: usize| pattern[cell % CELL..][..cell % (2 * CELL)].to_vec();
        let mut columns = vec![
            fixed("k", words(&|cell| cell as i32 % KINDS), None),
            fixed("f", blocks(), None),
            fixed("n", blocks(), Some(validity(cells))),
            strings("v", &words_of, false),
            strings("w", &words_of, true),
        ];
        let rows = || fixed("y", words(&|cell| (cell / WIDTH) as i32), None);
        match self.kind {
            Kind::Dense | Kind::Block => return columns,
            Kind::Text => columns.push(strings("y", &row_name, false)),
            _ => columns.push(rows()),
        }
        columns.push(fixed("x", words(&|cell| (cell % WIDTH) as i32), None));
        columns
    }

    fn create(&self, ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
        let filters = ctx.get("filter_list_alloc", &[])?;
        ctx.call("filter_list_add_filter", &[filters, ctx.get("filter_alloc", &[ZSTD])?])?;
        let side = |d: usize, count: usize| DomainKind {
            count,
            // Behind strings, which have no tiles, cells are to lie row by row.
            extent: match self.kind {
                Kind::Text => WIDTH,
                Kind::Block => count,
                _ => TILE[d],
            },
            is_text: self.kind == Kind::Text && d == 0,
        };
        let domain = domain(ctx, [side(0, self.rows), side(1, WIDTH)], Some(filters))?;
        let schema = ctx.get("array_schema_alloc", &[u64::from(!self.is_dense())])?;
        ctx.call("array_schema_set_domain", &[schema, domain])?;
        for (name, datatype, values) in [
            ("k", INT32, 1),
            ("f", STRING_ASCII, CELL as u64),
            ("n", STRING_ASCII, CELL as u64),
            ("v", STRING_ASCII, VARIABLE),
            ("w", STRING_ASCII, VARIABLE),
        ] {
            let attribute = ctx.get("attribute_alloc", &[pointer(&text(name)), datatype])?;
            ctx.call("attribute_set_cell_val_num", &[attribute, values])?;
            ctx.call("attribute_set_nullable", &[attribute, u64::from(is_nullable(name))])?;
            ctx.call("attribute_set_filter_list", &[attribute, filters])?;
            ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        }
        ctx.call("array_schema_set_offsets_filter_list", &[schema, filters])?;
        if !self.is_dense() {
            let capacity = if self.kind == Kind::Large { self.cells() } else { TILE[0] * TILE[1] };
            ctx.call("array_schema_set_capacity", &[schema, capacity as u64])?;
            ctx.call("array_schema_set_allows_dups", &[schema, u64::from(self.kind == Kind::Duplicates)])?;
        }
        if self.is_dense() {
            ctx.call("array_schema_add_dimension_label", &[schema, 0, pointer(&text("label")), 1, INT64])?;
        }
        ctx.call("array_create", &[pointer(&text(uri)), schema])
    }

    /// Every row has twice its number as its label.
    fn write_labels(&self, ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
        let array = Array::open(ctx, uri, 1, None, None)?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, 0])?;
        let subarray = ctx.get("subarray_alloc", &[array.handle])?;
        let ends = [0, self.rows as i32 - 1, 0, WIDTH as i32 - 1];
        ctx.call("subarray_set_subarray", &[subarray, ends.as_ptr() as u64])?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        let data = (0..self.rows as i64).flat_map(|row| (2 * row).to_le_bytes()).collect();
        let mut labels = Column::filled("label", Cells { data, ..Cells::default() });
        labels.bind(ctx, query)?;
        ctx.call("query_submit", &[query])
    }
}

/// True for the attributes whose cells may be null.
pub fn is_nullable(field: &str) -> bool {
    matches!(field, "n" | "w")
}

fn validity(cells: &[usize]) -> Vec<u8> {
    cells.iter().map(|cell| u8::from(cell % 3 != 0)).collect()
}

/// The first coordinate where it is a string.
fn row_name(cell: usize) -> Vec<u8> {
    format!("row number {:09}", cell / WIDTH).into()
}

fn pattern() -> Vec<u8> {
    (0..4 * CELL).map(|at| b'a' + (at * at % 26) as u8).collect()
}

fn delete(ctx: &Ctx<'_>, uri: &str, time: u64) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 2, None, Some(time))?;
    let query = ctx.get("query_alloc", &[array.handle, 2])?;
    let condition = condition(ctx, 0, DELETED)?;
    ctx.call("query_set_condition", &[query, condition])?;
    ctx.call("query_submit", &[query])
}

/// That `k` compares so with a value.
pub fn condition(ctx: &Ctx<'_>, operator: u64, value: i32) -> Result<u64, Failure> {
    let condition = ctx.get("query_condition_alloc", &[])?;
    let value = value.to_le_bytes();
    ctx.call("query_condition_init", &[condition, pointer(&text("k")), bytes(&value), 4, operator])?;
    Ok(condition)
}
