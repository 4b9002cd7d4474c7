//! The geometry of dense arrays: coordinates as offsets from the low end of the domain, and the grid of space tiles.

use tiledb_array::schema::{ArraySchema, Dimension};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{Cell, CellRange, Datatype, Layout, dispatch};

/// An inclusive interval of coordinates of one dimension, as offsets from the low end of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordSpan {
    /// First offset.
    pub low: u64,
    /// Last offset, inclusive.
    pub high: u64,
}

impl CoordSpan {
    /// Number of coordinates; saturates if all 2^64 are covered.
    pub fn count(self) -> u64 {
        (self.high - self.low).saturating_add(1)
    }

    /// The intersection of both.
    #[inline]
    pub fn intersect(self, other: CoordSpan) -> Option<CoordSpan> {
        let span = CoordSpan { low: self.low.max(other.low), high: self.high.min(other.high) };
        (span.low <= span.high).then_some(span)
    }

    /// The span from the first to the last offset of both.
    #[inline]
    pub fn join(self, other: CoordSpan) -> CoordSpan {
        CoordSpan { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// True if it contains `other`.
    pub fn contains(self, other: CoordSpan) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// One dimension of the grid.
#[derive(Clone, Copy, Debug)]
pub struct GridAxis {
    /// Order-preserving key of the domain's first coordinate.
    origin: u64,
    /// The last offset in the domain.
    pub last: u64,
    /// Coordinates per space tile.
    pub extent: u64,
    /// The dimension's type.
    pub datatype: Datatype,
}

impl GridAxis {
    fn new(dimension: &Dimension) -> Result<GridAxis> {
        let datatype = dimension.datatype();
        let (Some(domain), Some(extent)) = (dimension.domain(), dimension.tile_extent()) else {
            bail!("Dimension '{}' of a dense array has no domain or no tile extent", dimension.name());
        };
        let (low, high) = (key(datatype, domain.low()), key(datatype, domain.high()));
        let Some(last) = high.checked_sub(low) else {
            bail!(Corrupt, "The domain of dimension '{}' ends before it begins", dimension.name());
        };
        let extent = number(datatype, extent);
        if extent == 0 {
            bail!(Corrupt, "The tile extent of dimension '{}' is 0", dimension.name());
        }
        Ok(GridAxis { origin: low, last, extent, datatype })
    }

    /// The span of a range.
    ///
    /// # Errors
    /// If it exceeds the domain.
    pub fn span(&self, range: &CellRange) -> Result<CoordSpan> {
        let low = key(self.datatype, range.low()).wrapping_sub(self.origin);
        let high = key(self.datatype, range.high()).wrapping_sub(self.origin);
        if low > high || high > self.last {
            bail!("Range {} lies outside the domain", range.display(self.datatype));
        }
        Ok(CoordSpan { low, high })
    }

    /// As [`GridAxis::span`], clipped to the domain; `None` if it is outside.
    pub fn span_cut(&self, range: &CellRange) -> Option<CoordSpan> {
        let end = self.origin.saturating_add(self.last);
        let low = key(self.datatype, range.low()).max(self.origin);
        let high = key(self.datatype, range.high()).min(end);
        (low <= high).then(|| CoordSpan { low: low - self.origin, high: high - self.origin })
    }

    /// Converts coordinates of the dimension's type to offsets; one outside the domain yields a number beyond the last.
    pub fn distances(&self, coordinates: &[u8]) -> Vec<u64> {
        let distance = |key: u64| if key < self.origin { u64::MAX } else { key - self.origin };
        dispatch!(self.datatype.physical(), T => {
            let cells = coordinates.chunks_exact(size_of::<T>());
            cells.map(|cell| distance(<T as Cell>::from_le(cell).to_key())).collect()
        })
    }

    /// Appends the coordinates of a span as values of the dimension's type.
    pub fn coordinates(&self, span: CoordSpan, out: &mut Vec<u8>) {
        let size = self.datatype.size();
        for distance in span.low..=span.high {
            let value = self.origin.wrapping_add(distance) ^ sign(self.datatype);
            out.extend_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    /// The range of coordinates of a span.
    ///
    /// # Errors
    /// Never for integer dimensions.
    pub fn range(&self, span: CoordSpan) -> Result<CellRange> {
        let size = self.datatype.size();
        let bytes = |distance: u64| (self.origin.wrapping_add(distance) ^ sign(self.datatype)).to_le_bytes();
        CellRange::fixed(&bytes(span.low)[..size], &bytes(span.high)[..size])
    }

    /// The tile that contains an offset.
    pub fn tile(&self, distance: u64) -> u64 {
        distance / self.extent
    }

    /// The first offset of a tile.
    pub fn tile_start(&self, tile: u64) -> u64 {
        tile.saturating_mul(self.extent)
    }

    /// The span of a tile, clipped to the domain.
    #[inline]
    pub fn tile_span(&self, tile: u64) -> CoordSpan {
        let low = self.tile_start(tile);
        CoordSpan { low, high: low.saturating_add(self.extent - 1).min(self.last) }
    }
}

fn key(datatype: Datatype, value: &[u8]) -> u64 {
    dispatch!(datatype.physical(), T => <T as Cell>::from_le(value).to_key())
}

/// The XOR mask between a key of this integer type and its two's complement.
fn sign(datatype: Datatype) -> u64 {
    dispatch!(datatype.physical(), T => <T as Default>::default().to_key())
}

/// A positive integer of the dimension's type, as tile extents are.
fn number(datatype: Datatype, value: &[u8]) -> u64 {
    key(datatype, value).wrapping_sub(sign(datatype))
}

/// The space tiles of a dense array.
#[derive(Clone, Debug)]
pub struct Grid {
    axes: Vec<GridAxis>,
    pub tile_order: Layout,
    /// Order of the cells inside a tile.
    pub cell_order: Layout,
    /// Cells of a whole tile.
    pub tile_cells: usize,
    /// Cells from one coordinate to the next inside a tile, per dimension.
    strides: Vec<usize>,
}

impl Grid {
    /// The grid of a dense array.
    ///
    /// # Errors
    /// If the array is sparse or a tile has more cells than memory has bytes.
    pub fn new(schema: &ArraySchema) -> Result<Grid> {
        let dimensions = schema.domain().dimensions();
        let axes = dimensions.iter().map(|dimension| GridAxis::new(dimension)).collect::<Result<Vec<_>>>()?;
        let extents: Vec<u64> = axes.iter().map(|axis| axis.extent).collect();
        let strides = strides_of(&extents, schema.cell_order())?;
        let tile_cells = volume(&extents)?;
        Ok(Grid { axes, tile_order: schema.tile_order(), cell_order: schema.cell_order(), tile_cells, strides })
    }

    /// The dimensions.
    pub fn axes(&self) -> &[GridAxis] {
        &self.axes
    }

    /// Cells from one coordinate to the next inside a tile, per dimension.
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// The position within its tile of the cell at these offsets.
    pub fn cell_in_tile(&self, distances: impl Iterator<Item = u64>) -> usize {
        let inside = self.axes.iter().zip(&self.strides).zip(distances);
        inside.map(|((axis, stride), distance)| (distance % axis.extent) as usize * stride).sum()
    }
}

/// Number of cells of a box with these counts.
///
/// # Errors
/// If it exceeds the address space.
pub fn volume(counts: &[u64]) -> Result<usize> {
    let cells = counts.iter().try_fold(1u64, |cells, &count| cells.checked_mul(count));
    match cells.and_then(|cells| usize::try_from(cells).ok()) {
        Some(cells) if cells <= isize::MAX as usize => Ok(cells),
        _ => Err(Error::invalid(format!("A box of {counts:?} cells exceeds the limit of {} cells", isize::MAX))),
    }
}

/// Cells from one coordinate to the next in a box with these counts, per dimension.
///
/// # Errors
/// If the box exceeds the address space.
pub fn strides_of(counts: &[u64], order: Layout) -> Result<Vec<usize>> {
    volume(counts)?;
    let mut strides = vec![1usize; counts.len()];
    let mut stride = 1usize;
    for step in 0..counts.len() {
        let d = if order == Layout::ColMajor { step } else { counts.len() - 1 - step };
        strides[d] = stride;
        stride = stride.saturating_mul(counts[d] as usize);
    }
    Ok(strides)
}

/// Iterator over the positions of a box with these counts, in row- or column-major order.
#[derive(Clone, Debug)]
pub struct Odometer {
    counts: Vec<u64>,
    position: Vec<u64>,
    col_major: bool,
    done: bool,
}

impl Odometer {
    /// At the first position.
    pub fn new(counts: Vec<u64>, order: Layout) -> Odometer {
        let done = counts.contains(&0);
        Odometer { position: vec![0; counts.len()], counts, col_major: order == Layout::ColMajor, done }
    }

    /// At the position of this number, counted in the order.
    pub fn at(counts: Vec<u64>, order: Layout, number: u64) -> Odometer {
        let mut odometer = Odometer::new(counts, order);
        let mut rest = number;
        for step in 0..odometer.counts.len() {
            let d = odometer.dimension(step);
            let count = odometer.counts[d].max(1);
            (odometer.position[d], rest) = (rest % count, rest / count);
        }
        odometer.done |= rest > 0;
        odometer
    }

    /// The dimension that is this many steps slower than the fastest.
    fn dimension(&self, step: usize) -> usize {
        if self.col_major { step } else { self.counts.len() - 1 - step }
    }

    /// The current position, `None` after the last.
    pub fn position(&self) -> Option<&[u64]> {
        (!self.done).then_some(&self.position[..])
    }

    /// Moves to the next position.
    pub fn advance(&mut self) {
        for step in 0..self.counts.len() {
            let d = self.dimension(step);
            self.position[d] += 1;
            if self.position[d] < self.counts[d] {
                return;
            }
            self.position[d] = 0;
        }
        self.done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odometer_counts_in_both_orders() {
        let walk = |order| {
            let mut odometer = Odometer::new(vec![2, 3], order);
            let mut positions = Vec::new();
            while let Some(position) = odometer.position() {
                positions.push((position[0], position[1]));
                odometer.advance();
            }
            positions
        };
        assert_eq!(walk(Layout::RowMajor), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(walk(Layout::ColMajor), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]);
        assert!(Odometer::new(vec![2, 0], Layout::RowMajor).position().is_none());
        let at = |order, number| Odometer::at(vec![2, 3], order, number).position().map(<[u64]>::to_vec);
        assert_eq!(at(Layout::RowMajor, 4), Some(vec![1, 1]));
        assert_eq!(at(Layout::ColMajor, 4), Some(vec![0, 2]));
        assert_eq!(at(Layout::ColMajor, 6), None);
    }

    #[test]
    fn strides_follow_the_order() {
        assert_eq!(strides_of(&[4, 3, 2], Layout::RowMajor).unwrap(), [6, 2, 1]);
        assert_eq!(strides_of(&[4, 3, 2], Layout::ColMajor).unwrap(), [1, 4, 12]);
        assert!(strides_of(&[u64::MAX, 2], Layout::RowMajor).is_err());
    }
}
