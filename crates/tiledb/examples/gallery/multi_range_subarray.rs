//! Reads two ranges of rows of a 4 x 4 array at once, with their coordinates.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/multi_range_slicing");
    if !Array::exists(&ctx, uri)? {
        let schema = ArraySchema::dense()
            .dimension(Dimension::new("rows", 1..=4_i32).tile(4))
            .dimension(Dimension::new("cols", 1..=4_i32).tile(4))
            .attribute(Attribute::new::<i32>("a"))
            .build()?;
        Array::create(&ctx, uri, &schema)?;
        let cells: Vec<i32> = (1..=16).collect();
        Array::open_for_writing(&ctx, uri)?.write().values("a", &cells).submit()?;
    }

    let query = Array::open(&ctx, uri)?.read().fields(["rows", "cols", "a"]);
    let batch = query.range("rows", 1..=2).range("rows", 4..=4).range("cols", 1..=4).all()?;
    let rows = batch.values::<i32>("rows")?;
    let columns = batch.values::<i32>("cols")?;
    for ((row, column), a) in rows.iter().zip(columns).zip(batch.values::<i32>("a")?) {
        writeln!(out, "{row} {column} {a}")?;
    }
    writeln!(out)?;
    Ok(())
}
