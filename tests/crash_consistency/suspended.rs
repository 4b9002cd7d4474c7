//! Suspended maintainers: one is stopped before one of its calls, as in a virtual machine that is paused, while another
//! one takes over its lease, and then continues. Both libraries must see the same cells all the time: nothing is lost,
//! nothing is doubled, and every array can be opened and maintained.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::observer::Observer;
use crate::support::folders;
use crate::this;
use crate::trace::{self, Act, Call, Kind};

/// The lease of the maintainers, in milliseconds.
const LEASE: u64 = 400;

/// The operations whose maintainers are suspended.
const OPERATIONS: [&str; 3] = ["maintain_duplicates", "maintain_dense", "maintain_sparse"];

/// How long a maintainer is suspended, in tenths of its lease, and how many others work meanwhile.
const PAUSES: [(u64, usize); 3] = [(15, 1), (5, 0), (200, 2)];

/// Where a maintainer is stopped.
#[derive(Clone, Copy, Debug)]
struct Point {
    call: usize,
    pause: (u64, usize),
}

/// Suspends maintainers at about `points` of their calls, or at all; returns the number of points and of those that went
/// wrong.
pub fn sweep(
    folder: &Path,
    points: Option<usize>,
    wanted: &str,
    lookers: &mut [Observer],
) -> Result<(usize, usize), String> {
    let (mut all, mut failed) = (0, 0);
    for operation in OPERATIONS.iter().filter(|operation| operation.contains(wanted)) {
        let folder = folder.join(format!("suspended_{operation}"));
        let mut scene = Scene::prepare(operation, &folder, lookers);
        let count = scene.count()?;
        // Longer pauses only in the complete run: after a takeover it makes no difference how long one is.
        let pauses = if points.is_some() { &PAUSES[..1] } else { &PAUSES[..] };
        let step = points.map_or(1, |points| count.div_ceil(points).max(1));
        for &pause in pauses {
            for call in (operation.len() % step..count).step_by(step) {
                all += 1;
                let point = Point { call, pause };
                if let Err(text) = scene.suspend(point)? {
                    failed += 1;
                    println!("FAILED {operation} suspended at {point:?} of {count}: {text}");
                }
            }
        }
        println!("{operation}: suspended at {count} calls, every {step}th");
        std::fs::remove_dir_all(&folder).unwrap();
    }
    Ok((all, failed))
}

struct Scene<'a> {
    operation: &'a str,
    folder: &'a Path,
    lookers: &'a mut [Observer],
    before: Vec<String>,
}

/// True for calls that change files, and for listings: what happens between others is the same as before these.
fn counts(call: &Call) -> bool {
    call.changes_files() || call.kind == Kind::List
}

impl<'a> Scene<'a> {
    fn prepare(operation: &'a str, folder: &'a Path, lookers: &'a mut [Observer]) -> Scene<'a> {
        let prepared = folder.join("prepared");
        std::fs::create_dir_all(&prepared).unwrap();
        let output = this().arg("--prepare").arg(operation).arg(&prepared).output().unwrap();
        assert!(output.status.success(), "{operation} is not prepared");
        let mut scene = Scene { operation, folder, lookers, before: Vec::new() };
        scene.before = scene.look(&prepared);
        scene
    }

    fn look(&mut self, folder: &Path) -> Vec<String> {
        self.lookers.iter_mut().map(|looker| looker.look(folder)).collect()
    }

    /// The number of calls of a maintainer that is not suspended.
    fn count(&self) -> Result<usize, String> {
        let work = self.folder.join("counted");
        folders::copy(&self.folder.join("prepared"), &work);
        let mut count = 0;
        trace::run(this().arg("--run").arg(self.operation).arg(&work), &work, &mut |call| {
            count += usize::from(counts(call));
            Act::Go
        })?;
        assert!(count > 0, "{} makes no calls", self.operation);
        Ok(count)
    }

    /// Suspends a maintainer at a point; what went wrong.
    fn suspend(&mut self, point: Point) -> Result<Result<(), String>, String> {
        let work = self.folder.join("work");
        folders::copy(&self.folder.join("prepared"), &work);
        let (mut calls, mut seen) = (0, Ok(()));
        let mut program = this();
        program.arg("--run").arg(self.operation).arg(&work);
        trace::run(&mut program, &work, &mut |call| {
            if counts(call) {
                calls += 1;
                if calls == point.call + 1 {
                    seen = self.pause(&work, point.pause);
                }
            }
            Act::Go
        })?;
        let result = seen.and_then(|()| self.check(&work, "after the suspended maintainer")).and_then(|()| {
            self.maintain(&work, "the last maintainer")?;
            self.check(&work, "at the end")
        });
        std::fs::remove_dir_all(&work).unwrap();
        Ok(result)
    }

    /// What happens while the maintainer is suspended.
    fn pause(&mut self, work: &Path, (tenths, others): (u64, usize)) -> Result<(), String> {
        self.check(work, "during the pause")?;
        std::thread::sleep(Duration::from_millis(LEASE * tenths / 10));
        for number in 0..others {
            self.maintain(work, &format!("successor {number}"))?;
            self.check(work, "after a successor")?;
        }
        Ok(())
    }

    /// Runs another maintainer, with readers beside it.
    fn maintain(&mut self, work: &Path, who: &str) -> Result<(), String> {
        let mut command = this();
        command.arg("--run").arg(self.operation).arg(work).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            // Fragments that a reader has listed may be vacuumed before it reads them.
            let seen = self.look(work);
            if let Some(other) =
                seen.iter().zip(&self.before).find(|(seen, before)| seen != before && seen.contains("cells"))
            {
                _ = child.wait();
                return Err(format!("beside {who}, a reader sees {} instead of {}", other.0, other.1));
            }
        };
        if status.success() { Ok(()) } else { Err(format!("{who} failed: {status}")) }
    }

    fn check(&mut self, work: &Path, when: &str) -> Result<(), String> {
        let seen = self.look(work);
        if seen == self.before { Ok(()) } else { Err(format!("{when}: {seen:?} instead of {:?}", self.before)) }
    }
}
