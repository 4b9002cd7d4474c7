//! Descriptors of local files: so few stay open that a process never runs out of them.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Resource, getrlimit};

/// Files that stay open at most, in all contexts of the process together; further ones are opened for each use.
static KEPT: Places = Places::new(256, 4);
/// Those among the others that were just opened and wait for their first use.
static FRESH: Places = Places::new(32, 8);

/// How many files of a kind are open, and how many may be.
struct Places {
    most: u64,
    /// The part of the descriptors that the process may have: little is left undone where a program sets a low limit.
    share: u64,
    /// As of the last time that the system was asked.
    limit: AtomicUsize,
    taken: AtomicUsize,
    wanted: AtomicUsize,
}

/// Once in so many times the system is asked again how many descriptors there may be.
const ASK_AGAIN: usize = 16;

impl Places {
    const fn new(most: u64, share: u64) -> Places {
        let [limit, taken, wanted] = [const { AtomicUsize::new(0) }; 3];
        Places { most, share, limit, taken, wanted }
    }

    /// A place, if one is free.
    fn take(&'static self) -> Option<Place> {
        if self.wanted.fetch_add(1, Ordering::Relaxed).is_multiple_of(ASK_AGAIN) {
            let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
            self.limit.store(self.most.min(descriptors / self.share) as usize, Ordering::Relaxed);
        }
        let limit = self.limit.load(Ordering::Relaxed);
        let one_more = |taken| (taken < limit).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Place(self))
    }
}

/// A place among the open files of a kind. It is free again when this is dropped.
pub(super) struct Place(&'static Places);

impl Place {
    /// One among the files that stay open, if one is free.
    pub(super) fn of_kept() -> Option<Place> {
        KEPT.take()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An open file that may have to be opened anew for each use.
pub(super) struct Descriptor {
    kept: Option<(File, Option<Place>)>,
    /// One that is not kept, until its first use.
    fresh: Mutex<Option<(File, Place)>>,
}

impl Descriptor {
    /// Keeps the file open, whatever the number of others.
    pub(super) fn own(file: File) -> Descriptor {
        Descriptor { kept: Some((file, None)), fresh: Mutex::default() }
    }

    /// Keeps the file open if there is a place for it.
    pub(super) fn shared(file: File) -> Descriptor {
        match KEPT.take() {
            Some(place) => Descriptor { kept: Some((file, Some(place))), fresh: Mutex::default() },
            None => Descriptor { kept: None, fresh: Mutex::new(FRESH.take().map(|place| (file, place))) },
        }
    }

    /// Does something with the file, which is opened by `open` if it was not kept.
    pub(super) fn with<T>(
        &self,
        open: impl FnOnce() -> io::Result<File>,
        act: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<T> {
        if let Some((file, _)) = &self.kept {
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
        let few: Vec<Descriptor> = (0..KEPT.most).map(|_| Descriptor::shared(file.try_clone().unwrap())).collect();
        let last = Descriptor::shared(file.try_clone().unwrap());
        assert!(last.kept.is_none() && few.iter().any(|one| one.kept.is_some()));
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
