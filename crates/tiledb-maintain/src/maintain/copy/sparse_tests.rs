//! Copies of sparse arrays of all histories, by every way to copy: what a reader sees in each window of time, what the copy consists
//! of, and copies that are interrupted at each report and continued.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{OnMerged, RewriteOptions, downgrade, rewrite};
use crate::maintain::{MergedCells, consolidate, vacuum};
use tiledb_array::array::{ArrayDirectory, MetadataChanges, OpenArray, create, evolve};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::fragment::times_of;
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, SchemaEvolution};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result};
use tiledb_core::types::{ArrayType, CURRENT_VERSION, Datatype, FormatVersion, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_query::{Query, Status};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const KEY: EncryptionKey = EncryptionKey::None;
/// The time of the last step of every history, after the creation of the array.
const LAST: u64 = 8;

/// A step of the history of an array, at the time of its place in the history, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// Writes cells at coordinates, the second number of them from the first on.
    Write(i32, i32),
    /// Deletes cells whose value of this attribute is less.
    Delete(&'static str, i32),
    /// The same at an earlier time than that of the step, or at that of a write.
    DeleteAt(u64, &'static str, i32),
    /// Deletes cells whose value is one of two.
    DeleteSet(i32, i32),
    /// Adds this attribute, or drops it.
    Add(&'static str),
    /// Adds this attribute with another type of the same size.
    AddOther(&'static str),
    Drop(&'static str),
    Consolidate,
    Vacuum,
    Metadata,
}

use Step::{Add, AddOther, Consolidate, Delete, DeleteAt, DeleteSet, Drop, Metadata, Vacuum, Write};

const HISTORIES: [(&str, &[Step]); 14] = [
    ("empty", &[]),
    ("writes", &[Write(1, 9), Write(5, 9), Metadata, Write(2, 2)]),
    ("deletes", &[Write(1, 9), Delete("a", 104), Write(3, 9), Delete("a", 306), DeleteSet(309, 311)]),
    ("consolidated", &[Write(1, 9), Write(5, 9), Delete("a", 203), Consolidate, Write(2, 2), Delete("a", 206)]),
    ("vacuumed", &[Write(1, 9), Delete("a", 104), Write(5, 9), Consolidate, Vacuum, Delete("a", 305), Write(4, 3)]),
    ("merged", &[Write(1, 9), Write(5, 9), Consolidate, Write(2, 2)]),
    ("all deleted", &[Write(1, 3), Delete("a", 999), Metadata]),
    ("dropped", &[Write(1, 9), Delete("b", 105), Drop("b"), Write(5, 4), Delete("a", 403)]),
    ("added", &[Write(1, 5), Add("c"), Write(3, 6), Delete("c", 305), Write(1, 2)]),
    ("deleted late", &[Write(1, 9), Write(5, 9), Write(2, 2), Delete("a", 304), Consolidate, DeleteAt(2, "a", 103)]),
    ("dropped at once", &[Write(1, 9), DeleteAt(1, "b", 105), Drop("b"), Write(5, 4)]),
    ("other type", &[Write(1, 5), Delete("b", -5), Drop("b"), AddOther("b"), Write(8, 2)]),
    ("other of its name", &[Write(1, 5), Delete("b", 103), Drop("b"), Add("b"), Write(8, 2)]),
    ("added again", &[Write(1, 5), Delete("b", 103), Drop("b"), Write(8, 2), Add("b"), Write(3, 6), Delete("b", 608)]),
];

/// The ways to copy an array.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Rewrite,
    Merge,
    Downgrade(u32),
}

const WAYS: [Way; 4] = [Way::Rewrite, Way::Merge, Way::Downgrade(21), Way::Downgrade(18)];

/// A cell: its coordinate, and the values of all attributes; texts and nulls as such.
type Cell = (i32, Vec<String>);

struct History {
    resources: Resources,
    uri: Uri,
    /// The time of the creation of the array.
    created: u64,
}

impl History {
    fn with(name: &str, allows_dups: bool, config: Config) -> History {
        let resources = Resources::new(config).unwrap();
        let uri = Uri::parse(&format!("mem://copies/{name}")).unwrap();
        let ends = [1i32, 20].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&5i32.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.set_capacity(4).unwrap();
        schema.set_allows_dups(allows_dups).unwrap();
        let mut text = Attribute::new("t", Datatype::StringAscii);
        text.set_cell_val_num(u32::MAX).unwrap();
        text.set_nullable(true);
        for attribute in [number("a"), number("b"), text] {
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        create(&resources, &uri, &schema, &KEY).unwrap();
        let created = ArrayDirectory::load(resources.vfs(), &uri).unwrap();
        let created = times_of(&created.schemas()[0]).unwrap().0;
        History { resources, uri, created }
    }

    fn of(name: &str, allows_dups: bool, steps: &[Step]) -> History {
        let history = History::with(name, allows_dups, Config::new());
        (1..).zip(steps).for_each(|(time, step)| history.take(time, *step));
        history
    }

    fn open(&self, uri: &Uri, kind: QueryType, window: (u64, u64)) -> OpenArray {
        let window = (window.0 + self.created, window.1 + self.created);
        OpenArray::open(&self.resources, uri, kind, window, &KEY).unwrap()
    }

    fn take(&self, time: u64, step: Step) {
        let set = |values: [i32; 2]| {
            Comparison::set("a", &values.map(i32::to_le_bytes).concat(), &[0, 4], ComparisonOperator::In).unwrap()
        };
        match step {
            Write(first, count) => self.write(time, first, count),
            Delete(attribute, value) => self.take(time, DeleteAt(time, attribute, value)),
            DeleteAt(time, attribute, value) => {
                let bytes = value.to_le_bytes();
                self.delete(time, Comparison::new(attribute, Some(&bytes), ComparisonOperator::Less).unwrap());
            }
            DeleteSet(one, other) => self.delete(time, set([one, other])),
            Add(name) => self.evolve(time, |evolution| evolution.add_attribute(Arc::new(number(name))).unwrap()),
            AddOther(name) => {
                let other = Arc::new(Attribute::new(name, Datatype::Uint32));
                self.evolve(time, |evolution| evolution.add_attribute(other).unwrap());
            }
            Drop(name) => self.evolve(time, |evolution| evolution.drop_attribute(name)),
            Consolidate => consolidate(&self.resources, &self.uri, &mut |_| Ok(())).unwrap(),
            Vacuum => vacuum(&self.resources, &self.uri).unwrap(),
            Metadata => {
                let mut changes = MetadataChanges::default();
                changes.put(&format!("key{time}"), Datatype::Uint8, &[time as u8]).unwrap();
                changes.write(&self.resources, &self.uri, CURRENT_VERSION, self.created + time, &KEY).unwrap();
            }
        }
    }

    fn write(&self, time: u64, first: i32, count: i32) {
        let array = self.open(&self.uri, QueryType::Write, (0, time));
        let coordinates: Vec<i32> = (first..first + count).collect();
        let numbers: Vec<i32> = coordinates.iter().map(|at| 100 * time as i32 + at).collect();
        let texts: Vec<String> = numbers.iter().map(|number| "x".repeat(*number as usize % 4)).collect();
        let validity: Vec<u8> = numbers.iter().map(|number| u8::from(number % 3 > 0)).collect();
        let names: Vec<String> = array.schema().attributes().iter().map(|one| one.name().as_str().to_owned()).collect();
        let (starts, texts) = (starts(&texts), texts.concat());
        let columns = names.iter().map(|name| match name.as_str() {
            "t" => InputColumn {
                starts: Some(starts.clone().into()),
                validity: Some(&validity),
                ..column("t", texts.as_bytes())
            },
            name => column(name, bytemuck::cast_slice(&numbers)),
        });
        let columns = columns.chain([column("d", bytemuck::cast_slice(&coordinates))]).collect();
        writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap().write(&Inputs { columns }).unwrap();
    }

    fn delete(&self, time: u64, comparison: Comparison) {
        let array = Arc::new(self.open(&self.uri, QueryType::Delete, (0, time)));
        let mut query = Query::new(&array, QueryType::Delete).unwrap();
        query.set_condition(Some(Condition::new(comparison))).unwrap();
        query.submit().unwrap();
    }

    fn evolve(&self, time: u64, change: impl FnOnce(&mut SchemaEvolution)) {
        let mut evolution = SchemaEvolution::default();
        change(&mut evolution);
        evolution.set_timestamps(self.created + time, self.created + time).unwrap();
        evolve(&self.resources, &self.uri, &evolution, &KEY).unwrap();
    }

    /// The cells that a reader sees in a window of time, sorted.
    fn read(&self, uri: &Uri, window: (u64, u64)) -> Vec<Cell> {
        let array = Arc::new(self.open(uri, QueryType::Read, window));
        let names: Vec<String> = array.schema().attributes().iter().map(|one| one.name().as_str().to_owned()).collect();
        let mut query = Query::new(&array, QueryType::Read).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        let mut values: Vec<[Vec<u64>; 3]> = vec![Default::default(); names.len() + 1];
        let mut sizes = vec![[0u64; 3]; values.len()];
        for ((name, buffers), sizes) in names.iter().map(String::as_str).chain(["d"]).zip(&mut values).zip(&mut sizes) {
            *buffers = std::array::from_fn(|_| vec![0; 100]);
            *sizes = [800; 3];
            let starts = buffers.each_mut().map(|buffer| UserPtr::in_test(buffer.as_mut_ptr().cast()));
            let [data, offsets, validity] = sizes.each_mut().map(|size| UserPtr::in_test(size));
            query.set_data_buffer(name, starts[0], data).unwrap();
            if name == "t" {
                query.set_offsets_buffer(name, starts[1], offsets).unwrap();
                query.set_validity_buffer(name, starts[2], validity).unwrap();
            }
        }
        query.submit().unwrap();
        assert_eq!(query.status(), Status::Completed);
        let number = |field: usize, cell: usize| bytemuck::cast_slice::<u64, i32>(&values[field][0])[cell];
        let value = |field: usize, cell: usize| match names[field].as_str() {
            "t" => {
                let [data, offsets, validity] = &values[field];
                let end = if 8 * (cell as u64 + 1) < sizes[field][1] { offsets[cell + 1] } else { sizes[field][0] };
                let text = &bytemuck::cast_slice::<u64, u8>(data)[offsets[cell] as usize..end as usize];
                let is_valid = bytemuck::cast_slice::<u64, u8>(validity)[cell] == 1;
                if is_valid { String::from_utf8(text.to_vec()).unwrap() } else { "null".to_owned() }
            }
            _ => number(field, cell).to_string(),
        };
        let of_cell = |cell| (number(names.len(), cell), (0..names.len()).map(|field| value(field, cell)).collect());
        let mut cells: Vec<Cell> = (0..sizes[names.len()][0] as usize / 4).map(of_cell).collect();
        cells.sort();
        cells
    }

    /// The beginning of the name of the folder of a fragment that was written at a time.
    fn fragment(&self, time: u64) -> String {
        format!("__fragments/__{0}_{0}_", self.created + time)
    }

    fn target(&self, way: Way) -> Uri {
        Uri::parse(&format!("{}_{way:?}", self.uri)).unwrap()
    }

    fn copy(&self, way: Way, resume: bool, on_merged: OnMerged<'_>) -> Result<()> {
        let to = self.target(way);
        match way {
            Way::Downgrade(version) => {
                downgrade(&self.resources, &self.uri, &to, FormatVersion::from_number(version).unwrap(), on_merged)
            }
            _ => {
                let options = RewriteOptions { schema: None, merge: way == Way::Merge, resume };
                rewrite(&self.resources, &self.uri, &to, options, on_merged)
            }
        }
    }

    /// The names of all files and folders of an array.
    fn names(&self, uri: &Uri) -> BTreeSet<String> {
        let names = |folder: &Uri| {
            self.resources.vfs().names(folder).unwrap().into_iter().map(|item| item.name).collect::<Vec<_>>()
        };
        let mut all: BTreeSet<String> = BTreeSet::new();
        for folder in names(uri) {
            all.extend(names(&uri.join(&folder)).into_iter().map(|name| format!("{folder}/{name}")));
        }
        all
    }

    fn keys(&self, uri: &Uri) -> Vec<Vec<u8>> {
        let array = self.open(uri, QueryType::Read, (0, LAST));
        let metadata = array.metadata().unwrap();
        (0..metadata.len() as u64).map(|number| metadata.at(number).unwrap().0.to_vec()).collect()
    }

    /// Verifies that a copy is complete.
    fn check(&self, way: Way, context: &str) {
        let (vfs, to) = (self.resources.vfs(), self.target(way));
        let [source, copy] = [&self.uri, &to].map(|uri| ArrayDirectory::load(vfs, uri).unwrap());
        let is_evolved = source.schemas().len() > 1;
        let windows = (0..=LAST).flat_map(|start| (start..=LAST).map(move |end| (start, end)));
        // Readers at earlier times see earlier schemas of the array, and windows without some writes no merged cells.
        for window in windows.filter(|window| *window == (0, LAST) || !is_evolved && way != Way::Merge) {
            assert_eq!(self.read(&to, window), self.read(&self.uri, window), "{context} in {window:?}");
        }
        assert_eq!(self.keys(&to), self.keys(&self.uri), "{context}");
        let version = match way {
            Way::Downgrade(number) => FormatVersion::from_number(number).unwrap(),
            _ => CURRENT_VERSION,
        };
        let visible = self.open(&self.uri, QueryType::Read, (0, LAST)).fragments().unwrap().len();
        let deletes = if way == Way::Merge { 0 } else { source.deletes().len() };
        let count = if way == Way::Merge { usize::from(!self.read(&self.uri, (0, LAST)).is_empty()) } else { visible };
        assert_eq!((copy.fragments().len(), copy.deletes().len()), (count, deletes), "{context}");
        if way != Way::Downgrade(18) && !is_evolved {
            // Cells are deleted as they are read, unless the array stores which ones are, or has applied conditions.
            let stored = |uri: &Uri| {
                let array = self.open(uri, QueryType::Read, (0, LAST));
                let fragments = array.fragments().unwrap();
                let applied = fragments.iter().map(|fragment| fragment.processed_conditions().unwrap().len());
                (fragments.iter().any(|fragment| fragment.has_delete_metadata()), applied.sum::<usize>())
            };
            let expected = if way == Way::Merge { (false, 0) } else { stored(&self.uri) };
            assert_eq!(stored(&to), expected, "{context}: deleted cells are stored");
        }
        let names = copy.fragments().iter().chain(copy.deletes().iter().map(|delete| &delete.name));
        assert!(names.clone().all(|name| name.version() == version), "{context}");
        // No claim, prepared commit or folder of an earlier attempt is left.
        let folders: BTreeSet<String> =
            self.names(&to).iter().map(|name| name.split_once('/').unwrap().0.to_owned()).collect();
        let allowed = ["__commits", "__fragments", "__meta", "__schema"];
        assert!(folders.iter().all(|folder| allowed.contains(&folder.as_str())), "{context}: {folders:?}");
        let files = |folder: &str| self.names(&to).iter().filter(|name| name.starts_with(folder)).count();
        assert_eq!((files("__commits/"), files("__fragments/")), (count + deletes, count), "{context}");
        let schemas: Vec<_> = copy.schemas().iter().map(|name| times_of(name)).collect();
        let newest = source.schemas().iter().filter_map(|name| times_of(name)).max();
        assert_eq!(schemas, [newest], "{context}: the copy has the newest schema, with its time");
    }
}

fn number(name: &str) -> Attribute {
    Attribute::new(name, Datatype::Int32)
}

fn stop_after(limit: u64) -> impl FnMut(MergedCells) -> Result<()> {
    move |merged| if merged.cells >= limit { Err(Error::invalid("stopped")) } else { Ok(()) }
}

/// Versions before 20 have no deletes by a set of values; the copy has what they deleted, and not the condition.
#[test]
fn copies_of_sparse_arrays_read_as_their_arrays_do_in_every_window_of_time() {
    for allows_dups in [false, true] {
        for (name, steps) in HISTORIES {
            let history = History::of(&format!("{name} {allows_dups}"), allows_dups, steps);
            for way in WAYS {
                let context = format!("{name}, duplicates: {allows_dups}, {way:?}");
                let before = history.names(&history.uri);
                let mut reports = Vec::new();
                let report = &mut |merged: MergedCells| {
                    reports.push((merged.cells, merged.total));
                    Ok(())
                };
                history.copy(way, false, report).unwrap();
                history.check(way, &context);
                assert_eq!(history.names(&history.uri), before, "{context}: the array");
                let cells: u64 = history
                    .open(&history.uri, QueryType::Read, (0, LAST))
                    .fragments()
                    .unwrap()
                    .iter()
                    .map(|one| one.cell_count())
                    .sum();
                // A rewrite writes all cells and compares them.
                let total = if matches!(way, Way::Downgrade(_)) { cells } else { 2 * cells };
                assert!(
                    reports.is_sorted() && reports.iter().all(|report| report.1 == total),
                    "{context}: {reports:?}"
                );
                assert_eq!(reports.last().map_or(total, |report| report.0), total, "{context}: {reports:?}");
                // There is an array.
                let again = history.copy(way, false, &mut |_| Ok(())).unwrap_err();
                assert!(again.text().contains("lready exists"), "{context}: {again:?}");
            }
        }
    }
}

#[test]
fn rewrites_that_are_stopped_at_any_report_keep_the_copied_fragments_when_they_are_resumed() {
    for allows_dups in [false, true] {
        for (name, steps) in HISTORIES {
            for way in [Way::Rewrite, Way::Merge] {
                for limit in [0, 5, 9, 12, 18, 20, 25, 36] {
                    let history =
                        History::of(&format!("stopped {name} {allows_dups} {way:?} {limit}"), allows_dups, steps);
                    let context = format!("{name}, duplicates: {allows_dups}, {way:?}, stopped after {limit}");
                    let to = history.target(way);
                    let is_stopped = history.copy(way, false, &mut stop_after(limit)).is_err();
                    let fragments = |names: BTreeSet<String>| {
                        names.into_iter().filter(|name| name.starts_with("__fragments/")).collect::<BTreeSet<_>>()
                    };
                    let earlier = fragments(history.names(&to));
                    if is_stopped {
                        assert!(
                            ArrayDirectory::load(history.resources.vfs(), &to).is_err(),
                            "{context}: it is no array"
                        );
                        let other = history.copy(way, false, &mut |_| Ok(()));
                        assert!(other.unwrap_err().text().contains("the folder is not empty"), "{context}");
                    }
                    history.copy(way, true, &mut |_| Ok(())).unwrap();
                    history.check(way, &context);
                    let complete = history.names(&to);
                    assert!(earlier.is_subset(&fragments(complete.clone())), "{context}");
                    // Another one has nothing to do.
                    history.copy(way, true, &mut |_| Ok(())).unwrap();
                    assert_eq!(history.names(&to), complete, "{context}");
                }
            }
        }
    }
}

#[test]
fn downgrades_that_are_stopped_at_any_report_leave_nothing() {
    for (name, steps) in HISTORIES {
        for limit in [0, 5, 9, 18] {
            let history = History::of(&format!("downgraded {name} {limit}"), false, steps);
            let way = Way::Downgrade(20);
            if history.copy(way, false, &mut stop_after(limit)).is_err() {
                let left = history.resources.vfs().names(&history.target(way)).unwrap();
                assert!(left.is_empty(), "{name}, stopped after {limit}: {left:?}");
            }
            history
                .copy(way, false, &mut |_| Ok(()))
                .or_else(|error| if error.text().contains("already exists") { Ok(()) } else { Err(error) })
                .unwrap();
            history.check(way, name);
        }
    }
}

/// What an array becomes while a rewrite of it is stopped, and whether the rewrite may keep the fragments that were copied.
#[test]
fn resumed_rewrite_has_the_sparse_array_as_it_became_meanwhile() {
    let changes: [&[Step]; 7] = [
        &[],
        &[Delete("a", 105)],
        &[Delete("b", 105), Drop("b")],
        &[Consolidate, Vacuum],
        &[Consolidate, Vacuum, Write(1, 3)],
        &[Add("c"), Write(1, 3)],
        &[Metadata],
    ];
    for allows_dups in [false, true] {
        for (number, change) in changes.iter().enumerate() {
            for way in [Way::Rewrite, Way::Merge] {
                for limit in [9, 18, 27] {
                    let name = format!("changed {allows_dups} {number} {way:?} {limit}");
                    let steps = [Write(1, 9), Write(5, 9), Delete("a", 103)];
                    let history = History::of(&name, allows_dups, &steps);
                    history.copy(way, false, &mut stop_after(limit)).unwrap_err();
                    (4..).zip(*change).for_each(|(time, step)| history.take(time, *step));
                    history.copy(way, true, &mut |_| Ok(())).unwrap();
                    history.check(way, &name);
                }
            }
        }
    }
}

/// A fragment has the times of another one, and another number of cells.
#[test]
fn resumed_rewrite_keeps_the_copies_of_fragments_that_are_still_there() {
    for allows_dups in [false, true] {
        let history =
            History::of(&format!("kept {allows_dups}"), allows_dups, &[Write(1, 9), Write(5, 9), Write(1, 2)]);
        let (way, vfs) = (Way::Rewrite, history.resources.vfs());
        // The first two are committed.
        history.copy(way, false, &mut stop_after(19)).unwrap_err();
        let copies = |names: BTreeSet<String>| names.into_iter().find(|name| name.starts_with(&history.fragment(1)));
        let first = copies(history.names(&history.target(way))).unwrap();
        let replaced = ArrayDirectory::load(vfs, &history.uri).unwrap().fragments()[1].clone();
        // Without duplicates, a copy may have fewer cells than a merged fragment.
        history.write(2, 5, if allows_dups { 12 } else { 4 });
        vfs.remove_file(&history.uri.join(&replaced.commit().unwrap())).unwrap();
        history.copy(way, true, &mut |_| Ok(())).unwrap();
        history.check(way, "a fragment was replaced");
        assert_eq!(copies(history.names(&history.target(way))).unwrap(), first, "duplicates: {allows_dups}");
    }
}

/// Whoever resumes a copy removes the claim of the process that wrote it before.
#[test]
fn rewrite_whose_claim_another_process_has_removed_commits_nothing_more() {
    for limit in [1, 10, 19] {
        let history = History::of(&format!("overtaken {limit}"), false, &[Write(1, 9), Write(5, 9), Write(2, 9)]);
        let (way, vfs) = (Way::Rewrite, history.resources.vfs());
        let to = history.target(way);
        let commits = || history.names(&to).into_iter().filter(|name| name.ends_with(".wrt")).collect::<Vec<_>>();
        let mut committed = None;
        let overtaken = history.copy(way, false, &mut |merged| {
            if merged.cells >= limit && committed.is_none() {
                let claims = history.names(&to).into_iter().filter(|name| name.contains(".copy"));
                let claims: Vec<Uri> = claims.map(|name| to.join(&name)).collect();
                assert_eq!(claims.len(), 1);
                vfs.remove_files(&claims)?;
                committed = Some(commits());
            }
            Ok(())
        });
        assert!(overtaken.unwrap_err().text().contains("another process has resumed it"), "{limit}");
        assert_eq!(Some(commits()), committed, "{limit}");
        history.copy(way, true, &mut |_| Ok(())).unwrap();
        history.check(way, "overtaken");
    }
}

#[test]
fn rewrite_is_not_resumed_with_another_schema() {
    let history = History::of("schemas", false, &[Write(1, 9), Write(5, 9)]);
    let (resources, to) = (&history.resources, history.target(Way::Rewrite));
    let schema = |capacity: u64, filters: [Option<FilterType>; 2]| {
        let array = history.open(&history.uri, QueryType::Read, (0, LAST));
        let pipeline = |filter: Option<FilterType>| Pipeline::new(filter.into_iter().map(Filter::new).collect());
        let [of_fields, of_offsets] = filters.map(pipeline);
        let validity = array.schema().validity_filters().clone();
        let mut schema = array.schema().with_filters(&|_| Some(of_fields.clone()), [&of_offsets, &validity]).unwrap();
        schema.set_capacity(capacity).unwrap();
        schema
    };
    let rewrite = |schema: &ArraySchema, resume, limit| {
        let options = RewriteOptions { schema: Some(schema), merge: false, resume };
        rewrite(resources, &history.uri, &to, options, &mut stop_after(limit))
    };
    let none = [None, None];
    rewrite(&schema(5, none), false, 9).unwrap_err();
    for other in [schema(6, none), schema(5, [Some(FilterType::Lz4), None]), schema(5, [None, Some(FilterType::Lz4)])] {
        let error = rewrite(&other, true, u64::MAX).unwrap_err();
        assert!(error.text().contains("has another schema"), "{error:?}");
    }
    rewrite(&schema(5, none), true, u64::MAX).unwrap();
    history.check(Way::Rewrite, "the same schema");
    assert_eq!(history.open(&to, QueryType::Read, (0, LAST)).schema().capacity(), 5);
}

#[test]
fn rewrite_of_an_array_of_an_earlier_version_has_the_present_one() {
    let mut config = Config::new();
    config.set("sm.write_format_version", "20").unwrap();
    let mut history = History::with("older", false, config);
    history.take(1, Write(1, 9));
    history.resources = history.resources.with_config(Config::new()).unwrap();
    assert_eq!(history.open(&history.uri, QueryType::Read, (0, LAST)).schema().version().number(), 20);
    for way in [Way::Rewrite, Way::Merge] {
        history.copy(way, false, &mut |_| Ok(())).unwrap();
        history.check(way, "older");
        assert_eq!(history.open(&history.target(way), QueryType::Read, (0, LAST)).schema().version(), CURRENT_VERSION);
    }
}

/// A fragment that has the times and the number of cells of another one, and other cells.
#[test]
fn resumed_rewrite_finds_copies_that_differ_and_writes_them_anew_unless_others_may_have_written_them() {
    for (is_published, way) in [(false, Way::Rewrite), (true, Way::Rewrite), (false, Way::Merge), (true, Way::Merge)] {
        let history = History::of(&format!("differs {is_published} {way:?}"), false, &[Write(1, 9), Write(5, 9)]);
        let mut stop = stop_after(if is_published { u64::MAX } else { 18 });
        assert_eq!(history.copy(way, false, &mut stop).is_ok(), is_published);
        // The array is removed, and another one has fragments of the same times.
        let names = ArrayDirectory::load(history.resources.vfs(), &history.uri).unwrap().fragments().to_vec();
        for (time, first) in [(1, 2), (2, 6)] {
            history.write(time, first, 9);
        }
        for name in &names {
            history.resources.vfs().remove_file(&history.uri.join(&name.commit().unwrap())).unwrap();
        }
        let resumed = history.copy(way, true, &mut |_| Ok(()));
        match is_published {
            true => {
                let error = resumed.unwrap_err();
                assert!(error.text().contains("differs from"), "{way:?}: {error:?}");
            }
            false => {
                resumed.unwrap();
                history.check(way, "differing copies");
            }
        }
    }
}

/// The copy is an array, so that nothing of it is removed.
#[test]
fn rewrite_is_not_resumed_after_an_attribute_has_changed_its_type() {
    let history = History::of("retyped", false, &[Write(1, 9)]);
    history.copy(Way::Rewrite, false, &mut |_| Ok(())).unwrap();
    (2..).zip([Drop("b"), AddOther("b")]).for_each(|(time, step)| history.take(time, step));
    let error = history.copy(Way::Rewrite, true, &mut |_| Ok(())).unwrap_err();
    assert!(error.text().contains("has another schema"), "{error:?}");
}

#[test]
fn rewrite_refuses_filters_that_the_written_version_lacks() {
    let history = History::of("features", false, &[Write(1, 9)]);
    let array = history.open(&history.uri, QueryType::Read, (0, LAST));
    let delta = Pipeline::new(vec![Filter::new(FilterType::Delta)]);
    let offsets = array.schema().offsets_filters();
    let filters = [offsets, array.schema().validity_filters()];
    let schema = array
        .schema()
        .with_filters(
            &|field| Some(if field.name.as_str() == "a" { delta.clone() } else { field.filters.clone() }),
            filters,
        )
        .unwrap();
    for (version, is_refused) in [("18", true), ("22", false)] {
        let mut config = Config::new();
        config.set("sm.write_format_version", version).unwrap();
        let resources = history.resources.with_config(config).unwrap();
        let options = RewriteOptions { schema: Some(&schema), merge: false, resume: false };
        let written = rewrite(&resources, &history.uri, &history.target(Way::Rewrite), options, &mut |_| Ok(()));
        assert_eq!(
            written.as_ref().is_err_and(|error| error.text().contains("requires version")),
            is_refused,
            "{written:?}"
        );
    }
}
