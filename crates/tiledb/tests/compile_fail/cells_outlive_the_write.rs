//! A write borrows its cells until it is submitted.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let writer = tiledb::Array::open_for_writing(&ctx, "mem://a")?;
    let values = vec![1, 2, 3];
    let query = writer.write().values("a", &values);
    // error: E0505
    drop(values);
    query.submit()?;
    Ok(())
}
