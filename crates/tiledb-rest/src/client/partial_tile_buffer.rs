//! Buffers partial tiles of writes in global order: servers accept whole tiles only, so that the cells of a partial
//! tile wait for the next submit.

use tiledb_cells::columns::buffers::FieldBuffers;
use tiledb_cells::columns::user_buffer::UserBuffer;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{HasName, Name, NamedList};
use tiledb_query::{BufferKind, Query};

/// Bytes of an offset.
const OFFSET: usize = 8;

/// Cells that were not sent yet, and the user's buffers while others replace them during a submit.
#[derive(Default)]
pub(super) struct PartialTileBuffer {
    columns: NamedList<Column>,
    /// The cells to buffer if the current submit succeeds.
    then: NamedList<Column>,
    /// The user's buffers.
    users: Vec<FieldBuffers>,
}

/// Cells of a field.
#[derive(Clone)]
struct Column {
    name: Name,
    /// Bytes of a cell, or of an offset.
    width: usize,
    is_var: bool,
    /// Cells, or offsets of their values.
    fixed: Vec<u8>,
    values: Vec<u8>,
    validity: Vec<u8>,
}

impl HasName for Column {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl Column {
    fn count(&self) -> usize {
        self.fixed.len() / self.width.max(1)
    }

    /// Adds the cells of another column of the field.
    fn append(&mut self, more: &Column) -> Result<()> {
        match self.is_var {
            false => extend("cells", &mut self.fixed, &more.fixed)?,
            true => {
                extend("offsets", &mut self.fixed, &shifted(&more.fixed, self.values.len() as u64, u64::wrapping_add))?
            }
        }
        extend("values", &mut self.values, &more.values)?;
        extend("validity", &mut self.validity, &more.validity)
    }

    /// Splits off the cells after the first `count`.
    fn split_off(&mut self, count: usize) -> Column {
        let fixed = self.fixed.split_off(self.fixed.len().min(count * self.width));
        let validity = self.validity.split_off(self.validity.len().min(count));
        let start = fixed.first_chunk().map_or(self.values.len() as u64, |first| u64::from_le_bytes(*first));
        let values = match self.is_var {
            true => self.values.split_off(self.values.len().min(usize::try_from(start).unwrap_or(usize::MAX))),
            false => Vec::new(),
        };
        let fixed = if self.is_var { shifted(&fixed, start, u64::wrapping_sub) } else { fixed };
        Column { name: self.name.clone(), width: self.width, is_var: self.is_var, fixed, values, validity }
    }
}

fn shifted(offsets: &[u8], by: u64, shift: fn(u64, u64) -> u64) -> Vec<u8> {
    let (words, _) = offsets.as_chunks::<OFFSET>();
    words.iter().flat_map(|word| shift(u64::from_le_bytes(*word), by).to_le_bytes()).collect()
}

impl PartialTileBuffer {
    /// Has the query send all whole tiles, and buffers the rest; false if there is no whole tile to send.
    ///
    /// # Errors
    /// If the buffers do not go together.
    pub(super) fn take_whole_tiles(&mut self, query: &mut Query) -> Result<bool> {
        let mut all = self.with_new(query)?;
        let count = all.first().map_or(0, Column::count);
        let tile = tile_cells(query)?;
        // The last whole tile is buffered, too: it is sent at the end.
        if count <= tile {
            self.columns = all.into();
            query.expect_new_cells();
            return Ok(false);
        }
        let whole = count - count % tile;
        self.then = all.iter_mut().map(|column| column.split_off(whole)).collect();
        self.stand_in(query, &all)?;
        Ok(true)
    }

    /// Has the query send all cells.
    ///
    /// # Errors
    /// As [`PartialTileBuffer::take_whole_tiles`].
    pub(super) fn take_all(&mut self, query: &mut Query) -> Result<()> {
        let all = self.with_new(query)?;
        self.then = NamedList::default();
        self.stand_in(query, &all)
    }

    /// Restores the user's buffers; sent cells are removed from the buffer if they arrived.
    ///
    /// # Errors
    /// None that is expected: they were set before.
    pub(super) fn give_back(&mut self, query: &mut Query, arrived: bool) -> Result<()> {
        let then = std::mem::take(&mut self.then);
        if arrived {
            self.columns = then;
        }
        query.expect_new_cells();
        for field in std::mem::take(&mut self.users) {
            let set = |buffer: Option<UserBuffer>| buffer.map(|buffer| (buffer.start(), buffer.size()));
            if let Some((start, size)) = set(field.data) {
                query.set_data_buffer(&field.name, start, size)?;
            }
            if let Some((start, size)) = set(field.offsets) {
                query.set_offsets_buffer(&field.name, start, size)?;
            }
            if let Some((start, size)) = set(field.validity) {
                query.set_validity_buffer(&field.name, start, size)?;
            }
        }
        query.expect_new_cells();
        query.release_owned_buffers();
        Ok(())
    }

    /// The buffered cells followed by those in the user's buffers.
    fn with_new(&self, query: &Query) -> Result<Vec<Column>> {
        let format = query.offset_format();
        if format.width != OFFSET || format.elements || format.extra {
            bail!(
                "[TileDB::REST] Error: Writes in global order to a server need offsets of 64 bits, in bytes, without the total"
            );
        }
        let mut all = Vec::new();
        for field in query.all_buffers() {
            let new = column(query, field)?;
            let mut column = self.columns.get(&field.name).cloned();
            match &mut column {
                Some(column) => column.append(&new)?,
                None if self.columns.is_empty() => column = Some(new),
                None => bail!("[TileDB::REST] Error: No cells of '{}' were given before", field.name),
            }
            all.extend(column);
        }
        let counts: Vec<usize> = all.iter().map(Column::count).collect();
        if counts.windows(2).any(|pair| pair[0] != pair[1]) {
            bail!("[TileDB::REST] Error: The buffers hold different numbers of cells");
        }
        Ok(all)
    }

    /// Replaces the user's buffers by columns.
    fn stand_in(&mut self, query: &mut Query, columns: &[Column]) -> Result<()> {
        self.users = query.all_buffers().cloned().collect();
        query.expect_new_cells();
        for column in columns {
            let parts = match column.is_var {
                true => [(BufferKind::Offsets, &column.fixed), (BufferKind::Data, &column.values)],
                false => [(BufferKind::Data, &column.fixed), (BufferKind::Data, &column.fixed)],
            };
            for (part, bytes) in &parts[..if column.is_var { 2 } else { 1 }] {
                put(query, &column.name, *part, bytes)?;
            }
            if !column.validity.is_empty() {
                put(query, &column.name, BufferKind::Validity, &column.validity)?;
            }
        }
        Ok(())
    }
}

fn put(query: &mut Query, name: &Name, part: BufferKind, bytes: &[u8]) -> Result<()> {
    query.allocate_buffer(name, part, bytes.len() as u64)?;
    let buffer = query.buffers_of(name).and_then(|field| match part {
        BufferKind::Data => field.data,
        BufferKind::Offsets => field.offsets,
        BufferKind::Validity => field.validity,
    });
    match buffer {
        Some(mut buffer) => buffer.put(0, bytes),
        None => bail!(Internal, "A buffer of '{name}' is gone"),
    }
}

fn extend(what: &str, out: &mut Vec<u8>, more: &[u8]) -> Result<()> {
    memory::reserve(what, out, more.len())?;
    out.extend_from_slice(more);
    Ok(())
}

/// The cells in the buffers of a field.
fn column(query: &Query, field: &FieldBuffers) -> Result<Column> {
    let Some(known) = query.array().schema().field(&field.name) else {
        bail!("[TileDB::REST] Error: '{}' cannot be written to a server in global order", field.name);
    };
    let copy = |buffer: Option<UserBuffer>| -> Result<Vec<u8>> {
        let mut own = Vec::new();
        if let Some(buffer) = buffer {
            extend("cells", &mut own, buffer.start().as_slice(buffer.stated())?)?;
        }
        Ok(own)
    };
    let (first, values) = if known.is_var() { (field.offsets, copy(field.data)?) } else { (field.data, Vec::new()) };
    Ok(Column {
        name: field.name.clone(),
        width: if known.is_var() { OFFSET } else { known.cell_size() },
        is_var: known.is_var(),
        fixed: copy(first)?,
        values,
        validity: copy(field.validity)?,
    })
}

fn tile_cells(query: &Query) -> Result<usize> {
    let schema = query.array().schema();
    let cells = match schema.is_dense() {
        true => schema.domain().dimensions().iter().try_fold(1u64, |all, one| all.checked_mul(one.cells_per_tile()?)),
        false => Some(schema.capacity()),
    };
    match cells.and_then(|cells| usize::try_from(cells).ok()).filter(|cells| *cells > 0) {
        Some(cells) => Ok(cells),
        None => bail!("[TileDB::REST] Error: The tiles of the array have no countable number of cells"),
    }
}
