//! Serialization of typed values and of non-empty domains.

use super::format::{Deserializer, SerializationType, in_field, while_doing};
use crate::encoding::{Builder, View};
use crate::messages::{self, DomainArray, NonEmptyDomainList};
use tiledb_array::schema::Domain;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellRange, Datatype, NdRange, PhysicalType, dispatch};

/// The lists of values, by physical type.
macro_rules! lists {
    ($($physical:ident $type:ty, $field:ident;)+) => {
        /// Puts values into the list of their type.
        pub(super) fn fill_values(out: &mut Builder<'_, DomainArray>, datatype: Datatype, bytes: &[u8]) -> Result<()> {
            match datatype.physical() {
                $(PhysicalType::$physical => {
                    let values: Vec<$type> = bytes.chunks_exact(size_of::<$type>()).map(bytemuck::pod_read_unaligned).collect();
                    out.set_numbers(DomainArray::$field, &values)
                })+
            }
        }

        /// The values in the list of a type, as bytes.
        pub(super) fn values(view: View<'_, DomainArray>, datatype: Datatype) -> Result<Vec<u8>> {
            match datatype.physical() {
                $(PhysicalType::$physical => {
                    let values = view.items(DomainArray::$field)?.to_vec()?;
                    memory::copied("values of a message", bytemuck::cast_slice(&values))
                })+
            }
        }
    };
}

lists! {
    I8 i8, INT8; U8 u8, UINT8; I16 i16, INT16; U16 u16, UINT16; I32 i32, INT32; U32 u32, UINT32; I64 i64, INT64;
    U64 u64, UINT64; F32 f32, FLOAT32; F64 f64, FLOAT64;
}

/// Writes the domain of an array, dimension by dimension.
///
/// # Errors
/// If memory does not suffice.
pub fn write_all(form: SerializationType, domain: Option<&NdRange>) -> Result<Vec<u8>> {
    form.write(|out| fill(out, domain)).map_err(while_doing("serializing nonempty domain"))
}

/// Reads the domain of an array with these dimensions; `None` if it is empty.
///
/// # Errors
/// If the bytes are no domain, or one of other dimensions.
pub fn read_all(reading: Deserializer, bytes: &[u8], dimensions: &Domain) -> Result<Option<NdRange>> {
    reading.read(bytes, |view| of(view, dimensions)).map_err(while_doing("deserializing nonempty domain"))
}

/// Puts a domain into a message.
pub(super) fn fill(out: &mut Builder<'_, NonEmptyDomainList>, domain: Option<&NdRange>) -> Result<()> {
    let Some(domain) = domain else { return Ok(()) };
    let mut list = out.list(NonEmptyDomainList::NON_EMPTY_DOMAINS, domain.len())?;
    for (index, range) in domain.iter().enumerate() {
        let mut one = list.get(index)?;
        let bytes = [range.low(), range.high()].concat();
        one.set(messages::NonEmptyDomain::IS_EMPTY, bytes.is_empty());
        if bytes.is_empty() {
            continue;
        }
        one.child(messages::NonEmptyDomain::NON_EMPTY_DOMAIN)?.set_numbers(DomainArray::UINT8, &bytes)?;
        if range.is_var() && !range.low().is_empty() {
            one.set_numbers(messages::NonEmptyDomain::SIZES, &[range.low().len() as u64])?;
        }
    }
    Ok(())
}

/// The domain of a message.
pub(super) fn of(view: View<'_, NonEmptyDomainList>, dimensions: &Domain) -> Result<Option<NdRange>> {
    let list = view.items(NonEmptyDomainList::NON_EMPTY_DOMAINS)?;
    if list.is_empty() {
        return Ok(None);
    }
    if list.len() != dimensions.len() {
        bail!(Corrupt, "NonEmptyDomainList.nonEmptyDomains: {} ranges for {} dimensions", list.len(), dimensions.len());
    }
    let mut domain = memory::with_capacity("a domain", list.len())?;
    for (one, dimension) in list.iter().zip(dimensions.dimensions()) {
        let values = one.child(messages::NonEmptyDomain::NON_EMPTY_DOMAIN)?;
        let bytes = match values {
            Some(values) => values.items(DomainArray::UINT8)?.bytes(),
            None => &[],
        };
        let low = one.items(messages::NonEmptyDomain::SIZES)?.get(0);
        match dimension.is_var() {
            false if bytes.is_empty() => return Ok(None),
            false => {
                let range = fixed(bytes, dimension.size())?;
                if !is_ordered(&range, dimension.datatype()) {
                    bail!(
                        Corrupt,
                        "NonEmptyDomain.nonEmptyDomain: the range of '{}' ends before it begins",
                        dimension.name()
                    );
                }
                domain.push(range);
            }
            true => domain.push(var(bytes, low.unwrap_or(0))?),
        }
    }
    Ok(Some(domain))
}

/// Whether the ends of a range are in order; NaN, which old arrays may have, is before and after nothing.
fn is_ordered(range: &CellRange, datatype: Datatype) -> bool {
    dispatch!(datatype.physical(), T => {
        let (low, high) = range.ends::<T>();
        !matches!(high.partial_cmp(&low), Some(std::cmp::Ordering::Less))
    })
}

fn fixed(bytes: &[u8], size: usize) -> Result<CellRange> {
    if bytes.len() != 2 * size {
        bail!(Corrupt, "NonEmptyDomain.nonEmptyDomain: {} bytes where two values have {}", bytes.len(), 2 * size);
    }
    CellRange::fixed(&bytes[..size], &bytes[size..]).map_err(in_field("NonEmptyDomain.nonEmptyDomain"))
}

fn var(bytes: &[u8], low: u64) -> Result<CellRange> {
    match usize::try_from(low).ok().and_then(|low| bytes.split_at_checked(low)) {
        Some((low, high)) => Ok(CellRange::var(low, high)),
        None => bail!(Corrupt, "NonEmptyDomain.sizes: {low} of {} bytes", bytes.len()),
    }
}

/// Writes the domain of an array whose dimensions have one type, as its bytes.
///
/// # Errors
/// If memory does not suffice.
pub fn write_box(form: SerializationType, datatype: Datatype, bytes: &[u8], is_empty: bool) -> Result<Vec<u8>> {
    let fill = |out: &mut Builder<'_, messages::NonEmptyDomain>| {
        out.set(messages::NonEmptyDomain::IS_EMPTY, is_empty);
        if bytes.is_empty() {
            return Ok(());
        }
        fill_values(&mut out.child(messages::NonEmptyDomain::NON_EMPTY_DOMAIN)?, datatype, bytes)
    };
    form.write(fill).map_err(while_doing("serializing nonempty domain"))
}

/// Reads the domain of an array with `count` dimensions of one type: its bytes, and whether it is empty.
///
/// # Errors
/// If the bytes are no domain, or one of other dimensions.
pub fn read_box(reading: Deserializer, bytes: &[u8], datatype: Datatype, count: usize) -> Result<(Vec<u8>, bool)> {
    let see = |view: View<'_, messages::NonEmptyDomain>| {
        let is_empty = view.get(messages::NonEmptyDomain::IS_EMPTY);
        let values = match view.child(messages::NonEmptyDomain::NON_EMPTY_DOMAIN)? {
            Some(list) => values(list, datatype)?,
            None => Vec::new(),
        };
        let whole = 2 * count * datatype.size();
        if values.len() != whole && !(is_empty && values.is_empty()) {
            bail!(
                Corrupt,
                "NonEmptyDomain.nonEmptyDomain: {} bytes of {} for {count} dimensions, which take {whole}",
                values.len(),
                datatype.name()
            );
        }
        Ok((values, is_empty))
    };
    reading.read(bytes, see).map_err(while_doing("deserializing nonempty domain"))
}
