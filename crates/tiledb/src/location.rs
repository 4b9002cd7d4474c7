//! Where arrays and groups are: on storage, where this library works on their files, or on a TileDB server, which does it.
//!
//! Every operation that differs is a method of [`Location`]; callers do not look at URIs.

use std::sync::Arc;

use crate::error::{AtUri, Error, ErrorKind, Result};
use crate::name::check_text;
use tiledb_array::array::{self, Array, FragmentInfo, OnRemoved, OpenArray};
use tiledb_array::group::{self, Group};
use tiledb_array::object;
use tiledb_array::schema::{ArraySchema, SchemaEvolution};
use tiledb_core::types::{ObjectType, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_maintain::maintain::{self, ConsolidationPlan, OnMerged};
use tiledb_query::{EstimatedSize, Query};
use tiledb_rest::queries::RemoteQueryState;
use tiledb_rest::{arrays, groups, queries};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

type Engine<T> = tiledb_core::error::Result<T>;

/// A URI, and who works on what lies there.
#[derive(Clone, Debug)]
pub(crate) enum Location {
    /// This library, on files or objects.
    Stored(Uri),
    /// A server at a `tiledb://` URI.
    Server(Uri),
}

impl Location {
    /// # Errors
    /// If the text is not a URI or path.
    pub(crate) fn parse(text: &str) -> Result<Location> {
        check_text(text)?;
        let uri = Uri::parse(text).at(text)?;
        Ok(if uri.is_tiledb() { Location::Server(uri) } else { Location::Stored(uri) })
    }

    pub(crate) fn uri(&self) -> &Uri {
        match self {
            Location::Stored(uri) | Location::Server(uri) => uri,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.uri().as_str()
    }

    /// The URI of something whose files an operation accesses.
    ///
    /// # Errors
    /// If it is on a server.
    pub(crate) fn stored(&self, operation: &str) -> Result<&Uri> {
        match self {
            Location::Stored(uri) => Ok(uri),
            Location::Server(uri) => {
                let message = format!("{operation}: a TileDB server shows no files; call it where the array is stored");
                Err(Error::new(ErrorKind::Unsupported, message).at(uri.as_str()))
            }
        }
    }
}

/// Arrays.
impl Location {
    pub(crate) fn object_type(&self, resources: &Resources) -> Engine<ObjectType> {
        match self {
            Location::Stored(uri) => object::object_type(resources.vfs(), uri),
            Location::Server(uri) => arrays::object_type(resources, uri),
        }
    }

    pub(crate) fn create_array(&self, resources: &Resources, schema: &ArraySchema) -> Engine<()> {
        let key = EncryptionKey::from_config(resources.config())?;
        match self {
            Location::Stored(uri) => array::create(resources, uri, schema, &key),
            Location::Server(uri) => arrays::create(resources, uri, schema, &key),
        }
    }

    pub(crate) fn load_schema(&self, resources: &Resources) -> Engine<Arc<ArraySchema>> {
        let key = EncryptionKey::for_opening(resources.config())?;
        match self {
            Location::Stored(uri) => array::load_schema(resources, uri, &key),
            Location::Server(uri) => arrays::load_schema(resources, uri, &key),
        }
    }

    pub(crate) fn evolve(&self, resources: &Resources, changes: &SchemaEvolution) -> Engine<()> {
        match self {
            Location::Stored(uri) => {
                array::evolve(resources, uri, changes, &EncryptionKey::from_config(resources.config())?)
            }
            Location::Server(uri) => arrays::evolve(resources, uri, changes),
        }
    }

    pub(crate) fn delete_array(&self, resources: &Resources) -> Engine<()> {
        match self {
            Location::Stored(uri) => array::delete(resources, uri),
            Location::Server(uri) => arrays::delete(resources, uri),
        }
    }

    pub(crate) fn delete_fragments(&self, resources: &Resources, window: (u64, u64)) -> Engine<()> {
        match self {
            Location::Stored(uri) => array::delete_fragments(resources, uri, window),
            Location::Server(uri) => arrays::delete_fragments(resources, uri, window),
        }
    }

    pub(crate) fn delete_named_fragments(&self, resources: &Resources, fragments: &[String]) -> Engine<()> {
        match self {
            Location::Stored(uri) => array::delete_named_fragments(resources, uri, fragments),
            Location::Server(uri) => arrays::delete_named_fragments(resources, uri, fragments),
        }
    }

    pub(crate) fn open(&self, array: &Array, kind: QueryType) -> Engine<()> {
        match self {
            Location::Stored(_) => array.open(kind.number().into()),
            Location::Server(_) => arrays::open(array, kind.number().into()),
        }
    }

    pub(crate) fn reopen(&self, array: &Array) -> Engine<()> {
        match self {
            Location::Stored(_) => array.reopen(),
            Location::Server(_) => arrays::reopen(array),
        }
    }

    pub(crate) fn load_fragments(&self, info: &FragmentInfo) -> Engine<()> {
        match self {
            Location::Stored(_) => info.load(),
            Location::Server(_) => arrays::load_fragment_info(info),
        }
    }

    pub(crate) fn consolidation_plan(&self, open: &OpenArray, bytes: u64) -> Engine<ConsolidationPlan> {
        match self {
            Location::Stored(_) => ConsolidationPlan::new(open, bytes),
            Location::Server(_) => arrays::consolidation_plan(open, bytes),
        }
    }

    pub(crate) fn consolidate(&self, resources: &Resources, on_merged: OnMerged<'_>) -> Engine<()> {
        match self {
            Location::Stored(uri) => maintain::consolidate(resources, uri, on_merged),
            Location::Server(uri) => arrays::consolidate_watched(resources, uri, on_merged),
        }
    }

    pub(crate) fn vacuum(&self, resources: &Resources, on_removed: OnRemoved<'_>) -> Engine<()> {
        match self {
            Location::Stored(uri) => maintain::vacuum_with_progress(resources, uri, on_removed),
            Location::Server(uri) => arrays::vacuum_with_progress(resources, uri, on_removed),
        }
    }
}

/// Queries.
impl Location {
    pub(crate) fn submit(&self, array: &Array, query: &mut Query, state: &mut RemoteQueryState) -> Engine<()> {
        match self {
            Location::Stored(_) => query.submit(),
            Location::Server(_) => queries::submit(array, query, state),
        }
    }

    pub(crate) fn finalize(&self, array: &Array, query: &mut Query, state: &mut RemoteQueryState) -> Engine<()> {
        match self {
            Location::Stored(_) => query.finalize(),
            Location::Server(_) => queries::finalize(array, query, state),
        }
    }

    pub(crate) fn estimate(
        &self,
        array: &Array,
        query: &mut Query,
        state: &mut RemoteQueryState,
        name: &str,
        (is_var, is_nullable): (bool, bool),
    ) -> Engine<EstimatedSize> {
        match self {
            Location::Stored(_) => query.estimate(name, is_var, is_nullable),
            Location::Server(_) => queries::estimate(array, query, state, name, (is_var, is_nullable)),
        }
    }
}

/// Groups.
impl Location {
    pub(crate) fn group(&self, resources: &Resources) -> Engine<Group> {
        match self {
            Location::Stored(uri) => Group::new(resources, uri.as_str()),
            Location::Server(uri) => groups::handle(resources, uri.as_str()),
        }
    }

    pub(crate) fn create_group(&self, resources: &Resources) -> Engine<()> {
        match self {
            Location::Stored(uri) => group::create(resources, uri.as_str()),
            Location::Server(uri) => groups::create(resources, uri.as_str()),
        }
    }
}
