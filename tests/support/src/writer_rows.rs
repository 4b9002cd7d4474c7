//! The arrays: a row of cells for each writer, which writes one of its slots after the other, and begins again.

use crate::{Array, Cells, Column, Ctx, Failure, address, bytes, pointer, text};

/// Writers of an array.
pub const WRITERS: u64 = 2;
/// Cells of a write. All have the number of the write in their values.
pub const CELLS: i32 = 10;
/// Places for writes of a writer.
pub const SLOTS: i32 = 8;
/// Cells that a read has room for.
const ROOM: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Dense,
    Unique,
    Duplicates,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Dense, Kind::Unique, Kind::Duplicates];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Dense => "dense",
            Kind::Unique => "unique",
            Kind::Duplicates => "duplicates",
        }
    }
}

/// A cell as it was read: writer, place and value.
pub type CellRow = [i32; 3];

/// The fill value of the dense array.
pub const EMPTY: i32 = i32::MIN;

pub fn create(ctx: &Ctx<'_>, uri: &str, kind: Kind) -> Result<(), Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (name, high, extent) in [("writer", WRITERS as i32 - 1, 1i32), ("place", SLOTS * CELLS - 1, CELLS)] {
        let name = text(name);
        let (ends, extent) = ([0, high].map(i32::to_le_bytes).concat(), extent.to_le_bytes());
        let dimension = ctx.get("dimension_alloc", &[pointer(&name), 0, bytes(&ends), bytes(&extent)])?;
        ctx.call("domain_add_dimension", &[domain, dimension])?;
        ctx.free("dimension", dimension);
    }
    let schema = ctx.get("array_schema_alloc", &[u64::from(kind != Kind::Dense)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_capacity", &[schema, 30])?;
    if kind == Kind::Duplicates {
        ctx.call("array_schema_set_allows_dups", &[schema, 1])?;
    }
    let name = text("value");
    let attribute = ctx.get("attribute_alloc", &[pointer(&name), 0])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    let uri = text(uri);
    ctx.call("array_create", &[pointer(&uri), schema])?;
    ctx.free("attribute", attribute);
    ctx.free("array_schema", schema);
    ctx.free("domain", domain);
    Ok(())
}

/// Writes the cells of write `number` of a writer, at a time.
pub fn write(ctx: &Ctx<'_>, uri: &str, kind: Kind, writer: u64, number: i32, time: u64) -> Result<(), Failure> {
    write_to(
        &Array::open(ctx, uri, 1, None, Some(time))?,
        kind,
        writer,
        number,
        if kind == Kind::Dense { 0 } else { 3 },
    )
}

/// As [`write`], to an open array in a layout; a slot is a tile, so that all layouts have the same order.
pub fn write_to(array: &Array<'_>, kind: Kind, writer: u64, number: i32, layout: u64) -> Result<(), Failure> {
    let ctx = array.ctx;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    let first = number % SLOTS * CELLS;
    let cells = |of: &dyn Fn(i32) -> i32| {
        let data = (0..CELLS).flat_map(|cell| of(cell).to_le_bytes()).collect();
        Cells { data, ..Cells::default() }
    };
    let mut columns = vec![Column::filled("value", cells(&|cell| number * CELLS + cell))];
    ctx.call("query_set_layout", &[query, layout])?;
    if kind == Kind::Dense {
        set_region(ctx, array, query, [(writer as i32, writer as i32), (first, first + CELLS - 1)])?;
    } else {
        columns.push(Column::filled("writer", cells(&|_| writer as i32)));
        columns.push(Column::filled("place", cells(&|cell| first + cell)));
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let written = ctx.call("query_submit", &[query]).and_then(|()| ctx.call("query_finalize", &[query]));
    ctx.free("query", query);
    written
}

fn set_region(ctx: &Ctx<'_>, array: &Array<'_>, query: u64, region: [(i32, i32); 2]) -> Result<(), Failure> {
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    for (dimension, (low, high)) in (0..).zip(region) {
        let [low, high] = [low, high].map(i32::to_le_bytes);
        ctx.call("subarray_add_range", &[subarray, dimension, bytes(&low), bytes(&high), 0])?;
    }
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    Ok(())
}

/// All cells of an open array that were written.
pub fn read(array: &Array<'_>, kind: Kind) -> Result<Vec<CellRow>, Failure> {
    let ctx = array.ctx;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, if kind == Kind::Dense { 0 } else { 3 }])?;
    if kind == Kind::Dense {
        set_region(ctx, array, query, [(0, WRITERS as i32 - 1), (0, SLOTS * CELLS - 1)])?;
    }
    let mut columns = ["writer", "place", "value"].map(|name| Column::with_capacity(name, 4 * ROOM, None, None));
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let mut rows = Vec::new();
    loop {
        ctx.call("query_submit", &[query])?;
        let words = |column: &Column| -> Vec<i32> {
            column.result().data.as_chunks().0.iter().map(|&word| i32::from_le_bytes(word)).collect()
        };
        let [writers, places, values] = columns.each_ref().map(words);
        let cells = writers.iter().zip(&places).zip(&values);
        rows.extend(cells.map(|((&writer, &place), &value)| [writer, place, value]));
        let mut status = 0u32;
        ctx.call("query_get_status", &[query, address(&mut status)])?;
        if status == 1 {
            break;
        }
        assert!(!writers.is_empty(), "no progress");
        columns.iter_mut().for_each(|column| column.sizes[0] = 4 * ROOM as u64);
    }
    ctx.free("query", query);
    rows.retain(|cell| cell[2] != EMPTY);
    Ok(rows)
}
