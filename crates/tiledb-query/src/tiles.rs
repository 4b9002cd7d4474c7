//! Lists the tiles that a read would access, and whether their statistics prune them by the condition, from metadata alone.

use std::sync::Arc;

use crate::read::sparse::filter::{CellFilter, stats_of};
use crate::transfer::filter::program_of;
use tiledb_array::array::OpenArray;
use tiledb_array::condition::Predicate;
use tiledb_array::fragment::Fragment;
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::{ColumnStats, Verdict};
use tiledb_cells::space::grid::{Grid, Odometer};
use tiledb_cells::space::ranges::disjoint;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellRange, Layout, NdRange, QueryType};

/// The verdict of metadata on the cells of a tile that a read would access. The numbers are those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileVerdict {
    /// None matches the condition: the tile is not read.
    Excluded = 0,
    /// Some may match it.
    Some = 1,
    /// All match it, or there is no condition.
    All = 2,
}

impl From<Verdict> for TileVerdict {
    fn from(verdict: Verdict) -> TileVerdict {
        match verdict {
            Verdict::Never => TileVerdict::Excluded,
            Verdict::Maybe => TileVerdict::Some,
            Verdict::Always => TileVerdict::All,
        }
    }
}

/// Passes the tiles of each fragment that a subarray intersects, in the order of the fragments, and their verdicts to
/// `give`, until it returns false.
///
/// # Errors
/// For arrays that are not open for reading or are remote, subarrays of another array or with ranges of labels, an
/// invalid condition; if metadata cannot be read; and those of `give`.
pub fn tiles(
    array: &OpenArray,
    subarray: &Subarray,
    condition: Option<&Predicate>,
    give: &mut dyn FnMut(&Fragment, u64, TileVerdict) -> Result<bool>,
) -> Result<()> {
    check("Tiles", array, subarray)?;
    let program = condition.map(|condition| program_of(array, condition)).transpose()?;
    let ranges = selected(subarray);
    let cancel = array.resources().cancel();
    let dense = array.schema().is_dense().then(|| Grid::new(array.schema())).transpose()?;
    let dense = dense.map(|grid| (grid, all_ranges(subarray)));
    let touched = |fragment: &&Arc<Fragment>| subarray.touches(fragment.non_empty_domain());
    for fragment in array.fragments()?.iter().filter(touched) {
        cancel.check()?;
        match dense.as_ref().filter(|_| fragment.is_dense()) {
            Some((grid, ranges)) => {
                let goes_on = dense_tiles(fragment, grid, ranges, &mut |index, number| {
                    let verdict = match &program {
                        Some(program) => dense_verdict(fragment, grid, program, index, number)?,
                        None => Verdict::Always,
                    };
                    give(fragment, number, verdict.into())
                })?;
                if !goes_on {
                    return Ok(());
                }
            }
            None => {
                let filter = program.as_ref().map(|program| CellFilter::of_condition(program, fragment));
                for cover in fragment.rtree()?.overlapping(&ranges) {
                    let verdict = match &filter {
                        Some(filter) => filter.verdict(fragment, cover.tile)?,
                        None => Verdict::Always,
                    };
                    if !give(fragment, cover.tile, verdict.into())? {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// Rejects what cannot be decided without the cells; `what` begins the error.
///
/// # Errors
/// As [`tiles`].
pub fn check(what: &str, array: &OpenArray, subarray: &Subarray) -> Result<()> {
    if array.query_type() != QueryType::Read {
        bail!("{what}: the array is not open for reading; open it with TILEDB_READ");
    }
    if array.source().is_some() {
        bail!("{what}: '{}' lies at a server; open the array by the path of its folder", array.uri());
    }
    if subarray.sets().len() != array.schema().domain().dimensions().len() {
        bail!("{what}: the subarray has {} dimensions, not those of '{}'", subarray.sets().len(), array.uri());
    }
    if subarray.labels().iter().any(Option::is_some) {
        bail!("{what}: the subarray has ranges of dimension labels; give those of the dimensions");
    }
    Ok(())
}

/// The ranges of each dimension, ascending and disjoint; none where all is selected.
pub fn selected(subarray: &Subarray) -> Vec<Vec<CellRange>> {
    let dimensions = subarray.schema().domain().dimensions();
    let selected = subarray.sets().iter().zip(dimensions).map(|(set, dimension)| match set.is_default() {
        true => Vec::new(),
        false => disjoint(dimension.datatype(), set.ranges()),
    });
    selected.collect()
}

/// The ranges of each dimension, ascending and disjoint; the whole domain where all is selected.
pub fn all_ranges(subarray: &Subarray) -> Vec<Vec<CellRange>> {
    let dimensions = subarray.schema().domain().dimensions().iter().zip(subarray.sets());
    dimensions.map(|(dimension, set)| disjoint(dimension.datatype(), set.ranges())).collect()
}

/// Passes the tiles of a dense fragment that ranges touch to `give`, until it returns false: their indexes in the grid
/// and numbers in the fragment. Returns whether it never did.
///
/// # Errors
/// If memory does not suffice, and those of `give`.
pub fn dense_tiles(
    fragment: &Fragment,
    grid: &Grid,
    ranges: &[Vec<CellRange>],
    give: &mut dyn FnMut(&[u64], u64) -> Result<bool>,
) -> Result<bool> {
    let Some(tiles) = fragment.dense_tile_box() else { return Ok(true) };
    // Per dimension the tiles that ranges touch.
    let mut touched: Vec<Vec<u64>> = Vec::new();
    for (d, (axis, ranges)) in grid.axes().iter().zip(ranges).enumerate() {
        let mut along = Vec::new();
        for range in ranges {
            let span = axis.span(range)?;
            let from = axis.tile(span.low).max(tiles.first()[d]).max(along.last().map_or(0, |last| last + 1));
            for tile in from..=axis.tile(span.high).min(tiles.last()[d]) {
                memory::push("tiles", &mut along, tile)?;
            }
        }
        touched.push(along);
    }
    let mut places = Odometer::new(touched.iter().map(|along| along.len() as u64).collect(), Layout::RowMajor);
    while let Some(place) = places.position() {
        let index: Vec<u64> = touched.iter().zip(place).map(|(along, &at)| along[at as usize]).collect();
        places.advance();
        if let Some(number) = tiles.tile(&index)
            && !give(&index, number)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The verdict of the statistics of a tile of a dense fragment on a condition.
///
/// # Errors
/// If they cannot be read.
pub fn dense_verdict(
    fragment: &Fragment,
    grid: &Grid,
    program: &Program,
    index: &[u64],
    number: u64,
) -> Result<Verdict> {
    let sides = grid.axes().iter().zip(index).map(|(axis, &tile)| axis.range(axis.tile_span(tile)));
    let sides: NdRange = sides.collect::<Result<_>>()?;
    program.verdict(
        |_| Ok(None),
        |column| {
            let compared = &program.columns()[column];
            if let Some(side) = compared.dimension_index.and_then(|dimension| sides.get(dimension)) {
                return Ok(Some(ColumnStats { min_max: (side.low(), side.high()), has_nulls: false }));
            }
            match fragment.stored(compared) {
                Some(field) if !field.is_dimension => stats_of(fragment, field, compared, number),
                _ => Ok(None),
            }
        },
    )
}
