//! Arrays that are open for deleting cells.

use std::fmt;
use std::sync::Arc;

use crate::condition::Condition;
use crate::error::Result;
use crate::handle::ArrayHandle;
use crate::query::delete_cells;

/// A sparse array that is open for deleting cells.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, attr};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("id", 0..=99_i32))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://deleted", &schema)?;
/// Array::open_for_writing(&ctx, "mem://deleted")?
///     .write()
///     .values("id", &[1, 2, 3])
///     .values("a", &[10, 20, 30])
///     .submit()?;
/// Array::open_for_deletion(&ctx, "mem://deleted")?.delete(&attr("a").ge(20))?;
/// assert_eq!(Array::open(&ctx, "mem://deleted")?.read().all()?.values::<i32>("id")?, [1]);
/// # Ok::<(), tiledb::Error>(())
/// ```
pub struct ArrayDeleter(Arc<ArrayHandle>);

impl ArrayDeleter {
    pub(super) fn new(handle: Arc<ArrayHandle>) -> ArrayDeleter {
        ArrayDeleter(handle)
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        self.0.uri()
    }

    /// Deletes the cells that meet a condition. Readers of earlier states still see them.
    ///
    /// # Errors
    /// If the condition does not fit the array, the array is dense, or storage fails.
    pub fn delete(&self, condition: &Condition) -> Result<()> {
        delete_cells(&self.0, condition)
    }
}

impl fmt::Debug for ArrayDeleter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayDeleter").field("uri", &self.uri()).finish()
    }
}
