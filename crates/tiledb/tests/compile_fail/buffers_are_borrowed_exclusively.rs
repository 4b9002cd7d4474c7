//! A buffer that a reader may fill is not used meanwhile.

fn main() -> tiledb::Result<()> {
    let ctx = tiledb::Context::new()?;
    let array = tiledb::Array::open(&ctx, "mem://a")?;
    let mut reader = array.read().reader()?;
    let mut values = [0; 10];
    let buffers = tiledb::Buffers::new().values("a", &mut values);
    // error: E0506
    values[0] = 1;
    reader.read(buffers)?;
    println!("{values:?}");
    Ok(())
}
