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
mod rewrite;
mod target;

use std::sync::Arc;

use super::directories;
use super::fragments::keeps_deleted;
use super::progress::{MergedCells, OnMerged};
use super::{dense, sparse};
use deletes::CopiedDeletes;
pub use downgrade::downgrade;
pub use rewrite::{RewriteOptions, rewrite};
use tiledb_array::array::{ArrayDirectory, CopyKind, Metadata, OpenArray, UnpublishedArray, visible_metadata};
use tiledb_array::fragment::{Fragment, NamePlace, times_of};
use tiledb_array::schema::{ArraySchema, DimensionLabel, SchemaName};
use tiledb_cells::write::spec::{CommitHook, ConsolidationSpec};
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::stats::Counter;
use tiledb_core::types::{FormatVersion, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_query::read::sparse::delete_conditions::conditions_of;
use tiledb_query::read::spec::CellVersions;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// All timestamps.
const ALWAYS: (u64, u64) = (0, u64::MAX);

/// An array that is copied.
struct CopySource {
    uri: Uri,
    array: OpenArray,
}

impl CopySource {
    fn open(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<CopySource> {
        let array =
            OpenArray::open(resources, uri, QueryType::Read, ALWAYS, key).map_err(directories::of_missing_array)?;
        Ok(CopySource { uri: uri.clone(), array })
    }

    /// The listing that the array was opened with: schemas, fragments and deletes of one moment. Others may change the array meanwhile.
    fn directory(&self) -> &ArrayDirectory {
        self.array.directory()
    }

    /// # Errors
    /// If a fragment cannot be copied alone.
    fn check_fragments(&self) -> Result<()> {
        let is_mixed = |fragment: &&Arc<Fragment>| self.array.schema().is_dense() && !fragment.is_dense();
        if let Some(fragment) = self.array.fragments()?.iter().find(is_mixed) {
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
    fn labels(&self, resources: &Resources, key: &EncryptionKey) -> Result<Vec<(DimensionLabel, CopySource)>> {
        self.array.schema().labels().iter().map(|label| self.label(resources, label, key)).collect()
    }

    /// The array of a dimension label.
    fn label(
        &self,
        resources: &Resources,
        label: &DimensionLabel,
        key: &EncryptionKey,
    ) -> Result<(DimensionLabel, CopySource)> {
        if label.is_external || !label.is_relative {
            bail!(
                Unsupported,
                "Cannot copy the dimension label '{}' of '{}': its array is not in the folder of the array",
                label.name,
                self.uri
            );
        }
        let source = CopySource::open(resources, &label.array_uri(&self.uri)?, key);
        let source = source.context(|| format!("Cannot copy the dimension label '{}'", label.name))?;
        Ok((label.clone().planned_as(source.array.schema()), source))
    }

    /// The schema of the copy, with the timestamp of the original.
    fn schema_of_copy(&self, labels: &[(DimensionLabel, CopySource)]) -> Result<ArraySchema> {
        let mut schema = ArraySchema::clone(self.array.schema());
        // Old dimensions inherit filters in another way.
        schema.raise_version(schema.version());
        schema.replace_labels(labels.iter().map(|(label, _)| Arc::new(label.clone())).collect());
        if let Some((time, _)) = times_of(schema.name()) {
            schema.set_name(SchemaName::new(time));
        }
        Ok(schema)
    }

    fn cells(&self) -> Result<u64> {
        Ok(cells_of(self.array.fragments()?))
    }
}

/// A copy in progress.
struct ArrayCopy<'a> {
    resources: &'a Resources,
    key: &'a EncryptionKey,
    version: FormatVersion,
    /// All fragments become one, with the cells that a reader sees now, and the copy has no deletes. Otherwise each fragment is
    /// copied alone, with its deleted cells.
    is_merged: bool,
    /// How fragments are committed.
    hook: CommitHook,
    /// Cells that were copied, and all.
    cells: u64,
    total: u64,
    on_merged: OnMerged<'a>,
}

impl ArrayCopy<'_> {
    /// Copies each fragment, the deletes and the metadata.
    fn array(&mut self, source: &CopySource, to: &UnpublishedArray) -> Result<()> {
        let target = Arc::new(to.open_to_write()?);
        let deletes = self.deletes(source)?;
        deletes.write(self.resources, &source.array, to, self.key)?;
        for fragment in source.array.fragments()? {
            self.fragments(source, std::slice::from_ref(fragment), &deletes, &target)?;
        }
        self.metadata(&source.uri, to.uri())
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
    ) -> Result<()> {
        let array = self.sources(source, fragments, deletes)?;
        let (mut merged, versions) = self.retained(&array)?;
        merged.hook = self.hook.clone();
        merged.conditions = deletes.markers(&merged.conditions);
        let (before, total, own) = (self.cells, self.total, cells_of(fragments));
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
        written.context(what)?;
        self.cells = before.saturating_add(own);
        Ok(())
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

    /// Copies the metadata files, which keep their names.
    fn metadata(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (vfs, stats) = (self.resources.vfs(), self.resources.stats());
        for file in visible_metadata(vfs, from, ALWAYS)?.0 {
            let (bytes, config) = (vfs.read(&file)?, self.resources.config());
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
        (source, labels): (&'a CopySource, &'a [(DimensionLabel, CopySource)]),
        to: &Uri,
        schema: &ArraySchema,
        key: &EncryptionKey,
        (kind, is_resumed): (CopyKind, bool),
    ) -> Result<CopiedArrays<'a>> {
        let copy = |uri: &Uri, schema: &ArraySchema| {
            let left = if is_resumed { UnpublishedArray::load(resources, uri, key, kind)? } else { None };
            left.map_or_else(|| UnpublishedArray::create(resources, uri, schema, key, kind), Ok)
        };
        let mut arrays = vec![(source, copy(to, schema)?)];
        for (label, source) in labels {
            arrays.push((source, copy(&label.array_uri(to)?, &schema.label_schema(label)?)?));
        }
        Ok(CopiedArrays { arrays })
    }

    /// Cells of all arrays.
    fn cells(&self) -> Result<u64> {
        self.arrays.iter().try_fold(0u64, |sum, (source, _)| Ok(sum.saturating_add(source.cells()?)))
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

fn cells_of(fragments: &[Arc<Fragment>]) -> u64 {
    fragments.iter().fold(0, |sum, fragment| sum.saturating_add(fragment.cell_count()))
}

/// Lists all features that the version cannot express.
fn check_features(from: &Uri, schema: &ArraySchema, version: FormatVersion) -> Result<()> {
    let too_new = schema.features().into_iter().filter(|(feature, _)| feature.since() > version);
    let reasons: Vec<String> = too_new
        .map(|(feature, part)| {
            let (since, release) = (feature.since().number(), feature.first_release());
            format!("{} ({part}) requires version {since} (libtiledb {release})", feature.name())
        })
        .collect();
    if reasons.is_empty() {
        return Ok(());
    }
    bail!(Unsupported, "Cannot write '{from}' in format version {}: {}", version.number(), reasons.join("; "))
}
