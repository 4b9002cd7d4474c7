//! Copies an array into a new one with other filters or another capacity.

use std::collections::HashSet;
use std::sync::Arc;

use super::claim::CopyClaim;
use super::compare::compare;
use super::target::{TargetContents, check_target};
use super::{
    ALWAYS, ArrayCopy, CopiedArrays, CopySource, MergedCells, OnMerged, cells_of, check_features, timestamps_of,
};
use tiledb_array::array::{
    ArrayDirectory, CopyKind, OpenArray, UnpublishedArray, check_unreserved, remove_unpublished, visible_metadata,
};
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::types::CURRENT_VERSION;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const KIND: CopyKind = CopyKind::Rewrite;

/// How an array is rewritten.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewriteOptions<'a> {
    /// The schema whose filters and capacity the new array gets; otherwise it keeps those of the array.
    pub schema: Option<&'a ArraySchema>,
    /// Merges all fragments into one, which has the cells that a reader sees now. Otherwise each fragment is rewritten with its
    /// timestamps, so that readers at earlier times see the same.
    pub merge: bool,
    /// Continues an interrupted rewrite if there is an array at the target.
    pub resume: bool,
}

/// Copies the array at `from` into a new array at `to`: the newest schema with the filters and the capacity of another one, the
/// fragments, the array metadata, and the arrays of dimension labels; then reads both arrays, and compares all cells. Progress
/// counts cells that were written and cells that were compared.
///
/// A rewrite that fails leaves its target, which is no array before all is copied and compared, so that it can be resumed;
/// fragments that are complete are not written again.
///
/// # Errors
/// If the schemas differ in more than filters and capacity, the folder `to` is around or inside of the array, or not empty and
/// no copy to be resumed, an array cannot be read or written, cells differ, or `on_merged` returns an error.
pub fn rewrite(
    resources: &Resources,
    from: &Uri,
    to: &Uri,
    options: RewriteOptions<'_>,
    on_merged: OnMerged<'_>,
) -> Result<()> {
    let contents = if options.resume { TargetContents::Copy } else { TargetContents::Empty };
    check_target(resources.vfs(), "rewrite", from, to, contents)?;
    let _trim = resources.trim_after();
    let resources = &resources.with_own_chunk_cache();
    let version = resources.config().write_format_version()?.unwrap_or(CURRENT_VERSION);
    let key = &EncryptionKey::for_opening(resources.config())?;
    let source = CopySource::open(resources, from, key)?;
    let labels = source.labels(resources, key)?;
    if !options.merge {
        labels.iter().map(|(_, label)| label).chain([&source]).try_for_each(CopySource::check_fragments)?;
    }
    let mut schema = source.schema_of_copy(&labels)?;
    schema.raise_version(version);
    if let Some(given) = options.schema {
        schema = with_filters_of(&schema, given).context(|| format!("Cannot rewrite '{from}'"))?;
    }
    check_features(from, &schema, version)?;

    check_unreserved(resources.vfs(), to, "Array: Cannot create array")?;
    let is_resumed = options.resume && has_copy(resources, to, &schema, key)?;
    if options.resume && !is_resumed {
        remove_unpublished(resources.vfs(), to, KIND)?;
    }
    let copies = CopiedArrays::create(resources, (&source, &labels[..]), to, &schema, key, (KIND, is_resumed))?;
    let targets: Vec<&UnpublishedArray> = copies.arrays.iter().map(|(_, copy)| copy).collect();
    let hook = CopyClaim::new(resources, &targets, version.of_new_fragments())?.hook();
    let total = copies.cells()?.saturating_mul(2);
    let is_merged = options.merge;
    let copy = ArrayCopy { resources, key, version, is_merged, hook, cells: 0, total, on_merged };
    let mut rewrite = Rewrite { copy };
    for (array, to) in &copies.arrays {
        rewrite.array(array, to)?;
    }
    copies.arrays.iter().try_for_each(|(array, to)| rewrite.compare(array, to))?;
    copies.publish()
}

/// The schema with the filters and the capacity of another one.
fn with_filters_of(schema: &ArraySchema, given: &ArraySchema) -> Result<ArraySchema> {
    if schema.array_type() != given.array_type() {
        bail!("The schemas differ in array type; a rewrite does not convert between dense and sparse arrays");
    }
    let orders =
        |schema: &ArraySchema| (schema.cell_order(), schema.tile_order(), schema.allows_dups(), schema.fields().len());
    if orders(schema) != orders(given) {
        bail!("The schemas differ in order, duplicates or number of fields; only filters and capacity may differ");
    }
    for attribute in schema.attributes() {
        let name = attribute.name().as_str();
        let (own, other) = (schema.field(name), given.field(name).filter(|field| !field.is_dimension));
        let (Some(own), Some(other)) = (own, other) else {
            bail!("The schema has no attribute '{name}'; only filters and capacity may differ");
        };
        if !own.is_like(other) {
            bail!("The schemas differ in the type of attribute '{name}'; only filters and capacity may differ");
        }
    }
    for (dimension, other) in schema.domain().dimensions().iter().zip(given.domain().dimensions()) {
        let name = dimension.name();
        let is_equal = name == other.name()
            && dimension.datatype() == other.datatype()
            && dimension.domain_bytes() == other.domain_bytes()
            && dimension.tile_extent() == other.tile_extent();
        if !is_equal {
            bail!("The schemas differ in dimension '{name}'; only filters and capacity may differ");
        }
    }
    let filters = |field: &Field| given.field(field.name.as_str()).map(|field| field.filters.clone());
    let mut schema = schema.with_filters(&filters, [given.offsets_filters(), given.validity_filters()])?;
    schema.set_capacity(given.capacity())?;
    Ok(schema)
}

/// True if there is a copy with this schema at `to`, complete or not; false if there is none.
fn has_copy(resources: &Resources, to: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<bool> {
    let Some(copy) = UnpublishedArray::load(resources, to, key, KIND)? else { return Ok(false) };
    let found = copy.schema();
    let filters = |schema: &ArraySchema| {
        let of_fields = schema.fields().iter().map(|field| field.filters.clone());
        of_fields.chain([schema.offsets_filters().clone(), schema.validity_filters().clone()]).collect::<Vec<_>>()
    };
    let is_equal = with_filters_of(found, schema).is_ok()
        && found.capacity() == schema.capacity()
        && filters(found) == filters(schema);
    if !is_equal {
        bail!("Cannot resume: the array at '{to}' has another schema; remove it, or rewrite to another URI");
    }
    Ok(true)
}

/// A rewrite in progress.
struct Rewrite<'a> {
    copy: ArrayCopy<'a>,
}

impl Rewrite<'_> {
    /// The fragments that become one fragment each.
    fn groups<'s>(&self, source: &'s CopySource) -> Result<Vec<&'s [Arc<Fragment>]>> {
        let fragments = source.array.fragments()?;
        Ok(fragments.chunks(if self.copy.is_merged { fragments.len().max(1) } else { 1 }).collect())
    }

    /// The fragments of the copy, in the order of the fragments that they were made of: names grow.
    fn copies(to: &UnpublishedArray) -> Result<(ArrayDirectory, OpenArray)> {
        let directory = to.directory()?;
        let array = to.open_to_read(directory.clone(), None)?;
        Ok((directory, array))
    }

    /// Copies deletes, fragments that have no copy, and metadata.
    fn array(&mut self, source: &CopySource, to: &UnpublishedArray) -> Result<()> {
        let groups = self.groups(source)?;
        let uri = to.uri();
        let (_, copies) = Self::copies(to)?;
        let copies = copies.fragments()?;
        if let Some(more) = copies.get(groups.len()) {
            bail!("Cannot resume: fragment '{}' in '{uri}' is not from '{}'; remove '{uri}'", more.name(), source.uri);
        }
        self.check_metadata(&source.uri, uri)?;
        let target = Arc::new(to.open_to_write()?);
        let deletes = self.copy.deletes(source)?;
        deletes.write(self.copy.resources, &source.array, to, self.copy.key)?;
        for (index, group) in groups.into_iter().enumerate() {
            match copies.get(index) {
                None => self.copy.fragments(source, group, &deletes, &target)?,
                Some(copy) => {
                    self.check_copy(copy, group, uri)?;
                    self.copy.cells = self.copy.cells.saturating_add(cells_of(group));
                }
            }
        }
        self.copy.metadata(&source.uri, uri)
    }

    /// Rejects a copy with metadata files that the array has no more: values that were deleted since would be read again.
    fn check_metadata(&self, from: &Uri, to: &Uri) -> Result<()> {
        let vfs = self.copy.resources.vfs();
        let files = visible_metadata(vfs, from, ALWAYS)?.0;
        let names: HashSet<&str> = files.iter().map(Uri::last_part).collect();
        match visible_metadata(vfs, to, ALWAYS)?.0.iter().find(|file| !names.contains(file.last_part())) {
            Some(other) => bail!(
                "Cannot resume: the metadata '{other}' is not from '{from}'; the array changed meanwhile. Remove '{to}' and rewrite again"
            ),
            None => Ok(()),
        }
    }

    fn check_copy(&self, copy: &Fragment, group: &[Arc<Fragment>], to: &Uri) -> Result<()> {
        // A merged fragment may have cells that no reader sees, superseded by others of their time.
        let is_count = match copy.schema().is_dense() || copy.schema().allows_dups() {
            _ if self.copy.is_merged => true,
            true => copy.cell_count() == cells_of(group),
            false => copy.cell_count() <= cells_of(group),
        };
        if timestamps_of(group) == copy.timestamps() && is_count {
            return Ok(());
        }
        bail!(
            "Cannot resume: fragment '{}' in '{to}' is no copy of '{}'; the array changed meanwhile. Remove '{to}' and rewrite again",
            copy.name(),
            group.first().map_or("", |fragment| fragment.name().as_str())
        )
    }

    /// Compares all cells with those of the copy.
    fn compare(&mut self, source: &CopySource, to: &UnpublishedArray) -> Result<()> {
        let groups = self.groups(source)?;
        let (directory, copies) = Self::copies(to)?;
        let deletes = self.copy.deletes(source)?;
        // Those of the copy are applied to cells of the copies of fragments as to those of the fragments.
        let directory = directory.with_deletes(|_| false);
        for (index, group) in groups.into_iter().enumerate() {
            let array = self.copy.sources(source, group, &deletes)?;
            let copy = copies.fragments()?.get(index).cloned();
            let copy = to.open_to_read(directory.clone(), Some(copy.into_iter().collect()))?;
            let copy = Arc::new(copy);
            let (spec, versions) = self.copy.retained(&array)?;
            let (before, total, own) = (self.copy.cells, self.copy.total, cells_of(group));
            compare(&array, &copy, &spec, versions, &mut |compared: MergedCells| {
                let cells = before.saturating_add(compared.cells.min(own)).min(total);
                (self.copy.on_merged)(MergedCells { cells, total })
            })?;
            self.copy.cells = before.saturating_add(own);
        }
        Ok(())
    }
}
