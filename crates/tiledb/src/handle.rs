//! An array that is open, with its context; shared by the array objects of the public interface and their queries.

use std::sync::Arc;

use crate::config::Config;
use crate::context::Context;
use crate::error::{AtUri, Error, ErrorKind, Result};
use crate::location::{self, Location};
use tiledb_array::array::{Array, OpenArray};
use tiledb_array::schema::ArraySchema;
use tiledb_core::types::QueryType;
use tiledb_storage::resources::Resources;

pub(crate) struct ArrayHandle {
    pub(crate) ctx: Context,
    pub(crate) array: Array,
    resources: Resources,
    /// The schema as of opening.
    schema: Arc<ArraySchema>,
}

impl ArrayHandle {
    /// Opens an array in a window of time, in milliseconds since 1970; an end of `u64::MAX` means now.
    pub(crate) fn open(
        ctx: &Context,
        uri: &str,
        kind: QueryType,
        (start, end): (u64, u64),
        config: Option<&Config>,
    ) -> Result<Arc<ArrayHandle>> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(config)?;
        let array = Array::new(&resources, uri).at(uri)?;
        array.set_open_start(start);
        array.set_open_end(end);
        let running = ctx.running()?;
        if let Err(error) = location::open(&array, kind.number().into()) {
            return Err(missing(error.into(), Location::of(&target), &resources).at(uri));
        }
        drop(running);
        let schema = array.schema().at(uri)?;
        Ok(Arc::new(ArrayHandle { ctx: ctx.clone(), array, resources, schema }))
    }

    pub(crate) fn uri(&self) -> &str {
        self.array.uri().as_str()
    }

    /// The snapshot that new queries work on.
    pub(crate) fn snapshot(&self) -> Result<Arc<OpenArray>> {
        let open = self.array.snapshot().at(self.uri())?;
        Ok(open.in_context(&self.resources))
    }

    /// The schema of the snapshot.
    pub(crate) fn schema(&self) -> Arc<ArraySchema> {
        self.array.schema().unwrap_or_else(|_| Arc::clone(&self.schema))
    }

    pub(crate) fn resources(&self) -> &Resources {
        &self.resources
    }
}

/// The error of an operation on an array, which is of the kind "not found" if there is none.
pub(crate) fn missing(error: Error, location: Location<'_>, resources: &Resources) -> Error {
    let is_missing = || {
        let object = location.object_type(resources);
        object.is_ok_and(|object| object != tiledb_core::types::ObjectType::Array)
    };
    if error.kind() == ErrorKind::InvalidArgument && is_missing() { error.refined(ErrorKind::NotFound) } else { error }
}
