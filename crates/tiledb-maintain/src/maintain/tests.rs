use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use tiledb_array::array::{ArrayDirectory, MetadataChanges, OpenArray, create, evolve};
use tiledb_array::fragment::FragmentName;
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, Field, SchemaEvolution};
use tiledb_cells::Subarray;
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::space::grid::{CoordSpan, Grid};
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::budget::BudgetShare;
use tiledb_core::config::Config;
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::Stats;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, Datatype, Layout, QueryType};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_query::read::dense::reader::DenseReader;
use tiledb_query::read::spec::{CellVersions, ReadSpec};
use tiledb_storage::vfs::Vfs;

/// An array whose commits are of fragments that are not there.
struct Commits {
    resources: Resources,
    uri: Uri,
}

impl Commits {
    fn new(name: &str) -> Commits {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse(&format!("mem://maintain/{name}")).unwrap();
        let dimension = Dimension::new("d", Datatype::StringAscii, None, None).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int8))).unwrap();
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        Commits { resources, uri }
    }

    fn vfs(&self) -> &Vfs {
        self.resources.vfs()
    }

    fn commit(&self, time: u64, extension: &str, bytes: &[u8]) -> FragmentName {
        let name = FragmentName::new(time, time, CURRENT_VERSION);
        self.vfs().put(&self.uri.join(&format!("__commits/{name}.{extension}")), bytes).unwrap();
        if extension == "wrt" {
            self.vfs().put(&self.uri.join(&format!("__fragments/{name}/a0.tdb")), b"cells").unwrap();
        }
        name
    }

    /// Number of commit files by extension.
    fn files(&self) -> BTreeMap<String, usize> {
        let mut files = BTreeMap::new();
        for item in self.vfs().names(&self.uri.join("__commits")).unwrap() {
            *files.entry(item.name.rsplit_once('.').unwrap().1.to_owned()).or_default() += 1;
        }
        files
    }

    fn consolidate(&self) {
        commits::consolidate(&self.resources, &self.uri, &EncryptionKey::None).unwrap();
    }

    fn vacuum(&self) {
        vacuum_commits::vacuum(&self.resources, &self.uri, &mut FileRemoval::new(self.resources.vfs())).unwrap();
    }

    /// The times of fragments and of deletions.
    fn times(&self) -> (Vec<u64>, Vec<u64>) {
        let directory = ArrayDirectory::load(self.vfs(), &self.uri).unwrap();
        let fragments = directory.fragments().iter().map(|name| name.timestamps().0).collect();
        (fragments, directory.deletes().iter().map(|delete| delete.name.timestamps().0).collect())
    }
}

fn counts(counts: &[(&str, usize)]) -> BTreeMap<String, usize> {
    counts.iter().map(|(extension, count)| ((*extension).to_owned(), *count)).collect()
}

#[test]
fn commits_move_from_file_to_file_and_stay_the_same() {
    let array = Commits::new("commits");
    array.consolidate();
    array.vacuum();
    assert_eq!(array.files(), counts(&[]));
    // Nine and ten sort otherwise as texts.
    for time in [10, 9] {
        array.commit(time, "wrt", b"");
    }
    array.commit(11, "del", b"a condition\n");
    let all = (vec![9, 10], vec![11]);
    for _ in 0..2 {
        array.consolidate();
        assert_eq!(array.times(), all);
        array.vacuum();
        assert_eq!((array.times(), array.files()), (all.clone(), counts(&[("con", 1)])));
    }
    array.commit(12, "wrt", b"");
    array.vacuum();
    assert_eq!(array.files(), counts(&[("con", 1), ("wrt", 1)]));
    array.consolidate();
    assert_eq!(array.files(), counts(&[("con", 2), ("wrt", 1)]));
    array.vacuum();
    assert_eq!((array.times(), array.files()), ((vec![9, 10, 12], vec![11]), counts(&[("con", 1)])));
    let directory = ArrayDirectory::load(array.vfs(), &array.uri).unwrap();
    let delete = &directory.deletes()[0];
    let range = delete.range.clone().unwrap();
    let bytes = array.vfs().read(&delete.uri).unwrap();
    assert_eq!(&bytes[range.start as usize..range.end as usize], b"a condition\n");
}

#[test]
fn replaced_fragments_go_with_their_commits() {
    let array = Commits::new("fragments");
    let names: Vec<FragmentName> = (1..=3).map(|time| array.commit(time, "wrt", b"")).collect();
    let folder = |name: &FragmentName| array.uri.join("__fragments").join(name.as_str());
    array.consolidate();
    array.vacuum();
    let lines = format!("/__fragments/{}\n/__fragments/{}\n", names[0], names[1]);
    array.commit(2, "vac", lines.as_bytes());
    vacuum::fragments(&array.resources, &array.uri, u64::MAX, &mut FileRemoval::new(array.resources.vfs())).unwrap();
    assert_eq!((array.times().0, array.files()), (vec![3], counts(&[("con", 1), ("ign", 1)])));
    assert_eq!(
        names.iter().map(|name| array.vfs().is_dir(&folder(name)).unwrap()).collect::<Vec<_>>(),
        [false, false, true]
    );
    // What is ignored is forgotten as soon as no file states it.
    array.consolidate();
    array.vacuum();
    assert_eq!((array.times().0, array.files()), (vec![3], counts(&[("con", 1)])));
    vacuum::fragments(&array.resources, &array.uri, u64::MAX, &mut FileRemoval::new(array.resources.vfs())).unwrap();
    assert_eq!(array.times().0, [3]);
}

/// Fragments are vacuumed before a step of a consolidation of commits, which then continues or is killed.
#[test]
fn vacuum_during_consolidation_of_commits_leaves_no_commit_without_fragment() {
    for suspended_before in CommitsStep::FENCED {
        for is_killed in [false, true] {
            let array = Commits::new(&format!("suspended_{suspended_before:?}_{is_killed}"));
            let names: Vec<FragmentName> = (1..=3).map(|time| array.commit(time, "wrt", b"")).collect();
            let mut is_vacuumed = false;
            let mut vacuum = |step: CommitsStep| {
                if step == suspended_before && !std::mem::replace(&mut is_vacuumed, true) {
                    let lines = format!("/__fragments/{}\n/__fragments/{}\n", names[0], names[1]);
                    array.commit(2, "vac", lines.as_bytes());
                    vacuum::fragments(&array.resources, &array.uri, u64::MAX, &mut FileRemoval::new(array.vfs()))?;
                    if is_killed {
                        return Err(Error::invalid("killed"));
                    }
                }
                Ok(())
            };
            let consolidated = commits::consolidate_by(&array.resources, &array.uri, &EncryptionKey::None, &mut vacuum);
            assert!(is_vacuumed && consolidated.is_err() == is_killed, "{suspended_before:?}: {consolidated:?}");
            assert_eq!(array.times().0, [3], "{suspended_before:?}, killed: {is_killed}");
            assert!(!array.files().contains_key("prepared"));
        }
    }
}

#[test]
fn resumed_rewrite_rejects_metadata_that_the_array_has_no_more() {
    let array = Commits::new("resumed_metadata");
    let (resources, uri, key) = (&array.resources, &array.uri, &EncryptionKey::None);
    let to = Uri::parse("mem://maintain/resumed_metadata_copy").unwrap();
    let rewrite = |resume| {
        let options = RewriteOptions { resume, ..RewriteOptions::default() };
        rewrite(resources, uri, &to, options, &mut |_| Ok(()))
    };
    let mut changes = MetadataChanges::default();
    changes.put("deleted", Datatype::Uint8, &[1]).unwrap();
    changes.write(resources, uri, CURRENT_VERSION, 10, key).unwrap();
    rewrite(false).unwrap();
    rewrite(true).unwrap();
    let mut changes = MetadataChanges::default();
    changes.delete("deleted").unwrap();
    changes.write(resources, uri, CURRENT_VERSION, 20, key).unwrap();
    tiledb_array::array::consolidate_metadata(resources, uri, (0, u64::MAX), CURRENT_VERSION, true, key).unwrap();
    tiledb_array::array::vacuum_metadata(uri, &mut FileRemoval::new(array.vfs())).unwrap();
    let error = rewrite(true).unwrap_err();
    assert!(error.text().contains("is not from"), "{error:?}");
}

#[test]
fn fewer_than_two_footers_are_not_gathered() {
    let array = Commits::new("footers");
    fragment_metadata::consolidate(&array.resources, &array.uri, &EncryptionKey::None).unwrap();
    fragment_metadata::vacuum(&array.resources, &array.uri, &mut FileRemoval::new(array.resources.vfs())).unwrap();
    let open = OpenArray::open(
        &array.resources,
        &array.uri,
        tiledb_core::types::QueryType::Read,
        (0, 9),
        &EncryptionKey::None,
    );
    assert!(open.unwrap().directory().fragment_metas().is_empty());
}

#[test]
fn nothing_is_not_maintained() {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://maintain/nothing").unwrap();
    let text = |result: Result<()>| result.unwrap_err().text().to_owned();
    let missing = "Array does not exist. There is no array at 'mem://maintain/nothing': check the URI, or create the array with \
                   tiledb_array_create";
    assert_eq!(
        text(consolidate(&resources, &uri, &mut |_| Ok(()))),
        format!("Consolidator: Cannot consolidate array; {missing}")
    );
    assert_eq!(text(vacuum(&resources, &uri)), format!("TileDB internal: Cannot open array; {missing}"));
}

/// A sparse array with two fragments of one cell each, in a context of its own.
pub(super) fn two_fragments(name: &str) -> (Resources, Uri) {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse(&format!("mem://maintain/{name}")).unwrap();
    let ends = [1i32, 9].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&9i32.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    for time in [1i32, 2] {
        let end = time as u64;
        let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, end), &EncryptionKey::None).unwrap();
        let cell = time.to_le_bytes();
        let inputs = Inputs { columns: vec![column("d", &cell), column("a", &cell)].into() };
        writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap().write(&inputs).unwrap();
    }
    (resources, uri)
}

fn names_in(resources: &Resources, folder: &Uri) -> usize {
    resources.vfs().names(folder).unwrap().len()
}

#[test]
fn what_is_cancelled_leaves_nothing_behind() {
    let (resources, uri) = two_fragments("cancelled");
    resources.cancel().request();
    assert_eq!(consolidate(&resources, &uri, &mut |_| Ok(())).unwrap_err().kind(), ErrorKind::Cancelled);
    resources.cancel().reset();
    let [commits, fragments] = ["__commits", "__fragments"].map(|folder| uri.join(folder));
    assert_eq!((names_in(&resources, &commits), names_in(&resources, &fragments)), (2, 2));
    let refuse = |done: MergedCells| if done.cells == done.total { Err(Error::invalid("no more")) } else { Ok(()) };
    let refused = consolidate(&resources, &uri, &mut { refuse }).unwrap_err();
    assert_eq!(refused.text().to_string(), "no more");
    assert_eq!((names_in(&resources, &commits), names_in(&resources, &fragments)), (2, 2));
    let mut reports = Vec::new();
    let report = |done: MergedCells| {
        reports.push((done.cells, done.total));
        Ok(())
    };
    consolidate(&resources, &uri, &mut { report }).unwrap();
    assert_eq!(reports, [(2, 2), (2, 2)]);
    assert_eq!((names_in(&resources, &commits), names_in(&resources, &fragments)), (4, 3));
    vacuum(&resources, &uri).unwrap();
    assert_eq!((names_in(&resources, &commits), names_in(&resources, &fragments)), (1, 1));
    let directory = ArrayDirectory::load(resources.vfs(), &uri).unwrap();
    assert_eq!(directory.fragments()[0].timestamps(), (1, 2));
}

#[test]
fn merge_is_not_planned_again_while_the_result_of_another_one_stands_beside_its_sources() {
    let (resources, uri) = two_fragments("pending");
    let [commits, fragments] = ["__commits", "__fragments"].map(|folder| uri.join(folder));
    let mut has_other = false;
    let other = |_: MergedCells| {
        if !std::mem::replace(&mut has_other, true) {
            consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
            // It has committed its result, and not hidden its sources yet.
            let files = resources.vfs().names(&commits).unwrap();
            let vacuum = files.iter().find(|file| file.name.ends_with(".vac")).unwrap();
            resources.vfs().remove_file(&commits.join(&vacuum.name)).unwrap();
        }
        Ok(())
    };
    let refused = consolidate(&resources, &uri, &mut { other }).unwrap_err();
    assert!(refused.text().contains("another consolidation has created fragment"), "{refused}");
    assert_eq!((names_in(&resources, &commits), names_in(&resources, &fragments)), (3, 3));
}

/// A dense array of 12 x 9 cells in tiles of 4 x 3, with numbers that have digests, and strings.
pub(super) struct Tiled {
    pub(super) resources: Resources,
    pub(super) uri: Uri,
}

impl Tiled {
    pub(super) fn new(name: &str) -> Tiled {
        Tiled::with(name, &[("sm.consolidation.amplification", "100")])
    }

    fn with(name: &str, parameters: &[(&str, &str)]) -> Tiled {
        let mut config = Config::new();
        parameters.iter().for_each(|(name, value)| config.set(name, value).unwrap());
        let resources = Resources::new(config).unwrap();
        let uri = Uri::parse(&format!("mem://maintain/{name}")).unwrap();
        let dimension = |name: &str, last: i32, extent: i32| {
            let ends = [1, last].map(i32::to_le_bytes).concat();
            Arc::new(Dimension::new(name, Datatype::Int32, Some(&ends), Some(&extent.to_le_bytes())).unwrap())
        };
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![dimension("r", 12, 4), dimension("c", 9, 3)]))).unwrap();
        let mut number = Attribute::new("n", Datatype::Int32);
        let filters = [FilterType::Zstd, FilterType::ChecksumSha256].map(Filter::new);
        number.set_filters(Pipeline::new(filters.into())).unwrap();
        schema.add_attribute(Arc::new(number)).unwrap();
        let mut text = Attribute::new("t", Datatype::StringAscii);
        text.set_cell_val_num(u32::MAX).unwrap();
        schema.add_attribute(Arc::new(text)).unwrap();
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        Tiled { resources, uri }
    }

    fn open(&self, query: QueryType, end: u64) -> OpenArray {
        OpenArray::open(&self.resources, &self.uri, query, (0, end), &EncryptionKey::None).unwrap()
    }

    /// Writes a box of cells, from the first to the last one per dimension.
    pub(super) fn write(&self, time: u64, sides: [(i32, i32); 2]) {
        let spec = testing::spec(self.open(QueryType::Write, time), Layout::RowMajor, &sides, u64::MAX);
        let cells: i32 = sides.iter().map(|side| side.1 - side.0 + 1).product();
        let numbers: Vec<i32> = (0..cells).map(|cell| time as i32 * 1000 + cell).collect();
        let texts: Vec<String> = numbers.iter().map(|number| "x".repeat(*number as usize % 5)).collect();
        let (starts, texts) = (starts(&texts), texts.concat());
        let text = InputColumn { starts: Some(starts.into()), ..column("t", texts.as_bytes()) };
        let inputs = Inputs { columns: vec![column("n", bytemuck::cast_slice(&numbers)), text].into() };
        let mut writer = writer(spec).unwrap();
        writer.write(&inputs).unwrap();
        writer.finish().unwrap();
    }

    /// All cells, in global order: numbers, then strings with their starts.
    fn read(&self) -> Vec<Vec<u8>> {
        self.read_in(&self.uri, (0, 99))
    }

    /// All cells of the array or a copy of it in a window of time.
    pub(super) fn read_in(&self, uri: &Uri, window: (u64, u64)) -> Vec<Vec<u8>> {
        self.read_as(uri, window, Layout::GlobalOrder)
    }

    /// As [`Tiled::read_in`], in another order.
    pub(super) fn read_as(&self, uri: &Uri, window: (u64, u64), layout: Layout) -> Vec<Vec<u8>> {
        let array = OpenArray::open(&self.resources, uri, QueryType::Read, window, &EncryptionKey::None);
        let array = Arc::new(array.unwrap());
        let fields: Vec<Field> = array.schema().fields().iter().filter(|field| !field.is_dimension).cloned().collect();
        let mut subarray = Subarray::new(array.schema());
        for (dimension, last) in (0..).zip([12i32, 9]) {
            subarray.add_range(dimension, &1i32.to_le_bytes(), &last.to_le_bytes()).unwrap();
        }
        let mut columns = cell_buffers::CellBuffers::new(&fields, 108, &[432, 1000, 864]).unwrap();
        let mut reader = DenseReader::new(&ReadSpec {
            array,
            layout,
            subarray,
            config: Config::new(),
            share: BudgetShare { weight: 1, of: 1 },
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            condition: None,
            versions: CellVersions::Latest,
            stats: Stats::unlisted(),
            tally: ProgressCounter::default(),
        })
        .unwrap();
        columns.fill(&mut reader).unwrap();
        let parts = columns.fields.iter().flat_map(|field| [field.data[..field.bytes].to_vec(), field.starts.to_vec()]);
        parts.collect()
    }

    /// Number of runs of tiles that are copied and that are rewritten when the fragments are merged.
    fn runs(&self) -> (usize, usize) {
        let array = self.open(QueryType::Read, 99);
        let grid = Grid::new(array.schema()).unwrap();
        let runs = tile_runs::runs(&array, &array, &grid, &[CoordSpan { low: 0, high: 2 }; 2], 9).unwrap();
        let (stored, read): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.stored.is_some());
        (stored.len(), read.len())
    }
}

#[test]
fn tiles_that_one_fragment_has_are_taken_over() {
    let of = |name: &str, boxes: &[[(i32, i32); 2]]| {
        let array = Tiled::new(name);
        (1..).zip(boxes).for_each(|(time, sides)| array.write(time, *sides));
        let (before, runs) = (array.read(), array.runs());
        consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap();
        assert_eq!(names_in(&array.resources, &array.uri.join("__fragments")), boxes.len() + 1);
        assert!(array.read() == before, "{name}");
        vacuum(&array.resources, &array.uri).unwrap();
        assert!(array.read() == before, "{name}, vacuumed");
        runs
    };
    assert_eq!(of("stripes", &[[(1, 4), (1, 9)], [(5, 12), (1, 9)]]), (2, 0));
    assert_eq!(of("columns", &[[(1, 12), (1, 3)], [(1, 12), (4, 9)]]), (6, 0));
    assert_eq!(of("above", &[[(1, 12), (1, 9)], [(5, 8), (4, 6)]]), (3, 0));
    assert_eq!(of("a_cell", &[[(1, 12), (1, 9)], [(5, 5), (4, 4)]]), (2, 1));
    assert_eq!(of("a_hole", &[[(1, 4), (1, 9)], [(9, 12), (4, 9)]]), (2, 1));
    assert_eq!(of("cut", &[[(1, 6), (1, 9)], [(7, 12), (1, 9)]]), (2, 1));
    assert_eq!(of("nothing", &[[(2, 3), (2, 8)], [(3, 7), (1, 4)]]), (0, 1));
}

#[test]
fn steps_over_fragments_of_one_time_keep_all_cells() {
    let tiles = |column: i32| [[(1, 4), (column, column + 2)], [(5, 8), (column, column + 2)]];
    let boxes: Vec<[(i32, i32); 2]> = [1, 4, 7].into_iter().flat_map(tiles).collect();
    for (number, order) in [[0, 1, 2, 3, 4, 5], [5, 1, 3, 0, 4, 2], [0, 5, 1, 4, 2, 3]].into_iter().enumerate() {
        let steps = [
            ("sm.consolidation.amplification", "2"),
            ("sm.consolidation.step_min_frags", "2"),
            ("sm.consolidation.step_max_frags", "3"),
            ("sm.consolidation.steps", "1"),
        ];
        let array = Tiled::with(&format!("one_time_{number}"), &steps);
        order.iter().for_each(|&at| array.write(5, boxes[at]));
        let (before, mut merged) = (array.read(), 0);
        for _ in 0..3 {
            let fragments = names_in(&array.resources, &array.uri.join("__fragments"));
            consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap();
            assert!(array.read() == before, "{order:?}");
            vacuum(&array.resources, &array.uri).unwrap();
            assert!(array.read() == before, "{order:?}, vacuumed");
            merged += fragments - names_in(&array.resources, &array.uri.join("__fragments"));
        }
        assert!(merged > 0, "{order:?}");
    }
}

#[test]
fn damage_of_a_tile_is_found_when_it_is_taken_over() {
    let array = Tiled::new("damage");
    array.write(1, [(1, 4), (1, 9)]);
    array.write(2, [(5, 12), (1, 9)]);
    let vfs = array.resources.vfs();
    let fragments = array.uri.join("__fragments");
    let file = fragments.join(&vfs.names(&fragments).unwrap()[0].name).join("a0.tdb");
    let whole = vfs.read(&file).unwrap();
    let mut damaged = whole.clone();
    // The first byte of the digest of the first chunk.
    damaged[8 + 12 + 8 + 8] ^= 1;
    vfs.put(&file, &damaged).unwrap();
    let refused = consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap_err();
    assert!(refused.text().to_string().contains("Checksum mismatch"), "{refused:?}");
    assert_eq!(names_in(&array.resources, &fragments), 2);
    vfs.put(&file, &whole).unwrap();
    consolidate(&array.resources, &array.uri, &mut |_| Ok(())).unwrap();
    assert_eq!(names_in(&array.resources, &fragments), 3);
}

#[test]
fn fragments_that_would_store_a_fill_value_which_a_filter_refuses_are_left() {
    let (resources, uri) = two_fragments("unstorable");
    let mut scaled = Attribute::new("f", Datatype::Float32);
    let scale = Filter::ScaleFloat { factor: 1.0, offset: 0.0, byte_width: 1 };
    scaled.set_filters(Pipeline::new(vec![scale])).unwrap();
    let mut evolution = SchemaEvolution::default();
    evolution.add_attribute(Arc::new(scaled)).unwrap();
    evolve(&resources, &uri, &evolution, &EncryptionKey::None).unwrap();
    for cell in 3..6i32 {
        let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, 0), &EncryptionKey::None).unwrap();
        let (cell, value) = (cell.to_le_bytes(), 7f32.to_le_bytes());
        let inputs = Inputs { columns: vec![column("d", &cell), column("a", &cell), column("f", &value)].into() };
        writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap().write(&inputs).unwrap();
    }
    let steps = preview(&resources, &uri).unwrap();
    assert_eq!(steps.iter().map(|step| step.sources.len()).collect::<Vec<_>>(), [3]);
    consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
    vacuum(&resources, &uri).unwrap();
    let directory = ArrayDirectory::load(resources.vfs(), &uri).unwrap();
    let times: Vec<(u64, u64)> = directory.fragments().iter().map(|name| name.timestamps()).collect();
    assert!(times.len() == 3 && times[..2] == [(1, 1), (2, 2)] && times[2].0 < times[2].1, "{times:?}");
}

#[test]
fn two_named_fragments_are_merged_and_progress_ends_with_all_cells() {
    let array = Tiled::new("two_named");
    // Whole tiles, and parts of some.
    array.write(1, [(1, 12), (1, 9)]);
    array.write(2, [(2, 7), (3, 9)]);
    let names = |visible: bool| -> Vec<String> {
        let directory = ArrayDirectory::load(array.resources.vfs(), &array.uri).unwrap();
        let (shown, replaced) = directory.visible(array.resources.vfs(), (0, 9), false).unwrap();
        let names = if visible { shown } else { replaced };
        names.iter().map(|name| name.as_str().to_owned()).collect()
    };
    let before = array.read();
    let sources = names(true);
    let mut reports = Vec::new();
    let on_merged = &mut |merged: MergedCells| {
        reports.push((merged.cells, merged.total));
        Ok(())
    };
    consolidate_fragments(&array.resources, &array.uri, &sources, on_merged).unwrap();
    assert_eq!((names(true).len(), names(false)), (1, sources));
    assert!(array.read() == before);
    assert!(reports.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{reports:?}");
    assert!(reports.len() > 1 && reports.last().is_some_and(|last| last.0 == last.1 && last.1 > 0), "{reports:?}");
    // A single fragment is no merge.
    let one = names(true);
    consolidate_fragments(&array.resources, &array.uri, &one, &mut |_| Ok(())).unwrap();
    assert_eq!(names(true), one);
}

#[test]
fn dense_tiles_whose_fill_value_a_filter_refuses_are_merged_without_it() {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://maintain/dense_unstorable").unwrap();
    let ends = [1, 10].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&4i32.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Dense);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    let mut scaled = Attribute::new("f", Datatype::Float32);
    scaled.set_filters(Pipeline::new(vec![Filter::ScaleFloat { factor: 1.0, offset: 0.0, byte_width: 1 }])).unwrap();
    schema.add_attribute(Arc::new(scaled)).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    let open = |query| OpenArray::open(&resources, &uri, query, (0, 9), &EncryptionKey::None).unwrap();
    // Parts of tiles; all cells of the box around both are written.
    for (time, side) in [(1, (2, 3)), (2, (4, 6))] {
        let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, time), &EncryptionKey::None).unwrap();
        let values: Vec<f32> = (side.0..=side.1).map(|cell| cell as f32).collect();
        let inputs = Inputs { columns: vec![column("f", bytemuck::cast_slice(&values))].into() };
        let mut writer = writer(testing::spec(array, Layout::RowMajor, &[side], u64::MAX)).unwrap();
        writer.write(&inputs).unwrap();
        writer.finish().unwrap();
    }
    let read = || -> Vec<f32> {
        let array = Arc::new(open(QueryType::Read));
        let fields: Vec<Field> = array.schema().fields().iter().filter(|field| !field.is_dimension).cloned().collect();
        let mut columns = cell_buffers::CellBuffers::new(&fields, 5, &[20]).unwrap();
        let mut subarray = Subarray::new(array.schema());
        subarray.add_range(0, &2i32.to_le_bytes(), &6i32.to_le_bytes()).unwrap();
        let mut reader = DenseReader::new(&ReadSpec {
            array,
            layout: Layout::RowMajor,
            subarray,
            config: Config::new(),
            share: BudgetShare { weight: 1, of: 1 },
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            condition: None,
            versions: CellVersions::Latest,
            stats: Stats::unlisted(),
            tally: ProgressCounter::default(),
        })
        .unwrap();
        columns.fill(&mut reader).unwrap();
        columns.fields[0].data[..20].chunks_exact(4).map(|cell| f32::from_le_bytes(cell.try_into().unwrap())).collect()
    };
    assert_eq!(read(), [2.0, 3.0, 4.0, 5.0, 6.0]);
    consolidate(&resources, &uri, &mut |_| Ok(())).unwrap();
    vacuum(&resources, &uri).unwrap();
    assert_eq!(open(QueryType::Read).fragments().unwrap().len(), 1);
    assert_eq!(read(), [2.0, 3.0, 4.0, 5.0, 6.0]);
}
