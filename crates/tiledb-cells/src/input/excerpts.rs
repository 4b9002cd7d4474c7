//! Excerpts: selected cells of a field of a tile, decoded without the rest of the tile.

use std::ops::Range;

use super::copy_pieces::{CopyPiece, VarValues, groups, put_lengths};
use super::decode_context::DecodeContext;
use super::decoded::{kind_of, place_in_tile, read_field, values_size};
use super::tile_source::TileSource;
use crate::columns::coords::Coords;
use crate::columns::memory::OutMem;
use crate::predicate::column_test::ColumnInput;
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::budget::Lease;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::Scratch;

/// A field of a tile of which some cells are decoded at a time.
pub struct Excerpts<'a> {
    pub fragment: &'a Fragment,
    pub field: &'a Field,
    pub tile: u64,
    /// Of the tile.
    pub cells: usize,
    pub access: DecodeContext<'a>,
}

impl Excerpts<'_> {
    fn load(&self, part: FieldPart, total: usize, range: Range<usize>, available: usize) -> Result<Lease<Scratch>> {
        let mut bytes = self.access.scratch(kind_of(self.field), available)?;
        if !range.is_empty() {
            let source = TileSource::new(self.fragment, self.field, part, self.tile, total, self.access)?;
            source.load(range.clone(), &mut bytes.slice_mut()[..range.len()])?;
        }
        Ok(bytes)
    }

    /// Fixed cells.
    pub fn fixed(&self, cells: &Range<usize>) -> Result<Lease<Scratch>> {
        let size = self.field.cell_size();
        if self.fragment.zips_coordinates() && self.field.is_dimension {
            let all = read_field(self.fragment, self.field, self.tile, self.cells, self.access, false)?;
            let mut some = self.load(FieldPart::Data, 0, 0..0, cells.len() * size)?;
            some.slice_mut().copy_from_slice(&all.bytes()[cells.start * size..cells.end * size]);
            return Ok(some);
        }
        let (total, first) = place_in_tile(self.fragment, self.field, self.cells);
        self.load(FieldPart::Data, total, first + cells.start * size..first + cells.end * size, cells.len() * size)
    }

    /// Which cells are null.
    pub fn validity(&self, cells: &Range<usize>) -> Result<Lease<Scratch>> {
        self.load(FieldPart::Validity, self.cells, cells.clone(), cells.len())
    }

    /// The starts of variable cells, and the end of the last, as words.
    pub fn starts(&self, cells: &Range<usize>) -> Result<Lease<Scratch>> {
        let size = values_size(self.fragment, self.field, self.tile)?;
        let stored = cells.start * 8..self.cells.min(cells.end + 1) * 8;
        let mut some = self.load(FieldPart::Data, self.cells * 8, stored, (cells.len() + 1) * 8)?;
        let starts = words_mut(&mut some);
        if cells.end == self.cells {
            starts[cells.len()] = size as u64;
        }
        if !starts.is_sorted() || starts[cells.len()] > size as u64 {
            let (name, uri) = (&self.field.name, self.fragment.uri());
            bail!(Corrupt, "Offsets of tile {} of field '{name}' in fragment {uri} do not ascend", self.tile);
        }
        Ok(some)
    }

    /// Bytes of the values of variable cells.
    pub fn values(&self, range: Range<usize>) -> Result<Lease<Scratch>> {
        self.load(FieldPart::Var, values_size(self.fragment, self.field, self.tile)?, range.clone(), range.len())
    }

    /// As [`groups`]; for strings that are encoded together all cells of the tile at once.
    fn groups(
        &self,
        pieces: &[CopyPiece],
        fits: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<(Range<usize>, Vec<CopyPiece>)> {
        match self.field.encodes_strings(self.fragment.version()) {
            true => vec![(0..self.cells, pieces.to_vec())],
            false => groups(pieces, fits),
        }
    }

    /// Writes the lengths of variable cells; decodes the starts of some at a time, within `share` bytes.
    pub fn measure(&self, pieces: &[CopyPiece], share: usize, out: &mut OutMem<'_>) -> Result<()> {
        self.groups(pieces, |cells| cells.len() * 8 <= share)
            .iter()
            .try_for_each(|(cells, pieces)| put_lengths(pieces, cells.start, words(&self.starts(cells)?), out))
    }

    /// Passes all cells of the tile on, some at a time within `share` bytes, with their numbers.
    pub fn each(&self, share: usize, mut take: impl FnMut(Range<usize>, ColumnInput<'_>)) -> Result<()> {
        let all = [CopyPiece { from: 0, to: 0, count: self.cells }];
        let mut give = |cells: Range<usize>, data: Coords<'_>| {
            let validity = if self.field.nullable { Some(self.validity(&cells)?) } else { None };
            take(cells, ColumnInput::Cells { data, validity: validity.as_ref().map(|validity| &validity[..]) });
            Ok(())
        };
        if !self.field.is_var() {
            let size = self.field.cell_size() + 1;
            let groups = groups(&all, |cells| cells.len() * size <= share);
            return groups.into_iter().try_for_each(|(cells, _)| {
                let data = self.fixed(&cells)?;
                give(cells, Coords::Fixed(&data))
            });
        }
        for (cells, pieces) in self.groups(&all, |cells| cells.len() * 10 <= share / 2) {
            let mut starts = self.starts(&cells)?;
            let first = cells.start;
            for (inner, _) in self.value_groups(&pieces, first, words(&starts), share) {
                let own = &mut words_mut(&mut starts)[inner.start - first..=inner.end - first];
                let (base, end) = (own[0], own[inner.len()]);
                let data = self.values(base as usize..end as usize)?;
                // The end is where the next begin.
                let own = &mut own[..inner.len()];
                own.iter_mut().for_each(|start| *start -= base);
                give(inner, Coords::Var { starts: own, data: &data })?;
            }
        }
        Ok(())
    }

    /// Cells whose values are decoded together, within half of `share`; of those from `first` on `starts` has the starts.
    fn value_groups(
        &self,
        pieces: &[CopyPiece],
        first: usize,
        starts: &[u64],
        share: usize,
    ) -> Vec<(Range<usize>, Vec<CopyPiece>)> {
        let size = |cells: &Range<usize>| starts[cells.end - first] - starts[cells.start - first];
        self.groups(pieces, |cells| size(cells) <= share as u64 / 2)
    }

    /// Copies the values of variable cells to where `to` has them start, some at a time.
    pub fn copy_values(&self, pieces: &[CopyPiece], share: usize, to: &[u64], out: &mut OutMem<'_>) -> Result<()> {
        for (cells, pieces) in self.groups(pieces, |cells| cells.len() * 9 <= share / 2) {
            let starts = self.starts(&cells)?;
            let (first, starts) = (cells.start, words(&starts));
            let size = |inner: &Range<usize>| starts[inner.end - first] - starts[inner.start - first];
            for (inner, pieces) in self.value_groups(&pieces, first, starts, share) {
                let base = starts[inner.start - first];
                let bytes = self.values(base as usize..(base + size(&inner)) as usize)?;
                VarValues { first, starts, base, bytes: &bytes }.put(&pieces, to, out)?;
            }
        }
        Ok(())
    }
}

fn words(bytes: &[u8]) -> &[u64] {
    bytemuck::try_cast_slice(bytes).unwrap_or_default()
}

fn words_mut(bytes: &mut Lease<Scratch>) -> &mut [u64] {
    bytemuck::try_cast_slice_mut(bytes.slice_mut()).unwrap_or_default()
}
