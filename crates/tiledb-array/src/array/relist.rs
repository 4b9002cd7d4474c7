//! New listings of what others remove files from meanwhile.

use tiledb_core::error::{ErrorKind, Result};

/// Number of attempts to list an array whose files disappear in the meantime.
pub(super) const LISTINGS: usize = 4;

/// Lists an array and reads listed files. If one of them is gone, a vacuum has removed it since: a new listing contains what replaced
/// it. The last of `attempts` listings counts.
///
/// # Errors
/// Those of `read`.
pub fn relist<T>(attempts: usize, mut read: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..attempts {
        match read() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            result => return result,
        }
    }
    read()
}
