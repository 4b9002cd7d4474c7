//! Consolidation of fragments: selects them, merges their cells into new fragments, and records what these replace.

use std::collections::HashSet;
use std::sync::Arc;

use super::candidates::{Candidate, Candidates, older_overlaps};
use super::directories;
use super::memory_shares::no_progress;
use super::merge_conflict::{GuardedCommit, MergeProtocol};
use super::padding::has_storable_fill;
use super::progress::OnMerged;
use super::settings::ConsolidationSettings;
use super::{dense, sparse};
use tiledb_array::array::{
    AppliedMerge, ArrayDirectory, FileRemoval, FragmentInfo, OpenArray, SchemaStore, remove_fragments,
};
use tiledb_array::fragment::{Fragment, FragmentName, NamePlace, special_fields, timestamp_now};
use tiledb_array::schema::{ArraySchema, Field, number_text};
use tiledb_cells::write::spec::{CommitHook, ConsolidationSpec};
use tiledb_core::error::{Error, ErrorContext, Result, bail};
use tiledb_core::log::{self, OperationSummary};
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{FormatVersion, bytes_of_path};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_query::read::sparse::delete_conditions::conditions_of;
use tiledb_query::read::spec::CellVersions;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Number of merges that are planned again because another consolidation has merged their fragments.
const MAX_CONFLICTS: u32 = 3;

/// Merges fragments as long as there are some to be merged.
pub(super) fn consolidate(
    resources: &Resources,
    uri: &Uri,
    key: &EncryptionKey,
    on_merged: OnMerged<'_>,
) -> Result<()> {
    let settings = ConsolidationSettings::new(resources.config())?;
    let schema = newest_schema(resources, uri, key)?;
    let info = FragmentInfo::new(resources, uri.as_str())?;
    let mut before = usize::MAX;
    let mut step = 0;
    let mut conflicts = 0;
    let mut withdrawn: Option<WithdrawnMerge> = None;
    while step < settings.steps.max(1) {
        let _timer = resources.stats().timer(Timer::ConsolidateStep);
        let mut candidates = Candidates::load(&info, settings.window)?;
        if let Some(withdrawn) = withdrawn.take().filter(|withdrawn| withdrawn.is_pending(&candidates.inside)) {
            return Err(withdrawn.error);
        }
        let left_out = exclude_unstorable(&mut candidates, &schema);
        if let (0, Some(field)) = (step, left_out.first()) {
            log::line(log::Level::Warn, || {
                format!(
                    "Consolidation of '{uri}' leaves {} fragments as they are; they are older than attribute '{}', whose fill value {} its \
                     filters cannot store. Give such attributes a fill value that they can",
                    left_out.len(),
                    field.name,
                    number_text(field.datatype, &field.fill)
                )
            });
        }
        // With a maximum size, fragments may have been divided again: then there is no progress.
        if candidates.inside.len() >= before {
            break;
        }
        before = candidates.inside.len();
        let timer = resources.stats().timer(Timer::ConsolidateChoose);
        let Some(chosen) = candidates.choose(&settings) else { break };
        drop(timer);
        let is_last = chosen.len() == before;
        resources.stats().add(Counter::ConsolidationSteps, 1);
        let sources = Sources::new(&candidates, &candidates.inside[chosen.clone()], &info)?;
        let purge = settings.purge && can_purge(&candidates, &schema, &sources.fragments, u64::MAX);
        let step_settings = ConsolidationSettings { purge, ..settings.clone() };
        let guard = Arc::new(sources.guard(resources, uri, None));
        if let Err(error) = merge(resources, uri, key, &step_settings, sources, on_merged, &guard) {
            let Some(other) = guard.conflict().filter(|_| conflicts < MAX_CONFLICTS) else { return Err(error) };
            // Plan again with what the other one has created.
            let sources = candidates.inside[chosen].iter().map(|candidate| candidate.name.clone()).collect();
            withdrawn = Some(WithdrawnMerge { sources, other: other.clone(), error });
            conflicts += 1;
            before = usize::MAX;
            continue;
        }
        if is_last {
            break;
        }
        step += 1;
    }
    Ok(())
}

/// A merge that was withdrawn because of the result of another one.
struct WithdrawnMerge {
    sources: HashSet<FragmentName>,
    other: FragmentName,
    error: Error,
}

impl WithdrawnMerge {
    /// True if the other merge has not hidden its sources yet: both merged together, their cells would be doubled.
    fn is_pending(&self, candidates: &[Candidate]) -> bool {
        let mut names = candidates.iter().map(|candidate| &candidate.name);
        names.clone().any(|name| *name == self.other) && names.any(|name| self.sources.contains(name))
    }
}

/// Excludes sparse fragments older than an attribute whose fill value its filters cannot store, since merging would
/// have to store it. Cells have timestamps, so that the fragments around them can be merged. Returns the attribute of
/// each excluded fragment.
pub(super) fn exclude_unstorable<'s>(candidates: &mut Candidates, schema: &'s ArraySchema) -> Vec<&'s Field> {
    let mut left_out = Vec::new();
    if schema.is_dense() || !schema.version().of_new_fragments().has_touching_visibility() {
        return left_out;
    }
    let is_refused = |field: &&Field| !(field.nullable && !field.fill_valid || has_storable_fill(field));
    let refused: Vec<&Field> = schema.fields().iter().filter(is_refused).collect();
    let inside = std::mem::take(&mut candidates.inside);
    for candidate in inside {
        let lacking = refused.iter().find(|field| candidate.fragment.stored(field).is_none());
        left_out.extend(lacking);
        let list = if lacking.is_none() { &mut candidates.inside } else { &mut candidates.excluded };
        list.push(candidate);
    }
    left_out
}

/// The newest schema, which a key that does not open the array cannot read.
pub(super) fn newest_schema(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Arc<ArraySchema>> {
    let stats = resources.stats();
    let _timer = stats.timer(Timer::OpenBare);
    let timer = stats.timer(Timer::BareDirectory);
    let schemas = directories::schemas(resources, uri)?;
    drop(timer);
    let _timer = stats.timer(Timer::BareSchemas);
    let threads = resources.threads().check_computing().map_err(|error| error.prefixed("TileDB internal: "));
    let newest = threads.and_then(|()| SchemaStore::new(resources, &schemas, key).newest());
    newest.context(|| "Array: Error opening array without fragments.")
}

/// Fragments that are merged by name.
pub(super) struct NamedMerge<'a> {
    /// Names, or URIs that end with them.
    pub(super) names: &'a [String],
    /// Reject what libtiledb rejects, though it would change no cell.
    pub(super) is_strict: bool,
    pub(super) protocol: Option<Arc<dyn MergeProtocol>>,
    /// The time up to which no write is late, see [`can_purge`].
    pub(super) settled: u64,
}

/// Merges the fragments of an array with some names: of those that are there, or unless it is strict of those that `info` has.
/// True if `info` has the result afterwards; false if it has to be refreshed, since something else has changed meanwhile.
pub(super) fn consolidate_named(
    info: &FragmentInfo,
    key: &EncryptionKey,
    merged: NamedMerge<'_>,
    on_merged: OnMerged<'_>,
) -> Result<bool> {
    let resources = &info.resources();
    let uri = info.uri();
    let NamedMerge { names, is_strict, protocol, settled } = merged;
    let settings =
        ConsolidationSettings { window: (0, timestamp_now()), ..ConsolidationSettings::new(resources.config())? };
    let schema = newest_schema(resources, uri, key)?;
    if names.len() < 2 {
        return Ok(false);
    }
    if is_strict || info.loaded()?.schemas().newest()?.name() != schema.name() {
        info.refresh()?;
    }
    let names: HashSet<&str> = names.iter().map(|name| tiledb_array::array::commits::last_part(name)).collect();
    let candidates = Candidates::of_loaded(info, settings.window)?;
    let is_chosen = |candidate: &&Candidate| names.contains(candidate.name.as_str());
    let chosen: Vec<Candidate> = candidates.inside.iter().filter(is_chosen).cloned().collect();
    if chosen.len() != merged.names.len() {
        let actual = chosen.len();
        let required = merged.names.len();
        bail!("FragmentConsolidator: Cannot consolidate; Found {actual} of {required} required fragments.");
    }
    if let Some(other) = candidates.older_neighbour(&chosen).filter(|_| is_strict) {
        return Err(older_overlaps(other));
    }
    let sources = Sources::new(&candidates, &chosen, info)?;
    let purge = settings.purge && can_purge(&candidates, &schema, &sources.fragments, settled);
    let guard = Arc::new(sources.guard(resources, uri, protocol));
    let replaced = sources.fragments.clone();
    let merged = merge(resources, uri, key, &ConsolidationSettings { purge, ..settings }, sources, on_merged, &guard)?;
    let Some(CommittedMerge { names: created, listed: Some(listed) }) = merged else { return Ok(false) };
    let Some(last) = created.last() else { return Ok(false) };
    let vacuum = vacuum_file(uri, last);
    info.apply_merge(AppliedMerge { created: &created, replaced: &replaced, vacuum, listed })
}

/// True if deleted cells of the merged fragments can be dropped. Without duplicates, a deleted cell also supersedes the older ones of
/// its coordinates. Those in fragments that are not merged would be read again without it, so that it is retained, marked as
/// deleted, until they are merged, too. So would those of a late write, of an earlier time than a deleted cell: up to the time
/// `settled` there is none.
fn can_purge(candidates: &Candidates, schema: &ArraySchema, merged: &[Arc<Fragment>], settled: u64) -> bool {
    if schema.is_dense() || schema.allows_dups() {
        return true;
    }
    if merged.iter().any(|fragment| fragment.timestamps().1 > settled) {
        return false;
    }
    let dimensions = schema.domain().dimensions();
    let overlap = |a: &Fragment, b: &Fragment| {
        let mut sides = dimensions.iter().zip(a.non_empty_domain().iter().zip(b.non_empty_domain()));
        sides.all(|(dimension, (a, b))| a.overlaps(dimension.datatype(), b))
    };
    let names: HashSet<&str> = merged.iter().map(|fragment| fragment.name().as_str()).collect();
    let Candidates { before, inside, after, excluded, .. } = candidates;
    let all = [before, inside, after, excluded].into_iter().flatten().map(|candidate| &candidate.fragment);
    let mut others = all.filter(|other| !names.contains(other.name().as_str()));
    !others.any(|other| {
        merged.iter().any(|fragment| other.timestamps().0 <= fragment.timestamps().1 && overlap(other, fragment))
    })
}

/// Fragments that are merged, ordered by time, and the place of the result among fragments with its times.
struct Sources {
    fragments: Vec<Arc<Fragment>>,
    place: NamePlace,
    /// What was listed.
    known: Arc<ArrayDirectory>,
}

/// A merge that is complete.
struct CommittedMerge {
    /// The new fragments.
    names: Vec<FragmentName>,
    /// What was listed between their commit and the vacuum file, if it was.
    listed: Option<ArrayDirectory>,
}

impl Sources {
    fn new(candidates: &Candidates, chosen: &[Candidate], info: &FragmentInfo) -> Result<Sources> {
        let fragments = chosen.iter().map(|candidate| candidate.fragment.clone()).collect();
        let known = info.loaded()?.directory().cloned();
        let known = known.ok_or_else(|| Error::internal("The fragments of a message are merged"))?;
        Ok(Sources { fragments, place: candidates.place_of(chosen)?, known })
    }

    /// Commits the result unless others merge them, too.
    fn guard(&self, resources: &Resources, uri: &Uri, protocol: Option<Arc<dyn MergeProtocol>>) -> GuardedCommit {
        let names = self.fragments.iter().map(|fragment| fragment.name().clone()).collect();
        GuardedCommit::new(resources, uri, self.known.clone(), names, protocol)
    }

    /// The first and the last time of their cells.
    fn timestamps(&self) -> (u64, u64) {
        let start = self.fragments.first().map_or(0, |first| first.timestamps().0);
        (start, self.fragments.iter().map(|fragment| fragment.timestamps().1).max().unwrap_or(start))
    }
}

/// Merges fragments into one, or as many as the greatest size calls for.
fn merge(
    resources: &Resources,
    uri: &Uri,
    key: &EncryptionKey,
    settings: &ConsolidationSettings,
    sources: Sources,
    on_merged: OnMerged<'_>,
    guard: &Arc<GuardedCommit>,
) -> Result<Option<CommittedMerge>> {
    let (start, end) = sources.timestamps();
    let count = sources.fragments.len();
    let bytes = sources.fragments.iter().map(|fragment| fragment.data_size()).sum();
    log::operation(
        || format!("Merge of {count} fragments of '{uri}', written from {start} to {end},"),
        || merge_and_commit(resources, uri, key, settings, sources, on_merged, guard),
        |merged| {
            let names = merged.iter().flat_map(|merged| &merged.names);
            let into: String = names.map(|name| format!(", into '{name}'")).collect();
            OperationSummary::of(into).with("fragments", count as u64).with("bytes", bytes)
        },
    )
}

fn merge_and_commit(
    resources: &Resources,
    uri: &Uri,
    key: &EncryptionKey,
    settings: &ConsolidationSettings,
    sources: Sources,
    on_merged: OnMerged<'_>,
    guard: &Arc<GuardedCommit>,
) -> Result<Option<CommittedMerge>> {
    let timestamps = sources.timestamps();
    let Sources { fragments, place, known } = sources;
    if fragments.len() < 2 {
        return Ok(None);
    }
    resources.threads().check_files()?;
    let mut directory = (*known).clone();
    directory.refresh_schemas(resources.vfs(), &fragments)?;
    let array = Arc::new(OpenArray::of_fragments(resources, directory, key, fragments.clone())?);
    let version = array.schema().version().of_new_fragments();
    let is_dense = array.schema().is_dense();
    let with_deletes = !is_dense && version.has_processed_conditions();
    let mut write = |purge: bool| {
        let merged = ConsolidationSpec {
            timestamps,
            place: place.clone(),
            times: !is_dense && version.has_touching_visibility(),
            deletes: with_deletes && !purge && keeps_deleted(&array, timestamps.0)?,
            conditions: if with_deletes { conditions_of(&array)? } else { Vec::new() },
            max_size: settings.max_size,
            hook: CommitHook(Some(guard.clone())),
        };
        check_buffer_size(&array, &merged, settings.buffer)?;
        let _timer = resources.stats().timer(Timer::ConsolidateCopy);
        if is_dense {
            return dense::merge(&array, &array, merged, on_merged);
        }
        let versions = match (merged.times, purge) {
            (false, _) => CellVersions::Latest,
            (true, false) => CellVersions::All,
            (true, true) => CellVersions::Living,
        };
        sparse::merge(&array, &array, merged, versions, on_merged)
    };
    let mut written = write(settings.purge)?;
    if written.is_empty() && settings.purge && guard.protocol().is_some() {
        // No cell is alive. The number of fragments is bounded all the same: the result retains the deleted cells.
        written = write(false)?;
    }
    if written.is_empty() {
        return Err(no_progress());
    }
    let names =
        written.iter().map(|written| FragmentName::parse(tiledb_array::array::commits::last_part(&written.uri)));
    let names = names.collect::<Result<Vec<_>>>()?;
    if let Some(protocol) = guard.protocol() {
        let checked = guard.check(&names);
        if checked.is_err() && !protocol.withdraw()? {
            withdraw(resources, uri, &names)?;
        }
        let listed = checked?;
        return protocol.hide_replaced().map(|()| Some(CommittedMerge { names, listed: Some(listed) }));
    }
    let Some(name) = names.last() else { return Ok(None) };
    let note = vacuum_file(uri, name);
    let noted = note_replaced(resources, uri, &note, version, fragments.iter().map(|fragment| fragment.uri()));
    if noted.is_err() {
        // Without the vacuum file, cells would be duplicated. It may have been stored although the request failed; it
        // is removed first, since with the vacuum file alone cells would be lost.
        let vfs = resources.vfs();
        if vfs.is_file(&note)? {
            vfs.remove_files(std::slice::from_ref(&note))?;
        }
        withdraw(resources, uri, &names)?;
    }
    noted.map(|()| Some(CommittedMerge { names, listed: None }))
}

/// Removes the result of a merge that hides nothing.
fn withdraw(resources: &Resources, uri: &Uri, names: &[FragmentName]) -> Result<()> {
    let directory = ArrayDirectory::load(resources.vfs(), uri)?;
    remove_fragments(&mut FileRemoval::new(resources.vfs()), &directory, &names.iter().collect::<Vec<_>>())
}

/// Rejects buffers that are too small for one cell.
fn check_buffer_size(array: &OpenArray, merged: &ConsolidationSpec, buffer: u64) -> Result<()> {
    let schema = array.schema();
    let special = special_fields(schema, merged.times, merged.deletes);
    let stored = schema.fields().iter().filter(|field| !(schema.is_dense() && field.is_dimension));
    // For variable-sized cells, the offset.
    let needs = |field: &Field| if field.is_var() { 8 } else { field.cell_size() as u64 };
    if stored.chain(&special).any(|field| needs(field) > buffer) {
        return Err(no_progress());
    }
    Ok(())
}

/// True if cells of the fragments may have been deleted.
pub(super) fn keeps_deleted(array: &OpenArray, start: u64) -> Result<bool> {
    Ok(array.deletes().any(|delete| delete.name.timestamps().0 >= start)
        || array.fragments()?.iter().any(|fragment| fragment.has_delete_metadata()))
}

/// Completes a consolidation whose process was killed between the commit and the vacuum file: hides the fragments that
/// it replaced, as far as they still exist, if `is_missing` says so of the visible fragments. True if it was so.
pub(super) fn complete(
    resources: &Resources,
    uri: &Uri,
    created: &[FragmentName],
    replaced: &[FragmentName],
    is_missing: impl FnOnce(&HashSet<FragmentName>) -> bool,
) -> Result<bool> {
    let Some(last) = created.last() else { return Ok(false) };
    let directory = directories::directory(resources, uri)?;
    let visible = directory.visible(resources.vfs(), (0, u64::MAX), true)?.0;
    let visible: HashSet<FragmentName> = visible.into_iter().collect();
    // Merged fragments are within the time of the result.
    let window = last.timestamps();
    let left = replaced.iter().filter(|name| visible.contains(name) && name.is_in(window, false));
    let left: Vec<Uri> = left.map(|name| name.folder(uri)).collect();
    let is_hidden = directory.vacuums().iter().any(|(name, _)| name == last);
    if is_hidden || left.is_empty() || !is_missing(&visible) {
        return Ok(false);
    }
    note_replaced(resources, uri, &vacuum_file(uri, last), last.version(), left.into_iter()).map(|()| true)
}

/// Those of some fragments that are not committed.
pub(super) fn uncommitted(resources: &Resources, uri: &Uri, names: &[FragmentName]) -> Result<Vec<Uri>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let directory = directories::directory(resources, uri)?;
    let committed: HashSet<&FragmentName> = directory.fragments().iter().collect();
    let is_orphan = |name: &&FragmentName| !committed.contains(name);
    Ok(names.iter().filter(is_orphan).map(|name| name.folder(uri)).collect())
}

/// The vacuum file of a consolidation, by the last fragment that it created.
pub(crate) fn vacuum_file(uri: &Uri, last: &FragmentName) -> Uri {
    let folder = if last.version().has_commits_folder() { uri.join("__commits") } else { uri.clone() };
    folder.join(&format!("{last}.vac"))
}

/// Writes the vacuum file `note`, which hides the merged fragments from readers.
fn note_replaced(
    resources: &Resources,
    uri: &Uri,
    note: &Uri,
    version: FormatVersion,
    fragments: impl Iterator<Item = Uri>,
) -> Result<()> {
    resources.vfs().put(note, &vacuum_lines(uri, version, fragments))
}

/// The contents of a vacuum file that hides fragments.
pub(crate) fn vacuum_lines(uri: &Uri, version: FormatVersion, fragments: impl Iterator<Item = Uri>) -> Vec<u8> {
    let line = |fragment: Uri| {
        let fragment = fragment.as_str();
        let relative = fragment.strip_prefix(uri.as_str()).filter(|_| version.has_relative_vacuum_uris());
        format!("{}\n", relative.unwrap_or(fragment))
    };
    bytes_of_path(&fragments.map(line).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::two_fragments;
    use super::*;
    use std::sync::Mutex;
    use tiledb_array::array::evolve;
    use tiledb_array::fragment::FailedCommit;
    use tiledb_array::schema::{Attribute, SchemaEvolution};
    use tiledb_cells::columns::input::Inputs;
    use tiledb_cells::write::spec::{CommitProtocol, FragmentCommit};
    use tiledb_cells::write::testing::{self, column};
    use tiledb_cells::write::writer;
    use tiledb_core::types::{CURRENT_VERSION, Datatype, Layout, QueryType};
    use tiledb_storage::vfs::Vfs;

    #[test]
    fn merge_keeps_an_attribute_that_was_added_between_the_listings_of_schemas_and_of_fragments() {
        let (resources, uri) = two_fragments("added_while_listed");
        let vfs = resources.vfs();
        let key = EncryptionKey::None;
        let mut listed = ArrayDirectory::load(vfs, &uri).unwrap();
        let mut evolution = SchemaEvolution::default();
        evolution.add_attribute(Arc::new(Attribute::new("b", Datatype::Int32))).unwrap();
        evolve(&resources, &uri, &evolution, &key).unwrap();
        let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, 0), &key).unwrap();
        let cell = 3i32.to_le_bytes();
        let inputs = Inputs { columns: vec![column("d", &cell), column("a", &cell), column("b", &cell)].into() };
        writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap().write(&inputs).unwrap();
        let schemas = ArrayDirectory::load(vfs, &uri).unwrap().schemas().to_vec();
        assert_eq!((listed.schemas().len(), schemas.len()), (1, 2));

        let info = FragmentInfo::new(&resources, uri.as_str()).unwrap();
        let candidates = Candidates::load(&info, (0, u64::MAX)).unwrap();
        let chosen = &candidates.inside;
        let fragments: Vec<_> = chosen.iter().map(|candidate| candidate.fragment.clone()).collect();
        // Fragments of the listed schema need no other listing.
        listed.refresh_schemas(vfs, &fragments[..2]).unwrap();
        assert_eq!(listed.schemas().len(), 1);
        let place = candidates.place_of(chosen).unwrap();
        let sources = Sources { fragments, place, known: Arc::new(listed) };
        let guard = Arc::new(sources.guard(&resources, &uri, None));
        let settings = ConsolidationSettings::new(resources.config()).unwrap();
        merge(&resources, &uri, &key, &settings, sources, &mut |_| Ok(()), &guard).unwrap();

        let array = OpenArray::open(&resources, &uri, QueryType::Read, (0, u64::MAX), &key).unwrap();
        let [merged] = array.fragments().unwrap() else { panic!("they are merged") };
        assert!(merged.schema().name() == schemas[1] && merged.schema().attribute("b").is_some());
    }

    #[test]
    fn schemas_are_listed_again_where_a_delete_commit_is_younger() {
        for has_delete in [false, true] {
            let (resources, uri) =
                two_fragments(if has_delete { "deleted_while_listed" } else { "evolved_while_listed" });
            if has_delete {
                let name = FragmentName::new(timestamp_now(), timestamp_now(), CURRENT_VERSION);
                resources.vfs().put(&uri.join(&format!("__commits/{name}.del")), b"").unwrap();
            }
            let mut listed = ArrayDirectory::load(resources.vfs(), &uri).unwrap();
            let mut evolution = SchemaEvolution::default();
            evolution.add_attribute(Arc::new(Attribute::new("b", Datatype::Int32))).unwrap();
            evolve(&resources, &uri, &evolution, &EncryptionKey::None).unwrap();
            listed.refresh_schemas(resources.vfs(), &[]).unwrap();
            assert_eq!(listed.schemas().len(), if has_delete { 2 } else { 1 });
        }
    }

    /// Commits as a maintainer does, while another merge of the same times commits.
    struct Overtaken {
        uri: Uri,
        /// The result stays hidden.
        is_hidden: bool,
        begun: Mutex<Vec<FragmentName>>,
    }

    impl CommitProtocol for Overtaken {
        fn begin(&self, name: &FragmentName) -> Result<()> {
            self.begun.lock().unwrap().push(name.clone());
            Ok(())
        }

        fn commit(&self, vfs: &Vfs, commit: &FragmentCommit<'_>) -> Result<(), FailedCommit> {
            let other = FragmentName::new(1, 2, CURRENT_VERSION).commit().unwrap();
            let committed = commit.store(vfs).and_then(|()| vfs.put(&self.uri.join(&other), b""));
            committed.map_err(|error| FailedCommit { error, is_revoked: false })
        }
    }

    impl MergeProtocol for Overtaken {
        fn hide_replaced(&self) -> Result<()> {
            Ok(())
        }

        fn is_hidden_at_commit(&self, _: &FragmentCommit<'_>) -> Result<bool> {
            Ok(true)
        }

        fn withdraw(&self) -> Result<bool> {
            Ok(self.is_hidden)
        }
    }

    #[test]
    fn result_of_a_merge_that_another_one_has_overtaken_is_removed_unless_it_stays_hidden() {
        for is_hidden in [false, true] {
            let (resources, uri) = two_fragments(&format!("overtaken_{is_hidden}"));
            let info = FragmentInfo::new(&resources, uri.as_str()).unwrap();
            let candidates = Candidates::load(&info, (0, u64::MAX)).unwrap();
            let fragments: Vec<_> = candidates.inside.iter().map(|candidate| candidate.fragment.clone()).collect();
            let place = candidates.place_of(&candidates.inside).unwrap();
            let known = Arc::new(ArrayDirectory::load(resources.vfs(), &uri).unwrap());
            let sources = Sources { fragments, place, known };
            let protocol = Arc::new(Overtaken { uri: uri.clone(), is_hidden, begun: Mutex::default() });
            let guard = Arc::new(sources.guard(&resources, &uri, Some(protocol.clone())));
            let settings = ConsolidationSettings::new(resources.config()).unwrap();
            let key = EncryptionKey::None;
            assert!(merge(&resources, &uri, &key, &settings, sources, &mut |_| Ok(()), &guard).is_err());
            let begun = protocol.begun.lock().unwrap();
            assert_eq!(begun.len(), 1);
            let directory = ArrayDirectory::load(resources.vfs(), &uri).unwrap();
            assert_eq!(directory.fragments().len(), if is_hidden { 4 } else { 3 });
            assert_eq!(directory.fragments().contains(&begun[0]), is_hidden);
        }
    }
}
