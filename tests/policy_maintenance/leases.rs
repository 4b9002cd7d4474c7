//! Leases of other maintainers, and of killed ones.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::{Maintain, cells, commits, plain};
use support::Api;
use support::lifecycle::actions::Actions;
use support::lifecycle::model::{Cell, Shape};

const CONFIG: [(&str, &str); 2] =
    [("sm.maintenance.max_fragments", "1"), ("sm.maintenance.retention_ms", "18446744073709551615")];

/// An array that allows duplicates, of four fragments with three cells each.
struct Fixture {
    api: Api,
    array: PathBuf,
    _folder: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Fixture { api: Api::ours(), array: folder.path().join("array"), _folder: folder };
        fixture.actions().create(fixture.uri(), &plain(true)).unwrap();
        for time in 1..=4 {
            fixture.actions().write(fixture.uri(), &plain(true), time, &cells(time, 3), &[]).unwrap();
        }
        fixture
    }

    fn actions(&self) -> Actions<'_> {
        Actions { api: &self.api, who: "", encrypted: false }
    }

    fn uri(&self) -> &str {
        self.array.to_str().unwrap()
    }

    fn count(&self) -> usize {
        self.actions().read(self.uri(), &plain(true), (0, 10), &[]).unwrap().len()
    }

    /// Puts a lease file that began and ends at times relative to now, in seconds.
    fn put_lease(&self, start: i64, end: i64, contents: &str) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
        let name = format!("__{}_{}_00112233445566778899aabbccddeeff_22.lease", now + 1000 * start, now + 1000 * end);
        std::fs::write(self.array.join("__commits").join(&name), contents).unwrap();
        name
    }

    fn error(&self) -> String {
        self.actions().maintain(self.uri(), &CONFIG).unwrap_err().text
    }
}

#[test]
fn a_killed_consolidation_is_completed() {
    let fixture = Fixture::new();
    let sources = fixture.actions().fragments(fixture.uri()).unwrap();
    fixture.actions().maintain(fixture.uri(), &CONFIG).unwrap();
    assert_eq!(fixture.count(), 12);
    let merged = fixture.actions().fragments(fixture.uri()).unwrap();
    assert_eq!(merged.len(), 1);
    let vacuum = commits(&fixture.array, ".vac");
    std::fs::remove_file(fixture.array.join("__commits").join(&vacuum[0])).unwrap();
    assert_eq!(fixture.count(), 24, "as after a kill between the commit and the vacuum file");
    let replaced: String = sources.iter().map(|name| format!("replaced {name}\n")).collect();
    fixture.put_lease(-100, -50, &format!("process 1\ncreated {}\n{replaced}end\n", merged[0]));
    let report = fixture.actions().maintain(fixture.uri(), &CONFIG).unwrap();
    assert_eq!(report.steps, [0, 0, 0, 0, 1], "{report:?}");
    assert_eq!((fixture.count(), commits(&fixture.array, ".lease").len()), (12, 0));
    assert_eq!(commits(&fixture.array, ".vac"), vacuum);
    // If the commit is missing, nothing may be hidden.
    std::fs::remove_file(fixture.array.join("__commits").join(&vacuum[0])).unwrap();
    std::fs::remove_file(fixture.array.join("__commits").join(format!("{}.wrt", merged[0]))).unwrap();
    fixture.put_lease(-100, -50, &format!("process 1\ncreated {}\n{replaced}end\n", merged[0]));
    assert_eq!(fixture.actions().maintain(fixture.uri(), &CONFIG).unwrap().steps, [1, 0, 0, 0, 0]);
    assert_eq!(fixture.count(), 12);
}

#[test]
fn the_lease_of_another_maintainer_is_respected_until_it_expired_long_enough() {
    let fixture = Fixture::new();
    for (start, end) in [(0, 100), (-100, 100), (-100, -20), (1000, 1100)] {
        let name = fixture.put_lease(start, end, "process 1\nend\n");
        let error = fixture.error();
        assert!(error.contains(&name) && error.contains("remove the file, or wait for"), "{error}");
        assert_eq!(fixture.actions().fragments(fixture.uri()).unwrap().len(), 4);
        assert_eq!(commits(&fixture.array, ".lease"), std::slice::from_ref(&name), "the other one stays");
        std::fs::remove_file(fixture.array.join("__commits").join(name)).unwrap();
    }
    fixture.put_lease(-100, -60, "process 1\nend\n");
    assert_eq!(fixture.actions().maintain(fixture.uri(), &CONFIG).unwrap().steps[0], 1);
    assert!(commits(&fixture.array, ".lease").is_empty());
}

#[test]
fn corrupt_leases_are_named() {
    let fixture = Fixture::new();
    let foreign = fixture.array.join("__commits/notes.lease");
    std::fs::write(&foreign, "").unwrap();
    let error = fixture.error();
    assert!(error.contains("notes.lease' is not the name of a lease") && error.contains("remove the file"), "{error}");
    std::fs::remove_file(foreign).unwrap();
    for contents in ["", "process 1\n", "process 1\ncreated nothing\nend\n", "other 1\nend\n", "\u{fffd}\nend\n"] {
        let name = fixture.put_lease(-100, -60, contents);
        let error = fixture.error();
        assert!(error.contains(&name) && error.contains("is corrupt; remove it"), "{error}");
        assert_eq!(commits(&fixture.array, ".lease"), std::slice::from_ref(&name));
        std::fs::remove_file(fixture.array.join("__commits").join(name)).unwrap();
    }
    assert_eq!(fixture.actions().maintain(fixture.uri(), &CONFIG).unwrap().steps[0], 1);
}

#[test]
fn forged_journals_hide_and_remove_nothing() {
    let fixture = Fixture::new();
    let names = fixture.actions().fragments(fixture.uri()).unwrap();
    let lines = |word: &str, names: &[String]| names.iter().map(|name| format!("{word} {name}\n")).collect::<String>();
    let (all, last) = (lines("replaced", &names), std::slice::from_ref(&names[3]));
    let journals = [
        format!("{}{all}", lines("created", &names)),
        format!("{}{all}", lines("created", last)),
        // Merged fragments are within the time of the result.
        format!("{}{}", lines("created", last), lines("replaced", &names[..3])),
        lines("begun", &names),
    ];
    let keep = [("sm.maintenance.max_fragments", "100")];
    for journal in journals {
        fixture.put_lease(-100, -50, &format!("process 1\n{journal}end\n"));
        fixture.actions().maintain(fixture.uri(), &keep).unwrap();
        assert_eq!((fixture.count(), commits(&fixture.array, ".lease").len()), (12, 0), "{journal}");
        assert!(commits(&fixture.array, ".vac").is_empty(), "{journal}");
    }
    // An end in the farthest future.
    let name = "__1_18446744073709551615_00112233445566778899aabbccddeeff_22.lease";
    std::fs::write(fixture.array.join("__commits").join(name), "process 1\nend\n").unwrap();
    assert_eq!(fixture.actions().maintain(fixture.uri(), &CONFIG).unwrap().steps[0], 1);
}

#[test]
fn late_dense_write_hides_nothing_within_the_grace_period() {
    let fixture = Fixture::new();
    let uri = fixture.array.with_file_name("dense");
    let uri = uri.to_str().unwrap();
    let shape = Shape { dense: true, dups: false, ..plain(false) };
    fixture.actions().create(uri, &shape).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let write = |offset: u64, value: i32| {
        let cells: Vec<Cell> =
            (0..10).map(|x| Cell { coords: vec![x], time: now - 10_000 + offset, value, has: Vec::new() }).collect();
        fixture.actions().write(uri, &shape, now - 10_000 + offset, &cells, &[(0, 9)]).unwrap();
    };
    write(0, 1);
    write(200, 3);
    write(300, 4);
    let maintain = |config: &[(&str, &str)]| {
        let config = [&CONFIG[..], config].concat();
        fixture.actions().maintain(uri, &config).unwrap().steps[0]
    };
    assert_eq!(maintain(&[]), 0, "they are young");
    write(100, 2);
    let value = || {
        let rows = fixture.actions().read(uri, &shape, (0, now), &[]).unwrap();
        rows.iter().map(|row| i32::from_le_bytes(row[0].0[..].try_into().unwrap())).max().unwrap()
    };
    assert_eq!(value(), 4);
    // The sources of this merge are older than the grace period.
    assert_eq!(maintain(&[("sm.maintenance.write_grace_ms", "5000")]), 1);
    assert_eq!(value(), 4);
}
