//! Cache validation: when a cache that outlives a call may serve an entry.
//!
//! The caches of a context are decoded chunks ([`ChunkCache`](tiledb_core::pool::ChunkCache)), and parsed schemas,
//! fragment footers and directory listings ([`stat_cache`](super::stat_cache)). Other processes change files at any
//! time without notice, so an entry is keyed by a [`Stamp`] of its file: device, inode, size and time of the last
//! change (ctime). The current stamp is read by `fstat` or `stat` before each use; an entry with another stamp is never
//! served.
//!
//! **Validators.** A stamp is a validator only if *every* later change gives the file another stamp. [`is_validator`]
//! decides this after the file is opened and before its first byte is read, so that a change during the read also
//! yields another stamp. All of these must hold:
//!
//! - The file system takes timestamps from this machine's clock ([`Medium`]). Network file systems (NFS, SMB, FUSE),
//!   overlays (overlayfs) and unknown ones are not trusted: they cache attributes, use another clock, or report those
//!   of another layer.
//! - The clock has passed the stamp ([`SETTLED`]). Kernel timestamps advance in steps of 1 to 10 ms, some formats store
//!   whole seconds or pairs of seconds, and a write sets the time before it copies the data: for some time after a
//!   change, a second one, or the rest of the first, gets the same time. A stopped clock never passes a stamp, nor
//!   does one that was set back.
//! - No page of the file is dirty. A page that was written through a mapping stays writable, without further notice,
//!   until it is written back. If the system cannot report dirty pages, or not to this process, the last change must be
//!   old enough to have been written back ([`WRITTEN_BACK`]). In `tmpfs` nothing is written back, and a page that was
//!   read through a mapping before it is written leaves no trace: cells are not cached there.
//! - The clock was not set meanwhile ([`Clock`]): the number of times that it was set is part of the stamp, so that
//!   older entries are no longer found.
//!
//! **Without a validator nothing is cached beyond the array handle**: chunks belong to the open fragment, and schemas,
//! footers and listings are read again by each open. The same holds for `mem://`, object stores and TileDB servers.
//!
//! **Known gaps.** A schema or footer in `tmpfs` that is changed in place through a mapping which was read before; a
//! clock that is set back and forth between two checks, if the file is changed in the same second as before; a disk
//! that another machine with another clock changed while it was not mounted here; `dirty_writeback_centisecs = 0`,
//! where pages stay dirty for more than [`WRITTEN_BACK`], on kernels without `cachestat` (6.5).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tiledb_core::platform::Medium;

/// Identifies the content of a local file or directory, if it is a [validator](is_validator).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    pub device: u64,
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change of any kind (ctime), in seconds and nanoseconds since 1970.
    pub changed: (u64, u64),
    /// How often the clock was set before it was read.
    pub clock: u32,
}

/// Kind of contents that are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// The names in a directory, which cannot be memory-mapped.
    Listing,
    /// A schema or footer: small, written in one call.
    Metadata,
    Cells,
}

/// Minimum age of a stamp, after which the clock has advanced and the write is complete: for timestamps with
/// nanoseconds, and for those that may be rounded to two seconds.
const SETTLED: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Age after which dirty pages are written back: the system's default is half a minute, "laptop mode" waits for ten.
const WRITTEN_BACK: Duration = Duration::from_secs(15 * 60);

/// Whether every later change of the file gives it another stamp. `dirty_pages` is `None` if the system cannot report
/// them.
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
        (Medium::Disk, _) => match dirty_pages() {
            Some(pages) => pages == 0,
            // A clock that was set cannot measure an age.
            None => age >= WRITTEN_BACK && stamp.clock == 0,
        },
    }
}

/// Detects that the system's clock was set: it moves relative to the monotonic clock.
pub(super) struct Clock {
    /// Difference between both clocks in nanoseconds when the clock was last set.
    anchor: AtomicI64,
    set: AtomicU32,
}

/// Smaller differences are clock slew, for which [`SETTLED`] has a margin.
const TOLERANCE: u64 = 250_000_000;
const UNKNOWN: i64 = i64::MIN;

impl Clock {
    pub(super) const fn new() -> Clock {
        Clock { anchor: AtomicI64::new(UNKNOWN), set: AtomicU32::new(0) }
    }

    /// How often the clock was set, after a comparison of both clocks.
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

static CLOCK: Clock = Clock::new();

/// How often the system's clock was set since the process started, as of the last call of [`now`], which each listing
/// makes.
pub(super) fn times_set() -> u32 {
    CLOCK.set.load(Ordering::Relaxed)
}

/// The time since 1970, and how often the system's clock was set since the process started.
pub(super) fn now() -> (Duration, u32) {
    static START: OnceLock<Instant> = OnceLock::new();
    let monotonic = START.get_or_init(Instant::now).elapsed();
    let real = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (real, CLOCK.times_set(real, monotonic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// What happens to a simulated file, and to the clock that its times are taken from.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Passes(u64),
        /// The clock is set, forward or back, by this number of milliseconds.
        ClockSet(i64),
        Write,
        /// A write that sets the time now, and its bytes when the next event comes.
        SlowWrite,
        WriteMapped,
        WriteBack,
        Read,
        /// The file is written between `stat` and the read.
        ReadWhileWritten,
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => prop_oneof![Just(0u64), 1u64..20, 900u64..4000, Just(3_600_000)].prop_map(Event::Passes),
            1 => prop_oneof![-5000i64..5000, Just(-3_600_000), Just(3_600_000)].prop_map(Event::ClockSet),
            2 => Just(Event::Write),
            1 => Just(Event::SlowWrite),
            2 => Just(Event::WriteMapped),
            1 => Just(Event::WriteBack),
            6 => Just(Event::Read),
            1 => Just(Event::ReadWhileWritten),
        ]
    }

    /// A file on a disk that stores times with this granularity in nanoseconds; 0 for a stopped clock.
    struct File {
        step: u64,
        real: i64,
        monotonic: u64,
        clock: Clock,
        changed: u64,
        content: u32,
        is_dirty: bool,
        is_pending: bool,
    }

    const START: i64 = 1_800_000_000_000_000_000;

    impl File {
        fn now(&self) -> u64 {
            match self.step {
                0 => START as u64,
                step => self.real as u64 / step * step,
            }
        }

        fn stamp(&self) -> Stamp {
            let clock = self.clock.times_set(self.real(), Duration::from_nanos(self.monotonic));
            let changed = (self.changed / 1_000_000_000, self.changed % 1_000_000_000);
            Stamp { device: 1, inode: 2, size: 3, changed, clock }
        }

        /// The clock of this machine; for a stopped clock, that of the file system.
        fn real(&self) -> Duration {
            Duration::from_nanos(if self.step == 0 { START as u64 } else { self.real as u64 })
        }

        fn write(&mut self) {
            (self.changed, self.is_dirty) = (self.now(), true);
            self.content += 1;
        }

        fn happen(&mut self, event: Event) {
            if std::mem::take(&mut self.is_pending) {
                self.content += 1;
            }
            match event {
                Event::Passes(milliseconds) => {
                    self.monotonic += milliseconds * 1_000_000;
                    self.real += milliseconds as i64 * 1_000_000;
                }
                Event::ClockSet(milliseconds) => {
                    self.real += milliseconds * 1_000_000;
                    // Somebody looks before it is set once more.
                    self.stamp();
                }
                Event::Write => self.write(),
                Event::SlowWrite => {
                    self.write();
                    self.is_pending = true;
                }
                // A page that is dirty already is written without notice.
                Event::WriteMapped if self.is_dirty => self.content += 1,
                Event::WriteMapped => self.write(),
                Event::WriteBack => self.is_dirty = false,
                Event::Read | Event::ReadWhileWritten => {}
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn what_is_served_is_what_is_there(
            step in prop_oneof![
                Just(0u64), Just(1), Just(999_983), Just(4_000_000), Just(3_999_937), Just(10_000_000), Just(1_000_000_000),
                Just(2_000_000_000)
            ],
            events in prop::collection::vec(event(), 1..120),
        ) {
            let mut file = File {
                step, real: START, monotonic: 7, clock: Clock::new(), changed: START as u64, content: 0, is_dirty: false,
                is_pending: false,
            };
            file.stamp();
            let mut cache: HashMap<Stamp, u32> = HashMap::new();
            for event in events {
                file.happen(event);
                if !matches!(event, Event::Read | Event::ReadWhileWritten) {
                    continue;
                }
                let stamp = file.stamp();
                if let Some(cached) = cache.get(&stamp) {
                    prop_assert_eq!(*cached, file.content);
                    continue;
                }
                let dirty = || Some(u64::from(file.is_dirty));
                let is_validator = is_validator(&stamp, Content::Cells, file.real(), || Medium::Disk, dirty);
                prop_assert!(step > 0 || !is_validator, "the clock stands still");
                if matches!(event, Event::ReadWhileWritten) {
                    file.write();
                }
                if is_validator {
                    cache.insert(stamp, file.content);
                }
            }
        }
    }

    fn stamp(age: Duration, rounded: bool) -> (Stamp, Duration) {
        let now = Duration::new(1_800_000_000, 123_456_789);
        let changed = now - age;
        let nanoseconds = if rounded { 0 } else { u64::from(changed.subsec_nanos()) | 1 };
        (Stamp { device: 1, inode: 2, size: 3, changed: (changed.as_secs(), nanoseconds), clock: 0 }, now)
    }

    #[test]
    fn each_condition_is_needed() {
        let judge = |age: u64, rounded: bool, content: Content, medium: Medium, dirty: Option<u64>| {
            let (stamp, now) = stamp(Duration::from_millis(age), rounded);
            is_validator(&stamp, content, now, || medium, || dirty)
        };
        use {Content::*, Medium::*};
        assert!(judge(1_100, false, Cells, Disk, Some(0)));
        assert!(!judge(900, false, Cells, Disk, Some(0)));
        assert!(!judge(2_000, true, Cells, Disk, Some(0)) && judge(3_200, true, Cells, Disk, Some(0)));
        assert!(!judge(60_000, false, Cells, Disk, Some(1)) && !judge(60_000, false, Metadata, Disk, None));
        assert!(judge(16 * 60_000, false, Cells, Disk, None));
        assert!(judge(60_000, false, Listing, Disk, None) && judge(60_000, false, Listing, Memory, None));
        assert!(judge(60_000, false, Metadata, Memory, Some(0)) && !judge(3_600_000, false, Cells, Memory, Some(0)));
        for content in [Listing, Metadata, Cells] {
            assert!(!judge(3_600_000, false, content, Other, Some(0)));
        }
        // Of the future, or before 1970.
        let (stamp, now) = stamp(Duration::ZERO, false);
        for seconds in [now.as_secs() + 3600, u64::MAX] {
            let stamp = Stamp { changed: (seconds, 1), ..stamp };
            assert!(!is_validator(&stamp, Listing, now, || Disk, || Some(0)));
        }
    }

    #[test]
    fn a_clock_that_is_set_is_noticed() {
        let clock = Clock::new();
        let seconds = Duration::from_secs_f64;
        let looks = [(1000.0, 1.0), (1060.2, 61.0), (1070.4, 71.2), (1000.0, 72.0), (1001.0, 73.0), (4600.0, 74.0)];
        assert_eq!(
            looks.map(|(real, monotonic)| clock.times_set(seconds(real), seconds(monotonic))),
            [0, 0, 0, 1, 1, 2]
        );
    }

    #[test]
    fn limits_of_ages_are_exact() {
        let judge = |age: Duration, content: Content, dirty: Option<u64>, clock: u32| {
            let (stamp, now) = stamp(age, false);
            is_validator(&Stamp { clock, ..stamp }, content, now, || Medium::Disk, || dirty)
        };
        let nanosecond = Duration::from_nanos(1);
        assert!(judge(SETTLED[0], Content::Cells, Some(0), 0));
        assert!(!judge(SETTLED[0] - 2 * nanosecond, Content::Cells, Some(0), 0));
        assert!(judge(WRITTEN_BACK, Content::Metadata, None, 0));
        assert!(!judge(WRITTEN_BACK - 2 * nanosecond, Content::Metadata, None, 0));
        assert!(!judge(WRITTEN_BACK, Content::Metadata, None, 1), "a clock that was set measures no age");
        assert!(judge(WRITTEN_BACK, Content::Metadata, Some(0), 1));
    }

    #[test]
    fn clock_tolerates_exactly_the_slew() {
        let clock = Clock::new();
        let monotonic = Duration::from_secs(5);
        let at = |nanoseconds: u64| Duration::from_secs(1000) + Duration::from_nanos(nanoseconds);
        let looks = [0, TOLERANCE, TOLERANCE + 1, 1, 0].map(|moved| clock.times_set(at(moved), monotonic));
        assert_eq!(looks, [0, 0, 1, 1, 2], "relative to the time at which it was set last");
    }
}
