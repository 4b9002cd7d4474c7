//! Digests of every part. Metadata: `metadata parts u32, data parts u32`, then per part `length u64,
//! digest`, then the metadata of earlier filters. The data is unchanged.

use super::put;
use crate::crypto::Digest;
use crate::filter::stage::{FilterStage, StageInput, StageOutput};
use tiledb_core::error::{Result, bail};
use tiledb_core::wire::WireReader;

/// The filter that adds digests, and compares them on reading if it is to `check` them.
pub(in crate::filter) struct Digests {
    pub(in crate::filter) digest: Digest,
    pub(in crate::filter) check: bool,
}

impl Digests {
    /// Appends the digests of the parts.
    fn append(&self, input: StageInput<'_>, meta: &mut Vec<u8>) -> Result<()> {
        put(meta, input.parts.len())?;
        put(meta, 1)?;
        for part in input.parts() {
            meta.extend_from_slice(&(part.len() as u64).to_le_bytes());
            self.digest.append(part, meta)?;
        }
        Ok(())
    }

    /// Compares one digest.
    fn compare(&self, part: &[u8], stored: &[u8], found: &mut Vec<u8>) -> Result<()> {
        found.clear();
        self.digest.append(part, found)?;
        if found != stored {
            let (digest, len) = (self.digest, part.len());
            bail!(Corrupt, "Checksum mismatch: the {digest:?} digest of {len} bytes of a chunk is not the stored one");
        }
        Ok(())
    }
}

impl FilterStage for Digests {
    fn leaves_data_unchanged(&self) -> bool {
        true
    }

    fn verifies_integrity(&self) -> bool {
        self.check
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
        let mut r = WireReader::new("metadata of a checksum", input.meta);
        let (meta_parts, data_parts) = (u64::from(r.u32()?), u64::from(r.u32()?));
        let entry = 8 + self.digest.size();
        let (count, capacity) = (meta_parts + data_parts, r.remaining() / entry);
        if count > capacity as u64 {
            return Err(r.corrupt(format_args!("{count} digests, room for {capacity}")));
        }
        let digests = r.bytes(count as usize * entry)?;
        let rest = r.bytes(r.remaining())?;
        let mut parts = (WireReader::new("filter metadata", rest), WireReader::new("chunk", input.data));
        let mut found = Vec::with_capacity(self.digest.size());
        for (index, entry) in digests.chunks_exact(entry).enumerate().filter(|_| self.check) {
            let (len, stored) = entry.split_at(8);
            let len = WireReader::new("checksum", len).u64()?;
            let part = if (index as u64) < meta_parts { &mut parts.0 } else { &mut parts.1 };
            self.compare(part.bytes(usize::try_from(len).unwrap_or(usize::MAX))?, stored, &mut found)?;
        }
        meta.extend_from_slice(rest);
        Ok(())
    }
}
