//! The files of a commit, for all kinds of storage.

use std::sync::Arc;
use std::time::Duration;

use super::lease::MaintenanceLease;
use super::lease_file::MaintainerFiles;
use super::merge_commit::{MergeCommit, confirm_before};
use super::protocol::{Protection, TAKEOVER};
use crate::maintain::{CommitsStep, MergeProtocol, vacuum_file};
use tiledb_array::array::{commits, prepared_uri};
use tiledb_array::fragment::FragmentName;
use tiledb_cells::write::spec::{CommitProtocol, FragmentCommit};
use tiledb_core::config::Config;
use tiledb_core::types::CURRENT_VERSION;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

const PROTECTIONS: [Protection; 3] = [Protection::Atomic, Protection::Fenced, Protection::Unfenced];

struct Fixture {
    resources: Resources,
    array: Uri,
    replaced: Vec<FragmentName>,
    created: FragmentName,
}

impl Fixture {
    fn new() -> Fixture {
        let name = |start, end| FragmentName::new(start, end, CURRENT_VERSION);
        Fixture {
            resources: Resources::new(Config::new()).unwrap(),
            array: Uri::parse("mem://commits/array").unwrap(),
            replaced: vec![name(1, 1), name(2, 2)],
            created: name(1, 2),
        }
    }

    fn vfs(&self) -> &Vfs {
        self.resources.vfs()
    }

    fn acquire(&self, protection: Option<Protection>, duration: u64) -> Arc<MaintenanceLease> {
        let (lease, mut takeover) =
            MaintenanceLease::acquire(&self.resources, &self.array, CURRENT_VERSION, duration).unwrap();
        TAKEOVER.iter().try_for_each(|step| lease.take_over(*step, &mut takeover)).unwrap();
        if let Some(protection) = protection {
            lease.assume(protection);
        }
        Arc::new(lease)
    }

    fn commit_file(&self) -> Uri {
        self.array.join(&self.created.commit().unwrap())
    }

    fn commit(&self, commit: &MergeCommit) -> tiledb_core::error::Result<()> {
        let files = [(self.commit_file(), Vec::new())];
        let names = std::slice::from_ref(&self.created);
        let committed = commit.commit(self.vfs(), &FragmentCommit { array: &self.array, names, files: &files });
        committed.map_err(|failed| failed.error)
    }

    /// The names among the commits, without leases.
    fn names(&self) -> Vec<String> {
        let names = self.vfs().names(&self.array.join("__commits")).unwrap().into_iter().map(|item| item.name);
        names.filter(|name| !name.ends_with(".lease")).collect()
    }

    /// The fragments that the vacuum files hide.
    fn hidden(&self) -> Vec<String> {
        let vacuums = self.names().into_iter().filter(|name| name.ends_with(".vac"));
        let read = |name: String| self.vfs().read(&self.array.join("__commits").join(&name)).unwrap();
        vacuums.map(read).flat_map(|bytes| commits::vacuumed(&bytes).collect::<Vec<_>>()).collect()
    }
}

#[test]
fn commit_leaves_the_commit_and_the_vacuum_file() {
    for protection in PROTECTIONS {
        let fixture = Fixture::new();
        let lease = fixture.acquire(Some(protection), 60_000);
        let commit = MergeCommit::new(&lease, fixture.replaced.clone());
        commit.begin(&fixture.created).unwrap();
        fixture.commit(&commit).unwrap();
        let replaced: Vec<String> = fixture.replaced.iter().map(|name| name.as_str().to_owned()).collect();
        // What is visible in between: never nothing.
        let hidden = fixture.hidden();
        assert!(!hidden.contains(&replaced[0]), "{protection:?}");
        assert_eq!(hidden.contains(&fixture.created.as_str().to_owned()), protection == Protection::Atomic);
        commit.hide_replaced().unwrap();
        assert_eq!(fixture.hidden(), replaced);
        assert!(fixture.vfs().is_file(&vacuum_file(&fixture.array, &fixture.created)).unwrap());
        assert_eq!(fixture.names().len(), 2, "{:?}", fixture.names());
        assert_eq!(commit.created(), std::slice::from_ref(&fixture.created));
    }
}

#[test]
fn nothing_is_committed_after_a_takeover() {
    for protection in [Protection::Atomic, Protection::Fenced] {
        let fixture = Fixture::new();
        let lease = fixture.acquire(Some(protection), 200);
        let commit = MergeCommit::new(&lease, fixture.replaced.clone());
        commit.begin(&fixture.created).unwrap();
        std::thread::sleep(Duration::from_millis(350));
        let successor = fixture.acquire(None, 60_000);
        assert!(fixture.commit(&commit).unwrap_err().text().contains("expired or was removed"));
        assert!(fixture.names().is_empty(), "{:?}", fixture.names());
        assert!(confirm_before(&lease, CommitsStep::Confirm).is_err());
        assert!(fixture.names().is_empty() && successor.confirm().is_ok());
    }
}

#[test]
fn takeover_between_commit_and_exchange_leaves_the_result_hidden() {
    let fixture = Fixture::new();
    let lease = fixture.acquire(Some(Protection::Atomic), 200);
    let commit = MergeCommit::new(&lease, fixture.replaced.clone());
    fixture.commit(&commit).unwrap();
    assert!(fixture.vfs().is_file(&prepared_uri(&vacuum_file(&fixture.array, &fixture.created))).unwrap());
    std::thread::sleep(Duration::from_millis(350));
    let _successor = fixture.acquire(None, 60_000);
    assert!(MaintainerFiles::list(fixture.vfs(), &fixture.array).unwrap().prepared.is_empty());
    assert!(commit.hide_replaced().unwrap_err().text().contains("expired or was removed"));
    assert_eq!(fixture.hidden(), [fixture.created.as_str()]);
}

#[test]
fn vacuum_by_others_between_commit_and_exchange_loses_nothing() {
    let fixture = Fixture::new();
    let lease = fixture.acquire(Some(Protection::Atomic), 60_000);
    let commit = MergeCommit::new(&lease, fixture.replaced.clone());
    fixture.commit(&commit).unwrap();
    // libtiledb's vacuum removes the result that the vacuum file lists, and then this file.
    let vacuums: Vec<String> = fixture.names().into_iter().filter(|name| name.ends_with(".vac")).collect();
    fixture.vfs().remove_files(&[fixture.commit_file(), fixture.array.join("__commits").join(&vacuums[0])]).unwrap();
    assert!(commit.hide_replaced().is_err());
    assert!(fixture.hidden().is_empty());
}

/// Another merge of the same fragments was committed, too.
#[test]
fn withdrawn_merge_hides_nothing_later() {
    for protection in PROTECTIONS {
        let fixture = Fixture::new();
        let lease = fixture.acquire(Some(protection), 60_000);
        let commit = MergeCommit::new(&lease, fixture.replaced.clone());
        assert!(!commit.withdraw().unwrap(), "nothing is committed");
        fixture.commit(&commit).unwrap();
        let before = fixture.names();
        let is_hidden = commit.withdraw().unwrap();
        assert_eq!(is_hidden, protection == Protection::Atomic, "only hidden results need not be removed");
        let prepared = prepared_uri(&vacuum_file(&fixture.array, &fixture.created));
        assert!(!fixture.vfs().is_file(&prepared).unwrap(), "{protection:?}");
        assert!(fixture.vfs().is_file(&fixture.commit_file()).unwrap());
        let expected = if is_hidden { vec![fixture.created.as_str().to_owned()] } else { Vec::new() };
        assert_eq!(fixture.hidden(), expected, "{protection:?}");
        match protection {
            Protection::Atomic => {
                assert!(commit.hide_replaced().is_err(), "what would hide the merged fragments is gone");
                assert_eq!(fixture.hidden(), expected);
            }
            _ => assert_eq!(fixture.names(), before, "{protection:?}"),
        }
    }
}

#[test]
fn merge_of_one_file_is_hidden_at_its_commit_where_files_are_exchanged() {
    for protection in PROTECTIONS {
        let fixture = Fixture::new();
        let lease = fixture.acquire(Some(protection), 60_000);
        let commit = MergeCommit::new(&lease, fixture.replaced.clone());
        let file = (fixture.commit_file(), Vec::new());
        for count in [1, 2] {
            let files = vec![file.clone(); count];
            let names = std::slice::from_ref(&fixture.created);
            let of_files = FragmentCommit { array: &fixture.array, names, files: &files };
            let is_hidden = commit.is_hidden_at_commit(&of_files).unwrap();
            assert_eq!(is_hidden, count == 1 && protection == Protection::Atomic, "{protection:?}, {count} files");
        }
    }
}

/// Formats without a folder of commits store several files.
#[test]
fn commit_of_several_files_stores_all_of_them() {
    let fixture = Fixture::new();
    let lease = fixture.acquire(Some(Protection::Atomic), 60_000);
    let commit = MergeCommit::new(&lease, fixture.replaced.clone());
    let other = fixture.array.join("__commits/other.ok");
    let files = [(fixture.commit_file(), Vec::new()), (other.clone(), b"other".to_vec())];
    let names = std::slice::from_ref(&fixture.created);
    let of_files = FragmentCommit { array: &fixture.array, names, files: &files };
    assert!(commit.commit(fixture.vfs(), &of_files).is_ok());
    assert!(fixture.vfs().is_file(&fixture.commit_file()).unwrap() && fixture.vfs().read(&other).unwrap() == b"other");
    assert!(fixture.hidden().is_empty());
    commit.hide_replaced().unwrap();
    assert_eq!(fixture.hidden().len(), 2);
    assert!(!commit.withdraw().unwrap());
}
