//! Loads parts of an open array from its server on demand.

use std::collections::HashMap;
use std::sync::Arc;

use super::routes::{self, ResourceKind};
use super::session::{RestRequest, Session};
use super::uri::RemoteUri;
use crate::encoding::{Builder, View};
use crate::messages::{LoadEnumerationsRequest, LoadEnumerationsResponse, MapEnumeration, MapEnumerationEntry};
use crate::serialization::{config, domain, enumeration, metadata};
use tiledb_array::array::{ArraySource, Metadata, MetadataChanges};
use tiledb_array::schema::{Domain, Enumeration, EnumerationRef};
use tiledb_core::error::{Result, bail};
use tiledb_core::fork::Lock;
use tiledb_core::types::NdRange;
use tiledb_storage::http::Method;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Loads parts of an open array from the server on demand.
pub(super) struct RemoteArraySource {
    pub(super) session: Arc<Session>,
    pub(super) resources: Resources,
    pub(super) uri: Uri,
    pub(super) remote_uri: RemoteUri,
    /// The time window as set: the server resolves "now" by its own clock.
    pub(super) set: (u64, u64),
    /// The time window resolved by the client.
    pub(super) opened: (u64, u64),
    pub(super) domain: Arc<Domain>,
    /// Enumerations that were loaded with others, by path.
    pub(super) known: Lock<HashMap<String, Enumeration>>,
}

impl RemoteArraySource {
    /// A route of the array.
    fn route(&self, version: u8, rest: &str) -> String {
        routes::route(ResourceKind::Arrays, version, &self.remote_uri, rest)
    }

    fn what(&self, what: &str) -> String {
        format!("Cannot {what} '{}'", self.uri)
    }

    /// Loads enumerations by name into the cache; without names, all of all schemas.
    fn fetch(&self, names: &[&str]) -> Result<()> {
        let fill = |out: &mut Builder<'_, LoadEnumerationsRequest>| {
            config::fill(
                &mut out.child(LoadEnumerationsRequest::CONFIG)?,
                &config::for_server(self.resources.config()),
            )?;
            match names {
                [] => Ok(()),
                _ => out.set_texts(LoadEnumerationsRequest::ENUMERATIONS, names),
            }
        };
        let body = self.session.form().write(fill)?;
        let route = self.route(1, &format!("/enumerations?{}", routes::window(self.opened)));
        let pieces: &[&[u8]] = &[&body];
        let what = self.what("load enumerations of");
        let request = RestRequest::new(Method::Post, &self.remote_uri, route, what).body(pieces).idempotent();
        let mut enumerations = Vec::new();
        let read = |view: View<'_, LoadEnumerationsResponse>| {
            enumerations.extend(enumeration::of_list(view.items(LoadEnumerationsResponse::ENUMERATIONS)?)?);
            if let Some(all) = view.child(LoadEnumerationsResponse::ALL_ENUMERATIONS)? {
                for of_schema in all.items(MapEnumeration::ENTRIES)?.iter() {
                    enumerations.extend(enumeration::of_list(of_schema.items(MapEnumerationEntry::VALUE)?)?);
                }
            }
            Ok(())
        };
        self.session.fetch(&request, |reading, answer| reading.read(answer, read))?;
        let mut known = self.known.lock();
        for one in enumerations {
            known.insert(one.path().to_string(), Enumeration::clone(&one));
        }
        Ok(())
    }
}

impl ArraySource for RemoteArraySource {
    fn non_empty_domain(&self) -> Result<Option<NdRange>> {
        let route = self.route(2, &format!("/non_empty_domain?{}", routes::window(self.set)));
        let request = RestRequest::new(Method::Get, &self.remote_uri, route, self.what("get the non-empty domain of"));
        self.session.fetch(&request, |reading, answer| domain::read_all(reading, answer, &self.domain))
    }

    fn metadata(&self) -> Result<Metadata> {
        let route = self.route(1, &format!("/array_metadata?{}", routes::window(self.set)));
        let request = RestRequest::new(Method::Get, &self.remote_uri, route, self.what("get the metadata of"));
        self.session.fetch(&request, |reading, answer| metadata::read(reading, answer)?.values())
    }

    fn enumeration(&self, reference: &EnumerationRef) -> Result<Enumeration> {
        let path: &str = &reference.path;
        let take = || self.known.lock().remove(path);
        if let Some(known) = take() {
            return Ok(known);
        }
        // A request by name finds those of the latest schema; one without names finds all.
        self.fetch(&[&reference.name])?;
        if let Some(known) = take() {
            return Ok(known);
        }
        self.fetch(&[])?;
        match take() {
            Some(known) => Ok(known),
            None => bail!("[TileDB::REST] Error: The server does not know the enumeration '{}'", reference.name),
        }
    }

    fn write_metadata(&self, changes: &MetadataChanges) -> Result<()> {
        let entries = changes.sorted()?;
        let body = metadata::write(self.session.form(), entries.into_iter())?;
        let route = self.route(1, &format!("/array_metadata?{}", routes::window(self.set)));
        let pieces: &[&[u8]] = &[&body];
        // Writing the same values again is idempotent.
        let request = RestRequest::new(Method::Post, &self.remote_uri, route, self.what("write the metadata of"))
            .body(pieces)
            .idempotent();
        self.session.perform(&request)
    }
}
