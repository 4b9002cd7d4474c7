//! What the handle of an array holds.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::schema_object::SchemaObject;
use tiledb_array::array::{Array, OpenArray};
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;

/// An array, and its schema as all handles of this opening share it: what is set in one of them, such as a current
/// domain, the others tell too. Queries keep to such a current domain; else the array goes on with the schema that it was
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

    /// What handles of the schema share from one opening to the next.
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

    /// Hands a current domain that was set in the shared schema to an array that is open with it.
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
