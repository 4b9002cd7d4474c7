//! A tile of fixed cells that is filtered and written while its cells come, since it is too large to lie in memory.

use std::ops::Range;

use crate::budget::{Kind, Leased};
use crate::error::Result;
use crate::fragment::Part;
use crate::pool::{Scratch, scratch, scratch_size};
use crate::query::columns::input::InputSlice;
use crate::query::write::encode::{Encoder, TileCells};
use crate::query::write::fragments::Fragments;
use crate::query::write::spec::WriteSpec;
use crate::schema::Field;
use crate::tile::StatsInParts;

/// A tile of a field on its way.
pub struct TileStream {
    parts: Vec<PartStream>,
    stats: StatsInParts,
}

/// The bytes of a part of it, chunk by chunk.
struct PartStream {
    part: Part,
    /// Of the tile.
    size: usize,
    /// The bytes that came.
    given: usize,
    /// Those that wait until there are as many as a chunk has.
    chunk: Leased<Scratch>,
}

impl TileStream {
    /// Tiles of a field of fixed cells, so many in each; none is begun.
    pub fn new(spec: &WriteSpec, field: &Field, tile_cells: usize) -> Result<TileStream> {
        let encoder = Encoder::new(spec);
        let sizes = [(Part::Data, tile_cells.saturating_mul(field.cell_size())), (Part::Validity, tile_cells)];
        let parts = sizes.into_iter().take(1 + usize::from(field.nullable)).map(|(part, size)| {
            let len = encoder.chunk_size(field, part, size).clamp(1, size.max(1));
            let chunk = spec.budget.lease(Kind::Buffers, scratch_size(len as u64), || scratch(len))?;
            Ok(PartStream { part, size, given: 0, chunk })
        });
        Ok(TileStream { parts: parts.collect::<Result<_>>()?, stats: encoder.stats_in_parts(field) })
    }

    /// Takes cells of the tile, the first of which begin it.
    pub fn add(
        &mut self,
        encoder: &Encoder<'_>,
        field: &Field,
        cells: InputSlice<'_>,
        fragments: &mut Fragments,
    ) -> Result<()> {
        let InputSlice { data, validity, .. } = cells;
        encoder.count(&TileCells { data, starts: None, validity });
        self.stats.add(data, validity);
        if self.parts.iter().all(|part| part.given == 0) {
            fragments.begin_tile(field)?;
        }
        for (part, bytes) in self.parts.iter_mut().zip([data, validity.unwrap_or_default()]) {
            part.add(encoder, field, bytes, fragments)?;
        }
        Ok(())
    }

    /// Completes the tile, whose cells are all there.
    pub fn end(&mut self, encoder: &Encoder<'_>, field: &Field, fragments: &mut Fragments) -> Result<()> {
        self.parts.iter_mut().for_each(|part| part.given = 0);
        let stats = std::mem::replace(&mut self.stats, encoder.stats_in_parts(field));
        fragments.end_tile(field, &stats.finish())
    }
}

impl PartStream {
    fn add(&mut self, encoder: &Encoder<'_>, field: &Field, mut bytes: &[u8], fragments: &mut Fragments) -> Result<()> {
        if self.given == 0 {
            let head = encoder.head(field, self.part, self.size);
            fragments.write_part(field, self.part, &head)?;
        }
        while !bytes.is_empty() {
            let place = self.place();
            let (taken, rest) = bytes.split_at(place.len().min(bytes.len()));
            self.chunk.slice_mut()[place.start..place.start + taken.len()].copy_from_slice(taken);
            self.given += taken.len();
            bytes = rest;
            if taken.len() == place.len() {
                let stored = encoder.chunk(field, self.part, &self.chunk[..place.end])?;
                fragments.write_part(field, self.part, &stored)?;
            }
        }
        Ok(())
    }

    /// Where in the chunk there is room.
    fn place(&self) -> Range<usize> {
        let size = self.chunk.len();
        let first = self.given % size;
        first..size.min(first + (self.size - self.given))
    }
}
