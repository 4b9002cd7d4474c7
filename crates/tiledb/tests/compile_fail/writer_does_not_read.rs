//! An array that is open for writing has no `read`.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let writer = tiledb::Array::open_for_writing(&ctx, "mem://a")?;
    // error: E0599
    writer.read().all()?;
    writer.close()
}
