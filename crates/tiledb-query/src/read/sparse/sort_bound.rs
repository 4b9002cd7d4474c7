//! Bounds between the windows of an ordered scan.

use std::cmp::Ordering;

use super::loaded_tile::TileOrigin;
use super::points::Points;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::{CellKeys, Keys};
use tiledb_core::error::Result;

/// A cell, by its row in keyed columns; `origin` and `cell` are the tie-breaker among cells with equal keys: the order in which
/// they are delivered, wherever windows end.
#[derive(Clone, Copy)]
pub(super) struct CellRef<'a> {
    pub keyed: CellKeys<'a>,
    pub row: usize,
    pub origin: TileOrigin,
    pub cell: usize,
}

/// A bound in the order of cells: each cell precedes it or not.
pub(super) struct SortBound {
    /// The first word of the key.
    word: u64,
    /// The rest of it; without one, cells with an equal first word do not precede the bound.
    cell: Option<BoundCell>,
}

struct BoundCell {
    keys: Keys,
    point: Points,
    origin: TileOrigin,
    cell: usize,
}

impl SortBound {
    /// Cells whose keys have a lower first word precede the bound.
    pub(super) fn of_word(word: u64) -> SortBound {
        SortBound { word, cell: None }
    }

    /// Cells that precede a cell precede the bound. If equal cells may not be separated (`group_equal`), none that
    /// equals it does.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn of_row(plan: &KeyPlan, row: CellRef<'_>, group_equal: bool) -> Result<SortBound> {
        let mut point = Points::new(plan, 1)?;
        for (dimension, column) in row.keyed.coords.iter().enumerate() {
            point.push(dimension, &[column.value(row.row, plan.size(dimension))])?;
        }
        let keys = point.keys(plan)?;
        let (origin, cell) = if group_equal { ((0, 0), 0) } else { (row.origin, row.cell) };
        Ok(SortBound { word: row.keyed.keys.first()[row.row], cell: Some(BoundCell { keys, point, origin, cell }) })
    }

    /// The first word of the keys at the bound.
    pub(super) fn word(&self) -> u64 {
        self.word
    }

    /// The bound with its columns, for many comparisons.
    pub(super) fn view<'e>(&'e self, plan: &'e KeyPlan) -> SortBoundView<'e> {
        let cell = self.cell.as_ref().map(|cell| (&cell.keys, cell.point.coords(), (cell.origin, cell.cell)));
        SortBoundView { plan, word: self.word, cell }
    }
}

/// A bound that cells are compared with.
pub(super) struct SortBoundView<'e> {
    plan: &'e KeyPlan,
    pub word: u64,
    cell: Option<(&'e Keys, Vec<Coords<'e>>, (TileOrigin, usize))>,
}

impl SortBoundView<'_> {
    /// True if a cell precedes the bound; `word` is the first of its key.
    #[inline]
    pub(super) fn is_after<'c>(&self, word: u64, cell: impl FnOnce() -> CellRef<'c>) -> bool {
        if word != self.word {
            return word < self.word;
        }
        self.is_after_tie(cell())
    }

    /// As [`SortBoundView::is_after`] for a cell with the same first word.
    fn is_after_tie(&self, row: CellRef<'_>) -> bool {
        let Some((keys, coords, place)) = &self.cell else { return false };
        let order = match self.plan.is_one_word() {
            true => Ordering::Equal,
            false => self.plan.compare_rest(row.keyed, row.row, CellKeys { keys, coords }, 0),
        };
        order.then((row.origin, row.cell).cmp(place)).is_lt()
    }
}
