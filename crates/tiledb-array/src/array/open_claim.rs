//! Exclusive mode: while a handle of a process has an array open with `MODIFY_EXCLUSIVE`, no other handle of the process can
//! open it, and an array that is open cannot be opened so. Other processes are not concerned, as in libtiledb.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use tiledb_core::error::{Result, bail};
use tiledb_core::fork::{Lock, lock_with_spare};
use tiledb_core::types::QueryType;
use tiledb_storage::vfs::Uri;

/// The handles that have an array open.
struct OpenHandles {
    count: usize,
    is_exclusive: bool,
}

type Registry = HashMap<String, OpenHandles, BuildHasherDefault<DefaultHasher>>;

/// Open arrays by their URIs without a slash at the end. A forked child inherits the entries: it has the handles, too.
static OPEN: Lock<Registry> = Lock::new(Registry::with_hasher(BuildHasherDefault::new()), Registry::default);

/// Registration of a handle that has an array open; ends when dropped.
pub(super) struct OpenClaim(String);

impl OpenClaim {
    /// Registers a handle that is about to open an array. `query_type` is the number of C.
    ///
    /// # Errors
    /// If another handle has the array open, and one of them is exclusive.
    pub(super) fn new(uri: &Uri, query_type: u32) -> Result<OpenClaim> {
        let is_exclusive = query_type == QueryType::ModifyExclusive as u32;
        let name = uri.as_str().trim_end_matches('/');
        let (key, claim) = (name.to_owned(), name.to_owned());
        let mut open = lock_with_spare(1, || OPEN.lock_across_fork());
        match open.get_mut(&key) {
            Some(handles) if is_exclusive || handles.is_exclusive => {
                drop(open);
                bail!(
                    "TileDB internal: [Array::set_array_closed] May not perform simultaneous open or close operations. \
                     Array '{uri}' is open in this process, and only one handle can be open if one is in \
                     TILEDB_MODIFY_EXCLUSIVE mode: close the other handle first"
                );
            }
            Some(handles) => handles.count += 1,
            None => drop(open.insert(key, OpenHandles { count: 1, is_exclusive })),
        }
        drop(open);
        Ok(OpenClaim(claim))
    }
}

impl Drop for OpenClaim {
    fn drop(&mut self) {
        let mut open = OPEN.lock_across_fork();
        let Some(handles) = open.get_mut(&self.0) else { return };
        handles.count -= 1;
        let closed = if handles.count == 0 { open.remove_entry(&self.0) } else { None };
        // The lock is released before memory is freed.
        drop(open);
        drop(closed);
    }
}
