//! Consolidation of commits into one file, see [`tiledb_array::array::commits`].

use std::collections::HashSet;

use super::consolidation_step::{SourceOrigin, StepSource};
use super::directories;
use tiledb_array::array::commits::vacuumed;
use tiledb_array::array::{ArrayDirectory, DeleteCommit, SchemaStore, ignore_commits, prepared_uri};
use tiledb_array::fragment::FragmentName;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::sort;
use tiledb_core::types::FormatVersion;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{DirItem, Uri, Vfs};

/// A commit to be written into the file.
struct Entry<'a> {
    name: &'a FragmentName,
    line: String,
    delete: Option<&'a DeleteCommit>,
}

/// A step of a consolidation of commits, after the entries were collected. Other processes may vacuum fragments meanwhile, of
/// which no entry may remain: libtiledb would not open the array. `commit_model.rs` explores all interleavings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitsStep {
    /// Store the file under a name that readers ignore.
    Prepare,
    /// List: all entries are still committed, or the file is given up. Whoever removes commits afterwards finds the prepared
    /// file, and removes it before the fragments ([`RemovalStep::Fence`](tiledb_array::array::RemovalStep)).
    Confirm,
    /// Rename it, or copy and remove it.
    Publish,
    /// Store the file.
    Store,
    /// List fragments and vacuum files, to find entries that were removed by a process which knows no prepared files.
    FindRemoved,
    /// Store an ignore file of these.
    Revoke,
}

impl CommitsStep {
    /// Where files can be renamed or copied atomically.
    pub(super) const FENCED: [CommitsStep; 5] = {
        use CommitsStep::*;
        [Prepare, Confirm, Publish, FindRemoved, Revoke]
    };

    /// Stores without atomic copies. The file may name removed fragments until the last step.
    pub(super) const UNFENCED: [CommitsStep; 3] = {
        use CommitsStep::*;
        [Store, FindRemoved, Revoke]
    };
}

/// How often entries are collected again after some of them were removed.
const ATTEMPTS: usize = 10;

/// Called before each step; an error ends the consolidation.
pub(crate) type BeforeStep<'a> = &'a mut dyn FnMut(CommitsStep) -> Result<()>;

/// Writes all commits of an array, including consolidated ones, into one file; except those of fragments that may be vacuumed
/// at any moment by another process, which does not know of the new file.
pub(super) fn consolidate(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<()> {
    consolidate_by(resources, uri, key, &mut |_| Ok(()))
}

/// As [`consolidate`], under the conditions of `before`.
pub(super) fn consolidate_by(
    resources: &Resources,
    uri: &Uri,
    key: &EncryptionKey,
    before: BeforeStep<'_>,
) -> Result<()> {
    let can_publish = resources.vfs().can_publish(&uri.join("__commits"))?;
    let steps = if can_publish { &CommitsStep::FENCED[..] } else { &CommitsStep::UNFENCED };
    for _ in 0..ATTEMPTS {
        let (directory, version, replaced) = load(resources, uri, key)?;
        let entries = entries(&directory, &replaced);
        let Some(file) = ConsolidatedFile::new(resources.vfs(), uri, &entries, version)? else { return Ok(()) };
        let stored = file.store(steps, before);
        if stored.is_err() && can_publish {
            // The first error is reported; whoever vacuums fragments removes it otherwise.
            _ = resources.vfs().remove_files(&[prepared_uri(&file.uri)]);
        }
        if stored? {
            return Ok(());
        }
    }
    bail!(
        "Consolidator: Cannot consolidate the commits of '{uri}': fragments are being removed; consolidate them again"
    )
}

/// A file of consolidated commits that is being stored.
struct ConsolidatedFile<'a> {
    vfs: &'a Vfs,
    array: &'a Uri,
    uri: Uri,
    bytes: Vec<u8>,
    entries: &'a [Entry<'a>],
}

impl<'a> ConsolidatedFile<'a> {
    /// The file with these entries; none without entries.
    fn new(
        vfs: &'a Vfs,
        array: &'a Uri,
        entries: &'a [Entry<'a>],
        version: FormatVersion,
    ) -> Result<Option<ConsolidatedFile<'a>>> {
        let Some(start) = entries.iter().map(|entry| entry.name.timestamps().0).min() else { return Ok(None) };
        let end = entries.iter().map(|entry| entry.name.timestamps().1).max().unwrap_or(start);
        let mut bytes = Vec::new();
        for entry in entries {
            bytes.extend_from_slice(entry.line.as_bytes());
            bytes.push(b'\n');
            if let Some(delete) = entry.delete {
                let condition = bytes_of(vfs, delete)?;
                bytes.extend_from_slice(&(condition.len() as u64).to_le_bytes());
                bytes.extend_from_slice(&condition);
            }
        }
        let name = format!("{}.con", FragmentName::new(start, end, version));
        Ok(Some(ConsolidatedFile { vfs, array, uri: array.join("__commits").join(&name), bytes, entries }))
    }

    /// Takes the steps. False if entries were removed meanwhile: then nothing was stored.
    fn store(&self, steps: &[CommitsStep], before: BeforeStep<'_>) -> Result<bool> {
        let vfs = self.vfs;
        let prepared = prepared_uri(&self.uri);
        let mut removed = Vec::new();
        for step in steps {
            before(*step)?;
            match step {
                CommitsStep::Prepare => vfs.put(&prepared, &self.bytes)?,
                CommitsStep::Confirm if !self.is_committed()? => {
                    vfs.remove_files(std::slice::from_ref(&prepared))?;
                    return Ok(false);
                }
                CommitsStep::Confirm => (),
                CommitsStep::Publish => match vfs.publish(&prepared, &self.uri) {
                    Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
                    published => published?,
                },
                CommitsStep::Store => vfs.put(&self.uri, &self.bytes)?,
                CommitsStep::FindRemoved => removed = find_removed(vfs, self.array, self.entries)?,
                CommitsStep::Revoke if removed.is_empty() => (),
                CommitsStep::Revoke => ignore_commits(vfs, self.array, &removed)?,
            }
        }
        Ok(true)
    }

    /// True if all fragments are still committed.
    fn is_committed(&self) -> Result<bool> {
        let directory = ArrayDirectory::load_commits(self.vfs, self.array)?;
        let committed: HashSet<&FragmentName> = directory.fragments().iter().collect();
        Ok(fragments_of(self.entries).all(|name| committed.contains(name)))
    }
}

/// The commits that are written into one file, by the files that they have of their own, or had before they stood in such a
/// one; bytes are those that they take in it.
pub(super) fn sources(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Vec<StepSource>> {
    let (directory, _, replaced) = load(resources, uri, key)?;
    let source = |entry: &Entry<'_>| {
        let condition = entry.delete.map(|delete| bytes_of(resources.vfs(), delete)).transpose()?;
        let bytes = entry.line.len() + 1 + condition.map_or(0, |condition| condition.len() + 8);
        Ok(StepSource { origin: SourceOrigin::Existing(uri.join(&entry.line)), cells: 0, bytes: bytes as u64 })
    };
    entries(&directory, &replaced).iter().map(source).collect()
}

/// The number of commits that a consolidation would write and no consolidated file has yet.
pub(super) fn loose(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<usize> {
    let (directory, _, replaced) = load(resources, uri, key)?;
    let consolidated: HashSet<String> = directory.consolidated_commits(resources.vfs())?.into_iter().collect();
    Ok(entries(&directory, &replaced).iter().filter(|entry| !consolidated.contains(&entry.line)).count())
}

/// Loads the directory of the array, the version of new fragments, and the fragments that may be vacuumed at any
/// moment.
fn load(
    resources: &Resources,
    uri: &Uri,
    key: &EncryptionKey,
) -> Result<(ArrayDirectory, FormatVersion, HashSet<String>)> {
    let directory = directories::to_consolidate(uri, ArrayDirectory::load(resources.vfs(), uri))?;
    let version = SchemaStore::new(resources, &directory, key).newest()?.version().of_new_fragments();
    if !version.has_commits_folder() {
        bail!(
            "Consolidator: Array version should be at least 12 to consolidate commits. '{uri}' has version {}; call \
             tiledb_array_upgrade_version",
            version.number()
        );
    }
    let vacuums: Vec<Uri> = directory.vacuums().iter().map(|(_, file)| file.clone()).collect();
    let replaced = replaced(resources.vfs(), uri, &vacuums)?;
    Ok((directory, version, replaced))
}

/// The fragments of entries that were, or may have been, vacuumed while the file was written.
fn find_removed<'a>(vfs: &Vfs, uri: &Uri, entries: &'a [Entry<'a>]) -> Result<Vec<&'a FragmentName>> {
    let has_old = entries.iter().any(|entry| !entry.name.version().has_commits_folder());
    let mut places = vec![uri.join("__commits"), uri.join("__fragments")];
    places.extend(has_old.then(|| uri.clone()));
    let names = vfs.map(uri, places.len(), |index| vfs.names(&places[index]))?;
    let is_vacuum = |item: &&DirItem| item.name.ends_with(".vac") && FragmentName::parse(&item.name).is_ok();
    let vacuums = places
        .iter()
        .zip(&names)
        .flat_map(|(place, names)| names.iter().filter(is_vacuum).map(move |item| place.join(&item.name)));
    let replaced = replaced(vfs, uri, &vacuums.collect::<Vec<_>>())?;
    let folders: HashSet<String> = names.into_iter().flatten().map(|item| item.name).collect();
    let is_gone = |name: &&FragmentName| replaced.contains(name.as_str()) || !folders.contains(name.as_str());
    Ok(fragments_of(entries).filter(is_gone).collect())
}

fn fragments_of<'a>(entries: &'a [Entry<'a>]) -> impl Iterator<Item = &'a FragmentName> {
    entries.iter().filter(|entry| entry.delete.is_none()).map(|entry| entry.name)
}

/// The names of the fragments that vacuum files list.
fn replaced(vfs: &Vfs, uri: &Uri, vacuums: &[Uri]) -> Result<HashSet<String>> {
    let lists = vfs.map(uri, vacuums.len(), |index| match vfs.read(&vacuums[index]) {
        // Whoever removed the file has removed the fragments that it lists.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        list => list,
    })?;
    Ok(lists.iter().flat_map(|list| vacuumed(list)).collect())
}

/// The commits by time.
fn entries<'a>(directory: &'a ArrayDirectory, replaced: &HashSet<String>) -> Vec<Entry<'a>> {
    let fragments = directory.fragments().iter().filter(|name| !replaced.contains(name.as_str()));
    let fragments = fragments.filter_map(|name| Some(Entry { name, line: name.commit()?, delete: None }));
    let deletes = directory.deletes().iter();
    let deletes = deletes.map(|delete| Entry { name: &delete.name, line: delete.marker.clone(), delete: Some(delete) });
    let mut entries: Vec<Entry<'_>> = fragments.chain(deletes).collect();
    sort::by_key(&mut entries, |entry| entry.name);
    entries
}

/// The stored form of a delete condition, from a file of its own or from consolidated commits.
///
/// # Errors
/// If the file cannot be read or is cut short.
pub(super) fn bytes_of(vfs: &Vfs, delete: &DeleteCommit) -> Result<Vec<u8>> {
    let file = vfs.read(&delete.uri)?;
    let Some(range) = &delete.range else { return Ok(file) };
    match file.get(range.start as usize..range.end as usize) {
        Some(bytes) => Ok(bytes.to_vec()),
        None => bail!(Corrupt, "The delete commit '{}' in '{}' is cut short", delete.marker, delete.uri),
    }
}
