//! What the handle of an array holds.

use std::ops::Deref;
use std::sync::Arc;

use super::boundary::{In, Str};
use super::handles::tiledb_array_t;
use super::value::{Value, internal};
use crate::array::{self, Array, OpenArray};
use crate::crypto::EncryptionKey;
use crate::error::{Result, bail};
use crate::resources::Resources;
use crate::schema::ArraySchema;
use crate::types::{CellRange, Name};
use crate::vfs::Uri;

/// An array and its URI as C borrows it.
pub struct ArrayObject {
    array: Array,
    pub(super) name: Name,
}

impl ArrayObject {
    pub(super) fn new(resources: &Resources, uri: Str) -> Result<ArrayObject> {
        let array = Array::new(resources, uri.opt()?.unwrap_or_default())?;
        let name = Name::new(array.uri().as_str());
        Ok(ArrayObject { array, name })
    }

    /// The open array, for questions about its cells.
    pub(super) fn readable(&self) -> Result<Arc<OpenArray>> {
        match self.array.opened() {
            Some(open) => Ok(open),
            None => bail!("Array: [non_empty_domain] Array is not open"),
        }
    }
}

impl Deref for ArrayObject {
    type Target = Array;

    fn deref(&self) -> &Array {
        &self.array
    }
}

/// A URI argument.
pub(super) fn uri_of(text: Str) -> Result<Uri> {
    Uri::parse(text.opt()?.unwrap_or_default())
}

/// Loads the newest schema of an array with the key of the configuration.
pub(super) fn load_schema(resources: &Resources, uri: Str) -> Result<Value<ArraySchema>> {
    let Some(uri) = uri.opt()?.and_then(|uri| Uri::parse(uri).ok()) else {
        bail!("TileDB internal: Failed to load array schema; Invalid array URI");
    };
    let key = EncryptionKey::from_config(resources.config())?;
    Ok(Value::new(array::load_schema(resources, &uri, &key).map_err(internal)?))
}

/// How a dimension is named.
#[derive(Clone, Copy)]
pub(super) enum Selector {
    Index(u32),
    Name(Str),
}

impl Selector {
    /// The non-empty range of the dimension.
    pub(super) fn range(self, array: In<tiledb_array_t>, var: bool) -> Result<Option<CellRange>> {
        let open = array.get()?.readable()?;
        match self {
            Selector::Index(index) => open.non_empty_range(index, var),
            Selector::Name(name) => match name.opt()? {
                Some(name) => open.non_empty_range_named(name, var),
                None => bail!("C API: Pointer to field name may not be NULL"),
            },
        }
    }
}
