//! Request handlers for schemas and for the values of enumerations.

use std::sync::Arc;

use crate::encoding::{Builder, ListBuilder, View};
use crate::messages::{
    self, LoadArraySchemaRequest, LoadArraySchemaResponse, LoadEnumerationsRequest, LoadEnumerationsResponse, Map,
    MapEntry, MapEnumeration, MapEnumerationEntry,
};
use crate::serialization::schema::Endpoint;
use crate::serialization::{Deserializer, config, enumeration, schema};
use tiledb_array::array::OpenArray;
use tiledb_array::schema::Enumeration;
use tiledb_core::error::Result;
use tiledb_core::memory;

/// Handles a request for the schemas of an array.
///
/// # Errors
/// If the bytes are no request, or a schema cannot be read.
pub fn load_schemas(open: &OpenArray, reading: Deserializer, request: &[u8]) -> Result<Vec<u8>> {
    let prefix = "[TileDB::Serialization][ArraySchema]: Error deserializing load array schema request; ";
    // As in libtiledb, the flag of the request is ignored in favour of its configuration.
    let see = |view: View<'_, LoadArraySchemaRequest>| match view.child(LoadArraySchemaRequest::CONFIG)? {
        Some(view) => config::of(view)?.bool("rest.load_enumerations_on_array_open"),
        None => Ok(false),
    };
    if reading.read(request, see).map_err(|error| error.prefixed(prefix))? {
        open.load_enumerations()?;
    }
    let fill = |out: &mut Builder<'_, LoadArraySchemaResponse>| {
        schema::fill(&mut out.child(LoadArraySchemaResponse::SCHEMA)?, open.schema(), Endpoint::Server)?;
        let names = open.schemas().names();
        let mut map = out.child(LoadArraySchemaResponse::ARRAY_SCHEMAS_ALL)?;
        let mut entries = map.list(Map::<messages::ArraySchema>::ENTRIES, names.len())?;
        for (index, name) in names.iter().enumerate() {
            let mut entry = entries.get(index)?;
            entry.set_text(MapEntry::<messages::ArraySchema>::KEY, name)?;
            let mut value = entry.child(MapEntry::<messages::ArraySchema>::VALUE)?;
            schema::fill(&mut value, &*open.schemas().get(name)?, Endpoint::Server)?;
        }
        Ok(())
    };
    reading.form().write(fill)
}

/// Handles a request for enumerations of an array by name; without names, for all of all schemas.
///
/// # Errors
/// If the bytes are no request, or there is no such enumeration.
pub fn load_enumerations(open: &OpenArray, reading: Deserializer, request: &[u8]) -> Result<Vec<u8>> {
    let prefix = "[TileDB::Serialization][Enumeration]: Error deserializing load enumerations request; ";
    let see = |view: View<'_, LoadEnumerationsRequest>| {
        let mut names = Vec::new();
        for name in view.items(LoadEnumerationsRequest::ENUMERATIONS)?.iter() {
            memory::push("names of enumerations", &mut names, name?.to_owned())?;
        }
        Ok(names)
    };
    let names = reading.read(request, see).map_err(|error| error.prefixed(prefix))?;
    let all = match names.is_empty() {
        false => {
            let values = names.iter().map(|name| open.enumeration(name)).collect::<Result<Vec<_>>>()?;
            vec![(open.schema().name().to_owned(), values)]
        }
        true => of_all_schemas(open)?,
    };
    reading.form().write(|out| fill_enumerations(out, &all))
}

type OfSchema = (String, Vec<Arc<Enumeration>>);

fn of_all_schemas(open: &OpenArray) -> Result<Vec<OfSchema>> {
    let of = |name: &String| {
        let schema = open.schemas().get(name)?;
        let values = schema.enumerations().iter().map(|known| known.values()).collect::<Result<Vec<_>>>()?;
        Ok((name.clone(), values))
    };
    open.schemas().names().iter().map(of).collect()
}

/// Enumerations of a single schema are sent without the schema's name.
fn fill_enumerations(out: &mut Builder<'_, LoadEnumerationsResponse>, all: &[OfSchema]) -> Result<()> {
    if let [(_, values)] = all {
        return fill_list(out.list(LoadEnumerationsResponse::ENUMERATIONS, values.len())?, values);
    }
    let mut map = out.child(LoadEnumerationsResponse::ALL_ENUMERATIONS)?;
    let mut entries = map.list(MapEnumeration::ENTRIES, all.len())?;
    for (index, (name, values)) in all.iter().enumerate() {
        let mut entry = entries.get(index)?;
        entry.set_text(MapEnumerationEntry::KEY, name)?;
        fill_list(entry.list(MapEnumerationEntry::VALUE, values.len())?, values)?;
    }
    Ok(())
}

fn fill_list(mut list: ListBuilder<'_, messages::Enumeration>, values: &[Arc<Enumeration>]) -> Result<()> {
    values.iter().enumerate().try_for_each(|(index, values)| enumeration::fill(&mut list.get(index)?, values))
}
