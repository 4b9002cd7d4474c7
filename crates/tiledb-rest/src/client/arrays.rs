//! Client operations on arrays of a TileDB server.

use std::sync::Arc;

use super::array_source::RemoteArraySource;
use super::routes::{self, ResourceKind};
use super::session::{RestRequest, Session};
use super::uri::RemoteUri;
use crate::encoding::View;
use crate::messages::{self, ArrayConsolidationRequest, ArrayVacuumRequest};
use crate::serialization::schema::{self, Endpoint};
use crate::serialization::{array, config, evolution};
use tiledb_array::array::{Array, ArraySource, OpenArray, OpenArrayParts};
use tiledb_array::schema::{ArraySchema, EnumerationRef, EnumerationSource, SchemaEvolution};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::fork::Lock;
use tiledb_core::types::QueryType;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::http::Method;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// An array on a server, for building requests.
pub(super) struct RemoteArray {
    pub(super) session: Arc<Session>,
    pub(super) remote_uri: RemoteUri,
    uri: Uri,
}

impl RemoteArray {
    pub(super) fn new(resources: &Resources, uri: &Uri) -> Result<RemoteArray> {
        let session = Session::of(resources)?;
        Ok(RemoteArray { remote_uri: session.remote_uri(uri)?, session, uri: uri.clone() })
    }

    pub(super) fn request(&self, method: Method, rest: &str, what: &str) -> RestRequest<'_> {
        let route = routes::route(ResourceKind::Arrays, 1, &self.remote_uri, rest);
        RestRequest::new(method, &self.remote_uri, route, format!("Cannot {what} '{}'", self.uri))
    }
}

/// Creates an array.
///
/// # Errors
/// If the server rejects the request.
pub fn create(resources: &Resources, uri: &Uri, schema: &ArraySchema) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let form = at.session.form();
    let mut schema = schema.clone();
    if let Some(version) = resources.config().write_format_version()? {
        schema.select_version(Some(version))?;
    }
    let schema = &schema;
    let body = match (at.session.is_legacy()?, &at.remote_uri.storage) {
        (true, _) => schema::write(form, schema, Endpoint::Server)?,
        (false, Some(_)) => bail!("RestClient: TileDB-Server does not support custom backend storage locations."),
        (false, None) => schema::write_create(form, schema, "")?,
    };
    let pieces: &[&[u8]] = &[&body];
    let request = at.request(Method::Post, "", "create the array").body(pieces);
    at.session.perform(&RestRequest { creates: true, names_creator: true, ..request })
}

/// Loads the latest schema of an array.
///
/// # Errors
/// If the request fails or the response is invalid.
pub fn load_schema(resources: &Resources, uri: &Uri) -> Result<Arc<ArraySchema>> {
    let at = RemoteArray::new(resources, uri)?;
    let mut schema = newest_schema(&at)?;
    // Its enumerations are loaded on demand, as those of an open array.
    let times = (0, u64::MAX);
    let source = on_server(at, resources, times, times, &schema);
    let source: EnumerationSource = Arc::new(move |known: &EnumerationRef| source.enumeration(known));
    schema.set_enumeration_source(&source);
    if resources.config().bool("rest.load_enumerations_on_array_open")? {
        schema.enumerations().iter().try_for_each(|known| known.values().map(drop))?;
    }
    Ok(Arc::new(schema))
}

fn newest_schema(at: &RemoteArray) -> Result<ArraySchema> {
    let mut schema = at.session.fetch(&at.request(Method::Get, "", "load the schema of"), schema::read)?;
    schema.locate(&at.uri);
    Ok(schema)
}

fn on_server(
    at: RemoteArray,
    resources: &Resources,
    set: (u64, u64),
    opened: (u64, u64),
    schema: &ArraySchema,
) -> RemoteArraySource {
    let RemoteArray { session, remote_uri, uri } = at;
    let domain = schema.domain().clone();
    RemoteArraySource {
        session,
        resources: resources.clone(),
        uri,
        remote_uri,
        set,
        opened,
        domain,
        known: Lock::default(),
    }
}

/// Opens a handle's array.
///
/// # Errors
/// If it is open, or the server does not open it so.
pub fn open(array: &Array, query_type: u32) -> Result<()> {
    let end = array.set_end();
    array.open_by(query_type, &|resources, uri, query_type, window, key| {
        opened(resources, uri, query_type, ((window.0, end), window), key)
    })
}

/// Reopens the array of a handle.
///
/// # Errors
/// As [`open`].
pub fn reopen(array: &Array) -> Result<()> {
    let end = array.set_end();
    let opened_end = array.open_end();
    let end = if end == opened_end { u64::MAX } else { end };
    array.reopen_by(&|resources, uri, window, key| {
        opened(resources, uri, QueryType::Read, ((window.0, end), window), key)
    })
}

fn opened(
    resources: &Resources,
    uri: &Uri,
    query_type: QueryType,
    (set, window): ((u64, u64), (u64, u64)),
    key: &EncryptionKey,
) -> Result<OpenArray> {
    if !matches!(key, EncryptionKey::None) {
        bail!("Array: Cannot open array; encrypted remote arrays are not supported.");
    }
    let at = RemoteArray::new(resources, uri)?;
    let mut parts = match opens_at_once(resources.config())? {
        true => opening(&at, resources, query_type, set)?,
        false => of_schema(newest_schema(&at)?, uri, query_type),
    };
    parts.timestamps = window;
    parts.source = Some(Arc::new(on_server(at, resources, set, window, &parts.schema)));
    OpenArray::from_parts(resources, parts)
}

/// Whether one request opens an array with all its parts; otherwise the schema is loaded, and the rest on demand.
fn opens_at_once(config: &Config) -> Result<bool> {
    Ok(config.bool("rest.use_refactored_array_open")? || by_queries(config)?)
}

/// Whether the server opens the array with each query.
pub(super) fn by_queries(config: &Config) -> Result<bool> {
    config.bool("rest.use_refactored_array_open_and_query_submit")
}

fn opening(at: &RemoteArray, resources: &Resources, query_type: QueryType, set: (u64, u64)) -> Result<OpenArrayParts> {
    let body = array::write_open(at.session.form(), &config::for_server(resources.config()), query_type)?;
    let pieces: &[&[u8]] = &[&body];
    let route = routes::route(ResourceKind::Arrays, 2, &at.remote_uri, &format!("/?{}", routes::window(set)));
    let request = RestRequest { route, ..at.request(Method::Post, "", "open the array") }.body(pieces).idempotent();
    let read = |view: View<'_, messages::Array>| array::parts(resources, &at.uri, view, None);
    let mut parts = at.session.fetch(&request, |reading, answer| reading.read(answer, read))?.0;
    parts.query_type = query_type;
    Ok(parts)
}

pub(super) fn of_schema(schema: ArraySchema, uri: &Uri, query_type: QueryType) -> OpenArrayParts {
    OpenArrayParts {
        uri: uri.clone(),
        query_type,
        timestamps: (0, 0),
        key: EncryptionKey::None,
        schemas: vec![schema.clone()],
        schema,
        directory: None,
        fragments: None,
        metadata: None,
        non_empty_domain: None,
        source: None,
    }
}

/// Deletes an array.
///
/// # Errors
/// If the server rejects the request.
pub fn delete(resources: &Resources, uri: &Uri) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let request = at.request(Method::Delete, "", "delete the array");
    let deleted = at.session.perform(&request);
    at.session.forget(&request);
    deleted
}

/// Evolves the schema of an array.
///
/// # Errors
/// If the server rejects the request.
pub fn evolve(resources: &Resources, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let body = evolution::write(at.session.form(), changes)?;
    at.session.perform(&at.request(Method::Post, "/evolve", "evolve the array").body(&[&body]))
}

/// Consolidates an array, in the mode of the configuration.
///
/// # Errors
/// If the server rejects the request.
pub fn consolidate(resources: &Resources, uri: &Uri) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let body = at.session.form().write::<ArrayConsolidationRequest>(|out| {
        config::fill(&mut out.child(ArrayConsolidationRequest::CONFIG)?, &config::for_server(resources.config()))?;
        out.list(ArrayConsolidationRequest::FRAGMENTS, 0).map(drop)
    })?;
    at.session.perform(&at.request(Method::Post, "/consolidate", "consolidate the array").body(&[&body]))
}

/// Vacuums an array.
///
/// # Errors
/// If the server rejects the request.
pub fn vacuum(resources: &Resources, uri: &Uri) -> Result<()> {
    let at = RemoteArray::new(resources, uri)?;
    let body = at.session.form().write::<ArrayVacuumRequest>(|out| {
        config::fill(&mut out.child(ArrayVacuumRequest::CONFIG)?, &config::for_server(resources.config()))
    })?;
    at.session.perform(&at.request(Method::Post, "/vacuum", "vacuum the array").body(&[&body]))
}
