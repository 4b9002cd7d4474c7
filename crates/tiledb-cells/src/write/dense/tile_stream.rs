//! Streams a tile of fixed-size cells that is too large for memory: filters and writes it while its cells arrive.

use std::ops::Range;

use crate::columns::input::InputSlice;
use crate::write::encode::{Encoder, TileCells};
use crate::write::fragments::FragmentSplitter;
use crate::write::spec::WriteSpec;
use crate::write::tile_bytes::{CellBytes, NullsReplaced};
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::Field;
use tiledb_core::budget::{Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::pool::{Scratch, scratch, scratch_size};
use tiledb_filters::tile::IncrementalStats;

/// A partially written tile of a field.
pub(crate) struct TileStream {
    parts: Vec<PartStream>,
    stats: IncrementalStats,
}

/// The bytes of a part of it, chunk by chunk.
struct PartStream {
    part: FieldPart,
    /// Of the tile.
    size: usize,
    /// The bytes that came.
    received: usize,
    /// Those that wait until there are as many as a chunk has.
    chunk: Lease<Scratch>,
}

impl TileStream {
    /// A stream for tiles of a fixed-size field with `tile_cells` cells each; no tile is begun.
    pub(crate) fn new(spec: &WriteSpec, field: &Field, tile_cells: usize) -> Result<TileStream> {
        let encoder = Encoder::new(spec);
        let sizes =
            [(FieldPart::Data, tile_cells.saturating_mul(field.cell_size())), (FieldPart::Validity, tile_cells)];
        let parts = sizes.into_iter().take(1 + usize::from(field.nullable)).map(|(part, size)| {
            let len = encoder.chunk_size(field, part, size).clamp(1, size.max(1));
            let chunk = spec.budget.lease(MemoryKind::Buffers, scratch_size(len as u64), || scratch(len))?;
            Ok(PartStream { part, size, received: 0, chunk })
        });
        Ok(TileStream { parts: parts.collect::<Result<_>>()?, stats: encoder.stats_in_parts(field) })
    }

    /// Takes cells of the tile, the first of which begin it.
    pub(crate) fn add(
        &mut self,
        encoder: &Encoder<'_>,
        field: &Field,
        cells: InputSlice<'_>,
        fragments: &mut FragmentSplitter,
    ) -> Result<()> {
        let InputSlice { data, validity, .. } = cells;
        encoder.count(&TileCells { data: CellBytes::Here(data), starts: None, validity });
        self.stats.add(data, None, validity)?;
        if self.parts.iter().all(|part| part.received == 0) {
            fragments.begin_tile(field)?;
        }
        let replaced = NullsReplaced::of(field, CellBytes::Here(data), None, validity);
        let data = replaced.as_ref().map_or(CellBytes::Here(data), |replaced| CellBytes::Apart(replaced)).whole()?;
        for (part, bytes) in self.parts.iter_mut().zip([&data, validity.unwrap_or_default()]) {
            part.add(encoder, field, bytes, fragments)?;
        }
        Ok(())
    }

    /// Completes the tile, whose cells are all there.
    pub(crate) fn end(&mut self, encoder: &Encoder<'_>, field: &Field, fragments: &mut FragmentSplitter) -> Result<()> {
        self.parts.iter_mut().for_each(|part| part.received = 0);
        let stats = std::mem::replace(&mut self.stats, encoder.stats_in_parts(field));
        fragments.end_tile(field, &stats.finish())
    }
}

impl PartStream {
    fn add(
        &mut self,
        encoder: &Encoder<'_>,
        field: &Field,
        mut bytes: &[u8],
        fragments: &mut FragmentSplitter,
    ) -> Result<()> {
        if self.received == 0 {
            let head = encoder.head(field, self.part, self.size);
            fragments.write_part(field, self.part, &head)?;
        }
        while !bytes.is_empty() {
            let place = self.place();
            let (taken, rest) = bytes.split_at(place.len().min(bytes.len()));
            self.chunk.slice_mut()[place.start..place.start + taken.len()].copy_from_slice(taken);
            self.received += taken.len();
            bytes = rest;
            if taken.len() == place.len() {
                let stored = encoder.chunk(field, self.part, &self.chunk[..place.end])?;
                fragments.write_part(field, self.part, &stored)?;
            }
        }
        Ok(())
    }

    /// The free range of the chunk.
    fn place(&self) -> Range<usize> {
        let size = self.chunk.len();
        let first = self.received % size;
        first..size.min(first + (self.size - self.received))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use crate::columns::input::{InputColumn, Inputs};
    use crate::write::dense::global::DenseGlobalWriter;
    use crate::write::spec::QueryWriter;
    use crate::write::testing::{column, spec};
    use tiledb_array::array::{OpenArray, create};
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_filters::filter::{Filter, FilterType, Pipeline};
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    const TILE: i32 = 1000;
    const CELLS: i32 = 2 * TILE;

    fn schema() -> ArraySchema {
        let ends = [0, CELLS - 1].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&TILE.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        for name in ["number", "text", "var"] {
            let datatype = if name == "number" { Datatype::Float64 } else { Datatype::StringAscii };
            let mut attribute = Attribute::new(name, datatype);
            let filters = [FilterType::Zstd, FilterType::ChecksumMd5].map(Filter::new);
            let mut filters = Pipeline::new(filters.into());
            filters.set_max_chunk_size(900);
            attribute.set_filters(filters).unwrap();
            attribute
                .set_cell_val_num(match name {
                    "number" => 1,
                    "text" => 7,
                    _ => u32::MAX,
                })
                .unwrap();
            attribute.set_nullable(name == "text");
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema
    }

    /// The files of the fragment that the cells make, some written at a time.
    fn files(resources: &Resources, uri: &Uri, budget: u64, steps: &[usize]) -> BTreeMap<String, Vec<u8>> {
        let array = OpenArray::open(resources, uri, QueryType::Write, (0, 9), &EncryptionKey::None).unwrap();
        let spec = spec(array, Layout::GlobalOrder, &[(0, CELLS - 1)], budget);
        let mut writer = DenseGlobalWriter::new(spec).unwrap();
        let mut next = 0;
        for count in steps.iter().copied().cycle() {
            let cells = next..(next + count).min(CELLS as usize);
            next = cells.end;
            let numbers: Vec<f64> = cells.clone().map(|cell| (cell as f64 * 0.37).sin()).collect();
            let texts: Vec<u8> =
                cells.clone().flat_map(|cell| format!("{:07}", cell * 7919 % 5003).into_bytes()).collect();
            let validity: Vec<u8> = cells.clone().map(|cell| u8::from(cell % 3 != 1)).collect();
            let (mut starts, mut values) = (Vec::new(), Vec::new());
            for cell in cells.clone() {
                starts.push(values.len() as u64);
                values.extend_from_slice(&b"cells"[..cell % 6]);
            }
            let columns = vec![
                column("number", bytemuck::cast_slice(&numbers)),
                InputColumn { validity: Some(&validity), ..column("text", &texts) },
                InputColumn { starts: Some(starts.into()), ..column("var", &values) },
            ];
            writer.write(&Inputs { columns: columns.into() }).unwrap();
            if next == CELLS as usize {
                break;
            }
        }
        let fragment = Uri::parse(&writer.finish().unwrap()[0].uri).unwrap();
        let vfs = resources.vfs();
        let read = |name: String| {
            let bytes = vfs.read(&fragment.join(&name)).unwrap();
            (name, bytes)
        };
        vfs.names(&fragment).unwrap().into_iter().map(|item| read(item.name)).collect()
    }

    #[test]
    fn what_is_written_as_it_comes_is_what_is_written_as_a_whole() {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse("mem://stream").unwrap();
        create(&resources, &uri, &schema(), &EncryptionKey::None).unwrap();
        let files = |budget, steps: &[usize]| files(&resources, &uri, budget, steps);
        let whole = files(u64::MAX, &[CELLS as usize]);
        assert!(whole.len() == 6 && whole["a0.tdb"].len() > 9000);
        for steps in [&[100][..], &[1, 333, 7], &[700]] {
            assert!(files(1000, steps) == whole, "{steps:?}");
        }
    }
}
