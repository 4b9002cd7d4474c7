//! The array schema, which defines the structure of an array, and its validating setters.

use super::field::fields_of;
use super::{
    Attribute, CurrentDomain, DimensionLabel, Domain, Enumeration, EnumerationRef, EnumerationSource, Field,
    SchemaName, part_check,
};
use std::sync::{Arc, OnceLock};
use tiledb_core::env;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{ArrayType, CURRENT_VERSION, FormatVersion, Layout, Name, NamedList};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};

/// Cells per tile of sparse fragments, unless set.
const DEFAULT_CAPACITY: u64 = 10_000;

/// The schema of an array. Cloning shares the parts.
#[derive(Clone, Debug)]
pub struct ArraySchema {
    pub(super) name: SchemaName,
    pub(super) version: FormatVersion,
    pub(super) array_type: ArrayType,
    /// The number C passed as the array type, where it names none.
    pub(super) unknown_type: Option<u32>,
    /// The number C passed as an order, where it names none.
    pub(super) unknown_order: Option<u32>,
    pub(super) allows_dups: bool,
    pub(super) tile_order: Layout,
    pub(super) cell_order: Layout,
    pub(super) capacity: u64,
    pub(super) coords_filters: Pipeline,
    pub(super) offsets_filters: Pipeline,
    pub(super) validity_filters: Pipeline,
    pub(super) domain: Arc<Domain>,
    pub(super) attributes: Vec<Arc<Attribute>>,
    pub(super) labels: NamedList<Arc<DimensionLabel>>,
    pub(super) enumerations: NamedList<EnumerationRef>,
    pub(super) current_domain: CurrentDomain,
    /// URI of the array; empty if there is none.
    pub(super) uri: Name,
    /// Made at first use; every change of a part empties it.
    pub(super) fields: OnceLock<Arc<NamedList<Field>>>,
    /// Digest of the stored bytes.
    pub(super) digest: Option<u64>,
}

impl ArraySchema {
    /// An empty schema for a new array: row-major orders, 10000 cells per tile, and the default
    /// filters of coordinates, offsets and validity.
    pub fn new(array_type: ArrayType) -> ArraySchema {
        ArraySchema::at(array_type, env::timestamp())
    }

    /// As [`ArraySchema::new`], with the time in milliseconds that its name will state.
    pub fn at(array_type: ArrayType, timestamp: u64) -> ArraySchema {
        ArraySchema {
            name: SchemaName::new(timestamp),
            version: CURRENT_VERSION,
            array_type,
            unknown_type: None,
            unknown_order: None,
            allows_dups: false,
            tile_order: Layout::RowMajor,
            cell_order: Layout::RowMajor,
            capacity: DEFAULT_CAPACITY,
            coords_filters: Pipeline::new(vec![Filter::new(FilterType::Zstd)]),
            offsets_filters: Pipeline::new(vec![Filter::new(FilterType::Zstd)]),
            validity_filters: Pipeline::new(vec![Filter::new(FilterType::Rle)]),
            domain: Arc::default(),
            attributes: Vec::new(),
            labels: NamedList::default(),
            enumerations: NamedList::default(),
            current_domain: CurrentDomain::default(),
            uri: Name::new(""),
            fields: OnceLock::new(),
            digest: None,
        }
    }

    /// As [`ArraySchema::new`] or [`ArraySchema::at`] for a number that C passed. A number that is
    /// no array type is accepted here and refused by [`ArraySchema::check`].
    pub fn of_number(array_type: u32, timestamp: Option<u64>) -> ArraySchema {
        let known = ArrayType::from_number(array_type);
        let mut schema =
            ArraySchema::at(*known.as_ref().unwrap_or(&ArrayType::Sparse), timestamp.unwrap_or_else(env::timestamp));
        schema.unknown_type = known.is_err().then_some(array_type);
        schema
    }

    /// The name of the file the schema came from or will be written to, `__t_t_uuid`.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The name with its times.
    pub fn schema_name(&self) -> &SchemaName {
        &self.name
    }

    /// URI of the array; empty for a schema that was not loaded.
    pub fn uri(&self) -> &Name {
        &self.uri
    }

    /// Sets the name of the schema's file.
    pub fn set_name(&mut self, name: SchemaName) {
        self.name = name;
    }

    /// The version of the format it was read from; the current one for a new schema.
    pub fn version(&self) -> FormatVersion {
        self.version
    }

    /// Sets the version of a new schema, unchecked.
    pub fn set_version(&mut self, version: FormatVersion) {
        self.version = version;
        self.changed();
    }

    /// Raises the version to this one if it is older, as upgrade and evolution do. Dimensions without filters keep those that
    /// they inherited from the schema.
    pub fn raise_version(&mut self, version: FormatVersion) {
        self.version = self.version.max(version);
        Arc::make_mut(&mut self.domain).own_filters();
        self.changed();
    }

    /// Dense or sparse.
    pub fn array_type(&self) -> ArrayType {
        self.array_type
    }

    /// True for dense arrays.
    pub fn is_dense(&self) -> bool {
        self.array_type == ArrayType::Dense
    }

    pub fn tile_order(&self) -> Layout {
        self.tile_order
    }

    /// The order of cells within tiles.
    pub fn cell_order(&self) -> Layout {
        self.cell_order
    }

    /// Cells per tile of sparse fragments.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// True if several cells may have the same coordinates.
    pub fn allows_dups(&self) -> bool {
        self.allows_dups
    }

    /// The domain; without dimensions until one is set.
    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// The attributes in order.
    pub fn attributes(&self) -> &[Arc<Attribute>] {
        &self.attributes
    }

    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Attribute>> {
        self.field(name)?.attribute_index.and_then(|index| self.attributes.get(index))
    }

    /// The dimension labels.
    pub fn labels(&self) -> &[Arc<DimensionLabel>] {
        &self.labels
    }

    /// The dimension label with this name.
    pub fn label(&self, name: &str) -> Option<&Arc<DimensionLabel>> {
        self.labels.get(name)
    }

    /// The enumerations and their files.
    pub fn enumerations(&self) -> &[EnumerationRef] {
        &self.enumerations
    }

    pub fn current_domain(&self) -> &CurrentDomain {
        &self.current_domain
    }

    /// The filters of coordinates whose dimension has none.
    pub fn coords_filters(&self) -> &Pipeline {
        &self.coords_filters
    }

    /// The filters of the offsets of variable cells.
    pub fn offsets_filters(&self) -> &Pipeline {
        &self.offsets_filters
    }

    /// The filters of validity bytes.
    pub fn validity_filters(&self) -> &Pipeline {
        &self.validity_filters
    }

    /// Every field: attributes, then dimensions.
    #[inline]
    pub fn fields(&self) -> &[Field] {
        self.table()
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().get(self.field_position(name)?)
    }

    /// The position in [`ArraySchema::fields`] of the field with this name.
    pub fn field_position(&self, name: &str) -> Option<usize> {
        self.table().position(name)
    }

    /// Number of entries in the tables of a fragment without special fields: attributes, one for the coordinates of old
    /// fragments, dimensions.
    pub fn field_count_in_fragment(&self) -> usize {
        self.attributes.len() + 1 + self.domain.len()
    }

    fn table(&self) -> &NamedList<Field> {
        self.fields.get_or_init(|| {
            // Dimensions of schemas before they were fields of their own never fall back.
            let coords = self.version.has_dimension_files().then_some(&self.coords_filters);
            Arc::new(fields_of(&self.attributes, &self.domain, coords))
        })
    }

    /// A digest of the stored bytes that it was read from, if it was.
    pub fn digest(&self) -> Option<u64> {
        self.digest
    }

    pub fn set_digest(&mut self, digest: u64) {
        self.digest = Some(digest);
    }

    /// Reading an array of this schema does not compare digests (`sm.skip_checksum_validation`).
    pub fn skip_checksums(&mut self) {
        for filters in [&mut self.coords_filters, &mut self.offsets_filters, &mut self.validity_filters] {
            filters.skip_checksums();
        }
        for attribute in &mut self.attributes {
            Arc::make_mut(attribute).skip_checksums();
        }
        Arc::make_mut(&mut self.domain).skip_checksums();
        self.changed();
    }

    pub(super) fn changed(&mut self) {
        self.fields = OnceLock::new();
    }

    /// Appends an attribute.
    ///
    /// # Errors
    /// If its name is reserved, or it names an enumeration that the schema lacks or that does not
    /// suit its type.
    pub fn add_attribute(&mut self, attribute: Arc<Attribute>) -> Result<()> {
        self.check_new_attribute(&attribute)?;
        self.attributes.push(attribute);
        self.changed();
        Ok(())
    }

    /// Checks that an attribute can be added.
    ///
    /// # Errors
    /// As those of [`ArraySchema::add_attribute`].
    pub fn check_new_attribute(&self, attribute: &Attribute) -> Result<()> {
        if attribute.name().starts_with("__") {
            bail!(
                "ArraySchema: Cannot add attribute: names starting with '__' are reserved; rename '{}'",
                attribute.name()
            );
        }
        self.check_enumeration_of(attribute)
    }

    /// Copies the schema with these parts, unchecked.
    pub fn with_parts(
        mut self,
        attributes: Vec<Arc<Attribute>>,
        domain: Arc<Domain>,
        current_domain: CurrentDomain,
    ) -> ArraySchema {
        self.attributes = attributes;
        self.domain = domain;
        self.current_domain = current_domain;
        self.digest = None;
        self.changed();
        self
    }

    /// Copies the schema with other filters: those that `of_field` returns for a field, and these of offsets and validity values.
    ///
    /// # Errors
    /// If a field does not accept its filters.
    pub fn with_filters(
        &self,
        of_field: &dyn Fn(&Field) -> Option<Pipeline>,
        [offsets, validity]: [&Pipeline; 2],
    ) -> Result<ArraySchema> {
        let mut attributes = self.attributes.clone();
        let mut dimensions = self.domain.dimensions().to_vec();
        for field in self.fields() {
            let Some(filters) = of_field(field) else { continue };
            if let Some(attribute) = field.attribute_index.and_then(|index| attributes.get_mut(index)) {
                Arc::make_mut(attribute).set_filters(filters)?;
            } else if let Some(dimension) = field.dimension_index.and_then(|index| dimensions.get_mut(index)) {
                Arc::make_mut(dimension).set_filters(filters)?;
            }
        }
        let domain = Arc::new(Domain::of(dimensions));
        let mut schema = self.clone().with_parts(attributes, domain, self.current_domain.clone());
        schema.set_offsets_filters(offsets.clone());
        schema.set_validity_filters(validity.clone());
        Ok(schema)
    }

    /// Replaces the domain, unchecked.
    pub fn replace_domain(&mut self, domain: Arc<Domain>) {
        self.domain = domain;
        self.digest = None;
        self.changed();
    }

    pub(super) fn check_enumeration_of(&self, attribute: &Attribute) -> Result<()> {
        let Some(name) = attribute.enumeration() else { return Ok(()) };
        let Some(enumeration) = self.enumerations.get(name) else {
            bail!("ArraySchema: Cannot add attribute; Attribute refers to an unknown enumeration named '{name}'.");
        };
        part_check::enumeration_of(attribute, enumeration)
    }

    /// The enumeration with this name.
    pub fn enumeration(&self, name: &str) -> Option<&EnumerationRef> {
        self.enumerations.get(name)
    }

    /// The values of the enumeration with this name.
    ///
    /// # Errors
    /// If there is none of this name, or its values cannot be read.
    pub fn loaded_enumeration(&self, name: &str) -> Result<Arc<Enumeration>> {
        let Some(known) = self.enumeration(name) else {
            bail!("ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named '{name}'.");
        };
        known.values()
    }

    /// Adds an enumeration.
    ///
    /// # Errors
    /// If there is one of this name.
    pub fn add_enumeration(&mut self, enumeration: Arc<Enumeration>) -> Result<()> {
        let name = enumeration.name();
        if self.enumeration(name).is_some() {
            bail!(
                "ArraySchema: Error adding enumeration. Enumeration with name '{name}' already exists in this ArraySchema."
            );
        }
        self.enumerations.push(EnumerationRef::of(enumeration));
        Ok(())
    }

    /// Sets where the values of enumerations are loaded from.
    pub fn set_enumeration_source(&mut self, source: &EnumerationSource) {
        self.enumerations.iter_mut().for_each(|known| known.set_source(source));
    }

    /// Sets the domain. Its dimensions get the extents they lack, unless cells are ordered along a Hilbert curve.
    ///
    /// # Errors
    /// If it has no dimension, or a dense array cannot have it.
    pub fn set_domain(&mut self, domain: Arc<Domain>) -> Result<()> {
        self.check_domain(&domain)?;
        let mut domain = domain;
        let lacks_extents = domain.dimensions().iter().any(|dimension| dimension.lacks_extent());
        if self.cell_order != Layout::Hilbert && lacks_extents {
            Arc::make_mut(&mut domain).fill_extents();
        }
        self.domain = domain;
        self.changed();
        Ok(())
    }

    /// Checks that this can be the domain.
    ///
    /// # Errors
    /// As those of [`ArraySchema::set_domain`].
    pub fn check_domain(&self, domain: &Domain) -> Result<()> {
        if domain.is_empty() {
            bail!("ArraySchema: Cannot set domain; Domain must contain at least one dimension");
        }
        if self.is_dense() { part_check::dense_domain(domain) } else { Ok(()) }
    }

    /// Sets the order of cells within tiles.
    ///
    /// # Errors
    /// For orders that cells cannot have.
    pub fn set_cell_order(&mut self, order: Layout) -> Result<()> {
        if self.is_dense() && order == Layout::Hilbert {
            bail!("ArraySchema: Cannot set cell order; Hilbert order is only applicable to sparse arrays");
        }
        if order == Layout::Unordered {
            bail!("ArraySchema: Cannot set cell order; Cannot create ArraySchema with UNORDERED cell order");
        }
        self.cell_order = order;
        Ok(())
    }

    /// As [`ArraySchema::set_cell_order`] for a number that C passed. An invalid number is
    /// accepted here and rejected by [`ArraySchema::check`].
    ///
    /// # Errors
    /// For orders that cells cannot have.
    pub fn set_cell_order_number(&mut self, number: u32) -> Result<()> {
        match self.known_order(number) {
            Some(order) => self.set_cell_order(order),
            None => Ok(()),
        }
    }

    /// As [`ArraySchema::set_cell_order_number`], for tiles.
    ///
    /// # Errors
    /// For orders that tiles cannot have.
    pub fn set_tile_order_number(&mut self, number: u32) -> Result<()> {
        match self.known_order(number) {
            Some(order) => self.set_tile_order(order),
            None => Ok(()),
        }
    }

    /// The order of this number; remembers that there is none.
    fn known_order(&mut self, number: u32) -> Option<Layout> {
        let order = Layout::from_number(number).ok();
        self.unknown_order = if order.is_none() { Some(number) } else { None };
        order
    }

    /// Sets the order of tiles.
    ///
    /// # Errors
    /// For orders that tiles cannot have.
    pub fn set_tile_order(&mut self, order: Layout) -> Result<()> {
        if order == Layout::Hilbert {
            bail!("ArraySchema: Cannot set tile order; Hilbert order is not applicable to tiles");
        }
        if order == Layout::Unordered {
            bail!("ArraySchema: Cannot set tile order; Cannot create ArraySchema with UNORDERED tile order");
        }
        self.tile_order = order;
        Ok(())
    }

    /// Sets the cells per tile of sparse fragments.
    ///
    /// # Errors
    /// For 0 in a sparse array.
    pub fn set_capacity(&mut self, capacity: u64) -> Result<()> {
        if !self.is_dense() && capacity == 0 {
            bail!(
                "ArraySchema: Sparse arrays cannot have their capacity equal to zero. Pass the number of cells per tile, such as 10000"
            );
        }
        self.capacity = capacity;
        Ok(())
    }

    /// Sets whether several cells may have the same coordinates.
    ///
    /// # Errors
    /// For dense arrays, which cannot have such cells.
    pub fn set_allows_dups(&mut self, allows_dups: bool) -> Result<()> {
        if allows_dups && self.is_dense() {
            bail!("ArraySchema: Dense arrays cannot allow coordinate duplicates");
        }
        self.allows_dups = allows_dups;
        Ok(())
    }

    /// Sets the filters of coordinates whose dimension has none.
    ///
    /// # Errors
    /// If a dimension of the domain cannot have them.
    pub fn set_coords_filters(&mut self, filters: Pipeline) -> Result<()> {
        part_check::coords_filters(&filters, &self.domain)?;
        self.coords_filters = filters;
        self.changed();
        Ok(())
    }

    /// Sets the filters of the offsets of variable cells.
    pub fn set_offsets_filters(&mut self, filters: Pipeline) {
        self.offsets_filters = filters;
    }

    /// Sets the filters of validity bytes.
    pub fn set_validity_filters(&mut self, filters: Pipeline) {
        self.validity_filters = filters;
    }

    /// Sets the current domain.
    pub fn set_current_domain(&mut self, current_domain: CurrentDomain) {
        self.current_domain = current_domain;
    }
}
