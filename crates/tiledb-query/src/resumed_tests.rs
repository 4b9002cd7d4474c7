//! Reads that continue another one, in a fragment as libtiledb merges it: the versions of cells at 0.0 and -0.0, which are different
//! coordinates, alternate by their times.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Query, Status};
use crate::read::position::{FirstCell, ReadPosition};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::fragment::{NamePlace, TIMESTAMPS};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::input::Inputs;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::write::sparse::global::GlobalSparseWriter;
use tiledb_cells::write::spec::{CommitHook, ConsolidationSpec, QueryWriter};
use tiledb_cells::write::testing::{self, column};
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A coordinate, the time of the cell, and its value.
type Cell = (f64, u64, i32);

const LAST_TIME: u64 = 6;

/// Writes the cells as one fragment, in this order.
fn merged(uri: &str, cells: &[Cell], capacity: u64) -> (Resources, Uri) {
    let (resources, uri) = (Resources::new(Config::new()).unwrap(), Uri::parse(uri).unwrap());
    let bounds = [-10f64, 10.0];
    let dimension = Dimension::new("d", Datatype::Float64, Some(bytemuck::cast_slice(&bounds)), None).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    schema.set_capacity(capacity).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, 1), &EncryptionKey::None).unwrap();
    let mut spec = testing::spec(array, Layout::GlobalOrder, &[], u64::MAX);
    spec.merged = Some(ConsolidationSpec {
        timestamps: (1, LAST_TIME),
        place: NamePlace::default(),
        times: true,
        deletes: false,
        conditions: Vec::new(),
        max_size: u64::MAX,
        hook: CommitHook::default(),
    });
    let coordinates: Vec<f64> = cells.iter().map(|cell| cell.0).collect();
    let times: Vec<u64> = cells.iter().map(|cell| cell.1).collect();
    let values: Vec<i32> = cells.iter().map(|cell| cell.2).collect();
    let columns = vec![
        column("d", bytemuck::cast_slice(&coordinates)),
        column("a", bytemuck::cast_slice(&values)),
        column(TIMESTAMPS, bytemuck::cast_slice(&times)),
    ];
    let mut writer = GlobalSparseWriter::new(spec).unwrap();
    writer.write(&Inputs { columns: columns.into() }).unwrap();
    writer.finish().unwrap();
    (resources, uri)
}

/// The values of the cells that are left from a position on.
fn rest(array: &Arc<OpenArray>, first: FirstCell) -> Vec<i32> {
    let mut query = Query::new(array, QueryType::Read).unwrap();
    query.set_layout(Layout::GlobalOrder).unwrap();
    let mut values = vec![0i32; 100];
    let mut size = 400u64;
    query.set_data_buffer("a", UserPtr::in_test(values.as_mut_ptr().cast()), UserPtr::in_test(&mut size)).unwrap();
    query.resume_from(ReadPosition::Cells(vec![first]));
    query.submit().unwrap();
    assert_eq!(query.status(), Status::Completed);
    values.truncate(size as usize / 4);
    values
}

#[test]
fn read_that_continues_between_versions_of_both_zeros_returns_no_superseded_cell() {
    let places = [-1.0, 0.0, 1.0];
    // One bit for each version that a zero has: which of both zeros it is at.
    for signs in 0..1u32 << LAST_TIME {
        let mut cells: Vec<Cell> = Vec::new();
        for place in places {
            for time in (1..=LAST_TIME).rev() {
                let is_negative = place == 0.0 && signs >> (time - 1) & 1 == 1;
                let coordinate = if is_negative { -0.0 } else { place };
                if place == 0.0 || time == 3 {
                    cells.push((coordinate, time, cells.len() as i32));
                }
            }
        }
        for capacity in [1, 2, 3, 100] {
            let (resources, uri) = merged(&format!("mem://resumed/{signs}_{capacity}"), &cells, capacity);
            for end in [4, LAST_TIME] {
                let array = OpenArray::open(&resources, &uri, QueryType::Read, (0, end), &EncryptionKey::None);
                let array = Arc::new(array.unwrap());
                let mut latest: HashMap<u64, i32> = HashMap::new();
                cells.iter().rev().filter(|cell| cell.1 <= end).for_each(|cell| {
                    latest.insert(cell.0.to_bits(), cell.2);
                });
                for position in 0..cells.len() as u64 {
                    let first = FirstCell { tile: position / capacity, cell: position % capacity };
                    let mut expected: Vec<i32> =
                        latest.values().copied().filter(|value| *value >= position as i32).collect();
                    let mut actual = rest(&array, first);
                    expected.sort_unstable();
                    actual.sort_unstable();
                    assert_eq!(actual, expected, "from {first:?} on up to {end}: {cells:?}, capacity {capacity}");
                }
            }
        }
    }
}
