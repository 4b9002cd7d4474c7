//! Histories that once failed, by hand.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::array::{Parameters, TestArray, TestConsolidation, TestEvolution, TestWrite};
use super::model::aggregate::AggregateKind;
use super::model::cells::Selection;
use super::model::condition::{Condition, Operand, Operator};
use super::model::value::Value;
use super::model::{ALWAYS, ArrayKind, Cell, Change, Window};
use super::random::Random;
use super::read::ReadOptions;
use super::shape::{ArrayShape, CoordinateKind, TestAttribute, TestDimension, ValueKind};
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
        let condition = Condition::Compare(Operand::Attribute(0), operator, vec![Value::Int(number)]);
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

/// A dense array of one tile of four places.
fn dense_array(name: &str) -> (Resources, TestArray) {
    let dimensions = vec![TestDimension { kind: CoordinateKind::Int, side: 4, extent: 4, low: 0 }];
    let shape = ArrayShape { kind: ArrayKind::Dense, dimensions, ..ArrayShape::plain(false) };
    let resources = Resources::new(Config::new()).unwrap();
    let array = TestArray::create(&shape, &resources, &Uri::parse(&format!("mem://regressions/{name}")).unwrap());
    (resources, array.unwrap())
}

/// A write of the places from `low` on.
fn dense_write(low: u8, numbers: &[i64], without: Option<usize>) -> TestWrite {
    let cells = (low..).zip(numbers).map(|(at, number)| {
        let mut cell = cell(at, *number);
        cell.values.insert(1, Value::Int(*number));
        cell.values.retain(|attribute, _| Some(*attribute) != without);
        cell
    });
    let ranges = vec![(low, low + numbers.len() as u8 - 1)];
    TestWrite { layout: Layout::RowMajor, ranges, parts: vec![cells.collect()] }
}

/// The values of the second attribute, and its maximum.
fn second_attribute(array: &TestArray, resources: &Resources, window: Window) -> (Vec<Value>, Value) {
    let aggregates = vec![(AggregateKind::Max, 1)];
    let options = ReadOptions { layout: Layout::RowMajor, cells: 2000, budget: None, aggregates };
    let mut read = array.begin_read(resources, &Selection::all(1, window), &options).unwrap();
    let mut rows = Vec::new();
    while let Some(more) = read.submit().unwrap() {
        rows.extend(more);
    }
    (rows.iter().map(|row| row.values[&1].clone()).collect(), read.aggregates()[0].2.clone())
}

#[test]
fn dense_cells_of_a_fragment_without_an_attribute_have_its_fill_value_whatever_else_the_fragment_covers() {
    let fill = || Value::Int(255);
    for (low, numbers) in [(1, &[11, 12][..]), (0, &[10, 11, 12, 13])] {
        let (resources, array) = dense_array(&format!("lacking/{}", numbers.len()));
        array.write(&resources, 1002, &dense_write(0, &[0, 1, 2, 3], None)).unwrap();
        array.evolve(&resources, 1008, &[TestEvolution::Drop(1)]).unwrap();
        array.write(&resources, 1004, &dense_write(low, numbers, Some(1))).unwrap();
        let is_rewritten = |at: &u8| (low..low + numbers.len() as u8).contains(at);
        let expected = |at: u8| if is_rewritten(&at) { fill() } else { Value::Int(i64::from(at)) };
        let expected: Vec<Value> = (0..4).map(expected).collect();
        for step in ["written", "merged"] {
            assert_eq!(second_attribute(&array, &resources, (0, 1007)), (expected.clone(), fill()), "{step}");
            assert_eq!(second_attribute(&array, &resources, (1003, 1007)), (vec![fill(); 4], fill()), "{step}");
            array.consolidate(&resources, &TestConsolidation { parameters: Vec::new(), picks: None }).unwrap();
        }
    }
}

#[test]
fn dense_gap_counts_for_aggregates_once_a_merge_has_stored_its_fill_values() {
    let (resources, array) = dense_array("gap");
    array.write(&resources, 1002, &dense_write(0, &[1], None)).unwrap();
    array.write(&resources, 1003, &dense_write(3, &[4], None)).unwrap();
    let values = vec![Value::Int(1), Value::Int(255), Value::Int(255), Value::Int(4)];
    assert_eq!(second_attribute(&array, &resources, ALWAYS), (values.clone(), Value::Int(4)));
    array.consolidate(&resources, &TestConsolidation { parameters: Vec::new(), picks: None }).unwrap();
    assert_eq!(second_attribute(&array, &resources, ALWAYS), (values, Value::Int(255)));
}

#[test]
fn cells_of_equal_coordinates_come_in_one_order_whatever_the_limits() {
    let shape = ArrayShape { capacity: 3, ..ArrayShape::plain(true) };
    let uri = Uri::parse("mem://regressions/equal_coordinates").unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let array = TestArray::create(&shape, &resources, &uri).unwrap();
    let mut random = Random(1);
    for write in 0..4u8 {
        let count = 1 + random.below(12) as u8;
        let cells = (0..count).map(|number| cell(random.below(4) as u8, i64::from(30 * write + number)));
        array.write(&resources, 1001 + u64::from(write), &TestWrite::unordered(&cells.collect::<Vec<_>>())).unwrap();
    }
    for layout in [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder] {
        let read = |cells: usize, budget: Option<u64>| {
            let options = ReadOptions { layout, cells, budget, aggregates: Vec::new() };
            array.read(&resources, &Selection::all(1, ALWAYS), &options).unwrap()
        };
        let expected = read(2000, None);
        for seed in 0..6 {
            let limits = SimulatedLimits::draw(|end| random.below(end));
            let cells = 1 + random.below(30) as usize;
            let rows = limits.run(|| read(cells, random.pick(&[None, Some(300_000)])));
            assert_eq!(rows, expected, "{layout:?}, seed {seed}, {cells} cells at a time, {limits:?}");
        }
    }
}

#[test]
fn merged_fragment_has_one_of_several_cells_of_equal_coordinates_and_time() {
    for purges in [false, true] {
        let array = PlainArray::new(false);
        for number in 0..3 {
            array.write(1005, &[cell(3, number), cell(4 + number as u8, 10 + number)]);
        }
        array.write(1006, &[cell(3, 3)]);
        let times = [1005, 1006].map(|end| array.read((0, end)));
        array.consolidate(&if purges { purging() } else { Vec::new() });
        assert_eq!([1005, 1006].map(|end| array.read((0, end))), times);
        array.array.vacuum(&array.resources, "fragments").unwrap();
        assert_eq!([1005, 1006].map(|end| array.read((0, end))), times);
        assert_eq!(array.array.cell_count(&array.resources).unwrap(), 5);
    }
}

#[test]
fn delete_by_null_compares_an_attribute_that_older_cells_lack_as_any_other_comparison() {
    let mut shape = ArrayShape::plain(true);
    shape.attributes.push(TestAttribute { nullable: true, ..TestAttribute::new("later", ValueKind::Int) });
    let equals = |attribute, value| Condition::Compare(Operand::Attribute(attribute), Operator::Equal, vec![value]);
    let conditions = [
        equals(4, Value::Null),
        Condition::And(vec![equals(0, Value::Int(0)), equals(4, Value::Null)]),
        Condition::And(vec![equals(4, Value::Null), equals(0, Value::Int(0))]),
        Condition::Or(vec![equals(0, Value::Int(0)), equals(4, Value::Null)]),
    ];
    for (number, condition) in conditions.iter().enumerate() {
        let uri = Uri::parse(&format!("mem://regressions/null_delete/{number}")).unwrap();
        let resources = Resources::new(Config::new()).unwrap();
        let array = TestArray::create(&shape, &resources, &uri).unwrap();
        let cells = [cell(1, 0), cell(2, 1)];
        array.write(&resources, 1001, &TestWrite::unordered(&cells)).unwrap();
        array.evolve(&resources, 1002, &[TestEvolution::Add(4)]).unwrap();
        array.delete(&resources, 1003, condition).unwrap();
        let mut journal = shape.model();
        journal.record(1001, Change::Write(cells.to_vec()));
        let mut evolved = journal.schema.clone();
        evolved.attributes.push(4);
        journal.record(1002, Change::Evolve(vec![evolved]));
        journal.record(1003, Change::Delete(condition.clone()));
        let selection = Selection::all(1, ALWAYS);
        let options = ReadOptions { layout: Layout::Unordered, cells: 2000, budget: None, aggregates: Vec::new() };
        let rows = array.read(&resources, &selection, &options).unwrap();
        assert_eq!(journal.check(&selection, &[0, 1, 2, 3, 4], &rows), Ok(()), "{condition:?}");
    }
}

/// Of two evolutions at the same time, one of which does not know the other, the later one prevails.
#[test]
fn consolidation_keeps_the_cells_outside_of_a_current_domain_that_a_concurrent_evolution_made_smaller() {
    for kind in [ArrayKind::Dense, ArrayKind::Sparse { dups: false }] {
        let shape = ArrayShape { kind, current_domain: Some(vec![(0, 9)]), ..ArrayShape::plain(false) };
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse(&format!("mem://regressions/smaller/{}", shape.is_dense())).unwrap();
        let array = TestArray::create(&shape, &resources, &uri).unwrap();
        let schemas = uri.join("__schema");
        let created = resources.vfs().list(&schemas).unwrap().into_iter().find(|file| !file.is_dir).unwrap();
        array.evolve(&resources, 2_000, &[TestEvolution::Expand(vec![(0, 19)])]).unwrap();
        for (time, low) in [(2_001, 3), (2_002, 14), (2_003, 15)] {
            let write = dense_write(low, &[i64::from(low), 7], None);
            let write = if shape.is_dense() { write } else { TestWrite::unordered(&write.cells()) };
            array.write(&resources, time, &write).unwrap();
        }
        let later = schemas.join("__3000_3000_0123456789abcdef0123456789abcdef");
        resources.vfs().put(&later, &resources.vfs().read(&created.uri).unwrap()).unwrap();
        let parameters = vec![("sm.consolidation.amplification", "1000".to_owned())];
        array.consolidate(&resources, &TestConsolidation { parameters, picks: None }).unwrap();
        array.vacuum(&resources, "fragments").unwrap();
        array.evolve(&resources, 4_000, &[TestEvolution::Expand(vec![(0, 19)])]).unwrap();
        let options = ReadOptions { layout: Layout::RowMajor, cells: 2000, budget: None, aggregates: Vec::new() };
        let rows = array.read(&resources, &Selection::all(1, ALWAYS), &options).unwrap();
        let number = |at: u8| rows.iter().find(|row| row.at == [at]).map(|row| row.values[&0].clone());
        for (at, expected) in [(3, 3), (4, 7), (14, 14), (15, 15), (16, 7)] {
            assert_eq!(number(at), Some(Value::Int(expected)), "{kind:?}, {at}");
        }
    }
}

/// A stopped vacuum has removed the result of the first merge, and left the file that hides its sources.
#[test]
fn copies_of_a_merge_that_a_stopped_vacuum_removed_are_verified_without_findings() {
    let shape = ArrayShape { kind: ArrayKind::Dense, ..ArrayShape::plain(false) };
    let resources = Resources::new(Config::new()).unwrap();
    for removed in 1..14 {
        let uri = Uri::parse(&format!("mem://regressions/stopped{removed}")).unwrap();
        let array = TestArray::create(&shape, &resources, &uri).unwrap();
        let merge = TestConsolidation { parameters: Vec::new(), picks: None };
        for times in [&[1_001, 1_007][..], &[1_009]] {
            for time in times {
                array.write(&resources, *time, &dense_write(0, &[*time as i64, 7], None)).unwrap();
            }
            array.consolidate(&resources, &merge).unwrap();
        }
        array.vacuum_partly(&resources, "fragments", removed).unwrap();
        let copy = Uri::parse(&format!("mem://regressions/stopped{removed}_copy")).unwrap();
        let copy = array.copy(&resources, &copy, false).unwrap();
        assert_eq!(copy.verify(&resources).unwrap(), Vec::<String>::new(), "{removed}");
    }
}

#[test]
fn maintenance_that_purges_merges_fragments_without_a_cell_that_is_alive() {
    let plain = PlainArray::new(true);
    for time in 1_001..1_010 {
        plain.write(time, &[cell(3, time as i64)]);
    }
    plain.delete(1_010, Operator::GreaterOrEqual, 0);
    for time in 1_011..1_014 {
        plain.write(time, &[cell(4, time as i64)]);
    }
    plain.delete(1_014, Operator::Equal, 1_013);
    let parameters = [
        ("sm.consolidation.purge_deleted_cells", "true"),
        ("sm.maintenance.max_fragments", "4"),
        ("sm.maintenance.retention_ms", "0"),
    ];
    let parameters = parameters.map(|(name, value)| (name, value.to_owned()));
    for _ in 0..2 {
        plain.array.maintain(&plain.resources, &parameters).unwrap();
        let mut numbers: Vec<Value> = plain.read(ALWAYS).iter().map(|row| row.values[&0].clone()).collect();
        numbers.sort();
        assert_eq!(numbers, [Value::Int(1_011), Value::Int(1_012)]);
    }
    let folder = plain.array.uri.join("__fragments");
    assert!(plain.resources.vfs().list(&folder).unwrap().len() <= 4);
}

#[test]
fn consolidation_accepts_times_of_different_digits_and_limits_below_a_tile_and_a_value() {
    for parameters in [
        ("sm.consolidation.mode", "commits"),
        ("sm.consolidation.max_fragment_size", "1"),
        // Of a field: more than a number, less than a text.
        ("sm.consolidation.buffer_size", "16"),
    ] {
        let plain = PlainArray::new(true);
        for time in 8..12 {
            let mut long = cell(4, time as i64 + 100);
            long.values.insert(2, Value::Text(vec![b'x'; 5_000]));
            plain.write(time, &[cell(3, time as i64), long]);
        }
        plain.consolidate(&vec![(parameters.0, parameters.1.to_owned())]);
        assert_eq!(plain.read(ALWAYS).len(), 8, "{parameters:?}");
    }
}

#[test]
fn vacuum_retains_a_file_of_consolidated_commits_that_is_cut_short() {
    let plain = PlainArray::new(true);
    (1_001..1_005).for_each(|time| plain.write(time, &[cell(3, time as i64)]));
    let commits = vec![("sm.consolidation.mode", "commits".to_owned())];
    plain.consolidate(&commits);
    plain.array.vacuum(&plain.resources, "commits").unwrap();
    let vfs = plain.resources.vfs();
    let files = || vfs.list(&plain.array.uri.join("__commits")).unwrap();
    let file = files().remove(0).uri;
    let bytes = vfs.read(&file).unwrap();
    vfs.put(&file, &bytes[..bytes.len() / 2 + 5]).unwrap();
    assert_eq!(plain.read(ALWAYS).len(), 2);
    assert!(!plain.array.verify(&plain.resources).unwrap().is_empty());
    plain.write(1_006, &[cell(4, 1_006)]);
    plain.consolidate(&commits);
    plain.array.vacuum(&plain.resources, "commits").unwrap();
    assert!(files().iter().any(|other| other.uri == file));
    assert_eq!(plain.read(ALWAYS).len(), 3);
}
