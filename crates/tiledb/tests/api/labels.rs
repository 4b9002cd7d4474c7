//! Dimension labels.

use tiledb::{Array, ArraySchema, Attribute, DataOrder, Datatype, Dimension, DimensionLabel};

use crate::with_array;

#[test]
fn labels_select_coordinates() {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("row", 0..=3_i64).tile(2))
        .attribute(Attribute::new::<i32>("a"))
        .label(DimensionLabel::new("latitude", "row", DataOrder::Increasing, Datatype::Float64))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    Array::open_for_writing(&ctx, uri)
        .unwrap()
        .write()
        .values("a", &[10, 20, 30, 40])
        .values("latitude", &[-1.5, 0.0, 1.5, 3.0])
        .submit()
        .unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let batch = array.read().label_range("latitude", 0.0..=2.0).all().unwrap();
    assert_eq!(batch.values::<i32>("a").unwrap(), [20, 30]);
    let batch = array.read().range("row", 1..=2).fields(["a", "latitude"]).all().unwrap();
    assert_eq!(batch.values::<f64>("latitude").unwrap(), [0.0, 1.5]);
    assert_eq!(batch.values::<i32>("a").unwrap(), [20, 30]);
    let label = &array.schema().labels()[0];
    assert_eq!((label.name(), label.dimension(), label.order()), ("latitude", "row", DataOrder::Increasing));
}

#[test]
fn labels_of_texts_select_coordinates() {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("row", 0..=3_i64))
        .dimension(Dimension::new("column", 0..=1_i64))
        .attribute(Attribute::new::<i32>("a"))
        .label(DimensionLabel::new("name", "row", DataOrder::Increasing, Datatype::StringAscii))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let cells: Vec<i32> = (0..8).collect();
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    writer.write().values("a", &cells).strings("name", &["a", "bb", "c", "d"]).submit().unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let batch = array.read().label_range("name", "b"..="c").range("column", 1..).all().unwrap();
    assert_eq!(batch.values::<i32>("a").unwrap(), [3, 5]);
    let names = array.read().fields(["name"]).range("row", 1..=2).all().unwrap();
    assert_eq!(names.strings("name").unwrap().to_vec(), ["bb", "c"]);
    assert!(array.read().label_range("name", "x"..="z").all().is_err(), "no label is in the range");
}
