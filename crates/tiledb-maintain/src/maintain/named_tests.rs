//! Which fragments a consolidation selects or refuses, and consolidations of named ones.

use std::ops::Range;
use std::sync::Arc;

use super::plan::ConsolidationPlan;
use super::tests::Tiled;
use super::{consolidate, consolidate_fragments};
use tiledb_array::array::{ArrayDirectory, OpenArray, create, evolve};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, SchemaEvolution};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::write::testing::{self, column};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Datatype, Layout, Name, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, Pipeline};
use tiledb_query::{Query, Status};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const WHOLE: [(i32, i32); 2] = [(1, 12), (1, 9)];

/// The fragments that readers see, by time.
fn visible(resources: &Resources, uri: &Uri) -> Vec<FragmentName> {
    let directory = ArrayDirectory::load(resources.vfs(), uri).unwrap();
    directory.visible(resources.vfs(), (0, u64::MAX), true).unwrap().0
}

impl Tiled {
    fn visible(&self) -> Vec<FragmentName> {
        visible(&self.resources, &self.uri)
    }

    fn consolidate_named(&self, names: &[FragmentName]) -> Result<()> {
        let names: Vec<String> = names.iter().map(|name| name.as_str().to_owned()).collect();
        consolidate_fragments(&self.resources, &self.uri, &names, &mut |_| Ok(()))
    }
}

/// As libtiledb, which compares the tiles around the fragments.
#[test]
fn named_dense_fragments_are_refused_if_another_one_of_their_time_shares_a_tile() {
    // Times and columns of a third fragment; tiles have three columns.
    for (number, (time, columns, is_refused)) in
        [(1, (4, 4), true), (2, (4, 4), true), (3, (4, 4), false), (1, (7, 9), false), (2, (6, 6), true)]
            .into_iter()
            .enumerate()
    {
        let array = Tiled::new(&format!("older_neighbour_{number}"));
        array.write(1, [(1, 12), (1, 3)]);
        array.write(2, [(1, 12), (4, 5)]);
        let names = array.visible();
        array.write(time, [(1, 1), columns]);
        let merged = array.consolidate_named(&names);
        assert_eq!(merged.is_err(), is_refused, "{time} {columns:?}: {merged:?}");
        assert_eq!(array.visible().len(), if is_refused { 3 } else { 2 }, "{time} {columns:?}");
    }
}

#[test]
fn named_fragments_have_to_exist() {
    let array = Tiled::new("named_missing");
    array.write(1, [(1, 12), (1, 3)]);
    array.write(2, [(1, 12), (4, 9)]);
    let mut names = array.visible();
    let mut other = FragmentName::new(3, 3, names[0].version());
    std::mem::swap(&mut names[1], &mut other);
    let error = array.consolidate_named(&names).unwrap_err();
    assert!(error.text().contains("Found 1 of 2 required fragments"), "{error:?}");
    // A single one is merged already.
    array.consolidate_named(&names[..1]).unwrap();
    assert_eq!(array.visible().len(), 2);
}

/// Even where all tiles are copied as they are stored.
#[test]
fn dense_fragments_are_not_merged_without_memory_for_buffers() {
    let array = Tiled::new("no_buffers");
    array.write(1, [(1, 12), (1, 3)]);
    array.write(2, [(1, 12), (4, 9)]);
    let mut config = array.resources.config().clone();
    config.set("sm.mem.consolidation.buffers_weight", "0").unwrap();
    let resources = array.resources.with_config(config).unwrap();
    assert!(consolidate(&resources, &array.uri, &mut |_| Ok(())).is_err());
    assert_eq!(array.visible().len(), 2);
    array.write(3, WHOLE);
    consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap();
    assert_eq!(array.visible().len(), 1);
}

impl Tiled {
    /// Adds an attribute of numbers.
    fn add_attribute(&self, attribute: Attribute) {
        let mut evolution = SchemaEvolution::default();
        evolution.add_attribute(Arc::new(attribute)).unwrap();
        evolve(&self.resources, &self.uri, &evolution, &EncryptionKey::None).unwrap();
    }

    /// Writes a box of cells that has the attribute `m`, too.
    fn write_with_m(&self, sides: [(i32, i32); 2], m: &[u8]) {
        let cells: i32 = sides.iter().map(|side| side.1 - side.0 + 1).product();
        let numbers: Vec<i32> = (0..cells).collect();
        let window = (0, timestamp_now());
        let array = OpenArray::open(&self.resources, &self.uri, QueryType::Write, window, &EncryptionKey::None);
        let mut writer = writer(testing::spec(array.unwrap(), Layout::RowMajor, &sides, u64::MAX)).unwrap();
        let text = InputColumn { starts: Some(vec![0; cells as usize].into()), ..column("t", b"") };
        let columns = vec![column("n", bytemuck::cast_slice(&numbers)), text, column("m", m)];
        writer.write(&Inputs { columns: columns.into() }).unwrap();
        writer.finish().unwrap();
    }
}

/// Tiles are copied as they are stored from fragments that store all attributes, and written anew where a later one overlaps them that
/// lacks one.
#[test]
fn tiles_of_fragments_that_lack_an_attribute_are_written_anew() {
    let array = Tiled::new("lacking");
    array.write(1, WHOLE);
    array.add_attribute(Attribute::new("m", Datatype::Int32));
    let numbers: Vec<i32> = (0..36).collect();
    // Whole tiles.
    array.write_with_m([(5, 8), (1, 9)], bytemuck::cast_slice(&numbers));
    let window = (0, u64::MAX);
    let before = array.read_in(&array.uri, window);
    consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap();
    assert_eq!(array.visible().len(), 1);
    assert!(array.read_in(&array.uri, window) == before);
}

/// They are padded with values that the filters can store; sparse ones are left out.
#[test]
fn dense_fragments_are_merged_even_if_filters_cannot_store_a_fill_value() {
    let array = Tiled::new("unstorable");
    array.write(1, [(1, 4), (1, 3)]);
    let mut attribute = Attribute::new("m", Datatype::Float64);
    let scale = Filter::ScaleFloat { factor: 1.0, offset: 0.0, byte_width: 1 };
    attribute.set_filters(Pipeline::new(vec![scale])).unwrap();
    array.add_attribute(attribute);
    let numbers: Vec<f64> = (0..108).map(f64::from).collect();
    array.write_with_m(WHOLE, bytemuck::cast_slice(&numbers));
    let window = (0, u64::MAX);
    let before = array.read_in(&array.uri, window);
    consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap();
    assert_eq!(array.visible().len(), 1);
    assert!(array.read_in(&array.uri, window) == before);
}

/// A merged dense fragment has the cells between its sources, too. It must not supersede a fragment among these that another merge
/// has replaced, which readers at earlier times see.
#[test]
fn merged_fragment_is_before_replaced_ones_that_it_surrounds() {
    let array = Tiled::new("surrounds_replaced");
    [(1, 3), (4, 6), (7, 9)].into_iter().for_each(|columns| array.write(1, [(1, 12), columns]));
    array.write(2, [(1, 12), (4, 6)]);
    let windows = [(0, 1), (1, 1), (0, 2), (2, 2)];
    let read = || windows.map(|window| array.read_in(&array.uri, window));
    let before = read();
    let names = array.visible();
    array.consolidate_named(&[names[1].clone(), names[3].clone()]).unwrap();
    let mut config = array.resources.config().clone();
    for (name, value) in [("steps", "1"), ("step_min_frags", "2"), ("step_max_frags", "2")] {
        config.set(&format!("sm.consolidation.{name}"), value).unwrap();
    }
    let resources = array.resources.with_config(config).unwrap();
    consolidate(&resources, &array.uri, &mut |_| Ok(())).unwrap();
    let times: Vec<(u64, u64)> = array.visible().iter().map(FragmentName::timestamps).collect();
    assert_eq!(times, [(1, 1), (1, 2)]);
    assert!(read() == before);
}

/// A sparse array whose fragments have so many cells, at other coordinates each.
fn sparse(name: &str, fragments: &[i32], parameters: &[(&str, &str)]) -> (Resources, Uri) {
    let mut config = Config::new();
    for (name, value) in parameters {
        config.set(&format!("sm.consolidation.{name}"), value).unwrap();
    }
    let resources = Resources::new(config).unwrap();
    let uri = Uri::parse(&format!("mem://named/{name}")).unwrap();
    let ends = [0i32, 1 << 20].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&1000i32.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    let mut first = 0;
    for (time, &count) in (1..).zip(fragments) {
        write_sparse(&resources, &uri, time, first..first + count);
        first += count;
    }
    (resources, uri)
}

/// Writes cells whose values tell their time.
fn write_sparse(resources: &Resources, uri: &Uri, time: u64, cells: Range<i32>) {
    let cells: Vec<i32> = cells.collect();
    let values: Vec<i32> = cells.iter().map(|cell| 1000 * time as i32 + cell).collect();
    let array = OpenArray::open(resources, uri, QueryType::Write, (0, time), &EncryptionKey::None).unwrap();
    let mut writer = writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap();
    let columns = [("a", &values), ("d", &cells)].map(|(name, cells)| column(name, bytemuck::cast_slice(cells)));
    writer.write(&Inputs { columns: columns.to_vec().into() }).unwrap();
    writer.finish().unwrap();
}

/// The values of an attribute of all cells.
fn read(resources: &Resources, uri: &Uri, name: &str) -> Vec<i32> {
    let array = OpenArray::open(resources, uri, QueryType::Read, (0, 99), &EncryptionKey::None).unwrap();
    let mut query = Query::new(&Arc::new(array), QueryType::Read).unwrap();
    query.set_layout(Layout::RowMajor).unwrap();
    let mut values = vec![0i32; 200];
    let mut size = 800;
    let start = UserPtr::in_test(values.as_mut_ptr().cast());
    query.set_data_buffer(name, start, UserPtr::in_test(&raw mut size)).unwrap();
    query.submit().unwrap();
    assert_eq!(query.status(), Status::Completed);
    values.truncate(size as usize / 4);
    values
}

/// Deletes the cells whose values are at least this one.
fn delete(resources: &Resources, uri: &Uri, time: u64, least: i32) {
    let array = OpenArray::open(resources, uri, QueryType::Delete, (0, time), &EncryptionKey::None).unwrap();
    let mut query = Query::new(&Arc::new(array), QueryType::Delete).unwrap();
    let comparison = Comparison::new("a", Some(&least.to_le_bytes()), ComparisonOperator::GreaterOrEqual).unwrap();
    query.set_condition(Some(Condition::new(comparison))).unwrap();
    query.submit().unwrap();
}

/// Older than the deletion are also the cells that were written at its time.
#[test]
fn deletion_between_the_times_of_a_merged_fragment_deletes_its_older_cells() {
    for is_merged in [false, true] {
        for time in 1..=3 {
            let (resources, uri) = sparse(&format!("deleted at {time} {is_merged}"), &[3, 3, 3], &[]);
            if is_merged {
                consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
            }
            assert_eq!(visible(&resources, &uri).len(), if is_merged { 1 } else { 3 });
            // All but the first of them.
            delete(&resources, &uri, time, 1001);
            let expected: Vec<i32> = (0..9)
                .map(|cell| 1000 * (1 + cell / 3) + cell)
                .filter(|&a| a == 1000 || a / 1000 > time as i32)
                .collect();
            assert_eq!(read(&resources, &uri, "a"), expected, "deleted at {time}, merged: {is_merged}");
        }
    }
}

/// Older cells at the same coordinates would be read again without the deleted ones.
#[test]
fn deleted_cells_of_named_fragments_stay_while_they_supersede_others() {
    for purges in [false, true] {
        for is_superseding in [false, true] {
            let (resources, uri) = sparse(
                &format!("purged {purges} {is_superseding}"),
                &[],
                &[("purge_deleted_cells", if purges { "true" } else { "false" })],
            );
            write_sparse(&resources, &uri, 1, 0..4);
            write_sparse(&resources, &uri, 2, 50..54);
            let cells = if is_superseding { 2..6 } else { 60..64 };
            write_sparse(&resources, &uri, 3, cells);
            delete(&resources, &uri, 4, 3000);
            let before = read(&resources, &uri, "a");
            assert_eq!(before.len(), if is_superseding { 6 } else { 8 });
            let names: Vec<String> =
                visible(&resources, &uri)[1..].iter().map(|name| name.as_str().to_owned()).collect();
            consolidate_fragments(&resources, &uri, &names, &mut |_| Ok(())).unwrap();
            let context = format!("purges: {purges}, superseding: {is_superseding}");
            assert_eq!(read(&resources, &uri, "a"), before, "{context}");
            let array = OpenArray::open(&resources, &uri, QueryType::Read, (0, 99), &EncryptionKey::None).unwrap();
            let cells = array.fragments().unwrap()[1].cell_count();
            assert_eq!(cells, if purges && !is_superseding { 4 } else { 8 }, "{context}");
        }
    }
}

/// Of equally many fragments the smallest are merged, and the first of those that are about as small.
#[test]
fn step_merges_the_first_of_the_smallest_fragments() {
    for (name, fragments, expected) in [
        ("equal", &[2000, 2000, 2000, 2000][..], (1, 2)),
        ("hardly smaller", &[2000, 2000, 1900, 1900], (1, 2)),
        ("smaller", &[20_000, 20_000, 20, 20], (3, 4)),
        ("larger", &[20, 20, 20_000, 20_000], (1, 2)),
        ("in between", &[20_000, 20, 20, 20_000], (2, 3)),
    ] {
        let limits = [("step_min_frags", "2"), ("step_max_frags", "2"), ("steps", "1")];
        let (resources, uri) = sparse(name, fragments, &limits);
        consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
        let merged: Vec<(u64, u64)> =
            visible(&resources, &uri).iter().map(FragmentName::timestamps).filter(|times| times.0 < times.1).collect();
        assert_eq!(merged, [expected], "{name}");
    }
}

/// More fragments are better than smaller ones; their sizes must not differ too much.
#[test]
fn step_merges_as_many_fragments_of_similar_size_as_it_may() {
    for (name, ratio, fragments, expected) in [
        ("any", "0.0", &[20_000, 20_000, 20, 20, 20][..], vec![(1, 5)]),
        ("similar", "0.5", &[20_000, 20_000, 20, 20, 20], vec![(3, 5)]),
        ("most", "0.5", &[20, 20, 20_000, 20_000, 20_000], vec![(3, 5)]),
        ("none", "0.9", &[20, 20_000, 20, 20_000], vec![]),
    ] {
        let limits = [("step_min_frags", "2"), ("step_max_frags", "9"), ("steps", "1"), ("step_size_ratio", ratio)];
        let (resources, uri) = sparse(name, fragments, &limits);
        consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
        let merged: Vec<(u64, u64)> =
            visible(&resources, &uri).iter().map(FragmentName::timestamps).filter(|times| times.0 < times.1).collect();
        assert_eq!(merged, expected, "{name}");
    }
}

#[test]
fn plan_is_printed_as_json() {
    let plan = |nodes: &[&[&str]]| {
        let nodes = nodes.iter().map(|names| names.iter().map(|name| Name::new(name)).collect()).collect();
        ConsolidationPlan::from_parts(nodes).dump()
    };
    assert_eq!(plan(&[]), "{\n  \"nodes\": [\n  ]\n}\n");
    let expected = r#"{
  "nodes": [
    {
      "uris" : [
        {
           "uri" : "a"
        },
        {
           "uri" : "b"
        }
      ]
    },
    {
      "uris" : [
        {
           "uri" : "c"
        }
      ]
    }
  ]
}
"#;
    assert_eq!(plan(&[&["a", "b"], &["c"]]), expected);
}
