//! Explores all interleavings of processes that resume the same copy. Each may be suspended before every step for any time, or
//! killed there; the next one takes it for dead at any moment.

use super::claim::{CLAIM, ClaimStep, CopyCommitStep};
use tiledb_core::state_space;

/// Fragments of the array.
const FRAGMENTS: u8 = 2;

/// A set of processes, or of fragments of the copy: one bit for each process and fragment of the array.
type Set = u16;

fn fragment_of(process: u8, index: u8) -> Set {
    1 << (process * FRAGMENTS + index)
}

/// The copy.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct World {
    claims: Set,
    stored: Set,
    prepared: Set,
    committed: Set,
}

impl World {
    /// How many copies of fragments there are.
    fn copies(&self) -> u8 {
        self.committed.count_ones() as u8
    }

    fn is_complete(&self, processes: u8) -> bool {
        (0..FRAGMENTS).all(|index| {
            let copies = (0..processes).filter(|process| self.committed & fragment_of(*process, index) != 0);
            copies.count() == 1
        })
    }
}

/// What a process does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Claim {
        step: usize,
        /// Files in the listing of the step; none before it.
        listed: Option<Set>,
        orphans: Set,
    },
    /// Lists the copies of fragments.
    List,
    Store {
        index: u8,
    },
    Commit {
        index: u8,
        step: usize,
    },
    /// The commit was copied, and the response is lost: the request is repeated.
    Recommit {
        index: u8,
        step: usize,
    },
    Discard {
        index: u8,
        step: usize,
    },
    Compare,
    Release {
        is_complete: bool,
    },
    Done {
        is_complete: bool,
    },
}

/// The protocol.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// Prepared files are copied and removed afterwards, not renamed.
    copies: bool,
    claim: &'static [ClaimStep],
    commit: &'static [CopyCommitStep],
}

/// What follows a step of the commit of a fragment.
fn after_commit(index: u8, step: usize, rules: &Rules) -> Phase {
    match (step + 1 < rules.commit.len(), index + 1 < FRAGMENTS) {
        (true, _) => Phase::Commit { index, step: step + 1 },
        (false, true) => Phase::Store { index: index + 1 },
        (false, false) => Phase::Compare,
    }
}

/// Takes the next step of a process.
fn take(world: &mut World, process: u8, phase: Phase, rules: &Rules, processes: u8) -> Phase {
    let claim = 1 << process;
    let failed = Phase::Release { is_complete: false };
    match phase {
        Phase::Claim { step, listed, orphans } => {
            let listed_now = |files| Phase::Claim { step, listed: Some(files), orphans };
            let next = |orphans| match step + 1 < rules.claim.len() {
                true => Phase::Claim { step: step + 1, listed: None, orphans },
                false => Phase::List,
            };
            match (rules.claim[step], listed) {
                (ClaimStep::Store, _) => world.claims |= claim,
                (ClaimStep::RemoveOthers, None) => return listed_now(world.claims & !claim),
                (ClaimStep::RemoveOthers, Some(others)) => world.claims &= !others,
                (ClaimStep::ListOrphans, _) => return next(world.stored & !world.committed),
                (ClaimStep::Confirm, _) if world.claims & claim == 0 => return failed,
                (ClaimStep::Confirm, _) => (),
                (ClaimStep::Fence, None) => return listed_now(world.prepared),
                (ClaimStep::Fence, Some(prepared)) => world.prepared &= !prepared,
                (ClaimStep::Sweep, None) => return listed_now(orphans & !world.committed),
                (ClaimStep::Sweep, Some(orphans)) => world.stored &= !orphans,
            }
            next(orphans)
        }
        Phase::List => match world.copies() {
            FRAGMENTS.. => Phase::Compare,
            index => Phase::Store { index },
        },
        Phase::Store { index } => {
            world.stored |= fragment_of(process, index);
            Phase::Commit { index, step: 0 }
        }
        Phase::Commit { index, step } => {
            let fragment = fragment_of(process, index);
            let is_taken = match rules.commit[step] {
                CopyCommitStep::Prepare => {
                    world.prepared |= fragment;
                    true
                }
                CopyCommitStep::Confirm => world.claims & claim != 0,
                CopyCommitStep::Publish if world.prepared & fragment == 0 => false,
                CopyCommitStep::Publish if rules.copies => {
                    world.committed |= fragment;
                    return Phase::Recommit { index, step };
                }
                CopyCommitStep::Publish | CopyCommitStep::Store => {
                    world.prepared &= !fragment;
                    world.committed |= fragment;
                    true
                }
            };
            if !is_taken {
                world.prepared &= !fragment;
                world.stored &= !fragment;
                return failed;
            }
            after_commit(index, step, rules)
        }
        Phase::Recommit { index, step } => {
            let fragment = fragment_of(process, index);
            world.committed |= world.prepared & fragment;
            if world.committed & fragment == 0 { failed } else { Phase::Discard { index, step } }
        }
        Phase::Discard { index, step } => {
            world.prepared &= !fragment_of(process, index);
            after_commit(index, step, rules)
        }
        Phase::Compare => Phase::Release { is_complete: world.is_complete(processes) },
        Phase::Release { is_complete } => {
            world.claims &= !claim;
            Phase::Done { is_complete }
        }
        Phase::Done { .. } => phase,
    }
}

/// Visits all states of some processes, and returns their number, or one that is wrong.
fn explore(rules: Rules, processes: u8) -> Result<usize, String> {
    let start = (World::default(), vec![Phase::Claim { step: 0, listed: None, orphans: 0 }; usize::from(processes)]);
    state_space::explore(start, |(world, phases), successors| {
        let is_reported = phases
            .iter()
            .any(|phase| matches!(phase, Phase::Done { is_complete } | Phase::Release { is_complete } if *is_complete));
        let wrong = if world.committed & !world.stored != 0 {
            "a committed fragment is not stored"
        } else if is_reported && !world.is_complete(processes) {
            "a complete copy has changed"
        } else {
            ""
        };
        if !wrong.is_empty() {
            return Err(format!("{wrong}: {world:?} {phases:?}"));
        }
        for (at, phase) in phases.iter().enumerate() {
            let mut next = (world.clone(), phases.clone());
            next.1[at] = take(&mut next.0, at as u8, *phase, &rules, processes);
            successors.push(next);
        }
        Ok(())
    })
}

const RULES: Rules = Rules { copies: false, claim: &CLAIM, commit: &CopyCommitStep::FENCED };

#[test]
fn copies_that_are_resumed_while_others_are_suspended_are_complete() {
    for (processes, least) in [(2, 500), (3, 10_000)] {
        for copies in [false, true] {
            let explored = explore(Rules { copies, ..RULES }, processes);
            let states = explored.unwrap_or_else(|wrong| panic!("copies: {copies}: {wrong}"));
            println!("{processes} processes, copies: {copies}: {states} states");
            assert!(states > least, "{states}");
        }
    }
}

#[test]
fn weaker_protocols_are_refuted() {
    use ClaimStep as Claim;
    use CopyCommitStep::*;
    let refute = |rules: Rules| explore(rules, 2).expect_err(&format!("{rules:?}"));
    // Without claims, and stores without a fence.
    let unclaimed = &[Claim::ListOrphans, Claim::Sweep];
    assert!(
        refute(Rules { claim: unclaimed, commit: &[Store], ..RULES }).starts_with("a committed fragment is not stored")
    );
    refute(Rules { commit: &CopyCommitStep::UNFENCED, ..RULES });
    refute(Rules { commit: &[Confirm, Prepare, Publish], ..RULES });
    refute(Rules { commit: &[Prepare, Publish], ..RULES });
    for claim in [
        &[Claim::Store, Claim::RemoveOthers, Claim::ListOrphans, Claim::Confirm, Claim::Sweep][..],
        &[Claim::Store, Claim::Fence, Claim::RemoveOthers, Claim::ListOrphans, Claim::Confirm, Claim::Sweep],
        &[Claim::Store, Claim::RemoveOthers, Claim::ListOrphans, Claim::Fence, Claim::Sweep],
        &[Claim::Store, Claim::RemoveOthers, Claim::Confirm, Claim::ListOrphans, Claim::Fence, Claim::Sweep],
    ] {
        refute(Rules { claim, ..RULES });
    }
}
