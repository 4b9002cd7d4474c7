//! Stored statistics of whole tiles, and whether they can be trusted.

use super::text_stats;
use super::totals::{AggregatedField, CellTotals};
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::aggregate::running_sum::RunningSum;
use tiledb_cells::aggregate::summary::FieldSummary;
use tiledb_core::error::Result;
use tiledb_core::limits::aggregate::TILES_PER_LOOKUP;
use tiledb_core::types::{Cell, CellValNum, Datatype, NumberKind, PhysicalType, dispatch};
use tiledb_filters::filter::FilterType;
use tiledb_storage::resources::Resources;

/// Estimate of the work of looking up the statistics of this many tiles, in bytes as [`Pools`](tiledb_core::pool::Pools)
/// takes it: finding the tile, and each field, takes as long as about 128 bytes of a decoded tile.
fn work(tiles: usize, aggregated: &[AggregatedField]) -> usize {
    tiles.saturating_mul(1 + aggregated.len()).saturating_mul(128)
}

/// What is stored about the cells of a whole tile.
pub enum Stored<T> {
    /// All that is asked for.
    Complete(T),
    /// Minima and maxima that are cells, but which other cells may surpass.
    Candidates(T),
    /// Nothing that can be trusted.
    Absent,
}

impl<T> Stored<T> {
    /// The statistics, if they are complete.
    pub fn complete(self) -> Option<T> {
        match self {
            Stored::Complete(summary) => Some(summary),
            Stored::Candidates(_) | Stored::Absent => None,
        }
    }
}

/// Statistics of a tile of `cells` cells, from those of its fields.
///
/// # Errors
/// Of the statistics of a field.
pub fn of_fields(
    aggregated: &[AggregatedField],
    cells: u64,
    mut field: impl FnMut(usize) -> Result<Stored<FieldSummary>>,
) -> Result<Stored<CellTotals>> {
    let mut totals = CellTotals { cells, ..CellTotals::new(aggregated) };
    let mut is_complete = true;
    for (number, summary) in totals.fields.iter_mut().enumerate() {
        match field(number)? {
            Stored::Complete(stored) => *summary = stored,
            Stored::Candidates(stored) => (*summary, is_complete) = (stored, false),
            Stored::Absent => return Ok(Stored::Absent),
        }
    }
    if is_complete {
        return Ok(Stored::Complete(totals));
    }
    // The cells are counted where they are decoded.
    let mut candidates = CellTotals::new(aggregated);
    for (summary, stored) in candidates.fields.iter_mut().zip(totals.fields) {
        summary.ends = stored.ends;
    }
    Ok(Stored::Candidates(candidates))
}

/// Adds the tiles that stored statistics answer, and returns the others, which must be decoded. `lookup` returns the statistics
/// of a tile, all of whose cells are selected if there are any, beside the totals of other ones.
///
/// # Errors
/// Of `lookup`, and if the operation was canceled.
pub fn add_stored<T: Copy + Send + Sync>(
    resources: &Resources,
    aggregated: &[AggregatedField],
    tiles: &[T],
    totals: &mut CellTotals,
    lookup: impl Fn(T, &CellTotals) -> Result<Stored<CellTotals>> + Sync,
) -> Result<Vec<T>> {
    let (left, has_candidates) = add_complete(resources, aggregated, tiles, totals, &lookup)?;
    // Most tiles cannot surpass the candidates of all tiles.
    if has_candidates {
        return Ok(add_complete(resources, aggregated, &left, totals, &lookup)?.0);
    }
    Ok(left)
}

/// Adds the tiles that stored statistics answer beside the present totals, and the candidates of the others. Returns the latter,
/// and whether there were candidates.
fn add_complete<T: Copy + Send + Sync>(
    resources: &Resources,
    aggregated: &[AggregatedField],
    tiles: &[T],
    totals: &mut CellTotals,
    lookup: &(impl Fn(T, &CellTotals) -> Result<Stored<CellTotals>> + Sync),
) -> Result<(Vec<T>, bool)> {
    let groups: Vec<&[T]> = tiles.chunks(TILES_PER_LOOKUP.count()).collect();
    let selected = &*totals;
    let parts = resources.pools().map(groups.len(), work(tiles.len(), aggregated), resources.cancel(), |group| {
        let mut all = CellTotals::new(aggregated);
        let mut left = Vec::new();
        let mut has_candidates = false;
        for &tile in groups[group] {
            match lookup(tile, selected)? {
                Stored::Complete(part) => all.merge(aggregated, part),
                Stored::Candidates(part) => {
                    has_candidates = true;
                    all.merge(aggregated, part);
                    left.push(tile);
                }
                Stored::Absent => left.push(tile),
            }
        }
        Ok((all, left, has_candidates))
    })?;
    let mut left = Vec::new();
    let mut has_candidates = false;
    for (part, of_group, has_more) in parts {
        totals.merge(aggregated, part);
        left.extend(of_group);
        has_candidates |= has_more;
    }
    Ok((left, has_candidates))
}

/// True if a field has statistics of numbers that can be trusted. Those of values that filters change cannot, which were made
/// before.
fn has_numbers(fragment: &Fragment, field: &Field, aggregated: &AggregatedField) -> bool {
    let kind = fragment.stats_kind(field);
    let lossy = field.filters.has(FilterType::ScaleFloat) || field.filters.has(FilterType::Webp);
    !lossy
        && field.datatype == aggregated.shape.datatype
        && field.cell_val_num == CellValNum::ONE
        && !field.datatype.is_string()
        && kind.min_max
        && kind.sum
        && kind.null_count == aggregated.nullable
}

/// True if a field has statistics of strings whose null count is right, and whose minimum and maximum are cells.
fn has_strings(fragment: &Fragment, field: &Field, aggregated: &AggregatedField) -> bool {
    let kind = fragment.stats_kind(field);
    field.datatype == Datatype::StringAscii
        && (field.datatype, field.cell_val_num) == (aggregated.shape.datatype, aggregated.shape.cell_val_num)
        && fragment.version().has_exact_string_statistics()
        && !(fragment.is_dense() && field.is_var() && may_be_misplaced(fragment, field))
        && kind.min_max
        && kind.null_count == aggregated.nullable
}

/// True if libtiledb may have stored wrong statistics of a variable field of a dense fragment: it takes the validity of other
/// cells, and if there are fewer tiles than attributes it stores the minima and maxima of all tiles as those of the first.
fn may_be_misplaced(fragment: &Fragment, field: &Field) -> bool {
    let tiles = fragment.tile_count();
    field.nullable || tiles > 1 && tiles < fragment.schema().attributes().len() as u64
}

/// Stored statistics of a whole tile of `cells` cells, all of which were written; `None` if it must be decoded.
///
/// # Errors
/// If the tables of the fragment cannot be read.
pub fn of_tile(
    fragment: &Fragment,
    field: &Field,
    aggregated: &AggregatedField,
    tile: u64,
    cells: u64,
) -> Result<Option<FieldSummary>> {
    Ok(of_tile_beside(fragment, field, aggregated, tile, cells, None)?.complete())
}

/// As [`of_tile`], where cells outside or inside of the tile are known to be selected: if a tile cannot have a lesser or greater
/// one, its cells suffice.
///
/// # Errors
/// If the tables of the fragment cannot be read.
pub fn of_tile_beside(
    fragment: &Fragment,
    field: &Field,
    aggregated: &AggregatedField,
    tile: u64,
    cells: u64,
    selected: Option<&FieldSummary>,
) -> Result<Stored<FieldSummary>> {
    let is_number = has_numbers(fragment, field, aggregated);
    if !is_number && !has_strings(fragment, field, aggregated) {
        if aggregated.wants.extremes || aggregated.wants.sum {
            return Ok(Stored::Absent);
        }
        return null_count(fragment, field, aggregated, tile, cells);
    }
    let nulls = fragment.tile_null_count(field, tile)?.unwrap_or(0);
    let Some(valid) = cells.checked_sub(nulls) else { return Ok(Stored::Absent) };
    let summary = FieldSummary { valid, nulls, ..FieldSummary::new(aggregated.shape) };
    if valid == 0 || !(aggregated.wants.extremes || aggregated.wants.sum) {
        return Ok(Stored::Complete(summary));
    }
    let Some((min, max)) = fragment.tile_min_max(field, tile)? else { return Ok(Stored::Absent) };
    let ends = aggregated.wants.extremes.then(|| (min.to_vec(), max.to_vec()));
    if !is_number {
        let is_complete = match selected.and_then(|selected| selected.ends.as_ref()) {
            _ if text_stats::is_minimum(min) && text_stats::is_maximum(max) => true,
            Some((least, greatest)) => {
                (text_stats::is_minimum(min) || text_stats::is_at_least(min, least))
                    && (text_stats::is_maximum(max) || text_stats::is_at_most(max, greatest))
            }
            None => false,
        };
        if is_complete {
            return Ok(Stored::Complete(FieldSummary { ends, ..summary }));
        }
        return Ok(Stored::Candidates(FieldSummary { ends, ..FieldSummary::new(aggregated.shape) }));
    }
    let Some(sum) = fragment.tile_sum(field, tile)? else { return Ok(Stored::Absent) };
    let total = trusted_sum(field.datatype.physical(), (min, max), sum, valid);
    Ok(total.map_or(Stored::Absent, |total| Stored::Complete(FieldSummary { ends, total, ..summary })))
}

/// The stored null count of variable cells in a tile of `cells` cells. libtiledb stores 0 for those of other types than
/// characters, which does not say that there are none.
fn null_count(
    fragment: &Fragment,
    field: &Field,
    aggregated: &AggregatedField,
    tile: u64,
    cells: u64,
) -> Result<Stored<FieldSummary>> {
    let is_exact = fragment.version().has_exact_string_statistics() && !fragment.is_dense() && field.is_var();
    if !is_exact || !aggregated.nullable || field.datatype != aggregated.shape.datatype {
        return Ok(Stored::Absent);
    }
    let nulls = fragment.tile_null_count(field, tile)?.filter(|&nulls| nulls > 0 || field.datatype.is_ascii());
    let counts = nulls.and_then(|nulls| Some((nulls, cells.checked_sub(nulls)?)));
    Ok(counts.map_or(Stored::Absent, |(nulls, valid)| {
        Stored::Complete(FieldSummary { valid, nulls, ..FieldSummary::new(aggregated.shape) })
    }))
}

/// The sum of a dimension's coordinates in a whole tile of `cells` cells, whose box has these ends; `None` if they must
/// be decoded.
///
/// # Errors
/// If the tables of the fragment cannot be read.
pub fn sum_of_coordinates(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    ends: (&[u8], &[u8]),
    cells: u64,
) -> Result<Option<RunningSum>> {
    let lossy = field.filters.has(FilterType::ScaleFloat);
    if lossy || field.is_var() || !fragment.stats_kind(field).sum {
        return Ok(None);
    }
    let sum = fragment.tile_sum(field, tile)?;
    Ok(sum.and_then(|sum| trusted_sum(field.datatype.physical(), ends, sum, cells)))
}

/// The stored sum, unless it may have overflowed on the way: then it stopped there. Sums and extremes of floating-point numbers
/// with a NaN among them cannot be trusted either, which shows in the sum.
fn trusted_sum(physical: PhysicalType, (min, max): (&[u8], &[u8]), sum: [u8; 8], cells: u64) -> Option<RunningSum> {
    if !dispatch!(physical, T => is_ordered::<T>(min, max)) {
        return None;
    }
    match physical.kind() {
        NumberKind::Signed => {
            let [min, max] = [min, max].map(|end| dispatch!(physical, T => key::<T>(end)));
            // Keys are the numbers moved up by 2^63.
            let most = (min - (1 << 63)).abs().max((max - (1 << 63)).abs());
            let fits = most.checked_mul(i128::from(cells))? <= i128::from(i64::MAX);
            fits.then_some(RunningSum::Whole(i128::from(i64::from_le_bytes(sum))))
        }
        NumberKind::Unsigned => {
            let max = dispatch!(physical, T => key::<T>(max));
            let fits = max.checked_mul(i128::from(cells))? <= i128::from(u64::MAX);
            fits.then_some(RunningSum::Whole(i128::from(u64::from_le_bytes(sum))))
        }
        NumberKind::Real => {
            let [min, max] = [min, max].map(|end| dispatch!(physical, T => real::<T>(end)));
            let sum = f64::from_le_bytes(sum);
            // A sum that saturated implies a large value; libtiledb drops a skipped NaN for another large value.
            let small = min.abs() < 1e290 && max.abs() < 1e290 && sum.abs() < 1e300;
            small.then(|| RunningSum::real(sum))
        }
    }
}

fn is_ordered<T: Cell>(min: &[u8], max: &[u8]) -> bool {
    T::from_le(min) <= T::from_le(max)
}

fn key<T: Cell>(end: &[u8]) -> i128 {
    i128::from(T::from_le(end).to_key())
}

fn real<T: Cell>(end: &[u8]) -> f64 {
    T::from_le(end).to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusted<T: Cell>(min: T, max: T, sum: [u8; 8], cells: u64) -> bool {
        let (min, max) = (bytemuck::bytes_of(&min).to_vec(), bytemuck::bytes_of(&max).to_vec());
        trusted_sum(T::PHYSICAL, (&min, &max), sum, cells).is_some()
    }

    #[test]
    fn sums_that_may_have_overflowed() {
        assert!(trusted(-5i8, 7, 9i64.to_le_bytes(), 1 << 40));
        assert!(trusted(i64::MIN + 1, 7, 9i64.to_le_bytes(), 1));
        assert!(!trusted(i64::MIN / 2, 7, 9i64.to_le_bytes(), 3));
        assert!(!trusted(-1, i64::MAX / 2, 9i64.to_le_bytes(), 3));
        assert!(trusted(0, u64::MAX, 9i64.to_le_bytes(), 1));
        assert!(!trusted(0, u64::MAX / 2, 9i64.to_le_bytes(), 3));
        assert!(!trusted(3, 2, [0; 8], 1));
        assert!(trusted(-1.0f32, 2.0, 9f64.to_le_bytes(), 5));
        assert!(!trusted(-1.0f32, 2.0, f64::NAN.to_le_bytes(), 5));
        assert!(!trusted(-1.0f64, f64::NAN, 9f64.to_le_bytes(), 5));
        assert!(!trusted(-1.0f64, f64::INFINITY, 9f64.to_le_bytes(), 5));
        assert!(!trusted(-1.0f64, 1e300, f64::MAX.to_le_bytes(), 5));
    }
}
