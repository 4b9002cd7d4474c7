//! Tiles through pipelines and back.

use proptest::prelude::*;
use tiledb_core::limits::simulation::SimulatedLimits;

use super::*;
use crate::codec::{StringTarget, StringWords};
use crate::crypto::EncryptionKey;
use tiledb_core::types::{CURRENT_VERSION, Datatype};

const SHAPE: TileShape = TileShape { datatype: Datatype::Int32, cell_size: 4, is_var: false, version: CURRENT_VERSION };

/// Pipelines of one to three filters that take any bytes which are whole cells.
fn pipelines() -> impl Strategy<Value = Pipeline> {
    let any = prop::sample::select(vec![
        FilterType::None,
        FilterType::Gzip,
        FilterType::Zstd,
        FilterType::Lz4,
        FilterType::ChecksumMd5,
        FilterType::ChecksumSha256,
        FilterType::ByteShuffle,
        FilterType::BitShuffle,
        FilterType::Xor,
    ]);
    let first = prop::sample::select(vec![FilterType::Rle, FilterType::BitWidthReduction, FilterType::Zstd]);
    (first, prop::collection::vec(any, 0..3)).prop_map(|(first, rest)| {
        let kinds = std::iter::once(first).chain(rest);
        Pipeline::new(kinds.map(Filter::new).collect())
    })
}

/// Numbers in runs and noise, as bytes of whole 4-byte cells.
fn tiles() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec((any::<i32>(), 1usize..3000), 0..30).prop_map(|runs| {
        let cells = runs.iter().flat_map(|&(v, n)| (0..n).map(move |i| v.wrapping_add((i / 7) as i32)));
        cells.flat_map(i32::to_le_bytes).collect()
    })
}

fn keys() -> impl Strategy<Value = EncryptionKey> {
    prop::sample::select(vec![EncryptionKey::None, EncryptionKey::Aes256([3; 32])])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn tiles_come_back(pipeline in pipelines(), key in keys(), tile in tiles(), a: u32, b: u32, limits in prop::option::of(any::<u64>())) {
        let limits = SimulatedLimits::of_option(limits);
        let mut filtered = Vec::new();
        limits.run(|| pipeline.forward(&SHAPE, &key, &tile, None, &mut filtered)).unwrap();
        let mut back = vec![1; tile.len()];
        limits.run(|| pipeline.reverse(&SHAPE, &key, &filtered, &mut back)).unwrap();
        prop_assert!(back == tile);

        let (a, b) = (a as usize % (tile.len() + 1), b as usize % (tile.len() + 1));
        let range = a.min(b)..a.max(b);
        let mut piece = vec![1; range.len()];
        pipeline.reverse_range(&SHAPE, &key, &filtered, tile.len(), range.clone(), &mut piece).unwrap();
        prop_assert!(piece == tile[range.clone()]);

        let index = ChunkIndex::new(&filtered, tile.len()).unwrap();
        for chunk in index.overlapping(range) {
            let mut piece = vec![1; chunk.tile.len()];
            let (meta, data) = (&filtered[chunk.meta.clone()], &filtered[chunk.data.clone()]);
            pipeline.reverse_chunk(&SHAPE, &key, StoredChunk { meta, data, is_verified: false }, &mut piece).unwrap();
            prop_assert!(piece == tile[chunk.tile.clone()]);
        }
        prop_assert!(pipeline.reverse(&SHAPE, &key, &filtered, &mut vec![0; tile.len() + 4]).is_err());
    }

    #[test]
    fn var_tiles_come_back(pipeline in pipelines(), sizes in prop::collection::vec(0usize..60000, 0..12)) {
        let mut starts = Vec::new();
        let mut tile = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            starts.push(tile.len() as u64);
            tile.resize(tile.len() + size, i as u8);
        }
        let shape = TileShape { datatype: Datatype::Char, cell_size: 1, is_var: true, version: CURRENT_VERSION };
        let mut filtered = Vec::new();
        pipeline.forward(&shape, &EncryptionKey::None, &tile, Some(&starts), &mut filtered).unwrap();
        let mut back = vec![1; tile.len()];
        pipeline.reverse(&shape, &EncryptionKey::None, &filtered, &mut back).unwrap();
        prop_assert!(back == tile);
    }

    #[test]
    fn strings_come_back_with_their_starts(
        first in prop::sample::select(vec![FilterType::Rle, FilterType::Dictionary]),
        rest in prop::collection::vec(prop::sample::select(vec![FilterType::Zstd, FilterType::BitShuffle, FilterType::ChecksumMd5]), 0..3),
        key in keys(),
        runs in prop::collection::vec((0usize..40, 1usize..3000), 0..20),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..6),
    ) {
        let pipeline = Pipeline::new(std::iter::once(first).chain(rest).map(Filter::new).collect());
        let (mut starts, mut tile) = (Vec::new(), Vec::new());
        for (i, &(len, count)) in runs.iter().enumerate() {
            for _ in 0..count {
                starts.push(tile.len() as u64);
                tile.resize(tile.len() + len, i as u8);
            }
        }
        let shape = TileShape { datatype: Datatype::StringAscii, cell_size: 1, is_var: true, version: CURRENT_VERSION };
        let mut filtered = Vec::new();
        pipeline.forward(&shape, &key, &tile, Some(&starts), &mut filtered).unwrap();
        let (mut back, mut places) = (vec![1; tile.len()], vec![1; starts.len()]);
        pipeline.reverse(&shape, &key, &filtered, &mut back).unwrap();
        pipeline.reverse_strings(&shape, &key, &filtered, StringTarget::Starts(&mut places, tile.len())).unwrap();
        prop_assert!(back == tile && places == starts);
        places.fill(1);
        back.fill(1);
        pipeline.reverse_strings(&shape, &key, &filtered, StringTarget::Cells(&mut back, &mut places)).unwrap();
        prop_assert!(back == tile && places == starts);
        let longer = StringTarget::Starts(&mut places, tile.len() + 1);
        prop_assert!(pipeline.reverse_strings(&shape, &key, &filtered, longer).is_err());
        let (mut codes, mut words) = (vec![1; starts.len()], StringWords::default());
        pipeline.reverse_strings(&shape, &key, &filtered, StringTarget::Encoded(&mut codes, &mut words, tile.len())).unwrap();
        prop_assert_eq!(codes.iter().map(|code| words.length(*code)).sum::<usize>(), tile.len());
        for (at, bit) in flips {
            let len = filtered.len();
            let at = if bit % 2 == 0 { at.index(len) } else { at.index(len.min(60)) };
            filtered[at] ^= 1 << bit;
            let _ = pipeline.reverse(&shape, &key, &filtered, &mut back);
            let _ = pipeline.reverse_strings(&shape, &key, &filtered, StringTarget::Starts(&mut places, tile.len()));
            let _ = pipeline.reverse_strings(&shape, &key, &filtered, StringTarget::Cells(&mut back, &mut places));
            let _ = pipeline.reverse_strings(&shape, &key, &filtered, StringTarget::Encoded(&mut codes, &mut words, tile.len()));
        }
    }

    #[test]
    fn corrupt_tiles_are_errors_or_tiles(
        pipeline in pipelines(),
        key in keys(),
        tile in tiles(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut filtered = Vec::new();
        pipeline.forward(&SHAPE, &key, &tile, None, &mut filtered).unwrap();
        let mut back = vec![1; tile.len()];
        for (at, bit) in flips {
            let len = filtered.len();
            // Half of the flips hit the headers of the first chunk.
            let at = if bit % 2 == 0 { at.index(len) } else { at.index(len.min(60)) };
            filtered[at] ^= 1 << bit;
            let _ = pipeline.reverse(&SHAPE, &key, &filtered, &mut back);
            let _ = pipeline.reverse_range(&SHAPE, &key, &filtered, tile.len(), 0..tile.len() / 2, &mut back[..tile.len() / 2]);
        }
        let _ = pipeline.reverse(&SHAPE, &key, &filtered[..cut.index(filtered.len())], &mut back);
    }
}

#[test]
fn empty_tiles_have_no_chunk_or_an_empty_one() {
    let key = EncryptionKey::None;
    let mut fixed = Vec::new();
    Pipeline::default().forward(&SHAPE, &key, &[], None, &mut fixed).unwrap();
    assert_eq!(fixed, [0; 8]);
    let mut var = Vec::new();
    Pipeline::default().forward(&SHAPE, &key, &[], Some(&[0, 0]), &mut var).unwrap();
    assert_eq!(var, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for filtered in [&fixed, &var] {
        Pipeline::default().reverse(&SHAPE, &key, filtered, &mut []).unwrap();
        assert!(Pipeline::default().reverse(&SHAPE, &key, filtered, &mut [0]).is_err());
    }
}

#[test]
fn a_changed_byte_fails_its_checksum_unless_skipped() {
    for kind in [FilterType::ChecksumMd5, FilterType::ChecksumSha256] {
        let mut pipeline = Pipeline::new(vec![Filter::new(FilterType::None), Filter::new(kind)]);
        let mut filtered = Vec::new();
        pipeline.forward(&SHAPE, &EncryptionKey::None, &[5; 400], None, &mut filtered).unwrap();
        *filtered.last_mut().unwrap() ^= 1;
        let mut back = [0; 400];
        let error = pipeline.reverse(&SHAPE, &EncryptionKey::None, &filtered, &mut back).unwrap_err();
        assert!(error.text().starts_with("Checksum mismatch"), "{error}");
        pipeline.skip_checksums();
        pipeline.reverse(&SHAPE, &EncryptionKey::None, &filtered, &mut back).unwrap();
        assert_eq!(back[399], 4);
    }
}

#[test]
fn a_chunk_longer_than_its_tile_is_refused_before_it_is_decoded() {
    // One chunk, said to hold 1.2 GB.
    let filtered = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
    let pipeline = Pipeline::new(vec![Filter::new(FilterType::Zstd)]);
    let error = pipeline.reverse_range(&SHAPE, &EncryptionKey::None, &filtered, 100, 0..50, &mut [0; 50]).unwrap_err();
    assert!(error.text().contains("hold at least 1207959552 bytes"), "{error}");
}

#[test]
fn sizes_between_many_filters_are_borne_out_by_bytes() {
    // One chunk of 64 bytes; the last of ten compressors claims that it decompresses to 1 GB.
    let words = [1u32, 0, 64, 4, 16, 0, 1, 2 << 29, 4, 0];
    let pipeline = Pipeline::new(vec![Filter::new(FilterType::Zstd); 10]);
    let filtered: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let error = pipeline.reverse(&SHAPE, &EncryptionKey::None, &filtered, &mut [0; 64]).unwrap_err();
    assert!(error.text().contains("between two filters; 160000 is the most"), "{error}");
}

/// libtiledb looks for bytes of every part of these filters, and often finds none of no values.
#[test]
fn no_values_are_no_part_of_runs_differences_planes_and_cipher_texts() {
    use FilterType::{BitShuffle, ByteShuffle, ChecksumMd5, Delta, DoubleDelta, Rle};
    let head = |kinds: &[FilterType], key: EncryptionKey| {
        let pipeline = Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect());
        let mut out = Vec::new();
        let shape = TileShape { is_var: true, ..SHAPE };
        pipeline.forward(&shape, &key, &[], Some(&[0, 0]), &mut out).unwrap();
        pipeline.reverse(&shape, &key, &out, &mut []).unwrap();
        // After the number of chunks: the length of the values and that of the filtered ones.
        let words: Vec<u32> =
            out[16..].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        words[..words.len().min(3)].to_vec()
    };
    for kind in [Rle, Delta, DoubleDelta] {
        assert_eq!(head(&[kind], EncryptionKey::None), [8, 0, 0], "{kind:?}");
        // The metadata of the digest are a part of 16 bytes.
        assert_eq!(head(&[ChecksumMd5, kind], EncryptionKey::None)[..3], [16, 1, 0], "{kind:?}");
    }
    for kind in [BitShuffle, ByteShuffle] {
        assert_eq!(head(&[kind], EncryptionKey::None), [4, 0], "{kind:?}");
    }
    assert_eq!(head(&[], EncryptionKey::Aes256([7; 32])), [8, 0, 0]);
    assert_eq!(head(&[ChecksumMd5], EncryptionKey::Aes256([7; 32]))[1..], [1, 0]);
}

proptest! {
    #[test]
    fn plain_tiles_are_what_no_filters_make(
        tile in tiles(),
        cell in 1usize..20,
        limit in prop::sample::select(vec![0u32, 65536]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..3000),
        limits in prop::option::of(any::<u64>()),
    ) {
        let tile = &tile[..tile.len() / cell * cell];
        let (shape, mut pipeline) = (TileShape { cell_size: cell, ..SHAPE }, Pipeline::default());
        pipeline.set_max_chunk_size(limit);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(tile.len() + 1)).chain([0, tile.len()]).collect();
        ends.sort_unstable();
        let runs = || ends.windows(2).map(|pair| &tile[pair[0]..pair[1]]);
        let (mut expected, mut put) = (Vec::new(), Vec::new());
        pipeline.forward(&shape, &EncryptionKey::None, tile, None, &mut expected).unwrap();
        let chunk = pipeline.chunk_size(&shape, tile.len());
        let mut sink = |pieces: &[&[u8]]| {
            put.extend(pieces.concat());
            Ok(())
        };
        SimulatedLimits::of_option(limits).run(|| write_unfiltered(tile.len(), chunk, runs(), &mut sink)).unwrap();
        prop_assert!(put == expected);
        for size in [tile.len() + 1, tile.len().wrapping_sub(1)] {
            prop_assert!(size > tile.len() + 1 || write_unfiltered(size, chunk, runs(), &mut |_| Ok(())).is_err());
        }
    }
}
