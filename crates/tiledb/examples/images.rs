//! An image as a dense array: written tile by tile, read into memory of the program, kept small and verified.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::thread;

use tiledb::maintenance::{Consolidation, Vacuum, verify};
use tiledb::{Array, ArraySchema, Attribute, Buffers, Cells, Context, Dimension, ErrorKind, Filter, Layout};

fn create(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("y", 0..=511_u32).tile(128))
        .dimension(Dimension::new("x", 0..=511_u32).tile(128))
        .attribute(Attribute::new::<u8>("rgb").values_per_cell(3).filters([Filter::zstd(3), Filter::checksum_sha256()]))
        .build()?;
    Array::create(ctx, uri, &schema)
}

/// Writes the image in stripes of whole tiles, in the order in which they are stored: one fragment, little memory.
fn write(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let writer = Array::open_for_writing(ctx, uri)?;
    let mut write = writer.write_global()?;
    for tile in 0..16_u8 {
        let pixels = vec![tile; 128 * 128 * 3];
        write.write(Cells::new().values("rgb", &pixels))?;
    }
    write.finish()?;

    // Another fragment: a line in the middle.
    let line = [255_u8; 3 * 512];
    writer.write().range("y", 256..=256).values("rgb", &line).submit()?;
    Ok(())
}

fn read(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let array = Array::open(ctx, uri)?;
    let mut window = vec![0_u8; 16 * 16 * 3];
    let mut reader = array.read().range("y", 250..266).range("x", 100..116).layout(Layout::RowMajor).reader()?;
    let counts = reader.read(Buffers::new().values("rgb", &mut window))?;
    assert!(counts.is_complete() && counts.cells("rgb") == 16 * 16);
    assert_eq!(window[6 * 16 * 3], 255);
    Ok(())
}

/// Threads share an array that is open; each runs its own queries.
fn read_with_threads(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let array = Array::open(ctx, uri)?;
    let sums: Vec<tiledb::Result<u64>> = thread::scope(|scope| {
        let of_stripe = |stripe: u32| {
            let pixels = array.read().range("y", 128 * stripe..128 * (stripe + 1)).all()?;
            Ok(pixels.values::<u8>("rgb")?.iter().map(|value| u64::from(*value)).sum())
        };
        let threads: Vec<_> = (0..4).map(|stripe| scope.spawn(move || of_stripe(stripe))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let total: u64 = sums.into_iter().sum::<tiledb::Result<u64>>()?;
    println!("mean: {:.2}", total as f64 / (512.0 * 512.0 * 3.0));
    Ok(())
}

fn maintain(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    Consolidation::new().run(ctx, uri)?;
    Vacuum::new().run(ctx, uri)?; // once no reader has the old fragments open
    assert_eq!(Array::load_fragments(ctx, uri)?.len(), 1);
    assert!(verify(ctx, uri)?.is_ok());
    Ok(())
}

fn react(ctx: &Context) -> tiledb::Result<()> {
    match Array::open(ctx, "mem://missing") {
        Ok(array) => println!("{}", array.schema()),
        Err(error) if error.kind() == ErrorKind::NotFound => println!("there is no array at {:?}", error.uri()),
        Err(error) => return Err(error),
    }
    Ok(())
}

pub fn run(uri: &str) -> tiledb::Result<()> {
    let ctx = Context::new()?;
    create(&ctx, uri)?;
    write(&ctx, uri)?;
    read(&ctx, uri)?;
    read_with_threads(&ctx, uri)?;
    maintain(&ctx, uri)?;
    react(&ctx)
}

fn main() -> tiledb::Result<()> {
    run("mem://image")
}
