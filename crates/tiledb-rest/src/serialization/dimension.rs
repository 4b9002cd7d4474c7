//! Serialization of dimensions and domains.

use std::sync::Arc;

use super::domain::{fill_values, values};
use super::filters;
use super::format::{in_field, required};
use crate::encoding::{Builder, View};
use crate::messages::{self, DomainArray};
use tiledb_array::schema::{ArraySchema, Dimension, Domain};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Datatype, PhysicalType};

/// Puts the domain of a schema into a message.
pub(super) fn fill(out: &mut Builder<'_, messages::Domain>, schema: &ArraySchema) -> Result<()> {
    let dimensions = schema.domain().dimensions();
    let Some(first) = dimensions.first() else { bail!("the array schema has no domain") };
    out.set_text(messages::Domain::CELL_ORDER, schema.cell_order().name())?;
    out.set_text(messages::Domain::TILE_ORDER, schema.tile_order().name())?;
    out.set_text(messages::Domain::TYPE, first.datatype().name())?;
    let mut list = out.list(messages::Domain::DIMENSIONS, dimensions.len())?;
    for (index, dimension) in dimensions.iter().enumerate() {
        fill_dimension(&mut list.get(index)?, dimension)?;
    }
    Ok(())
}

fn fill_dimension(out: &mut Builder<'_, messages::Dimension>, dimension: &Dimension) -> Result<()> {
    out.set_text(messages::Dimension::NAME, dimension.name())?;
    out.set_text(messages::Dimension::TYPE, dimension.datatype().name())?;
    out.set(messages::Dimension::NULL_TILE_EXTENT, dimension.tile_extent().is_none());
    if let Some(domain) = dimension.domain_bytes() {
        fill_values(&mut out.child(messages::Dimension::DOMAIN)?, dimension.datatype(), domain)?;
    }
    if let Some(extent) = dimension.tile_extent() {
        fill_extent(out, dimension.datatype(), extent);
    }
    filters::fill(&mut out.child(messages::Dimension::FILTER_PIPELINE)?, dimension.filters())
}

/// The fields of a tile extent, by physical type.
macro_rules! extents {
    ($($physical:ident $field:ident,)+) => {
        fn fill_extent(out: &mut Builder<'_, messages::Dimension>, datatype: Datatype, extent: &[u8]) {
            match datatype.physical() {
                $(PhysicalType::$physical => out.set(messages::Dimension::$field, bytemuck::pod_read_unaligned(extent)),)+
            }
        }

        fn extent_of(view: View<'_, messages::Dimension>, datatype: Datatype) -> Result<Vec<u8>> {
            match datatype.physical() {
                $(PhysicalType::$physical if view.is(messages::Dimension::$field) => {
                    Ok(bytemuck::bytes_of(&view.get(messages::Dimension::$field)).to_vec())
                })+
                _ => bail!(Corrupt, "Dimension.tileExtent: it is not of type {}", datatype.name()),
            }
        }
    };
}

extents! {
    I8 INT8, U8 UINT8, I16 INT16, U16 UINT16, I32 INT32, U32 UINT32, I64 INT64, U64 UINT64, F32 FLOAT32, F64 FLOAT64,
}

/// The domain of a message.
pub(super) fn of(view: View<'_, messages::Domain>) -> Result<Domain> {
    let mut dimensions = Vec::new();
    for dimension in view.items(messages::Domain::DIMENSIONS)?.iter() {
        memory::push("dimensions", &mut dimensions, Arc::new(dimension_of(dimension)?))?;
    }
    Ok(Domain::of(dimensions))
}

fn dimension_of(view: View<'_, messages::Dimension>) -> Result<Dimension> {
    let name = required("Dimension.name", view.text(messages::Dimension::NAME)?)?;
    let datatype = required("Dimension.type", view.text(messages::Dimension::TYPE)?)?;
    let datatype = Datatype::from_name(datatype).map_err(in_field("Dimension.type"))?;
    let domain: Option<View<'_, DomainArray>> = view.child(messages::Dimension::DOMAIN)?;
    let domain = match domain {
        Some(domain) if !datatype.coordinate_cells().is_var() => values(domain, datatype)?,
        _ => Vec::new(),
    };
    let extent = match view.get(messages::Dimension::NULL_TILE_EXTENT) {
        true => None,
        false => Some(extent_of(view, datatype)?),
    };
    let filters = filters::of(view.child(messages::Dimension::FILTER_PIPELINE)?)?;
    Dimension::from_parts(name, datatype, &domain, extent.as_deref(), filters).map_err(in_field("Dimension"))
}
