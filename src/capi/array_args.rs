//! Conversion of the arguments of array functions: URIs, schemas to load, dimensions by position or name.

use std::sync::Arc;

use super::array_object::ArrayObject;
use super::boundary::{In, InConst, Str};
use super::handles::{tiledb_array_t, tiledb_config_t};
use super::schema_object::SchemaObject;
use super::value::internal;
use tiledb::interop;
use tiledb::location::{self, Location};
use tiledb_array::array::{Array, OpenArray};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::CellRange;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A handle's array.
pub(super) fn array_at(resources: &Resources, uri: Str) -> Result<ArrayObject> {
    Ok(ArrayObject::new(Array::new(resources, &uri.opt_path().unwrap_or_default())?))
}

/// The open array, for questions about its cells.
pub(super) fn readable(array: &Array) -> Result<Arc<OpenArray>> {
    match array.opened() {
        Some(open) => Ok(open),
        None => bail!("Array: [non_empty_domain] Array is not open: open '{}' with TILEDB_READ", array.uri()),
    }
}

/// The open array, for its enumerations.
pub(super) fn with_enumerations(array: InConst<tiledb_array_t>, what: &str) -> Result<Arc<OpenArray>> {
    let array = array.get()?;
    match array.opened() {
        Some(open) => Ok(open),
        None => bail!("Array: Unable to load {what}; Array is not open. Open '{}' first", array.uri()),
    }
}

/// A URI argument.
pub(super) fn uri_of(text: Str) -> Result<Uri> {
    Uri::parse(&text.opt_path().unwrap_or_default())
}

/// The URI of an array whose files a function accesses; remote arrays are rejected.
pub(super) fn stored_uri(function: &str, text: Str) -> Result<Uri> {
    let uri = uri_of(text)?;
    Location::of(&uri).stored(function)?;
    Ok(uri)
}

/// A configuration that a function may be passed.
///
/// # Errors
/// If the argument is not a configuration.
pub(super) fn passed_config(config: In<tiledb_config_t>) -> Result<Option<tiledb::Config>> {
    if config.is_null() { Ok(None) } else { Ok(Some(interop::config(config.get()?.snapshot()))) }
}

/// An error about an argument that is not a URI.
pub(super) fn invalid(what: &str, text: Str) -> Error {
    let text = text.opt_path().unwrap_or_default();
    Error::invalid(format!("{what} '{text}'; pass a path, or SCHEME://PATH of a supported storage"))
}

/// The URI of the array to be consolidated.
pub(super) fn uri_to_consolidate(text: Str) -> Result<Uri> {
    uri_of(text).map_err(|_| invalid("Consolidator: Cannot consolidate array; Invalid URI:", text))
}

/// The URI of the array to be vacuumed.
pub(super) fn uri_to_vacuum(text: Str) -> Result<Uri> {
    if text.is_null() {
        bail!("FragmentConsolidator: Cannot vacuum fragments; Array name cannot be null");
    }
    uri_of(text).map_err(|_| invalid("TileDB internal: Cannot open array; Array does not exist. No URI:", text))
}

/// Creates an array from the schema of a handle, which then refers to the arrays of its dimension labels.
pub(super) fn create_from(handle: &SchemaObject, resources: &Resources, uri: &Uri) -> Result<()> {
    let schema = handle.snapshot();
    Location::of(uri).create_array(resources, &schema)?;
    if schema.labels().is_empty() || uri.is_tiledb() {
        return Ok(());
    }
    handle.change(|schema| {
        schema.locate(uri);
        Ok(())
    })
}

/// Loads the newest schema of an array with the key of the configuration.
pub(super) fn load_schema(resources: &Resources, uri: Str) -> Result<SchemaObject> {
    let Some(uri) = uri.opt_path().and_then(|uri| Uri::parse(&uri).ok()) else {
        return Err(invalid("TileDB internal: Failed to load array schema; Invalid array URI:", uri));
    };
    let key = location::opening_key(resources)?;
    Ok(SchemaObject::owning(Location::of(&uri).load_schema(resources, &key).map_err(internal)?))
}

/// How a dimension is named.
#[derive(Clone, Copy)]
pub(super) enum Selector<'a> {
    Index(u32),
    Name(Str<'a>),
}

impl Selector<'_> {
    /// The non-empty range of the dimension.
    pub(super) fn range(self, array: In<tiledb_array_t>, var: bool) -> Result<Option<CellRange>> {
        let open = readable(&*array.get()?)?;
        match self {
            Selector::Index(index) => open.non_empty_range(index, var),
            Selector::Name(name) => match name.opt()? {
                Some(name) => open.non_empty_range_named(name, var),
                None => bail!("C API: Pointer to field name may not be NULL"),
            },
        }
    }
}
