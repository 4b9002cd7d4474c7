//! The share of a tile that a range selects, assuming that the cells of a tile are evenly distributed in its bounding
//! box.
//!
//! Estimates must equal those of libtiledb exactly, so shares are rounded in the same way: by the type of the dimension, and
//! never to none or all of the tile.

use tiledb_array::fragment::{Fragment, TileBox};
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis, Odometer};
use tiledb_core::types::{Cell, CellRange, Datatype, PhysicalType, dispatch};

/// The minimum share.
const LEAST: f64 = f64::from_bits(1);

/// The share of a side of a bounding box that a range covers; both overlap.
pub fn share(datatype: Datatype, range: &CellRange, side: (&[u8], &[u8])) -> f64 {
    if range.is_var() {
        return of_text((range.low(), range.high()), side);
    }
    match datatype.physical() {
        PhysicalType::F32 => of_f32(range.ends(), (f32::from_le(side.0), f32::from_le(side.1))),
        PhysicalType::F64 => of_f64(range.ends(), (f64::from_le(side.0), f64::from_le(side.1))),
        physical => dispatch!(physical, T => {
            let (low, high) = range.ends::<T>();
            let side = (<T as Cell>::from_le(side.0), <T as Cell>::from_le(side.1));
            of_integers((integer(low), integer(high)), (integer(side.0), integer(side.1)), limits::<T>())
        }),
    }
}

/// The product of shares along several dimensions.
pub fn product(shares: impl Iterator<Item = f64>) -> f64 {
    // Small as it may be, there is an overlap.
    shares.fold(1.0, |all, share| if all * share == 0.0 { LEAST } else { all * share })
}

/// The tiles of a dense fragment that intersect a box of ranges, in tile order, with the share of each.
pub struct DenseTiles<'a> {
    tiles: &'a TileBox,
    axes: &'a [GridAxis],
    spans: &'a [CoordSpan],
    /// The index of the first tile, per dimension.
    first: Vec<u64>,
    odometer: Odometer,
}

impl<'a> DenseTiles<'a> {
    /// `None` where the box misses the fragment.
    pub fn new(fragment: &'a Fragment, grid: &'a Grid, spans: &'a [CoordSpan]) -> Option<DenseTiles<'a>> {
        let tiles = fragment.dense_tile_box()?;
        let (mut first, mut counts) = (Vec::new(), Vec::new());
        let ends = tiles.first().iter().zip(tiles.last());
        for ((axis, span), (&from, &to)) in grid.axes().iter().zip(spans).zip(ends) {
            let (low, high) = (axis.tile(span.low).max(from), axis.tile(span.high).min(to));
            if low > high {
                return None;
            }
            first.push(low);
            counts.push(high - low + 1);
        }
        let odometer = Odometer::new(counts, grid.tile_order);
        Some(DenseTiles { tiles, axes: grid.axes(), spans, first, odometer })
    }
}

impl Iterator for DenseTiles<'_> {
    type Item = (u64, f64);

    fn next(&mut self) -> Option<(u64, f64)> {
        let position = self.odometer.position()?;
        let index: Vec<u64> = self.first.iter().zip(position).map(|(first, at)| first + at).collect();
        let shares = self.axes.iter().zip(self.spans).zip(&index).map(|((axis, span), &tile)| {
            // Tiles at the end of the domain count as whole ones, too.
            let start = axis.tile_start(tile);
            let end = start.saturating_add(axis.extent - 1);
            let part = CoordSpan { low: span.low.max(start), high: span.high.min(end) };
            part.count() as f64 / axis.extent as f64
        });
        let share = shares.product();
        self.odometer.advance();
        Some((self.tiles.tile(&index)?, share))
    }
}

/// A cell of an integer type as a number.
fn integer<T: Cell>(value: T) -> i128 {
    i128::from(value.to_key()) - i128::from(T::default().to_key())
}

/// Ends of sides that are not halved before they are subtracted.
fn limits<T: Cell>() -> (i128, i128) {
    let half = |value: T| (integer(value) / 2) as f64;
    (half(T::LOWEST).next_up() as i128, half(T::HIGHEST).next_down() as i128)
}

fn of_integers(range: (i128, i128), side: (i128, i128), limits: (i128, i128)) -> f64 {
    if range.0 <= side.0 && side.1 <= range.1 {
        return 1.0;
    }
    let by = if side.0 < limits.0.min(0) || side.1 > limits.1 { 2 } else { 1 };
    let count = |low: i128, high: i128| (high / by - low / by + 1) as f64;
    inner(count(range.0.max(side.0), range.1.min(side.1)) / count(side.0, side.1))
}

macro_rules! of_reals {
    ($name:ident $real:ident) => {
        fn $name(range: ($real, $real), side: ($real, $real)) -> f64 {
            if range.0 <= side.0 && side.1 <= range.1 {
                return 1.0;
            }
            let limit = $real::MAX / 2.0;
            let by = if side.0 < -limit || side.1 > limit { 2.0 } else { 1.0 };
            let length = |low: $real, high: $real| f64::from(high / by - low / by);
            let whole = length(side.0, side.1);
            if whole == 0.0 {
                return 0.5;
            }
            inner(length(range.0.max(side.0), range.1.min(side.1)) / whole)
        }
    };
}
of_reals!(of_f32 f32);
of_reals!(of_f64 f64);

/// A part is neither nothing nor all.
fn inner(share: f64) -> f64 {
    if share == 0.0 {
        LEAST
    } else if share == 1.0 {
        1f64.next_down()
    } else {
        share
    }
}

/// Of texts the first character counts in which the ends of the side differ.
fn of_text(range: (&[u8], &[u8]), side: (&[u8], &[u8])) -> f64 {
    let common = (range.0.max(side.0), range.1.min(side.1));
    if common == side {
        return 1.0;
    }
    let prefix = side.0.iter().zip(side.1).take_while(|(a, b)| a == b).count();
    let character = |text: &[u8]| text.get(prefix).map_or(0, |&byte| i64::from(byte as i8));
    let count = |(low, high)| if low == high { 1.0 } else { (character(high) - character(low) + 1) as u64 as f64 };
    let share = count(common) / count(side);
    if share == 1.0 { share.next_down() } else { share }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: Cell>(datatype: Datatype, range: (T, T), side: (T, T)) -> f64 {
        let side = CellRange::of(side.0, side.1);
        share(datatype, &CellRange::of(range.0, range.1), (side.low(), side.high()))
    }

    #[test]
    fn integers_count_and_reals_measure() {
        assert_eq!(of(Datatype::Int32, (1, 4), (1, 16)), 0.25);
        assert_eq!(of(Datatype::Int32, (0, 20), (1, 16)), 1.0);
        assert_eq!(of(Datatype::Float64, (1.0, 4.0), (1.0, 7.0)), 0.5);
        assert_eq!(of(Datatype::Float32, (1.5f32, 1.5), (1.0, 2.0)), LEAST);
        assert_eq!(product([LEAST, LEAST].into_iter()), LEAST);
    }

    #[test]
    fn sides_near_the_ends_of_a_type_are_halved() {
        assert_eq!(of(Datatype::Int8, (1i8, 4), (1, 100)), 3.0 / 51.0);
        assert_eq!(of(Datatype::Uint64, (0, u64::MAX - 1), (0, u64::MAX)), 1f64.next_down());
        assert_eq!(of(Datatype::Float64, (0.0, f64::MAX), (f64::MIN, f64::MAX)), 0.5);
    }

    #[test]
    fn texts_count_characters() {
        let of = |range: (&str, &str), side: (&str, &str)| {
            let range = CellRange::var(range.0.as_bytes(), range.1.as_bytes());
            share(Datatype::StringAscii, &range, (side.0.as_bytes(), side.1.as_bytes()))
        };
        assert_eq!(of(("a", "z"), ("b", "c")), 1.0);
        assert_eq!(of(("b", "c"), ("a", "d")), 0.5);
        assert_eq!(of(("xb", "xb"), ("xa", "xd")), 0.25);
        assert_eq!(of(("a", "dz"), ("aa", "dz1")), 1f64.next_down());
    }
}
