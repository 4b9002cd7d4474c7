//! Descriptors of local files: so few stay open that a process never runs out of them, and none is waited for.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

/// Files that stay open at most, in all contexts of the process together; further ones are opened for each use.
const MOST: u64 = 256;
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// How often, and how long each time, an opening waits for descriptors that other threads hold for a moment.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// A place among the files that stay open. It is free again when this is dropped.
struct Place;

impl Place {
    /// A place, if one is free: a quarter of the descriptors that the process may have, so that little is left
    /// undone where a program sets a low limit.
    fn take() -> Option<Place> {
        let limit = getrlimit(Resource::Nofile).current.map_or(MOST, |limit| MOST.min(limit / 4)) as usize;
        let one_more = |taken| (taken < limit).then_some(taken + 1);
        TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An open file that may have to be opened anew for each use.
pub(super) struct Descriptor {
    kept: Option<(File, Option<Place>)>,
}

impl Descriptor {
    /// Keeps the file open, whatever the number of others.
    pub(super) fn own(file: File) -> Descriptor {
        Descriptor { kept: Some((file, None)) }
    }

    /// Keeps the file open if there is a place for it.
    pub(super) fn shared(file: File) -> Descriptor {
        Descriptor { kept: Place::take().map(|place| (file, Some(place))) }
    }

    /// Does something with the file, which is opened by `open` if it was not kept.
    pub(super) fn with<T>(
        &self,
        open: impl FnOnce() -> io::Result<File>,
        act: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<T> {
        match &self.kept {
            Some((file, _)) => act(file),
            None => act(&open()?),
        }
    }
}

/// Opens a file. Pipes and sockets are refused, without waiting for anybody at their other end.
pub(super) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    let file = match without_waiting(path, options) {
        // Somebody else holds a lease on the file, which the system takes back if it may wait for that.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock && path.is_file() => options.custom_flags(0).open(path),
        file => file,
    }?;
    let metadata = not_a_pipe(file.metadata()?)?;
    Ok((file, metadata))
}

/// Refuses pipes and sockets.
pub(super) fn not_a_pipe(metadata: Metadata) -> io::Result<Metadata> {
    let kind = metadata.file_type();
    if kind.is_fifo() || kind.is_socket() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "Not a file"));
    }
    Ok(metadata)
}

fn without_waiting(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let options = options.custom_flags(libc::O_NONBLOCK);
    for _ in 0..TRIES {
        match options.open(path) {
            // Other threads may hold the rest for a moment each.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                std::thread::sleep(PAUSE);
            }
            file => return file,
        }
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::Pools;
    use crate::vfs::{Options, Uri, Vfs};
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn nobody_waits_at_a_pipe() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let (pipe, other) = (Uri::from_path(&path).unwrap(), Uri::from_path(&directory.path().join("other")).unwrap());
        let vfs = Vfs::with_options(&Options::default(), &Pools::new(1, 1));
        let refusals = || {
            [
                vfs.open(&pipe).is_err(),
                vfs.open_to_keep(&pipe).is_err(),
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
        let few: Vec<Descriptor> = (0..MOST).map(|_| Descriptor::shared(file.try_clone().unwrap())).collect();
        let last = Descriptor::shared(file.try_clone().unwrap());
        assert!(last.kept.is_none() && few.iter().any(|one| one.kept.is_some()));
        let mut opened = 0;
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
