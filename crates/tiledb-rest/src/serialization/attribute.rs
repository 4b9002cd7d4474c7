//! Serialization of attributes.

use super::filters;
use super::format::{in_field, required};
use crate::encoding::{Builder, View};
use crate::messages;
use tiledb_array::schema::Attribute;
use tiledb_core::error::Result;
use tiledb_core::types::{DataOrder, Datatype};

/// Puts an attribute into a message.
pub(super) fn fill(out: &mut Builder<'_, messages::Attribute>, attribute: &Attribute) -> Result<()> {
    let (fill, fill_valid) = attribute.fill();
    out.set(messages::Attribute::CELL_VAL_NUM, attribute.cell_val_num().number());
    out.set_text(messages::Attribute::NAME, attribute.name())?;
    out.set_text(messages::Attribute::TYPE, attribute.datatype().name())?;
    filters::fill(&mut out.child(messages::Attribute::FILTER_PIPELINE)?, attribute.filters())?;
    out.set_data(messages::Attribute::FILL_VALUE, fill)?;
    out.set(messages::Attribute::NULLABLE, attribute.nullable());
    out.set(messages::Attribute::FILL_VALUE_VALIDITY, fill_valid || !attribute.nullable());
    out.set_text(messages::Attribute::ORDER, attribute.order().name())?;
    if let Some(name) = attribute.enumeration() {
        out.set_text(messages::Attribute::ENUMERATION_NAME, name)?;
    }
    Ok(())
}

/// The attribute of a message.
pub(super) fn of(view: View<'_, messages::Attribute>) -> Result<Attribute> {
    let name = required("Attribute.name", view.text(messages::Attribute::NAME)?)?;
    let datatype = required("Attribute.type", view.text(messages::Attribute::TYPE)?)?;
    let mut attribute = Attribute::new(name, Datatype::from_name(datatype).map_err(in_field("Attribute.type"))?);
    attribute
        .set_cell_val_num(view.get(messages::Attribute::CELL_VAL_NUM))
        .map_err(in_field("Attribute.cellValNum"))?;
    attribute.set_nullable(view.get(messages::Attribute::NULLABLE));
    if let Some(fill) = view.data(messages::Attribute::FILL_VALUE)? {
        let set = match attribute.nullable() {
            true => attribute.set_fill_nullable(Some(fill), view.get(messages::Attribute::FILL_VALUE_VALIDITY)),
            false => attribute.set_fill(Some(fill)),
        };
        set.map_err(in_field("Attribute.fillValue"))?;
    }
    if let Some(order) = view.text(messages::Attribute::ORDER)? {
        attribute.set_order(DataOrder::from_name(order).map_err(in_field("Attribute.order"))?);
    }
    if let Some(name) = view.text(messages::Attribute::ENUMERATION_NAME)? {
        attribute.set_enumeration(name).map_err(in_field("Attribute.enumerationName"))?;
    }
    Ok(attribute.with_filters(filters::of(view.child(messages::Attribute::FILTER_PIPELINE)?)?))
}
