//! Processes that are overtaken: one is stopped before one of its calls, as in a virtual machine that is paused, others do their
//! work meanwhile, and then it continues or is killed. From then on, both libraries must read everything at any time.

use std::path::{Path, PathBuf};

use crate::this;
use support::operations::observer::{Observer, lookers};
use support::operations::{Done, Operation, Place, operation};
use support::trace::{self, Act, Call, Kind};
use support::{folders, pointer, text};

/// The operations that are stopped.
pub const OPERATIONS: [Operation; 3] = [
    operation("overtaken_commits", |place| place.consolidated("fragments"), |place| place.consolidate("commits")),
    operation("overtaken_vacuum", |place| place.consolidated("fragments"), |place| place.vacuum("fragments")),
    operation("overtaken_copy", |place| place.sparse(3), resume_copy),
];

/// What other processes do meanwhile, one after the other.
const OTHERS: [&[&str]; 3] = [&["vacuum_fragments"], &["consolidate_commits", "vacuum_commits"], &["overtaken_copy"]];

/// Copies the array, or continues a copy.
fn resume_copy(place: &Place<'_>) -> Done {
    let (from, to) = (text(&place.uri("array")), text(&place.uri("moved")));
    place.ctx.call("rs_array_rewrite", &[pointer(&from), pointer(&to), 0, 0, 1, 0, 0])
}

/// Stops processes at about `points` of their calls, or at all; returns the number of points and of those that went wrong.
pub fn sweep(folder: &Path, points: Option<usize>, filter: &str) -> Result<(usize, usize), String> {
    let (mut all, mut failed) = (0, 0);
    for (operation, others) in OPERATIONS.iter().zip(OTHERS).filter(|(operation, _)| operation.name.contains(filter)) {
        let mut scene = Scene::prepare(operation.name, others, &folder.join(operation.name));
        let count = scene.complete()?;
        let step = points.map_or(1, |points| count.div_ceil(points).max(1));
        let before = failed;
        for call in (operation.name.len() % step..count).step_by(step) {
            for is_killed in [false, true] {
                all += 1;
                if let Err(text) = scene.stop(call, is_killed)? {
                    failed += 1;
                    println!("FAILED {} at call {call} of {count}, killed: {is_killed}: {text}", operation.name);
                }
            }
        }
        println!("{}: stopped at {count} calls, every {step}th, {} wrong", operation.name, failed - before);
    }
    Ok((all, failed))
}

/// True for calls whose result depends on what others do, or that others can notice; see [`suspended`](crate::suspended).
fn counts(call: &Call) -> bool {
    call.is_by_path || call.kind == Kind::List
}

struct Scene {
    operation: &'static str,
    others: &'static [&'static str],
    prepared: PathBuf,
    work: PathBuf,
    lookers: Vec<Observer>,
    /// What the observers see after the operation.
    after: Vec<String>,
}

impl Scene {
    fn prepare(operation: &'static str, others: &'static [&'static str], folder: &Path) -> Scene {
        let (prepared, work) = (folder.join("prepared"), folder.join("work"));
        std::fs::create_dir_all(&prepared).unwrap();
        let output = this().arg("--prepare").arg(operation).arg(&prepared).output().unwrap();
        assert!(output.status.success(), "{operation} is not prepared");
        Scene { operation, others, prepared, work, lookers: lookers(), after: Vec::new() }
    }

    fn look(&mut self) -> Vec<String> {
        self.lookers.iter_mut().map(|looker| looker.look(&self.work)).collect()
    }

    /// The number of calls of a process that is not stopped.
    fn complete(&mut self) -> Result<usize, String> {
        folders::copy(&self.prepared, &self.work);
        let mut count = 0;
        let run = trace::run(this().arg("--run").arg(self.operation).arg(&self.work), &self.work, &mut |call| {
            count += usize::from(counts(call));
            Act::Go
        })?;
        assert!(run.status.success() && count > 0, "{}: {}", self.operation, run.output);
        self.after = self.look();
        std::fs::remove_dir_all(&self.work).unwrap();
        Ok(count)
    }

    /// Stops a process at a call; what went wrong.
    fn stop(&mut self, stopped: usize, is_killed: bool) -> Result<Result<(), String>, String> {
        folders::copy(&self.prepared, &self.work);
        let (mut calls, mut checked) = (0, Ok(()));
        let mut program = this();
        program.arg("--run").arg(self.operation).arg(&self.work);
        let work = self.work.clone();
        trace::run(&mut program, &work, &mut |call| {
            let is_overtaken = calls > stopped;
            calls += usize::from(counts(call));
            if is_overtaken && checked.is_ok() && matches!(call.kind, Kind::Link | Kind::Rename | Kind::Remove) {
                checked = self.check(&format!("before {:?} of {}", call.kind, call.path.display()));
            }
            if is_overtaken || calls <= stopped {
                return Act::Go;
            }
            checked = self.overtake(&format!("{:?} of {}", call.kind, call.path.display()));
            if is_killed { Act::Kill } else { Act::Go }
        })?;
        let result = checked.and_then(|()| self.check("after the stopped process")).and_then(|()| {
            self.run(self.operation)?;
            self.check("at the end")
        });
        std::fs::remove_dir_all(&self.work).unwrap();
        Ok(result)
    }

    /// What others do.
    fn overtake(&mut self, stopped_at: &str) -> Result<(), String> {
        self.others
            .iter()
            .try_for_each(|other| self.run(other))
            .and_then(|()| self.check("after the others"))
            .map_err(|text| format!("stopped at {stopped_at}: {text}"))
    }

    fn run(&self, operation: &str) -> Result<(), String> {
        let output = this().arg("--run").arg(operation).arg(&self.work).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.success() { Ok(()) } else { Err(format!("{operation} failed: {} {text}", output.status)) }
    }

    fn check(&mut self, when: &str) -> Result<(), String> {
        let snapshot = self.look();
        if snapshot == self.after { Ok(()) } else { Err(format!("{when}: {snapshot:?} instead of {:?}", self.after)) }
    }
}
