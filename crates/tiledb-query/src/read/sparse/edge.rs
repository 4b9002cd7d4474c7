//! Bounds between the windows of an ordered scan.

use std::cmp::Ordering;

use super::corners::Corners;
use crate::columns::coords::Coords;
use crate::keys::plan::KeyPlan;
use crate::keys::words::{Keyed, Keys};
use tiledb_core::error::Result;

/// A cell, by its row in keyed columns; `rank` and `cell` are the tie-breaker among cells with equal keys.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub keyed: Keyed<'a>,
    pub row: usize,
    pub rank: usize,
    pub cell: usize,
}

/// A bound in the order of cells: each cell lies before it or not.
pub struct Edge {
    /// The first word of the key.
    word: u64,
    /// The rest of it; without one, cells with an equal first word do not lie before the bound.
    cell: Option<EdgeCell>,
}

struct EdgeCell {
    keys: Keys,
    point: Corners,
    rank: usize,
    cell: usize,
}

impl Edge {
    /// Cells whose keys have a lower first word lie before the bound.
    pub fn of_word(word: u64) -> Edge {
        Edge { word, cell: None }
    }

    /// Cells that come before a cell lie before the bound. Where equal cells may not be separated (`together`), none that
    /// equals it does.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn of_row(plan: &KeyPlan, row: Row<'_>, together: bool) -> Result<Edge> {
        let mut point = Corners::new(plan, 1)?;
        for (dimension, column) in row.keyed.coords.iter().enumerate() {
            point.push(dimension, &[column.value(row.row, plan.size(dimension))])?;
        }
        let keys = point.keys(plan)?;
        let (rank, cell) = if together { (0, 0) } else { (row.rank, row.cell) };
        Ok(Edge { word: row.keyed.keys.first()[row.row], cell: Some(EdgeCell { keys, point, rank, cell }) })
    }

    /// The first word of the keys at the bound.
    pub fn word(&self) -> u64 {
        self.word
    }

    /// The bound with its columns, for many comparisons.
    pub fn view<'e>(&'e self, plan: &'e KeyPlan) -> EdgeView<'e> {
        let cell = self.cell.as_ref().map(|cell| (&cell.keys, cell.point.coords(), cell.rank, cell.cell));
        EdgeView { plan, word: self.word, cell }
    }
}

/// A bound that cells are compared with.
pub struct EdgeView<'e> {
    plan: &'e KeyPlan,
    pub word: u64,
    cell: Option<(&'e Keys, Vec<Coords<'e>>, usize, usize)>,
}

impl EdgeView<'_> {
    /// True if a cell lies before the bound; `word` is the first of its key.
    #[inline]
    pub fn is_behind(&self, word: u64, cell: impl FnOnce() -> (usize, usize, usize), keyed: Keyed<'_>) -> bool {
        if word != self.word {
            return word < self.word;
        }
        let (row, rank, cell) = cell();
        self.is_behind_tied(Row { keyed, row, rank, cell })
    }

    /// As [`EdgeView::is_behind`] for a cell with the same first word.
    fn is_behind_tied(&self, row: Row<'_>) -> bool {
        let Some((keys, coords, rank, cell)) = &self.cell else { return false };
        let order = match self.plan.is_one_word() {
            true => Ordering::Equal,
            false => self.plan.compare_rest(row.keyed, row.row, Keyed { keys, coords }, 0),
        };
        order.then((row.rank, row.cell).cmp(&(*rank, *cell))).is_lt()
    }
}
