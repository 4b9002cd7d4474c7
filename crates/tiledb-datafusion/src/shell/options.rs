//! Options of the command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Query TileDB arrays with SQL.
///
/// Arrays are tables by their URIs in quotes, files of Parquet, CSV and JSON by their paths. Without a query it is read from standard
/// input, or from a prompt if that is a terminal.
#[derive(Debug, Parser)]
#[command(name = "tiledb-rs-sql", bin_name = "tiledb-rs sql", version, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The statements, separated by semicolons.
    pub(crate) query: Option<String>,

    /// Read the statements from a file.
    #[arg(short, long, value_name = "FILE", conflicts_with = "query")]
    pub(crate) file: Option<PathBuf>,

    /// The format of results.
    #[arg(short = 'F', long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,

    /// Write results to a file. Its ending selects the format: .csv, .json, .parquet, .arrow.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Rows that are printed as a table, at most; 0 prints all.
    #[arg(long, value_name = "ROWS", default_value_t = 1000)]
    pub(crate) max_rows: usize,

    /// Print results as JSON lines, as --format json does.
    #[arg(long)]
    pub(crate) json: bool,

    /// Set a parameter of the library, such as vfs.s3.region=eu-central-1, or of DataFusion, such as datafusion.execution.batch_size=4096.
    #[arg(short = 'c', long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Read parameters of the library from a file with one "key value" pair per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,

    /// Read the key of encrypted arrays from a file.
    #[arg(long, value_name = "FILE", env = "TILEDB_RS_KEY_FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// The memory that queries may use, such as 4GB; what exceeds it is written to temporary files where the operator can.
    #[arg(short, long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory: Option<u64>,

    /// The number of threads; all processors by default.
    #[arg(short, long, value_name = "THREADS")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Print how long each statement took.
    #[arg(long)]
    pub(crate) timing: bool,
}

const EXAMPLES: &str = "\
Examples:
  tiledb-rs sql \"SELECT origin, avg(delay) FROM 'flights' GROUP BY origin\"
  tiledb-rs sql -o late.parquet \"SELECT * FROM 's3://bucket/flights' WHERE delay > 60\"
  tiledb-rs sql \"SELECT count(*) FROM read_tiledb('flights', '2024-01-31')\"
  tiledb-rs sql \"INSERT INTO 'flights' SELECT * FROM 'new.parquet'\"";

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for reading.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// JSON lines: an object per row.
    Json,
    /// A Parquet file.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl Options {
    /// The format of results: that of the ending of the output file, unless another one was chosen.
    pub(crate) fn format(&self) -> Format {
        let ending = self.output.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        let chosen = if self.json { Format::Json } else { self.format };
        match (chosen, ending) {
            (Format::Table, Some("csv")) => Format::Csv,
            (Format::Table, Some("json" | "jsonl" | "ndjson")) => Format::Json,
            (Format::Table, Some("parquet")) => Format::Parquet,
            (Format::Table, Some("arrow" | "feather" | "ipc")) => Format::Arrow,
            (chosen, _) => chosen,
        }
    }
}

/// A number of bytes with a unit of powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.trim().to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(format!("'{unit}' is not a unit; write kB, MB, GB or TB")),
    };
    let number: u64 = number.parse().map_err(|_| "begin with a number, as in 4GB".to_owned())?;
    number
        .checked_mul(1 << shift)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "it must be between 1 and 2^64 bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4GB"), Ok(4 << 30));
        assert_eq!(bytes("512 MiB"), Ok(512 << 20));
        assert_eq!(bytes("7"), Ok(7));
        assert!(bytes("GB").is_err());
        assert!(bytes("1 parsec").is_err());
        assert!(bytes("99999999999TB").is_err());
    }

    #[test]
    fn options_are_consistent() {
        Options::command().debug_assert();
    }
}
