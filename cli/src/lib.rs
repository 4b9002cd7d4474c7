//! `tiledb-rs`: inspects, verifies, copies and maintains TileDB arrays in every store that the library supports.
//!
//! It is a program on the crate `tiledb` as any other. Each command is a file in [`commands`]; all output goes through [`output`].

mod analysis;
mod args;
mod commands;
mod completion;
mod examples;
mod export;
pub mod fuzz;
mod import;
mod manual;
mod model;
mod npy_format;
mod output;
mod parameters;
mod picture;
mod progress;
#[cfg(test)]
mod reference;
mod signals;
mod timestamps;
mod usage;

use std::process::ExitCode;

use model::Error;

/// Success.
const FINE: u8 = 0;
/// Findings or differences.
const FINDINGS: u8 = 1;
/// Invalid arguments; the same code as clap's.
const USAGE: u8 = 2;
/// Failure.
const FAILED: u8 = 3;

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    if usage::wants_json(std::env::args_os()) {
        output::use_json_errors();
    }
    let code = match usage::parse().and_then(|arguments| commands::run(&arguments)) {
        Ok(()) => FINE,
        Err(error) if error.is_closed_pipe() => FINE,
        Err(error) => {
            let code = match error {
                Error::Usage(_) => USAGE,
                Error::Failed(_) => FAILED,
                Error::Findings => FINDINGS,
                Error::Stopped | Error::Ended => signals::exit_code(),
            };
            if !matches!(error, Error::Findings | Error::Ended) {
                output::complain_with(code, &error.to_string());
            }
            code
        }
    };
    ExitCode::from(code)
}
