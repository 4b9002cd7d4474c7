//! Arrays of ndarray.

use ndarray::{Array2, Axis, array};
use tiledb::{Array, ArraySchema, Attribute, Dimension, ErrorKind};

use crate::with_array;

#[test]
fn views_of_any_layout_are_written_and_regions_read() {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("y", 10..=15_i64).tile(4))
        .dimension(Dimension::new("x", 0..=3_i64).tile(4))
        .attribute(Attribute::new::<i32>("a").fill_value(-1))
        .attribute(Attribute::new::<f32>("b").nullable())
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    let image = Array2::from_shape_fn((3, 2), |(y, x)| (10 * y + x) as i32);
    let other = Array2::from_elem((2, 3), 0.5_f32);
    let region = writer.write().range("y", 11..14).range("x", 1..=2);
    region.ndarray("a", image.view()).ndarray("b", other.t()).submit().unwrap();

    let array = Array::open(&ctx, uri).unwrap();
    let part = array.read().range("y", 11..=12).range("x", ..=1).ndarray::<i32>("a").unwrap();
    assert_eq!(part, array![[-1, 0], [-1, 10]].into_dyn());
    let whole = array.read().ndarray::<i32>("a").unwrap();
    assert_eq!(whole.shape(), [6, 4]);
    assert_eq!(whole.index_axis(Axis(0), 3), array![-1, 20, 21, -1].into_dyn());
    let rows = array.read().points("y", [11_i64, 13]).ndarray::<i32>("a").unwrap();
    assert_eq!(rows, array![[-1, 0, 1, -1], [-1, 20, 21, -1]].into_dyn());
    assert_eq!(array.read().ndarray::<f64>("a").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn sparse_arrays_have_no_shape() {
    let schema = ArraySchema::sparse()
        .dimension(Dimension::new("x", 0..=3_i64))
        .attribute(Attribute::new::<i32>("a"))
        .build()
        .unwrap();
    let (ctx, uri) = with_array(&schema);
    let error = Array::open(&ctx, uri).unwrap().read().ndarray::<i32>("a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
