//! Metadata of arrays and groups: key-value pairs, merged from all files of a time window.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::MetadataFiles;
use super::commits::vacuumed;
use super::relist::{LISTINGS, relist};
use crate::fragment::times_of;
use tiledb_core::budget::{StructureBudget, StructureMemory};
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::memory;
use tiledb_core::sort;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{Datatype, KeyIndex};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, StructurePayload};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

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

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.datatype.size()
    }
}

/// All metadata of an array or group in a time window, by key.
#[derive(Debug, Default)]
pub struct Metadata {
    /// Sorted by key.
    entries: Vec<EntryLocation>,
    /// The decoded files. The byte after a key, its deletion flag, is zero, so that keys are NUL-terminated for C.
    /// Values are moved to word boundaries, so that C may read them as any type; the bytes around them are no longer
    /// needed.
    payloads: Vec<Vec<u8>>,
    /// Created on the first lookup.
    index: OnceLock<KeyIndex>,
}

/// Location of a key and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EntryLocation {
    /// Position of the payload.
    payload: u32,
    datatype: Datatype,
    /// First byte and number of bytes.
    key: (usize, u32),
    value: (usize, usize),
}

/// Bytes of an entry before its key (a length), and between key and value (whether it is deleted, type and count).
const BEFORE_KEY: usize = 4;
const BEFORE_VALUE: usize = 6;
/// Values begin at multiples of this.
const WORD: usize = 8;
/// A value that is moved up is moved by less, into the length before the next key.
const MAX_UP: usize = WORD - (BEFORE_VALUE - 1);

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
        let read = || {
            let files = visible_metadata(resources.vfs(), parent, window)?.0;
            read_files(resources, files, key, counter)
        };
        Metadata::of_files(relist(LISTINGS, read)?)
    }

    /// Reads the metadata in some files.
    ///
    /// # Errors
    /// As [`Metadata::load`].
    pub(super) fn load_files(
        resources: &Resources,
        files: Vec<Uri>,
        key: &EncryptionKey,
        counter: Counter,
    ) -> Result<Metadata> {
        Metadata::of_files(read_files(resources, files, key, counter)?)
    }

    fn of_files(payloads: Vec<MetadataFile>) -> Result<Metadata> {
        let changes = latest(&payloads)?;
        let size: usize = payloads.iter().map(|file| file.payload.bytes.len()).sum();
        // If much was replaced by later files, only the remaining entries are copied.
        if changes.iter().map(|stored| stored.change.size()).sum::<usize>() < size / 2 {
            let mut w = WireWriter::new();
            changes.iter().for_each(|stored| stored.change.write(&mut w));
            return Metadata::of(w.finish()?);
        }
        let entries = entries(&changes)?;
        drop(changes);
        Metadata::in_place(entries, payloads.into_iter().map(|file| file.payload.bytes).collect())
    }

    /// The values in what a file holds.
    ///
    /// # Errors
    /// If it is corrupt, or memory does not suffice.
    pub fn of(payload: Vec<u8>) -> Result<Metadata> {
        Metadata::decode(StructurePayload { bytes: payload, memory: StructureMemory::unlimited(), tile_size: 0 })
    }

    /// As [`Metadata::of`], within the memory of the structure.
    ///
    /// # Errors
    /// As [`Metadata::of`], and if the memory does not suffice.
    pub fn decode(payload: StructurePayload) -> Result<Metadata> {
        let StructurePayload { bytes: payload, mut memory, .. } = payload;
        let mut changes = Vec::new();
        parse(&mut WireReader::new("metadata", &payload), |at, change| {
            memory.charge(ENTRY_MEMORY)?;
            memory::push("metadata", &mut changes, LocatedEntry { file: 0, at, change })
        })?;
        let entries = entries(&changes)?;
        drop(changes);
        Metadata::in_place(entries, vec![payload])
    }

    /// Checks the beginning of what a file holds.
    ///
    /// # Errors
    /// If it is corrupt, or memory does not suffice.
    pub fn check_prefix(r: &mut WireReader<'_>, mut memory: StructureMemory) -> Result<()> {
        let mut changes = Vec::new();
        parse(r, |at, change| put(&mut changes, 0, LocatedEntry { file: 0, at, change }, &mut memory))
    }

    /// These entries, whose values are moved to the start of a word.
    fn in_place(mut entries: Vec<EntryLocation>, mut payloads: Vec<Vec<u8>>) -> Result<Metadata> {
        for payload in &mut payloads {
            memory::reserve("metadata", payload, MAX_UP)?;
            payload.resize(payload.len() + MAX_UP, 0);
        }
        for EntryLocation { payload, value: (first, len), .. } in &mut entries {
            let payload = &mut payloads[*payload as usize];
            let above = (payload.as_ptr() as usize + *first) % WORD;
            let to = if above < BEFORE_VALUE { *first - above } else { *first + (WORD - above) };
            payload.copy_within(*first..*first + *len, to);
            *first = to;
        }
        Ok(Metadata { entries, payloads, index: OnceLock::new() })
    }

    fn key_of(&self, entry: &EntryLocation) -> &[u8] {
        &self.payloads[entry.payload as usize][entry.key.0..][..entry.key.1 as usize]
    }

    fn value_of(&self, entry: &EntryLocation) -> MetadataValue<'_> {
        let (first, len) = entry.value;
        MetadataValue { datatype: entry.datatype, bytes: &self.payloads[entry.payload as usize][first..][..len] }
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
            None => bail!("Metadata: Cannot get metadata; index out of bounds: {index} is not below {}", self.len()),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

fn not_read(file: &Uri) -> String {
    format!("Cannot read the metadata in '{file}'")
}

/// An entry of a file.
pub(super) struct MetadataEntry<'a> {
    pub(super) key: &'a [u8],
    /// `None` where the key is deleted.
    pub(super) value: Option<MetadataValue<'a>>,
}

/// An entry with its place.
pub(super) struct LocatedEntry<'a> {
    /// Position of its file.
    file: usize,
    /// Its offset in the file.
    at: usize,
    pub(super) change: MetadataEntry<'a>,
}

/// The places of keys and values that are there.
fn entries(changes: &[LocatedEntry<'_>]) -> Result<Vec<EntryLocation>> {
    let place = |LocatedEntry { file, at, change }: &LocatedEntry<'_>| {
        let (value, key) = (change.value?, (at + BEFORE_KEY, change.key.len() as u32));
        let first = key.0 + change.key.len() + BEFORE_VALUE;
        Some(EntryLocation { payload: *file as u32, datatype: value.datatype, key, value: (first, value.bytes.len()) })
    };
    memory::collect("metadata", changes.iter().filter_map(place))
}

impl MetadataEntry<'_> {
    /// Bytes of the entry in files, at most.
    pub(super) fn size(&self) -> usize {
        BEFORE_KEY + self.key.len() + BEFORE_VALUE + self.value.map_or(0, |value| value.bytes.len())
    }

    /// Writes the entry in file format.
    pub(super) fn write(&self, w: &mut WireWriter) {
        self.pieces(|bytes| _ = w.bytes(bytes));
    }

    /// As `write`, if there is capacity for its size.
    pub(super) fn append(&self, log: &mut Vec<u8>) {
        self.pieces(|bytes| log.extend_from_slice(bytes));
    }

    fn pieces(&self, mut put: impl FnMut(&[u8])) {
        put(&(self.key.len() as u32).to_le_bytes());
        put(self.key);
        put(&[self.value.is_none().into()]);
        if let Some(value) = self.value {
            put(&[value.datatype.number()]);
            put(&(value.count() as u32).to_le_bytes());
            put(value.bytes);
        }
    }
}

/// The contents of a metadata file.
pub(super) struct MetadataFile {
    pub(super) payload: StructurePayload,
    pub(super) uri: Uri,
}

/// The contents of metadata files.
///
/// # Errors
/// If one cannot be read.
pub(super) fn read_files(
    resources: &Resources,
    files: Vec<Uri>,
    key: &EncryptionKey,
    counter: Counter,
) -> Result<Vec<MetadataFile>> {
    let config = resources.config();
    let stats = resources.stats();
    let _timer = stats.timer(Timer::LoadMetadata);
    let Some(first) = files.first() else { return Ok(Vec::new()) };
    let payloads = resources.vfs().map(first, files.len(), |index| {
        let bytes = resources.vfs().read(&files[index]);
        let payload =
            bytes.and_then(|bytes| generic::load(&bytes, key, config, stats, counter, &Metadata::check_prefix));
        payload.context(|| not_read(&files[index]))
    })?;
    Ok(payloads.into_iter().zip(files).map(|(payload, uri)| MetadataFile { payload, uri }).collect())
}

/// Typical minimum size of an entry in bytes.
const USUAL_ENTRY: usize = 16;
/// Maximum number of entries to reserve memory for before they are counted.
const MAX_RESERVED: usize = 1 << 16;

/// The last change of every key in files of ascending time, by key.
///
/// # Errors
/// If a file is corrupt.
pub(super) fn latest(files: &[MetadataFile]) -> Result<Vec<LocatedEntry<'_>>> {
    let mut changes = Vec::new();
    for (number, MetadataFile { payload, uri }) in files.iter().enumerate() {
        let payload_bytes = payload.bytes.as_slice();
        memory::reserve("metadata", &mut changes, (payload_bytes.len() / USUAL_ENTRY).min(MAX_RESERVED))?;
        let first = changes.len();
        let mut memory = payload.memory;
        let mut add = |at, change| put(&mut changes, first, LocatedEntry { file: number, at, change }, &mut memory);
        parse(&mut WireReader::new("metadata", payload_bytes), &mut add).context(|| not_read(uri))?;
    }
    // Files are sorted by key, which the sort makes use of; among equal keys the last one comes last.
    sort(&mut changes)?;
    changes.dedup_by(|later, earlier| {
        let same = later.change.key == earlier.change.key;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
    Ok(changes)
}

/// Memory of an entry besides that of the payload: while the changes are sorted, and then its place.
pub(super) const ENTRY_MEMORY: usize = size_of::<LocatedEntry<'_>>() + size_of::<EntryLocation>();

/// Checks that metadata of `parent` can be read again which take `memory` when they are decoded.
///
/// # Errors
/// If a reader would reject them.
pub(super) fn check_stored(resources: &Resources, parent: &Uri, memory: usize, stored_bytes: usize) -> Result<()> {
    let check = StructureBudget::of(resources.config())?.check_stored(memory, stored_bytes);
    check.context(|| format!("Cannot write metadata of '{parent}' that could not be read"))
}

/// Appends an entry of the file whose entries begin at `first`, within the memory of the file. Of consecutive entries with the
/// same key, only the last one is retained.
fn put<'a>(
    changes: &mut Vec<LocatedEntry<'a>>,
    first: usize,
    stored: LocatedEntry<'a>,
    memory: &mut StructureMemory,
) -> Result<()> {
    if let Some(last) = changes[first..].last_mut().filter(|last| last.change.key >= stored.change.key) {
        // Every library writes keys in ascending order.
        memory.count_repeat()?;
        if last.change.key == stored.change.key {
            *last = stored;
            return Ok(());
        }
    }
    memory.charge(ENTRY_MEMORY)?;
    memory::push("metadata", changes, stored)
}

/// Files are written in the order of keys, so that one alone takes no sorting.
fn sort(changes: &mut [LocatedEntry<'_>]) -> Result<()> {
    if changes.is_sorted_by_key(|stored| stored.change.key) {
        return Ok(());
    }
    memory::sort_by_key("metadata", changes, |stored| stored.change.key)
}

/// Passes the entries of one file with their offsets to `put`.
fn parse<'a>(r: &mut WireReader<'a>, mut put: impl FnMut(usize, MetadataEntry<'a>) -> Result<()>) -> Result<()> {
    while !r.is_empty() {
        put(r.position(), entry(r)?)?;
    }
    Ok(())
}

pub(super) fn entry<'a>(r: &mut WireReader<'a>) -> Result<MetadataEntry<'a>> {
    let length = r.count32(1)?;
    let key = r.bytes(length)?;
    if r.u8()? != 0 {
        return Ok(MetadataEntry { key, value: None });
    }
    let datatype = Datatype::from_number(r.u8()?.into())?;
    let count = r.count32(datatype.size())?;
    let value = MetadataValue::new(datatype, r.bytes(count * datatype.size())?);
    Ok(MetadataEntry { key, value: Some(value) })
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
    sort::by(&mut files, Ord::cmp);
    let lists = vfs.map(&folder, vacuums.len(), |index| vfs.read(&vacuums[index]))?;
    let replaced: HashSet<String> = lists.iter().flat_map(|bytes| vacuumed(bytes)).collect();
    let (files, replaced) = files.into_iter().map(|(_, uri)| uri).partition(|uri| !replaced.contains(uri.last_part()));
    Ok(MetadataFiles { files, replaced, vacuums })
}

#[cfg(test)]
mod tests {
    use super::super::MetadataChanges;
    use super::*;
    use tiledb_core::config::Config;
    use tiledb_core::types::CURRENT_VERSION;

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
                changes.delete("own1").unwrap();
            }
            changes.write(&resources, &parent, CURRENT_VERSION, time, &KEY).unwrap();
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
            changes.write(&resources, &parent, CURRENT_VERSION, time as u64, &KEY).unwrap();
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
        changes.write(&resources, &parent, CURRENT_VERSION, 1, &KEY).unwrap();
        let all = Metadata::load(&resources, &parent, ALWAYS, &KEY, Counter::MetadataRead).unwrap();
        for (index, len) in [3, 0, 17, 8].into_iter().enumerate() {
            let (key, value) = all.at(index as u64).unwrap();
            let end = all.entries[index].key.0 + key.len();
            assert_eq!(all.payloads[0][end], 0, "the key is ended");
            assert_eq!((value.bytes(), value.count()), (&vec![7; len][..], len));
            assert_eq!(value.bytes().as_ptr().align_offset(8), 0);
            assert_eq!(all.get(str::from_utf8(key).unwrap()), Some(value));
        }
        assert!(all.get("aa").is_none());
    }

    #[test]
    fn values_are_aligned_wherever_they_stand() {
        let keys: Vec<String> = (0..40).map(|number| format!("{number:02}{}", "k".repeat(number * 7 % 11))).collect();
        let mut changes = MetadataChanges::default();
        for (number, key) in keys.iter().enumerate() {
            changes.put(key, Datatype::Uint8, &vec![number as u8; number * 5 % 13]).unwrap();
        }
        let all = changes.values().unwrap();
        for (number, key) in keys.iter().enumerate() {
            let (stored_key, value) = all.at(number as u64).unwrap();
            assert_eq!((stored_key, value.bytes()), (key.as_bytes(), &vec![number as u8; number * 5 % 13][..]));
            assert_eq!(value.bytes().as_ptr().align_offset(8), 0);
            let entry = all.entries[number];
            assert_eq!(all.payloads[0][entry.key.0 + key.len()], 0, "the key is ended");
        }
    }

    #[test]
    fn replaced_values_are_dropped() {
        let resources = Resources::new(Config::new()).unwrap();
        let parent = Uri::parse("mem://metadata/replaced").unwrap();
        for time in 1..20 {
            let mut changes = MetadataChanges::default();
            changes.put("long", Datatype::Uint8, &[time; 1000]).unwrap();
            changes.write(&resources, &parent, CURRENT_VERSION, time.into(), &KEY).unwrap();
        }
        let all = Metadata::load(&resources, &parent, ALWAYS, &KEY, Counter::MetadataRead).unwrap();
        assert_eq!(all.get("long").unwrap().bytes(), [19; 1000]);
        assert!(all.payloads.iter().map(Vec::len).sum::<usize>() < 1100);
    }

    #[test]
    fn a_key_that_is_repeated_takes_no_more_memory() {
        // An entry of zeros has 10 bytes: no key, not deleted, of type 0, no values.
        let files = [file(vec![0; 100_000], StructureMemory::of_known_size(ENTRY_MEMORY, 100))];
        let changes = latest(&files).unwrap();
        assert!(changes.len() == 1 && changes.capacity() <= MAX_RESERVED);
    }

    fn file(bytes: Vec<u8>, memory: StructureMemory) -> MetadataFile {
        let payload = StructurePayload { bytes, memory, tile_size: 0 };
        MetadataFile { payload, uri: Uri::parse("mem://metadata/file").unwrap() }
    }

    #[test]
    fn keys_in_no_order_are_read_within_the_memory_of_their_file() {
        let mut w = WireWriter::new();
        for number in 0..50_000u64 {
            let key = format!("{:05}", (number * 7919) % 50_000);
            MetadataEntry { key: key.as_bytes(), value: None }.write(&mut w);
        }
        let payload = w.finish().unwrap();
        let files = |memory| [file(payload.clone(), memory)];
        assert_eq!(latest(&files(StructureMemory::unlimited())).unwrap().len(), 50_000);
        let error = latest(&files(StructureMemory::of_known_size(49_999 * ENTRY_MEMORY, 0))).err().unwrap();
        assert!(error.text().starts_with("Cannot read the metadata in 'mem://metadata/file'"), "{}", error.text());
    }

    #[test]
    fn damaged_files_are_errors() {
        let mut changes = MetadataChanges::default();
        put(&mut changes, "key", 7);
        changes.delete("gone").unwrap();
        let payload = changes.payload().unwrap();
        let parse = |bytes: &[u8]| parse(&mut WireReader::new("metadata", bytes), |_, _| Ok(()));
        for cut in 1..payload.len() {
            // Cut between two entries it is valid, elsewhere an error, never a panic.
            let _ = parse(&payload[..cut]);
        }
        assert!(parse(&payload[..payload.len() - 1]).is_err());
        assert!(parse(&payload).is_ok());
    }
}
