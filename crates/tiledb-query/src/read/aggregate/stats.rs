//! Stored statistics of whole tiles, and whether they can be trusted.

use super::totals::AggregatedField;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::aggregate::running_sum::RunningSum;
use tiledb_cells::aggregate::summary::FieldSummary;
use tiledb_core::error::Result;
use tiledb_core::types::{Cell, CellValNum, NumberKind, PhysicalType, dispatch};
use tiledb_filters::filter::FilterType;

/// Estimate of the work of looking up the statistics of this many tiles, in bytes as [`Pools`](tiledb_core::pool::Pools)
/// takes it: finding the tile, and each field, takes as long as about 128 bytes of a decoded tile.
pub fn work(tiles: usize, aggregated: &[AggregatedField]) -> usize {
    tiles.saturating_mul(1 + aggregated.len()).saturating_mul(128)
}

/// True if a field has statistics that can be trusted. Those of text cannot: it is cut at a NUL inside. Nor those of
/// values that filters change, which were made before. Nulls of other cells than single numbers are miscounted
/// by the reference.
pub fn are_stored(fragment: &Fragment, field: &Field, aggregated: &AggregatedField) -> bool {
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
    if !are_stored(fragment, field, aggregated) {
        return Ok(None);
    }
    let nulls = fragment.tile_null_count(field, tile)?.unwrap_or(0);
    let Some(valid) = cells.checked_sub(nulls) else { return Ok(None) };
    let summary = FieldSummary { valid, nulls, ..FieldSummary::new(aggregated.shape) };
    if valid == 0 || !(aggregated.wants.extremes || aggregated.wants.sum) {
        return Ok(Some(summary));
    }
    let (Some((min, max)), Some(sum)) = (fragment.tile_min_max(field, tile)?, fragment.tile_sum(field, tile)?) else {
        return Ok(None);
    };
    let Some(total) = trusted_sum(field.datatype.physical(), (min, max), sum, valid) else { return Ok(None) };
    let ends = aggregated.wants.extremes.then(|| (min.to_vec(), max.to_vec()));
    Ok(Some(FieldSummary { ends, total, ..summary }))
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
