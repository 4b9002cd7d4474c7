//! Logging to standard error, or to the function of a program; disabled by default.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

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

/// Receives the lines of the log in place of standard error: the message, or in the format JSON the object with its time and fields.
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
        write(level, &text(), Vec::new());
    }
}

/// What an operation did, for the line that ends it.
#[derive(Clone, Default)]
pub struct OperationSummary {
    details: String,
    figures: Vec<(&'static str, u64)>,
}

impl OperationSummary {
    /// A summary with details as text, which continue "ends after 0.1 s".
    pub fn of(details: impl Into<String>) -> OperationSummary {
        OperationSummary { details: details.into(), figures: Vec::new() }
    }

    /// Adds a number of something, for example "bytes"; `_` is a space in text.
    #[must_use]
    pub fn with(mut self, unit: &'static str, number: u64) -> OperationSummary {
        self.figures.push((unit, number));
        self
    }

    fn text(&self) -> String {
        let figures: Vec<String> =
            self.figures.iter().map(|(unit, number)| format!("{}: {number}", unit.replace('_', " "))).collect();
        let separator = if figures.is_empty() { "" } else { "; " };
        format!("{}{separator}{}", self.details, figures.join(", "))
    }
}

/// Runs an operation whose begin, end and duration are logged; `summary` says what was done. `what` is only built when it is
/// shown, for example "Consolidation of 'my_array'". In JSON the lines have `operation`, `event` (`begin`, `end` or `failure`),
/// `seconds` and the figures of the summary as fields.
///
/// # Errors
/// Those of `work`.
pub fn operation<T>(
    what: impl FnOnce() -> String,
    work: impl FnOnce() -> Result<T>,
    summary: impl FnOnce(&T) -> OperationSummary,
) -> Result<T> {
    if !enabled(Level::Info) {
        return work();
    }
    let (what, started) = (what(), Instant::now());
    let event = |event: &str| vec![("operation", what.as_str().into()), ("event", event.into())];
    write(Level::Info, &format!("{what} begins"), event("begin"));
    let done = work();
    let seconds = started.elapsed().as_secs_f64();
    let ended = |name: &str| [event(name), vec![("seconds", seconds.into())]].concat();
    match &done {
        Ok(result) => {
            let summary = summary(result);
            let figures = summary.figures.iter().map(|&(unit, number)| (unit, number.into())).collect();
            let fields = [ended("end"), figures].concat();
            write(Level::Info, &format!("{what} ends after {seconds:.3} s{}", summary.text()), fields);
        }
        Err(error) => {
            write(Level::Info, &format!("{what} fails after {seconds:.3} s: {}", error.text()), ended("failure"));
        }
    }
    done
}

/// Fields of a line in JSON beside its message.
type Fields = Vec<(&'static str, Value)>;

#[cold]
fn write(level: Level, text: &str, fields: Fields) {
    let sink = SINK.lock().clone();
    let is_json = JSON.load(Ordering::Relaxed);
    if let Some(sink) = sink.as_ref().filter(|_| !is_json) {
        return sink(level, text);
    }
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = timestamp(time.as_secs(), time.subsec_millis());
    let process = std::process::id();
    let line =
        if is_json { json_line(level, &time, process, text, fields) } else { text_line(level, &time, process, text) };
    match sink {
        Some(sink) => sink(level, &line),
        // One write per line, so that lines of several threads do not interleave.
        None => write_stderr(format!("{line}\n").as_bytes()),
    }
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info => "info",
            Level::Trace => "trace",
        }
    }
}

fn text_line(level: Level, time: &str, process: u32, text: &str) -> String {
    format!("[{time}] [Process: {process}] [{}] {text}", level.name())
}

fn json_line(level: Level, time: &str, process: u32, text: &str, fields: Fields) -> String {
    let mut line = serde_json::json!({ "time": time, "process": process, "severity": level.name(), "message": text });
    if let Some(line) = line.as_object_mut() {
        line.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    line.to_string()
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
        let text = "a \"b\"\n";
        assert_eq!(text_line(Level::Warn, "now", 7, text), "[now] [Process: 7] [warning] a \"b\"\n");
        let line = json_line(Level::Warn, "now", 7, text, vec![("bytes", 8.into())]);
        let expected = serde_json::json!({
            "time": "now", "process": 7, "severity": "warning", "message": text, "bytes": 8
        });
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), expected);
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
        operation(unseen, || Ok(()), |()| OperationSummary::default()).unwrap();
        line(Level::Warn, || "beware".to_owned());
        config.set("config.logging_level", "3").unwrap();
        configure(&config).unwrap();
        assert!(enabled(Level::Info) && !enabled(Level::Trace));
        let what = || "Work".to_owned();
        operation(what, || Ok(7), |cells| OperationSummary::of(", done").with("cells", *cells)).unwrap();
        operation(what, || -> Result<()> { bail!("no") }, |()| OperationSummary::default()).unwrap_err();
        config.set("config.logging_format", "JSON").unwrap();
        configure(&config).unwrap();
        operation(what, || Ok(()), |()| OperationSummary::default().with("fragments", 2).with("bytes", 9)).unwrap();
        operation(what, || -> Result<()> { bail!("no") }, |()| OperationSummary::default()).unwrap_err();
        configure(&Config::new()).unwrap();
        set_sink(None);
        assert!(!enabled(Level::Error));
        let lines = lines.lock().unwrap();
        assert_eq!(lines[0], (Level::Warn, "beware".to_owned()));
        assert_eq!(lines[1], (Level::Info, "Work begins".to_owned()));
        assert!(
            lines[2].1.starts_with("Work ends after 0.") && lines[2].1.ends_with(" s, done; cells: 7"),
            "{lines:?}"
        );
        assert!(lines[4].1.starts_with("Work fails after 0.") && lines[4].1.ends_with(" s: no"), "{lines:?}");
        let fields = |line: usize| serde_json::from_str::<Value>(&lines[line].1).unwrap();
        assert_eq!((&fields(5)["operation"], &fields(5)["event"]), (&"Work".into(), &"begin".into()));
        let end = fields(6);
        assert_eq!((&end["event"], &end["fragments"], &end["bytes"]), (&"end".into(), &2.into(), &9.into()));
        assert!(
            end["seconds"].as_f64().unwrap() >= 0.0 && end["message"].as_str().unwrap().starts_with("Work ends after")
        );
        assert_eq!(fields(8)["event"], "failure");
        assert_eq!(lines.len(), 9);
    }
}
