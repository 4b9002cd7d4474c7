//! Stamps of local files and directories, and what the system tells of where they lie.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::fstatfs;

use super::page_cache;
use crate::vfs::validation::{self, Medium};
use crate::vfs::{Content, Stamp};

/// File systems on disks whose times are those of this machine's clock, by the numbers that the system gives them: ext2 to
/// ext4, XFS, Btrfs, F2FS.
const DISKS: [i128; 4] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010];
/// Those in memory: tmpfs, ramfs.
const MEMORY: [i128; 2] = [0x0102_1994, 0x8584_58f6];

pub(super) fn of(metadata: &Metadata) -> Stamp {
    let changed = (metadata.ctime() as u64, metadata.ctime_nsec() as u64);
    let (device, inode, size) = (metadata.dev(), metadata.ino(), metadata.len());
    Stamp { device, inode, size, changed, clock: validation::now().1 }
}

/// The stamp of an open file or directory of which nothing was read yet, if it is a validator.
pub(super) fn validator(stamp: Stamp, file: &File, content: Content) -> Option<Stamp> {
    let known = (content == Content::Cells).then(|| Verdict::of(&stamp));
    if let Some(is_validator) = known.as_ref().and_then(Verdict::get) {
        return is_validator.then_some(stamp);
    }
    let mut medium = Medium::Other;
    let look = || {
        medium = medium_of(file);
        medium
    };
    let is_validator =
        validation::is_validator(&stamp, content, validation::now().0, look, || page_cache::dirty_pages(file.as_fd()));
    // What speaks against a stamp on a disk passes.
    if let Some(known) = known.filter(|_| is_validator || medium == Medium::Memory) {
        known.put(is_validator);
    }
    is_validator.then_some(stamp)
}

fn medium_of(file: &File) -> Medium {
    let kind = fstatfs(file).map_or(0, |found| i128::from(found.f_type));
    match (DISKS.contains(&kind), MEMORY.contains(&kind)) {
        (true, _) => Medium::Disk,
        (_, true) => Medium::Memory,
        _ => Medium::Other,
    }
}

/// Whether stamps of files with cells are validators, which does not change once it is so: saves two system calls for each
/// file that is opened again. One of a few thousand places, chosen by the stamp, that the last one has taken.
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
        let found = self.place.load(Ordering::Relaxed);
        (found != 0 && found & !1 == self.digest).then_some(found & 1 == 1)
    }

    fn put(&self, is_validator: bool) {
        self.place.store(self.digest | u64::from(is_validator), Ordering::Relaxed);
    }
}
