//! Logging to standard error, or to the function of a program; disabled by default.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::calendar::CalendarDate;
use crate::config::Config;
use crate::error::Result;
use crate::fork::Lock;
use crate::platform::file::write_stderr;

/// Severity of a line; a configured level includes the more severe ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// An operation failed.
    Error = 1,
    /// Something was corrected or ignored.
    Warn = 2,
    /// An operation began or ended.
    Info = 3,
    /// A request to an object store or a server.
    Trace = 5,
}

/// Receives the lines of the log in place of standard error.
pub type LogSink = Arc<dyn Fn(Level, &str) + Send + Sync>;

static LEVEL: AtomicU8 = AtomicU8::new(0);
static JSON: AtomicBool = AtomicBool::new(false);
static SINK: Lock<Option<LogSink>> = Lock::new(None, || None);

/// Sends the lines of this process to a function, or to standard error again. The level remains that of the configuration.
pub fn set_sink(sink: Option<LogSink>) {
    // Dropped after the lock is released: it may belong to a program.
    let _previous = std::mem::replace(&mut *SINK.lock(), sink);
}

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

/// Runs an operation whose begin, end and duration are logged; `summary` says what was done. `what` is only built when it is
/// shown, for example "Consolidation of 'my_array'".
///
/// # Errors
/// Those of `work`.
pub fn operation<T>(
    what: impl FnOnce() -> String,
    work: impl FnOnce() -> Result<T>,
    summary: impl FnOnce(&T) -> String,
) -> Result<T> {
    if !enabled(Level::Info) {
        return work();
    }
    let (what, started) = (what(), Instant::now());
    write(Level::Info, &format!("{what} begins"));
    let done = work();
    let seconds = started.elapsed().as_secs_f64();
    match &done {
        Ok(result) => write(Level::Info, &format!("{what} ends after {seconds:.3} s{}", summary(result))),
        Err(error) => write(Level::Info, &format!("{what} fails after {seconds:.3} s: {}", error.text())),
    }
    done
}

#[cold]
fn write(level: Level, text: &str) {
    let sink = SINK.lock().clone();
    if let Some(sink) = sink {
        return sink(level, text);
    }
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
        Level::Trace => "trace",
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
    use crate::error::bail;

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

    /// One test, since level and sink belong to the process.
    #[test]
    fn lines_go_to_the_sink_if_their_level_is_enabled() {
        line(Level::Error, || unreachable!("the text of a silent line is not built"));
        let lines = Arc::new(std::sync::Mutex::new(Vec::new()));
        let written = Arc::clone(&lines);
        set_sink(Some(Arc::new(move |level, text: &str| written.lock().unwrap().push((level, text.to_owned())))));
        let mut config = Config::new();
        config.set("config.logging_level", "2").unwrap();
        configure(&config).unwrap();
        assert!(enabled(Level::Warn) && !enabled(Level::Info));
        let unseen = || unreachable!("the text of a silent line is not built");
        operation(unseen, || Ok(()), |()| String::new()).unwrap();
        line(Level::Warn, || "beware".to_owned());
        config.set("config.logging_level", "3").unwrap();
        configure(&config).unwrap();
        assert!(enabled(Level::Info) && !enabled(Level::Trace));
        operation(|| "Work".to_owned(), || Ok(7), |cells| format!(", {cells} cells")).unwrap();
        operation(|| "Work".to_owned(), || -> Result<()> { bail!("no") }, |()| String::new()).unwrap_err();
        configure(&Config::new()).unwrap();
        set_sink(None);
        assert!(!enabled(Level::Error));
        let lines = lines.lock().unwrap();
        assert_eq!(lines[0], (Level::Warn, "beware".to_owned()));
        assert_eq!(lines[1], (Level::Info, "Work begins".to_owned()));
        assert!(lines[2].1.starts_with("Work ends after 0.") && lines[2].1.ends_with(" s, 7 cells"), "{lines:?}");
        assert!(lines[4].1.starts_with("Work fails after 0.") && lines[4].1.ends_with(" s: no"), "{lines:?}");
        assert_eq!(lines.len(), 5);
    }
}
