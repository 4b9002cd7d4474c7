use super::*;
use crate::maintain::tests::Tiled;
use crate::maintain::{consolidate, vacuum};
use tiledb_array::array::{
    ArrayDirectory, FileRemoval, MetadataChanges, consolidate_metadata, create, evolve, load_schema, vacuum_metadata,
};
use tiledb_array::schema::{Attribute, Dimension, Domain, SchemaEvolution};
use tiledb_cells::columns::input::Inputs;
use tiledb_cells::write::testing::{self, column};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::error::Error;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, DataOrder, Datatype, Layout, QueryType};

const WHOLE: [(i32, i32); 2] = [(1, 12), (1, 9)];
const OPTIONS: RewriteOptions<'_> = RewriteOptions { schema: None, merge: false, resume: false };

/// The ways to copy an array.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Rewrite,
    Merge,
    Downgrade,
}

impl Tiled {
    fn copy(&self, way: Way, on_merged: OnMerged<'_>) -> Result<Uri> {
        let to = Uri::parse(&format!("{}_{way:?}", self.uri)).unwrap();
        let (resources, options) = (&self.resources, RewriteOptions { merge: way == Way::Merge, ..OPTIONS });
        let copied = match way {
            Way::Downgrade => downgrade(resources, &self.uri, &to, FormatVersion::from_number(20).unwrap(), on_merged),
            _ => rewrite(resources, &self.uri, &to, options, on_merged),
        };
        copied.map(|()| to)
    }

    fn consolidate(&self) {
        consolidate(&self.resources, &self.uri, &mut |_| Ok(())).unwrap();
    }

    fn vacuum(&self) {
        vacuum(&self.resources, &self.uri).unwrap();
    }

    fn put_metadata(&self, time: u64) {
        let mut changes = MetadataChanges::default();
        changes.put(&format!("key{time}"), Datatype::Uint8, &[1]).unwrap();
        changes.write(&self.resources, &self.uri, CURRENT_VERSION, time, &EncryptionKey::None).unwrap();
    }

    /// The windows of time up to `last` in which a copy reads other cells than the array.
    fn differing_windows(&self, copy: &Uri, last: u64) -> Vec<(u64, u64)> {
        let windows = (0..=last).flat_map(|start| (start..=last).map(move |end| (start, end)));
        windows.filter(|window| self.read_in(&self.uri, *window) != self.read_in(copy, *window)).collect()
    }
}

#[test]
fn copies_of_consolidated_dense_arrays_read_alike_in_every_window_of_time() {
    for way in [Way::Rewrite, Way::Downgrade] {
        let array = Tiled::new(&format!("history_{way:?}"));
        array.write(1, WHOLE);
        array.write(2, [(2, 7), (3, 9)]);
        array.write(2, [(1, 3), (1, 4)]);
        array.consolidate();
        array.write(4, [(5, 5), (5, 5)]);
        array.consolidate();
        array.write(5, [(1, 9), (2, 2)]);
        let copy = array.copy(way, &mut |_| Ok(())).unwrap();
        assert_eq!(array.differing_windows(&copy, 6), [], "{way:?}");
        let count = |uri: &Uri| ArrayDirectory::load(array.resources.vfs(), uri).unwrap().fragments().len();
        assert_eq!((count(&array.uri), count(&copy)), (7, 7), "{way:?}");
        // A vacuum of the copy removes what a vacuum of the array removes.
        array.vacuum();
        vacuum(&array.resources, &copy).unwrap();
        assert_eq!((count(&array.uri), count(&copy)), (2, 2), "{way:?}");
        assert_eq!(array.differing_windows(&copy, 6), [], "{way:?}, vacuumed");
    }
}

#[test]
fn copies_of_arrays_that_were_consolidated_twice_in_a_row_name_no_fragment_that_is_not_there() {
    for way in [Way::Rewrite, Way::Downgrade] {
        let array = Tiled::new(&format!("twice_{way:?}"));
        array.write(1, WHOLE);
        array.write(2, [(2, 7), (3, 9)]);
        let mut config = array.resources.config().clone();
        config.set("sm.consolidation.max_fragment_size", "300").unwrap();
        let resources = array.resources.with_config(config).unwrap();
        consolidate(&resources, &array.uri, &mut |_| Ok(())).unwrap();
        array.consolidate();
        let copy = array.copy(way, &mut |_| Ok(())).unwrap();
        assert_eq!(array.differing_windows(&copy, 3), [], "{way:?}");
        let directory = ArrayDirectory::load(array.resources.vfs(), &copy).unwrap();
        let missing = directory.vacuums().iter().filter(|(created, _)| !directory.fragments().contains(created));
        assert_eq!(missing.count(), 0, "{way:?}");
    }
}

#[test]
fn copies_with_other_tile_extents_read_alike_in_every_window_of_time() {
    for (number, extents) in [[5, 7], [1, 1], [12, 9], [7, 2], [4, 9]].into_iter().enumerate() {
        for merge in [false, true] {
            let array = Tiled::new(&format!("retiled_{number}_{merge}"));
            array.write(1, WHOLE);
            array.write(2, [(2, 7), (3, 9)]);
            array.write(3, [(5, 5), (5, 5)]);
            array.put_metadata(1);
            let schema = load_schema(&array.resources, &array.uri, &EncryptionKey::None).unwrap();
            let dimensions = schema.domain().dimensions().iter().zip(extents).map(|(dimension, extent): (_, i32)| {
                let extent = extent.to_le_bytes();
                Arc::new(
                    Dimension::new(dimension.name(), Datatype::Int32, dimension.domain_bytes(), Some(&extent)).unwrap(),
                )
            });
            let mut retiled = ArraySchema::clone(&schema);
            retiled.replace_domain(Arc::new(Domain::of(dimensions.collect())));
            let to = Uri::parse(&format!("{}_copy", array.uri)).unwrap();
            let options = RewriteOptions { schema: Some(&retiled), merge, resume: false };
            rewrite(&array.resources, &array.uri, &to, options, &mut |_| Ok(())).unwrap();
            let copied = load_schema(&array.resources, &to, &EncryptionKey::None).unwrap();
            let copied = copied.domain().dimensions().iter().map(|dimension| dimension.tile_extent().unwrap().to_vec());
            assert_eq!(copied.collect::<Vec<_>>(), extents.map(|extent| extent.to_le_bytes().to_vec()));
            let windows = (0..=3).flat_map(|start| (start..=3).map(move |end| (start, end)));
            for window in windows.filter(|window| !merge || *window == (0, 3)) {
                let [expected, actual] = [&array.uri, &to].map(|uri| array.read_as(uri, window, Layout::RowMajor));
                assert!(expected == actual, "{extents:?} {merge} {window:?}");
            }
            // A rewrite that is resumed with other extents does not continue this one.
            let again = RewriteOptions { schema: None, merge, resume: true };
            let error = rewrite(&array.resources, &array.uri, &to, again, &mut |_| Ok(())).unwrap_err();
            assert!(error.text().contains("another schema"), "{error}");
        }
    }
}

/// Of cells of one time those of the later name are read, and copies are named in the order in which they are written: also where one
/// of two fragments was merged.
#[test]
fn copies_of_merged_and_other_fragments_of_one_time_keep_their_order() {
    for way in [Way::Rewrite, Way::Downgrade] {
        let array = Tiled::new(&format!("order_{way:?}"));
        array.write(1, WHOLE);
        array.write(2, [(2, 7), (3, 9)]);
        array.consolidate();
        array.write(2, [(2, 3), (3, 4)]);
        let copy = array.copy(way, &mut |_| Ok(())).unwrap();
        assert_eq!(array.differing_windows(&copy, 3), [], "{way:?}");
    }
}

#[test]
fn copy_of_an_array_that_is_vacuumed_meanwhile_has_the_merged_fragment() {
    for way in [Way::Rewrite, Way::Merge, Way::Downgrade] {
        let array = Tiled::new(&format!("vacuumed_{way:?}"));
        array.write(1, [(1, 12), (1, 4)]);
        array.write(2, [(2, 7), (3, 9)]);
        array.write(3, [(1, 12), (1, 4)]);
        array.put_metadata(1);
        array.put_metadata(2);
        let mut is_vacuumed = false;
        let copy = array.copy(way, &mut |merged| {
            if !is_vacuumed && merged.cells > 0 {
                is_vacuumed = true;
                array.consolidate();
                array.vacuum();
                let key = &EncryptionKey::None;
                consolidate_metadata(&array.resources, &array.uri, (0, 99), CURRENT_VERSION, true, key).unwrap();
                vacuum_metadata(&array.uri, &mut FileRemoval::new(array.resources.vfs())).unwrap();
            }
            Ok(())
        });
        let copy = copy.unwrap();
        assert!(is_vacuumed);
        assert!(array.read_in(&copy, (0, 99)) == array.read_in(&array.uri, (0, 99)), "{way:?}");
        if way != Way::Merge {
            assert_eq!(array.differing_windows(&copy, 4), [], "{way:?}");
        }
    }
}

/// The copy of the first listing has another schema.
#[test]
fn copy_of_an_array_that_is_evolved_and_vacuumed_meanwhile_has_the_newest_schema() {
    for way in [Way::Rewrite, Way::Downgrade] {
        let array = Tiled::new(&format!("evolved_{way:?}"));
        array.write(1, [(1, 12), (1, 4)]);
        array.write(2, [(2, 7), (3, 9)]);
        array.write(3, [(1, 12), (1, 4)]);
        let mut is_evolved = false;
        let copy = array.copy(way, &mut |merged| {
            if !is_evolved && merged.cells > 0 {
                is_evolved = true;
                let mut evolution = SchemaEvolution::default();
                evolution.add_attribute(Arc::new(Attribute::new("m", Datatype::Int32))).unwrap();
                evolve(&array.resources, &array.uri, &evolution, &EncryptionKey::None).unwrap();
                array.consolidate();
                array.vacuum();
            }
            Ok(())
        });
        let copy = copy.unwrap();
        assert!(is_evolved);
        let opened = OpenArray::open(&array.resources, &copy, QueryType::Read, (0, u64::MAX), &EncryptionKey::None);
        assert!(opened.unwrap().schema().attribute("m").is_some(), "{way:?}");
        assert!(array.read_in(&copy, (0, u64::MAX)) == array.read_in(&array.uri, (0, u64::MAX)), "{way:?}");
    }
}

#[test]
fn copy_of_an_array_that_is_vacuumed_all_the_time_fails_and_leaves_no_array() {
    for way in [Way::Rewrite, Way::Downgrade] {
        let array = Tiled::new(&format!("restless_{way:?}"));
        array.write(1, WHOLE);
        array.write(2, WHOLE);
        let mut time = 2;
        // Tiles that are copied at once are read before the first report.
        let copied = array.copy(way, &mut |merged| {
            if merged.cells < 200 {
                time += 2;
                array.write(time - 1, WHOLE);
                array.write(time, [(1, 12), (1, 8)]);
                array.consolidate();
                array.vacuum();
                array.write(time, WHOLE);
            }
            Ok(())
        });
        let error = copied.unwrap_err();
        assert!(error.text().contains("the array changes faster than it can be copied"), "{way:?}: {error:?}");
        let to = Uri::parse(&format!("{}_{way:?}", array.uri)).unwrap();
        assert!(ArrayDirectory::load(array.resources.vfs(), &to).is_err());
        // At rest it is copied, or the rewrite is resumed.
        let options = RewriteOptions { resume: true, ..OPTIONS };
        match way {
            Way::Downgrade => drop(array.copy(way, &mut |_| Ok(())).unwrap()),
            _ => rewrite(&array.resources, &array.uri, &to, options, &mut |_| Ok(())).unwrap(),
        }
        assert_eq!(array.differing_windows(&to, time + 1), [], "{way:?}");
    }
}

#[test]
fn resumed_rewrite_has_what_the_array_has_by_then() {
    for (number, merge) in [false, true].into_iter().enumerate() {
        let array = Tiled::new(&format!("resumed_{number}"));
        (1..5).for_each(|time| array.write(time, [(1, 12), (time as i32, 9)]));
        array.put_metadata(1);
        let to = Uri::parse(&format!("{}_copy", array.uri)).unwrap();
        let stopped = |options, limit: u64| {
            rewrite(&array.resources, &array.uri, &to, options, &mut |merged| match merged.cells > limit {
                true => Err(Error::invalid("stopped")),
                false => Ok(()),
            })
        };
        let options = RewriteOptions { merge, ..OPTIONS };
        assert!(stopped(options, 150).unwrap_err().text().contains("stopped"));
        // The fragments that were copied are gone, and their times are those of other cells.
        array.consolidate();
        array.vacuum();
        array.write(4, [(1, 2), (1, 2)]);
        array.write(9, [(3, 4), (3, 4)]);
        let options = RewriteOptions { resume: true, ..options };
        stopped(options, u64::MAX).unwrap();
        assert!(array.read_in(&to, (0, 99)) == array.read_in(&array.uri, (0, 99)), "merge: {merge}");
        if !merge {
            assert_eq!(array.differing_windows(&to, 10), []);
        }
        // A copy that is an array may have what others wrote.
        assert!(stopped(options, u64::MAX).is_ok());
        if !merge {
            array.consolidate();
            array.vacuum();
            let error = stopped(options, u64::MAX).unwrap_err();
            assert!(error.text().contains("that others may have written to"), "{error:?}");
        }
    }
}

/// The array is only listed again if a file of it has been removed.
#[test]
fn error_of_a_copy_is_reported_if_the_array_is_not_to_be_listed_again() {
    for way in [Way::Rewrite, Way::Merge, Way::Downgrade] {
        // A file is missing, of a fragment that is there.
        let array = Tiled::new(&format!("damaged_{way:?}"));
        array.write(1, WHOLE);
        array.write(2, WHOLE);
        let directory = ArrayDirectory::load(array.resources.vfs(), &array.uri).unwrap();
        let file = directory.fragments()[1].folder(&array.uri).join("a0.tdb");
        array.resources.vfs().remove_file(&file).unwrap();
        let error = array.copy(way, &mut |_| Ok(())).unwrap_err();
        assert!(!error.text().contains("array changes faster"), "{way:?}: {error:?}");
        // Something else fails while fragments are removed.
        let array = Tiled::new(&format!("stopped_{way:?}"));
        array.write(1, WHOLE);
        array.write(2, WHOLE);
        let mut stops = 0;
        let stopped = array.copy(way, &mut |_| {
            stops += 1;
            if stops == 1 {
                array.consolidate();
                array.vacuum();
            }
            Err(Error::invalid("stopped"))
        });
        assert!(stopped.unwrap_err().text().contains("stopped"), "{way:?}");
        assert_eq!(stops, 1, "{way:?}");
    }
}

/// A dense array with a dimension label.
fn labelled(name: &str) -> (Resources, Uri) {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse(&format!("mem://labelled/{name}")).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Dense);
    let dimension = Dimension::new("d", Datatype::Uint8, Some(&[1, 8]), Some(&[4])).unwrap();
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    schema.add_label(0, "l", DataOrder::Increasing, Datatype::Int64, false).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    (resources, uri)
}

/// After a loss of power the folders of a label's copy may be there, and its schema not.
#[test]
fn interrupted_copy_whose_label_has_no_schema_is_resumed() {
    for is_rewrite in [false, true] {
        let (resources, from) = labelled(&format!("resumed_{is_rewrite}"));
        let to = Uri::parse(&format!("{from}_copy")).unwrap();
        let vfs = resources.vfs();
        let copy = || {
            let options = RewriteOptions { resume: true, ..OPTIONS };
            if is_rewrite {
                rewrite(&resources, &from, &to, options, &mut |_| Ok(()))
            } else {
                downgrade(&resources, &from, &to, CURRENT_VERSION, &mut |_| Ok(()))
            }
        };
        // What there is when the copy of the label is created.
        let kind = if is_rewrite { CopyKind::Rewrite } else { CopyKind::Downgrade };
        let key = &EncryptionKey::None;
        let sources = |sources: &CopySources, _| {
            let schema = sources.schema_of_copy()?;
            CopiedArrays::create(&resources, sources, &to, &schema, key, (kind, false)).map(drop)
        };
        source::copy_listed(&resources, "copy", (&from, key, source::CopiedHistory::Always), &mut { sources }).unwrap();
        let label = to.join("__labels/l0");
        let schemas = label.join(kind.folder());
        for item in vfs.names(&schemas).unwrap().iter().filter(|item| !item.is_dir) {
            vfs.remove_file(&schemas.join(&item.name)).unwrap();
        }
        assert!(UnpublishedArray::load(&resources, &label, key, kind).unwrap().is_none());
        copy().unwrap();
        for array in [&to, &label] {
            assert!(OpenArray::open(&resources, array, QueryType::Read, (0, 99), key).is_ok(), "{array}");
        }
    }
}

/// A dense array with a fragment of single cells, as early versions wrote them: one of a sparse array of the same schema.
fn with_single_cells(name: &str) -> (Resources, Uri) {
    let resources = Resources::new(Config::new()).unwrap();
    let key = &EncryptionKey::None;
    let [sparse, dense] = [ArrayType::Sparse, ArrayType::Dense].map(|kind| {
        let uri = Uri::parse(&format!("mem://single_cells/{name}_{kind:?}")).unwrap();
        let mut schema = ArraySchema::new(kind);
        let dimension = Dimension::new("d", Datatype::Uint8, Some(&[1, 8]), Some(&[4])).unwrap();
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Uint8))).unwrap();
        create(&resources, &uri, &schema, key).unwrap();
        uri
    });
    let array = OpenArray::open(&resources, &sparse, QueryType::Write, (0, 1), key).unwrap();
    let mut writer = writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap();
    writer.write(&Inputs { columns: vec![column("a", &[7, 8]), column("d", &[2, 5])].into() }).unwrap();
    writer.finish().unwrap();
    let vfs = resources.vfs();
    let schema_of = |uri: &Uri| uri.join("__schema").join(&ArrayDirectory::load(vfs, uri).unwrap().schemas()[0]);
    let from = schema_of(&dense);
    let to = schema_of(&sparse);
    vfs.put(&dense.join("__schema").join(to.last_part()), &vfs.read(&from).unwrap()).unwrap();
    vfs.remove_file(&from).unwrap();
    for file in vfs.list_recursive(&sparse).unwrap().into_iter().filter(|file| !file.is_dir) {
        let name = file.uri.as_str().strip_prefix(&format!("{sparse}/")).unwrap().to_owned();
        if !name.starts_with("__schema") {
            vfs.put(&dense.join_relative(&name).unwrap(), &vfs.read(&file.uri).unwrap()).unwrap();
        }
    }
    (resources, dense)
}

#[test]
fn fragments_of_single_cells_are_not_copied_alone() {
    let (resources, from) = with_single_cells("alone");
    let to = Uri::parse(&format!("{from}_copy")).unwrap();
    let rewritten = rewrite(&resources, &from, &to, OPTIONS, &mut |_| Ok(()));
    let downgraded = downgrade(&resources, &from, &to, CURRENT_VERSION, &mut |_| Ok(()));
    for copied in [rewritten, downgraded] {
        let error = copied.unwrap_err();
        assert!(error.text().contains("it has single cells; consolidate"), "{error:?}");
    }
    rewrite(&resources, &from, &to, RewriteOptions { merge: true, ..OPTIONS }, &mut |_| Ok(())).unwrap();
    assert!(OpenArray::open(&resources, &to, QueryType::Read, (0, 99), &EncryptionKey::None).is_ok());
}
