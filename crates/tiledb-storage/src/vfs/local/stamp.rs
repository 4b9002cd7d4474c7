//! Stamps of local files and directories, and whether they are validators.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::vfs::validation;
use crate::vfs::{Content, Stamp};
use tiledb_core::platform::{FileStamp, Medium, file};

/// The stamp of an open file or directory with this metadata.
pub(super) fn of(file: &File, metadata: &Metadata) -> io::Result<Stamp> {
    file::stamp(file, metadata).map(|stamp| with_clock(stamp, metadata))
}

/// As [`of`], of the file or directory at a path.
pub(super) fn at(path: &Path, metadata: &Metadata) -> io::Result<Stamp> {
    file::stamp_at(path, metadata).map(|stamp| with_clock(stamp, metadata))
}

fn with_clock(FileStamp { device, inode, changed }: FileStamp, metadata: &Metadata) -> Stamp {
    let clock = if metadata.is_dir() { validation::now().1 } else { validation::times_set() };
    Stamp { device, inode, size: metadata.len(), changed, clock }
}

/// Whether the stamp of an open file or directory, of which nothing was read yet, is a validator.
pub(super) fn is_validator(stamp: Stamp, file: &File, content: Content) -> bool {
    let known = (content == Content::Cells).then(|| Verdict::of(&stamp));
    if let Some(is_validator) = known.as_ref().and_then(Verdict::get) {
        return is_validator;
    }
    let (now, clock) = validation::now();
    let mut medium = Medium::Other;
    let look = || {
        medium = file::medium(file);
        medium
    };
    let is_validator =
        clock == stamp.clock && validation::is_validator(&stamp, content, now, look, || file::dirty_pages(file));
    // On a disk, a stamp that is not a validator yet may become one.
    if let Some(known) = known.filter(|_| is_validator || medium == Medium::Memory) {
        known.put(is_validator);
    }
    is_validator
}

/// Memoizes whether the stamp of a file with cells is a validator, if that is final: saves two system calls each time
/// the file is reopened. Direct-mapped: one of a few thousand slots, chosen by a hash of the stamp; a newer stamp
/// replaces an older one in the same slot.
struct Verdict {
    place: &'static AtomicU64,
    /// A digest of the stamp, but for the lowest bit.
    digest: u64,
}

const PLACES: usize = 8192;
static VERDICTS: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

impl Verdict {
    fn of(stamp: &Stamp) -> Verdict {
        let mut hasher = DefaultHasher::new();
        stamp.hash(&mut hasher);
        let digest = hasher.finish();
        Verdict { place: &VERDICTS[(digest >> 32) as usize % PLACES], digest: digest & !1 }
    }

    fn get(&self) -> Option<bool> {
        let stored = self.place.load(Ordering::Relaxed);
        (stored != 0 && stored & !1 == self.digest).then_some(stored & 1 == 1)
    }

    fn put(&self, is_validator: bool) {
        self.place.store(self.digest | u64::from(is_validator), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::{Uri, Vfs, VfsOptions};
    use std::fs;
    use std::sync::Arc;
    use std::time::Duration;
    use tiledb_core::pool::Pools;

    /// What others do to a directory and a file in it shows at once, however shortly after a look or another change.
    #[test]
    fn every_change_of_a_file_changes_its_stamp() {
        let place = tempfile::tempdir().unwrap();
        let (folder, path) = (Uri::from_path(place.path()).unwrap(), place.path().join("file"));
        let file = folder.join("file");
        let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
        let text = || {
            vfs.cached::<Vec<u8>>(&file).unwrap_or_else(|| {
                let open = vfs.open_to_cache(&file, Content::Metadata).unwrap();
                let bytes = Arc::new(open.read_all().unwrap());
                vfs.cache(&file, open.validator(), &bytes, bytes.len());
                bytes
            })
        };
        let check = |round: usize, names: usize| {
            assert_eq!(fs::read(&path).unwrap(), *text());
            assert_eq!(vfs.cached_names(&folder).unwrap().len(), names, "round {round}");
        };
        let replaced = place.path().join("next");
        for round in 0..60 {
            let content = format!("{round:08}");
            match round % 3 {
                0 => fs::write(&path, content).unwrap(),
                1 => fs::write(&replaced, content).and_then(|()| fs::rename(&replaced, &path)).unwrap(),
                _ => fs::write(place.path().join("more"), content).unwrap(),
            }
            let names = 1 + usize::from(place.path().join("more").exists());
            check(round, names);
            std::thread::sleep(Duration::from_millis([0, 0, 1, 7, 25][round % 5]));
            check(round, names);
            if round % 3 == 2 {
                fs::remove_file(place.path().join("more")).unwrap();
                check(round, 1);
            }
        }
        let open = File::open(&path).unwrap();
        open.sync_all().unwrap();
        if file::medium(&open) != Medium::Other && file::dirty_pages(&open).is_some() {
            std::thread::sleep(Duration::from_millis(3_100));
            let looks = [0, 1].map(|_| (text(), vfs.cached_names(&folder).unwrap()));
            assert!(Arc::ptr_eq(&looks[0].0, &looks[1].0) && Arc::ptr_eq(&looks[0].1, &looks[1].1));
            fs::write(&path, "another").unwrap();
            assert_eq!(**text(), *b"another");
        }
    }

    /// A file that is not among those that stay open is reopened for each read: if it has been replaced by another
    /// file, the read fails.
    #[test]
    fn a_file_that_took_the_place_of_another_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "first").unwrap();
        let uri = Uri::from_path(&path).unwrap();
        let vfs = Vfs::with_options(&VfsOptions::default(), &Pools::new(1, 1));
        let open: Vec<_> = (0..300).map(|_| vfs.open_persistent(&uri, None, Content::Cells).unwrap()).collect();
        let read = |index: usize| {
            let mut bytes = [0; 5];
            open[index].read_at(0, &mut bytes).map(|()| bytes)
        };
        // What was just opened may be read once.
        (0..300).for_each(|index| assert_eq!(read(index).unwrap(), *b"first"));
        fs::write(place.path().join("other"), "other").unwrap();
        fs::rename(place.path().join("other"), &path).unwrap();
        let error = (0..300).find_map(|index| read(index).err()).unwrap();
        assert!(error.text().contains("Another file has taken its place"), "{error}");
        assert!((0..300).all(|index| read(index).is_err() || read(index).unwrap() == *b"first"));
    }

    #[test]
    fn verdicts_are_those_of_their_stamps() {
        let stamp = |inode| Stamp { device: 77, inode, size: 1, changed: (2, 3), clock: 0 };
        Verdict::of(&stamp(1)).put(true);
        Verdict::of(&stamp(2)).put(false);
        let got = [1, 2, 3].map(|inode| Verdict::of(&stamp(inode)).get());
        assert_eq!(got, [Some(true), Some(false), None]);
        assert_eq!(Verdict::of(&Stamp { clock: 1, ..stamp(1) }).get(), None);
        // Of another stamp with the same slot.
        let slot = |inode| Verdict::of(&stamp(inode)).place;
        let other = (3..10_000_000).find(|inode| std::ptr::eq(slot(*inode), slot(1))).unwrap();
        assert_eq!(Verdict::of(&stamp(other)).get(), None);
        Verdict::of(&stamp(other)).put(false);
        assert_eq!([other, 1].map(|inode| Verdict::of(&stamp(inode)).get()), [Some(false), None]);
    }
}
