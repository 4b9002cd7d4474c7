//! The rules of domains and tile extents. Texts and cases are those of the reference.

use crate::error::{Result, bail};
use crate::types::{Cell, CellRange, Datatype, Physical, dispatch};

/// What the rules need of a coordinate type beyond [`Cell`].
trait Coordinate: Cell {
    /// The value as a wide integer; `None` for floats.
    fn wide(self) -> Option<i128>;
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
    fn wide(self) -> Option<i128> {
        None
    }
}

impl Coordinate for f64 {
    fn wide(self) -> Option<i128> {
        None
    }
}

/// Dimensions are integers, floats, datetimes, times of day or ASCII strings.
pub(super) fn datatype(datatype: Datatype) -> Result<()> {
    let allowed = datatype.is_integer()
        || datatype.is_float()
        || datatype.is_datetime()
        || datatype.is_time()
        || datatype == Datatype::StringAscii;
    if !allowed {
        bail!("Datatype::{} is not a valid Dimension Datatype", datatype.name());
    }
    Ok(())
}

/// The rules of a domain: two finite ends in order, and a number of cells the type can count.
pub(super) fn domain(datatype: Datatype, domain: &CellRange) -> Result<()> {
    dispatch!(datatype.physical(), T => {
        let (low, high) = domain.ends::<T>();
        check_domain(low, high)
    })
}

fn check_domain<T: Coordinate>(low: T, high: T) -> Result<()> {
    if !low.to_f64().is_finite() || !high.to_f64().is_finite() {
        bail!("Dimension: Domain check failed; domain contains NaN");
    }
    if low > high {
        bail!("Dimension: Domain check failed; Upper domain bound should not be smaller than the lower one");
    }
    if low.wide().is_some() && low == T::LOWEST && high == T::HIGHEST {
        bail!(
            "Dimension: Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned number"
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

fn check_integer_extent(name: &str, physical: Physical, low: i128, high: i128, extent: i128) -> Result<()> {
    if extent == 0 {
        bail!("Dimension: Tile extent check failed on dimension '{name}'; Tile extent must not be 0");
    }
    if extent < 0 || extent > high - low + 1 {
        bail!(
            "Dimension: Tile extent check failed on dimension '{name}'; Tile extent {extent} exceeds range on dimension domain [{low}, {high}]"
        );
    }
    let unsigned = matches!(physical, Physical::U8 | Physical::U16 | Physical::U32 | Physical::U64);
    let highest = if unsigned { i128::from(u64::MAX) } else { i128::from(i64::MAX) };
    let last_tile = low + (high - low) / extent * extent;
    if last_tile + extent - 1 > highest {
        bail!(
            "Dimension: Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value representable by domain type. Reduce domain max by 1 tile extent to allow for expansion."
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

/// The extent that covers the whole domain, as bytes of the type; the highest value of the type
/// where the domain has more cells.
pub(super) fn whole_extent(datatype: Datatype, domain: &CellRange) -> Result<Vec<u8>> {
    let _ = (datatype, domain);
    bail!(Internal, "not measured yet")
}

/// What a stored domain must satisfy for the engine to work with it: ends in order.
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

/// What a stored extent must satisfy: a positive number; for integers all rules of a new one.
pub(super) fn stored_extent(name: &str, datatype: Datatype, domain: &CellRange, bytes: &[u8]) -> Result<()> {
    if datatype.is_float() {
        return Ok(());
    }
    extent(name, datatype, domain, bytes)
}
