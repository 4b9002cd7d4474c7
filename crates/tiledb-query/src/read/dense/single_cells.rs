//! Single cells in dense arrays: until version 2.3 of the library, fragments of single cells with coordinates could be
//! written into dense arrays. Each such cell supersedes cells of earlier writes and is superseded by those of later ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::decoded::read_field;
use tiledb_cells::space::grid::{CoordSpan, Grid, strides_of};
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Layout;

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleCell {
    /// Its position in its space tile, counted in row-major order whatever the order of cells.
    pub place: u64,
    /// The tile that holds its values.
    pub tile: u64,
    /// Its position in that tile.
    pub position: u32,
    /// Position of its fragment in the list.
    pub fragment: u32,
}

/// A fragment of single cells.
pub struct SingleFragment {
    pub fragment: Arc<Fragment>,
    /// How many of the dense fragments are older.
    pub after: usize,
    /// Its non-empty domain.
    pub domain: Vec<CoordSpan>,
}

/// The single cells of an array, by space tile.
#[derive(Default)]
pub struct SingleCells {
    fragments: Vec<SingleFragment>,
    /// By the tile's index per dimension: ascending positions, of equal ones only the latest cell.
    tiles: BTreeMap<Vec<u64>, Vec<SingleCell>>,
    /// The number of stored tiles of the cells.
    stored_tiles: usize,
    /// Cells of the largest of these.
    largest: usize,
    /// Row-major strides of a space tile.
    strides: Vec<usize>,
}

/// Bytes of a cell.
const SINGLE: usize = size_of::<SingleCell>();

impl MemoryUsage for SingleCells {
    fn memory_usage(&self) -> u64 {
        (self.tiles.values().map(Vec::len).sum::<usize>() * SINGLE) as u64
    }
}

impl SingleCells {
    /// Finds the cells of these fragments, from the earliest to the latest, inside `bounds`.
    ///
    /// # Errors
    /// If coordinates cannot be read, or there are more than the memory budget holds.
    pub fn load(
        access: DecodeContext<'_>,
        array: &OpenArray,
        grid: &Grid,
        fragments: Vec<SingleFragment>,
        bounds: &[CoordSpan],
    ) -> Result<Lease<SingleCells>> {
        let extents: Vec<u64> = grid.axes().iter().map(|axis| axis.extent).collect();
        let strides = strides_of(&extents, Layout::RowMajor)?;
        let mut singles = SingleCells { fragments, tiles: BTreeMap::new(), stored_tiles: 0, largest: 0, strides };
        let ranges = grid.axes().iter().zip(bounds).map(|(axis, span)| Ok(vec![axis.range(*span)?]));
        let ranges = ranges.collect::<Result<Vec<_>>>()?;
        let mut tasks = Vec::new();
        let mut cells = 0usize;
        for (number, source) in singles.fragments.iter().enumerate() {
            for cover in source.fragment.rtree()?.overlapping(&ranges) {
                let Ok(count) = u32::try_from(source.fragment.cells_in_tile(cover.tile)) else {
                    bail!(Unsupported, "A tile of fragment {} has more than 2^32 cells", source.fragment.uri());
                };
                singles.largest = singles.largest.max(count as usize);
                cells = cells.saturating_add(count as usize);
                tasks.push((number, cover.tile, count as usize));
            }
        }
        singles.stored_tiles = tasks.len();
        // With their distances while they are found.
        let need = SINGLE + 8 * grid.axes().len();
        let loaded = access.lease(MemoryKind::Ranges, (cells as u64).saturating_mul(need as u64), || {
            singles.find(access, array, grid, bounds, &tasks, cells)?;
            Ok(singles)
        })?;
        Ok(loaded.fit())
    }

    /// Finds the cells in these tiles of fragments.
    fn find(
        &mut self,
        access: DecodeContext<'_>,
        array: &OpenArray,
        grid: &Grid,
        bounds: &[CoordSpan],
        tasks: &[(usize, u64, usize)],
        cells: usize,
    ) -> Result<()> {
        let resources = array.resources();
        let tiles = resources.pools().map(tasks.len(), cells.saturating_mul(16), resources.cancel(), |task| {
            let (number, tile, cells) = tasks[task];
            distances(access, grid, &self.fragments[number].fragment, tile, cells)
        })?;
        for (&(number, tile, cells), columns) in tasks.iter().zip(tiles) {
            self.add(grid, bounds, number, tile, cells, &columns);
        }
        self.tiles.values_mut().try_for_each(retain_latest)
    }

    fn add(&mut self, grid: &Grid, bounds: &[CoordSpan], number: usize, tile: u64, cells: usize, columns: &[Vec<u64>]) {
        let mut index = vec![0; columns.len()];
        for cell in 0..cells {
            if columns.iter().zip(bounds).any(|(column, span)| column[cell] < span.low || column[cell] > span.high) {
                continue;
            }
            let mut place = 0;
            for (d, (axis, column)) in grid.axes().iter().zip(columns).enumerate() {
                index[d] = axis.tile(column[cell]);
                place += column[cell] % axis.extent * self.strides[d] as u64;
            }
            let single = SingleCell { place, tile, position: cell as u32, fragment: number as u32 };
            match self.tiles.get_mut(index.as_slice()) {
                Some(tile) => tile.push(single),
                None => _ = self.tiles.insert(index.clone(), vec![single]),
            }
        }
    }

    /// The cells in a space tile.
    pub fn of_tile(&self, index: &[u64]) -> &[SingleCell] {
        self.tiles.get(index).map_or(&[], Vec::as_slice)
    }

    /// The fragment of a cell.
    pub fn fragment(&self, single: &SingleCell) -> &SingleFragment {
        &self.fragments[single.fragment as usize]
    }

    pub fn fragments(&self) -> &[SingleFragment] {
        &self.fragments
    }

    /// The number of stored tiles of the cells.
    pub fn stored_tiles(&self) -> usize {
        self.stored_tiles
    }

    /// Cells of the largest stored tile.
    pub fn largest_tile(&self) -> usize {
        self.largest
    }

    /// The box of one cell of the space tile `index`.
    pub fn bounds(&self, grid: &Grid, index: &[u64], single: &SingleCell) -> Vec<CoordSpan> {
        let axes = grid.axes().iter().zip(index).zip(&self.strides);
        axes.map(|((axis, &tile), &stride)| {
            let at = axis.tile_start(tile) + single.place / stride as u64 % axis.extent;
            CoordSpan { low: at, high: at }
        })
        .collect()
    }
}

/// Sorts cells by position; of several at one position only the last is retained.
fn retain_latest(cells: &mut Vec<SingleCell>) -> Result<()> {
    memory::sort_by_key("single cells", cells, |cell| cell.place)?;
    cells.dedup_by(|later, retained| {
        let same = later.place == retained.place;
        if same {
            *retained = *later;
        }
        same
    });
    Ok(())
}

/// The coordinates of a stored tile as distances from the domain's start, per dimension.
fn distances(
    access: DecodeContext<'_>,
    grid: &Grid,
    fragment: &Fragment,
    tile: u64,
    cells: usize,
) -> Result<Vec<Vec<u64>>> {
    let dimensions: Vec<&Field> = fragment.schema().fields().iter().filter(|field| field.is_dimension).collect();
    let same = dimensions.iter().zip(grid.axes()).all(|(field, axis)| field.datatype == axis.datatype);
    if dimensions.len() != grid.axes().len() || !same {
        bail!(Corrupt, "Fragment {} has other dimensions than its array", fragment.uri());
    }
    let columns = dimensions.iter().zip(grid.axes()).map(|(field, axis)| {
        let column = read_field(fragment, field, tile, cells, access, true)?;
        Ok(axis.distances(column.bytes()))
    });
    columns.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cells_at_one_place_stays_the_latest() {
        let single = |place, fragment| SingleCell { place, tile: 0, position: 0, fragment };
        let mut cells = vec![single(4, 0), single(1, 0), single(4, 1), single(0, 1), single(4, 2), single(1, 2)];
        retain_latest(&mut cells).unwrap();
        assert_eq!(cells, [single(0, 1), single(1, 2), single(4, 2)]);
    }
}
