//! Digests of all chunks of a tile together, if the last filter adds digests: several are computed side by side, and the
//! metadata and data of a chunk are those that are stored.

use std::ops::Range;

use super::chunk::{Chunk, ChunkIndex, Chunks};
use super::options::Filter;
use super::pipeline::Pipeline;
use super::shared::digests::{PARTS, append_parts, compare, digests_of, places};
use super::stage::StageInput;
use crate::crypto::{Digest, EncryptionKey};
use tiledb_core::error::Result;
use tiledb_core::memory;

/// Which filters compute their digests chunk by chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DigestsOfChunks {
    All,
    /// All but the last filter, whose digests are computed for all chunks together.
    AllButLast,
    /// None: digests are not compared.
    None,
}

/// A chunk as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct StoredChunk<'a> {
    /// Metadata of the filters.
    pub meta: &'a [u8],
    /// The filtered bytes.
    pub data: &'a [u8],
    /// Whether [`Pipeline::verify_chunks`] compared the digests of the last filter, so that they are not compared again.
    pub is_verified: bool,
}

impl Pipeline {
    /// The digest that the last filter adds, if that is stored unencrypted.
    fn last_digest(&self, key: &EncryptionKey) -> Option<Digest> {
        match self.filters().last()? {
            _ if *key != EncryptionKey::None => None,
            Filter::ChecksumMd5 => Some(Digest::Md5),
            Filter::ChecksumSha256 => Some(Digest::Sha256),
            _ => None,
        }
    }

    /// What is left to be compared when a chunk is decoded.
    pub(super) fn digests_to_compare(&self, is_verified: bool) -> DigestsOfChunks {
        match self.checks_checksums() {
            true if is_verified => DigestsOfChunks::AllButLast,
            true => DigestsOfChunks::All,
            false => DigestsOfChunks::None,
        }
    }

    /// Compares the digests of the last filter with those of chunks, given as metadata and data; false if it adds none,
    /// or they are not to be compared.
    ///
    /// # Errors
    /// If a digest is another, or the metadata are not valid.
    pub fn verify_chunks<'a>(
        &self,
        key: &EncryptionKey,
        chunks: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Result<bool> {
        let Some(digest) = self.last_digest(key).filter(|_| self.checks_checksums()) else { return Ok(false) };
        let mut parts = Vec::new();
        for (meta, data) in chunks {
            append_parts(digest, StageInput { meta, parts: &[], data }, &mut parts)?;
        }
        compare(digest, &parts)?;
        Ok(true)
    }

    /// As [`Pipeline::verify_chunks`], for those chunks of a filtered tile, of `size` bytes when decoded, of which `wants`
    /// accepts the bytes of the tile. Chunks beyond its end are left to decoding, which rejects them.
    pub(super) fn verify_tile(
        &self,
        key: &EncryptionKey,
        filtered: &[u8],
        size: usize,
        wants: &dyn Fn(&Range<usize>) -> bool,
    ) -> Result<DigestsOfChunks> {
        let mut selected = Vec::new();
        if self.last_digest(key).is_some() {
            let (mut chunks, mut start) = (Chunks::new(filtered)?, 0usize);
            while let Some(Chunk { original, meta, data }) = chunks.next()? {
                let end = start.saturating_add(original);
                if end > size {
                    break;
                }
                if wants(&(start..end)) {
                    memory::push(PARTS, &mut selected, (meta, data))?;
                }
                start = end;
            }
        }
        let is_verified = self.verify_chunks(key, selected.into_iter())?;
        Ok(self.digests_to_compare(is_verified))
    }

    /// Which digests are computed while chunks are written; the others are added by [`Pipeline::fill_digests`].
    pub(super) fn digests_to_write(&self, key: &EncryptionKey) -> DigestsOfChunks {
        match self.last_digest(key) {
            Some(_) => DigestsOfChunks::AllButLast,
            None => DigestsOfChunks::All,
        }
    }

    /// Stores the digests of the last filter in a filtered tile that decodes to `size` bytes and has zeros in their place.
    pub(super) fn fill_digests(&self, key: &EncryptionKey, filtered: &mut [u8], size: usize) -> Result<()> {
        let Some(digest) = self.last_digest(key) else { return Ok(()) };
        let index = ChunkIndex::new(filtered, size)?;
        let (mut parts, mut at) = (Vec::new(), Vec::new());
        for chunk in index.chunks() {
            let (meta, data) = (&filtered[chunk.meta.clone()], &filtered[chunk.data.clone()]);
            let before = parts.len();
            append_parts(digest, StageInput { meta, parts: &[], data }, &mut parts)?;
            at.extend(places(digest, parts.len() - before).map(|place| chunk.meta.start + place));
        }
        let digests = digests_of(digest, &parts)?;
        for (at, digest) in at.into_iter().zip(digests.chunks_exact(digest.size())) {
            filtered[at..at + digest.len()].copy_from_slice(digest);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::{FilterType, TileShape};
    use tiledb_core::types::CURRENT_VERSION;

    const KINDS: [FilterType; 3] = [FilterType::ChecksumMd5, FilterType::ChecksumSha256, FilterType::DoubleDelta];

    fn pipeline(kinds: &[FilterType]) -> Pipeline {
        Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect())
    }

    /// Numbers of several chunks.
    fn numbers(count: usize) -> Vec<u8> {
        (0..count as u64).flat_map(|n| (n * n * 40_503 % 65_521).to_le_bytes()).collect()
    }

    fn filtered(pipeline: &Pipeline, data: &[u8]) -> Vec<u8> {
        let (mut out, shape) = (b"before".to_vec(), TileShape::offsets(CURRENT_VERSION));
        pipeline.forward(&shape, &EncryptionKey::None, data, None, &mut out).unwrap();
        out.split_off(6)
    }

    #[test]
    fn digests_of_a_tile_are_those_of_its_chunks() {
        let (data, shape) = (numbers(40_000), TileShape::offsets(CURRENT_VERSION));
        for kinds in [&KINDS[..1], &KINDS[1..2], &KINDS[..2], &[KINDS[2], KINDS[0]], &[KINDS[1], KINDS[2], KINDS[0]]] {
            let pipeline = pipeline(kinds);
            let mut chunks = pipeline.head(&shape, data.len()).to_vec();
            for chunk in data.chunks(pipeline.chunk_size(&shape, data.len())) {
                chunks.extend(pipeline.forward_chunk(&shape, &EncryptionKey::None, chunk).unwrap());
            }
            assert!(filtered(&pipeline, &data) == chunks, "{kinds:?}");
            let (mut gathered, mut streamed) = (Vec::new(), Vec::new());
            let gather = &mut |range: Range<usize>, out: &mut [u8]| {
                out.copy_from_slice(&data[range]);
                Ok(())
            };
            pipeline.forward_gathered(&shape, &EncryptionKey::None, data.len(), gather, &mut gathered).unwrap();
            let sink = &mut |bytes: &[u8]| {
                streamed.extend_from_slice(bytes);
                Ok(())
            };
            pipeline.forward_to(&shape, &EncryptionKey::None, &Here(&data), None, sink).unwrap();
            assert!(gathered == chunks && streamed == chunks, "{kinds:?}");
        }
    }

    struct Here<'a>(&'a [u8]);

    impl super::super::TileInput for Here<'_> {
        fn size(&self) -> usize {
            self.0.len()
        }

        fn piece(&self, range: Range<usize>) -> Result<std::borrow::Cow<'_, [u8]>> {
            Ok(self.0[range].into())
        }
    }

    proptest! {
        #[test]
        fn corrupt_chunk_of_the_range_is_reported(
            kind in 0..2usize, is_second: bool, count in 0..60_000usize, at: prop::sample::Index, bit in 0..8u8,
        ) {
            let kinds = [KINDS[2 * usize::from(is_second)], KINDS[kind]];
            let pipeline = pipeline(if is_second { &kinds } else { &kinds[1..] });
            let (data, shape) = (numbers(count), TileShape::offsets(CURRENT_VERSION));
            let mut tile = filtered(&pipeline, &data);
            let mut out = vec![0; data.len()];
            pipeline.reverse(&shape, &EncryptionKey::None, &tile, &mut out).unwrap();
            prop_assert!(out == data);
            let at = at.index(tile.len());
            tile[at] ^= 1 << bit;
            prop_assert!(pipeline.reverse(&shape, &EncryptionKey::None, &tile, &mut out).is_err());
            let Ok(index) = ChunkIndex::new(&tile, data.len()) else { return Ok(()) };
            for chunk in index.chunks() {
                let is_corrupt = chunk.meta.contains(&at) || chunk.data.contains(&at);
                let mut one = |range: Range<usize>| {
                    let out = &mut out[range.clone()];
                    pipeline.reverse_range(&shape, &EncryptionKey::None, &tile, data.len(), range, out)
                };
                if !chunk.tile.is_empty() {
                    prop_assert_eq!(one(chunk.tile.clone()).is_err(), is_corrupt);
                }
                let wants = |range: &Range<usize>| *range == chunk.tile;
                let all = pipeline.reverse_chunks(&shape, &EncryptionKey::None, &tile, &mut out, &wants);
                prop_assert_eq!(all.is_err(), is_corrupt);
            }
            let mut careless = pipeline.clone();
            careless.skip_checksums();
            let _ = careless.reverse(&shape, &EncryptionKey::None, &tile, &mut out);
        }
    }
}
