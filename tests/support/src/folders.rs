//! Folders of tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The parent folder of arrays that are written and read, but whose durability is not under test: in memory, where a sync takes no
/// time, unless `TMPDIR` names another one or `KEEP` is set.
pub fn temporary() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let is_chosen = ["TMPDIR", "KEEP"].into_iter().any(|name| std::env::var_os(name).is_some());
    if is_chosen || !has_room(memory) { std::env::temp_dir() } else { memory.to_owned() }
}

/// Whether 1 GiB is free; the default of containers is 64 MiB.
fn has_room(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|system| system.f_bavail.saturating_mul(system.f_frsize) >= 1 << 30)
}

/// Copies a folder with all it holds.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// The paths of all files and folders in a folder, relative to it; none if it does not exist.
pub fn paths(folder: &Path) -> BTreeSet<PathBuf> {
    let mut paths = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop().filter(|inner| inner.exists()) {
        for entry in std::fs::read_dir(inner).unwrap().map(Result::unwrap) {
            paths.insert(entry.path().strip_prefix(folder).unwrap().to_owned());
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    paths
}
