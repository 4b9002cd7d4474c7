//! Arguments of `maintain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct PolicyMaintenance {
    /// URIs of arrays, and of groups whose arrays are maintained, those of their subgroups included
    #[arg(value_name = "URI", required_unless_present = "list")]
    pub uris: Vec<String>,
    /// Maintain also the arrays that a file lists, one URI a line; # begins a comment. It is read again for each run
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Maintain all arrays and groups in folders, which are looked for again for each run
    #[arg(long)]
    pub recursive: bool,
    /// Print what would be done without changing anything
    #[arg(long)]
    pub dry_run: bool,
    /// Maintain the arrays again and again, at this interval, until the command is stopped; 60 seconds if omitted
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60", conflicts_with = "dry_run")]
    pub watch: Option<u64>,
    /// Number of arrays that are maintained at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = jobs)]
    pub jobs: usize,
    /// Keep the state in a file in JSON, which is replaced after each array
    #[arg(long, value_name = "FILE")]
    pub status_file: Option<PathBuf>,
    /// Serve metrics for Prometheus at /metrics and the health at /healthz of an address, such as 127.0.0.1:9184
    #[arg(long, value_name = "HOST:PORT")]
    pub metrics: Option<String>,
    /// Print a log instead of the results: a line for each step and message
    #[arg(long, value_enum)]
    pub log_format: Option<LogFormat>,
}

/// Format of a log.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Readable lines
    Text,
    /// A JSON object a line, with the time, the level and the array
    Json,
}

/// A number of arrays that are maintained at a time.
fn jobs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|jobs| (1..=256).contains(jobs)).ok_or_else(|| "write a number from 1 to 256".to_owned())
}
