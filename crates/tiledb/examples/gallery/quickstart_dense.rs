//! Creates a 4 x 4 array, writes all of its cells, and reads two rows and three columns of it.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/quickstart_dense");
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

    let batch = Array::open(&ctx, uri)?.read().range("rows", 1..=2).range("columns", 2..=4).all()?;
    for value in batch.values::<i32>("a")? {
        write!(out, "{value} ")?;
    }
    writeln!(out)?;
    Ok(())
}
