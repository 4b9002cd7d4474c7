//! A sparse array whose first dimension is of texts, and a range of them.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/quickstart_sparse_string");
    if !Array::exists(&ctx, uri)? {
        let schema = ArraySchema::sparse()
            .dimension(Dimension::string("rows"))
            .dimension(Dimension::new("cols", 1..=4_i32).tile(4))
            .attribute(Attribute::new::<i32>("a"))
            .build()?;
        Array::create(&ctx, uri, &schema)?;
        let writer = Array::open_for_writing(&ctx, uri)?;
        writer
            .write()
            .strings("rows", &["a", "bb", "c"])
            .values("cols", &[1, 4, 3])
            .values("a", &[1, 2, 3])
            .submit()?;
    }

    let batch = Array::open(&ctx, uri)?.read().range("rows", "a"..="c").range("cols", 2..=4).all()?;
    let rows = batch.strings("rows")?;
    let columns = batch.values::<i32>("cols")?;
    for ((row, column), a) in rows.iter().zip(columns).zip(batch.values::<i32>("a")?) {
        writeln!(out, "Cell ({row} {column}) has data {a}")?;
    }
    writeln!(out)?;
    Ok(())
}
