//! Buffered cells of a write in global order whose tile is incomplete.

use std::borrow::Cow;

use super::encode::TileCells;
use super::spec::WriteSpec;
use super::tile_bytes::CellBytes;
use crate::columns::input::{InputColumn, InputSlice};
use tiledb_array::schema::Field;
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;

/// The waiting cells of one field.
#[derive(Default)]
pub(crate) struct TileTail {
    data: Vec<u8>,
    starts: Vec<u64>,
    validity: Vec<u8>,
}

impl MemoryUsage for TileTail {
    fn memory_usage(&self) -> u64 {
        self.data.memory_usage() + self.starts.memory_usage() + self.validity.memory_usage()
    }
}

/// No cells, one tail per field.
///
/// # Errors
/// None; the result allows for budgets that refuse.
pub(crate) fn tails(spec: &WriteSpec, fields: usize) -> Result<Vec<Lease<TileTail>>> {
    (0..fields).map(|_| spec.budget.lease(MemoryKind::Buffers, 0, || Ok(TileTail::default()))).collect()
}

/// Rejects suspending a write within a tile.
///
/// # Errors
/// If cells wait.
pub(crate) fn check_whole(waiting: usize, tile_cells: usize) -> Result<()> {
    if waiting > 0 {
        bail!(
            "Cannot hand on the write; {waiting} cells do not fill a tile of {tile_cells}. All submits of a write in global \
             order but the last must bring whole tiles where a server takes them"
        );
    }
    Ok(())
}

impl TileTail {
    /// Appends cells.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn append(&mut self, cells: InputSlice<'_>) -> Result<()> {
        let (base, starts) = (self.data.len() as u64, cells.starts.unwrap_or_default());
        reserve(&mut self.data, cells.data.len())?;
        self.data.extend_from_slice(cells.data);
        reserve(&mut self.starts, starts.len())?;
        self.starts.extend(starts.iter().map(|start| start - cells.origin + base));
        let validity = cells.validity.unwrap_or_default();
        reserve(&mut self.validity, validity.len())?;
        self.validity.extend_from_slice(validity);
        Ok(())
    }

    /// The cells as a column of a submit.
    pub(crate) fn column(&self, field: &Field) -> InputColumn<'_> {
        InputColumn {
            name: field.name.clone(),
            data: &self.data,
            starts: field.is_var().then_some(Cow::Borrowed(&self.starts[..])),
            validity: field.nullable.then_some(&self.validity[..]),
        }
    }

    /// The cells as those of a tile.
    pub(crate) fn cells(&self, field: &Field) -> TileCells<'_> {
        TileCells {
            data: CellBytes::Here(&self.data),
            starts: field.is_var().then_some(&self.starts[..]),
            validity: field.nullable.then_some(&self.validity[..]),
        }
    }

    /// Bytes of the cells.
    pub(crate) fn bytes(&self) -> usize {
        self.data.len() + 8 * self.starts.len() + self.validity.len()
    }

    /// Drops the cells and retains the memory.
    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.starts.clear();
        self.validity.clear();
    }
}

/// From this size on the allocator maps memory separately: it grows without a copy, and untouched pages take none.
const APART: usize = 8 << 20;
/// Cells that are more than this are likely to become many.
const MANY: usize = 2 << 20;

/// Reserves capacity for more, of large vectors at once for more than that.
fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    let need = items.len().saturating_add(more);
    if need > items.capacity() && (MANY..APART).contains(&need.saturating_mul(size_of::<T>())) {
        // If that fails, a smaller allocation may succeed.
        _ = items.try_reserve_exact(APART / size_of::<T>().max(1) - items.len());
    }
    memory::reserve("the cells of a tile", items, more)
}
