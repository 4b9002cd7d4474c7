//! The arrays that are copied, as one listing has them.
//!
//! Of a dense array, readers at earlier times see fragments that consolidations have replaced and no vacuum has removed yet. The
//! copy has them as well, and the vacuum files that hide them, so that reads return the same at every time. The merged cells of a
//! sparse array have timestamps; the replaced fragments are never read, and not copied.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::maintain::directories;
use tiledb_array::array::{ArrayDirectory, Consolidation, OpenArray, relist};
use tiledb_array::fragment::{Fragment, FragmentName, times_of};
use tiledb_array::schema::{ArraySchema, DimensionLabel, SchemaName};
use tiledb_core::error::{ErrorContext, ErrorKind, Result, bail};
use tiledb_core::log;
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// All timestamps.
pub(super) const ALWAYS: (u64, u64) = (0, u64::MAX);

/// Maximum number of listings of an array, or of its metadata, from which files are removed meanwhile.
pub(super) const MAX_LISTINGS: usize = 10;

/// What is copied of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopiedHistory {
    /// The cells that readers see now.
    Now,
    /// What readers see at any time.
    Always,
}

/// An array that is copied.
pub(super) struct CopySource {
    pub(super) uri: Uri,
    pub(super) array: OpenArray,
    /// The fragments that are copied, by name.
    fragments: Vec<Arc<Fragment>>,
    /// The consolidations that hide some of these.
    consolidations: Vec<Consolidation>,
}

impl CopySource {
    fn open(resources: &Resources, uri: &Uri, key: &EncryptionKey, history: CopiedHistory) -> Result<CopySource> {
        let opened = relist(MAX_LISTINGS, || CopySource::open_once(resources, uri, key, history));
        opened.map_err(directories::of_missing_array)
    }

    fn open_once(resources: &Resources, uri: &Uri, key: &EncryptionKey, history: CopiedHistory) -> Result<CopySource> {
        let array = OpenArray::open(resources, uri, QueryType::Read, ALWAYS, key)?;
        let mut fragments = array.fragments()?.to_vec();
        let mut consolidations = Vec::new();
        if history == CopiedHistory::Always && array.schema().is_dense() {
            let (replaced, hiding) = history_of(resources, &array)?;
            let replaced = array.load_listed(&replaced)?;
            // Fragments with single cells, which early versions wrote into dense arrays, cannot be copied alone.
            if replaced.iter().all(|fragment| fragment.is_dense()) {
                fragments.extend(replaced);
                fragments.sort_by(|a, b| a.name().cmp(b.name()));
                consolidations = hiding;
            }
        }
        Ok(CopySource { uri: uri.clone(), array, fragments, consolidations })
    }

    /// The listing that the array was opened with: schemas, fragments and deletes of one moment. Others may change the array meanwhile.
    pub(super) fn directory(&self) -> &ArrayDirectory {
        self.array.directory()
    }

    /// The fragments that are copied, by name.
    pub(super) fn fragments(&self) -> &[Arc<Fragment>] {
        &self.fragments
    }

    /// The consolidations that hide some of the fragments.
    pub(super) fn consolidations(&self) -> &[Consolidation] {
        &self.consolidations
    }

    /// # Errors
    /// If a fragment cannot be copied alone.
    fn check_fragments(&self) -> Result<()> {
        let is_mixed = |fragment: &&Arc<Fragment>| self.array.schema().is_dense() && !fragment.is_dense();
        if let Some(fragment) = self.fragments.iter().find(is_mixed) {
            bail!(
                Unsupported,
                "Cannot copy the fragment '{}' of a dense array alone: it has single cells; consolidate '{}' first",
                fragment.name(),
                self.uri
            );
        }
        Ok(())
    }

    /// The arrays of all dimension labels.
    fn labels(
        &self,
        resources: &Resources,
        key: &EncryptionKey,
        history: CopiedHistory,
    ) -> Result<Vec<(DimensionLabel, CopySource)>> {
        let labels = self.array.schema().labels().iter();
        labels.map(|label| self.label(resources, label, key, history)).collect()
    }

    /// The array of a dimension label.
    fn label(
        &self,
        resources: &Resources,
        label: &DimensionLabel,
        key: &EncryptionKey,
        history: CopiedHistory,
    ) -> Result<(DimensionLabel, CopySource)> {
        if label.is_external || !label.is_relative {
            bail!(
                Unsupported,
                "Cannot copy the dimension label '{}' of '{}': its array is not in the folder of the array",
                label.name,
                self.uri
            );
        }
        let source = CopySource::open(resources, &label.array_uri(&self.uri)?, key, history);
        let source = source.context(|| format!("Cannot copy the dimension label '{}'", label.name))?;
        Ok((label.clone().planned_as(source.array.schema()), source))
    }

    pub(super) fn cells(&self) -> u64 {
        cells_of(&self.fragments)
    }

    /// True if something that was listed is there no more.
    fn is_outdated(&self, resources: &Resources) -> Result<bool> {
        let directory = ArrayDirectory::load_commits(resources.vfs(), &self.uri)?;
        let committed: HashSet<&FragmentName> = directory.fragments().iter().collect();
        let deletes: HashSet<(&String, &Uri)> =
            directory.deletes().iter().map(|delete| (&delete.marker, &delete.uri)).collect();
        Ok(!self.fragments.iter().all(|fragment| committed.contains(fragment.name()))
            || !self.directory().deletes().iter().all(|delete| deletes.contains(&(&delete.marker, &delete.uri))))
    }
}

/// The array and the arrays of its dimension labels.
pub(super) struct CopySources {
    pub(super) array: CopySource,
    pub(super) labels: Vec<(DimensionLabel, CopySource)>,
}

impl CopySources {
    /// # Errors
    /// If an array cannot be read, or a fragment of it cannot be copied alone.
    fn open(resources: &Resources, uri: &Uri, key: &EncryptionKey, history: CopiedHistory) -> Result<CopySources> {
        let array = CopySource::open(resources, uri, key, history)?;
        let labels = array.labels(resources, key, history)?;
        let sources = CopySources { array, labels };
        if history == CopiedHistory::Always {
            sources.arrays().try_for_each(CopySource::check_fragments)?;
        }
        Ok(sources)
    }

    /// The arrays of the dimension labels, then the array.
    fn arrays(&self) -> impl Iterator<Item = &CopySource> {
        self.labels.iter().map(|(_, label)| label).chain([&self.array])
    }

    /// The schema of the copy, with the timestamp of the original.
    pub(super) fn schema_of_copy(&self) -> Result<ArraySchema> {
        let mut schema = ArraySchema::clone(self.array.array.schema());
        // Old dimensions inherit filters in another way.
        schema.raise_version(schema.version());
        schema.replace_labels(self.labels.iter().map(|(label, _)| Arc::new(label.clone())).collect());
        if let Some((time, _)) = times_of(schema.name()) {
            schema.set_name(SchemaName::new(time));
        }
        Ok(schema)
    }

    fn is_outdated(&self, resources: &Resources) -> Result<bool> {
        self.arrays().try_fold(false, |is_outdated, array| Ok(is_outdated || array.is_outdated(resources)?))
    }
}

/// Calls `copy` with a listing of the array, and with a new one as long as that fails since a file of the array was removed
/// meanwhile. Its second argument is true if there is a copy from an earlier listing.
///
/// # Errors
/// Those of `copy`; if files are removed again and again; or if the array cannot be listed.
pub(super) fn copy_listed(
    resources: &Resources,
    operation: &str,
    (from, key, history): (&Uri, &EncryptionKey, CopiedHistory),
    copy: &mut dyn FnMut(&CopySources, bool) -> Result<()>,
) -> Result<()> {
    for listing in 0..MAX_LISTINGS {
        let sources = CopySources::open(resources, from, key, history)?;
        match copy(&sources, listing > 0) {
            // The first error is reported if the array cannot be listed.
            Err(error) if error.kind() == ErrorKind::NotFound && sources.is_outdated(resources).is_ok_and(|is| is) => {
                log::line(log::Level::Info, || {
                    format!("The {operation} of '{from}' lists the array again: files were removed meanwhile ({error})")
                });
            }
            copied => return copied,
        }
    }
    bail!(
        "Cannot {operation} '{from}': {MAX_LISTINGS} times fragments were removed before they were copied; the array changes faster than it \
         can be copied. Copy it while nobody consolidates and vacuums it"
    )
}

/// The fragments that only readers at earlier times see, and the consolidations that replaced them.
fn history_of(resources: &Resources, array: &OpenArray) -> Result<(Vec<FragmentName>, Vec<Consolidation>)> {
    let directory = array.directory();
    let consolidations = directory.consolidations(resources.vfs(), |_| true)?;
    let mut replaced_by: HashMap<&str, Vec<&FragmentName>> = HashMap::new();
    for consolidation in &consolidations {
        for name in &consolidation.replaced {
            replaced_by.entry(name).or_default().push(&consolidation.created);
        }
    }
    let visible: HashSet<&FragmentName> = array.fragments()?.iter().map(|fragment| fragment.name()).collect();
    // Readers whose time window has the fragment see it, unless the window always has one that replaced it.
    let is_seen = |name: &&FragmentName| {
        let is_in_window = |created: &&FragmentName| created.is_in(name.timestamps(), false);
        let created = replaced_by.get(name.as_str());
        created.is_some_and(|created| !created.iter().any(is_in_window)) && !visible.contains(*name)
    };
    let names: Vec<FragmentName> = directory.fragments().iter().filter(is_seen).cloned().collect();
    let copied: HashSet<&str> = names.iter().map(FragmentName::as_str).collect();
    // What was merged again at once is seen by nobody: the fragment that replaced it hides its sources in the copy.
    let result_of = |created: &FragmentName| {
        let mut created = created.clone();
        for _ in 0..consolidations.len() {
            let is_copied = visible.contains(&created) || copied.contains(created.as_str());
            let mut later = replaced_by.get(created.as_str()).into_iter().flatten();
            match later.find(|later| later.is_in(created.timestamps(), false)) {
                Some(later) if !is_copied => created = FragmentName::clone(later),
                _ => break,
            }
        }
        created
    };
    let mut hiding: BTreeMap<FragmentName, Vec<String>> = BTreeMap::new();
    for consolidation in &consolidations {
        let replaced = consolidation.replaced.iter().filter(|name| copied.contains(name.as_str()));
        hiding.entry(result_of(&consolidation.created)).or_default().extend(replaced.cloned());
    }
    // A result that a vacuum has removed hides its sources until the vacuum ends; what replaced it says why it is not there.
    for _ in 0..consolidations.len() {
        let is_removed = |name: &FragmentName| !visible.contains(name) && !copied.contains(name.as_str());
        let hides = |name: &FragmentName| hiding.get(name).is_some_and(|replaced| !replaced.is_empty());
        let removed = hiding.keys().filter(|name| is_removed(name) && hides(name));
        let listed = removed.flat_map(|name| {
            let later = replaced_by.get(name.as_str()).into_iter().flatten();
            later.map(|later| (result_of(later), name.as_str().to_owned()))
        });
        let mut is_complete = true;
        for (created, name) in listed.collect::<Vec<_>>() {
            let replaced = hiding.entry(created).or_default();
            if !replaced.contains(&name) {
                replaced.push(name);
                is_complete = false;
            }
        }
        if is_complete {
            break;
        }
    }
    hiding.retain(|_, replaced| !replaced.is_empty());
    let hiding = hiding.into_iter().map(|(created, replaced)| Consolidation { created, replaced }).collect();
    Ok((names, hiding))
}

pub(super) fn cells_of(fragments: &[Arc<Fragment>]) -> u64 {
    fragments.iter().fold(0, |sum, fragment| sum.saturating_add(fragment.cell_count()))
}
