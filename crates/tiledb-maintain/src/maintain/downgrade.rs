//! Copies an array into a new one of another format version, for readers that do not know the version of the array.
//!
//! A fragment is rewritten by the machinery of consolidation, alone, and keeps its timestamps: tiles and tables are encoded
//! again in the layout of the version. The array itself is not changed, since its schemas and fragments would stay
//! readable to new libraries only until the last one was replaced, and an interruption would leave an array that neither
//! old nor new readers see completely.

use std::sync::Arc;

use super::directories;
use super::fragments::keeps_deleted;
use super::progress::{MergedCells, OnMerged};
use super::{dense, sparse};
use tiledb_array::array::{ArrayDirectory, OpenArray, create, delete, visible_metadata};
use tiledb_array::fragment::{Fragment, times_of};
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

/// Copies the array at `from` into a new array of format version `version` at `to`: the newest schema, the fragments that a
/// reader sees, with their timestamps, the array metadata, and the arrays of dimension labels. Deletes are applied: deleted
/// cells are stored with the times of their deletion.
///
/// # Errors
/// If the version cannot express a feature of the array, there is an array at `to`, an array cannot be read or written, or
/// `on_merged` returns an error. What was written by then is removed.
pub fn downgrade(
    resources: &Resources,
    from: &Uri,
    to: &Uri,
    version: FormatVersion,
    on_merged: OnMerged<'_>,
) -> Result<()> {
    let mut config = resources.config().clone();
    config.set("sm.write_format_version", &version.number().to_string())?;
    let resources = resources.with_config(config)?.with_own_chunk_cache();
    let key = EncryptionKey::for_opening(resources.config())?;
    let source = CopySource::open(&resources, from, &key)?;
    let mut labels = Vec::new();
    for label in source.array.schema().labels() {
        labels.push(source.label(&resources, label, &key)?);
    }
    let schema = source.schema_of_copy(&labels)?;
    check_features(from, &schema, version)?;
    create(&resources, to, &schema, &key)?;
    let mut copy = ArrayCopy { resources: &resources, key: &key, version, cells: 0, total: source.cells()?, on_merged };
    for (_, label) in &labels {
        copy.total = copy.total.saturating_add(label.cells()?);
    }
    let mut copied = copy.array(&source, to);
    for (label, array) in &labels {
        copied = copied.and_then(|()| copy.array(array, &label.array_uri(to)?));
    }
    if copied.is_err() {
        // The first error is reported.
        _ = delete(&resources, to);
    }
    copied
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

/// An array that is copied.
struct CopySource {
    uri: Uri,
    directory: ArrayDirectory,
    array: OpenArray,
}

impl CopySource {
    fn open(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<CopySource> {
        let directory = directories::directory(resources, uri)?;
        let array = OpenArray::open(resources, uri, QueryType::Read, ALWAYS, key)?;
        let is_mixed = |fragment: &&Arc<Fragment>| array.schema().is_dense() && !fragment.is_dense();
        if let Some(fragment) = array.fragments()?.iter().find(is_mixed) {
            bail!(
                Unsupported,
                "Cannot copy the fragment '{}' of a dense array alone: it has single cells; consolidate '{uri}' first",
                fragment.name()
            );
        }
        Ok(CopySource { uri: uri.clone(), directory, array })
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
        let cells = self.array.fragments()?.iter().map(|fragment| fragment.cell_count());
        Ok(cells.fold(0, u64::saturating_add))
    }
}

/// A copy in progress.
struct ArrayCopy<'a> {
    resources: &'a Resources,
    key: &'a EncryptionKey,
    version: FormatVersion,
    /// Cells that were copied, and all.
    cells: u64,
    total: u64,
    on_merged: OnMerged<'a>,
}

impl ArrayCopy<'_> {
    /// Copies fragments and metadata into an array that exists.
    fn array(&mut self, source: &CopySource, to: &Uri) -> Result<()> {
        let target = Arc::new(OpenArray::open(self.resources, to, QueryType::Write, ALWAYS, self.key)?);
        for fragment in source.array.fragments()? {
            self.fragment(source, fragment, &target)?;
            self.cells = self.cells.saturating_add(fragment.cell_count());
        }
        self.metadata(&source.uri, to)
    }

    fn fragment(&mut self, source: &CopySource, fragment: &Arc<Fragment>, target: &Arc<OpenArray>) -> Result<()> {
        let fragments = vec![fragment.clone()];
        let array = OpenArray::of_fragments(self.resources, source.directory.clone(), self.key, fragments)?;
        let array = Arc::new(array);
        let (timestamps, is_dense) = (fragment.timestamps(), array.schema().is_dense());
        let deletes = !is_dense && keeps_deleted(&array, timestamps.0)?;
        let merged = ConsolidationSpec {
            timestamps,
            times: !is_dense && (deletes || fragment.has_timestamps()),
            deletes,
            conditions: if deletes { conditions_of(&array)? } else { Vec::new() },
            max_size: u64::MAX,
            before_commit: CommitHook::default(),
        };
        let (before, total, own) = (self.cells, self.total, fragment.cell_count());
        let on_merged: OnMerged<'_> = &mut |merged| {
            let part = u128::from(own) * u128::from(merged.cells) / u128::from(merged.total.max(1));
            (self.on_merged)(MergedCells { cells: before.saturating_add(part as u64).min(total), total })
        };
        let written = match (is_dense, merged.times) {
            (true, _) => dense::merge(&array, target, merged, on_merged),
            (false, true) => sparse::merge(&array, target, merged, CellVersions::All, on_merged),
            (false, false) => sparse::merge(&array, target, merged, CellVersions::Latest, on_merged),
        };
        written.map(|_| ()).context(|| format!("Cannot copy the fragment '{}'", fragment.name()))
    }

    /// Copies the metadata files, which keep their names.
    fn metadata(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (vfs, stats) = (self.resources.vfs(), self.resources.stats());
        for file in visible_metadata(vfs, from, ALWAYS)?.0 {
            let payload = generic::load(&vfs.read(&file)?, self.key, stats, Counter::MetadataRead);
            let payload = payload.context(|| format!("Cannot read the metadata '{file}'"))?;
            let bytes = generic::store(&payload, self.version, self.key, stats, Counter::MetadataWritten)?;
            vfs.put(&to.join("__meta").join(file.last_part()), &bytes)?;
        }
        Ok(())
    }
}
