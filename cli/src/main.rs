//! Entry point of the command-line tool `tiledb-rs`, which inspects and maintains TileDB arrays.

use std::process::ExitCode;

fn main() -> ExitCode {
    tiledb_rs_cli::main()
}
