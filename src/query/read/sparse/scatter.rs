//! From the tiles of a batch to the user's buffers where there is no memory to decode all of them side by side: tile by
//! tile, and of large tiles some cells at a time, are decoded, copied to where they belong in the results, and given up.
#![expect(unsafe_code, reason = "cells of a tile lie scattered in the results")]

use std::ops::Range;

use super::batch::Batch;
use super::copy::Shared;
use super::plan::Requested;
use super::slab::Slab;
use super::source::Source;
use crate::budget::{Kind, Leased};
use crate::error::{Result, bail};
use crate::memory;
use crate::pool::Pools;
use crate::query::columns::memory::OutMem;
use crate::query::columns::output::Outputs;
use crate::query::input::decoded::TileData;
use crate::query::input::excerpts::Excerpts;

/// Cells that follow one another in a tile and in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placed {
    slab: Slab,
    /// The first cell in the results, from the start of the round.
    to: usize,
}

impl Placed {
    fn cells(&self) -> Range<usize> {
        let first = self.slab.first as usize;
        first..first + self.slab.len as usize
    }

    /// What is left behind the first cells.
    fn behind(self, cells: usize) -> Placed {
        let slab = Slab { first: self.slab.first + cells as u32, len: self.slab.len - cells as u32, ..self.slab };
        Placed { slab, to: self.to + cells }
    }

    /// The first cells.
    fn before(self, cells: usize) -> Placed {
        Placed { slab: Slab { len: cells as u32, ..self.slab }, ..self }
    }
}

/// Where the variable cells of a round begin in the results, and the end of the last.
type Starts = Leased<Vec<u64>>;

/// Cells that are brought to the results together.
struct Round<'r> {
    batch: &'r Batch,
    shared: &'r Shared<'r>,
    /// By tile, and by cell in it.
    placed: Vec<Placed>,
    cells: usize,
    pools: Pools,
    /// Bytes that a task may have decoded at a time.
    share: usize,
}

/// A task has at least this much memory, unless all of it is less.
const LEAST_SHARE: u64 = 256 * 1024;

impl Batch {
    /// Delivers as many cells as fit, `most` at most, and tells how many; none where `all` of so many do not fit.
    pub fn scatter(&mut self, shared: &Shared<'_>, out: &mut Outputs<'_>, most: usize, all: bool) -> Result<usize> {
        let mut delivered = 0;
        while delivered < most && !self.is_done() {
            let room = shared.budget.available();
            let var = shared.fields.iter().filter(|field| field.is_var).count();
            // A fourth of the room is for the places of cells, the rest for decoded ones.
            let count = usize::try_from(room / 8).unwrap_or(usize::MAX) / (size_of::<Slab>() + size_of::<Placed>());
            let cells = usize::try_from(room / 8).unwrap_or(usize::MAX) / 8 / var.max(1);
            let pieces = self.first_pieces((most - delivered).min(cells.max(1)), count.max(1))?;
            let round = Round::new(self, shared, pieces, room / 2)?;
            let wanted = round.cells;
            let fits = round.deliver(out, all && delivered == 0 && wanted == most)?;
            self.advance(fits);
            delivered += fits;
            if fits < wanted {
                break;
            }
        }
        Ok(delivered)
    }
}

impl<'r> Round<'r> {
    fn new(batch: &'r Batch, shared: &'r Shared<'r>, pieces: Vec<Slab>, room: u64) -> Result<Round<'r>> {
        let mut placed = memory::with_room("slabs", pieces.len())?;
        let mut cells = 0;
        for slab in pieces {
            placed.push(Placed { slab, to: cells });
            cells += slab.len as usize;
        }
        placed.sort_unstable_by_key(|piece| (piece.slab.tile, piece.slab.first, piece.to));
        let pools = shared.array.resources().pools();
        let threads = (room / LEAST_SHARE).clamp(1, pools.compute().max(1) as u64);
        let share = usize::try_from(room / threads).unwrap_or(usize::MAX);
        let pools = Pools::new(threads as usize, pools.io());
        Ok(Round { batch, shared, placed, cells, pools, share })
    }

    /// Fills the columns; tells how many cells fitted.
    fn deliver(mut self, out: &mut Outputs<'_>, all: bool) -> Result<usize> {
        let mut fits = self.cells;
        let mut starts = Vec::with_capacity(out.columns.len());
        for (field, (column, requested)) in out.columns.iter_mut().zip(self.shared.fields).enumerate() {
            if !requested.is_var {
                starts.push(None);
                continue;
            }
            let found = self.starts(field, column.bytes)?;
            let end = column.data.len() as u64;
            let within = found.partition_point(|&start| start <= end).saturating_sub(1);
            if within < self.cells && column.data.is_empty() {
                column.show_starts(&found[..self.cells])?;
            }
            fits = fits.min(within);
            starts.push(Some(found));
        }
        if all && fits < self.cells {
            return Ok(0);
        }
        self.keep(fits);
        let tasks = self.tasks();
        let fields = self.shared.fields.len();
        let (columns, resources) = (&out.columns, self.shared.array.resources());
        self.pools.for_each(tasks.len() * fields, usize::MAX, resources.cancel(), |task| {
            let (pieces, field) = (&self.placed[tasks[task / fields].clone()], task % fields);
            let column = &columns[field];
            let target = Target {
                // SAFETY: every place in the results is that of one piece, and a task writes those of its pieces.
                data: unsafe { column.data.again() },
                // SAFETY: as above.
                validity: column.validity.as_ref().map(|validity| unsafe { validity.again() }),
                before: column.cells,
                size: self.shared.fields[field].cell_size,
                starts: starts[field].as_ref().map(|starts| &starts[..]),
            };
            self.task(field, pieces).copy(target)
        })?;
        for ((column, starts), requested) in out.columns.iter_mut().zip(&starts).zip(self.shared.fields) {
            match (starts, &mut column.offsets) {
                (Some(starts), Some(offsets)) => {
                    offsets.put(column.cells, &starts[..fits])?;
                    column.bytes = starts[fits] as usize;
                }
                (Some(_), None) => bail!(Internal, "Variable field '{}' has no offsets buffer", column.name),
                (None, _) => column.bytes += fits * requested.cell_size,
            }
            column.cells += fits;
        }
        Ok(fits)
    }

    /// The pieces tile by tile.
    fn tasks(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let tiles = self.placed.chunk_by(|a, b| a.slab.tile == b.slab.tile);
        tiles.map(|pieces| (start, start += pieces.len()).0..start).collect()
    }

    fn task<'t>(&'t self, field: usize, pieces: &'t [Placed]) -> Task<'t> {
        Task { round: self, requested: &self.shared.fields[field], field, pieces }
    }

    /// Keeps the first cells of the results.
    fn keep(&mut self, cells: usize) {
        self.placed.retain_mut(|piece| {
            let left = cells.saturating_sub(piece.to).min(piece.slab.len as usize);
            *piece = piece.before(left);
            left > 0
        });
    }

    /// Where the cells of a variable field begin, the first at `first`.
    fn starts(&self, field: usize, first: usize) -> Result<Starts> {
        let count = self.cells + 1;
        let mut starts =
            self.shared.budget.lease(Kind::Results, count as u64 * 8, || memory::filled("offsets", 0u64, count))?;
        let words = starts.slice_mut();
        let lengths = OutMem::new(bytemuck::cast_slice_mut(&mut words[1..]));
        let tasks = self.tasks();
        let resources = self.shared.array.resources();
        self.pools.for_each(tasks.len(), usize::MAX, resources.cancel(), |task| {
            // SAFETY: every place of a cell in the results is that of one piece, and a task writes those of its pieces.
            let mut lengths = unsafe { lengths.again() };
            self.task(field, &self.placed[tasks[task].clone()]).measure(&mut lengths)
        })?;
        words[0] = first as u64;
        let mut end = 0u64;
        for word in words {
            end = end.saturating_add(*word);
            *word = end;
        }
        Ok(starts)
    }
}

/// Pieces of one field of one tile.
struct Task<'t> {
    round: &'t Round<'t>,
    requested: &'t Requested,
    field: usize,
    pieces: &'t [Placed],
}

/// How a tile has a field.
enum From<'t> {
    Decoded(&'t TileData),
    Stored(Excerpts<'t>),
    Constant(&'t [u8], bool),
}

impl<'t> Task<'t> {
    fn from(&self) -> From<'t> {
        let Round { batch, shared, .. } = *self.round;
        let number = self.pieces[0].slab.tile;
        let (tile, stream) = (&batch.parts().0[number as usize], batch.stream(shared, number));
        match (&stream.sources[self.field], tile.data(stream, self.field)) {
            (_, Some(data)) => From::Decoded(data),
            (Source::Constant { value, valid }, None) => From::Constant(value, *valid),
            (Source::Stored(field) | Source::Coordinate(_, field), None) => From::Stored(Excerpts {
                fragment: &stream.fragment,
                field,
                tile: tile.tile,
                cells: tile.cells,
                access: shared.access,
            }),
        }
    }

    /// Tells the lengths of variable cells.
    fn measure(&self, out: &mut OutMem<'_>) -> Result<()> {
        let mut put = |pieces: &[Placed], first: usize, starts: &[u64]| {
            pieces.iter().try_for_each(|piece| {
                let cells = piece.cells().start - first..piece.cells().end - first + 1;
                let lengths = starts[cells].windows(2).zip(piece.to..);
                lengths.into_iter().try_for_each(|(pair, to)| out.put(to * 8, &(pair[1] - pair[0]).to_le_bytes()))
            })
        };
        match self.from() {
            From::Decoded(data) => put(self.pieces, 0, data.starts().unwrap_or_default()),
            From::Stored(stored) => {
                let share = self.round.share;
                for (cells, pieces) in groups(self.pieces, |cells| cells.len() * 8 <= share) {
                    put(&pieces, cells.start, words(&stored.starts(&cells)?))?;
                }
                Ok(())
            }
            From::Constant(value, _) => {
                let length = (value.len() as u64).to_le_bytes();
                let cells = self.pieces.iter().flat_map(|piece| piece.to..piece.to + piece.slab.len as usize);
                cells.into_iter().try_for_each(|to| out.put(to * 8, &length))
            }
        }
    }

    /// Copies the cells to where they go.
    fn copy(&self, mut target: Target<'_>) -> Result<()> {
        let share = self.round.share;
        let from = self.from();
        if let From::Stored(stored) = &from {
            stored.access.count_field(stored.field);
        }
        match from {
            From::Decoded(data) => {
                target.put(self.pieces, 0, data.bytes(), data.starts().map(|starts| (starts, 0)))?;
                target.put_validity(self.pieces, 0, data.validity())
            }
            From::Constant(value, valid) => target.fill(self.pieces, value, valid),
            From::Stored(stored) if target.starts.is_some() => {
                for (cells, pieces) in groups(self.pieces, |cells| cells.len() * 9 <= share / 2) {
                    let own = stored.starts(&cells)?;
                    let own = words(&own);
                    let size = |inner: &Range<usize>| own[inner.end - cells.start] - own[inner.start - cells.start];
                    for (inner, pieces) in groups(&pieces, |inner| size(inner) <= share as u64 / 2) {
                        let low = own[inner.start - cells.start];
                        let values = stored.values(low as usize..(low + size(&inner)) as usize)?;
                        let inside = &own[inner.start - cells.start..];
                        target.put(&pieces, inner.start, &values, Some((inside, low)))?;
                    }
                    self.copy_validity(&stored, &mut target, &cells, &pieces)?;
                }
                Ok(())
            }
            From::Stored(stored) => {
                let size = self.requested.cell_size + usize::from(self.requested.nullable);
                for (cells, pieces) in groups(self.pieces, |cells| cells.len() * size <= share) {
                    target.put(&pieces, cells.start, &stored.fixed(&cells)?, None)?;
                    self.copy_validity(&stored, &mut target, &cells, &pieces)?;
                }
                Ok(())
            }
        }
    }

    fn copy_validity(
        &self,
        stored: &Excerpts<'_>,
        target: &mut Target<'_>,
        cells: &Range<usize>,
        pieces: &[Placed],
    ) -> Result<()> {
        match stored.field.nullable {
            true => target.put_validity(pieces, cells.start, Some(&stored.validity(cells)?)),
            false => target.put_validity(pieces, cells.start, None),
        }
    }
}

/// Where cells of a field go.
struct Target<'t> {
    data: OutMem<'t>,
    validity: Option<OutMem<'t>>,
    /// Cells in the results that are there already.
    before: usize,
    /// Bytes of a fixed cell.
    size: usize,
    /// Where variable cells begin.
    starts: Option<&'t [u64]>,
}

impl Target<'_> {
    /// Copies cells out of those from `first` on: fixed ones, or values with their own starts, which count from a byte
    /// before them.
    fn put(&mut self, pieces: &[Placed], first: usize, bytes: &[u8], own: Option<(&[u64], u64)>) -> Result<()> {
        for piece in pieces {
            let (low, high) = (piece.cells().start - first, piece.cells().end - first);
            let (at, range) = match (self.starts, own) {
                (Some(starts), Some((own, base))) => {
                    (starts[piece.to] as usize, (own[low] - base) as usize..(own[high] - base) as usize)
                }
                _ => ((self.before + piece.to) * self.size, low * self.size..high * self.size),
            };
            match bytes.get(range) {
                Some(run) => self.data.put(at, run)?,
                None => bail!(Internal, "Decoded cells end before those that are wanted"),
            }
        }
        Ok(())
    }

    fn put_validity(&mut self, pieces: &[Placed], first: usize, values: Option<&[u8]>) -> Result<()> {
        let Some(out) = &mut self.validity else { return Ok(()) };
        for piece in pieces {
            let (at, cells) = (self.before + piece.to, piece.cells());
            match values {
                Some(values) => out.put(at, &values[cells.start - first..cells.end - first])?,
                None => out.with(at..at + cells.len(), |out| {
                    out.fill(0);
                    Ok(())
                })?,
            }
        }
        Ok(())
    }

    /// Gives all cells one value.
    fn fill(&mut self, pieces: &[Placed], value: &[u8], valid: bool) -> Result<()> {
        for piece in pieces {
            for to in piece.to..piece.to + piece.slab.len as usize {
                let at = match self.starts {
                    Some(starts) => starts[to] as usize,
                    None => (self.before + to) * self.size,
                };
                self.data.put(at, value)?;
                if let Some(validity) = &mut self.validity {
                    validity.put(self.before + to, &[u8::from(valid)])?;
                }
            }
        }
        Ok(())
    }
}

fn words(bytes: &[u8]) -> &[u64] {
    bytemuck::try_cast_slice(bytes).unwrap_or_default()
}

/// Puts pieces, which ascend, together as long as the cells from the first to the last fit; one that does not fit by
/// itself is divided, a single cell is not.
fn groups(pieces: &[Placed], fits: impl Fn(&Range<usize>) -> bool) -> Vec<(Range<usize>, Vec<Placed>)> {
    let mut groups: Vec<(Range<usize>, Vec<Placed>)> = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while rest.slab.len > 0 {
            let cells = rest.cells();
            if let Some((window, group)) = groups.last_mut() {
                let joined = window.start..window.end.max(cells.end);
                if fits(&joined) {
                    *window = joined;
                    group.push(rest);
                    break;
                }
            }
            let (mut low, mut high) = (1, cells.len());
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                (low, high) =
                    if fits(&(cells.start..cells.start + middle)) { (middle, high) } else { (low, middle - 1) };
            }
            groups.push((cells.start..cells.start + low, vec![rest.before(low)]));
            rest = rest.behind(low);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(first: u32, len: u32, to: usize) -> Placed {
        Placed { slab: Slab { tile: 0, first, len }, to }
    }

    #[test]
    fn groups_are_as_large_as_fits() {
        let pieces = [placed(0, 2, 5), placed(3, 1, 0), placed(10, 7, 20)];
        let found = groups(&pieces, |cells| cells.len() <= 4);
        let wanted = [
            (0..4, vec![placed(0, 2, 5), placed(3, 1, 0)]),
            (10..14, vec![placed(10, 4, 20)]),
            (14..17, vec![placed(14, 3, 24)]),
        ];
        assert_eq!(found, wanted);
        let cells = |fits: bool| groups(&pieces, |_| fits).iter().flat_map(|group| group.1.clone()).count();
        assert_eq!((cells(true), cells(false)), (3, 10));
    }
}
