//! Copies an array into a new one with other filters, another capacity, or other tile extents.

use std::collections::HashMap;
use std::sync::Arc;

use super::claim::CopyClaim;
use super::compare::compare;
use super::source::{CopiedHistory, CopySource, CopySources, copy_listed};
use super::target::{TargetContents, check_target};
use super::{ArrayCopy, CopiedArrays, MergedCells, OnMerged, cells_of, check_features, dense, has_current_copy};
use tiledb_array::array::{CopyKind, UnpublishedArray, check_unreserved, remove_unpublished};
use tiledb_array::fragment::{Fragment, FragmentName};
use tiledb_array::schema::{ArraySchema, Dimension, Domain, Field};
use tiledb_core::error::{Error, ErrorContext, Result, bail};
use tiledb_core::types::{CURRENT_VERSION, FormatVersion};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const KIND: CopyKind = CopyKind::Rewrite;

/// How an array is rewritten.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewriteOptions<'a> {
    /// The schema whose filters, capacity and, of a dense array, tile extents the new array gets; otherwise it keeps those of the array.
    pub schema: Option<&'a ArraySchema>,
    /// Merges all fragments into one, which has the cells that a reader sees now. Otherwise each fragment is rewritten with its
    /// timestamps, so that readers at earlier times see the same.
    pub merge: bool,
    /// Continues an interrupted rewrite if there is an array at the target.
    pub resume: bool,
}

/// Copies the array at `from` into a new array at `to`: the newest schema with the filters, the capacity and the tile extents of
/// another one, the fragments, the array metadata, and the arrays of dimension labels; then reads both arrays, and compares all cells. Progress
/// counts cells that were written and cells that were compared.
///
/// A rewrite that fails leaves its target, which is no array before all is copied and compared, so that it can be resumed;
/// fragments that are complete are not written again. The array may be written to, consolidated and vacuumed meanwhile: where a file
/// was removed before it was copied, and where a rewrite is resumed, the array is listed again, and the copy has what it has then.
///
/// # Errors
/// If the schemas differ in more than filters, capacity and extents of dense tiles, the folder `to` is around or inside of the array, or not empty and
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
    let history = if options.merge { CopiedHistory::Now } else { CopiedHistory::Always };
    copy_listed(resources, "rewrite", (from, key, history), &mut |sources, is_again| {
        let mut schema = sources.schema_of_copy()?;
        schema.raise_version(version);
        if let Some(given) = options.schema {
            schema = with_filters_of(&schema, given).context(|| format!("Cannot rewrite '{from}'"))?;
        }
        check_features(from, &schema, version)?;
        check_unreserved(resources.vfs(), to, "Array: Cannot create array")?;
        let rewrite = Rewrite { resources, key, version, is_merged: options.merge, to, schema: &schema };
        let is_resumed = (options.resume || is_again) && rewrite.has_copy()?;
        match rewrite.run(sources, is_resumed, &mut *on_merged)? {
            RewriteOutcome::Complete => Ok(()),
            RewriteOutcome::Outdated(_) => {
                remove_unpublished(resources.vfs(), to, KIND)?;
                match rewrite.run(sources, false, &mut *on_merged)? {
                    RewriteOutcome::Complete => Ok(()),
                    RewriteOutcome::Outdated(difference) => Err(difference),
                }
            }
        }
    })
}

/// The schema with the filters, the capacity and the extents of dense tiles of another one.
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
            && (schema.is_dense() || dimension.tile_extent() == other.tile_extent());
        if !is_equal {
            bail!("The schemas differ in dimension '{name}'; only filters and capacity may differ");
        }
    }
    let filters = |field: &Field| given.field(field.name.as_str()).map(|field| field.filters.clone());
    let mut schema = schema.with_filters(&filters, [given.offsets_filters(), given.validity_filters()])?;
    if schema.is_dense() && dense::differ_in_extents(&schema, given)? {
        schema.replace_domain(Arc::new(domain_with_extents_of(schema.domain(), given.domain())?));
    }
    schema.set_capacity(given.capacity())?;
    Ok(schema)
}

/// A domain with the tile extents of another one.
fn domain_with_extents_of(domain: &Domain, given: &Domain) -> Result<Domain> {
    let dimension = |(own, given): (&Arc<Dimension>, &Arc<Dimension>)| {
        let mut dimension = Dimension::new(own.name(), own.datatype(), own.domain_bytes(), given.tile_extent())?;
        dimension.set_filters(own.filters().clone())?;
        Ok(Arc::new(dimension))
    };
    let dimensions = domain.dimensions().iter().zip(given.dimensions()).map(dimension).collect::<Result<_>>()?;
    Ok(Domain::of(dimensions))
}

/// What became of an attempt to rewrite an array.
enum RewriteOutcome {
    Complete,
    /// Fragments that an earlier attempt copied differ from those of the array.
    Outdated(Error),
}

/// A rewrite of an array as it was listed.
struct Rewrite<'a> {
    resources: &'a Resources,
    key: &'a EncryptionKey,
    version: FormatVersion,
    is_merged: bool,
    to: &'a Uri,
    /// The schema of the copy.
    schema: &'a ArraySchema,
}

impl Rewrite<'_> {
    /// True if there is a copy that can be continued, complete or not. One of an earlier schema of the array is removed.
    ///
    /// # Errors
    /// If there is a copy with other filters, or an array with another schema.
    fn has_copy(&self) -> Result<bool> {
        let Rewrite { resources, to, schema, key, .. } = self;
        if !has_current_copy(resources, to, schema, (key, KIND))? {
            return Ok(false);
        }
        let Some(copy) = UnpublishedArray::load(resources, to, key, KIND)? else { return Ok(false) };
        let actual = copy.schema();
        let filters = |schema: &ArraySchema| {
            let of_fields = schema.fields().iter().map(|field| field.filters.clone());
            of_fields.chain([schema.offsets_filters().clone(), schema.validity_filters().clone()]).collect::<Vec<_>>()
        };
        let is_equal = with_filters_of(actual, schema).is_ok()
            && actual.capacity() == schema.capacity()
            && filters(actual) == filters(schema)
            && !(schema.is_dense() && dense::differ_in_extents(actual, schema)?);
        if !is_equal {
            bail!("Cannot resume: the array at '{to}' has another schema; remove it, or rewrite to another URI");
        }
        Ok(true)
    }

    /// Copies and compares all cells, and makes the copy an array.
    fn run(&self, sources: &CopySources, is_resumed: bool, on_merged: OnMerged<'_>) -> Result<RewriteOutcome> {
        let Rewrite { resources, key, version, is_merged, to, schema } = *self;
        let copies = CopiedArrays::create(resources, sources, to, schema, key, (KIND, is_resumed))?;
        let targets: Vec<&UnpublishedArray> = copies.arrays.iter().map(|(_, copy)| copy).collect();
        let hook = CopyClaim::new(resources, &targets, version.of_new_fragments())?.hook();
        let total = copies.cells().saturating_mul(2);
        let is_published = copies.is_published();
        let mut copy =
            ArrayCopy { resources, key, version, is_merged, is_published, reused: 0, hook, cells: 0, total, on_merged };
        let mut names = Vec::with_capacity(copies.arrays.len());
        for (source, to) in &copies.arrays {
            names.push(copy.array(source, to)?);
        }
        for ((source, to), names) in copies.arrays.iter().zip(&names) {
            match copy.compare(source, to, names)? {
                Some(difference) if copy.reused > 0 && !is_published => {
                    return Ok(RewriteOutcome::Outdated(difference));
                }
                Some(difference) => return Err(difference),
                None => (),
            }
        }
        copies.publish().map(|()| RewriteOutcome::Complete)
    }
}

impl ArrayCopy<'_> {
    /// Compares all cells with those of the copies of each group of fragments; the first difference.
    fn compare(
        &mut self,
        source: &CopySource,
        to: &UnpublishedArray,
        names: &[Option<FragmentName>],
    ) -> Result<Option<Error>> {
        let groups = self.groups(source)?;
        let directory = to.directory()?;
        let copies = to.fragments(&directory)?;
        let copies: HashMap<&FragmentName, &Arc<Fragment>> = copies.iter().map(|copy| (copy.name(), copy)).collect();
        let deletes = self.deletes(source)?;
        // Those of the copy are applied to cells of the copies of fragments as to those of the fragments.
        let directory = directory.with_deletes(|_| false);
        for (group, name) in groups.into_iter().zip(names) {
            let array = self.sources(source, group, &deletes)?;
            let copy = name.as_ref().and_then(|name| copies.get(name)).copied().cloned();
            let copy = to.open_to_read(directory.clone(), Some(copy.into_iter().collect()))?;
            let copy = Arc::new(copy);
            let (spec, versions) = self.retained(&array)?;
            let before = self.cells;
            let total = self.total;
            let own = cells_of(group);
            let difference = compare(&array, &copy, &spec, versions, &mut |compared: MergedCells| {
                let cells = before.saturating_add(compared.cells.min(own)).min(total);
                (self.on_merged)(MergedCells { cells, total })
            })?;
            if difference.is_some() {
                return Ok(difference);
            }
            self.cells = before.saturating_add(own);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::schema::{Attribute, Dimension, Domain};
    use tiledb_core::types::{ArrayType, Datatype, Layout};
    use tiledb_filters::filter::{Filter, FilterType, Pipeline};

    /// What schemas consist of.
    struct SchemaShape {
        array_type: ArrayType,
        orders: [Layout; 2],
        allows_dups: bool,
        dimension: (&'static str, Datatype, [u8; 2], u8),
        attributes: Vec<(&'static str, Datatype)>,
        filters: Vec<Filter>,
        capacity: u64,
    }

    type Change<'a> = &'a dyn Fn(&mut SchemaShape);

    impl SchemaShape {
        fn new() -> SchemaShape {
            SchemaShape {
                array_type: ArrayType::Sparse,
                orders: [Layout::RowMajor, Layout::RowMajor],
                allows_dups: false,
                dimension: ("d", Datatype::Uint8, [1, 8], 4),
                attributes: vec![("a", Datatype::Int32), ("b", Datatype::Int8)],
                filters: Vec::new(),
                capacity: 100,
            }
        }

        fn schema(&self) -> ArraySchema {
            let (name, datatype, domain, extent) = self.dimension;
            let pipeline = || Pipeline::new(self.filters.clone());
            let mut dimension = Dimension::new(name, datatype, Some(&domain), Some(&[extent])).unwrap();
            dimension.set_filters(pipeline()).unwrap();
            let mut schema = ArraySchema::new(self.array_type);
            schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
            for (name, datatype) in &self.attributes {
                let mut attribute = Attribute::new(name, *datatype);
                attribute.set_filters(pipeline()).unwrap();
                schema.add_attribute(Arc::new(attribute)).unwrap();
            }
            schema.set_cell_order(self.orders[0]).unwrap();
            schema.set_tile_order(self.orders[1]).unwrap();
            schema.set_allows_dups(self.allows_dups).unwrap();
            schema.set_capacity(self.capacity).unwrap();
            schema.set_offsets_filters(pipeline());
            schema.set_validity_filters(pipeline());
            schema
        }
    }

    #[test]
    fn rewrite_takes_filters_and_capacity_of_a_schema_that_is_alike() {
        let filters = vec![Filter::new(FilterType::Lz4)];
        let schema = SchemaShape::new().schema();
        let given = SchemaShape { filters: filters.clone(), capacity: 7, ..SchemaShape::new() }.schema();
        let result = with_filters_of(&schema, &given).unwrap();
        let pipelines = result.fields().iter().map(|field| &field.filters);
        assert!(
            pipelines.chain([result.offsets_filters(), result.validity_filters()]).all(|one| one.filters() == filters)
        );
        assert_eq!((result.capacity(), result.fields().len()), (7, 3));
    }

    #[test]
    fn rewrite_refuses_a_schema_that_differs_in_anything_else() {
        let different: [(&str, Change<'_>); 12] = [
            ("array type", &|shape| shape.array_type = ArrayType::Dense),
            ("order", &|shape| shape.orders[0] = Layout::ColMajor),
            ("order", &|shape| shape.orders[1] = Layout::ColMajor),
            ("duplicates", &|shape| shape.allows_dups = true),
            ("number of fields", &|shape| shape.attributes.truncate(1)),
            ("no attribute 'b'", &|shape| shape.attributes[1].0 = "c"),
            ("type of attribute 'b'", &|shape| shape.attributes[1].1 = Datatype::Uint8),
            ("dimension 'd'", &|shape| shape.dimension.0 = "e"),
            ("dimension 'd'", &|shape| shape.dimension.1 = Datatype::Int8),
            ("dimension 'd'", &|shape| shape.dimension.2 = [0, 8]),
            ("dimension 'd'", &|shape| shape.dimension.3 = 2),
            // An attribute of the name of the dimension is none of the array's.
            ("no attribute 'b'", &|shape| (shape.attributes[1].0, shape.dimension.0) = ("d", "b")),
        ];
        let schema = SchemaShape::new().schema();
        for (number, (text, change)) in different.into_iter().enumerate() {
            let mut shape = SchemaShape::new();
            change(&mut shape);
            let error = with_filters_of(&schema, &shape.schema()).map(drop).unwrap_err();
            assert!(error.text().contains(text), "{number}: {error:?}");
        }
    }
}
