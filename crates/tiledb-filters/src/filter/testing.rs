//! Test helpers of the filters: round trips, and hand-made chunks.

use proptest::prelude::*;

use super::stage::{FilterStage, StageInput, StageOutput};
use crate::codec::StringTarget;
use tiledb_core::error::Result;

/// Bytes in runs and noise, at most some thousands.
pub(super) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..300);
    let runs = prop::collection::vec((any::<u8>(), 1usize..900), 0..6);
    (noise, runs).prop_map(|(mut bytes, runs)| {
        bytes.extend(runs.iter().flat_map(|&(byte, count)| std::iter::repeat_n(byte, count)));
        bytes
    })
}

/// Strings in runs, with the starts of each.
pub(super) fn strings() -> impl Strategy<Value = (Vec<u8>, Vec<u64>)> {
    prop::collection::vec((0usize..300, any::<u8>(), 1usize..300), 0..12).prop_map(|runs| {
        let (mut data, mut starts) = (Vec::new(), Vec::new());
        for (len, byte, count) in runs {
            for _ in 0..count {
                starts.push(data.len() as u64);
                data.resize(data.len() + len, byte);
            }
        }
        (data, starts)
    })
}

/// Output of a filter for an unfiltered chunk.
pub(super) fn encode(stage: &dyn FilterStage, data: &[u8]) -> StageOutput {
    let mut output = StageOutput::default();
    stage.forward(StageInput { meta: &[], parts: &[], data }, &mut output).unwrap();
    output
}

/// Metadata and data before the filter; the data have this size.
pub(super) fn decode(stage: &dyn FilterStage, meta: &[u8], data: &[u8], size: usize) -> Result<(Vec<u8>, Vec<u8>)> {
    let input = StageInput { meta, parts: &[], data };
    let (mut before, mut dst) = (Vec::new(), vec![0xa5; if stage.leaves_data_unchanged() { 0 } else { size }]);
    stage.reverse(input, 1 << 20, &mut before, &mut dst)?;
    Ok((before, if stage.leaves_data_unchanged() { data.to_vec() } else { dst }))
}

/// A chunk comes back, with the metadata of two earlier filters and without; so does that of the shortcut,
/// if there is one; and changed metadata are an error or not, but never more than that.
pub(super) fn round_trip(stage: &dyn FilterStage, data: &[u8]) {
    for (meta, parts) in [(&b""[..], &[][..]), (b"newernewolderold", &[8, 8])] {
        let mut chunk = StageOutput::default();
        stage.forward(StageInput { meta, parts, data }, &mut chunk).unwrap();
        assert_eq!(chunk.parts.iter().sum::<usize>(), chunk.meta.len());
        let filtered = if stage.leaves_data_unchanged() { data } else { &chunk.data };
        let input = StageInput { meta: &chunk.meta, parts: &[], data: filtered };
        assert_eq!(stage.original_size(input).unwrap(), data.len());
        assert!(decode(stage, &chunk.meta, filtered, data.len()).unwrap() == (meta.to_vec(), data.to_vec()));
        for at in 0..chunk.meta.len().min(40) {
            let mut lie = chunk.meta.clone();
            lie[at] ^= 1 << (at % 8);
            let _ = decode(stage, &lie, filtered, data.len());
        }
    }
    let mut whole = vec![1, 2];
    if let Some(len) = stage.forward_as_only_stage(data, &mut whole).unwrap() {
        let (meta, back) = decode(stage, &whole[2..2 + len], &whole[2 + len..], data.len()).unwrap();
        assert!(back == data && meta.is_empty());
    }
}

/// A chunk made by hand is another one, or none, if a number in its metadata, u32 at each of these places,
/// is another one.
pub(super) fn refuses_other_numbers(stage: &dyn FilterStage, meta: &[u8], data: &[u8], size: usize, places: &[usize]) {
    let truth = decode(stage, meta, data, size).unwrap();
    for &at in places {
        let number = u32::from_le_bytes(*meta[at..].first_chunk().unwrap());
        for lie in [number.wrapping_sub(1), number + 1, number + 1000, u32::MAX / 8, u32::MAX] {
            let mut meta = meta.to_vec();
            meta[at..at + 4].copy_from_slice(&lie.to_le_bytes());
            let stated = stage.original_size(StageInput { meta: &meta, parts: &[], data });
            let is_noticed = decode(stage, &meta, data, size).ok() != Some(truth.clone());
            assert!(is_noticed || stated.is_ok_and(|stated| stated != size), "{number} at {at} is {lie}");
        }
    }
}

fn words(numbers: &[usize]) -> Vec<u8> {
    numbers.iter().flat_map(|&n| (n as u32).to_le_bytes()).collect()
}

/// Parts of a chunk, each with its form on disk.
type Parts<'a> = [(&'a [u8], &'a [u8])];

/// A compressor reads parts made by hand, those of metadata and those of data, and writes what it reads.
pub(super) fn compressed_parts(stage: &dyn FilterStage, meta: &Parts<'_>, data: &Parts<'_>) {
    let all = || meta.iter().chain(data);
    let lengths = all().flat_map(|(plain, packed)| [plain.len(), packed.len()]);
    let head: Vec<usize> = [meta.len(), data.len()].into_iter().chain(lengths).collect();
    let packed: Vec<u8> = all().flat_map(|(_, packed)| packed.to_vec()).collect();
    let plain = |parts: &Parts<'_>| parts.iter().flat_map(|(plain, _)| plain.to_vec()).collect::<Vec<u8>>();
    let (head_bytes, size) = (words(&head), plain(data).len());
    assert_eq!(decode(stage, &head_bytes, &packed, size).unwrap(), (plain(meta), plain(data)));
    let places: Vec<usize> = (0..head.len()).map(|word| word * 4).collect();
    refuses_other_numbers(stage, &head_bytes, &packed, size, &places);
    assert!(decode(stage, &head_bytes, &packed[..packed.len() - 1], size).is_err());
    for (plain, _) in all() {
        round_trip(stage, plain);
    }
}

/// A filter that shuffles reads parts made by hand, and makes the same of each.
pub(super) fn shuffled_parts(stage: &dyn FilterStage, parts: &Parts<'_>) {
    let meta: Vec<usize> = std::iter::once(parts.len()).chain(parts.iter().map(|(_, part)| part.len())).collect();
    let meta = [words(&meta), b"before".to_vec()].concat();
    let data: Vec<u8> = parts.iter().flat_map(|(_, part)| part.to_vec()).collect();
    let plain: Vec<u8> = parts.iter().flat_map(|(plain, _)| plain.to_vec()).collect();
    assert_eq!(decode(stage, &meta, &data, plain.len()).unwrap(), (b"before".to_vec(), plain.clone()));
    refuses_other_numbers(stage, &meta, &data, plain.len(), &[0, 4 * parts.len()]);
    for (plain, part) in parts {
        assert_eq!(encode(stage, plain).data, *part);
    }
}

/// Digests of two parts of metadata and two of data, made by hand.
pub(super) fn digested_parts(stage: fn(bool) -> Box<dyn FilterStage>, ab: &[u8], cde: &[u8]) {
    let entry = |len: u64, digest: &[u8]| [&len.to_le_bytes(), digest].concat();
    let (two, three) = (entry(2, ab), entry(3, cde));
    let meta = [&words(&[2, 2])[..], &two, &three, &three, &two, b"abcde"].concat();
    assert_eq!(decode(&*stage(true), &meta, b"cdeab", 5).unwrap(), (b"abcde".to_vec(), b"cdeab".to_vec()));
    let size = two.len();
    for place in [0, 4, 8, 8 + size, 8 + 2 * size, 8 + 3 * size, 8 + 4 * size - 1, meta.len() - 1] {
        let mut lie = meta.clone();
        lie[place] ^= 1;
        assert!(decode(&*stage(true), &lie, b"cdeab", 5).is_err(), "at {place}");
    }
    let error = decode(&*stage(true), &meta, b"cdeaB", 5).unwrap_err();
    assert!(error.text().starts_with("Checksum mismatch"), "{error}");
    assert_eq!(decode(&*stage(false), &meta, b"cdeaB", 5).unwrap().1, b"cdeaB");
    for count in [0xff, 0xffff_ffff] {
        let lie = [&words(&[count, 2])[..], &meta[8..]].concat();
        assert!(decode(&*stage(false), &lie, b"cdeab", 5).is_err());
    }
}

/// A hand-made tile of encoded strings: the widths of its numbers, the bytes after the header, the data.
pub(super) fn text_chunk(
    stage: &dyn FilterStage,
    widths: (u8, u8),
    extra: &[u8],
    data: &[u8],
    plain: &[u8],
    cells: usize,
) {
    let head = words(&[0, 1, plain.len(), data.len(), cells * 8]);
    let meta = [&head[..], &[widths.0, widths.1], extra].concat();
    let (before, back) = decode(stage, &meta, data, plain.len()).unwrap();
    assert!(before.is_empty() && back == plain);
    let mut starts = vec![1; cells];
    let input = StageInput { meta: &meta, parts: &[], data };
    stage.reverse_strings(input, StringTarget::Starts(&mut starts, plain.len())).unwrap();
    assert!(starts[0] == 0 && starts.is_sorted() && starts[cells - 1] <= plain.len() as u64);
    refuses_other_numbers(stage, &[&meta, &b"before"[..]].concat(), data, plain.len(), &[0, 4, 8, 12, 16]);
    for (place, width) in [(20, 3), (20, 0), (21, 16)] {
        let mut lie = meta.clone();
        lie[place] = width;
        assert!(decode(stage, &lie, data, plain.len()).is_err());
    }
}

/// Strings come back with their starts.
pub(super) fn strings_come_back(stage: &dyn FilterStage, data: &[u8], starts: &[u64]) {
    let chunk = encode(stage, data);
    let (meta, back) = decode(stage, &chunk.meta, &chunk.data, data.len()).unwrap();
    let mut places = vec![1; starts.len()];
    stage.reverse_strings(chunk.as_input(), StringTarget::Starts(&mut places, data.len())).unwrap();
    assert!(meta.is_empty() && back == data && places == starts);
}
