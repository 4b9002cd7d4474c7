//! `maintain`: consolidates and vacuums arrays by a policy, once or repeatedly.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tiledb::maintenance::{Maintenance, MaintenanceStep, StepKind};
use tiledb::{Config, Context};

use super::maintenance_state::{Activity, MaintenanceState, now};
use super::maintenance_targets::MaintainedArrays;
use super::metrics_server;
use crate::args::{CommonOptions, LogFormat, PolicyMaintenance};
use crate::model::{Error, ObjectType, Result, object_type};
use crate::output::{self, complain};
use crate::progress::Progress;
use crate::timestamps::readable;

/// A running maintenance.
struct Service<'a> {
    common: &'a CommonOptions,
    ctx: &'a Context,
    arguments: &'a PolicyMaintenance,
    config: Config,
    progress: Progress,
    state: Arc<Mutex<MaintenanceState>>,
    /// Whether the argument is one array, whose errors are those of the command.
    is_single: bool,
}

/// What was done with an array.
struct ArrayReport<'a> {
    uri: &'a str,
    steps: Vec<MaintenanceStep>,
    result: Result<()>,
}

/// Maintains arrays.
pub(super) fn run(common: &CommonOptions, arguments: &PolicyMaintenance) -> Result<()> {
    let mut config = common.parameters()?;
    if arguments.log_format == Some(LogFormat::Json) {
        // What the library logs is printed among the lines of this log.
        config = config.to_builder().set("config.logging_format", "JSON").build()?;
    }
    let ctx = &Context::with_config(config.clone())?;
    let is_single = match (arguments.uris.as_slice(), &arguments.list) {
        ([uri], None) => object_type(ctx, uri)? == ObjectType::Array,
        _ => false,
    };
    let state = Arc::new(Mutex::new(MaintenanceState::new()));
    if let Some(address) = &arguments.metrics {
        metrics_server::serve(address, Arc::clone(&state))?;
    }
    let progress = Progress::new(ctx, "maintaining")?;
    let service = Service { common, ctx, arguments, config, progress, state, is_single };
    let ended = match service.repeat() {
        // Every step that was reported remains, and a service is stopped by a signal as a rule.
        Err(Error::Stopped) => {
            service.log("info", None, "stopped; completed steps remain");
            Err(Error::Ended)
        }
        ended => ended,
    };
    service.set_activity(Activity::Stopped)?;
    ended
}

impl Service<'_> {
    /// Maintains once, or at an interval until the tool is stopped.
    fn repeat(&self) -> Result<()> {
        let Some(seconds) = self.arguments.watch else { return self.run_all(false) };
        loop {
            self.set_activity(Activity::Running)?;
            match self.run_all(true) {
                // Another maintainer may be at work, or a store be unavailable for a while.
                Err(Error::Failed(text)) => self.log("error", None, &text),
                Ok(()) => (),
                stopped => return stopped,
            }
            self.set_activity(Activity::Waiting)?;
            if !self.progress.pause(Duration::from_secs(seconds)) {
                return Err(Error::Stopped);
            }
        }
    }

    /// Maintains all arrays once; a failure of one does not keep the others from being maintained.
    fn run_all(&self, is_repeated: bool) -> Result<()> {
        let arrays = MaintainedArrays::discover(self.ctx, self.arguments)?;
        let mut failures: Vec<(&str, String)> = Vec::new();
        for (uri, error) in &arrays.failures {
            // The arguments of a single run are what they are: their error is that of the command.
            if self.arguments.uris.as_slice() == [uri.as_str()] && self.arguments.list.is_none() {
                return Err(Error::failed(error.to_string()));
            }
            self.state().add_run(uri, &[], Some(error.to_string()));
            failures.push((uri, error.to_string()));
        }
        let mut reports = Vec::new();
        // Without a report the tool was stopped before.
        let mut single = Err(Error::Stopped);
        self.each_report(&arrays.uris, |report| {
            let ArrayReport { uri, steps, result } = report;
            let is_stopped = matches!(result, Err(Error::Stopped));
            if !is_stopped {
                self.state().add_run(uri, &steps, result.as_ref().err().map(ToString::to_string));
                self.store_state()?;
            }
            if !steps.is_empty() || (result.is_ok() && !is_repeated) {
                self.report(uri, &steps, &mut reports)?;
            }
            match result {
                _ if self.is_single => single = result,
                Err(error) if !is_stopped => failures.push((uri, error.to_string())),
                _ => (),
            }
            Ok(())
        })?;
        let known: Vec<&str> = arrays.uris.iter().map(String::as_str).chain(failures.iter().map(|one| one.0)).collect();
        if !self.progress.is_stopped() {
            self.state().end_run(&known);
            self.store_state()?;
        }
        if self.is_single {
            return single;
        }
        if self.common.json && self.arguments.log_format.is_none() {
            let failed = failures.iter().map(|(uri, error)| json!({ "uri": uri, "error": error }));
            let failed: Vec<Json> = failed.collect();
            output::json(&json!({ "dry_run": self.arguments.dry_run, "arrays": reports, "failed": failed }))?;
        }
        failures.iter().for_each(|(uri, error)| self.log("error", Some(uri), error));
        match failures.len() {
            _ if self.progress.is_stopped() => Err(Error::Stopped),
            0 => Ok(()),
            count => Err(Error::failed(match (self.arguments.uris.as_slice(), &self.arguments.list) {
                ([group], None) => format!("{count} members of {group} could not be maintained"),
                _ => format!("{count} arrays could not be maintained"),
            })),
        }
    }

    /// Maintains arrays, as many at a time as the arguments say, and passes on what was done with each when it is.
    fn each_report<'u>(&self, uris: &'u [String], mut take: impl FnMut(ArrayReport<'u>) -> Result<()>) -> Result<()> {
        let next = AtomicUsize::new(0);
        let (send, reports) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.arguments.jobs.min(uris.len()) {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || self.work(uris, next, &send));
            }
            drop(send);
            let taken = reports.iter().try_for_each(&mut take);
            if taken.is_err() {
                // Nobody waits for the others.
                next.store(uris.len(), Ordering::SeqCst);
            }
            taken
        })
    }

    /// Maintains one array after another until all are, or the tool is stopped.
    fn work<'u>(&self, uris: &'u [String], next: &AtomicUsize, send: &Sender<ArrayReport<'u>>) {
        while !self.progress.is_stopped() {
            let Some(uri) = uris.get(next.fetch_add(1, Ordering::SeqCst)) else { return };
            if !self.is_single {
                self.progress.about(&format!("maintaining {uri}"));
            }
            let mut steps = Vec::new();
            let result = self.maintain_array(uri, &mut steps);
            if send.send(ArrayReport { uri, steps, result }).is_err() {
                return;
            }
        }
    }

    /// Maintains an array, or plans to do so in a dry run. The steps are complete even if it fails later.
    fn maintain_array(&self, uri: &str, steps: &mut Vec<MaintenanceStep>) -> Result<()> {
        let maintenance = Maintenance::new().config(&self.config).on_step(|step| {
            steps.push(step.clone());
            // A signal between two operations of the library cancels nothing in it.
            if self.progress.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let done = match self.arguments.dry_run {
            true => maintenance.preview(self.ctx, uri),
            false => maintenance.run(self.ctx, uri),
        };
        self.progress.end(done.map(|_| ()))
    }

    /// Prints the steps of an array, or adds them to the JSON of all arrays.
    fn report(&self, uri: &str, steps: &[MaintenanceStep], reports: &mut Vec<Json>) -> Result<()> {
        let is_dry = self.arguments.dry_run;
        if self.arguments.log_format == Some(LogFormat::Json) {
            return steps.iter().try_for_each(|step| {
                let mut line = to_json(step);
                line["event"] = "step".into();
                output::json_text(&logged("info", Some(uri), line).to_string())
            });
        }
        let json = || -> Json { steps.iter().map(to_json).collect() };
        match (self.common.json && self.arguments.log_format.is_none(), self.is_single) {
            (true, true) => output::json(&json!({ "dry_run": is_dry, "steps": json() })),
            (true, false) => {
                reports.push(json!({ "uri": uri, "steps": json() }));
                Ok(())
            }
            (false, true) => print(steps, is_dry),
            (false, false) => {
                output::line(&format!("{uri}:"))?;
                print(steps, is_dry)
            }
        }
    }

    /// Writes a message to the log.
    fn log(&self, level: &str, uri: Option<&str>, text: &str) {
        if self.arguments.log_format == Some(LogFormat::Json) {
            let line = logged(level, uri, json!({ "event": "message", "message": text }));
            // A closed output ends the run that prints there next.
            _ = output::json_text(&line.to_string());
            return;
        }
        match (level, uri) {
            ("error", Some(uri)) => complain(&format!("{uri}: {text}")),
            ("error", None) => complain(text),
            _ => output::note(&format!("maintain: {text}")),
        }
    }

    fn set_activity(&self, activity: Activity) -> Result<()> {
        self.state().set_activity(activity);
        self.store_state()
    }

    fn store_state(&self) -> Result<()> {
        match &self.arguments.status_file {
            Some(file) => self.state().store(file),
            None => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, MaintenanceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line of the log in JSON: an object with the time, the level and the array.
fn logged(level: &str, uri: Option<&str>, mut line: Json) -> Json {
    line["time"] = readable(now()).into();
    line["level"] = level.into();
    if let Some(uri) = uri {
        line["array"] = uri.into();
    }
    line
}

fn print(steps: &[MaintenanceStep], is_dry: bool) -> Result<()> {
    if steps.is_empty() {
        return output::line("maintain: all numbers are within their bounds");
    }
    let would = if is_dry { "nothing is done; " } else { "" };
    steps.iter().try_for_each(|step| output::line(&format!("maintain: {would}{} ({})", text_of(step), step.reason)))
}
/// Name of the kind of a step.
fn kind(step: &MaintenanceStep) -> &'static str {
    match step.kind {
        StepKind::Fragments => "fragments",
        StepKind::Commits => "commits",
        StepKind::FragmentMetadata => "fragment_metadata",
        StepKind::Vacuum => "vacuum",
        StepKind::Recovery => "recovery",
        _ => "other",
    }
}

fn text_of(step: &MaintenanceStep) -> String {
    let (sources, results) = (step.sources, step.results);
    match step.kind {
        StepKind::Fragments => format!(
            "{sources} fragments into {results}, {} read, {} written",
            output::bytes(step.bytes_read),
            output::bytes(step.bytes_written)
        ),
        StepKind::Commits => format!("{sources} commits into one file"),
        StepKind::FragmentMetadata => format!("metadata of {sources} fragments into one file"),
        StepKind::Vacuum => format!("{sources} files and folders removed"),
        _ => format!("{sources} merged fragments hidden"),
    }
}

fn to_json(step: &MaintenanceStep) -> Json {
    json!({
        "kind": kind(step),
        "sources": step.sources,
        "results": step.results,
        "bytes_read": step.bytes_read,
        "bytes_written": step.bytes_written,
        "reason": step.reason,
    })
}
