//! Validation of dimensions, attributes and other parts when they are added to a schema.

use super::{Attribute, Domain, EnumerationRef, filter_check};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::NumberKind;
use tiledb_filters::filter::{FilterType, Pipeline};

/// The dimensions of dense arrays are integers of one type.
pub(super) fn dense_domain(domain: &Domain) -> Result<()> {
    if !domain.is_homogeneous() {
        bail!("ArraySchema: Cannot set domain; In dense arrays, all dimensions must have the same datatype");
    }
    for dimension in domain.dimensions() {
        let datatype = dimension.datatype();
        if dimension.is_var() || datatype.is_float() {
            bail!(
                "ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype '{}'",
                datatype.name()
            );
        }
    }
    Ok(())
}

/// An attribute that indexes an enumeration has one integer per cell, wide enough for all
/// indexes.
pub(super) fn enumeration_of(attribute: &Attribute, enumeration: &EnumerationRef) -> Result<()> {
    let datatype = attribute.datatype();
    if !datatype.is_index() {
        bail!(
            "ArraySchema: Unable to use enumeration with attribute '{}', attribute must have an integral data type, not {}",
            attribute.name(),
            datatype.name()
        );
    }
    if attribute.cell_val_num().fixed() != Some(1) {
        bail!("ArraySchema: Attributes with enumerations must have a cell_val_num of 1.");
    }
    let is_signed = datatype.physical().kind() == NumberKind::Signed;
    let bits = 8 * datatype.size() as u32 - u32::from(is_signed);
    let count = enumeration.loaded().map_or(0, |loaded| loaded.len() as u128);
    if count > 1 << bits {
        bail!(
            "ArraySchema: Unable to use enumeration '{}' for attribute '{}' because the attribute's type is not large enough to represent all enumeration values.",
            enumeration.name,
            attribute.name()
        );
    }
    Ok(())
}

/// Checks the filters that dimensions without their own inherit.
pub(super) fn coords_filters(filters: &Pipeline, domain: &Domain) -> Result<()> {
    for dimension in domain.dimensions().iter().filter(|dimension| dimension.filters().is_empty()) {
        if dimension.datatype().is_float() && filters.has(FilterType::DoubleDelta) {
            bail!("ArraySchema: Real dimension cannot inherit coordinate filters with DOUBLE DELTA compression");
        }
        if let Some(name) = filter_check::misplaced(filters).filter(|_| dimension.is_var()) {
            bail!(
                "ArraySchema: {name} filter must be the first filter to apply when used on variable length string dimensions"
            );
        }
    }
    Ok(())
}
