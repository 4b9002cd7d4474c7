//! Reads in many submits decode what a read in one submit decodes, or little more.

use std::sync::Arc;

use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Cells along a side of the array, and of a tile.
const SIDE: usize = 40;
const EXTENT: i32 = 20;

fn text(cell: usize) -> String {
    "t".repeat(cell % 5)
}

fn written(uri: &str, kind: ArrayType) -> Arc<OpenArray> {
    let (resources, uri) = (Resources::new(Config::new()).unwrap(), Uri::parse(uri).unwrap());
    let none = EncryptionKey::None;
    let mut domain = Domain::new();
    for name in ["y", "x"] {
        let bounds = [0i32, SIDE as i32 - 1];
        let extent = EXTENT.to_le_bytes();
        let dimension = Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent));
        domain.add(Arc::new(dimension.unwrap()));
    }
    let mut schema = ArraySchema::new(kind);
    schema.set_domain(Arc::new(domain)).unwrap();
    if kind == ArrayType::Sparse {
        schema.set_capacity(100).unwrap();
    }
    let mut attribute = Attribute::new("s", Datatype::StringAscii);
    attribute.set_cell_val_num(u32::MAX).unwrap();
    attribute.set_nullable(true);
    schema.add_attribute(Arc::new(attribute)).unwrap();
    create(&resources, &uri, &schema, &none).unwrap();
    let open = |kind| Arc::new(OpenArray::open(&resources, &uri, kind, (0, u64::MAX), &none).unwrap());

    let cells = SIDE * SIDE;
    let (mut texts, mut offsets, mut validity) = (Vec::new(), Vec::new(), Vec::new());
    for cell in 0..cells {
        offsets.push(texts.len() as u64);
        texts.extend(text(cell).into_bytes());
        validity.push(u8::from(cell % 3 != 0));
    }
    let mut coordinates: [Vec<i32>; 2] =
        [(0..cells).map(|cell| (cell / SIDE) as i32).collect(), (0..cells).map(|cell| (cell % SIDE) as i32).collect()];
    let mut sizes = [texts.len() as u64, 8 * cells as u64, cells as u64, 4 * cells as u64, 4 * cells as u64];
    let [size, offsets_size, validity_size, y_size, x_size] = sizes.each_mut().map(|size| UserPtr::in_test(size));
    let mut query = Query::new(&open(QueryType::Write), QueryType::Write).unwrap();
    query.set_data_buffer("s", UserPtr::in_test(texts.as_mut_ptr()), size).unwrap();
    query.set_offsets_buffer("s", UserPtr::in_test(offsets.as_mut_ptr().cast()), offsets_size).unwrap();
    query.set_validity_buffer("s", UserPtr::in_test(validity.as_mut_ptr()), validity_size).unwrap();
    if kind == ArrayType::Sparse {
        query.set_layout(Layout::Unordered).unwrap();
        let [y, x] = coordinates.each_mut().map(|numbers| UserPtr::in_test(numbers.as_mut_ptr().cast()));
        query.set_data_buffer("y", y, y_size).unwrap();
        query.set_data_buffer("x", x, x_size).unwrap();
    } else {
        query.set_layout(Layout::RowMajor).unwrap();
    }
    query.submit().unwrap();
    open(QueryType::Read)
}

/// Bytes that a read of all cells decodes whose buffers hold so many cells, and its submits. Texts are checked.
fn decoded(array: &Arc<OpenArray>, layout: Layout, capacity: usize) -> (u64, usize) {
    decoded_by(array, layout, &[capacity])
}

/// As [`decoded`], with buffers of these sizes in turn.
fn decoded_by(array: &Arc<OpenArray>, layout: Layout, capacities: &[usize]) -> (u64, usize) {
    let mut subarray = Subarray::new(array.schema());
    for dimension in 0..2 {
        subarray.add_range(dimension, &0i32.to_le_bytes(), &(SIDE as i32 - 1).to_le_bytes()).unwrap();
    }
    let mut query = Query::new(array, QueryType::Read).unwrap();
    query.set_layout(layout).unwrap();
    query.set_subarray(&subarray).unwrap();
    let (mut cells_read, mut submits) = (Vec::new(), 0);
    loop {
        let capacity = capacities[submits % capacities.len()];
        let (mut texts, mut offsets, mut validity) =
            (vec![0u8; 5 * capacity], vec![0u64; capacity], vec![0u8; capacity]);
        let mut sizes = [texts.len() as u64, 8 * capacity as u64, capacity as u64];
        let [size, offsets_size, validity_size] = sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer("s", UserPtr::in_test(texts.as_mut_ptr()), size).unwrap();
        query.set_offsets_buffer("s", UserPtr::in_test(offsets.as_mut_ptr().cast()), offsets_size).unwrap();
        query.set_validity_buffer("s", UserPtr::in_test(validity.as_mut_ptr()), validity_size).unwrap();
        query.submit().unwrap();
        submits += 1;
        let count = sizes[1] as usize / 8;
        for cell in 0..count {
            let end = if cell + 1 < count { offsets[cell + 1] } else { sizes[0] };
            cells_read.push((
                String::from_utf8(texts[offsets[cell] as usize..end as usize].to_vec()).unwrap(),
                validity[cell],
            ));
        }
        if query.status() == Status::Completed {
            break;
        }
    }
    let expected = (0..SIDE * SIDE).map(|at| {
        let cell = if layout == Layout::ColMajor { at % SIDE * SIDE + at / SIDE } else { at };
        (text(cell), u8::from(cell % 3 != 0))
    });
    assert!(cells_read.into_iter().eq(expected), "cells in {layout:?}, {capacities:?} at a time");
    let statistics = query.stats().dump_json();
    let name = "read_unfiltered_byte_num\":";
    let at = statistics.find(name).unwrap() + name.len();
    let digits: String = statistics[at..].trim_start().chars().take_while(char::is_ascii_digit).collect();
    (digits.parse().unwrap(), submits)
}

#[test]
fn many_submits_decode_little_more_than_one() {
    for (uri, kind) in [("mem://submits/dense", ArrayType::Dense), ("mem://submits/sparse", ArrayType::Sparse)] {
        let array = written(uri, kind);
        for layout in [Layout::RowMajor, Layout::ColMajor] {
            let ((one, submits), (many, parts)) =
                (decoded(&array, layout, SIDE * SIDE), decoded(&array, layout, SIDE + 1));
            assert!(submits <= 2 && parts >= SIDE, "{submits} and {parts} submits");
            assert!(many <= 3 * one, "{many} bytes in {parts} submits, {one} in one: {kind:?} in {layout:?}");
        }
    }
}

/// Cells that are staged for small buffers may be fewer than the next ones hold.
#[test]
fn submits_with_buffers_of_other_sizes_deliver_what_follows() {
    for (uri, kind) in
        [("mem://submits/dense_sizes", ArrayType::Dense), ("mem://submits/sparse_sizes", ArrayType::Sparse)]
    {
        let array = written(uri, kind);
        for layout in [Layout::RowMajor, Layout::ColMajor] {
            for capacities in [&[3, 900][..], &[1, 2, 400], &[41, 1, 300, 7], &[700, 5]] {
                let (_, submits) = decoded_by(&array, layout, capacities);
                assert!(submits > 2, "{capacities:?}");
            }
        }
    }
}
