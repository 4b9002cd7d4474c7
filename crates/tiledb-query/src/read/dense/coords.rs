//! Dense reads of only the coordinates of cells that match a condition (`sm.query.dense.qc_coords_mode`). Cells that
//! were not written are treated as matching.

use super::batch::BatchPlan;
use super::condition;
use super::context::DenseContext;
use super::fixed::{FixedTarget, read_targets};
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::columns::output::OutputColumn;
use tiledb_cells::predicate::program::Program;
use tiledb_core::budget::MemoryKind;
use tiledb_core::error::{Error, Result};
use tiledb_core::pool::Pools;

/// Delivers the coordinates of a batch; other columns stay empty.
pub fn read(
    context: &DenseContext,
    program: &Program,
    plan: &BatchPlan,
    fields: &[&Field],
    columns: &mut [OutputColumn<'_>],
    pools: &Pools,
) -> Result<()> {
    let marks = condition::marks_of(context, program, plan, pools)?;
    let cells = marks.iter().filter(|mark| **mark != 0).count();
    for (field, column) in fields.iter().zip(columns) {
        (column.cells, column.bytes) = (0, 0);
        if !field.is_dimension {
            continue;
        }
        let cell = field.cell_size();
        let size = plan.cells.checked_mul(cell).ok_or_else(|| Error::out_of_memory("coordinates", usize::MAX))?;
        let mut all = context.access().scratch(MemoryKind::CoordinateTiles, size)?;
        let target = FixedTarget { field, part: FieldPart::Data };
        read_targets(context, plan, &[(target, OutMem::new(all.slice_mut()))], pools)?;
        let mut met = 0;
        for at in (0..plan.cells).filter(|&at| marks[at] != 0) {
            all.slice_mut().copy_within(at * cell..(at + 1) * cell, met);
            met += cell;
        }
        column.data.put(0, &all[..met])?;
        (column.cells, column.bytes) = (cells, met);
    }
    Ok(())
}
