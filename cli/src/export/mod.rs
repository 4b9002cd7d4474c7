//! `cat`: cells in file formats.

mod batches;
mod datetimes;
mod npy;
mod out;
mod text;

use std::path::Path;

use crate::args::Format;

pub(crate) use batches::write_batches_as;
pub(crate) use datetimes::Datetimes;
pub(crate) use npy::{NpyBlock, write_npy};
pub(crate) use out::Out;
pub(crate) use text::Printer;

/// The format that the extension of a file names.
pub(crate) fn format_of(file: &Path) -> Option<Format> {
    let extension = file.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "csv" => Format::Csv,
        "json" | "jsonl" | "ndjson" => Format::Json,
        "arrow" | "feather" => Format::Arrow,
        "arrows" => Format::ArrowStream,
        "parquet" | "pq" => Format::Parquet,
        "npy" => Format::Npy,
        _ => return None,
    })
}
