//! Statistics of one tile.

use super::blocks::count_selected;
use super::numeric_cell::NumericCell;
use super::numeric_summary::NumericSummary;
use super::saturating_sum::SaturatingSum;
use super::text_min_max::{MinMax, TextMinMax};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, Datatype, dispatch};

/// Minimum, maximum, sum and count of nulls of one tile of one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileStats {
    /// The bytes of the least cell; zeros (var: none) if all cells are null; empty if not collected.
    pub min: Vec<u8>,
    /// The bytes of the greatest cell.
    pub max: Vec<u8>,
    /// The sum as an `i64`, `u64` or `f64`, by the kind of number.
    pub sum: [u8; 8],
    /// Cells that are null.
    pub null_count: u64,
    /// Cells that are not null; some of a padded tile.
    pub valid_count: u64,
}

/// Which statistics a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsKind {
    /// Minimum and maximum.
    pub min_max: bool,
    pub sum: bool,
    pub null_count: bool,
}

/// Which statistics tiles of a field have.
pub fn stats_kind(datatype: Datatype, cell_val_num: CellValNum, nullable: bool, is_dimension: bool) -> StatsKind {
    let text = datatype.is_ascii();
    let opaque = datatype.is_opaque() || datatype.is_string() && !text;
    let single = cell_val_num == CellValNum::ONE;
    StatsKind {
        min_max: !is_dimension && !opaque && (text || single),
        sum: single && !opaque && datatype != Datatype::StringAscii,
        null_count: nullable,
    }
}

/// How the cells of a tile were written, as far as statistics depend on it.
#[derive(Clone, Copy, Debug)]
pub struct StatsOptions {
    /// There are more cells, which were not written: if all written ones are null, minimum and maximum of numbers are
    /// the ends of the type's range in reverse, instead of zeros.
    pub padded: bool,
    /// Number of cells that were copied at a time: a sum that overflowed continues with the next copy.
    pub run: usize,
}

impl StatsOptions {
    /// All cells of the tile at once.
    pub const WHOLE: StatsOptions = StatsOptions { padded: false, run: usize::MAX };
}

/// The statistics of one tile: of `data`, where `var_starts` are the starts of variable-sized cells and
/// `validity` has one byte per cell, 0 for null.
///
/// # Errors
/// If the data are not whole cells, or offsets do not ascend within them.
pub fn tile_stats(
    datatype: Datatype,
    cell_val_num: CellValNum,
    data: &[u8],
    var_starts: Option<&[u64]>,
    validity: Option<&[u8]>,
    fill: StatsOptions,
    kind: StatsKind,
) -> Result<TileStats> {
    let cell_size = match cell_val_num.fixed() {
        Some(values) => values as usize * datatype.size(),
        None => 0,
    };
    let cells = match (var_starts, cell_size) {
        (Some(starts), _) => starts.len(),
        (None, 0) => bail!(Internal, "Statistics of variable-sized cells without their offsets"),
        (None, size) if !data.len().is_multiple_of(size) => {
            bail!(Internal, "{} bytes are not whole cells of {size} bytes", data.len())
        }
        (None, size) => data.len() / size,
    };
    if let Some(validity) = validity.filter(|validity| validity.len() != cells) {
        bail!(Internal, "{} validity values for {cells} cells", validity.len());
    }
    let nulls = validity.map_or(0, |validity| validity.len() - count_selected(validity));
    let validity = validity.filter(|_| nulls > 0);
    let text = datatype.is_ascii();
    // Unwritten cells count as not null, except that fixed-size text without values has no minimum and maximum.
    let padded = fill.padded && !(text && var_starts.is_none());
    let valid_count = (cells - nulls) as u64 + u64::from(padded);
    let mut stats = TileStats { valid_count, ..TileStats::default() };
    if kind.null_count {
        stats.null_count = nulls as u64;
    }
    if kind.sum || kind.min_max && !text {
        dispatch!(datatype.compared_as(), T => numbers::<T>(data, validity, fill, kind, &mut stats));
    }
    if kind.min_max && text {
        let ends = match var_starts {
            Some(starts) => var_text(data, starts, validity, None)?,
            None => fixed_text(data, cell_size, validity, None),
        };
        let nothing = vec![0; cell_size];
        (stats.min, stats.max) = match ends {
            Some((min, max)) => (min.to_vec(), max.to_vec()),
            None => (nothing.clone(), nothing),
        };
    }
    Ok(stats)
}

fn numbers<T: NumericCell>(
    data: &[u8],
    validity: Option<&[u8]>,
    fill: StatsOptions,
    kind: StatsKind,
    stats: &mut TileStats,
) {
    let mut summary = NumericSummary::<T>::new();
    summary.add(data, validity);
    if kind.sum {
        let cells = data.len() / size_of::<T>();
        let again = summary.total.has_overflowed() && fill.run < cells;
        stats.sum = if again { sum_of_runs::<T>(data, validity, fill.run) } else { summary.total.bytes() };
    }
    put_min_max(&summary, fill, kind, stats);
}

/// Stores the minimum and maximum of numbers, if they are collected.
pub(super) fn put_min_max<T: NumericCell>(
    summary: &NumericSummary<T>,
    fill: StatsOptions,
    kind: StatsKind,
    stats: &mut TileStats,
) {
    if kind.min_max {
        let empty = summary.valid == 0 && !fill.padded;
        let (min, max) = if empty { Default::default() } else { (summary.min, summary.max) };
        stats.min = bytemuck::bytes_of(&min).to_vec();
        stats.max = bytemuck::bytes_of(&max).to_vec();
    }
}

/// The sum of a tile in which it overflows, run by run.
fn sum_of_runs<T: NumericCell>(data: &[u8], validity: Option<&[u8]>, run: usize) -> [u8; 8] {
    let mut total = SaturatingSum::new(T::PHYSICAL);
    for (index, cell) in data.chunks_exact(size_of::<T>()).enumerate() {
        if index.is_multiple_of(run.max(1)) {
            total.resume();
        }
        if is_valid(validity, index) {
            total.add_each(&[T::from_le(cell)]);
        }
    }
    total.bytes()
}

/// True if cell `index` is not null.
fn is_valid(validity: Option<&[u8]>, index: usize) -> bool {
    validity.is_none_or(|validity| validity.get(index).is_some_and(|&valid| valid != 0))
}

/// The least and the greatest of fixed texts, and of those known before.
pub(super) fn fixed_text<'a>(
    data: &'a [u8],
    cell_size: usize,
    validity: Option<&[u8]>,
    known: MinMax<'a>,
) -> MinMax<'a> {
    let mut extremes = TextMinMax::new(known);
    for (index, cell) in data.chunks_exact(cell_size).enumerate() {
        if is_valid(validity, index) {
            extremes.add(cell);
        }
    }
    extremes.ends()
}

/// The least and the greatest of variable texts, the first of which begins where `data` do, and of those known before.
pub(super) fn var_text<'a>(
    data: &'a [u8],
    starts: &[u64],
    validity: Option<&[u8]>,
    known: MinMax<'a>,
) -> Result<MinMax<'a>> {
    let mut extremes = TextMinMax::new(known);
    let first = starts.first().copied().unwrap_or(0);
    for (index, start) in starts.iter().map(|start| start.wrapping_sub(first)).enumerate() {
        let end = starts.get(index + 1).map_or(data.len() as u64, |next| next.wrapping_sub(first));
        let is_there = match is_valid(validity, index) {
            true => extremes.add_at(data, start, end),
            false => data.get(start as usize..end as usize).is_some(),
        };
        if !is_there {
            bail!("Cell {index} lies at bytes {start} to {end} of {} bytes of data", data.len());
        }
    }
    Ok(extremes.ends())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: StatsKind = StatsKind { min_max: true, sum: true, null_count: true };

    fn stats_of<T: bytemuck::NoUninit>(datatype: Datatype, cells: &[T], validity: Option<&[u8]>) -> TileStats {
        tile_stats(datatype, CellValNum::ONE, bytemuck::cast_slice(cells), None, validity, StatsOptions::WHOLE, ALL)
            .unwrap()
    }

    /// The literal rule of the format, for doubles.
    fn slow(cells: &[f64]) -> (u64, u64) {
        let (mut min, mut max) = (f64::MAX, f64::MIN);
        for &cell in cells {
            min = if min < cell { min } else { cell };
            max = if max > cell { max } else { cell };
        }
        (min.to_bits(), max.to_bits())
    }

    fn doubles() -> impl Strategy<Value = f64> {
        prop_oneof![
            20 => any::<i16>().prop_map(f64::from),
            1 => prop::sample::select(vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX]),
        ]
    }

    proptest! {
        #[test]
        fn reals_follow_the_rule(
            mut cells in prop::collection::vec(doubles(), 1..3000),
            nans in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        ) {
            for nan in nans {
                let at = nan.index(cells.len());
                cells[at] = f64::NAN;
            }
            let stats = stats_of(Datatype::Float64, &cells, None);
            let bits = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
            prop_assert_eq!((bits(&stats.min), bits(&stats.max)), slow(&cells));
        }

        #[test]
        fn zeros_keep_their_sign(cells in prop::collection::vec(prop::sample::select(vec![0.0, -0.0]), 1..40)) {
            let stats = stats_of(Datatype::Float64, &cells, None);
            prop_assert_eq!(u64::from_le_bytes(stats.min.try_into().unwrap()), slow(&cells).0);
        }

        #[test]
        fn integers_follow_the_rule(cells in prop::collection::vec((any::<i64>(), 0u8..2), 1..3000), shift in 0u32..20) {
            let values: Vec<i64> = cells.iter().map(|cell| cell.0 >> shift).collect();
            let validity: Vec<u8> = cells.iter().map(|cell| cell.1).collect();
            let stats = stats_of(Datatype::Int64, &values, Some(&validity));
            let valid: Vec<i64> = values.iter().zip(&validity).filter(|v| *v.1 == 1).map(|v| *v.0).collect();
            prop_assert_eq!(stats.null_count as usize, values.len() - valid.len());
            prop_assert_eq!(stats.min, valid.iter().min().unwrap_or(&0).to_le_bytes());
            prop_assert_eq!(stats.max, valid.iter().max().unwrap_or(&0).to_le_bytes());
            let mut sum = 0i64;
            for value in valid {
                match sum.checked_add(value) {
                    Some(next) => sum = next,
                    None => {
                        sum = if value < 0 { i64::MIN } else { i64::MAX };
                        break;
                    }
                }
            }
            prop_assert_eq!(stats.sum, sum.to_le_bytes());
        }

        #[test]
        fn nulls_leave_no_trace(cells in prop::collection::vec((any::<i16>(), 0u8..3), 1..3000)) {
            let (values, validity): (Vec<i16>, Vec<u8>) = cells.iter().copied().unzip();
            let valid: Vec<i16> = cells.iter().filter(|cell| cell.1 != 0).map(|cell| cell.0).collect();
            let with_nulls = stats_of(Datatype::Int16, &values, Some(&validity));
            prop_assert_eq!(with_nulls.null_count as usize, values.len() - valid.len());
            let without = TileStats { null_count: with_nulls.null_count, ..stats_of(Datatype::Int16, &valid, None) };
            prop_assert_eq!(with_nulls, without);
            let real = |values: &[i16]| values.iter().map(|&v| f32::from(v)).collect::<Vec<f32>>();
            let with_nulls = stats_of(Datatype::Float32, &real(&values), Some(&validity));
            let without = stats_of(Datatype::Float32, &real(&valid), None);
            prop_assert_eq!((with_nulls.min, with_nulls.max, with_nulls.sum), (without.min, without.max, without.sum));
        }

        #[test]
        fn narrow_sums_do_not_overflow(cells in prop::collection::vec(prop::sample::select(vec![u8::MAX, 0]), 1..9000)) {
            let stats = stats_of(Datatype::Uint8, &cells, None);
            prop_assert_eq!(stats.sum, cells.iter().map(|&v| u64::from(v)).sum::<u64>().to_le_bytes());
            let signed = stats_of(Datatype::Int8, &cells, None);
            prop_assert_eq!(signed.sum, cells.iter().map(|&v| i64::from(v as i8)).sum::<i64>().to_le_bytes());
        }
    }

    #[test]
    fn nan_is_replaced_by_the_first_number() {
        let ends = |cells: &[f64]| {
            let stats = stats_of(Datatype::Float64, cells, None);
            (f64::from_le_bytes(stats.min.try_into().unwrap()), f64::from_le_bytes(stats.max.try_into().unwrap()))
        };
        assert_eq!(ends(&[1.0, f64::NAN, 5.0, 3.0]), (3.0, 5.0));
        assert!(ends(&[1.0, f64::NAN]).0.is_nan());
    }

    #[test]
    fn unaligned_data_are_read_too() {
        let bytes: Vec<u8> = std::iter::once(9).chain((0..5000i32).flat_map(i32::to_le_bytes)).collect();
        let stats =
            tile_stats(Datatype::Int32, CellValNum::ONE, &bytes[1..], None, None, StatsOptions::WHOLE, ALL).unwrap();
        assert_eq!(stats.max, 4999i32.to_le_bytes());
        assert_eq!(stats.sum, (4999i64 * 2500).to_le_bytes());
    }

    #[test]
    fn tiles_of_nulls_and_text() {
        let stats = stats_of(Datatype::Int32, &[7i32, 8], Some(&[0, 0]));
        assert_eq!((stats.min, stats.null_count, stats.valid_count), (vec![0; 4], 2, 0));
        let text = |starts: &[u64], validity| {
            tile_stats(
                Datatype::StringAscii,
                CellValNum::VAR,
                b"beeabee",
                Some(starts),
                validity,
                StatsOptions::WHOLE,
                ALL,
            )
        };
        let kind = stats_kind(Datatype::StringAscii, CellValNum::VAR, true, false);
        assert!(kind.min_max && !kind.sum);
        let stats = tile_stats(
            Datatype::StringAscii,
            CellValNum::VAR,
            b"beeabee",
            Some(&[0, 3, 4]),
            None,
            StatsOptions::WHOLE,
            kind,
        )
        .unwrap();
        assert_eq!((stats.min, stats.max), (b"a".to_vec(), b"bee".to_vec()));
        let two = CellValNum::from_number(2).unwrap();
        let padded = StatsOptions { padded: true, ..StatsOptions::WHOLE };
        let stats = tile_stats(Datatype::StringAscii, two, b"bcda", None, Some(&[0, 0]), padded, kind).unwrap();
        assert_eq!((stats.min, stats.valid_count), (vec![0; 2], 0));
        assert!(text(&[0, 30], None).is_err());
        assert!(text(&[0, 5, 3], Some(&[1])).is_err());
    }
}
