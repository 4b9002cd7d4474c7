//! Leases, journals, and the takeover of both.

use std::sync::Mutex;
use std::time::Duration;

use super::journal::{Journal, MAX_JOURNAL_BYTES};
use super::lease::{MaintenanceLease, Takeover};
use super::lease_file::{LeaseFile, MAX_LEASE, MaintainerFiles};
use super::protocol::{Protection, TAKEOVER};
use tiledb_array::array::prepared_uri;
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::types::{CURRENT_VERSION, FormatVersion};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

struct Fixture {
    resources: Resources,
    uri: Uri,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture { resources: Resources::new(Config::new()).unwrap(), uri: Uri::parse("mem://leases/array").unwrap() }
    }

    fn acquire(&self, duration: u64) -> Result<(MaintenanceLease, Takeover)> {
        MaintenanceLease::acquire(&self.resources, &self.uri, CURRENT_VERSION, duration)
    }

    fn files(&self) -> Vec<Uri> {
        let files = MaintainerFiles::list(self.resources.vfs(), &self.uri).unwrap();
        files.leases.into_iter().map(|file| file.uri).collect()
    }

    fn take_over(&self, lease: &MaintenanceLease, takeover: &mut Takeover) -> Result<()> {
        TAKEOVER.iter().try_for_each(|step| lease.take_over(*step, takeover))
    }

    /// Puts a lease file that starts and ends at times relative to now, in milliseconds.
    fn put_lease(&self, start: i64, end: i64, contents: &[u8]) -> LeaseFile {
        let at = |offset: i64| timestamp_now().saturating_add_signed(offset);
        let file = LeaseFile::new(&self.uri, (at(start), at(end)), CURRENT_VERSION);
        self.resources.vfs().put(&file.uri, contents).unwrap();
        file
    }
}

fn journal() -> Journal {
    let name = |time| FragmentName::new(time, time, CURRENT_VERSION);
    Journal {
        is_fenced: true,
        begun: vec![name(7)],
        created: vec![name(1), name(2)],
        replaced: (3..6).map(name).collect(),
    }
}

/// Journals a consolidation before its commit.
fn commit(lease: &MaintenanceLease, journal: &Journal) -> Result<()> {
    lease.journal(&journal.created, &journal.replaced)
}

#[test]
fn journals_are_read_as_written() {
    for journal in [journal(), Journal { is_fenced: false, ..journal() }, Journal::default()] {
        assert_eq!(Journal::parse(&journal.to_bytes()), Some(journal));
    }
    let text = journal().to_bytes();
    assert!((0..text.len()).all(|end| Journal::parse(&text[..end]).is_none()), "a truncated file is recognized");
}

#[test]
fn one_lease_at_a_time_and_none_afterwards() {
    let fixture = Fixture::new();
    let (lease, mut takeover) = fixture.acquire(60_000).unwrap();
    fixture.take_over(&lease, &mut takeover).unwrap();
    assert!(takeover.tombstones.is_empty());
    assert!(fixture.acquire(60_000).is_err());
    assert_eq!(fixture.files().len(), 1);
    lease.begin(&journal().begun).unwrap();
    commit(&lease, &journal()).unwrap();
    lease.confirm().unwrap();
    assert_eq!(fixture.files().len(), 1);
    lease.close_journal();
    lease.keep().unwrap();
    drop(lease);
    assert!(fixture.files().is_empty());
    fixture.acquire(60_000).unwrap();
}

#[test]
fn open_journal_moves_to_a_tombstone() {
    let fixture = Fixture::new();
    let journal = journal();
    for is_committed in [false, true] {
        let (lease, _) = fixture.acquire(200).unwrap();
        lease.begin(&journal.begun).unwrap();
        if is_committed {
            commit(&lease, &journal).unwrap();
        }
        drop(lease);
        assert_eq!(fixture.files().len(), 1);
        assert!(fixture.acquire(200).is_err());
        std::thread::sleep(Duration::from_millis(350));
        let (lease, mut takeover) = fixture.acquire(60_000).unwrap();
        fixture.take_over(&lease, &mut takeover).unwrap();
        let begun = Journal { begun: journal.begun.clone(), ..Journal::default() };
        let stored = Journal { begun: Vec::new(), ..journal.clone() };
        assert_eq!(takeover.tombstones[0].journal, if is_committed { stored } else { begun });
        assert!(takeover.tombstones[0].file.is_tombstone());
        assert_eq!(fixture.files().len(), 2, "it stays until the journal is done");
        // Another maintainer that takes over from this one finds it, too.
        drop(lease);
        let (lease, mut again) = fixture.acquire(60_000).unwrap();
        fixture.take_over(&lease, &mut again).unwrap();
        assert_eq!(again.tombstones[0].journal, takeover.tombstones[0].journal);
        fixture.resources.vfs().remove_files(std::slice::from_ref(&again.tombstones[0].file.uri)).unwrap();
    }
}

#[test]
fn takeover_removes_prepared_files_with_commits_first() {
    let fixture = Fixture::new();
    let vfs = fixture.resources.vfs();
    let folder = fixture.uri.join("__commits");
    let name = FragmentName::new(1, 2, CURRENT_VERSION);
    for extension in ["vac", "wrt", "con"] {
        vfs.put(&prepared_uri(&folder.join(&format!("{name}.{extension}"))), b"").unwrap();
    }
    let prepared = MaintainerFiles::list(vfs, &fixture.uri).unwrap().prepared;
    assert_eq!(prepared.len(), 3);
    assert!(prepared[2].as_str().ends_with(".vac.prepared"), "{prepared:?}");
    let (lease, mut takeover) = fixture.acquire(60_000).unwrap();
    fixture.take_over(&lease, &mut takeover).unwrap();
    assert!(MaintainerFiles::list(vfs, &fixture.uri).unwrap().prepared.is_empty());
}

#[test]
fn renewal_during_a_takeover_is_noticed_by_one_of_both() {
    let fixture = Fixture::new();
    let (suspended, _) = fixture.acquire(200).unwrap();
    suspended.begin(&journal().begun).unwrap();
    std::thread::sleep(Duration::from_millis(350));
    let (successor, mut takeover) = fixture.acquire(60_000).unwrap();
    // The suspended maintainer has stored its next lease, and removes its previous one later.
    let next = fixture.put_lease(-100, 100, &Journal::default().to_bytes());
    let refused = fixture.take_over(&successor, &mut takeover).unwrap_err();
    assert!(refused.text().contains(next.uri.as_str()), "{refused:?}");
    assert!(suspended.confirm().is_err() && suspended.begin(&[]).is_err());
}

#[test]
fn implausible_leases_do_not_block() {
    let fixture = Fixture::new();
    let vfs = fixture.resources.vfs();
    let now = timestamp_now();
    for (start, end) in [(0, u64::MAX), (now, u64::MAX), (u64::MAX - 1, u64::MAX), (u64::MAX, u64::MAX), (0, 0)] {
        let file = LeaseFile::new(&fixture.uri, (start, end), CURRENT_VERSION);
        vfs.put(&file.uri, &journal().to_bytes()).unwrap();
        let (lease, mut takeover) = fixture.acquire(60_000).unwrap();
        fixture.take_over(&lease, &mut takeover).unwrap();
        assert_eq!(takeover.tombstones.len(), 1, "{start} {end}");
        drop(lease);
        vfs.remove_files(&fixture.files()).unwrap();
    }
}

#[test]
fn journals_beyond_the_size_limit_are_not_read() {
    let fixture = Fixture::new();
    let mut text = b"process 1\n".repeat(MAX_JOURNAL_BYTES as usize / 10 + 1);
    text.extend_from_slice(b"end\n");
    fixture.put_lease(-100_000, -60_000, &text);
    let (lease, mut takeover) = fixture.acquire(60_000).unwrap();
    assert_eq!(fixture.take_over(&lease, &mut takeover).unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn lost_leases_are_noticed_and_leave_nothing() {
    let fixture = Fixture::new();
    let (lease, _) = fixture.acquire(60_000).unwrap();
    fixture.resources.vfs().remove_files(&fixture.files()).unwrap();
    assert!(commit(&lease, &journal()).unwrap_err().text().contains("expired or was removed"));
    assert!(lease.confirm().is_err());
    assert!(fixture.files().is_empty());
    drop(lease);
    // One that expired, although nobody took it over, counts where a takeover is noticed in time.
    let (lease, _) = fixture.acquire(100).unwrap();
    std::thread::sleep(Duration::from_millis(120));
    lease.begin(&[]).unwrap();
    drop(lease);
    let old = FormatVersion::from_number(11).unwrap();
    let (lease, _) = MaintenanceLease::acquire(&fixture.resources, &fixture.uri, old, 100).unwrap();
    std::thread::sleep(Duration::from_millis(120));
    assert!(lease.keep().is_err() && lease.begin(&journal().begun).is_err() && commit(&lease, &journal()).is_err());
    drop(lease);
    assert!(fixture.files().is_empty());
}

#[test]
fn protection_depends_on_storage() {
    let fixture = Fixture::new();
    let (lease, _) = fixture.acquire(60_000).unwrap();
    assert_eq!(lease.protection().unwrap(), Protection::Atomic);
    assert!(MaintainerFiles::list(fixture.resources.vfs(), &fixture.uri).unwrap().prepared.is_empty());
    let old = FormatVersion::from_number(11).unwrap();
    let (lease, _) =
        MaintenanceLease::acquire(&fixture.resources, &Uri::parse("mem://leases/old").unwrap(), old, 60_000).unwrap();
    assert_eq!(lease.protection().unwrap(), Protection::Unfenced);
}

#[test]
fn many_at_once_never_hold_it_together() {
    let fixture = Fixture::new();
    let held = Mutex::new(());
    let acquired: usize = std::thread::scope(|scope| {
        let work = || {
            let attempts = (0..20).filter(|_| {
                let Ok((lease, _)) = fixture.acquire(60_000) else { return false };
                let alone = held.try_lock().expect("nobody else holds the lease");
                std::thread::sleep(Duration::from_millis(1));
                commit(&lease, &journal()).unwrap();
                lease.close_journal();
                drop(alone);
                true
            });
            attempts.count()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(acquired > 0);
}

#[test]
fn lease_is_live_until_half_its_duration_after_its_end() {
    let array = Uri::parse("mem://leases/array").unwrap();
    let file = |start, end| LeaseFile::new(&array, (start, end), CURRENT_VERSION);
    let lease = file(1000, 1200);
    assert_eq!(lease.usable_until(), 1300);
    assert_eq!([0, 1200, 1300, 1301].map(|now| lease.is_live(now)), [true, true, true, false]);
    assert!(!file(1000, 1000).is_live(1000), "a tombstone");
    assert!(file(1000, 1000 + MAX_LEASE).is_live(1000) && !file(1000, 1001 + MAX_LEASE).is_live(1000), "too long");
    let start = 1000 + MAX_LEASE;
    assert!(file(start, start + 1).is_live(1000) && !file(start + 1, start + 2).is_live(1000), "begins too late");
    // Ten times the duration after the end, or after now if a clock was wrong.
    assert_eq!((lease.settled_at(5000), lease.settled_at(1100)), (3200, 2100));
    assert_eq!(file(1000, u64::MAX).settled_at(1500), 6500);
}
