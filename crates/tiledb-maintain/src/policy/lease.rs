//! The lease by which at most one maintainer at a time works on an array.
//!
//! A lease is a file `__t1_t2_uuid_v.lease` among the commits, which readers ignore: `t1` is when it was written or
//! renewed, `t2` when it expires, both in milliseconds since 1970. No storage backend offers create-if-absent, so that
//! the protocol relies on unique names and on listings that contain every file written before:
//!
//! - **Acquire**: write a file, then list. Whoever is alone has the lease. Of two that write at the same time, at least
//!   one sees the other, and nobody acquires the lease while another file is there; the one with the lesser name waits
//!   for the others to withdraw.
//! - **Renew**: write the next file, list, remove the previous one. The previous one must still be listed and not have
//!   expired; then it has kept others away all the time.
//! - **Take over**: a file is ignored once half its duration has passed since it expired. That is the tolerance for
//!   clocks that differ. Whoever acquires the lease removes it, by which its holder notices that it has lost the lease.
//! - **Journal**: before the first file of a fragment is stored, the lease is renewed by a file that names it, so that
//!   whoever takes over can remove the orphan of a killed process: it journals the orphan itself, removes the lease, and
//!   then checks that nobody has renewed it, so that a holder whose clock differs has either lost the lease or is
//!   noticed. Before each commit the lease is renewed by a file
//!   that names the fragments which are created and replaced. If the process is killed between the commit and the vacuum
//!   file, whoever takes over completes the consolidation.
//! - **Suspended processes**: one that is suspended between its last check and its commit still commits when it is
//!   resumed. Its fragment is therefore not removed as an orphan until [`AbandonedLease::is_settled`].
//!
//! Two maintainers can only work at the same time if clocks differ by more than half the duration, or one is suspended
//! for longer than that between its last check and the vacuum file.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::settings::LEASE;
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::types::FormatVersion;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

const EXTENSION: &str = ".lease";

/// Pause between two listings while another maintainer withdraws, and their number.
const PAUSE: Duration = Duration::from_millis(100);
const ATTEMPTS: usize = 20;

/// A lease that is held; it is released on drop.
pub(super) struct MaintenanceLease {
    resources: Resources,
    array: Uri,
    version: FormatVersion,
    /// Milliseconds.
    duration: u64,
    held: Mutex<HeldLease>,
}

struct HeldLease {
    name: FragmentName,
    /// A consolidation that is not complete.
    journal: Journal,
    /// The leases that were taken over.
    expired: Vec<FragmentName>,
}

/// A consolidation that may have ended anywhere before its vacuum file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Journal {
    /// Fragments that are being stored; none once they are about to be committed.
    pub(super) begun: Vec<FragmentName>,
    /// Fragments that may have been committed.
    pub(super) created: Vec<FragmentName>,
    pub(super) replaced: Vec<FragmentName>,
}

/// The lease of a maintainer that was killed, and what it may have left unfinished.
pub(super) struct AbandonedLease {
    file: LeaseFile,
    pub(super) journal: Journal,
}

impl AbandonedLease {
    /// True if its holder will not commit any more, even if it was suspended instead of killed: it had only begun to store
    /// fragments, and notices the loss of the lease before it commits them, or both ten times the duration and the
    /// retention period have passed since.
    pub(super) fn is_settled(&self, retention: u64) -> bool {
        let (start, end) = self.file.name.timestamps();
        let delay = (end - start).saturating_mul(10).max(retention);
        self.journal.created.is_empty() || timestamp_now() > end.saturating_add(delay)
    }
}

/// A lease of any maintainer, live or expired.
struct LeaseFile {
    uri: Uri,
    name: FragmentName,
}

impl LeaseFile {
    /// True unless it expired more than half its duration ago.
    fn is_live(&self, now: u64) -> bool {
        now <= self.usable_until()
    }

    /// When it can be taken over.
    fn usable_until(&self) -> u64 {
        let (start, end) = self.name.timestamps();
        end.saturating_add((end - start) / 2)
    }
}

impl MaintenanceLease {
    /// Acquires the lease of the array at `uri`, and returns those of killed maintainers.
    ///
    /// # Errors
    /// If another maintainer holds it, a lease file is corrupt, or a storage operation fails.
    pub(super) fn acquire(
        resources: &Resources,
        uri: &Uri,
        version: FormatVersion,
        duration: u64,
    ) -> Result<(MaintenanceLease, Vec<AbandonedLease>)> {
        let (vfs, now) = (resources.vfs(), timestamp_now());
        if let Some(other) = list(vfs, uri)?.iter().find(|file| file.is_live(now)) {
            return Err(busy(uri, other, now));
        }
        let name = FragmentName::new(now, now.saturating_add(duration), version);
        vfs.put(&file_of(uri, &name), &text_of(&Journal::default()))?;
        let held = Mutex::new(HeldLease { name: name.clone(), journal: Journal::default(), expired: Vec::new() });
        // From here on, an error removes the file.
        let lease = MaintenanceLease { resources: resources.clone(), array: uri.clone(), version, duration, held };
        let began = Instant::now();
        for attempt in 0.. {
            let files = list(vfs, uri)?;
            lease.check_listed(&files, &name)?;
            lease.check_duration(began, &name)?;
            let live = |file: &&LeaseFile| file.name != name && file.is_live(timestamp_now());
            let Some(other) = files.iter().find(live) else {
                let expired: Vec<LeaseFile> = files.into_iter().filter(|file| file.name != name).collect();
                return lease.take_over(expired).map(|abandoned| (lease, abandoned));
            };
            let is_first = files.iter().filter(live).all(|other| key_of(&name) < key_of(&other.name));
            if !is_first || attempt >= ATTEMPTS {
                return Err(busy(uri, other, timestamp_now()));
            }
            resources.cancel().check()?;
            std::thread::sleep(PAUSE);
        }
        bail!(Internal, "Cannot maintain array '{uri}': the lease was neither acquired nor refused")
    }

    /// Reads the journals of expired leases. They stay until [`MaintenanceLease::remove`], so that nothing is lost if
    /// this process is killed, too.
    fn take_over(&self, expired: Vec<LeaseFile>) -> Result<Vec<AbandonedLease>> {
        let vfs = self.resources.vfs();
        let mut abandoned = Vec::new();
        self.held().expired = expired.iter().map(|file| file.name.clone()).collect();
        for file in expired {
            let bytes = match vfs.read(&file.uri) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                bytes => bytes?,
            };
            match journal_of(&bytes) {
                Some(journal) => abandoned.push(AbandonedLease { file, journal }),
                None => bail!(
                    Corrupt,
                    "Cannot maintain array '{}': the lease file '{}' is corrupt; remove it, and verify the array",
                    self.array,
                    file.uri
                ),
            }
        }
        Ok(abandoned)
    }

    /// Removes an expired lease, once its journal is done.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(super) fn remove(&self, abandoned: AbandonedLease) -> Result<()> {
        self.resources.vfs().remove_files(&[abandoned.file.uri])
    }

    /// Checks that there are no leases but this one and those that were taken over, whatever the clocks of others say.
    ///
    /// # Errors
    /// If there is another one, or a storage operation fails.
    pub(super) fn check_alone(&self) -> Result<()> {
        let (files, held) = (list(self.resources.vfs(), &self.array)?, self.held());
        let is_other = |file: &&LeaseFile| file.name != held.name && !held.expired.contains(&file.name);
        files.iter().find(is_other).map_or(Ok(()), |other| Err(busy(&self.array, other, timestamp_now())))
    }

    /// Renews the lease if half of its duration has passed.
    ///
    /// # Errors
    /// As [`MaintenanceLease::renew`].
    pub(super) fn keep(&self) -> Result<()> {
        let end = self.held().name.timestamps().1;
        if timestamp_now().saturating_add(self.duration / 2) < end { Ok(()) } else { self.renew(|_| ()) }
    }

    /// Renews the lease before fragments are stored, and journals them.
    ///
    /// # Errors
    /// As [`MaintenanceLease::renew`].
    pub(super) fn begin(&self, fragments: &[FragmentName]) -> Result<()> {
        self.renew(|journal| journal.begun.extend_from_slice(fragments))
    }

    /// Renews the lease before the commit of a consolidation, and journals it.
    ///
    /// # Errors
    /// As [`MaintenanceLease::renew`].
    pub(super) fn journal(&self, created: &[FragmentName], replaced: &[FragmentName]) -> Result<()> {
        self.renew(|journal| {
            *journal = Journal { begun: Vec::new(), created: created.to_vec(), replaced: replaced.to_vec() };
        })
    }

    /// The consolidation that was journaled last.
    pub(super) fn journaled(&self) -> Journal {
        self.held().journal.clone()
    }

    /// Notes that the journaled consolidation is complete, or has no effect.
    pub(super) fn close_journal(&self) {
        self.held().journal = Journal::default();
    }

    /// Replaces the file of the lease by one that expires later, with a journal that is changed.
    ///
    /// # Errors
    /// If the lease was lost, or a storage operation fails.
    fn renew(&self, change: impl FnOnce(&mut Journal)) -> Result<()> {
        let mut held = self.held();
        let mut journal = held.journal.clone();
        change(&mut journal);
        let (vfs, now, began) = (self.resources.vfs(), timestamp_now(), Instant::now());
        let next = FragmentName::new(now, now.saturating_add(self.duration), self.version);
        let file = file_of(&self.array, &next);
        vfs.put(&file, &text_of(&journal))?;
        let checked = list(vfs, &self.array).and_then(|files| self.check_listed(&files, &held.name));
        let checked = checked.and_then(|()| match timestamp_now() <= held.name.timestamps().1 {
            true => self.check_duration(began, &next),
            false => Err(self.lost(&held.name)),
        });
        if checked.is_err() {
            vfs.remove_files(&[file])?;
            return checked;
        }
        let previous = std::mem::replace(&mut held.name, next);
        held.journal = journal;
        vfs.remove_files(&[file_of(&self.array, &previous)])
    }

    /// The file of the lease has not been removed by somebody else.
    fn check_listed(&self, files: &[LeaseFile], name: &FragmentName) -> Result<()> {
        if files.iter().any(|file| file.name == *name) { Ok(()) } else { Err(self.lost(name)) }
    }

    /// Writing and listing have left at least half the duration.
    fn check_duration(&self, began: Instant, name: &FragmentName) -> Result<()> {
        let has_time = began.elapsed().as_millis() <= u128::from(self.duration / 2);
        if has_time { Ok(()) } else { Err(self.lost(name)) }
    }

    fn lost(&self, name: &FragmentName) -> Error {
        Error::invalid(format!(
            "Cannot maintain array '{}': the lease '{name}{EXTENSION}' expired or was removed; what was being consolidated is left as \
             it was. Maintain the array again, with a greater '{LEASE}' than {} if this repeats",
            self.array, self.duration
        ))
    }

    fn held(&self) -> MutexGuard<'_, HeldLease> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MaintenanceLease {
    fn drop(&mut self) {
        let held = self.held();
        // An open journal is for whoever takes over. If the file cannot be removed, it expires.
        if held.journal == Journal::default() {
            _ = self.resources.vfs().remove_files(&[file_of(&self.array, &held.name)]);
        }
    }
}

/// The order in which maintainers that meet acquire the lease.
fn key_of(name: &FragmentName) -> (u64, &str) {
    (name.timestamps().0, name.as_str())
}

/// The lease file of an array.
fn file_of(array: &Uri, name: &FragmentName) -> Uri {
    let folder = if name.version().has_commits_folder() { array.join("__commits") } else { array.clone() };
    folder.join(&format!("{name}{EXTENSION}"))
}

/// The lease files of an array, including those from before its format was upgraded.
fn list(vfs: &Vfs, array: &Uri) -> Result<Vec<LeaseFile>> {
    let mut files = Vec::new();
    for folder in [array.clone(), array.join("__commits")] {
        for item in vfs.names(&folder)? {
            if item.is_dir || !item.name.ends_with(EXTENSION) {
                continue;
            }
            let uri = folder.join(&item.name);
            match FragmentName::parse(&item.name) {
                Ok(name) => files.push(LeaseFile { uri, name }),
                Err(error) => bail!(
                    Corrupt,
                    "Cannot maintain array '{array}': '{uri}' is not the name of a lease ({}); remove the file if no other \
                     program maintains the array",
                    error.text()
                ),
            }
        }
    }
    Ok(files)
}

fn busy(array: &Uri, other: &LeaseFile, now: u64) -> Error {
    let seconds = other.usable_until().saturating_sub(now).div_ceil(1000);
    Error::invalid(format!(
        "Cannot maintain array '{array}': another maintainer holds the lease '{}'. Wait until it is done; if it was killed, remove the \
         file, or wait for {seconds} s",
        other.uri
    ))
}

/// The contents of a lease file.
fn text_of(journal: &Journal) -> Vec<u8> {
    let mut text = format!("process {}\n", std::process::id());
    for (word, names) in [("begun", &journal.begun), ("created", &journal.created), ("replaced", &journal.replaced)] {
        for name in names {
            // Writing into a string cannot fail.
            _ = writeln!(text, "{word} {name}");
        }
    }
    // An incomplete file is recognized.
    text.push_str("end\n");
    text.into_bytes()
}

/// Reads what [`text_of`] wrote; none if it is something else.
fn journal_of(bytes: &[u8]) -> Option<Journal> {
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix("end\n")?;
    let mut journal = Journal::default();
    for line in text.lines() {
        match line.split_once(' ')? {
            ("process", _) => (),
            ("begun", name) => journal.begun.push(FragmentName::parse(name).ok()?),
            ("created", name) => journal.created.push(FragmentName::parse(name).ok()?),
            ("replaced", name) => journal.replaced.push(FragmentName::parse(name).ok()?),
            _ => return None,
        }
    }
    Some(journal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::types::CURRENT_VERSION;

    struct Fixture {
        resources: Resources,
        uri: Uri,
    }

    impl Fixture {
        fn new() -> Fixture {
            Fixture {
                resources: Resources::new(Config::new()).unwrap(),
                uri: Uri::parse("mem://leases/array").unwrap(),
            }
        }

        fn acquire(&self, duration: u64) -> Result<(MaintenanceLease, Vec<AbandonedLease>)> {
            MaintenanceLease::acquire(&self.resources, &self.uri, CURRENT_VERSION, duration)
        }

        fn files(&self) -> Vec<Uri> {
            list(self.resources.vfs(), &self.uri).unwrap().into_iter().map(|file| file.uri).collect()
        }
    }

    fn journal() -> Journal {
        let name = |time| FragmentName::new(time, time, CURRENT_VERSION);
        Journal { begun: vec![name(7)], created: vec![name(1), name(2)], replaced: (3..6).map(name).collect() }
    }

    /// Journals a consolidation before its commit.
    fn commit(lease: &MaintenanceLease, journal: &Journal) -> Result<()> {
        lease.journal(&journal.created, &journal.replaced)
    }

    #[test]
    fn journals_are_read_as_written() {
        for journal in [journal(), Journal::default()] {
            assert_eq!(journal_of(&text_of(&journal)), Some(journal));
        }
        let text = text_of(&journal());
        assert!((0..text.len()).all(|end| journal_of(&text[..end]).is_none()), "a truncated file is recognized");
    }

    #[test]
    fn one_lease_at_a_time_and_none_afterwards() {
        let fixture = Fixture::new();
        let (lease, abandoned) = fixture.acquire(60_000).unwrap();
        assert!(abandoned.is_empty());
        assert!(fixture.acquire(60_000).is_err());
        assert_eq!(fixture.files().len(), 1);
        lease.begin(&journal().begun).unwrap();
        commit(&lease, &journal()).unwrap();
        assert_eq!(fixture.files().len(), 1);
        lease.close_journal();
        lease.keep().unwrap();
        drop(lease);
        assert!(fixture.files().is_empty());
        fixture.acquire(60_000).unwrap();
    }

    #[test]
    fn an_open_journal_is_left_for_others() {
        let fixture = Fixture::new();
        let journal = journal();
        for is_committed in [false, true] {
            let (lease, _) = fixture.acquire(200).unwrap();
            lease.begin(&journal.begun).unwrap();
            lease.renew(|_| ()).unwrap();
            if is_committed {
                commit(&lease, &journal).unwrap();
            }
            drop(lease);
            assert_eq!(fixture.files().len(), 1);
            assert!(fixture.acquire(200).is_err());
            std::thread::sleep(Duration::from_millis(350));
            let (lease, mut abandoned) = fixture.acquire(60_000).unwrap();
            let begun = Journal { begun: journal.begun.clone(), ..Journal::default() };
            let stored = Journal { begun: Vec::new(), ..journal.clone() };
            assert_eq!(abandoned[0].journal, if is_committed { stored } else { begun });
            assert_eq!(abandoned[0].is_settled(0), !is_committed, "a suspended holder may still commit");
            assert_eq!(fixture.files().len(), 2, "it stays until the journal is done");
            lease.check_alone().unwrap();
            lease.remove(abandoned.remove(0)).unwrap();
            assert_eq!(fixture.files().len(), 1);
        }
    }

    #[test]
    fn uncommitted_fragments_settle_after_ten_durations_and_the_retention() {
        let now = timestamp_now();
        let abandoned = |expired: u64, duration: u64| AbandonedLease {
            file: LeaseFile {
                uri: Uri::parse("mem://leases/file").unwrap(),
                name: FragmentName::new(now - expired - duration, now - expired, CURRENT_VERSION),
            },
            journal: journal(),
        };
        assert!(!abandoned(9_000, 1_000).is_settled(0) && abandoned(11_000, 1_000).is_settled(0));
        assert!(!abandoned(11_000, 1_000).is_settled(60_000) && abandoned(61_000, 1_000).is_settled(60_000));
    }

    #[test]
    fn lost_leases_are_noticed_and_leave_nothing() {
        let fixture = Fixture::new();
        let (lease, _) = fixture.acquire(60_000).unwrap();
        fixture.resources.vfs().remove_files(&fixture.files()).unwrap();
        assert!(commit(&lease, &journal()).unwrap_err().text().contains("expired or was removed"));
        assert!(fixture.files().is_empty());
        drop(lease);
        // Somebody whose clock is far behind has renewed a lease that was taken over.
        let (lease, _) = fixture.acquire(60_000).unwrap();
        lease.check_alone().unwrap();
        let other = file_of(&fixture.uri, &FragmentName::new(1, 2, CURRENT_VERSION));
        fixture.resources.vfs().put(&other, &text_of(&journal())).unwrap();
        assert!(lease.check_alone().unwrap_err().text().contains(other.as_str()));
        fixture.resources.vfs().remove_files(&[other]).unwrap();
        drop(lease);
        // One that expired, although nobody took it over.
        let (lease, _) = fixture.acquire(100).unwrap();
        std::thread::sleep(Duration::from_millis(120));
        assert!(lease.keep().is_err() && lease.begin(&journal().begun).is_err() && commit(&lease, &journal()).is_err());
        drop(lease);
        assert!(fixture.files().is_empty());
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
}
