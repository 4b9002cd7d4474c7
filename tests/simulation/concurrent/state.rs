//! What is known of a history: what took effect, and who maintains the array.
//!
//! A change takes effect at one step, when its commit appears in the storage; until then its actor intends it.

use tiledb_storage::vfs::Uri;

use super::actors::CopyKind;
use super::merges::Merges;
use crate::array::TestEvolution;
use crate::journal::{Journal, Opening};
use crate::model::schema::Schema;
use crate::model::{ArrayKind, Change, Event};
use crate::world::{Medium, START, World};

/// Milliseconds by which the clock of a maintainer may be ahead.
const MAX_SKEW: u64 = 3_000;

/// What a commit belongs to.
#[derive(Clone, Debug)]
pub enum Subject {
    Cells,
    Delete,
    Metadata,
    /// Evolutions of the schema, whichever it is.
    Schema(Vec<TestEvolution>),
    Members,
    GroupMetadata,
    Labels,
}

impl Subject {
    /// Whether a file is a commit of it.
    fn is_commit(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        match self {
            Subject::Cells => folder == "store/array/__commits" && name.ends_with(".wrt"),
            Subject::Delete => folder == "store/array/__commits" && name.ends_with(".del"),
            Subject::Metadata => folder == "store/array/__meta",
            Subject::Schema(_) => folder == "store/array/__schema",
            Subject::Members => folder == "store/group/__group",
            Subject::GroupMetadata => folder == "store/group/__meta",
            Subject::Labels => folder == "store/array/__labels/l0/__commits" && name.ends_with(".wrt"),
        }
    }
}

/// What an actor is about to commit.
struct Intent {
    begin: u64,
    subject: Subject,
    changes: Vec<Change>,
    commits: u64,
}

/// What maintains an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    Merge {
        purges: bool,
    },
    MergeMetadata,
    /// Of files without cells.
    MergeCommits,
    Vacuum,
    VacuumMetadata,
    /// All of it; what is younger than a number of milliseconds is not merged, unless there are more fragments than some.
    Policy {
        grace: u64,
        crowd: usize,
        purges: bool,
    },
    /// Of the metadata of the group.
    MergeGroup,
    VacuumGroup,
    /// Of the array of the labels.
    MergeLabels,
    VacuumLabels,
}

impl Work {
    fn merges_cells(self) -> bool {
        matches!(self, Work::Merge { .. } | Work::Policy { .. })
    }

    fn removes(self) -> bool {
        matches!(
            self,
            Work::Vacuum | Work::VacuumMetadata | Work::VacuumGroup | Work::VacuumLabels | Work::Policy { .. }
        )
    }
}

/// The commit of an event, with its number in one of the models.
struct CommitPath {
    model: usize,
    event: usize,
    path: String,
    is_present: bool,
}

struct Maintenance {
    actor: usize,
    begin: u64,
    end: Option<u64>,
    work: Work,
}

impl Maintenance {
    /// Whether it is what an actor did at a step, and merges fragments.
    fn is_running_at(&self, actor: usize, step: u64) -> bool {
        let has_ended = self.end.is_some_and(|end| end < step);
        self.actor == actor && self.begin <= step && !has_ended && self.work.merges_cells()
    }
}

/// A copy of the array, by an operation between two steps.
#[derive(Clone, Debug)]
pub struct CopiedArray {
    pub uri: Uri,
    pub kind: CopyKind,
    pub opening: Opening,
    pub is_complete: bool,
}

pub struct State {
    pub array: Journal,
    /// The members of the group, and its metadata.
    pub members: Journal,
    pub group: Journal,
    /// The array of the labels.
    pub labels: Journal,
    pub copies: Vec<CopiedArray>,
    /// The commits of events, by their numbers, of the array or of others.
    paths: Vec<CommitPath>,
    /// Changes of the storage that were looked at.
    seen: usize,
    intents: Vec<Option<Intent>>,
    maintenance: Vec<Maintenance>,
    merges: Merges,
    pub failure: Option<String>,
}

impl State {
    pub fn new(array: Journal, labels: Journal, actors: usize, has_skew: bool) -> State {
        State {
            array,
            members: Journal::default(),
            group: Journal::default(),
            labels,
            copies: Vec::new(),
            paths: Vec::new(),
            seen: 0,
            intents: (0..actors).map(|_| None).collect(),
            maintenance: Vec::new(),
            merges: Merges::new(has_skew),
            failure: None,
        }
    }

    /// An actor is about to commit changes.
    pub fn intend(&mut self, (actor, begin): (usize, u64), subject: Subject, changes: Vec<Change>) {
        self.intents[actor] = Some(Intent { begin, subject, changes, commits: 0 });
    }

    fn models(&mut self) -> [&mut Journal; 4] {
        [&mut self.array, &mut self.members, &mut self.group, &mut self.labels]
    }

    /// The actor has ended; the number of its commits.
    pub fn conclude(&mut self, actor: usize) -> u64 {
        self.intents[actor].take().map_or(0, |intent| intent.commits)
    }

    /// Records what was committed meanwhile.
    pub fn look(&mut self, world: &World) {
        let mut removed: Vec<(u64, String)> = Vec::new();
        let now = START + world.scheduler.now() / 1000;
        let files = world.store.files();
        for change in &files.changes()[self.seen..] {
            let mut running = self.maintenance.iter().enumerate();
            let merging = running.rfind(|(_, work)| work.is_running_at(change.actor, change.step));
            if let Some((number, work)) = merging {
                self.merges.change((number, work.begin), change.step, &change.path, change.is_removal);
            }
            let Some(intent) = self.intents.get_mut(change.actor).and_then(Option::as_mut) else { continue };
            if !intent.subject.is_commit(&change.path) {
                continue;
            }
            let model = match intent.subject {
                Subject::Members => 1,
                Subject::GroupMetadata => 2,
                Subject::Labels => 3,
                _ => 0,
            };
            if change.is_removal {
                // Its own commit, after an error.
                intent.commits = intent.commits.saturating_sub(1);
                removed.push((change.step, change.path.clone()));
                continue;
            }
            // A request that is repeated changes nothing.
            let is_same = |commit: &CommitPath| commit.path == change.path && commit.is_present;
            if self.paths.iter().any(is_same) {
                continue;
            }
            intent.commits += 1;
            let mut changes = intent.changes.clone();
            if let Subject::Schema(evolutions) = &intent.subject {
                let bases = self.array.schemas_of((intent.begin, change.step));
                let evolved = |schema: &Schema| {
                    let evolved = evolutions.iter().fold(schema.clone(), |schema, evolution| evolution.apply(&schema));
                    schema.can_become(&evolved).then_some(evolved)
                };
                changes = vec![Change::Evolve(bases.iter().filter_map(evolved).collect())];
            }
            let name = change.path.rsplit('/').next().unwrap_or_default();
            let time = name.split('_').nth(2).and_then(|time| time.parse().ok()).unwrap_or_default();
            for effect in changes {
                let is_late = self.is_late(&effect, model, (time, change.step), now);
                let name = (!self.may_be_merged(model, change.step)).then(|| name.to_owned());
                let event = self.models()[model].commit(Event { time, change: effect, is_late, name }, change.step);
                self.paths.push(CommitPath { model, event, path: change.path.clone(), is_present: true });
            }
        }
        self.seen = files.changes().len();
        drop(files);
        removed.sort();
        for (step, path) in removed {
            self.undo(step, &[path]);
        }
        for (step, paths) in world.crashes().iter() {
            self.undo(*step, paths);
            self.merges.lose(paths);
        }
        self.forget();
    }

    /// Commits were removed at a step.
    fn undo(&mut self, step: u64, paths: &[String]) {
        let mut undone: Vec<(usize, usize)> = Vec::new();
        for commit in self.paths.iter_mut().filter(|commit| paths.contains(&commit.path)) {
            commit.is_present = false;
            undone.push((commit.model, commit.event));
        }
        for (model, event) in undone {
            let visibility = &mut self.models()[model].visibility[event];
            if visibility.undone.is_none() && visibility.appears.0 <= step {
                visibility.undone = Some(step);
            }
        }
    }

    /// Whether changes of one time may have been merged before a step: then their names do not decide.
    fn may_be_merged(&self, model: usize, step: u64) -> bool {
        let merges = |work: Work| match work {
            Work::Merge { .. } | Work::MergeMetadata => model == 0,
            Work::MergeGroup => model == 2,
            Work::MergeLabels => model == 3,
            Work::Policy { .. } => model == 0 || model == 3,
            _ => false,
        };
        self.maintenance.iter().any(|work| merges(work.work) && work.begin < step)
    }

    /// Whether changes of the kind that are as late or later may have been merged before: cells of dense arrays, and those from which
    /// deleted cells were purged.
    fn is_late(&self, change: &Change, model: usize, (time, step): (u64, u64), now: u64) -> bool {
        let events = &[&self.array, &self.members, &self.group, &self.labels][model].events;
        let kind = if model == 3 { ArrayKind::Dense } else { self.array.kind };
        let newest = events.iter().map(|event| event.time).max().unwrap_or(0);
        let merges = |work: Work| match (change, work, kind) {
            (Change::Write { .. }, Work::MergeLabels, _) => model == 3,
            (Change::Write { .. }, Work::Merge { .. }, _) if model == 3 => false,
            (Change::Write { .. }, Work::Merge { purges }, ArrayKind::Sparse { dups: false }) => purges,
            (Change::Write { .. }, Work::Merge { .. }, ArrayKind::Dense) => true,
            (Change::Write { .. }, Work::Policy { grace, crowd, purges }, kind) => {
                let is_settled = time + grace < now + MAX_SKEW;
                match kind {
                    ArrayKind::Dense => is_settled || events.len() > crowd,
                    // Deleted cells are not purged within the grace period, even if there are many fragments.
                    ArrayKind::Sparse { dups } => is_settled && purges && !dups,
                }
            }
            (Change::Put(..), Work::MergeMetadata | Work::Policy { .. }, _) => model == 0,
            (Change::Put(..), Work::MergeGroup, _) => model == 2,
            _ => false,
        };
        newest >= time && self.maintenance.iter().any(|work| merges(work.work) && work.begin < step)
    }

    /// What the past may have lost by now.
    fn forget(&mut self) {
        for number in 0..self.maintenance.len() {
            match self.maintenance[number].work {
                Work::Merge { purges } => {
                    self.array.consolidate(u64::MAX, purges);
                    self.array.forget_dropped();
                }
                Work::MergeMetadata => self.array.consolidate_entries(),
                Work::MergeCommits => {}
                Work::MergeGroup => self.group.consolidate_entries(),
                Work::VacuumGroup => self.group.vacuum_entries(),
                Work::MergeLabels => self.labels.consolidate(u64::MAX, false),
                Work::VacuumLabels => self.labels.vacuum(),
                Work::Vacuum => self.array.vacuum(),
                Work::VacuumMetadata => self.array.vacuum_entries(),
                Work::Policy { purges, .. } => {
                    self.array.consolidate(u64::MAX, purges);
                    self.array.vacuum();
                    self.array.consolidate_entries();
                    self.array.vacuum_entries();
                    self.labels.consolidate(u64::MAX, false);
                    self.labels.vacuum();
                }
            }
        }
    }

    /// An actor begins maintenance at a step; its number.
    pub fn begin(&mut self, work: Work, (actor, begin): (usize, u64)) -> usize {
        self.maintenance.push(Maintenance { actor, begin, end: None, work });
        self.forget();
        self.maintenance.len() - 1
    }

    pub fn end(&mut self, number: usize, end: u64) {
        self.maintenance[number].end = Some(end);
    }

    /// Amount of work that may remove files that readers need since a step.
    pub fn removals_since(&self, step: u64) -> usize {
        self.maintenance.iter().filter(|work| work.work.removes() && work.end.is_none_or(|end| end >= step)).count()
    }

    /// Whether several have maintained the array since a step.
    pub fn has_others_since(&self, step: u64) -> bool {
        self.maintenance.iter().filter(|work| work.end.is_none_or(|end| end >= step)).count() > 1
    }

    /// Whether merged fragments and the new one may both be visible to a reader that opens after a step.
    pub fn may_be_doubled(&self, step: u64, medium: Medium) -> bool {
        let is_merge = |work: usize| matches!(self.maintenance[work].work, Work::Merge { .. });
        let is_policy = |work: usize| matches!(self.maintenance[work].work, Work::Policy { .. });
        // Maintenance by policy exchanges vacuum files where it can.
        let opens = |work: usize| is_merge(work) || is_policy(work) && medium == Medium::Objects;
        self.array.kind == (ArrayKind::Sparse { dups: true }) && self.merges.may_double(step, opens, is_merge)
    }
}
