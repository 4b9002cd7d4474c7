use super::*;
use crate::maintain::tests::Tiled;
use crate::maintain::{consolidate, vacuum};
use tiledb_array::array::{ArrayDirectory, FileRemoval, MetadataChanges, consolidate_metadata, vacuum_metadata};
use tiledb_core::error::Error;
use tiledb_core::types::{CURRENT_VERSION, Datatype};

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
