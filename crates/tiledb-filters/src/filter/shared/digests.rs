//! Digests of every part. Metadata: `metadata parts u32, data parts u32`, then per part `length u64,
//! digest`, then the metadata of earlier filters. The data is unchanged.

use super::put;
use crate::crypto::Digest;
use crate::filter::stage::{FilterStage, StageInput, StageOutput};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::wire::WireReader;

/// The filter that adds digests and compares them on reading. If it is not to `compute` them, it compares none, and writes
/// zeros in their place.
pub(in crate::filter) struct Digests {
    pub(in crate::filter) digest: Digest,
    pub(in crate::filter) compute: bool,
}

impl Digests {
    /// Appends the digests of the parts.
    fn append(&self, input: StageInput<'_>, meta: &mut Vec<u8>) -> Result<()> {
        put(meta, input.parts.len())?;
        put(meta, 1)?;
        for part in input.parts() {
            meta.extend_from_slice(&(part.len() as u64).to_le_bytes());
            match self.compute {
                true => self.digest.append(part, meta)?,
                false => meta.resize(meta.len() + self.digest.size(), 0),
            }
        }
        Ok(())
    }
}

/// What memory for parts is needed for.
pub(in crate::filter) const PARTS: &str = "parts of chunks";

/// A part of a chunk, and its stored digest.
pub(in crate::filter) type DigestedPart<'a> = (&'a [u8], &'a [u8]);

/// Appends the parts of a chunk with their digests, and returns the metadata of earlier filters; of parts that are not
/// `collects`, only the room is checked.
fn read_parts<'a>(
    digest: Digest,
    input: StageInput<'a>,
    collects: bool,
    parts: &mut Vec<DigestedPart<'a>>,
) -> Result<&'a [u8]> {
    let mut r = WireReader::new("metadata of a checksum", input.meta);
    let (meta_parts, data_parts) = (u64::from(r.u32()?), u64::from(r.u32()?));
    let entry = 8 + digest.size();
    let (count, capacity) = (meta_parts + data_parts, r.remaining() / entry);
    if count > capacity as u64 {
        return Err(r.corrupt(format_args!("{count} digests, room for {capacity}")));
    }
    let digests = r.bytes(count as usize * entry)?;
    let rest = r.bytes(r.remaining())?;
    let (mut earlier, mut data) = (WireReader::new("filter metadata", rest), WireReader::new("chunk", input.data));
    for (index, entry) in digests.chunks_exact(entry).enumerate().filter(|_| collects) {
        let (len, stored) = entry.split_at(8);
        let len = WireReader::new("checksum", len).u64()?;
        let from = if (index as u64) < meta_parts { &mut earlier } else { &mut data };
        memory::push(PARTS, parts, (from.bytes(usize::try_from(len).unwrap_or(usize::MAX))?, stored))?;
    }
    Ok(rest)
}

/// Appends the parts of a chunk with their digests.
///
/// # Errors
/// If the metadata of the chunk are not valid.
pub(in crate::filter) fn append_parts<'a>(
    digest: Digest,
    input: StageInput<'a>,
    parts: &mut Vec<DigestedPart<'a>>,
) -> Result<()> {
    read_parts(digest, input, true, parts).map(|_| ())
}

/// Where in the metadata of a chunk the digests of this many parts are.
pub(in crate::filter) fn places(digest: Digest, parts: usize) -> impl Iterator<Item = usize> {
    (0..parts).map(move |part| 8 + part * (8 + digest.size()) + 8)
}

/// The digests of parts, in order.
///
/// # Errors
/// As [`Digest::of_each`].
pub(in crate::filter) fn digests_of(digest: Digest, parts: &[DigestedPart<'_>]) -> Result<Vec<u8>> {
    let mut messages = memory::with_capacity(PARTS, parts.len())?;
    messages.extend(parts.iter().map(|(part, _)| *part));
    digest.of_each(&messages)
}

/// Compares the digests of parts with the stored ones.
///
/// # Errors
/// If one is another.
pub(in crate::filter) fn compare(digest: Digest, parts: &[DigestedPart<'_>]) -> Result<()> {
    let actual = digests_of(digest, parts)?;
    let mut pairs = parts.iter().zip(actual.chunks_exact(digest.size()));
    match pairs.find(|((_, stored), actual)| stored != actual) {
        None => Ok(()),
        Some(((part, _), _)) => {
            let len = part.len();
            bail!(Corrupt, "Checksum mismatch: the {digest:?} digest of {len} bytes of a chunk is not the stored one")
        }
    }
}

impl FilterStage for Digests {
    fn leaves_data_unchanged(&self) -> bool {
        true
    }

    fn verifies_integrity(&self) -> bool {
        self.compute
    }

    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        self.append(input, &mut output.meta)?;
        output.append_earlier_metadata(&input);
        Ok(())
    }

    fn forward_as_only_stage(&self, data: &[u8], out: &mut Vec<u8>) -> Result<Option<usize>> {
        let start = out.len();
        self.append(StageInput { meta: &[], parts: &[], data }, out)?;
        let len = out.len() - start;
        out.extend_from_slice(data);
        Ok(Some(len))
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        Ok(input.data.len())
    }

    fn reverse(&self, input: StageInput<'_>, _: usize, meta: &mut Vec<u8>, _: &mut [u8]) -> Result<()> {
        let mut parts = Vec::new();
        let rest = read_parts(self.digest, input, self.compute, &mut parts)?;
        compare(self.digest, &parts)?;
        meta.extend_from_slice(rest);
        Ok(())
    }
}
