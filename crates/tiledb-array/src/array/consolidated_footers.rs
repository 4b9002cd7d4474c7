//! Consolidated fragment metadata: the footers of many fragments in one file, so that an array opens without reading the
//! metadata file of each.
//!
//! The payload is `count u32`, then per fragment its name and the offset of its footer, then the footers.

use std::ops::Range;

use super::ArrayDirectory;
use tiledb_core::budget::StructureMemory;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::memory;
use tiledb_core::sort;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::wire::WireReader;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, StructurePayload};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Memory of the place of a footer: while it is looked for, and then.
pub const FOOTER_MEMORY: usize = size_of::<(&str, usize)>() + size_of::<FooterPlace>();

/// The fragments whose footers consolidated fragment metadata hold, and where in the payload each begins.
///
/// # Errors
/// If the payload is corrupt.
pub fn consolidated_footers<'a>(payload: &'a [u8], memory: &mut StructureMemory) -> Result<Vec<(&'a str, usize)>> {
    parse(&mut WireReader::new("consolidated fragment metadata", payload), memory)
}

/// Checks the beginning of a payload.
///
/// # Errors
/// As [`consolidated_footers`].
pub fn check_footers(r: &mut WireReader<'_>, mut memory: StructureMemory) -> Result<()> {
    parse(r, &mut memory).map(drop)
}

/// The names, with the offsets of footers, which lie behind all names.
fn parse<'a>(r: &mut WireReader<'a>, memory: &mut StructureMemory) -> Result<Vec<(&'a str, usize)>> {
    let size = r.remaining();
    let mut places = Vec::new();
    for _ in 0..r.count32(16)? {
        memory.charge(FOOTER_MEMORY)?;
        let name = r.str64()?.trim_end_matches('/');
        let offset = r.u64()?;
        match usize::try_from(offset) {
            Ok(offset) if (r.position()..size).contains(&offset) => {
                memory::push("footers", &mut places, (name, offset))?
            }
            _ => {
                bail!(Corrupt, "the footer of '{name}' is said to lie at byte {offset} of {size}, where there is none")
            }
        }
    }
    match places.last() {
        // Fragments without footers have no end.
        None if !r.is_empty() => Err(r.corrupt("bytes behind no footers")),
        _ => Ok(places),
    }
}

/// The footers in consolidated fragment metadata.
pub(super) struct ConsolidatedFooters {
    payloads: Vec<Vec<u8>>,
    /// By the names of fragments; of equal names the last one counts.
    places: Vec<FooterPlace>,
}

/// Where the footer of a fragment begins in a payload, and where the name of the fragment is.
struct FooterPlace {
    payload: usize,
    name: Range<usize>,
    offset: usize,
}

impl ConsolidatedFooters {
    /// Reads all consolidated fragment metadata of an array.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn load(
        resources: &Resources,
        directory: &ArrayDirectory,
        key: &EncryptionKey,
    ) -> Result<ConsolidatedFooters> {
        let mut footers = ConsolidatedFooters { payloads: Vec::new(), places: Vec::new() };
        if directory.fragment_metas().is_empty() {
            return Ok(footers);
        }
        let _timer = resources.stats().timer(Timer::LoadFooters);
        let vfs = resources.vfs();
        let metas = directory.fragment_metas();
        let files = vfs.map(directory.uri(), metas.len(), |index| Ok(vfs.read(&metas[index])))?;
        let config = resources.config();
        let stats = resources.stats();
        for (file, bytes) in metas.iter().zip(files) {
            let payload = bytes.and_then(|bytes| {
                generic::load(&bytes, key, config, stats, Counter::ConsolidatedFooters, &check_footers)
            });
            let added = payload.and_then(|payload| footers.add(payload, directory.uri()));
            added.context(|| format!("Cannot read the consolidated fragment metadata '{file}'"))?;
        }
        let ConsolidatedFooters { payloads, places } = &mut footers;
        sort::by(places, |a, b| a.name(payloads).cmp(b.name(payloads)));
        Ok(footers)
    }

    fn add(&mut self, payload: StructurePayload, array: &Uri) -> Result<()> {
        let StructurePayload { bytes: payload, mut memory, .. } = payload;
        let footers = consolidated_footers(&payload, &mut memory)?;
        memory::reserve("footers", &mut self.places, footers.len())?;
        for (name, offset) in footers {
            // Old fragments are named by absolute URI, which counts while the array is where it was.
            let name = match name.rsplit_once('/') {
                Some((folder, name)) if folder == array.as_str() => name,
                Some(_) => continue,
                None => name,
            };
            let start = name.as_ptr().addr() - payload.as_ptr().addr();
            self.places.push(FooterPlace { payload: self.payloads.len(), name: start..start + name.len(), offset });
        }
        self.payloads.push(payload);
        Ok(())
    }

    /// The bytes from a fragment's footer on.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        let end = self.places.partition_point(|place| place.name(&self.payloads) <= name.as_bytes());
        let place = self.places[..end].last().filter(|place| place.name(&self.payloads) == name.as_bytes())?;
        self.payloads[place.payload].get(place.offset..)
    }
}

impl FooterPlace {
    fn name<'a>(&self, payloads: &'a [Vec<u8>]) -> &'a [u8] {
        &payloads[self.payload][self.name.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::types::CURRENT_VERSION;

    /// A payload of footers, each of a byte.
    fn payload(footers: &[(&str, u8)]) -> Vec<u8> {
        let names: usize = footers.iter().map(|(name, _)| 16 + name.len()).sum();
        let mut payload = (footers.len() as u32).to_le_bytes().to_vec();
        for (number, (name, _)) in footers.iter().enumerate() {
            payload.extend((name.len() as u64).to_le_bytes());
            payload.extend(name.as_bytes());
            payload.extend((4 + names + number).to_le_bytes());
        }
        payload.extend(footers.iter().map(|(_, byte)| *byte));
        payload
    }

    #[test]
    fn footers_are_found_in_all_files_and_a_damaged_file_is_an_error() {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse("mem://consolidated_footers/array").unwrap();
        let vfs = resources.vfs();
        let stats = resources.stats();
        let key = &EncryptionKey::None;
        let put = |number: u64, footers: &[(&str, u8)]| {
            let bytes =
                generic::store(&payload(footers), CURRENT_VERSION, key, stats, Counter::MetadataWritten).unwrap();
            let file = uri.join(&format!("__fragment_meta/__{number}_{number}_{number:032x}_22.meta"));
            vfs.put(&file, &bytes).unwrap();
            file
        };
        vfs.put(&uri.join("__schema/__1_1_00000000000000000000000000000001"), b"").unwrap();
        // Names do not ascend. One fragment is named by its URI, and one by a URI of another array.
        let own = format!("{uri}/b");
        put(1, &[("c", 1), ("a", 2)]);
        put(2, &[(&own, 3), ("mem://other/d", 4)]);
        let load = || ConsolidatedFooters::load(&resources, &ArrayDirectory::load(vfs, &uri).unwrap(), key);
        let footers = load().unwrap();
        let first = |name: &str| footers.get(name).map(|footer| footer[0]);
        assert_eq!(["a", "b", "c", "d", "e", "", "aa"].map(first), [Some(2), Some(3), Some(1), None, None, None, None]);
        // Of two footers of a fragment the later one counts.
        let file = put(3, &[("a", 5)]);
        assert_eq!(load().unwrap().get("a").map(|footer| footer[0]), Some(5));
        vfs.put(&file, b"damaged").unwrap();
        let error = load().map(drop).unwrap_err();
        assert!(error.text().contains("Cannot read the consolidated fragment metadata"), "{error:?}");
    }
}
