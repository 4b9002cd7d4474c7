//! Histories that once failed, by hand.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::array::{Parameters, TestArray, TestConsolidation, TestWrite};
use super::model::cells::Selection;
use super::model::condition::{Condition, Operand, Operator};
use super::model::value::Value;
use super::model::{ALWAYS, Cell, Window};
use super::read::ReadOptions;
use super::shape::ArrayShape;
use tiledb_core::config::Config;
use tiledb_core::limits::consolidation::MAX_BATCH_BYTES;
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::limits::sparse_read;
use tiledb_core::types::Layout;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A sparse array of 20 places along one dimension.
struct PlainArray {
    resources: Resources,
    array: TestArray,
}

impl PlainArray {
    fn new(dups: bool) -> PlainArray {
        static ARRAYS: AtomicUsize = AtomicUsize::new(0);
        let uri = Uri::parse(&format!("mem://regressions/{}", ARRAYS.fetch_add(1, Ordering::Relaxed))).unwrap();
        let resources = Resources::new(Config::new()).unwrap();
        PlainArray { array: TestArray::create(&ArrayShape::plain(dups), &resources, &uri).unwrap(), resources }
    }

    fn write(&self, time: u64, cells: &[Cell]) {
        self.array.write(&self.resources, time, &TestWrite::unordered(cells)).unwrap();
    }

    fn delete(&self, time: u64, operator: Operator, number: i64) {
        let condition = Condition::Compare(Operand::Attribute(0), operator, Value::Int(number));
        self.array.delete(&self.resources, time, &condition).unwrap();
    }

    fn consolidate(&self, parameters: &Parameters) {
        let consolidation = TestConsolidation { parameters: parameters.clone(), picks: None };
        self.array.consolidate(&self.resources, &consolidation).unwrap();
    }

    fn read(&self, window: Window) -> Vec<Cell> {
        let options = ReadOptions { layout: Layout::Unordered, cells: 2000, budget: None, aggregates: Vec::new() };
        self.array.read(&self.resources, &Selection::all(1, window), &options).unwrap()
    }
}

fn cell(at: u8, number: i64) -> Cell {
    let values = [(0, Value::Int(number)), (1, Value::Int(0)), (2, Value::text("")), (3, Value::Null)];
    Cell { at: vec![at], values: values.into() }
}

fn purging() -> Parameters {
    vec![("sm.consolidation.purge_deleted_cells", "true".to_owned())]
}

#[test]
fn merged_fragment_whose_last_tile_has_null_texts_only_has_the_statistics_of_the_others() {
    let mut shape = ArrayShape::plain(false);
    shape.attributes[2].nullable = true;
    shape.capacity = 5;
    let uri = Uri::parse("mem://regressions/null_texts").unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let array = TestArray::create(&shape, &resources, &uri).unwrap();
    for time in 0..2u8 {
        let mut cells: Vec<Cell> = (0..3).map(|at| cell(3 * time + at, i64::from(3 * time + at))).collect();
        for cell in &mut cells {
            let text = if cell.at == [5] { Value::Null } else { Value::text("text") };
            cell.values.insert(2, text);
        }
        array.write(&resources, 1001 + u64::from(time), &TestWrite::unordered(&cells)).unwrap();
    }
    array.consolidate(&resources, &TestConsolidation { parameters: Vec::new(), picks: None }).unwrap();
    assert_eq!(array.verify(&resources).unwrap(), Vec::<String>::new());
}

#[test]
fn consolidation_keeps_the_deletions_of_cells_that_wait_for_the_next_batch() {
    for (dups, bytes) in [(false, 1), (true, 1), (false, 300), (true, 300)] {
        let array = PlainArray::new(dups);
        for write in 0..3u8 {
            let cells = (0..20).map(|at| cell(at, i64::from(20 * write + at)));
            array.write(1001 + u64::from(write), &cells.collect::<Vec<_>>());
        }
        array.delete(1010, Operator::GreaterOrEqual, 0);
        let small = SimulatedLimits::new(&[(&MAX_BATCH_BYTES, bytes), (&sparse_read::MAX_BATCH_BYTES, bytes)]);
        small.run(|| array.consolidate(&Vec::new()));
        let read = |end| array.read((0, end)).len();
        assert_eq!((read(u64::MAX), read(1009)), (0, if dups { 60 } else { 20 }), "{bytes} bytes at a time");
    }
}

#[test]
fn purge_keeps_the_cell_that_supersedes_deleted_ones_of_its_time() {
    let cells = [cell(3, 0), cell(3, 1)];
    // Of either write, since the names of fragments decide which supersedes the other.
    for deleted in 0..2 {
        for _ in 0..8 {
            let array = PlainArray::new(false);
            cells.iter().for_each(|cell| array.write(1005, std::slice::from_ref(cell)));
            array.write(1005, &[cell(4, 2)]);
            array.delete(1006, Operator::Equal, deleted);
            let before = array.read(ALWAYS);
            array.consolidate(&purging());
            assert_eq!(array.read(ALWAYS), before);
        }
    }
}

#[test]
fn purge_of_some_fragments_retains_deleted_cells_that_supersede_others() {
    let array = PlainArray::new(false);
    array.write(1002, &[cell(5, 0)]);
    array.write(1006, &[cell(3, 1), cell(5, 2)]);
    array.write(1008, &[cell(12, 3)]);
    array.delete(1011, Operator::Equal, 2);
    let before = array.read(ALWAYS);
    let start = ("sm.consolidation.timestamp_start", "1006".to_owned());
    let end = ("sm.consolidation.timestamp_end", "1010".to_owned());
    array.consolidate(&[purging(), vec![start, end]].concat());
    array.array.vacuum(&array.resources, "fragments").unwrap();
    assert_eq!(array.read(ALWAYS), before);
    array.consolidate(&purging());
    assert_eq!(array.read(ALWAYS), before);
    // All cells of the one place were dropped.
    assert!(array.read((0, 1010)).iter().all(|cell| cell.at != [5]));
}
