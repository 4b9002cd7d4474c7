//! Dimension labels: the references of a schema to its label arrays.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, DataOrder, Datatype, HasName, Name};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::filter::Pipeline;
use tiledb_storage::vfs::Uri;

/// A dimension label: a separate array that maps the indexes of a dimension to label values, such as timestamps or names.
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionLabel {
    /// The dimension it labels.
    pub dimension_index: u32,
    /// The name of the label.
    pub name: Name,
    /// True if [`DimensionLabel::uri`] is relative to the array.
    pub is_relative: bool,
    /// URI of the label's array.
    pub uri: Name,
    /// The attribute of the label's array that holds the labels.
    pub attribute: Name,
    /// The order of the labels.
    pub order: DataOrder,
    /// The type of the labels.
    pub datatype: Datatype,
    /// Values per label.
    pub cell_val_num: CellValNum,
    /// True if the label's array does not belong to this array.
    pub is_external: bool,
    /// URI of the label's array as reported to callers: absolute once the location of the labelled array is known.
    pub(super) location: Name,
    /// Options of the label array before it is created; `None` once it exists.
    pub(super) planned: Option<LabelArray>,
}

impl HasName for DimensionLabel {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl DimensionLabel {
    /// A label whose array belongs to the labelled array.
    pub(super) fn internal(
        dimension_index: u32,
        name: &str,
        uri: &str,
        order: DataOrder,
        datatype: Datatype,
    ) -> DimensionLabel {
        DimensionLabel {
            dimension_index,
            name: Name::new(name),
            is_relative: true,
            uri: Name::new(uri),
            attribute: Name::new("label"),
            order,
            datatype,
            cell_val_num: datatype.coordinate_cells(),
            is_external: false,
            location: Name::new(uri),
            planned: Some(LabelArray::default()),
        }
    }

    /// A label of an array that exists.
    #[expect(clippy::too_many_arguments, reason = "a label has so many parts")]
    pub fn existing(
        dimension_index: u32,
        name: &str,
        uri: &str,
        attribute: &str,
        order: DataOrder,
        datatype: Datatype,
        cell_val_num: CellValNum,
        is_external: bool,
    ) -> DimensionLabel {
        let uri = Name::new(uri);
        DimensionLabel {
            dimension_index,
            name: Name::new(name),
            is_relative: true,
            location: uri.clone(),
            uri,
            attribute: Name::new(attribute),
            order,
            datatype,
            cell_val_num,
            is_external,
            planned: None,
        }
    }

    /// True while its array does not exist.
    pub fn is_planned(&self) -> bool {
        self.planned.is_some()
    }

    /// URI of the label's array: absolute if the labelled array was created or opened, or else relative to it.
    pub fn location(&self) -> &Name {
        &self.location
    }

    /// URI of the array of a label of the array at `array`.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn array_uri(&self, array: &Uri) -> Result<Uri> {
        if self.is_relative { array.join_relative(&self.uri) } else { Uri::parse(&self.uri) }
    }

    /// The least size of a stored label.
    pub(super) const MIN_SIZE: usize = 4 + 4 + 1 + 8 + 4 + 1 + 1 + 4 + 1;

    /// Reads one label of a schema.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub(super) fn read(r: &mut WireReader) -> Result<DimensionLabel> {
        let dimension_index = r.u32()?;
        let name = Name::new(r.str32()?);
        let is_relative = r.u8()? != 0;
        let uri = Name::new(r.str64()?);
        Ok(DimensionLabel {
            dimension_index,
            name,
            is_relative,
            location: uri.clone(),
            uri,
            attribute: Name::new(r.str32()?),
            order: DataOrder::from_number(u32::from(r.u8()?))?,
            datatype: Datatype::from_number(u32::from(r.u8()?))?,
            cell_val_num: match CellValNum::from_number(r.u32()?) {
                Some(number) => number,
                None => bail!(Corrupt, "A dimension label has no values per cell"),
            },
            is_external: r.u8()? != 0,
            planned: None,
        })
    }

    /// Writes the label.
    pub(super) fn write(&self, w: &mut WireWriter) {
        w.u32(self.dimension_index)
            .str32(&self.name)
            .u8(u8::from(self.is_relative))
            .str64(&self.uri)
            .str32(&self.attribute)
            .u8(self.order.number())
            .u8(self.datatype.number())
            .u32(self.cell_val_num.number())
            .u8(u8::from(self.is_external));
    }
}

/// Options of a label array before it is created.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LabelArray {
    pub(super) filters: Option<Pipeline>,
    pub(super) extent: Extent,
}

/// The tile extent of a label's array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Extent {
    /// The extent of the labelled dimension.
    #[default]
    OfDimension,
    /// An explicit extent; the whole domain if `None`.
    Explicit(Option<Vec<u8>>),
}
