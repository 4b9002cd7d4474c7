//! What `maintain` has done since it was started: for the status file and for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};
use tiledb::maintenance::MaintenanceStep;

use crate::model::Result;
use crate::output::OutputFile;
use crate::timestamps::readable;

/// The state of a running maintenance.
pub(super) struct MaintenanceState {
    started: u64,
    /// Complete runs over all arrays.
    runs: u64,
    activity: Activity,
    arrays: BTreeMap<String, ArrayState>,
}

/// What the process does.
#[derive(Clone, Copy)]
pub(super) enum Activity {
    Running,
    Waiting,
    Stopped,
}

/// The runs on one array.
#[derive(Default)]
struct ArrayState {
    runs: u64,
    failures: u64,
    steps: u64,
    bytes_read: u64,
    bytes_written: u64,
    /// Milliseconds since 1970.
    last_success: Option<u64>,
    /// Why the last run failed; none if it succeeded.
    error: Option<String>,
}

impl Activity {
    fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
        }
    }
}

impl MaintenanceState {
    pub(super) fn new() -> Self {
        Self { started: now(), runs: 0, activity: Activity::Running, arrays: BTreeMap::new() }
    }

    pub(super) fn set_activity(&mut self, activity: Activity) {
        self.activity = activity;
    }

    /// Notes a run on an array.
    pub(super) fn add_run(&mut self, uri: &str, steps: &[MaintenanceStep], error: Option<String>) {
        let array = self.arrays.entry(uri.to_owned()).or_default();
        array.runs += 1;
        array.steps += steps.len() as u64;
        array.bytes_read += steps.iter().map(|step| step.bytes_read).sum::<u64>();
        array.bytes_written += steps.iter().map(|step| step.bytes_written).sum::<u64>();
        match error {
            Some(_) => array.failures += 1,
            None => array.last_success = Some(now()),
        }
        array.error = error;
    }

    /// Notes the end of a run over all arrays. Those that are gone since are forgotten.
    pub(super) fn end_run(&mut self, uris: &[&str]) {
        self.runs += 1;
        self.arrays.retain(|uri, _| uris.contains(&uri.as_str()));
    }

    /// Whether the last run on every array succeeded.
    pub(super) fn is_healthy(&self) -> bool {
        self.arrays.values().all(|array| array.error.is_none())
    }

    /// The state as JSON.
    pub(super) fn json(&self) -> Json {
        let array = |(uri, array): (&String, &ArrayState)| {
            json!({
                "uri": uri, "runs": array.runs, "failures": array.failures, "steps": array.steps,
                "bytes_read": array.bytes_read, "bytes_written": array.bytes_written,
                "last_success": array.last_success.map(readable), "error": array.error,
            })
        };
        json!({
            "process": std::process::id(), "state": self.activity.name(), "healthy": self.is_healthy(),
            "started": readable(self.started), "updated": readable(now()), "runs": self.runs,
            "arrays": self.arrays.iter().map(array).collect::<Vec<_>>(),
        })
    }

    /// Writes the state to a file, which readers see whole.
    pub(super) fn store(&self, file: &Path) -> Result<()> {
        let mut output = OutputFile::create(file)?;
        output.write_all(format!("{:#}\n", self.json()).as_bytes())?;
        output.finish()
    }

    /// The state in the text format of Prometheus.
    pub(super) fn metrics(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        _ = writeln!(text, "# HELP tiledb_rs_maintain_rounds_total Complete runs over all arrays.");
        _ = writeln!(text, "# TYPE tiledb_rs_maintain_rounds_total counter");
        _ = writeln!(text, "tiledb_rs_maintain_rounds_total {}", self.runs);
        let mut family = |name: &str, kind: &str, help: &str, value: &dyn Fn(&ArrayState) -> Option<f64>| {
            _ = writeln!(text, "# HELP tiledb_rs_maintain_{name} {help}\n# TYPE tiledb_rs_maintain_{name} {kind}");
            for (uri, array) in &self.arrays {
                if let Some(value) = value(array) {
                    _ = writeln!(text, "tiledb_rs_maintain_{name}{{array=\"{}\"}} {value}", label(uri));
                }
            }
        };
        family("runs_total", "counter", "Runs on an array.", &|array| Some(array.runs as f64));
        family("failures_total", "counter", "Runs that failed.", &|array| Some(array.failures as f64));
        family("steps_total", "counter", "Consolidations and vacuums.", &|array| Some(array.steps as f64));
        family("read_bytes_total", "counter", "Bytes of merged fragments.", &|array| Some(array.bytes_read as f64));
        family("written_bytes_total", "counter", "Bytes of results.", &|array| Some(array.bytes_written as f64));
        family("up", "gauge", "Whether the last run succeeded.", &|array| {
            Some(if array.error.is_none() { 1.0 } else { 0.0 })
        });
        family("last_success_timestamp_seconds", "gauge", "End of the last run that succeeded.", &|array| {
            array.last_success.map(|milliseconds| milliseconds as f64 / 1000.0)
        });
        text
    }
}

/// A value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_by_array() {
        let mut state = MaintenanceState::new();
        state.add_run("a\"b", &[], None);
        state.add_run("a\"b", &[], Some("gone".to_owned()));
        state.add_run("c", &[], None);
        assert!(!state.is_healthy());
        let metrics = state.metrics();
        for line in [
            "tiledb_rs_maintain_runs_total{array=\"a\\\"b\"} 2",
            "tiledb_rs_maintain_failures_total{array=\"a\\\"b\"} 1",
            "tiledb_rs_maintain_up{array=\"a\\\"b\"} 0",
            "tiledb_rs_maintain_up{array=\"c\"} 1",
            "# TYPE tiledb_rs_maintain_up gauge",
        ] {
            assert!(metrics.lines().any(|one| one == line), "{line}: {metrics}");
        }
        state.end_run(&["c"]);
        assert!(state.is_healthy() && !state.metrics().contains("a\\\"b"));
        assert_eq!((&state.json()["runs"], &state.json()["arrays"][0]["uri"]), (&1.into(), &"c".into()));
    }
}
