//! The schemas of an array, loaded by name on demand.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::{ArrayDirectory, enumerations};
use crate::fragment::{DroppedAttribute, LEGACY_SCHEMA, times_of};
use crate::schema::{ArraySchema, SchemaName};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::sort;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{Datatype, EncryptionType, Name, NamedList};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, Check};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Content, Uri};

/// The schemas of one array.
pub struct SchemaStore {
    resources: Resources,
    uri: Uri,
    key: EncryptionKey,
    /// Oldest first.
    names: Vec<String>,
    loaded: Mutex<HashMap<String, Arc<ArraySchema>>>,
}

impl SchemaStore {
    /// The schemas that a directory lists.
    pub fn new(resources: &Resources, directory: &ArrayDirectory, key: &EncryptionKey) -> SchemaStore {
        SchemaStore {
            resources: resources.clone(),
            uri: directory.uri().clone(),
            key: key.clone(),
            names: directory.schemas().to_vec(),
            loaded: Mutex::default(),
        }
    }

    /// The schemas of the array at `uri` from a message; `newest` is the last one.
    pub fn from_parts(
        resources: &Resources,
        uri: &Uri,
        key: &EncryptionKey,
        schemas: Vec<ArraySchema>,
        newest: &Arc<ArraySchema>,
    ) -> SchemaStore {
        let mut store = SchemaStore::with_directory(resources, &ArrayDirectory::empty(uri), key, schemas, newest);
        store.names.retain(|name| name != newest.name());
        store.names.push(newest.name().to_owned());
        store
    }

    /// Schemas from a message in addition to those of a directory. `shared` takes the place of an equal one.
    pub(super) fn with_directory(
        resources: &Resources,
        directory: &ArrayDirectory,
        key: &EncryptionKey,
        schemas: Vec<ArraySchema>,
        shared: &Arc<ArraySchema>,
    ) -> SchemaStore {
        let mut store = SchemaStore::new(resources, directory, key);
        let loaded: HashMap<String, Arc<ArraySchema>> = schemas
            .into_iter()
            .map(|schema| match schema.name() == shared.name() {
                true => (schema.name().to_owned(), shared.clone()),
                false => (schema.name().to_owned(), Arc::new(schema)),
            })
            .collect();
        let listed: HashSet<&String> = store.names.iter().collect();
        let unlisted: Vec<String> = loaded.keys().filter(|name| !listed.contains(name)).cloned().collect();
        if !unlisted.is_empty() {
            store.names.extend(unlisted);
            sort::by(&mut store.names, Ord::cmp);
        }
        store.loaded = Mutex::new(loaded);
        store
    }

    /// The names of all schemas, oldest first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The last schema made up to a time; the first one where all are younger.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn at(&self, time: u64) -> Result<Arc<ArraySchema>> {
        let made = |name: &&String| times_of(name).is_none_or(|times| times.1 <= time);
        self.named(self.names.iter().rev().find(made).or(self.names.first()))
    }

    /// The newest schema.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn newest(&self) -> Result<Arc<ArraySchema>> {
        self.named(self.names.last())
    }

    fn named(&self, name: Option<&String>) -> Result<Arc<ArraySchema>> {
        self.get(name.ok_or_else(|| Error::internal("An array without schemas"))?)
    }

    /// The schema with this file name. It may be younger than the listing, as that of a fragment is which was written in the meantime:
    /// object stores list the folders of an array concurrently.
    ///
    /// # Errors
    /// If there is none or it cannot be read.
    pub fn get(&self, name: &str) -> Result<Arc<ArraySchema>> {
        let loaded = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = loaded().get(name) {
            return Ok(schema.clone());
        }
        // All but the last one, which may come from a message, are sorted.
        let is_known = |name| self.names.binary_search(name).is_ok() || self.names.contains(name);
        let is_listed = is_known(&name.to_owned());
        let missing = || Error::corrupt(format!("ArrayDirectory: Array '{}' has no schema '{name}'", self.uri));
        if !is_listed && SchemaName::parse(name).is_err() {
            return Err(missing());
        }
        let schema = self.read(name).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::Unsupported | ErrorKind::Invalid if !is_listed => missing(),
            // libtiledb's prefix for a wrong key and for a newer format version.
            ErrorKind::Key | ErrorKind::Newer => error.prefixed("ArrayDirectory: "),
            _ => error,
        })?;
        Ok(loaded().entry(name.to_owned()).or_insert(Arc::new(schema)).clone())
    }

    /// The attributes of each older schema, by its name, that one between it and `newer` lacks: they were dropped, and `newer` has
    /// attributes of the same names. Schemas in between are read once, and only if there can be such attributes.
    ///
    /// # Errors
    /// If a schema cannot be read.
    pub fn dropped_between<'a>(
        &self,
        older: impl Iterator<Item = &'a ArraySchema>,
        newer: &ArraySchema,
    ) -> Result<HashMap<&'a str, Arc<NamedList<DroppedAttribute>>>> {
        let places: HashMap<&str, usize> = self.names.iter().map(String::as_str).zip(0..).collect();
        let Some(&last) = places.get(newer.name()) else { return Ok(HashMap::new()) };
        // By the place of the schema, its attributes that are also in the newer one.
        let mut shared: BTreeMap<usize, (&ArraySchema, Vec<&Name>)> = BTreeMap::new();
        for schema in older {
            let Some(&place) = places.get(schema.name()).filter(|place| **place + 1 < last) else { continue };
            shared.entry(place).or_insert_with(|| {
                let names = schema.attributes().iter().map(|attribute| attribute.name());
                (schema, names.filter(|name| is_attribute(newer, name)).collect())
            });
        }
        let Some((&first, _)) = shared.iter().find(|(_, (_, names))| !names.is_empty()) else {
            return Ok(HashMap::new());
        };
        let between = &self.names[first + 1..last];
        let schemas = self.resources.vfs().map(&self.uri, between.len(), |index| self.get(&between[index]))?;
        // By attribute, the places of the schemas without it.
        let mut gaps: HashMap<&Name, Vec<usize>> = HashMap::new();
        for name in shared.values().flat_map(|(_, names)| names) {
            gaps.entry(*name).or_insert_with(|| {
                let lacking = schemas.iter().zip(first + 1..).filter(|(schema, _)| !is_attribute(schema, name));
                lacking.map(|(_, place)| place).collect()
            });
        }
        let dropped = |place: usize, schema: &ArraySchema, name: &Name| {
            let gaps = gaps.get(name)?;
            let gap = *gaps.get(gaps.partition_point(|gap| *gap <= place))?;
            let later = schemas.get(place - first..).unwrap_or_default();
            Some(DroppedAttribute {
                name: name.clone(),
                time: times_of(&self.names[gap]).map_or(0, |times| times.1),
                is_replaced: !continues(schema, newer, later, name),
            })
        };
        let of_schema = |(place, (schema, names)): (usize, (&'a ArraySchema, Vec<&Name>))| {
            let dropped = names.into_iter().filter_map(|name| dropped(place, schema, name)).collect();
            (schema.name(), Arc::new(dropped))
        };
        Ok(shared.into_iter().map(of_schema).collect())
    }

    /// True if an attribute of a schema was dropped since, even if one of the same name was added again.
    ///
    /// # Errors
    /// If a schema cannot be read.
    pub(super) fn drops_any(&self, schema: &ArraySchema) -> Result<bool> {
        if self.names.last().is_some_and(|name| name == schema.name()) {
            return Ok(false);
        }
        let newest = self.newest()?;
        let is_gone = schema.attributes().iter().any(|attribute| !is_attribute(&newest, attribute.name()));
        let dropped = self.dropped_between(std::iter::once(schema), &newest)?;
        Ok(is_gone || dropped.values().any(|dropped| !dropped.is_empty()))
    }

    /// The key that schemas are read with: that of the context where the array is opened with none.
    fn reading_key(&self) -> Result<EncryptionKey> {
        match &self.key {
            EncryptionKey::None => EncryptionKey::from_config(self.resources.context_config()),
            key => Ok(key.clone()),
        }
    }

    /// Reads the schema with this file name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(&self, name: &str) -> Result<ArraySchema> {
        self.read_at(&schema_uri(&self.uri, name), name)
    }

    /// Reads the schema of this name from another file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read_at(&self, file: &Uri, name: &str) -> Result<ArraySchema> {
        let _timer = self.resources.stats().timer(Timer::LoadSchema);
        let read = || {
            let mut schema = ArraySchema::clone(&*self.stored(file)?);
            schema.set_name(SchemaName::parse(name)?);
            if self.resources.config().bool("sm.skip_checksum_validation")? {
                schema.skip_checksums();
            }
            schema.locate(&self.uri);
            schema.set_enumeration_source(&enumerations::source(&self.resources, &self.uri, &self.key));
            Ok::<_, Error>(schema)
        };
        read().map_err(|error| match error.kind() {
            ErrorKind::Key | ErrorKind::Newer => error,
            _ => error.context(format_args!("ArrayDirectory: Cannot read the array schema '{file}'")),
        })
    }

    /// The schema as stored in its file. Not cached if it is encrypted, or would keep enumerations in memory.
    fn stored(&self, file: &Uri) -> Result<Arc<ArraySchema>> {
        let vfs = self.resources.vfs();
        let key = self.reading_key()?;
        let is_plain = key == EncryptionKey::None;
        if let Some(schema) = is_plain.then(|| vfs.cached(file)).flatten() {
            return Ok(schema);
        }
        let open = vfs.open_to_cache(file, Content::Metadata)?;
        let bytes = open.read_all()?;
        let config = self.resources.config();
        let stats = self.resources.stats();
        let check: Check<'_> = &|r, memory| ArraySchema::parse(r, memory).map(drop);
        let payload = generic::load(&bytes, &key, config, stats, Counter::SchemaRead, check)?;
        let mut schema = ArraySchema::decode(&payload.bytes, payload.memory)?;
        let payload = payload.bytes;
        schema.set_digest(digest(&payload));
        let schema = Arc::new(schema);
        if is_plain && schema.enumerations().is_empty() {
            // Clones share the table of fields from now on.
            _ = schema.fields();
            // A schema takes several times its bytes.
            vfs.cache(file, open.validator(), &schema, payload.len().saturating_mul(8) + size_of::<ArraySchema>());
        }
        Ok(schema)
    }
}

/// True if the values of an attribute of an older schema, which was dropped and added again, are values of the newer attribute,
/// as libtiledb reads them. `between` are the schemas after the older one up to the newer one.
fn continues(older: &ArraySchema, newer: &ArraySchema, between: &[Arc<ArraySchema>], name: &Name) -> bool {
    let (Some(old), Some(new)) = (older.attribute(name), newer.attribute(name)) else { return false };
    let has_same_labels = match old.enumeration() {
        // An enumeration that was dropped, too, may have other values now.
        Some(enumeration) => {
            let is_there = |schema: &Arc<ArraySchema>| schema.enumeration(enumeration).is_some();
            new.enumeration() == Some(enumeration) && between.iter().all(is_there)
        }
        None => new.enumeration().is_none(),
    };
    let has_same_count = old.cell_val_num() == new.cell_val_num();
    has_same_labels && has_same_count && has_same_values(old.datatype(), new.datatype())
}

/// True if values of one type have the same meaning in the other type of the same size: bytes and texts of bytes, integers, and integers
/// as dates or times. Floats have none as integers, nor dates in other units.
fn has_same_values(old: Datatype, new: Datatype) -> bool {
    let is_bytes = |datatype: Datatype| datatype.is_text() || datatype.is_opaque();
    let is_number = |datatype: Datatype| datatype.is_integer() || datatype == Datatype::Bool;
    let is_date = |datatype: Datatype| datatype.is_datetime() || datatype.is_time();
    let are_numbers = is_number(old) && (is_number(new) || is_date(new)) || is_date(old) && is_number(new);
    let are_texts = is_bytes(old) && is_bytes(new) || old.is_wide_text() && new.is_wide_text();
    old == new || old.size() == new.size() && (are_numbers || are_texts)
}

fn is_attribute(schema: &ArraySchema, name: &Name) -> bool {
    schema.field(name).is_some_and(|field| field.attribute_index.is_some())
}

/// Digest of the bytes of a schema.
fn digest(payload: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    payload.hash(&mut hasher);
    hasher.finish()
}

/// The file of a schema.
pub(super) fn schema_uri(array: &Uri, name: &str) -> Uri {
    match name == LEGACY_SCHEMA {
        true => array.join(name),
        false => array.join("__schema").join(name),
    }
}

/// Loads the newest schema of the array at `uri`.
///
/// # Errors
/// `NotFound` if there is no array; otherwise if the schema cannot be read with the key.
pub fn load_schema(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Arc<ArraySchema>> {
    resources.threads().check_computing()?;
    let directory = ArrayDirectory::load_schemas(resources.vfs(), uri)?;
    let store = SchemaStore::new(resources, &directory, key);
    let name = store.names.last().ok_or_else(|| Error::internal("An array without schemas"))?;
    let _timer = resources.stats().timer(Timer::LoadNewestSchema);
    Ok(Arc::new(store.read(name)?))
}

/// Encryption type of the array at `uri`, read from the header of its newest schema.
///
/// # Errors
/// `NotFound` if there is no array; otherwise if the header cannot be read.
pub fn encryption_type(resources: &Resources, uri: &Uri) -> Result<EncryptionType> {
    /// Offset of the type in a generic tile.
    const POSITION: u64 = 4 + 8 + 8 + 1 + 8;
    resources.threads().check_computing()?;
    let directory = ArrayDirectory::load_schemas(resources.vfs(), uri)?;
    let Some(name) = directory.schemas().last() else {
        return Err(Error::internal("An array without schemas"));
    };
    let mut number = [0];
    resources.vfs().open(&schema_uri(uri, name))?.read_at(POSITION, &mut number)?;
    EncryptionType::from_number(u32::from(number[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_meaning_among_bytes_and_among_integers() {
        use Datatype::*;
        for (old, new, expected) in [
            (Blob, GeomWkb, true),
            (Char, StringUtf8, true),
            (StringAscii, GeomWkt, true),
            (StringUtf16, StringUcs2, true),
            (Int32, Uint32, true),
            (Bool, Uint8, true),
            (Int64, DatetimeDay, true),
            (TimeSec, Int64, true),
            (DatetimeDay, DatetimeDay, true),
            (Float32, Float32, true),
            (DatetimeDay, DatetimeMs, false),
            (Int32, Float32, false),
            (Float64, Int64, false),
            (Int32, Int64, false),
            (Uint8, StringAscii, false),
            (Uint16, StringUtf16, false),
        ] {
            assert_eq!(has_same_values(old, new), expected, "{old:?} {new:?}");
        }
    }
}
