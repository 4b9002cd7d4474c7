//! An array that is open for reading has no `put_metadata`.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let array = tiledb::Array::open(&ctx, "mem://a")?;
    // error: E0599
    array.put_metadata("key", 1)?;
    array.metadata()?;
    Ok(())
}
