//! Columns of writes that do not fit the schema.

use tiledb::{Array, ArraySchema, Attribute, Cells, Dimension, ErrorKind};

use crate::with_array;

#[test]
fn columns_that_do_not_fit_are_errors_and_write_nothing() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=99_i64))
        .attribute(Attribute::new::<f64>("a"))
        .attribute(Attribute::string("text"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    let kind = |cells: Cells<'_>| writer.write().cells(cells).submit().unwrap_err().kind();
    let good = || Cells::new().values("id", &[1_i64, 2]).values("a", &[0.5, 1.5]);
    assert_eq!(kind(good()), ErrorKind::InvalidArgument, "a column is missing");
    assert_eq!(kind(good().strings("text", &["x"])), ErrorKind::InvalidArgument, "one is shorter");
    assert_eq!(kind(good().strings("other", &["x", "y"])), ErrorKind::NotFound);
    assert_eq!(kind(good().values("text", b"xy")), ErrorKind::InvalidArgument, "values without offsets");
    assert_eq!(kind(Cells::new().values("id", &[1_i32, 2])), ErrorKind::InvalidArgument, "another type");
    assert_eq!(kind(good().optional("a", &[Some(1.0), None])), ErrorKind::InvalidArgument, "nulls");
    let beyond = Cells::new().values("id", &[100_i64]).values("a", &[0.5]).strings("text", &["x"]);
    assert_eq!(kind(beyond), ErrorKind::InvalidArgument, "outside of the domain");
    assert!(Array::load_fragments(&ctx, uri).unwrap().is_empty());
    writer.write().cells(good().strings("text", &["x", "y"])).submit().unwrap();
    assert_eq!(Array::load_fragments(&ctx, uri).unwrap()[0].cell_count(), 2);
}

#[test]
fn a_nullable_field_without_validity_has_no_nulls() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("id", 0..=99_i64))
        .attribute(Attribute::new::<i32>("a").nullable())
        .attribute(Attribute::string("text").nullable())
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    writer.write().values("id", &[1_i64, 2]).values("a", &[5, 6]).strings("text", &["x", "y"]).submit().unwrap();
    let batch = Array::open(&ctx, uri).unwrap().read().all().unwrap();
    assert!(batch.optional::<i32>("a").unwrap().eq([Some(5), Some(6)]));
    assert!(batch.strings("text").unwrap().optional().eq([Some("x"), Some("y")]));
}
