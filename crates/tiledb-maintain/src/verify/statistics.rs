//! Verification of statistics of tiles and fragments: recomputes and compares them.

use std::ops::Range;

use super::finding::Code;
use super::tile::{CheckedCells, TileCheck};
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_core::error::Result;
use tiledb_core::types::{CURRENT_VERSION, Cell, CellRange, Datatype, dispatch};
use tiledb_filters::filter::FilterType;
use tiledb_filters::tile::numeric_cell::NumericCell;
use tiledb_filters::tile::{StatsKind, StatsOptions, TileStats, tile_stats};

/// The cells of a dense tile that were written, as runs in the order of the cells; all of them if there is none.
pub(super) type WrittenRuns<'a> = Option<&'a [Range<usize>]>;

impl TileCheck<'_> {
    /// Compares the stored statistics of the tile with those of its cells, and returns the latter.
    ///
    /// # Errors
    /// What stops the verification.
    pub(super) fn statistics(&mut self, cells: &CheckedCells, written: WrittenRuns<'_>) -> Result<Option<TileStats>> {
        let fragment = self.access.fragment;
        let field = self.field;
        let tile = self.tile;
        let kind = fragment.stats_kind(field);
        if !(kind.min_max || kind.sum || kind.null_count) {
            return Ok(None);
        }
        // Older libraries omitted cells, or counted unwritten ones.
        let is_odd = field.is_var() || field.datatype == Datatype::Char || written.is_some();
        if is_odd && fragment.version() < CURRENT_VERSION || is_lossy(field) {
            return Ok(None);
        }
        let part = if field.is_var() { FieldPart::Var } else { FieldPart::Data };
        let whole = Column {
            data: &cells.data,
            starts: cells.starts.as_ref().map(|starts| &starts[..]),
            validity: cells.validity.as_ref().map(|validity| &validity[..]),
        };
        let picked = match written {
            Some(runs) => Some(pick(field, cells, runs)?),
            None => None,
        };
        let column = picked.as_ref().map_or(whole, SelectedCells::column);
        // The order in which cells were written is not recorded: any possible result is accepted.
        let run = written.and_then(|runs| runs.first()).map_or(usize::MAX, |run| run.len());
        let fills = [(column, false, usize::MAX), (column, true, usize::MAX), (column, false, run), (column, false, 1)];
        let mut made = Vec::new();
        // Consolidation writes whole tiles, whatever region it states.
        for (column, padded, run) in fills.into_iter().chain(written.map(|_| (whole, false, usize::MAX))) {
            let stats = column.stats(field, StatsOptions { padded, run }, kind);
            match self.note(part, stats)? {
                Some(stats) => made.push(stats),
                None => return Ok(None),
            }
        }
        let stored = fragment.tile_min_max(field, tile).map(|ends| ends.map(|(min, max)| (min.to_vec(), max.to_vec())));
        let is_real = field.datatype.is_float();
        if let Some(Some((min, max))) = self.note_table(stored)? {
            let stored = CellRange::fixed(&min, &max);
            // Of zeros with different signs the first one is the minimum or maximum.
            let is_equal = |stats: &TileStats| match (CellRange::fixed(&stats.min, &stats.max), &stored) {
                (Ok(made), Ok(stored)) => made.equals(stored, field.datatype),
                _ => false,
            };
            let same = |stats: &TileStats| stats.min == min && stats.max == max || is_real && is_equal(stats);
            // libtiledb's dense writers include bytes that belong to no cell in the statistics of texts.
            let is_odd = field.is_var() && fragment.is_dense();
            // With NaN, minimum and maximum depend on the order in which cells were processed.
            let is_any = is_odd || is_real && has_nan(field.datatype, column.data);
            if !is_any && !made.iter().any(same) {
                let shown = show(field, &made[0].min, &made[0].max);
                let text = format!("Minimum and maximum are said to be {}, but are {shown}", show(field, &min, &max));
                self.wrong(Code::Statistics, part, text);
            }
        }
        let stored = fragment.tile_sum(field, tile);
        if let Some(Some(sum)) = self.note_table(stored)? {
            // Both libraries add the cells of sparse tiles in their order. Those of dense tiles are added in the order in which they
            // were written.
            let is_any_order = is_real && fragment.is_dense();
            let same = |stats: &TileStats| {
                stats.sum == sum
                    || is_real && is_nan(&stats.sum) && is_nan(&sum)
                    || is_any_order && is_reordered_sum(field.datatype, &stats.sum, &sum, column.data)
            };
            let is_open = !is_real && fragment.is_dense() && may_overflow(field.datatype, column);
            if !is_open && !made.iter().any(same) {
                let text =
                    format!("The sum is said to be {}, but is {}", number(field, &sum), number(field, &made[0].sum));
                self.wrong(Code::Statistics, part, text);
            }
        }
        let stored = fragment.tile_null_count(field, tile);
        if let Some(Some(nulls)) = self.note_table(stored)?
            // libtiledb stores a null count of 0 or a wrong one for variable cells, and 0 if there is no other statistic.
            && !(field.is_var() && (nulls == 0 || fragment.is_dense()))
            && !(nulls == 0 && !kind.min_max && !kind.sum)
            && !made.iter().any(|stats| stats.null_count == nulls)
        {
            let text = format!("{nulls} cells are said to be null, but {} are", made[0].null_count);
            self.wrong(Code::Statistics, FieldPart::Validity, text);
        }
        // The totals are computed from the stored statistics of the tiles.
        let stored = fragment.tile_stats(field, tile);
        Ok(self.note_table(stored)?.flatten())
    }

    fn note_table<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        let before = self.found.len();
        let value = self.note(FieldPart::Data, result)?;
        let file = self.access.fragment.metadata_file();
        for finding in &mut self.found[before..] {
            if finding.code == Code::Tile {
                (finding.code, finding.file, finding.offset) = (Code::Table, file.clone(), None);
            }
        }
        Ok(value)
    }
}

/// True if decoding does not restore the cells: statistics and boxes refer to the original ones.
pub(super) fn is_lossy(field: &Field) -> bool {
    field.filters.has(FilterType::ScaleFloat) || field.filters.has(FilterType::Webp)
}

/// Cells in memory.
#[derive(Clone, Copy)]
struct Column<'a> {
    data: &'a [u8],
    starts: Option<&'a [u64]>,
    validity: Option<&'a [u8]>,
}

impl Column<'_> {
    fn stats(&self, field: &Field, fill: StatsOptions, kind: StatsKind) -> Result<TileStats> {
        tile_stats(field.datatype, field.cell_val_num, self.data, self.starts, self.validity, fill, kind)
    }
}

/// Some cells of a tile.
struct SelectedCells {
    data: Vec<u8>,
    starts: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
}

impl SelectedCells {
    fn column(&self) -> Column<'_> {
        Column { data: &self.data, starts: self.starts.as_deref(), validity: self.validity.as_deref() }
    }
}

fn pick(field: &Field, cells: &CheckedCells, runs: &[Range<usize>]) -> Result<SelectedCells> {
    let of = |bytes: &[u8], size: usize| -> Result<Vec<u8>> {
        let count: usize = runs.iter().map(|run| run.len()).sum();
        let mut out = tiledb_core::memory::with_capacity("cells of a tile", count.saturating_mul(size))?;
        for run in runs {
            out.extend_from_slice(bytes.get(run.start * size..run.end * size).unwrap_or_default());
        }
        Ok(out)
    };
    let validity = match &cells.validity {
        Some(validity) => Some(of(validity, 1)?),
        None => None,
    };
    let Some(starts) = &cells.starts else {
        return Ok(SelectedCells { data: of(&cells.data, field.cell_size())?, starts: None, validity });
    };
    let mut data = Vec::new();
    let mut own = Vec::new();
    for cell in runs.iter().cloned().flatten() {
        let start = starts.get(cell).copied().unwrap_or(0);
        let end = starts.get(cell + 1).copied().unwrap_or(cells.data.len() as u64);
        tiledb_core::memory::push("offsets", &mut own, data.len() as u64)?;
        let value = cells.data.get(start as usize..end as usize).unwrap_or_default();
        tiledb_core::memory::reserve("values", &mut data, value.len())?;
        data.extend_from_slice(value);
    }
    Ok(SelectedCells { data, starts: Some(own), validity })
}

fn has_nan(datatype: Datatype, data: &[u8]) -> bool {
    match datatype {
        Datatype::Float32 => data.chunks_exact(4).any(|cell| bytemuck::pod_read_unaligned::<f32>(cell).is_nan()),
        _ => data.chunks_exact(8).any(|cell| bytemuck::pod_read_unaligned::<f64>(cell).is_nan()),
    }
}

fn is_nan(sum: &[u8; 8]) -> bool {
    f64::from_le_bytes(*sum).is_nan()
}

/// True if two sums of floating-point numbers may be those of the same cells in different orders: each addition rounds by at most half
/// of the machine epsilon, relative to the sum of the absolute values.
fn is_reordered_sum(datatype: Datatype, a: &[u8; 8], b: &[u8; 8], data: &[u8]) -> bool {
    let (a, b) = (f64::from_le_bytes(*a), f64::from_le_bytes(*b));
    let size = datatype.size().max(1);
    let value = |cell: &[u8]| match size {
        4 => f64::from(bytemuck::pod_read_unaligned::<f32>(cell)),
        _ => bytemuck::pod_read_unaligned::<f64>(cell),
    };
    let all: f64 = data.chunks_exact(size).map(|cell| value(cell).abs()).filter(|value| value.is_finite()).sum();
    (a - b).abs() <= all * f64::EPSILON * (data.len() / size) as f64
}

/// True if the sum of integers depends on the order in which cells were written to a dense tile, run by run, which is
/// not recorded: it saturates at the end of the 64-bit range, and resumes with the next run.
fn may_overflow(datatype: Datatype, column: Column<'_>) -> bool {
    let is_valid =
        |cell: usize| column.validity.is_none_or(|validity| validity.get(cell).is_none_or(|&byte| byte != 0));
    dispatch!(datatype.physical(), T => {
        let (mut above, mut below) = (0i128, 0i128);
        let cells = column.data.chunks_exact(size_of::<T>()).enumerate();
        for (_, cell) in cells.filter(|(number, _)| is_valid(*number)) {
            let value = <T as Cell>::from_le(cell).whole();
            *if value > 0 { &mut above } else { &mut below } += value;
        }
        match is_unsigned(datatype) {
            true => above > i128::from(u64::MAX),
            false => above > i128::from(i64::MAX) || below < i128::from(i64::MIN),
        }
    })
}

fn is_unsigned(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::Uint8 | Datatype::Uint16 | Datatype::Uint32 | Datatype::Uint64)
}

fn number(field: &Field, sum: &[u8; 8]) -> String {
    match field.datatype {
        datatype if datatype.is_float() => f64::from_le_bytes(*sum).to_string(),
        datatype if is_unsigned(datatype) => u64::from_le_bytes(*sum).to_string(),
        _ => i64::from_le_bytes(*sum).to_string(),
    }
}

/// True if two coordinates are equal, whatever their bits: both zeros are, and so are all NaNs.
pub(super) fn is_same(datatype: Datatype, a: &[u8], b: &[u8]) -> bool {
    if a == b || datatype.is_ascii() {
        return a == b;
    }
    dispatch!(datatype.physical(), T => {
        let (a, b) = (<T as tiledb_core::types::Cell>::from_le(a), <T as tiledb_core::types::Cell>::from_le(b));
        a == b || a.partial_cmp(&a).is_none() && b.partial_cmp(&b).is_none()
    })
}

/// Two ends as a person reads them.
pub(super) fn show(field: &Field, min: &[u8], max: &[u8]) -> String {
    if field.datatype.is_ascii() || min.len() != field.datatype.size() || max.len() != min.len() {
        let text = |bytes: &[u8]| bytes[..bytes.len().min(60)].escape_ascii().to_string();
        return format!("'{}' and '{}'", text(min), text(max));
    }
    dispatch!(field.datatype.physical(), T => {
        let value = |bytes: &[u8]| <T as tiledb_core::types::Cell>::from_le(bytes);
        format!("{} and {}", value(min), value(max))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_floats_in_another_order_are_accepted() {
        let values: Vec<f64> = (0..1000).map(|number| f64::from(number % 37 - 18) / 7.0 * f64::from(number)).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let forward: f64 = values.iter().sum();
        let backward: f64 = values.iter().rev().sum();
        let changed = forward + values[990] * 1e-9;
        let is_accepted =
            |sum: f64| is_reordered_sum(Datatype::Float64, &forward.to_le_bytes(), &sum.to_le_bytes(), &bytes);
        assert!(is_accepted(backward) && forward.to_bits() != backward.to_bits());
        assert!(!is_accepted(changed));
    }

    #[test]
    fn sums_that_leave_64_bits_in_some_order_are_known() {
        let cells = |cells: &[i64]| cells.iter().flat_map(|cell| cell.to_le_bytes()).collect::<Vec<u8>>();
        let stops = |datatype, data: &[u8], validity| may_overflow(datatype, Column { data, starts: None, validity });
        let much = cells(&[i64::MAX, 5, -9]);
        assert!(stops(Datatype::Int64, &much, None) && !stops(Datatype::Int64, &much, Some(&[1, 0, 1])));
        assert!(stops(Datatype::Int64, &cells(&[i64::MIN, 7, -1]), None));
        assert!(!stops(Datatype::Int64, &cells(&[i64::MIN, i64::MAX]), None));
        assert!(stops(Datatype::Uint64, &cells(&[-1, 1]), None) && !stops(Datatype::Uint64, &cells(&[-1, 0]), None));
        assert!(!stops(Datatype::Int8, &[127, 127, 128], None));
    }
}
