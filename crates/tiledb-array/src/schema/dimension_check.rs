//! Validation of domains and tile extents, with the rules and messages of libtiledb.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Cell, CellRange, Datatype, NumberKind, PhysicalType, dispatch};

/// Operations of coordinate types beyond [`Cell`].
trait Coordinate: Cell {
    /// The value as a wide integer; `None` for floats.
    fn wide(self) -> Option<i128> {
        None
    }

    /// The distance to a greater float, as bytes of the type; empty for integers.
    fn distance_to(self, _high: Self) -> Vec<u8> {
        Vec::new()
    }
}

macro_rules! coordinate {
    ($($type:ident)+) => {$(
        impl Coordinate for $type {
            fn wide(self) -> Option<i128> {
                Some(i128::from(self))
            }
        }
    )+};
}

coordinate! { i8 u8 i16 u16 i32 u32 i64 u64 }

impl Coordinate for f32 {
    fn distance_to(self, high: Self) -> Vec<u8> {
        (high - self).to_le_bytes().to_vec()
    }
}

impl Coordinate for f64 {
    fn distance_to(self, high: Self) -> Vec<u8> {
        (high - self).to_le_bytes().to_vec()
    }
}

/// Rejects types that dimensions do not have.
pub(super) fn datatype(datatype: Datatype) -> Result<()> {
    if !datatype.is_of_dimensions() {
        bail!("TileDB internal: Datatype::{} is not a valid Dimension Datatype", datatype.name());
    }
    Ok(())
}

/// The rules of a domain: two finite ends in order, and a number of cells the type can count.
pub(super) fn domain(name: &str, datatype: Datatype, domain: &CellRange) -> Result<()> {
    dispatch!(datatype.physical(), T => {
        let (low, high) = domain.ends::<T>();
        check_domain(name, low, high)
    })
}

fn check_domain<T: Coordinate>(name: &str, low: T, high: T) -> Result<()> {
    if !low.to_f64().is_finite() || !high.to_f64().is_finite() {
        bail!(
            "Dimension: Domain check failed; domain contains NaN or infinity: dimension '{name}' has [{low}, {high}]; pass \
             finite bounds"
        );
    }
    if low > high {
        bail!(
            "Dimension: Domain check failed; Upper domain bound should not be smaller than the lower one: dimension '{name}' \
             has [{low}, {high}]"
        );
    }
    if low.wide().is_some() && low == T::LOWEST && high == T::HIGHEST {
        bail!(
            "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned number: \
             dimension '{name}' has [{low}, {high}]; make it smaller by one"
        );
    }
    Ok(())
}

/// The rules of a tile extent: positive, no larger than the domain, and the last tile must end
/// within the widest type of its sign.
pub(super) fn extent(name: &str, datatype: Datatype, domain: &CellRange, extent: &[u8]) -> Result<()> {
    dispatch!(datatype.physical(), T => {
        let (low, high) = domain.ends::<T>();
        check_extent(name, low, high, <T as Cell>::from_le(extent))
    })
}

fn check_extent<T: Coordinate>(name: &str, low: T, high: T, extent: T) -> Result<()> {
    match (low.wide(), high.wide(), extent.wide()) {
        (Some(low), Some(high), Some(extent)) => check_integer_extent(name, T::PHYSICAL, low, high, extent),
        _ => check_float_extent(name, low.to_f64(), high.to_f64(), extent.to_f64()),
    }
}

fn check_integer_extent(name: &str, physical: PhysicalType, low: i128, high: i128, extent: i128) -> Result<()> {
    if extent == 0 {
        bail!("Dimension: Tile extent check failed on dimension '{name}'; Tile extent must not be 0");
    }
    // A negative extent is interpreted as the unsigned count with the same 64 bits.
    let count = if extent < 0 { extent + (1 << 64) } else { extent };
    if count > high - low + 1 {
        bail!(
            "Dimension: Tile extent check failed on dimension '{name}'; Tile extent {extent} exceeds range on dimension domain [{low}, {high}]"
        );
    }
    let highest = if physical.kind() == NumberKind::Unsigned { i128::from(u64::MAX) } else { i128::from(i64::MAX) };
    let last_tile = low + (high - low) / count * count;
    if last_tile + count - 1 > highest {
        bail!(
            "Dimension: Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value representable by domain type. Reduce domain max by 1 tile extent to allow for expansion. Dimension '{name}' has the domain [{low}, {high}] and the tile extent {extent}"
        );
    }
    Ok(())
}

fn check_float_extent(name: &str, low: f64, high: f64, extent: f64) -> Result<()> {
    if extent.is_nan() || extent <= 0.0 {
        bail!("Dimension: Tile extent check failed on dimension '{name}'; Tile extent must be greater than 0");
    }
    if extent > high - low + 1.0 {
        bail!(
            "Dimension: Tile extent check failed on dimension '{name}'; Tile extent {extent:.6} exceeds range on dimension domain [{low:.6}, {high:.6}]"
        );
    }
    Ok(())
}

/// The extent that covers the whole domain, as bytes of the type. It is a count, so where a signed
/// type cannot hold it, its bits are those of the unsigned number.
pub(super) fn whole_extent(datatype: Datatype, domain: &CellRange) -> Vec<u8> {
    dispatch!(datatype.physical(), T => {
        let (low, high) = domain.ends::<T>();
        whole(low, high)
    })
}

fn whole<T: Coordinate>(low: T, high: T) -> Vec<u8> {
    match (low.wide(), high.wide()) {
        (Some(low), Some(high)) => (high - low + 1).to_le_bytes()[..size_of::<T>()].to_vec(),
        _ => low.distance_to(high),
    }
}

/// A range a user sets on a dimension: two ends in order.
pub(super) fn range(datatype: Datatype, range: &CellRange) -> Result<()> {
    dispatch!(datatype.physical(), T => {
        let (low, high) = range.ends::<T>();
        if low.to_f64().is_nan() || high.to_f64().is_nan() {
            bail!("Range contains NaN");
        }
        if low > high {
            bail!("Lower range bound {low} cannot be larger than the higher bound {high}");
        }
        Ok(())
    })
}

/// Checks a stored domain: its ends must be in order.
pub(super) fn stored_domain(name: &str, datatype: Datatype, domain: &CellRange) -> Result<()> {
    let in_order = dispatch!(datatype.physical(), T => {
        let (low, high) = domain.ends::<T>();
        low <= high
    });
    if !in_order {
        bail!(Corrupt, "Dimension '{name}': the stored domain {} is not in order", domain.display(datatype));
    }
    Ok(())
}

/// The extent of an integer type as a count of cells: its bits as an unsigned number.
pub(super) fn extent_count(extent: &[u8]) -> u64 {
    extent.iter().rev().fold(0, |count, &byte| count << 8 | u64::from(byte))
}

/// Checks a stored extent: for integers a positive count no greater than the domain's, such that the last tile starts
/// within the type.
pub(super) fn stored_extent(name: &str, datatype: Datatype, domain: &CellRange, extent: &[u8]) -> Result<()> {
    if datatype.is_float() {
        return Ok(());
    }
    let count = extent_count(extent);
    let cells = extent_count(&whole_extent(datatype, domain));
    // A domain of all 2^64 values wraps to a count of 0.
    if count == 0 || (cells != 0 && count > cells) {
        bail!(
            Corrupt,
            "Dimension '{name}': the stored tile extent {count} does not fit the domain {}",
            domain.display(datatype)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_of_the_whole_domain_is_a_count() {
        let whole = |range| whole_extent(Datatype::Int8, &range);
        assert_eq!(whole(CellRange::of(1i8, 4)), [4]);
        assert_eq!(whole(CellRange::of(-128i8, 126)), [0xff]);
        assert_eq!(whole_extent(Datatype::Float32, &CellRange::of(1f32, 4.0)), 3f32.to_le_bytes());
        assert_eq!(extent_count(&[0xff]), 255);
    }

    #[test]
    fn the_last_tile_must_end_within_sixty_four_bits() {
        let check = |low: u64, high: u64, extent: u64| {
            super::extent("d", Datatype::Uint64, &CellRange::of(low, high), &extent.to_le_bytes()).is_ok()
        };
        assert!(check(0, u64::MAX - 1, 1));
        assert!(!check(0, u64::MAX - 1, 10));
        assert!(check(0, u64::MAX - 9, 10));
        assert!(check(0, u64::MAX - 1, u64::MAX));
        assert!(check(u64::MAX, u64::MAX, 1));
        let narrow = CellRange::of(0u8, 254);
        assert!(super::extent("d", Datatype::Uint8, &narrow, &[10]).is_ok());
    }
}
