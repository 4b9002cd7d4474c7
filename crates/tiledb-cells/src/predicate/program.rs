//! A predicate compiled for the tiles of an array.

use super::column_test::{ColumnInput, ColumnTest};
use super::kernel::{all, merge};
use super::steps::{CombineMode, ProgramStep, steps};
use super::verdict::{ColumnStats, Verdict};
use crate::space::selection_mask;
use tiledb_array::condition::Predicate;
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::{Scratch, scratch};
use tiledb_core::types::NamedList;

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
