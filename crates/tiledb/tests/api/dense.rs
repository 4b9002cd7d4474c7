//! Dense arrays: regions, layouts, fill values, global order.

use tiledb::{Array, ArraySchema, Attribute, Cells, Context, Dimension, Layout};

use crate::with_array;

fn grid() -> (Context, &'static str) {
    let schema = ArraySchema::dense()
        .dimension(Dimension::new("row", 1..=4_i32).tile(2))
        .dimension(Dimension::new("column", 1..=4_i32).tile(2))
        .attribute(Attribute::new::<i32>("a").fill_value(-1))
        .build()
        .unwrap();
    with_array(&schema)
}

#[test]
fn regions_are_written_and_read_in_the_layout_of_the_query() {
    let (ctx, uri) = grid();
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    writer.write().range("row", 1..3).range("column", 2..=3).values("a", &[1, 2, 3, 4]).submit().unwrap();
    let by_column = writer.write().range("row", 3..=4).range("column", 1..=2).layout(Layout::ColMajor);
    by_column.values("a", &[5, 6, 7, 8]).submit().unwrap();
    let array = Array::open(&ctx, uri).unwrap();
    let values = array.read().all().unwrap();
    assert_eq!(values.values::<i32>("a").unwrap(), [-1, 1, 2, -1, -1, 3, 4, -1, 5, 7, -1, -1, 6, 8, -1, -1]);
    let part = array.read().range("row", 2..=3).range("column", 2..=2).layout(Layout::ColMajor).all().unwrap();
    assert_eq!(part.values::<i32>("a").unwrap(), [3, 7]);
    let coordinates = array.read().fields(["row", "column", "a"]).range("row", 2..=2).all().unwrap();
    assert_eq!(coordinates.values::<i32>("column").unwrap(), [1, 2, 3, 4]);
    assert!(writer.write().range("row", 1..=2).values("a", &[1, 2, 3]).submit().is_err(), "too few cells");
}

#[test]
fn cells_in_global_order_come_in_parts() {
    let (ctx, uri) = grid();
    let writer = Array::open_for_writing(&ctx, uri).unwrap();
    let mut write = writer.write_global().unwrap();
    for part in 0..4 {
        let values: Vec<i32> = (0..4).map(|at| 4 * part + at).collect();
        write.write(Cells::new().values("a", &values)).unwrap();
    }
    assert_eq!(write.finish().unwrap().fragments().len(), 1);
    let array = Array::open(&ctx, uri).unwrap();
    let rows = array.read().all().unwrap();
    assert_eq!(rows.values::<i32>("a").unwrap(), [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
    let tiles = array.read().layout(Layout::GlobalOrder).all().unwrap();
    assert!(tiles.values::<i32>("a").unwrap().iter().copied().eq(0..16));

    let mut dropped = writer.write_global().unwrap();
    dropped.write(Cells::new().values("a", &[9; 4])).unwrap();
    drop(dropped);
    assert_eq!(Array::load_fragments(&ctx, uri).unwrap().len(), 1);
    let mut short = writer.write_global_with(writer.write().range("row", 1..=2)).unwrap();
    short.write(Cells::new().values("a", &[9; 4])).unwrap();
    assert!(short.finish().is_err(), "cells are missing");
}
