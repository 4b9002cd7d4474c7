//! Attributes.

use super::filters;
use super::form::{at, needed};
use crate::describe;
use crate::message::{Builder, View};
use tiledb_array::schema::Attribute;
use tiledb_core::error::Result;
use tiledb_core::types::{DataOrder, Datatype};

/// Puts an attribute into a message.
pub(super) fn fill(out: &mut Builder<'_, describe::Attribute>, attribute: &Attribute) -> Result<()> {
    let (fill, fill_valid) = attribute.fill();
    out.set(describe::Attribute::CELL_VAL_NUM, attribute.cell_val_num().number());
    out.set_text(describe::Attribute::NAME, attribute.name())?;
    out.set_text(describe::Attribute::TYPE, attribute.datatype().name())?;
    filters::fill(&mut out.child(describe::Attribute::FILTER_PIPELINE)?, attribute.filters())?;
    out.set_data(describe::Attribute::FILL_VALUE, fill)?;
    out.set(describe::Attribute::NULLABLE, attribute.nullable());
    out.set(describe::Attribute::FILL_VALUE_VALIDITY, fill_valid || !attribute.nullable());
    out.set_text(describe::Attribute::ORDER, attribute.order().name())?;
    if let Some(name) = attribute.enumeration() {
        out.set_text(describe::Attribute::ENUMERATION_NAME, name)?;
    }
    Ok(())
}

/// The attribute of a message.
pub(super) fn of(view: View<'_, describe::Attribute>) -> Result<Attribute> {
    let name = needed("Attribute.name", view.text(describe::Attribute::NAME)?)?;
    let datatype = needed("Attribute.type", view.text(describe::Attribute::TYPE)?)?;
    let mut attribute = Attribute::new(name, Datatype::from_name(datatype).map_err(at("Attribute.type"))?);
    attribute.set_cell_val_num(view.get(describe::Attribute::CELL_VAL_NUM)).map_err(at("Attribute.cellValNum"))?;
    attribute.set_nullable(view.get(describe::Attribute::NULLABLE));
    if let Some(fill) = view.data(describe::Attribute::FILL_VALUE)? {
        let set = match attribute.nullable() {
            true => attribute.set_fill_nullable(Some(fill), view.get(describe::Attribute::FILL_VALUE_VALIDITY)),
            false => attribute.set_fill(Some(fill)),
        };
        set.map_err(at("Attribute.fillValue"))?;
    }
    if let Some(order) = view.text(describe::Attribute::ORDER)? {
        attribute.set_order(DataOrder::from_name(order).map_err(at("Attribute.order"))?);
    }
    if let Some(name) = view.text(describe::Attribute::ENUMERATION_NAME)? {
        attribute.set_enumeration(name).map_err(at("Attribute.enumerationName"))?;
    }
    Ok(attribute.with_filters(filters::of(view.child(describe::Attribute::FILTER_PIPELINE)?)?))
}
