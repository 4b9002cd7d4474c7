//! Verification of the global-order bounds of tiles, which fragments store since version 23: they are the coordinates of the
//! first and of the last cell, so they lie in the box of the tile, and ascend from tile to tile.

use super::context::unless_stopped;
use super::finding::{Code, Finding};
use super::statistics::{is_same, show};
use super::tile::{TileAccess, TileCheck};
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::keys::columns::KeyedColumns;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_core::error::Result;
use tiledb_core::limits::verify::TILES_PER_BOUNDS_BATCH;
use tiledb_core::types::CellRange;

fn dimensions(fragment: &Fragment) -> impl Iterator<Item = &Field> {
    fragment.schema().fields().iter().filter(|field| field.is_dimension)
}

/// Verifies the tables of bounds without the cells: their sizes, boxes and order.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn check(fragment: &Fragment, plan: &KeyPlan) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    let mut first = 0;
    if !fragment.has_tile_bounds() {
        return Ok(found);
    }
    let mut last: Vec<Vec<u8>> = Vec::new();
    while first < fragment.tile_count() {
        let mut batch = Batch { cells: usize::from(!last.is_empty()), columns: Vec::new() };
        let end = first.saturating_add(TILES_PER_BOUNDS_BATCH.bytes()).min(fragment.tile_count());
        for (dimension, field) in dimensions(fragment).enumerate() {
            let before = last.get(dimension).map(Vec::as_slice);
            match unless_stopped(column(fragment, (dimension, field), before, first..end, &mut found))? {
                Ok(column) => batch.columns.push(column),
                Err(error) => {
                    found.push(finding(fragment, Code::Table.or_of(&error), None, error.text().to_owned()));
                    return Ok(found);
                }
            }
        }
        batch.cells += 2 * (end - first) as usize;
        if let Some(cell) = batch.first_disorder(plan)? {
            let cell = cell + usize::from(last.is_empty());
            // Each tile has two cells; the first one of the batch is the upper bound of the tile before it.
            let tile = first + (cell as u64).saturating_sub(1) / 2;
            let text = match cell % 2 {
                0 => "The lower bound of the tile comes after its upper bound in the global order",
                _ => "The lower bound of the tile comes before the upper bound of the tile in front of it",
            };
            found.push(finding(fragment, Code::Boxes, Some(tile), text.to_owned()));
        }
        last = batch.columns.iter().map(|column| column.last().to_vec()).collect();
        first = end;
    }
    Ok(found)
}

/// Compares the bounds of a tile with the coordinates of its first and last cell.
pub(super) fn compare(access: TileAccess<'_>, tile: u64, ends: &[Vec<Vec<u8>>; 2], found: &mut Vec<Finding>) {
    for (dimension, field) in dimensions(access.fragment).enumerate() {
        // Damaged tables are reported separately.
        let Ok(Some([low, high])) = access.fragment.tile_bounds(dimension, tile) else { continue };
        let [Some(first), Some(last)] = [0, 1].map(|end: usize| ends[end].get(dimension)) else { continue };
        if is_same(field.datatype, low, first) && is_same(field.datatype, high, last) {
            continue;
        }
        let (stored, actual) = (show(field, low, high), show(field, first, last));
        let text = format!("The bounds of the tile are {stored}, but its first and last cell have {actual}");
        found.push(TileCheck::new(access, field, tile).finding(Code::Boxes, FieldPart::Data, text));
    }
}

fn finding(fragment: &Fragment, code: Code, tile: Option<u64>, text: String) -> Finding {
    let name = Some(fragment.name().as_str().to_owned());
    Finding { fragment: name, tile, ..Finding::new(code, &fragment.metadata_file(), text) }
}

/// Bounds in one dimension, lower and upper ones in turn.
#[derive(Default)]
struct BoundColumn {
    starts: Vec<u64>,
    data: Vec<u8>,
}

impl BoundColumn {
    fn push(&mut self, bound: &[u8]) -> Result<()> {
        tiledb_core::memory::push("bounds of tiles", &mut self.starts, self.data.len() as u64)?;
        tiledb_core::memory::reserve("bounds of tiles", &mut self.data, bound.len())?;
        self.data.extend_from_slice(bound);
        Ok(())
    }

    fn last(&self) -> &[u8] {
        let start = self.starts.last().map_or(0, |&start| start as usize);
        self.data.get(start..).unwrap_or_default()
    }
}

/// Collects the bounds of tiles in a dimension after the upper one of the tile before them, and reports those outside the
/// box of their tile.
fn column(
    fragment: &Fragment,
    (dimension, field): (usize, &Field),
    before: Option<&[u8]>,
    tiles: std::ops::Range<u64>,
    found: &mut Vec<Finding>,
) -> Result<BoundColumn> {
    let mut column = BoundColumn::default();
    before.map_or(Ok(()), |bound| column.push(bound))?;
    // A damaged R-tree is reported separately.
    let tree = fragment.rtree().ok();
    for tile in tiles {
        let [low, high] = fragment.tile_bounds(dimension, tile)?.unwrap_or_default();
        column.push(low)?;
        column.push(high)?;
        let index = usize::try_from(tile).unwrap_or(usize::MAX);
        let Some((least, greatest)) = tree.and_then(|tree| tree.leaf_ends(dimension, index)) else { continue };
        let compare = |a, b| CellRange::compare(field.datatype, a, b);
        let is_inside = |bound| compare(least, bound).is_le() && compare(bound, greatest).is_le();
        if !is_inside(low) || !is_inside(high) {
            let (bounds, outer) = (show(field, low, high), show(field, least, greatest));
            let text = format!("The bounds of the tile are {bounds}, outside its box from {outer}");
            let field = Some(field.name.to_string());
            found.push(Finding { field, ..finding(fragment, Code::Boxes, Some(tile), text) });
        }
    }
    Ok(column)
}

/// The bounds of some tiles.
struct Batch {
    cells: usize,
    columns: Vec<BoundColumn>,
}

impl Batch {
    /// The first bound that comes before the one in front of it.
    fn first_disorder(&self, plan: &KeyPlan) -> Result<Option<usize>> {
        let columns = self.columns.iter().enumerate();
        let coords: Vec<Coords<'_>> = columns
            .map(|(dimension, column)| match plan.is_var(dimension) {
                true => Coords::Var { starts: &column.starts, data: &column.data },
                false => Coords::Fixed(&column.data),
            })
            .collect();
        Ok(KeyedColumns::new(plan, &coords, self.cells)?.check_order()?.first_disorder)
    }
}
