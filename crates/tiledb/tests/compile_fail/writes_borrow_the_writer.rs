//! A write borrows the writer, which closes the array when it is dropped.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let writer = tiledb::Array::open_for_writing(&ctx, "mem://a")?;
    let query = writer.write().values("a", &[1, 2, 3]);
    // error: E0505
    drop(writer);
    query.submit()?;
    Ok(())
}
