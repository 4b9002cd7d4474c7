//! Programs that the Rust bindings of libtiledb have as examples, written with this crate.
//!
//! `cargo run -p tiledb --example gallery -- NAME [FOLDER]` runs one of them, in `gallery` if no folder is named.

mod aggregates;
mod fragment_info;
mod groups;
mod multi_range_subarray;
mod query_condition_dense;
mod query_condition_sparse;
mod quickstart_dense;
mod quickstart_sparse_string;
mod reading_incomplete;
pub mod using_tiledb_stats;

use std::error::Error;
use std::io::{self, Write};

pub type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Runs a program on arrays in a folder, and writes what it prints to `out`.
type Program = fn(folder: &str, out: &mut dyn Write) -> Result;

pub const PROGRAMS: [(&str, Program); 10] = [
    ("aggregates", aggregates::run),
    ("fragment_info", fragment_info::run),
    ("groups", groups::run),
    ("multi_range_subarray", multi_range_subarray::run),
    ("query_condition_dense", query_condition_dense::run),
    ("query_condition_sparse", query_condition_sparse::run),
    ("quickstart_dense", quickstart_dense::run),
    ("quickstart_sparse_string", quickstart_sparse_string::run),
    ("reading_incomplete", reading_incomplete::run),
    ("using_tiledb_stats", using_tiledb_stats::run),
];

fn main() -> Result {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let folder = args.next().unwrap_or_else(|| "gallery".to_owned());
    match PROGRAMS.iter().find(|(listed, _)| *listed == name) {
        Some((_, run)) => run(&folder, &mut io::stdout().lock()),
        None => Err(format!("'{name}' is not one of {:?}", PROGRAMS.map(|(name, _)| name)).into()),
    }
}
