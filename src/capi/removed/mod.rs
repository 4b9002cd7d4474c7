//! Functions that libtiledb exported before 2.30, for programs built against its older releases.
//!
//! Each calls what its replacement calls and behaves as the last release that had it; `capi-tests/abi/removed.tsv` lists
//! them. `tiledb/tiledb_rs_removed.h` declares them.

pub(crate) mod array_deletes;
pub(crate) mod array_with_key;
pub(crate) mod dumps;
pub(crate) mod fragment_names;
pub(crate) mod group_texts;
pub(crate) mod query_async;
pub(crate) mod query_ranges;
pub(crate) mod query_subarray;
