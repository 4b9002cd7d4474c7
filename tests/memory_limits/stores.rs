//! The arrays for write and consolidation budgets: rows of a thousand cells with one attribute, whose values are
//! incompressible.

use crate::domains::{DomainKind, domain};
use support::{Api, Array, Cells, Column, Ctx, Failure, pointer, text};

const STRING_ASCII: u64 = 11;
const VARIABLE: u64 = u32::MAX as u64;
/// Cells of a row.
const WIDTH: usize = 1000;
/// Bytes of a fixed cell, and of a variable one in the middle.
const CELL: usize = 96;
/// Rows come in multiples of this.
const BAND: usize = 150;
pub const LAYOUTS: [&str; 4] = ["row", "column", "global", "unordered"];
/// Parts of the values that a write in global order takes them in.
const SUBMITS: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Dense,
    Sparse,
    /// Sparse, with strings as the first coordinates.
    Text,
}

/// The size of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiles {
    /// 5,000 cells.
    Small,
    /// Six of them.
    Six,
    /// A single one.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Fixed,
    Nullable,
    Var,
    NullableVar,
}

pub const KINDS: [Kind; 3] = [Kind::Dense, Kind::Sparse, Kind::Text];
pub const TILES: [Tiles; 3] = [Tiles::Small, Tiles::Six, Tiles::One];
pub const FIELDS: [Field; 4] = [Field::Fixed, Field::Nullable, Field::Var, Field::NullableVar];

/// An array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    pub kind: Kind,
    pub tiles: Tiles,
    pub field: Field,
    pub rows: usize,
}

/// The cells of a write, submit by submit.
pub type Submits = Vec<Vec<Column>>;

impl Store {
    /// One with about so many bytes of values.
    pub fn of(kind: Kind, tiles: Tiles, field: Field, bytes: usize) -> Store {
        Store { kind, tiles, field, rows: (bytes / CELL / WIDTH / BAND).max(1) * BAND }
    }

    /// The least of its kind.
    pub fn little(self) -> Store {
        Store { rows: BAND, ..self }
    }

    fn is_dense(&self) -> bool {
        self.kind == Kind::Dense
    }

    fn cells(&self) -> usize {
        self.rows * WIDTH
    }

    /// Rows and columns of a tile.
    fn tile(&self) -> [usize; 2] {
        match self.tiles {
            Tiles::Small => [25, 200],
            Tiles::Six => [self.rows / 6, WIDTH],
            Tiles::One => [self.rows, WIDTH],
        }
    }

    /// Bytes of the cells of a tile.
    pub fn tile_bytes(&self) -> usize {
        let beside = match self.kind {
            Kind::Dense => 0,
            Kind::Sparse => 8,
            Kind::Text => 32,
        };
        let [rows, columns] = self.tile();
        rows * columns * (CELL + 8 * usize::from(self.is_var()) + usize::from(self.is_nullable()) + beside)
    }

    pub fn create(&self, ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
        let tile = self.tile();
        let side = |d: usize, count: usize| DomainKind {
            count,
            // The global order of sparse cells is row by row.
            extent: if self.is_dense() { tile[d] } else { count },
            is_text: self.kind == Kind::Text && d == 0,
        };
        let domain = domain(ctx, [side(0, self.rows), side(1, WIDTH)], None)?;
        let schema = ctx.get("array_schema_alloc", &[u64::from(!self.is_dense())])?;
        ctx.call("array_schema_set_domain", &[schema, domain])?;
        let attribute = ctx.get("attribute_alloc", &[pointer(&text("a")), STRING_ASCII])?;
        let values = if self.is_var() { VARIABLE } else { CELL as u64 };
        ctx.call("attribute_set_cell_val_num", &[attribute, values])?;
        ctx.call("attribute_set_nullable", &[attribute, u64::from(self.is_nullable())])?;
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        if !self.is_dense() {
            ctx.call("array_schema_set_capacity", &[schema, (tile[0] * tile[1]) as u64])?;
        }
        ctx.call("array_create", &[pointer(&text(uri)), schema])
    }

    fn is_var(&self) -> bool {
        matches!(self.field, Field::Var | Field::NullableVar)
    }

    fn is_nullable(&self) -> bool {
        matches!(self.field, Field::Nullable | Field::NullableVar)
    }

    /// All cells as a write in a layout takes them.
    pub fn submits(&self, layout: usize) -> Submits {
        let (cells, count) = (self.cells(), self.cells().div_ceil(if layout == 2 { SUBMITS } else { 1 }));
        match (LAYOUTS[layout], self.is_dense()) {
            ("column", _) => self.cut((0..cells).map(|at| at % self.rows * WIDTH + at / self.rows), count),
            ("global", true) => self.cut(self.tile_by_tile(), count),
            ("unordered", _) => self.cut((0..cells).map(|at| at * 7919 % cells), count),
            _ => self.cut(0..cells, count),
        }
    }

    /// The numbers of all cells of a dense array in global order.
    fn tile_by_tile(&self) -> impl Iterator<Item = usize> {
        let ([rows, columns], all) = (self.tile(), self.rows);
        let corners = (0..all).step_by(rows).flat_map(move |y| (0..WIDTH).step_by(columns).map(move |x| (y, x)));
        corners.flat_map(move |(y, x)| (y..y + rows).flat_map(move |y| (x..x + columns).map(move |x| y * WIDTH + x)))
    }

    fn cut(&self, cells: impl Iterator<Item = usize>, count: usize) -> Submits {
        let mut cells = cells.peekable();
        let mut submits = Vec::new();
        while cells.peek().is_some() {
            let cells: Vec<usize> = cells.by_ref().take(count).collect();
            submits.push(self.columns(&cells));
        }
        submits
    }

    fn columns(&self, cells: &[usize]) -> Vec<Column> {
        let words = |value: &dyn Fn(usize) -> usize| {
            let data = cells.iter().flat_map(|&cell| (value(cell) as i32).to_le_bytes()).collect();
            Cells { data, ..Cells::default() }
        };
        let strings = |value: &dyn Fn(usize, &mut Vec<u8>)| {
            let (mut data, mut starts) = (Vec::new(), Vec::with_capacity(cells.len()));
            for &cell in cells {
                starts.push(data.len() as u64);
                value(cell, &mut data);
            }
            Cells { data, offsets: Some(starts), validity: None }
        };
        let mut attribute = match self.is_var() {
            true => strings(&|cell, data| noise(cell, cell % (2 * CELL), data)),
            false => {
                let mut data = Vec::with_capacity(cells.len() * CELL);
                cells.iter().for_each(|&cell| noise(cell, CELL, &mut data));
                Cells { data, ..Cells::default() }
            }
        };
        attribute.validity = self.is_nullable().then(|| cells.iter().map(|cell| u8::from(cell % 3 != 0)).collect());
        let mut columns = vec![Column::filled("a", attribute)];
        if !self.is_dense() {
            let row = |cell: usize| format!("row number {:09}", cell / WIDTH).into_bytes();
            let rows = match self.kind == Kind::Text {
                true => strings(&|cell, data| data.extend(row(cell))),
                false => words(&|cell| cell / WIDTH),
            };
            columns.extend([Column::filled("y", rows), Column::filled("x", words(&|cell| cell % WIDTH))]);
        }
        columns
    }

    /// Writes cells, at a time that is given or now.
    pub fn write(&self, ctx: &Ctx<'_>, uri: &str, layout: usize, submits: &mut Submits) -> Result<(), Failure> {
        self.write_rows(ctx, uri, layout, submits, (0, self.rows), None)
    }

    fn write_rows(
        &self,
        ctx: &Ctx<'_>,
        uri: &str,
        layout: usize,
        submits: &mut Submits,
        (low, high): (usize, usize),
        time: Option<u64>,
    ) -> Result<(), Failure> {
        let array = Array::open(ctx, uri, 1, None, time)?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, layout as u64])?;
        if self.is_dense() {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            let ends = [low as i32, high as i32 - 1, 0, WIDTH as i32 - 1];
            ctx.call("subarray_set_subarray", &[subarray, ends.as_ptr() as u64])?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        for columns in submits {
            columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
            ctx.call("query_submit", &[query])?;
        }
        ctx.call("query_finalize", &[query])?;
        ctx.free("query", query);
        Ok(())
    }

    /// Writes the array in fragments whose cells lie between one another's, or in front of them.
    pub fn scatter(&self, api: &Api, uri: &str, fragments: usize) -> Result<(), Failure> {
        let ctx = api.context(&[]);
        self.create(&ctx, uri)?;
        for fragment in 0..fragments {
            let time = Some(fragment as u64 + 1);
            if self.is_dense() {
                // The first has all cells, each other one some rows that are no whole tiles.
                let low = if fragment == 0 { 0 } else { fragment * self.rows / (fragments + 1) + 3 };
                let high = if fragment == 0 { self.rows } else { low + self.rows / (fragments + 1) };
                let mut submits = self.cut(low * WIDTH..high * WIDTH, usize::MAX);
                self.write_rows(&ctx, uri, 0, &mut submits, (low, high), time)?;
            } else {
                let mine = (0..self.cells()).filter(|cell| cell % fragments == fragment);
                let mut submits = self.cut(mine, self.cells() / SUBMITS);
                self.write_rows(&ctx, uri, 2, &mut submits, (0, 0), time)?;
            }
        }
        Ok(())
    }
}

/// Bytes that are as good as random.
fn noise(cell: usize, len: usize, data: &mut Vec<u8>) {
    let end = data.len() + len;
    let mut word = (cell as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    while data.len() < end {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        data.extend_from_slice(&word.to_le_bytes());
    }
    data.truncate(end);
}
