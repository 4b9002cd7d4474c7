//! Logging to standard error; disabled by default.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar::CalendarDate;
use crate::config::Config;
use crate::error::Result;
use crate::platform::file::write_stderr;

/// Severity of a line; a configured level includes the more severe ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// An operation failed.
    Error = 1,
    /// Something was corrected or ignored.
    Warn = 2,
    /// Progress of an operation.
    Info = 3,
}

static LEVEL: AtomicU8 = AtomicU8::new(0);
static JSON: AtomicBool = AtomicBool::new(false);

/// Sets the level and the format for the whole process.
///
/// # Errors
/// For a level that is not a number.
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
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = timestamp(time.as_secs(), time.subsec_millis());
    let line = format(level, &time, std::process::id(), text, JSON.load(Ordering::Relaxed));
    // One write per line, so that lines of several threads do not interleave.
    write_stderr(line.as_bytes());
}

fn format(level: Level, time: &str, process: u32, text: &str, json: bool) -> String {
    let level = match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "info",
    };
    if json {
        let line = serde_json::json!({ "time": time, "process": process, "severity": level, "message": text });
        format!("{line}\n")
    } else {
        format!("[{time}] [Process: {process}] [{level}] {text}\n")
    }
}

/// Date and time of day (UTC) of a number of seconds since 1970, with milliseconds.
fn timestamp(seconds: u64, millis: u32) -> String {
    let date = CalendarDate::of_day((seconds / 86_400).into());
    let rest = seconds % 86_400;
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{date} {hour:02}:{minute:02}:{second:02}.{millis:03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_the_calendar() {
        assert_eq!(timestamp(0, 0), "1970-01-01 00:00:00.000");
        assert_eq!(timestamp(951_782_400, 5), "2000-02-29 00:00:00.005");
        assert_eq!(timestamp(1_795_227_897, 13), "2026-11-21 02:24:57.013");
        assert_eq!(timestamp(4_107_542_399, 999), "2100-02-28 23:59:59.999");
        assert_eq!(timestamp(4_107_542_400, 0), "2100-03-01 00:00:00.000");
    }

    #[test]
    fn lines_are_text_or_json() {
        let line = |json| format(Level::Warn, "now", 7, "a \"b\"\n", json);
        assert_eq!(line(false), "[now] [Process: 7] [warning] a \"b\"\n\n");
        let value: serde_json::Value = serde_json::from_str(&line(true)).unwrap();
        assert_eq!(value["message"], "a \"b\"\n");
        assert_eq!(value["severity"], "warning");
    }

    #[test]
    fn nothing_is_shown_unless_asked_for() {
        line(Level::Error, || unreachable!("the text of a silent line is not built"));
        let mut config = Config::new();
        config.set("config.logging_level", "2").unwrap();
        configure(&config).unwrap();
        assert!(enabled(Level::Warn) && !enabled(Level::Info));
        configure(&Config::new()).unwrap();
        assert!(!enabled(Level::Error));
    }
}
