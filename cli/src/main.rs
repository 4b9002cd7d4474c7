//! The program `tiledb-rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tiledb_rs_cli::main()
}
