//! Metadata of arrays and groups: values under keys, gathered from all files of a time window.

use std::collections::{BTreeMap, HashSet};

use super::commits::vacuumed;
use crate::crypto::EncryptionKey;
use crate::error::{Context, Error, Result, bail};
use crate::fragment::times_of;
use crate::resources::Resources;
use crate::tile::generic;
use crate::types::Datatype;
use crate::vfs::{Uri, Vfs};
use crate::wire::Reader;

/// A value: some cells of one datatype, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataValue {
    datatype: Datatype,
    /// The bytes, in words so that C may read them as any type.
    words: Vec<u64>,
    len: usize,
}

impl MetadataValue {
    /// A value of the whole cells in `bytes`; without bytes it is empty.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(datatype: Datatype, bytes: &[u8]) -> Result<MetadataValue> {
        let len = bytes.len() - bytes.len() % datatype.size();
        let count = len.div_ceil(8);
        let mut words = Vec::new();
        words.try_reserve_exact(count).map_err(|_| Error::out_of_memory("a metadata value", len))?;
        words.resize(count, 0u64);
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..len].copy_from_slice(&bytes[..len]);
        Ok(MetadataValue { datatype, words, len })
    }

    /// The type of the cells.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The cells, aligned for their type.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }

    /// How many cells there are.
    pub fn count(&self) -> usize {
        self.len / self.datatype.size()
    }
}

/// All metadata of an array or group in a time window, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// Sorted by key; each key is followed by a NUL.
    entries: Vec<(Box<[u8]>, MetadataValue)>,
}

impl Metadata {
    /// Reads the metadata that the array or group at `parent` got in the window.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn load(resources: &Resources, parent: &Uri, window: (u64, u64), key: &EncryptionKey) -> Result<Metadata> {
        let mut found = BTreeMap::new();
        for file in visible_metadata(resources.vfs(), parent, window)?.0 {
            let mut read = || {
                let bytes = resources.vfs().read(&file)?;
                apply(&generic::read(&bytes, key)?.0, &mut found)
            };
            read().context(|| format!("Cannot read the metadata in '{file}'"))?;
        }
        let ended = |key: Vec<u8>| [key.as_slice(), &[0]].concat().into_boxed_slice();
        Ok(Metadata { entries: found.into_iter().map(|(key, value)| (ended(key), value)).collect() })
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&MetadataValue> {
        let place = self.entries.binary_search_by(|(own, _)| own[..own.len() - 1].cmp(key.as_bytes()));
        place.ok().map(|place| &self.entries[place].1)
    }

    /// The key at a position in the order of keys, followed by a NUL that is not part of it, and
    /// its value.
    ///
    /// # Errors
    /// Beyond the last one.
    pub fn at(&self, index: u64) -> Result<(&[u8], &MetadataValue)> {
        match usize::try_from(index).ok().and_then(|index| self.entries.get(index)) {
            Some((key, value)) => Ok((&key[..key.len() - 1], value)),
            None => bail!("Metadata: Cannot get metadata; index out of bounds"),
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Applies the entries of one file: later values replace earlier ones, deletions remove them.
fn apply(payload: &[u8], found: &mut BTreeMap<Vec<u8>, MetadataValue>) -> Result<()> {
    let mut r = Reader::new("metadata", payload);
    while !r.is_empty() {
        let length = r.count32(1)?;
        let key = r.bytes(length)?.to_vec();
        if r.u8()? != 0 {
            found.remove(&key);
            continue;
        }
        let datatype = Datatype::from_number(r.u8()?.into())?;
        let count = r.count32(datatype.size())?;
        found.insert(key, MetadataValue::new(datatype, r.bytes(count * datatype.size())?)?);
    }
    Ok(())
}

/// The metadata files of the array or group at `parent` that count in the window, oldest first, and
/// those that a consolidation replaced.
///
/// # Errors
/// If the folder cannot be listed or a vacuum file cannot be read.
pub fn visible_metadata(vfs: &Vfs, parent: &Uri, window: (u64, u64)) -> Result<(Vec<Uri>, Vec<Uri>)> {
    let mut files = Vec::new();
    let mut replaced = HashSet::new();
    let folder = parent.join("__meta");
    for item in vfs.names(&folder)? {
        let times = times_of(&item.name).filter(|times| window.0 <= times.0 && times.1 <= window.1);
        match times {
            Some(_) if item.name.ends_with(".vac") => replaced.extend(vacuumed(&vfs.read(&folder.join(&item.name))?)),
            Some(times) if !item.name.contains('.') => files.push((times.0, folder.join(&item.name))),
            _ => (),
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, uri)| uri).partition(|uri| !replaced.contains(uri.last_part())))
}

#[cfg(test)]
mod tests {
    use super::super::MetadataChanges;
    use super::*;
    use crate::config::Config;

    const KEY: EncryptionKey = EncryptionKey::None;
    const ALWAYS: (u64, u64) = (0, u64::MAX);

    fn put(changes: &mut MetadataChanges, key: &str, value: i32) {
        changes.put(key, Datatype::Int32, &value.to_le_bytes()).unwrap();
    }

    fn value(resources: &Resources, parent: &Uri, window: (u64, u64), key: &str) -> Option<i32> {
        let metadata = Metadata::load(resources, parent, window, &KEY).unwrap();
        metadata.get(key).map(|value| bytemuck::pod_read_unaligned(value.bytes()))
    }

    #[test]
    fn files_apply_in_the_order_of_time() {
        let resources = Resources::new(Config::new()).unwrap();
        let parent = Uri::parse("mem://metadata/array").unwrap();
        for (time, number) in [(30, 3), (10, 1), (20, 2)] {
            let mut changes = MetadataChanges::default();
            put(&mut changes, "same", number);
            put(&mut changes, &format!("own{number}"), number);
            if time == 30 {
                changes.delete("own1");
            }
            changes.write(&resources, &parent, time, &KEY).unwrap();
        }
        assert_eq!(value(&resources, &parent, ALWAYS, "same"), Some(3));
        assert_eq!(value(&resources, &parent, (0, 29), "same"), Some(2));
        assert_eq!(value(&resources, &parent, (0, 29), "own1"), Some(1));
        assert_eq!(value(&resources, &parent, ALWAYS, "own1"), None);
        let all = Metadata::load(&resources, &parent, ALWAYS, &KEY).unwrap();
        let keys: Vec<&[u8]> = (0..3).map(|index| all.at(index).unwrap().0).collect();
        assert_eq!(keys, [&b"own2"[..], b"own3", b"same"]);
        assert!(all.at(3).is_err() && all.len() == 3);
    }

    #[test]
    fn consolidated_files_replace_their_inputs_where_they_count() {
        let resources = Resources::new(Config::new()).unwrap();
        let parent = Uri::parse("mem://metadata/consolidated").unwrap();
        for time in [1, 2] {
            let mut changes = MetadataChanges::default();
            put(&mut changes, "a", time);
            changes.write(&resources, &parent, time as u64, &KEY).unwrap();
        }
        let (inputs, _) = visible_metadata(resources.vfs(), &parent, ALWAYS).unwrap();
        let lines: String = inputs.iter().map(|uri| format!("/__meta/{}\n", uri.last_part())).collect();
        let stem = parent.join("__meta").join("__1_2_0123456789abcdef0123456789abcdef");
        let bytes = resources.vfs().read(&inputs[1]).unwrap();
        resources.vfs().put(&stem, &bytes).unwrap();
        resources.vfs().put(&Uri::parse(&format!("{stem}.vac")).unwrap(), lines.as_bytes()).unwrap();
        let (visible, replaced) = visible_metadata(resources.vfs(), &parent, ALWAYS).unwrap();
        assert_eq!((visible, replaced), (vec![stem], inputs));
        assert_eq!(value(&resources, &parent, (0, 1), "a"), Some(1));
    }

    #[test]
    fn damaged_files_are_errors() {
        let mut changes = MetadataChanges::default();
        put(&mut changes, "key", 7);
        changes.delete("gone");
        let payload = changes.payload();
        for cut in 1..payload.len() {
            // Cut between two entries it is sound, elsewhere an error, never a panic.
            let _ = apply(&payload[..cut], &mut BTreeMap::new());
        }
        assert!(apply(&payload[..payload.len() - 1], &mut BTreeMap::new()).is_err());
        assert!(apply(&payload, &mut BTreeMap::new()).is_ok());
    }
}
