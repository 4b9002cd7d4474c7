//! What faults of a request come to, and whether it is right.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::looker::{Looker, lookers};
use crate::proxy::{Break, Fault, Span};
use crate::servers::Store;
use crate::support::{Api, Ctx, pointer, text};
use crate::trials::Trial;
use crate::worker::Worker;

/// Longer than a request may take.
const STALL: Duration = Duration::from_millis(1500);
/// Requests after which storage that was cut off is back: all tries of one and of the question that follows.
const WHILE: usize = 6;
/// Every so many times the reference looks, too.
const SAMPLE: usize = 5;

/// What faults came to.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The operation was done nevertheless.
    borne: usize,
    /// It gave an error.
    refused: usize,
    /// Of these, those after which it was done: nobody could be asked.
    done_unheard: usize,
    /// Processes that were killed.
    killed: usize,
    /// Faults that met no request.
    missed: usize,
    pub wrong: usize,
}

impl Figures {
    pub fn add(&mut self, other: &Figures) {
        self.borne += other.borne;
        self.refused += other.refused;
        self.done_unheard += other.done_unheard;
        self.killed += other.killed;
        self.missed += other.missed;
        self.wrong += other.wrong;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { borne, refused, done_unheard, killed, missed, wrong } = self;
        let all = borne + refused + killed + missed + wrong;
        write!(
            f,
            "{all} runs, {borne} borne, {refused} refused ({done_unheard} of them done), {killed} killed, {missed} met no \
             request, {wrong} wrong"
        )
    }
}

/// What one fault came to.
enum Outcome {
    Borne,
    Refused { is_done: bool },
    Killed,
    Missed,
}

/// Where faults are tried: a bucket, a process behind a proxy, and those who look.
pub struct Bench {
    api: Api,
    worker: Worker,
    lookers: Vec<Looker>,
    prepared: String,
    work: String,
    runs: usize,
}

/// What is right for an operation.
struct Expected {
    said: String,
    before: Vec<String>,
    after: Vec<String>,
    /// How many files there are afterwards.
    files: usize,
}

impl Bench {
    pub fn new(store: Store, number: usize) -> Bench {
        let bucket = format!("{}://bench{number}", store.scheme());
        let bench = Bench {
            api: Api::ours(),
            worker: Worker::new(store),
            lookers: lookers(),
            prepared: format!("{bucket}/prepared"),
            work: format!("{bucket}/work"),
            runs: 0,
        };
        bench.with_vfs(|ctx, vfs| ctx.call("vfs_create_bucket", &[vfs, pointer(&text(&bucket))]).unwrap());
        bench
    }

    fn with_vfs<T>(&self, act: impl FnOnce(&Ctx<'_>, u64) -> T) -> T {
        let ctx = self.api.context(&[]);
        let vfs = ctx.get("vfs_alloc", &[0]).unwrap();
        let done = act(&ctx, vfs);
        ctx.free("vfs", vfs);
        done
    }

    /// Puts what was prepared in the place of what is there. Always at the same place: what is stored may name it.
    fn replace(&self, from: &str, to: &str) {
        let (from, to) = (text(from), text(to));
        self.with_vfs(|ctx, vfs| {
            ctx.call("vfs_remove_dir", &[vfs, pointer(&to)]).unwrap();
            ctx.call("vfs_copy_dir", &[vfs, pointer(&from), pointer(&to)]).unwrap();
        });
    }

    fn clear(&self) {
        self.with_vfs(|ctx, vfs| {
            for folder in [&self.prepared, &self.work] {
                ctx.call("vfs_remove_dir", &[vfs, pointer(&text(folder))]).unwrap();
            }
        });
    }

    /// How many files there are.
    fn files(&self) -> usize {
        extern "C" fn visit(_: u64, _: u64, _: u64, count: &mut usize) -> i32 {
            *count += 1;
            1
        }
        let (uri, mut count) = (text(&self.work), 0usize);
        let visit = visit as extern "C" fn(u64, u64, u64, &mut usize) -> i32 as *const () as u64;
        self.with_vfs(|ctx, vfs| {
            let arguments = [vfs, pointer(&uri), visit, crate::support::address(&mut count)];
            ctx.call("vfs_ls_recursive", &arguments).unwrap();
        });
        count
    }

    /// What all libraries see, or only ours.
    fn look(&mut self, all: bool) -> Vec<String> {
        let count = if all { self.lookers.len() } else { 1 };
        let work = Path::new(&self.work);
        self.lookers[..count].iter_mut().map(|looker| looker.look(work)).collect()
    }

    /// Lets requests of an operation fail.
    pub fn sweep(&mut self, trial: &Trial, points: usize) -> Figures {
        let (name, mut figures) = (trial.operation.name, Figures::default());
        self.clear();
        let mut prepare = Command::new(std::env::current_exe().unwrap());
        let prepared = prepare.args(["--prepare", name, &self.work]).output().unwrap();
        let said = String::from_utf8_lossy(&prepared.stderr);
        assert!(prepared.status.success(), "{name} is not prepared: {said}");
        self.replace(&self.work, &self.prepared);
        let before = self.look(true);
        self.worker.proxy.begin(None);
        let said = self.worker.run(name, &self.work).0;
        let (kinds, _) = self.worker.proxy.end();
        let after = self.look(true);
        let expected = Expected { said, before, after, files: self.files() };
        assert!(is_done(&expected.said), "{name}: {}", expected.said);
        let faults = faults(kinds.len());
        let step = faults.len().div_ceil(points.max(1)).max(1);
        // Offset, so that different operations do not all fail at the same request.
        let offset = name.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % step;
        let chosen: Vec<Fault> = faults.iter().copied().skip(offset).step_by(step).collect();
        for &fault in &chosen {
            match self.fail(trial, &expected, fault) {
                Ok(Outcome::Borne) => figures.borne += 1,
                Ok(Outcome::Refused { is_done }) => {
                    figures.refused += 1;
                    figures.done_unheard += usize::from(is_done);
                }
                Ok(Outcome::Killed) => figures.killed += 1,
                Ok(Outcome::Missed) => figures.missed += 1,
                Err(why) => {
                    figures.wrong += 1;
                    println!("FAILED {name} {fault:?} ({}): {why}", kinds.get(fault.at).map_or("", String::as_str));
                }
            }
        }
        println!("{name}: {} of {} faults in {} requests: {figures}", chosen.len(), faults.len(), kinds.len());
        figures
    }

    /// One fault.
    fn fail(&mut self, trial: &Trial, expected: &Expected, fault: Fault) -> Result<Outcome, String> {
        let name = trial.operation.name;
        self.runs += 1;
        let all = self.runs.is_multiple_of(SAMPLE) || is_killing(fault.broken);
        let prepared = self.prepared.clone();
        self.replace(&prepared, &self.work.clone());
        let child = self.worker.id();
        let broken = match fault.broken {
            Break::KillBefore(_) => Break::KillBefore(child),
            Break::KillAfter(_) => Break::KillAfter(child),
            other => other,
        };
        self.worker.proxy.begin(Some(Fault { broken, ..fault }));
        let (said, lives) = self.worker.run(name, &self.work);
        let (_, met) = self.worker.proxy.end();
        let seen = self.look(all);
        let is = |wanted: &[String]| seen[..] == wanted[..seen.len()];
        let (is_before, is_after) = (is(&expected.before), is(&expected.after));
        if std::env::var_os("SHOW").is_some() {
            println!("{name} {fault:?}: {}", said.trim_end());
        }
        if !lives && !is_killing(fault.broken) {
            return Err(format!("the process ended: {said}"));
        }
        if met == 0 && lives {
            return if is_after { Ok(Outcome::Missed) } else { Err(format!("without a fault: {said} {seen:?}")) };
        }
        if lives && is_done(&said) || said.contains("committed") {
            if lives && trial.reads && said != expected.said {
                return Err(format!("something else was read: {said}"));
            }
            if !is_after {
                return Err(format!("what should be done is not: {seen:?}, before: {:?}", expected.before));
            }
            let files = self.files();
            if fault.span == Span::Once && lives && files != expected.files {
                return Err(format!("there are {files} files instead of {}", expected.files));
            }
            return Ok(if lives { Outcome::Borne } else { Outcome::Killed });
        }
        if lives {
            named(&said, fault.broken)?;
        }
        if trial.whole && !is_before && !is_after {
            return Err(format!("neither before nor after: {said} {seen:?}, before: {:?}", expected.before));
        }
        self.worker.proxy.begin(None);
        let (again, _) = self.worker.run(name, &self.work);
        let end = self.look(all);
        if !is_done(&again) && !is_after {
            return Err(format!("it cannot be done again: {again}, after {said}"));
        }
        if end[..] != expected.after[..end.len()] && !is_after {
            return Err(format!("done again, it is not as it should be: {end:?}, expected {:?}", expected.after));
        }
        if !lives {
            return Ok(Outcome::Killed);
        }
        Ok(Outcome::Refused { is_done: is_after && !is_before })
    }
}

fn is_done(said: &str) -> bool {
    said.lines().last().is_some_and(|line| line.starts_with("done"))
}

fn is_killing(broken: Break) -> bool {
    matches!(broken, Break::KillBefore(_) | Break::KillAfter(_))
}

/// The error must say what happened.
fn named(said: &str, broken: Break) -> Result<(), String> {
    let said_status = |status: u16| said.contains(&status.to_string());
    let is_named = match broken {
        Break::Status(status) => said_status(status),
        _ => ["No answer", "breaks off", "makes no sense", "lacks", "answer", "NoSuch", "404"]
            .iter()
            .any(|word| said.contains(word)),
    };
    if is_named { Ok(()) } else { Err(format!("the error does not name the cause: {said}")) }
}

/// All faults of an operation of so many requests.
fn faults(requests: usize) -> Vec<Fault> {
    let kinds = [
        ("503", Break::Status(503)),
        ("500", Break::Status(500)),
        ("429", Break::Status(429)),
        ("403", Break::Status(403)),
        ("reset", Break::Reset),
        ("lost", Break::Lost),
        ("cut", Break::Cut),
        ("short", Break::Short),
        ("stall", Break::Stall(STALL)),
        ("kill", Break::KillBefore(0)),
        ("kill", Break::KillAfter(0)),
    ];
    let wanted = std::env::var("KINDS").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split(',').any(|word| word == name);
    let mut all = Vec::new();
    for at in 0..requests {
        for (_, broken) in kinds.into_iter().filter(|(name, _)| is_wanted(name)) {
            let spans = match broken {
                Break::KillBefore(_) | Break::KillAfter(_) => &[Span::Once][..],
                Break::Lost | Break::Reset => &[Span::Once, Span::Kind, Span::Many(WHILE)],
                _ => &[Span::Once, Span::Kind],
            };
            all.extend(spans.iter().map(|&span| Fault { at, broken, span }));
        }
    }
    all
}
