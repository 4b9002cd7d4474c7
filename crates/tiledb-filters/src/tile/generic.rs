//! The generic tile: a payload with a header that describes its filters. Schemas, metadata, group details and the
//! tables of fragment metadata are generic tiles.
//!
//! Header: `format version u32, persisted size u64, tile size u64, datatype u8, cell size u64, encryption type u8,
//! pipeline size u32`, the pipeline, then `persisted size` bytes of chunks.

use crate::crypto::EncryptionKey;
use crate::filter::{Filter, Pipeline, TileShape};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{Datatype, EncryptionType, FormatVersion, NEWEST_READABLE_VERSION};
use tiledb_core::wire::{WireReader, WireWriter};

/// The most that a payload can be of its bytes on disk. zlib, the only filter writers use here,
/// reaches 1032 to 1.
const MAX_RATIO: usize = 1100;

/// Limit of the payload size against decompression bombs. Names, keys and values of a structure differ from one another
/// and do not reach the best ratio of zlib, so a small file that decodes to gigabytes is malicious.
#[derive(Clone, Copy)]
struct SizeLimit {
    /// Minimum limit in bytes.
    always: usize,
    /// Maximum ratio to the bytes on disk.
    ratio: usize,
}

impl SizeLimit {
    /// The best ratio of zlib.
    const OF_ZLIB: SizeLimit = SizeLimit { always: 0, ratio: MAX_RATIO };
    /// Conditions of deletions.
    const OF_DELETES: SizeLimit = SizeLimit { always: 16 << 20, ratio: 16 };

    /// Limit of the structure that this counter is for.
    fn of(counter: Counter) -> SizeLimit {
        match counter {
            Counter::SchemaRead => SizeLimit { always: 16 << 20, ratio: 4 },
            Counter::GroupRead => SizeLimit { always: 32 << 20, ratio: 16 },
            Counter::EnumerationRead => SizeLimit { always: 64 << 20, ratio: 16 },
            Counter::ConsolidatedFooters => SizeLimit { always: 64 << 20, ratio: 32 },
            // A single value may be long and the same all over.
            Counter::MetadataRead => SizeLimit { always: 256 << 20, ratio: 64 },
            _ => SizeLimit::OF_ZLIB,
        }
    }

    fn allows(self, size: usize, on_disk: usize) -> bool {
        let most = on_disk.saturating_mul(self.ratio).max(self.always);
        size <= most.min(on_disk.saturating_mul(MAX_RATIO))
    }
}

/// Reads the generic tile at the start of `bytes`: its payload, and how many bytes it takes.
///
/// # Errors
/// If the bytes are corrupt, or encrypted otherwise than `key` says.
pub fn read(bytes: &[u8], key: &EncryptionKey) -> Result<(Vec<u8>, usize)> {
    read_within(bytes, key, SizeLimit::OF_ZLIB)
}

/// As [`read`], the payload alone, of a deletion.
///
/// # Errors
/// As [`read`].
pub fn read_delete(bytes: &[u8], key: &EncryptionKey) -> Result<Vec<u8>> {
    Ok(read_within(bytes, key, SizeLimit::OF_DELETES)?.0)
}

fn read_within(bytes: &[u8], key: &EncryptionKey, bound: SizeLimit) -> Result<(Vec<u8>, usize)> {
    let mut r = WireReader::new("generic tile", bytes);
    // Newer versions are reported by the payload, which states its version too.
    let version = FormatVersion::from_number(r.u32()?.min(NEWEST_READABLE_VERSION.number()))?;
    let persisted = r.u64()?;
    let size = r.u64()?;
    let datatype = Datatype::from_number(u32::from(r.u8()?))?;
    let cell_size = r.u64()?;
    let encryption = EncryptionType::from_number(u32::from(r.u8()?))?;
    let pipeline_size = r.count32(1)?;
    let pipeline =
        Pipeline::read(&mut WireReader::new("pipeline of a generic tile", r.bytes(pipeline_size)?), version)?;
    if encryption != key.encryption_type() {
        bail!(
            Key,
            "GenericTileIO: Error reading generic tile; tile is encrypted with {} but given key is for {}",
            encryption.name(),
            key.encryption_type().name()
        );
    }
    if persisted > r.remaining() as u64 {
        return Err(r.corrupt(format_args!("a body of {persisted} bytes, {} left", r.remaining())));
    }
    let body = r.bytes(persisted as usize)?;
    let size = match usize::try_from(size) {
        Ok(size) if bound.allows(size, body.len()) => size,
        _ => return Err(r.corrupt(format_args!("a payload of {size} bytes in a body of {} bytes", body.len()))),
    };
    let cell_size = usize::try_from(cell_size).unwrap_or(1);
    let mut payload = memory::zeroed("a generic tile", size)?;
    pipeline.reverse(&TileShape { datatype, cell_size, is_var: false, version }, key, body, &mut payload)?;
    Ok((payload, r.position()))
}

/// Appends `payload` as a generic tile of this format version: compressed by zlib at level 1, and encrypted if there is
/// a key.
///
/// # Errors
/// If it cannot be compressed or encrypted.
pub fn write(payload: &[u8], version: FormatVersion, key: &EncryptionKey, out: &mut Vec<u8>) -> Result<()> {
    let mut pipeline = Pipeline::new(vec![Filter::Gzip { level: 1 }]);
    if key.encryption_type() != EncryptionType::NoEncryption {
        pipeline.push(Filter::Aes256Gcm);
    }
    let shape = TileShape { datatype: Datatype::Char, cell_size: 1, is_var: false, version };
    let mut body = Vec::new();
    pipeline.forward(&shape, key, payload, None, &mut body)?;
    let mut filters = WireWriter::new();
    pipeline.write(&mut filters, version);
    let mut header = WireWriter::new();
    header.u32(version.number()).u64(body.len() as u64).u64(payload.len() as u64);
    header.u8(Datatype::Char.number()).u64(1).u8(key.encryption_type().number());
    header.u32(filters.len() as u32).append(filters);
    out.extend_from_slice(&header.finish()?);
    out.extend_from_slice(&body);
    Ok(())
}

/// As [`read`], the payload alone, counting its bytes under this name and with all others.
///
/// # Errors
/// As [`read`].
pub fn load(bytes: &[u8], key: &EncryptionKey, stats: &Stats, counter: Counter) -> Result<Vec<u8>> {
    let (payload, _) = read_within(bytes, key, SizeLimit::of(counter))?;
    count(&payload, stats, counter);
    Ok(payload)
}

/// As [`load`], with a limit of the payload size in bytes.
///
/// # Errors
/// As [`read`].
pub fn load_at_most(
    bytes: &[u8],
    key: &EncryptionKey,
    most: usize,
    stats: &Stats,
    counter: Counter,
) -> Result<Vec<u8>> {
    let payload = read_at_most(bytes, key, most)?;
    count(&payload, stats, counter);
    Ok(payload)
}

/// As [`read`], but returns only the payload, with a limit of its size in bytes.
///
/// # Errors
/// As [`read`].
pub fn read_at_most(bytes: &[u8], key: &EncryptionKey, most: usize) -> Result<Vec<u8>> {
    Ok(read_within(bytes, key, SizeLimit { always: most, ratio: 0 })?.0)
}

fn count(payload: &[u8], stats: &Stats, counter: Counter) {
    stats.add(counter, payload.len() as u64);
    stats.add(Counter::GenericUnfiltered, payload.len() as u64);
}

/// A tile with this payload, as [`write()`] makes it, counting its bytes under this name and with all others.
///
/// # Errors
/// As [`write()`].
pub fn store(
    payload: &[u8],
    version: FormatVersion,
    key: &EncryptionKey,
    stats: &Stats,
    counter: Counter,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(payload, version, key, &mut bytes)?;
    stats.add(counter, payload.len() as u64);
    stats.add(Counter::GenericFiltered, payload.len() as u64);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiledb_core::types::CURRENT_VERSION;

    const KEY: EncryptionKey = EncryptionKey::Aes256([7; 32]);

    proptest! {
        #[test]
        fn payloads_come_back(payload in prop::collection::vec(any::<u8>(), 0..300), repeat in 1usize..500, sealed: bool) {
            let key = if sealed { KEY } else { EncryptionKey::None };
            let payload = payload.repeat(repeat);
            let mut bytes = Vec::new();
            write(&payload, CURRENT_VERSION, &key, &mut bytes).unwrap();
            let len = bytes.len();
            bytes.extend_from_slice(&[1, 2, 3]);
            let (back, consumed) = read(&bytes, &key).unwrap();
            prop_assert!(back == payload);
            prop_assert_eq!(consumed, len);
        }

        #[test]
        fn corrupt_tiles_are_errors_or_payloads(at in any::<prop::sample::Index>(), value: u8, cut in any::<prop::sample::Index>()) {
            let mut bytes = Vec::new();
            write(&[1, 2, 3, 4].repeat(50), CURRENT_VERSION, &EncryptionKey::None, &mut bytes).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = value;
            let _ = read(&bytes, &EncryptionKey::None);
            let _ = read(&bytes[..cut.index(bytes.len())], &EncryptionKey::None);
        }
    }

    #[test]
    fn the_key_must_fit_the_tile() {
        let (mut open, mut sealed) = (Vec::new(), Vec::new());
        write(b"text", CURRENT_VERSION, &EncryptionKey::None, &mut open).unwrap();
        write(b"text", CURRENT_VERSION, &KEY, &mut sealed).unwrap();
        let text = |bytes: &[u8], key| read(bytes, key).unwrap_err().text().to_owned();
        assert_eq!(
            text(&sealed, &EncryptionKey::None),
            "GenericTileIO: Error reading generic tile; tile is encrypted with AES_256_GCM but given key is for NO_ENCRYPTION"
        );
        assert_eq!(
            text(&open, &KEY),
            "GenericTileIO: Error reading generic tile; tile is encrypted with NO_ENCRYPTION but given key is for AES_256_GCM"
        );
        assert_eq!(
            text(&sealed, &EncryptionKey::Aes256([8; 32])),
            "[TileDB::Encryption] Error: OpenSSL error; error finalizing decryption. The key is not that of the array, or the \
             bytes are corrupt"
        );
    }

    #[test]
    fn a_size_beyond_reason_is_refused_before_it_is_reserved() {
        let mut bytes = Vec::new();
        write(b"text", CURRENT_VERSION, &EncryptionKey::None, &mut bytes).unwrap();
        bytes[12..20].copy_from_slice(&(1u64 << 60).to_le_bytes());
        assert!(read(&bytes, &EncryptionKey::None).unwrap_err().text().contains("a payload of"));
    }
}
