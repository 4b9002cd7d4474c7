//! The generic tile: a payload with a header that describes its filters. Schemas, metadata, group details and the
//! tables of fragment metadata are generic tiles.
//!
//! Header: `format version u32, persisted size u64, tile size u64, datatype u8, cell size u64, encryption type u8,
//! pipeline size u32`, the pipeline, then `persisted size` bytes of chunks.

use crate::crypto::EncryptionKey;
use crate::filter::{Filter, Pipeline, TileShape, decoded_size};
use tiledb_core::budget::{StructureBudget, StructureMemory};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::limits::filter::FIRST_PARSED_BYTES;
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Stats};
use tiledb_core::types::{Datatype, EncryptionType, FormatVersion, NEWEST_READABLE_VERSION};
use tiledb_core::wire::{WireReader, WireWriter};

/// Parses a structure, to check that its beginning is valid before all of it is decoded.
pub type Check<'a> = &'a dyn Fn(&mut WireReader<'_>, StructureMemory) -> Result<()>;

/// Payload of a generic tile, and the memory that is left for what is decoded from it.
pub struct StructurePayload {
    /// The decoded bytes, which are counted already.
    pub bytes: Vec<u8>,
    /// The memory of the structure.
    pub memory: StructureMemory,
    /// Bytes of the tile.
    pub tile_size: usize,
}

/// Reads the generic tile at the start of `bytes` within the default limit of memory: its payload, and how many bytes it
/// takes.
///
/// # Errors
/// As [`decode`].
pub fn read(bytes: &[u8], key: &EncryptionKey) -> Result<(Vec<u8>, usize)> {
    let limit = |stored_bytes| Ok(StructureBudget::default().of_stored(stored_bytes));
    let payload = decode(bytes, key, limit, &|_, _| Ok(()))?;
    Ok((payload.bytes, payload.tile_size))
}

/// Reads the generic tile at the start of `bytes`; `limit` determines its memory by the size of the tile. `check` parses the
/// beginning of a large payload, so that one which is no valid structure is not decoded to its end.
///
/// # Errors
/// If the bytes are corrupt, encrypted otherwise than `key` says, or decode to more than `limit` allows; and those of
/// `limit` and `check`.
pub fn decode(
    bytes: &[u8],
    key: &EncryptionKey,
    limit: impl FnOnce(usize) -> Result<StructureMemory>,
    check: Check<'_>,
) -> Result<StructurePayload> {
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
            "GenericTileIO: Error reading generic tile; tile is encrypted with {} but given key is for {}: \
             set sm.encryption_type to {}{}",
            encryption.name(),
            key.encryption_type().name(),
            encryption.name(),
            if encryption == EncryptionType::NoEncryption {
                ""
            } else {
                ", and sm.encryption_key to the key of the array"
            }
        );
    }
    if persisted > r.remaining() as u64 {
        return Err(r.corrupt(format_args!("a body of {persisted} bytes, {} left", r.remaining())));
    }
    let body = r.bytes(persisted as usize)?;
    // The chunks state their sizes, too; compared before memory is reserved.
    let size = match usize::try_from(size) {
        Ok(size) if decoded_size(body)? == size => size,
        _ => return Err(r.corrupt(format_args!("a payload of {size} bytes in a body of {} bytes", body.len()))),
    };
    let mut memory = limit(r.position())?;
    memory.charge(size)?;
    let cell_size = usize::try_from(cell_size).unwrap_or(1);
    let mut payload = memory::zeroed("a generic tile", size)?;
    let shape = TileShape { datatype, cell_size, is_var: false, version };
    let first = FIRST_PARSED_BYTES.count();
    let mut decoded = 0;
    while decoded < size {
        let end = decoded.saturating_mul(2).max(first).min(size);
        pipeline.reverse_chunks(&shape, key, body, &mut payload, &|chunk| (decoded..end).contains(&chunk.start))?;
        decoded = end;
        if decoded < size {
            check_prefix(&payload[..decoded], size, memory, check)?;
        }
    }
    Ok(StructurePayload { bytes: payload, memory, tile_size: r.position() })
}

fn check_prefix(prefix: &[u8], size: usize, memory: StructureMemory, check: Check<'_>) -> Result<()> {
    match check(&mut WireReader::of_prefix("structure", prefix, size), memory) {
        Err(error) if error.kind() != ErrorKind::Incomplete => Err(error),
        _ => Ok(()),
    }
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

/// As [`decode`], with the limit of a configuration, counting the bytes of the payload under this name and with all others.
///
/// # Errors
/// As [`decode`].
pub fn load(
    bytes: &[u8],
    key: &EncryptionKey,
    config: &Config,
    stats: &Stats,
    counter: Counter,
    check: Check<'_>,
) -> Result<StructurePayload> {
    let budget = StructureBudget::of(config)?;
    let payload = decode(bytes, key, |stored_bytes| Ok(budget.of_stored(stored_bytes)), check)?;
    count(&payload.bytes, stats, counter);
    Ok(payload)
}

/// As [`decode`], returning the payload alone, and counting its bytes under this name and with all others.
///
/// # Errors
/// As [`decode`].
pub fn load_within(
    bytes: &[u8],
    key: &EncryptionKey,
    stats: &Stats,
    counter: Counter,
    limit: impl FnOnce(usize) -> Result<StructureMemory>,
) -> Result<Vec<u8>> {
    let payload = decode(bytes, key, limit, &|_, _| Ok(()))?.bytes;
    count(&payload, stats, counter);
    Ok(payload)
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
    use tiledb_core::budget::STRUCTURE;
    use tiledb_core::limits::simulation::SimulatedLimits;
    use tiledb_core::types::CURRENT_VERSION;

    const KEY: EncryptionKey = EncryptionKey::Aes256([7; 32]);

    proptest! {
        #[test]
        fn payloads_come_back(payload in prop::collection::vec(any::<u8>(), 0..300), repeat in 1usize..500, sealed: bool, limits in prop::option::of(any::<u64>())) {
            let key = if sealed { KEY } else { EncryptionKey::None };
            let payload = payload.repeat(repeat);
            let mut bytes = Vec::new();
            write(&payload, CURRENT_VERSION, &key, &mut bytes).unwrap();
            let len = bytes.len();
            bytes.extend_from_slice(&[1, 2, 3]);
            let (back, consumed) = SimulatedLimits::of_option(limits).run(|| read(&bytes, &key)).unwrap();
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
            "GenericTileIO: Error reading generic tile; tile is encrypted with AES_256_GCM but given key is for NO_ENCRYPTION: \
             set sm.encryption_type to AES_256_GCM, and sm.encryption_key to the key of the array"
        );
        assert_eq!(
            text(&open, &KEY),
            "GenericTileIO: Error reading generic tile; tile is encrypted with NO_ENCRYPTION but given key is for AES_256_GCM: \
             set sm.encryption_type to NO_ENCRYPTION"
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

    #[test]
    fn payload_that_is_no_structure_is_not_decoded_to_its_end() {
        let first = FIRST_PARSED_BYTES.count();
        let mut bytes = Vec::new();
        write(&vec![7; 5 * first], CURRENT_VERSION, &EncryptionKey::None, &mut bytes).unwrap();
        let limit = |stored_bytes| Ok(StructureBudget::default().of_stored(stored_bytes));
        let sizes = std::cell::RefCell::new(Vec::new());
        let decode = |valid: usize| {
            sizes.borrow_mut().clear();
            decode(&bytes, &EncryptionKey::None, limit, &|r, _| {
                sizes.borrow_mut().push(r.available().len());
                assert_eq!(r.remaining(), 5 * first);
                // Every byte is an entry.
                while !r.is_empty() {
                    if r.position() == valid {
                        return Err(r.corrupt("an entry"));
                    }
                    r.u8()?;
                }
                Ok(())
            })
        };
        assert_eq!(decode(usize::MAX).unwrap().bytes, vec![7; 5 * first]);
        assert_eq!(*sizes.borrow(), [first, 2 * first, 4 * first]);
        assert_eq!(decode(first + 1).err().unwrap().kind(), ErrorKind::Corrupt);
        assert_eq!(*sizes.borrow(), [first, 2 * first]);
    }

    #[test]
    fn payload_beyond_the_limit_is_an_error_that_names_the_parameter() {
        let mut bytes = Vec::new();
        write(&[7; 1 << 20], CURRENT_VERSION, &EncryptionKey::None, &mut bytes).unwrap();
        let mut config = Config::new();
        let load = |config: &Config| {
            let (key, stats) = (EncryptionKey::None, Stats::unlisted());
            load(&bytes, &key, config, &stats, Counter::SchemaRead, &|_, _| Ok(())).map(|payload| payload.bytes)
        };
        assert_eq!(load(&config).unwrap(), [7; 1 << 20]);
        config.set(STRUCTURE, "1000").unwrap();
        let error = load(&config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Budget);
        // As much as the message says is enough.
        let required = error.text().rsplit(' ').next().unwrap();
        config.set(STRUCTURE, required).unwrap();
        assert_eq!(load(&config).unwrap().len(), 1 << 20);
    }
}
