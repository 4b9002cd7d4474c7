//! Output: readable tables, JSON for programs, colours only on terminals.

mod escape;
mod file;
mod redact;
mod table;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::model::Result;

pub(crate) use escape::{escape, escape_json};
pub(crate) use file::{OutputFile, remove_partial};
pub(crate) use redact::{HIDDEN, is_secret, redact};

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();

/// Prints a line.
pub(crate) fn line(text: &str) -> Result<()> {
    print(&escape(text))
}

/// Prints a line that has nothing to escape.
fn print(text: &str) -> Result<()> {
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}

/// Prints bytes unchanged, and reports a closed pipe.
pub(crate) fn whole(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout();
    Ok(out.write_all(bytes).and_then(|()| out.flush())?)
}

/// Prints a heading.
pub(crate) fn heading(text: &str) -> Result<()> {
    writeln!(anstream::stdout(), "{BOLD}{}{BOLD:#}", escape(text))?;
    Ok(())
}

/// Prints JSON.
pub(crate) fn json(value: &Value) -> Result<()> {
    json_text(&format!("{value:#}"))
}

/// Prints the text of JSON.
pub(crate) fn json_text(text: &str) -> Result<()> {
    print(&escape_json(text))
}

/// Whether errors and notes are printed as JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Whether notes are left out.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether notes are left out, and progress is not shown.
pub(crate) fn set_quiet(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Whether notes are left out, and progress is not shown.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints errors and notes as JSON from now on, a line for each.
pub(crate) fn use_json_errors() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Prints an error without credentials.
pub(crate) fn complain(text: &str) {
    print_error(None, text);
}

/// Prints the error with which the tool ends, without credentials.
pub(crate) fn complain_with(code: u8, text: &str) {
    print_error(Some(code), text);
}

fn print_error(code: Option<u8>, text: &str) {
    let text = redact(text);
    // A failure to print an error cannot be reported.
    _ = match (IS_JSON.load(Ordering::Relaxed), code) {
        (false, _) => writeln!(anstream::stderr(), "{RED}error{RED:#}: {}", escape(&text)),
        (true, None) => print_json_error(&json!({ "error": text })),
        (true, Some(code)) => print_json_error(&json!({ "error": text, "exit_code": code })),
    };
}

fn print_json_error(error: &Value) -> std::io::Result<()> {
    writeln!(anstream::stderr(), "{}", escape_json(&error.to_string()))
}

/// Prints a note for the user on the standard error, so that it is in no output.
pub(crate) fn note(text: &str) {
    if is_quiet() {
        return;
    }
    let text = redact(text);
    _ = match IS_JSON.load(Ordering::Relaxed) {
        true => print_json_error(&json!({ "note": text })),
        false => writeln!(anstream::stderr(), "{}", escape(&text)),
    };
}

/// Prints a table; columns whose names begin with `>` are numbers.
pub(crate) fn table(names: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let mut lines = table::lines(names, rows);
    if let Some(names) = lines.next() {
        heading(&names)?;
    }
    lines.try_for_each(|line| print(&line))
}

/// A file without the array that it is in.
pub(crate) fn inside<'a>(uri: &str, file: &'a str) -> &'a str {
    // The library returns absolute URIs; the argument may be a relative path.
    let name = uri.trim_end_matches('/').trim_start_matches("./");
    let after = |start: usize| file[start + name.len()..].strip_prefix('/');
    file.find(name).and_then(after).unwrap_or(file)
}

/// A size in bytes as readable text.
pub(crate) fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}
