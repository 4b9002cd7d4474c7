//! One comparison of a condition, prepared for the cells of a field.

use super::kernel::{all, holds, meet, numbers, texts};
use super::steps::CombineMode;
use super::text_set::TextSet;
use super::word_set::{WordSet, word};
use crate::columns::coords::Coords;
use tiledb_array::condition::{ComparisonOperator, ComparisonValue, Leaf};
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::scratch;
use tiledb_core::sort;
use tiledb_core::types::{Cell, CellValNum, Datatype, PhysicalType, dispatch};

/// What is compared in a tile: one field.
#[derive(Clone, Copy)]
pub enum ColumnInput<'a> {
    Cells {
        /// The values.
        data: Coords<'a>,
        /// One byte per cell where cells may be null.
        validity: Option<&'a [u8]>,
    },
    /// Texts as words, each compared once.
    Encoded {
        /// The index of each cell's word.
        codes: &'a [u32],
        /// Where each word begins, and the words one after the other.
        words: (&'a [u64], &'a [u8]),
        /// As for [`ColumnInput::Cells`].
        validity: Option<&'a [u8]>,
    },
    /// The same value for all cells.
    Constant {
        value: &'a [u8],
        /// False for null.
        valid: bool,
    },
}

/// A comparison of the cells of one column.
pub struct ColumnTest {
    /// The number of the column.
    pub column: usize,
    pub kind: TestKind,
}

/// How a test is evaluated.
pub enum TestKind {
    /// Whatever the cell, null or not.
    Always(bool),
    /// Only null cells, or only others.
    IsNull(bool),
    Number {
        physical: PhysicalType,
        operator: ComparisonOperator,
        value: [u8; 8],
    },
    /// Fixed cells of `CHAR`, whose characters are signed numbers, by their first characters: as many as the value has.
    Characters {
        size: usize,
        operator: ComparisonOperator,
        value: Vec<i8>,
    },
    /// Bytes in lexicographic order; cells have this size unless they are variable.
    Text {
        size: usize,
        operator: ComparisonOperator,
        value: Vec<u8>,
    },
    /// Membership of cells of up to eight bytes.
    Words {
        size: usize,
        set: WordSet,
        /// The sort keys of the members, in order, where cells are equal if their keys are.
        keys: Option<(PhysicalType, Vec<u64>)>,
        is_member: bool,
    },
    /// Membership of longer or variable cells.
    Texts {
        size: usize,
        set: TextSet,
        is_member: bool,
    },
}

impl ColumnTest {
    /// Makes a comparison ready; the predicate was checked against the field.
    ///
    /// # Errors
    /// For an operator that no number names.
    pub(crate) fn new(leaf: &Leaf, field: &Field, column: usize) -> Result<ColumnTest> {
        let operator = leaf.operator;
        let kind = match (operator, leaf.value()) {
            // As null cells differ from no value, they differ from none that an enumeration lacks.
            (ComparisonOperator::AlwaysTrue, _) if field.nullable => TestKind::IsNull(false),
            (ComparisonOperator::AlwaysTrue, _) => TestKind::Always(true),
            (ComparisonOperator::AlwaysFalse, _) => TestKind::Always(false),
            (ComparisonOperator::Unknown(_), _) => bail!(
                "TileDB internal: QueryCondition::apply_ast_node: Cannot perform query comparison; Unknown query condition \
                 operator."
            ),
            (operator, ComparisonValue::Null) if field.nullable => {
                TestKind::IsNull(operator == ComparisonOperator::Equal)
            }
            (operator, ComparisonValue::Null) => TestKind::Always(operator != ComparisonOperator::Equal),
            (operator, value @ ComparisonValue::Set { .. }) => set_of(value, field, operator == ComparisonOperator::In),
            (operator, ComparisonValue::Bytes(value)) => compare_with(value, field, operator),
        };
        Ok(ColumnTest { column, kind })
    }

    /// True if the cells must be decoded.
    pub(crate) fn needs_cells(&self) -> bool {
        !matches!(self.kind, TestKind::Always(_))
    }

    /// Marks the cells that match it.
    ///
    /// # Errors
    /// If the bytes of the cells do not have the field's type.
    pub(crate) fn run(&self, input: ColumnInput<'_>, marks: &mut [u8], mode: CombineMode) -> Result<()> {
        let (data, validity) = match input {
            ColumnInput::Cells { data, validity } => (data, validity),
            ColumnInput::Encoded { codes, words: (starts, data), validity } => {
                if let TestKind::IsNull(_) = self.kind {
                    return self.run(ColumnInput::Cells { data: Coords::Fixed(&[]), validity }, marks, mode);
                }
                let mut word_marks = scratch(starts.len())?;
                let words = ColumnInput::Cells { data: Coords::Var { starts, data }, validity: None };
                self.run(words, &mut word_marks, CombineMode::Start)?;
                by_cell(marks, validity, mode, |cell| word_marks[codes[cell] as usize] != 0);
                return Ok(());
            }
            ColumnInput::Constant { value, valid } => {
                all(marks, mode, self.of_constant(value, valid)?);
                return Ok(());
            }
        };
        match &self.kind {
            TestKind::Always(mark) => all(marks, mode, *mark),
            TestKind::IsNull(is_null) => {
                let validity = validity.unwrap_or_default();
                meet(marks, None, mode, |cells, block| {
                    let validity = validity.get(cells).unwrap_or_default();
                    block
                        .iter_mut()
                        .zip(validity)
                        .for_each(|(mark, valid)| *mark = u8::from((*valid == 0) == *is_null));
                });
            }
            TestKind::Number { physical, operator, value } => {
                let Coords::Fixed(bytes) = data else { bail!(Internal, "A number is compared with variable cells") };
                dispatch!(*physical, T => numbers::<T>(bytes, *operator, value, (marks, validity, mode)))?;
            }
            TestKind::Characters { size, operator, value } => by_cell(marks, validity, mode, |cell| {
                let characters = data.value(cell, *size).iter().map(|byte| *byte as i8).take(value.len());
                holds(*operator, characters.cmp(value.iter().copied()))
            }),
            TestKind::Text { operator, value, .. } if let Coords::Var { starts, data } = data => {
                texts((starts, data), *operator, value, (marks, validity, mode));
            }
            TestKind::Text { size, operator: ComparisonOperator::Equal, value } => {
                by_cell(marks, validity, mode, |cell| data.value(cell, *size) == value);
            }
            TestKind::Text { size, operator, value } => {
                by_cell(marks, validity, mode, |cell| holds(*operator, data.value(cell, *size).cmp(value)));
            }
            TestKind::Words { size, set, is_member, .. } => {
                by_cell(marks, validity, mode, |cell| set.contains(word(data.value(cell, *size))) == *is_member);
            }
            TestKind::Texts { size, set, is_member } => {
                by_cell(marks, validity, mode, |cell| set.contains(data.value(cell, *size)) == *is_member);
            }
        }
        Ok(())
    }

    /// Its result for cells that all have the same value.
    ///
    /// # Errors
    /// If the value does not have the field's type.
    pub fn of_constant(&self, value: &[u8], valid: bool) -> Result<bool> {
        let mut mark = [0];
        self.run_constant(value, valid, &mut mark)?;
        Ok(mark[0] != 0)
    }

    fn run_constant(&self, value: &[u8], valid: bool, mark: &mut [u8]) -> Result<()> {
        // Aligned as cells are.
        let mut words = vec![0u64; value.len().div_ceil(8)];
        let bytes = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..value.len()];
        bytes.copy_from_slice(value);
        let ends = [0, value.len() as u64];
        let data = match &self.kind {
            TestKind::Number { .. } => Coords::Fixed(bytes),
            _ => Coords::Var { starts: &ends[..1], data: bytes },
        };
        self.run(ColumnInput::Cells { data, validity: Some(&[u8::from(valid)]) }, mark, CombineMode::Start)
    }
}

fn by_cell(marks: &mut [u8], validity: Option<&[u8]>, mode: CombineMode, meets: impl Fn(usize) -> bool) {
    meet(marks, validity, mode, |cells, block| {
        block.iter_mut().zip(cells).for_each(|(mark, cell)| *mark = u8::from(meets(cell)));
    });
}

fn compare_with(value: &[u8], field: &Field, operator: ComparisonOperator) -> TestKind {
    let size = field.cell_size();
    match field.datatype {
        // Of a value of another size than the cells the reference compares the first character, 0 if it is empty.
        Datatype::Char if !field.is_var() => {
            let compared = if value.len() == size { value } else { value.get(..1).unwrap_or(&[0]) };
            TestKind::Characters { size, operator, value: compared.iter().map(|byte| *byte as i8).collect() }
        }
        text if text.is_text() => TestKind::Text { size, operator, value: value.to_vec() },
        datatype => TestKind::Number { physical: datatype.physical(), operator, value: word(value).to_le_bytes() },
    }
}

fn set_of(set: &ComparisonValue, field: &Field, is_member: bool) -> TestKind {
    let size = field.cell_size();
    if !field.is_var() && size <= 8 {
        let words: Vec<u64> = set.members().map(word).collect();
        let physical = field.datatype.physical();
        let are_whole = field.cell_val_num == CellValNum::ONE && !field.datatype.is_string() && !physical.is_real();
        let keys = are_whole.then(|| (physical, sorted_keys(physical, &words)));
        return TestKind::Words { size, set: WordSet::new(&words), keys, is_member };
    }
    TestKind::Texts { size, set: TextSet::new(set.members()), is_member }
}

fn sorted_keys(physical: PhysicalType, words: &[u64]) -> Vec<u64> {
    let mut keys: Vec<u64> =
        dispatch!(physical, T => words.iter().map(|word| sort_key::<T>(&word.to_le_bytes())).collect());
    sort::by(&mut keys, Ord::cmp);
    keys
}

/// The sort key of a number, with whose bytes `bytes` begin.
pub(crate) fn sort_key<T: Cell>(bytes: &[u8]) -> u64 {
    T::from_le(bytes).to_key()
}
