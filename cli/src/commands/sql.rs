//! `sql`: runs the program `tiledb-rs-sql`, which is installed by itself since it is several times as large as the tool.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use clap::CommandFactory;

use crate::args::{Arguments, CommonOptions};
use crate::examples::with_examples;
use crate::model::{Error, Result};
use crate::output;

/// The program beside the tool, or the one that the shell would find.
fn program() -> PathBuf {
    let name = format!("tiledb-rs-sql{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|tool| Some(tool.parent()?.join(&name)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

/// Runs the program with these arguments in place of the tool.
pub(super) fn run(common: &CommonOptions, arguments: &[OsString]) -> Result<()> {
    let program = program();
    let mut command = Command::new(&program);
    for parameter in &common.set {
        command.arg("-c").arg(parameter);
    }
    if let Some(file) = &common.config {
        command.arg("--config").arg(file);
    }
    if let Some(file) = &common.key_file {
        command.arg("--key-file").arg(file);
    }
    if common.json {
        command.arg("--json");
    }
    command.args(arguments);
    let error = replace(&mut command);
    if error.kind() == std::io::ErrorKind::NotFound {
        if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
            return help();
        }
        return Err(Error::failed(
            "sql needs the program tiledb-rs-sql, which is not installed: build it by `make sql`, and put it beside tiledb-rs or in the PATH",
        ));
    }
    Err(Error::failed(format!("{}: {error}", program.display())))
}

/// Prints what the tool knows of the command, where the program is not installed.
fn help() -> Result<()> {
    let mut command = with_examples(Arguments::command());
    command.build();
    let text = command.find_subcommand_mut("sql").map(|sql| sql.render_long_help().to_string());
    output::whole(text.unwrap_or_default().as_bytes())
}

/// Continues as another program; returns only if it cannot be started.
#[cfg(unix)]
fn replace(command: &mut Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn replace(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
