//! Judges the outcome of an injected fault.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::cloud_operations::Trial;
use crate::state::{Files, Storage, mark};
use crate::worker::Worker;
use support::operations::observer::{Observer, lookers};
use support::servers::Store;
use support::servers::proxy::{Break, Changes, Fault, ObservedRequest, Span};

/// Longer than a request may take.
const STALL: Duration = Duration::from_millis(1500);
/// Requests after which storage that was cut off is back: all tries of one and of the question that follows.
const WHILE: usize = 6;

/// So often a run is made again in which a server was too slow.
const DISTURBED: usize = 5;

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
    /// Those that were made again, as a server was too slow.
    disturbed: usize,
    pub wrong: usize,
}

impl Figures {
    pub fn add(&mut self, other: &Figures) {
        self.borne += other.borne;
        self.refused += other.refused;
        self.done_unheard += other.done_unheard;
        self.killed += other.killed;
        self.missed += other.missed;
        self.disturbed += other.disturbed;
        self.wrong += other.wrong;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { borne, refused, done_unheard, killed, missed, disturbed, wrong } = self;
        let all = borne + refused + killed + missed + wrong;
        write!(
            f,
            "{all} runs, {borne} borne, {refused} refused ({done_unheard} of them done), {killed} killed, {missed} met no \
             request, {disturbed} made again, {wrong} wrong"
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
    storage: Storage,
    worker: Worker,
    lookers: Vec<Observer>,
    prepared: String,
    work: String,
    /// What there is before an operation.
    files: Files,
    /// What has changed since.
    changes: Changes,
    /// What all libraries saw in states of an operation.
    known: BTreeMap<u64, Vec<String>>,
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
        let (storage, bucket) = (Storage::new(), format!("{}://bench{number}", store.scheme()));
        storage.create_bucket(&bucket);
        Bench {
            storage,
            worker: Worker::new(store),
            lookers: lookers(),
            prepared: format!("{bucket}/prepared"),
            work: format!("{bucket}/work"),
            files: Files::new(),
            changes: Changes::new(),
            known: BTreeMap::new(),
        }
    }

    /// Lets there be what was prepared, whatever was changed.
    fn restore(&mut self) {
        self.storage.restore(&self.prepared, &self.files, &self.work, &self.changes);
        self.changes.clear();
    }

    /// Does an operation, with a fault if there is one: what it says, whether the process lives, its requests, and how many
    /// of them were broken.
    fn run(&mut self, name: &str, fault: Option<Fault>) -> (String, bool, Vec<ObservedRequest>, usize) {
        self.worker.proxy.begin(fault);
        let (said, lives) = self.worker.run(name, &self.work);
        let (requests, met, changes) = self.worker.proxy.end();
        self.changes.extend(changes);
        (said, lives, requests, met)
    }

    /// What all libraries see, and how many files there are. What they saw in the same state before they see again.
    fn look(&mut self) -> (Vec<String>, usize) {
        let files = self.storage.list(&self.work);
        let (work, lookers) = (Path::new(&self.work), &mut self.lookers);
        let look = || lookers.iter_mut().map(|looker| looker.look(work)).collect();
        (self.known.entry(mark(&files, &self.changes)).or_insert_with(look).clone(), files.len())
    }

    /// Lets requests of an operation fail.
    pub fn sweep(&mut self, trial: &Trial, points: usize) -> Figures {
        let (name, mut figures) = (trial.operation.name, Figures::default());
        self.storage.clear(&self.prepared);
        self.storage.clear(&self.work);
        let mut prepare = Command::new(std::env::current_exe().unwrap());
        let prepared = prepare.args(["--prepare", name, &self.work]).output().unwrap();
        let said = String::from_utf8_lossy(&prepared.stderr);
        assert!(prepared.status.success(), "{name} is not prepared: {said}");
        self.files = self.storage.list(&self.work);
        self.storage.restore(&self.work, &self.files, &self.prepared, &Changes::new());
        (self.changes, self.known) = (Changes::new(), BTreeMap::new());
        let (before, _) = self.look();
        let (said, _, requests, _) = self.run(name, None);
        let (after, files) = self.look();
        let expected = Expected { said, before, after, files };
        assert!(is_done(&expected.said), "{name}: {}", expected.said);
        let faults = faults(&requests, trial.reads);
        let step = faults.len().div_ceil(points.max(1)).max(1);
        // Offset, so that different operations do not all fail at the same request.
        let offset = name.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % step;
        // What is done last, and not heard of, is what is easiest undone by halves.
        let unheard =
            faults.iter().rposition(|fault| matches!((fault.broken, fault.span), (Break::Lost, Span::Many(_))));
        let is_chosen = |at: usize| at % step == offset || Some(at) == unheard;
        let chosen: Vec<Fault> = (0..faults.len()).filter(|&at| is_chosen(at)).map(|at| faults[at]).collect();
        for &fault in &chosen {
            let mut came = self.fail(trial, &expected, fault);
            for _ in 0..DISTURBED {
                // The machine did not answer in time, which nobody asked it to do.
                let is_slow = |why: &String| {
                    let is_meant = matches!(fault.broken, Break::Stall(_)) && !why.starts_with("without a fault");
                    why.contains("timeout: per read") && !is_meant
                };
                if !came.as_ref().is_err_and(is_slow) {
                    break;
                }
                figures.disturbed += 1;
                came = self.fail(trial, &expected, fault);
            }
            match came {
                Ok(Outcome::Borne) => figures.borne += 1,
                Ok(Outcome::Refused { is_done }) => {
                    figures.refused += 1;
                    figures.done_unheard += usize::from(is_done);
                }
                Ok(Outcome::Killed) => figures.killed += 1,
                Ok(Outcome::Missed) => figures.missed += 1,
                Err(why) => {
                    figures.wrong += 1;
                    println!(
                        "FAILED {name} {fault:?} ({}): {why}",
                        requests.get(fault.at).map_or("", |request| &request.kind)
                    );
                }
            }
        }
        println!("{name}: {} of {} faults in {} requests: {figures}", chosen.len(), faults.len(), requests.len());
        figures
    }

    /// One fault.
    fn fail(&mut self, trial: &Trial, expected: &Expected, fault: Fault) -> Result<Outcome, String> {
        let name = trial.operation.name;
        self.restore();
        let child = self.worker.id();
        let broken = match fault.broken {
            Break::KillBefore(_) => Break::KillBefore(child),
            Break::KillAfter(_) => Break::KillAfter(child),
            other => other,
        };
        let (said, lives, _, met) = self.run(name, Some(Fault { broken, ..fault }));
        let (snapshot, files) = self.look();
        let (is_before, is_after) = (snapshot == expected.before, snapshot == expected.after);
        if std::env::var_os("SHOW").is_some() {
            println!("{name} {fault:?}: {}", said.trim_end());
        }
        if !lives && !is_killing(fault.broken) {
            return Err(format!("the process ended: {said}"));
        }
        if met == 0 && lives {
            return if is_after { Ok(Outcome::Missed) } else { Err(format!("without a fault: {said} {snapshot:?}")) };
        }
        if lives && is_done(&said) || said.contains("committed") {
            if lives && trial.reads && said != expected.said {
                return Err(format!("something else was read: {said}"));
            }
            if !is_after {
                return Err(format!("what should be done is not: {snapshot:?}, before: {:?}", expected.before));
            }
            // Maintenance after a write that fails is left to the next write.
            let is_postponed = name == "write_and_maintain" && files > expected.files;
            if fault.span == Span::Once && lives && files != expected.files && !is_postponed {
                return Err(format!("there are {files} files instead of {}", expected.files));
            }
            return Ok(if lives { Outcome::Borne } else { Outcome::Killed });
        }
        if lives {
            named(&said, fault.broken)?;
        }
        if trial.whole && !is_before && !is_after {
            return Err(format!("neither before nor after: {said} {snapshot:?}, before: {:?}", expected.before));
        }
        let (again, ..) = self.run(name, None);
        let (end, _) = self.look();
        if !is_done(&again) && !is_after {
            return Err(format!("it cannot be done again: {again}, after {said}"));
        }
        if end != expected.after && !is_after {
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
        // While a server does not answer, leases expire.
        Break::Stall(_) if said.contains("the lease '") && said.contains("expired") => true,
        _ => ["No answer", "breaks off", "makes no sense", "lacks", "answer", "NoSuch", "404"]
            .iter()
            .any(|word| said.contains(word)),
    };
    if is_named { Ok(()) } else { Err(format!("the error does not name the cause: {said}")) }
}

/// All faults of an operation that makes these requests. Of requests of one kind for files of one class that follow one
/// another the first and the last are broken; where nothing is changed, it makes no difference whether what fails was done.
fn faults(requests: &[ObservedRequest], is_reading: bool) -> Vec<Fault> {
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
    let kinds_to_run = std::env::var("KINDS").unwrap_or_default();
    let is_chosen = |name: &str| kinds_to_run.is_empty() || kinds_to_run.split(',').any(|word| word == name);
    let mut all = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let is_same = |other: Option<&ObservedRequest>| other.is_some_and(|other| other == request);
        if at > 0 && is_same(requests.get(at - 1)) && is_same(requests.get(at + 1)) {
            continue;
        }
        for (_, broken) in kinds.into_iter().filter(|(name, _)| is_chosen(name)) {
            let spans = match broken {
                Break::Lost | Break::KillBefore(_) | Break::KillAfter(_) if request.is_read || is_reading => &[][..],
                Break::Cut | Break::Short if !request.is_answered => &[],
                Break::KillBefore(_) | Break::KillAfter(_) => &[Span::Once],
                Break::Lost | Break::Reset => &[Span::Once, Span::Kind, Span::Many(WHILE)],
                _ => &[Span::Once, Span::Kind],
            };
            all.extend(spans.iter().map(|&span| Fault { at, broken, span }));
        }
    }
    all
}
