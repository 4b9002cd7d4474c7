//! Generates `docs/tool_options.md`, the reference of all commands and options, from the help texts.

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};

use crate::args::Arguments;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tool_options.md");
const INTRODUCTION: &str = "\
# Options of the command-line tool

Every command of `tiledb-rs` with its arguments and options, as `tiledb-rs COMMAND --help` prints them. For users who look up an option;
[the tool](tool.md) explains the commands with examples. Generated from the help texts by `BLESS=1 cargo test -p tiledb-rs-cli reference`.
";

/// The page as the help texts make it.
fn page() -> String {
    let mut command = Arguments::command();
    command.build();
    let mut page = format!("{INTRODUCTION}\n## Options of every command\n\n");
    page += &table(command.get_arguments().filter(|arg| arg.is_global_set()));
    for command in command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        page += &sections(command.get_name(), command);
    }
    page
}

/// The section of a command, and those of the commands below it.
fn sections(name: &str, command: &Command) -> String {
    let inner: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    match inner.is_empty() {
        true => section(name, command),
        false => inner.iter().map(|inner| sections(&format!("{name} {}", inner.get_name()), inner)).collect(),
    }
}

fn section(name: &str, command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let arguments = command.get_arguments().filter(|arg| !arg.is_global_set());
    format!("\n## {}\n\n{about}.\n\n```text\n{usage}\n```\n\n{}", name, table(arguments))
}

fn table<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let mut table = "| option | default | description |\n|---|---|---|\n".to_owned();
    for arg in arguments.filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version")) {
        let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let default =
            if default.is_empty() || !takes_value(arg) { String::new() } else { format!("`{}`", default.join(",")) };
        writeln!(table, "| {} | {default} | {} |", names(arg), description(arg)).unwrap();
    }
    table
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// `-r`, `--range DIM=LOW:HIGH`, or the name of a positional argument.
fn names(arg: &Arg) -> String {
    let value = arg.get_value_names().unwrap_or_default().join(" ");
    let Some(long) = arg.get_long() else { return format!("`{value}`") };
    let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let value = if takes_value(arg) { format!(" {value}") } else { String::new() };
    format!("{short}`--{long}{value}`").replace('|', "\\|")
}

/// The help text and the possible values, each with its own.
fn description(arg: &Arg) -> String {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default() + ".";
    let values = if takes_value(arg) { arg.get_possible_values() } else { Vec::new() };
    for (place, value) in values.iter().enumerate() {
        let about = value.get_help().map(|help| format!(" ({help})")).unwrap_or_default();
        write!(text, "{} `{}`{about}", if place == 0 { " Values:" } else { "," }, value.get_name()).unwrap();
    }
    text
}

#[test]
fn the_page_of_options_is_current() {
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let stored = std::fs::read_to_string(PAGE).unwrap_or_default();
    let line = stored.lines().zip(page.lines()).position(|(stored, made)| stored != made);
    assert_eq!(stored, page, "{PAGE} differs from the help texts, first in line {line:?}; BLESS=1 writes it");
}

/// Every option has a help text, without a full stop, which the page adds.
#[test]
fn help_texts_are_complete() {
    let mut command = Arguments::command();
    command.build();
    for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
        for arg in command.get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let hidden = command.is_hide_set();
            assert!(
                hidden || (help.len() > 5 && !help.ends_with('.')),
                "{} {}: '{help}'",
                command.get_name(),
                arg.get_id()
            );
        }
    }
}
