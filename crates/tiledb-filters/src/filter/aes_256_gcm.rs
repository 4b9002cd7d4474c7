//! AES_256_GCM: encryption with the array's key. Appended by the engine as the last filter; user-defined pipelines cannot
//! contain it.
//!
//! Metadata: `metadata parts u32, data parts u32`, then per part `plain length u32, cipher length u32, iv
//! 12, tag 16`. Data: the ciphertexts, those of the metadata first.

use super::shared::{finish, put, take_mut};
use super::stage::{FilterStage, StageInput, StageOutput};
use crate::crypto::{self, IV_SIZE, TAG_SIZE};
use tiledb_core::error::{Result, bail};
use tiledb_core::wire::WireReader;

/// Bytes of metadata per part.
const ENTRY: usize = 8 + IV_SIZE + TAG_SIZE;

struct Aes256Gcm<'a> {
    key: &'a [u8; 32],
}

/// The filter with this key.
pub(super) fn stage(key: &[u8; 32]) -> Box<dyn FilterStage + '_> {
    Box::new(Aes256Gcm { key })
}

impl FilterStage for Aes256Gcm<'_> {
    fn verifies_integrity(&self) -> bool {
        true
    }

    fn forward(&self, input: StageInput<'_>, output: &mut StageOutput) -> Result<()> {
        put(&mut output.meta, input.parts.len())?;
        // libtiledb looks for bytes of every part, and mostly finds none of no data.
        let data_parts = usize::from(!input.data.is_empty());
        put(&mut output.meta, data_parts)?;
        for part in input.parts().take(input.parts.len() + data_parts) {
            let (iv, tag) = crypto::encrypt(self.key, part, &mut output.data)?;
            put(&mut output.meta, part.len())?;
            put(&mut output.meta, part.len())?;
            output.meta.extend_from_slice(&iv);
            output.meta.extend_from_slice(&tag);
        }
        output.parts.push(output.meta.len());
        Ok(())
    }

    fn original_size(&self, input: StageInput<'_>) -> Result<usize> {
        let (meta_parts, entries) = entries(input.meta)?;
        Ok(entries.skip(meta_parts).fold(0, |sum, entry| sum.saturating_add(entry.len)))
    }

    fn reverse(&self, input: StageInput<'_>, meta_limit: usize, meta: &mut Vec<u8>, mut dst: &mut [u8]) -> Result<()> {
        let (meta_parts, entries) = entries(input.meta)?;
        let mut cipher = WireReader::new("encrypted chunk", input.data);
        for (index, entry) in entries.enumerate() {
            let text = cipher.bytes(entry.len)?;
            if index >= meta_parts {
                crypto::decrypt(self.key, entry.iv, entry.tag, text, take_mut(&mut dst, entry.len)?)?;
                continue;
            }
            let start = meta.len();
            if start + entry.len > meta_limit {
                bail!(Corrupt, "{} bytes of filter metadata in a chunk", start + entry.len);
            }
            meta.resize(start + entry.len, 0);
            crypto::decrypt(self.key, entry.iv, entry.tag, text, &mut meta[start..])?;
        }
        if !cipher.is_empty() {
            return Err(cipher.corrupt(format_args!("{} bytes belong to no part", cipher.remaining())));
        }
        finish(dst)
    }
}

struct Entry<'a> {
    len: usize,
    iv: &'a [u8; IV_SIZE],
    tag: &'a [u8; TAG_SIZE],
}

/// The number of metadata parts and all parts.
fn entries(meta: &[u8]) -> Result<(usize, impl Iterator<Item = Entry<'_>>)> {
    let mut r = WireReader::new("metadata of an encrypted chunk", meta);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::testing::{bytes, decode, refuses_other_numbers, round_trip};

    const KEY: [u8; 32] = [7; 32];

    #[test]
    fn every_part_has_its_own_vector_and_tag() {
        let (mut meta, mut data) = ([&2u32.to_le_bytes(), &[3, 0, 0, 0][..]].concat(), Vec::new());
        for part in [&b"one"[..], b"two", b"ab", b"", b"cd"] {
            let (iv, tag) = crypto::encrypt(&KEY, part, &mut data).unwrap();
            let len = (part.len() as u32).to_le_bytes();
            meta.extend([&len[..], &len, &iv, &tag].concat());
        }
        assert_eq!(decode(&*stage(&KEY), &meta, &data, 4).unwrap(), (b"onetwo".to_vec(), b"abcd".to_vec()));
        refuses_other_numbers(&*stage(&KEY), &meta, &data, 4, &[0, 4, 8, 44, 80, 116, 152]);
        assert!(decode(&*stage(&[8; 32]), &meta, &data, 4).is_err());
        data[7] ^= 1;
        assert!(decode(&*stage(&KEY), &meta, &data, 4).is_err());
    }

    proptest! {
        #[test]
        fn chunks_come_back(data in bytes(), key: [u8; 32]) {
            round_trip(&*stage(&key), &data);
        }
    }
}
