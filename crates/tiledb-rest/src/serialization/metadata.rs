//! Serialization of array and group metadata.

use super::format::{Deserializer, SerializationType, in_field, required, while_doing};
use crate::encoding::{Builder, View};
use crate::messages::{ArrayMetadata, MetadataEntry};
use tiledb_array::array::{Metadata, MetadataChanges, MetadataValue};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// A key with its value; `None` if it is deleted.
pub type MetadataItem<'a> = (&'a str, Option<MetadataValue<'a>>);

/// Writes metadata.
///
/// # Errors
/// If memory does not suffice.
pub fn write<'a>(form: SerializationType, entries: impl ExactSizeIterator<Item = MetadataItem<'a>>) -> Result<Vec<u8>> {
    form.write(|out| fill(out, entries)).map_err(while_doing("serializing array metadata"))
}

/// Reads metadata into changes.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Deserializer, bytes: &[u8]) -> Result<MetadataChanges> {
    reading.read(bytes, changes_of).map_err(while_doing("deserializing array metadata"))
}

/// All values, by key.
pub fn entries(metadata: &Metadata) -> Result<Vec<MetadataItem<'_>>> {
    (0..metadata.len() as u64)
        .map(|index| {
            let (key, value) = metadata.at(index)?;
            match str::from_utf8(key) {
                Ok(key) => Ok((key, Some(value))),
                Err(_) => bail!("the key of metadata at position {index} is no UTF-8"),
            }
        })
        .collect()
}

/// Puts metadata into a message.
pub(crate) fn fill<'a>(
    out: &mut Builder<'_, ArrayMetadata>,
    entries: impl ExactSizeIterator<Item = MetadataItem<'a>>,
) -> Result<()> {
    let mut list = out.list(ArrayMetadata::ENTRIES, entries.len())?;
    for (index, (key, value)) in entries.enumerate() {
        let mut entry = list.get(index)?;
        let datatype = value.map_or(Datatype::Int32, |value| value.datatype());
        entry.set_text(MetadataEntry::KEY, key)?;
        entry.set_text(MetadataEntry::TYPE, datatype.name())?;
        entry.set(MetadataEntry::VALUE_NUM, value.map_or(0, |value| value.count() as u32));
        entry.set_data(MetadataEntry::VALUE, value.map_or(&[], |value| value.bytes()))?;
        entry.set(MetadataEntry::DEL, value.is_none());
    }
    Ok(())
}

/// Deserializes metadata as changes.
pub(crate) fn changes_of(view: View<'_, ArrayMetadata>) -> Result<MetadataChanges> {
    let mut changes = MetadataChanges::default();
    for entry in view.items(ArrayMetadata::ENTRIES)?.iter() {
        let key = required("MetadataEntry.key", entry.text(MetadataEntry::KEY)?)?;
        if entry.get(MetadataEntry::DEL) {
            changes.delete(key)?;
            continue;
        }
        let datatype = required("MetadataEntry.type", entry.text(MetadataEntry::TYPE)?)?;
        let datatype = Datatype::from_name(datatype).map_err(in_field("MetadataEntry.type"))?;
        let bytes = entry.data(MetadataEntry::VALUE)?.unwrap_or_default();
        let count = entry.get(MetadataEntry::VALUE_NUM);
        if !bytes.is_empty() && bytes.len() as u64 != u64::from(count) * datatype.size() as u64 {
            bail!(
                Corrupt,
                "MetadataEntry.value: {} bytes where {count} values of {} are said to be",
                bytes.len(),
                datatype.name()
            );
        }
        changes.put(key, datatype, bytes)?;
    }
    Ok(changes)
}
