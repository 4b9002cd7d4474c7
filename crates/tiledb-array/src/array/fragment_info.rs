//! Fragment information of an array: properties of its fragments, from metadata alone.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::open::load_fragments;
use super::{ArrayDirectory, SchemaStore};
use crate::fragment::{Fragment, FragmentName, read_time};
use crate::schema::ArraySchema;
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::sort;
use tiledb_core::types::Name;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Fragment info handle: the location of the array, and the loaded fragment metadata.
pub struct FragmentInfo {
    uri: Uri,
    state: Mutex<State>,
}

struct State {
    resources: Resources,
    loaded: Option<Arc<LoadedFragments>>,
}

/// The fragments of an array at the moment of loading.
pub struct LoadedFragments {
    fragments: Vec<LoadedFragment>,
    to_vacuum: Vec<Name>,
    schemas: SchemaStore,
    /// What was listed; none of a message.
    directory: Option<Arc<ArrayDirectory>>,
    /// Fragments among those to vacuum that merges replaced while they were loaded.
    merged: Vec<MergedFragment>,
}

/// A fragment that a merge has replaced.
#[derive(Clone)]
pub struct MergedFragment {
    pub fragment: Arc<Fragment>,
    /// The last of the fragments that replaced it.
    pub replaced_by: FragmentName,
}

/// The result of a merge.
pub struct AppliedMerge<'a> {
    /// The new fragments.
    pub created: &'a [FragmentName],
    /// Those that they replaced.
    pub replaced: &'a [Arc<Fragment>],
    /// The file that hides the replaced fragments.
    pub vacuum: Uri,
    /// What was listed between the commit of the new fragments and that file.
    pub listed: ArrayDirectory,
}

/// A fragment with the strings that C callers borrow.
#[derive(Clone)]
pub struct LoadedFragment {
    fragment: Arc<Fragment>,
    uri: Name,
    schema_name: Name,
    size: u64,
}

impl FragmentInfo {
    /// A handle without loaded fragments.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn new(resources: &Resources, uri: &str) -> Result<FragmentInfo> {
        let state = State { resources: resources.clone(), loaded: None };
        Ok(FragmentInfo { uri: Uri::parse(uri)?, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn config(&self) -> Config {
        self.state().resources.config().clone()
    }

    /// Overrides the parameters that are set in a configuration; the others keep their values.
    ///
    /// # Errors
    /// After loading, and for invalid values.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state();
        if state.loaded.is_some() {
            bail!("FragmentInfo: [set_config] Cannot set config after load: set it before tiledb_fragment_info_load");
        }
        let mut merged = state.resources.config().clone();
        merged.inherit(config);
        state.resources = state.resources.with_config(merged)?;
        Ok(())
    }

    /// Loads the current fragments of the array, replacing those loaded before.
    ///
    /// # Errors
    /// `NotFound` if there is no array; otherwise if a fragment's metadata cannot be read.
    pub fn load(&self) -> Result<()> {
        self.load_without(None)
    }

    /// As [`FragmentInfo::load`], without loading fragments again that were loaded before.
    ///
    /// # Errors
    /// As [`FragmentInfo::load`].
    pub fn refresh(&self) -> Result<()> {
        self.load_without(self.loaded_if_any().as_deref())
    }

    /// Replaces merged fragments by the result, without a listing. False if the listing of the merge has other changes since
    /// the fragments were loaded: then they have to be [refreshed](FragmentInfo::refresh).
    ///
    /// # Errors
    /// If none were loaded, or the metadata of the result cannot be read.
    pub fn apply_merge(&self, merge: AppliedMerge<'_>) -> Result<bool> {
        let mut state = self.state();
        let Some(loaded) = &state.loaded else { return Ok(false) };
        let key = EncryptionKey::from_config(state.resources.config())?;
        let applied = loaded.after_merge(&state.resources, &key, merge)?.map(Arc::new);
        let is_applied = applied.is_some();
        state.loaded = applied.or(state.loaded.take());
        Ok(is_applied)
    }

    fn load_without(&self, known: Option<&LoadedFragments>) -> Result<()> {
        let mut state = self.state();
        let key = EncryptionKey::from_config(state.resources.config())?;
        let loaded = LoadedFragments::load(&state.resources, &self.uri, &key, known);
        state.loaded = Some(Arc::new(loaded.map_err(|error| match error.kind() {
            ErrorKind::Newer | ErrorKind::Key => error,
            _ => error.prefixed("TileDB internal: "),
        })?));
        Ok(())
    }

    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    pub fn resources(&self) -> Resources {
        self.state().resources.clone()
    }

    /// Replaces the loaded fragments by those of a message.
    pub fn set_loaded(&self, loaded: LoadedFragments) {
        self.state().loaded = Some(Arc::new(loaded));
    }

    /// The loaded fragments, if any.
    pub fn loaded_if_any(&self) -> Option<Arc<LoadedFragments>> {
        self.state().loaded.clone()
    }

    /// The loaded fragments.
    ///
    /// # Errors
    /// If none were loaded.
    pub fn loaded(&self) -> Result<Arc<LoadedFragments>> {
        match self.loaded_if_any() {
            Some(loaded) => Ok(loaded),
            None => bail!("FragmentInfo: Fragment info has not been loaded. Call tiledb_fragment_info_load first"),
        }
    }
}

impl LoadedFragments {
    /// Loads the visible fragments, except known ones.
    fn load(
        resources: &Resources,
        uri: &Uri,
        key: &EncryptionKey,
        known: Option<&LoadedFragments>,
    ) -> Result<LoadedFragments> {
        resources.threads().check_computing()?;
        let directory = ArrayDirectory::load(resources.vfs(), uri)?;
        let schemas = SchemaStore::new(resources, &directory, key);
        let touching = !schemas.newest()?.is_dense();
        let (names, replaced) = directory.visible(resources.vfs(), (0, read_time()), touching)?;
        let hidden: HashSet<&FragmentName> = replaced.iter().collect();
        let merged = known.iter().flat_map(|known| &known.merged);
        let merged = merged.filter(|merged| hidden.contains(merged.fragment.name())).cloned().collect();
        let known: HashMap<&FragmentName, &LoadedFragment> =
            known.iter().flat_map(|known| known.iter()).map(|info| (info.fragment.name(), info)).collect();
        let unknown: Vec<FragmentName> = names.iter().filter(|name| !known.contains_key(name)).cloned().collect();
        let fragments = load_fragments(resources, &directory, &schemas, key, &unknown)?;
        let mut loaded = with_sizes(resources, uri, &fragments)?.into_iter();
        // Those that were loaded are in the order of the names.
        let of = |name: &FragmentName| known.get(name).map(|info| (*info).clone()).or_else(|| loaded.next());
        let fragments = names.iter().filter_map(of).collect();
        let uri_of = |name: &FragmentName| Name::of_path(name.folder(directory.uri()).as_str());
        let to_vacuum = replaced.iter().map(uri_of).collect();
        Ok(LoadedFragments { fragments, to_vacuum, schemas, directory: Some(Arc::new(directory)), merged })
    }

    /// The fragments after a merge; none if anything else has changed.
    fn after_merge(
        &self,
        resources: &Resources,
        key: &EncryptionKey,
        merge: AppliedMerge<'_>,
    ) -> Result<Option<LoadedFragments>> {
        let AppliedMerge { created, replaced, vacuum, listed } = merge;
        let (Some(before), Some(last)) = (&self.directory, created.last()) else { return Ok(None) };
        let Some(directory) = listed.after_merge(before, created, vacuum) else { return Ok(None) };
        let schemas = SchemaStore::new(resources, &directory, key);
        let results = load_fragments(resources, &directory, &self.schemas, key, created)?;
        let hidden: HashSet<&FragmentName> = replaced.iter().map(|fragment| fragment.name()).collect();
        let is_left = |info: &&LoadedFragment| !hidden.contains(info.fragment.name());
        let mut fragments: Vec<LoadedFragment> = self.fragments.iter().filter(is_left).cloned().collect();
        fragments.extend(with_sizes(resources, directory.uri(), &results)?);
        sort::by(&mut fragments, |a, b| a.fragment.name().cmp(b.fragment.name()));
        let mut to_vacuum = self.to_vacuum.clone();
        to_vacuum.extend(replaced.iter().map(|fragment| Name::of_path(fragment.uri().as_str())));
        let mut merged = self.merged.clone();
        let of = |fragment: &Arc<Fragment>| MergedFragment { fragment: fragment.clone(), replaced_by: last.clone() };
        merged.extend(replaced.iter().map(of));
        Ok(Some(LoadedFragments { fragments, to_vacuum, schemas, directory: Some(Arc::new(directory)), merged }))
    }

    /// Fragments of a message, with the sizes of their files, and the fragments that were replaced.
    pub fn from_parts(
        fragments: Vec<(Arc<Fragment>, u64)>,
        to_vacuum: Vec<Name>,
        schemas: SchemaStore,
    ) -> LoadedFragments {
        let fragments = fragments.into_iter().map(|(fragment, size)| LoadedFragment::new(fragment, size)).collect();
        LoadedFragments { fragments, to_vacuum, schemas, directory: None, merged: Vec::new() }
    }

    /// The directory as it was listed; none of a message.
    pub fn directory(&self) -> Option<&Arc<ArrayDirectory>> {
        self.directory.as_ref()
    }

    /// Those of the fragments to vacuum that merges replaced while they were loaded.
    pub fn merged(&self) -> &[MergedFragment] {
        &self.merged
    }

    /// The schemas of the array.
    pub fn schemas(&self) -> &SchemaStore {
        &self.schemas
    }

    /// The fragments, by first time and name.
    pub fn iter(&self) -> impl Iterator<Item = &LoadedFragment> {
        self.fragments.iter()
    }

    /// Number of fragments.
    pub fn len(&self) -> usize {
        self.fragments.len()
    }

    /// The cells of all fragments; such that were written twice count twice.
    pub fn cell_count(&self) -> u64 {
        self.fragments.iter().fold(0, |sum, info| sum.saturating_add(info.fragment.cell_count()))
    }

    /// Number of fragments whose footer is not consolidated.
    pub fn unconsolidated(&self) -> usize {
        self.fragments.iter().filter(|info| !info.is_consolidated()).count()
    }

    /// The URIs of the fragments that consolidations replaced.
    pub fn to_vacuum(&self) -> &[Name] {
        &self.to_vacuum
    }

    /// The URI of a fragment that a consolidation replaced.
    ///
    /// # Errors
    /// Beyond the last one.
    pub fn to_vacuum_at(&self, index: u32) -> Result<&Name> {
        match self.to_vacuum.get(index as usize) {
            Some(uri) => Ok(uri),
            None => bail!(
                "FragmentInfo: Cannot get URI of fragment to vacuum; Invalid fragment index: {index} is not below {}",
                self.to_vacuum.len()
            ),
        }
    }

    /// A fragment; `cannot` says what cannot be had beyond the last one.
    ///
    /// # Errors
    /// Beyond the last one.
    pub fn get(&self, index: u32, cannot: &str) -> Result<&LoadedFragment> {
        match self.fragments.get(index as usize) {
            Some(info) => Ok(info),
            None => {
                bail!("FragmentInfo: {cannot}; Invalid fragment index: {index} is not below {}", self.fragments.len())
            }
        }
    }

    /// Everything as text.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        _ = self.write(&mut text);
        text
    }

    fn write(&self, f: &mut String) -> std::fmt::Result {
        writeln!(f, "- Fragment num: {}", self.len())?;
        writeln!(f, "- Unconsolidated metadata num: {}", self.unconsolidated())?;
        writeln!(f, "- To vacuum num: {}", self.to_vacuum.len())?;
        if !self.to_vacuum.is_empty() {
            writeln!(f, "- To vacuum URIs:")?;
        }
        for uri in &self.to_vacuum {
            writeln!(f, "  > {uri}")?;
        }
        for (index, info) in self.fragments.iter().enumerate() {
            writeln!(f, "- Fragment #{}:", index + 1)?;
            info.write(f)?;
        }
        Ok(())
    }
}

/// Fragments with the sizes of their files.
fn with_sizes(resources: &Resources, uri: &Uri, fragments: &[Arc<Fragment>]) -> Result<Vec<LoadedFragment>> {
    resources.vfs().map(uri, fragments.len(), |index| {
        let fragment = fragments[index].clone();
        let size = fragment.data_size().saturating_add(fragment.metadata_size()?);
        Ok(LoadedFragment::new(fragment, size))
    })
}

impl LoadedFragment {
    fn new(fragment: Arc<Fragment>, size: u64) -> LoadedFragment {
        LoadedFragment {
            uri: Name::of_path(fragment.uri().as_str()),
            schema_name: Name::new(fragment.schema().name()),
            size,
            fragment,
        }
    }

    pub fn fragment(&self) -> &Arc<Fragment> {
        &self.fragment
    }

    pub fn uri(&self) -> &Name {
        &self.uri
    }

    pub fn schema(&self) -> &Arc<ArraySchema> {
        self.fragment.schema()
    }

    pub fn schema_name(&self) -> &Name {
        &self.schema_name
    }

    /// The bytes of all its files.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// True if consolidated metadata of the array hold its footer.
    pub fn is_consolidated(&self) -> bool {
        self.fragment.has_consolidated_footer()
    }

    /// Number of tiles with bounding boxes: those of a sparse fragment.
    pub fn box_count(&self) -> u64 {
        if self.fragment.is_dense() { 0 } else { self.fragment.tile_count() }
    }

    fn write(&self, f: &mut String) -> std::fmt::Result {
        let fragment = &self.fragment;
        let domain = self.schema().domain().dimensions().iter().zip(fragment.non_empty_domain());
        let domain: Vec<String> = domain.map(|(dimension, range)| dimension.range_text(range)).collect();
        let (start, end) = fragment.timestamps();
        writeln!(f, "  > URI: {}", self.uri)?;
        writeln!(f, "  > Schema name: {}", self.schema_name)?;
        writeln!(f, "  > Type: {}", if fragment.is_dense() { "dense" } else { "sparse" })?;
        writeln!(f, "  > Non-empty domain: {}", domain.join(" x "))?;
        writeln!(f, "  > Size: {}", self.size)?;
        writeln!(f, "  > Cell num: {}", fragment.cell_count())?;
        writeln!(f, "  > Timestamp range: [{start}, {end}]")?;
        writeln!(f, "  > Format version: {}", fragment.version().number())?;
        writeln!(f, "  > Has consolidated metadata: {}", if self.is_consolidated() { "yes" } else { "no" })
    }
}
