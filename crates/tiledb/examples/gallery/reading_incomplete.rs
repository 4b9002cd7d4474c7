//! Results that do not fit into the buffers: read step by step into buffers that grow, as a whole, and batch by batch.

use std::io::Write;

use super::Result;
use tiledb::{Array, ArraySchema, Attribute, Batch, Buffers, Context, Dimension, Layout, ReadQuery};

fn create(ctx: &Context, uri: &str) -> tiledb::Result<()> {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("rows", 1..=4_i32).tile(4))
        .dimension(Dimension::new("columns", 1..=4_i32).tile(4))
        .attribute(Attribute::new::<i32>("a1"))
        .attribute(Attribute::ascii("a2"))
        .build()?;
    Array::create(ctx, uri, &schema)?;
    let writer = Array::open_for_writing(ctx, uri)?;
    writer
        .write()
        .layout(Layout::GlobalOrder)
        .values("rows", &[1, 2, 2])
        .values("columns", &[1, 1, 2])
        .values("a1", &[1, 2, 3])
        .strings("a2", &["a", "bb", "ccc"])
        .submit()?;
    Ok(())
}

fn read<'a>(ctx: &Context, uri: &str) -> tiledb::Result<ReadQuery<'a>> {
    Ok(Array::open(ctx, uri)?.read().range("rows", 1..=4).range("columns", 1..=4).layout(Layout::RowMajor))
}

/// Lends buffers of the program, which are too small at first.
fn read_steps(query: ReadQuery<'_>, out: &mut dyn Write) -> Result {
    let mut capacity = 1;
    let mut reader = query.reader()?;
    loop {
        let [mut rows, mut columns, mut a1] = [(); 3].map(|()| vec![0_i32; capacity]);
        let mut a2 = vec![0_u8; capacity];
        let mut offsets = vec![0_u64; capacity + 1];
        let buffers = Buffers::new().values("rows", &mut rows).values("columns", &mut columns).values("a1", &mut a1);
        let counts = reader.read(buffers.var("a2", &mut a2, &mut offsets))?;
        for cell in 0..counts.cells("a1") {
            let text = String::from_utf8_lossy(&a2[offsets[cell] as usize..offsets[cell + 1] as usize]);
            writeln!(out, "\tCell ({}, {}) a1: {}, a2: {text}", rows[cell], columns[cell], a1[cell])?;
        }
        if counts.is_complete() {
            return Ok(());
        }
        if counts.cells("a1") == 0 {
            writeln!(out, "\t\tNot enough space, growing buffers...")?;
            capacity *= 2;
        }
    }
}

fn print(batch: &Batch, out: &mut dyn Write) -> Result {
    let rows = batch.values::<i32>("rows")?.iter();
    let values = batch.values::<i32>("columns")?.iter().zip(batch.values::<i32>("a1")?);
    for ((row, (column, a1)), a2) in rows.zip(values).zip(batch.strings("a2")?.iter()) {
        writeln!(out, "\tCell ({row}, {column}) a1: {a1}, a2: {a2}")?;
    }
    Ok(())
}

pub(crate) fn run(folder: &str, out: &mut dyn Write) -> Result {
    let ctx = Context::new()?;
    let uri = &format!("{folder}/reading_incomplete");
    if !Array::exists(&ctx, uri)? {
        create(&ctx, uri)?;
    }
    writeln!(out, "read_array_step")?;
    read_steps(read(&ctx, uri)?, out)?;

    writeln!(out, "read_array_collect")?;
    print(&read(&ctx, uri)?.all()?, out)?;

    writeln!(out, "read_array_callback")?;
    for batch in read(&ctx, uri)?.batch_bytes(1).batches()? {
        print(&batch?, out)?;
    }
    Ok(())
}
