//! Detects that another consolidation merges the same fragments at the same time.
//!
//! Of two merges that both hide their sources, cells that both have merged are visible twice, and in dense arrays the stale cells of one
//! supersede newer ones in the result of the other. Each merge therefore lists the commits before and after its own: of two at least one
//! sees the other, withdraws its fragments, and hides nothing. It also withdraws if one of its sources was hidden or withdrawn since it
//! was planned: a merge that has merged the result of another one together with the sources of that one contains their cells twice. A
//! process that is killed between its commit and the second listing leaves its fragments committed beside those of the other.
//!
//! The result of a maintainer may be hidden still when a merge is planned. Before its own commit, the merge therefore removes the
//! prepared file by which the maintainer would hide the sources: either it has hidden them, or never will. `merge_model.rs` explores
//! all interleavings of these steps.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::directories;
use tiledb_array::array::ArrayDirectory;
use tiledb_array::fragment::{FailedCommit, FragmentName, read_time};
use tiledb_cells::write::spec::{CommitProtocol, FragmentCommit};
use tiledb_core::error::{ErrorKind, Result, bail};
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
    /// The merged fragments.
    sources: Vec<FragmentName>,
    /// How the result becomes visible; without it, as that of a write.
    protocol: Option<Arc<dyn MergeProtocol>>,
    /// The result of another merge, or the source that another one has hidden or withdrawn.
    conflict: OnceLock<FragmentName>,
}

impl GuardedCommit {
    /// For a merge of `sources`, which was planned by the listing `known`.
    pub(super) fn new(
        resources: &Resources,
        uri: &Uri,
        known: Arc<ArrayDirectory>,
        sources: Vec<FragmentName>,
        protocol: Option<Arc<dyn MergeProtocol>>,
    ) -> GuardedCommit {
        let (resources, uri) = (resources.clone(), uri.clone());
        GuardedCommit { resources, uri, known, sources, protocol, conflict: OnceLock::new() }
    }

    /// The protocol by which the result becomes visible, if there is one.
    pub(super) fn protocol(&self) -> Option<&dyn MergeProtocol> {
        self.protocol.as_deref()
    }

    /// The fragment of another merge because of which this one was withdrawn.
    pub(super) fn conflict(&self) -> Option<&FragmentName> {
        self.conflict.get()
    }

    /// Looks for results of other merges, and for sources that others have hidden or withdrawn, and returns what was listed.
    ///
    /// # Errors
    /// If there is one, or the commits cannot be listed.
    pub(super) fn check(&self, own: &[FragmentName]) -> Result<ArrayDirectory> {
        let mut directory = directories::commits(&self.resources, &self.uri)?;
        if let Some(other) = self.result_of_other(&directory, own) {
            _ = self.conflict.set(other.clone());
            bail!(
                "FragmentConsolidator: Cannot consolidate array '{}'; another consolidation has created fragment '{other}' of the same \
                 times meanwhile. Nothing was changed; consolidate again when it is done",
                self.uri
            )
        }
        if self.protocol.is_none() && self.fence_pending_merges(&directory)? {
            directory = directories::commits(&self.resources, &self.uri)?;
        }
        let mut replaced = self.replaced_source(&directory, own);
        if replaced.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            // A vacuum has removed a vacuum file since it was listed: after the fragments that it hides.
            directory = directories::commits(&self.resources, &self.uri)?;
            replaced = self.replaced_source(&directory, own);
        }
        match replaced? {
            None => Ok(directory),
            Some(source) => {
                _ = self.conflict.set(source.clone());
                bail!(
                    "FragmentConsolidator: Cannot consolidate array '{}'; another consolidation has replaced or withdrawn fragment \
                     '{source}' meanwhile. Nothing was changed; consolidate again when it is done",
                    self.uri
                )
            }
        }
    }

    /// A result of another merge, which was committed since this one was planned.
    fn result_of_other<'d>(&self, directory: &'d ArrayDirectory, own: &[FragmentName]) -> Option<&'d FragmentName> {
        let now = read_time();
        let (start, end) = self.times();
        directory.fragments().iter().find(|name| {
            let times = name.timestamps();
            // Single times are those of writes; merges of such fragments cannot be distinguished from them.
            let is_merge = times.0 < times.1 && times.1 <= now;
            let is_known = || self.known.fragments().binary_search(name).is_ok();
            is_merge && times.0 <= end && start <= times.1 && !is_known() && !own.contains(name)
        })
    }

    /// Prevents the known merges of maintainers from hiding sources of this one. True if there were any.
    ///
    /// # Errors
    /// If storage fails.
    fn fence_pending_merges(&self, directory: &ArrayDirectory) -> Result<bool> {
        let (start, end) = self.times();
        let is_concerned = |name: &FragmentName| name.timestamps().0 <= end && start <= name.timestamps().1;
        let pending = directory.pending_merges().iter().filter(|(name, _)| is_concerned(name));
        let prepared: Vec<Uri> = pending.map(|(_, file)| file.clone()).collect();
        self.resources.vfs().remove_files(&prepared)?;
        Ok(!prepared.is_empty())
    }

    /// The first and the last time of the sources.
    fn times(&self) -> (u64, u64) {
        let start = self.sources.iter().map(|name| name.timestamps().0).min().unwrap_or(0);
        (start, self.sources.iter().map(|name| name.timestamps().1).max().unwrap_or(start))
    }

    /// A source that was hidden, withdrawn or removed since this merge was planned.
    ///
    /// # Errors
    /// If a vacuum file cannot be read.
    fn replaced_source(&self, directory: &ArrayDirectory, own: &[FragmentName]) -> Result<Option<FragmentName>> {
        let is_committed = |name: &FragmentName| directory.fragments().binary_search(name).is_ok();
        if let Some(removed) = self.sources.iter().find(|name| !is_committed(name)) {
            return Ok(Some(removed.clone()));
        }
        // The vacuum file of a merge has the name of its last result; that by which a maintainer hides its own results has another one.
        let known: HashSet<&FragmentName> = self.known.settled_vacuums().map(|(name, _)| name).collect();
        let is_new = |name: &FragmentName| !known.contains(name) && !own.contains(name) && is_committed(name);
        if !directory.vacuums().iter().any(|(name, _)| is_new(name)) {
            return Ok(None);
        }
        let visible = directory.visible(self.resources.vfs(), (0, u64::MAX), true)?.0;
        Ok(self.sources.iter().find(|name| visible.binary_search(name).is_err()).cloned())
    }
}

impl CommitProtocol for GuardedCommit {
    fn begin(&self, name: &FragmentName) -> Result<()> {
        self.protocol.as_ref().map_or(Ok(()), |protocol| protocol.begin(name))
    }

    fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<(), FailedCommit> {
        let not_begun = |error| FailedCommit { error, is_revoked: true };
        if let Some(protocol) = &self.protocol {
            // The listing after the commit suffices if no reader sees the result until then.
            if !protocol.is_hidden_at_commit(commit).map_err(not_begun)? {
                self.check(commit.names).map_err(not_begun)?;
            }
            return protocol.commit(vfs, commit);
        }
        self.check(commit.names).map_err(not_begun)?;
        let committed = commit.store(vfs).and_then(|()| self.check(commit.names).map(drop));
        // Others may have consolidated the commit since.
        committed.map_err(|error| commit.revoke(vfs, error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{vacuum_file, vacuum_lines};
    use super::*;
    use tiledb_array::array::prepared_uri;
    use tiledb_core::config::Config;
    use tiledb_core::error::Error;
    use tiledb_core::types::CURRENT_VERSION;

    /// The array's commits, and files for a commit of its own.
    struct Fixture {
        resources: Resources,
        uri: Uri,
        sources: Vec<FragmentName>,
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
            let mut fixture = Fixture { resources, uri, sources: Vec::new(), own, files };
            let schema = fixture.uri.join("__schema/__1_1_0123456789abcdef0123456789abcdef");
            fixture.resources.vfs().put(&schema, b"").unwrap();
            fixture.sources = [(2, 2), (3, 5)].map(|times| fixture.put(times)).to_vec();
            fixture.put((4, 9));
            fixture
        }

        fn put(&self, (start, end): (u64, u64)) -> FragmentName {
            let name = FragmentName::new(start, end, CURRENT_VERSION);
            self.resources.vfs().put(&self.uri.join(&name.commit().unwrap()), b"").unwrap();
            name
        }

        fn guard(&self) -> GuardedCommit {
            let known = Arc::new(directories::commits(&self.resources, &self.uri).unwrap());
            GuardedCommit::new(&self.resources, &self.uri, known, self.sources.clone(), None)
        }

        fn commit(&self, guard: &GuardedCommit) -> Result<()> {
            let commit =
                FragmentCommit { array: &self.uri, names: std::slice::from_ref(&self.own), files: &self.files };
            guard.commit(self.resources.vfs(), &commit).map_err(|failed| failed.error)
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

    /// Merged with the sources of another merge, its result contains their cells twice.
    #[test]
    fn source_that_is_withdrawn_or_hidden_since_the_plan_prevents_the_commit() {
        for is_hidden in [false, true] {
            let fixture = Fixture::new();
            let guard = fixture.guard();
            let [hidden, other] = [0, 1].map(|at| &fixture.sources[at]);
            if is_hidden {
                let lines = vacuum_lines(&fixture.uri, CURRENT_VERSION, [hidden.folder(&fixture.uri)].into_iter());
                fixture.resources.vfs().put(&vacuum_file(&fixture.uri, other), &lines).unwrap();
            } else {
                fixture.resources.vfs().remove_files(&[fixture.uri.join(&hidden.commit().unwrap())]).unwrap();
            }
            let error = fixture.commit(&guard).unwrap_err();
            assert!(error.text().contains("replaced or withdrawn"), "{error}");
            assert_eq!(guard.conflict(), Some(hidden));
            assert!(!fixture.is_committed());
        }
    }

    /// A maintainer has committed its result, hidden until it exchanges the contents of two files.
    #[test]
    fn known_merge_of_a_maintainer_has_hidden_the_sources_or_never_will() {
        for is_exchanged in [false, true] {
            let fixture = Fixture::new();
            let vfs = fixture.resources.vfs();
            let result = fixture.put((2, 5));
            let vacuum = vacuum_file(&fixture.uri, &result);
            let lines = |names: &[FragmentName]| {
                vacuum_lines(&fixture.uri, CURRENT_VERSION, names.iter().map(|name| name.folder(&fixture.uri)))
            };
            let (of_result, of_sources) = (lines(std::slice::from_ref(&result)), lines(&fixture.sources));
            vfs.put(&vacuum, &of_result).unwrap();
            vfs.put(&prepared_uri(&vacuum), &of_sources).unwrap();
            let guard = fixture.guard();
            if is_exchanged {
                vfs.put(&vacuum, &of_sources).unwrap();
                vfs.put(&prepared_uri(&vacuum), &of_result).unwrap();
            }
            assert_eq!(fixture.commit(&guard).is_err(), is_exchanged);
            assert_eq!(fixture.is_committed(), !is_exchanged);
            assert!(!vfs.is_file(&prepared_uri(&vacuum)).unwrap(), "the maintainer cannot exchange them any more");
        }
    }

    /// Others have written the commit into a file of theirs between the listings.
    #[test]
    fn commit_that_others_have_consolidated_is_revoked() {
        let fixture = Fixture::new();
        let (vfs, commits) = (fixture.resources.vfs(), fixture.uri.join("__commits"));
        let line = format!("{}\n", fixture.own.commit().unwrap());
        vfs.put(&commits.join("__2_5_0123456789abcdef0123456789abcdef_22.con"), line.as_bytes()).unwrap();
        let failed =
            FragmentCommit { array: &fixture.uri, names: std::slice::from_ref(&fixture.own), files: &fixture.files };
        assert!(!failed.failed(vfs, Error::internal("")).is_revoked, "it is committed");
        assert!(failed.revoke(vfs, Error::internal("")).is_revoked);
        let directory = directories::commits(&fixture.resources, &fixture.uri).unwrap();
        assert!(!directory.fragments().contains(&fixture.own));
    }

    #[test]
    fn vacuum_file_of_other_fragments_does_not_prevent_the_commit() {
        let fixture = Fixture::new();
        let guard = fixture.guard();
        let other = fixture.put((7, 7));
        let lines = vacuum_lines(&fixture.uri, CURRENT_VERSION, [other.folder(&fixture.uri)].into_iter());
        fixture.resources.vfs().put(&vacuum_file(&fixture.uri, &fixture.sources[0]), &lines).unwrap();
        fixture.commit(&guard).unwrap();
    }
}
