//! Record batches of arrow-rs and arrays of ndarray; needs the features `arrow` and `ndarray`.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use arrow_array::{Float64Array, Int64Array, RecordBatch, RecordBatchIterator};
use ndarray::array;
use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, attr};

fn batches(ctx: &Context) -> Result<(), Box<dyn std::error::Error>> {
    let uri = "mem://rows";
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=999_i64))
        .attribute(Attribute::new::<f64>("delay"))
        .build()?;
    Array::create(ctx, uri, &schema)?;

    let ids = Arc::new(Int64Array::from(vec![3, 1, 2]));
    let delays = Arc::new(Float64Array::from(vec![75.0, 1.5, 90.0]));
    let batch = RecordBatch::try_from_iter([("id", ids as _), ("delay", delays as _)])?;
    let rows = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    Array::open_for_writing(ctx, uri)?.write().record_batches(rows)?;

    let late = Array::open(ctx, uri)?.read().condition(attr("delay").gt(60));
    for batch in late.record_batches()? {
        println!("{:?}", batch?);
    }
    Ok(())
}

fn images(ctx: &Context) -> tiledb::Result<()> {
    let uri = "mem://matrix";
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("row", 0..=1_i32))
        .dimension(Dimension::new("column", 0..=2_i32))
        .attribute(Attribute::new::<f64>("v"))
        .build()?;
    Array::create(ctx, uri, &schema)?;
    let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    Array::open_for_writing(ctx, uri)?.write().ndarray("v", matrix.view()).submit()?;

    let columns = Array::open(ctx, uri)?.read().range("column", 1..).ndarray::<f64>("v")?;
    assert_eq!(columns, array![[2.0, 3.0], [5.0, 6.0]].into_dyn());
    Ok(())
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = Context::new()?;
    batches(&ctx)?;
    Ok(images(&ctx)?)
}
