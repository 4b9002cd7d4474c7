//! Functions of libtiledb's development version 2.31, for programs built against it.
//!
//! `capi-tests/abi/next.tsv` lists them; `tiledb/tiledb_rs_next.h` declares them until 2.31 is released.

pub(crate) mod tile_bounds;
pub(crate) mod unset_buffers;
