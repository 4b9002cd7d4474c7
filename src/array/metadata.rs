//! Metadata of arrays and groups: values under keys, gathered from all files of a time window.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use super::MetadataFiles;
use super::commits::vacuumed;
use super::metadata_index::KeyIndex;
use crate::crypto::EncryptionKey;
use crate::error::{Context, Error, Result, bail};
use crate::fragment::times_of;
use crate::memory;
use crate::resources::Resources;
use crate::stats::{Counter, Timer};
use crate::tile::generic;
use crate::types::Datatype;
use crate::vfs::{Uri, Vfs};
use crate::wire::{Reader, Writer};

/// A value: some cells of one datatype, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetadataValue<'a> {
    datatype: Datatype,
    bytes: &'a [u8],
}

impl<'a> MetadataValue<'a> {
    /// A value of the whole cells in `bytes`; without bytes it is empty.
    pub(super) fn new(datatype: Datatype, bytes: &'a [u8]) -> MetadataValue<'a> {
        MetadataValue { datatype, bytes: &bytes[..bytes.len() - bytes.len() % datatype.size()] }
    }

    /// The type of the cells.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The cells, aligned for their type where they come from [`Metadata`].
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many cells there are.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.datatype.size()
    }
}

/// All metadata of an array or group in a time window, by key.
#[derive(Debug, Default)]
pub struct Metadata {
    /// Sorted by key.
    entries: Vec<Entry>,
    /// The keys, each followed by a NUL.
    keys: Vec<u8>,
    /// The bytes of the values, each from the start of a word, so that C may read them as any type.
    values: Vec<u64>,
    /// Made when a key is first asked for.
    index: OnceLock<KeyIndex>,
}

/// Where a key and its value lie.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    key: Range<usize>,
    datatype: Datatype,
    /// First word and number of bytes.
    value: (usize, usize),
}

impl Metadata {
    /// Reads the metadata that the array or group at `parent` got in the window; their size is added to `counter`.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn load(
        resources: &Resources,
        parent: &Uri,
        window: (u64, u64),
        key: &EncryptionKey,
        counter: Counter,
    ) -> Result<Metadata> {
        let files = visible_metadata(resources.vfs(), parent, window)?.0;
        let payloads = read_files(resources, files, key, counter)?;
        Metadata::of(latest(&payloads)?)
    }

    /// The values among changes in the order of keys.
    pub(super) fn of(changes: Vec<Change<'_>>) -> Result<Metadata> {
        let mut metadata = Metadata::default();
        metadata.reserve(&changes)?;
        for Change { key, value } in changes {
            if let Some(value) = value {
                metadata.push(key, value);
            }
        }
        Ok(metadata)
    }

    /// Makes room for what is put.
    fn reserve(&mut self, changes: &[Change<'_>]) -> Result<()> {
        let (mut count, mut keys, mut words) = (0, 0, 0);
        for Change { key, value } in changes {
            if let Some(value) = value {
                (count, keys, words) = (count + 1, keys + key.len() + 1, words + value.bytes.len().div_ceil(8));
            }
        }
        let room = self.values.try_reserve_exact(words).and_then(|()| self.keys.try_reserve_exact(keys));
        let room = room.and_then(|()| self.entries.try_reserve_exact(count));
        room.map_err(|_| Error::out_of_memory("metadata", 8 * words + keys))
    }

    /// Appends a key that is greater than all before, where there is room for it.
    fn push(&mut self, key: &[u8], value: MetadataValue<'_>) {
        let Metadata { entries, keys, values, .. } = self;
        let start = keys.len();
        let (first, len) = (values.len(), value.bytes.len());
        keys.extend_from_slice(key);
        entries.push(Entry { key: start..keys.len(), datatype: value.datatype, value: (first, len) });
        keys.push(0);
        values.resize(first + len.div_ceil(8), 0);
        bytemuck::cast_slice_mut::<u64, u8>(&mut values[first..])[..len].copy_from_slice(value.bytes);
    }

    fn key_of(&self, entry: &Entry) -> &[u8] {
        &self.keys[entry.key.clone()]
    }

    fn value_of(&self, entry: &Entry) -> MetadataValue<'_> {
        let (first, len) = entry.value;
        MetadataValue { datatype: entry.datatype, bytes: &bytemuck::cast_slice(&self.values[first..])[..len] }
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<MetadataValue<'_>> {
        let index = self.index.get_or_init(|| KeyIndex::new(self.entries.iter().map(|entry| self.key_of(entry))));
        let place = index.find(key.as_bytes(), |place| self.key_of(&self.entries[place]))?;
        self.entries.get(place).map(|entry| self.value_of(entry))
    }

    /// The key at a position in the order of keys, followed by a NUL that is not part of it, and
    /// its value.
    ///
    /// # Errors
    /// Beyond the last one.
    pub fn at(&self, index: u64) -> Result<(&[u8], MetadataValue<'_>)> {
        match usize::try_from(index).ok().and_then(|index| self.entries.get(index)) {
            Some(entry) => Ok((self.key_of(entry), self.value_of(entry))),
            None => bail!("Metadata: Cannot get metadata; index out of bounds"),
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

fn not_read(file: &Uri) -> String {
    format!("Cannot read the metadata in '{file}'")
}

/// An entry of a file.
pub(super) struct Change<'a> {
    pub(super) key: &'a [u8],
    /// `None` where the key is deleted.
    pub(super) value: Option<MetadataValue<'a>>,
}

impl Change<'_> {
    /// Writes the entry as it stands in files.
    pub(super) fn write(&self, w: &mut Writer) {
        w.u32(self.key.len() as u32).bytes(self.key).u8(self.value.is_none().into());
        if let Some(value) = self.value {
            w.u8(value.datatype.number()).u32(value.count() as u32).bytes(value.bytes);
        }
    }
}

/// The contents of metadata files, with their names.
///
/// # Errors
/// If one cannot be read.
pub(super) fn read_files(
    resources: &Resources,
    files: Vec<Uri>,
    key: &EncryptionKey,
    counter: Counter,
) -> Result<Vec<(Vec<u8>, Uri)>> {
    let stats = resources.stats();
    let _timer = stats.timer(Timer::LoadMetadata);
    let Some(first) = files.first() else { return Ok(Vec::new()) };
    let payloads = resources.vfs().map(first, files.len(), |index| {
        let payload = resources.vfs().read(&files[index]).and_then(|bytes| generic::load(&bytes, key, stats, counter));
        payload.context(|| not_read(&files[index]))
    })?;
    Ok(payloads.into_iter().zip(files).collect())
}

/// What an entry of a file takes at least as a rule, in bytes.
const USUAL_ENTRY: usize = 16;
/// The most entries that room is made for before they are counted.
const MOST_RESERVED: usize = 1 << 16;

/// The last change of every key in files of ascending time, by key.
///
/// # Errors
/// If a file is damaged.
pub(super) fn latest(payloads: &[(Vec<u8>, Uri)]) -> Result<Vec<Change<'_>>> {
    let mut changes = Vec::new();
    for (payload, file) in payloads {
        memory::reserve("metadata", &mut changes, (payload.len() / USUAL_ENTRY).min(MOST_RESERVED))?;
        let first = changes.len();
        let mut unordered = 0;
        parse(payload, |change| put(&mut changes, first, change, &mut unordered)).context(|| not_read(file))?;
    }
    // Files are sorted by key, which the sort makes use of; among equal keys the last one comes last.
    sort(&mut changes)?;
    changes.dedup_by(|later, earlier| {
        let same = later.key == earlier.key;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
    Ok(changes)
}

/// The most entries of a file whose keys come before those of the entries in front of them. Every library writes keys in
/// order; those that are not may come again and again, which takes no room on disk.
const MOST_UNORDERED: usize = 1 << 16;

/// Appends an entry of the file whose entries begin at `first`. Where files have a key twice, one after the other, the
/// last one counts: so that what is held is less than a few times what was written by hand.
fn put<'a>(changes: &mut Vec<Change<'a>>, first: usize, change: Change<'a>, unordered: &mut usize) -> Result<()> {
    match changes[first..].last_mut() {
        Some(last) if last.key == change.key => {
            *last = change;
            return Ok(());
        }
        Some(last) if last.key > change.key => *unordered += 1,
        _ => (),
    }
    if *unordered > MOST_UNORDERED {
        bail!(Corrupt, "more than {MOST_UNORDERED} entries are not in the order of keys");
    }
    memory::push("metadata", changes, change)
}

/// Files are written in the order of keys, so that one alone takes no sorting.
fn sort(changes: &mut [Change<'_>]) -> Result<()> {
    if changes.is_sorted_by_key(|change| change.key) {
        return Ok(());
    }
    memory::sort_by_key("metadata", changes, |change| change.key)
}

/// Gives the entries of one file.
fn parse<'a>(payload: &'a [u8], mut put: impl FnMut(Change<'a>) -> Result<()>) -> Result<()> {
    let mut r = Reader::new("metadata", payload);
    while !r.is_empty() {
        let length = r.count32(1)?;
        let key = r.bytes(length)?;
        if r.u8()? != 0 {
            put(Change { key, value: None })?;
            continue;
        }
        let datatype = Datatype::from_number(r.u8()?.into())?;
        let count = r.count32(datatype.size())?;
        let value = MetadataValue::new(datatype, r.bytes(count * datatype.size())?);
        put(Change { key, value: Some(value) })?;
    }
    Ok(())
}

/// The metadata files of the array or group at `parent` that count in the window, oldest first, and
/// those that a consolidation replaced.
///
/// # Errors
/// If the folder cannot be listed or a vacuum file cannot be read.
pub fn visible_metadata(vfs: &Vfs, parent: &Uri, window: (u64, u64)) -> Result<(Vec<Uri>, Vec<Uri>)> {
    let MetadataFiles { files, replaced, .. } = metadata_files(vfs, parent, window)?;
    Ok((files, replaced))
}

/// As [`visible_metadata`], with the files that say what a consolidation replaced.
///
/// # Errors
/// As [`visible_metadata`].
pub(super) fn metadata_files(vfs: &Vfs, parent: &Uri, window: (u64, u64)) -> Result<MetadataFiles> {
    let mut files = Vec::new();
    let mut vacuums = Vec::new();
    let folder = parent.join("__meta");
    let timer = vfs.stats().timer(Timer::ListMetadata);
    let listed = vfs.names(&folder)?;
    drop(timer);
    for item in listed {
        let times = times_of(&item.name).filter(|times| window.0 <= times.0 && times.1 <= window.1);
        match times {
            Some(_) if item.name.ends_with(".vac") => vacuums.push(folder.join(&item.name)),
            Some(times) if !item.name.contains('.') => files.push((times.0, folder.join(&item.name))),
            _ => (),
        }
    }
    files.sort();
    let lists = vfs.map(&folder, vacuums.len(), |index| vfs.read(&vacuums[index]))?;
    let replaced: HashSet<String> = lists.iter().flat_map(|bytes| vacuumed(bytes)).collect();
    let (files, replaced) = files.into_iter().map(|(_, uri)| uri).partition(|uri| !replaced.contains(uri.last_part()));
    Ok(MetadataFiles { files, replaced, vacuums })
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
        let metadata = Metadata::load(resources, parent, window, &KEY, Counter::MetadataRead).unwrap();
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
        let all = Metadata::load(&resources, &parent, ALWAYS, &KEY, Counter::MetadataRead).unwrap();
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
    fn values_are_aligned_and_keys_ended() {
        let resources = Resources::new(Config::new()).unwrap();
        let parent = Uri::parse("mem://metadata/aligned").unwrap();
        let mut changes = MetadataChanges::default();
        for (key, len) in [("", 3), ("a", 0), ("ab", 17), ("b", 8)] {
            changes.put(key, Datatype::Uint8, &vec![7; len]).unwrap();
        }
        changes.write(&resources, &parent, 1, &KEY).unwrap();
        let all = Metadata::load(&resources, &parent, ALWAYS, &KEY, Counter::MetadataRead).unwrap();
        assert_eq!(all.keys, *b"\0a\0ab\0b\0");
        for (index, len) in [3, 0, 17, 8].into_iter().enumerate() {
            let (key, value) = all.at(index as u64).unwrap();
            assert_eq!((value.bytes(), value.count()), (&vec![7; len][..], len));
            assert_eq!(value.bytes().as_ptr().align_offset(8), 0);
            assert_eq!(all.get(str::from_utf8(key).unwrap()), Some(value));
        }
        assert!(all.get("aa").is_none());
    }

    #[test]
    fn a_key_that_is_repeated_takes_no_more_memory() {
        // Of zeros, an entry is 10 bytes: no key, not deleted, of type 0, no values.
        let file = Uri::parse("mem://metadata/file").unwrap();
        let payloads = [(vec![0; 100_000], file)];
        let changes = latest(&payloads).unwrap();
        assert!(changes.len() == 1 && changes.capacity() <= MOST_RESERVED);
    }

    #[test]
    fn damaged_files_are_errors() {
        let mut changes = MetadataChanges::default();
        put(&mut changes, "key", 7);
        changes.delete("gone");
        let payload = changes.payload().unwrap();
        for cut in 1..payload.len() {
            // Cut between two entries it is sound, elsewhere an error, never a panic.
            let _ = parse(&payload[..cut], |_| Ok(()));
        }
        assert!(parse(&payload[..payload.len() - 1], |_| Ok(())).is_err());
        assert!(parse(&payload, |_| Ok(())).is_ok());
    }
}
