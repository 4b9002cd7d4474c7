//! Writes of several submits, some of which are rejected: the cells of the others are written, or the write reports
//! that they are lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tiledb_core::limits::simulation::SimulatedLimits;

use proptest::prelude::*;

use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, Pipeline};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Coordinate, a value that float scaling takes up to 127, and a value that must not descend within a tile.
type Cell = (f64, f32, i32);

/// Cells of a tile.
const TILE: usize = 4;

fn open(kind: ArrayType) -> (Resources, Uri) {
    static ARRAYS: AtomicUsize = AtomicUsize::new(0);
    let uri = Uri::parse(&format!("mem://refused/{}", ARRAYS.fetch_add(1, Ordering::Relaxed))).unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let dimension = match kind {
        ArrayType::Sparse => {
            let ends = [0f64, 999.0].map(f64::to_le_bytes).concat();
            Dimension::new("d", Datatype::Float64, Some(&ends), Some(&1000f64.to_le_bytes()))
        }
        ArrayType::Dense => {
            let ends = [0, 31i32].map(i32::to_le_bytes).concat();
            Dimension::new("d", Datatype::Int32, Some(&ends), Some(&(TILE as i32).to_le_bytes()))
        }
    };
    let mut schema = ArraySchema::new(kind);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension.unwrap())]))).unwrap();
    schema.set_capacity(TILE as u64).unwrap();
    let scale = Filter::ScaleFloat { factor: 1.0, offset: 0.0, byte_width: 1 };
    let ascending = Filter::PositiveDelta { max_window: 1 << 20 };
    for (name, datatype, filter) in [("a", Datatype::Float32, scale), ("p", Datatype::Int32, ascending)] {
        let mut attribute = Attribute::new(name, datatype);
        attribute.set_filters(Pipeline::new(vec![filter])).unwrap();
        attribute.set_nullable(name == "a");
        schema.add_attribute(Arc::new(attribute)).unwrap();
    }
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    (resources, uri)
}

/// A query with the buffers that were set last.
struct Write {
    query: Query,
    buffers: Vec<Vec<u8>>,
    sizes: Vec<Vec<u64>>,
}

impl Write {
    fn new((resources, uri): &(Resources, Uri), layout: Layout, settings: &[(&str, &str)]) -> Write {
        let array = OpenArray::open(resources, uri, QueryType::Write, (0, 0), &EncryptionKey::None).unwrap();
        let mut query = Query::new(&Arc::new(array), QueryType::Write).unwrap();
        let mut config = Config::new();
        settings.iter().for_each(|(name, value)| config.set(name, value).unwrap());
        query.set_config(&config).unwrap();
        query.set_layout(layout).unwrap();
        Write { query, buffers: Vec::new(), sizes: Vec::new() }
    }

    fn hold(&mut self, mut bytes: Vec<u8>) -> (UserPtr<u8>, UserPtr<u64>) {
        let (start, mut size) = (UserPtr::in_test(bytes.as_mut_ptr()), vec![bytes.len() as u64]);
        let size_of = UserPtr::in_test(size.as_mut_ptr());
        self.buffers.push(bytes);
        self.sizes.push(size);
        (start, size_of)
    }

    fn submit(&mut self, cells: &[Cell], names: &[&str]) -> Result<()> {
        for name in names {
            let bytes = match *name {
                "d" => cells.iter().flat_map(|cell| cell.0.to_le_bytes()).collect(),
                "a" => cells.iter().flat_map(|cell| cell.1.to_le_bytes()).collect(),
                _ => cells.iter().flat_map(|cell| cell.2.to_le_bytes()).collect(),
            };
            let (start, size) = self.hold(bytes);
            self.query.set_data_buffer(name, start, size).unwrap();
            if *name == "a" {
                // What lies in null cells is rejected by no filter.
                let (start, size) = self.hold(cells.iter().map(|cell| u8::from(cell.2 % 5 != 3)).collect());
                self.query.set_validity_buffer(name, start, size).unwrap();
            }
        }
        let submitted = self.query.submit();
        assert!(self.query.status() == Status::Completed || submitted.is_err());
        submitted
    }
}

/// Values of the attributes of all cells, in order; none for null.
fn read((resources, uri): &(Resources, Uri)) -> Vec<(Option<f32>, i32)> {
    let array = OpenArray::open(resources, uri, QueryType::Read, (0, u64::MAX), &EncryptionKey::None).unwrap();
    let mut query = Query::new(&Arc::new(array), QueryType::Read).unwrap();
    query.set_layout(Layout::GlobalOrder).unwrap();
    if query.array().schema().is_dense() {
        let mut subarray = Subarray::new(query.array().schema());
        subarray.add_range(0, &0i32.to_le_bytes(), &31i32.to_le_bytes()).unwrap();
        query.set_subarray(&subarray).unwrap();
    }
    let (mut floats, mut valid, mut numbers) = (vec![0f32; 1000], vec![0u8; 1000], vec![0i32; 1000]);
    let mut sizes = [4000u64, 1000, 4000];
    let [of_floats, of_valid, of_numbers] = &mut sizes;
    query.set_data_buffer("a", UserPtr::in_test(floats.as_mut_ptr().cast()), UserPtr::in_test(of_floats)).unwrap();
    query.set_validity_buffer("a", UserPtr::in_test(valid.as_mut_ptr()), UserPtr::in_test(of_valid)).unwrap();
    query.set_data_buffer("p", UserPtr::in_test(numbers.as_mut_ptr().cast()), UserPtr::in_test(of_numbers)).unwrap();
    query.submit().unwrap();
    assert_eq!(query.status(), Status::Completed);
    let count = sizes[1] as usize;
    (0..count).map(|cell| ((valid[cell] != 0).then_some(floats[cell]), numbers[cell])).collect()
}

fn shown(cells: &[Cell]) -> Vec<(Option<f32>, i32)> {
    cells.iter().map(|cell| ((cell.2 % 5 != 3).then_some(cell.1), cell.2)).collect()
}

/// So many cells from a number on; those that are null have a value that float scaling does not take.
fn cells(first: usize, count: usize) -> Vec<Cell> {
    let value = |number: usize| if number % 5 == 3 { f32::NAN } else { (number % 100) as f32 };
    (first..first + count).map(|number| (number as f64, value(number), number as i32)).collect()
}

/// Changes good cells.
type Spoil = fn(&mut Vec<Cell>);

/// What makes a submit one that is rejected, with a part of the error.
const REFUSALS: [(&str, Spoil); 7] = [
    ("succeed", |cells| cells.reverse()),
    ("Duplicate coordinates", |cells| cells[1].0 = cells[0].0),
    ("comes before last written", |cells| cells[0].0 = 0.0),
    ("Duplicate coordinates", |cells| cells[0].0 -= 1.0),
    ("out of domain bounds", |cells| cells.last_mut().unwrap().0 = 1000.0),
    (
        "value 128 cannot be stored with scale 1, offset 0 and byte width 1; give a greater scale or byte width, or no such filter \
      (attribute 'a')",
        |cells| *cells.last_mut().unwrap() = (cells.last().unwrap().0, 128.0, 1000),
    ),
    ("value NaN cannot", |cells| *cells.last_mut().unwrap() = (cells.last().unwrap().0, f32::NAN, 1000)),
];

const ALL: [&str; 3] = ["d", "a", "p"];

/// Submits cells in global order: so many that are good, or a refusal and so many cells besides.
fn run_sparse(submits: &[(Option<usize>, usize)]) {
    let place = open(ArrayType::Sparse);
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    let mut written = cells(1, 1);
    write.submit(&written, &ALL).unwrap();
    for &(refusal, count) in submits {
        let mut next = cells(1 + written.len(), count + usize::from(refusal.is_some()));
        match refusal {
            None => {
                write.submit(&next, &ALL).unwrap();
                written.extend(next);
            }
            Some(refusal) => {
                let (text, spoil) = REFUSALS[refusal];
                spoil(&mut next);
                let refused = write.submit(&next, &ALL).unwrap_err();
                assert!(refused.text().contains(text), "{text}: {refused:?}");
            }
        }
    }
    write.query.finalize().unwrap();
    assert_eq!(read(&place), shown(&written));
}

#[test]
fn a_refused_submit_in_global_order_leaves_the_others() {
    for refusal in 0..REFUSALS.len() {
        for count in [1, 3, 4, 9] {
            let (good, bad) = ((None, count), (Some(refusal), count));
            run_sparse(&[bad]);
            run_sparse(&[good, bad, good]);
            run_sparse(&[good, bad]);
        }
    }
}

fn run_dense(submits: &[(bool, usize)]) {
    let place = open(ArrayType::Dense);
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    let names = ["a", "p"];
    let mut written = Vec::new();
    for &(is_good, count) in submits {
        let mut next = cells(written.len(), count.min(32 - written.len()));
        let Some(last) = next.last_mut().filter(|_| !is_good) else {
            if !next.is_empty() {
                write.submit(&next, &names).unwrap();
                written.extend(next);
            }
            continue;
        };
        (last.1, last.2) = (-129.0, 1000);
        let refused = write.submit(&next, &names).unwrap_err();
        assert!(
            refused.text().contains("value -129 cannot") && refused.text().contains("(attribute 'a')"),
            "{refused:?}"
        );
    }
    let rest = cells(written.len(), 32 - written.len());
    if !rest.is_empty() {
        write.submit(&rest, &names).unwrap();
    }
    write.query.finalize().unwrap();
    assert_eq!(read(&place), shown(&cells(0, 32)));
}

proptest! {
    #[test]
    fn refused_submits_in_global_order_leave_the_others(
        submits in prop::collection::vec((prop::option::of(0..REFUSALS.len()), 1..12usize), 0..8),
        dense in prop::collection::vec((any::<bool>(), 1..12usize), 0..8),
        limits in prop::option::of(any::<u64>()),
    ) {
        SimulatedLimits::of_option(limits).run(|| {
            run_sparse(&submits);
            run_dense(&dense);
        });
    }
}

#[test]
fn a_refused_field_leaves_those_written_before() {
    let apart = [("sm.allow_separate_attribute_writes", "true")];
    let all = cells(1, 9);
    let mut bad = all.clone();
    bad[8] = (9.0, 128.0, 1000);
    for first in [&["d"][..], &["d", "p"], &["d", "a"]] {
        let place = open(ArrayType::Sparse);
        let mut write = Write::new(&place, Layout::Unordered, &apart);
        if first.contains(&"a") {
            write.submit(&bad, first).unwrap_err();
        }
        write.submit(&all, first).unwrap();
        if !first.contains(&"a") {
            let refused = write.submit(&bad, &["a"]).unwrap_err();
            assert!(refused.text().contains("(attribute 'a')"), "{refused:?}");
            assert!(write.query.finalize().is_err());
        }
        let rest: Vec<&str> = ALL.into_iter().filter(|name| !first.contains(name)).collect();
        write.submit(&all, &rest).unwrap();
        write.query.finalize().unwrap();
        assert_eq!(read(&place), shown(&all));
    }
}

/// Whether values descend within a tile is known when it is filtered: what was stored before goes with it, and the write says so.
#[test]
fn what_is_lost_is_an_error_of_all_that_follows() {
    let mut descending = cells(1 + TILE, TILE);
    descending[2].2 = 0;
    let place = open(ArrayType::Sparse);
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    write.submit(&cells(1, TILE), &ALL).unwrap();
    let refused = write.submit(&descending, &ALL).unwrap_err();
    assert!(refused.text().contains("values must not descend (attribute 'p')"), "{refused:?}");
    for _ in 0..2 {
        let lost = [write.submit(&cells(1 + TILE, TILE), &ALL).unwrap_err(), write.query.finalize().unwrap_err()];
        lost.iter()
            .for_each(|error| assert!(error.text().contains("the 4 cells submitted before are lost"), "{error:?}"));
    }
    assert!(read(&place).is_empty());

    // Where nothing was accepted nothing is lost.
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    write.submit(&descending, &ALL).unwrap_err();
    write.submit(&cells(1, TILE), &ALL).unwrap();
    write.query.finalize().unwrap();
    assert_eq!(read(&place), shown(&cells(1, TILE)));

    let place = open(ArrayType::Dense);
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    write.submit(&cells(0, TILE), &["a", "p"]).unwrap();
    write.submit(&descending, &["a", "p"]).unwrap_err();
    let lost = write.query.finalize().unwrap_err();
    assert!(lost.text().contains("the 4 cells submitted before are lost"), "{lost:?}");

    let place = open(ArrayType::Sparse);
    let mut write = Write::new(&place, Layout::Unordered, &[("sm.allow_separate_attribute_writes", "true")]);
    write.submit(&descending, &["d", "a"]).unwrap();
    write.submit(&descending, &["p"]).unwrap_err();
    let lost = [write.submit(&cells(1, TILE), &["p"]).unwrap_err(), write.query.finalize().unwrap_err()];
    lost.iter()
        .for_each(|error| assert!(error.text().contains("those of 'a', 'd', submitted before, are lost"), "{error:?}"));
}

/// As when a stream of record batches fails amid a write in global order.
#[test]
fn abandoned_write_is_not_finalized() {
    let place = open(ArrayType::Sparse);
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    write.submit(&cells(1, TILE), &ALL).unwrap();
    write.query.abort();
    for _ in 0..2 {
        assert!(write.query.finalize().unwrap_err().text().contains("the cells submitted before are lost"));
        assert!(write.submit(&cells(1 + TILE, 1), &ALL).is_err());
    }
    assert!(read(&place).is_empty());
}

#[test]
fn write_that_has_not_begun_or_is_complete_is_not_abandoned() {
    let place = open(ArrayType::Sparse);
    let mut write = Write::new(&place, Layout::GlobalOrder, &[]);
    write.query.abort();
    assert_eq!(write.query.status(), Status::Uninitialized);
    write.submit(&cells(1, TILE), &ALL).unwrap();
    write.query.finalize().unwrap();
    write.query.abort();
    assert_eq!(write.query.status(), Status::Completed);
    assert_eq!(read(&place), shown(&cells(1, TILE)));
}

/// Later submits add attributes to the coordinates of the first one.
#[test]
fn first_of_separate_submits_has_all_dimensions() {
    let place = open(ArrayType::Sparse);
    let mut write = Write::new(&place, Layout::Unordered, &[("sm.allow_separate_attribute_writes", "true")]);
    let missing = write.submit(&cells(1, TILE), &["a"]).unwrap_err();
    assert!(missing.text().contains("expect the coordinates of the cells"), "{missing:?}");
    write.submit(&cells(1, TILE), &["d", "a"]).unwrap();
    write.submit(&cells(1, TILE), &["p"]).unwrap();
    write.query.finalize().unwrap();
    assert_eq!(read(&place), shown(&cells(1, TILE)));
}
