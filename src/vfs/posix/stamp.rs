//! Stamps of local files and directories, and whether they last.

use std::fs::Metadata;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::fstatfs;

use crate::vfs::Stamp;

/// What the clock of changes stands still for at most: the system's takes a step at least each 10 ms, that of some formats of
/// disks each two seconds, which are whole ones then.
const STEP: Duration = Duration::from_millis(20);
const LONG_STEP: Duration = Duration::from_secs(3);

/// Kinds of file systems whose times of changes are this machine's, by the numbers that the system gives them: ext2 to ext4,
/// XFS, Btrfs, F2FS, those in memory, and layers of others.
const LOCAL: [i128; 7] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x0102_1994, 0x8584_58f6, 0x794c_7630];

pub(super) fn of(metadata: &Metadata) -> Stamp {
    let (seconds, nanoseconds) = (metadata.ctime() as u64, metadata.ctime_nsec() as u64);
    [metadata.dev(), metadata.ino(), metadata.len(), seconds, nanoseconds]
}

/// Whether the last change with this stamp lies so far back that none from now on has the same time.
pub(super) fn is_settled(stamp: &Stamp) -> bool {
    let &[_, _, _, seconds, nanoseconds] = stamp;
    let step = if nanoseconds.is_multiple_of(1_000_000) { LONG_STEP } else { STEP };
    let changed = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanoseconds));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now > changed.saturating_add(step)
}

/// Whether the system itself sets the times of what is open here: with servers of files it may know of changes later.
pub(super) fn is_local(file: impl AsFd) -> bool {
    fstatfs(file).is_ok_and(|found| LOCAL.contains(&i128::from(found.f_type)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_just_now_is_not_settled() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let stamp = |age: Duration, whole: bool| {
            let time = now.checked_sub(age).unwrap();
            let part = u64::from(time.subsec_nanos());
            [1, 2, 3, time.as_secs(), if whole { 0 } else { part / 1_000_000 * 1_000_000 + 1 }]
        };
        assert!(!is_settled(&stamp(Duration::ZERO, false)));
        assert!(is_settled(&stamp(Duration::from_millis(100), false)));
        assert!(!is_settled(&stamp(Duration::from_millis(1500), true)));
        assert!(is_settled(&stamp(Duration::from_secs(10), true)));
        // A clock that was set back.
        assert!(!is_settled(&[1, 2, 3, now.as_secs() + 3600, 1]));
        assert!(!is_settled(&[1, 2, 3, u64::MAX, u64::MAX]));
    }
}
