//! One attribute: name, type, values per cell, fill value and filters.

use super::filter_check;
use std::sync::Arc;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, DataOrder, Datatype, FormatVersion, HasName, Name, default_fill};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::filter::Pipeline;

/// Maximum size of a cell in bytes: its fill value is stored in memory.
pub(super) const MAX_CELL_SIZE: usize = 1 << 28;

/// An attribute of an array: a named, typed value in each cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    name: Name,
    datatype: Datatype,
    cell_val_num: CellValNum,
    nullable: bool,
    fill: Arc<[u8]>,
    fill_valid: bool,
    filters: Pipeline,
    order: DataOrder,
    enumeration: Option<Name>,
}

impl HasName for Attribute {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl Attribute {
    /// An attribute of one value per cell (any number for `ANY`), not nullable, without filters and
    /// with the default fill value.
    pub fn new(name: &str, datatype: Datatype) -> Attribute {
        let cell_val_num = if datatype == Datatype::Any { CellValNum::VAR } else { CellValNum::ONE };
        Attribute {
            name: Name::new(name),
            datatype,
            cell_val_num,
            nullable: false,
            fill: default_fill(datatype, cell_val_num).into(),
            fill_valid: false,
            filters: Pipeline::default(),
            order: DataOrder::Unordered,
            enumeration: None,
        }
    }

    /// The name; empty for an anonymous attribute.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The type of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Values per cell.
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// True if cells have any number of values.
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// Bytes of one cell; of one value where cells have any number of them.
    pub fn cell_size(&self) -> usize {
        let values = self.cell_val_num.fixed().unwrap_or(1) as usize;
        values.saturating_mul(self.datatype.size())
    }

    /// True if cells may be null.
    pub fn nullable(&self) -> bool {
        self.nullable
    }

    /// The fill value of unwritten cells, and whether it is valid if the attribute is nullable.
    pub fn fill(&self) -> (&[u8], bool) {
        (&self.fill, self.fill_valid)
    }

    /// The fill value, shared.
    pub(super) fn shared_fill(&self) -> &Arc<[u8]> {
        &self.fill
    }

    /// The filters of the values.
    pub fn filters(&self) -> &Pipeline {
        &self.filters
    }

    /// The order of the values, as stated by label arrays.
    pub fn order(&self) -> DataOrder {
        self.order
    }

    /// The enumeration the cells index, if any.
    pub fn enumeration(&self) -> Option<&Name> {
        self.enumeration.as_ref()
    }

    /// Sets the values per cell; the fill value becomes the default one again.
    ///
    /// # Errors
    /// For 0, and for anything but a variable number with `ANY`.
    pub fn set_cell_val_num(&mut self, number: u32) -> Result<()> {
        let Some(cell_val_num) = CellValNum::from_number(number) else {
            bail!("Attribute: Cannot set zero values per cell: '{}' takes 1 or more, or TILEDB_VAR_NUM", self.name);
        };
        if self.datatype == Datatype::Any && !cell_val_num.is_var() {
            bail!(
                "Attribute: Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized: '{}' takes TILEDB_VAR_NUM, not {number}",
                self.name
            );
        }
        self.fill = fill_of(&self.name, self.datatype, cell_val_num)?;
        self.cell_val_num = cell_val_num;
        self.fill_valid = false;
        Ok(())
    }

    /// Sets whether cells may be null.
    pub fn set_nullable(&mut self, nullable: bool) {
        self.nullable = nullable;
    }

    /// Sets the filters of the values.
    ///
    /// # Errors
    /// If a filter does not accept its input.
    pub fn set_filters(&mut self, filters: Pipeline) -> Result<()> {
        filter_check::field(&filters, self.datatype, self.cell_val_num)?;
        self.filters = filters;
        Ok(())
    }

    /// Replaces the filters, unchecked, as for stored attributes.
    #[must_use]
    pub fn with_filters(self, filters: Pipeline) -> Attribute {
        Attribute { filters, ..self }
    }

    /// Reading does not compare digests.
    pub(super) fn skip_checksums(&mut self) {
        self.filters.skip_checksums();
    }

    /// Sets the order of the values.
    pub fn set_order(&mut self, order: DataOrder) {
        self.order = order;
    }

    /// Names the enumeration the cells index.
    ///
    /// # Errors
    /// For an empty name.
    pub fn set_enumeration(&mut self, name: &str) -> Result<()> {
        if name.is_empty() {
            bail!("Attribute: Invalid enumeration name, name must not be empty. Attribute: '{}'", self.name);
        }
        self.enumeration = Some(Name::new(name));
        Ok(())
    }

    /// Sets the fill value of an attribute that is not nullable.
    ///
    /// # Errors
    /// If the attribute is nullable, or the size is not that of a cell.
    pub fn set_fill(&mut self, value: Option<&[u8]>) -> Result<()> {
        if self.nullable {
            bail!(
                "Attribute: Cannot set fill value; Attribute is nullable: use tiledb_attribute_set_fill_value_nullable for '{}'",
                self.name
            );
        }
        self.fill = self.checked_fill(value)?;
        Ok(())
    }

    /// Sets the fill value of a nullable attribute and whether it is valid.
    ///
    /// # Errors
    /// If the attribute is not nullable, or the size is not that of a cell.
    pub fn set_fill_nullable(&mut self, value: Option<&[u8]>, valid: bool) -> Result<()> {
        let fill = self.checked_fill(value)?;
        if !self.nullable {
            bail!(
                "Attribute: Cannot set fill value; Attribute is not nullable: use tiledb_attribute_set_fill_value for '{}'",
                self.name
            );
        }
        self.fill = fill;
        self.fill_valid = valid;
        Ok(())
    }

    fn checked_fill(&self, value: Option<&[u8]>) -> Result<Arc<[u8]>> {
        let Some(value) = value else {
            bail!("Attribute: Cannot set fill value; Input value cannot be null: that of '{}'", self.name);
        };
        if value.is_empty() {
            bail!("Attribute: Cannot set fill value; Input size cannot be 0: that of '{}'", self.name);
        }
        if !self.is_var() && value.len() != self.cell_size() {
            bail!(
                "Attribute: Cannot set fill value; Input size is not the same as cell size: {} bytes for '{}', whose cells have {}",
                value.len(),
                self.name,
                self.cell_size()
            );
        }
        Ok(value.into())
    }

    /// The fill value of an attribute that is not nullable.
    ///
    /// # Errors
    /// If the attribute is nullable.
    pub fn fill_value(&self) -> Result<&[u8]> {
        if self.nullable {
            bail!(
                "Attribute: Cannot get fill value; Attribute is nullable: use tiledb_attribute_get_fill_value_nullable for '{}'",
                self.name
            );
        }
        Ok(&self.fill)
    }

    /// The fill value of a nullable attribute and whether it is valid.
    ///
    /// # Errors
    /// If the attribute is not nullable.
    pub fn fill_value_nullable(&self) -> Result<(&[u8], bool)> {
        if !self.nullable {
            bail!(
                "Attribute: Cannot get fill value; Attribute is not nullable: use tiledb_attribute_get_fill_value for '{}'",
                self.name
            );
        }
        Ok((&self.fill, self.fill_valid))
    }

    /// The least size of a stored attribute: name, datatype, values per cell and filters.
    pub(super) const MIN_SIZE: usize = 4 + 1 + 4 + 8;

    /// Reads one attribute of a schema.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub(super) fn read(r: &mut WireReader, version: FormatVersion) -> Result<Attribute> {
        let name = r.str32()?;
        let datatype = Datatype::from_number(u32::from(r.u8()?))?;
        let number = r.u32()?;
        let Some(cell_val_num) = CellValNum::from_number(number) else {
            bail!(Corrupt, "Attribute '{name}' has no values per cell");
        };
        let mut attribute = Attribute { cell_val_num, ..Attribute::new(name, datatype) };
        attribute.filters = Pipeline::read(r, version)?;
        attribute.fill = if version.has_fill_values() {
            let size = r.length64()?;
            r.bytes(size)?.into()
        } else {
            fill_of(name, datatype, cell_val_num)?
        };
        if version.has_nullable() {
            attribute.nullable = r.u8()? != 0;
            attribute.fill_valid = r.u8()? != 0;
        }
        if version.has_attribute_order() {
            attribute.order = DataOrder::from_number(u32::from(r.u8()?))?;
        }
        if version.has_enumerations() {
            let enumeration = r.str32()?;
            attribute.enumeration = (!enumeration.is_empty()).then(|| Name::new(enumeration));
        }
        if !attribute.is_var() && attribute.fill.len() != attribute.cell_size() {
            bail!(
                Corrupt,
                "Attribute '{name}' has a fill value of {} bytes in cells of {}",
                attribute.fill.len(),
                attribute.cell_size()
            );
        }
        Ok(attribute)
    }

    /// Writes the attribute as writable versions have it.
    pub(super) fn write(&self, w: &mut WireWriter, version: FormatVersion) {
        w.str32(&self.name).u8(self.datatype.number()).u32(self.cell_val_num.number());
        self.filters.write(w, version);
        w.u64(self.fill.len() as u64).bytes(&self.fill);
        w.u8(u8::from(self.nullable)).u8(u8::from(self.fill_valid));
        w.u8(self.order.number());
        if version.has_enumerations() {
            w.str32(self.enumeration.as_deref().unwrap_or_default());
        }
    }
}

/// The default fill value, refusing cells of a size that no memory should be spent on.
fn fill_of(name: &str, datatype: Datatype, cell_val_num: CellValNum) -> Result<Arc<[u8]>> {
    let values = cell_val_num.fixed().unwrap_or(1) as usize;
    if values.saturating_mul(datatype.size()) > MAX_CELL_SIZE {
        bail!(
            "Attribute: Cannot set number of values per cell; {values} values of type {} in attribute '{name}' exceed {MAX_CELL_SIZE} bytes",
            datatype.name()
        );
    }
    Ok(default_fill(datatype, cell_val_num).into())
}
