//! What is printed: tables for people, JSON for programs, colours on terminals only.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;

use crate::tiledb::Result;

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();

/// Prints a line.
pub fn line(text: &str) -> Result<()> {
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}

/// Prints bytes as they are, and tells of a reader that has gone away.
pub fn whole(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout();
    Ok(out.write_all(bytes).and_then(|()| out.flush())?)
}

/// Prints a heading.
pub fn heading(text: &str) -> Result<()> {
    writeln!(anstream::stdout(), "{BOLD}{text}{BOLD:#}")?;
    Ok(())
}

/// Prints JSON.
pub fn json(value: &Value) -> Result<()> {
    line(&format!("{value:#}"))
}

/// Says on the error output what went wrong.
pub fn complain(text: &str) {
    // Nobody is left to be told of a failure here.
    _ = writeln!(anstream::stderr(), "{RED}error{RED:#}: {text}");
}

/// Prints a table; columns whose names begin with `>` are numbers.
pub fn table(names: &[&str], rows: &[Vec<String>]) -> Result<()> {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(names.iter().map(|name| name.trim_start_matches('>')));
    for (at, name) in names.iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            column.set_padding((0, 2));
            if name.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| plain(cell))));
    let text = table.to_string();
    let mut lines = text.lines().map(str::trim_end);
    if let Some(names) = lines.next() {
        heading(names)?;
    }
    lines.try_for_each(line)
}

/// A text without what moves the cursor of a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// A file without the array that it is in.
pub fn inside<'a>(uri: &str, file: &'a str) -> &'a str {
    // The library gives whole URIs; one that was asked for may be a path from here.
    let name = uri.trim_end_matches('/').trim_start_matches("./");
    let after = |start: usize| file[start + name.len()..].strip_prefix('/');
    file.find(name).and_then(after).unwrap_or(file)
}

/// Bytes for people.
pub fn bytes(bytes: u64) -> String {
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
