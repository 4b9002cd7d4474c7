//! An array that is open for reading has no `write`.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let array = tiledb::Array::open(&ctx, "mem://a")?;
    // error: E0599
    array.write().values("a", &[1]).submit()?;
    array.read().all()?;
    Ok(())
}
