//! Counters and timers of a read of a quarter of an array.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, object};

fn create(ctx: &Context, uri: &str, side: u32) -> tiledb::Result<()> {
    if Array::exists(ctx, uri)? {
        object::remove(ctx, uri)?;
    }
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("row", 1..=side).tile(1))
        .dimension(Dimension::new("col", 1..=side).tile(side))
        .attribute(Attribute::new::<i32>("a"))
        .build()?;
    Array::create(ctx, uri, &schema)?;
    let cells: Vec<i32> = (0..).take((side * side) as usize).collect();
    Array::open_for_writing(ctx, uri)?.write().values("a", &cells).submit()?;
    Ok(())
}

pub fn run_with_side(folder: &str, side: u32, out: &mut dyn Write) -> Result {
    let uri = &format!("{folder}/using_tiledb_stats");
    create(&Context::new()?, uri, side)?;

    let ctx = Context::new()?; // counts what it does, not what other contexts did
    Array::open(&ctx, uri)?.read().range("row", 1..=side / 4).all()?;
    writeln!(out, "{}", ctx.statistics())?;
    Ok(())
}

pub fn run(folder: &str, out: &mut dyn Write) -> Result {
    run_with_side(folder, 12_000, out)
}
