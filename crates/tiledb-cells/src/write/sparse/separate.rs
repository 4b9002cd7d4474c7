//! Sparse writes in any order whose submits write some of the fields each (`sm.allow_separate_attribute_writes`): the
//! first all coordinates, which determine the order of the cells, the last those that complete the fragment.

use std::collections::HashSet;

use super::cells::{CellPermutation, SparseCells, WriteChecks};
use super::unordered::{capacity, order};
use crate::columns::input::Inputs;
use crate::write::fragments::FragmentSplitter;
use crate::write::spec::{CommittedFragment, QueryWriter, SeparateWriteState, WriteDraft, WriteSpec};
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Name, NamedList};

/// The order that the coordinates determine.
struct Cells {
    /// The number of input cells.
    count: usize,
    /// Those that are written, in their order; `None` for all as they are.
    picks: Option<Lease<Vec<u64>>>,
}

impl Cells {
    /// The order of all cells, and the excluded ones, which come last.
    fn into_parts(self) -> Result<(Vec<u64>, Vec<u64>)> {
        let all = 0..self.count as u64;
        let mut order = memory::with_capacity("the order of cells", self.count)?;
        match self.picks {
            Some(picks) => order.extend_from_slice(&picks),
            None => order.extend(all.clone()),
        }
        if order.len() == self.count {
            return Ok((order, Vec::new()));
        }
        let mut is_left = memory::filled("cells that are left out", true, self.count)?;
        order.iter().for_each(|&place| is_left[place as usize] = false);
        let excluded = memory::collect("cells that are left out", all.filter(|&place| is_left[place as usize]))?;
        order.extend_from_slice(&excluded);
        Ok((order, excluded))
    }

    /// The cells of a serialized order.
    fn of(spec: &WriteSpec, mut order: Vec<u64>, mut excluded: Vec<u64>) -> Result<Cells> {
        let count = order.len();
        if order.iter().any(|&place| place >= count as u64) {
            bail!(Corrupt, "Cannot go on with the write; its order of {count} cells has places behind them");
        }
        excluded.sort_unstable();
        order.retain(|place| excluded.binary_search(place).is_err());
        let picks = Some(spec.budget.lease(MemoryKind::Results, order.memory_usage(), || Ok(order))?);
        Ok(Cells { count, picks })
    }
}

/// A write of one fragment, some fields at a time.
pub(crate) struct SeparateWriter {
    spec: WriteSpec,
    rules: WriteChecks,
    cells: Option<Cells>,
    fragment: Option<FragmentSplitter>,
    /// Names of the fields written.
    written: NamedList<Name>,
    /// A submit failed while its cells were stored, and the fields of earlier ones are lost with it.
    is_lost: bool,
}

impl SeparateWriter {
    /// Prepares a write.
    ///
    /// # Errors
    /// For values of the configuration that cannot be understood.
    pub(crate) fn new(spec: WriteSpec) -> Result<SeparateWriter> {
        let rules = WriteChecks::new(&spec)?;
        Ok(SeparateWriter { spec, rules, cells: None, fragment: None, written: NamedList::default(), is_lost: false })
    }

    fn check_not_lost(&self) -> Result<()> {
        if self.is_lost {
            let names: Vec<String> = self.written.iter().map(|name| format!("'{name}'")).collect();
            bail!(
                "UnorderWriter: The write cannot go on nor be finalized; an earlier submit failed while its cells were stored, and those of {}, \
                 submitted before, are lost with it. Submit all fields to another query",
                names.join(", ")
            );
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.spec.array.schema().fields().iter().all(|field| self.has_written(&field.name))
    }
}

/// The fields of a submit; `count` is the number of cells that is known from the first one.
fn submitted<'a>(spec: &'a WriteSpec, inputs: &'a Inputs<'a>, count: Option<usize>) -> Result<SparseCells<'a>> {
    let schema = spec.array.schema();
    let fields = schema.fields().iter().filter(|field| inputs.column(&field.name).is_some()).collect();
    SparseCells::some(schema, inputs, fields, count)
}

impl QueryWriter for SeparateWriter {
    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        self.check_not_lost()?;
        if self.is_complete() {
            bail!("TileDB internal: ['UnorderedWriter::dowork]  (UnorderWriter: All buffers already written)");
        }
        submitted(&self.spec, inputs, self.cells.as_ref().map(|cells| cells.count)).map(|_| ())
    }

    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<CommittedFragment>> {
        let spec = &self.spec;
        let submitted = submitted(spec, inputs, self.cells.as_ref().map(|cells| cells.count))?;
        let cells = match &mut self.cells {
            Some(cells) => cells,
            none => {
                let picks = if submitted.count > 0 { order(spec, &self.rules, &submitted)? } else { None };
                none.insert(Cells { count: submitted.count, picks })
            }
        };
        let picks = CellPermutation::of(cells.picks.as_ref().map(|picks| &picks[..]), cells.count);
        submitted.check_values(picks, spec.layout)?;
        let fragment = match &mut self.fragment {
            Some(fragment) => fragment,
            none => none.insert(FragmentSplitter::single(spec)?),
        };
        let stored = submitted.write(spec, fragment, picks, capacity(spec));
        if stored.is_err() {
            (self.is_lost, self.fragment) = (true, None);
        }
        stored?;
        submitted.fields.iter().for_each(|field| self.written.push(field.name.clone()));
        match self.fragment.take_if(|_| self.written.len() == spec.array.schema().fields().len()) {
            Some(fragment) => fragment.commit(&submitted.fields),
            None => Ok(Vec::new()),
        }
    }

    fn has_accepted(&self) -> bool {
        !self.written.is_empty()
    }

    fn suspend(&mut self) -> Result<Option<WriteDraft>> {
        self.check_not_lost()?;
        let Some(cells) = self.cells.take() else { return Ok(None) };
        let fragment = self.fragment.take().map_or(Ok(None), |mut fragment| fragment.suspend())?;
        let cells = if self.is_complete() { Cells { count: 0, picks: None } } else { cells };
        let count = cells.count as u64;
        let (order, excluded) = cells.into_parts()?;
        let written = self.written.iter().map(|name| name.to_string()).collect();
        self.written.clear();
        let separate = Some(SeparateWriteState { order, excluded, written });
        Ok(Some(WriteDraft { fragment, cells: count, last: None, separate }))
    }

    fn resume_with(&mut self, draft: WriteDraft) -> Result<()> {
        let Some(SeparateWriteState { order, excluded, written }) = draft.separate else {
            bail!("Cannot go on with the write; its fields do not come apart")
        };
        self.cells = Some(Cells::of(&self.spec, order, excluded)?);
        let schema = self.spec.array.schema();
        let written: HashSet<String> = written.into_iter().collect();
        let known = schema.fields().iter().filter(|field| written.contains(field.name.as_str()));
        self.written = known.map(|field| field.name.clone()).collect();
        if !self.is_complete() {
            let mut fragment = FragmentSplitter::single(&self.spec)?;
            draft.fragment.map_or(Ok(()), |draft| fragment.resume_with(draft))?;
            self.fragment = Some(fragment);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<CommittedFragment>> {
        Ok(Vec::new())
    }

    fn has_written(&self, name: &str) -> bool {
        self.written.position(name).is_some()
    }

    fn check_complete(&self) -> Result<()> {
        self.check_not_lost()?;
        match self.cells.is_none() || self.is_complete() {
            true => Ok(()),
            false => bail!("UnorderWriter: Not all buffers already written"),
        }
    }
}
