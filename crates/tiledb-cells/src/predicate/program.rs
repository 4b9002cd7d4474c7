//! A predicate compiled for the tiles of an array.

use super::column_test::{ColumnInput, ColumnTest};
use super::kernel::{all, merge};
use super::steps::{CombineMode, ProgramStep, steps};
use super::verdict::{ColumnStats, Verdict};
use crate::space::selection_mask;
use tiledb_array::condition::{ComparisonValue, Leaf, Predicate};
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::selection::MIN_EQUALITIES_OF_SET;
use tiledb_core::pool::{Scratch, scratch};
use tiledb_core::types::{Datatype, NamedList};

/// A compiled predicate.
pub struct Program {
    columns: NamedList<Field>,
    tests: Vec<ColumnTest>,
    steps: Vec<ProgramStep>,
}

impl Program {
    /// Compiles a predicate. Values of enumerations must have been resolved; `field` looks fields up.
    ///
    /// # Errors
    /// For fields that do not exist and values that do not fit them.
    pub fn new<'s>(predicate: &Predicate, field: impl Fn(&str) -> Option<&'s Field>) -> Result<Program> {
        predicate.check(&field)?;
        let predicate = &predicate.with_sets(MIN_EQUALITIES_OF_SET.count(), |leaf| {
            field(leaf.field()).is_some_and(|field| is_set_alike(leaf, field))
        });
        let (mut columns, mut tests) = (NamedList::<Field>::default(), Vec::new());
        for leaf in predicate.leaves() {
            let Some(compared) = field(leaf.field()) else { bail!(Internal, "A field that was there is gone") };
            let column = columns.position(&compared.name).unwrap_or_else(|| {
                columns.push(compared.clone());
                columns.len() - 1
            });
            tests.push(ColumnTest::new(leaf, compared, column)?);
        }
        // Variable cells take longest to decode.
        let cost = |test: usize| {
            let field = tests.get(test).map(|test| &columns[test.column]);
            field.map_or(0, |field| if field.is_var() { usize::MAX / 2 } else { field.cell_size() })
        };
        let steps = steps(predicate, &cost);
        Ok(Program { columns, tests, steps })
    }

    /// The fields that are compared.
    pub fn columns(&self) -> &[Field] {
        &self.columns
    }

    /// The position among them of the field with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.position(name)
    }

    /// How many marks there are of each cell at a time, at most.
    pub fn marks_per_cell(&self) -> usize {
        let (mut now, mut most) = (0usize, 0);
        for step in &self.steps {
            match step {
                ProgramStep::Test { mode: CombineMode::Start, .. } => now += 1,
                ProgramStep::Meet(_) => now = now.saturating_sub(1),
                ProgramStep::Test { .. } | ProgramStep::Skip { .. } => {}
            }
            most = most.max(now);
        }
        most
    }

    /// Sets the mask to 1 for cells that match the predicate, to 0 for all others. `absent` returns the result of a test
    /// of a missing column, the same for all cells; `input` returns a column on demand: columns that cannot change the
    /// result are not requested.
    ///
    /// # Errors
    /// The errors of `absent` and `input`, and if the cells do not have the type of their field.
    pub fn run<'a>(
        &self,
        cells: usize,
        absent: impl Fn(&ColumnTest) -> Result<Option<bool>>,
        mut input: impl FnMut(usize) -> Result<ColumnInput<'a>>,
    ) -> Result<Scratch> {
        let mut stack: Vec<Scratch> = Vec::new();
        let mut next = 0;
        while let Some(step) = self.steps.get(next) {
            next += 1;
            match *step {
                ProgramStep::Test { test, mode } => {
                    let test = &self.tests[test];
                    if mode == CombineMode::Start {
                        stack.push(scratch(cells)?);
                    }
                    let Some(marks) = stack.last_mut() else { return Err(broken()) };
                    if !is_decided(marks, mode) {
                        let nothing = ColumnInput::Constant { value: &[], valid: true };
                        match absent(test)? {
                            Some(mark) => all(marks, mode, mark),
                            None if test.needs_cells() => test.run(input(test.column)?, marks, mode)?,
                            None => test.run(nothing, marks, mode)?,
                        }
                    }
                }
                ProgramStep::Skip { mode, to } => {
                    if stack.last().is_some_and(|marks| is_decided(marks, mode)) {
                        next = to;
                    }
                }
                ProgramStep::Meet(mode) => match (stack.pop(), stack.last_mut()) {
                    (Some(part), Some(marks)) => merge(marks, &part, mode),
                    _ => return Err(broken()),
                },
            }
        }
        stack.pop().ok_or_else(broken)
    }

    /// The verdict of the statistics of a tile on its cells; `absent` as for [`Program::run`].
    ///
    /// # Errors
    /// The errors of `absent` and `stats`.
    pub fn verdict<'a>(
        &self,
        absent: impl Fn(&ColumnTest) -> Result<Option<bool>>,
        mut stats: impl FnMut(usize) -> Result<Option<ColumnStats<'a>>>,
    ) -> Result<Verdict> {
        let mut stack: Vec<Verdict> = Vec::new();
        for step in &self.steps {
            let (verdict, mode) = match *step {
                ProgramStep::Skip { .. } => continue,
                ProgramStep::Test { test, mode } => {
                    let test = &self.tests[test];
                    let verdict = match absent(test)? {
                        Some(all) => Verdict::of(all),
                        None if test.needs_cells() => test.verdict(stats(test.column)?.as_ref()),
                        None => test.verdict(None),
                    };
                    (verdict, mode)
                }
                ProgramStep::Meet(mode) => match stack.pop() {
                    Some(verdict) => (verdict, mode),
                    None => return Err(broken()),
                },
            };
            match (mode, stack.last_mut()) {
                (CombineMode::Start, _) => stack.push(verdict),
                (_, None) => return Err(broken()),
                (CombineMode::And, Some(top)) => *top = top.and(verdict),
                (CombineMode::Or, Some(top)) => *top = top.or(verdict),
            }
        }
        stack.pop().ok_or_else(broken)
    }
}

/// True if equality with a value of the field is equality of bytes, as membership is: not of floating-point numbers, of which zeros differ,
/// and of characters, of which the first are compared.
fn is_set_alike(leaf: &Leaf, field: &Field) -> bool {
    let is_exact = !field.datatype.is_float() && (field.datatype != Datatype::Char || field.is_var());
    let is_whole = |value: &[u8]| field.is_var() || value.len() == field.cell_size();
    match leaf.value() {
        ComparisonValue::Bytes(value) => is_exact && is_whole(value),
        value => is_exact && value.members().all(is_whole),
    }
}

/// True if no mark can change any more.
fn is_decided(marks: &[u8], mode: CombineMode) -> bool {
    match mode {
        CombineMode::Start => false,
        CombineMode::And => !selection_mask::any(marks),
        CombineMode::Or => !marks.contains(&0),
    }
}

#[cold]
fn broken() -> tiledb_core::error::Error {
    tiledb_core::error::Error::internal("The steps of a condition do not fit together")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::coords::Coords;
    use proptest::prelude::*;
    use std::sync::Arc;
    use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};
    use tiledb_array::schema::{ArraySchema, Attribute};
    use tiledb_core::limits::simulation::SimulatedLimits;
    use tiledb_core::types::ArrayType;

    fn equalities(values: &[i16], operator: ComparisonOperator, combination: Combination) -> Option<Condition> {
        let comparison = |value: &i16| Comparison::new("a", Some(&value.to_le_bytes()), operator).unwrap();
        let conditions = values.iter().map(|value| Condition::new(comparison(value)));
        conditions.reduce(|all, condition| all.combine(&condition, combination))
    }

    proptest! {
        #[test]
        fn equalities_and_sets_select_the_same_cells_as_their_statistics(
            cells in prop::collection::vec((-5i16..5, any::<bool>()), 1..20),
            values in prop::collection::vec(-7i16..7, 1..12),
            negated: bool,
            nullable: bool,
            limits in any::<u64>(),
        ) {
            let mut attribute = Attribute::new("a", Datatype::Int16);
            attribute.set_nullable(nullable);
            let mut schema = ArraySchema::new(ArrayType::Sparse);
            schema.add_attribute(Arc::new(attribute)).unwrap();
            let (data, validity): (Vec<i16>, Vec<u8>) = cells.iter().map(|cell| (cell.0, u8::from(cell.1))).unzip();
            let input = || ColumnInput::Cells {
                data: Coords::Fixed(bytemuck::cast_slice(&data)),
                validity: nullable.then_some(validity.as_slice()),
            };
            let [min, max] = [data.iter().min(), data.iter().max()].map(|end| end.unwrap().to_le_bytes());
            let stats = ColumnStats { min_max: (&min, &max), has_nulls: nullable };
            let is_selected = |cell: &(i16, bool)| (!nullable || cell.1) && values.contains(&cell.0) != negated;
            let expected: Vec<u8> = cells.iter().map(|cell| u8::from(is_selected(cell))).collect();
            let (equal, membership, combination) = if negated {
                (ComparisonOperator::NotEqual, ComparisonOperator::NotIn, Combination::And)
            } else {
                (ComparisonOperator::Equal, ComparisonOperator::In, Combination::Or)
            };
            let offsets: Vec<u64> = (0..values.len() as u64).map(|member| 2 * member).collect();
            let set = Comparison::set("a", bytemuck::cast_slice(&values), &offsets, membership).unwrap();
            for condition in [equalities(&values, equal, combination).unwrap(), Condition::new(set)] {
                let predicate = condition.predicate().unwrap();
                let (marks, verdict) = SimulatedLimits::of_seed(limits).run(|| {
                    let program = Program::new(&predicate, |name| schema.field(name)).unwrap();
                    let marks = program.run(cells.len(), |_| Ok(None), |_| Ok(input())).unwrap();
                    (marks, program.verdict(|_| Ok(None), |_| Ok(Some(stats))).unwrap())
                });
                prop_assert_eq!(&marks[..], &expected);
                match verdict {
                    Verdict::Never => prop_assert!(!expected.contains(&1)),
                    Verdict::Always => prop_assert!(!expected.contains(&0)),
                    Verdict::Maybe => {}
                }
            }
        }
    }

    #[test]
    fn sets_without_a_member_between_minimum_and_maximum_prune_tiles() {
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int16))).unwrap();
        let verdict = |values: &[i16], (min, max): (i16, i16)| {
            let condition = equalities(values, ComparisonOperator::Equal, Combination::Or).unwrap();
            let program = Program::new(&condition.predicate().unwrap(), |name| schema.field(name)).unwrap();
            assert_eq!(program.tests.len(), if values.len() < 8 { values.len() } else { 1 });
            let ends = (&min.to_le_bytes()[..], &max.to_le_bytes()[..]);
            program.verdict(|_| Ok(None), |_| Ok(Some(ColumnStats { min_max: ends, has_nulls: false }))).unwrap()
        };
        let values: Vec<i16> = (0..20).map(|number| 10 * number).collect();
        assert_eq!(verdict(&values, (11, 19)), Verdict::Never);
        assert_eq!(verdict(&values, (-9, -1)), Verdict::Never);
        assert_eq!(verdict(&values, (11, 20)), Verdict::Maybe);
        assert_eq!(verdict(&values, (20, 20)), Verdict::Always);
        assert_eq!(verdict(&values[..2], (11, 19)), Verdict::Never);
    }
}
