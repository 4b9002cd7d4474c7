//! Detects that another consolidation merges the same fragments at the same time.
//!
//! Of two merges that both hide their sources, cells that both have merged are visible twice, and in dense arrays the stale cells of one
//! supersede newer ones in the result of the other. Each merge therefore lists the commits before and after its own: of two at least one
//! sees the other, withdraws its fragments, and hides nothing. A process that is killed between its commit and the second listing
//! leaves its fragments committed beside those of the other.

use std::sync::{Arc, OnceLock};

use super::directories;
use tiledb_array::array::ArrayDirectory;
use tiledb_array::fragment::{FragmentName, read_time};
use tiledb_cells::write::spec::{CommitProtocol, FragmentCommit};
use tiledb_core::error::{Result, bail};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// How the results of a merge become visible, and its sources hidden.
pub(crate) trait MergeProtocol: CommitProtocol {
    /// Hides the merged fragments after the commit of the new ones. If that fails, nothing is reverted.
    ///
    /// # Errors
    /// Those of the protocol or of storage.
    fn hide_replaced(&self) -> Result<()>;

    /// True if the commit leaves the new fragments hidden until [`MergeProtocol::hide_replaced`].
    ///
    /// # Errors
    /// Those of storage.
    fn is_hidden_at_commit(&self, commit: &FragmentCommit<'_>) -> Result<bool>;

    /// Ends a merge that was committed, and hides nothing since another one has merged the same fragments. False if its results are
    /// visible and have to be removed.
    ///
    /// # Errors
    /// Those of storage.
    fn withdraw(&self) -> Result<bool>;
}

/// Commits the result of a merge unless there is a conflict.
pub(super) struct GuardedCommit {
    resources: Resources,
    uri: Uri,
    /// The directory by which the merge was planned.
    known: Arc<ArrayDirectory>,
    /// The times of the merged fragments.
    window: (u64, u64),
    /// How the result becomes visible; without it, as that of a write.
    protocol: Option<Arc<dyn MergeProtocol>>,
    /// The result of another merge that was found.
    conflict: OnceLock<FragmentName>,
}

impl GuardedCommit {
    /// For a merge of fragments within `window`, which was planned by the listing `known`.
    pub(super) fn new(
        resources: &Resources,
        uri: &Uri,
        known: Arc<ArrayDirectory>,
        window: (u64, u64),
        protocol: Option<Arc<dyn MergeProtocol>>,
    ) -> GuardedCommit {
        let (resources, uri) = (resources.clone(), uri.clone());
        GuardedCommit { resources, uri, known, window, protocol, conflict: OnceLock::new() }
    }

    /// The protocol by which the result becomes visible, if there is one.
    pub(super) fn protocol(&self) -> Option<&dyn MergeProtocol> {
        self.protocol.as_deref()
    }

    /// The result of another merge because of which this one was withdrawn.
    pub(super) fn conflict(&self) -> Option<&FragmentName> {
        self.conflict.get()
    }

    /// Looks for results of other merges, and returns what was listed.
    ///
    /// # Errors
    /// If there is one, or the commits cannot be listed.
    pub(super) fn check(&self, own: &[FragmentName]) -> Result<ArrayDirectory> {
        let now = read_time();
        let (start, end) = self.window;
        let directory = directories::commits(&self.resources, &self.uri)?;
        let is_other = |name: &&FragmentName| {
            let times = name.timestamps();
            // Single times are those of writes; merges of such fragments cannot be distinguished from them.
            let is_merge = times.0 < times.1 && times.1 <= now;
            let is_known = || self.known.fragments().binary_search(name).is_ok();
            is_merge && times.0 <= end && start <= times.1 && !is_known() && !own.contains(name)
        };
        match directory.fragments().iter().find(is_other) {
            None => Ok(directory),
            Some(other) => {
                _ = self.conflict.set(other.clone());
                bail!(
                    "FragmentConsolidator: Cannot consolidate array '{}'; another consolidation has created fragment '{other}' of the same \
                     times meanwhile. Nothing was changed; consolidate again when it is done",
                    self.uri
                )
            }
        }
    }
}

impl CommitProtocol for GuardedCommit {
    fn begin(&self, name: &FragmentName) -> Result<()> {
        self.protocol.as_ref().map_or(Ok(()), |protocol| protocol.begin(name))
    }

    fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<()> {
        if let Some(protocol) = &self.protocol {
            // The listing after the commit suffices if no reader sees the result until then.
            if !protocol.is_hidden_at_commit(commit)? {
                self.check(commit.names)?;
            }
            return protocol.commit(vfs, commit);
        }
        self.check(commit.names)?;
        let committed = commit.store(vfs).and_then(|()| self.check(commit.names).map(drop));
        if committed.is_err() {
            let files: Vec<Uri> = commit.files.iter().map(|(file, _)| file.clone()).collect();
            // The first error is reported.
            _ = vfs.remove_files(&files);
        }
        committed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::types::CURRENT_VERSION;

    /// The array's commits, and files for a commit of its own.
    struct Fixture {
        resources: Resources,
        uri: Uri,
        own: FragmentName,
        files: [(Uri, Vec<u8>); 1],
    }

    impl Fixture {
        /// An array with two fragments that are merged, and one beside them.
        fn new() -> Fixture {
            let resources = Resources::new(Config::new()).unwrap();
            let uri = Uri::parse("mem://conflicts/array").unwrap();
            let own = FragmentName::new(2, 5, CURRENT_VERSION);
            let files = [(uri.join(&own.commit().unwrap()), Vec::new())];
            let fixture = Fixture { resources, uri, own, files };
            let schema = fixture.uri.join("__schema/__1_1_0123456789abcdef0123456789abcdef");
            fixture.resources.vfs().put(&schema, b"").unwrap();
            [(2, 2), (3, 5), (4, 9)].into_iter().for_each(|times| fixture.put(times));
            fixture
        }

        fn put(&self, (start, end): (u64, u64)) {
            let name = FragmentName::new(start, end, CURRENT_VERSION);
            self.resources.vfs().put(&self.uri.join(&name.commit().unwrap()), b"").unwrap();
        }

        fn guard(&self) -> GuardedCommit {
            let known = Arc::new(directories::commits(&self.resources, &self.uri).unwrap());
            GuardedCommit::new(&self.resources, &self.uri, known, (2, 5), None)
        }

        fn commit(&self, guard: &GuardedCommit) -> Result<()> {
            let commit = FragmentCommit { names: std::slice::from_ref(&self.own), files: &self.files };
            guard.commit(self.resources.vfs(), &commit)
        }

        fn is_committed(&self) -> bool {
            self.resources.vfs().is_file(&self.files[0].0).unwrap()
        }
    }

    #[test]
    fn merge_of_the_same_times_prevents_the_commit() {
        let later = read_time() + 3_600_000;
        let cases = [
            ((2, 5), true),
            ((1, 2), true),
            ((5, 6), true),
            ((3, 4), true),
            ((0, 1), false),
            ((6, 7), false),
            // A write, which readers see beside the result.
            ((3, 3), false),
            ((3, later), false),
        ];
        for (times, is_conflict) in cases {
            let fixture = Fixture::new();
            let guard = fixture.guard();
            fixture.put(times);
            let committed = fixture.commit(&guard);
            assert_eq!(committed.is_err(), is_conflict, "{times:?}");
            assert_eq!(fixture.is_committed(), !is_conflict, "{times:?}");
            assert_eq!(guard.conflict().map(FragmentName::timestamps), is_conflict.then_some(times));
        }
    }

    /// The other merge commits between both listings: whoever comes second sees the other one.
    #[test]
    fn second_of_two_merges_withdraws_its_commit() {
        let fixture = Fixture::new();
        let guards = [fixture.guard(), fixture.guard()];
        fixture.commit(&guards[0]).unwrap();
        assert!(guards[0].check(std::slice::from_ref(&fixture.own)).is_ok(), "its own result is no other one");
        let other = FragmentName::new(2, 5, CURRENT_VERSION);
        assert!(guards[1].check(std::slice::from_ref(&other)).is_err());
        assert_eq!(guards[1].conflict(), Some(&fixture.own));
        assert!(guards[0].conflict().is_none() && fixture.guard().check(&[]).is_ok(), "known from the plan");
    }
}
