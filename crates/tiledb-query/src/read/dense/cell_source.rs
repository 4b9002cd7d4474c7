//! Sources of the selected cells of a space tile: tiles of dense fragments, single cells written among them, or fill
//! values.

use super::batch::TileView;
use super::context::DenseContext;
use super::single_cells::SingleCell;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::columns::box_moves::BoxMove;
use tiledb_cells::space::cover::{carve, contains, cover};
use tiledb_cells::space::grid::CoordSpan;
use tiledb_core::error::{Result, bail};
use tiledb_core::sort;

/// Cells of a space tile that come from one stored tile, or that were not written.
pub struct CellSource<'c> {
    /// Where they are stored.
    pub stored: Option<StoredTile<'c>>,
    place: CellLocation,
}

#[derive(Clone, Copy)]
pub struct StoredTile<'c> {
    pub fragment: &'c Fragment,
    /// Its number in the fragment.
    pub tile: u64,
    pub cells: usize,
}

/// How many stored tiles of a field there are among these; one may be cut into several pieces.
pub fn stored_tiles(origins: &[CellSource<'_>], field: &Field) -> usize {
    let stored = origins.iter().filter_map(|origin| origin.stored);
    let stored = stored.filter(|stored| stored.fragment.stored(field).is_some());
    if origins.len() < 2 {
        return stored.count();
    }
    let mut tiles: Vec<_> = stored.map(|stored| (std::ptr::from_ref(stored.fragment), stored.tile)).collect();
    sort::by(&mut tiles, Ord::cmp);
    tiles.dedup();
    tiles.len()
}

enum CellLocation {
    /// All cells of a box, in the order of space tiles.
    Box(Vec<CoordSpan>),
    /// These cells, at any positions of the stored tile.
    Cells(Vec<SingleCell>),
}

impl CellSource<'_> {
    /// Copies of the selected cells from their positions in the stored tile.
    pub fn moves(&self, context: &DenseContext, tile: &TileView<'_>) -> Vec<BoxMove> {
        match &self.place {
            CellLocation::Box(bounds) => tile.moves(&context.grid, bounds),
            CellLocation::Cells(cells) => {
                let mut moves = Vec::with_capacity(cells.len());
                let index = tile.index();
                for cell in cells {
                    let bounds = context.singles.bounds(&context.grid, &index, cell);
                    let from = cell.position as usize;
                    moves.extend(tile.moves(&context.grid, &bounds).into_iter().map(|part| BoxMove { from, ..part }));
                }
                moves
            }
        }
    }

    /// The box of cells, unless they are single ones.
    pub fn bounds(&self) -> Option<&[CoordSpan]> {
        match &self.place {
            CellLocation::Box(bounds) => Some(bounds),
            CellLocation::Cells(_) => None,
        }
    }
}

impl TileView<'_> {
    /// The sources of the selected cells: of each cell the latest fragment that has it, also for fields that this fragment
    /// lacks, which read as the fill value. libtiledb returns an older value of the cell, unless the fragment covers the tile.
    ///
    /// # Errors
    /// If a fragment does not hold the tiles that its domain promises.
    pub fn origins<'c>(&self, context: &'c DenseContext) -> Result<Vec<CellSource<'c>>> {
        let index = self.index();
        let grid = &context.grid;
        let singles = context.singles.of_tile(&index);
        let mut origins = Vec::new();
        for (source, bounds) in cover(&self.bounds(), &context.domains) {
            let stored = match source.and_then(|source| context.fragments.get(source)) {
                Some(fragment) => {
                    Some(StoredTile { fragment, tile: tile_number(fragment, &index)?, cells: grid.tile_cells })
                }
                None => None,
            };
            if singles.is_empty() {
                origins.push(CellSource { stored, place: CellLocation::Box(bounds) });
                continue;
            }
            let mut shown: Vec<SingleCell> = Vec::new();
            let mut holes = Vec::new();
            for single in singles {
                let is_later = source.is_none_or(|source| context.singles.fragment(single).after > source);
                let place = context.singles.bounds(grid, &index, single);
                if is_later && contains(&bounds, &place) {
                    shown.push(*single);
                    holes.push(place);
                }
            }
            let rest = carve(bounds, &holes);
            origins.extend(rest.into_iter().map(|bounds| CellSource { stored, place: CellLocation::Box(bounds) }));
            sort::by_key(&mut shown, |single| (single.fragment, single.tile, single.position));
            for cells in shown.chunk_by(|a, b| (a.fragment, a.tile) == (b.fragment, b.tile)) {
                let fragment: &Fragment = &context.singles.fragment(&cells[0]).fragment;
                let tile = cells[0].tile;
                let count = fragment.cells_in_tile(tile) as usize;
                let stored = Some(StoredTile { fragment, tile, cells: count });
                origins.push(CellSource { stored, place: CellLocation::Cells(cells.to_vec()) });
            }
        }
        Ok(origins)
    }
}

/// The number of a space tile in a dense fragment.
fn tile_number(fragment: &Fragment, index: &[u64]) -> Result<u64> {
    match fragment.dense_tile_box().and_then(|tiles| tiles.tile(index)) {
        Some(tile) => Ok(tile),
        None => bail!(Internal, "Fragment {} does not hold the space tile {index:?}", fragment.uri()),
    }
}
