//! The maintenance protocol: the steps by which a maintainer takes over from others and commits a merge, without any
//! storage. The code executes these sequences, and a test explores all interleavings of them.
//!
//! No step relies on time. A maintainer may be suspended before any step, for any time, and its clock may be wrong: the
//! clock only decides when others *try* to take over. Safety rests on two rules:
//!
//! - **Announce, then confirm.** A maintainer stores the files by which it can commit before it confirms that its lease
//!   is still listed. Whoever takes over removes the lease before it lists those files. At least one of them notices
//!   the other.
//! - **Fence.** Each decisive step consumes a prepared file, in one atomic operation that fails if the file is gone: the file
//!   is renamed, or an object store copies it. Whoever takes over removes the prepared files first. From then on, the former holder
//!   cannot commit any more, and what it has stored can be removed. A copy is requested once: repeated, it could restore what
//!   somebody has removed since.
//!
//! Readers of all libraries ignore prepared files, and hide the fragments that vacuum files list, also if these fragments
//! are committed later, or are missing.

use std::collections::HashSet;
use std::hash::Hash;

/// What the storage permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Protection {
    /// Files can be renamed and exchanged atomically. The new fragments are committed while a vacuum file hides them; exchanging
    /// its contents hides the replaced ones instead.
    Atomic,
    /// Files can be renamed atomically, or, in object stores, copied atomically if they still exist. Until the vacuum file is
    /// stored, new and replaced fragments are both visible; whoever takes over stores it.
    Fenced,
    /// Stores without such copies, and format versions without a folder of commits: a suspended maintainer may commit later, so that
    /// what it has stored is never removed.
    Unfenced,
}

/// A step of the commit of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CommitStep {
    /// Renew the lease with a journal that names the new and the replaced fragments.
    Journal,
    /// Store the prepared vacuum file: it lists the replaced fragments.
    PrepareVacuum,
    /// Store the prepared commit file.
    PrepareCommit,
    /// Store a vacuum file of a temporary name that hides the new fragments.
    HideCreated,
    /// Look for the own lease: it is there, or nothing is committed.
    ConfirmLease,
    /// Rename the prepared commit file, or copy and remove it.
    Commit,
    /// Rename the vacuum file. A reader that has listed its temporary name may not have listed the commit, and must not read
    /// the exchanged contents.
    NameVacuum,
    /// Exchange the vacuum file and the prepared one.
    ExchangeVacuum,
    /// Remove the prepared vacuum file, which lists the new fragments by now.
    DiscardVacuum,
    /// Store the commit file.
    StoreCommit,
    /// Store the vacuum file that lists the replaced fragments.
    StoreVacuum,
}

/// A step after a failed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RollbackStep {
    /// Remove the prepared commit file; then the commit happens no more.
    DiscardCommit,
    /// Remove the prepared vacuum file; then the exchange happens no more.
    DiscardVacuum,
    /// Remove the vacuum file that hides the new fragments, unless they were committed.
    UnhideCreated,
    /// Remove the new fragments, unless they were committed.
    RemoveCreated,
}

/// A step of the takeover of expired leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TakeoverStep {
    /// Copy the journals of expired leases to tombstones, which nobody renews.
    StoreTombstones,
    /// Remove the expired leases.
    RemoveLeases,
    /// List: the own lease is there, and no other one but tombstones; or the lease is given up.
    ConfirmAlone,
    /// Remove the prepared files of this listing, commits first: a vacuum by another program removes new fragments whose
    /// prepared vacuum file is gone.
    Fence,
    /// Of each tombstone, store the vacuum file that is missing after a commit.
    Complete,
    /// Of each tombstone, remove the fragments that will not be committed any more.
    RemoveOrphans,
    /// Remove the tombstones, once nothing in them is open.
    RemoveTombstones,
}

/// A step of the renewal of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RenewalStep {
    /// Store the next lease file.
    StoreNext,
    /// Look for the previous one: it is there, or the lease is lost.
    ConfirmPrevious,
    /// Remove the previous one.
    RemovePrevious,
}

pub(super) const TAKEOVER: [TakeoverStep; 7] = [
    TakeoverStep::StoreTombstones,
    TakeoverStep::RemoveLeases,
    TakeoverStep::ConfirmAlone,
    TakeoverStep::Fence,
    TakeoverStep::Complete,
    TakeoverStep::RemoveOrphans,
    TakeoverStep::RemoveTombstones,
];

pub(super) const RENEWAL: [RenewalStep; 3] =
    [RenewalStep::StoreNext, RenewalStep::ConfirmPrevious, RenewalStep::RemovePrevious];

impl Protection {
    /// What a maintainer does after all files of the new fragments but the commit are stored.
    pub(super) fn commit_steps(self) -> &'static [CommitStep] {
        use CommitStep::*;
        match self {
            Protection::Atomic => &[
                PrepareVacuum,
                PrepareCommit,
                HideCreated,
                ConfirmLease,
                Commit,
                NameVacuum,
                ExchangeVacuum,
                DiscardVacuum,
            ],
            Protection::Fenced => &[Journal, PrepareCommit, ConfirmLease, Commit, StoreVacuum],
            Protection::Unfenced => &[Journal, StoreCommit, StoreVacuum],
        }
    }

    /// True if a fragment that was not committed can be removed after a takeover. Without a fence, its maintainer may still
    /// commit it, once the journal says so.
    pub(super) fn is_removable(self, stage: JournalStage) -> bool {
        self != Protection::Unfenced || stage == JournalStage::Begun
    }
}

impl CommitStep {
    /// True for the step with which the new fragments are committed.
    pub(super) fn is_commit(self) -> bool {
        matches!(self, CommitStep::Commit | CommitStep::StoreCommit)
    }
}

/// The steps after a step of a commit has failed; `is_committed` if it is one after the commit.
pub(super) fn rollback_steps(is_committed: bool) -> &'static [RollbackStep] {
    use RollbackStep::*;
    // What was committed is hidden by a vacuum file, whose vacuum removes it; or the next maintainer stores the vacuum file
    // that is missing.
    if is_committed { &[DiscardVacuum] } else { &[DiscardCommit, DiscardVacuum, UnhideCreated, RemoveCreated] }
}

/// What a journal says of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum JournalStage {
    /// Its files are being stored.
    Begun,
    /// It may have been committed.
    Created,
}

/// True if a vacuum file is missing after a commit: all new fragments are visible, and so are some of those that they
/// replace. A fragment that a journal names as both is not hidden.
pub(super) fn is_vacuum_missing<T: Eq + Hash>(created: &[T], replaced: &[T], is_visible: impl Fn(&T) -> bool) -> bool {
    let hidden: HashSet<&T> = replaced.iter().collect();
    !created.is_empty()
        && created.iter().all(|new| is_visible(new) && !hidden.contains(new))
        && replaced.iter().any(is_visible)
}
