//! Builder of schemas.

use std::sync::Arc;

use super::array_schema::ArraySchema;
use super::attribute::Attribute;
use super::current_domain::{DimensionBounds, current_domain};
use super::dimension::Dimension;
use super::enumeration::Enumeration;
use super::filter::FilterList;
use super::label::DimensionLabel;
use crate::datatype::{ArrayType, Datatype, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::name::check_text;
use crate::value::Value;
use tiledb_array::schema as engine;

/// Collects the parts of an [`ArraySchema`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `build`"]
pub struct ArraySchemaBuilder {
    array_type: ArrayType,
    dimensions: Vec<Dimension>,
    attributes: Vec<Attribute>,
    enumerations: Vec<Enumeration>,
    labels: Vec<DimensionLabel>,
    orders: Orders,
    filters: SharedFilters,
    current_domain: DimensionBounds,
}

#[derive(Clone, Debug, Default)]
struct Orders {
    tile_order: Option<Layout>,
    cell_order: Option<Layout>,
    capacity: Option<u64>,
    allows_duplicates: bool,
}

/// Filters that several fields share.
#[derive(Clone, Debug, Default)]
struct SharedFilters {
    coords: Option<FilterList>,
    offsets: Option<FilterList>,
    validity: Option<FilterList>,
}

/// Descriptions of schemas.
impl ArraySchema {
    /// Begins the schema of a dense array, in which every cell of the domain exists.
    pub fn dense() -> ArraySchemaBuilder {
        ArraySchemaBuilder::new(ArrayType::Dense)
    }

    /// Begins the schema of a sparse array, in which only the cells exist that were written.
    pub fn sparse() -> ArraySchemaBuilder {
        ArraySchemaBuilder::new(ArrayType::Sparse)
    }
}

impl ArraySchemaBuilder {
    fn new(array_type: ArrayType) -> ArraySchemaBuilder {
        ArraySchemaBuilder {
            array_type,
            dimensions: Vec::new(),
            attributes: Vec::new(),
            enumerations: Vec::new(),
            labels: Vec::new(),
            orders: Orders::default(),
            filters: SharedFilters::default(),
            current_domain: Vec::new(),
        }
    }

    /// Appends a dimension.
    pub fn dimension(mut self, dimension: Dimension) -> ArraySchemaBuilder {
        self.dimensions.push(dimension);
        self
    }

    /// Appends an attribute.
    pub fn attribute(mut self, attribute: Attribute) -> ArraySchemaBuilder {
        self.attributes.push(attribute);
        self
    }

    /// Adds an enumeration, to which attributes refer by its name.
    pub fn enumeration(mut self, enumeration: Enumeration) -> ArraySchemaBuilder {
        self.enumerations.push(enumeration);
        self
    }

    /// Adds a dimension label.
    pub fn label(mut self, label: DimensionLabel) -> ArraySchemaBuilder {
        self.labels.push(label);
        self
    }

    /// Sets the order of tiles; row-major unless it is set.
    pub fn tile_order(mut self, order: Layout) -> ArraySchemaBuilder {
        self.orders.tile_order = Some(order);
        self
    }

    /// Sets the order of cells in a tile; row-major unless it is set. Cells of sparse arrays may be ordered along a Hilbert curve.
    pub fn cell_order(mut self, order: Layout) -> ArraySchemaBuilder {
        self.orders.cell_order = Some(order);
        self
    }

    /// Sets the number of cells per tile of sparse arrays; 10,000 unless it is set.
    pub fn capacity(mut self, cells: u64) -> ArraySchemaBuilder {
        self.orders.capacity = Some(cells);
        self
    }

    /// Lets several cells of a sparse array have the same coordinates.
    pub fn allow_duplicates(mut self) -> ArraySchemaBuilder {
        self.orders.allows_duplicates = true;
        self
    }

    /// Sets the filters of coordinates of dimensions that have none of their own.
    pub fn coords_filters(mut self, filters: impl Into<FilterList>) -> ArraySchemaBuilder {
        self.filters.coords = Some(filters.into());
        self
    }

    /// Sets the filters of the offsets of cells of variable length.
    pub fn offsets_filters(mut self, filters: impl Into<FilterList>) -> ArraySchemaBuilder {
        self.filters.offsets = Some(filters.into());
        self
    }

    /// Sets the filters of the validity of nullable cells.
    pub fn validity_filters(mut self, filters: impl Into<FilterList>) -> ArraySchemaBuilder {
        self.filters.validity = Some(filters.into());
        self
    }

    /// Limits the cells to a part of the domain, which can be expanded later
    /// ([`SchemaEvolution::expand_current_domain`](crate::SchemaEvolution::expand_current_domain)). Call it for every dimension.
    pub fn current_domain<V: Into<Value>>(
        mut self,
        dimension: impl Into<String>,
        bounds: std::ops::RangeInclusive<V>,
    ) -> ArraySchemaBuilder {
        let (low, high) = bounds.into_inner();
        self.current_domain.push((dimension.into(), low.into(), high.into()));
        self
    }

    /// The schema.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema) if a part is invalid or the parts do not fit together.
    pub fn build(&self) -> Result<ArraySchema> {
        self.engine().map_err(|error| error.refined(ErrorKind::Schema)).map(|schema| ArraySchema(Arc::new(schema)))
    }

    fn engine(&self) -> Result<engine::ArraySchema> {
        let mut schema = engine::ArraySchema::new(self.array_type.engine());
        let Orders { tile_order, cell_order, capacity, allows_duplicates } = &self.orders;
        if let Some(order) = cell_order {
            schema.set_cell_order(order.engine())?;
        }
        if let Some(order) = tile_order {
            schema.set_tile_order(order.engine())?;
        }
        if let Some(cells) = capacity {
            schema.set_capacity(*cells)?;
        }
        if *allows_duplicates {
            schema.set_allows_dups(true)?;
        }
        let dimensions = self.dimensions.iter().map(|dimension| dimension.engine().map(Arc::new));
        schema.set_domain(Arc::new(engine::Domain::of(dimensions.collect::<Result<_>>()?)))?;
        for enumeration in &self.enumerations {
            schema.add_enumeration(Arc::clone(&enumeration.0))?;
        }
        for attribute in &self.attributes {
            schema.add_attribute(Arc::new(attribute.engine()?))?;
        }
        self.add_labels(&mut schema)?;
        if let Some(filters) = &self.filters.coords {
            schema.set_coords_filters(filters.engine())?;
        }
        if let Some(filters) = &self.filters.offsets {
            schema.set_offsets_filters(filters.engine());
        }
        if let Some(filters) = &self.filters.validity {
            schema.set_validity_filters(filters.engine());
        }
        if !self.current_domain.is_empty() {
            let current = current_domain(schema.domain(), &self.current_domain)?;
            schema.set_current_domain(current);
        }
        schema.check()?;
        Ok(schema)
    }

    fn add_labels(&self, schema: &mut engine::ArraySchema) -> Result<()> {
        for label in &self.labels {
            let name = label.name();
            check_text(name)?;
            let Some(index) = schema.domain().index_of(label.dimension()) else {
                let dimension = label.dimension();
                return Err(Error::schema(format!("Label '{name}': there is no dimension '{dimension}'")));
            };
            let is_attribute = schema.attribute(name).is_some();
            schema.add_label(index as u32, name, label.order().engine(), label.datatype().engine(), is_attribute)?;
            if let Some(filters) = label.filter_list() {
                schema.set_label_filters(name, filters.engine())?;
            }
            if let Some(extent) = label.tile_extent() {
                let datatype = schema.label_dimension_type(name)?;
                let bytes = extent.to_bytes(Datatype::of_engine(datatype))?;
                schema.set_label_extent(name, datatype, Some(&bytes))?;
            }
        }
        Ok(())
    }
}
