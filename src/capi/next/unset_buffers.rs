//! Releases the buffers of a query.

use crate::boundary::In;
use crate::call::call_plain;
use crate::handles::tiledb_query_t;

/// Unsets all buffers of a query: data, offsets and validity buffers of fields, dimension labels and aggregates.
///
/// The library does not access the buffers or their size variables afterwards, so their memory may be freed. Aggregates, ranges,
/// the query condition and other settings remain. After the first submit, buffers can be set again for the fields that had some,
/// and the query continues where it was; a submit before that fails. A write in global order can be finalized without buffers.
///
/// Declared by libtiledb's development version 2.31, which may change it.
///
/// @param query The query.
/// @return `TILEDB_OK` for success; `TILEDB_ERR` for an invalid handle.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_query_unset_buffers(query: In<tiledb_query_t>) -> i32 {
    call_plain(|| {
        query.get()?.lock().unset_buffers();
        Ok(())
    })
}
