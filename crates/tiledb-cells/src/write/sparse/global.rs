//! Sparse writes in global order: cells arrive sorted over any number of submits and make one fragment; cells of an
//! incomplete tile are buffered for the next submit.

use std::sync::Arc;

use super::cells::{CellPermutation, LastCell, SparseCells, WriteChecks};
use super::unordered::{capacity, without};
use crate::columns::coords::Coords;
use crate::columns::input::Inputs;
use crate::keys::columns::KeyedColumns;
use crate::keys::plan::KeyPlan;
use crate::write::encode::error_prefix;
use crate::write::fragments::FragmentSplitter;
use crate::write::spec::{CommittedFragment, QueryWriter, WriteDraft, WriteSpec, lost_cells};
use crate::write::tile_tail::{TileTail, check_whole, tails};
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_core::budget::Lease;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::Layout;

/// A write in global order.
pub struct GlobalSparseWriter {
    spec: WriteSpec,
    rules: WriteChecks,
    plan: KeyPlan,
    /// Fields besides those of the schema.
    special: Arc<[Field]>,
    capacity: usize,
    tails: Vec<Lease<TileTail>>,
    tail_cells: usize,
    /// Cells of all submits that were accepted.
    written: u64,
    /// The last cell of the submit before.
    last: Option<LastCell>,
    fragments: Option<FragmentSplitter>,
    /// A submit failed while its cells were stored, and those of earlier ones are lost with it.
    is_lost: bool,
}

impl GlobalSparseWriter {
    /// Prepares a write.
    ///
    /// # Errors
    /// For values of the configuration that cannot be understood.
    pub fn new(spec: WriteSpec) -> Result<GlobalSparseWriter> {
        let rules = WriteChecks::new(&spec)?;
        let schema = spec.array.schema();
        let plan = rules.keys(schema)?;
        let special: Arc<[Field]> = spec.special_fields().into();
        let tails = tails(&spec, schema.fields().len() + special.len())?;
        Ok(GlobalSparseWriter {
            capacity: capacity(&spec),
            spec,
            rules,
            plan,
            special,
            tails,
            tail_cells: 0,
            written: 0,
            last: None,
            fragments: None,
            is_lost: false,
        })
    }

    /// Checks the order and finds equal coordinates; the picks that are to be written, `None` for all.
    fn checked(&self, cells: &SparseCells<'_>, coords: &[Coords<'_>]) -> Result<Option<Vec<u64>>> {
        let _timer = self.spec.stats.timer(Timer::CheckOrder);
        let resources = self.spec.array.resources();
        let columns = KeyedColumns::new(&self.plan, coords, cells.count)?;
        let check = columns.check_order_in_parallel(resources.pools(), resources.cancel())?;
        let mut equal = match check.first_disorder {
            None => check.equal,
            Some(place) if self.rules.order => {
                let same_tile = self.plan.same_tile(coords, place - 1, coords, place);
                bail!(
                    "[TileDB::Writer] Error: Write failed; Coordinates {} succeed {} in the {}",
                    cells.text(place - 1),
                    cells.text(place),
                    self.order_name(same_tile)
                );
            }
            // The order is trusted: duplicates are not searched either.
            Some(_) => Vec::new(),
        };
        if let Some(last) = &self.last {
            match last.compare(&self.plan, coords)? {
                (std::cmp::Ordering::Greater, _) if self.rules.order => {
                    let same_tile = self.plan.same_tile(&last.coords(coords), 0, coords, 0);
                    bail!(
                        "[TileDB::Writer] Error: Write failed; {} {} comes before last written coordinate in the {}",
                        if self.is_hilbert() { "Coordinates" } else { "Coordinate" },
                        cells.text(0),
                        self.order_name(same_tile)
                    );
                }
                (_, true) => equal.insert(0, 0),
                _ => (),
            }
        }
        match equal.first() {
            Some(&place) if self.rules.unique => Err(cells.duplicate(place)),
            Some(_) if self.rules.dedup => Ok(Some(without((0..cells.count as u64).collect(), &equal))),
            _ => Ok(None),
        }
    }

    fn is_hilbert(&self) -> bool {
        self.spec.array.schema().cell_order() == Layout::Hilbert
    }

    /// The order as errors name it, with the reason where space tiles are out of order.
    fn order_name(&self, same_tile: bool) -> &'static str {
        match (self.is_hilbert(), same_tile) {
            (true, _) => "hilbert order",
            (false, true) => "global order",
            (false, false) => "global order due to writes across tiles",
        }
    }

    /// Writes the tail as a tile.
    fn write_tail(&mut self) -> Result<()> {
        let array = &self.spec.array;
        let fields = array.schema().fields().iter().chain(&*self.special);
        let columns = fields.zip(&self.tails).map(|(field, tail)| tail.column(field));
        let inputs = Inputs { columns: columns.collect() };
        let cells = cells_of(array.schema(), &self.special, &inputs)?;
        let Some(fragments) = &mut self.fragments else { bail!(Internal, "A global-order write has no fragment") };
        let picks = CellPermutation::Run { first: 0, count: self.tail_cells };
        cells.write(&self.spec, fragments, picks, self.capacity)?;
        self.tails.iter_mut().try_for_each(|tail| tail.change(TileTail::clear))?;
        self.tail_cells = 0;
        Ok(())
    }

    fn check_not_lost(&self) -> Result<()> {
        if self.is_lost {
            bail!("{}", lost_cells(self.written));
        }
        Ok(())
    }

    /// Stores cells that were checked.
    fn take(&mut self, cells: &SparseCells<'_>, picks: CellPermutation<'_>) -> Result<()> {
        if self.fragments.is_none() {
            self.fragments = Some(FragmentSplitter::new(&self.spec, None)?);
        }
        let stored = self.store(cells, picks);
        match stored {
            Ok(()) => self.written += cells.count as u64,
            Err(_) => (self.is_lost, self.fragments) = (true, None),
        }
        stored
    }

    fn store(&mut self, cells: &SparseCells<'_>, picks: CellPermutation<'_>) -> Result<()> {
        let mut next = 0;
        if self.tail_cells > 0 {
            next = picks.len().min(self.capacity - self.tail_cells);
            self.append_to_tails(cells, picks.part(0, next))?;
            if self.tail_cells == self.capacity {
                self.write_tail()?;
            }
        }
        let whole = (picks.len() - next) / self.capacity * self.capacity;
        if let (Some(fragments), true) = (&mut self.fragments, whole > 0) {
            cells.write(&self.spec, fragments, picks.part(next, whole), self.capacity)?;
        }
        self.append_to_tails(cells, picks.part(next + whole, usize::MAX))
    }

    fn append_to_tails(&mut self, cells: &SparseCells<'_>, picks: CellPermutation<'_>) -> Result<()> {
        cells.append_to_tails(picks, &mut self.tails)?;
        self.tail_cells += picks.len();
        Ok(())
    }
}

/// The cells of a submit, those of fields besides the schema's included.
fn cells_of<'a>(schema: &'a ArraySchema, special: &'a [Field], inputs: &'a Inputs<'a>) -> Result<SparseCells<'a>> {
    SparseCells::some(schema, inputs, schema.fields().iter().chain(special).collect(), None)
}

impl QueryWriter for GlobalSparseWriter {
    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        self.check_not_lost()?;
        cells_of(self.spec.array.schema(), &self.special, inputs).map(|_| ())
    }

    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<CommittedFragment>> {
        let (array, special) = (self.spec.array.clone(), self.special.clone());
        let cells = cells_of(array.schema(), &special, inputs)?;
        if cells.count == 0 {
            return Ok(Vec::new());
        }
        if self.spec.merged.is_some() {
            // Cells of fragments were checked when they were written, and the reader put them in order.
            self.take(&cells, CellPermutation::Run { first: 0, count: cells.count })?;
            return Ok(Vec::new());
        }
        if self.rules.bounds {
            cells.check_bounds()?;
        }
        cells.check_current_domain(&self.spec.array.current_domain()).context(|| error_prefix(self.spec.layout))?;
        let coords = cells.coords();
        let picks = self.checked(&cells, &coords)?;
        let picks = CellPermutation::of(picks.as_deref(), cells.count);
        cells.check_values(picks, self.spec.layout)?;
        let last = LastCell::new(&self.plan, &coords, cells.count - 1)?;
        self.take(&cells, picks)?;
        self.last = Some(last);
        Ok(Vec::new())
    }

    fn has_accepted(&self) -> bool {
        self.written > 0
    }

    fn check_complete(&self) -> Result<()> {
        self.check_not_lost()
    }

    fn suspend(&mut self) -> Result<Option<WriteDraft>> {
        self.check_not_lost()?;
        check_whole(self.tail_cells, self.capacity)?;
        let fragment = self.fragments.take().map_or(Ok(None), |mut fragments| fragments.suspend())?;
        Ok(Some(WriteDraft {
            fragment,
            cells: self.written,
            last: self.last.take().map(|last| last.values().to_vec()),
            separate: None,
        }))
    }

    fn resume_with(&mut self, draft: WriteDraft) -> Result<()> {
        self.written = draft.cells;
        self.last = draft.last.map(|values| LastCell::of(&self.plan, values)).transpose()?;
        if let Some(fragment) = draft.fragment {
            let mut fragments = FragmentSplitter::new(&self.spec, None)?;
            fragments.resume_with(fragment)?;
            self.fragments = Some(fragments);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<CommittedFragment>> {
        if self.tail_cells > 0 {
            self.write_tail()?;
        }
        let fields: Vec<&Field> = self.spec.array.schema().fields().iter().chain(&*self.special).collect();
        self.fragments.take().map_or(Ok(Vec::new()), |fragments| fragments.commit(&fields))
    }
}
