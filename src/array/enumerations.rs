//! The files of enumerations, `__schema/__enumerations/__uuid_0`: written when the array is created,
//! read when a value is asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::OpenArray;
use crate::crypto::EncryptionKey;
use crate::error::{Context, Result, bail};
use crate::resources::Resources;
use crate::schema::{ArraySchema, Enumeration};
use crate::tile::generic;
use crate::vfs::Uri;

/// Enumerations read so far, by the names of their files.
#[derive(Default)]
pub(super) struct Enumerations(Mutex<HashMap<String, Arc<Enumeration>>>);

/// The folder of an array's enumerations.
fn folder(array: &Uri) -> Uri {
    array.join("__schema").join("__enumerations")
}

/// Writes the enumerations of a new schema.
///
/// # Errors
/// If the values of one were not loaded, or the storage refuses.
pub(super) fn write(resources: &Resources, array: &Uri, schema: &ArraySchema, key: &EncryptionKey) -> Result<()> {
    for known in schema.enumerations() {
        let mut bytes = Vec::new();
        generic::write(&schema.loaded_enumeration(&known.name)?.write(), key, &mut bytes)?;
        resources.vfs().put(&folder(array).join(&known.path), &bytes)?;
    }
    Ok(())
}

impl OpenArray {
    /// The enumeration with this name of the array's schema.
    ///
    /// # Errors
    /// If there is none, or its file cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>> {
        self.enumeration_of(self.schema(), name)
    }

    /// The enumeration with this name of one of the array's schemas.
    ///
    /// # Errors
    /// As [`OpenArray::enumeration`].
    pub fn enumeration_of(&self, schema: &ArraySchema, name: &str) -> Result<Arc<Enumeration>> {
        let Some(known) = schema.enumeration(name) else {
            bail!("ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named '{name}'.");
        };
        let loaded = || self.enumerations.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(enumeration) = loaded().get(known.path.as_str()) {
            return Ok(enumeration.clone());
        }
        let file = folder(self.uri()).join(&known.path);
        let bytes = self.resources().vfs().read(&file);
        let payload = bytes.and_then(|bytes| Ok(generic::read(&bytes, self.key())?.0));
        let enumeration = payload.and_then(|payload| Enumeration::read(&payload));
        let enumeration = enumeration.context(|| format!("Cannot read the enumeration '{name}' in '{file}'"))?;
        Ok(loaded().entry(known.path.to_string()).or_insert(Arc::new(enumeration)).clone())
    }

    /// Reads all enumerations of the array's schema; [`OpenArray::complete_schema`] has them then.
    ///
    /// # Errors
    /// As [`OpenArray::enumeration`].
    pub fn load_enumerations(&self) -> Result<()> {
        if self.complete.get().is_none() {
            let mut schema = ArraySchema::clone(self.schema());
            for known in self.schema().enumerations() {
                schema.keep_enumeration(self.enumeration(&known.name)?)?;
            }
            _ = self.complete.set(Arc::new(schema));
        }
        Ok(())
    }

    /// Reads all enumerations of all schemas of the array.
    ///
    /// # Errors
    /// If a schema or an enumeration cannot be read.
    pub fn load_enumerations_of_all_schemas(&self) -> Result<()> {
        for name in self.schemas().names() {
            let schema = self.schemas().get(name)?;
            for known in schema.enumerations() {
                self.enumeration_of(&schema, &known.name)?;
            }
        }
        self.load_enumerations()
    }

    /// The array's schema, with its enumerations once all are loaded.
    pub fn complete_schema(&self) -> &Arc<ArraySchema> {
        self.complete.get().unwrap_or(self.schema())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::create;
    use crate::config::Config;
    use crate::schema::{Attribute, Dimension, Domain};
    use crate::types::{ArrayType, Datatype, QueryType};

    #[test]
    fn enumerations_are_written_and_read_when_asked_for() {
        let ends = [1i32, 4].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&4i32.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        let values = Enumeration::new("e", Datatype::Int32, 1, true, &ends, None).unwrap();
        schema.add_enumeration(Arc::new(values.clone())).unwrap();
        let mut attribute = Attribute::new("a", Datatype::Int8);
        attribute.set_enumeration("e").unwrap();
        schema.add_attribute(Arc::new(attribute)).unwrap();
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse("mem://enumerations/array").unwrap();
        for key in [EncryptionKey::None, EncryptionKey::Aes256([7; 32])] {
            let uri = uri.join(if key.encryption_type().number() == 0 { "plain" } else { "sealed" });
            create(&resources, &uri, &schema, &key).unwrap();
            let array = OpenArray::open(&resources, &uri, QueryType::Read, (0, u64::MAX), &key).unwrap();
            assert!(array.complete_schema().loaded_enumeration("e").is_err());
            assert_eq!(*array.enumeration("e").unwrap(), values);
            assert!(array.enumeration("f").is_err());
            array.load_enumerations_of_all_schemas().unwrap();
            assert_eq!(*array.complete_schema().loaded_enumeration("e").unwrap(), values);
        }
    }
}
