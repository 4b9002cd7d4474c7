//! Verification of the coordinates of a sparse tile: boxes, domains, order, duplicates.

use super::finding::{Code, Finding};
use super::statistics::{is_lossy, is_same, show};
use super::tile::{CheckedCells, TileAccess, TileCheck};
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::keys::columns::KeyedColumns;
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::write::sparse::bounds::range_of;
use tiledb_core::error::Result;
use tiledb_core::pool::scratch_size;
use tiledb_core::types::CellRange;
use tiledb_filters::tile::TileStats;

/// The coordinates of a tile, one column per dimension.
pub(super) struct CoordinateColumns {
    decoded: Vec<CheckedCells>,
    /// Columns of old fragments, which keep all dimensions in one tile.
    apart: Vec<Vec<u8>>,
}

/// Summary of a tile, for comparison with the next one and for the totals of the fragment.
#[derive(Default)]
pub(super) struct TileSummary {
    /// The coordinates of the first and the last cell, per dimension.
    pub(super) ends: Option<[Vec<Vec<u8>>; 2]>,
    /// The statistics of the tile, per field, where they were made.
    pub(super) stats: Vec<(usize, TileStats)>,
}

impl CoordinateColumns {
    fn coords(&self) -> Vec<Coords<'_>> {
        if !self.apart.is_empty() {
            return self.apart.iter().map(|bytes| Coords::Fixed(bytes)).collect();
        }
        self.decoded.iter().map(column).collect()
    }
}

fn column(cells: &CheckedCells) -> Coords<'_> {
    match &cells.starts {
        Some(starts) => Coords::Var { starts, data: &cells.data },
        None => Coords::Fixed(&cells.data),
    }
}

/// The dimensions of a fragment that have tiles of their own; the first one represents all dimensions of an old fragment.
pub(super) fn dimensions(fragment: &Fragment) -> Vec<&Field> {
    let all = fragment.schema().fields().iter().filter(|field| field.is_dimension);
    if fragment.version().has_dimension_files() { all.collect() } else { all.take(1).collect() }
}

/// Bytes of memory that the coordinates of a tile take.
pub(super) fn need(access: TileAccess<'_>, tile: u64) -> u64 {
    let fragment = access.fragment;
    let mut need = 0u64;
    for field in dimensions(fragment) {
        need = need.saturating_add(TileCheck::new(access, field, tile).need());
    }
    // Positions of equal cells, and the columns of coordinates that were stored together.
    let cells = fragment.cells_in_tile(tile).saturating_mul(8 * (1 + fragment.schema().domain().len() as u64));
    need.saturating_add(cells).saturating_add(scratch_size(0))
}

/// Verifies the coordinates of a tile.
///
/// # Errors
/// Errors that stop the verification.
pub(super) fn check(
    access: TileAccess<'_>,
    plan: &KeyPlan,
    tile: u64,
    found: &mut Vec<Finding>,
) -> Result<TileSummary> {
    let fragment = access.fragment;
    let mut decoded = Vec::new();
    let mut looked = TileSummary::default();
    let fields = dimensions(fragment);
    for field in &fields {
        let mut check = TileCheck::new(access, field, tile);
        if let Some(cells) = check.decode()? {
            if let Some(stats) = check.statistics(&cells, None)? {
                looked.stats.push((field.index, stats));
            }
            decoded.push(cells);
        }
        found.append(&mut check.found);
    }
    if decoded.len() < fields.len() {
        return Ok(looked);
    }
    let count = usize::try_from(fragment.cells_in_tile(tile)).unwrap_or(usize::MAX);
    let mut columns = CoordinateColumns { decoded, apart: Vec::new() };
    if !fragment.version().has_dimension_files() {
        columns.apart = apart(fragment, &columns.decoded[0].data, count)?;
    }
    let coords = columns.coords();
    let all = fragment.schema().fields().iter().filter(|field| field.is_dimension);
    for (dimension, (field, column)) in all.zip(&coords).enumerate().filter(|(_, (field, _))| !is_lossy(field)) {
        let mut check = TileCheck::new(access, field, tile);
        check_box(&mut check, dimension, column)?;
        found.append(&mut check.found);
    }
    if fields.iter().any(|field| is_lossy(field)) {
        return Ok(looked);
    }
    let mut check = TileCheck::new(access, fields[0], tile);
    check_order(&mut check, plan, &coords, count)?;
    found.append(&mut check.found);
    if count > 0 {
        let cell = |cell: usize| (0..coords.len()).map(|d| coords[d].value(cell, plan.size(d)).to_vec()).collect();
        let ends = [cell(0), cell(count - 1)];
        super::bounds::compare(access, tile, &ends, found);
        looked.ends = Some(ends);
    }
    Ok(looked)
}

/// The dimensions of a tile that holds all of them.
fn apart(fragment: &Fragment, tile: &[u8], cells: usize) -> Result<Vec<Vec<u8>>> {
    let mut columns = Vec::new();
    for (index, dimension) in fragment.schema().domain().dimensions().iter().enumerate() {
        let size = cells.saturating_mul(dimension.size());
        let mut column = tiledb_core::memory::filled("coordinates", 0u8, size)?;
        match fragment.zips_coordinates() {
            true => fragment.unzip(tile, index, &mut column)?,
            false => column.copy_from_slice(tile.get(index * size..(index + 1) * size).unwrap_or_default()),
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Compares the range of a tile along a dimension with its box, the domain, and the non-empty domain.
fn check_box(check: &mut TileCheck<'_>, dimension: usize, column: &Coords<'_>) -> Result<()> {
    let fragment = check.access.fragment;
    let field = check.field;
    let part = if field.is_var() { FieldPart::Var } else { FieldPart::Data };
    let range = match *column {
        Coords::Fixed(data) => range_of(field, data, None),
        Coords::Var { starts, data } => range_of(field, data, Some(starts)),
    };
    let shown = |range: &CellRange| show(field, range.low(), range.high());
    if let Ok(tree) = fragment.rtree()
        && let Some((low, high)) = tree.leaf_ends(dimension, usize::try_from(check.tile).unwrap_or(usize::MAX))
        && !(is_same(field.datatype, low, range.low()) && is_same(field.datatype, high, range.high()))
    {
        let text = format!(
            "The box of the tile has {} as its ends, the coordinates {}",
            show(field, low, high),
            shown(&range)
        );
        check.wrong(Code::Boxes, part, text);
    }
    let inside = |outer: &CellRange| outer.contains(field.datatype, &range);
    let domain = fragment.schema().domain().dimensions().get(dimension).and_then(|dimension| dimension.domain());
    if let Some(domain) = domain.filter(|domain| !field.is_var() && !inside(domain)) {
        let text = format!("Coordinates from {} lie outside the domain from {}", shown(&range), shown(domain));
        check.wrong(Code::Domain, part, text);
    }
    if let Some(domain) = fragment.non_empty_domain().get(dimension).filter(|domain| !inside(domain)) {
        let text =
            format!("Coordinates from {} lie outside the non-empty domain from {}", shown(&range), shown(domain));
        check.wrong(Code::Boxes, part, text);
    }
    Ok(())
}

/// Checks that the cells of a tile are in global order, without duplicates where they are not allowed.
fn check_order(check: &mut TileCheck<'_>, plan: &KeyPlan, coords: &[Coords<'_>], count: usize) -> Result<()> {
    let order = KeyedColumns::new(plan, coords, count)?.check_order()?;
    match order.first_disorder {
        Some(cell) => {
            let text = format!("Cell {cell} of the tile comes before the one in front of it in the global order");
            check.wrong(Code::Order, FieldPart::Data, text);
        }
        None => {
            if let Some(&cell) = order.equal.first().filter(|_| forbids_duplicates(check.access.fragment)) {
                let text = format!(
                    "Cells {} and {cell} of the tile have the same coordinates ({} such pairs)",
                    cell - 1,
                    order.equal.len()
                );
                check.wrong(Code::Duplicate, FieldPart::Data, text);
            }
        }
    }
    Ok(())
}

/// Consolidation with timestamps retains superseded cells.
fn forbids_duplicates(fragment: &Fragment) -> bool {
    !fragment.schema().allows_dups() && !fragment.has_timestamps()
}

/// Compares the last cell of a tile with the first one of the next.
///
/// # Errors
/// What stops the verification.
pub(super) fn follow(
    access: TileAccess<'_>,
    plan: &KeyPlan,
    last: &[Vec<u8>],
    first: &[Vec<u8>],
    tile: u64,
) -> Result<Option<Finding>> {
    let pairs: Vec<(Vec<u8>, [u64; 2])> =
        last.iter().zip(first).map(|(a, b)| ([a.as_slice(), b].concat(), [0, a.len() as u64])).collect();
    let mut coords = Vec::new();
    for (dimension, (data, starts)) in pairs.iter().enumerate() {
        coords.push(if plan.is_var(dimension) { Coords::Var { starts, data } } else { Coords::Fixed(data) });
    }
    let order = KeyedColumns::new(plan, &coords, 2)?.check_order()?;
    let Some(&field) = dimensions(access.fragment).first() else { return Ok(None) };
    let check = TileCheck::new(access, field, tile);
    Ok(match order.first_disorder {
        Some(_) => {
            let text = "The first cell of the tile comes before the last one of the tile in front of it";
            Some(check.finding(Code::Order, FieldPart::Data, text.to_owned()))
        }
        None if !order.equal.is_empty() && forbids_duplicates(access.fragment) => {
            let text = "The first cell of the tile has the coordinates of the last one of the tile in front of it";
            Some(check.finding(Code::Duplicate, FieldPart::Data, text.to_owned()))
        }
        None => None,
    })
}
