//! Dimension labels.

use super::filter::FilterList;
use crate::datatype::{CellValNum, DataOrder, Datatype};
use crate::value::Value;
use tiledb_array::schema as engine;

/// A dimension label: ordered values by which the coordinates of a dimension are selected, such as the latitudes of the rows of a
/// grid.
///
/// ```
/// use tiledb::{ArraySchema, Attribute, DataOrder, Datatype, Dimension, DimensionLabel};
///
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("row", 0..=3_i64))
///     .attribute(Attribute::new::<f64>("temperature"))
///     .label(DimensionLabel::new("latitude", "row", DataOrder::Increasing, Datatype::Float64))
///     .build()?;
/// assert_eq!(schema.labels()[0].dimension(), "row");
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionLabel {
    name: String,
    dimension: String,
    order: DataOrder,
    datatype: Datatype,
    cell_val_num: CellValNum,
    filters: Option<FilterList>,
    tile_extent: Option<Value>,
    uri: Option<String>,
}

impl DimensionLabel {
    /// A label with values of a datatype: numbers, dates, or `StringAscii` for texts.
    pub fn new(
        name: impl Into<String>,
        dimension: impl Into<String>,
        order: DataOrder,
        datatype: Datatype,
    ) -> DimensionLabel {
        let cell_val_num = if datatype.is_string() { CellValNum::Var } else { CellValNum::Fixed(1) };
        DimensionLabel {
            name: name.into(),
            dimension: dimension.into(),
            order,
            datatype,
            cell_val_num,
            filters: None,
            tile_extent: None,
            uri: None,
        }
    }

    /// Sets the filters of the values.
    #[must_use]
    pub fn filters(mut self, filters: impl Into<FilterList>) -> DimensionLabel {
        self.filters = Some(filters.into());
        self
    }

    /// Sets the number of values per tile.
    #[must_use]
    pub fn tile(mut self, extent: impl Into<Value>) -> DimensionLabel {
        self.tile_extent = Some(extent.into());
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the dimension.
    pub fn dimension(&self) -> &str {
        &self.dimension
    }

    /// The order of the values along the dimension.
    pub fn order(&self) -> DataOrder {
        self.order
    }

    /// The datatype of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The number of values per coordinate: one, or any for texts.
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// The URI of the array with the values, of labels of an array that exists.
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    pub(super) fn filter_list(&self) -> Option<&FilterList> {
        self.filters.as_ref()
    }

    pub(super) fn tile_extent(&self) -> Option<&Value> {
        self.tile_extent.as_ref()
    }

    pub(super) fn of_engine(label: &engine::DimensionLabel, schema: &engine::ArraySchema) -> DimensionLabel {
        let dimension = schema.domain().dimensions().get(label.dimension_index as usize);
        DimensionLabel {
            name: label.name.to_string(),
            dimension: dimension.map(|dimension| dimension.name().to_string()).unwrap_or_default(),
            order: DataOrder::of_engine(label.order),
            datatype: Datatype::of_engine(label.datatype),
            cell_val_num: CellValNum::of_engine(label.cell_val_num),
            filters: None,
            tile_extent: None,
            uri: Some(label.location().to_string()).filter(|uri| !uri.is_empty()),
        }
    }
}
