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
    use crate::pool::Pools;
    use crate::vfs::{Options, Uri, Vfs};
    use std::fs;
    use std::sync::Arc;

    /// What others do to a directory and a file in it shows at once, however shortly after a look or another change.
    #[test]
    fn whatever_is_changed_is_seen() {
        let place = tempfile::tempdir().unwrap();
        let (folder, path) = (Uri::from_path(place.path()).unwrap(), place.path().join("file"));
        let file = folder.join("file");
        let vfs = Vfs::with_options(&Options::default(), &Pools::new(1, 1));
        let text = || {
            vfs.made_of::<Vec<u8>>(&file).unwrap_or_else(|| {
                let open = vfs.open(&file).unwrap();
                let bytes = Arc::new(open.read_all().unwrap());
                vfs.keep(&file, &open, &bytes, bytes.len());
                bytes
            })
        };
        let check = |round: usize, names: usize| {
            assert_eq!(fs::read(&path).unwrap(), *text());
            assert_eq!(vfs.known_names(&folder).unwrap().len(), names, "round {round}");
        };
        let replaced = place.path().join("next");
        for round in 0..120 {
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
        if is_local(fs::File::open(place.path()).unwrap()) {
            std::thread::sleep(Duration::from_millis(50));
            let looks = [0, 1].map(|_| (text(), vfs.known_names(&folder).unwrap()));
            assert!(Arc::ptr_eq(&looks[0].0, &looks[1].0) && Arc::ptr_eq(&looks[0].1, &looks[1].1));
        }
    }

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
