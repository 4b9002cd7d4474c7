//! Statistics of the selected cells of one field.

use super::kernel::{NumericStats, RequiredStats};
use super::running_sum::{RealSum, RunningSum};
use super::text_extremes::TextExtremes;
use crate::columns::coords::Coords;
use crate::predicate::column_test::ColumnInput;
use tiledb_core::types::{CellValNum, Datatype, dispatch};
use tiledb_filters::tile::blocks;
use tiledb_filters::tile::numeric_cell::NumericCell;

/// Type of the cells of an aggregated field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellType {
    /// The type of the values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
}

impl CellType {
    /// True for text, which is compared byte by byte; all else are numbers.
    pub(crate) fn is_text(self) -> bool {
        self.datatype == Datatype::StringAscii
    }

    /// Bytes of a fixed cell; 0 for variable ones.
    pub fn cell_size(self) -> usize {
        self.cell_val_num.fixed().map_or(0, |values| values as usize * self.datatype.size())
    }
}

/// Counts, extremes and sum of the cells added so far.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSummary {
    /// Cells that are not null.
    pub valid: u64,
    /// Cells that are null.
    pub nulls: u64,
    /// The bytes of the minimum and the maximum cell that is not null.
    pub ends: Option<(Vec<u8>, Vec<u8>)>,
    /// The sum of the cells that are not null.
    pub total: RunningSum,
}

impl FieldSummary {
    /// Of no cell.
    pub fn new(shape: CellType) -> FieldSummary {
        let total = match shape.datatype.physical().is_real() {
            true => RunningSum::Real(RealSum::default()),
            false => RunningSum::Whole(0),
        };
        FieldSummary { valid: 0, nulls: 0, ends: None, total }
    }

    /// Of `cells` cells, or those of them whose mark is not 0.
    pub fn of(
        shape: CellType,
        wants: RequiredStats,
        input: ColumnInput<'_>,
        marks: Option<&[u8]>,
        cells: usize,
    ) -> FieldSummary {
        let mut summary = FieldSummary::new(shape);
        let count = marks.map_or(cells as u64, marked);
        let (data, codes, validity) = match input {
            ColumnInput::Cells { data, validity } => (data, None, validity),
            ColumnInput::Encoded { codes, words: (starts, data), validity } => {
                (Coords::Var { starts, data }, Some(codes), validity)
            }
            ColumnInput::Constant { value, valid: true } => {
                summary.valid = count;
                summary.add_same(shape, wants, value, count);
                return summary;
            }
            ColumnInput::Constant { .. } => {
                summary.nulls = count;
                return summary;
            }
        };
        let both;
        let marks = match (marks, validity) {
            (Some(marks), Some(validity)) => {
                both =
                    marks.iter().zip(validity).map(|(a, b)| u8::from(*a != 0) & u8::from(*b != 0)).collect::<Vec<u8>>();
                Some(&both[..])
            }
            (marks, validity) => marks.or(validity),
        };
        summary.valid = marks.map_or(count, marked);
        summary.nulls = count - summary.valid;
        if summary.valid > 0 && (wants.extremes || wants.sum) {
            let used = codes.map(|codes| used_words(codes, data, marks));
            summary.add(shape, wants, data, used.as_deref().or(marks));
        }
        summary
    }

    fn add(&mut self, shape: CellType, wants: RequiredStats, data: Coords<'_>, marks: Option<&[u8]>) {
        match data {
            Coords::Fixed(data) if !shape.is_text() => {
                dispatch!(shape.datatype.physical(), T => {
                    let mut numbers = NumericStats::<T>::new(wants);
                    numbers.add(data, marks);
                    self.take(&numbers, wants);
                });
            }
            data => {
                let mut extremes = TextExtremes::default();
                match data {
                    Coords::Fixed(data) => extremes.add_fixed(data, shape.cell_size(), marks),
                    Coords::Var { starts, data } => extremes.add_var(data, starts, marks),
                }
                self.ends = extremes.ends().map(|(min, max)| (min.to_vec(), max.to_vec()));
            }
        }
    }

    /// Adds the same valid cell several times to a new summary.
    fn add_same(&mut self, shape: CellType, wants: RequiredStats, value: &[u8], count: u64) {
        if count == 0 {
            return;
        }
        if shape.is_text() {
            self.ends = Some((value.to_vec(), value.to_vec()));
            return;
        }
        dispatch!(shape.datatype.physical(), T => {
            let mut numbers = NumericStats::<T>::new(wants);
            numbers.add_same(<T as tiledb_core::types::Cell>::from_le(value), count);
            self.take(&numbers, wants);
        });
    }

    fn take<T: NumericCell>(&mut self, numbers: &NumericStats<T>, wants: RequiredStats) {
        self.total = numbers.total();
        if wants.extremes {
            let bytes = |value: T| bytemuck::bytes_of(&value).to_vec();
            self.ends = numbers.ends().map(|(min, max)| (bytes(min), bytes(max)));
        }
    }

    /// Adds another summary of the same field.
    pub fn merge(&mut self, shape: CellType, other: FieldSummary) {
        self.valid = self.valid.saturating_add(other.valid);
        self.nulls = self.nulls.saturating_add(other.nulls);
        self.total.merge(other.total);
        let (Some(ends), Some(more)) = (&mut self.ends, &other.ends) else {
            self.ends = self.ends.take().or(other.ends);
            return;
        };
        if shape.is_text() {
            if more.0 < ends.0 {
                ends.0.clone_from(&more.0);
            }
            if more.1 > ends.1 {
                ends.1.clone_from(&more.1);
            }
            return;
        }
        dispatch!(shape.datatype.physical(), T => {
            if is_less::<T>(&more.0, &ends.0) || is_nan::<T>(&ends.0) {
                ends.0.clone_from(&more.0);
            }
            if is_less::<T>(&ends.1, &more.1) || is_nan::<T>(&ends.1) {
                ends.1.clone_from(&more.1);
            }
        });
    }
}

fn is_less<T: NumericCell>(a: &[u8], b: &[u8]) -> bool {
    T::from_le(a) < T::from_le(b)
}

#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
fn is_nan<T: NumericCell>(value: &[u8]) -> bool {
    let value = T::from_le(value);
    value != value
}

/// How many marks are not 0.
fn marked(marks: &[u8]) -> u64 {
    blocks::count_selected(marks) as u64
}

/// Marks the words that marked cells have.
fn used_words(codes: &[u32], words: Coords<'_>, marks: Option<&[u8]>) -> Vec<u8> {
    let count = if let Coords::Var { starts, .. } = words { starts.len() } else { 0 };
    let mut used = vec![0; count];
    match marks {
        Some(marks) => codes.iter().zip(marks).for_each(|(code, mark)| used[*code as usize] |= mark),
        None => codes.iter().for_each(|code| used[*code as usize] = 1),
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: RequiredStats = RequiredStats { extremes: true, sum: true, nulls: true };

    fn of<T: bytemuck::NoUninit>(
        datatype: Datatype,
        cells: &[T],
        validity: &[u8],
        marks: Option<&[u8]>,
    ) -> FieldSummary {
        let shape = CellType { datatype, cell_val_num: CellValNum::ONE };
        let data = Coords::Fixed(bytemuck::cast_slice(cells));
        FieldSummary::of(shape, ALL, ColumnInput::Cells { data, validity: Some(validity) }, marks, cells.len())
    }

    proptest! {
        #[test]
        fn parts_make_the_whole(cells in prop::collection::vec((any::<i16>(), 0u8..2, 0u8..2), 0..200), at in 0usize..200) {
            let shape = CellType { datatype: Datatype::Float32, cell_val_num: CellValNum::ONE };
            let values: Vec<f32> =
                cells.iter().map(|cell| if cell.0 % 7 == 0 { f32::NAN } else { f32::from(cell.0) }).collect();
            let (validity, marks): (Vec<u8>, Vec<u8>) = cells.iter().map(|cell| (cell.1, cell.2)).unzip();
            let at = at.min(cells.len());
            let mut parts = FieldSummary::new(shape);
            for part in [0..at, at..cells.len()] {
                let (values, marks) = (&values[part.clone()], &marks[part.clone()]);
                parts.merge(shape, of(Datatype::Float32, values, &validity[part], Some(marks)));
            }
            let whole = of(Datatype::Float32, &values, &validity, Some(&marks));
            let known = |summary: &FieldSummary| {
                let RunningSum::Real(sum) = summary.total else { unreachable!() };
                format!("{} {} {:?} {}", summary.valid, summary.nulls, summary.ends, sum.value())
            };
            prop_assert_eq!(known(&parts), known(&whole));
            prop_assert_eq!(whole.valid + whole.nulls, marks.iter().map(|&mark| u64::from(mark)).sum::<u64>());
        }
    }

    #[test]
    fn constants_text_and_nan() {
        let shape = CellType { datatype: Datatype::Int32, cell_val_num: CellValNum::ONE };
        let value = 7i32.to_le_bytes();
        let same =
            FieldSummary::of(shape, ALL, ColumnInput::Constant { value: &value, valid: true }, Some(&[1, 0, 1]), 3);
        assert_eq!((same.valid, same.nulls, same.total), (2, 0, RunningSum::Whole(14)));
        let real = CellType { datatype: Datatype::Float64, ..shape };
        let ends = |value: f64| Some((value.to_le_bytes().to_vec(), value.to_le_bytes().to_vec()));
        for values in [[2.0, f64::NAN], [f64::NAN, 2.0]] {
            let [mut first, second] = values.map(|value| FieldSummary { ends: ends(value), ..FieldSummary::new(real) });
            first.merge(real, second);
            assert_eq!(first.ends, ends(2.0));
        }
        let null = FieldSummary::of(shape, ALL, ColumnInput::Constant { value: &value, valid: false }, None, 3);
        assert_eq!((null.valid, null.nulls, null.ends), (0, 3, None));
        let text = CellType { datatype: Datatype::StringAscii, cell_val_num: CellValNum::VAR };
        let data = Coords::Var { starts: &[0, 2, 2], data: b"zza" };
        let mut all = FieldSummary::of(text, ALL, ColumnInput::Cells { data, validity: None }, None, 3);
        assert_eq!(all.ends, Some((b"".to_vec(), b"zz".to_vec())));
        all.merge(text, FieldSummary { ends: Some((b"a".to_vec(), b"zzz".to_vec())), ..FieldSummary::new(text) });
        assert_eq!(all.ends, Some((b"".to_vec(), b"zzz".to_vec())));
    }
}
