//! Counts, sums and extremes of slices of a 4 x 4 array, without reading its cells.

use std::io::Write;

use super::Result;
use tiledb::{Aggregate, Array, ArraySchema, Attribute, Context, Dimension};

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/aggregates");
    if !Array::exists(&ctx, uri)? {
        let schema = ArraySchema::dense()
            .dimension(Dimension::new("rows", 1..=4_i32).tile(4))
            .dimension(Dimension::new("columns", 1..=4_i32).tile(4))
            .attribute(Attribute::new::<i32>("a"))
            .build()?;
        Array::create(&ctx, uri, &schema)?;
    }
    let cells: Vec<i32> = (1..=16).collect();
    Array::open_for_writing(&ctx, uri)?.write().values("a", &cells).submit()?;

    let array = Array::open(&ctx, uri)?;
    let count = array.read().range("rows", 1..=2).range("columns", 2..=4).aggregate([Aggregate::count()])?;
    writeln!(out, "Count is {}", count.get("count").ok_or("no count")?)?;

    let sum = array.read().range("rows", 1..=2).range("columns", 1..=4).aggregate([Aggregate::sum("a")])?;
    writeln!(out, "Sum is {}", sum.get("sum(a)").ok_or("no cells")?)?;

    let inner = array.read().range("rows", 2..=3).range("columns", 2..=3);
    let extremes = inner.aggregate([Aggregate::min("a"), Aggregate::max("a")])?;
    writeln!(out, "Min is {}", extremes.get("min(a)").ok_or("no cells")?)?;
    writeln!(out, "Max is {}", extremes.get("max(a)").ok_or("no cells")?)?;

    let mean = array.read().range("rows", 2..=3).range("columns", 1..=3).aggregate([Aggregate::mean("a")])?;
    writeln!(out, "Mean is {}", mean.get("mean(a)").ok_or("no cells")?)?;
    Ok(())
}
