//! Serialization of current domains.

use std::sync::Arc;

use super::format::{in_field, required};
use crate::encoding::{Builder, View};
use crate::messages::{self, NDRectangle, SubarrayRanges};
use tiledb_array::schema::{CurrentDomain, Dimension, Domain, NdRectangle};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Datatype;

/// The only type of current domain.
const RECTANGLE: &str = "NDRECTANGLE";
/// The only version.
const VERSION: u32 = 0;

/// Puts a current domain into a message.
pub(super) fn fill(out: &mut Builder<'_, messages::CurrentDomain>, current: &CurrentDomain) -> Result<()> {
    out.set(messages::CurrentDomain::VERSION, VERSION);
    let Some(rectangle) = current.rectangle() else {
        out.set(messages::CurrentDomain::EMPTY_CURRENT_DOMAIN, ());
        return Ok(());
    };
    out.set_text(messages::CurrentDomain::TYPE, RECTANGLE)?;
    let mut rectangle_out = out.child(messages::CurrentDomain::ND_RECTANGLE)?;
    let dimensions = rectangle.domain().dimensions();
    let mut list = rectangle_out.list(NDRectangle::NDRANGES, dimensions.len())?;
    for (index, dimension) in dimensions.iter().enumerate() {
        let mut out = list.get(index)?;
        out.set_text(SubarrayRanges::TYPE, dimension.datatype().name())?;
        let Some(range) = rectangle.range(index)? else {
            bail!("the current domain has no range for dimension {index}");
        };
        let bytes = [range.low(), range.high()].concat();
        let low = if range.is_var() { range.low().len() } else { 0 };
        out.set_data(SubarrayRanges::BUFFER, &bytes)?;
        out.set_numbers(SubarrayRanges::BUFFER_SIZES, &[bytes.len() as u64])?;
        out.set_numbers(SubarrayRanges::BUFFER_START_SIZES, &[low as u64])?;
    }
    Ok(())
}

/// Deserializes a current domain. If the dimensions are not known, they are taken from the message.
pub(super) fn of(view: View<'_, messages::CurrentDomain>, domain: Option<&Arc<Domain>>) -> Result<CurrentDomain> {
    let version = view.get(messages::CurrentDomain::VERSION);
    if version > VERSION {
        bail!(Unsupported, "CurrentDomain.version: {version} is newer than this library's, which is {VERSION}");
    }
    if view.is(messages::CurrentDomain::EMPTY_CURRENT_DOMAIN) {
        return Ok(CurrentDomain::default());
    }
    let kind = view.text(messages::CurrentDomain::TYPE)?.unwrap_or_default();
    if kind != RECTANGLE || !view.is(messages::CurrentDomain::ND_RECTANGLE) {
        bail!(Corrupt, "CurrentDomain.type: '{kind}' is unknown; there are rectangles, of type {RECTANGLE}");
    }
    let rectangle = required("CurrentDomain.ndRectangle", view.child(messages::CurrentDomain::ND_RECTANGLE)?)?;
    let ranges = rectangle.items(NDRectangle::NDRANGES)?;
    let domain = match domain {
        Some(domain) if domain.len() != ranges.len() => {
            bail!(Corrupt, "NDRectangle.ndranges: {} ranges for {} dimensions", ranges.len(), domain.len())
        }
        Some(domain) => domain.clone(),
        None => {
            let mut dimensions = Vec::new();
            for range in ranges.iter() {
                memory::push("dimensions", &mut dimensions, Arc::new(Dimension::nameless(type_of(range)?)?))?;
            }
            Arc::new(Domain::of(dimensions))
        }
    };
    let mut filled = NdRectangle::new(domain.clone());
    for (index, (range, dimension)) in ranges.iter().zip(domain.dimensions()).enumerate() {
        let (low, high) = ends_of(range, dimension)?;
        filled.set_range(index, low, high).map_err(in_field("NDRectangle.ndranges"))?;
    }
    Ok(CurrentDomain::of(Arc::new(filled)))
}

fn type_of(view: View<'_, SubarrayRanges>) -> Result<Datatype> {
    let name = required("SubarrayRanges.type", view.text(SubarrayRanges::TYPE)?)?;
    Datatype::from_name(name).map_err(in_field("SubarrayRanges.type"))
}

/// The ends of the one range.
fn ends_of<'a>(view: View<'a, SubarrayRanges>, dimension: &Dimension) -> Result<(&'a [u8], &'a [u8])> {
    if type_of(view)? != dimension.datatype() {
        bail!(Corrupt, "SubarrayRanges.type: the dimension is of type {}", dimension.datatype().name());
    }
    let bytes = view.data(SubarrayRanges::BUFFER)?.unwrap_or_default();
    let (sizes, starts) = (view.items(SubarrayRanges::BUFFER_SIZES)?, view.items(SubarrayRanges::BUFFER_START_SIZES)?);
    if sizes.len() != 1 || sizes.get(0) != Some(bytes.len() as u64) {
        bail!(Corrupt, "SubarrayRanges.bufferSizes: one range of {} bytes is expected", bytes.len());
    }
    let low = match dimension.is_var() {
        true => starts.get(0).unwrap_or(0),
        false => dimension.size() as u64,
    };
    match usize::try_from(low).ok().and_then(|low| bytes.split_at_checked(low)) {
        Some(ends) => Ok(ends),
        None => bail!(Corrupt, "SubarrayRanges.bufferStartSizes: {low} of {} bytes", bytes.len()),
    }
}
