//! The version that `tiledb_version` reports.
//!
//! It is that of the interface, except in a copy of the library that takes the place of an older release: some clients, such as
//! TileDB-SOMA since 2.0, refuse to load with any version but that of their wheel. `swap` of the Python package finds the marker in
//! its copy and writes the version of the replaced library after it.

use std::sync::atomic::{AtomicI32, Ordering};

#[repr(C)]
struct Reported {
    /// Occurs once in the library. `packages/python/src/tiledb_rs/_native/swap.py` has the same text.
    marker: [u8; 32],
    /// Major and minor version, and revision: atomic, so that the compiler does not take them for constants.
    version: [AtomicI32; 3],
}

#[used]
static REPORTED: Reported = Reported {
    marker: *b"tiledb_rs: the reported version\0",
    version: [AtomicI32::new(2), AtomicI32::new(30), AtomicI32::new(0)],
};

/// Major and minor version, and revision.
pub fn reported_version() -> [i32; 3] {
    std::hint::black_box(&REPORTED.marker);
    REPORTED.version.each_ref().map(|number| number.load(Ordering::Relaxed))
}
