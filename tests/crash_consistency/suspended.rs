//! Suspended maintainers: one is stopped before one of its calls, as in a virtual machine that is paused, while another
//! one takes over its lease, and then continues. Both libraries must see the same cells all the time: nothing is lost,
//! nothing is doubled, and every array can be opened and maintained.
//!
//! Clocks are simulated ([`clock`]), so that the pauses take no time, and successors need not wait.
//!
//! A maintainer is stopped before each call whose result depends on what others do, or that others can notice: lookups of paths,
//! listings, and changes of names. Other calls cannot be told from the next one of these:
//!
//! - Reads, writes and syncs of an open file. No file changes once it has its name: small ones are linked when they are complete,
//!   and the files of a fragment are read only after its commit. An open file can also be read and written after it was removed.
//! - Calls outside of the folders that maintainers change, such as those on schemas.
//! - The second of two listing calls of one directory, which only says that there is nothing more.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::this;
use support::folders;
use support::operations::clock::{Clock, Clocks, LEASE};
use support::operations::observer::{Observer, lookers};
use support::trace::{self, Act, Call, Kind};

/// The operations whose maintainers are suspended.
const OPERATIONS: [&str; 4] = ["maintain_duplicates", "maintain_dense", "maintain_sparse", "maintain_deletes"];

/// The folders whose files maintainers change.
const CHANGED: [&str; 3] = ["__commits", "__fragments", "__fragment_meta"];

/// How long a maintainer is suspended, and what others do meanwhile.
#[derive(Clone, Copy, Debug)]
struct Pause {
    /// Tenths of its lease.
    tenths: u64,
    clocks: Clocks,
    others: Others,
}

/// Other maintainers.
#[derive(Clone, Copy, Debug)]
enum Others {
    /// One that gives up if the lease is live.
    Attempt,
    /// This many, one after the other; they wait for the lease.
    Successors(usize),
}

const PAUSES: [Pause; 4] = [
    Pause { tenths: 15, clocks: Clocks::All, others: Others::Successors(1) },
    Pause { tenths: 5, clocks: Clocks::All, others: Others::Attempt },
    Pause { tenths: 200, clocks: Clocks::All, others: Others::Successors(2) },
    Pause { tenths: 15, clocks: Clocks::RealTime, others: Others::Successors(1) },
];

/// Calls after a pause, among those that change names of commits, before which the array is read again: more than a
/// maintainer makes that has lost its lease.
const LATER_READS: usize = 12;

/// Where a maintainer is stopped.
#[derive(Clone, Copy, Debug)]
struct Point {
    call: usize,
    pause: Pause,
}

/// Suspends maintainers at about `points` of their calls, or at all; returns the number of points and of those that went
/// wrong.
pub fn sweep(folder: &Path, points: Option<usize>, filter: &str) -> Result<(usize, usize), String> {
    let operations = OPERATIONS.iter().filter(|operation| operation.contains(filter));
    let operations: Vec<&str> = operations.copied().collect();
    if operations.is_empty() {
        return Ok((0, 0));
    }
    let shim = Clock::compile(folder);
    let (mut all, mut failed) = (0, 0);
    for operation in operations {
        let folder = folder.join(format!("suspended_{operation}"));
        std::fs::create_dir_all(folder.join("prepared")).unwrap();
        let prepared = this().arg("--prepare").arg(operation).arg(folder.join("prepared")).output().unwrap();
        assert!(prepared.status.success(), "{operation} is not prepared");
        let count = Scene::new(operation, &folder, &shim, 0).count()?;
        // All pauses at each call, or each at some calls.
        let chosen: Vec<Point> = match points {
            None => PAUSES.iter().flat_map(|&pause| (0..count).map(move |call| Point { call, pause })).collect(),
            Some(points) => {
                let step = count.div_ceil(points).max(1);
                let calls = (operation.len() % step..count).step_by(step);
                calls.zip(PAUSES.into_iter().cycle()).map(|(call, pause)| Point { call, pause }).collect()
            }
        };
        let wrong = play(operation, &folder, &shim, &chosen)?;
        println!("{operation}: suspended at {} of {count} calls, {wrong} wrong", chosen.len());
        (all, failed) = (all + chosen.len(), failed + wrong);
        std::fs::remove_dir_all(&folder).unwrap();
    }
    Ok((all, failed))
}

/// Suspends maintainers at points, several at once; returns how many went wrong.
fn play(operation: &str, folder: &Path, shim: &Path, points: &[Point]) -> Result<usize, String> {
    let (next, wrong, error) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    let work = |number: usize| {
        let mut scene = Scene::new(operation, folder, shim, number);
        while let Some(&point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
            match scene.suspend(point) {
                Ok(Ok(())) => (),
                Ok(Err(text)) => {
                    wrong.fetch_add(1, Ordering::Relaxed);
                    println!("FAILED {operation} suspended at {point:?}, {}: {text}", scene.stopped_at);
                }
                Err(text) => return drop(error.lock().unwrap().replace(text)),
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(points.len());
    std::thread::scope(|scope| (0..workers).for_each(|number| drop(scope.spawn(move || work(number)))));
    error.into_inner().unwrap().map_or(Ok(wrong.into_inner()), Err)
}

/// A folder in which maintainers are suspended, with the processes that read it.
struct Scene<'a> {
    operation: &'a str,
    prepared: PathBuf,
    work: PathBuf,
    clock: Clock,
    lookers: Vec<Observer>,
    /// What the observers see in the prepared folder.
    before: Vec<String>,
    /// The call of the last pause.
    stopped_at: String,
}

/// Selects the calls before which a maintainer is stopped.
#[derive(Default)]
struct Stops {
    listed: Option<PathBuf>,
}

impl Stops {
    fn is_one(&mut self, call: &Call) -> bool {
        let is_changed = call.path.components().any(|part| CHANGED.iter().any(|name| part.as_os_str() == *name));
        if !is_changed || !call.is_by_path && call.kind != Kind::List {
            return false;
        }
        let listed = (call.kind == Kind::List).then(|| call.path.clone());
        let is_repeated = listed.is_some() && self.listed == listed;
        self.listed = if is_repeated { None } else { listed };
        !is_repeated
    }
}

/// True for calls after which readers may see other commits.
fn changes_commits(call: &Call) -> bool {
    let is_commit = call.path.components().any(|part| part.as_os_str() == "__commits");
    is_commit && matches!(call.kind, Kind::Link | Kind::Rename | Kind::Remove)
}

impl<'a> Scene<'a> {
    fn new(operation: &'a str, folder: &Path, shim: &Path, number: usize) -> Scene<'a> {
        let clock = Clock::new(shim, folder.join(format!("clock_{number}")));
        let (prepared, work) = (folder.join("prepared"), folder.join(format!("work_{number}")));
        let (before, stopped_at) = (Vec::new(), String::new());
        let mut scene = Scene { operation, prepared, work, clock, lookers: lookers(), before, stopped_at };
        scene.before = scene.lookers.iter_mut().map(|looker| looker.look(&scene.prepared)).collect();
        scene
    }

    fn look(&mut self) -> Vec<String> {
        self.lookers.iter_mut().map(|looker| looker.look(&self.work)).collect()
    }

    /// A maintainer: one that waits for the lease (`--run`), or gives up (`--attempt`).
    fn maintainer(&self, how: &str) -> Command {
        let mut command = this();
        command.arg(how).arg(self.operation).arg(&self.work);
        self.clock.set(&mut command);
        command
    }

    /// The number of calls of a maintainer before which one can be stopped.
    fn count(&self) -> Result<usize, String> {
        folders::copy(&self.prepared, &self.work);
        let (mut count, mut stops) = (0, Stops::default());
        trace::run(&mut self.maintainer("--run"), &self.work, &mut |call| {
            count += usize::from(stops.is_one(call));
            Act::Go
        })?;
        assert!(count > 0, "{} makes no calls", self.operation);
        std::fs::remove_dir_all(&self.work).unwrap();
        Ok(count)
    }

    /// Suspends a maintainer at a point; what went wrong.
    fn suspend(&mut self, point: Point) -> Result<Result<(), String>, String> {
        folders::copy(&self.prepared, &self.work);
        let (mut calls, mut stops, mut checked) = (0, Stops::default(), Ok(()));
        let mut later_reads = 0;
        let work = self.work.clone();
        let run = trace::run(&mut self.maintainer("--run"), &work, &mut |call| {
            if calls > point.call && later_reads < LATER_READS && checked.is_ok() && changes_commits(call) {
                later_reads += 1;
                checked = self.check("after the pause");
            }
            if stops.is_one(call) {
                calls += 1;
                if calls == point.call + 1 {
                    self.stopped_at = format!("{:?} of {}", call.kind, call.path.display());
                    checked = self.pause(point.pause);
                }
            }
            Act::Go
        })?;
        let result = checked.and_then(|()| self.check("after the suspended maintainer")).and_then(|()| {
            if !run.output.contains("committed") && !run.output.contains("lease") {
                return Err(format!("the suspended maintainer: {} {:?}", run.status, run.output));
            }
            self.maintain("--run", "the last maintainer")?;
            self.check("at the end")?;
            self.check_remains()
        });
        std::fs::remove_dir_all(&self.work).unwrap();
        Ok(result)
    }

    /// What happens while the maintainer is suspended.
    fn pause(&mut self, pause: Pause) -> Result<(), String> {
        self.check("during the pause")?;
        self.clock.advance(Duration::from_millis(LEASE * pause.tenths / 10), pause.clocks);
        match pause.others {
            Others::Attempt => {
                self.maintain("--attempt", "another maintainer")?;
                self.check("after another maintainer")
            }
            Others::Successors(count) => (0..count).try_for_each(|number| {
                self.maintain("--run", &format!("successor {number}"))?;
                self.check("after a successor")
            }),
        }
    }

    /// Runs another maintainer, with readers beside it.
    fn maintain(&mut self, how: &str, who: &str) -> Result<(), String> {
        let mut command = self.maintainer(how);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            // Fragments that a reader has listed may be vacuumed before it reads them.
            let snapshot = self.look();
            if let Some(other) = snapshot
                .iter()
                .zip(&self.before)
                .find(|(snapshot, before)| snapshot != before && snapshot.contains("cells"))
            {
                _ = child.wait();
                return Err(format!("beside {who}, a reader sees {} instead of {}", other.0, other.1));
            }
        };
        if status.success() {
            return Ok(());
        }
        let output = child.wait_with_output().unwrap();
        Err(format!("{who} failed: {status} {}", String::from_utf8_lossy(&output.stdout)))
    }

    fn check(&mut self, when: &str) -> Result<(), String> {
        let snapshot = self.look();
        if snapshot == self.before { Ok(()) } else { Err(format!("{when}: {snapshot:?} instead of {:?}", self.before)) }
    }

    /// Nothing of maintainers is left in the end but the merged fragment and its commit.
    fn check_remains(&self) -> Result<(), String> {
        let paths = folders::paths(&self.work.join("array"));
        let names = paths.iter().map(|path| path.to_string_lossy());
        let left: Vec<_> = names.filter(|name| name.ends_with(".lease") || name.ends_with(".prepared")).collect();
        let inside = |folder: &str| paths.iter().filter(|path| path.parent() == Some(Path::new(folder))).count();
        let fragments = inside("__fragments");
        if left.is_empty() && fragments <= 1 {
            Ok(())
        } else {
            Err(format!("{fragments} fragments are left, {left:?}"))
        }
    }
}
