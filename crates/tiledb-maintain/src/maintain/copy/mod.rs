//! Copies of arrays with another format version ([`downgrade`]) or other filters ([`rewrite`]).
//!
//! A fragment is rewritten by the machinery of consolidation, alone, and keeps its timestamps: tiles and tables are encoded
//! again. The array itself is not changed, since its schemas and fragments would stay readable only until the last one was
//! replaced, and an interruption would leave an array of which no reader sees everything.
//!
//! A copy becomes an array once it is complete ([`UnpublishedArray`]): the arrays of its labels first.

mod claim;
#[cfg(test)]
mod claim_model;
mod compare;
mod deletes;
mod downgrade;
mod earlier_copies;
mod rewrite;
mod source;
#[cfg(test)]
mod sparse_tests;
mod target;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::fragments::{keeps_deleted, vacuum_file, vacuum_lines};
use super::progress::{MergedCells, OnMerged};
use super::{dense, sparse};
use deletes::CopiedDeletes;
pub use downgrade::downgrade;
pub use rewrite::{RewriteOptions, rewrite};
use source::{ALWAYS, CopySource, CopySources, MAX_LISTINGS, cells_of};
use target::not_of_source;
use tiledb_array::array::commits::last_part;
use tiledb_array::array::{
    CopyKind, Metadata, OpenArray, UnpublishedArray, relist, remove_unpublished, visible_metadata,
};
use tiledb_array::fragment::{Fragment, FragmentName, NamePlace, times_of};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::write::spec::{CommitHook, ConsolidationSpec};
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::stats::Counter;
use tiledb_core::types::FormatVersion;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_query::read::sparse::delete_conditions::conditions_of;
use tiledb_query::read::spec::CellVersions;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A copy in progress.
struct ArrayCopy<'a> {
    resources: &'a Resources,
    key: &'a EncryptionKey,
    version: FormatVersion,
    /// All fragments become one, with the cells that a reader sees now, and the copy has no deletes. Otherwise each fragment is
    /// copied alone, with its deleted cells.
    is_merged: bool,
    /// An earlier attempt made the copy an array: nothing is removed from it.
    is_published: bool,
    /// Fragments that an earlier attempt copied.
    reused: usize,
    /// How fragments are committed.
    hook: CommitHook,
    /// Cells that were copied, and all.
    cells: u64,
    total: u64,
    on_merged: OnMerged<'a>,
}

impl ArrayCopy<'_> {
    /// Copies each fragment that has no copy yet, the deletes, the vacuum files and the metadata. The name of the copy of each group
    /// of fragments; none if its cells are all deleted.
    fn array(&mut self, source: &CopySource, to: &UnpublishedArray) -> Result<Vec<Option<FragmentName>>> {
        let groups = self.groups(source)?;
        let target = Arc::new(to.open_to_write()?);
        let deletes = self.deletes(source)?;
        let earlier = self.earlier_copies(source, &groups, &deletes, to)?;
        deletes.write(self.resources, &source.array, to, (self.key, self.is_published))?;
        let mut copies = Vec::with_capacity(groups.len());
        for (group, earlier) in groups.iter().zip(earlier) {
            match earlier {
                None => copies.push(self.fragments(source, group, &deletes, &target)?),
                Some(name) => {
                    self.cells = self.cells.saturating_add(cells_of(group));
                    self.reused += 1;
                    copies.push(Some(name));
                }
            }
        }
        self.consolidations(source, to, &copies)?;
        self.metadata(&source.uri, to.uri())?;
        Ok(copies)
    }

    /// The fragments that become one fragment each.
    fn groups<'s>(&self, source: &'s CopySource) -> Result<Vec<&'s [Arc<Fragment>]>> {
        let fragments = source.fragments();
        Ok(fragments.chunks(if self.is_merged { fragments.len().max(1) } else { 1 }).collect())
    }

    /// The delete commits that the copy has.
    fn deletes(&self, source: &CopySource) -> Result<CopiedDeletes> {
        if self.is_merged {
            Ok(CopiedDeletes::none(self.version))
        } else {
            CopiedDeletes::new(&source.array, self.version)
        }
    }

    /// The fragments that become one fragment of the copy, as an array whose deletes are applied to the copied cells.
    fn sources(
        &self,
        source: &CopySource,
        fragments: &[Arc<Fragment>],
        deletes: &CopiedDeletes,
    ) -> Result<Arc<OpenArray>> {
        let directory = match fragments {
            [fragment] if !self.is_merged => deletes.applied(source.directory(), fragment)?,
            _ => source.directory().clone(),
        };
        OpenArray::of_fragments(self.resources, directory, self.key, fragments.to_vec()).map(Arc::new)
    }

    /// Copies fragments into one.
    fn fragments(
        &mut self,
        source: &CopySource,
        fragments: &[Arc<Fragment>],
        deletes: &CopiedDeletes,
        target: &Arc<OpenArray>,
    ) -> Result<Option<FragmentName>> {
        let array = self.sources(source, fragments, deletes)?;
        let (mut merged, versions) = self.retained(&array)?;
        merged.hook = self.hook.clone();
        merged.conditions = deletes.markers(&merged.conditions);
        let before = self.cells;
        let total = self.total;
        let own = cells_of(fragments);
        let on_merged: OnMerged<'_> = &mut |merged| {
            let part = u128::from(own) * u128::from(merged.cells) / u128::from(merged.total.max(1));
            (self.on_merged)(MergedCells { cells: before.saturating_add(part as u64).min(total), total })
        };
        let written = match array.schema().is_dense() {
            true => dense::merge(&array, target, merged, on_merged),
            false => sparse::merge(&array, target, merged, versions, on_merged),
        };
        let what = || match fragments {
            [fragment] => format!("Cannot copy the fragment '{}'", fragment.name()),
            _ => format!("Cannot copy '{}'", source.uri),
        };
        let written = written.context(what)?;
        self.cells = before.saturating_add(own);
        written.last().map(|written| FragmentName::parse(last_part(&written.uri))).transpose()
    }

    /// What the copy of some fragments retains of them: of a single sparse fragment all cells with their timestamps and the deletes
    /// that were applied to them, of merged ones the cells that a reader sees.
    fn retained(&self, array: &OpenArray) -> Result<(ConsolidationSpec, CellVersions)> {
        let fragments = array.fragments()?;
        let mut spec = ConsolidationSpec {
            timestamps: timestamps_of(fragments),
            times: false,
            deletes: false,
            conditions: Vec::new(),
            max_size: u64::MAX,
            place: NamePlace::default(),
            hook: CommitHook::default(),
        };
        let [fragment] = fragments else { return Ok((spec, CellVersions::Latest)) };
        if self.is_merged || array.schema().is_dense() {
            return Ok((spec, CellVersions::Latest));
        }
        spec.deletes = keeps_deleted(array, spec.timestamps.0)?;
        spec.times = spec.deletes || fragment.has_timestamps();
        spec.conditions = conditions_of(array)?;
        for marker in fragment.processed_conditions()? {
            if !spec.conditions.contains(marker) {
                spec.conditions.push(marker.clone());
            }
        }
        Ok((spec, CellVersions::All))
    }

    /// Writes the vacuum files that hide copies of replaced fragments.
    fn consolidations(
        &self,
        source: &CopySource,
        to: &UnpublishedArray,
        copies: &[Option<FragmentName>],
    ) -> Result<()> {
        let names = source.fragments().iter().map(|fragment| fragment.name().as_str());
        let copies: HashMap<&str, &FragmentName> =
            names.zip(copies).filter_map(|(name, copy)| Some((name, copy.as_ref()?))).collect();
        let version = to.schema().version().of_new_fragments();
        // Results that a vacuum has removed get a name only.
        let removed = source.consolidations().iter().map(|consolidation| &consolidation.created);
        let removed = removed.filter(|created| !copies.contains_key(created.as_str())).map(|created| {
            let (start, end) = created.timestamps();
            (created.as_str(), FragmentName::new(start, end, version))
        });
        let removed: HashMap<&str, FragmentName> = removed.collect();
        let copy_of = |name: &str| copies.get(name).copied().or_else(|| removed.get(name));
        for consolidation in source.consolidations() {
            let Some(created) = copy_of(consolidation.created.as_str()) else { continue };
            let file = vacuum_file(to.uri(), created);
            let replaced = consolidation.replaced.iter().filter_map(|name| copy_of(name));
            let lines = vacuum_lines(to.uri(), version, replaced.map(|copy| copy.folder(to.uri())));
            self.resources.vfs().put(&file, &lines)?;
        }
        Ok(())
    }

    /// Copies the metadata files, which keep their names.
    fn metadata(&self, from: &Uri, to: &Uri) -> Result<()> {
        relist(MAX_LISTINGS, || self.listed_metadata(from, to))
    }

    /// Copies the metadata files of one listing. Of files from an earlier one, which is outdated, deleted values would be read again.
    fn listed_metadata(&self, from: &Uri, to: &Uri) -> Result<()> {
        let vfs = self.resources.vfs();
        let stats = self.resources.stats();
        let files = visible_metadata(vfs, from, ALWAYS)?.0;
        let names: HashSet<&str> = files.iter().map(Uri::last_part).collect();
        let mut outdated = visible_metadata(vfs, to, ALWAYS)?.0;
        outdated.retain(|file| !names.contains(file.last_part()));
        match outdated.first() {
            Some(file) if self.is_published => return Err(not_of_source("metadata", file.last_part(), to, from)),
            _ => vfs.remove_files(&outdated)?,
        }
        for file in files {
            let bytes = vfs.read(&file)?;
            let config = self.resources.config();
            let payload =
                generic::load(&bytes, self.key, config, stats, Counter::MetadataRead, &Metadata::check_prefix);
            let payload = payload.context(|| format!("Cannot read the metadata '{file}'"))?.bytes;
            let bytes = generic::store(&payload, self.version, self.key, stats, Counter::MetadataWritten)?;
            vfs.put(&to.join("__meta").join(file.last_part()), &bytes)?;
        }
        Ok(())
    }
}

/// An array and the arrays of its dimension labels, each with its copy.
struct CopiedArrays<'a> {
    arrays: Vec<(&'a CopySource, UnpublishedArray)>,
}

impl<'a> CopiedArrays<'a> {
    /// The copies. They are created, unless an earlier attempt that is resumed has left them.
    ///
    /// # Errors
    /// If a schema cannot be read, or a storage operation fails.
    fn create(
        resources: &Resources,
        sources: &'a CopySources,
        to: &Uri,
        schema: &ArraySchema,
        key: &EncryptionKey,
        (kind, is_resumed): (CopyKind, bool),
    ) -> Result<CopiedArrays<'a>> {
        let copy = |uri: &Uri, schema: &ArraySchema| {
            if is_resumed {
                if let Some(left) = UnpublishedArray::load(resources, uri, key, kind)? {
                    return Ok(left);
                }
                // It may have ended before the copy of a label had a schema.
                remove_unpublished(resources.vfs(), uri, kind)?;
            }
            UnpublishedArray::create(resources, uri, schema, key, kind)
        };
        let mut arrays = vec![(&sources.array, copy(to, schema)?)];
        for (label, source) in &sources.labels {
            arrays.push((source, copy(&label.array_uri(to)?, &schema.label_schema(label)?)?));
        }
        Ok(CopiedArrays { arrays })
    }

    /// Cells of all arrays.
    fn cells(&self) -> u64 {
        self.arrays.iter().fold(0, |sum, (source, _)| sum.saturating_add(source.cells()))
    }

    /// True if an earlier attempt made the copy an array.
    fn is_published(&self) -> bool {
        self.arrays.first().is_some_and(|(_, copy)| copy.is_published())
    }

    /// Makes the copies arrays, those of labels first.
    ///
    /// # Errors
    /// If a storage operation fails.
    fn publish(&self) -> Result<()> {
        self.arrays.iter().rev().try_for_each(|(_, copy)| copy.publish())
    }
}

/// The first and the last timestamp of some fragments.
fn timestamps_of(fragments: &[Arc<Fragment>]) -> (u64, u64) {
    let times = || fragments.iter().map(|fragment| fragment.timestamps());
    (times().map(|times| times.0).min().unwrap_or_default(), times().map(|times| times.1).max().unwrap_or_default())
}

/// True if there is a copy at `to` of the array's present schema, with any filters, complete or not. A copy of an earlier schema is
/// removed, unless it is an array already.
fn has_current_copy(
    resources: &Resources,
    to: &Uri,
    schema: &ArraySchema,
    (key, kind): (&EncryptionKey, CopyKind),
) -> Result<bool> {
    let copy = UnpublishedArray::load(resources, to, key, kind)?;
    let times = |schema: &ArraySchema| times_of(schema.name());
    if copy.is_some_and(|copy| copy.is_published() || times(copy.schema()) == times(schema)) {
        return Ok(true);
    }
    remove_unpublished(resources.vfs(), to, kind).map(|()| false)
}

/// Lists all features that the version cannot express.
fn check_features(from: &Uri, schema: &ArraySchema, version: FormatVersion) -> Result<()> {
    let too_new = schema.features().into_iter().filter(|(feature, _)| feature.since() > version);
    let reasons: Vec<String> = too_new
        .map(|(feature, part)| {
            let since = feature.since().number();
            let release = feature.first_release();
            format!("{} ({part}) requires version {since} (libtiledb {release})", feature.name())
        })
        .collect();
    if reasons.is_empty() {
        return Ok(());
    }
    bail!(Unsupported, "Cannot write '{from}' in format version {}: {}", version.number(), reasons.join("; "))
}
