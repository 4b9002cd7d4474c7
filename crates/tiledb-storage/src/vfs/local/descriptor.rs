//! File descriptors: limits how many stay open, so that the process never runs out of them.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tiledb_core::limits::storage::ACQUISITIONS_PER_CHECK;
use tiledb_core::platform::file::descriptor_limit;

/// Maximum number of files that stay open, in all contexts of the process; others are reopened for each use.
static PERSISTENT: DescriptorSlots = DescriptorSlots::new(256, 4);
/// Of the others, those that were just opened and not used yet.
static FRESH: DescriptorSlots = DescriptorSlots::new(32, 8);

/// Counts open files of a kind against a limit.
struct DescriptorSlots {
    most: u64,
    /// Fraction of the process's descriptor limit: most are left to the program, even if the limit is low.
    share: u64,
    /// As of the last query of the limit.
    limit: AtomicUsize,
    taken: AtomicUsize,
    acquisitions: AtomicUsize,
}

impl DescriptorSlots {
    const fn new(most: u64, share: u64) -> DescriptorSlots {
        let [limit, taken, acquisitions] = [const { AtomicUsize::new(0) }; 3];
        DescriptorSlots { most, share, limit, taken, acquisitions }
    }

    /// A slot, if one is free.
    fn take(&'static self) -> Option<DescriptorSlot> {
        if self.acquisitions.fetch_add(1, Ordering::Relaxed).is_multiple_of(ACQUISITIONS_PER_CHECK.count()) {
            let descriptors = descriptor_limit();
            self.limit.store(self.most.min(descriptors / self.share) as usize, Ordering::Relaxed);
        }
        let limit = self.limit.load(Ordering::Relaxed);
        let one_more = |taken| (taken < limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| DescriptorSlot(self))
    }
}

/// A slot, released on drop.
pub(super) struct DescriptorSlot(&'static DescriptorSlots);

impl DescriptorSlot {
    /// A slot for a file that stays open, if one is free.
    pub(super) fn acquire() -> Option<DescriptorSlot> {
        PERSISTENT.take()
    }
}

impl Drop for DescriptorSlot {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A file that is open, or reopened for each use.
pub(super) struct Descriptor {
    open: Option<(File, Option<DescriptorSlot>)>,
    /// A file that does not stay open, until its first use.
    fresh: Mutex<Option<(File, DescriptorSlot)>>,
}

impl Descriptor {
    /// Keeps the file open, without a slot.
    pub(super) fn own(file: File) -> Descriptor {
        Descriptor { open: Some((file, None)), fresh: Mutex::default() }
    }

    /// Keeps the file open if a slot is free.
    pub(super) fn shared(file: File) -> Descriptor {
        match PERSISTENT.take() {
            Some(place) => Descriptor { open: Some((file, Some(place))), fresh: Mutex::default() },
            None => Descriptor { open: None, fresh: Mutex::new(FRESH.take().map(|place| (file, place))) },
        }
    }

    /// Calls `act` with the file, which `open` reopens if necessary.
    pub(super) fn with<T>(
        &self,
        open: impl FnOnce() -> io::Result<File>,
        act: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<T> {
        if let Some((file, _)) = &self.open {
            return act(file);
        }
        let fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner).take();
        match fresh {
            Some((file, _place)) => act(&file),
            None => act(&open()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::{Content, Uri, Vfs, VfsOptions};
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::fs::OpenOptions;
    use tiledb_core::pool::Pools;

    #[test]
    fn nobody_waits_at_a_pipe() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let (pipe, other) = (Uri::from_path(&path).unwrap(), Uri::from_path(&directory.path().join("other")).unwrap());
        let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
        let refusals = || {
            [
                vfs.open(&pipe).is_err(),
                vfs.open_persistent(&pipe, None, Content::Cells).is_err(),
                vfs.read(&pipe).is_err(),
                vfs.size(&pipe).is_err(),
                vfs.create(&pipe).is_err(),
                vfs.append(&pipe).is_err(),
                vfs.put(&pipe, b"1").is_err(),
                vfs.touch(&pipe).is_err(),
                vfs.copy_file(&pipe, &other).is_err(),
                vfs.copy_dir(&pipe, &other).is_err(),
            ]
        };
        assert_eq!(refusals(), [true; 10]);
        // Somebody is at the other end.
        let _end = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert_eq!(refusals(), [true; 10]);
    }

    #[test]
    fn files_without_a_place_are_opened_for_each_use() {
        let file = tempfile::tempfile().unwrap();
        let few: Vec<Descriptor> =
            (0..PERSISTENT.most).map(|_| Descriptor::shared(file.try_clone().unwrap())).collect();
        let last = Descriptor::shared(file.try_clone().unwrap());
        assert!(last.open.is_none() && few.iter().any(|one| one.open.is_some()));
        let mut opened = usize::from(last.fresh.lock().unwrap().is_some());
        for _ in 0..2 {
            let open = || {
                opened += 1;
                file.try_clone()
            };
            last.with(open, |file| file.metadata().map(drop)).unwrap();
        }
        assert_eq!(opened, 2);
    }
}
