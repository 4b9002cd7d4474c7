//! The lease by which at most one maintainer at a time works on an array, as long as nobody is suspended and clocks agree.
//! If not, the [protocol](super::protocol) keeps the array intact.
//!
//! A lease is a file `__t1_t2_uuid_v.lease` among the commits, which readers ignore: `t1` is when it was written or
//! renewed, `t2` when it expires, both in milliseconds since 1970. Not every storage backend offers create-if-absent, so that
//! the protocol relies on unique names and on listings that contain every file written before:
//!
//! - **Acquire**: write a file, then list. Whoever is alone has the lease. Of two that write at the same time, at least
//!   one sees the other, and nobody acquires the lease while another file is there; the one with the lesser name waits
//!   for the others to withdraw.
//! - **Renew**: write the next file, look for the previous one, remove it. The previous one must still be there: then nobody
//!   has taken over.
//! - **Take over**: a file is ignored once half its duration has passed since it expired. That is the tolerance for
//!   clocks that differ. Whoever acquires the lease removes it, by which its holder notices that it has lost the lease.
//! - **Journal**: before the first file of a fragment is stored, the lease is renewed by a file that names it, so that
//!   whoever takes over can remove the orphan of a killed process.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::journal::Journal;
use super::lease_file::{EXTENSION, LeaseFile, MAX_LEASE, MaintainerFiles, commits_folder};
use super::protocol::{Protection, RENEWAL, RenewalStep, TakeoverStep};
use super::settings::LEASE;
use tiledb_array::array::prepared_uri;
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_core::env::{self, Stopwatch};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::log;
use tiledb_core::types::FormatVersion;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

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
    protection: OnceLock<Protection>,
}

struct HeldLease {
    file: LeaseFile,
    /// A consolidation that is not complete.
    journal: Journal,
}

/// What a maintainer takes over from others.
#[derive(Default)]
pub(super) struct Takeover {
    expired: Vec<LeaseFile>,
    prepared: Vec<Uri>,
    pub(super) tombstones: Vec<Tombstone>,
}

/// The journal of a maintainer whose lease was taken over.
pub(super) struct Tombstone {
    pub(super) file: LeaseFile,
    pub(super) journal: Journal,
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
    ) -> Result<(MaintenanceLease, Takeover)> {
        let vfs = resources.vfs();
        let now = timestamp_now();
        let listed = MaintainerFiles::list(vfs, uri)?.leases;
        if let Some(other) = listed.iter().find(|file| file.is_live(now)) {
            return Err(busy(uri, other, now));
        }
        for file in listed.iter().filter(|file| !file.is_plausible(now)) {
            log::line(log::Level::Warn, || {
                format!(
                    "Maintenance of '{uri}' ignores the lease '{}': it is longer than {} h, or begins later than that from now, and is \
                     not that of a maintainer",
                    file.uri,
                    MAX_LEASE / 3_600_000
                )
            });
        }
        let file = LeaseFile::new(uri, (now, now.saturating_add(duration)), version);
        let own = file.uri.clone();
        let name = file.name.clone();
        vfs.put(&own, &Journal::default().to_bytes())?;
        let held = Mutex::new(HeldLease { file, journal: Journal::default() });
        let protection = OnceLock::new();
        // From here on, an error removes the file.
        let lease =
            MaintenanceLease { resources: resources.clone(), array: uri.clone(), version, duration, held, protection };
        let began = Stopwatch::start();
        for attempt in 0.. {
            let files = MaintainerFiles::list(vfs, uri)?;
            lease.check_listed(&files, &name)?;
            lease.check_duration(began, &name)?;
            let live = |file: &&LeaseFile| file.name != name && file.is_live(timestamp_now());
            let Some(other) = files.leases.iter().find(live) else {
                let is_expired = |file: &LeaseFile| file.name != name && !file.is_tombstone();
                let expired = files.leases.into_iter().filter(is_expired).collect();
                return Ok((lease, Takeover { expired, ..Takeover::default() }));
            };
            let is_first = files.leases.iter().filter(live).all(|other| key_of(&name) < key_of(&other.name));
            if !is_first || attempt >= ATTEMPTS {
                return Err(busy(uri, other, timestamp_now()));
            }
            resources.cancel().check()?;
            env::sleep(PAUSE);
        }
        bail!(Internal, "Cannot maintain array '{uri}': the lease was neither acquired nor refused")
    }

    /// Takes a step of the takeover that concerns lease files.
    ///
    /// # Errors
    /// If another maintainer is at work, the lease was lost, a lease file is corrupt, or a storage operation fails.
    pub(super) fn take_over(&self, step: TakeoverStep, takeover: &mut Takeover) -> Result<()> {
        let vfs = self.resources.vfs();
        match step {
            TakeoverStep::StoreTombstones => takeover.expired.iter().try_for_each(|file| {
                let journal = file.journal(vfs, &self.array)?.filter(|journal| !journal.is_empty());
                let time = file.settled_at(timestamp_now());
                let tombstone = LeaseFile::new(&self.array, (time, time), self.version);
                journal.map_or(Ok(()), |journal| vfs.put(&tombstone.uri, &journal.to_bytes()))
            }),
            TakeoverStep::RemoveLeases => {
                vfs.remove_files(&takeover.expired.iter().map(|file| file.uri.clone()).collect::<Vec<_>>())
            }
            TakeoverStep::ConfirmAlone => {
                let files = MaintainerFiles::list(vfs, &self.array)?;
                let name = self.held().file.name.clone();
                self.check_listed(&files, &name)?;
                takeover.prepared = files.prepared;
                for file in files.leases.into_iter().filter(|file| file.name != name) {
                    if !file.is_tombstone() {
                        return Err(busy(&self.array, &file, timestamp_now()));
                    }
                    if let Some(journal) = file.journal(vfs, &self.array)? {
                        takeover.tombstones.push(Tombstone { file, journal });
                    }
                }
                Ok(())
            }
            TakeoverStep::Fence => vfs.remove_files(&takeover.prepared),
            TakeoverStep::Complete | TakeoverStep::RemoveOrphans | TakeoverStep::RemoveTombstones => Ok(()),
        }
    }

    /// What the storage of the array permits for fragments of the version of this lease.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub(super) fn protection(&self) -> Result<Protection> {
        if let Some(protection) = self.protection.get() {
            return Ok(*protection);
        }
        let protection = match self.can_fence(self.version)? {
            false => Protection::Unfenced,
            true if !self.vfs().is_remote(&self.array)? && self.can_exchange()? => Protection::Atomic,
            true => Protection::Fenced,
        };
        Ok(*self.protection.get_or_init(|| protection))
    }

    /// Behaves as on storage of this kind.
    #[cfg(test)]
    pub(super) fn assume(&self, protection: Protection) {
        _ = self.protection.set(protection);
    }

    /// True if commits of fragments of this version can be fenced.
    ///
    /// # Errors
    /// If the storage scheme is unknown, or a store cannot be asked whether it copies files atomically.
    fn can_fence(&self, version: FormatVersion) -> Result<bool> {
        let folder = commits_folder(&self.array, version);
        Ok(version.has_commits_folder() && self.resources.vfs().can_publish(&folder)?)
    }

    /// True if the maintainer that wrote a journal cannot commit a fragment in it any more, now that the prepared files are gone.
    /// In remote storage the journal says so: what a store permits may depend on the account and the configuration of a process.
    ///
    /// # Errors
    /// As [`MaintenanceLease::protection`].
    pub(super) fn is_fenced(&self, journal: &Journal, fragment: &FragmentName) -> Result<bool> {
        let is_by_storage = || Ok(!self.vfs().is_remote(&self.array)? && self.can_fence(fragment.version())?);
        if journal.is_fenced { Ok(true) } else { is_by_storage() }
    }

    /// Tries to exchange two files.
    fn can_exchange(&self) -> Result<bool> {
        let vfs = self.resources.vfs();
        let folder = commits_folder(&self.array, self.version);
        let now = timestamp_now();
        let probe = || prepared_uri(&folder.join(&format!("{}.vac", FragmentName::new(now, now, self.version))));
        let probes = [probe(), probe()];
        let exchanged = probes.iter().try_for_each(|file| vfs.put(file, b"")).and_then(|()| {
            // Both directions: a file system may accept the flag and rename.
            vfs.exchange(&probes[0], &probes[1]).and_then(|()| vfs.exchange(&probes[1], &probes[0]))
        });
        vfs.remove_files(&probes)?;
        match exchanged {
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
            // Whoever has taken over has removed them.
            Err(error) if error.kind() == ErrorKind::NotFound => Err(self.lost_lease()),
            exchanged => exchanged.map(|()| true),
        }
    }

    /// The storage of the array.
    pub(super) fn vfs(&self) -> &Vfs {
        self.resources.vfs()
    }

    pub(super) fn array(&self) -> &Uri {
        &self.array
    }

    /// Checks that nobody has taken over the lease.
    ///
    /// # Errors
    /// If the lease was lost, or a storage operation fails.
    pub(super) fn confirm(&self) -> Result<()> {
        let file = self.held().file.clone();
        self.check_exists(&file)
    }

    /// Renews the lease if half of its duration has passed.
    ///
    /// # Errors
    /// As [`MaintenanceLease::renew`].
    pub(super) fn keep(&self) -> Result<()> {
        let end = self.held().file.name.timestamps().1;
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
        let is_fenced = self.can_fence(self.version)?;
        self.renew(|journal| {
            *journal = Journal { is_fenced, begun: Vec::new(), created: created.to_vec(), replaced: replaced.to_vec() };
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
        let vfs = self.vfs();
        let now = timestamp_now();
        let began = Stopwatch::start();
        let next = LeaseFile::new(&self.array, (now, now.saturating_add(self.duration)), self.version);
        let next_uri = next.uri.clone();
        for step in RENEWAL {
            let taken = match step {
                RenewalStep::StoreNext => vfs.put(&next_uri, &journal.to_bytes()),
                RenewalStep::ConfirmPrevious => self.check_previous(&held.file, began),
                RenewalStep::RemovePrevious => vfs.remove_files(std::slice::from_ref(&held.file.uri)),
            };
            if taken.is_err() {
                // The previous file is for whoever takes over.
                vfs.remove_files(&[next_uri])?;
                return taken;
            }
        }
        held.file = next;
        held.journal = journal;
        Ok(())
    }

    /// Nobody has taken over the lease. Without fences it must not have expired either: others may be about to.
    fn check_previous(&self, previous: &LeaseFile, began: Stopwatch) -> Result<()> {
        self.check_exists(previous)?;
        if self.can_fence(self.version)? {
            return Ok(());
        }
        match timestamp_now() <= previous.name.timestamps().1 {
            true => self.check_duration(began, &previous.name),
            false => Err(self.lost(&previous.name)),
        }
    }

    /// The file of the lease has not been removed by somebody else.
    fn check_listed(&self, files: &MaintainerFiles, name: &FragmentName) -> Result<()> {
        if files.has_lease(name) { Ok(()) } else { Err(self.lost(name)) }
    }

    /// As [`MaintenanceLease::check_listed`], by one request instead of a listing: only a maintainer that looks for the files of
    /// others has to list, and an array with many fragments has as many files among its commits.
    fn check_exists(&self, file: &LeaseFile) -> Result<()> {
        if self.vfs().is_file(&file.uri)? { Ok(()) } else { Err(self.lost(&file.name)) }
    }

    /// Writing and listing have left at least half the duration.
    fn check_duration(&self, began: Stopwatch, name: &FragmentName) -> Result<()> {
        let has_time = began.elapsed().as_millis() <= u128::from(self.duration / 2);
        if has_time { Ok(()) } else { Err(self.lost(name)) }
    }

    /// The error of a maintainer whose lease was taken over.
    pub(super) fn lost_lease(&self) -> Error {
        let name = self.held().file.name.clone();
        self.lost(&name)
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
        if held.journal.is_empty() {
            _ = self.vfs().remove_files(std::slice::from_ref(&held.file.uri));
        }
    }
}

/// The order in which maintainers that meet acquire the lease.
fn key_of(name: &FragmentName) -> (u64, &str) {
    (name.timestamps().0, name.as_str())
}

fn busy(array: &Uri, other: &LeaseFile, now: u64) -> Error {
    let seconds = other.usable_until().saturating_sub(now).div_ceil(1000);
    Error::invalid(format!(
        "Cannot maintain array '{array}': another maintainer holds the lease '{}'. Wait until it is done; if it was killed, remove the \
         file, or wait for {seconds} s",
        other.uri
    ))
}
