//! AES-256-GCM. Metadata: `metadata parts u32, data parts u32`, then per part `plain length u32, cipher
//! length u32, iv 12, tag 16`. Data: the cipher texts, those of metadata first.

use super::compress::put;
use super::step::{Input, Output};
use crate::crypto::{self, IV_SIZE, TAG_SIZE};
use crate::error::{Result, bail};
use crate::wire::Reader;

/// Bytes of metadata per part.
const ENTRY: usize = 8 + IV_SIZE + TAG_SIZE;

pub(super) fn forward(key: &[u8; 32], input: Input<'_>, output: &mut Output) -> Result<()> {
    put(&mut output.meta, input.parts.len())?;
    put(&mut output.meta, 1)?;
    for part in input.parts() {
        let (iv, tag) = crypto::seal(key, part, &mut output.data)?;
        put(&mut output.meta, part.len())?;
        put(&mut output.meta, part.len())?;
        output.meta.extend_from_slice(&iv);
        output.meta.extend_from_slice(&tag);
    }
    output.parts.push(output.meta.len());
    Ok(())
}

/// The sum of the plain lengths of the data parts.
pub(super) fn data_size(meta: &[u8]) -> Result<usize> {
    let (meta_parts, entries) = entries(meta)?;
    Ok(entries.skip(meta_parts).fold(0, |sum, entry| sum.saturating_add(entry.len)))
}

pub(super) fn reverse(key: &[u8; 32], input: Input<'_>, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
    let (meta_parts, entries) = entries(input.meta)?;
    let mut cipher = Reader::new("encrypted chunk", input.data);
    let mut to_data = dst;
    for (index, entry) in entries.enumerate() {
        let text = cipher.bytes(entry.len)?;
        if index < meta_parts {
            let start = meta.len();
            meta.resize(start + entry.len, 0);
            crypto::open(key, entry.iv, entry.tag, text, &mut meta[start..])?;
        } else {
            let Some((this, rest)) = std::mem::take(&mut to_data).split_at_mut_checked(entry.len) else {
                bail!(Corrupt, "An encrypted chunk is longer than its plain text may be");
            };
            crypto::open(key, entry.iv, entry.tag, text, this)?;
            to_data = rest;
        }
    }
    if !to_data.is_empty() {
        bail!(Corrupt, "An encrypted chunk is {} bytes short", to_data.len());
    }
    Ok(())
}

struct Entry<'a> {
    len: usize,
    iv: &'a [u8; IV_SIZE],
    tag: &'a [u8; TAG_SIZE],
}

/// The number of metadata parts and all parts.
fn entries(meta: &[u8]) -> Result<(usize, impl Iterator<Item = Entry<'_>>)> {
    let mut r = Reader::new("metadata of an encrypted chunk", meta);
    let (meta_parts, data_parts) = (r.u32()? as usize, r.u32()? as usize);
    let count = meta_parts.saturating_add(data_parts);
    if count > r.remaining() / ENTRY {
        return Err(r.corrupt(format_args!("{count} parts, room for {}", r.remaining() / ENTRY)));
    }
    let entries = r.bytes(count * ENTRY)?;
    let parsed = entries.chunks_exact(ENTRY).filter_map(|entry| {
        let (lengths, rest) = entry.split_first_chunk::<8>()?;
        let (iv, rest) = rest.split_first_chunk::<IV_SIZE>()?;
        let tag = rest.first_chunk::<TAG_SIZE>()?;
        let len = u32::from_le_bytes([lengths[0], lengths[1], lengths[2], lengths[3]]) as usize;
        Some(Entry { len, iv, tag })
    });
    Ok((meta_parts, parsed))
}
