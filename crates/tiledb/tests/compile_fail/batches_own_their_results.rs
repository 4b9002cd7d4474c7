//! The values of a batch do not outlive it.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let array = tiledb::Array::open(&ctx, "mem://a")?;
    let batch = array.read().all()?;
    let values: &[i32] = batch.values("a")?;
    // error: E0505
    drop(batch);
    println!("{values:?}");
    Ok(())
}
