//! Lease files, and the other files of maintainers among the commits.

use super::journal::{Journal, MAX_JOURNAL_BYTES};
use tiledb_array::array::prepared_file;
use tiledb_array::fragment::FragmentName;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::FormatVersion;
use tiledb_storage::vfs::{Uri, Vfs};

pub(super) const EXTENSION: &str = ".lease";

/// Maximum duration of a lease in milliseconds: one that is longer, or begins later than this, is none.
pub(super) const MAX_LEASE: u64 = 86_400_000;

/// A lease of any maintainer, live or expired, or a tombstone: a copy of the journal of a lease that was taken over, whose start
/// and end are the time at which it is [settled](LeaseFile::settled_at).
#[derive(Clone)]
pub(super) struct LeaseFile {
    pub(super) uri: Uri,
    pub(super) name: FragmentName,
}

impl LeaseFile {
    /// A new lease file of an array.
    pub(super) fn new(array: &Uri, (start, end): (u64, u64), version: FormatVersion) -> LeaseFile {
        let name = FragmentName::new(start, end, version);
        LeaseFile { uri: commits_folder(array, version).join(&format!("{name}{EXTENSION}")), name }
    }

    pub(super) fn is_tombstone(&self) -> bool {
        let (start, end) = self.name.timestamps();
        start == end
    }

    /// True unless it expired more than half its duration ago.
    pub(super) fn is_live(&self, now: u64) -> bool {
        !self.is_tombstone() && self.is_plausible(now) && now <= self.usable_until()
    }

    /// False for a lease that no maintainer acquires: it is too long, or begins too late.
    pub(super) fn is_plausible(&self, now: u64) -> bool {
        let (start, end) = self.name.timestamps();
        end - start <= MAX_LEASE && start <= now.saturating_add(MAX_LEASE)
    }

    /// When it can be taken over.
    pub(super) fn usable_until(&self) -> u64 {
        let (start, end) = self.name.timestamps();
        end.saturating_add((end - start) / 2)
    }

    /// When a maintainer that was suspended instead of killed will hardly commit any more: ten times the duration after the
    /// lease has expired.
    pub(super) fn settled_at(&self, now: u64) -> u64 {
        let (start, end) = self.name.timestamps();
        let end = end.min(now);
        end.saturating_add(end.saturating_sub(start).min(MAX_LEASE).saturating_mul(10))
    }

    /// Reads the journal; none if the file was removed.
    ///
    /// # Errors
    /// If it is corrupt, or a storage operation fails.
    pub(super) fn journal(&self, vfs: &Vfs, array: &Uri) -> Result<Option<Journal>> {
        let bytes = vfs.size(&self.uri).and_then(|size| match size {
            0..=MAX_JOURNAL_BYTES => vfs.read(&self.uri).map(Some),
            _ => Ok(None),
        });
        let bytes = match bytes {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        match bytes.and_then(|bytes| Journal::parse(&bytes)) {
            Some(journal) => Ok(Some(journal)),
            None => bail!(
                Corrupt,
                "Cannot maintain array '{array}': the lease file '{}' is corrupt; remove it, and verify the array",
                self.uri
            ),
        }
    }
}

/// The files of maintainers in one listing.
#[derive(Default)]
pub(super) struct MaintainerFiles {
    pub(super) leases: Vec<LeaseFile>,
    /// Prepared files, commits first.
    pub(super) prepared: Vec<Uri>,
}

impl MaintainerFiles {
    /// Lists those of an array, including those from before its format was upgraded.
    ///
    /// # Errors
    /// If the name of a lease file is none, or a storage operation fails.
    pub(super) fn list(vfs: &Vfs, array: &Uri) -> Result<MaintainerFiles> {
        let _timer = vfs.stats().timer(Timer::ListCommits);
        let mut files = MaintainerFiles::default();
        let mut vacuums = Vec::new();
        for folder in [array.clone(), array.join("__commits")] {
            for item in vfs.names(&folder)?.into_iter().filter(|item| !item.is_dir) {
                let uri = folder.join(&item.name);
                if let Some(prepared) = prepared_file(&item.name) {
                    if prepared.ends_with(".vac") { vacuums.push(uri) } else { files.prepared.push(uri) }
                } else if item.name.ends_with(EXTENSION) {
                    match FragmentName::parse(&item.name) {
                        Ok(name) => files.leases.push(LeaseFile { uri, name }),
                        Err(error) => bail!(
                            Corrupt,
                            "Cannot maintain array '{array}': '{uri}' is not the name of a lease ({}); remove the file if no other \
                             program maintains the array",
                            error.text()
                        ),
                    }
                }
            }
        }
        files.prepared.append(&mut vacuums);
        Ok(files)
    }

    pub(super) fn has_lease(&self, name: &FragmentName) -> bool {
        self.leases.iter().any(|file| file.name == *name)
    }
}

/// The folder of the commits of new fragments.
pub(super) fn commits_folder(array: &Uri, version: FormatVersion) -> Uri {
    if version.has_commits_folder() { array.join("__commits") } else { array.clone() }
}
