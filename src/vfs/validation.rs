//! When a cache that outlives a call may serve what it holds: one rule for all of them.
//!
//! The caches of a context are decoded chunks ([`ChunkCache`](crate::pool::ChunkCache)), and parsed schemas, fragment footers and
//! directory listings ([`seen`](super::seen)). Other processes change files at any time and tell nobody, so an entry is keyed by
//! a [`Stamp`]: device, inode, size and time of the last change (ctime) of the file that it was made of. The stamp is read
//! anew, by `fstat` or `stat`, before each use; an entry with another stamp is never served.
//!
//! **What validates.** A stamp is a validator only if *every* change from now on gives the file another one. That is decided by
//! [`is_validator`] after the file was opened and before its first byte is read, so that what is changed while it is read has
//! another stamp, too:
//!
//! - The file system takes its times from this machine's clock ([`Medium`]). Servers of files (NFS, SMB, FUSE), layers of other
//!   file systems (overlayfs) and unknown ones are not trusted: attributes are cached there, come from another clock, or are those
//!   of another layer.
//! - The clock has passed the stamp ([`SETTLED`]). Kernels take a step each 1 to 10 ms, some formats store whole seconds or pairs of
//!   seconds, and a write sets the time before it copies the data: for some time after a change a second one, or the rest of the
//!   first, has the same time. A clock that stands still never passes a stamp, nor does one that was set back behind it.
//! - No page of the file is dirty. A page that was written through a mapping stays writable, without further notice, until it
//!   was written back. Where the system does not tell, or not this process, the last change must be so old that it was written
//!   back ([`WRITTEN_BACK`]). In `tmpfs` nothing is written back, and a page that was read through a mapping before it is
//!   written leaves no trace at all: cells are not cached there.
//! - The clock was not set meanwhile ([`Clock`]): the number of times that it was is a part of the stamp, so that an entry from
//!   before is not found any more.
//!
//! **Without a validator nothing is kept beyond the array handle**: chunks belong to the open fragment then, and schemas,
//! footers and listings are read anew by each open. The same holds for `mem://`, object stores and TileDB servers.
//!
//! **What defeats it.** A schema or a footer in `tmpfs` that is changed in place through a mapping which was read before; a clock
//! that is set back and forth between two looks, if the file is changed in the same second as before; a disk that another machine
//! with another clock changed while it was not mounted here; `dirty_writeback_centisecs = 0`, where pages stay dirty for
//! more than [`WRITTEN_BACK`], on kernels without `cachestat` (6.5).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Identifies the content of a local file or directory, if it is a [validator](is_validator).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change of any kind (ctime), in seconds and nanoseconds since 1970.
    pub changed: (u64, u64),
    /// How often the clock was set before it was read.
    pub clock: u32,
}

/// What is cached of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// The names in a directory: it cannot be mapped into memory.
    Listing,
    /// A schema or a footer: small, written at once.
    Metadata,
    /// Cells.
    Cells,
}

/// Where a file system keeps files, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// A disk of this machine: a page is write-protected when it is clean.
    Disk,
    /// Memory, as `tmpfs` does: pages are never clean.
    Memory,
    /// Something else, or unknown.
    Other,
}

/// The age from which a stamp is older than the step of the clock that it was taken from, and the write that it belongs to is
/// over. The first is for times with nanoseconds; the second for those that may be rounded to as much as two seconds.
const SETTLED: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// The age from which dirty pages were written back: the system's default is half a minute, "laptop mode" waits for ten minutes.
const WRITTEN_BACK: Duration = Duration::from_secs(15 * 60);

/// Whether whatever changes a file from now on gives it another stamp. `dirty_pages` is `None` where nobody tells.
pub(super) fn is_validator(
    stamp: &Stamp,
    content: Content,
    now: Duration,
    medium: impl FnOnce() -> Medium,
    dirty_pages: impl FnOnce() -> Option<u64>,
) -> bool {
    let (seconds, nanoseconds) = stamp.changed;
    let changed = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanoseconds));
    let settled = SETTLED[usize::from(nanoseconds.is_multiple_of(1_000_000))];
    let Some(age) = now.checked_sub(changed).filter(|age| *age >= settled) else { return false };
    match (medium(), content) {
        (Medium::Other, _) | (Medium::Memory, Content::Cells) => false,
        (_, Content::Listing) | (Medium::Memory, Content::Metadata) => true,
        (Medium::Disk, _) => age >= WRITTEN_BACK || dirty_pages() == Some(0),
    }
}

/// Notices that the system's clock was set: it moves against the one that only counts on.
pub(super) struct Clock {
    /// The difference between both clocks in nanoseconds when the clock was set last.
    anchor: AtomicI64,
    set: AtomicU32,
}

/// Smaller differences are those of a clock that is slowed or hastened; [`SETTLED`] leaves room for them.
const TOLERANCE: u64 = 500_000_000;
const UNKNOWN: i64 = i64::MIN;

impl Clock {
    pub(super) const fn new() -> Clock {
        Clock { anchor: AtomicI64::new(UNKNOWN), set: AtomicU32::new(0) }
    }

    /// How often the clock was found to be set, after a look at both clocks.
    pub(super) fn times_set(&self, real: Duration, monotonic: Duration) -> u32 {
        let nanoseconds = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        let difference = nanoseconds(real).saturating_sub(nanoseconds(monotonic));
        let anchor = self.anchor.load(Ordering::Relaxed);
        let has_moved = anchor == UNKNOWN || difference.abs_diff(anchor) > TOLERANCE;
        if has_moved
            && self.anchor.compare_exchange(anchor, difference, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            && anchor != UNKNOWN
        {
            self.set.fetch_add(1, Ordering::Relaxed);
        }
        self.set.load(Ordering::Relaxed)
    }
}

/// The time since 1970, and how often the system's clock was set since the process began.
pub(super) fn now() -> (Duration, u32) {
    static CLOCK: Clock = Clock::new();
    static START: OnceLock<Instant> = OnceLock::new();
    let monotonic = START.get_or_init(Instant::now).elapsed();
    let real = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (real, CLOCK.times_set(real, monotonic))
}
