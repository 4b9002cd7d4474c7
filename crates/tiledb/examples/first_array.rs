//! Creates a dense array of temperatures, writes all of its cells, and reads a slice of two days.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};

pub fn run(uri: &str) -> tiledb::Result<()> {
    let ctx = Context::new()?;
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("day", 1..=4_i32).tile(2))
        .dimension(Dimension::new("station", 1..=3_i32).tile(3))
        .attribute(Attribute::new::<f32>("celsius"))
        .build()?;
    if !Array::exists(&ctx, uri)? {
        Array::create(&ctx, uri, &schema)?;
    }
    let celsius = [20.5_f32, 18.0, 15.5, 21.0, 17.5, 16.0, 19.5, 17.0, 14.5, 22.0, 19.0, 16.5];
    Array::open_for_writing(&ctx, uri)?.write().values("celsius", &celsius).submit()?;

    let days = Array::open(&ctx, uri)?.read().range("day", 2..=3).all()?;
    for day in days.values::<f32>("celsius")?.chunks(3) {
        println!("{day:?}");
    }
    Ok(())
}

fn main() -> tiledb::Result<()> {
    run("temperatures") // a folder; or s3://bucket/temperatures, mem://temperatures, ...
}
