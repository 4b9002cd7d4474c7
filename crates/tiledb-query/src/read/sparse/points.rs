//! Points of the coordinate space, such as corners of bounding boxes, as columns of coordinates with sort keys.

use super::fragment_cursor::FragmentCursor;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::Keys;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;

/// What memory is for.
const CORNERS: &str = "corners of tiles";

/// Points, one row each.
pub(super) struct Points {
    columns: Vec<PointColumn>,
    rows: usize,
}

#[derive(Default)]
struct PointColumn {
    data: Vec<u8>,
    /// Of strings only.
    starts: Option<Vec<u64>>,
}

impl Points {
    /// Reserves memory for `rows` points.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn new(plan: &KeyPlan, rows: usize) -> Result<Points> {
        let column = |dimension: usize| {
            let mut column = PointColumn::default();
            match plan.is_var(dimension) {
                true => column.starts = Some(memory::with_capacity(CORNERS, rows)?),
                false => column.data = memory::with_capacity(CORNERS, rows.saturating_mul(plan.size(dimension)))?,
            }
            Ok(column)
        };
        let columns = (0..plan.dimension_count()).map(column).collect::<Result<_>>()?;
        Ok(Points { columns, rows })
    }

    /// The lower corners of the boxes of all tiles, or the upper ones (`high`), cursor by cursor.
    ///
    /// # Errors
    /// If tables of a fragment are not valid, or memory does not suffice.
    pub(super) fn of_tiles(plan: &KeyPlan, cursors: &[FragmentCursor], high: bool) -> Result<Points> {
        let mut corners = Points::new(plan, cursors.iter().map(|cursor| cursor.tiles.count()).sum())?;
        for cursor in cursors {
            if cursor.fragment.tile_count() == 1 {
                // The box of the fragment is that of its tile.
                for (dimension, side) in cursor.fragment.non_empty_domain().iter().enumerate() {
                    corners.push(dimension, &[if high { side.high() } else { side.low() }])?;
                }
                continue;
            }
            let tree = cursor.fragment.rtree()?;
            for (tile, _) in (0..cursor.tiles.count()).filter_map(|place| cursor.tile(place)) {
                for dimension in 0..tree.dimension_count() {
                    let Some((low_end, high_end)) = tree.leaf_ends(dimension, tile as usize) else {
                        bail!(Corrupt, "Fragment {} has no box for tile {tile}", cursor.fragment.uri());
                    };
                    corners.push(dimension, &[if high { high_end } else { low_end }])?;
                }
            }
        }
        Ok(corners)
    }

    /// Appends the coordinates of the next points along a dimension.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn push(&mut self, dimension: usize, ends: &[&[u8]]) -> Result<()> {
        let Some(column) = self.columns.get_mut(dimension) else { return Ok(()) };
        let more = ends.iter().map(|end| end.len()).sum();
        memory::reserve(CORNERS, &mut column.data, more)?;
        for end in ends {
            if let Some(starts) = &mut column.starts {
                starts.push(column.data.len() as u64);
            }
            column.data.extend_from_slice(end);
        }
        Ok(())
    }

    /// How many points there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Their coordinates, one column per dimension.
    pub(super) fn coords(&self) -> Vec<Coords<'_>> {
        let coords = self.columns.iter().map(|column| match &column.starts {
            Some(starts) => Coords::Var { starts, data: &column.data },
            None => Coords::Fixed(&column.data),
        });
        coords.collect()
    }

    /// Their sort keys.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn keys(&self, plan: &KeyPlan) -> Result<Keys> {
        let mut keys = Keys::default();
        plan.compute(&self.coords(), self.rows, &mut keys)?;
        Ok(keys)
    }
}
