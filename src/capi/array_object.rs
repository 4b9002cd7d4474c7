//! The object of an array handle.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::schema_object::SchemaObject;
use tiledb_array::array::{Array, OpenArray};
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;

/// An array, and its schema, which all schema handles obtained since the array was opened share: a current domain that is set
/// through one of them is visible through the others, and applies to queries. Otherwise the array uses the schema that it was
/// opened with.
pub struct ArrayObject {
    array: Array,
    schema: Mutex<Option<Shared>>,
}

/// A schema that was opened, and what its handles share.
struct Shared {
    opened: Arc<ArraySchema>,
    object: Arc<SchemaObject>,
}

impl ArrayObject {
    pub(super) fn new(array: Array) -> ArrayObject {
        ArrayObject { array, schema: Mutex::new(None) }
    }

    /// The schema object that schema handles share until the array is reopened.
    ///
    /// # Errors
    /// If the array is not open.
    pub(super) fn shared_schema(&self) -> Result<Arc<SchemaObject>> {
        let opened = self.array.schema()?;
        let mut known = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = known.as_ref().filter(|shared| Arc::ptr_eq(&shared.opened, &opened)) {
            return Ok(Arc::clone(&shared.object));
        }
        let object = Arc::new(SchemaObject::owning(Arc::clone(&opened)));
        *known = Some(Shared { opened, object: Arc::clone(&object) });
        Ok(object)
    }

    /// Applies a current domain that was set in the shared schema to the open array.
    pub(super) fn share_current_domain(&self, open: &OpenArray) {
        let known = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shared) = known.as_ref().filter(|shared| Arc::ptr_eq(&shared.opened, open.schema())) else { return };
        let now = shared.object.snapshot();
        if !Arc::ptr_eq(&now, &shared.opened) && *now.current_domain() != open.current_domain() {
            open.choose_domain(now.current_domain().clone());
        }
    }
}

impl Deref for ArrayObject {
    type Target = Array;

    fn deref(&self) -> &Array {
        &self.array
    }
}
