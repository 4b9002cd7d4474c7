//! Variables.

use std::path::PathBuf;

/// A variable of the environment that says something.
pub(in crate::vfs::cloud) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A path in the home directory.
pub(in crate::vfs::cloud) fn home(path: &str) -> Option<PathBuf> {
    variable("HOME").map(|home| PathBuf::from(home).join(path))
}
