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
    pub(crate) fn starts(&self, cells: &Range<usize>) -> Result<Lease<Scratch>> {
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
    pub(crate) fn values(&self, range: Range<usize>) -> Result<Lease<Scratch>> {
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

#[inline]
fn words(bytes: &[u8]) -> &[u64] {
    bytemuck::try_cast_slice(bytes).unwrap_or_default()
}

fn words_mut(bytes: &mut Lease<Scratch>) -> &mut [u64] {
    bytemuck::try_cast_slice_mut(bytes.slice_mut()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::columns::input::{InputColumn, Inputs};
    use crate::write::testing::{column, spec, starts};
    use crate::write::writer;
    use tiledb_array::array::{OpenArray, create};
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::budget::Budget;
    use tiledb_core::config::Config;
    use tiledb_core::stats::Stats;
    use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_filters::filter::{Filter, FilterType, Pipeline};
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    const CELLS: usize = 500;
    /// Attributes, and the filters of their values.
    const FIELDS: [(&str, FilterType); 3] =
        [("number", FilterType::Zstd), ("text", FilterType::Zstd), ("encoded", FilterType::Dictionary)];

    fn schema() -> ArraySchema {
        let ends = [0, CELLS as i32 - 1].map(i32::to_le_bytes).concat();
        let extent = (CELLS as i32).to_le_bytes();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&extent)).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        for (name, filter) in FIELDS {
            let mut attribute = Attribute::new(name, Datatype::StringAscii);
            attribute.set_cell_val_num(if name == "number" { 3 } else { u32::MAX }).unwrap();
            attribute.set_nullable(name != "text");
            attribute.set_filters(Pipeline::new(vec![Filter::new(filter)])).unwrap();
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema
    }

    fn cell(name: &str, number: usize) -> Vec<u8> {
        if name == "number" { format!("{number:03}").into() } else { b"cells"[..number % 6].to_vec() }
    }

    /// The array with all its cells.
    fn written() -> Arc<OpenArray> {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse("mem://excerpts").unwrap();
        create(&resources, &uri, &schema(), &EncryptionKey::None).unwrap();
        let open = |kind| OpenArray::open(&resources, &uri, kind, (0, 9), &EncryptionKey::None).unwrap();
        let spec = spec(open(QueryType::Write), Layout::RowMajor, &[(0, CELLS as i32 - 1)], u64::MAX);
        let validity: Vec<u8> = (0..CELLS).map(|cell| u8::from(cell % 3 != 1)).collect();
        let values: Vec<Vec<Vec<u8>>> =
            FIELDS.map(|(name, _)| (0..CELLS).map(|number| cell(name, number)).collect()).into();
        let data: Vec<Vec<u8>> = values.iter().map(|cells| cells.concat()).collect();
        let columns = FIELDS.iter().zip(&values).zip(&data).map(|(((name, _), cells), data)| InputColumn {
            starts: (*name != "number").then(|| starts(cells).into()),
            validity: (*name != "text").then_some(&validity[..]),
            ..column(name, data)
        });
        writer(spec).unwrap().write(&Inputs { columns: columns.collect() }).unwrap();
        Arc::new(open(QueryType::Read))
    }

    #[test]
    fn some_cells_at_a_time_are_all_cells() {
        let array = written();
        let (budget, stats) = (Budget::new(1 << 20), Stats::unlisted());
        let fragment = &*array.fragments().unwrap()[0];
        for (name, _) in FIELDS {
            let field = fragment.schema().field(name).unwrap();
            let access = DecodeContext::new(&array, &budget, &stats);
            let excerpts = Excerpts { fragment, field, tile: 0, cells: CELLS, access };
            for share in [0, 100, 3000, 1 << 20] {
                let mut next = 0;
                let look = |cells: Range<usize>, input: ColumnInput<'_>| {
                    let ColumnInput::Cells { data, validity } = input else { panic!("a constant") };
                    assert_eq!((cells.start, validity.is_some()), (next, field.nullable));
                    next = cells.end;
                    for (place, number) in cells.enumerate() {
                        assert_eq!(data.value(place, 3), cell(name, number), "{name} {share}");
                        assert!(validity.is_none_or(|validity| validity[place] == u8::from(number % 3 != 1)));
                    }
                };
                excerpts.each(share, look).unwrap();
                assert_eq!((next, budget.used()), (CELLS, 0));
                if field.is_var() {
                    pieces_arrive(&excerpts, share, name);
                }
            }
        }
    }

    /// Copies every third cell, in the opposite order.
    fn pieces_arrive(excerpts: &Excerpts<'_>, share: usize, name: &str) {
        let pieces: Vec<CopyPiece> =
            (0..CELLS / 3).map(|number| CopyPiece { from: number * 3, to: CELLS / 3 - 1 - number, count: 1 }).collect();
        let mut lengths = vec![0u64; pieces.len()];
        excerpts.measure(&pieces, share, &mut OutMem::new(bytemuck::cast_slice_mut(&mut lengths))).unwrap();
        let starts: Vec<u64> =
            lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length))).collect();
        let mut bytes = vec![0; lengths.iter().sum::<u64>() as usize];
        excerpts.copy_values(&pieces, share, &starts, &mut OutMem::new(&mut bytes)).unwrap();
        let expected: Vec<u8> = pieces.iter().rev().flat_map(|piece| cell(name, piece.from)).collect();
        assert_eq!(bytes, expected, "{name} {share}");
    }
}
