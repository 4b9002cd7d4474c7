//! Explores all interleavings of maintainers that follow the [protocol](super::protocol), with a reader or a vacuum beside
//! them. Every maintainer may be suspended before every step for any time, may never continue, and may take any lease for
//! expired, as if its clock were wrong by any amount.

use std::collections::HashSet;

use super::protocol::{
    CommitStep, JournalStage, Protection, RENEWAL, RenewalStep, RollbackStep, TAKEOVER, TakeoverStep,
    is_vacuum_missing, rollback_steps,
};
use tiledb_core::state_space;

/// Fragments that were written: one cell each.
const WRITTEN: u8 = 2;

/// Each cell is visible once.
const ONCE: Counts = [1; WRITTEN as usize];

/// A number for each cell.
type Counts = [u8; WRITTEN as usize];

/// A set of fragments, one bit each: those that were written, then that of each maintainer.
type Fragments = u8;

fn fragment_of(maintainer: u8) -> Fragments {
    1 << (WRITTEN + maintainer)
}

/// A lease file: the maintainer, the number of its renewal, and what its journal says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Lease {
    owner: u8,
    renewal: u8,
    /// What the journal says of the fragment of a maintainer, and what this one replaces.
    journal: Option<(u8, bool, Fragments)>,
}

/// Files of one maintainer.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
struct Files {
    prepared_vacuum: Option<Fragments>,
    prepared_commit: bool,
    /// Vacuum files under the temporary and the final name.
    vacuums: [Option<Fragments>; 2],
    /// How often the new fragment has each cell.
    cells: Counts,
}

/// The storage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    leases: Vec<Lease>,
    tombstones: Vec<Lease>,
    files: Vec<Files>,
    stored: Fragments,
    committed: Fragments,
}

impl World {
    fn vacuums(&self) -> impl Iterator<Item = (usize, Fragments)> + '_ {
        self.files.iter().flat_map(|files| files.vacuums).enumerate().filter_map(|(at, vacuum)| Some((at, vacuum?)))
    }

    fn vacuum(&self, at: usize) -> Option<Fragments> {
        self.files[at / 2].vacuums[at % 2]
    }

    fn visible(&self) -> Fragments {
        self.committed & !self.vacuums().fold(0, |all, (_, hidden)| all | hidden)
    }

    /// How often each cell is in some fragments.
    fn counts(&self, fragments: Fragments) -> Counts {
        let mut counts = Counts::default();
        for at in (0..8).filter(|at| fragments >> at & 1 == 1) {
            match at < WRITTEN {
                true => counts[usize::from(at)] += 1,
                false => {
                    let cells = self.files[usize::from(at - WRITTEN)].cells;
                    counts.iter_mut().zip(cells).for_each(|(count, more)| *count += more);
                }
            }
        }
        counts
    }

    /// True if the fragment of a maintainer was committed, and what it replaces is not hidden.
    fn lacks_vacuum(&self, owner: u8, is_created: bool, replaced: Fragments) -> bool {
        let visible = self.visible();
        let list = |set: Fragments| (0..8).map(|at| 1 << at).filter(|bit| set & bit != 0).collect::<Vec<u8>>();
        let created = if is_created { fragment_of(owner) } else { 0 };
        self.files[usize::from(owner)].vacuums[1].is_none()
            && is_vacuum_missing(&list(created), &list(replaced), |one| visible & one != 0)
    }

    fn lists(&self, owner: u8, renewal: u8) -> bool {
        self.leases.iter().any(|lease| lease.owner == owner && lease.renewal == renewal)
    }

    fn add(leases: &mut Vec<Lease>, lease: Lease) {
        if let Err(at) = leases.binary_search(&lease) {
            leases.insert(at, lease);
        }
    }
}

/// The protocol that maintainers follow.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) protection: Protection,
    /// Prepared files are copied and removed afterwards, not renamed.
    pub(super) copies: bool,
    pub(super) commit: &'static [CommitStep],
    pub(super) takeover: &'static [TakeoverStep],
}

impl Rules {
    pub(super) fn of(protection: Protection) -> Rules {
        Rules { protection, copies: false, commit: protection.commit_steps(), takeover: &TAKEOVER }
    }

    /// As an object store, which copies prepared files.
    pub(super) fn of_copies() -> Rules {
        Rules { copies: true, ..Rules::of(Protection::Fenced) }
    }
}

/// What a process does next.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Phase {
    /// Store the lease.
    Acquire,
    /// List the leases; others are live or have expired.
    Look,
    TakeOver {
        step: usize,
        expired: Vec<Lease>,
        /// Prepared files in the listing: vacuum files, then commits, one bit per maintainer.
        prepared: [u8; 2],
        tombstones: Vec<Lease>,
        /// The tombstone that is being processed, and whether what it requires has been decided.
        tombstone: usize,
        is_decided: bool,
    },
    /// List the vacuum files.
    List,
    Vacuum {
        /// Vacuum files that are to be read.
        unread: u8,
        files: u8,
        hidden: Fragments,
        removal: u8,
    },
    /// Select the visible fragments: those that are listed and that no vacuum file hides.
    Plan,
    Renew {
        step: usize,
        stage: JournalStage,
    },
    Write,
    Commit {
        step: usize,
    },
    RollBack {
        step: usize,
        is_committed: bool,
    },
    Release,
    Done,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Maintainer {
    id: u8,
    phase: Phase,
    renewal: u8,
    journal: Option<(u8, bool, Fragments)>,
    replaced: Fragments,
    /// Without a lease: the vacuum of another program that knows prepared files.
    is_vacuum_only: bool,
}

/// A reader lists the commits and vacuum files, and reads these one after the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Reader {
    listed: Option<(Fragments, u8)>,
    unread: u8,
    hidden: Fragments,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    world: World,
    maintainers: Vec<Maintainer>,
    reader: Option<Reader>,
}

impl Maintainer {
    fn new(id: u8, is_vacuum_only: bool) -> Maintainer {
        let phase = if is_vacuum_only { Phase::List } else { Phase::Acquire };
        Maintainer { id, phase, renewal: 0, journal: None, replaced: 0, is_vacuum_only }
    }

    /// All results of the next step.
    fn steps(&self, world: &World, rules: &Rules) -> Vec<(World, Maintainer)> {
        let (mut next, mut after) = (self.clone(), world.clone());
        let own = usize::from(self.id);
        let fragment = fragment_of(self.id);
        match &self.phase {
            Phase::Done => return Vec::new(),
            Phase::Acquire => {
                World::add(&mut after.leases, Lease { owner: self.id, renewal: 0, journal: None });
                next.phase = Phase::Look;
            }
            Phase::Look => {
                let expired: Vec<Lease> = world.leases.iter().filter(|lease| lease.owner != self.id).copied().collect();
                if !world.lists(self.id, self.renewal) {
                    next.phase = Phase::Release;
                    return vec![(after, next)];
                }
                let is_alone = expired.is_empty();
                next.phase = Phase::TakeOver {
                    step: 0,
                    expired,
                    prepared: [0; 2],
                    tombstones: Vec::new(),
                    tombstone: 0,
                    is_decided: false,
                };
                if !is_alone {
                    // Others may also be taken for live.
                    let withdrawn = Maintainer { phase: Phase::Release, ..next.clone() };
                    return vec![(after.clone(), withdrawn), (after, next)];
                }
            }
            Phase::TakeOver { .. } => next.take_over(&mut after, rules),
            Phase::List => {
                // Vacuum files of merges that are being committed are left alone.
                let is_settled = |at: usize| world.files[at / 2].prepared_vacuum.is_none();
                let files = world.vacuums().filter(|(at, _)| is_settled(*at)).fold(0, |all, (at, _)| all | 1 << at);
                next.phase = Phase::Vacuum { unread: files, files, hidden: 0, removal: 0 };
            }
            Phase::Vacuum { unread, files, hidden, removal } => {
                let mut unread = *unread;
                let mut hidden = *hidden;
                let mut removal = *removal;
                if unread != 0 {
                    let at = unread.trailing_zeros();
                    unread &= unread - 1;
                    hidden |= world.vacuum(at as usize).unwrap_or(0);
                } else {
                    match removal {
                        0 => after.committed &= !hidden,
                        1 => after.stored &= !hidden,
                        _ => {
                            for at in (0..8).filter(|at| files >> at & 1 == 1) {
                                after.files[at / 2].vacuums[at % 2] = None;
                            }
                        }
                    }
                    removal += 1;
                }
                next.phase = match (removal, self.is_vacuum_only) {
                    (3, true) => Phase::Done,
                    (3, false) => Phase::Plan,
                    _ => Phase::Vacuum { unread, files: *files, hidden, removal },
                };
            }
            Phase::Plan => {
                // Fragments hidden by vacuum files that appear meanwhile are a matter of the reader.
                next.replaced = world.visible();
                next.phase = match next.replaced.count_ones() {
                    0 | 1 => Phase::Release,
                    _ => Phase::Renew { step: 0, stage: JournalStage::Begun },
                };
            }
            Phase::Renew { step, stage } => next.renew(&mut after, *step, *stage),
            Phase::Write => {
                next.phase = if world.stored & self.replaced == self.replaced {
                    after.stored |= fragment;
                    after.files[own].cells = world.counts(self.replaced);
                    Phase::Commit { step: 0 }
                } else {
                    Phase::RollBack { step: 0, is_committed: false }
                };
            }
            Phase::Commit { step } => {
                let is_copied = rules.copies && rules.commit[*step] == CommitStep::Commit;
                next.commit(&mut after, rules, *step);
                if is_copied && world.files[own].prepared_commit {
                    // The original is still there: the response is lost and the request is repeated.
                    let mut copied = after.clone();
                    copied.files[own].prepared_commit = true;
                    return vec![(copied, self.clone()), (after, next)];
                }
            }
            Phase::RollBack { step, is_committed } => {
                match rollback_steps(*is_committed)[*step] {
                    RollbackStep::DiscardCommit => after.files[own].prepared_commit = false,
                    RollbackStep::DiscardVacuum => after.files[own].prepared_vacuum = None,
                    RollbackStep::UnhideCreated if world.committed & fragment == 0 => {
                        after.files[own].vacuums[0] = None;
                    }
                    RollbackStep::RemoveCreated if world.committed & fragment == 0 => after.stored &= !fragment,
                    RollbackStep::UnhideCreated | RollbackStep::RemoveCreated => (),
                }
                next.phase = match step + 1 < rollback_steps(*is_committed).len() {
                    true => Phase::RollBack { step: step + 1, is_committed: *is_committed },
                    false => Phase::Release,
                };
            }
            Phase::Release => {
                after.leases.retain(|lease| lease.owner != self.id || lease.renewal != self.renewal);
                next.phase = Phase::Done;
            }
        }
        vec![(after, next)]
    }

    fn take_over(&mut self, world: &mut World, rules: &Rules) {
        let Phase::TakeOver { step, mut expired, mut prepared, mut tombstones, mut tombstone, mut is_decided } =
            self.phase.clone()
        else {
            return;
        };
        let mut is_done = true;
        match rules.takeover[step] {
            TakeoverStep::StoreTombstones => {
                for lease in &expired {
                    // A journal that is removed meanwhile is in a tombstone of somebody else.
                    if lease.journal.is_some() && world.leases.contains(lease) {
                        World::add(&mut world.tombstones, *lease);
                    }
                }
            }
            TakeoverStep::RemoveLeases => {
                if let Some(lease) = expired.pop() {
                    world.leases.retain(|other| *other != lease);
                }
                is_done = expired.is_empty();
            }
            TakeoverStep::ConfirmAlone => {
                let is_alone = world.leases.iter().all(|lease| lease.owner == self.id);
                if !world.lists(self.id, self.renewal) || !is_alone {
                    self.phase = Phase::Release;
                    return;
                }
                for (at, files) in world.files.iter().enumerate() {
                    prepared[0] |= u8::from(files.prepared_vacuum.is_some()) << at;
                    prepared[1] |= u8::from(files.prepared_commit) << at;
                }
                tombstones.clone_from(&world.tombstones);
            }
            TakeoverStep::Fence => {
                // The commits come first.
                if prepared[1] != 0 {
                    world.files[prepared[1].trailing_zeros() as usize].prepared_commit = false;
                    prepared[1] &= prepared[1] - 1;
                } else if prepared[0] != 0 {
                    world.files[prepared[0].trailing_zeros() as usize].prepared_vacuum = None;
                    prepared[0] &= prepared[0] - 1;
                }
                is_done = prepared == [0; 2];
            }
            TakeoverStep::Complete | TakeoverStep::RemoveOrphans | TakeoverStep::RemoveTombstones => {
                let current = tombstones.get(tombstone).and_then(|lease| lease.journal);
                if let Some((owner, _, replaced)) = current {
                    let is_created =
                        tombstones.iter().filter_map(|lease| lease.journal).any(|of| of.0 == owner && of.1);
                    let is_due = match rules.takeover[step] {
                        TakeoverStep::Complete if !is_decided => world.lacks_vacuum(owner, is_created, replaced),
                        TakeoverStep::RemoveOrphans if !is_decided => {
                            let stage = if is_created { JournalStage::Created } else { JournalStage::Begun };
                            world.committed & fragment_of(owner) == 0 && rules.protection.is_removable(stage)
                        }
                        TakeoverStep::Complete => {
                            world.files[usize::from(owner)].vacuums[1] = Some(replaced);
                            false
                        }
                        TakeoverStep::RemoveOrphans => {
                            world.stored &= !fragment_of(owner);
                            false
                        }
                        _ => {
                            world.tombstones.retain(|other| *other != tombstones[tombstone]);
                            false
                        }
                    };
                    (tombstone, is_decided) = if is_due { (tombstone, true) } else { (tombstone + 1, false) };
                }
                is_done = tombstone == tombstones.len();
                if is_done {
                    tombstone = 0;
                }
            }
        }
        self.phase = match step + usize::from(is_done) {
            step if step == rules.takeover.len() => Phase::List,
            step => Phase::TakeOver { step, expired, prepared, tombstones, tombstone, is_decided },
        };
    }

    fn renew(&mut self, world: &mut World, step: usize, stage: JournalStage) {
        let journal = Some((self.id, stage == JournalStage::Created, self.replaced));
        let next = Lease { owner: self.id, renewal: self.renewal + 1, journal };
        match RENEWAL[step] {
            RenewalStep::StoreNext => World::add(&mut world.leases, next),
            RenewalStep::ConfirmPrevious if !world.lists(self.id, self.renewal) => {
                // Whoever has taken over may have listed the next one: it is removed.
                self.renewal += 1;
                self.phase = Phase::RollBack { step: 0, is_committed: false };
                return;
            }
            RenewalStep::ConfirmPrevious => (),
            RenewalStep::RemovePrevious => {
                world.leases.retain(|lease| lease.owner != self.id || lease.renewal != self.renewal);
                self.renewal += 1;
                self.journal = journal;
            }
        }
        self.phase = match (step + 1 < RENEWAL.len(), stage) {
            (true, _) => Phase::Renew { step: step + 1, stage },
            (false, JournalStage::Begun) => Phase::Write,
            (false, JournalStage::Created) => Phase::Commit { step: 1 },
        };
    }

    fn commit(&mut self, world: &mut World, rules: &Rules, step: usize) {
        let steps = rules.commit;
        let own = usize::from(self.id);
        let fragment = fragment_of(self.id);
        let is_committed = steps[..step].iter().any(|step| step.is_commit());
        let files = &mut world.files[own];
        let mut has_failed = false;
        match steps[step] {
            CommitStep::Journal => {
                self.phase = Phase::Renew { step: 0, stage: JournalStage::Created };
                return;
            }
            CommitStep::PrepareVacuum => files.prepared_vacuum = Some(self.replaced),
            CommitStep::PrepareCommit => files.prepared_commit = true,
            CommitStep::HideCreated => files.vacuums[0] = Some(fragment),
            CommitStep::ConfirmLease => has_failed = !world.lists(self.id, self.renewal),
            CommitStep::Commit => match files.prepared_commit {
                true => {
                    files.prepared_commit = false;
                    world.committed |= fragment;
                }
                // A copy that succeeded, after which somebody has removed the original.
                false => has_failed = !rules.copies || world.committed & fragment == 0,
            },
            CommitStep::NameVacuum => match files.vacuums[0].take() {
                Some(hidden) => files.vacuums[1] = Some(hidden),
                None => has_failed = true,
            },
            CommitStep::ExchangeVacuum => match (files.prepared_vacuum, files.vacuums[1]) {
                (Some(replaced), Some(created)) => {
                    files.prepared_vacuum = Some(created);
                    files.vacuums[1] = Some(replaced);
                }
                _ => has_failed = true,
            },
            CommitStep::DiscardVacuum => files.prepared_vacuum = None,
            CommitStep::StoreCommit => world.committed |= fragment,
            CommitStep::StoreVacuum => files.vacuums[1] = Some(self.replaced),
        }
        self.phase = match (has_failed, step + 1 < steps.len()) {
            (true, _) => Phase::RollBack { step: 0, is_committed },
            (false, true) => Phase::Commit { step: step + 1 },
            (false, false) => Phase::Release,
        };
    }
}

impl Reader {
    const NEW: Reader = Reader { listed: None, unread: 0, hidden: 0 };

    /// The next step; the fragments that it reads once it is done.
    fn step(&self, world: &World) -> (Reader, Option<Fragments>) {
        let Some((committed, files)) = self.listed else {
            let files = world.vacuums().fold(0, |all, (at, _)| all | 1 << at);
            return (Reader { listed: Some((world.committed, files)), unread: files, hidden: 0 }, None);
        };
        if self.unread == 0 {
            return (Reader::NEW, Some(committed & !self.hidden));
        }
        // A file that is gone: the array is listed again.
        let Some(hidden) = world.vacuum(self.unread.trailing_zeros() as usize) else { return (Reader::NEW, None) };
        let listed = Some((committed, files));
        (Reader { listed, unread: self.unread & (self.unread - 1), hidden: self.hidden | hidden }, None)
    }
}

/// What runs side by side.
#[derive(Clone, Copy)]
pub(super) struct Scenario {
    pub(super) rules: Rules,
    pub(super) maintainers: u8,
    pub(super) has_reader: bool,
    pub(super) has_vacuum: bool,
}

impl Scenario {
    fn start(self) -> State {
        let count = self.maintainers + u8::from(self.has_vacuum);
        let written = (1 << WRITTEN) - 1;
        // One more, which completes what the others leave.
        let files = vec![Files::default(); usize::from(count) + 1];
        let world = World { leases: Vec::new(), tombstones: Vec::new(), files, stored: written, committed: written };
        let maintainers = (0..count).map(|id| Maintainer::new(id, id >= self.maintainers)).collect();
        State { world, maintainers, reader: self.has_reader.then_some(Reader::NEW) }
    }

    /// Checks what a reader sees that lists and reads everything at once.
    fn check(self, world: &World, is_at_rest: bool) -> Result<(), &'static str> {
        let visible = world.visible();
        let counts = world.counts(visible);
        let is_single = match self.rules.protection {
            Protection::Atomic => true,
            Protection::Fenced => is_at_rest,
            Protection::Unfenced => false,
        };
        if visible & !world.stored != 0 {
            Err("a visible fragment is not stored")
        } else if counts.contains(&0) {
            Err("cells are lost")
        } else if is_single && counts != ONCE {
            Err("cells are doubled")
        } else {
            Ok(())
        }
    }

    /// Lets a new maintainer do all its work while the others are suspended.
    fn settle(self, state: &State) -> Result<(), &'static str> {
        let mut world = state.world.clone();
        let mut maintainer = Maintainer::new(world.files.len() as u8 - 1, false);
        while let Some(next) = maintainer.steps(&world, &self.rules).pop() {
            (world, maintainer) = next;
            self.check(&world, false)?;
        }
        self.check(&world, true)
    }

    /// The states after one step.
    fn successors(self, state: &State) -> Result<Vec<State>, &'static str> {
        let mut all = Vec::new();
        for (at, maintainer) in state.maintainers.iter().enumerate() {
            for (world, next) in maintainer.steps(&state.world, &self.rules) {
                let mut maintainers = state.maintainers.clone();
                maintainers[at] = next;
                all.push(State { world, maintainers, reader: state.reader.clone() });
            }
        }
        if let Some(reader) = &state.reader {
            let (next, read) = reader.step(&state.world);
            let is_atomic = self.rules.protection == Protection::Atomic;
            if is_atomic && read.is_some_and(|read| state.world.counts(read) != ONCE) {
                return Err("a reader sees cells never or twice");
            }
            all.push(State { reader: Some(next), ..state.clone() });
        }
        Ok(all)
    }

    /// Visits all states, and returns their number, or one that is wrong.
    pub(super) fn explore(self) -> Result<usize, String> {
        let mut settled = HashSet::new();
        state_space::explore(self.start(), |state, successors| {
            let wrong = |text| format!("{text}: {state:#?}");
            self.check(&state.world, false).map_err(wrong)?;
            if settled.insert(state.world.clone()) {
                self.settle(state).map_err(wrong)?;
            }
            successors.append(&mut self.successors(state).map_err(wrong)?);
            Ok(())
        })
    }
}
