//! Digests of every part. Metadata: `metadata parts u32, data parts u32`, then per part `length u64,
//! digest`, then what was there before. The data stay as they are.

use super::compress::put;
use super::step::{Input, Output};
use crate::crypto::Digest;
use crate::error::{Result, bail};
use crate::wire::Reader;

pub(super) fn forward(digest: Digest, input: Input<'_>, output: &mut Output) -> Result<()> {
    put(&mut output.meta, input.parts.len())?;
    put(&mut output.meta, 1)?;
    for part in input.parts() {
        output.meta.extend_from_slice(&(part.len() as u64).to_le_bytes());
        digest.append(part, &mut output.meta)?;
    }
    output.data.extend_from_slice(input.data);
    output.parts.push(output.meta.len());
    output.pass_on(&input);
    Ok(())
}

pub(super) fn reverse(digest: Digest, check: bool, input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
    let mut r = Reader::new("metadata of a checksum", input.meta);
    let (meta_parts, data_parts) = (r.u32()?, r.u32()?);
    let entry = 8 + digest.size();
    let count = u64::from(meta_parts) + u64::from(data_parts);
    if count > (r.remaining() / entry) as u64 {
        return Err(r.corrupt(format_args!("{count} digests, room for {}", r.remaining() / entry)));
    }
    let digests = r.bytes(count as usize * entry)?;
    let rest = r.bytes(r.remaining())?;
    if dst.len() != input.data.len() {
        bail!(Corrupt, "A chunk of {} bytes instead of {}", input.data.len(), dst.len());
    }
    if check {
        let mut parts = (Reader::new("filter metadata", rest), Reader::new("chunk", input.data));
        let mut found = Vec::with_capacity(digest.size());
        for (index, entry) in digests.chunks_exact(entry).enumerate() {
            let (len, stored) = entry.split_at(8);
            let len = Reader::new("checksum", len).u64()?;
            let part = if (index as u64) < u64::from(meta_parts) { &mut parts.0 } else { &mut parts.1 };
            found.clear();
            digest.append(part.bytes(usize::try_from(len).unwrap_or(usize::MAX))?, &mut found)?;
            if found != stored {
                bail!(
                    Corrupt,
                    "Checksum mismatch: the {digest:?} digest of {len} bytes of a chunk is not the stored one"
                );
            }
        }
    }
    meta.extend_from_slice(rest);
    dst.copy_from_slice(input.data);
    Ok(())
}
