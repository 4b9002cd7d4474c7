//! Programs cannot make their own types elements.

struct Celsius;

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let batch = tiledb::Array::open(&ctx, "mem://a")?.read().all()?;
    let _ = Celsius;
    // error: E0277
    batch.values::<Celsius>("a")?;
    Ok(())
}
