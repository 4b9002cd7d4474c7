//! Enumeration files, `__schema/__enumerations/__uuid_0`: written when the array is created, read on demand.

use std::collections::HashSet;
use std::sync::Arc;

use crate::schema::{ArraySchema, Enumeration, EnumerationRef, EnumerationSource};
use tiledb_core::budget::StructureBudget;
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::Name;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, Check};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The folder of an array's enumerations.
fn folder(array: &Uri) -> Uri {
    folder_in(&array.join("__schema"))
}

/// The folder of enumerations in that of schemas.
pub(super) fn folder_in(schemas: &Uri) -> Uri {
    schemas.join("__enumerations")
}

/// Holds the enumerations of a new array against the limits of the configuration.
///
/// # Errors
/// If one, or all together, are larger.
pub(super) fn check_sizes(config: &Config, schema: &ArraySchema) -> Result<()> {
    let most = config.u64("sm.enumerations_max_size")?;
    let most_of_all = config.u64("sm.enumerations_max_total_size")?;
    let mut total = 0;
    for values in schema.enumerations().iter().filter_map(|known| known.loaded()) {
        let size = (values.data().len() + size_of_val(values.offsets())) as u64;
        if size > most {
            bail!(
                "ArraySchema: Invalid enumeration '{}' has a size exceeding {most} bytes. It has {size}: raise \
                 'sm.enumerations_max_size' to at least that",
                values.name()
            );
        }
        total += size;
    }
    if total > most_of_all {
        bail!(
            "ArraySchema: Total enumeration size for the entire schema exceeds {most_of_all} bytes. It is {total}: raise \
             'sm.enumerations_max_total_size' to at least that"
        );
    }
    Ok(())
}

/// The enumerations of a new schema that the schema `before` it, if there is one, does not have: the names of their files and the
/// bytes.
///
/// # Errors
/// If the values of one were not loaded.
pub(super) fn store(
    schema: &ArraySchema,
    before: Option<&ArraySchema>,
    key: &EncryptionKey,
    config: &Config,
) -> Result<Vec<(Name, Vec<u8>)>> {
    let budget = StructureBudget::of(config)?;
    let before = before.map_or(&[][..], ArraySchema::enumerations);
    let stored: HashSet<&Name> = before.iter().map(|old| &old.path).collect();
    let new = schema.enumerations().iter().filter(|known| !stored.contains(&known.path));
    let store = |known: &EnumerationRef| {
        let mut bytes = Vec::new();
        let values = schema.loaded_enumeration(&known.name)?;
        let payload = values.write()?;
        generic::write(&payload, schema.version(), key, &mut bytes)?;
        let check = budget.check_stored(payload.len() + values.index_memory(), bytes.len());
        check.context(|| format!("Cannot write the enumeration '{}', which could not be read", known.name))?;
        Ok((known.path.clone(), bytes))
    };
    new.map(store).collect()
}

/// Loads the values of enumerations from the array's directory.
pub(super) fn source(resources: &Resources, array: &Uri, key: &EncryptionKey) -> EnumerationSource {
    let resources = resources.clone();
    let folder = folder(array);
    let key = key.clone();
    Arc::new(move |known| {
        let file = folder.join_relative(&known.path);
        let file = file.context(|| format!("Cannot read the enumeration '{}'", known.name))?;
        let _timer = resources.stats().timer(Timer::LoadEnumeration);
        let bytes = resources.vfs().read(&file);
        let config = resources.config();
        let stats = resources.stats();
        let check: Check<'_> = &Enumeration::check_prefix;
        let payload =
            bytes.and_then(|bytes| generic::load(&bytes, &key, config, stats, Counter::EnumerationRead, check));
        let values = payload.and_then(|payload| Enumeration::decode(payload.bytes, payload.memory));
        values.context(|| format!("Cannot read the enumeration '{}' in '{file}'", known.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::OpenArray;
    use crate::array::create;
    use crate::schema::{Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, QueryType};

    #[test]
    fn enumerations_are_written_and_loaded_on_demand() {
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
            assert!(array.schema().enumerations()[0].loaded().is_none());
            assert_eq!(*array.enumeration("e").unwrap(), values);
            assert!(array.enumeration("f").is_err());
            assert!(array.schema().enumerations()[0].loaded().is_some());
            array.load_enumerations_of_all_schemas().unwrap();
        }
    }

    #[test]
    fn files_outside_of_the_folder_are_neither_read_nor_written() {
        let resources = Resources::new(Config::new()).unwrap();
        let array = Uri::parse("mem://enumerations/jail/array").unwrap();
        for path in ["../../stolen", "/stolen", "..", "", "a//b"] {
            let known = EnumerationRef::new("e".into(), path.into());
            let error = source(&resources, &array, &EncryptionKey::None)(&known).unwrap_err();
            assert!(error.text().contains("leads out of the folder"), "{}", error.text());
        }
    }
}
