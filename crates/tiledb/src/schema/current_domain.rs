//! Current domains: the part of the domain in which cells may lie at present.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::value::Value;
use tiledb_array::schema as engine;

/// Bounds of dimensions by name.
pub(super) type DimensionBounds = Vec<(String, Value, Value)>;

/// A current domain of a domain.
pub(super) fn current_domain(domain: &Arc<engine::Domain>, bounds: &DimensionBounds) -> Result<engine::CurrentDomain> {
    let mut rectangle = engine::NdRectangle::new(Arc::clone(domain));
    for (name, low, high) in bounds {
        let index = rectangle.index_of(name)?;
        let datatype = crate::datatype::Datatype::of_engine(rectangle.datatype(index)?);
        let (low, high) = (low.to_bytes(datatype)?, high.to_bytes(datatype)?);
        rectangle.set_range(index, &low, &high).map_err(|error| Error::from(error).refined(ErrorKind::Schema))?;
    }
    Ok(engine::CurrentDomain::of(Arc::new(rectangle)))
}

/// The bounds of a current domain; `None` if it is empty: cells may lie in the whole domain.
pub(super) fn bounds_of(current: &engine::CurrentDomain) -> Option<DimensionBounds> {
    let rectangle = current.rectangle()?;
    let bounds = rectangle.domain().dimensions().iter().enumerate().filter_map(|(index, dimension)| {
        let range = rectangle.range(index).ok()??;
        let datatype = crate::datatype::Datatype::of_engine(dimension.datatype());
        let value = |bytes: &[u8]| Value::from_bytes(datatype, bytes);
        Some((dimension.name().to_string(), value(range.low()), value(range.high())))
    });
    Some(bounds.collect())
}
