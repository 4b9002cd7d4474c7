//! All interleavings of the maintenance protocol, and of variants that lack a step.

use super::protocol::{CommitStep, Protection, TakeoverStep};
use super::protocol_model::{Rules, Scenario};

/// The protocols for all kinds of storage.
fn all_rules() -> [Rules; 4] {
    let of = Rules::of;
    [of(Protection::Atomic), of(Protection::Fenced), Rules::of_copies(), of(Protection::Unfenced)]
}

#[test]
fn suspended_maintainers_neither_lose_nor_double_cells() {
    for rules in all_rules() {
        for (has_reader, has_vacuum) in [(false, false), (true, false), (false, true)] {
            let states = Scenario { rules, maintainers: 2, has_reader, has_vacuum }.explore();
            assert!(
                states.unwrap_or_else(|wrong| panic!("{:?}, copies: {}: {wrong}", rules.protection, rules.copies))
                    > 1000
            );
        }
    }
}

/// Three million states.
#[test]
#[ignore = "takes minutes, `make test-maintenance` runs it"]
fn three_suspended_maintainers_neither_lose_nor_double_cells() {
    for rules in all_rules() {
        let states = Scenario { rules, maintainers: 3, has_reader: false, has_vacuum: false }.explore();
        println!("{:?}: {} states", rules.protection, states.unwrap_or_else(|wrong| panic!("{wrong}")));
    }
}

/// Each step is necessary: the exploration finds a fault in protocols without it, or in another order.
#[test]
fn weaker_protocols_are_refuted() {
    use CommitStep::*;
    use TakeoverStep::*;
    let refute = |rules: Rules, has_reader: bool| {
        let explored = Scenario { rules, maintainers: 2, has_reader, has_vacuum: false }.explore();
        explored.err().unwrap_or_else(|| panic!("{:?}, {:?}", rules.commit, rules.takeover))
    };
    let without_reader = |rules| refute(rules, false);
    let atomic = |commit| Rules { commit, ..Rules::of(Protection::Atomic) };
    let fenced = |commit| Rules { commit, ..Rules::of(Protection::Fenced) };
    // A check followed by an act: the commit of a suspended maintainer after its fragment was removed.
    without_reader(fenced(&[Journal, StoreCommit, StoreVacuum]));
    // Confirmed before it is announced, or never.
    let early = &[PrepareVacuum, ConfirmLease, PrepareCommit, HideCreated, Commit, NameVacuum, ExchangeVacuum];
    without_reader(atomic(early));
    let never = &[PrepareVacuum, PrepareCommit, HideCreated, Commit, NameVacuum, ExchangeVacuum];
    without_reader(atomic(never));
    without_reader(fenced(&[Journal, PrepareCommit, Commit, StoreVacuum]));
    // The vacuum file has its final name before the commit: a reader may miss both.
    let named = &[PrepareVacuum, PrepareCommit, HideCreated, NameVacuum, ConfirmLease, Commit, ExchangeVacuum];
    let wrong = refute(atomic(named), true);
    assert!(wrong.starts_with("a reader sees cells never or twice"), "{wrong}");
    // The vacuum file before the commit, and no journal of a commit.
    let wrong = without_reader(fenced(&[Journal, PrepareCommit, ConfirmLease, StoreVacuum, Commit]));
    assert!(wrong.starts_with("cells are lost"), "{wrong}");
    let wrong = without_reader(fenced(&[PrepareCommit, ConfirmLease, Commit, StoreVacuum]));
    assert!(wrong.starts_with("cells are doubled"), "{wrong}");
    // A commit without a fence, and a fence that nobody closes.
    without_reader(atomic(&[PrepareVacuum, HideCreated, ConfirmLease, StoreCommit, NameVacuum, ExchangeVacuum]));
    let no_fence: &[TakeoverStep] =
        &[StoreTombstones, RemoveLeases, ConfirmAlone, Complete, RemoveOrphans, RemoveTombstones];
    for rules in [Rules::of(Protection::Atomic), Rules::of(Protection::Fenced), Rules::of_copies()] {
        without_reader(Rules { takeover: no_fence, ..rules });
    }
    // An object that is stored instead of copied.
    without_reader(Rules {
        commit: &[Journal, PrepareCommit, ConfirmLease, StoreCommit, StoreVacuum],
        ..Rules::of_copies()
    });
}
