//! What the last filter of a pipeline has to do when it decodes a tile.

use super::chunk::Chunks;
use super::options::Filter;
use super::pipeline::Pipeline;
use super::shared::compressed::for_each_part;
use crate::codec::decode_work::{self, DecodeWork};
use tiledb_core::error::Result;

impl Pipeline {
    /// Counts the operations that the last filter needs to decode a filtered tile: of `ZSTD` and `LZ4`; 0 for others.
    ///
    /// # Errors
    /// If the tile is truncated.
    pub fn decode_work(&self, filtered: &[u8]) -> Result<DecodeWork> {
        let mut work = DecodeWork::default();
        let count = match self.filters().last() {
            Some(Filter::Zstd { .. }) => decode_work::of_zstd,
            Some(Filter::Lz4 { .. }) => decode_work::of_lz4,
            _ => return Ok(work),
        };
        let mut chunks = Chunks::new(filtered)?;
        while let Some(chunk) = chunks.next()? {
            for_each_part(chunk.meta, chunk.data, |part| {
                work += count(part)?;
                Ok(())
            })?;
        }
        Ok(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::EncryptionKey;
    use crate::filter::{FilterType, TileShape};
    use tiledb_core::types::CURRENT_VERSION;

    #[test]
    fn all_chunks_of_a_tile_are_counted() {
        let shape = TileShape::offsets(CURRENT_VERSION);
        // Each number repeats the six bytes before its lowest two.
        let numbers: Vec<u8> = (0..40_000u64).flat_map(|n| (n * n * 40_503 % 65_521).to_le_bytes()).collect();
        let counted = |kinds: &[FilterType]| {
            let pipeline = Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect());
            let mut filtered = Vec::new();
            pipeline.forward(&shape, &EncryptionKey::None, &numbers, None, &mut filtered).unwrap();
            let of_all = pipeline.decode_work(&filtered).unwrap();
            assert!(pipeline.decode_work(&filtered[..filtered.len() - 1]).is_err());
            of_all.sequences
        };
        for codec in [FilterType::Lz4, FilterType::Zstd] {
            let (plain, shuffled) = (counted(&[codec]), counted(&[FilterType::ByteShuffle, codec]));
            assert!(plain > 30_000 && shuffled < 3_000, "{codec}: {plain}, after a shuffle {shuffled}");
        }
        let pipeline = Pipeline::new(vec![Filter::new(FilterType::ByteShuffle)]);
        assert_eq!(pipeline.decode_work(&[]).unwrap(), DecodeWork::default());
    }
}
