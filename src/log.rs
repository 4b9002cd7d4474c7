//! Log lines on standard error, for errors and remarks; silent unless a configuration asks.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::config::Config;
use crate::error::Result;

/// How much a line matters; a configured level shows itself and the levels above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// An operation failed.
    Error = 1,
    /// Something was corrected or ignored.
    Warn = 2,
    /// What is being done.
    Info = 3,
    /// Details for debugging.
    Debug = 4,
    /// Every step.
    Trace = 5,
}

static LEVEL: AtomicU8 = AtomicU8::new(0);
static JSON: AtomicBool = AtomicBool::new(false);

/// Takes the level and the format of a configuration for the whole process.
///
/// # Errors
/// For a level that is no number.
pub fn configure(config: &Config) -> Result<()> {
    let level = config.u32("config.logging_level")?;
    LEVEL.store(level.min(5) as u8, Ordering::Relaxed);
    JSON.store(config.str("config.logging_format") == "JSON", Ordering::Relaxed);
    Ok(())
}

/// Whether lines of this level are shown.
pub fn enabled(level: Level) -> bool {
    level as u8 <= LEVEL.load(Ordering::Relaxed)
}

/// Writes a line; its text is only built when it is shown.
pub fn line(level: Level, text: impl FnOnce() -> String) {
    if enabled(level) {
        write(level, &text());
    }
}

#[cold]
fn write(level: Level, text: &str) {
    let _ = writeln!(std::io::stderr(), "[{level:?}] {text}");
}
