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
